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
mod rate_traces;
mod tables;
mod topology;
mod world;

use std::borrow::Cow;
use std::path::PathBuf;
use std::sync::Arc;

use fedbits_kernel::{Bits, TimeDelta};
use fedbits_models::data::holdout::Holdout;
use fedbits_models::data::{Coding, DataKind, DataSet, Observations, Shape};
use fedbits_models::fitted::Features;
use fedbits_models::initial::InitialSetting;
use fedbits_protocols::assessment::{Assessment, HeldOut, rounding};
use fedbits_protocols::fedem::Domain;
use fedbits_protocols::over::{Built, ExamplesOf, Over, RunSettings, SubjectsOf, Table};
use fedbits_protocols::plan::{RecordPlan, StopRules};
use fedbits_protocols::run::Experiment;
use fedbits_protocols::star::{Rounds, Upfront};
use fedbits_protocols::strings::Strings;
use fedbits_protocols::theory::Premises;
use fedbits_protocols::theory::descent::DescentPremises;
use fedbits_random::Streams;
use fedbits_record::{MapProjection, Marginal, RunTable, TopologyRows};
use fedbits_spec::{Caveat, so_many};

use self::data::Said;
use self::memory::{Budget, Estimate, Reserved, Sizes};
use self::model::{Dealt, Divided};
use crate::checks::{self, Facts};
use crate::data_files::DataFolders;
use crate::fitted::{FittedModel, Fitting};
use crate::schema::{self, Record, Scenario};
pub use error::PrepareError;
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
    pub caveats: Vec<Caveat>,
    /// What the theory of FedEM needs to know, for the protocols it is about.
    pub theory: Option<Premises>,
    /// What the theory of gradient methods needs to know, for the protocols it is about.
    pub descent: Option<DescentPremises>,
    /// The sites of the network and its links, when it has any.
    pub topology: Option<TopologyRows>,
    /// Tables that the record keeps of the run's surroundings: places on the earth, columns of the examples.
    pub tables: Vec<RunTable>,
    /// The links of the network.
    pub links: Links,
    /// What it takes to hand the fitted model over; none where θ is none of the scenario's model.
    pub fitting: Option<Fitting>,
    /// The memory that the run takes; to be dropped when the run has ended.
    pub memory: Reserved,
}

/// The run of a protocol on its world.
fn prepared(scenario: &Scenario, built: Built, dealt: Dealt, surroundings: Surroundings) -> Prepared {
    let Surroundings { world, notes } = surroundings;
    let experiment = Experiment {
        world,
        record: record(scenario, &dealt, built.protocol.subject().clients() as usize),
        protocol: built.protocol,
        stop: stop(scenario),
        data_digest: dealt.digest,
    };
    // k-means finds centres, which are no θ of the mixture that names their number.
    let fitting = (!matches!(scenario.protocol.over(), Over::Table(_))).then(|| Fitting {
        model: scenario.model.clone(),
        data: scenario.data.clone(),
        features: dealt.features,
        theta_names: experiment.protocol.subject().problem().parameter_names(),
    });
    let theory = built.theory.filter(|_| scenario.data.kind() == DataKind::Examples);
    Prepared {
        experiment,
        notes: dealt.notes,
        caveats: [dealt.caveats, built.caveats, notes.caveats].concat(),
        theory: theory.map(|theory| Premises { target: scenario.stop.mean_field_sq, ..theory }),
        descent: built.descent.map(|descent| DescentPremises { target: scenario.stop.mean_field_sq, ..descent }),
        topology: notes.topology,
        tables: notes.projection.into_iter().map(MapProjection::table).collect(),
        links: notes.links,
        fitting,
        memory: Reserved::default(),
    }
}

/// Prepares runs; arms that share their data load them once.
pub struct Preparer {
    folders: DataFolders,
    audit: bool,
    strings: Option<Strings>,
    loaded: Option<Loaded>,
    /// Sizes of data that are no table, with a model, by what decides them.
    measured: Vec<(MeasuredKey, Facts)>,
    /// Bytes of the data of the last scenario.
    read: u64,
    budget: Arc<Budget>,
    /// The Python script or notebook that has the runs made.
    pub script: Option<String>,
}

/// A table as it was prepared, for all arms that share it.
#[derive(Clone)]
struct Loaded {
    key: LoadedKey,
    said: Said,
    data: Arc<DataSet>,
    held_out: Option<Arc<DataSet>>,
    features: Features,
    /// Histograms of the columns before their preparation, where the record keeps them.
    marginals: Option<RunTable>,
}

