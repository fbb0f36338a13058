//! From a checked scenario to a run: data, model, initial value, protocol, world.
//!
//! Everything a user could get wrong in the text has been checked before; what can still fail here depends on files and
//! numbers. It must not know the command line.

mod data;
mod deadline;
mod error;
mod features;
mod fits;
mod laws;
mod links;
pub mod memory;
mod model;
mod network;
mod peers;
mod rate_traces;
mod tables;
mod time_use;
mod topology;
mod world;

use std::path::PathBuf;
use std::sync::Arc;

use fedbits_kernel::{Bits, TimeDelta};
use fedbits_models::data::{DataKind, DataSet, Observations};
use fedbits_protocols::over::{Built, ExamplesOf, Over, RunSettings, SubjectsOf, Table};
use fedbits_protocols::plan::{RecordPlan, StopRules};
use fedbits_protocols::run::Experiment;
use fedbits_protocols::star::Rounds;
use fedbits_protocols::strings::Strings;
use fedbits_protocols::theory::Setting;
use fedbits_random::Streams;
use fedbits_record::TopologyRows;

use self::memory::{Budget, Reserved, Sizes};
use self::model::{Dealt, Divided, hex};
use crate::checks::{self, Facts};
use crate::data_files::DataFolders;
use crate::schema::{self, Scenario};
pub use error::{Misfit, PrepareError};
use error::{data_error, misfit, model_error, start_error};
pub use network::Links;
use world::Surroundings;

/// What preparing found out, for people.
pub struct Prepared {
    /// The run.
    pub experiment: Experiment,
    /// What was done to the data, one line per step.
    pub notes: Vec<String>,
    /// Caveats that only the data could tell.
    pub caveats: Vec<String>,
    /// What the theory of FedEM needs to know, for the protocols it is about.
    pub theory: Option<Setting>,
    /// The sites of the network and its links, when it has any.
    pub topology: Option<TopologyRows>,
    /// The links of the network.
    pub links: Links,
    /// The memory that the run takes; to be dropped when the run has ended.
    pub memory: Reserved,
}

/// The run of a protocol on its world.
fn prepared(scenario: &Scenario, built: Built, dealt: Dealt, surroundings: Surroundings) -> Prepared {
    let experiment = Experiment {
        world: surroundings.world,
        record: record(scenario, built.protocol.subject().clients() as usize),
        protocol: built.protocol,
        stop: stop(scenario),
        data_digest: dealt.digest,
    };
    let theory = built.theory.filter(|_| scenario.data.kind() == DataKind::Examples);
    Prepared {
        experiment,
        notes: dealt.notes,
        caveats: [dealt.caveats, built.caveats, surroundings.caveats].concat(),
        theory: theory.map(|theory| Setting { target: scenario.stop.mean_field_sq, ..theory }),
        topology: surroundings.topology,
        links: surroundings.links,
        memory: Reserved::default(),
    }
}

/// Prepares runs; arms that share their data load them once.
pub struct Preparer {
    folders: DataFolders,
    audit: bool,
    strings: Option<Strings>,
    loaded: Option<Loaded>,
    /// Sizes of data that are no table, with a model.
    measured: Vec<(schema::Data, schema::Model, Facts)>,
    budget: Arc<Budget>,
}

struct Loaded {
    /// The seed and the replicate only where data are drawn: files are the same for all replicates of a study.
    key: (schema::Data, Vec<schema::Preprocess>, Option<(u64, u64)>),
    data: Arc<DataSet>,
    notes: Vec<String>,
}

impl Preparer {
    /// `audit`: every message of the runs is checked bit by bit, not a sample. Runs may take what memory the machine
    /// has.
    pub fn new(folders: DataFolders, audit: bool) -> Self {
        Self::within(Budget::of_machine(), folders, audit)
    }

    /// The same, where the runs of several preparers share a budget of memory.
    pub fn within(budget: Arc<Budget>, folders: DataFolders, audit: bool) -> Self {
        Self { folders, audit, strings: None, loaded: None, measured: Vec::new(), budget }
    }

    /// From now on, runs leave the bit strings of their messages there, for a network that carries them.
    pub fn carry(&mut self, strings: Option<Strings>) {
        self.strings = strings;
    }

    /// The folder of the scenario, absolute where the system tells it.
    pub fn scenario_folder(&self) -> Option<PathBuf> {
        let folder = self.folders.scenario.as_ref()?;
        Some(std::fs::canonicalize(folder).unwrap_or_else(|_| folder.clone()))
    }

    /// Loads data and builds the run of `scenario`.
    ///
    /// # Errors
    /// When a file is missing or wrong, or the data do not fit what is asked of them.
    pub fn prepare(&mut self, scenario: &Scenario) -> Result<Prepared, PrepareError> {
        self.budget.fits(&memory::of(scenario, Sizes::stated(scenario)))?;
        let mut prepared = self.assemble(scenario)?;
        let subject = prepared.experiment.protocol.subject();
        let stated = Sizes::stated(scenario);
        let sizes = Sizes {
            examples: stated.examples.max(subject.problem().total()),
            clients: stated.clients.max(u64::from(subject.clients())),
            statistic: stated.statistic.max(subject.state().s_hat.len() as u64),
            features: self.loaded.as_ref().map_or(stated.features, |loaded| loaded.data.dimension() as u64),
        };
        prepared.memory = self.budget.reserve(memory::of(scenario, sizes))?;
        prepared.caveats.extend(deadline::caveat(scenario, &mut prepared.experiment));
        Ok(prepared)
    }

