//! One run: a protocol on a world, from its start to its digests.

use std::collections::BTreeMap;
use std::sync::atomic::AtomicBool;

use fedbits_kernel::network::LinkId;
use fedbits_kernel::{
    Activity, Bits, Context, Engine, Entry, MOST_SPANS, NodeId, Payload, Protocol, Span, StopReason, World,
};
use fedbits_record::{
    Digests, Direction, EnergyTotals, FinalFit, Histogram, LedgerRow, PerClient, Recorder, Reference, Totals,
    TracePart, TraceRow,
};
use fedbits_spec::{Caveat, caught};

use crate::costs;
use crate::costs::LinkInterval;
use crate::journal::{Journal, Observer, Subject};
use crate::plan::{RecordPlan, StopRules};
use crate::reference::{allowed_passes, reference};
use crate::state::State;

/// A protocol that is ready to be run: its problem and its state, and no journal yet.
pub trait Runnable {
    /// What the journal will look at.
    fn subject(&self) -> &dyn Subject;
    /// What a round of each client takes at the least; none where there are no clients that answer a server.
    fn least_rounds(&self) -> Option<Box<dyn Iterator<Item = LeastRound> + '_>> {
        None
    }
    /// Runs it to its end; implementations hand their driver, which keeps the journal, to [`Stage::run`].
    fn run(self: Box<Self>, stage: Stage<'_>, journal: Journal) -> Outcome;
}

/// What a round of a client takes at the least, whatever is drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LeastRound {
    /// Bits of the broadcast to it, without headers.
    pub broadcast: Bits,
    /// Units of work.
    pub work: u64,
    /// Bits of its contribution, without headers.
    pub contribution: Bits,
}

/// A protocol running: it reacts to events and keeps the journal.
pub trait Driver<P: Payload>: Protocol<P> {
    /// What the journal looks at, and the journal.
    fn parts(&mut self) -> (&dyn Subject, &mut Journal);
}

/// A run before its start.
pub struct Experiment {
    /// What it is run on.
    pub world: World,
    /// What is run.
    pub protocol: Box<dyn Runnable>,
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
    /// How clients differ in what they did and spent, where a table of them was asked for.
    pub per_client: Option<PerClient>,
    /// Joules, where powers are given.
    pub energy: Option<EnergyTotals>,
    /// What a reader must know before trusting the run.
    pub caveats: Vec<Caveat>,
    /// What gaps of the objective are counted from, if the observers asked for it and the run did not fail.
    pub reference: Option<Reference>,
    /// What the verdict on the run depends on; none where it failed.
    pub fit: Option<FinalFit>,
    /// The ledger.
    pub ledger: Vec<LedgerRow>,
    /// The accounts of the links between sites, where the world keeps them.
    pub links: Vec<(LinkId, LedgerRow)>,
    /// What links between sites carried between rounds, where that is asked for.
    pub link_times: Vec<LinkInterval>,
    /// Distributions of durations.
    pub histograms: Vec<Histogram>,
    /// θ at the end.
    pub theta: Vec<f64>,
    /// What the last row says of the fit, by column.
    pub measures: BTreeMap<String, f64>,
    /// The class that each component was matched with, where there are labels.
    pub component_classes: Option<Vec<Option<String>>>,
    /// One check byte per event.
    pub checks: Vec<u8>,
    /// The watched event.
    pub watched: Option<Entry>,
    /// What happened in the traced rounds; none where that is too much.
    pub trace: Option<Vec<TraceRow>>,
    /// The recorder with its rows, to be finished.
    pub recorder: Recorder,
}

/// Who looks on.
#[derive(Default)]
pub struct Observers {
    /// Is called with every recorded row.
    pub observer: Option<Observer>,
    /// Number of an event to be kept.
    pub watch: Option<u64>,
    /// Whether a reference objective is looked for at the end.
    pub reference: bool,
}

/// Plays an experiment to its end.
pub fn run(experiment: Experiment, recorder: Recorder, observers: Observers, interrupt: &AtomicBool) -> Outcome {
    let Experiment { world, protocol, record, stop, data_digest } = experiment;
    let Observers { observer, watch, reference } = observers;
    let (trace, rounding) = (record.trace.clone(), record.assessment.rounding.clone());
    let journal = Journal::new(recorder, record, stop, observer);
    protocol.run(Stage { world, data_digest, watch, trace, rounding, reference, interrupt }, journal)
}

/// Everything around a protocol that is about to be run.
pub struct Stage<'a> {
    world: World,
    data_digest: String,
    watch: Option<u64>,
    trace: Vec<u64>,
    /// What rounding takes of variances: why a covariance may be none.
    rounding: Vec<Caveat>,
    reference: bool,
    interrupt: &'a AtomicBool,
}

impl Stage<'_> {
    /// Plays `driver`, and gathers what the run leaves.
    pub fn run<P: Payload>(self, driver: &mut dyn Driver<P>) -> Outcome {
        let server = self.world.server;
        let mut engine = Engine::new(self.world);
        if let Some(event) = self.watch {
            engine.timeline_mut().watch(event);
        }
        if !self.trace.is_empty() {
            engine.trace(self.trace);
        }
        let stop = caught(|| engine.run(driver, self.interrupt)).unwrap_or_else(|panic| {
            // What panicked may do so again.
            let _ = caught(|| engine.abandon());
            StopReason::Failed(panic.to_string())
        });
        let stop = explained(stop, &self.rounding);
        outcome(&engine, server, stop, (self.data_digest, self.reference), driver)
    }
}

