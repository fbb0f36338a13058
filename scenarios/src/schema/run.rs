//! When a run ends, what it records, and its arms. This file must not know record files.

use std::collections::BTreeMap;

use fedbits_protocols::plan::Patience;
use fedbits_spec::range::{POSITIVE, POSITIVE_DURATION, SomeBits, SomeEnergy, whole};
use fedbits_spec::{Described, Duration, Energy, Size};
use serde::{Deserialize, Serialize};

/// The first rule that holds ends the run; at least one is required. Rules are checked at the end of a round or
/// iteration, so the last one can exceed a limit. Costs before the first round count.
#[derive(Clone, Copy, Debug, Default, Described, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields, default)]
pub struct Stop {
    /// After this many rounds.
    #[range(whole(1, u64::MAX))]
    pub rounds: Option<u64>,
    /// After this many epochs (conditional expectations / examples; with sampling, evaluations of densities and
    /// gradients / subjects).
    #[range(POSITIVE)]
    pub epochs: Option<f64>,
    /// After this simulated time.
    #[range(POSITIVE_DURATION)]
    pub time: Option<Duration>,
    /// After this many bits: up, down and between agents, headers included.
    #[range(SomeBits)]
    pub bits: Option<Size>,
    /// After this energy of the clients, and of the server if its power is given. Needs `energy`.
    #[range(SomeEnergy)]
    pub energy: Option<Energy>,
    /// When a probe finds ‖h(Ŝ)‖² at or below this. Needs probes.
    #[range(POSITIVE)]
    pub mean_field_sq: Option<f64>,
    /// When the objective changes by at most this between probes separated by a step. Needs probes.
    #[range(POSITIVE)]
    pub objective_change: Option<f64>,
    /// When consecutive probes bring no improvement. Needs probes.
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
    /// Rounds per probe (‖h(Ŝ)‖², objective), a multiple of `every`. A probe is a pass over all data without bits or
    /// simulated time. Start and end are always probed; `None`: only these.
    #[range(whole(1, u64::MAX).note(" (rounds), or `None`"))]
    pub probe_every: Option<u64>,
    /// Writes θ with every row (`theta.csv`).
    pub theta: bool,
    /// Writes Ŝ with every row (`statistics.csv`).
    pub statistics: bool,
    /// Compares components with labels at each probe (`accuracy`, `adjusted_rand_index`,
    /// `normalized_mutual_information`, `purity`) and writes `components.csv` at the end. Each costs at most half a
    /// pass over all data.
    pub quality: bool,
    /// Lets runs with a degenerate final fit reach targets: empty or collapsed components, or an objective more than
    /// 0.25 above the start's. Changes only the count.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub accept_degenerate: bool,
    /// Writes `clients.csv` at the end: activity, bits and time of each client. Default: for up to 1 000 clients.
    pub clients: Option<bool>,
    /// Rounds after which `clients_at.csv` gets the same rows, at most 100, increasing. Each costs a pass over all
    /// data, but no bits or simulated time. Needs `clients`.
    pub clients_at: Vec<u64>,
    /// Rounds whose transfers, computations and waits go to `trace.csv`, for the figure `round`; at most 100,
    /// increasing. The run is unchanged; `fedbits trace` makes the same later.
    pub trace: Vec<u64>,
    /// Rounds per interval of `links_over_time.csv`, the traffic of each link between sites of a `Graph`; `None`: no
    /// file.
    #[range(whole(1, u64::MAX).note(" (rounds), or `None`"))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub links_every: Option<u64>,
    /// Bins of the histograms in `marginals.csv`, for the figure of a mixture; `None`: no file. It reveals the
    /// distribution of the examples' columns, with the smallest and largest values.
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

/// A variant of the scenario, given by the settings that differ.
#[derive(Clone, Debug, Described, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Arm {
    /// Unique name in results and figures, valid as a folder name.
    pub name: String,
    /// Paths and values, written as in a scenario file (a text keeps its quotes: `"\"10 kbps\""`); none: the scenario
    /// itself.
    #[serde(default)]
    pub set: BTreeMap<String, String>,
}

/// A default.
pub(super) fn one() -> u64 {
    1
}
