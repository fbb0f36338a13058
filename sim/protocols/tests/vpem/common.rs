//! Builds VP-EM problems on graphs, simulates them over the engine and keeps what a test looks at.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use fedbits_kernel::network::SingleLinks;
use fedbits_kernel::network::transport::{Loss, Transport, TransportLayer, TransportOptions};
use fedbits_kernel::topology::{Backbone, Edge, GraphLinks, Host, Map, Site, SiteId};
use fedbits_kernel::{
    Bits, Dropout, Engine, Framing, Ideal, LedgerDetail, Network, NodeId, Rate, Speed, StopReason, TimeDelta, World,
};
use fedbits_models::Examples;
use fedbits_models::gmm::vertical::{FeatureBlocks, Singular, VerticalMixture};
use fedbits_protocols::journal::Journal;
use fedbits_protocols::neighbours::consensus::{Agents, Averager, Consensus};
use fedbits_protocols::neighbours::graph::Graph;
use fedbits_protocols::neighbours::hubs::{HubSearch, Hubs, Ties};
use fedbits_protocols::neighbours::weights::{Averaging, Weights};
use fedbits_protocols::neighbours::{Gossip, NeighbourPayload, Neighbours};
use fedbits_protocols::plan::{RecordPlan, StopRules};
use fedbits_protocols::vpem::fit::{Fit, Known};
use fedbits_protocols::vpem::rules::{MissingBlocks, Stopping, VpBatch};
use fedbits_protocols::vpem::{Architecture, DecentralizedVpEm, VpEm, VpLink};
use fedbits_random::{DrawPurpose, Streams};
use fedbits_record::{LedgerRow, Recorder, RoundRow};
use fedbits_spec::laws::DurationLaw;
use serde_json::Value;

pub use crate::golden::{assert_close, golden, numbers};

pub fn edges(value: &Value) -> Vec<(u32, u32)> {
    numbers(value).chunks_exact(2).map(|pair| (pair[0] as u32, pair[1] as u32)).collect()
}

/// A problem with one feature per agent.
#[derive(Clone)]
pub struct Problem {
    pub rows: Vec<f64>,
    pub agents: usize,
    pub links: Vec<(u32, u32)>,
    /// θ⁰ in the layout of the whole mixture.
    pub theta: Vec<f64>,
    pub components: usize,
}

impl Problem {
    /// Two Gaussians in one dimension per agent.
    pub fn random(seed: u64, links: &[(u32, u32)], examples: usize) -> Self {
        let agents = links.iter().map(|&(a, b)| a.max(b)).max().unwrap() as usize + 1;
        let mut stream = Streams::new(seed, 0).at(DrawPurpose::Data, 0, 0);
        let mut rows = Vec::new();
        for m in 0..examples {
            let (shift, common) = (if m % 3 == 0 { 1.5 } else { -1.0 }, 0.4 * stream.normal());
            rows.extend((0..agents).map(|_| shift + common + stream.normal()));
        }
        let mut theta = vec![0.5, 0.5];
        theta.extend((0..agents).map(|_| 1.0));
        theta.extend((0..agents).map(|_| -0.5));
        for _ in 0..2 {
            (0..agents).for_each(|i| theta.extend((0..=i).map(|j| if i == j { 1.5 } else { 0.3 })));
        }
        Self { rows, agents, links: links.to_vec(), theta, components: 2 }
    }

    pub fn graph(&self) -> Graph {
        Graph::new(self.agents, self.links.iter().copied()).unwrap()
    }

    pub fn fit(&self, hubs: &Hubs, settings: VpEm) -> Fit {
        let examples = Examples::new(&self.rows, self.agents);
        let blocks = hubs.hubs().iter().map(|hub| hub.agents.iter().map(|&agent| agent as usize).collect()).collect();
        let blocks = FeatureBlocks::new(blocks, self.agents).unwrap();
        let mixture = VerticalMixture::new(examples, self.components, blocks).unwrap();
        Fit::new(mixture, &self.theta, settings, Known::default(), Streams::new(1, 0)).unwrap()
    }

    /// Metropolis weights, hubs with ties to the smallest index.
    pub fn algorithm(&self, h: u32, consensus: &Consensus, settings: VpEm) -> DecentralizedVpEm {
        self.with(h, consensus, settings, HubSearch::Central)
    }

    pub fn with(&self, h: u32, consensus: &Consensus, settings: VpEm, search: HubSearch) -> DecentralizedVpEm {
        let (graph, hubs) = (self.graph(), self.hubs(h));
        let averaging = Averaging::new(&Weights::Metropolis, &graph).unwrap();
        let agents = Agents { graph: &graph, hubs: &hubs, averaging: &averaging };
        let averager: Box<dyn Averager> = consensus.build(agents, true, streams());
        let fit = self.fit(&hubs, settings);
        let features = FeatureBlocks::even(self.agents, self.agents).unwrap();
        DecentralizedVpEm::new((graph, hubs, h), averager, search, fit, features)
    }

    pub fn hubs(&self, h: u32) -> Hubs {
        Hubs::new(&self.graph(), h, Ties::SmallestIndex, &Streams::new(1, 0)).unwrap()
    }
}

/// Where coded messages draw from.
pub fn streams() -> Streams {
    Streams::new(5, 0)
}

pub const PLAIN: VpEm = VpEm {
    setting: Architecture::Federated,
    singular: Singular::Error,
    batch: VpBatch::All,
    stopping: Stopping::Never,
    uplink: VpLink::Whole,
    downlink: VpLink::Whole,
    exact_own: false,
    missing_blocks: MissingBlocks::Complete,
};

