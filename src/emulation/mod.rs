//! A scenario's run over real sockets, beside its simulation: the same engine, protocol and draws, once on the
//! simulated network and then on one of namespaces and TCP. Command line and console are not known here.

mod comparison;
mod mail;
mod run;
mod setup;

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use fedbits_emulate::{EmulateError, Noted, Sockets, Wiring};
use fedbits_protocols::strings::Strings;
use fedbits_scenarios::Checked;
use fedbits_scenarios::prepare::{Prepared, Preparer};

use crate::error::Error;
use crate::executor::Executor;

pub(crate) use self::comparison::{Comparison, Errors};
pub(crate) use self::run::{Emulated, LATE_SHARE, RealRun, Run, Settings, Simulated};
pub(crate) use self::setup::{not_played, why_different};

/// Runs an arm on its simulated network.
///
/// # Errors
/// What cannot be run, or cannot be emulated.
pub(crate) fn simulate(
    executor: &Executor<'_>,
    checked: &Checked,
    preparer: &mut Preparer,
) -> Result<Simulated, Error> {
    setup::check(&checked.scenario)?;
    let (mut log, mut nodes, mut server) = (None, 0, None);
    let kept = executor.keep_changed(checked, preparer, |prepared| {
        let world = &mut prepared.experiment.world;
        (nodes, server) = (u32::try_from(world.speeds.len()).unwrap_or(u32::MAX), world.server);
        let routes = Arc::clone(&prepared.links.routes);
        Wiring::new(nodes, routes, world.framing).check().map_err(failed)?;
        log = Some(note(prepared));
        Ok(())
    })?;
    if let Some(why) = kept.record.manifest.failure() {
        return Err(Error::Run(format!("the simulation failed: {why}")));
    }
    let played = log.map(|log| log.taken()).unwrap_or_default();
    if played.is_empty() {
        return Err(Error::Input("nothing is sent in this scenario: there is nothing to emulate".to_owned()));
    }
    Ok(Simulated { run: Run { record: kept.record, played }, nodes, server })
}

/// Notes the transfers of what was prepared.
fn note(prepared: &mut Prepared) -> fedbits_emulate::Log {
    let network = &mut prepared.experiment.world.network;
    let nothing = Box::new(setup::Nowhere);
    let (noted, log) = Noted::new(std::mem::replace(network, nothing));
    *network = Box::new(noted);
    log
}

/// Plays a simulated run over sockets.
///
/// # Errors
/// What the machine does not allow, and what breaks.
pub(crate) fn emulate(
    executor: &Executor<'_>,
    checked: &Checked,
    preparer: &mut Preparer,
    (simulated, settings): (Simulated, &Settings),
) -> Result<Emulated, Error> {
    let mut real = Vec::new();
    for repeat in 1..=settings.repeat {
        executor.listener.message(&format!("  over sockets, {repeat} of {}", settings.repeat));
        real.push(play(executor, checked, preparer, (&simulated, settings, repeat))?);
    }
    let Simulated { run, server, .. } = simulated;
    Ok(Emulated { simulated: run, server, real })
}

fn play(
    executor: &Executor<'_>,
    checked: &Checked,
    preparer: &mut Preparer,
    (simulated, settings, repeat): (&Simulated, &Settings, u32),
) -> Result<RealRun, Error> {
    let (halt, strings) = (Arc::new(AtomicBool::new(false)), Strings::default());
    let mut watch = None;
    preparer.carry(Some(strings.clone()));
    let own = Executor { stop: &halt, ..*executor };
    let kept = own.keep_changed(checked, preparer, |prepared| {
        let wiring = setup::wiring(prepared, (&checked.scenario, repeat), simulated, settings);
        let mail = mail::Carried::new(strings, simulated.server);
        let options = setup::options(&checked.scenario, simulated, settings, (Box::new(mail), Arc::clone(&halt)));
        let (sockets, own) = Sockets::open(wiring, options).map_err(failed)?;
        prepared.experiment.world.network = Box::new(sockets);
        watch = Some(own);
        Ok(())
    });
    preparer.carry(None);
    if let Some(failure) = watch.as_ref().and_then(fedbits_emulate::Watch::failure) {
        return Err(failed(failure));
    }
    let record = kept?.record;
    let watch = watch.unwrap_or_default();
    Ok(RealRun { run: Run { record, played: watch.log.taken() }, report: watch.report() })
}

fn failed(error: EmulateError) -> Error {
    if error.is_refusal() { Error::Input(error.to_string()) } else { Error::Run(error.to_string()) }
}
