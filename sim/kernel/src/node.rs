//! What the engine keeps of the nodes: 16 bytes each, and 32 more where nodes drop out while busy. It must not know
//! messages or protocols.

use std::collections::BTreeMap;
use std::num::NonZeroU32;

use crate::clients::Speed;
use crate::network::FlowId;
use crate::queue::EventId;
use crate::{NodeId, Time};

/// All nodes.
pub(crate) struct Nodes {
    nodes: Vec<Node>,
    /// What is kept of nodes that may drop out; empty where nobody does.
    watched: Vec<Watched>,
    /// Third and further transfers of the few watched nodes that have this many.
    overflow: BTreeMap<NodeId, Vec<NonZeroU32>>,
}

/// What whoever computes needs lies together.
struct Node {
    speed: Speed,
    /// What it computes.
    computing: Option<EventId>,
}

/// A node that may drop out while it is busy.
#[derive(Clone, Default)]
pub(crate) struct Watched {
    pub(crate) dropout: Option<EventId>,
    /// Transfers from and to it (id + 1); both places are taken before any goes to the overflow.
    flows: [Option<NonZeroU32>; 2],
    pub(crate) busy_periods: u32,
    /// Messages that it codes or decodes, or that wait for it.
    pub(crate) jobs: u32,
    pub(crate) down_until: Time,
}

#[cfg(target_pointer_width = "64")]
const _: () = assert!(size_of::<Node>() == 16 && size_of::<Watched>() == 32, "nodes are small");

impl Nodes {
    pub(crate) fn new(speeds: Vec<Speed>, watched: bool) -> Self {
        let watched = if watched { vec![Watched::default(); speeds.len()] } else { Vec::new() };
        let nodes = speeds.into_iter().map(|speed| Node { speed, computing: None });
        Self { nodes: nodes.collect(), watched, overflow: BTreeMap::new() }
    }

    pub(crate) fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether nodes may drop out, so that their transfers are kept.
    #[inline]
    pub(crate) fn are_watched(&self) -> bool {
        !self.watched.is_empty()
    }

    #[inline]
    pub(crate) fn computing(&mut self, node: NodeId) -> &mut Option<EventId> {
        &mut self.nodes[node.0 as usize].computing
    }

    #[inline]
    pub(crate) fn speed(&self, node: NodeId) -> Speed {
        self.nodes[node.0 as usize].speed
    }

    /// What is kept of a node that may drop out.
    #[inline]
    pub(crate) fn watched(&mut self, node: NodeId) -> Option<&mut Watched> {
        self.watched.get_mut(node.0 as usize)
    }

    pub(crate) fn down_until(&self, node: NodeId) -> Option<Time> {
        self.watched.get(node.0 as usize).map(|watched| watched.down_until)
    }

    /// Whether a watched node computes, sends or receives, codes or decodes.
    #[inline]
    pub(crate) fn is_busy(&self, node: NodeId) -> bool {
        let with_messages = |watched: &Watched| watched.flows != [None; 2] || watched.jobs > 0;
        let transfers = self.watched.get(node.0 as usize).is_some_and(with_messages);
        transfers || self.nodes[node.0 as usize].computing.is_some()
    }

    #[inline]
    pub(crate) fn add_flow(&mut self, node: NodeId, flow: FlowId) {
        let flow = name(flow);
        match self.watched[node.0 as usize].flows.iter_mut().find(|place| place.is_none()) {
            Some(place) => *place = Some(flow),
            None => self.overflow.entry(node).or_default().push(flow),
        }
    }

    /// Forgets a transfer, if it is one of the node's.
    #[inline]
    pub(crate) fn remove_flow(&mut self, node: NodeId, flow: FlowId) {
        let flow = name(flow);
        let place = self.watched[node.0 as usize].flows.iter_mut().find(|place| **place == Some(flow));
        if self.overflow.is_empty() {
            if let Some(place) = place {
                *place = None;
            }
            return;
        }
        match place {
            Some(place) => *place = pop(&mut self.overflow, node),
            None => self.remove_overflow(node, flow),
        }
    }

    fn remove_overflow(&mut self, node: NodeId, flow: NonZeroU32) {
        if let Some(flows) = self.overflow.get_mut(&node) {
            flows.retain(|&known| known != flow);
            if flows.is_empty() {
                self.overflow.remove(&node);
            }
        }
    }

    /// Any one of the node's transfers.
    pub(crate) fn some_flow(&self, node: NodeId) -> Option<FlowId> {
        let [first, second] = self.watched[node.0 as usize].flows;
        second.or(first).map(|flow| FlowId(flow.get() - 1))
    }
}

fn name(flow: FlowId) -> NonZeroU32 {
    NonZeroU32::MIN.checked_add(flow.0).expect("fewer than 2^32 - 1 flows are in flight")
}

fn pop(overflow: &mut BTreeMap<NodeId, Vec<NonZeroU32>>, node: NodeId) -> Option<NonZeroU32> {
    let flows = overflow.get_mut(&node)?;
    let flow = flows.pop();
    if flows.is_empty() {
        overflow.remove(&node);
    }
    flow
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Ten transfers of one node, taken away in every tenth rotation of their order: busy until the last has gone, and
    /// what is left is always one of those not taken away (a set is the slow reference).
    #[test]
    fn a_node_holds_any_number_of_transfers() {
        for rotation in 0..10 {
            let speed = Speed::from_seconds_per_unit(1.0).unwrap();
            let mut nodes = Nodes::new(vec![speed; 2], true);
            let node = NodeId(1);
            let mut left: std::collections::BTreeSet<_> = (0..10).map(FlowId).collect();
            left.iter().for_each(|&flow| nodes.add_flow(node, flow));
            for step in 0..10 {
                let flow = FlowId((3 * step + rotation) % 10);
                nodes.remove_flow(node, flow);
                nodes.remove_flow(NodeId(0), flow);
                left.remove(&flow);
                assert_eq!(nodes.is_busy(node), !left.is_empty());
                assert_eq!(nodes.some_flow(node).is_some_and(|flow| left.contains(&flow)), !left.is_empty());
            }
            assert!(nodes.overflow.is_empty());
        }
    }
}