pub fn ring(agents: u32) -> Vec<(u32, u32)> {
    (0..agents).map(|a| (a, (a + 1) % agents)).collect()
}

pub fn complete(agents: u32) -> Vec<(u32, u32)> {
    (0..agents).flat_map(|a| (0..a).map(move |b| (b, a))).collect()
}

/// Links of 1 Mbit/s and 1 ms, but for those listed with their own latency in ms.
pub fn world(problem: &Problem, slow: &[((u32, u32), u64)]) -> World {
    let network = Box::new(Ideal::new(links(problem, slow)));
    nodes(problem, network)
}

/// Links of 1 Mbit/s and 1 ms, each of which loses packets with a probability, and messages that are `jitter` later.
pub fn lossy_world(problem: &Problem, probability: f64, jitter: Option<DurationLaw>) -> World {
    let routes = Arc::new(links(problem, &[]));
    let losses = vec![Loss::Bernoulli(probability); 2 * problem.links.len()];
    // One segment per message: a message is lost as a whole.
    let framing = Framing { header: Bits::ZERO, segment: Bits::new(1_000_000) };
    let options = TransportOptions { transport: Transport::NONE, framing, jitter, losses };
    let shared = Box::new(Ideal::new(SingleLinks::new(Arc::clone(&routes))));
    let carrier = TransportLayer::new(shared, routes, options, Streams::new(9, 0));
    World { framing, ..nodes(problem, Box::new(carrier)) }
}

fn links(problem: &Problem, slow: &[((u32, u32), u64)]) -> GraphLinks {
    let mut map = Map::new((0..problem.agents).map(|agent| Site { name: agent.to_string(), place: None }));
    for &(a, b) in &problem.links {
        map.join(SiteId(a), SiteId(b), Edge::default());
    }
    let settle = |link: u32, _: [&Site; 2], _| -> Result<Backbone, std::convert::Infallible> {
        let ends = problem.links[link as usize];
        let milliseconds = slow.iter().find(|(slow, _)| *slow == ends).map_or(1, |&(_, latency)| latency);
        let capacity = Rate::from_bits_per_second(1e6).unwrap();
        Ok(Backbone { capacity, latency: TimeDelta::from_nanos(milliseconds * 1_000_000) })
    };
    let topology = map.settle(settle).unwrap();
    let hosts = (0..problem.agents as u32).map(|agent| Host { site: SiteId(agent), access: None }).collect();
    GraphLinks::new(topology, hosts).unwrap().among_neighbours()
}

fn nodes(problem: &Problem, network: Box<dyn Network>) -> World {
    World {
        network,
        speeds: vec![Speed::from_seconds_per_unit(1e-5).unwrap(); problem.agents],
        dropout: Dropout::Never,
        server: None,
        framing: Framing { header: Bits::new(320), segment: Bits::new(11_680) },
        detail: LedgerDetail::PerHost,
        streams: Streams::new(1, 0),
        overheads: None,
        time_limit: None,
        // A run that never ends is a failure, not a hanging test.
        event_limit: Some(1_000_000),
        time_use: None,
    }
}

pub struct Simulated<A = DecentralizedVpEm> {
    pub algorithm: A,
    pub engine: Engine<NeighbourPayload>,
    pub rows: Vec<RoundRow>,
    pub columns: Vec<String>,
    pub stop: StopReason,
}

/// Plays to the end; every iteration is recorded and probed.
pub fn simulate(algorithm: DecentralizedVpEm, world: World, iterations: Option<u64>) -> Simulated {
    simulate_any(algorithm, world, iterations)
}

/// Any algorithm among neighbours to its end.
pub fn simulate_any<A: Gossip>(algorithm: A, world: World, iterations: Option<u64>) -> Simulated<A> {
    simulate_probed(algorithm, world, iterations, Some(1))
}

/// Any algorithm among neighbours to its end, with probes at that cadence.
pub fn simulate_probed<A: Gossip>(
    mut algorithm: A,
    world: World,
    iterations: Option<u64>,
    probe_every: Option<u64>,
) -> Simulated<A> {
    let rows = Rc::new(RefCell::new(Vec::new()));
    let sink = Rc::clone(&rows);
    let observer = Box::new(move |row: &RoundRow| sink.borrow_mut().push(row.clone()));
    let record = RecordPlan::of(1, probe_every);
    let columns = Journal::columns(&algorithm, &record);
    let names = columns.extra.clone();
    let stop = StopRules { rounds: iterations, ..StopRules::default() };
    let journal = Journal::new(Recorder::nothing(columns), record, stop, Some(observer));
    let mut driver = Neighbours::new(&mut algorithm, journal);
    let mut engine = Engine::new(world);
    engine.trace((1..5).collect());
    let stop = engine.run(&mut driver, &AtomicBool::new(false));
    let rows = rows.borrow().clone();
    Simulated { algorithm, engine, rows, columns: names, stop }
}

impl<A> Simulated<A> {
    pub fn ledger(&self) -> Vec<LedgerRow> {
        self.engine.context().ledger().rows(|NodeId(id)| id.to_string())
    }

    /// (messages, payload bits) of a purpose, all hosts and fates.
    pub fn account(&self, purpose: &str) -> (u64, u64) {
        let rows = self.ledger();
        let entries = rows.iter().filter(|row| row.purpose == purpose);
        entries.fold((0, 0), |sum, row| (sum.0 + row.messages, sum.1 + row.payload_bits))
    }

    /// A column of the protocol by its name, row by row.
    pub fn column(&self, name: &str) -> Vec<Option<f64>> {
        let at = self.columns.iter().position(|column| column == name).unwrap();
        self.rows.iter().map(|row| row.extra[at]).collect()
    }
}
