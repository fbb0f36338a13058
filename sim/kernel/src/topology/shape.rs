//! Generated topologies. The random ones are in `random.rs`. This file must not know capacities or latencies.
//!
//! Random shapes are conditioned on being connected: they are drawn again, each time at the next index of their
//! addresses, until they are, at most [`ATTEMPTS`] times.

use fedbits_random::Streams;
use thiserror::Error;

use super::graph::{join, sites};
use super::layout::{draw, on_circle};
use super::random::Reach;
use super::{Disconnected, Map, Place, Site, random};

/// How often a random shape is drawn before it is given up.
pub const ATTEMPTS: u64 = 100;

/// A generated topology.
#[derive(Clone, Debug, PartialEq)]
pub enum Shape {
    /// Site 0 joined to all others.
    Star(u32),
    /// Each site joined to the next.
    Path(u32),
    /// A path whose ends are joined; at least 3 sites.
    Ring(u32),
    /// Every pair joined.
    Complete(u32),
    /// Rows and columns; each site joined to those beside, above and below it. In the plane, one unit apart.
    Grid {
        /// Number of rows.
        rows: u32,
        /// Number of columns.
        columns: u32,
    },
    /// Every site joined to `degree` others: a uniform pairing of edge ends, without loops and double links.
    KRegular {
        /// Number of sites.
        sites: u32,
        /// Links per site; `sites` · `degree` is even.
        degree: u32,
    },
    /// Uniform points of the unit square, near ones joined.
    Geometric {
        /// Number of sites.
        sites: u32,
        /// Which pairs are joined.
        reach: Reach,
    },
    /// Every pair joined with the same probability, independently (Erdős–Rényi).
    ErdosRenyi {
        /// Number of sites.
        sites: u32,
        /// The probability.
        probability: f64,
    },
    /// Preferential attachment (Barabási–Albert): from a star of `links` + 1 sites on, each new site joins `links`
    /// different older ones, drawn in proportion to their degrees.
    BarabasiAlbert {
        /// Number of sites.
        sites: u32,
        /// Links of each new site.
        links: u32,
    },
    /// A tree: site 0, the cloud, has `fan_out[0]` sites below it, each of those `fan_out[1]`, and so on.
    Tree {
        /// Sites below each site, level by level.
        fan_out: Vec<u32>,
    },
}

/// Why a shape cannot be made.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum ShapeError {
    /// It never came out connected.
    #[error("{ATTEMPTS} draws gave no connected topology; in the last, {0}")]
    Disconnected(Disconnected),
    /// No graph has these parameters.
    #[error("{0}")]
    Impossible(String),
}

impl Shape {
    /// Makes the map, random shapes from the streams of [`fedbits_random::Purpose::Topology`].
    ///
    /// # Errors
    /// When the parameters allow no such graph, or no draw was connected.
    pub fn build(&self, streams: &Streams) -> Result<Map, ShapeError> {
        self.check()?;
        match *self {
            Self::Star(sites) => Ok(star(sites)),
            Self::Path(sites) => Ok(path(sites)),
            Self::Ring(sites) => Ok(ring(sites)),
            Self::Complete(sites) => Ok(complete(sites)),
            Self::Grid { rows, columns } => Ok(grid(rows, columns)),
            Self::Tree { ref fan_out } => Ok(tree(fan_out)),
            Self::KRegular { sites, degree } => drawn(|attempt| random::k_regular(sites, degree, streams, attempt)),
            Self::Geometric { sites, reach } => drawn(|attempt| random::geometric(sites, reach, streams, attempt)),
            Self::ErdosRenyi { sites, probability } => {
                drawn(|attempt| random::erdos_renyi(sites, probability, streams, attempt))
            }
            Self::BarabasiAlbert { sites, links } => Ok(random::barabasi_albert(sites, links, streams)),
        }
    }

    /// Number of sites it will have; `None` beyond 2³².
    pub fn site_count(&self) -> Option<u32> {
        match *self {
            Self::Star(sites) | Self::Path(sites) | Self::Ring(sites) | Self::Complete(sites) => Some(sites),
            Self::KRegular { sites, .. }
            | Self::Geometric { sites, .. }
            | Self::ErdosRenyi { sites, .. }
            | Self::BarabasiAlbert { sites, .. } => Some(sites),
            Self::Grid { rows, columns } => rows.checked_mul(columns),
            Self::Tree { ref fan_out } => {
                let (mut level, mut sites) = (1u32, 1u32);
                for &below in fan_out {
                    level = level.checked_mul(below)?;
                    sites = sites.checked_add(level)?;
                }
                Some(sites)
            }
        }
    }

