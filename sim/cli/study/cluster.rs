//! `fedbits cluster slurm`: the files by which SLURM runs a study. Array elements get ten to twenty minutes of runs each,
//! because starting one takes seconds and sites limit their number; what is killed or requeued is resumed.

use std::path::{Path, PathBuf};

use super::check::Estimate;
use super::directory;
use super::follow::span;
use super::input;
use crate::args::{ClusterOptions, Engine};
use crate::failure::Failure;
use crate::host;
use crate::output;
use crate::own;
use crate::progress::Talk;

/// The comment by which its files are known.
const MARK: &str = "# Written by `fedbits cluster slurm`";

/// SLURM's default limit.
const MOST_ELEMENTS: u32 = 1_000;

/// Writes the files and says how to submit them.
pub fn cluster(options: &ClusterOptions, talk: &Talk) -> Result<(), Failure> {
    let Engine::Slurm = options.engine;
    host::set_threads(options.host.threads);
    let input = input::read(&options.file, &options.host)?;
    input.plan()?;
    input.check_fit(&options.host)?;
    let out = options.out.clone().unwrap_or_else(|| directory(&input.name));
    let estimate = Estimate::of(&input, &options.host, 1)?;
    let elements = elements(options, &estimate)?;
    let job = Job {
        name: job_name(&input.checked.study.name),
        program: std::env::current_exe().map_err(|error| Failure::File(format!("this program's path: {error}")))?,
        study: absolute(&options.file),
        out: std::path::absolute(&out).map_err(|error| Failure::file(&out, &error))?,
        data: options.host.data.as_ref().and_then(|data| std::path::absolute(data).ok()),
        elements,
        minutes: options.minutes,
        partition: options.partition.clone(),
    };
    let folder = job.out.with_file_name(format!("{}-slurm", file_name(&job.out)));
    std::fs::create_dir_all(&folder).map_err(|error| Failure::file(&folder, &error))?;
    let files = [
        ("array.sbatch", job.array(&folder)),
        ("merge.sbatch", job.merge(&folder)),
        ("submit.sh", job.submit(&folder)),
    ];
    own::write(&files.map(|(name, text)| (folder.join(name), text.into_bytes())), MARK)?;
    let seconds = estimate.seconds.map_or_else(|| "an unknown time".to_owned(), span);
    talk.say(format!("{} runs, {seconds} of work, in {elements} array elements", estimate.runs));
    output::line(format_args!("sh {}", quoted(&folder.join("submit.sh"))))
}

/// As many as the work fills.
fn elements(options: &ClusterOptions, estimate: &Estimate) -> Result<u32, Failure> {
    let most = u32::try_from(estimate.runs).unwrap_or(MOST_ELEMENTS).min(MOST_ELEMENTS);
    match (options.elements, estimate.seconds) {
        (Some(elements), _) => Ok(elements.min(most)),
        (None, Some(seconds)) => Ok(((seconds / (60.0 * f64::from(options.minutes))).ceil() as u32).clamp(1, most)),
        (None, None) => Err(Failure::Input(
            "how long the runs take depends on when a target is met: bound them by `budget: (rounds: …)`, or say --elements N"
                .to_owned(),
        )),
    }
}

/// What the files say.
struct Job {
    name: String,
    program: PathBuf,
    study: String,
    out: PathBuf,
    data: Option<PathBuf>,
    elements: u32,
    minutes: u32,
    partition: Option<String>,
}

impl Job {
    fn partition(&self) -> String {
        self.partition.as_ref().map_or_else(String::new, |name| format!("#SBATCH --partition={name}\n"))
    }

    fn array(&self, folder: &Path) -> String {
        let data = self.data.as_ref().map_or_else(String::new, |data| format!(" --data {}", quoted(data)));
        format!(
            "#!/bin/sh\n\
             {MARK}\n\
             #SBATCH --job-name={name}\n\
             #SBATCH --array=0-{last}\n\
             #SBATCH --cpus-per-task=1\n\
             #SBATCH --time={time}\n\
             {partition}\
             #SBATCH --requeue\n\
             #SBATCH --open-mode=append\n\
             #SBATCH --signal=B:TERM@30\n\
             #SBATCH --output={folder}/element-%a.log\n\
             # An element that is killed or requeued goes on where it was; finished runs are kept.\n\
             exec {program} study {study} --out {out} --shard auto/{elements} --threads 1{data}\n",
            name = self.name,
            last = self.elements - 1,
            // Three times the estimate, and time to start.
            time = 3 * self.minutes + 5,
            partition = self.partition(),
            folder = folder.display(),
            program = quoted(&self.program),
            study = quoted(Path::new(&self.study)),
            out = quoted(&self.out),
            elements = self.elements,
        )
    }

    fn merge(&self, folder: &Path) -> String {
        format!(
            "#!/bin/sh\n\
             {MARK}\n\
             #SBATCH --job-name={name}-merge\n\
             #SBATCH --cpus-per-task=1\n\
             #SBATCH --time=60\n\
             {partition}\
             #SBATCH --output={folder}/merge.log\n\
             exec {program} merge {out}\n",
            name = self.name,
            partition = self.partition(),
            folder = folder.display(),
            program = quoted(&self.program),
            out = quoted(&self.out),
        )
    }

    fn submit(&self, folder: &Path) -> String {
        format!(
            "#!/bin/sh\n\
             {MARK}\n\
             # Submits the array, and the job that puts its results together when every element has ended.\n\
             set -eu\n\
             array=$(sbatch --parsable {array})\n\
             merge=$(sbatch --parsable --dependency=afterany:\"$array\" {merge})\n\
             echo \"array $array, merge $merge; fedbits status {out} says how far it is\"\n",
            array = quoted(&folder.join("array.sbatch")),
            merge = quoted(&folder.join("merge.sbatch")),
            out = self.out.display(),
        )
    }
}

/// A file by its whole path, a library name as it is.
fn absolute(file: &str) -> String {
    let path = Path::new(file);
    let whole = path.is_file().then(|| std::path::absolute(path).ok()).flatten();
    whole.map_or_else(|| file.to_owned(), |path| path.display().to_string())
}

fn file_name(path: &Path) -> String {
    path.file_name().map_or_else(|| "study".to_owned(), |name| name.to_string_lossy().into_owned())
}

/// A name without what a job's name cannot have.
fn job_name(name: &str) -> String {
    name.chars().map(|c| if c.is_ascii_alphanumeric() || "-_.".contains(c) { c } else { '-' }).collect()
}

/// A path as one word of a shell.
fn quoted(path: &Path) -> String {
    format!("'{}'", path.display().to_string().replace('\'', r"'\''"))
}
