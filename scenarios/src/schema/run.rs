//! When a run ends, what it records, and its arms. This file must not know record files.

use std::collections::BTreeMap;

use fedbits_protocols::plan::Patience;
use fedbits_spec::range::{POSITIVE, POSITIVE_DURATION, SomeBits, SomeEnergy, whole};
use fedbits_spec::{Described, Duration, Energy, Size};
use serde::{Deserialize, Serialize};

/// The first rule that holds ends the run; at least one is given. Rules are checked when a round or an iteration ends,
/// so the last one can exceed a limit; costs before the first round count, too.
#[derive(Clone, Copy, Debug, Default, Described, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields, default)]
pub struct Stop {
    /// After this many rounds.
    #[range(whole(1, u64::MAX))]
    pub rounds: Option<u64>,
    /// After this many epochs (conditional expectations / examples). Where latent variables are sampled, evaluations of
    /// densities and gradients count instead, and subjects are the examples.
    #[range(POSITIVE)]
    pub epochs: Option<f64>,
    /// After so much simulated time.
    #[range(POSITIVE_DURATION)]
    pub time: Option<Duration>,
    /// After this many bits: up, down and between agents, headers included.
    #[range(SomeBits)]
    pub bits: Option<Size>,
    /// After the clients have used so much energy, and the server where its power is given. Needs `energy`.
    #[range(SomeEnergy)]
    pub energy: Option<Energy>,
    /// When a probe finds ‖h(Ŝ)‖² at most this. Needs probes.
    #[range(POSITIVE)]
    pub mean_field_sq: Option<f64>,
    /// When the objective changes by at most this between probes that a step lies between. Needs probes.
    #[range(POSITIVE)]
    pub objective_change: Option<f64>,
    /// When probes in a row bring no improvement. Needs probes.
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

/// What is written down.
#[derive(Clone, Debug, Described, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields, default)]
pub struct Record {
    /// A row every n rounds.
    #[range(whole(1, u64::MAX).note(" (rounds)"))]
    pub every: u64,
    /// A probe (‖h(Ŝ)‖², objective) every n rounds: a full pass over all data that costs no bits and no simulated time;
    /// a multiple of `every`. The start and the end of a run are always probed; `None`: only these.
    #[range(whole(1, u64::MAX).note(" (rounds), or `None`"))]
    pub probe_every: Option<u64>,
    /// Whether θ is written with every row (`theta.csv`).
    pub theta: bool,
    /// Whether the statistic is written at each recorded round.
    pub statistics: bool,
    /// Whether each probe compares components with labels (`accuracy`, `adjusted_rand_index`,
    /// `normalized_mutual_information`, `purity`), where data and model have them, and the end of the run writes
    /// `components.csv`: at most half a pass over all data each.
    pub quality: bool,
    /// Whether a run may count as having reached a target although its final fit is degenerate: components are empty or
    /// have collapsed, or the objective lies more than 0.25 above that of the start. It changes no result but the
    /// count.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub accept_degenerate: bool,
    /// Whether `clients.csv` is written at the end: what each client did, sent and spent its time on. `None`: for up to
    /// 1 000 clients.
    pub clients: Option<bool>,
    /// Rounds after which the same is written to `clients_at.csv`, at most 100, increasing. A pass over
    /// all data each, that costs no bits and no simulated time. Needs `clients`.
    pub clients_at: Vec<u64>,
    /// Rounds whose transfers, computations and waits are written to `trace.csv`, at most 100, increasing. For the
    /// figure `round`; `fedbits trace` makes the same of a record later. Nothing of the run changes.
    pub trace: Vec<u64>,
    /// The number of rounds in an interval of `links_over_time.csv`, which says what each link between the sites of a
    /// `Graph` carried in it; `None`: the file is not written.
    #[range(whole(1, u64::MAX).note(" (rounds), or `None`"))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub links_every: Option<u64>,
    /// Bins of the histograms of the examples' columns in `marginals.csv`, for the figure of a mixture;
    /// `None`: the file is not written. It reveals the distribution of the clients' examples, with the smallest and the
    /// largest value.
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

/// One variant of the scenario, by the settings that differ.
#[derive(Clone, Debug, Described, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Arm {
    /// Its name in results and figures; not empty, different from the others', fit to name a folder.
    pub name: String,
    /// Paths and their values, written as in a scenario file (a text has its own quotes: `"\"10 kbps\""`); none: the
    /// scenario as it is.
    #[serde(default)]
    pub set: BTreeMap<String, String>,
}

/// A default.
pub(super) fn one() -> u64 {
    1
}
