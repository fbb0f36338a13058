//! VP-EM: mixtures from data that are divided by features (Valdeira, Soares and Xavier).
//!
//! Federated (Algorithm 1, `federated`): a server adds the clients' terms. Decentralized (Algorithm 2, here): agents
//! on a graph form hubs ([`hubs`](crate::neighbours::hubs)); leaves send their features to the root of their hub once;
//! in every iteration the root b sends its terms Q^b to its leaves, all agents average z_n⁰ = (N / |H_b|) Q^b by S
//! rounds of consensus ([`consensus`](crate::neighbours::consensus)), and every root makes its own E- and M-step
//! ([`fit`]) from what it has got.
//!
//! | symbol | |
//! |---|---|
//! | N, M, K | agents, examples, components |
//! | H_b, B | hub b, number of hubs |
//! | Q^b_mk | log\|Σ_k^b\| + ‖x_m^b − µ_k^b‖² in the metric of (Σ_k^b)⁻¹ |
//! | W, S | weights and number of consensus rounds |
//!
//! What is sent, in bits per message: features M · d_n · 64 per hop; terms and plain rounds \|B_t\| · K · 64 with
//! \|B_t\| the examples of the iteration; on top of rounds, D bits when rounds are adaptive (D the diameter) and 32 when
//! a stopping iteration is flooded. With a server compressed terms have the bits of their operator (`surrogates`);
//! where examples lack blocks ([`rules::MissingBlocks`]) terms are those of the examples that an agent has, and a bit
//! per example is sent once.

mod build;
mod federated;
pub mod fit;
pub mod rules;
mod settings;
mod surrogates;

pub use federated::FederatedVpEm;
pub use settings::{Architecture, FirstTerms, VpEm, VpLink, VpSurrogate};

use std::collections::VecDeque;

use fedbits_models::gmm::vertical::FeatureBlocks;
use fedbits_spec::Caveat;

use crate::error::Result;
use crate::journal::Subject;
use crate::neighbours::consensus::Averager;
use crate::neighbours::graph::Graph;
use crate::neighbours::hubs::{HubSearch, Hubs};
use crate::neighbours::{Gossip, Lengths, Plan, States};
use crate::problem::Problem;
use crate::state::{Probe, State};
use fit::{COLUMNS, Fit, extremes, stopped};
use rules::Stopping;

/// Algorithm 2 on a graph.
pub struct DecentralizedVpEm {
    graph: Graph,
    hubs: Hubs,
    averager: Box<dyn Averager>,
    /// The messages by which the hubs are found.
    search: Option<Plan>,
    fit: Fit,
    /// Features of every agent.
    features: FeatureBlocks,
    /// Bits of the iterations that have begun.
    begun: VecDeque<u64>,
}

impl DecentralizedVpEm {
    /// `fit` has one block per hub of `h` hops, `features` one per agent.
    ///
    /// # Panics
    /// If these numbers disagree.
    pub fn new(
        (graph, hubs, h): (Graph, Hubs, u32),
        averager: Box<dyn Averager>,
        search: HubSearch,
        mut fit: Fit,
        features: FeatureBlocks,
    ) -> Self {
        assert_eq!(
            (fit.mixture.blocks().len(), features.len()),
            (hubs.len(), graph.len()),
            "a block per hub and per agent"
        );
        let diameter = graph.diameter(&|_| true);
        fit.set_hearing(u64::from(diameter.div_ceil(averager.rounds().max(1)).max(1)));
        let search = (search == HubSearch::Flooding).then(|| hubs.flooding(&graph, h));
        Self { graph, hubs, averager, search, fit, features, begun: VecDeque::new() }
    }
}

impl Gossip for DecentralizedVpEm {
    fn graph(&self) -> &Graph {
        &self.graph
    }

    fn parent(&self, node: u32) -> Option<u32> {
        self.hubs.parent(node)
    }

    fn data_bits(&self, node: u32) -> u64 {
        64 * self.fit.mixture.examples() as u64 * self.features.features(node as usize).len() as u64
    }

    fn work(&self, _node: u32, iteration: u64) -> u64 {
        self.fit.visited(iteration)
    }

    fn initialization(&mut self) -> Option<Plan> {
        self.search.take()
    }

    fn plan(&mut self, iteration: u64) -> Result<Plan> {
        let (rounds, coded) = match self.averager.states() {
            Some(_) => (self.averager.rounds(), Lengths::new()),
            None => self.averager.average(&mut self.fit)?,
        };
        let numbers = self.fit.numbers(iteration);
        let flood = if matches!(self.fit.settings.stopping, Stopping::Flood { .. }) { 32 } else { 0 };
        let bits = self.averager.message_bits(numbers) + flood;
        let last = self.fit.newest().last.filter(|&last| last <= iteration).map(|_| stopped(iteration));
        let plan = Plan { rounds, bits, coded, terms: 64 * numbers, last };
        self.begun.push_back(plan.total(&self.graph, (self.graph.len() - self.hubs.len()) as u64));
        Ok(plan)
    }

    fn commit(&mut self) -> Result<u64> {
        if self.averager.states().is_some() {
            self.averager.average(&mut self.fit)?;
        }
        let bits = self.begun.pop_front().expect("an iteration is planned before it is finished");
        Ok(self.fit.show_next(bits))
    }

    fn states(&mut self) -> Option<&mut dyn States> {
        self.averager.states()
    }
}

/// Names of the columns: those of a federation; root mean square of what roots miss of Σ_b Q^b; largest difference
/// between two roots' π_k; rounds so far; roots that have stopped.
const ALL_COLUMNS: [&str; 7] = {
    let [likelihood, spread, bits] = COLUMNS;
    [likelihood, spread, bits, "consensus_error", "weights_spread", "consensus_rounds", "stopped_roots"]
};

impl Subject for DecentralizedVpEm {
    fn problem(&self) -> &dyn Problem {
        &self.fit
    }

    fn clients(&self) -> u32 {
        self.graph.len() as u32
    }

    fn state(&self) -> State<'_> {
        self.fit.state()
    }

    fn probe(&self) -> Result<Probe> {
        self.fit.probe()
    }

    fn columns(&self) -> Vec<String> {
        ALL_COLUMNS.map(str::to_owned).to_vec()
    }

    fn values(&self, thorough: bool) -> Result<Vec<Option<f64>>> {
        let now = &self.fit.visible;
        let spread = |k: usize| {
            let (low, high) = extremes(now.thetas.iter().map(|theta| theta[k]));
            high - low
        };
        let mut values = self.fit.values(thorough)?;
        values.extend([
            (now.number > 0).then_some(now.consensus_error),
            Some((0..self.fit.mixture.components()).map(spread).fold(0.0, f64::max)),
            Some(now.rounds as f64),
            Some(now.frozen.iter().filter(|&&frozen| frozen).count() as f64),
        ]);
        Ok(values)
    }

    fn caveats(&self) -> Vec<Caveat> {
        [self.fit.caveats(), self.averager.caveats()].concat()
    }
}
