//! The star: a server and clients on access links that meet in one hub. It must not know how transfers share the links.

use super::{LinkId, Routes};
use crate::{NodeId, Rate, TimeDelta};

/// The link between one client and the hub: 24 bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AccessLink {
    /// From the client to the hub.
    pub up: Rate,
    /// From the hub to the client.
    pub down: Rate,
    /// In either direction.
    pub latency: TimeDelta,
}

/// A star. Node 0 is the server (its own link has no latency), client `i` is node `i + 1`. A transfer between two
/// clients goes up the one's link and down the other's and does not touch the server's.
#[derive(Clone, Debug)]
pub struct StarLinks {
    /// From the server to the hub: shared by everything the server sends.
    pub server_up: Rate,
    /// From the hub to the server: shared by everything the server receives.
    pub server_down: Rate,
    /// Client `i` at index `i`.
    pub clients: Vec<AccessLink>,
}

/// The server in a star.
pub(super) const SERVER: NodeId = NodeId(0);

impl StarLinks {
    /// The slowest rate and the latency on the route from `from` to `to`.
    ///
    /// # Panics
    /// If a node does not exist or both are the same.
    pub(super) fn path(&self, from: NodeId, to: NodeId) -> (Rate, TimeDelta) {
        assert!(from != to, "{from} sends to itself");
        let (up, first) = match self.client(from) {
            None => (self.server_up, TimeDelta::ZERO),
            Some(client) => (client.up, client.latency),
        };
        let (down, second) = match self.client(to) {
            None => (self.server_down, TimeDelta::ZERO),
            Some(client) => (client.down, client.latency),
        };
        (up.min(down), first + second)
    }

    /// The access link of a client, `None` for the server.
    fn client(&self, node: NodeId) -> Option<&AccessLink> {
        let index = node.0.checked_sub(1)?;
        assert!((index as usize) < self.clients.len(), "{node} is not in this star");
        Some(&self.clients[index as usize])
    }
}

/// Link `2 n` of node `n` leads to the hub, link `2 n + 1` from the hub to it.
impl Routes for StarLinks {
    fn link_count(&self) -> usize {
        2 * (self.clients.len() + 1)
    }

    fn capacity(&self, link: LinkId) -> Rate {
        let leads_up = link.0.is_multiple_of(2);
        match (self.client(NodeId(link.0 / 2)), leads_up) {
            (None, true) => self.server_up,
            (None, false) => self.server_down,
            (Some(client), true) => client.up,
            (Some(client), false) => client.down,
        }
    }

    fn latency(&self, link: LinkId) -> TimeDelta {
        self.client(NodeId(link.0 / 2)).map_or(TimeDelta::ZERO, |client| client.latency)
    }

    fn route(&self, from: NodeId, to: NodeId, links: &mut Vec<LinkId>) -> TimeDelta {
        links.clear();
        links.extend([LinkId(2 * from.0), LinkId(2 * to.0 + 1)]);
        self.path(from, to).1
    }

    fn narrowest(&self, from: NodeId, to: NodeId, _: &mut Vec<LinkId>) -> (TimeDelta, Rate) {
        let (rate, latency) = self.path(from, to);
        (latency, rate)
    }
}
