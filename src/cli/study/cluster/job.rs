//! What all engines are told: names, the number of shards, what a shard takes.

use fedbits_spec::so_many;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use super::script::Script;
use crate::cli::args::{HostOptions, JobOptions};
use crate::cli::failure::Failure;
use crate::cli::project;
use crate::cli::study::check::StudyEstimate;
use crate::cli::study::directory;
use crate::cli::units::duration;
use crate::study::Study;

/// Processor seconds of a pilot: what is requested on a cluster is worth a longer one than `check` runs.
const PILOT_SECONDS: f64 = 60.0;

/// Bytes that a merge puts together in a minute. A build without optimization did 20 MB a second from a local disk;
/// this leaves others, and disks of a network, a margin.
const MERGED_A_MINUTE: f64 = 1e9;
/// Minutes for a merge of unknown size.
const UNKNOWN_MERGE: u32 = 60;

/// Texts by their names in the folder of the engine's files.
pub(super) type Texts = Vec<(&'static str, Vec<u8>)>;

/// Names that come from outside, paths absolute; none has a control character.
pub(super) struct JobNames {
    pub(super) program: PathBuf,
    /// A path, or a name of the library.
    pub(super) study: OsString,
    pub(super) out: PathBuf,
    pub(super) data: Option<PathBuf>,
    /// Where the engine's files and its logs go.
    pub(super) folder: PathBuf,
}

impl JobNames {
    /// Refuses what no file for an engine can carry.
    pub(super) fn of(options: &JobOptions, study: &str, engine: &str) -> Result<Self, Failure> {
        if let Some(elements) = options.elements.filter(|elements| *elements > options.max_elements) {
            return Err(Failure::Input(format!(
                "--elements {elements} is more than --max-elements {}: expected at most as many as the site takes",
                options.max_elements
            )));
        }
        let out = absolute(&options.out.clone().unwrap_or_else(|| directory(study)))?;
        let mut folder = out.file_name().unwrap_or(OsStr::new("study")).to_owned();
        folder.push(format!("-{engine}"));
        let variable = || std::env::var_os("FEDBITS_DATA").filter(|data| !data.is_empty()).map(PathBuf::from);
        let data = project::data(options.host.data.clone()).or_else(variable);
        let names = Self {
            program: std::env::current_exe().map_err(|error| Failure::File(format!("this program's path: {error}")))?,
            study: if Path::new(&options.file).is_file() {
                absolute(Path::new(&options.file))?.into_os_string()
            } else {
                // A name of the library.
                OsString::from(&options.file)
            },
            folder: out.with_file_name(folder),
            out,
            data: data.as_deref().map(absolute).transpose()?,
        };
        names.check()?;
        Ok(names)
    }

    fn check(&self) -> Result<(), Failure> {
        let data = self.data.as_ref().map(|data| ("--data", data.as_os_str()));
        let always = [
            ("the path of this program", self.program.as_os_str()),
            ("the study's file", &self.study),
            ("--out", self.out.as_os_str()),
        ];
        always.into_iter().chain(data).try_for_each(|(what, name)| check_name(what, name))
    }
}

/// Against the working directory.
pub(super) fn absolute(path: &Path) -> Result<PathBuf, Failure> {
    std::path::absolute(path).map_err(|error| Failure::file(path, &error))
}

/// Control characters end the line or the string in which a name stands.
pub(super) fn check_name(what: &str, name: &OsStr) -> Result<(), Failure> {
    if !name.as_encoded_bytes().iter().any(u8::is_ascii_control) {
        return Ok(());
    }
    Err(Failure::Input(format!(
        "{what} is {name:?}: expected a name without line breaks and other control characters, which files for a \
         cluster cannot carry"
    )))
}

/// Names that files of text hold as strings.
pub(super) fn text<'n>(what: &str, name: &'n OsStr) -> Result<&'n str, Failure> {
    name.to_str()
        .ok_or_else(|| Failure::Input(format!("{what} is {name:?}: expected UTF-8, as files for this engine have it")))
}

/// A study as an engine runs it.
pub(super) struct Job {
    /// Of letters, digits, hyphens, underscores and dots.
    pub(super) name: String,
    pub(super) names: JobNames,
    pub(super) shards: u32,
    /// What a shard may take: three times the estimate, and time to start.
    pub(super) minutes: u32,
    /// The same of memory: twice the estimate, and some to start.
    pub(super) mebibytes: u64,
    /// What the merge may take, by the bytes that the runs leave.
    pub(super) merge_minutes: u32,
    /// The comment by which its files are known.
    pub(super) mark: String,
    /// What was estimated, for people.
    pub(super) about: String,
    /// Pilots that failed.
    pub(super) failed: Vec<String>,
    host: HostOptions,
}

impl Job {
    /// Runs pilots of the study.
    pub(super) fn of(options: &JobOptions, study: &Study, names: JobNames, engine: &str) -> Result<Self, Failure> {
        let machine = options.host.machine();
        study.plan(&machine)?;
        study.check_fit(&machine)?;
        let estimate = StudyEstimate::of(study, &machine, PILOT_SECONDS)?;
        let shards = shards(options, estimate.runs, estimate.seconds.of_all())?;
        let each = estimate.seconds.of_all().map_or(0, |seconds| (seconds / 60.0 / f64::from(shards)).ceil() as u32);
        let seconds = estimate.seconds.of_all().map_or_else(|| "an unknown time".to_owned(), duration);
        let parts = so_many(shards, "shard");
        let mut about = format!("{}, {seconds} of work, in {parts}", so_many(estimate.runs, "run"));
        if options.elements.is_none() && each > options.minutes {
            about += &format!(" of {each} min each: --max-elements, or the number of runs, allows no more of them");
        }
        Ok(Self {
            name: job_name(&study.checked.study.name),
            names,
            shards,
            minutes: each.max(options.minutes).saturating_mul(3).saturating_add(5),
            mebibytes: 2 * estimate.memory_bytes.div_ceil(1 << 20) + 256,
            merge_minutes: estimate.disk_bytes.of_all().map_or(UNKNOWN_MERGE, merge_minutes),
            mark: format!("Written by `fedbits cluster {engine}`"),
            about,
            failed: estimate.failed,
            host: options.host.clone(),
        })
    }