    fn check(&self) -> Result<(), ShapeError> {
        let wrong = |what: String| Err(ShapeError::Impossible(what));
        match *self {
            _ if self.site_count().is_none_or(|sites| sites == 0) => {
                wrong("a topology has at least one site".to_owned())
            }
            Self::Ring(sites) if sites < 3 => wrong(format!("a ring has at least 3 sites, not {sites}")),
            Self::KRegular { sites, degree } if degree >= sites || degree == 0 => {
                wrong(format!("each of {sites} sites can be joined to 1 to {} others, not to {degree}", sites - 1))
            }
            Self::KRegular { sites, degree } if !(u64::from(sites) * u64::from(degree)).is_multiple_of(2) => {
                wrong(format!(
                    "{sites} sites with {degree} links each have an odd number of link ends: none is {degree}-regular"
                ))
            }
            Self::BarabasiAlbert { sites, links } if links == 0 || links >= sites => {
                wrong(format!("each new one of {sites} sites can bring 1 to {} links, not {links}", sites - 1))
            }
            _ => Ok(()),
        }
    }
}

/// The first connected one of [`ATTEMPTS`] draws.
fn drawn(draw: impl Fn(u64) -> Option<Map>) -> Result<Map, ShapeError> {
    let mut last = None;
    for map in (0..ATTEMPTS).filter_map(draw) {
        match map.connected() {
            Ok(()) => return Ok(map),
            Err(pieces) => last = Some(pieces),
        }
    }
    Err(last.map_or_else(
        || ShapeError::Impossible(format!("{ATTEMPTS} draws gave no such graph: use fewer links")),
        ShapeError::Disconnected,
    ))
}

fn star(count: u32) -> Map {
    let mut map = sites(count);
    (1..count).for_each(|leaf| join(&mut map, 0, leaf));
    draw(&mut map, |site| match site.0 {
        0 => [0.0, 0.0],
        leaf => on_circle(leaf as usize - 1, count as usize - 1),
    });
    map
}

fn path(count: u32) -> Map {
    let mut map = sites(count);
    (1..count).for_each(|site| join(&mut map, site - 1, site));
    draw(&mut map, |site| [f64::from(site.0), 0.0]);
    map
}

fn ring(count: u32) -> Map {
    let mut map = sites(count);
    (0..count).for_each(|site| join(&mut map, site, (site + 1) % count));
    map
}

fn complete(count: u32) -> Map {
    let mut map = sites(count);
    for other in 0..count {
        (0..other).for_each(|one| join(&mut map, one, other));
    }
    map
}

fn grid(rows: u32, columns: u32) -> Map {
    let place = |row: u32, column: u32| Place::Plane { x: f64::from(column), y: f64::from(rows - 1 - row) };
    let site = |row, column| Site { name: format!("r{row}c{column}"), place: Some(place(row, column)) };
    let mut map = Map::new((0..rows).flat_map(|row| (0..columns).map(move |column| site(row, column))));
    for row in 0..rows {
        for column in 0..columns {
            let own = row * columns + column;
            if column + 1 < columns {
                join(&mut map, own, own + 1);
            }
            if row + 1 < rows {
                join(&mut map, own, own + columns);
            }
        }
    }
    map
}

/// Breadth first: the sites of a level have consecutive indices. Names tell the route from the top: `cloud`, `e1`,
/// `e1.0`.
fn tree(fan_out: &[u32]) -> Map {
    let (mut names, mut edges, mut level) = (vec!["cloud".to_owned()], Vec::new(), 0..1u32);
    for &below in fan_out {
        let first = names.len() as u32;
        for parent in level {
            for child in 0..below {
                edges.push((parent, names.len() as u32));
                let of = &names[parent as usize];
                names.push(if parent == 0 { format!("e{child}") } else { format!("{of}.{child}") });
            }
        }
        level = first..names.len() as u32;
    }
    let places = tree_places(fan_out);
    let site = |(name, [x, y]): (String, [f64; 2])| Site { name, place: Some(Place::Drawing { x, y }) };
    let mut map = Map::new(names.into_iter().zip(places).map(site));
    edges.into_iter().for_each(|(parent, child)| join(&mut map, parent, child));
    map
}

/// One horizontal line per level, the top level uppermost, each level spread evenly.
fn tree_places(fan_out: &[u32]) -> Vec<[f64; 2]> {
    let (mut places, mut width) = (vec![[0.5, 0.0]], 1u32);
    for (depth, &below) in fan_out.iter().enumerate() {
        width *= below;
        let y = -(depth as f64 + 1.0) / fan_out.len() as f64;
        places.extend((0..width).map(|index| [(f64::from(index) + 0.5) / f64::from(width), y]));
    }
    places
}
