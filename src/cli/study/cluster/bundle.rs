//! The files of a study in one folder, `inputs`, for engines that take them to where the shards run: this program, the
//! study, the scenarios that it is laid over, its data. Folders `shard-I` come back.

use std::path::{Path, PathBuf};

use super::job::{Job, JobNames, waited_for};
use super::script::Script;
use crate::cli::args::JobOptions;
use crate::cli::failure::Failure;
use crate::study::{Inputs, Study};

/// What is brought along.
pub(super) struct Bundle {
    /// From where, and the path within the folder.
    pub(super) copies: Vec<(PathBuf, PathBuf)>,
    /// The study's file within the folder; none: the library's.
    study: Option<PathBuf>,
    has_data: bool,
}

impl Bundle {
    /// Finds everything.
    pub(super) fn of(names: &JobNames, study: &Study, options: &JobOptions) -> Result<Self, Failure> {
        if study.checked.study.search.is_some() {
            return Err(Failure::Input(
                "the study has a search, whose workers share one folder; this engine gives each its own: expected \
                 slurm, kubernetes, snakemake or parallel"
                    .to_owned(),
            ));
        }
        let inputs = Inputs::of(&options.file, study, &study.folders(&options.host.machine()))?;
        let mut copies = vec![(names.program.clone(), PathBuf::from("fedbits"))];
        for (from, to) in inputs.texts.iter().chain(&inputs.data) {
            copies.push((from.clone(), inside(to)?.to_owned()));
        }
        let has_data = !inputs.data.is_empty();
        copies[1 + inputs.texts.len()..].iter_mut().for_each(|(_, to)| *to = Path::new("data").join(&to));
        Ok(Self { copies, study: inputs.texts.first().map(|(_, to)| to.clone()), has_data })
    }

    /// `shard.sh I`: it stands among the other files, and leaves `shard-I` in the working directory.
    pub(super) fn shard_script(&self, job: &Job) -> Script {
        // The folder is there even when the program refuses its input: an engine that brings it back waits for it.
        let begun =
            Script::marked(&job.mark).text("here=$(dirname \"$0\")\nmkdir -p shard-\"$1\"\n\"$here\"/fedbits study ");
        let study = match &self.study {
            Some(study) => begun.text("\"$here\"/").word(study),
            None => begun.word(&job.names.study),
        };
        let data = if self.has_data { " --data \"$here\"/data" } else { "" };
        waited_for(study.text(" --out shard-\"$1\"").text(data).words(job.settings()), job.shards)
    }
}

/// A path that stays below the folder that it is relative to.
fn inside(path: &Path) -> Result<&Path, Failure> {
    let stays = path.components().all(|part| matches!(part, std::path::Component::Normal(_)));
    let first = path.components().next().map(|part| part.as_os_str());
    let is_taken = ["fedbits", "shard.sh"].iter().any(|own| first == Some(own.as_ref()));
    match stays && !is_taken {
        true => Ok(path),
        false => Err(Failure::Input(format!(
            "the study names the file {}: expected a path below the study's folder (or below --data, for data), and \
             not `fedbits` or `shard.sh`, because this engine takes the files to where the shards run",
            path.display()
        ))),
    }
}

/// `merge.sh`: puts the folders `shard-I` of the working directory together, those that came back.
pub(super) fn merge_script(job: &Job) -> Script {
    Script::marked(&job.mark)
        .text(
            "set -- shard-*/\n\
             for shard do\n\
             \x20   shift\n\
             \x20   [ ! -e \"$shard/study.json\" ] || set -- \"$@\" \"$shard\"\n\
             done\n\
             exec ",
        )
        .word(&job.names.program)
        .text(" merge --out ")
        .word(&job.names.out)
        .text(" \"$@\"\n")
}
