//! What a network consists of: links with capacities, and the links that a transfer between two nodes takes.
//! This file must not know flows.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::Transfer;
use crate::{NodeId, Rate, Span};

/// One direction of one link.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct LinkId(pub u32);

/// One direction of a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Link {
    /// What all flows on it share.
    pub capacity: Rate,
    /// What every transfer over it waits before its bits flow.
    pub latency: Span,
}

/// Links and the routes over them.
pub trait Routes: Send {
    /// Number of links; their ids are 0, 1, … below it.
    fn link_count(&self) -> usize;

    /// The capacity of a link.
    fn capacity(&self, link: LinkId) -> Rate;

    /// The latency of a link.
    fn latency(&self, link: LinkId) -> Span;

    /// Writes the links from `from` to `to` into `links` (emptied first; at least one, none twice) and returns the
    /// latency of the whole way.
    ///
    /// # Panics
    /// If there is no route.
    fn route(&self, from: NodeId, to: NodeId, links: &mut Vec<LinkId>) -> Span;
}

/// What a transfer takes alone as a flow: latency and bits ÷ slowest link. `links` is room for its route.
pub(super) fn least_span(routes: &dyn Routes, transfer: Transfer, links: &mut Vec<LinkId>) -> Span {
    let latency = routes.route(transfer.from, transfer.to, links);
    let slowest = links.iter().map(|&link| routes.capacity(link)).min();
    latency + slowest.map_or(Span::ZERO, |rate| rate.time_for(transfer.bits))
}

/// Routes that several owners look at.
impl<R: Routes + Sync + ?Sized> Routes for Arc<R> {
    fn link_count(&self) -> usize {
        (**self).link_count()
    }

    fn capacity(&self, link: LinkId) -> Rate {
        (**self).capacity(link)
    }

    fn latency(&self, link: LinkId) -> Span {
        (**self).latency(link)
    }

    fn route(&self, from: NodeId, to: NodeId, links: &mut Vec<LinkId>) -> Span {
        (**self).route(from, to, links)
    }
}

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

    fn latency(&self, link: LinkId) -> Span {
        self.links[link.0 as usize].latency
    }

    fn route(&self, from: NodeId, to: NodeId, links: &mut Vec<LinkId>) -> Span {
        let route = self.routes.get(&(from, to));
        assert!(route.is_some(), "there is no route from {from} to {to}");
        links.clear();
        links.extend(route.into_iter().flatten());
        links.iter().map(|link| self.links[link.0 as usize].latency).sum()
    }
}
