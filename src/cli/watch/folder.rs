//! What processes do in a folder, as its files say.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use fedbits_record::study::{SEGMENTS_FOLDER, StudyRecord, has_plan};
use fedbits_record::{FoundClaim, Hold, Holder, MANIFEST_FILE, Manifest, claims_on, is_record, is_temporary};
use fedbits_reports::compare::Samples;
use fedbits_spec::files;

use crate::cli::compare::human::leader;
use crate::cli::failure::Failure;
use crate::cli::progress::{Counts, ProgressReport};
use crate::machine::Stopwatch;

/// Reading the results of a study takes at most this share of the time.
const READING: f64 = 0.05;

/// A run or a study in a folder.
pub(crate) struct Watched {
    folder: PathBuf,
    clock: Stopwatch,
    processes: Vec<Process>,
    /// Processes that were killed, and those of which it cannot be seen whether they were.
    gone: Vec<Process>,
    study: Option<StudyResults>,
    /// Was a process seen at work?
    began: bool,
    /// Records that were there at the beginning, as their manifests were.
    former: BTreeMap<PathBuf, Option<Manifest>>,
}

/// A process that works in the folder, or did.
#[derive(Clone)]
pub(crate) struct Process {
    /// Its number and its machine.
    pub(crate) holder: Holder,
    /// Does it hold its claim?
    pub(crate) hold: Hold,
    /// Does it make runs of a study, beside other processes?
    pub(crate) is_shared: bool,
    /// How far it is; none where it did not say.
    pub(crate) report: Option<ProgressReport>,
}

impl Process {
    fn of(claim: FoundClaim) -> Self {
        let report = serde_json::from_str(&claim.report).ok();
        Self { holder: claim.holder, hold: claim.hold, is_shared: claim.is_shared, report }
    }
}

/// Results of a study, as far as they were read.
struct StudyResults {
    counts: Counts,
    /// The arm that leads, in words.
    leader: Option<String>,
    /// Bytes of its segments when they were read.
    bytes: u64,
    next: f64,
}

/// A record in the folder.
pub(crate) struct Ending {
    /// Where it is.
    pub(crate) folder: PathBuf,
    /// What it says.
    pub(crate) manifest: Manifest,
    /// Was it there before?
    former: bool,
}

impl Ending {
    /// The arm, and which replicate of it where there are several.
    pub(crate) fn name(&self) -> String {
        let Manifest { arm, replicate, together, .. } = &self.manifest;
        match together.iter().any(|runs| runs.arm == *arm && runs.replicates > 1) {
            true => format!("{arm}, replicate {replicate}"),
            false => arm.clone(),
        }
    }
}

impl Watched {
    /// Looks for the first time.
    ///
    /// # Errors
    /// A folder where nothing is and no process works, or whose files cannot be read.
    pub(crate) fn open(folder: &Path) -> Result<Self, Failure> {
        let mut watched = Self {
            folder: folder.to_path_buf(),
            clock: Stopwatch::start(),
            processes: Vec::new(),
            gone: Vec::new(),
            study: None,
            began: false,
            former: records(folder).into_iter().map(|path| (path.clone(), Manifest::read(&path).ok())).collect(),
        };
        watched.look()?;
        let is_empty = watched.former.is_empty() && watched.study.is_none();
        if watched.processes.is_empty() && watched.gone.is_empty() && is_empty {
            unreadable(folder).map_or(Ok(()), Err)?;
            return Err(Failure::Input(format!(
                "there is no run and no study in {}, and none is being made there; expected what `fedbits run --out` \
                 or `fedbits study --out` was given (by default out/NAME)",
                folder.display()
            )));
        }
        Ok(watched)
    }

    /// Where it is.
    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    /// Looks once more; returns whether a process works there.
    ///
    /// # Errors
    /// Files that cannot be read.
    pub(crate) fn look(&mut self) -> Result<bool, Failure> {
        let (held, gone): (Vec<Process>, Vec<Process>) =
            claims_on(&self.folder)?.into_iter().map(Process::of).partition(|process| process.hold == Hold::Held);
        self.processes = held;
        for process in gone {
            if self.gone.iter().all(|known| known.holder != process.holder) {
                self.gone.push(process);
            }
        }
        self.began |= !self.processes.is_empty();
        self.read_results()?;
        Ok(!self.processes.is_empty())
    }

