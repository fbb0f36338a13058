//! What processes do in a folder, as its files say.

use std::path::{Path, PathBuf};

use fedbits_record::results::{Results, RunCounts, has_plan};
use fedbits_record::{FoundClaim, Hold, Holder, claims_on};
use fedbits_reports::compare::Samples;

use crate::cli::compare::human::leader;
use crate::cli::failure::Failure;
use crate::cli::progress::{Counts, ProgressReport};
use crate::cli::skipped;
use crate::machine::Stopwatch;
use crate::runs::size_of_store;

/// Reading results takes at most this share of the time.
const READING: f64 = 0.05;

pub(crate) struct Watched {
    folder: PathBuf,
    clock: Stopwatch,
    pub(super) processes: Vec<Process>,
    /// Processes that were killed, and those of which it cannot be seen whether they were.
    pub(super) gone: Vec<Process>,
    results: Option<ReadResults>,
}

#[derive(Clone)]
pub(crate) struct Process {
    /// Its number and its machine.
    pub(crate) holder: Holder,
    pub(crate) hold: Hold,
    /// How far it is; none where it did not say.
    pub(crate) report: Option<ProgressReport>,
}

impl Process {
    fn of(claim: FoundClaim) -> Self {
        let report = serde_json::from_str(&claim.report).ok();
        Self { holder: claim.holder, hold: claim.hold, report }
    }
}

struct ReadResults {
    counts: RunCounts,
    /// The arm that leads, in words.
    leader: Option<String>,
    /// Bytes of its segments when they were read.
    bytes: u64,
    next: f64,
}

impl Watched {
    /// Looks for the first time.
    pub(crate) fn open(folder: &Path) -> Result<Self, Failure> {
        let mut watched = Self {
            folder: folder.to_path_buf(),
            clock: Stopwatch::start(),
            processes: Vec::new(),
            gone: Vec::new(),
            results: None,
        };
        watched.look()?;
        if watched.processes.is_empty() && watched.gone.is_empty() && watched.results.is_none() {
            let hint = skipped::hint(folder);
            return Err(Failure::Input(format!(
                "there is no run in {}, finished or in progress; expected what `fedbits run --out` was given (by \
                 default out/NAME){hint}",
                folder.display()
            )));
        }
        Ok(watched)
    }

    /// Looks once more; returns whether a process works there.
    pub(crate) fn look(&mut self) -> Result<bool, Failure> {
        let (held, gone): (Vec<Process>, Vec<Process>) =
            claims_on(&self.folder)?.into_iter().map(Process::of).partition(|process| process.hold == Hold::Held);
        self.processes = held;
        for process in gone {
            if self.gone.iter().all(|known| known.holder != process.holder) {
                self.gone.push(process);
            }
        }
        self.read_results()?;
        Ok(!self.processes.is_empty())
    }

    /// Reads the results when there are more of them, and not so often that it takes much of the time.
    fn read_results(&mut self) -> Result<(), Failure> {
        if !has_plan(&self.folder)? {
            return Ok(());
        }
        let (now, over) = (self.clock.seconds(), self.processes.is_empty());
        let bytes = size_of_store(&self.folder);
        if self.results.as_ref().is_some_and(|known| !over && (known.bytes == bytes || now < known.next)) {
            return Ok(());
        }
        let record = Results::open(&self.folder)?;
        let counts = record.counts();
        let leader = leader(&Samples::of_folder(&record, &[])?);
        let took = self.clock.seconds() - now;
        self.results = Some(ReadResults { counts, leader, bytes, next: now + took / READING });
        Ok(())
    }

    /// The runs, with those in progress; none where there is no plan yet.
    pub(crate) fn counts(&self) -> Option<Counts> {
        let running = self.processes.iter().filter_map(|process| process.report.as_ref());
        let running = running.map(|report| report.counts.running).sum();
        self.results.as_ref().map(|results| Counts { runs: results.counts, running })
    }

    /// The arm that leads, in words.
    pub(crate) fn leader(&self) -> Option<&str> {
        self.results.as_ref()?.leader.as_deref()
    }

    /// Host seconds until the last process is done.
    pub(crate) fn rest(&self) -> Option<f64> {
        self.processes.iter().filter_map(|process| process.report.as_ref()?.rest).reduce(f64::max)
    }
}

/// The processes that work in a folder, or were killed there; none where that cannot be read.
pub(crate) fn processes_of(folder: &Path) -> Vec<Process> {
    claims_on(folder).unwrap_or_default().into_iter().map(Process::of).collect()
}
