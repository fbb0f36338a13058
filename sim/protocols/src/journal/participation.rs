//! How clients take part: counted in the round that is open, and added when it closes.

use fedbits_kernel::Time;
use fedbits_record::ClientPart;

use super::{Count, Journal};

impl Journal {
    /// Clients, of whom there are `n`, are selected.
    pub fn selects(&mut self, n: usize) {
        if self.plan.clients {
            self.parts = vec![ClientPart::default(); n];
        }
    }

    /// Clients can be missing whom no fair draw leaves out: each of them, before the time since when one may.
    pub(crate) fn can_leave_out(&mut self, since: impl Iterator<Item = Time>) {
        self.left_out = since.map(Some).collect();
    }

    /// Client `i` was selected.
    pub fn asked(&mut self, i: u32) {
        self.part(i, |part| &mut part.selected);
        if let Some(Some(since)) = self.left_out.get_mut(i as usize) {
            *since = Time::MAX;
        }
    }

    /// A round closed while client `i`, whom it waited for, was at work.
    pub fn was_late(&mut self, i: u32) {
        self.part(i, |part| &mut part.late);
    }

    /// Client `i` was lost to a round.
    pub fn was_lost(&mut self, i: u32) {
        self.part(i, |part| &mut part.lost);
    }

    fn part(&mut self, i: u32, count: Count) {
        if !self.parts.is_empty() {
            self.open.push((i, count));
        }
    }

    /// How client `i` took part, where clients are selected and somebody asks.
    pub(super) fn part_of(&self, i: u32) -> Option<ClientPart> {
        self.parts.get(i as usize).copied()
    }

    /// A step took in a contribution of client `i` of that staleness.
    pub fn took(&mut self, i: u32, age: u64) {
        self.part(i, |part| &mut part.contributions);
        if let Some(since) = self.left_out.get_mut(i as usize) {
            *since = None;
        }
        self.staleness.record(age);
    }
}
