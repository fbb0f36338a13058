//! Snakemake: a rule of one shard and a merge, over a shared folder. Names stand in the scripts that the rules call;
//! the Snakefile reads the study's file too, so that shards of a study that was changed are run again.

use std::path::Path;

use super::job::{Job, JobNames, Texts, text};
use crate::cli::failure::Failure;
use crate::yaml::quoted;

/// The Snakefile holds the study's name as text.
pub(super) fn check(names: &JobNames) -> Result<(), Failure> {
    text("the study's file", &names.study).map(drop)
}

/// `Snakefile`, `submit.sh`, `shard.sh` and `merge.sh`.
pub(super) fn files(job: &Job) -> Result<Texts, Failure> {
    let submit = job.submit_script(
        "# Options go to snakemake: --cores 8, or --executor slurm --jobs 100.\n\
         exec snakemake --cores all --keep-going \"$@\"\n",
    );
    Ok(vec![
        ("Snakefile", snakefile(job)?.into_bytes()),
        ("submit.sh", submit.0),
        ("shard.sh", job.shard_script().0),
        ("merge.sh", job.merge_script().0),
    ])
}

fn snakefile(job: &Job) -> Result<String, Failure> {
    let Job { names, shards, minutes, mebibytes, mark, .. } = job;
    // As a parameter: in the name of an input, braces would be wildcards.
    let (digest, parameter) = match Path::new(&names.study).is_absolute() {
        true => {
            let path = quoted(text("the study's file", &names.study)?);
            let digest = format!("import hashlib\nSTUDY = hashlib.sha256(open({path}, \"rb\").read()).hexdigest()\n");
            (digest, "    params: study=STUDY\n")
        }
        false => (String::new(), ""),
    };
    Ok(format!(
        "# {mark}\n\
         {digest}\
         SHARDS = {shards}\n\
         localrules: all, merge\n\
         \n\
         rule all:\n    \
             input: \"merge.done\"\n\
         \n\
         # A shard that is killed is run again, twice at most; what it had finished is kept. The number of shards is\n\
         # in the name of what says that one is done: of another number it would have had other runs.\n\
         rule shard:\n\
         {parameter}    \
             output: touch(\"done/{{shard}}-of-{shards}\")\n    \
             wildcard_constraints: shard=\"[0-9]+\"\n    \
             threads: 1\n    \
             retries: 2\n    \
             resources: mem_mb={mebibytes}, runtime={minutes}\n    \
             shell: \"sh shard.sh {{wildcards.shard}}\"\n\
         \n\
         rule merge:\n    \
             input: expand(\"done/{{shard}}-of-{shards}\", shard=range(SHARDS))\n    \
             output: touch(\"merge.done\")\n    \
             shell: \"sh merge.sh\"\n"
    ))
}
