//! The flooding of the clustering, simulated by agents that know only themselves and what their neighbours tell them,
//! finds the hubs of the central clustering.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use fedbits_protocols::neighbours::graph::Graph;
use fedbits_protocols::neighbours::hubs::{Hubs, Ties};
use fedbits_random::{DrawPurpose, Streams};

/// An agent of a 1-hop clustering.
struct Agent {
    id: u32,
    /// Neighbours that are left, as far as it has been told.
    left: BTreeSet<u32>,
    hub: Option<u32>,
}

impl Agent {
    /// The size of its hub, ties by the smaller id.
    fn bid(&self) -> (usize, Reverse<u32>) {
        (1 + self.left.len(), Reverse(self.id))
    }
}

/// Phases until everybody has a hub: N − 1 rounds of the largest bid heard so far, in which every piece of what is left
/// finds its own winner; the winner tells its neighbours, which tell theirs that they leave.
fn flood(graph: &Graph) -> Vec<u32> {
    let ids = 0..graph.len() as u32;
    let agent = |id| Agent { id, left: graph.neighbours(id).iter().copied().collect(), hub: None };
    let mut agents: Vec<Agent> = ids.map(agent).collect();
    while agents.iter().any(|agent| agent.hub.is_none()) {
        let mut best: Vec<_> = agents.iter().map(Agent::bid).collect();
        for _ in 1..agents.len() {
            let heard = |agent: &Agent| {
                let bids = agent.left.iter().map(|&neighbour| best[neighbour as usize]);
                bids.chain([best[agent.id as usize]]).max().unwrap()
            };
            best = agents.iter().map(heard).collect();
        }
        let wins = |agent: &&Agent| agent.hub.is_none() && best[agent.id as usize] == agent.bid();
        let winners: Vec<u32> = agents.iter().filter(wins).map(|agent| agent.id).collect();
        for winner in winners {
            let members: Vec<u32> = agents[winner as usize].left.iter().copied().chain([winner]).collect();
            members.iter().for_each(|&member| agents[member as usize].hub = Some(winner));
        }
        let gone: BTreeSet<u32> = agents.iter().filter(|agent| agent.hub.is_some()).map(|agent| agent.id).collect();
        agents.iter_mut().for_each(|agent| agent.left.retain(|neighbour| !gone.contains(neighbour)));
    }
    agents.into_iter().map(|agent| agent.hub.unwrap()).collect()
}

/// On 200 random graphs of up to 16 agents (a tree of random parents, and random links beside it): the same roots, the
/// same hubs. Pieces of what is left do not see each other, so that the order in which hubs leave does not matter.
#[test]
fn flooding_finds_what_the_central_clustering_finds() {
    for seed in 0..200 {
        let streams = Streams::new(seed, 0);
        let mut stream = streams.at(DrawPurpose::Clustering, 7, 7);
        let agents = 2 + stream.below(15) as u32;
        let mut links: Vec<(u32, u32)> = (1..agents).map(|a| (stream.below(u64::from(a)) as u32, a)).collect();
        for _ in 0..stream.below(2 * u64::from(agents)) {
            let mut end = || stream.below(u64::from(agents)) as u32;
            links.push((end(), end()));
        }
        let graph = Graph::new(agents as usize, links).unwrap();
        let central = Hubs::new(&graph, 1, Ties::SmallestIndex, &streams).unwrap();
        let roots: Vec<u32> = (0..agents).map(|agent| central.hubs()[central.of(agent) as usize].root).collect();
        assert_eq!(flood(&graph), roots, "seed {seed}");
    }
}
