//! The options of commands that run a scenario.

use std::path::PathBuf;

use fedbits_scenarios::Set;

use super::values::whole;
use crate::cli::failure::Failure;
use crate::cli::project;
use crate::error::Error;
use crate::options::{MOST_THREADS, RunOptions as MachineOptions, bytes};
use crate::scenario::Scenario;

/// Which scenario, and how it is changed.
#[derive(Debug, clap::Args)]
pub(crate) struct ScenarioOptions {
    /// A scenario file or a built-in scenario (`fedbits list`).
    pub file: String,
    #[command(flatten)]
    pub changes: Changes,
}

impl ScenarioOptions {
    /// The scenario with its changes.
    pub(crate) fn read(&self) -> Result<Scenario, Error> {
        self.changes.read(&self.file)
    }
}

/// How a scenario is changed, and run on this machine.
#[derive(Debug, clap::Args)]
pub(crate) struct Changes {
    /// Root seed, overriding the scenario's.
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = whole(0, u64::MAX))]
    pub seed: Option<u64>,
    /// Change a setting, for example `--set protocol.gamma='Constant(0.1)'` or `--set data.path=my.csv`; repeatable.
    #[arg(long, value_name = "PATH=VALUE")]
    pub set: Vec<Set>,
    #[command(flatten)]
    pub host: HostOptions,
}

impl Changes {
    /// A scenario with these changes.
    pub(crate) fn read(&self, file: &str) -> Result<Scenario, Error> {
        if self.set.iter().any(|set| set.path == "base") {
            let why = "--set base: the base is what all else is laid over, and cannot be set";
            return Err(Error::Input(format!("{why}: expected it in the file, as a text: `base: \"quickstart\"`")));
        }
        if self.seed.is_some() {
            self.spare("seed")?;
        }
        let scenario =
            self.set.iter().fold(Scenario::load(file)?, |scenario, Set { path, value }| scenario.set(path, value));
        Ok(self.seed.iter().fold(scenario, |scenario, seed| scenario.set("seed", &seed.to_string())))
    }

    /// What an option says is not set as well: one of the two would be lost.
    ///
    /// # Errors
    /// Where it is.
    pub(crate) fn spare(&self, option: &str) -> Result<(), Error> {
        match self.set.iter().any(|set| set.path == option) {
            true => Err(Error::Input(format!(
                "--{option} and --set {option}=… both set the same value: expected one of them"
            ))),
            false => Ok(()),
        }
    }
}

/// What concerns this machine and no result.
#[derive(Clone, Debug, Default, clap::Args)]
pub(crate) struct HostOptions {
    /// Folder of data files, searched after the scenario's folder; `verify` and `trace` search only it (also: variable
    /// FEDBITS_DATA).
    #[arg(long, value_name = "DIR")]
    pub data: Option<PathBuf>,
    /// Number of threads, which never changes a result (also: variable FEDBITS_THREADS). Default: all cores.
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = whole(1, MOST_THREADS))]
    pub threads: Option<u16>,
    /// Memory limit of all runs together, for example 4GB or 500MiB (also: variable FEDBITS_MAX_MEMORY). Default:
    /// available memory.
    #[arg(long, value_name = "SIZE", value_parser = bytes)]
    pub max_memory: Option<u64>,
    /// Encode, decode and compare every message, not a sample.
    #[arg(long)]
    pub audit: bool,
}

impl HostOptions {
    /// The same for the library.
    pub(crate) fn machine(&self) -> MachineOptions {
        let Self { data, threads, max_memory, audit } = self.clone();
        let threads = threads.or(project::get().threads).map(usize::from);
        MachineOptions { data: project::data(data), threads, max_memory, audit, ..MachineOptions::default() }
    }

    /// The same for a run that is made again: `--data` then names the only folder, so that the author's own files do
    /// not stand in for those that were handed on.
    ///
    /// # Errors
    /// When there is no such folder.
    pub(crate) fn machine_of_record(&self) -> Result<MachineOptions, Failure> {
        if let Some(data) = self.data.as_ref().filter(|data| !data.is_dir()) {
            return Err(Failure::Input(format!("there is no folder {} for data", data.display())));
        }
        Ok(MachineOptions { only_data: self.data.is_some(), ..self.machine() })
    }
}
