//! Clustering of a graph (VP-EM paper, section 6): greedily the largest h-hop hub of what is left of the graph.
//!
//! The hub of root n holds the agents within h hops of n inside the residual graph; the largest one is taken out, again
//! and again, until nothing is left. Agents that are left alone are hubs of their own.

use std::collections::BTreeSet;

use fedbits_random::{DrawPurpose, Streams};
use fedbits_spec::Described;
use fedbits_spec::range::whole;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::gossip::Plan;
use super::graph::Graph;

/// How many partial clusterings a search for all outcomes looks at: a second or two for a hundred agents.
pub const MAX_STATES: usize = 10_000;

/// Ties between hubs.
#[derive(Clone, Copy, Debug, Default, Described, Deserialize, Eq, PartialEq, Serialize)]
pub enum Ties {
    /// The smallest root.
    #[default]
    SmallestIndex,
    /// A random hub.
    Random,
    /// The outcome with this index among those that ties allow.
    Outcome(#[range(whole(0, 9_999))] usize),
}

/// Why [`Ties::Outcome`] names no clustering.
#[derive(Clone, Copy, Debug, Eq, Error, PartialEq)]
pub enum TiesError {
    /// The search for all outcomes was given up.
    #[error("ties allow too many clusterings of this graph to number them")]
    TooMany,
    /// The list is shorter.
    #[error("ties allow {0} clusterings of this graph")]
    NoOutcome(usize),
}

/// Search for the hubs.
#[derive(Clone, Copy, Debug, Default, Described, Deserialize, Eq, PartialEq, Serialize)]
pub enum HubSearch {
    /// Known before the start, free.
    #[default]
    Central,
    /// By a flooding protocol with charged messages.
    Flooding,
}

/// One hub.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hub {
    /// Its root.
    pub root: u32,
    /// Its agents, ascending, the root among them.
    pub agents: Vec<u32>,
}

/// The hubs in the order in which they are taken, and the trees inside them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hubs {
    hubs: Vec<Hub>,
    /// The hub of every agent.
    of: Vec<u32>,
    /// The next agent on the way to the root; none at a root.
    parents: Vec<Option<u32>>,
}

impl Hubs {
    /// The greedy clustering of h hops. Ties are drawn at the address (Clustering, number of the hub, 0).
    ///
    /// # Errors
    /// When the outcome that `ties` name does not exist or cannot be found.
    pub fn new(graph: &Graph, h: u32, ties: Ties, streams: &Streams) -> Result<Self, TiesError> {
        let drawn = |number: u64, roots: &[u32]| {
            roots[streams.at(DrawPurpose::Clustering, number, 0).below(roots.len() as u64) as usize]
        };
        match ties {
            Ties::SmallestIndex => Ok(Self::greedy(graph, h, |_, roots| roots[0])),
            Ties::Random => Ok(Self::greedy(graph, h, drawn)),
            Ties::Outcome(outcome) => {
                let mut all = Self::all_greedy(graph, h, outcome + 1).ok_or(TiesError::TooMany)?;
                let outcomes = all.len();
                if outcome < outcomes { Ok(all.swap_remove(outcome)) } else { Err(TiesError::NoOutcome(outcomes)) }
            }
        }
    }

    /// `choose` takes the hub's number and the roots of the largest hubs.
    fn greedy(graph: &Graph, h: u32, choose: impl Fn(u64, &[u32]) -> u32) -> Self {
        let mut found = Self { hubs: Vec::new(), of: vec![u32::MAX; graph.len()], parents: vec![None; graph.len()] };
        let mut left = vec![true; graph.len()];
        while left.contains(&true) {
            let sizes = scores(graph, h, &left);
            let most = sizes.iter().copied().max().unwrap_or(0);
            let roots: Vec<u32> = (0..graph.len() as u32).filter(|&n| sizes[n as usize] == most).collect();
            let root = choose(found.hubs.len() as u64, &roots);
            found.extract(graph, h, root, &mut left);
        }
        found
    }

