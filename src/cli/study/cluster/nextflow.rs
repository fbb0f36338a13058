//! Nextflow: a process of one shard, whose files are staged and whose folder is its output, and a merge, which runs
//! where the workflow was started.

use super::job::{Job, Texts};

/// `main.nf` and `submit.sh`.
pub(super) fn files(job: &Job) -> Texts {
    let submit = job.submit_script(
        "# Options go to nextflow: -resume, -profile, -c.\n\
         exec nextflow run main.nf \"$@\"\n",
    );
    vec![("main.nf", workflow(job).into_bytes()), ("submit.sh", submit.0)]
}

fn workflow(job: &Job) -> String {
    let Job { shards, minutes, mebibytes, mark, .. } = job;
    format!(
        "// {mark}\n\
         \n\
         process SHARD {{\n    \
             cpus 1\n    \
             memory '{mebibytes} MB'\n    \
             time '{minutes} min'\n    \
             // Wrong input (2) stays wrong; all else, kills among it, is tried again.\n    \
             errorStrategy {{ task.exitStatus == 2 ? 'finish' : 'retry' }}\n    \
             maxRetries 5\n\
         \n    \
             input:\n    \
             val index\n    \
             path inputs\n\
         \n    \
             output:\n    \
             path \"shard-${{index}}\"\n\
         \n    \
             script:\n    \
             \"\"\"\n    \
             sh inputs/shard.sh ${{index}}\n    \
             \"\"\"\n\
         }}\n\
         \n\
         process MERGE {{\n    \
             executor 'local'\n    \
             debug true\n\
         \n    \
             input:\n    \
             path shards\n    \
             path script\n\
         \n    \
             script:\n    \
             \"\"\"\n    \
             sh merge.sh\n    \
             \"\"\"\n\
         }}\n\
         \n\
         workflow {{\n    \
             SHARD(channel.of(0..{last}), file(\"${{projectDir}}/inputs\"))\n    \
             MERGE(SHARD.out.collect(), file(\"${{projectDir}}/merge.sh\"))\n\
         }}\n",
        last = shards - 1
    )
}
