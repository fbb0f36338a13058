//! Is everything connected? It must not know capacities.

use fedbits_spec::so_many;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use petgraph::graph::UnGraph;
use petgraph::unionfind::UnionFind;
use petgraph::visit::EdgeRef;

use super::{Map, Site, SiteGraph, SiteId};

/// A topology that falls into pieces.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Disconnected {
    /// The names of the sites of each piece, largest piece first.
    pub pieces: Vec<Vec<String>>,
}

impl std::error::Error for Disconnected {}

/// This many pieces and this many names of each are shown.
const SHOWN: usize = 5;

impl fmt::Display for Disconnected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the topology falls into {} pieces that no link joins:", self.pieces.len())?;
        for (number, piece) in self.pieces.iter().take(SHOWN).enumerate() {
            let names: Vec<_> = piece.iter().take(SHOWN).map(|name| format!("`{name}`")).collect();
            let more = if piece.len() > SHOWN { ", …" } else { "" };
            let comma = if number > 0 { ";" } else { "" };
            write!(f, "{comma} {} ({}{more})", so_many(piece.len(), "site"), names.join(", "))?;
        }
        if self.pieces.len() > SHOWN { write!(f, "; …") } else { Ok(()) }
    }
}

/// The pieces, each ascending, in the order of their smallest sites.
fn pieces<E>(graph: &UnGraph<Site, E>) -> Vec<Vec<SiteId>> {
    let mut union = UnionFind::<usize>::new(graph.node_count());
    graph.edge_references().for_each(|edge| {
        union.union(edge.source().index(), edge.target().index());
    });
    let labels = union.into_labeling();
    let mut places = vec![None; graph.node_count()];
    let mut pieces: Vec<Vec<SiteId>> = Vec::new();
    for (index, &label) in labels.iter().enumerate() {
        let place = *places[label].get_or_insert_with(|| {
            pieces.push(Vec::new());
            pieces.len() - 1
        });
        pieces[place].push(SiteId(index as u32));
    }
    pieces
}

impl Map {
    /// The largest piece, of several the one with the first site, its sites and links in their order; with the names of
    /// the other sites.
    #[must_use]
    pub fn largest(&self) -> (Self, Vec<String>) {
        let pieces = pieces(&self.graph);
        let size = pieces.iter().map(Vec::len).max().unwrap_or(0);
        let kept: BTreeSet<SiteId> =
            pieces.into_iter().find(|piece| piece.len() == size).into_iter().flatten().collect();
        let (mut numbers, mut sites, mut names) = (BTreeMap::new(), Vec::new(), Vec::new());
        for (index, site) in (0..).zip(self.sites()) {
            if kept.contains(&SiteId(index)) {
                numbers.insert(SiteId(index), SiteId(sites.len() as u32));
                sites.push(site.clone());
            } else {
                names.push(site.name.clone());
            }
        }
        let mut map = Self::new(sites);
        for ([one, other], edge) in self.links() {
            if let (Some(&one), Some(&other)) = (numbers.get(&one), numbers.get(&other)) {
                map.join(one, other, *edge);
            }
        }
        (map, names)
    }
}

impl<E> SiteGraph<E> {
    /// Is there a route between any two sites?
    ///
    /// # Errors
    /// When there is not; the error names the pieces.
    pub fn connected(&self) -> Result<(), Disconnected> {
        let mut pieces = pieces(&self.graph);
        if pieces.len() <= 1 {
            return Ok(());
        }
        // Stable: pieces of one size stay in the order of their sites.
        pieces.sort_by_key(|piece| std::cmp::Reverse(piece.len()));
        let name = |id: SiteId| self.site(id).name.clone();
        Err(Disconnected { pieces: pieces.into_iter().map(|piece| piece.into_iter().map(name).collect()).collect() })
    }
}
