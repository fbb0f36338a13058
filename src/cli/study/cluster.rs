//! `fedbits cluster slurm`: the files by which SLURM runs a study. Array elements get ten to twenty minutes of runs
//! each, because starting one takes seconds and sites limit their number; what is killed or requeued is resumed.
//!
//! Names that a user chose stand only where a shell reads them, within its quotes. A line `#SBATCH` is read by sbatch,
//! whose quotes differ: such names are options of the command sbatch in `submit.sh` instead.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use super::check::StudyEstimate;
use super::directory;
use crate::cli::args::{ClusterEngine, ClusterOptions};
use crate::cli::failure::Failure;
use crate::cli::host;
use crate::cli::marked_files;
use crate::cli::output;
use crate::cli::progress::Console;
use crate::cli::units::duration;
use crate::listener::Listener;
use crate::study::Study;

/// The comment by which its files are known.
const MARK: &str = "# Written by `fedbits cluster slurm`";

/// Processor seconds of a pilot: what is requested on a cluster is worth a longer one than `check` runs.
const PILOT_SECONDS: f64 = 60.0;
/// SLURM's default limit.
const MAX_ELEMENTS: u32 = 1_000;

/// Writes the files and says how to submit them.
pub(crate) fn cluster(options: &ClusterOptions, console: &Console) -> Result<(), Failure> {
    let ClusterEngine::Slurm = options.engine;
    host::set_threads(options.host.threads);
    let (study, machine) = (Study::load(&options.file)?, options.host.machine());
    let names = JobNames::of(options, study.name())?;
    study.plan(&machine)?;
    study.check_fit(&machine)?;
    let estimate = StudyEstimate::of(&study, &machine, PILOT_SECONDS)?;
    let elements = elements(options, &estimate)?;
    let folder = names.folder.clone();
    let job = JobScript { name: job_name(&study.checked.study.name), names, elements, minutes: options.minutes };
    std::fs::create_dir_all(&folder).map_err(|error| Failure::file(&folder, &error))?;
    let files = [("array.sbatch", job.array()), ("merge.sbatch", job.merge()), ("submit.sh", job.submit())];
    let files = files.map(|(name, script)| (folder.join(name), script.0));
    fedbits_record::undivided(|| marked_files::write(&files, MARK))?;
    let seconds = estimate.seconds.map_or_else(|| "an unknown time".to_owned(), duration);
    console.message(&format!("{} runs, {seconds} of work, in {elements} array elements", estimate.runs));
    output::bytes(&Script::default().text("sh ").word(folder.join("submit.sh")).text("\n").0)
}

/// As many as the work fills.
fn elements(options: &ClusterOptions, estimate: &StudyEstimate) -> Result<u32, Failure> {
    let most = u32::try_from(estimate.runs).unwrap_or(MAX_ELEMENTS).min(MAX_ELEMENTS);
    match (options.elements, estimate.seconds) {
        (Some(elements), _) => Ok(elements.min(most)),
        (None, Some(seconds)) => Ok(((seconds / (60.0 * f64::from(options.minutes))).ceil() as u32).clamp(1, most)),
        (None, None) => Err(Failure::Input(
            "how long the runs take depends on when a target is met: bound them by `budget: (rounds: …)`, or say \
             --elements N"
                .to_owned(),
        )),
    }
}

/// Names that come from outside, paths absolute; none has a control character.
struct JobNames {
    program: PathBuf,
    study: OsString,
    out: PathBuf,
    data: Option<PathBuf>,
    partition: Option<String>,
    /// Where the files for SLURM and its logs go.
    folder: PathBuf,
}

impl JobNames {
    /// Refuses what no file for SLURM can carry.
    fn of(options: &ClusterOptions, study: &str) -> Result<Self, Failure> {
        let out = options.out.clone().unwrap_or_else(|| directory(study));
        let absolute = |path: &Path| std::path::absolute(path).map_err(|error| Failure::file(path, &error));
        let out = absolute(&out)?;
        let mut folder = out.file_name().unwrap_or(OsStr::new("study")).to_owned();
        folder.push("-slurm");
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
            data: options.host.data.as_deref().map(absolute).transpose()?,
            partition: options.partition.clone(),
        };
        names.check()?;
        Ok(names)
    }

    fn check(&self) -> Result<(), Failure> {
        let data = self.data.as_ref().map(|data| ("--data", data.as_os_str()));
        let partition = self.partition.as_ref().map(|partition| ("--partition", OsStr::new(partition)));
        let always = [
            ("the path of this program", self.program.as_os_str()),
            ("the study's file", &self.study),
            ("--out", self.out.as_os_str()),
        ];
        for (what, name) in always.into_iter().chain(data).chain(partition) {
            if name.as_encoded_bytes().iter().any(u8::is_ascii_control) {
                return Err(Failure::Input(format!(
                    "{what} is {name:?}: expected a name without line breaks and other control characters, \
                     which files for SLURM cannot carry"
                )));
            }
        }
        if self.partition.as_deref() == Some("") {
            return Err(Failure::Input("--partition is empty: expected the name of a partition".to_owned()));
        }
        match self.out.as_os_str().as_encoded_bytes().contains(&b'\\') {
            true => Err(Failure::Input(format!(
                "--out is {:?}: expected a path without backslashes, with which SLURM does not number its logs",
                self.out
            ))),
            false => Ok(()),
        }
    }
}

