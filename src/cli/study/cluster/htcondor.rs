//! HTCondor: a DAG of the shards, whose files are transferred, and of the merge, which runs where it is submitted.

use super::job::{Job, Texts};

/// `shards.sub`, `merge.sub`, `study.dag` and `submit.sh`.
pub(super) fn files(job: &Job) -> Texts {
    let submit = job.submit_script(
        "# Options go to condor_submit_dag: -f for a second time.\n\
         exec condor_submit_dag \"$@\" study.dag\n",
    );
    let dag = format!(
        "# {}\n\
         JOB shards shards.sub\n\
         # Puts together what came back, also when a shard was given up.\n\
         FINAL merge merge.sub\n",
        job.mark
    );
    let merge = format!(
        "# {}\n\
         universe = local\n\
         executable = /bin/sh\n\
         transfer_executable = false\n\
         arguments = merge.sh\n\
         output = merge.log\n\
         error = merge.log\n\
         log = htcondor.log\n\
         queue\n",
        job.mark
    );
    vec![
        ("shards.sub", shards(job).into_bytes()),
        ("merge.sub", merge.into_bytes()),
        ("study.dag", dag.into_bytes()),
        ("submit.sh", submit.0),
    ]
}

fn shards(job: &Job) -> String {
    let Job { shards, mebibytes, mark, .. } = job;
    format!(
        "# {mark}\n\
         universe = vanilla\n\
         executable = inputs/shard.sh\n\
         arguments = $(Process)\n\
         should_transfer_files = YES\n\
         transfer_input_files = inputs/\n\
         transfer_output_files = shard-$(Process)\n\
         # What is finished survives an eviction.\n\
         when_to_transfer_output = ON_EXIT_OR_EVICT\n\
         output = shard-$(Process).log\n\
         error = shard-$(Process).log\n\
         log = htcondor.log\n\
         request_cpus = 1\n\
         request_memory = {mebibytes}\n\
         # Wrong input (2) stays wrong; all else, kills among it, is tried again.\n\
         max_retries = 5\n\
         retry_until = ExitCode == 2\n\
         queue {shards}\n"
    )
}
