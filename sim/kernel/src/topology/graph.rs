//! Sites and links, as a petgraph graph. This file must not know where they come from, nor routes.

use fedbits_spec::Described;
use fedbits_spec::short::{Short, Unread};
use petgraph::graph::{NodeIndex, UnGraph};
use petgraph::visit::EdgeRef;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::Place;
use crate::network::Link;
use crate::{Rate, TimeDelta};

/// A site, by its index from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct SiteId(pub u32);

/// Where links meet: a router, a city, an agent.
#[derive(Clone, Debug, PartialEq)]
pub struct Site {
    /// Its name; of several with one name each is meant by its index only.
    pub name: String,
    /// Where it is, when that is known.
    pub place: Option<Place>,
}

/// What a map knows of a link.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Edge {
    /// Its capacity in either direction, when the source of the map gives one.
    pub capacity: Option<Rate>,
    /// Its latency, when the source of the map gives one.
    pub latency: Option<TimeDelta>,
}

/// A link between two sites: the same in either direction, and the directions do not influence each other.
pub type Backbone = Link;

/// Sites and links between them, of each of which `E` is known.
#[derive(Clone, Debug)]
pub struct SiteGraph<E> {
    pub(super) graph: UnGraph<Site, E>,
}

/// Sites and who is joined to whom, before capacities and latencies are settled. Links of a site with itself are not
/// kept.
pub type Map = SiteGraph<Edge>;

/// Sites and settled links.
pub type Topology = SiteGraph<Backbone>;

/// A site.
#[derive(Clone, Debug, Described, Deserialize, Eq, Ord, PartialEq, PartialOrd, Serialize)]
#[serde(remote = "Self")]
#[described(short)]
pub enum SiteName {
    /// By number, from 0.
    Index(u32),
    /// By name; generated names are `s0`, …, in a grid `r0c0`, …, in a hierarchy `cloud`, `e0`, `e0.0`, ….
    Name(String),
}

impl Short for SiteName {
    const FORMS: &'static [(&'static str, &'static str)] = &[("\"DE\"", "Name(\"DE\")"), ("3", "Index(3)")];

    fn of_text(text: &str) -> Result<Self, Unread> {
        Ok(Self::Name(text.to_owned()))
    }

    fn of_number(_: f64) -> Result<Self, Unread> {
        Err(Unread::Expected("the name of a site in double quotes, or its number as a whole number from 0".to_owned()))
    }

    fn of_whole(number: u64) -> Result<Self, Unread> {
        u32::try_from(number).map(Self::Index).or_else(|_| Self::of_number(0.0))
    }
}

impl Default for SiteName {
    fn default() -> Self {
        Self::Index(0)
    }
}

/// No such site, or several.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum SiteError {
    /// The index is too large.
    #[error("there is no site {index}: the topology has {sites} sites, counted from 0")]
    Beyond {
        /// What was asked for.
        index: u32,
        /// How many there are.
        sites: usize,
    },
    /// Nothing has this name.
    #[error("the topology has no site `{name}`")]
    Unknown {
        /// What was asked for.
        name: String,
        /// The names there are, in the order of their indices.
        names: Vec<String>,
    },
    /// More than one site has this name.
    #[error("{} sites are called `{name}`: say which one by its index ({})", indices.len(), list(indices))]
    Ambiguous {
        /// What was asked for.
        name: String,
        /// The sites of that name.
        indices: Vec<u32>,
    },
}

fn list(indices: &[u32]) -> String {
    indices.iter().map(u32::to_string).collect::<Vec<_>>().join(", ")
}

impl Map {
    /// `sites` without links.
    pub fn new(sites: impl IntoIterator<Item = Site>) -> Self {
        let mut graph = UnGraph::default();
        sites.into_iter().for_each(|site| {
            graph.add_node(site);
        });
        Self { graph }
    }

