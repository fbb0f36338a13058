//! The sites of a network and who is joined to whom. Random graphs are in `random.rs`.
//!
//! Random graphs are conditioned on being connected: they are drawn again, each time at the next index of their
//! addresses, until they are, at most [`ATTEMPTS`] times.

use fedbits_random::Streams;
use fedbits_spec::range::{DURATION, FileName, LinkRate, PROBABILITY, whole};
use fedbits_spec::{Described, Duration, Facts, Findings, Path, Rate, so_many};
use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::graph::{join, sites};
use super::layout::{draw, on_circle};
use super::random::Reach;
use super::{Disconnected, Map, Place, Site, random};

/// How often a random graph is drawn before it is given up.
const ATTEMPTS: u64 = 100;

const MAX_SITES: u64 = 1_000_000;

/// Sites and links. Random graphs are redrawn, up to 100 times, until connected.
#[derive(Clone, Debug, Described, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
#[described(rules = possible)]
pub enum Sites {
    /// Site 0 linked to all others.
    Star(#[range(whole(1, MAX_SITES))] u32),
    /// Each site linked to the next.
    Path(#[range(whole(1, MAX_SITES))] u32),
    /// A closed path.
    Ring(#[range(whole(3, MAX_SITES))] u32),
    /// All pairs linked.
    Complete(#[range(whole(1, 2_000))] u32),
    /// Rows and columns in the plane, one unit apart, with neighbours linked.
    Grid {
        /// Rows.
        #[range(whole(1, 1_000))]
        rows: u32,
        /// Columns.
        #[range(whole(1, 1_000))]
        columns: u32,
    },
    /// Random regular graph: uniform pairing, without loops and double links.
    KRegular {
        /// `sites` · `degree` is even.
        #[range(whole(2, 100_000))]
        sites: u32,
        /// Links per site; 1 to `sites` − 1.
        degree: u32,
    },
    /// Uniform points in the unit square, near pairs linked.
    Geometric {
        /// Sites.
        #[range(whole(1, 5_000))]
        sites: u32,
        /// Linked pairs.
        reach: Reach,
    },
    /// Each pair linked independently.
    ErdosRenyi {
        /// Sites.
        #[range(whole(1, 20_000))]
        sites: u32,
        /// Probability.
        #[range(PROBABILITY)]
        probability: f64,
    },
    /// From a star of `links` + 1 sites, new sites link to `links` older ones, drawn by degree.
    BarabasiAlbert {
        /// Sites.
        #[range(whole(2, MAX_SITES))]
        sites: u32,
        /// Links of each new site; 1 to `sites` − 1.
        links: u32,
    },
    /// A tree below site 0, the `cloud`: `[3, 4]` has three sites there and four below each. `clients: Leaves` attaches
    /// clients to the lowest level.
    Hierarchical {
        /// Children per site, by level; one to four levels, up to 1 000 000 sites.
        #[range(whole(1, 1_000))]
        fan_out: Vec<u32>,
    },
    /// A file in GML (Internet Topology Zoo).
    Gml {
        /// File name.
        #[range(FileName)]
        path: String,
        /// Edge attribute of capacities, for `link_capacity: File()`.
        #[serde(default)]
        capacity: RateAttribute,
        /// Edge attribute of latencies, for `link_latency: File()`.
        #[serde(default)]
        latency: Option<DurationAttribute>,
        /// Used sites if the network is not connected.
        #[serde(default)]
        piece: Piece,
    },
}

/// Used sites of a file.
#[derive(Clone, Copy, Debug, Default, Described, Deserialize, Eq, PartialEq, Serialize)]
pub enum Piece {
    /// All; the network must be connected.
    #[default]
    Connected,
    /// The largest connected component, or the first of equals; a caveat names the rest.
    Largest,
}

/// An attribute with rates.
#[derive(Clone, Debug, Described, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct RateAttribute {
    /// Name.
    pub name: String,
    /// Unit of the values.
    #[range(LinkRate)]
    pub unit: Rate,
}

/// An attribute with durations.
#[derive(Clone, Debug, Described, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct DurationAttribute {
    /// Name.
    pub name: String,
    /// Unit of the values.
    #[range(DURATION)]
    pub unit: Duration,
}

/// That of the Internet Topology Zoo.
impl Default for RateAttribute {
    fn default() -> Self {
        Self { name: "LinkSpeedRaw".to_owned(), unit: Rate::Bps(1.0) }
    }
}

/// Graphs of these sizes exist.
fn possible(of: &Sites, at: &Path<'_>, facts: &Facts, findings: &mut Findings) {
    let among = |count: &u32, sites: &u32, at: Path<'_>, findings: &mut Findings| {
        let most = u64::from(sites.saturating_sub(1)).max(1);
        whole(1, most).check_whole(u64::from(*count), &at, facts, findings);
    };
    match of {
        Sites::KRegular { sites, degree } => {
            among(degree, sites, at.field("degree"), findings);
            if !(u64::from(*sites) * u64::from(*degree)).is_multiple_of(2) {
                let message = "an odd number of sites cannot all have an odd number of links";
                let expected = "expected an even `degree`, or an even number of sites";
                findings.error(at.field("degree"), message, expected);
            }
        }
        Sites::BarabasiAlbert { sites, links } => among(links, sites, at.field("links"), findings),
        Sites::Hierarchical { fan_out } => {
            let at = at.field("fan_out");
            if !(1..=4).contains(&fan_out.len()) {
                let message = format!("{} below the cloud", so_many(fan_out.len(), "level"));
                findings.error(at, message, "expected one to four levels");
            }
            if of.count().is_some_and(|sites| sites > MAX_SITES) {
                findings.error(at, "more than 1 000 000 sites", "expected smaller levels");
            }
        }
        _ => {}
    }
}

/// Why there is no map of the sites.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum SitesError {
    /// It never came out connected.
    #[error("{ATTEMPTS} draws gave no connected topology; in the last, {0}")]
    Disconnected(Disconnected),
    /// No draw gave a graph of these degrees.
    #[error("{ATTEMPTS} draws gave no such graph: use fewer links")]
    NoSuchGraph,
}

