//! What the server knows of a round of secure aggregation: who has come how far, who shares masks with whom.

use fedbits_random::Streams;

use crate::aggregation::{MaskGraph, SecureAggregation};
use crate::payload::Exchange;

/// How far a client has come in the round.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Level {
    Asked,
    Advertised,
    Shared,
    Masked,
    Unmasked,
}

#[derive(Clone, Copy)]
pub(super) struct Member {
    pub(super) client: u32,
    pub(super) level: Level,
    /// Is it lost, or was it too late?
    pub(super) out: bool,
    /// Does it have the others' shares, so that it can mask?
    pub(super) can_mask: bool,
}

/// A round of secure aggregation.
pub(super) struct Secure {
    pub(super) setting: SecureAggregation,
    /// n.
    pub(super) clients: u32,
    pub(super) round: u64,
    /// In the order of clients.
    pub(super) members: Vec<Member>,
    graph: MaskGraph,
    /// What the server collects: the level that its members reach by answering.
    pub(super) stage: Level,
    /// Those who have not answered yet.
    pub(super) waiting: usize,
    /// Were too few left?
    pub(super) failed: bool,
}

impl Secure {
    pub(super) fn new(setting: SecureAggregation, clients: u32, streams: &Streams) -> Self {
        let (members, graph) = (Vec::new(), setting.graph(0, streams, 0));
        Self { setting, clients, round: 0, members, graph, stage: Level::Advertised, waiting: 0, failed: false }
    }

    pub(super) fn open(&mut self, round: u64, cohort: &[u32], streams: &Streams) {
        let member = |&client: &u32| Member { client, level: Level::Asked, out: false, can_mask: false };
        self.members = cohort.iter().map(member).collect();
        (self.round, self.stage, self.waiting, self.failed) = (round, Level::Advertised, cohort.len(), false);
        self.graph = self.setting.graph(cohort.len(), streams, round);
    }

    pub(super) fn position(&self, client: u32) -> Option<usize> {
        self.members.binary_search_by_key(&client, |member| member.client).ok()
    }

    /// How many have reached a level, whatever became of them.
    pub(super) fn reached(&self, level: Level) -> usize {
        self.members.iter().filter(|member| member.level >= level).count()
    }

    /// The neighbours of a member who had reached a level, whatever became of them.
    pub(super) fn neighbours(&self, position: usize, level: Level) -> usize {
        self.graph.neighbours(position).filter(|&peer| self.members[peer].level >= level).count()
    }

    /// A share of its own keys, which a member keeps where all share with all: 1, else 0.
    pub(super) fn own_share(&self) -> usize {
        usize::from(self.graph.is_complete())
    }

    /// t.
    pub(super) fn quorum(&self) -> usize {
        let parties = if self.graph.is_complete() { self.members.len() } else { self.graph.degree() };
        self.setting.quorum(parties)
    }

    /// Are there enough who have answered, for the next exchange to make sense?
    pub(super) fn has_quorum(&self) -> bool {
        if self.graph.is_complete() {
            return self.reached(self.stage) >= self.quorum();
        }
        self.reached(self.stage) >= 2
    }

    /// Can the masks be taken off? Of each client in U₂ the shares of enough of those who hold one have come.
    pub(super) fn can_unmask(&self) -> bool {
        let quorum = self.quorum();
        if self.graph.is_complete() {
            return self.reached(Level::Unmasked) >= quorum;
        }
        let mut owners = (0..self.members.len()).filter(|&position| self.members[position].level >= Level::Shared);
        owners.all(|position| self.neighbours(position, Level::Unmasked) >= quorum)
    }

    /// What the server sends to a member when the exchange of `stage` is complete.
    pub(super) fn forwarded(&self, position: usize) -> (Exchange, u64) {
        let (setting, n) = (&self.setting, self.clients);
        match self.stage {
            Level::Advertised => (Exchange::Keys, setting.key_list(self.neighbours(position, Level::Advertised), n)),
            Level::Shared => (Exchange::Shares, setting.shares(self.neighbours(position, Level::Shared), n)),
            _ => {
                let survivors = self.neighbours(position, Level::Masked) + self.own_share();
                (Exchange::Unmasking, setting.survivor_list(survivors, n))
            }
        }
    }
}
