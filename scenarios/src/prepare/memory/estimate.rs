//! The memory of a run, part by part, from the sizes of its data and its model. The factors were measured; a test
//! (`tests/command_line/footprints.rs`) compares the sum with what runs take. This file must not know what there is.

use fedbits_models::data::{Beside, DataKind, Shape};
use fedbits_protocols::footprint::{self, product};
use fedbits_protocols::over::Over;
use fedbits_protocols::plan::Participation;
use fedbits_protocols::reference;
use fedbits_spec::so_many;

use super::{Part, graph, shown};
use crate::checks::{self, Facts};
use crate::schema::{Aggregation, Dropout, Initial, Preprocess, Scenario};

/// The parts of a run, largest first.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Estimate {
    parts: Vec<Part>,
}

/// What decides how much memory a run takes. What is not known yet is 0.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::prepare) struct Sizes {
    /// N.
    pub(in crate::prepare) examples: u64,
    /// d.
    pub(in crate::prepare) features: u64,
    /// n, agents included.
    pub(in crate::prepare) clients: u64,
    /// q.
    pub(in crate::prepare) statistic: u64,
    /// The length of θ.
    pub(in crate::prepare) parameters: u64,
    /// Bytes of the data, held once.
    pub(in crate::prepare) data: u64,
}

impl Estimate {
    pub(super) fn new(mut parts: Vec<Part>) -> Self {
        parts.retain(|part| part.bytes > 0);
        parts.sort_by_key(|part| std::cmp::Reverse(part.bytes));
        Self { parts }
    }

    /// Of a run, as far as the scenario alone tells it.
    #[must_use]
    pub fn stated(scenario: &Scenario) -> Self {
        of(scenario, Sizes::stated(scenario))
    }

    /// All parts, the largest first.
    #[must_use]
    pub fn parts(&self) -> &[Part] {
        &self.parts
    }

    /// Bytes in all; beyond 64 bits the largest number.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.parts.iter().fold(0, |sum, part| sum.saturating_add(part.bytes))
    }

    /// The largest parts, as text.
    #[must_use]
    pub fn largest_parts(&self) -> String {
        let part = |part: &Part| format!("{} {}", part.what, shown(part.bytes));
        self.parts.iter().take(SHOWN).map(part).collect::<Vec<_>>().join(", ")
    }
}

/// This many parts are named.
const SHOWN: usize = 3;

/// The program itself, its threads and buffers.
const PROGRAM: u64 = 33 << 20;
/// A client that takes part in no round: its link, its speed, its place among the others, and its part in what is
/// exchanged before the first round.
const CLIENT: u64 = 500;
/// What a client that takes part needs further, beside its memory and its messages: its state, its connection, its
/// accounts, its events.
const PARTICIPANT: u64 = 900;
/// And what it needs where clients drop out.
const DROPPING_OUT: u64 = 400;
/// A vector that the server decodes for a robust rule, mixed and not, or a distance to another.
const DECODED: u64 = 16;
/// The statistics of this many clients are computed at a time.
const BLOCK: u64 = 4_096;
/// A name of a column or of an entry of θ.
const NAME: u64 = 56;
/// Lists of the names of the columns: of the tables, of the record, of the fitted model.
const LISTS: u64 = 7;
/// An entry of θ in `model.json` and `model.npz`: as a number, in both files, and its name.
const WRITTEN: u64 = 16 + 20 + 20;
/// The same of a number of the parameters in the units of the data: as a value, in two arrays, in the bytes of one
/// file, which grow, and in the text of the other.
const ARRAY: u64 = 32 + 16 + 24 + 20;
/// Such a number after a model was read as the start: as a value, which is kept; as the value and in the array that it
/// was compared with, whose many small blocks are free but hold no table. The text, one large block, is given back.
const READ: u64 = 32 + 32 + 8;
/// Vectors of θ while it is put together.
const STARTS: u64 = 3;
/// Bytes of an entry of a covariance whose eigenvectors are found.
const COVARIANCE: u64 = 40;
/// The lists by which a table is dealt to clients, and k-means sorts it.
const DEALT: u64 = 20;

impl Sizes {
    /// As far as the scenario alone tells.
    pub(in crate::prepare) fn stated(scenario: &Scenario) -> Self {
        let facts = checks::facts(scenario, &Facts::default());
        let whole = |size: Option<usize>| size.map_or(0, |size| size as u64);
        let (examples, features) = (facts.examples.unwrap_or(0), whole(facts.features));
        let shape = Shape { features: facts.features, ..scenario.data.facts().shape };
        Self {
            examples,
            features,
            clients: whole(scenario.clients).max(1),
            statistic: whole(facts.statistic),
            parameters: whole(scenario.model.parameters(&shape)),
            data: product(&[examples, (8 * features).saturating_add(scenario.data.facts().bytes_beside)]),
        }
    }

