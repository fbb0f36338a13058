//! The manifest: what ran, what came out, and what not to trust about it.

use crate::table::check_finite;
use crate::{Cut, EnergyTotals, FAILED, FinalFit, PerClient, RecordError, Reference, Spending, StopRules};
use fedbits_spec::Caveat;
use serde::{Deserialize, Serialize};

/// Enough to run the same run again and to compare the results to the last bit.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Manifest {
    /// Version of the program whose arithmetic made the numbers.
    pub engine_version: String,
    /// Name of the scenario.
    pub scenario: String,
    /// Name of the arm; the scenario's name where it has no arms.
    pub arm: String,
    /// The arm's position among the arms of its scenario, from 0; figures order and colour arms by it.
    pub arm_index: u32,
    /// The scenario as resolved, complete, as RON.
    pub scenario_text: String,
    /// Root seed.
    pub seed: u64,
    /// Number of the replicate under that seed.
    pub replicate: u64,
    /// Number of clients n.
    pub clients: u64,
    /// Digests of what went in and of what happened.
    pub digests: Digests,
    /// Why the run ended.
    pub stop_reason: String,
    /// The rules that could end it.
    pub stop_rules: StopRules,
    /// Where a search ended it, before its own rules did.
    pub cut: Option<Cut>,
    /// What gaps of its objective are counted from; none in records of programs that look for no reference.
    pub reference: Option<Reference>,
    /// What the verdict on the run depends on; none of a run that failed.
    pub fit: Option<FinalFit>,
    /// What a reader must know before trusting the numbers; printed under every figure.
    pub caveats: Vec<Caveat>,
    /// Sums over the run.
    pub totals: Totals,
    /// How clients differ in what they did and spent; none where no table of clients was asked for.
    pub per_client: Option<PerClient>,
    /// Joules, where powers were given.
    pub energy: Option<EnergyTotals>,
    /// What the run cost the machine that simulated it; not reproducible, in no digest.
    pub host: Host,
    /// Names of the protocol's extra columns of `rounds`.
    pub extra_columns: Vec<String>,
}

/// What the stop reason of a run begins with that got to the ‖h(Ŝ)‖² that it was to get to.
pub const MEAN_FIELD_REACHED: &str = "mean field: ";

/// Digests as lower-case hexadecimal strings.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Digests {
    /// Of the prepared examples.
    pub data: String,
    /// Of the integer timeline: time, kind, nodes, bits.
    pub timeline: String,
    /// Of the bits of Ŝ and θ.
    pub state: String,
}

/// Sums over a run.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Totals {
    /// Rounds completed.
    pub rounds: u64,
    /// Payload bits from clients to the server, with all bits sent again in this direction.
    pub bits_up: u64,
    /// Payload bits from the server to clients, with all bits sent again in this direction.
    pub bits_down: u64,
    /// Payload bits between peers.
    pub bits_peer: u64,
    /// Bits of packet headers.
    pub bits_header: u64,
    /// Bits that served nothing: late, lost, aborted, retransmitted.
    pub bits_wasted: u64,
    /// Simulated time in ns.
    pub time_ns: u64,
    /// Conditional expectations computed.
    pub expectations: u64,
    /// Events processed.
    pub events: u64,
}

/// Cost of the simulation itself.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Host {
    /// Elapsed seconds, preparation included.
    pub seconds: f64,
    /// Events of the timeline per second of the run proper, preparation not included.
    pub events_per_second: Option<f64>,
    /// Peak resident memory in bytes, where the system reports it.
    pub peak_memory_bytes: Option<u64>,
    /// Threads used.
    pub threads: u64,
    /// The scenario's folder, where a verification looks for data files first; none for a built-in scenario.
    pub scenario_folder: Option<String>,
    /// The Python script or notebook that made the run, where there is one.
    pub script: Option<String>,
}

impl Totals {
    /// All bits: payload up, down and between peers, and packet headers. A broken file may have numbers without a sum.
    #[must_use]
    pub fn bits_total(&self) -> u64 {
        [self.bits_up, self.bits_down, self.bits_peer, self.bits_header].into_iter().fold(0, u64::saturating_add)
    }
}

impl Spending {
    /// How much of it a run has spent.
    #[must_use]
    pub fn in_all(self, totals: &Totals) -> u64 {
        match self {
            Self::Bits => totals.bits_total(),
            Self::Upload => totals.bits_up,
            Self::Time => totals.time_ns,
            Self::Rounds => totals.rounds,
        }
    }
}

impl Manifest {
    /// Why the run failed, if it did: its stop reason.
    pub fn failure(&self) -> Option<&str> {
        self.stop_reason.starts_with(FAILED).then_some(self.stop_reason.as_str())
    }

    /// Whether the run came to its end with a degenerate fit, which is no success. A run that a search cut was not at
    /// its end.
    #[must_use]
    pub fn is_degenerate(&self) -> bool {
        let is_whole = self.cut.is_none() && self.failure().is_none();
        is_whole && self.fit.as_ref().is_some_and(FinalFit::is_degenerate)
    }

    /// The same with what is shown written out where a terminal would obey it: whoever made the record may have meant
    /// it to pass for another.
    pub(crate) fn visible(mut self) -> Self {
        let texts = [&mut self.engine_version, &mut self.stop_reason].into_iter().chain(&mut self.extra_columns);
        let values = self.caveats.iter_mut().flat_map(Caveat::values_mut);
        texts.chain(values).chain(&mut self.host.scenario_folder).for_each(|text| *text = fedbits_spec::visible(text));
        self
    }

    /// The floats of a manifest are numbers.
    pub(crate) fn check(&self) -> Result<(), RecordError> {
        let (reference, fit) = (self.reference.as_ref(), self.fit.as_ref());
        let floats = [
            ("host.seconds", Some(self.host.seconds)),
            ("host.events_per_second", self.host.events_per_second),
            ("stop_rules.mean_field_sq", self.stop_rules.mean_field_sq),
            ("reference.objective", reference.and_then(|reference| reference.objective)),
            ("reference.mean_field_sq", reference.and_then(|reference| reference.mean_field_sq)),
            ("fit.objective", fit.and_then(|fit| fit.objective)),
            ("fit.start_objective", fit.and_then(|fit| fit.start_objective)),
        ];
        let energy = self.energy.map(|energy| [Some(energy.clients_j), energy.server_j]);
        let costs = self.per_client.iter().flat_map(PerClient::numbers).map(|number| ("per_client", Some(number)));
        let energy = energy.into_iter().flatten().map(|joules| ("energy", joules));
        let floats = floats.into_iter().chain(costs).chain(energy);
        check_finite("manifest", self.totals.rounds, floats)
    }
}