    fn assemble(&mut self, scenario: &Scenario) -> Result<Prepared, PrepareError> {
        let streams = Streams::new(scenario.seed, scenario.replicate);
        let run = RunSettings { strings: self.strings.clone(), ..run_settings(scenario, streams, self.audit) };
        let mut peers = None;
        let (built, dealt) = match scenario.protocol.over() {
            Over::Examples(build) => {
                let (problem, dealt) = self.examples(scenario, &streams)?;
                (build(problem, &run)?, dealt)
            }
            Over::PeerExamples(build) => {
                let (problem, dealt) = self.examples(scenario, &streams)?;
                let graph = peers::graph(dealt.clients, peers.insert(world::peers(scenario, streams, &self.folders)?))?;
                (build((problem, graph), &run)?, dealt)
            }
            Over::Counts(build) => {
                let (problem, dealt) = model::counts(scenario, self.divide(scenario, &streams)?, &streams)?;
                (build(problem, &run)?, dealt)
            }
            Over::Subjects(build) => {
                let (problem, dealt) = self.subjects(scenario, &streams)?;
                (build(problem, &run)?, dealt)
            }
            Over::Table(build) => {
                let (table, dealt) = self.table(scenario, &streams)?;
                (build(table, &run)?, dealt)
            }
            Over::Features(build) => {
                let (table, dealt) = self.table(scenario, &streams)?;
                (build(features::problem(scenario, table, &streams)?, &run)?, dealt)
            }
            Over::PeerFeatures(build) => {
                let (table, dealt) = self.table(scenario, &streams)?;
                let graph = peers::graph(dealt.clients, peers.insert(world::peers(scenario, streams, &self.folders)?))?;
                (build((features::problem(scenario, table, &streams)?, graph), &run)?, dealt)
            }
        };
        let surroundings = match peers {
            Some(peers) => peers,
            None => world::build(scenario, dealt.clients, streams, &self.folders)?,
        };
        Ok(prepared(scenario, built, dealt, surroundings))
    }

    /// Examples of clients under the scenario's model, and where the fit starts.
    fn examples(&mut self, scenario: &Scenario, streams: &Streams) -> Result<(ExamplesOf, Dealt), PrepareError> {
        model::examples(scenario, self.divide(scenario, streams)?, streams)
    }

    /// Examples whose features are divided.
    fn table(&mut self, scenario: &Scenario, streams: &Streams) -> Result<(Table, Dealt), PrepareError> {
        let Divided { notes, partitioned, .. } = self.divide(scenario, streams)?;
        let digest = hex(&partitioned.digest());
        // A copy of all examples, which nobody needs any more.
        drop(partitioned);
        let (data, _) = self.load(scenario, streams)?;
        let (table, caveat) = features::table(scenario, &data)?;
        let clients = table.blocks.len();
        Ok((table, Dealt { clients, digest, notes, caveats: caveat.into_iter().collect() }))
    }

    /// Subjects over clients, with a model whose latent variables are sampled.
    fn subjects(&mut self, scenario: &Scenario, streams: &Streams) -> Result<(SubjectsOf, Dealt), PrepareError> {
        if scenario.data.kind() == DataKind::Examples {
            return model::labels(scenario, self.divide(scenario, streams)?, streams);
        }
        let data = data::read(scenario, &self.folders, streams)?;
        self.fits_observations(scenario, &data)?;
        model::subjects(scenario, data, streams)
    }

    /// The examples, and who has which.
    fn divide(&mut self, scenario: &Scenario, streams: &Streams) -> Result<Divided, PrepareError> {
        if scenario.data.kind() == DataKind::Examples {
            let (data, notes) = self.load(scenario, streams)?;
            fits::table(&data, scenario)?;
            self.fits_table(scenario, &data)?;
            let partitioned = data::partition(&data, scenario, streams)?;
            return Ok(Divided { partitioned, counts: None, notes });
        }
        let data = data::read(scenario, &self.folders, streams)?;
        self.fits_observations(scenario, &data)?;
        let statistic = scenario.model.statistic(&data.shape());
        let Observations::Counts(counts) = data else { return Err(data_error("these data are no table of examples")) };
        let examples = Some(counts.data.len() as u64);
        fits::check(scenario, &Facts { examples, statistic, ..Facts::default() })?;
        let partitioned = data::partition(&counts.data, scenario, streams)?;
        Ok(Divided { partitioned, counts: Some(counts), notes: Vec::new() })
    }