impl Loaded {
    fn fits(&self, scenario: &Scenario, replicates: u64) -> Result<(), PrepareError> {
        let clients = &self.features.coding.clients;
        fits::clients(&self.data, self.held_out.as_deref(), clients, (scenario, replicates))?;
        fits::table(&self.data, scenario)
    }
}

/// What decides a prepared table. The seed and the replicate only where data, or what is held out, are drawn: files are
/// the same for all replicates.
#[derive(Clone, PartialEq)]
struct LoadedKey {
    data: schema::Data,
    preprocess: Vec<schema::Preprocess>,
    holdout: Option<Holdout>,
    root: Option<(u64, u64)>,
    marginals: Option<u32>,
    /// Whether examples may stay sparse, and labels are numbers.
    forms: (bool, bool),
}

impl LoadedKey {
    fn of(scenario: &Scenario) -> Self {
        let Scenario { data, preprocess, holdout, seed, replicate, .. } = scenario;
        let drawn = data.facts().is_drawn || holdout.is_some();
        let root = drawn.then_some((*seed, *replicate));
        let marginals = scenario.record.marginals;
        let forms = (data::stays_sparse(scenario), data::predicts_numbers(scenario));
        let (data, preprocess) = (data.clone(), preprocess.clone());
        Self { data, preprocess, holdout: *holdout, root, marginals, forms }
    }
}

/// What decides how large data are that are no table: data, model, and the share that no client has. Whether counts can
/// be divided, and a fit can start, no size tells: clients, who has what, and the start.
type MeasuredKey = (schema::Data, schema::Model, Option<Holdout>, Option<Division>);
type Division = (Option<usize>, schema::Partition, schema::Initial);

impl Preparer {
    /// `audit`: every message of the runs is checked bit by bit, not a sample. Runs may take what memory the machine
    /// has.
    pub fn new(folders: DataFolders, audit: bool) -> Self {
        Self::within(Budget::of_machine(), folders, audit)
    }

    /// The same, where the runs of several preparers share a budget of memory.
    pub fn within(budget: Arc<Budget>, folders: DataFolders, audit: bool) -> Self {
        let folders = DataFolders { limit: budget.of_a_file(), ..folders };
        Self { folders, audit, strings: None, loaded: None, measured: Vec::new(), read: 0, budget, script: None }
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
        self.budget.fits(&Estimate::stated(scenario))?;
        let mut prepared = self.assemble(scenario)?;
        let loaded = self.loaded.iter().filter(|loaded| loaded.key == LoadedKey::of(scenario));
        prepared.tables.extend(loaded.filter_map(|loaded| loaded.marginals.clone()));
        let subject = prepared.experiment.protocol.subject();
        let stated = Sizes::stated(scenario);
        let sizes = Sizes {
            examples: stated.examples.max(subject.problem().total()),
            clients: stated.clients.max(u64::from(subject.clients())),
            statistic: stated.statistic.max(subject.state().s_hat.len() as u64),
            parameters: stated.parameters.max(subject.state().theta.len() as u64),
            features: self.loaded.as_ref().map_or(stated.features, |loaded| loaded.data.dimension() as u64),
            data: self.read,
        };
        prepared.memory = self.budget.reserve(memory::of(scenario, sizes))?;
        prepared.caveats.extend(deadline::caveat(scenario, &mut prepared.experiment));
        Ok(prepared)
    }

