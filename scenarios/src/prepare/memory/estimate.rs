//! The memory of a run, part by part, from the sizes of its data and its model. The factors were measured; a test
//! (`tests/command_line/memory.rs`) compares the sum with what runs take. This file must not know what there is.

use fedbits_models::data::Beside;
use fedbits_models::data::visits::Visits;

use super::{graph, product, shown};
use crate::checks::{self, Facts};
use crate::schema::{
    Batch, Commit, Compressor, Consensus, Downlink, FedEm, Initial, Kernel, Local, Memory, MemoryStart, Model,
    Participation, Protocol, Sampler, Scenario, Uplink, VarianceReduction, VpBatch, VpEm,
};

/// Something that takes memory.
#[derive(Clone, Debug, PartialEq)]
pub struct Part {
    /// What.
    pub what: String,
    /// The path of the scenario that decides it.
    pub path: &'static str,
    /// How many bytes.
    pub bytes: u64,
}

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
const PROGRAM: u64 = 24 << 20;
/// A client beside its memory and its messages: its link, its speed, its accounts, its events.
const CLIENT: u64 = 1_200;
/// A subject's chain.
const CHAIN: u64 = 160;
/// Examples whose differences agents send at a time.
const PIECE: u64 = 32;
/// Bytes of an example that was drawn, in two lists that grow by doubling.
const DRAWN: u64 = 16;
/// Threads that work at a time.
const THREADS: u64 = 4;
/// The statistics of this many clients are computed at a time.
const BLOCK: u64 = 4_096;
/// Vectors of q or of θ's length that a server has.
const SERVER_VECTORS: u64 = 16;
/// Matrices of sites × times, where they are its vectors.
const MATRICES: u64 = 5;
/// A contribution is on its way, waits for the end of its round, and is kept until it is acknowledged.
const CONTRIBUTIONS: u64 = 3;

impl Sizes {
    /// As far as the scenario alone tells.
    pub(in crate::prepare) fn stated(scenario: &Scenario) -> Self {
        let facts = checks::facts(scenario, &Facts::default());
        let whole = |size: Option<usize>| size.map_or(0, |size| size as u64);
        Self {
            examples: facts.examples.unwrap_or(0),
            features: whole(facts.features),
            clients: whole(scenario.clients).max(1),
            statistic: statistic(scenario).unwrap_or_else(|| whole(facts.statistic)),
        }
    }

    /// With a table of examples in hand.
    pub(in crate::prepare) fn with_table(self, scenario: &Scenario, examples: usize, features: usize) -> Self {
        let statistic = match &scenario.model {
            // Beyond what can be counted no memory is enough.
            Model::GaussianMixture { .. } => scenario.model.statistic(Some(features)).map_or(u64::MAX, |q| q as u64),
            _ => self.statistic,
        };
        Self { examples: examples as u64, features: features as u64, statistic, ..self }
    }
}

/// q of matrices of sites × times: FedMissEM's messages are shorter, its server is not.
fn statistic(scenario: &Scenario) -> Option<u64> {
    let Visits { sites, times, .. } = scenario.data.get()?;
    Some(product(&[*sites as u64, *times as u64]))
}

/// What a run of `scenario` takes, of which the sizes are known.
pub(in crate::prepare) fn of(scenario: &Scenario, sizes: Sizes) -> Estimate {
    let mut parts = vec![Part { what: "the program".to_owned(), path: "name", bytes: PROGRAM }];
    data(scenario, sizes, &mut parts);
    model(scenario, sizes, &mut parts);
    clients(scenario, sizes, &mut parts);
    agents(scenario, sizes, &mut parts);
    operators(scenario, sizes, &mut parts);
    batch(scenario, sizes, &mut parts);
    let (network, path) = (&scenario.network, "network.sites");
    let bytes = graph::bytes(network);
    parts.push(Part { what: "sites and links".to_owned(), path, bytes });
    let bytes = graph::ways(network, sizes.clients);
    parts.push(Part { what: "shortest ways between sites".to_owned(), path, bytes });
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
    let sampled = u64::from(matches!(scenario.protocol, Protocol::FlSaem(_) | Protocol::CentralizedSaem(_)));
    let raw = source.features().map_or(row, |features| 8 * features as u64);
    let each = product(&[2 + sorted + sampled, row]) + prepared * row.max(raw) + 2 * beside + CHAIN * sampled;
    parts.push(Part { what: format!("{examples} examples"), path, bytes: product(&[examples, each]) });
}