    /// Reads the results of a study when there are more of them, and not so often that it takes much of the time.
    fn read_results(&mut self) -> Result<(), Failure> {
        if !has_plan(&self.folder)? {
            return Ok(());
        }
        let (now, over) = (self.clock.seconds(), self.processes.is_empty());
        let bytes = bytes_of(&self.folder.join(SEGMENTS_FOLDER));
        if self.study.as_ref().is_some_and(|known| !over && (known.bytes == bytes || now < known.next)) {
            return Ok(());
        }
        let record = StudyRecord::open(&self.folder)?;
        let counts = Counts::of_study(&record.counts(), 0);
        let leader = leader(&Samples::of_study(&record, &[])?);
        let took = self.clock.seconds() - now;
        self.study = Some(StudyResults { counts, leader, bytes, next: now + took / READING });
        Ok(())
    }

    /// The runs of a study, with those in progress; none of a run.
    pub(crate) fn study(&self) -> Option<Counts> {
        let running = self.processes.iter().filter_map(|process| process.report.as_ref());
        let running = running.map(|report| report.counts.running).sum();
        self.study.as_ref().map(|study| Counts { running, ..study.counts })
    }

    /// The arm of a study that leads, in words.
    pub(crate) fn leader(&self) -> Option<&str> {
        self.study.as_ref()?.leader.as_deref()
    }

    /// Host seconds until the last process is done.
    pub(crate) fn rest(&self) -> Option<f64> {
        self.processes.iter().filter_map(|process| process.report.as_ref()?.rest).reduce(f64::max)
    }

    /// Was a process seen at work?
    pub(crate) fn began(&self) -> bool {
        self.began
    }

    /// The processes at work.
    pub(crate) fn processes(&self) -> &[Process] {
        &self.processes
    }

    /// Processes that were killed, and those of which it cannot be seen whether they were.
    pub(crate) fn gone(&self) -> &[Process] {
        &self.gone
    }

    /// The records that came while a process was seen at work; all where none was.
    pub(crate) fn new_endings(&self) -> Vec<Ending> {
        self.endings().into_iter().filter(|ending| !self.began || !ending.former).collect()
    }

    /// The records that the folder has now.
    pub(crate) fn endings(&self) -> Vec<Ending> {
        let ending = |folder: PathBuf| {
            let manifest = Manifest::read(&folder).ok()?;
            let former = self.former.get(&folder).is_some_and(|own| own.as_ref() == Some(&manifest));
            Some(Ending { folder, manifest, former })
        };
        records(&self.folder).into_iter().filter_map(ending).collect()
    }
}

/// The processes at work in a folder; none where that cannot be read.
pub(crate) fn at_work(folder: &Path) -> Vec<Process> {
    let claims = claims_on(folder).unwrap_or_default().into_iter();
    claims.filter(|claim| claim.hold == Hold::Held).map(Process::of).collect()
}

/// The records in a folder and directly below it.
fn records(folder: &Path) -> Vec<PathBuf> {
    folders(folder).into_iter().filter(|path| is_record(path).unwrap_or(false)).collect()
}

/// A folder and what is directly below it, by name.
fn folders(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let below = entries.filter(|entry| !is_temporary(&entry.file_name())).map(|entry| entry.path());
    let mut folders: Vec<PathBuf> = std::iter::once(folder.to_path_buf()).chain(below).collect();
    folders.sort();
    folders
}

/// Why the first manifest there is none of a record.
fn unreadable(folder: &Path) -> Option<Failure> {
    let has_manifest = |path: &PathBuf| files::is_file(path.join(MANIFEST_FILE)).unwrap_or(true);
    let with_manifest = folders(folder).into_iter().filter(has_manifest);
    with_manifest.filter_map(|path| Manifest::read(&path).err()).map(Failure::from).next()
}

fn bytes_of(folder: &Path) -> u64 {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    entries.filter_map(|entry| Some(entry.metadata().ok()?.len())).sum()
}
