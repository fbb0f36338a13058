//! One run: a protocol on a world, from its start to its digests.

use std::sync::atomic::AtomicBool;

use fedbits_kernel::{Engine, Entry, NodeId, StopReason, World};
use fedbits_record::{Digests, Histogram, LedgerRow, Recorder, Totals};

use crate::centralized::{Alone, CentralizedEm};
use crate::fedem::FedEm;
use crate::federation::Federation;
use crate::journal::{Journal, Observer, Probed, State};
use crate::payload::StarPayload;
use crate::plan::{RecordPlan, StopRules};
use crate::star::{Rounds, SERVER, Star, StarAlgorithm};

/// The registered protocols.
pub enum Algorithm {
    /// FedEM and its naive variant.
    FedEm(Box<FedEm>),
    /// Centralized EM.
    CentralizedEm(Box<CentralizedEm>),
}

impl Algorithm {
    /// The problem.
    pub fn federation(&self) -> &Federation {
        match self {
            Self::FedEm(fedem) => fedem.federation(),
            Self::CentralizedEm(em) => em.federation(),
        }
    }

    /// Its Ŝ and θ.
    pub fn state(&self) -> State<'_> {
        match self {
            Self::FedEm(fedem) => fedem.state(),
            Self::CentralizedEm(em) => em.state(),
        }
    }

    /// What it adds to the journal.
    pub fn probed(&self) -> &dyn Probed {
        match self {
            Self::FedEm(fedem) => fedem.as_ref(),
            Self::CentralizedEm(em) => em.as_ref(),
        }
    }
}

/// A run before its start.
pub struct Experiment {
    /// What it is played on.
    pub world: World,
    /// What is played.
    pub algorithm: Algorithm,
    /// The rounds of a star protocol.
    pub rounds: Rounds,
    /// What is recorded.
    pub record: RecordPlan,
    /// When it ends.
    pub stop: StopRules,
    /// Digest of the prepared examples.
    pub data_digest: String,
}

/// What a run leaves beside its rows.
pub struct Outcome {
    /// Why it ended.
    pub stop: StopReason,
    /// Digests of data, timeline and state.
    pub digests: Digests,
    /// Sums.
    pub totals: Totals,
    /// What a reader must know before trusting the run.
    pub caveats: Vec<String>,
    /// The ledger.
    pub ledger: Vec<LedgerRow>,
    /// Distributions of spans.
    pub histograms: Vec<Histogram>,
    /// One check byte per event.
    pub checks: Vec<u8>,
    /// The watched event.
    pub watched: Option<Entry>,
    /// The recorder with its rows, to be finished.
    pub recorder: Recorder,
}

/// Who looks on.
#[derive(Default)]
pub struct Audience {
    /// Is called with every recorded row.
    pub observer: Option<Observer>,
    /// Number of an event to be kept.
    pub watch: Option<u64>,
}

/// Plays an experiment to its end.
pub fn run(experiment: Experiment, recorder: Recorder, audience: Audience, interrupt: &AtomicBool) -> Outcome {
    let Experiment { world, algorithm, rounds, record, stop, data_digest } = experiment;
    let mut engine = Engine::new(world);
    if let Some(event) = audience.watch {
        engine.timeline_mut().watch(event);
    }
    let journal = Journal::new(recorder, record, stop, audience.observer);
    match algorithm {
        Algorithm::FedEm(fedem) => {
            let mut star = Star::new(*fedem, rounds, journal);
            let reason = engine.run(&mut star, interrupt);
            let (fedem, journal) = star.into_parts();
            outcome(&engine, reason, data_digest, &Algorithm::FedEm(Box::new(fedem)), journal)
        }
        Algorithm::CentralizedEm(em) => {
            let mut alone = Alone::new(*em, journal);
            let reason = engine.run(&mut alone, interrupt);
            let (em, journal) = alone.into_parts();
            outcome(&engine, reason, data_digest, &Algorithm::CentralizedEm(Box::new(em)), journal)
        }
    }
}

fn outcome(
    engine: &Engine<StarPayload>,
    mut stop: StopReason,
    data: String,
    algorithm: &Algorithm,
    mut journal: Journal,
) -> Outcome {
    let context = engine.context();
    let (state, probed) = (algorithm.state(), algorithm.probed());
    if let Err(why) = journal.close(context, algorithm.federation(), probed, &state) {
        stop = StopReason::Failed(why);
    }
    let totals = context.ledger().totals();
    let (rounds, expectations) = journal.reached();
    let name = |node: NodeId| if node == SERVER { "server".to_owned() } else { format!("client-{}", node.0 - 1) };
    Outcome {
        stop,
        digests: Digests { data, timeline: context.timeline().digest(), state: state_digest(&state) },
        totals: Totals {
            rounds,
            bits_up: totals.up,
            bits_down: totals.down,
            bits_peer: totals.peer,
            bits_header: totals.header,
            bits_wasted: totals.wasted,
            time_ns: context.now().as_nanos(),
            expectations,
            events: context.timeline().events(),
        },
        caveats: probed.caveats(),
        ledger: context.ledger().rows(name),
        histograms: context.histograms().into_iter().chain([journal.round_spans().clone()]).collect(),
        checks: context.timeline().checks().to_vec(),
        watched: context.timeline().watched(),
        recorder: journal.into_recorder(),
    }
}

/// BLAKE3 of the bits of Ŝ and θ.
fn state_digest(state: &State<'_>) -> String {
    let mut hasher = blake3::Hasher::new();
    for x in state.s_hat.iter().chain(state.theta) {
        hasher.update(&x.to_bits().to_le_bytes());
    }
    hasher.finalize().to_hex().to_string()
}