/// What the files say.
struct JobScript {
    name: String,
    names: JobNames,
    elements: u32,
    minutes: u32,
}

impl JobScript {
    fn array(&self) -> Script {
        let JobNames { program, study, out, data, .. } = &self.names;
        // Three times the estimate, and time to start.
        let (name, last, time) = (&self.name, self.elements - 1, 3 * self.minutes + 5);
        let script = Script::default()
            .text(&format!(
                "#!/bin/sh\n\
                 {MARK}\n\
                 #SBATCH --job-name={name}\n\
                 #SBATCH --array=0-{last}\n\
                 #SBATCH --cpus-per-task=1\n\
                 #SBATCH --time={time}\n\
                 #SBATCH --requeue\n\
                 #SBATCH --open-mode=append\n\
                 #SBATCH --signal=B:TERM@30\n\
                 # An element that is killed or requeued goes on where it was; finished runs are kept.\n\
                 exec "
            ))
            .word(program)
            .text(" study ")
            .word(study)
            .text(" --out ")
            .word(out)
            .text(&format!(" --shard auto/{} --threads 1", self.elements));
        match data {
            Some(data) => script.text(" --data ").word(data).text("\n"),
            None => script.text("\n"),
        }
    }

    fn merge(&self) -> Script {
        let name = &self.name;
        Script::default()
            .text(&format!(
                "#!/bin/sh\n\
                 {MARK}\n\
                 #SBATCH --job-name={name}-merge\n\
                 #SBATCH --cpus-per-task=1\n\
                 #SBATCH --time=60\n\
                 exec "
            ))
            .word(&self.names.program)
            .text(" merge ")
            .word(&self.names.out)
            .text("\n")
    }

    fn submit(&self) -> Script {
        let array = Script::default().text(&format!(
            "#!/bin/sh\n\
             {MARK}\n\
             # Submits the array, and the job that puts its results together when every element has ended.\n\
             set -eu\n\
             array=$(sbatch --parsable",
        ));
        let merge = self
            .options(array, "element-%a.log", "array.sbatch")
            .text(")\nmerge=$(sbatch --parsable --dependency=afterany:\"$array\"");
        // A word within a word: what is printed can be typed.
        let out = Script::default().word(&self.names.out).0;
        self.options(merge, "merge.log", "merge.sbatch")
            .text(")\nprintf 'array %s, merge %s; fedbits status %s says how far it is\\n' \"$array\" \"$merge\" ")
            .quoted(&out)
            .text("\n")
    }

    /// The options of sbatch that hold names, and the script.
    fn options(&self, mut script: Script, log: &str, file: &str) -> Script {
        if let Some(partition) = &self.names.partition {
            script = script.text(" --partition=").word(partition);
        }
        let folder = self.names.folder.as_os_str().as_encoded_bytes();
        // In the names of logs sbatch replaces % and a letter; %% stands for the sign itself.
        let escaped = folder.iter().flat_map(|byte| std::iter::repeat_n(*byte, if *byte == b'%' { 2 } else { 1 }));
        let log: Vec<u8> = escaped.chain(*b"/").chain(log.bytes()).collect();
        script.text(" --output=").quoted(&log).text(" ").word(self.names.folder.join(file))
    }
}

/// A shell script; names need not be UTF-8.
#[derive(Default)]
struct Script(Vec<u8>);

impl Script {
    /// Appends text as it is.
    fn text(mut self, text: &str) -> Self {
        self.0.extend(text.bytes());
        self
    }

    /// Appends a name as one word.
    fn word(self, name: impl AsRef<OsStr>) -> Self {
        self.quoted(name.as_ref().as_encoded_bytes())
    }

    /// Appends bytes as one word of a POSIX shell: within single quotes every byte but the quote stands for itself.
    fn quoted(mut self, bytes: &[u8]) -> Self {
        self.0.push(b'\'');
        for &byte in bytes {
            match byte {
                b'\'' => self.0.extend(br"'\''"),
                byte => self.0.push(byte),
            }
        }
        self.0.push(b'\'');
        self
    }
}

/// A name without what a job's name cannot have.
fn job_name(name: &str) -> String {
    name.chars().map(|c| if c.is_ascii_alphanumeric() || "-_.".contains(c) { c } else { '-' }).collect()
}
