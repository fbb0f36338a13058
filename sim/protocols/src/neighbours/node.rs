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
    /// The newest message, with its round, of those of earlier rounds of this iteration that came when their round was
    /// over, by sender.
    late: BTreeMap<u32, (u32, Carried)>,
    /// The first round whose message would be news, of senders whose last message is missing.
    wanted: BTreeMap<u32, u32>,
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
        self.wanted.clear();
    }

    /// A message of a round has arrived.
    pub fn receive(&mut self, from: u32, round: (u64, u32), carried: Option<Carried>) -> Reception {
        if round >= self.at() {
            self.heard.entry(round).or_default().insert(from, carried);
            return Reception::Kept;
        }
        // Nothing that is older than what was used: running sums would go back.
        let is_news = self.wanted.get(&from).is_some_and(|first| round.1 >= *first)
            && self.late.get(&from).is_none_or(|(newest, _)| round.1 > *newest);
        match carried.filter(|_| round.0 == self.at().0 && is_news) {
            Some(carried) => {
                self.late.insert(from, (round.1, carried));
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
        for (from, message) in &mut heard {
            self.stand_in(*from, round, message);
        }
        Some((round, heard))
    }

    /// Replaces a message that is missing by a late one, and notes what of its sender would be news from now on.
    fn stand_in(&mut self, from: u32, round: u32, message: &mut Option<Carried>) {
        if message.is_some() {
            if !self.wanted.is_empty() {
                self.wanted.remove(&from);
                self.late.remove(&from);
            }
        } else if let Some((late, carried)) = self.late.remove(&from) {
            self.wanted.insert(from, late + 1);
            *message = Some(carried);
        } else {
            self.wanted.entry(from).or_insert(round);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// In round 1 of iteration 2 with neighbours 3 and 4: a message of round 2 waits, one of round 0 stands in for what
    /// is missing in round 1, one of iteration 1 is too late.
    #[test]
    fn mail_is_sorted_by_round() {
        let mut node = Node { iteration: 2, phase: Phase::Round(0), ..Node::default() };
        let one: Carried = vec![1.0].into();
        node.miss(4, (2, 0));
        node.receive(3, (2, 0), Some(one.clone()));
        assert!(node.complete(2).is_some());
        node.phase = Phase::Round(1);
        assert_eq!(node.receive(3, (2, 2), Some(one.clone())), Reception::Kept);
        assert_eq!(node.receive(4, (2, 0), Some(one.clone())), Reception::StandsIn);
        assert_eq!(node.receive(4, (1, 7), Some(one.clone())), Reception::TooLate);
        assert_eq!(node.receive(3, (2, 1), None), Reception::Kept);
        assert!(node.complete(2).is_none());
        node.miss(4, (2, 1));
        let (round, heard) = node.complete(2).expect("both neighbours are accounted for");
        assert_eq!((round, heard.into_iter().collect::<Vec<_>>()), (1, vec![(3, None), (4, Some(one))]));
    }

    /// With one neighbour whose messages of rounds 0 and 1 are missing. What comes late stands in for round 3, the
    /// newest of it; once that, or the message of a round itself, is used, older ones are too late.
    #[test]
    fn nothing_older_than_what_was_used_stands_in() {
        let number = |value: f64| -> Carried { vec![value].into() };
        let mut node = Node { iteration: 1, phase: Phase::Round(0), ..Node::default() };
        let end = |node: &mut Node, round: u32, message: Option<f64>| {
            node.phase = Phase::Round(round);
            match message {
                Some(value) => drop(node.receive(7, (1, round), Some(number(value)))),
                None => node.miss(7, (1, round)),
            }
            let (_, heard) = node.complete(1).expect("it is accounted for");
            node.phase = Phase::Round(round + 1);
            heard[&7].as_ref().map(|carried| carried[0])
        };
        assert_eq!([end(&mut node, 0, None), end(&mut node, 1, None), end(&mut node, 2, None)], [None; 3]);
        assert_eq!(node.receive(7, (1, 1), Some(number(1.0))), Reception::StandsIn);
        assert_eq!(node.receive(7, (1, 0), Some(number(0.0))), Reception::TooLate);
        assert_eq!(end(&mut node, 3, None), Some(1.0));
        assert_eq!(node.receive(7, (1, 1), Some(number(1.0))), Reception::TooLate);
        assert_eq!(node.receive(7, (1, 2), Some(number(2.0))), Reception::StandsIn);
        assert_eq!(end(&mut node, 4, Some(4.0)), Some(4.0));
        assert_eq!(end(&mut node, 5, None), None);
        assert_eq!(node.receive(7, (1, 3), Some(number(3.0))), Reception::TooLate);
    }
}