    /// The scenario with the θ₀ that its `initial: Model(…)` names in place of the file, and the model of that file.
    fn with_start<'a>(
        &mut self,
        scenario: &'a Scenario,
        streams: &Streams,
    ) -> Result<(Cow<'a, Scenario>, Option<FittedModel>), PrepareError> {
        let Some(path) = scenario.initial.file() else { return Ok((Cow::Borrowed(scenario), None)) };
        let features = match scenario.data.kind() {
            DataKind::Examples if data::prepares_divided(&scenario.preprocess) => {
                self.divide(scenario, streams)?.dealt.features
            }
            DataKind::Examples => self.load(scenario, streams)?.features,
            _ => Features::default(),
        };
        let from = data::fitted(scenario, path, &self.folders)?;
        let theta = scenario.model.carry(&from.theta, &from.features, &features)?;
        let initial = InitialSetting::Parameters(theta);
        Ok((Cow::Owned(Scenario { initial, ..scenario.clone() }), Some(from)))
    }

    fn assemble(&mut self, scenario: &Scenario) -> Result<Prepared, PrepareError> {
        let streams = Streams::new(scenario.seed, scenario.replicate);
        let (scenario, from) = self.with_start(scenario, &streams)?;
        let scenario = &*scenario;
        let mut run = RunSettings { strings: self.strings.clone(), ..run_settings(scenario, streams, self.audit) };
        let mut peers = None;
        let (built, mut dealt) = match scenario.protocol.over() {
            Over::Examples(build) => {
                let (problem, dealt) = self.examples(scenario, &streams)?;
                run.rounds.preparation = dealt.exchange;
                (build(problem, &run).map_err(|error| dealt.explained(error))?, dealt)
            }
            Over::PeerExamples(build) => {
                let (problem, dealt) = self.examples(scenario, &streams)?;
                let graph = world::graph(dealt.clients, peers.insert(world::peers(scenario, streams, &self.folders)?))?;
                (build((problem, graph), &run).map_err(|error| dealt.explained(error))?, dealt)
            }
            Over::Counts(build) => {
                let (problem, dealt) = model::counts(scenario, self.divide(scenario, &streams)?, &streams)?;
                (build(problem, &run)?, dealt)
            }
            Over::Subjects(build) => {
                let (problem, dealt) = self.subjects(scenario, &streams)?;
                run.rounds.preparation = dealt.exchange;
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
                let graph = world::graph(dealt.clients, peers.insert(world::peers(scenario, streams, &self.folders)?))?;
                (build((features::problem(scenario, table, &streams)?, graph), &run)?, dealt)
            }
        };
        if scenario.protocol.over().is_by_feature() {
            let subject = built.protocol.subject();
            let (state, floats) = (subject.state(), scenario.protocol.profile().statistic_floats);
            dealt.rounding = rounding::of_start(subject.problem(), state.theta, floats).unwrap_or_default();
        }
        let surroundings = match peers {
            Some(peers) => peers,
            None => world::build(scenario, dealt.clients, streams, &self.folders)?,
        };
        let prepared = prepared(scenario, built, dealt, surroundings);
        // Columns of tables have names of their own, which `carry` compares.
        let from = from.filter(|_| scenario.data.kind() != DataKind::Examples);
        from.iter().zip(&prepared.fitting).try_for_each(|(from, to)| data::is_of_names(from, to))?;
        Ok(prepared)
    }

    /// Examples of clients under the scenario's model, and where the fit starts.
    fn examples(&mut self, scenario: &Scenario, streams: &Streams) -> Result<(ExamplesOf, Dealt), PrepareError> {
        model::examples(scenario, self.divide(scenario, streams)?, streams)
    }

    /// Examples whose features are divided.
    fn table(&mut self, scenario: &Scenario, streams: &Streams) -> Result<(Table, Dealt), PrepareError> {
        let Divided { partitioned, mut dealt, .. } = self.divide(scenario, streams)?;
        let Loaded { mut data, held_out, .. } = self.load(scenario, streams)?;
        // The examples that all arms share, unless their preparation goes on after they are divided.
        if data::prepares_divided(&scenario.preprocess) {
            data = Arc::new(partitioned.into_data());
        }
        let table = features::table(scenario, &data)?;
        (dealt.clients, dealt.held_out) = (table.blocks.len(), held_out.map(HeldOut::Examples).map(Arc::new));
        Ok((table, dealt))
    }

    /// Subjects over clients, with a model whose latent variables are sampled.
    fn subjects(&mut self, scenario: &Scenario, streams: &Streams) -> Result<(SubjectsOf, Dealt), PrepareError> {
        if scenario.data.kind() == DataKind::Examples {
            return model::labels(scenario, self.divide(scenario, streams)?, streams);
        }
        let (data, said) = data::read(scenario, &self.folders, streams)?;
        self.fits_memory(scenario, data.shape(), (data.size(), data.bytes()), None)?;
        model::subjects(scenario, data, said, streams)
    }

    /// The examples, and who has which.
    fn divide(&mut self, scenario: &Scenario, streams: &Streams) -> Result<Divided, PrepareError> {
        if scenario.data.kind() == DataKind::Examples {
            let loaded = self.load(scenario, streams)?;
            loaded.fits(scenario, 1)?;
            let Loaded { data, mut said, held_out, mut features, .. } = loaded;
            let groups = data.groups().filter(|_| scenario.partition == schema::Partition::ClientColumn);
            let clients = groups.and_then(|groups| groups.iter().max()).map(|&last| u64::from(last) + 1);
            let shape = Shape { features: Some(data.dimension()), ..Shape::default() };
            self.fits_memory(scenario, shape, (data.len(), data.bytes()), clients)?;
            let partitioned = data::partition(&data, scenario, streams)?;
            let (partitioned, done) = data::preprocess_divided(partitioned, &scenario.preprocess, &mut said)?;
            let held_out = match held_out {
                Some(held_out) if !done.transformation.is_empty() => {
                    let further = DataSet::clone(&held_out);
                    Some(Arc::new(data::transform(further, &done.transformation, scenario.holdout, &mut said)?))
                }
                held_out => held_out,
            };
            features.transformation.extend(done.transformation);
            let (held_out, exchange) = (held_out.map(HeldOut::Examples).map(Arc::new), done.exchange);
            let dealt = Dealt { exchange, held_out, features, ..Dealt::of(&partitioned, said) };
            return Ok(Divided { partitioned, counts: None, dealt });
        }
        let (data, said) = data::read(scenario, &self.folders, streams)?;
        self.fits_memory(scenario, data.shape(), (data.size(), data.bytes()), None)?;
        let statistic = scenario.model.statistic(&data.shape());
        let Observations::Counts(counts) = data else { return Err(data_error("the data are not a table of examples")) };
        let examples = Some(counts.data.len() as u64);
        fits::check(scenario, &Facts { examples, statistic, ..Facts::default() })?;
        if scenario.data.facts().holds_out && counts.held_out.is_none() {
            let found = format!("of {} this share is none", so_many(counts.data.len(), "observation"));
            return Err(misfit("data.held_out", found, "expected a larger share, or 0"));
        }
        let partitioned = data::partition(&counts.data, scenario, streams)?;
        let coding = Coding { sites: counts.sites.clone(), times: counts.times.clone(), ..Coding::default() };
        let held_out = counts.held_out.clone().map(|data| Arc::new(HeldOut::Examples(Arc::new(data))));
        let features = Features { coding, ..Features::default() };
        let dealt = Dealt { held_out, features, ..Dealt::of(&partitioned, said) };
        Ok(Divided { partitioned, counts: Some(counts), dealt })
    }

    /// Whether a run on data of this shape and size can be made, before anything is made of them.
    fn fits_memory(
        &mut self,
        scenario: &Scenario,
        shape: Shape,
        (size, bytes): (usize, u64),
        clients: Option<u64>,
    ) -> Result<(), PrepareError> {
        self.read = bytes;
        let sizes = Sizes::stated(scenario).with(scenario, shape, size, bytes);
        let clients = clients.unwrap_or(sizes.clients);
        self.budget.fits(&memory::of(scenario, Sizes { clients, ..sizes }))
    }

    /// Whether what the scenario says fits its data, as far as these tell it: data that are drawn have the sizes that
    /// the text says. Data that cannot be read are no problem yet. Arms that share their data read them once. Of so
    /// many replicates, from the scenario's own on: what is held out differs between them.
    pub fn check_replicates(&mut self, scenario: &Scenario, replicates: u64) -> Result<(), PrepareError> {
        if scenario.data.facts().is_drawn {
            return Ok(());
        }
        let streams = Streams::new(scenario.seed, scenario.replicate);
        let checked = if scenario.data.kind() == DataKind::Examples {
            self.load(scenario, &streams).and_then(|loaded| loaded.fits(scenario, replicates))
        } else {
            self.measured(scenario, &streams)
        };
        match checked {
            Err(PrepareError::Misfits(misfits)) => Err(PrepareError::Misfits(misfits)),
            _ => Ok(()),
        }
    }

    /// Tries the rules with the sizes of data that are no table. They are measured once for all scenarios that have in
    /// common what decides them.
    fn measured(&mut self, scenario: &Scenario, streams: &Streams) -> Result<(), PrepareError> {
        let Scenario { data, model, holdout, clients, partition, initial, .. } = scenario.clone();
        let is_sampled = scenario.protocol.over().is_sampled();
        let key: MeasuredKey = (data, model, holdout, (!is_sampled).then_some((clients, partition, initial)));
        if let Some((_, measured)) = self.measured.iter().find(|(known, _)| *known == key) {
            let clients = model::clients(scenario);
            return fits::check(scenario, &Facts { clients, ..measured.clone() });
        }
        let measured = if is_sampled {
            model::measured(self.subjects(scenario, streams)?.0.panel.model())
        } else {
            let federation = self.examples(scenario, streams)?.0.federation;
            let statistic = Some(federation.model().statistic_dimension());
            Facts { examples: Some(federation.total()), statistic, ..Facts::default() }
        };
        self.measured.push((key, measured));
        Ok(())
    }

    fn load(&mut self, scenario: &Scenario, streams: &Streams) -> Result<Loaded, PrepareError> {
        let key = LoadedKey::of(scenario);
        if let Some(loaded) = self.loaded.as_ref().filter(|loaded| loaded.key == key) {
            return Ok(loaded.clone());
        }
        let (Observations::Examples(raw), mut said) = data::read(scenario, &self.folders, streams)? else {
            return Err(data_error("the data are not a table of examples"));
        };
        let columns = raw.columns().to_vec();
        let (raw, held_out) = data::hold_out(raw, scenario, streams)?;
        let histogram = |bins: u32| Marginal::table(&Marginal::all(raw.columns(), raw.rows(), bins));
        let marginals = scenario.record.marginals.map(histogram);
        let (data, done) = data::preprocess(raw, &scenario.preprocess, &mut said)?;
        let transform = |raw| data::transform(raw, &done.transformation, scenario.holdout, &mut said);
        let held_out = held_out.map(transform).transpose()?.map(Arc::new);
        let features = Features { columns, transformation: done.transformation, coding: said.coding.clone() };
        let loaded = Loaded { key, said, data: Arc::new(data), held_out, features, marginals };
        self.loaded = Some(loaded.clone());
        Ok(loaded)
    }
}

