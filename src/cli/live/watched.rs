//! What another process does, as its files say.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use fedbits_record::live::{Hold, find};
use fedbits_record::study::{SEGMENTS_FOLDER, StudyRecord, is_study};
use fedbits_record::{MANIFEST_FILE, Manifest, is_record, is_temporary};
use fedbits_spec::files;

use super::state::LiveState;
use super::tally::Tally;
use crate::cli::failure::Failure;
use crate::machine::Stopwatch;

/// Seconds without a change after which a process counts as gone where locks say nothing: files are written every
/// second.
const SILENCE: f64 = 60.0;
/// How often what is just being written is looked at in the beginning.
const FIRST_LOOKS: u32 = 200;
/// Reading the results of a study takes at most this share of the time.
const READING: f64 = 0.05;

/// A run or a study in a folder.
pub(crate) struct Watched {
    folder: PathBuf,
    clock: Stopwatch,
    processes: BTreeMap<PathBuf, Process>,
    /// Processes that went without an end.
    killed: Vec<LiveState>,
    results: Option<Results>,
    /// Was a process seen at work?
    began: bool,
    /// Records that were there at the beginning, as their manifests were.
    former: BTreeMap<PathBuf, Option<Manifest>>,
}

/// A process at work.
struct Process {
    state: LiveState,
    /// When its file changed last, on the clock of this process: those of two machines need not agree.
    alive: f64,
}

/// Results of a study, as far as they were read.
struct Results {
    tally: Tally,
    /// Bytes of its segments when they were read.
    bytes: u64,
    next: f64,
}

/// How it stands.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Standing {
    /// A process works.
    Running,
    /// None does.
    Over,
}

/// A record in the folder.
pub(crate) struct Ending {
    /// Where it is.
    pub(crate) folder: PathBuf,
    /// What it says.
    pub(crate) manifest: Manifest,
    /// Was it there before?
    pub(crate) former: bool,
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
    /// What is in a folder, or will be.
    ///
    /// # Errors
    /// Nothing that can be watched.
    pub(crate) fn open(folder: &Path) -> Result<Self, Failure> {
        let mut watched = Self {
            folder: folder.to_path_buf(),
            clock: Stopwatch::start(),
            processes: BTreeMap::new(),
            killed: Vec::new(),
            results: None,
            began: false,
            former: BTreeMap::new(),
        };
        watched.former = records(folder).into_iter().map(|path| (path.clone(), Manifest::read(&path).ok())).collect();
        watched.look()?;
        // What a process is just writing can be read a moment later.
        for _ in 0..FIRST_LOOKS {
            if !watched.processes.is_empty()
                || !find(folder)?.iter().any(|found| found.hold != Hold::Free && found.state.is_none())
            {
                break;
            }
            std::thread::sleep(Duration::from_millis(10));
            watched.look()?;
        }
        if watched.processes.is_empty() && watched.killed.is_empty() && watched.nothing() {
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

    fn nothing(&self) -> bool {
        self.former.is_empty() && self.results.is_none()
    }

    /// Looks once more.
    ///
    /// # Errors
    /// Files that cannot be read.
    pub(crate) fn look(&mut self) -> Result<Standing, Failure> {
        let now = self.clock.seconds();
        let mut former = std::mem::take(&mut self.processes);
        for found in find(&self.folder)? {
            let state = found.state.and_then(|state| serde_json::from_value::<LiveState>(state).ok());
            let before = former.remove(&found.path);
            let process = match (state, before) {
                (Some(state), Some(before)) if state.beat == before.state.beat => before,
                (Some(state), _) => Process { state, alive: now },
                // It is being written.
                (None, Some(before)) => before,
                (None, None) => continue,
            };
            match is_alive(found.hold, now - process.alive) {
                true => drop(self.processes.insert(found.path, process)),
                false if self.killed.iter().any(|known| same_process(known, &process.state)) => {}
                false => self.killed.push(process.state),
            }
        }
        self.began |= !self.processes.is_empty();
        self.read_results(now)?;
        Ok(if self.processes.is_empty() { Standing::Over } else { Standing::Running })
    }

    /// Reads the results of a study when there are more of them, and not so often that it takes much of the time.
    fn read_results(&mut self, now: f64) -> Result<(), Failure> {
        if !is_study(&self.folder).unwrap_or(false) {
            return Ok(());
        }
        let bytes = bytes_of(&self.folder.join(SEGMENTS_FOLDER));
        let over = self.processes.is_empty();
        if self.results.as_ref().is_some_and(|known| known.bytes == bytes || (now < known.next && !over)) {
            return Ok(());
        }
        let record = StudyRecord::open(&self.folder)?;
        let results =
            self.results.get_or_insert_with(|| Results { tally: Tally::new(record.plan()), bytes, next: now });
        results.tally.absorb(&record)?;
        let took = self.clock.seconds() - now;
        (results.bytes, results.next) = (bytes, now + took / READING);
        Ok(())
    }

    /// Results of a study; none of a run.
    pub(crate) fn tally(&self) -> Option<&Tally> {
        self.results.as_ref().map(|results| &results.tally)
    }

    /// Was a process seen at work?
    pub(crate) fn began(&self) -> bool {
        self.began
    }

    /// The processes at work.
    pub(crate) fn states(&self) -> Vec<LiveState> {
        self.processes.values().map(|process| process.state.clone()).collect()
    }

    /// Processes that went without an end: killed, or their machine was.
    pub(crate) fn killed(&self) -> &[LiveState] {
        &self.killed
    }

    /// The records that came while a process was seen at work; all where none was.
    pub(crate) fn new_endings(&self) -> Vec<Ending> {
        self.endings().into_iter().filter(|ending| !self.began || !ending.former).collect()
    }

    /// The records that the folder has now.
    pub(crate) fn endings(&self) -> Vec<Ending> {
        let manifest = |path: &PathBuf| Some((path.clone(), Manifest::read(path).ok()?));
        let read = records(&self.folder);
        let ending = |(folder, manifest): (PathBuf, Manifest)| {
            let former = self.former.get(&folder).is_some_and(|own| own.as_ref() == Some(&manifest));
            Ending { folder, manifest, former }
        };
        read.iter().filter_map(manifest).map(ending).collect()
    }
}

/// What the processes at work in a folder say of themselves; none where that cannot be read.
pub(crate) fn at_work(folder: &Path) -> Vec<LiveState> {
    let found = find(folder).unwrap_or_default().into_iter().filter(|found| found.hold != Hold::Free);
    found.filter_map(|found| serde_json::from_value(found.state?).ok()).collect()
}

/// Whether a process works whose file has been the same for so many seconds. One that holds it may be stopped for long.
fn is_alive(hold: Hold, silent: f64) -> bool {
    match hold {
        Hold::Free => false,
        Hold::Held => true,
        Hold::Unknown => silent < SILENCE,
    }
}

fn same_process(one: &LiveState, other: &LiveState) -> bool {
    (&one.host, one.process) == (&other.host, other.process)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stopped_process_is_alive_as_long_as_it_holds_its_file() {
        let alive = |silent: f64| [Hold::Free, Hold::Held, Hold::Unknown].map(|hold| is_alive(hold, silent));
        assert_eq!(alive(1.0), [false, true, true]);
        assert_eq!(alive(3600.0), [false, true, false]);
    }
}
