//! When a run ends, what it records, when rounds close and who takes part: the parts of a plan that protocols share.

use fedbits_kernel::{Bits, TimeDelta};
use fedbits_record::results::grows;
use fedbits_record::{Cut, HELD_OUT_COLUMNS, QUALITY_COLUMNS, RoundRow};
use fedbits_spec::range::{Interval, POSITIVE_DURATION, PROBABILITY, whole};
use fedbits_spec::{Described, Duration};
use serde::{Deserialize, Serialize};

use crate::assessment::Assessment;

/// The run ends as soon as one of these holds; at least one is given.
#[derive(Clone, Copy, Debug, Default)]
pub struct StopRules {
    /// After this many rounds.
    pub rounds: Option<u64>,
    /// After this many passes over all data (conditional expectations ÷ N).
    pub epochs: Option<f64>,
    /// After this duration of simulated time.
    pub time: Option<TimeDelta>,
    /// After this many bits on the wire, headers included.
    pub bits: Option<Bits>,
    /// When a probe finds ‖h(Ŝ)‖² at most this large.
    pub mean_field_sq: Option<f64>,
    /// When the objective changes by at most this much between probes that a step lies between.
    pub objective_change: Option<f64>,
    /// When this many joules are used.
    pub energy: Option<f64>,
    /// When probes in a row bring no improvement.
    pub patience: Option<Patience>,
    /// Has the protocol an end of its own?
    pub has_end: bool,
    /// When more than this is spent: then the run is cut, and has not come to an end of its own.
    pub cut: Option<Cut>,
}

/// Why a run fails at its start.
pub const NEVER_ENDS: &str = "its stop rules are about what is not measured here (‖h(Ŝ)‖², the objective, what is held \
                              out): the run would never end";

impl StopRules {
    /// Without the rules about what the probe of the start, with these columns beside the common ones, did not measure:
    /// no later probe does.
    ///
    /// # Errors
    /// [`NEVER_ENDS`], where no other was given.
    pub fn measured(self, start: &RoundRow, columns: &[String]) -> Result<Self, &'static str> {
        let measures = |measure: Measure| start.value(measure.column(), columns).is_some();
        let left = Self {
            mean_field_sq: self.mean_field_sq.filter(|_| measures(Measure::MeanFieldSq)),
            objective_change: self.objective_change.filter(|_| measures(Measure::Objective)),
            patience: self.patience.filter(|patience| measures(patience.of)),
            ..self
        };
        if left.is_empty() && !self.is_empty() { Err(NEVER_ENDS) } else { Ok(left) }
    }

    /// The share of the run that is done, up to the nearest end that can be counted; none where no rule counts one.
    pub fn share_done(&self, row: &RoundRow) -> Option<f64> {
        let parts = [
            self.rounds.map(|limit| row.round as f64 / limit as f64),
            self.epochs.map(|limit| row.epochs / limit),
            self.time.map(|limit| row.time_ns as f64 / limit.as_nanos() as f64),
            self.bits.map(|limit| row.bits_total() as f64 / limit.count() as f64),
            self.energy.zip(row.costs.energy_j).map(|(limit, joules)| joules / limit),
        ];
        parts.into_iter().flatten().reduce(f64::max).map(|done| done.min(1.0))
    }

    /// Is there nothing that brings a run to its end?
    fn is_empty(&self) -> bool {
        let Self { rounds, epochs, time, bits, mean_field_sq, objective_change, energy, patience, has_end, cut: _ } =
            self;
        let counted =
            *has_end || rounds.is_some() || epochs.is_some() || time.is_some() || bits.is_some() || energy.is_some();
        !counted && mean_field_sq.is_none() && objective_change.is_none() && patience.is_none()
    }
}

/// Early stopping after consecutive probes without a new best. The final θ is that of the last probe.
#[derive(Clone, Copy, Debug, Described, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Patience {
    /// Measure.
    pub of: Measure,
    /// Probes without improvement.
    #[range(whole(1, 1_000_000))]
    pub probes: u64,
    /// Least change that counts, in the unit of the measure.
    #[serde(default)]
    #[range(NOT_NEGATIVE)]
    pub least: f64,
}

/// [0, ∞).
const NOT_NEGATIVE: Interval = Interval::closed(0.0, f64::MAX, "at least 0");

/// Measure of a probe.
#[derive(Clone, Copy, Debug, Described, Deserialize, Eq, PartialEq, Serialize)]
pub enum Measure {
    /// Mean of −log p(y; θ).
    Objective,
    /// ‖h(Ŝ)‖².
    MeanFieldSq,
    /// Share of examples in the right component; needs labels.
    Accuracy,
    /// Mean log-likelihood of withheld examples; needs `holdout` or `held_out`.
    HeldOut,
}

impl Measure {
    /// Its column of `rounds.csv`.
    #[must_use]
    pub fn column(self) -> &'static str {
        match self {
            Self::Objective => "objective",
            Self::MeanFieldSq => "mean_field_sq",
            Self::Accuracy => QUALITY_COLUMNS[0],
            Self::HeldOut => HELD_OUT_COLUMNS[0],
        }
    }

    /// Is more better?
    #[must_use]
    pub fn grows(self) -> bool {
        grows(self.column())
    }
}

