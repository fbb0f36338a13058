//! When a run ends, what it records, and its arms. This file must not know record files.

use std::collections::BTreeMap;

use fedbits_protocols::plan::Patience;
use fedbits_spec::range::{POSITIVE, POSITIVE_DURATION, SomeBits, SomeEnergy, whole};
use fedbits_spec::{Described, Duration, Energy, Size};
use serde::{Deserialize, Serialize};

/// The first rule that holds ends the run; at least one is required. Checked after each round or iteration, so runs can
/// exceed limits. Costs before the first round count.
#[derive(Clone, Copy, Debug, Default, Described, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields, default)]
pub struct Stop {
    /// After this many rounds.
    #[range(whole(1, u64::MAX))]
    pub rounds: Option<u64>,
    /// After this many conditional expectations ÷ examples; with sampling, evaluations of densities and gradients ÷
    /// subjects.
    #[range(POSITIVE)]
    pub epochs: Option<f64>,
    /// After this simulated time.
    #[range(POSITIVE_DURATION)]
    pub time: Option<Duration>,
    /// After this many bits in all directions, with headers.
    #[range(SomeBits)]
    pub bits: Option<Size>,
    /// After this energy of clients and, if its power is given, the server; needs `energy`.
    #[range(SomeEnergy)]
    pub energy: Option<Energy>,
    /// When a probe finds ‖h(Ŝ)‖² at most this.
    #[range(POSITIVE)]
    pub mean_field_sq: Option<f64>,
    /// When the objective changes by at most this between probes separated by a step.
    #[range(POSITIVE)]
    pub objective_change: Option<f64>,
    /// When consecutive probes bring no improvement.
    pub patience: Option<Patience>,
}

impl Stop {
    /// The names of the rules that are given.
    #[must_use]
    pub fn rules(&self) -> Vec<&'static str> {
        let Self { rounds, epochs, time, bits, energy, mean_field_sq, objective_change, patience } = self;
        let all = [
            ("rounds", rounds.is_some()),
            ("epochs", epochs.is_some()),
            ("time", time.is_some()),
            ("bits", bits.is_some()),
            ("energy", energy.is_some()),
            ("mean_field_sq", mean_field_sq.is_some()),
            ("objective_change", objective_change.is_some()),
            ("patience", patience.is_some()),
        ];
        all.into_iter().filter(|(_, given)| *given).map(|(name, _)| name).collect()
    }

    /// Whether no rule is given.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Stop::default()
    }
}

/// What a run records.
#[derive(Clone, Debug, Described, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields, default)]
pub struct Record {
    /// Rounds per recorded row.
    #[range(whole(1, u64::MAX).note(" (rounds)"))]
    pub every: u64,
    /// Rounds per probe of ‖h(Ŝ)‖² and objective, a multiple of `every`; a pass over all data without bits or simulated
    /// time. `None`: only start and end, which are always probed.
    #[range(whole(1, u64::MAX).note(" (rounds), or `None`"))]
    pub probe_every: Option<u64>,
    /// Writes θ per row (`theta.csv`).
    pub theta: bool,
    /// Writes Ŝ per row (`statistics.csv`).
    pub statistics: bool,
    /// Compares components with labels at probes (`accuracy`, …; at most half a pass over all data each) and writes
    /// `components.csv`.
    pub quality: bool,
    /// Lets degenerate final fits reach targets: empty or collapsed components, or an objective more than 0.25 above
    /// the start's.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub accept_degenerate: bool,
    /// Writes `clients.csv`. Default: for up to 1 000 clients.
    pub clients: Option<bool>,
    /// Rounds with the same rows in `clients_at.csv`, each for a pass over all data; at most 100, increasing. Needs
    /// `clients`.
    pub clients_at: Vec<u64>,
    /// Rounds whose activities go to `trace.csv`, for the figure `round`; at most 100, increasing.
    pub trace: Vec<u64>,
    /// Rounds per interval of `links_over_time.csv`, for links of a `Graph`.
    #[range(whole(1, u64::MAX).note(" (rounds), or `None`"))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub links_every: Option<u64>,
    /// Bins of `marginals.csv`, for the figure of a mixture. Reveals each column's distribution and range.
    #[range(whole(1, 1_000).note(" (bins), or `None`"))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub marginals: Option<u32>,
}

impl Default for Record {
    fn default() -> Self {
        let (theta, statistics, quality, clients) = (false, false, true, None);
        let (every, probe_every, clients_at, trace) = (1, Some(10), Vec::new(), Vec::new());
        let (links_every, marginals, accept_degenerate) = (None, None, false);
        Record {
            every,
            probe_every,
            theta,
            statistics,
            quality,
            accept_degenerate,
            clients,
            clients_at,
            trace,
            links_every,
            marginals,
        }
    }
}

/// A variant, given by the settings that differ.
#[derive(Clone, Debug, Described, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Arm {
    /// Unique name, valid as a folder name.
    pub name: String,
    /// Paths and values as in a scenario file (a text keeps its quotes: `"\"10 kbps\""`).
    #[serde(default)]
    pub set: BTreeMap<String, String>,
}

/// A default.
pub(super) fn one() -> u64 {
    1
}
