//! Where a node is in the order of iterations and rounds, and its mail. It must not know time.

use std::collections::{BTreeMap, BTreeSet};

use fedbits_kernel::EventId;

use super::letter::Carried;

/// Messages of a round, by sender; none where one is known to be missing.
pub(super) type Heard = BTreeMap<u32, Option<Carried>>;

/// One node.
#[derive(Clone, Debug, Default)]
pub(super) struct Node {
    pub iteration: u64,
    pub phase: Phase,
    pub children: Vec<u32>,
    /// Owners in its tree whose data have not arrived yet, at a root.
    pub missing: u32,
    /// It has sent its own data, or waits for those of others.
    pub gathers: bool,
    pub announced: BTreeSet<u64>,
    /// The end of its patience, and which one it is.
    pub timer: Option<EventId>,
    pub timers: u32,
    /// Messages heard ahead of their use, by iteration and round.
    heard: BTreeMap<(u64, u32), Heard>,
    /// The last message of an earlier round of this iteration that came when its round was over, by sender.
    late: BTreeMap<u32, Carried>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Phase {
    /// Waits for data, an announcement or the end of its computation.
    #[default]
    Waiting,
    /// Has sent the messages of this round.
    Round(u32),
    /// Goes on no more.
    Done,
}

/// What became of a message of a round.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reception {
    /// It waits for its round, which may be complete now.
    Kept,
    /// Its round is over; it stands in for a missing message of a later one.
    StandsIn,
    /// Its iteration is over.
    TooLate,
}

impl Node {
    /// The first round whose messages it can still use.
    fn at(&self) -> (u64, u32) {
        match self.phase {
            Phase::Round(now) => (self.iteration, now),
            Phase::Waiting | Phase::Done => (self.iteration + 1, 0),
        }
    }

    /// Begins the rounds of an iteration.
    pub fn begin(&mut self, iteration: u64) {
        self.iteration = iteration;
        self.late.clear();
    }

    /// A message of a round has arrived.
    pub fn receive(&mut self, from: u32, round: (u64, u32), carried: Option<Carried>) -> Reception {
        if round >= self.at() {
            self.heard.entry(round).or_default().insert(from, carried);
            return Reception::Kept;
        }
        match carried.filter(|_| round.0 == self.at().0) {
            Some(carried) => {
                self.late.insert(from, carried);
                Reception::StandsIn
            }
            None => Reception::TooLate,
        }
    }

    /// A message of a round is known to be missing.
    pub fn miss(&mut self, from: u32, round: (u64, u32)) {
        if round >= self.at() {
            self.heard.entry(round).or_default().entry(from).or_insert(None);
        }
    }

    /// The messages of the present round when all `degree` have been heard; late ones of earlier rounds replace what is
    /// missing.
    pub fn complete(&mut self, degree: usize) -> Option<(u32, Heard)> {
        let Phase::Round(round) = self.phase else { return None };
        if self.heard.get(&(self.iteration, round)).map_or(0, BTreeMap::len) < degree {
            return None;
        }
        let mut heard = self.heard.remove(&(self.iteration, round)).unwrap_or_default();
        for (from, message) in heard.iter_mut().filter(|(_, message)| message.is_none()) {
            *message = self.late.remove(from);
        }
        Some((round, heard))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// In round 1 of iteration 2 with neighbours 3 and 4: a message of round 2 waits, one of round 0 stands in for what
    /// is missing in round 1, one of iteration 1 is too late.
    #[test]
    fn mail_is_sorted_by_round() {
        let mut node = Node { iteration: 2, phase: Phase::Round(1), ..Node::default() };
        let one: Carried = vec![1.0].into();
        assert_eq!(node.receive(3, (2, 2), Some(one.clone())), Reception::Kept);
        assert_eq!(node.receive(4, (2, 0), Some(one.clone())), Reception::StandsIn);
        assert_eq!(node.receive(4, (1, 7), Some(one.clone())), Reception::TooLate);
        assert_eq!(node.receive(3, (2, 1), None), Reception::Kept);
        assert!(node.complete(2).is_none());
        node.miss(4, (2, 1));
        let (round, heard) = node.complete(2).expect("both neighbours are accounted for");
        assert_eq!((round, heard.into_iter().collect::<Vec<_>>()), (1, vec![(3, None), (4, Some(one))]));
    }
}