/// θ, Ŝ, what a pass over the data needs.
fn model(scenario: &Scenario, sizes: Sizes, parts: &mut Vec<Part>) {
    let Sizes { examples, features, clients, statistic } = sizes;
    let what = format!("vectors of q = {statistic} numbers");
    let path = match &scenario.model {
        Model::LowRank { .. } if scenario.data.is::<Visits>() => "data.sites",
        Model::LowRank { .. } => "data.path",
        Model::Topics { .. } => "model.topics",
        _ => "model",
    };
    let vectors = if matches!(scenario.model, Model::LowRank { .. }) { MATRICES } else { SERVER_VECTORS };
    parts.push(Part { what, path, bytes: product(&[8, vectors, statistic]) });
    if let Model::GaussianMixture { components, .. } = &scenario.model {
        // Factors and inverses of covariances, packed for the processor.
        let bytes = product(&[8, 4, *components as u64, features, features]);
        parts.push(Part { what: format!("matrices of {components} components"), path: "model.components", bytes });
    }
    let sampled = matches!(scenario.protocol, Protocol::FlSaem(_) | Protocol::CentralizedSaem(_));
    if !sampled && !matches!(scenario.protocol, Protocol::FedMissEm(_)) {
        let block = clients.min(BLOCK);
        let bytes = product(&[8, block, statistic.saturating_add(1)]);
        parts.push(Part { what: format!("statistics of {block} clients at a time"), path: "model", bytes });
    }
    if matches!(scenario.protocol, Protocol::IncrementalEm(_) | Protocol::Fiem(_)) {
        let bytes = product(&[8, examples, statistic]);
        parts.push(Part { what: format!("a statistic for each of {examples} examples"), path: "protocol", bytes });
    }
}

/// The numbers that a client keeps beside its examples, and its message.
struct Kept {
    rows: u64,
    compressor: Compressor,
    participation: Participation,
    /// Whether it sends its initial memory.
    initial: bool,
}

/// What clients of a server keep and send.
fn clients(scenario: &Scenario, sizes: Sizes, parts: &mut Vec<Part>) {
    let Sizes { clients, statistic, .. } = sizes;
    parts.push(Part { what: format!("{clients} clients"), path: "clients", bytes: product(&[CLIENT, clients]) });
    let Some(kept) = kept(scenario) else { return };
    // FedMissEM's clients know the cells of their own observations alone.
    let length = match scenario.protocol {
        Protocol::FedMissEm(_) => (sizes.examples / clients.max(1)).min(statistic),
        _ => statistic,
    };
    let memory = product(&[8, kept.rows, clients, length]);
    parts.push(Part { what: format!("memories of {clients} clients"), path: "clients", bytes: memory });
    let busy = match kept.participation {
        Participation::Cohort(cohort) => clients.min((cohort as u64).max(1)),
        _ => clients,
    };
    let contributions = product(&[CONTRIBUTIONS, busy, kept.compressor.message_bytes(length)]);
    // Before the first round every client sends its initial memory whole.
    let contributions = match kept.initial {
        true => contributions.max(product(&[CONTRIBUTIONS, clients, 8, length])),
        false => contributions,
    };
    let path = if kept.compressor.is::<fedbits_codec::CountSketch>() { "protocol.compressor" } else { "clients" };
    parts.push(Part { what: format!("messages of {busy} clients"), path, bytes: contributions });
}

fn kept(scenario: &Scenario) -> Option<Kept> {
    let lost = u64::from(scenario.dropout.loses_state());
    let fed_em = |fed_em: &'_ FedEm| {
        let memory = match fed_em.memory {
            Memory::Memory { commit: Commit::Resynchronized { .. }, .. } => 2,
            Memory::Memory { .. } => 1 + lost,
            Memory::NoMemory => 0,
        };
        memory + if fed_em.variance_reduction == VarianceReduction::NoReduction { 0 } else { 3 }
    };
    let whole = Compressor::default();
    let participation = scenario.protocol.participation();
    let kept = |rows, compressor, initial| Kept { rows, compressor, participation, initial };
    Some(match &scenario.protocol {
        Protocol::FedEm(own) | Protocol::FedMissEm(own) | Protocol::GradientAscent(own) => {
            let initial = matches!(own.memory, Memory::Memory { initial: MemoryStart::MeanField, .. });
            kept(fed_em(own), own.compressor.clone(), initial)
        }
        Protocol::Ef21(own) => kept(1, own.compressor.clone(), true),
        // In some rounds everything is sent whole.
        Protocol::Marina(_) => kept(2, whole, true),
        Protocol::FlSaem(own) => kept(u64::from(own.uplink != Uplink::Raw), own.compressor.clone(), false),
        Protocol::FedAvgEm(_) | Protocol::DistributedEm(_) => kept(0, whole, false),
        Protocol::CentralizedEm(_)
        | Protocol::OnlineEm(_)
        | Protocol::SemVr(_)
        | Protocol::IncrementalEm(_)
        | Protocol::Fiem(_)
        | Protocol::CentralizedSaem(_)
        | Protocol::VpEm(_)
        | Protocol::DiffusionEm(_)
        | Protocol::KMeans(_) => return None,
    })
}

