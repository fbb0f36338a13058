//! Routes listed one by one.

use std::collections::BTreeMap;

use fedbits_kernel::network::{Link, LinkId, Routes};
use fedbits_kernel::{NodeId, Rate, TimeDelta};

/// Routes listed one by one.
#[derive(Clone, Debug, Default)]
pub struct RouteTable {
    links: Vec<Link>,
    routes: BTreeMap<(NodeId, NodeId), Vec<LinkId>>,
}

impl RouteTable {
    /// No links, no routes.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds one direction of a link.
    ///
    /// # Panics
    /// If there are 2^32 links.
    pub fn add_link(&mut self, link: Link) -> LinkId {
        let id = u32::try_from(self.links.len()).expect("fewer than 2^32 links");
        self.links.push(link);
        LinkId(id)
    }

    /// Sets the route from `from` to `to`.
    ///
    /// # Panics
    /// If it is empty, visits a link twice or names a link that does not exist.
    pub fn set_route(&mut self, from: NodeId, to: NodeId, links: Vec<LinkId>) {
        assert!(!links.is_empty(), "the route from {from} to {to} has no link");
        for (place, link) in links.iter().enumerate() {
            assert!((link.0 as usize) < self.links.len(), "there is no link {}", link.0);
            assert!(!links[..place].contains(link), "the route from {from} to {to} visits link {} twice", link.0);
        }
        self.routes.insert((from, to), links);
    }
}

impl Routes for RouteTable {
    fn link_count(&self) -> usize {
        self.links.len()
    }

    fn capacity(&self, link: LinkId) -> Rate {
        self.links[link.0 as usize].capacity
    }

    fn latency(&self, link: LinkId) -> TimeDelta {
        self.links[link.0 as usize].latency
    }

    fn route(&self, from: NodeId, to: NodeId, links: &mut Vec<LinkId>) -> TimeDelta {
        let route = self.routes.get(&(from, to));
        assert!(route.is_some(), "there is no route from {from} to {to}");
        links.clear();
        links.extend(route.into_iter().flatten());
        links.iter().map(|link| self.links[link.0 as usize].latency).sum()
    }
}
