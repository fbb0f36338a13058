//! Hosts on the sites of a topology: the nodes that send and receive. This file must not know flows.
//!
//! Ids of links: link `2 e` is the route from the first to the second site of link e of the topology, `2 e + 1` the
//! route back; behind them come, for each host with an access link, the route to its site and the route from it.

use std::sync::OnceLock;

use petgraph::visit::EdgeRef;
use thiserror::Error;

use super::graph::node;
use super::shortest::ShortestRoutes;
use super::{Disconnected, SiteId, Topology};
use crate::network::{AccessLink, Link, LinkId, Routes};
use crate::{NodeId, Rate, TimeDelta};

/// A host: on which site, and over which access link. Without one it *is* at the site, alone.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Host {
    /// Where it is attached.
    pub site: SiteId,
    /// `up` leads to the site.
    pub access: Option<AccessLink>,
}

/// Why hosts cannot be attached like this.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum HostError {
    /// Not every site can be reached.
    #[error(transparent)]
    Disconnected(#[from] Disconnected),
    /// Two hosts without access links share a site, and no link would lie between them.
    #[error("two hosts without access links are at site `{0}`: give them access links, or sites of their own")]
    Crowded(String),
    /// A host is attached to a site that is not there.
    #[error("host {0} is attached to site {1}, which does not exist")]
    NoSite(usize, u32),
}

/// A network of sites and hosts. Node `i` is host `i`; routes are the shortest routes by latency, each found when it is
/// first needed. Where neighbours talk to each other ([`GraphLinks::among_neighbours`]), hosts on joined sites use the
/// link that joins them.
#[derive(Debug)]
pub struct GraphLinks {
    topology: Topology,
    hosts: Vec<Host>,
    links: Vec<Link>,
    /// For each host the id of the route up; the downlink is the next.
    access: Vec<Option<LinkId>>,
    routes: Vec<OnceLock<ShortestRoutes>>,
    /// Where hosts on joined sites use the link that joins them: for each site those joined to it, ascending, and the
    /// link there. Every message between neighbours looks here.
    joints: Option<Vec<Vec<(SiteId, LinkId)>>>,
}

impl GraphLinks {
    /// Attaches `hosts` to the sites of `topology`.
    ///
    /// # Errors
    /// When the topology is not connected, or hosts do not fit it.
    pub fn new(topology: Topology, hosts: Vec<Host>) -> Result<Self, HostError> {
        topology.connected()?;
        check(&topology, &hosts)?;
        let mut links: Vec<Link> = topology.links().flat_map(|(_, &link)| [link; 2]).collect();
        let access = hosts.iter().map(|host| {
            let AccessLink { up, down, latency } = host.access?;
            let id = LinkId(links.len() as u32);
            links.extend([up, down].map(|capacity| Link { capacity, latency }));
            Some(id)
        });
        let access = access.collect();
        let routes = topology.sites().map(|_| OnceLock::new()).collect();
        Ok(Self { topology, hosts, links, access, routes, joints: None })
    }

    /// Hosts on joined sites use the link that joins them (of several the one of least latency, then the first), also
    /// where a detour would be shorter: a message to a neighbour is one for this link, and nobody in between forwards
    /// it.
    #[must_use]
    pub fn among_neighbours(self) -> Self {
        let joints = (0..self.topology.site_count() as u32).map(|site| self.joints_of(SiteId(site))).collect();
        Self { joints: Some(joints), ..self }
    }

    /// The sites joined to one, ascending, and the links there, in the direction away from it.
    fn joints_of(&self, from: SiteId) -> Vec<(SiteId, LinkId)> {
        let graph = &self.topology.graph;
        let joint = |to: SiteId| {
            let joining = graph.edges(node(from)).filter(|edge| edge.target() == node(to));
            let edge = joining.min_by_key(|edge| (edge.weight().latency, edge.id()))?;
            let forward = graph.edge_endpoints(edge.id()).is_some_and(|(first, _)| first == node(from));
            Some((to, LinkId(2 * edge.id().index() as u32 + u32::from(!forward))))
        };
        self.topology.neighbours(from).into_iter().filter_map(joint).collect()
    }

    /// The link between joined sites, in the direction from the first to the second.
    fn joint(&self, from: SiteId, to: SiteId) -> Option<LinkId> {
        let joints = &self.joints.as_ref()?[from.0 as usize];
        joints.binary_search_by_key(&to, |&(site, _)| site).ok().map(|at| joints[at].1)
    }

    /// The sites and the links between them.
    pub fn topology(&self) -> &Topology {
        &self.topology
    }

    /// All hosts, by node.
    pub fn hosts(&self) -> &[Host] {
        &self.hosts
    }

    /// The nodes on the same or on a joined site, ascending.
    pub fn neighbours(&self, node: NodeId) -> Vec<NodeId> {
        let home = self.hosts[node.0 as usize].site;
        let near = self.topology.neighbours(home);
        let is_near = |peer: &NodeId| {
            let site = self.hosts[peer.0 as usize].site;
            *peer != node && (site == home || near.binary_search(&site).is_ok())
        };
        (0..self.hosts.len() as u32).map(NodeId).filter(is_near).collect()
    }
}

fn check(topology: &Topology, hosts: &[Host]) -> Result<(), HostError> {
    let mut bare = vec![false; topology.site_count()];
    for (index, host) in hosts.iter().enumerate() {
        let place = bare.get_mut(host.site.0 as usize).ok_or(HostError::NoSite(index, host.site.0))?;
        if host.access.is_none() && std::mem::replace(place, true) {
            return Err(HostError::Crowded(topology.site(host.site).name.clone()));
        }
    }
    Ok(())
}

impl Routes for GraphLinks {
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
        assert!(from != to, "{from} sends to itself");
        let [start, end] = [from, to].map(|node| self.hosts[node.0 as usize].site);
        links.clear();
        links.extend(self.access[to.0 as usize].map(|up| LinkId(up.0 + 1)));
        match self.joint(start, end) {
            Some(joint) => links.push(joint),
            None => {
                let routes = self.routes[start.0 as usize].get_or_init(|| ShortestRoutes::from(&self.topology, start));
                links.extend(routes.backwards(end).map(|step| LinkId(2 * step.link + u32::from(!step.forward))));
            }
        }
        links.extend(self.access[from.0 as usize]);
        links.reverse();
        links.iter().map(|link| self.links[link.0 as usize].latency).sum()
    }
}