/// What is recorded and how often, in rounds. The first and the last round always are.
#[derive(Clone, Default)]
pub struct RecordPlan {
    /// Rounds per recorded row.
    pub every: u64,
    /// A probe (full pass over all data; out of band) every n rounds; none: at the first and the last only.
    pub probe_every: Option<u64>,
    /// Does the run end with a table of its clients? Their time is then kept by the world.
    pub clients: bool,
    /// After which rounds is such a table written too?
    pub clients_at: Vec<u64>,
    /// The rounds of which everything that happens is kept, in increasing order.
    pub trace: Vec<u64>,
    /// After every how many rounds it is kept what links carried since; none: never.
    pub links_every: Option<u64>,
    /// Does every row say how many joules were used so far?
    pub energy: bool,
    /// θ with every row.
    pub theta: bool,
    /// Ŝ with every row.
    pub statistics: bool,
    /// What probes find out beside the objective.
    pub assessment: Assessment,
}

impl RecordPlan {
    /// A row every n rounds, and a probe every so many; nothing beside.
    #[must_use]
    pub fn of(every: u64, probe_every: Option<u64>) -> Self {
        Self { every, probe_every, ..Self::default() }
    }
}

/// When the server closes a round and makes its step. If the draw selects no available client, the round lasts until
/// its deadline (without one, a second).
#[derive(Clone, Copy, Debug, Default, Described, Deserialize, PartialEq, Serialize)]
#[serde(rename = "Round")]
pub enum RoundPolicy {
    /// When every selected client has responded or is known to be lost.
    #[default]
    WaitForAll,
    /// `WaitForAll`, but at most this long; later contributions are late.
    Deadline(#[range(POSITIVE_DURATION)] Duration),
    /// When m clients have responded; 1 to the cohort size.
    First(u32),
    /// At every contribution, whatever its broadcast. `participation` sets the clients at work: all, or a cohort that
    /// idle clients refill after each step. For FedEM and gradient ascent.
    Asynchronous,
    /// `Asynchronous` at every K-th contribution (FedBuff); 1 to the number at work.
    Buffered(u32),
}

impl RoundPolicy {
    /// K, the contributions of a step of an asynchronous or buffered run.
    #[must_use]
    pub fn buffer(self) -> Option<u32> {
        match self {
            Self::Asynchronous => Some(1),
            Self::Buffered(size) => Some(size),
            Self::WaitForAll | Self::Deadline(_) | Self::First(_) => None,
        }
    }

    /// Does it close rounds while selected clients are still at work?
    #[must_use]
    pub fn closes_early(self) -> bool {
        matches!(self, Self::Deadline(_) | Self::First(_))
    }

    /// The contributions that close a round before all are in.
    pub(crate) fn enough(self) -> Option<u32> {
        if let Self::First(m) = self { Some(m) } else { self.buffer() }
    }

    /// The duration of a round, where the clock closes it.
    pub(crate) fn deadline(self) -> Option<TimeDelta> {
        let Self::Deadline(duration) = self else { return None };
        Some(TimeDelta::from_nanos(duration.nanoseconds().expect("deadlines are checked before a run is prepared")))
    }
}

/// Contributions that arrive after their round has closed.
#[derive(Clone, Copy, Debug, Default, Described, Deserialize, Eq, PartialEq, Serialize)]
pub enum Late {
    /// Neither end uses them, and clients learn this; a new broadcast ends older work.
    #[default]
    Discard,
    /// Both ends use them in the round of arrival; clients at work are not selected again, and rounds wait for them.
    /// For FedEM and gradient ascent.
    Apply,
}

/// [0, 10], exponents.
const EXPONENT: Interval = Interval::closed(0.0, 10.0, "from 0 to 10, no unit");

/// Weight ω(τ) of a contribution to the broadcast of τ steps ago. FedEM has H = ω̄ V + Σ ω(τ_i) D_i / d, d from
/// `divide_by`. Here ω̄ is the mean ω of the arrivals (1 if none); memories add α D_i unweighted.
#[derive(Clone, Copy, Debug, Default, Described, Deserialize, PartialEq, Serialize)]
pub enum Staleness {
    /// 1.
    #[default]
    Constant,
    /// (1 + τ)^(−a) with this a (Xie, Koyejo and Gupta 2019).
    Polynomial(#[range(EXPONENT)] f64),
}

impl Staleness {
    /// ω(`tau`).
    pub(crate) fn at(self, tau: u64) -> f64 {
        match self {
            Self::Polynomial(a) if tau > 0 => libm::pow(1.0 + tau as f64, -a),
            Self::Constant | Self::Polynomial(_) => 1.0,
        }
    }
}

/// The largest number of clients that a scenario may have.
pub const MAX_CLIENTS: u32 = 10_000_000;

/// Available clients that take part in a round.
#[derive(Clone, Copy, Debug, Default, Described, Deserialize, PartialEq, Serialize)]
pub enum Participation {
    /// Every client.
    #[default]
    All,
    /// Each client independently with probability p.
    Bernoulli(#[range(PROBABILITY)] f64),
    /// m clients, drawn without replacement.
    Cohort(#[range(whole(1, MAX_CLIENTS as u64).at_most(|facts| facts.clients, "the number of clients"))] u32),
}

impl Participation {
    /// Expected number of participants among `n` clients that are available with probability `available`.
    #[must_use]
    pub fn expected(self, n: u32, available: f64) -> f64 {
        let n = f64::from(n) * available;
        match self {
            Self::All => n,
            Self::Bernoulli(p) => n * p,
            Self::Cohort(m) => f64::from(m).min(n),
        }
    }
}
