//! What a scenario says about the links between sites, and about who is attached where.

use fedbits_spec::laws::{DurationLaw, RateLaw};
use fedbits_spec::range::{Interval, LinkRate, POSITIVE, SHORT_DURATION};
use fedbits_spec::short::{Short, Unread};
use fedbits_spec::{Described, Duration, Facts, Findings, Path, Rate};
use serde::{Deserialize, Serialize};

use super::SiteName;
use crate::network::transport::Loss;
use crate::network::{Background, Queue};

/// (0, 300]: nothing is faster than light.
const SIGNAL: Interval = Interval::above(0.0, 300.0, "in (0, 300], in km per millisecond");

/// Capacity of links between sites.
#[derive(Clone, Debug, Described, Deserialize, PartialEq, Serialize)]
#[serde(remote = "Self", deny_unknown_fields)]
#[described(short)]
pub enum LinkCapacity {
    /// Drawn for each link.
    Law(RateLaw),
    /// From the file.
    File {
        /// For links without one in the file; default: an error.
        #[serde(default)]
        #[range(LinkRate)]
        otherwise: Option<Rate>,
    },
}

impl Short for LinkCapacity {
    const FORMS: &'static [(&'static str, &'static str)] = &[("\"10 Mbps\"", "Law(Mbps(10))")];

    fn of_text(text: &str) -> Result<Self, Unread> {
        RateLaw::of_text(text).map(Self::Law)
    }
}

impl Default for LinkCapacity {
    fn default() -> Self {
        Self::Law(RateLaw::Gbps(1.0))
    }
}

/// One-way delay of links between sites.
#[derive(Clone, Debug, Described, Deserialize, PartialEq, Serialize)]
#[serde(remote = "Self", deny_unknown_fields)]
#[described(short)]
pub enum LinkLatency {
    /// Drawn for each link.
    Law(DurationLaw),
    /// Distance ÷ speed: great-circle distance for files, in the plane for `Grid` and `Geometric`.
    Distance {
        /// Signal speed; 200 is light in fibre.
        #[serde(default = "fibre")]
        #[range(SIGNAL)]
        km_per_ms: f64,
        /// Length of a unit of the plane in km.
        #[serde(default = "default_unit_km")]
        #[range(POSITIVE)]
        unit_km: f64,
        /// For links with an end at an unknown place; default: an error.
        #[serde(default)]
        #[range(SHORT_DURATION)]
        otherwise: Option<Duration>,
    },
    /// From the file.
    File {
        /// For links without one in the file; default: an error.
        #[serde(default)]
        #[range(SHORT_DURATION)]
        otherwise: Option<Duration>,
    },
}

impl Short for LinkLatency {
    const FORMS: &'static [(&'static str, &'static str)] = &[("\"40 ms\"", "Law(Ms(40))")];

    fn of_text(text: &str) -> Result<Self, Unread> {
        DurationLaw::of_text(text).map(Self::Law)
    }
}

fn fibre() -> f64 {
    200.0
}

fn default_unit_km() -> f64 {
    LinkLatency::DEFAULT_UNIT_KM
}

impl LinkLatency {
    /// Length of one unit of the plane in km where none is given.
    pub(crate) const DEFAULT_UNIT_KM: f64 = 1000.0;
}

impl Default for LinkLatency {
    fn default() -> Self {
        Self::Law(DurationLaw::Ms(5.0))
    }
}

/// Settings of all links between two sites, in both directions; at least one.
#[derive(Clone, Debug, Described, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
#[described(rules = of_two_sites)]
pub struct LinkSettings {
    /// One end.
    pub from: SiteName,
    /// The other end.
    pub to: SiteName,
    /// Capacity.
    #[serde(default)]
    #[range(LinkRate)]
    pub capacity: Option<Rate>,
    /// One-way delay.
    #[serde(default)]
    #[range(SHORT_DURATION)]
    pub latency: Option<Duration>,
    /// Losses.
    #[serde(default)]
    pub loss: Option<Loss>,
    /// Background traffic.
    #[serde(default)]
    pub background: Option<Background>,
    /// Queue, for `sharing: Tcp()`.
    #[serde(default)]
    pub queue: Option<Queue>,
}

fn of_two_sites(link: &LinkSettings, at: &Path<'_>, _: &Facts, findings: &mut Findings) {
    let LinkSettings { from, to, capacity, latency, loss, background, queue } = link;
    if from == to {
        findings.error(at, "a site is not joined to itself", "expected two sites");
    }
    if (capacity, latency, loss, background, queue) == (&None, &None, &None, &None, &None) {
        let expected = "expected at least one of `capacity`, `latency`, `loss`, `background` and `queue`";
        findings.error(at, "nothing is said of this link", expected);
    }
}

/// Sites of clients: client i is at the (i modulo their number)-th.
#[derive(Clone, Debug, Default, Described, Deserialize, PartialEq, Serialize)]
#[described(rules = somewhere)]
pub enum Placement {
    /// All except the server's, unless there is no other.
    #[default]
    Others,
    /// All.
    Everywhere,
    /// Sites with one neighbour, except the server's.
    Leaves,
    /// These sites; at least one.
    Sites(Vec<SiteName>),
}

fn somewhere(clients: &Placement, at: &Path<'_>, _: &Facts, findings: &mut Findings) {
    if matches!(clients, Placement::Sites(sites) if sites.is_empty()) {
        findings.error(at, "the clients have no sites", "expected at least one site");
    }
}