    /// With the data in hand.
    pub(in crate::prepare) fn with(self, scenario: &Scenario, shape: Shape, examples: usize, data: u64) -> Self {
        let shape = Shape { sites: shape.sites.or(scenario.data.facts().shape.sites), ..shape };
        let or = |found: Option<usize>, stated: u64| found.map_or(stated, |found| found as u64);
        Self {
            examples: examples as u64,
            features: or(shape.features, self.features),
            statistic: or(scenario.model.statistic(&shape), self.statistic),
            parameters: or(scenario.model.parameters(&shape), self.parameters),
            data,
            ..self
        }
    }
}

/// What a run of `scenario` takes, of which the sizes are known: what it always has, and the most of what it has in one
/// of its stages.
pub(in crate::prepare) fn of(scenario: &Scenario, sizes: Sizes) -> Estimate {
    let (network, path) = (&scenario.network, "network.shape.sites");
    let mut parts = vec![
        part("the program", "name", &[PROGRAM]),
        part("sites and links", path, &[graph::bytes(network)]),
        part("shortest routes between sites", path, &[graph::routes(network, sizes.clients)]),
        names(scenario, sizes),
    ];
    let stages =
        [reading(scenario, sizes), starting(scenario, sizes), running(scenario, sizes), ending(scenario, sizes)];
    let total = |parts: &Vec<Part>| parts.iter().fold(0, |sum: u64, part| sum.saturating_add(part.bytes));
    parts.extend(stages.into_iter().max_by_key(total).unwrap_or_default());
    Estimate::new(parts)
}

/// A part of the product of these sizes.
fn part(what: impl Into<String>, path: &'static str, factors: &[u64]) -> Part {
    Part { what: what.into(), path, bytes: product(factors) }
}

/// The data in so many copies, and so many bytes more of each observation.
fn data(scenario: &Scenario, sizes: Sizes, copies: u64, more: u64) -> Part {
    let units = scenario.data.kind().units();
    let bytes = product(&[copies, sizes.data]).saturating_add(product(&[sizes.examples, more]));
    Part { what: format!("{} {units}", sizes.examples), path: scenario.data.facts().size_field, bytes }
}

/// The names of the columns of a table.
fn names(scenario: &Scenario, sizes: Sizes) -> Part {
    let columns = if is_table(scenario) { sizes.features } else { 0 };
    part(format!("names of {}", so_many(columns, "column")), "data", &[NAME, LISTS, columns])
}

fn is_table(scenario: &Scenario) -> bool {
    scenario.data.kind() == DataKind::Examples
}

/// While the data are read and prepared.
fn reading(scenario: &Scenario, sizes: Sizes) -> Vec<Part> {
    let source = &scenario.data;
    // A file is read as bytes or cells, which become numbers.
    let copies = if source.facts().is_drawn { 1 } else { 2 };
    let mut parts = vec![data(scenario, sizes, copies, 0)];
    parts.extend(source.facts().beside.map(|Beside { what, field, bytes }| Part { what, path: field, bytes }));
    if scenario.preprocess.iter().any(|step| matches!(step, Preprocess::Pca(_))) {
        let raw = source.facts().shape.features.map_or(sizes.features, |features| features as u64);
        let what = format!("the covariance of {}", so_many(raw, "column"));
        parts.push(part(what, "preprocess", &[COVARIANCE, raw, raw]));
        parts.push(part("the columns before their projection", "preprocess", &[8, sizes.examples, raw]));
    }
    parts
}

/// Copies of the data while they are dealt and the fit starts, and while it runs: a table is kept for the next arm.
fn copies(scenario: &Scenario) -> (u64, u64) {
    match (scenario.protocol.over().is_sampled(), scenario.data.kind()) {
        (true, DataKind::Examples) => (3, 2),
        // At the end as many observations are simulated.
        (true, DataKind::Subjects) => (1, 2),
        (true, _) => (1, 1),
        (false, DataKind::Examples) => (2, 2),
        (false, _) => (2, 1),
    }
}

/// While the fit starts.
fn starting(scenario: &Scenario, sizes: Sizes) -> Vec<Part> {
    let clusters = matches!(scenario.initial, Initial::KMeans { .. } | Initial::KMeansPlusPlus { .. });
    let sorted = if clusters { 8 * sizes.features } else { 0 };
    let workspace = scenario.model.workspace(sizes.features);
    let file = scenario.initial.file().map_or(0, |_| {
        product(&[NAME + 8, sizes.parameters]).saturating_add(product(&[READ, array_numbers(scenario, sizes)]))
    });
    let bytes = product(&[8 * STARTS, sizes.parameters]).saturating_add(workspace.of_theta).saturating_add(file);
    vec![
        data(scenario, sizes, copies(scenario).0, sorted.saturating_add(DEALT)),
        part("the initial value", scenario.model.size_field(&*scenario.data), &[bytes]),
    ]
}