    /// What every shard is called with, after its names.
    pub(super) fn settings(&self) -> Vec<OsString> {
        let memory = self.host.max_memory.map(|bytes| format!("--max-memory={bytes}B"));
        let audit = self.host.audit.then(|| "--audit".to_owned());
        let threads = ["--threads", "1"].map(str::to_owned);
        threads.into_iter().chain(memory).chain(audit).map(OsString::from).collect()
    }

    /// The arguments by which the program runs a shard of the study in its shared folder; without `--shard`.
    pub(super) fn arguments(&self) -> Vec<OsString> {
        let JobNames { study, out, data, .. } = &self.names;
        let data = data.iter().flat_map(|data| ["--data".into(), data.into()]);
        let names = ["study".into(), study.clone(), "--out".into(), out.into()];
        names.into_iter().chain(data).chain(self.settings()).collect()
    }

    /// `shard.sh I`, for engines with a shared folder.
    pub(super) fn shard_script(&self) -> Script {
        let call = Script::marked(&self.mark).word(&self.names.program).words(self.arguments());
        waited_for(call, self.shards)
    }

    /// `merge.sh`, for engines with a shared folder.
    pub(super) fn merge_script(&self) -> Script {
        Script::marked(&self.mark)
            .text("exec ")
            .word(&self.names.program)
            .text(" merge ")
            .word(&self.names.out)
            .text("\n")
    }

    /// `submit.sh`, which hands its options to the tool that it calls in the folder of the files.
    pub(super) fn submit_script(&self, call: &str) -> Script {
        let script = Script::marked(&self.mark).text("set -eu\ncd ").word(&self.names.folder);
        script.text("\n").text(call)
    }
}

/// The call of a shard, whose number is `$1`, and how it ends.
pub(super) fn waited_for(call: Script, shards: u32) -> Script {
    call.text(&format!(
        " --shard \"$1/{shards}\" &\n\
         program=$!\n\
         # The program keeps what is finished when it is told to end, and is waited for.\n\
         trap 'kill -TERM \"$program\"' TERM INT HUP\n\
         wait \"$program\" && exit 0\n\
         code=$?\n\
         while kill -0 \"$program\" 2>/dev/null; do\n\
         \x20   code=0\n\
         \x20   wait \"$program\" || code=$?\n\
         done\n\
         # Runs that failed (1) are results, which the merge reports: no reason to run the shard again.\n\
         [ \"$code\" -eq 1 ] || exit \"$code\"\n"
    ))
}

/// As many as the work fills.
fn shards(options: &JobOptions, runs: u64, seconds: Option<f64>) -> Result<u32, Failure> {
    let (max, runs) = (options.max_elements, u32::try_from(runs).unwrap_or(u32::MAX));
    match (options.elements, seconds) {
        (Some(elements), _) => Ok(elements.min(runs)),
        (None, Some(seconds)) => {
            Ok(((seconds / (60.0 * f64::from(options.minutes))).ceil() as u32).clamp(1, max.min(runs)))
        }
        (None, None) => Err(Failure::Input(
            "how long the runs take depends on when a target is met: bound them by `budget: (rounds: …)`, or say \
             --elements N"
                .to_owned(),
        )),
    }
}

/// Minutes to put so many bytes together, and to start.
fn merge_minutes(bytes: f64) -> u32 {
    10_u32.saturating_add((bytes / MERGED_A_MINUTE).ceil() as u32)
}

/// A name without what a job's name cannot have.
fn job_name(name: &str) -> String {
    name.chars().map(|c| if c.is_ascii_alphanumeric() || "-_.".contains(c) { c } else { '-' }).collect()
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;
    use crate::cli::args::{Args, ClusterEngine, Command};

    fn options(words: &[&str]) -> JobOptions {
        let words = ["fedbits", "cluster", "parallel", "study.ron"].iter().chain(words);
        match Args::parse_from(words).command {
            Command::Cluster(options) => match options.engine {
                ClusterEngine::Parallel(own) => own,
                other => panic!("{other:?}"),
            },
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_merge_of_more_takes_longer() {
        assert_eq!([1.0, 1e9, 2.5e10, 1e12].map(merge_minutes), [11, 11, 35, 1_010]);
    }

    #[test]
    fn shards_are_filled_and_capped() {
        let hours = |hours: f64| Some(3_600.0 * hours);
        let of = |words: &[&str], runs, seconds| shards(&options(words), runs, seconds).ok();
        assert_eq!(of(&[], 5_000, hours(10.0)), Some(40), "15 minutes each");
        assert_eq!(of(&["--minutes", "20"], 5_000, hours(10.0)), Some(30));
        assert_eq!(of(&[], 12, hours(10.0)), Some(12), "no more than runs");
        assert_eq!(of(&[], 5_000, Some(0.1)), Some(1));
        assert_eq!(of(&[], 100_000, hours(1_000.0)), Some(1_000), "what most sites take");
        assert_eq!(of(&["--max-elements", "300"], 100_000, hours(1_000.0)), Some(300));
        assert_eq!(of(&["--elements", "7"], 5_000, None), Some(7));
        assert_eq!(of(&[], 5_000, None), None, "nobody knows how many");
    }
}
