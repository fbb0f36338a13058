//! The memory of a run, part by part, from the sizes of its data and its model. The factors were measured; a test
//! (`tests/command_line/memory.rs`) compares the sum with what runs take. This file must not know what there is.

use fedbits_models::data::{Beside, Shape};
use fedbits_protocols::footprint::{self, product};
use fedbits_protocols::over::Over;
use fedbits_protocols::plan::Participation;
use fedbits_spec::so_many;

use super::{Part, graph, shown};
use crate::checks::{self, Facts};
use crate::schema::{Dropout, Initial, Scenario};

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
const PROGRAM: u64 = 40 << 20;
/// A client that takes part in no round: its link, its speed, its place among the others, and its part in what is
/// exchanged before the first round.
const CLIENT: u64 = 500;
/// What a client that takes part needs further, beside its memory and its messages: its state, its connection, its
/// accounts, its events.
const PARTICIPANT: u64 = 900;
/// And what it needs where clients drop out.
const DROPPING_OUT: u64 = 400;
/// The statistics of this many clients are computed at a time.
const BLOCK: u64 = 4_096;

impl Sizes {
    /// As far as the scenario alone tells.
    pub(in crate::prepare) fn stated(scenario: &Scenario) -> Self {
        let facts = checks::facts(scenario, &Facts::default());
        let whole = |size: Option<usize>| size.map_or(0, |size| size as u64);
        Self {
            examples: facts.examples.unwrap_or(0),
            features: whole(facts.features),
            clients: whole(scenario.clients).max(1),
            statistic: whole(facts.statistic),
        }
    }

    /// With a table of examples in hand.
    pub(in crate::prepare) fn with_table(self, scenario: &Scenario, examples: usize, features: usize) -> Self {
        let shape = Shape { features: Some(features), ..scenario.data.shape() };
        let statistic = scenario.model.statistic(&shape).map_or(self.statistic, |q| q as u64);
        Self { examples: examples as u64, features: features as u64, statistic, ..self }
    }
}

/// What a run of `scenario` takes, of which the sizes are known.
pub(in crate::prepare) fn of(scenario: &Scenario, sizes: Sizes) -> Estimate {
    let mut parts = vec![Part { what: "the program".to_owned(), path: "name", bytes: PROGRAM }];
    data(scenario, sizes, &mut parts);
    model(scenario, sizes, &mut parts);
    protocol(scenario, sizes, &mut parts);
    let (network, path) = (&scenario.network, "network.sites");
    let bytes = graph::bytes(network);
    parts.push(Part { what: "sites and links".to_owned(), path, bytes });
    let bytes = graph::routes(network, sizes.clients);
    parts.push(Part { what: "shortest routes between sites".to_owned(), path, bytes });
    Estimate::new(parts)
}

/// The examples, as often as they are kept.
fn data(scenario: &Scenario, sizes: Sizes, parts: &mut Vec<Part>) {
    let Sizes { examples, features, .. } = sizes;
    let row = 8 * features;
    let source = &scenario.data;
    parts.extend(source.beside().map(|Beside { what, field, bytes }| Part { what, path: field, bytes }));
    let (path, beside) = (source.size_field(), source.bytes_beside());
    // As read, and in the order of the clients; once more while they are prepared, or sorted into blocks for k-means.
    let prepared = u64::from(!scenario.preprocess.is_empty());
    let sorted = u64::from(matches!(scenario.initial, Initial::KMeans { .. } | Initial::KMeansPlusPlus { .. }));
    let sampled = u64::from(scenario.protocol.over().is_sampled());
    let raw = source.features().map_or(row, |features| 8 * features as u64);
    let each = product(&[2 + sorted + sampled, row]) + prepared * row.max(raw) + 2 * beside;
    parts.push(Part { what: format!("{examples} examples"), path, bytes: product(&[examples, each]) });
}

/// θ, Ŝ, what a pass over the data needs.
fn model(scenario: &Scenario, sizes: Sizes, parts: &mut Vec<Part>) {
    let Sizes { features, clients, statistic, .. } = sizes;
    let what = format!("vectors of q = {statistic} numbers");
    let path = scenario.model.size_field(&*scenario.data);
    parts.push(Part { what, path, bytes: product(&[8, scenario.model.vectors(), statistic]) });
    parts.extend(scenario.model.beside(features).map(|Beside { what, field, bytes }| Part {
        what,
        path: field,
        bytes,
    }));
    // Others sum statistics as they go.
    if matches!(scenario.protocol.over(), Over::Examples(_) | Over::PeerExamples(_)) {
        let block = clients.min(BLOCK);
        let bytes = product(&[8, block, statistic.saturating_add(1)]);
        parts.push(Part {
            what: format!("statistics of {} at a time", so_many(block, "client")),
            path: "model",
            bytes,
        });
    }
}

/// What the protocol keeps and sends.
fn protocol(scenario: &Scenario, sizes: Sizes, parts: &mut Vec<Part>) {
    let Sizes { examples, clients, statistic, .. } = sizes;
    let taking_part = taking_part(scenario, clients);
    let each = PARTICIPANT + if scenario.dropout != Dropout::Never { DROPPING_OUT } else { 0 };
    parts.push(Part { what: so_many(clients, "client"), path: "clients", bytes: product(&[CLIENT, clients]) });
    let (what, bytes) = (format!("taking part of {}", so_many(taking_part, "client")), product(&[each, taking_part]));
    parts.push(Part { what, path: "clients", bytes });
    let (components, forgets) = (scenario.model.components() as u64, scenario.dropout.loses_state());
    let latent = scenario.model.sampled().map_or(0, |model| model.latent_dimension() as u64);
    let sizes = footprint::Sizes { examples, clients, taking_part, statistic, latent, components, forgets };
    parts.extend(scenario.protocol.memory(&sizes));
}

/// Clients that take part in any round, at the most.
fn taking_part(scenario: &Scenario, clients: u64) -> u64 {
    if scenario.protocol.begins_with_everybody() {
        return clients;
    }
    match (scenario.protocol.participation(), scenario.stop.rounds) {
        // Who was late may be replaced in the round after the last.
        (Participation::Cohort(m), Some(rounds)) => clients.min(product(&[u64::from(m), rounds.saturating_add(1)])),
        _ => clients,
    }
}