    /// Joins two sites; does nothing when both are the same.
    ///
    /// # Panics
    /// If a site does not exist.
    pub fn join(&mut self, one: SiteId, other: SiteId, edge: Edge) {
        if one != other {
            self.graph.add_edge(node(one), node(other), edge);
        }
    }

    /// Settles every link: `settle` sees its number, its two sites and what is known of it.
    ///
    /// # Errors
    /// The first error of `settle`.
    pub fn settle<E>(
        &self,
        mut settle: impl FnMut(u32, [&Site; 2], Edge) -> Result<Backbone, E>,
    ) -> Result<Topology, E> {
        let mut graph = UnGraph::with_capacity(self.graph.node_count(), self.graph.edge_count());
        for site in self.graph.node_weights() {
            graph.add_node(site.clone());
        }
        for edge in self.graph.edge_references() {
            let ends = [edge.source(), edge.target()].map(|end| &self.graph[end]);
            let link = settle(edge.id().index() as u32, ends, *edge.weight())?;
            graph.add_edge(edge.source(), edge.target(), link);
        }
        Ok(Topology { graph })
    }
}

impl<E> SiteGraph<E> {
    /// Number of sites.
    pub fn site_count(&self) -> usize {
        self.graph.node_count()
    }

    /// Number of links.
    pub fn link_count(&self) -> usize {
        self.graph.edge_count()
    }

    /// A site.
    ///
    /// # Panics
    /// If it does not exist.
    pub fn site(&self, id: SiteId) -> &Site {
        &self.graph[node(id)]
    }

    /// All sites, by index.
    pub fn sites(&self) -> impl Iterator<Item = &Site> {
        self.graph.node_weights()
    }

    /// All links in the order of their numbers, with the sites they join.
    pub fn links(&self) -> impl Iterator<Item = ([SiteId; 2], &E)> {
        let ends = |edge: petgraph::graph::EdgeReference<'_, _>| [edge.source(), edge.target()].map(site);
        self.graph.edge_references().map(move |edge| (ends(edge), edge.weight()))
    }

    /// The sites joined to a site, ascending, each once.
    pub fn neighbours(&self, id: SiteId) -> Vec<SiteId> {
        let mut sites: Vec<_> = self.graph.neighbors(node(id)).map(site).collect();
        sites.sort_unstable();
        sites.dedup();
        sites
    }

    /// The site that is meant.
    ///
    /// # Errors
    /// When there is none, or more than one of that name.
    pub fn find(&self, wanted: &SiteName) -> Result<SiteId, SiteError> {
        let names: Vec<&str> = self.sites().map(|site| site.name.as_str()).collect();
        match wanted {
            SiteName::Index(index) if (*index as usize) < names.len() => Ok(SiteId(*index)),
            SiteName::Index(index) => Err(SiteError::Beyond { index: *index, sites: names.len() }),
            SiteName::Name(name) => {
                let of_that_name = names.iter().enumerate().filter(|(_, known)| *known == name);
                let indices: Vec<u32> = of_that_name.map(|(index, _)| index as u32).collect();
                match indices[..] {
                    [only] => Ok(SiteId(only)),
                    [] => {
                        let names = names.iter().map(|&name| name.to_owned()).collect();
                        Err(SiteError::Unknown { name: name.clone(), names })
                    }
                    _ => Err(SiteError::Ambiguous { name: name.clone(), indices }),
                }
            }
        }
    }
}

/// Sites without places, named `s0`, `s1`, ….
pub(super) fn sites(count: u32) -> Map {
    Map::new((0..count).map(|index| Site { name: format!("s{index}"), place: None }))
}

pub(super) fn join(map: &mut Map, one: u32, other: u32) {
    map.join(SiteId(one), SiteId(other), Edge::default());
}

pub(super) fn node(id: SiteId) -> NodeIndex {
    NodeIndex::new(id.0 as usize)
}

pub(super) fn site(node: NodeIndex) -> SiteId {
    SiteId(node.index() as u32)
}
