//! Plays a world twice: on one thread with every message audited and everything recorded, and on four as it is.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use fedbits_kernel::StopReason;
use fedbits_protocols::journal::Journal;
use fedbits_protocols::run::{Observers, Outcome, run};
use fedbits_record::{Manifest, Recorder, RunRecord};
use fedbits_scenarios::Checked;
use rayon::ThreadPool;

use crate::worlds::laws;
use crate::worlds::make::{preparer, said_by};

/// Plays worlds.
pub struct Player<'a> {
    folder: &'a Path,
    pools: [ThreadPool; 2],
    /// Seconds after which a run is cut short.
    patience: u64,
}

/// What became of a world.
#[derive(Debug, PartialEq)]
pub enum Played {
    /// Every law holds; the run came to its end, or says why it could not go on.
    Well { failed: Option<String>, digests: String, events: u64 },
    /// It was cut short, because it took too long.
    CutShort,
    /// A law is broken.
    Broken(String),
}

impl<'a> Player<'a> {
    pub fn new(folder: &'a Path, patience: u64) -> Result<Self, rayon::ThreadPoolBuildError> {
        let pool = |threads| rayon::ThreadPoolBuilder::new().num_threads(threads).build();
        Ok(Self { folder, pools: [pool(1)?, pool(4)?], patience })
    }

    pub fn play(&self, checked: &Checked) -> Played {
        let played = catch_unwind(AssertUnwindSafe(|| self.play_twice(checked)));
        match played {
            Ok(Ok(played)) => played,
            Ok(Err(why)) => Played::Broken(why),
            Err(panic) => Played::Broken(said_by(&*panic)),
        }
    }

    fn play_twice(&self, checked: &Checked) -> Result<Played, String> {
        let Some((outcome, record)) = self.pools[0].install(|| self.once(checked, true))? else {
            return Ok(Played::CutShort);
        };
        laws::hold(&outcome, &record, &checked.scenario)?;
        // A number that is not finite ends a run in the row that would hold it: then rows are to be the same.
        let everything = outcome.stop.is_failure();
        let Some((other, _)) = self.pools[1].install(|| self.once(checked, everything))? else {
            return Ok(Played::CutShort);
        };
        if (&outcome.digests, &outcome.stop) != (&other.digests, &other.stop) {
            return Err(format!(
                "threads: one thread with an audit gives {:?} {:?}, four without one {:?} {:?}",
                outcome.stop, outcome.digests, other.stop, other.digests
            ));
        }
        let digests = format!("{} {} {}", outcome.digests.data, outcome.digests.timeline, outcome.digests.state);
        let failed = if let StopReason::Failed(why) = &outcome.stop { Some(why.clone()) } else { None };
        Ok(Played::Well { failed, digests, events: outcome.totals.events })
    }

    /// One run and its record; none where it was cut short.
    pub fn once(&self, checked: &Checked, everything: bool) -> Result<Option<(Outcome, RunRecord)>, String> {
        let mut scenario = checked.scenario.clone();
        if everything {
            scenario.record.clients = Some(true);
        }
        let prepared = preparer(self.folder, everything).prepare(&scenario);
        // A table of clients is refused where there are none.
        let prepared = prepared.or_else(|_| preparer(self.folder, everything).prepare(&checked.scenario));
        let mut prepared =
            prepared.map_err(|error| format!("accepts: prepared a second time it is refused: {error}"))?;
        if everything {
            let record = &mut prepared.experiment.record;
            (record.theta, record.statistics) = (true, true);
            record.trace = (0..=laws::TRACED).collect();
            // Where probes decide when the run ends, they stay where they are.
            let stop = &scenario.stop;
            if stop.mean_field_sq.is_none() && stop.objective_change.is_none() && stop.patience.is_none() {
                (record.every, record.probe_every) = (1, Some(1));
            }
        }
        let columns = Journal::columns(prepared.experiment.protocol.subject(), &prepared.experiment.record);
        let recorder = Recorder::memory(columns);
        let interrupt = Arc::new(AtomicBool::new(false));
        let ended = watch(&interrupt, self.patience);
        let mut outcome = run(prepared.experiment, recorder, Observers::default(), &interrupt);
        drop(ended);
        if outcome.stop == StopReason::Interrupted {
            return Ok(None);
        }
        let recorder = std::mem::replace(&mut outcome.recorder, Recorder::nothing(fedbits_record::Columns::default()));
        let record = recorder.finish(manifest(&outcome), &outcome.ledger, &outcome.histograms);
        let record = record.map_err(|error| format!("record: {error}"))?.ok_or("record: none is in memory")?;
        Ok(Some((outcome, record)))
    }
}

/// Interrupts the run after so many seconds, unless what is returned is dropped before.
fn watch(interrupt: &Arc<AtomicBool>, seconds: u64) -> std::sync::mpsc::Sender<()> {
    let (ended, end) = std::sync::mpsc::channel::<()>();
    let interrupt = Arc::clone(interrupt);
    std::thread::spawn(move || {
        if end.recv_timeout(Duration::from_secs(seconds)) == Err(std::sync::mpsc::RecvTimeoutError::Timeout) {
            interrupt.store(true, Ordering::Relaxed);
        }
    });
    ended
}

fn manifest(outcome: &Outcome) -> Manifest {
    Manifest {
        digests: outcome.digests.clone(),
        stop_reason: outcome.stop.to_string(),
        totals: outcome.totals.clone(),
        ..Manifest::default()
    }
}
