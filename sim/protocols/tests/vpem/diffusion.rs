//! Diffusion and gossip EM: with exact averaging they are centralized EM, what rounds leave falls as SLEM^S, every bit
//! is charged, and a decreasing step forgets that neighbours are not everybody.

use crate::vpem::common::{self, Simulated, complete, ring, simulate_any, world};
use fedbits_models::data::DataSet;
use fedbits_models::gmm::{Covariance, GaussianMixture};
use fedbits_protocols::baselines::centralized::CentralizedEm;
use fedbits_protocols::baselines::pooled::PooledEm;
use fedbits_protocols::diffusion::{Averages, Combine, DiffusionEm, DiffusionEmSetting};
use fedbits_protocols::fedem::Domain;
use fedbits_protocols::federation::{Federation, Weighting};
use fedbits_protocols::journal::Subject;
use fedbits_protocols::neighbours::graph::Graph;
use fedbits_protocols::neighbours::weights::{Averaging, Weights};
use fedbits_protocols::partition::{Partition, Partitioned};
use fedbits_protocols::schedule::Schedule;
use fedbits_random::{DrawPurpose, Streams};
use fedbits_spec::Caveat;

/// Examples that lie with agents one after the other.
pub struct Problem {
    pub rows: Vec<f64>,
    pub sizes: Vec<u32>,
    pub dimension: usize,
    /// θ⁰ of a mixture with full covariances.
    pub theta: Vec<f64>,
}

impl Problem {
    /// Two Gaussians in two dimensions; agents see different shares of them.
    fn random(seed: u64, sizes: &[u32]) -> Self {
        let mut stream = Streams::new(seed, 0).at(DrawPurpose::Data, 0, 0);
        let mut rows = Vec::new();
        for (agent, &size) in sizes.iter().enumerate() {
            for m in 0..size as usize {
                let shift = if (m + agent) % (2 + agent % 3) == 0 { 1.5 } else { -1.0 };
                let common = 0.4 * stream.normal();
                rows.extend([shift + common + stream.normal(), -shift + common + stream.normal()]);
            }
        }
        let theta = vec![0.5, 0.5, 1.0, -1.0, -0.5, 0.5, 1.5, 0.3, 1.5, 1.5, 0.3, 1.5];
        Self { rows, sizes: sizes.to_vec(), dimension: 2, theta }
    }

    fn model(&self) -> GaussianMixture {
        let components =
            (0..).find(|k| k * (1 + self.dimension + self.dimension * (self.dimension + 1) / 2) == self.theta.len());
        GaussianMixture::new(components.unwrap(), self.dimension, Covariance::Full).unwrap()
    }

    fn federation(&self) -> Federation {
        let owners = self.sizes.iter().zip(0..).flat_map(|(&size, agent)| vec![agent; size as usize]).collect();
        let columns = (0..self.dimension).map(|column| column.to_string()).collect();
        let data = DataSet::new(columns, self.rows.clone(), None, Some(owners)).unwrap();
        let data = Partitioned::new(&data, &Partition::ClientColumn.rule(1), &Streams::new(1, 0)).unwrap();
        Federation::new(data, Box::new(self.model()), Weighting::Examples, None)
    }

    fn world(&self, links: &[(u32, u32)]) -> fedbits_kernel::World {
        let agents = self.sizes.len();
        world(
            &common::Problem { rows: Vec::new(), agents, links: links.to_vec(), theta: Vec::new(), components: 2 },
            &[],
        )
    }
}

/// With Metropolis weights.
pub fn diffusion(problem: &Problem, graph: &Graph, gamma: Schedule, combine: Combine) -> DiffusionEm {
    averaging(problem, graph, gamma, combine, Averages::Statistics)
}

/// The same of statistics or of parameters.
pub fn averaging(
    problem: &Problem,
    graph: &Graph,
    gamma: Schedule,
    combine: Combine,
    averages: Averages,
) -> DiffusionEm {
    let averaging = Averaging::new(&Weights::Metropolis, graph).unwrap();
    let federation = problem.federation();
    let s_hat = federation.statistics_at(&problem.theta).unwrap();
    let (weights, domain) = (Weights::Metropolis, Domain::Error);
    let settings = DiffusionEmSetting { gamma, weights, combine, averages, domain };
    DiffusionEm::new(federation, (graph.clone(), averaging), settings, s_hat, problem.theta.clone()).unwrap()
}

fn run(
    problem: &Problem,
    links: &[(u32, u32)],
    gamma: Schedule,
    combine: Combine,
    iterations: u64,
) -> Simulated<DiffusionEm> {
    let graph = Graph::new(problem.sizes.len(), links.iter().copied()).unwrap();
    simulate_any(diffusion(problem, &graph, gamma, combine), problem.world(links), Some(iterations))
}

const GOSSIP: Schedule = Schedule::Constant(1.0);

/// The complete graph averages exactly in one round: γ = 1 is centralized EM, iteration by iteration, whatever the
/// agents' sizes are (1e-12 relative), and no agent differs from another.
#[test]
fn exact_averages_are_centralized_em() {
    for sizes in [[30; 5], [12, 45, 28, 30, 19]] {
        let problem = Problem::random(1, &sizes);
        let federation = problem.federation();
        let s_hat = federation.statistics_at(&problem.theta).unwrap();
        let mut central = PooledEm::new(federation, s_hat, CentralizedEm::default()).unwrap();
        let simulated = run(&problem, &complete(5), GOSSIP, Combine::Rounds(1), 8);
        // CentralizedEm begins at the statistic of θ⁰, whose T is its first M-step.
        for _ in 0..7 {
            central.step(1, &|_| Vec::new()).unwrap();
        }
        let (found, expected) = (simulated.algorithm.state().theta.to_vec(), central.state().theta.to_vec());
        for (found, expected) in found.iter().zip(&expected) {
            assert!((found - expected).abs() <= 1e-12 * expected.abs().max(1.0), "{found} and {expected}");
        }
        assert!(simulated.column("consensus_error").last().unwrap().unwrap() < 1e-13);
    }
}

