//! VP-EM and diffusion EM against independent numpy code (golden/vpem_reference.py) on a drawn graph with drawn blocks
//! and data: every linear consensus, uncompressed quantized consensus, batches, and EM on examples. 1e-9 after scaling
//! by max(1, |x|).

use crate::vpem::common::{
    PLAIN, Problem, Simulated, assert_close, edges, golden, numbers, simulate, simulate_any, streams, world,
};
use fedbits_codec::WireFloat;
use fedbits_models::Examples;
use fedbits_models::gmm::vertical::{FeatureBlocks, VerticalMixture};
use fedbits_protocols::diffusion::{Averages, Combine};
use fedbits_protocols::journal::Subject;
use fedbits_protocols::neighbours::consensus::choco::{Choco, ChocoSettings};
use fedbits_protocols::neighbours::consensus::lossy::Missing;
use fedbits_protocols::neighbours::consensus::{Agents, Averager, Consensus};
use fedbits_protocols::neighbours::graph::Graph;
use fedbits_protocols::neighbours::hubs::{HubSearch, Hubs, Ties};
use fedbits_protocols::neighbours::weights::{Averaging, Weights};
use fedbits_protocols::schedule::Schedule;
use fedbits_protocols::vpem::fit::{Fit, Known};
use fedbits_protocols::vpem::rules::VpBatch;
use fedbits_protocols::vpem::{DecentralizedVpEm, VpEm};
use fedbits_random::Streams;
use fedbits_spec::Choice;
use serde_json::Value;

use crate::vpem::diffusion;

struct Reference {
    golden: Value,
    graph: Graph,
    features: Vec<Vec<usize>>,
    rows: Vec<f64>,
}

impl Reference {
    fn read() -> Self {
        let golden = golden("vpem_reference.json");
        let whole = |list: &Value| numbers(list).into_iter().map(|feature| feature as usize).collect();
        let features: Vec<Vec<usize>> = golden["features"].as_array().unwrap().iter().map(whole).collect();
        let graph = Graph::new(features.len(), edges(&golden["links"])).unwrap();
        let rows = numbers(&golden["X"]);
        Self { graph, features, rows, golden }
    }

    fn dimension(&self) -> usize {
        self.features.iter().map(Vec::len).sum()
    }

    /// A problem of the same graph, for its world.
    fn problem(&self) -> Problem {
        let links = edges(&self.golden["links"]);
        Problem { rows: Vec::new(), agents: self.features.len(), links, theta: Vec::new(), components: 3 }
    }

    fn algorithm(&self, h: u32, name: &str) -> DecentralizedVpEm {
        let (graph, streams) = (self.graph.clone(), Streams::new(1, 0));
        let hubs = Hubs::new(&graph, h, Ties::SmallestIndex, &streams).unwrap();
        let weights = match name {
            "best-constant-4" => Weights::BestConstant,
            "laplacian-6" => Weights::Laplacian(self.golden["laplacian_alpha"].as_f64().unwrap()),
            _ => Weights::Metropolis,
        };
        let averaging = Averaging::new(&weights, &graph).unwrap();
        let averager = averager(name, Agents { graph: &graph, hubs: &hubs, averaging: &averaging });
        let features = FeatureBlocks::new(self.features.clone(), self.dimension()).unwrap();
        let groups: Vec<Vec<usize>> =
            hubs.hubs().iter().map(|hub| hub.agents.iter().map(|&agent| agent as usize).collect()).collect();
        let examples = Examples::new(&self.rows, self.dimension());
        let mixture = VerticalMixture::new(examples, 3, features.merged(&groups).unwrap()).unwrap();
        let batch = if name == "batch-70" { VpBatch::InTurn(70) } else { VpBatch::All };
        let theta = numbers(&self.golden["theta0"]);
        let fit = Fit::new(mixture, &theta, VpEm { batch, ..PLAIN }, Known::default(), streams).unwrap();
        DecentralizedVpEm::new((graph, hubs, h), averager, HubSearch::Central, fit, features)
    }
}

fn averager(name: &str, agents: Agents<'_>) -> Box<dyn Averager> {
    let consensus = match name {
        "choco-5" | "choco-tracking-5" => {
            let tracking = name == "choco-tracking-5";
            let settings = ChocoSettings { compressor: Choice::default(), step: 0.7, rounds: 5, tracking };
            return Box::new(Choco::new(&settings, agents, WireFloat::F64, true, streams()));
        }
        "chebyshev-9" => Consensus::Chebyshev(9),
        "adaptive" => Consensus::Adaptive { tolerance: 1e-2, at_most: 1_000, chebyshev: false },
        "push-sum-8" => Consensus::Lossy { rounds: 8, missing: Missing::PushSum, patience: None },
        "batch-70" => Consensus::Rounds(30),
        _ => Consensus::Rounds(name.rsplit('-').next().unwrap().parse().unwrap()),
    };
    consensus.build(agents, true, streams())
}

fn column<A>(simulated: &Simulated<A>, name: &str) -> Vec<f64> {
    simulated.column(name).into_iter().skip(1).map(Option::unwrap).collect()
}

#[test]
fn every_consensus_gives_what_numpy_gives() {
    let reference = Reference::read();
    for (run, expected) in reference.golden["runs"].as_object().unwrap() {
        let (h, name) = run.split_once(' ').unwrap();
        let algorithm = reference.algorithm(h[1..].parse().unwrap(), name);
        let simulated = simulate(algorithm, world(&reference.problem(), &[]), Some(4));
        assert_close(run, &column(&simulated, "local_log_likelihood"), &numbers(&expected["log_likelihood"]));
        assert_close(run, &column(&simulated, "consensus_error"), &numbers(&expected["consensus_error"]));
        let per_iteration = numbers(&expected["rounds"]);
        let so_far: Vec<f64> = (1..=4).map(|t| per_iteration[..t].iter().sum()).collect();
        assert_eq!(column(&simulated, "consensus_rounds"), so_far, "{run}");
        assert_close(run, simulated.algorithm.state().theta, &numbers(&expected["theta"]));
    }
}

#[test]
fn em_on_divided_examples_gives_what_numpy_gives() {
    let reference = Reference::read();
    let sizes: Vec<u32> = numbers(&reference.golden["sizes"]).into_iter().map(|size| size as u32).collect();
    // The first two features.
    let rows: Vec<f64> = reference.rows.chunks_exact(reference.dimension()).flat_map(|row| [row[0], row[1]]).collect();
    let theta = numbers(&reference.golden["horizontal_theta0"]);
    for (run, expected) in reference.golden["horizontal"].as_object().unwrap() {
        let (gamma, rounds) = match run.as_str() {
            "diffusion" => (Schedule::Power { initial: 0.8, exponent: 0.7, offset: 4.0 }, 1),
            "network" => (Schedule::Constant(1.0), 1),
            "network-0.3" => (Schedule::Constant(0.3), 1),
            _ => (Schedule::Constant(1.0), 6),
        };
        let problem =
            diffusion::Problem { rows: rows.clone(), sizes: sizes.clone(), dimension: 2, theta: theta.clone() };
        let averages = if run.starts_with("network") { Averages::Parameters } else { Averages::Statistics };
        let algorithm = diffusion::averaging(&problem, &reference.graph, gamma, Combine::Rounds(rounds), averages);
        let simulated = simulate_any(algorithm, world(&reference.problem(), &[]), Some(4));
        assert_close(run, &column(&simulated, "consensus_error"), &numbers(&expected["consensus_error"]));
        assert_close(run, simulated.algorithm.state().theta, &numbers(&expected["theta"]));
    }
}
