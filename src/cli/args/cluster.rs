//! `fedbits cluster`.

use std::path::PathBuf;

use super::numbers::whole;
use super::scenario::HostOptions;

#[derive(Debug, clap::Args)]
pub(crate) struct ClusterOptions {
    #[command(subcommand)]
    pub engine: ClusterEngine,
}

/// Engines that run the shards of a study.
#[derive(Debug, clap::Subcommand)]
pub(crate) enum ClusterEngine {
    /// SLURM: an array and a merge job that depends on it.
    Slurm(SlurmOptions),
    /// Kubernetes: an indexed Job and a merge Job, over a volume that all pods share.
    Kubernetes(KubernetesOptions),
    /// HTCondor: a DAG of the shards, whose files are transferred, and of the merge.
    Htcondor(JobOptions),
    /// Nextflow: a process of one shard, whose files are staged, and a merge.
    Nextflow(JobOptions),
    /// Snakemake: a rule of one shard and a merge, over a shared folder.
    Snakemake(JobOptions),
    /// GNU parallel: a script, for this machine or, over a shared folder, for several.
    Parallel(JobOptions),
}

/// What is the same for all engines.
#[derive(Debug, clap::Args)]
pub(crate) struct JobOptions {
    /// A study's file, or the name of a built-in study.
    pub file: String,
    /// Folder of the results; default out/NAME. The engine's files go beside it, into DIR-ENGINE.
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Minutes of work per shard (array element).
    #[arg(
        long, value_name = "N", default_value_t = 15, allow_negative_numbers = true,
        value_parser = whole(1, 100_000_u32)
    )]
    pub minutes: u32,
    /// Number of shards (array elements), instead of what the minutes require.
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = whole(1, u32::MAX))]
    pub elements: Option<u32>,
    /// The most shards that the site takes at once; where the minutes require more, each gets more work.
    #[arg(
        long, value_name = "N", default_value_t = 1000, allow_negative_numbers = true,
        value_parser = whole(1, 100_000_u32)
    )]
    pub max_elements: u32,
    #[command(flatten)]
    pub host: HostOptions,
}

#[derive(Debug, clap::Args)]
pub(crate) struct SlurmOptions {
    #[command(flatten)]
    pub job: JobOptions,
    /// The partition (queue).
    #[arg(long, value_name = "NAME")]
    pub partition: Option<String>,
}

#[derive(Debug, clap::Args)]
pub(crate) struct KubernetesOptions {
    #[command(flatten)]
    pub job: JobOptions,
    /// The image, whose command is fedbits (the Dockerfile of the sources makes it).
    #[arg(long, value_name = "IMAGE")]
    pub image: String,
    /// The claim of the volume that holds the study, its data and its results; pods of several nodes write to it.
    #[arg(long, value_name = "NAME")]
    pub claim: String,
    /// The folder here that is the volume; pods see it under the same path. Default: the working directory.
    #[arg(long, value_name = "DIR")]
    pub mount: Option<PathBuf>,
}