/// The first of Chebyshev's rounds is the plain one, and is told of like it; 30 leave nothing.
#[test]
fn what_is_left_is_told() {
    let problem = Problem::random(2, &[20; 8]);
    let told = |combine| Caveat::sentences(&run(&problem, &ring(8), GOSSIP, combine, 1).algorithm.caveats());
    let one = told(Combine::Rounds(1));
    assert!(one[0].starts_with("1 round of combination leaves up to 80.5 %"), "{one:?}");
    assert_eq!(told(Combine::Chebyshev(1)), one);
    assert!(told(Combine::Chebyshev(30)).is_empty());
}

/// Every agent sends its statistic to every neighbour in every round: q floats, one more (the mass) where sizes differ.
#[test]
fn every_message_is_charged() {
    let q = 2 + 4 + 6;
    for (sizes, floats) in [([20; 6], q), ([20, 20, 20, 20, 20, 21], q + 1)] {
        let problem = Problem::random(3, &sizes);
        let simulated = run(&problem, &ring(6), GOSSIP, Combine::Chebyshev(5), 4);
        assert_eq!(simulated.account("consensus"), (4 * 5 * 2 * 6, 4 * 5 * 2 * 6 * 64 * floats));
        assert_eq!(simulated.rows.last().unwrap().expectations, 4 * u64::from(sizes.iter().sum::<u32>()));
        assert_eq!((simulated.account("features").0, simulated.account("terms").0), (0, 0));
    }
}

/// One combination per iteration. With γ = 1 agents know what their neighbourhood has just seen, and their limit is
/// off; with a constant step below 1 mostly less so; with a decreasing one ‖h‖² of their average falls below a twentieth
/// of that. All on the mean of four problems: one alone has been seen to end at a twelfth.
#[test]
fn small_steps_average_in_time() {
    let problems = [5, 6, 7, 8].map(|seed| Problem::random(seed, &[40; 10]));
    let h_sq = |gamma: Schedule, iterations| {
        let last =
            |problem| run(problem, &ring(10), gamma, Combine::Rounds(1), iterations).rows.last().unwrap().mean_field_sq;
        problems.iter().map(|problem| last(problem).unwrap()).sum::<f64>()
    };
    let (one, tenth) = (h_sq(GOSSIP, 200), h_sq(Schedule::Constant(0.1), 400));
    let falling = h_sq(Schedule::Power { initial: 0.5, exponent: 0.8, offset: 10.0 }, 1_500);
    assert!(
        tenth < one && falling < tenth && falling < one / 20.0,
        "γ = 1: {one:e}; 0.1: {tenth:e}; decreasing: {falling:e}"
    );
}

/// The tied covariance needs the second moments of all data: refused, with what to write instead.
#[test]
fn constants_of_all_data_are_refused() {
    let problem = Problem::random(6, &[20; 3]);
    let model = GaussianMixture::new(2, 2, Covariance::Tied { second_moment: vec![1.0, 0.0, 1.0] }).unwrap();
    let columns = vec!["0".to_owned(), "1".to_owned()];
    let data = DataSet::new(columns, problem.rows.clone(), None, None).unwrap();
    let data = Partitioned::new(&data, &Partition::Iid.rule(3), &Streams::new(1, 0)).unwrap();
    let federation = Federation::new(data, Box::new(model), Weighting::Examples, None);
    let graph = Graph::new(3, ring(3)).unwrap();
    let averaging = Averaging::new(&Weights::Metropolis, &graph).unwrap();
    let (weights, combine) = (Weights::Metropolis, Combine::Rounds(1));
    let settings =
        DiffusionEmSetting { gamma: GOSSIP, weights, combine, averages: Averages::Statistics, domain: Domain::Error };
    let refused = DiffusionEm::new(federation, (graph, averaging), settings, vec![0.0; 6], vec![0.0; 9]);
    assert!(refused.is_err_and(|why| why.to_string().contains("`Diagonal`")));
}

/// Network EM: where all agents have the same examples it is EM in one place; where they differ its limit is not EM's,
/// not even with exact averaging, and a small step of its momentum does not help. A small step towards statistics does.
#[test]
fn means_of_parameters_have_another_limit() {
    let links = complete(4);
    let graph = Graph::new(4, links.iter().copied()).unwrap();
    let end = |problem: &Problem, gamma, averages, iterations| {
        let gamma = Schedule::Constant(gamma);
        let algorithm = averaging(problem, &graph, gamma, Combine::Rounds(1), averages);
        let simulated = simulate_any(algorithm, problem.world(&links), Some(iterations));
        simulated.rows.last().unwrap().mean_field_sq.unwrap()
    };
    let problem = Problem::random(5, &[40; 4]);
    let same = Problem { rows: problem.rows[..80].repeat(4), ..Problem::random(5, &[40; 4]) };
    assert!(end(&same, 1.0, Averages::Parameters, 400) < 1e-12);
    let statistics = end(&problem, 0.1, Averages::Statistics, 4_000);
    let parameters = [1.0, 0.1].map(|gamma| end(&problem, gamma, Averages::Parameters, 4_000));
    assert!(statistics < 1e-12 && parameters.iter().all(|&field| field > 1e-6), "{statistics:e}, {parameters:?}");
}