    /// Whether a run on data that are no table can be made, before anything is made of them.
    fn fits_observations(&self, scenario: &Scenario, data: &Observations) -> Result<(), PrepareError> {
        let stated = Sizes::stated(scenario);
        let statistic = scenario.model.statistic(&data.shape()).map_or(stated.statistic, |q| q as u64);
        self.budget.fits(&memory::of(scenario, Sizes { examples: data.size() as u64, statistic, ..stated }))
    }

    /// Whether a run on this table can be run, before anything is made of it.
    fn fits_table(&self, scenario: &Scenario, data: &DataSet) -> Result<(), PrepareError> {
        let groups = data.groups().filter(|_| scenario.partition == schema::Partition::ClientColumn);
        let stated = Sizes::stated(scenario).with_table(scenario, data.len(), data.dimension());
        let clients = groups.and_then(|groups| groups.iter().max()).map_or(stated.clients, |&last| u64::from(last) + 1);
        self.budget.fits(&memory::of(scenario, Sizes { clients, ..stated }))
    }

    /// Whether what the scenario says fits its data, as far as files tell it: data that are drawn have the sizes that
    /// the text says. Data that cannot be read are no problem yet. Arms that share their data read them once.
    ///
    /// # Errors
    /// [`PrepareError::Misfits`], every value that does not fit.
    pub fn check_fit(&mut self, scenario: &Scenario) -> Result<(), PrepareError> {
        if scenario.data.files().is_empty() {
            return Ok(());
        }
        let streams = Streams::new(scenario.seed, scenario.replicate);
        let checked = if scenario.data.kind() == DataKind::Examples {
            self.load(scenario, &streams).and_then(|(data, _)| fits::table(&data, scenario))
        } else {
            self.measured(scenario, &streams)
        };
        match checked {
            Err(PrepareError::Misfits(misfits)) => Err(PrepareError::Misfits(misfits)),
            _ => Ok(()),
        }
    }

    /// Tries the rules with the sizes of data that are no table. They are measured once for all scenarios that have
    /// data and model in common.
    fn measured(&mut self, scenario: &Scenario, streams: &Streams) -> Result<(), PrepareError> {
        let known = |(data, model, _): &&(schema::Data, schema::Model, Facts)| {
            (data, model) == (&scenario.data, &scenario.model)
        };
        if let Some((.., measured)) = self.measured.iter().find(known) {
            let clients = model::clients(scenario);
            return fits::check(scenario, &Facts { clients, ..measured.clone() });
        }
        let measured = if scenario.protocol.over().is_sampled() {
            model::measured(self.subjects(scenario, streams)?.0.panel.model())
        } else {
            let federation = self.examples(scenario, streams)?.0.federation;
            let statistic = Some(federation.model().statistic_dimension());
            Facts { examples: Some(federation.total()), statistic, ..Facts::default() }
        };
        self.measured.push((scenario.data.clone(), scenario.model.clone(), measured));
        Ok(())
    }

    fn load(&mut self, scenario: &Scenario, streams: &Streams) -> Result<(Arc<DataSet>, Vec<String>), PrepareError> {
        let drawn = scenario.data.files().is_empty();
        let root = drawn.then_some((scenario.seed, scenario.replicate));
        let key = (scenario.data.clone(), scenario.preprocess.clone(), root);
        if let Some(loaded) = self.loaded.as_ref().filter(|loaded| loaded.key == key) {
            return Ok((Arc::clone(&loaded.data), loaded.notes.clone()));
        }
        let Observations::Examples(raw) = data::read(scenario, &self.folders, streams)? else {
            return Err(data_error("these data are no table of examples"));
        };
        let (data, notes) = data::preprocess(raw, &scenario.preprocess)?;
        let data = Arc::new(data);
        self.loaded = Some(Loaded { key, data: Arc::clone(&data), notes: notes.clone() });
        Ok((data, notes))
    }
}

/// What a run of the scenario is beside its protocol and its problem.
fn run_settings(scenario: &Scenario, streams: Streams, audit: bool) -> RunSettings {
    let variation = scenario.compute.variation;
    let rounds = Rounds {
        policy: scenario.round,
        late: scenario.late,
        participation: scenario.protocol.participation(),
        availability: scenario.availability.clone(),
        forgets: scenario.dropout.loses_state(),
        aggregation: scenario.aggregation,
        privacy: scenario.privacy,
        can_miss: checks::can_miss(scenario),
        variation: (variation > 0.0).then_some(variation),
    };
    RunSettings { rounds, staleness: scenario.staleness, audit, strings: None, streams }
}

fn record(scenario: &Scenario, clients: usize) -> RecordPlan {
    let schema::Record { every, probe_every, .. } = scenario.record;
    RecordPlan { every, probe_every, clients: time_use::asks_for_clients(scenario, clients) }
}

fn stop(scenario: &Scenario) -> StopRules {
    let stop = &scenario.stop;
    StopRules {
        rounds: stop.rounds,
        epochs: stop.epochs,
        time: stop.time.map(TimeDelta::of),
        bits: stop.bits.map(Bits::of),
        mean_field_sq: stop.mean_field_sq,
        objective_change: stop.objective_change,
        energy: stop.energy.map(schema::Energy::joules),
    }
}
