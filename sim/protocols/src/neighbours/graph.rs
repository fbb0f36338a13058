//! The communication graph of agents 0, 1, …, N − 1. It must not know what they say to each other.

use thiserror::Error;

/// Who can talk to whom: undirected, connected, without loops; parallel links count once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Graph {
    /// Neighbours of every agent, ascending.
    neighbours: Vec<Vec<u32>>,
}

/// Why a graph carries no decentralized algorithm.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum GraphError {
    /// No agent.
    #[error("the graph has no agents")]
    Empty,
    /// Two agents without a path between them.
    #[error(
        "the graph is not connected: there is no path from agent {from} to agent {to}; a consensus needs one between \
         any two"
    )]
    Disconnected {
        /// The smallest agent.
        from: u32,
        /// The smallest one that it does not reach.
        to: u32,
    },
}

impl Graph {
    /// The graph of `agents` agents with these links.
    ///
    /// # Errors
    /// [`GraphError`].
    ///
    /// # Panics
    /// If a link leads to an agent that is not there.
    pub fn new(agents: usize, links: impl IntoIterator<Item = (u32, u32)>) -> Result<Self, GraphError> {
        let mut neighbours = vec![Vec::new(); agents];
        for (a, b) in links {
            if a != b {
                neighbours[a as usize].push(b);
                neighbours[b as usize].push(a);
            }
        }
        for list in &mut neighbours {
            list.sort_unstable();
            list.dedup();
        }
        let graph = Self { neighbours };
        let reached = graph.distances(0, &|_| true);
        match reached.iter().position(Option::is_none) {
            _ if graph.neighbours.is_empty() => Err(GraphError::Empty),
            Some(to) => Err(GraphError::Disconnected { from: 0, to: to as u32 }),
            None => Ok(graph),
        }
    }

    /// N.
    #[expect(clippy::len_without_is_empty, reason = "a graph has agents")]
    pub fn len(&self) -> usize {
        self.neighbours.len()
    }

    /// Neighbours of an agent, ascending.
    pub fn neighbours(&self, agent: u32) -> &[u32] {
        &self.neighbours[agent as usize]
    }

    /// Number of neighbours.
    pub fn degree(&self, agent: u32) -> usize {
        self.neighbours[agent as usize].len()
    }

    /// |E|.
    pub fn links(&self) -> usize {
        self.neighbours.iter().map(Vec::len).sum::<usize>() / 2
    }

    /// Hops from `start` to every agent among those that `inside` lets through; none where there is no such path.
    pub fn distances(&self, start: u32, inside: &dyn Fn(u32) -> bool) -> Vec<Option<u32>> {
        self.distances_within(start, u32::MAX, inside)
    }

    /// Hops from `start` as [`Graph::distances`] gives them, up to `most`: none where there are more, which are not
    /// looked for.
    pub fn distances_within(&self, start: u32, most: u32, inside: &dyn Fn(u32) -> bool) -> Vec<Option<u32>> {
        let mut hops = vec![None; self.len()];
        let mut front = Vec::new();
        if let Some(place) = hops.get_mut(start as usize) {
            *place = Some(0);
            front.push(start);
        }
        for distance in 1..=most {
            let mut next = Vec::new();
            for &agent in &front {
                for &neighbour in self.neighbours(agent) {
                    if hops[neighbour as usize].is_none() && inside(neighbour) {
                        hops[neighbour as usize] = Some(distance);
                        next.push(neighbour);
                    }
                }
            }
            if next.is_empty() {
                break;
            }
            front = next;
        }
        hops
    }

    /// The largest number of hops between two agents that reach each other inside `inside`.
    pub fn diameter(&self, inside: &dyn Fn(u32) -> bool) -> u32 {
        let agents = (0..self.len() as u32).filter(|&agent| inside(agent));
        agents.flat_map(|agent| self.distances(agent, inside).into_iter().flatten().max()).max().unwrap_or(0)
    }
}
