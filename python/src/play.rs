//! Runs and verification, on threads of their own: the thread of Python shows progress, and takes Ctrl-C.

use std::path::PathBuf;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use fedbits::codec::{Claims, FALSE_ALARM, WireFloat, claims as claims_of};
use fedbits::reports::run_folders;
use fedbits::spec::caught;
use fedbits::{Error, Event, RunDifference, RunOptions, Scenario, Verification, Watch};
use fedbits_spec::threads;
use pyo3::prelude::*;

use crate::error::{FedbitsError, raised};
use crate::fork;
use crate::inside::{self, ENDS, Inside};
use crate::objects::{Call, Handle, mean};
use crate::results::OpenResults;

/// A scenario: a name of the library or a file, or a name and its text.
#[derive(Clone, FromPyObject)]
pub(crate) enum Source {
    /// A name of the library, or a file.
    Named(String),
    /// A name, and the text.
    Text(String, String),
}

pub(crate) fn scenario(source: &Source, sets: &[(String, String)]) -> Result<Scenario, Error> {
    let scenario = match source {
        Source::Named(name) => Scenario::load(name)?,
        Source::Text(name, text) => Scenario::from_text(name, text),
    };
    Ok(sets.iter().fold(scenario, |scenario, (path, value)| scenario.set(path, value)))
}

/// What concerns the machine and no result.
#[derive(FromPyObject)]
pub(crate) struct Machine {
    threads: Option<usize>,
    max_memory: Option<u64>,
    data: Option<PathBuf>,
    /// Whether data files are looked for in that folder alone.
    only_data: bool,
    /// The script or notebook that runs.
    script: Option<String>,
    audit: bool,
    /// Called with a text, and how much of how much is done.
    progress: Option<Py<PyAny>>,
}

/// How far something is.
#[derive(Clone, Default, PartialEq)]
struct Progress {
    what: String,
    /// Whether runs are counted, and not the rounds of one.
    is_of_runs: bool,
    done: u64,
    of: Option<u64>,
}

/// How often the thread of Python looks at signals and shows progress.
const LOOK: Duration = Duration::from_millis(50);
/// How long a run may take to end after Ctrl-C; then it goes on unseen until it looks at the switch.
const GRACE: Duration = Duration::from_millis(100);

/// Does `work` with these objects of Python, among others, on a thread of its own.
fn play<T: Send + 'static>(
    py: Python<'_>,
    objects: &[Bound<'_, PyAny>],
    machine: Machine,
    work: impl FnOnce(&RunOptions) -> Result<T, Error> + Send + 'static,
) -> PyResult<T> {
    let ends = || FedbitsError::new_err(ENDS);
    let _inside = Inside::enter().ok_or_else(ends)?;
    let state = Arc::new(Mutex::new(Progress::default()));
    let watch = machine.progress.as_ref().map_or_else(Watch::default, |_| watch(Arc::clone(&state)));
    let Machine { threads, max_memory, data, only_data, script, audit, progress } = machine;
    let threads = fork::threads(threads);
    let options = RunOptions { data, only_data, threads, max_memory, audit, watch: watch.clone(), script };
    let call = Call::with(objects, watch.clone())?;
    let ((sender, receiver), working) = (channel(), Inside::working());
    let worker = threads::spawn("fedbits", None, move || {
        let done = caught(|| work(&options)).unwrap_or_else(|panic| Err(panic.into()));
        drop(working);
        // Nobody listens any more when Ctrl-C has ended the wait.
        let _ = sender.send(done);
    });
    if worker.is_err() {
        return Err(FedbitsError::new_err("no thread can be made"));
    }
    let (receiver, mut shown) = (Mutex::new(receiver), Progress::default());
    loop {
        // The lock makes the receiver one that can be looked at where the interpreter is let go.
        let wait = |time| py.detach(|| receiver.lock().unwrap_or_else(PoisonError::into_inner).recv_timeout(time));
        match wait(LOOK) {
            Ok(done) => return call.conclude(done.map_err(|error| raised(py, error))),
            Err(RecvTimeoutError::Disconnected) => {
                return call.conclude(Err(FedbitsError::new_err("the work ended without a result")));
            }
            Err(RecvTimeoutError::Timeout) => {}
        }
        let told = py.check_signals().and_then(|()| show(py, progress.as_ref(), &state, &mut shown));
        if let Err(error) = told.and_then(|()| if inside::ends() { Err(ends()) } else { Ok(()) }) {
            watch.stop();
            let _ = wait(GRACE);
            return Err(error);
        }
    }
}

/// Writes what happens to `state`.
fn watch(state: Arc<Mutex<Progress>>) -> Watch {
    Watch::new(move |event| {
        let mut state = state.lock().unwrap_or_else(PoisonError::into_inner);
        match event {
            Event::Begun { arm, rounds } => {
                *state = Progress { what: arm.to_owned(), of: rounds, ..Progress::default() };
            }
            Event::Row(row) => state.done = row.round,
            Event::RunsBegun(runs) => {
                *state = Progress { what: "runs".to_owned(), is_of_runs: true, done: 0, of: Some(runs as u64) };
            }
            Event::RunDone if state.is_of_runs => state.done += 1,
            _ => {}
        }
    })
}