/// With the cause of a covariance that is none, where that may be rounding.
fn explained(stop: StopReason, rounding: &[Caveat]) -> StopReason {
    match stop {
        StopReason::Failed(why) if why.contains("positive definite") => {
            StopReason::Failed(rounding.iter().fold(why, |why, cause| format!("{why}; {cause}")))
        }
        other => other,
    }
}

fn outcome<P: Payload>(
    engine: &Engine<P>,
    server: Option<NodeId>,
    mut stop: StopReason,
    (data, reference): (String, bool),
    driver: &mut dyn Driver<P>,
) -> Outcome {
    let context = engine.context();
    let (subject, journal) = driver.parts();
    let failed = matches!(stop, StopReason::Failed(_));
    if let (Err(error), false) = (journal.close(context, subject, failed), failed) {
        stop = StopReason::Failed(error.to_string());
    }
    let per_client = journal.close_clients(context, subject, failed);
    if let (Err(error), false) = (&per_client, stop.is_failure()) {
        stop = StopReason::Failed(error.to_string());
    }
    if let (Some(why), false) = (context.wrong_presence(), stop.is_failure()) {
        stop = StopReason::Failed(why);
    }
    let totals = costs::totals(context, journal.reached());
    let digests = Digests { data, timeline: context.timeline().digest(), state: state_digest(&subject.state()) };
    let mut caveats = subject.caveats();
    caveats.extend(journal.caveats());
    let trace = trace_rows(context, |node| node.name(server));
    if trace.is_none() {
        caveats.push(Caveat::TraceTooLarge { spans: MOST_SPANS.to_string() });
    }
    let looks_back = reference && matches!(stop, StopReason::Reached(_));
    let reference = looks_back.then(|| least_objective(subject, journal.passes(subject)));
    let (theta, measures) = (subject.state().theta.to_vec(), journal.measures(subject));
    let found = journal.found();
    let (component_classes, fit) = (found.classes.clone(), (!failed).then(|| found.fit.clone()));
    let histograms = context.histograms().into_iter().chain(journal.histograms()).collect();
    let (recorder, link_times) = journal.take_recorder();
    Outcome {
        stop,
        digests,
        totals,
        per_client: per_client.unwrap_or_default(),
        energy: costs::energy(context, server),
        caveats,
        reference,
        fit,
        ledger: context.ledger().rows(|node| node.name(server)),
        links: context.links().rows(),
        link_times,
        histograms,
        theta,
        measures,
        component_classes,
        checks: context.timeline().checks(),
        watched: context.timeline().watched(),
        trace,
        recorder,
    }
}

/// Where exact EM comes to from the end of a run that made this many passes over all data.
fn least_objective(subject: &dyn Subject, passes: f64) -> Reference {
    let (problem, state) = (subject.problem(), subject.state());
    match problem.exact() {
        Some(exact) => {
            let allowed = allowed_passes(problem.total(), state.s_hat.len(), passes, exact.descends());
            reference(exact, &state, allowed)
        }
        None => {
            Reference { how: "this protocol's problem has no exact EM in one place".to_owned(), ..Reference::default() }
        }
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

/// What happened in the traced rounds, with waits; none where that is too much.
fn trace_rows<P: Payload>(context: &Context<P>, name: impl Fn(NodeId) -> String) -> Option<Vec<TraceRow>> {
    let rows = context.spans()?.iter().map(|span| trace_row::<P>(span, &name)).collect();
    Some(TraceRow::with_waits(rows))
}

/// A span as a row: nodes and purposes get their names.
fn trace_row<P: Payload>(span: &Span, name: &impl Fn(NodeId) -> String) -> TraceRow {
    let of = |part: TracePart| TraceRow::new(part, span.rounds, span.times.map(|time| time.as_nanos()));
    match span.activity {
        Activity::Round => of(TracePart::Round),
        Activity::Compute { node, work, fate } => {
            TraceRow { node: name(node), work, fate: Some(fate), ..of(TracePart::Compute) }
        }
        Activity::Coding { ends: [node, peer], decodes, purpose, bits, fate } => TraceRow {
            node: name(node),
            peer: name(peer),
            purpose: P::PURPOSES[usize::from(purpose.0)].to_owned(),
            payload_bits: bits.count(),
            fate: Some(fate),
            ..of(if decodes { TracePart::Decode } else { TracePart::Code })
        },
        Activity::Restart(node) => TraceRow { node: name(node), ..of(TracePart::Restart) },
        Activity::Transfer { ends: [from, to], direction, purpose, charge, fate } => {
            let (part, [node, peer]) = match direction {
                Direction::Down => (TracePart::Download, [to, from]),
                Direction::Up => (TracePart::Upload, [from, to]),
                Direction::Peer => (TracePart::Message, [from, to]),
            };
            TraceRow {
                node: name(node),
                peer: name(peer),
                purpose: P::PURPOSES[usize::from(purpose.0)].to_owned(),
                payload_bits: charge.payload,
                header_bits: charge.header,
                retransmitted_bits: charge.retransmitted,
                fate: Some(fate),
                ..of(part)
            }
        }
    }
}