impl Sites {
    /// Their number, where no file says it; 2⁶⁴ − 1 where it is larger.
    #[must_use]
    pub fn count(&self) -> Option<u64> {
        Some(match self {
            Self::Star(sites) | Self::Path(sites) | Self::Ring(sites) | Self::Complete(sites) => u64::from(*sites),
            Self::Grid { rows, columns } => u64::from(*rows) * u64::from(*columns),
            Self::KRegular { sites, .. }
            | Self::Geometric { sites, .. }
            | Self::ErdosRenyi { sites, .. }
            | Self::BarabasiAlbert { sites, .. } => u64::from(*sites),
            Self::Hierarchical { fan_out } => {
                let level = |level: &mut u64, &below: &u32| {
                    *level = level.saturating_mul(u64::from(below));
                    Some(*level)
                };
                fan_out.iter().scan(1, level).fold(1, u64::saturating_add)
            }
            Self::Gml { .. } => return None,
        })
    }

    /// The file that says them, if one does.
    #[must_use]
    pub fn file(&self) -> Option<&str> {
        if let Self::Gml { path, .. } = self { Some(path) } else { None }
    }

    /// Have they places, and so distances?
    pub(crate) fn have_places(&self) -> bool {
        matches!(self, Self::Grid { .. } | Self::Geometric { .. } | Self::Gml { .. })
    }

    /// Makes the map of sites whose ranges were checked, random ones from the streams of
    /// [`fedbits_random::DrawPurpose::Topology`]; a single site for those that a file says.
    ///
    /// # Errors
    /// When no draw was connected.
    pub fn build(&self, streams: &Streams) -> Result<Map, SitesError> {
        match *self {
            Self::Star(sites) => Ok(star(sites)),
            Self::Path(sites) => Ok(path(sites)),
            Self::Ring(sites) => Ok(ring(sites)),
            Self::Complete(sites) => Ok(complete(sites)),
            Self::Grid { rows, columns } => Ok(grid(rows, columns)),
            Self::Hierarchical { ref fan_out } => Ok(tree(fan_out)),
            Self::KRegular { sites, degree } => drawn(|attempt| random::k_regular(sites, degree, streams, attempt)),
            Self::Geometric { sites, reach } => drawn(|attempt| random::geometric(sites, reach, streams, attempt)),
            Self::ErdosRenyi { sites, probability } => {
                drawn(|attempt| random::erdos_renyi(sites, probability, streams, attempt))
            }
            Self::BarabasiAlbert { sites, links } => Ok(random::barabasi_albert(sites, links, streams)),
            Self::Gml { .. } => Ok(star(1)),
        }
    }
}

/// The first connected one of [`ATTEMPTS`] draws.
fn drawn(draw: impl Fn(u64) -> Option<Map>) -> Result<Map, SitesError> {
    let mut last = SitesError::NoSuchGraph;
    for map in (0..ATTEMPTS).filter_map(draw) {
        match map.connected() {
            Ok(()) => return Ok(map),
            Err(pieces) => last = SitesError::Disconnected(pieces),
        }
    }
    Err(last)
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
            let site = row * columns + column;
            if column + 1 < columns {
                join(&mut map, site, site + 1);
            }
            if row + 1 < rows {
                join(&mut map, site, site + columns);
            }
        }
    }
    map
}

/// Breadth first: the sites of a level have consecutive indices. Names give the path from the top: `cloud`, `e1`,
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