/// Other compressors than that of the uplink: of the downlink, of changes, of agents, inside of chains.
fn operators(scenario: &Scenario, sizes: Sizes, parts: &mut Vec<Part>) {
    let mut part = |path, compressor: &Compressor, length, count| {
        let bytes = product(&[CONTRIBUTIONS, count, compressor.message_bytes(length)]);
        parts.push(Part { what: format!("compressed vectors of {length} numbers"), path, bytes });
    };
    let Sizes { clients, statistic, .. } = sizes;
    match &scenario.protocol {
        Protocol::FedEm(own) | Protocol::GradientAscent(own) => {
            if let Downlink::Compressed { compressor, .. } = &own.downlink {
                part("protocol.downlink.compressor", compressor, statistic, 1);
            }
        }
        Protocol::Marina(own) => part("protocol.compressor", &own.compressor, statistic, clients),
        Protocol::VpEm(own) => {
            if let Some(Consensus::Choco(choco)) = own.consensus() {
                part(
                    "protocol.setting.consensus.compressor",
                    &choco.compressor,
                    PIECE * scenario.model.components() as u64,
                    clients,
                );
            }
        }
        Protocol::FlSaem(own) => inside(&own.local, &mut part),
        Protocol::CentralizedSaem(own) => inside(&own.local, &mut part),
        _ => {}
    }
}

/// The operator inside of a chain.
fn inside(local: &Local, part: &mut impl FnMut(&'static str, &Compressor, u64, u64)) {
    if let Local::Sample(Sampler { kernel: Kernel::Langevin { quantize, .. }, .. }) = local {
        part("protocol.local[0].kernel.quantize", quantize, 1, THREADS);
    }
}

/// The examples of a step, drawn with replacement; others are no more than there are.
fn batch(scenario: &Scenario, sizes: Sizes, parts: &mut Vec<Part>) {
    let batch = match &scenario.protocol {
        Protocol::FedEm(own) | Protocol::FedMissEm(own) | Protocol::GradientAscent(own) => own.batch,
        Protocol::OnlineEm(own) => own.batch,
        Protocol::SemVr(own) => own.batch,
        Protocol::IncrementalEm(own) => own.batch,
        Protocol::Fiem(own) => own.batch,
        _ => return,
    };
    let Batch::WithReplacement(size) = batch else { return };
    let bytes = product(&[DRAWN, size as u64, sizes.clients.min(THREADS)]);
    parts.push(Part { what: format!("draws of {size} examples"), path: "protocol.batch", bytes });
}

/// How often an agent keeps a number per example and component: what it has sent and heard, and with batches the terms
/// of all examples.
fn terms(vp_em: &VpEm) -> u64 {
    let keeps = matches!(vp_em.consensus(), Some(Consensus::Choco(_) | Consensus::Lossy { .. }));
    3 * u64::from(keeps) + u64::from(vp_em.batch != VpBatch::All)
}

/// What agents without a server keep.
fn agents(scenario: &Scenario, sizes: Sizes, parts: &mut Vec<Part>) {
    let Sizes { examples, clients, statistic, .. } = sizes;
    let each = match &scenario.protocol {
        Protocol::VpEm(own) => product(&[8, terms(own), examples, scenario.model.components() as u64]),
        Protocol::DiffusionEm(_) => product(&[8, 6, statistic]),
        _ => return,
    };
    let bytes = product(&[each, clients]);
    parts.push(Part { what: format!("states of {clients} agents"), path: "clients", bytes });
    if graph::counts(&scenario.network).is_some() {
        let bytes = product(&[8, 4, clients, clients]);
        parts.push(Part { what: format!("weights between {clients} agents"), path: "clients", bytes });
    }
}
