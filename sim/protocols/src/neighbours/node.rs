//! Where a node is in the order of iterations and rounds, and the messages that it keeps. It must not know time.

use std::collections::{BTreeMap, BTreeSet};

use fedbits_kernel::EventId;

use super::gossip::Values;

/// Messages of a round, by sender; none where one is known to be missing.
pub(super) type Heard = BTreeMap<u32, Option<Values>>;

/// One node.
#[derive(Clone, Debug, Default)]
pub(super) struct Node {
    pub iteration: u64,
    pub phase: Phase,
    pub children: Vec<u32>,
    /// Owners in its tree whose data have not arrived yet, at a root.
    pub missing: u32,
    /// It has sent its data, or waits for those of others.
    pub gathers: bool,
    /// Iterations whose terms have arrived.
    pub announced: BTreeSet<u64>,
    /// The end of its patience, and which one it is.
    pub timer: Option<EventId>,
    pub timers: u32,
    /// Messages heard ahead of their use, by iteration and round.
    heard: BTreeMap<(u64, u32), Heard>,
    /// The newest message, with its round, of those of earlier rounds of this iteration that came when their round was
    /// over, by sender.
    late: BTreeMap<u32, (u32, Values)>,
    /// The first round whose message would be news, of senders whose last message is missing.
    wanted: BTreeMap<u32, u32>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Phase {
    /// Waits for data, the terms of its root or the end of its computation.
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
    pub fn receive(&mut self, from: u32, round: (u64, u32), values: Option<Values>) -> Reception {
        if round >= self.at() {
            self.heard.entry(round).or_default().insert(from, values);
            return Reception::Kept;
        }
        // Nothing that is older than what was used: running sums would go back.
        let is_news = self.wanted.get(&from).is_some_and(|first| round.1 >= *first)
            && self.late.get(&from).is_none_or(|(newest, _)| round.1 > *newest);
        match values.filter(|_| round.0 == self.at().0 && is_news) {
            Some(values) => {
                self.late.insert(from, (round.1, values));
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
    fn stand_in(&mut self, from: u32, round: u32, message: &mut Option<Values>) {
        if message.is_some() {
            if !self.wanted.is_empty() {
                self.wanted.remove(&from);
                self.late.remove(&from);
            }
        } else if let Some((late, values)) = self.late.remove(&from) {
            self.wanted.insert(from, late + 1);
            *message = Some(values);
        } else {
            self.wanted.entry(from).or_insert(round);
        }
    }
}