    /// Every outcome that ties allow, each once, in the order of a depth-first search by root; at most `limit`. None
    /// when more than
    /// [`MAX_STATES`] partial clusterings lead there.
    pub fn all_greedy(graph: &Graph, h: u32, limit: usize) -> Option<Vec<Self>> {
        let start = Self { hubs: Vec::new(), of: vec![u32::MAX; graph.len()], parents: vec![None; graph.len()] };
        let mut outcomes: Vec<Self> = Vec::new();
        // The same hubs in another order leave the same agents, and lead to the same outcomes.
        let mut seen = BTreeSet::new();
        let mut open = vec![(start, vec![true; graph.len()])];
        while let Some((hubs, left)) = open.pop() {
            if outcomes.len() == limit {
                break;
            }
            if !seen.insert(hubs.partition()) {
                continue;
            }
            if seen.len() > MAX_STATES {
                return None;
            }
            if !left.contains(&true) {
                outcomes.push(hubs);
                continue;
            }
            let sizes = scores(graph, h, &left);
            let most = sizes.iter().copied().max().unwrap_or(0);
            for root in (0..graph.len() as u32).rev().filter(|&n| sizes[n as usize] == most) {
                let (mut hubs, mut left) = (hubs.clone(), left.clone());
                hubs.extract(graph, h, root, &mut left);
                open.push((hubs, left));
            }
        }
        Some(outcomes)
    }

    /// The sets of agents, without an order.
    fn partition(&self) -> Vec<Vec<u32>> {
        let mut sets: Vec<Vec<u32>> = self.hubs.iter().map(|hub| hub.agents.clone()).collect();
        sets.sort_unstable();
        sets
    }

    fn extract(&mut self, graph: &Graph, h: u32, root: u32, left: &mut [bool]) {
        let hops = graph.distances_within(root, h, &|n| left[n as usize]);
        let within = |n: u32| hops[n as usize];
        let agents: Vec<u32> = (0..graph.len() as u32).filter(|&n| within(n).is_some()).collect();
        for &agent in &agents {
            let nearer = |&&next: &&u32| within(next).zip(within(agent)).is_some_and(|(n, a)| n + 1 == a);
            self.parents[agent as usize] = graph.neighbours(agent).iter().find(nearer).copied();
            self.of[agent as usize] = self.hubs.len() as u32;
            left[agent as usize] = false;
        }
        self.hubs.push(Hub { root, agents });
    }

    /// Initial states of a consensus about Σ_b Q^b as coefficients over the Q^b, one row of B numbers per agent: agents
    /// of hub b start at (N / |H_b|) Q^b, whose average over all agents is the sum.
    pub fn initial_states(&self) -> Vec<Vec<f64>> {
        let row = |&hub: &u32| {
            let mut row = vec![0.0; self.len()];
            row[hub as usize] = self.share(hub as usize);
            row
        };
        self.of.iter().map(row).collect()
    }

    /// N / |H_b|.
    pub fn share(&self, hub: usize) -> f64 {
        self.agents() as f64 / self.hubs[hub].agents.len() as f64
    }

    /// N.
    pub fn agents(&self) -> usize {
        self.of.len()
    }

    /// Their search by flooding, as rounds of messages. In every phase the agents that are left flood the largest
    /// (score, id) for as many rounds as their largest distance, the winner's hub is announced `h` hops, and neighbours
    /// of the leavers update their scores in one round more. A message has 64 bits (score and id) from agents that are
    /// left, 1 bit from the others, so that neighbours know that they have left.
    pub fn flooding(&self, graph: &Graph, h: u32) -> Plan {
        let mut left = vec![true; graph.len()];
        let (mut rounds, mut coded) = (0, Vec::new());
        for hub in &self.hubs {
            rounds += graph.diameter(&|n| left[n as usize]) + h + 1;
            coded.push((rounds, left.iter().map(|&left| if left { 64 } else { 1 }).collect()));
            hub.agents.iter().for_each(|&agent| left[agent as usize] = false);
        }
        Plan { rounds, coded, ..Plan::default() }
    }

    /// B.
    #[expect(clippy::len_without_is_empty, reason = "every graph has a hub")]
    pub fn len(&self) -> usize {
        self.hubs.len()
    }

    /// The hubs in the order in which they are taken.
    pub fn hubs(&self) -> &[Hub] {
        &self.hubs
    }

    /// The hub of an agent.
    pub fn of(&self, agent: u32) -> u32 {
        self.of[agent as usize]
    }

    /// The next agent on the way to the root of its hub; none at a root.
    pub fn parent(&self, agent: u32) -> Option<u32> {
        self.parents[agent as usize]
    }
}

/// Size of the h-hop hub of every agent that is left; 0 for the others.
fn scores(graph: &Graph, h: u32, left: &[bool]) -> Vec<usize> {
    let size = |n: u32| {
        if !left[n as usize] {
            return 0;
        }
        graph.distances_within(n, h, &|n| left[n as usize]).into_iter().flatten().count()
    };
    (0..graph.len() as u32).map(size).collect()
}
