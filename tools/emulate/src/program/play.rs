//! One arm on both networks: first simulated, then over sockets, with the same engine, protocol and draws.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use fedbits::Error;
use fedbits_emulate::{EmulateError, Log, MessageContents, Noted, Sockets, Wiring};
use fedbits_kernel::NodeId;
use fedbits_protocols::journal::Journal;
use fedbits_protocols::run::{self, Observers};
use fedbits_protocols::strings::{Sender, Strings};
use fedbits_record::Recorder;
use fedbits_record::results::PlanTarget;
use fedbits_scenarios::prepare::{PrepareError, Prepared, Preparer};

use super::run::{Arm, MeasuredRun, Run, Simulated};
use super::setup;

/// Runs an arm on its simulated network.
///
/// # Errors
/// An arm that cannot be run, or whose network cannot be emulated.
pub(super) fn simulate(arm: &Arm, preparer: &mut Preparer) -> Result<Simulated, Error> {
    setup::check(&arm.checked.scenario)?;
    let mut prepared = prepare(arm, preparer)?;
    let world = &prepared.experiment.world;
    let (nodes, server) = (u32::try_from(world.speeds.len()).unwrap_or(u32::MAX), world.server);
    Wiring::new(nodes, Arc::clone(&prepared.links.routes), world.framing).check().map_err(failed)?;
    let (noted, log) = Noted::new(prepared.experiment.world.network);
    prepared.experiment.world.network = Box::new(noted);
    let run = perform(prepared, arm.target.clone(), &log, &AtomicBool::new(false))
        .map_err(|why| Error::Run(format!("{}: the simulation failed: {why}", arm.name)))?;
    if run.played.is_empty() {
        return Err(Error::Input("nothing is sent in this scenario: there is nothing to emulate".to_owned()));
    }
    Ok(Simulated { run, nodes, server })
}

/// Runs a simulated arm over sockets. Each repeat loses other packets, and may take `max_seconds`.
///
/// # Errors
/// Rights that are missing, and connections that break.
pub(super) fn measure(
    arm: &Arm,
    preparer: &mut Preparer,
    simulated: &Simulated,
    (repeat, max_seconds): (u32, u64),
) -> Result<MeasuredRun, Error> {
    let (halt, strings) = (Arc::new(AtomicBool::new(false)), Strings::default());
    preparer.carry(Some(strings.clone()));
    let prepared = prepare(arm, preparer);
    preparer.carry(None);
    let mut prepared = prepared?;
    let contents = CodedContents { strings, server: simulated.server };
    let options =
        setup::options(&arm.checked.scenario, simulated, max_seconds, (Box::new(contents), Arc::clone(&halt)));
    let wiring = setup::wiring(&prepared, (&arm.checked.scenario, repeat), simulated);
    let (sockets, watch) = Sockets::open(wiring, options).map_err(failed)?;
    prepared.experiment.world.network = Box::new(sockets);
    let run = perform(prepared, arm.target.clone(), &watch.log, &halt);
    if let Some(failure) = watch.failure() {
        return Err(failed(failure));
    }
    let run = run.map_err(|why| Error::Run(format!("{}: the run over sockets failed: {why}", arm.name)))?;
    Ok(MeasuredRun { run, report: watch.report() })
}

fn prepare(arm: &Arm, preparer: &mut Preparer) -> Result<Prepared, Error> {
    preparer.prepare(&arm.checked.scenario).map_err(|error| match error {
        PrepareError::Unread { path, source } => Error::File { path, source },
        error => Error::Problems { what: "scenario", problems: arm.checked.problems(&error) },
    })
}

/// Runs to the end; the error is the reason why there is none.
fn perform(prepared: Prepared, target: Option<PlanTarget>, log: &Log, halt: &AtomicBool) -> Result<Run, String> {
    let experiment = prepared.experiment;
    let columns = Journal::columns(experiment.protocol.subject(), &experiment.record);
    let rounds = Rc::new(RefCell::new(Vec::new()));
    let ends = Rc::clone(&rounds);
    let (reached, extra) = (Rc::new(Cell::new(None)), columns.extra.clone());
    let first = Rc::clone(&reached);
    let observer = Box::new(move |row: &fedbits_record::RoundRow| {
        ends.borrow_mut().push((row.round, row.time_ns));
        let value = target.as_ref().and_then(|target| Some((target.bound, row.value(&target.column, &extra)?)));
        if first.get().is_none() && value.is_some_and(|(bound, value)| bound.holds(value)) {
            first.set(Some(row.time_ns));
        }
    });
    let observers = Observers { observer: Some(observer), ..Observers::default() };
    let outcome = run::run(experiment, Recorder::nothing(columns), observers, halt);
    if outcome.stop.is_failure() || outcome.stop == fedbits_kernel::StopReason::Interrupted {
        return Err(outcome.stop.to_string());
    }
    let (ledger, totals, state) = (outcome.ledger, outcome.totals, outcome.digests.state);
    Ok(Run { rounds: rounds.take(), reached_ns: reached.get(), ledger, totals, state, played: log.taken() })
}

fn failed(error: EmulateError) -> Error {
    if error.is_refusal() { Error::Input(error.to_string()) } else { Error::Run(error.to_string()) }
}

/// The content of messages over sockets: the bit strings that the protocol's auditor wrote.
pub(super) struct CodedContents {
    pub(super) strings: Strings,
    pub(super) server: Option<NodeId>,
}

/// In a star node i + 1 is client i. Without a server there are no strings: messages of neighbours are not coded.
impl MessageContents for CodedContents {
    fn content(&mut self, from: NodeId, _: NodeId) -> (Vec<u8>, u64) {
        match self.server {
            Some(server) if server == from => self.strings.sent(Sender::Server),
            Some(_) => self.strings.sent(Sender::Client(from.0 - 1)),
            None => (Vec::new(), 0),
        }
    }

    fn delivered(&mut self, from: NodeId, to: NodeId, bytes: &[u8]) {
        if self.server == Some(to) {
            self.strings.put(from.0 - 1, bytes);
        }
    }
}
