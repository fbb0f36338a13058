//! Diffusion and gossip EM: with exact averaging they are centralized EM, what rounds leave falls as SLEM^S, every bit
//! is charged, and a decreasing step forgets that neighbours are not everybody.

use crate::common::{self, Simulated, assert_close, complete, ring, simulate_any, world};
use fedbits_models::data::DataSet;
use fedbits_models::gmm::{Covariance, GaussianMixture};
use fedbits_protocols::baselines::centralized::CentralizedEm;
use fedbits_protocols::baselines::pooled::PooledEm;
use fedbits_protocols::diffusion::{Combine, DiffusionEm, DiffusionEmSetting};
use fedbits_protocols::fedem::Domain;
use fedbits_protocols::federation::{Federation, Weighting};
use fedbits_protocols::journal::Subject;
use fedbits_protocols::neighbours::graph::Graph;
use fedbits_protocols::neighbours::rounds::Scheme;
use fedbits_protocols::neighbours::weights::{Averaging, Weights};
use fedbits_protocols::partition::{Partitioned, Rule};
use fedbits_protocols::run::Driver;
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
        let data = Partitioned::new(&data, Rule::ClientColumn, &Streams::new(1, 0)).unwrap();
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
pub fn diffusion(problem: &Problem, graph: &Graph, gamma: Schedule, (scheme, rounds): (Scheme, u32)) -> DiffusionEm {
    let averaging = Averaging::new(&Weights::Metropolis, graph).unwrap();
    let federation = problem.federation();
    let s_hat = federation.statistics_at(&problem.theta).unwrap();
    let combine = match scheme {
        Scheme::Plain => Combine::Rounds(rounds),
        Scheme::Chebyshev => Combine::Chebyshev(rounds),
    };
    let settings = DiffusionEmSetting { gamma, weights: Weights::Metropolis, combine, domain: Domain::Error };
    DiffusionEm::new(federation, (graph.clone(), averaging), settings, s_hat, problem.theta.clone()).unwrap()
}

fn run(
    problem: &Problem,
    links: &[(u32, u32)],
    gamma: Schedule,
    combine: (Scheme, u32),
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
        let mut central = PooledEm::new(federation, Domain::Error, s_hat, CentralizedEm::default()).unwrap();
        let mut simulated = run(&problem, &complete(5), GOSSIP, (Scheme::Plain, 1), 8);
        // CentralizedEm begins at the statistic of θ⁰, whose T is its first M-step.
        for _ in 0..7 {
            central.step(1, &|_| Vec::new()).unwrap();
        }
        let (found, expected) = (simulated.driver.parts().0.state().theta.to_vec(), central.state().theta.to_vec());
        for (found, expected) in found.iter().zip(&expected) {
            assert!((found - expected).abs() <= 1e-12 * expected.abs().max(1.0), "{found} and {expected}");
        }
        assert!(simulated.column("consensus_error").last().unwrap().unwrap() < 1e-13);
    }
}

/// What S rounds leave falls as SLEM^S: on the 8-cycle the slope of its logarithm between 40 and 60 rounds is log SLEM,
/// 0.1 %, after one iteration from a common θ⁰.
#[test]
fn differences_fall_at_the_rate_of_the_slem() {
    let problem = Problem::random(2, &[20; 8]);
    let graph = Graph::new(8, ring(8)).unwrap();
    let slem = Averaging::new(&Weights::Metropolis, &graph).unwrap().slem();
    let error =
        |rounds| run(&problem, &ring(8), GOSSIP, (Scheme::Plain, rounds), 1).column("consensus_error")[1].unwrap();
    let slope = libm::log(error(60) / error(40)) / 20.0;
    let expected = libm::log(slem);
    assert!((slope / expected - 1.0).abs() < 1e-3, "slope {slope}, log SLEM {expected}");
}

/// The first of Chebyshev's rounds is the plain one, and is told of like it; 30 leave nothing.
#[test]
fn what_is_left_is_told() {
    let problem = Problem::random(2, &[20; 8]);
    let told = |combine| Caveat::sentences(&run(&problem, &ring(8), GOSSIP, combine, 1).driver.parts().0.caveats());
    let one = told((Scheme::Plain, 1));
    assert!(one[0].starts_with("1 round of combination leaves up to 80.5 %"), "{one:?}");
    assert_eq!(told((Scheme::Chebyshev, 1)), one);
    assert!(told((Scheme::Chebyshev, 30)).is_empty());
}

