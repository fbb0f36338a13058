//! `fedbits cluster`: the files by which an engine runs the shards of a study and puts them together. Shards get ten to
//! twenty minutes of runs each, because starting one takes seconds and sites limit their number; what is killed is
//! resumed. Where an engine has a shared folder, all shards write into that of the study; else their folders are
//! returned.

mod bundle;
mod htcondor;
mod job;
mod kubernetes;
mod nextflow;
mod parallel;
mod script;
mod slurm;
mod snakemake;

use std::path::{Path, PathBuf};

use fedbits_record::study::file_digest;

use self::bundle::Bundle;
use self::job::{Job, JobNames, Texts};
use self::script::Script;
use crate::cli::args::{ClusterEngine, ClusterOptions, JobOptions};
use crate::cli::failure::Failure;
use crate::cli::host;
use crate::cli::marked_files;
use crate::cli::output;
use crate::cli::progress::Console;
use crate::listener::Listener;
use crate::study::Study;

/// Writes the files and says how to submit them.
pub(crate) fn cluster(options: &ClusterOptions, console: &Console) -> Result<(), Failure> {
    match &options.engine {
        ClusterEngine::Slurm(own) => {
            let check = |names: &JobNames, _: &Study| slurm::check(names, own);
            shared(&own.job, "slurm", console, check, |job| Ok(slurm::files(job, own)))
        }
        ClusterEngine::Kubernetes(own) => {
            let check = |names: &JobNames, study: &Study| kubernetes::check(names, study, own);
            shared(&own.job, "kubernetes", console, check, |job| kubernetes::files(job, own))
        }
        ClusterEngine::Htcondor(own) => bundled(own, "htcondor", console, htcondor::files),
        ClusterEngine::Nextflow(own) => bundled(own, "nextflow", console, nextflow::files),
        ClusterEngine::Snakemake(own) => {
            shared(own, "snakemake", console, |names, _| snakemake::check(names), snakemake::files)
        }
        ClusterEngine::Parallel(own) => shared(own, "parallel", console, |_, _| Ok(()), |job| Ok(parallel::files(job))),
    }
}

/// For an engine with a shared folder. What it cannot have is refused before pilots take a minute.
fn shared(
    options: &JobOptions,
    engine: &str,
    console: &Console,
    check: impl FnOnce(&JobNames, &Study) -> Result<(), Failure>,
    texts: impl FnOnce(&Job) -> Result<Texts, Failure>,
) -> Result<(), Failure> {
    let (study, names) = named(options, engine)?;
    check(&names, &study)?;
    let job = Job::of(options, &study, names, engine)?;
    let texts = texts(&job)?;
    write(&job, texts, &[], console)
}

/// For an engine that takes the shards' files to where they run, and their results back.
fn bundled(
    options: &JobOptions,
    engine: &str,
    console: &Console,
    texts: impl FnOnce(&Job) -> Texts,
) -> Result<(), Failure> {
    let (study, names) = named(options, engine)?;
    let bundle = Bundle::of(&names, &study, options)?;
    let job = Job::of(options, &study, names, engine)?;
    let shard = ("inputs/shard.sh", bundle.shard_script(&job).0);
    let merge = ("merge.sh", bundle::merge_script(&job).0);
    let texts = texts(&job).into_iter().chain([shard, merge]).collect();
    write(&job, texts, &bundle.copies, console)
}

fn named(options: &JobOptions, engine: &str) -> Result<(Study, JobNames), Failure> {
    host::set_threads(options.host.threads);
    let study = Study::load(&options.file)?;
    let names = JobNames::of(options, study.name(), engine)?;
    Ok((study, names))
}

fn write(job: &Job, texts: Texts, copies: &[(PathBuf, PathBuf)], console: &Console) -> Result<(), Failure> {
    let folder = &job.names.folder;
    let copies: Vec<_> = copies.iter().map(|(from, to)| (from, folder.join("inputs").join(to))).collect();
    let mut new = Vec::new();
    for (from, to) in &copies {
        match to.symlink_metadata() {
            Err(_) => new.push((from, to)),
            Ok(_) if to.is_file() && file_digest(to)? == file_digest(from)? => {}
            Ok(_) => {
                return Err(Failure::Input(format!(
                    "{} is in the way: it is not {} as it is now; remove {}, or choose another --out",
                    to.display(),
                    from.display(),
                    folder.display()
                )));
            }
        }
    }
    let texts: Vec<_> = texts.into_iter().map(|(name, text)| (folder.join(name), text)).collect();
    let made = texts.iter().map(|(path, _)| path).chain(new.iter().map(|(_, to)| *to)).filter_map(|path| path.parent());
    for parent in made {
        fedbits_record::make_folder(parent).map_err(|error| Failure::file(parent, &error))?;
    }
    fedbits_record::undivided(|| marked_files::write(&texts, &job.mark))?;
    new.into_iter().try_for_each(|(from, to)| copy(from, to))?;
    console.message(&job.about);
    job.failed.iter().for_each(|why| console.caveat(why));
    output::bytes(&Script::default().text("sh ").word(folder.join("submit.sh")).text("\n").0)
}

/// A copy that is whole or not there.
fn copy(from: &Path, to: &Path) -> Result<(), Failure> {
    let mut begun = to.as_os_str().to_owned();
    begun.push(".part");
    let copied = std::fs::copy(from, &begun).and_then(|_| std::fs::rename(&begun, to));
    copied.map_err(|error| Failure::file(to, &error))
}