fn show(py: Python<'_>, progress: Option<&Py<PyAny>>, state: &Mutex<Progress>, shown: &mut Progress) -> PyResult<()> {
    let Some(progress) = progress else { return Ok(()) };
    let now = state.lock().unwrap_or_else(PoisonError::into_inner).clone();
    if now != *shown {
        progress.call1(py, (&now.what, now.done, now.of))?;
        *shown = now;
    }
    Ok(())
}

/// Makes the missing runs of a scenario in `out`, or a part of them (its number from 0, and of how many); and
/// what failed, if that is asked for.
#[pyfunction]
pub(crate) fn run(
    py: Python<'_>,
    source: Source,
    sets: Vec<(String, String)>,
    part: (Option<(usize, usize)>, bool),
    out: PathBuf,
    objects: Vec<Bound<'_, PyAny>>,
    machine: Machine,
) -> PyResult<OpenResults> {
    play(py, &objects, machine, move |options| {
        let (runs, (shard, retry_failed)) = (scenario(&source, &sets)?.runs()?, part);
        let record = match shard {
            None if retry_failed => runs.run_failed_again(&out, options)?,
            None => runs.run(&out, options)?,
            Some(shard) => runs.run_shard(shard, &out, options)?,
        };
        Ok(OpenResults::of(record))
    })
}

/// What was found of a compressor: vectors, messages of each, ω, δ, error, shrinkage, bits, whether strings were read.
type ClaimRow = (usize, u64, Option<f64>, Option<f64>, f64, f64, f64, bool);

/// Tests the claims of a compressor at a length of vectors: those that are not so, the probability that true ones are
/// refused, and what was found.
#[pyfunction]
pub(crate) fn claims(
    py: Python<'_>,
    text: String,
    length: usize,
    samples: u64,
    seed: u64,
    objects: Vec<Bound<'_, PyAny>>,
    machine: Machine,
) -> PyResult<(Vec<String>, f64, ClaimRow)> {
    play(py, &objects, machine, move |_| {
        let setting = fedbits_scenarios::compressor(&text, length)
            .map_err(|problems| Error::Problems { what: "compressor", problems })?;
        let operator = setting.build(WireFloat::F32, CLIENTS);
        let found = claims_of(operator.as_ref(), length, samples, seed).map_err(|why| Error::Run(why.to_string()))?;
        let Claims { broken, vectors, samples, omega, contraction, error, shrinkage, bits, read } = found;
        Ok((broken, FALSE_ALARM, (vectors, samples, omega, contraction, error, shrinkage, bits, read)))
    })
}

/// Those of a round, for operators that divide a vector among them.
const CLIENTS: u32 = 10;

/// Makes the runs of a folder again, or of those directly in it, with these objects of Python. Returns the files that
/// were read; raises what differs.
#[pyfunction]
pub(crate) fn verify(
    py: Python<'_>,
    folder: PathBuf,
    objects: Vec<Bound<'_, PyAny>>,
    machine: Machine,
) -> PyResult<Vec<PathBuf>> {
    let handles = objects.iter().filter_map(|object| object.cast::<Handle>().ok());
    let numbers: Vec<u64> = handles.map(|handle| handle.get().number).collect();
    play(py, &objects, machine, move |options| {
        // Texts of scenarios have no numbers. The threads of other calls are not to know these.
        let pool = threads::pool(options.threads.unwrap_or_else(threads::cores), |builder| {
            let numbers = numbers.clone();
            builder.start_handler(move |_| mean(&numbers))
        });
        let (_, pool) = pool.ok_or_else(|| Error::Run("no thread can be made".to_owned()))?;
        let options = RunOptions { threads: None, ..options.clone() };
        let mut files = Vec::new();
        for folder in run_folders(&[folder])? {
            let found = pool.install(|| fedbits::verify(&folder, &options))?;
            if !found.same() {
                let details = differences(found).join("; ");
                return Err(Error::Run(format!("{} is not what its scenario gives: {details}", folder.display())));
            }
            files.extend(found.data_files);
        }
        files.sort();
        files.dedup();
        Ok(files)
    })
}

/// What differs, in words.
fn differences(found: Verification) -> Vec<String> {
    let Verification { different, data, impossible, tables, .. } = found;
    let run = |RunDifference { run, parts, first_event, .. }| {
        let event = first_event.map_or_else(String::new, |event| format!(" ({event})"));
        format!("{run} differs in {}{event}", parts.join(", "))
    };
    let data = data.into_iter().map(|files| format!("the data differ: {files}"));
    let impossible = impossible.into_iter().map(|(name, why)| format!("{name} cannot be made again: {why}"));
    let tables = tables.into_iter().map(|name| format!("{name} differs from what the runs give"));
    different.into_iter().map(run).chain(data).chain(impossible).chain(tables).collect()
}