/// Every agent sends its statistic to every neighbour in every round: q floats, one more (the mass) where sizes differ.
#[test]
fn every_message_is_charged() {
    let q = 2 + 4 + 6;
    for (sizes, floats) in [([20; 6], q), ([20, 20, 20, 20, 20, 21], q + 1)] {
        let problem = Problem::random(3, &sizes);
        let simulated = run(&problem, &ring(6), GOSSIP, (Scheme::Chebyshev, 5), 4);
        assert_eq!(simulated.account("consensus"), (4 * 5 * 2 * 6, 4 * 5 * 2 * 6 * 64 * floats));
        assert_eq!(simulated.rows.last().unwrap().expectations, 4 * u64::from(sizes.iter().sum::<u32>()));
        assert_eq!((simulated.account("features").0, simulated.account("terms").0), (0, 0));
    }
}

/// Slow reference of S = 2, γ < 1: sums of neighbours' statistics by hand, agents of unequal size.
#[test]
fn an_iteration_is_what_the_equations_say() {
    let sizes = [14, 25, 31, 18];
    let problem = Problem::random(4, &sizes);
    let links = [(0, 1), (1, 2), (2, 3), (1, 3)];
    let graph = Graph::new(4, links).unwrap();
    let averaging = Averaging::new(&Weights::Metropolis, &graph).unwrap();
    let federation = problem.federation();
    let model = problem.model();
    use fedbits_models::{Batch, DomainPolicy, ExactModel, Model, Scratch};
    let mut thetas = vec![problem.theta.clone(); 4];
    let mut states: Vec<Vec<f64>> = Vec::new();
    for iteration in 1..=3 {
        let mut fresh = Vec::new();
        for agent in 0..4 {
            let mut s = vec![0.0; model.statistic_dimension()];
            let e_step = model.conditional(&thetas[agent]).unwrap();
            e_step.mean_statistics(federation.examples(agent as u32), Batch::All, &mut Scratch::default(), &mut s);
            s.push(1.0);
            let weight = 4.0 * f64::from(sizes[agent]) / 88.0;
            fresh.push(s.iter().map(|s| weight * s).collect::<Vec<f64>>());
        }
        if iteration == 1 {
            states = fresh;
        } else {
            let pairs = states.iter_mut().flatten().zip(fresh.iter().flatten());
            pairs.for_each(|(x, fresh)| *x = 0.4 * *x + 0.6 * fresh);
        }
        (0..2).for_each(|_| states = averaging.apply(&states));
        for (theta, x) in thetas.iter_mut().zip(&states) {
            let (mass, x) = x.split_last().unwrap();
            let s: Vec<f64> = x.iter().map(|x| x / mass).collect();
            model.maximize(&s, DomainPolicy::Error, theta).unwrap();
        }
    }
    let simulated = run(&problem, &links, Schedule::Constant(0.6), (Scheme::Plain, 2), 3);
    let mean: Vec<f64> = (0..12).map(|i| states.iter().map(|x| x[i]).sum::<f64>() / 4.0).collect();
    let mut driver = simulated.driver;
    assert_close("Ŝ", driver.parts().0.state().s_hat, &mean);
}

/// One combination per iteration. With γ = 1 agents know what their neighbourhood has just seen, and their limit is
/// off; with a constant step below 1 mostly less so; with a decreasing one ‖h‖² of their average falls below a twentieth
/// of that. All on the mean of four problems: one alone has been seen to end at a twelfth.
#[test]
fn small_steps_average_in_time() {
    let problems = [5, 6, 7, 8].map(|seed| Problem::random(seed, &[40; 10]));
    let h_sq = |gamma: Schedule, iterations| {
        let last =
            |problem| run(problem, &ring(10), gamma, (Scheme::Plain, 1), iterations).rows.last().unwrap().mean_field_sq;
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
    let data = Partitioned::new(&data, Rule::Iid { clients: 3 }, &Streams::new(1, 0)).unwrap();
    let federation = Federation::new(data, Box::new(model), Weighting::Examples, None);
    let graph = Graph::new(3, ring(3)).unwrap();
    let averaging = Averaging::new(&Weights::Metropolis, &graph).unwrap();
    let (weights, combine) = (Weights::Metropolis, Combine::Rounds(1));
    let settings = DiffusionEmSetting { gamma: GOSSIP, weights, combine, domain: Domain::Error };
    let refused = DiffusionEm::new(federation, (graph, averaging), settings, vec![0.0; 6], vec![0.0; 9]);
    assert!(refused.is_err_and(|why| why.to_string().contains("`Diagonal`")));
}
