//! The scenario as data: its top level, and names for the settings that stand beside their code. Rules across crates
//! are in `checks`.

mod axes;
mod levels;
mod run;
mod search;

use std::collections::BTreeMap;

use fedbits_codec::CompressorSetting;
use fedbits_models::ModelSetting;
use fedbits_models::data::DataSource;
use fedbits_protocols::setting::{Profile, ProtocolSetting};
use fedbits_spec::{Choice, Described};
use serde::{Deserialize, Serialize};

pub use fedbits_protocols::aggregation::{Aggregation, Neighbours, SecureAggregation};
pub use fedbits_protocols::byzantine::{Attack, Attacked, Byzantine, Liars};
pub use fedbits_protocols::fedem::FedEmSetting as FedEm;
pub use fedbits_protocols::federation::Weighting;
pub use fedbits_protocols::partition::Partition;
pub use fedbits_protocols::plan::{Late, Participation, RoundPolicy as Round, Staleness};
pub use fedbits_protocols::privacy::{Against, Gaussian, Granularity, Privacy};
pub use fedbits_protocols::robust::{Centre, Preaggregation, Robust, RobustRule, Weiszfeld};
pub use fedbits_protocols::schedule::Schedule;
pub use fedbits_protocols::vr_fedem::{InnerSteps, Previous, Spider, VarianceReduction};

pub use axes::{Axis, PointSet};
pub use fedbits_codec::WireFloat as Floats;
pub use fedbits_figures::{Curves, Figure, FigureKind, ShownArm, Target};
pub use fedbits_kernel::network::{Background, transport::Loss};
pub use fedbits_kernel::topology::{LinkCapacity, LinkLatency, LinkSettings, Piece, Placement, Reach, SiteName, Sites};
pub use fedbits_kernel::{
    Availability, CodingTimes, Compute, Dropout, EnergySetting as Powers, NetworkSetting as Network, Shape,
};
pub use fedbits_models::data::holdout::Holdout;
pub use fedbits_models::data::preprocess::Preprocess;
pub use fedbits_models::gmm::CovarianceForm as Covariance;
pub use fedbits_models::gmm::vertical::Singular;
pub use fedbits_models::initial::InitialSetting as Initial;
pub use fedbits_models::low_rank::Family;
pub use fedbits_models::{Covariances, Matrix};
pub use fedbits_protocols::neighbours::{consensus::Consensus, weights::Weights};
pub use fedbits_protocols::saem::{CentralizedSaem, FlSaem, Kernel, Local, Sampler, Sends};
pub use fedbits_protocols::vkmeans::KMeansBaseline;
pub use fedbits_protocols::vpem::{Architecture, VpEm, rules::VpBatch};
pub use fedbits_spec::laws::{Column, DurationLaw, Measured, Only, PowerLaw, RateLaw, TableColumn};
pub use fedbits_spec::units::{Duration, Energy, Rate, Size, UnitError, YEAR};
pub use levels::{Amount, Law, Values, Which, decimal};
use run::one;
pub use run::{Arm, Record, Stop};
pub(crate) use search::eightfold;
pub use search::{Constraint, Objective, Race};

/// The source of the examples.
pub type Data = Choice<dyn DataSource>;
/// The algorithm.
pub type Protocol = Choice<dyn ProtocolSetting>;
/// The operator on a vector that is sent.
pub type Compressor = Choice<dyn CompressorSetting>;
/// Model to fit.
pub type Model = Choice<dyn ModelSetting>;

