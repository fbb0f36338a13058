//! Shortest routes from one site to all others, by latency. It must not know hosts.
//!
//! Of routes with equal latency the one with fewer links is taken, then the one whose last link comes from the smaller
//! site, then the one with the smaller link number: adding a link that no shortest route uses changes no route.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use petgraph::visit::EdgeRef;

use super::graph::{node, site};
use super::{SiteId, Topology};

/// One directed step: the number of the link, and whether it is gone from its first to its second site.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Step {
    pub(super) link: u32,
    pub(super) forward: bool,
}

/// The shortest routes from one site: for each site the last step to it and the site before.
#[derive(Clone, Debug)]
pub(super) struct ShortestRoutes(Vec<Option<(SiteId, Step)>>);

/// Latency in ns and number of links.
type Cost = (u64, u32);

impl ShortestRoutes {
    /// Dijkstra's algorithm.
    pub(super) fn from(topology: &Topology, start: SiteId) -> Self {
        let graph = &topology.graph;
        let mut best: Vec<Option<Cost>> = vec![None; graph.node_count()];
        let mut before: Vec<Option<(SiteId, Step)>> = vec![None; graph.node_count()];
        let mut heap = BinaryHeap::from([Reverse(((0, 0), start))]);
        best[start.0 as usize] = Some((0, 0));
        while let Some(Reverse((cost, at))) = heap.pop() {
            if best[at.0 as usize] != Some(cost) {
                continue;
            }
            for edge in graph.edges(node(at)) {
                let to = site(edge.target());
                let next = (cost.0.saturating_add(edge.weight().latency.as_nanos()), cost.1 + 1);
                let link = edge.id().index() as u32;
                let known = best[to.0 as usize];
                let rank = (next, at, link);
                let better = known.is_none_or(|known| match before[to.0 as usize] {
                    Some((previous, step)) => rank < (known, previous, step.link),
                    None => false, // the start itself
                });
                if !better {
                    continue;
                }
                // petgraph turns the edges of an undirected graph round so that they start at `at`.
                let forward = graph.edge_endpoints(edge.id()).is_some_and(|(first, _)| first == node(at));
                before[to.0 as usize] = Some((at, Step { link, forward }));
                best[to.0 as usize] = Some(next);
                if known != Some(next) {
                    heap.push(Reverse((next, to)));
                }
            }
        }
        Self(before)
    }

    /// The steps to `to`, last first; empty when it is the start or cannot be reached.
    pub(super) fn backwards(&self, to: SiteId) -> impl Iterator<Item = Step> + '_ {
        let first = self.0[to.0 as usize];
        std::iter::successors(first, |&(at, _)| self.0[at.0 as usize]).map(|(_, step)| step)
    }
}
