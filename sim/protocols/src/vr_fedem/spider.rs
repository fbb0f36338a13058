//! The clients' SPIDER estimates S_{t,k,i}: what stands, and what a step under way will make of it.

use super::cost::{Kept, Previous};

/// All S_i, n rows of q numbers, and where they stand.
pub(super) struct Spider {
    q: usize,
    previous: Previous,
    estimate: Vec<f64>,
    staged: Vec<f64>,
    clients: Vec<Client>,
}

/// What is known of one client beside its row.
#[derive(Clone, Debug, Default)]
struct Client {
    /// The round at whose Ŝ the estimate stands; none before the first.
    stands: Option<u64>,
    kept: Kept,
    /// The same after the step under way, and what that costs.
    next: (Option<u64>, Kept),
    work: u64,
}

impl Spider {
    pub(super) fn new(n: u32, q: usize, previous: Previous) -> Self {
        let rows = || vec![0.0; n as usize * q];
        Self { q, previous, estimate: rows(), staged: rows(), clients: vec![Client::default(); n as usize] }
    }

    /// S_i.
    pub(super) fn estimate(&self, i: u32) -> &[f64] {
        &self.estimate[i as usize * self.q..][..self.q]
    }

    /// S_i after the step under way.
    pub(super) fn staged(&self, i: u32) -> &[f64] {
        &self.staged[i as usize * self.q..][..self.q]
    }

    /// The step: `now` alone replaces S_i, with `before` their difference is added.
    pub(super) fn stage(&mut self, i: u32, now: &[f64], before: Option<&[f64]>) {
        let row = i as usize * self.q..(i as usize + 1) * self.q;
        let (staged, estimate) = (&mut self.staged[row.clone()], &self.estimate[row]);
        match before {
            None => staged.copy_from_slice(now),
            Some(before) => {
                for ((staged, s_i), (now, before)) in staged.iter_mut().zip(estimate).zip(now.iter().zip(before)) {
                    *staged = s_i + (now - before);
                }
            }
        }
    }

    /// Where the step will stand, which values the client then keeps, and its cost in expectations.
    pub(super) fn plan(&mut self, i: u32, round: u64, kept: Kept, work: u64) {
        let client = &mut self.clients[i as usize];
        let kept = if self.previous == Previous::Cached { kept } else { Kept::Nothing };
        client.next = (Some(round), kept);
        client.work = work;
    }

    /// The step is done: it stands.
    pub(super) fn commit(&mut self, i: u32) {
        let row = i as usize * self.q..(i as usize + 1) * self.q;
        self.estimate[row.clone()].copy_from_slice(&self.staged[row]);
        let client = &mut self.clients[i as usize];
        (client.stands, client.kept) = std::mem::take(&mut client.next);
    }

    /// Client `i` has lost its estimate: it begins again with a full pass.
    pub(super) fn forget(&mut self, i: u32) {
        self.clients[i as usize] = Client::default();
    }

    /// The round at whose Ŝ the estimate of client `i` stands.
    pub(super) fn stands(&self, i: u32) -> Option<u64> {
        self.clients[i as usize].stands
    }

    pub(super) fn kept(&self, i: u32) -> &Kept {
        &self.clients[i as usize].kept
    }

    /// Expectations of the step under way.
    pub(super) fn work(&self, i: u32) -> u64 {
        self.clients[i as usize].work
    }
}