/// Everything a run depends on.
#[derive(Clone, Debug, Described, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Scenario {
    /// Name in results; not empty.
    pub name: String,
    /// Purpose, assumptions and results, in words.
    #[serde(default)]
    pub about: String,
    /// Scenario that this one modifies: a name in the library, or a `.ron` file in the same folder. `name` and what the
    /// base lacks remain required. Values with the base's name (`FedEm(…)`) or none (`stop: (…)`) are merged by field,
    /// others replaced, lists included.
    #[serde(default, skip_serializing)]
    pub base: Option<String>,
    /// Seed of all random draws.
    #[serde(default = "one")]
    pub seed: u64,
    /// Index of the replicate, with its own draws; at most 10¹².
    #[serde(default)]
    pub replicate: u64,
    /// Runs of each arm, from `replicate` on. Replicate r has the same data and environment in all arms. 1 to 1 000
    /// 000, with `search` to 1 000; intervals need 3.
    #[serde(default = "one", skip_serializing_if = "is_one")]
    pub replicates: u64,
    /// The examples.
    pub data: Data,
    /// Preprocessing steps, in order.
    #[serde(default)]
    pub preprocess: Vec<Preprocess>,
    /// Examples withheld from all clients and evaluated at every probe (columns `held_out_…`). Counts and documents
    /// have their own fields.
    #[serde(default)]
    pub holdout: Option<Holdout>,
    /// n, 1 to 10⁷; required, except with `ClientColumn`, which sets it.
    #[serde(default)]
    pub clients: Option<usize>,
    /// Which client holds which example.
    #[serde(default)]
    pub partition: Partition,
    /// Model to fit.
    pub model: Model,
    /// Starting point.
    #[serde(default)]
    pub initial: Initial,
    /// The algorithm.
    pub protocol: Protocol,
    /// When a round closes.
    #[serde(default)]
    pub round: Round,
    /// Treatment of contributions after their round.
    #[serde(default)]
    pub late: Late,
    /// Weight of a contribution to an older broadcast, not of memory updates. FedEM scales V by a step's mean weight.
    #[serde(default)]
    pub staleness: Staleness,
    /// How the server obtains the sum of messages.
    #[serde(default)]
    pub aggregation: Aggregation,
    /// Differential privacy of clients.
    #[serde(default)]
    pub privacy: Option<Privacy>,
    /// Byzantine clients.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub byzantine: Option<Byzantine>,
    /// The network; default a star.
    #[serde(default)]
    pub network: Network,
    /// Durations of computations.
    #[serde(default)]
    pub compute: Compute,
    /// When clients can be selected.
    #[serde(default)]
    pub availability: Availability,
    /// Whether clients drop out while busy.
    #[serde(default)]
    pub dropout: Dropout,
    /// Powers; without them no energy is counted.
    #[serde(default)]
    pub energy: Option<Powers>,
    /// When the run ends; at least one rule.
    pub stop: Stop,
    /// What a run records.
    #[serde(default)]
    pub record: Record,
    /// Variants to compare; none: the scenario itself. With `axes` they form the slowest axis, `arms`.
    #[serde(default)]
    pub arms: Vec<Arm>,
    /// Varied settings; arms run once per combination of levels.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub axes: Vec<Axis>,
    /// Combinations of levels, by axis, that are left out.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub exclude: Vec<BTreeMap<String, String>>,
    /// Levels of the reference arm by axis (for arms `{"arms": "NAME"}`); none: the first.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub baseline: BTreeMap<String, String>,
    /// Targets to which bits, time and rounds are measured.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub targets: Vec<Target>,
    /// Adaptive choice of runs; default: all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub search: Option<Race>,
    /// Paths of settings that a page of `fedbits report --page run` offers besides axes, arms and seed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub offer: Vec<String>,
    /// Figures, the most important first; none: one of curves, chosen from the results.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub figures: Vec<Figure>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde gives a reference")]
fn is_one(number: &u64) -> bool {
    *number == 1
}

/// Up to this many clients a run ends with a table of them unless it is told otherwise.
const MOST_CLIENTS_UNASKED: usize = 1_000;

impl Scenario {
    /// Does a run of so many clients end with a table of them? In one place there are none.
    pub(crate) fn asks_for_clients(&self, clients: usize) -> bool {
        let unasked = clients <= MOST_CLIENTS_UNASKED || !self.record.clients_at.is_empty();
        self.record.clients.unwrap_or(unasked) && !self.protocol.profile().is_centralized
    }

    /// The files that a run reads, as the scenario names them: data, topology, tables of measurements.
    #[must_use]
    pub fn files(&self) -> Vec<&str> {
        let mut files = self.data.files();
        files.extend(self.initial.file());
        files.extend(self.network.files());
        files.extend(self.compute.expectation.table().map(|table| table.path));
        files.extend(self.energy.iter().flat_map(Powers::files));
        files
    }

    /// What the objective is a function of beside the data, as text: the model, and how clients count.
    #[must_use]
    pub fn objective_text(&self) -> String {
        let Profile { weighting, other_objective, .. } = self.protocol.profile();
        let objective = other_objective.unwrap_or_default();
        format!("{}{weighting:?}{objective}", fedbits_text::write(&self.model))
    }

    /// What the runs of a replicate solve, as text: arms whose texts differ solve different problems.
    pub(crate) fn problem_text(&self) -> String {
        let Self { data, preprocess, holdout, clients, partition, .. } = self;
        fedbits_text::write(&(data, preprocess, holdout, clients, partition)) + &self.objective_text()
    }

    /// Is there anything that no client has, by which the fit is judged?
    pub(crate) fn holds_out(&self) -> bool {
        self.holdout.is_some() || self.data.facts().holds_out
    }

    /// The scenario without what speaks of several runs.
    #[must_use]
    pub fn alone(&self) -> Self {
        let (arms, axes, exclude, targets, figures) = (Vec::new(), Vec::new(), Vec::new(), Vec::new(), Vec::new());
        let (baseline, search, replicates, offer) = (BTreeMap::new(), None, 1, Vec::new());
        Self { arms, axes, exclude, baseline, targets, search, offer, figures, replicates, ..self.clone() }
    }

    /// All that a result depends on beside seed and replicate, as text: what only names or describes is left out.
    #[must_use]
    pub fn identity(&self) -> String {
        let (name, about) = (String::new(), String::new());
        fedbits_text::write(&Scenario { name, about, seed: 0, replicate: 0, ..self.alone() })
    }
}
