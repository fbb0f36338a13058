//! Sites and the links between them. This file must not know how files are read, nor how graphs are drawn at random.

use serde::{Deserialize, Serialize};

use super::network::{Background, Loss};
use super::{Duration, Rate};
use super::{DurationLaw, RateLaw};

/// The sites of a network and who is joined to whom. Random ones are drawn again, up to 100 times, until they are
/// connected.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub enum Sites {
    /// Site 0 joined to all others; 1 to 1 000 000 sites.
    Star(u32),
    /// Each site joined to the next; 1 to 1 000 000 sites.
    Path(u32),
    /// A path whose ends are joined; 3 to 1 000 000 sites.
    Ring(u32),
    /// Every pair joined; 1 to 2000 sites.
    Complete(u32),
    /// Rows and columns, neighbours joined; places one unit apart.
    Grid {
        /// 1 to 1000.
        rows: u32,
        /// 1 to 1000.
        columns: u32,
    },
    /// Every site joined to `degree` others at random.
    KRegular {
        /// 2 to 100 000; `sites` · `degree` is even.
        sites: u32,
        /// 1 to `sites` − 1.
        degree: u32,
    },
    /// Random places in the unit square, near ones joined.
    Geometric {
        /// 1 to 5000.
        sites: u32,
        /// Which pairs are joined.
        reach: Reach,
    },
    /// Every pair joined with the same probability (Erdős–Rényi).
    ErdosRenyi {
        /// 1 to 20 000.
        sites: u32,
        /// In (0, 1].
        probability: f64,
    },
    /// Preferential attachment (Barabási–Albert).
    BarabasiAlbert {
        /// 2 to 1 000 000.
        sites: u32,
        /// Links of each new site; 1 to `sites` − 1.
        links: u32,
    },
    /// A tree below site 0, the `cloud`: `fan_out: [3, 4]` has three sites below it and four below each of those. With
    /// `clients: Leaves` the clients are attached to the lowest level: clients – edge servers – cloud.
    Hierarchical {
        /// Sites below each site, level by level; each 1 to 1000, one to four levels.
        fan_out: Vec<u32>,
    },
    /// A file in GML (Internet Topology Zoo).
    Gml {
        /// File name, looked up beside the scenario, then in the data directories.
        path: String,
        /// The attribute of an edge that is its capacity; default `(name: "LinkSpeedRaw", unit: Bps(1))`.
        #[serde(default = "link_speed")]
        capacity: RateAttribute,
        /// The attribute of an edge that is its latency; default none.
        #[serde(default)]
        latency: Option<DurationAttribute>,
    },
    /// A file in the native format of SNDlib.
    SndLib {
        /// File name, looked up beside the scenario, then in the data directories.
        path: String,
    },
}

impl Sites {
    /// Their number, where no file says it.
    #[must_use]
    pub fn count(&self) -> Option<u64> {
        Some(match self {
            Sites::Star(sites) | Sites::Path(sites) | Sites::Ring(sites) | Sites::Complete(sites) => u64::from(*sites),
            Sites::Grid { rows, columns } => u64::from(*rows) * u64::from(*columns),
            Sites::KRegular { sites, .. }
            | Sites::Geometric { sites, .. }
            | Sites::ErdosRenyi { sites, .. }
            | Sites::BarabasiAlbert { sites, .. } => u64::from(*sites),
            Sites::Hierarchical { fan_out } => {
                let mut level = 1_u64;
                fan_out.iter().fold(1_u64, |sum, &below| {
                    level = level.saturating_mul(u64::from(below));
                    sum.saturating_add(level)
                })
            }
            Sites::Gml { .. } | Sites::SndLib { .. } => return None,
        })
    }
}

fn link_speed() -> RateAttribute {
    RateAttribute { name: "LinkSpeedRaw".to_owned(), unit: Rate::Bps(1.0) }
}

/// An attribute that is a rate.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct RateAttribute {
    /// Its name.
    pub name: String,
    /// What 1 of it is; above 0.
    pub unit: Rate,
}

/// An attribute that is a duration.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct DurationAttribute {
    /// Its name.
    pub name: String,
    /// What 1 of it is; above 0.
    pub unit: Duration,
}

/// Which sites of `Geometric` are joined.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Serialize)]
pub enum Reach {
    /// All pairs not farther apart; in (0, 2].
    Radius(f64),
    /// The closest pairs, as many as give this mean degree; above 0.
    MeanDegree(f64),
}

/// Capacity of the links between sites.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub enum LinkCapacity {
    /// Drawn for each link.
    Law(RateLaw),
    /// As the file says.
    File {
        /// For links of which the file does not say it; default none: such a link is an error.
        #[serde(default)]
        otherwise: Option<Rate>,
    },
}

impl Default for LinkCapacity {
    fn default() -> Self {
        LinkCapacity::Law(RateLaw::Gbps(1.0))
    }
}

/// One-way delay of the links between sites.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub enum LinkLatency {
    /// Drawn for each link.
    Law(DurationLaw),
    /// Distance over speed: along great circles for files, in the plane for `Grid` and `Geometric`.
    Distance {
        /// Speed of the signal in km per millisecond; in (0, 300], default 200 (light in fibre).
        #[serde(default = "fibre")]
        km_per_ms: f64,
        /// Length of one unit of the plane in km; above 0, default 1000. Without effect for files.
        #[serde(default = "thousand")]
        unit_km: f64,
        /// For links with an end of unknown place; default none: such a link is an error.
        #[serde(default)]
        otherwise: Option<Duration>,
    },
    /// As the file says.
    File {
        /// For links of which the file does not say it; default none: such a link is an error.
        #[serde(default)]
        otherwise: Option<Duration>,
    },
}

fn fibre() -> f64 {
    200.0
}

/// The default of `unit_km`.
pub(crate) const DEFAULT_UNIT_KM: f64 = 1000.0;

fn thousand() -> f64 {
    DEFAULT_UNIT_KM
}

impl Default for LinkLatency {
    fn default() -> Self {
        LinkLatency::Law(DurationLaw::Ms(5.0))
    }
}

/// What is different about the link between two sites, in both directions (all links between the two, where there are
/// several). At least one setting; what is not given is as for the other links.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct LinkSettings {
    /// One of its ends.
    pub from: SiteName,
    /// The other.
    pub to: SiteName,
    /// Its capacity.
    #[serde(default)]
    pub capacity: Option<Rate>,
    /// Its one-way delay.
    #[serde(default)]
    pub latency: Option<Duration>,
    /// Its losses.
    #[serde(default)]
    pub loss: Option<Loss>,
    /// Traffic of others on it.
    #[serde(default)]
    pub background: Option<Background>,
}

/// Which site is meant.
#[derive(Clone, Debug, Deserialize, Eq, Ord, PartialEq, PartialOrd, Serialize)]
pub enum SiteName {
    /// The site of this number, from 0.
    Index(u32),
    /// The site of this name; generated sites are called `s0`, `s1`, …, those of a grid `r0c0`, …, of a hierarchy
    /// `cloud`, `e0`,
    /// `e0.0`, ….
    Name(String),
}

impl Default for SiteName {
    fn default() -> Self {
        SiteName::Index(0)
    }
}

/// The sites to which the clients are attached: client i on the (i modulo their number)-th.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
pub enum Placement {
    /// On all but the server's; on that too when there is no other.
    #[default]
    Others,
    /// On all.
    Everywhere,
    /// On those with one neighbour, but not on the server's.
    Leaves,
    /// On these; at least one.
    Sites(Vec<SiteName>),
}
