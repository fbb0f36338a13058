//! SLURM: an array and a merge job that depends on it.
//!
//! Names that a user chose stand only where a shell reads them, within its quotes. A line `#SBATCH` is read by sbatch,
//! whose quotes differ: such names are options of the command sbatch in `submit.sh` instead.

use std::ffi::OsStr;

use super::job::{Job, JobNames, Texts, check_name};
use super::script::Script;
use crate::cli::args::SlurmOptions;
use crate::cli::failure::Failure;

/// Refuses what no file for SLURM can carry.
pub(super) fn check(names: &JobNames, options: &SlurmOptions) -> Result<(), Failure> {
    if let Some(partition) = &options.partition {
        check_name("--partition", OsStr::new(partition))?;
    }
    if options.partition.as_deref() == Some("") {
        return Err(Failure::Input("--partition is empty: expected the name of a partition".to_owned()));
    }
    let out = &names.out;
    if out.as_os_str().as_encoded_bytes().contains(&b'\\') {
        return Err(Failure::Input(format!(
            "--out is {out:?}: expected a path without backslashes, with which SLURM does not number its logs"
        )));
    }
    Ok(())
}

/// `array.sbatch`, `merge.sbatch` and `submit.sh`.
pub(super) fn files(job: &Job, options: &SlurmOptions) -> Texts {
    let scripts = JobScripts { job, partition: options.partition.as_deref() };
    vec![("array.sbatch", scripts.array().0), ("merge.sbatch", scripts.merge().0), ("submit.sh", scripts.submit().0)]
}

/// What the files say.
struct JobScripts<'a> {
    job: &'a Job,
    partition: Option<&'a str>,
}

impl JobScripts<'_> {
    fn array(&self) -> Script {
        let Job { name, names, shards, minutes, mebibytes, mark, .. } = self.job;
        let script = Script::marked(mark).text(&format!(
            "#SBATCH --job-name={name}\n\
             #SBATCH --array=0-{}\n\
             #SBATCH --cpus-per-task=1\n\
             #SBATCH --time={minutes}\n\
             #SBATCH --mem={mebibytes}M\n\
             #SBATCH --requeue\n\
             #SBATCH --open-mode=append\n\
             #SBATCH --signal=B:TERM@30\n\
             # An element whose node fails, or that makes room for another job, is requeued and goes on where it was.\n\
             # One that runs out of time or memory is not: submit again, with more. Finished runs are kept.\n\
             exec ",
            shards - 1
        ));
        script.word(&names.program).words(self.job.arguments()).text(&format!(" --shard auto/{shards}\n"))
    }

    fn merge(&self) -> Script {
        let Job { name, names, merge_minutes, mebibytes, mark, .. } = self.job;
        let script = Script::marked(mark).text(&format!(
            "#SBATCH --job-name={name}-merge\n\
             #SBATCH --cpus-per-task=1\n\
             #SBATCH --time={merge_minutes}\n\
             #SBATCH --mem={mebibytes}M\n\
             exec "
        ));
        script.word(&names.program).text(" merge ").word(&names.out).text("\n")
    }

    /// Options after it reach both calls of sbatch, before those that hold the two jobs together.
    fn submit(&self) -> Script {
        let array = Script::marked(&self.job.mark).text(
            "# Submits the array, and the job that puts its results together when every element has ended. Options\n\
             # go to sbatch, for both: --account, --qos, --partition, --mem, --time.\n\
             set -eu\n\
             array=$(",
        );
        let merge = self
            .sbatch(array, "element-%a.log", "", "array.sbatch")
            .text(")\n# With --clusters the cluster stands behind it.\narray=${array%%;*}\nmerge=$(");
        // A word within a word: what is printed can be typed.
        let out = Script::default().word(&self.job.names.out).0;
        self.sbatch(merge, "merge.log", " --dependency=afterany:\"$array\"", "merge.sbatch")
            .text(")\nmerge=${merge%%;*}\n")
            .text("printf 'array %s, merge %s; fedbits status %s says how far it is\\n' \"$array\" \"$merge\" ")
            .quoted(&out)
            .text("\n")
    }

    /// A call of sbatch: the last of two options counts.
    fn sbatch(&self, script: Script, log: &str, own: &str, file: &str) -> Script {
        let mut script = script.text("sbatch");
        if let Some(partition) = self.partition {
            script = script.text(" --partition=").word(partition);
        }
        let folder = &self.job.names.folder;
        // In the names of logs sbatch replaces % and a letter; %% stands for the sign itself.
        let bytes = folder.as_os_str().as_encoded_bytes().iter();
        let escaped = bytes.flat_map(|byte| std::iter::repeat_n(*byte, if *byte == b'%' { 2 } else { 1 }));
        let log: Vec<u8> = escaped.chain(*b"/").chain(log.bytes()).collect();
        let options = script.text(" --output=").quoted(&log).text(" \"$@\" --parsable").text(own);
        options.text(" ").word(folder.join(file))
    }
}