/// What a run of the scenario is beside its protocol and its problem.
fn run_settings(scenario: &Scenario, streams: Streams, audit: bool) -> RunSettings {
    let variation = scenario.compute.variation;
    let rounds = Rounds {
        policy: scenario.round,
        late: scenario.late,
        participation: scenario.protocol.profile().participation,
        availability: scenario.availability.clone(),
        forgets: scenario.dropout.loses_state(),
        aggregation: scenario.aggregation,
        privacy: scenario.privacy,
        byzantine: scenario.byzantine.clone(),
        loses: checks::loses(scenario),
        variation: (variation > 0.0).then_some(variation),
        preparation: Upfront::default(),
    };
    RunSettings { rounds, staleness: scenario.staleness, audit, strings: None, streams }
}

fn record(scenario: &Scenario, dealt: &Dealt, clients: usize) -> RecordPlan {
    let Record { every, probe_every, theta, statistics, quality, clients_at, trace, links_every, .. } =
        scenario.record.clone();
    let (held_out, classes) = (dealt.held_out.clone(), dealt.features.coding.classes.clone());
    let floor = match scenario.protocol.profile().domain {
        Domain::Clip { floor } => floor,
        Domain::Error | Domain::SkipRound => 0.0,
    };
    let (floats, rounding) = (scenario.protocol.profile().statistic_floats, dealt.rounding.clone());
    let assessment = Assessment { clustering: quality, held_out, classes, floor, floats, rounding };
    let (clients, energy) = (scenario.asks_for_clients(clients), scenario.energy.is_some());
    RecordPlan { every, probe_every, clients, clients_at, trace, links_every, energy, theta, statistics, assessment }
}

/// The rules that can hold: one that is left over from a base may not.
fn stop(scenario: &Scenario) -> StopRules {
    let (stop, idle) = (&scenario.stop, checks::idle_rules(scenario));
    let holds = |rule: &str| idle.iter().all(|(idle_rule, _)| *idle_rule != rule);
    StopRules {
        rounds: stop.rounds,
        epochs: stop.epochs,
        time: stop.time.filter(|_| holds("time")).map(TimeDelta::of),
        bits: stop.bits.filter(|_| holds("bits")).map(Bits::of),
        mean_field_sq: stop.mean_field_sq.filter(|_| holds("mean_field_sq")),
        objective_change: stop.objective_change.filter(|_| holds("objective_change")),
        energy: stop.energy.filter(|_| holds("energy")).map(schema::Energy::joules),
        patience: stop.patience.filter(|_| holds("patience")),
        has_end: scenario.protocol.profile().ends_itself,
        cut: None,
    }
}
