//! GNU parallel: `submit.sh` runs the shards, then the merge. Names stand in the scripts that parallel calls, because
//! it replaces texts such as `{}` in what it is given.

use super::job::{Job, Texts};

/// `submit.sh`, `shard.sh` and `merge.sh`.
pub(super) fn files(job: &Job) -> Texts {
    let last = job.shards - 1;
    let submit = job.submit_script(&format!(
        "# Options go to parallel: --jobs 8. A shard that is killed is tried three times; what is finished is kept.\n\
         seq 0 {last} | parallel --joblog jobs.log --retries 3 \"$@\" sh shard.sh || :\n\
         # Says what is missing, if anything is.\n\
         exec sh merge.sh\n"
    ));
    vec![("submit.sh", submit.0), ("shard.sh", job.shard_script().0), ("merge.sh", job.merge_script().0)]
}