/// While it runs, and is assessed at the end.
fn running(scenario: &Scenario, sizes: Sizes) -> Vec<Part> {
    let Sizes { examples, features, clients, statistic, parameters, .. } = sizes;
    let (workspace, path) = (scenario.model.workspace(features), scenario.model.size_field(&*scenario.data));
    let search = reference::vectors(usize::try_from(statistic).unwrap_or(usize::MAX), passes(scenario, sizes));
    let vectors = scenario.model.vectors().saturating_add(search);
    let mut parts = vec![
        data(scenario, sizes, copies(scenario).1, workspace.of_observation),
        part(format!("vectors of q = {statistic} numbers"), path, &[8, vectors, statistic]),
        part(format!("names of {parameters} parameters"), path, &[NAME, parameters]),
    ];
    // Small data are summed by one thread. A round and a probe have working memory, sampled labels those of a probe.
    let threads = if examples < BLOCK { 1 } else { rayon::current_num_threads() as u64 };
    let buffers = threads + u64::from(!scenario.protocol.over().is_sampled());
    let work = product(&[2, workspace.of_theta]).saturating_add(product(&[buffers, workspace.of_thread]));
    parts.push(part("working memory of E-steps", path, &[work]));
    // Others sum statistics as they go.
    if matches!(scenario.protocol.over(), Over::Examples(_) | Over::PeerExamples(_)) {
        let block = clients.min(BLOCK);
        // Several threads compute those of a round before its broadcasts arrive.
        let ahead = match scenario.protocol.profile().participation {
            _ if threads == 1 => 0,
            Participation::Cohort(m) => clients.min(u64::from(m)),
            _ => clients,
        };
        let what = format!("statistics of {} at a time", so_many(block, "client"));
        parts.push(part(what, "model", &[8, block + ahead, statistic.saturating_add(1)]));
    }
    protocol(scenario, sizes, &mut parts);
    parts
}

/// The most passes of the search for the least objective at the end.
fn passes(scenario: &Scenario, sizes: Sizes) -> u64 {
    let probes = |rounds: u64| scenario.record.probe_every.map_or(1, |every| 2 + rounds / every.max(1));
    let made = scenario.stop.rounds.map_or(f64::INFINITY, |rounds| (rounds + probes(rounds)) as f64);
    let (q, em) = (usize::try_from(sizes.statistic).unwrap_or(usize::MAX), scenario.model.exact());
    reference::allowed_passes(sizes.examples.max(1), q, made, em.is_some_and(|em| em.abilities().descends))
}

/// Numbers of the parameters in the units of the data.
fn array_numbers(scenario: &Scenario, sizes: Sizes) -> u64 {
    scenario.model.array_numbers(sizes.features).unwrap_or(sizes.parameters)
}

/// While the fitted model is written.
fn ending(scenario: &Scenario, sizes: Sizes) -> Vec<Part> {
    let kept = u64::from(is_table(scenario));
    let what = format!("the files of {} parameters", sizes.parameters);
    let arrays = product(&[ARRAY, array_numbers(scenario, sizes)]);
    let bytes = product(&[NAME + WRITTEN, sizes.parameters]).saturating_add(arrays);
    vec![data(scenario, sizes, kept, 0), part(what, "model", &[bytes])]
}

/// What the protocol keeps and sends.
fn protocol(scenario: &Scenario, sizes: Sizes, parts: &mut Vec<Part>) {
    let Sizes { examples, clients, statistic, .. } = sizes;
    let taking_part = taking_part(scenario, clients);
    let each = PARTICIPANT + if scenario.dropout != Dropout::Never { DROPPING_OUT } else { 0 };
    parts.push(part(so_many(clients, "client"), "clients", &[CLIENT, clients]));
    parts.push(part(format!("taking part of {}", so_many(taking_part, "client")), "clients", &[each, taking_part]));
    let components = scenario.model.facts().components.unwrap_or(1) as u64;
    let combines = scenario.byzantine.is_some() || matches!(scenario.aggregation, Aggregation::Robust(_));
    let copies = scenario.dropout.loses_state() || combines;
    let latent = scenario.model.sampled().map_or(0, |model| model.abilities().latent as u64);
    let sizes = footprint::Sizes { examples, clients, taking_part, statistic, latent, components, copies };
    if combines {
        let what = format!("the vectors of {}", so_many(clients, "client"));
        parts.push(part(what, "aggregation", &[DECODED, clients, statistic.saturating_add(clients)]));
    }
    parts.extend(scenario.protocol.memory(&sizes));
}

/// Clients that take part in any round, at the most.
fn taking_part(scenario: &Scenario, clients: u64) -> u64 {
    if scenario.protocol.profile().begins_with_everybody {
        return clients;
    }
    match (scenario.protocol.profile().participation, scenario.stop.rounds) {
        // Who was late may be replaced in the round after the last.
        (Participation::Cohort(m), Some(rounds)) => clients.min(product(&[u64::from(m), rounds.saturating_add(1)])),
        _ => clients,
    }
}
