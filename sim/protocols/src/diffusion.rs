//! Diffusion and gossip EM: EM for data that are divided by examples over agents on a graph, without a server. The
//! horizontal counterpart of decentralized VP-EM.
//!
//! Iteration t of agent n, which holds M_n of the M examples and keeps x_n, an estimate of (s̄(θ), 1) of all data:
//!
//! | step | |
//! |---|---|
//! | E | s_n = s̄_n(θ_n), the mean statistic of its own examples |
//! | adapt | φ_n = x_n + γ_t (w_n (s_n, 1) − x_n), w_n = N M_n / M, and γ_1 = 1: there is nothing to remember yet |
//! | combine | x_n ← Σ_j (W^S)_nj φ_j: S rounds of messages between neighbours (or of Chebyshev's iteration) |
//! | M | θ_n = T(Ŝ_n), Ŝ_n = x_n / its last entry |
//!
//! With S = 1 and γ < 1 this is diffusion EM, adapt-then-combine (Weng, Xiao and Xie, Sensors 2011; Pereira,
//! López-Valcarce and Pagès-Zamora, IEEE Signal Processing Letters 2013); with γ = 1 and S rounds it is gossip or
//! consensus EM: averaged M-step statistics (Kowalczyk and Vlassis, Newscast EM, NIPS 2004, by random pairs; Gu, IEEE
//! Transactions on Neural Networks 2008, by a consensus filter). The papers write it for Gaussian mixtures; here it is
//! any model in expectation form.
//!
//! With `averages: Parameters` agents average parameters (NEM of Wu, Du, Li and Wang, arXiv 2411.05591, of which the
//! abstract was read; the recursion is the usual one of decentralized learning): in place of s_n stands T(s_n), and
//! θ_n = Σ_j (W^S)_nj φ_j. With γ = 1 this is NEM. With a small γ an agent's own EM step is mixed into the history, as
//! the abstract says of MNEM. With `averages: Statistics`, γ below 1 and one round the history is one of statistics:
//! with a small γ the agents stay together, and their mean makes steps of the EM of all data (x̄ moves by
//! γ (N⁻¹ Σ w_n s_n − x̄), in which only θ_n ≠ θ̄ is wrong). T is not linear: where data differ, means of T(s_n) have
//! another limit than T of the mean, also for γ → 0 and exact averaging.
//!
//! W is symmetric and its rows sum to 1, so the mean of the x_n is that of the φ_n, and its last entry 1: with exact
//! averaging this is centralized EM, whatever the M_n are. With weights of at least 0, Ŝ_n is a convex combination of
//! mean statistics of agents. The last entry is not sent where all M_n are equal, because it is 1 then. An agent's bits
//! per round and neighbour are those of q (or q + 1) floats of 64 bits: no examples, and nothing of length M. The
//! record shows the average: Ŝ = N⁻¹ Σ x_n, θ = T(Ŝ); before the first iteration θ₀, at which all agents are, and
//! Ŝ = T⁻¹(θ₀). Of a model whose T⁻¹ is not known it shows the statistic of all data at θ₀ and its T there, which is
//! one step of EM further on. It must not know messages or time.

use std::collections::VecDeque;

use fedbits_models::DomainError;
use fedbits_models::fit::ExactSetting;
use fedbits_models::gmm::vertical::Mixing;
use fedbits_spec::range::whole;
use fedbits_spec::{Caveat, Described, Facts, Findings, Path, so_many};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use crate::error::{ProtocolError, Result};
use crate::fedem::Domain;
use crate::federation::Federation;
use crate::footprint::{self, Part, Sizes};
use crate::journal::Subject;
use crate::neighbours::consensus::plain::{Chebyshev, Coefficients, Plain, Recursion};
use crate::neighbours::consensus::{LITTLE, MAX_ROUNDS};
use crate::neighbours::graph::Graph;
use crate::neighbours::weights::{Averaging, Weights};
use crate::neighbours::{Gossip, NeighbourRun, Plan};
use crate::over::{Built, ExamplesOf, Over};
use crate::problem::Problem;
use crate::schedule::Schedule;
use crate::setting::{Profile, ProtocolSetting, RunFacts};
use crate::state::{Probe, State, distance_sq};

/// Names of the columns of `rounds.csv`.
const COLUMNS: [&str; 4] = ["consensus_error", "farthest_objective", "consensus_rounds", "domain_events"];

/// Diffusion or gossip EM on data divided by examples. Agents are the sites of `shape: Graph(…)`, as many as `clients`.
/// Access links, the server and the placement of clients are unused.
#[derive(Clone, Debug, Described, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields, rename = "DiffusionEm")]
#[described(rules = rules)]
pub struct DiffusionEmSetting {
    /// γ, step towards the statistic of the agent's own examples, from the second iteration on. Below 1 with one round:
    /// diffusion EM; 1 with many rounds: gossip EM.
    pub gamma: Schedule,
    /// W.
    #[serde(default)]
    pub weights: Weights,
    /// Combination of statistics.
    #[serde(default)]
    pub combine: Combine,
    /// Quantity that neighbours average.
    #[serde(default)]
    pub averages: Averages,
    /// Statistics outside the domain of T.
    #[serde(default)]
    pub domain: Domain,
}

/// Quantity that neighbours average.
#[derive(Clone, Copy, Debug, Default, Described, Deserialize, Eq, PartialEq, Serialize)]
pub enum Averages {
    /// Statistics; with small γ and one round MNEM.
    #[default]
    Statistics,
    /// Parameters after a local EM step, with γ the step towards them; γ = 1 is network EM (NEM). If agents' data
    /// differ, the limit is not that of EM. For mixtures.
    Parameters,
}

/// Combination of agents' values.
#[derive(Clone, Copy, Debug, Described, Deserialize, Eq, PartialEq, Serialize)]
pub enum Combine {
    /// S rounds x ← W x per iteration.
    Rounds(#[range(whole(1, MAX_ROUNDS))] u32),
    /// S rounds of Chebyshev's iteration.
    Chebyshev(#[range(whole(1, MAX_ROUNDS))] u32),
}

impl Default for Combine {
    fn default() -> Self {
        Combine::Rounds(1)
    }
}

impl Combine {
    /// S.
    fn rounds(self) -> u32 {
        let (Self::Rounds(rounds) | Self::Chebyshev(rounds)) = self;
        rounds
    }

    fn recursion(self) -> Box<dyn Recursion> {
        match self {
            Self::Rounds(_) => Box::new(Plain),
            Self::Chebyshev(_) => Box::new(Chebyshev::default()),
        }
    }
}

fn rules(setting: &DiffusionEmSetting, at: &Path<'_>, _: &Facts, findings: &mut Findings) {
    if setting.domain == Domain::SkipRound {
        let why = "an agent that skips its step would leave its neighbours waiting";
        findings.error(at.field("domain"), why, "expected `Error` or `Clip(floor: …)`");
    }
}

impl ProtocolSetting for DiffusionEmSetting {
    fn over(&self) -> Over<'_> {
        Over::PeerExamples(Box::new(|(ExamplesOf { federation, theta, s_hat }, graph), _| {
            let averaging = self.weights.on(&graph, &Path::Root.field("protocol.weights"))?;
            let algorithm = DiffusionEm::new(federation, (graph, averaging), self.clone(), s_hat, theta)?;
            Ok(Built::new(NeighbourRun(algorithm)))
        }))
    }

    fn profile(&self) -> Profile {
        Profile { domain: self.domain, columns: Some(COLUMNS.to_vec()), ..Profile::default() }
    }

    fn takes(&self, model: &dyn ExactSetting) -> bool {
        self.averages == Averages::Statistics || model.abilities().averages_parameters
    }

    fn measures_field(&self, model: &dyn ExactSetting) -> bool {
        self.averages == Averages::Statistics || model.abilities().averages_expectations
    }

    fn check_run(&self, run: &RunFacts<'_>, findings: &mut Findings) {
        let em = run.model.exact().filter(|em| em.abilities().has_short_statistics);
        if em.is_some_and(|em| !self.takes(em)) {
            let found = "the parameters of this model cannot be averaged";
            findings.error("protocol.averages", found, "expected `Statistics`, or a mixture");
        }
    }

    fn memory(&self, sizes: &Sizes) -> Vec<Part> {
        footprint::agents(footprint::product(&[6, sizes.statistic]), true, sizes)
    }

    fn examples() -> Vec<Self> {
        let of = |gamma, combine| {
            let (gamma, weights, domain) = (Schedule::Constant(gamma), Weights::Metropolis, Domain::Error);
            Self { gamma, weights, combine, averages: Averages::Statistics, domain }
        };
        let network = Self { averages: Averages::Parameters, ..of(1.0, Combine::Rounds(1)) };
        vec![of(0.5, Combine::Rounds(1)), of(1.0, Combine::Chebyshev(5)), network]
    }
}

/// What all agents have after an iteration.
#[derive(Clone, Debug)]
struct Iterate {
    /// The x_n, one after the other.
    x: Vec<f64>,
    /// θ_n.
    thetas: Vec<Vec<f64>>,
    /// Entries that T clipped so far.
    clipped: u64,
}

/// Diffusion EM on a graph: agent n is client n of the federation.
pub struct DiffusionEm {
    federation: Federation,
    graph: Graph,
    averaging: Averaging,
    settings: DiffusionEmSetting,
    /// W^S, or Chebyshev's polynomial of W.
    mixing: Mixing,
    /// The last iteration that everybody has finished, and those that somebody has begun.
    visible: Iterate,
    begun: VecDeque<Iterate>,
    number: u64,
    /// The mean of what agents average: of the Ŝ_n, or of the θ_n.
    mean: Vec<f64>,
    s_hat: Vec<f64>,
    theta: Vec<f64>,
}

impl DiffusionEm {
    /// All agents start at `theta`, whose statistic over all data is `s_hat`.
    ///
    /// # Errors
    /// When agents and graph do not fit, somebody has no examples, the model needs constants of all data, or the state
    /// that stands for the start has no parameter.
    pub fn new(
        federation: Federation,
        (graph, averaging): (Graph, Averaging),
        settings: DiffusionEmSetting,
        s_hat: Vec<f64>,
        theta: Vec<f64>,
    ) -> Result<Self> {
        let n = graph.len();
        if federation.clients() as usize != n {
            let found = format!(
                "{} the examples and the graph has {}",
                so_many(federation.clients(), "agent holds|agents hold"),
                so_many(n, "site")
            );
            return Err(ProtocolError::Unfit(format!("{found}: expected as many `clients` as sites")));
        }
        if let Some(empty) = (0..n as u32).find(|&agent| federation.size(agent) == 0) {
            return Err(ProtocolError::Unfit(format!("agent {empty} has no examples: expected at least one each")));
        }
        if federation.model().constants_dimension() > 0 {
            let found = "the tied covariance needs the second moments of all data, which nobody has without a server";
            return Err(ProtocolError::Unfit(format!("{found}: expected `Known(…)`, `Diagonal` or `Full`")));
        }
        let unit = |i: usize| (0..n).map(|j| f64::from(u8::from(i == j))).collect();
        let identity: Vec<Vec<f64>> = (0..n).map(unit).collect();
        let combine = settings.combine;
        let realized = Coefficients::after(combine.rounds(), combine.recursion().as_mut(), &averaging, identity);
        let mixing = Mixing::new(realized.now.iter().map(Vec::as_slice), n);
        if settings.averages == Averages::Parameters && federation.model().parameters().is_none() {
            let found = "the parameters of this model cannot be averaged";
            return Err(ProtocolError::Unfit(format!("{found}: expected a mixture, or `averages: Statistics`")));
        }
        let mean = match settings.averages {
            Averages::Statistics => s_hat.clone(),
            Averages::Parameters => theta.clone(),
        };
        let visible = Iterate { x: [&mean[..], &[1.0]].concat().repeat(n), thetas: vec![theta.clone(); n], clipped: 0 };
        let (s_hat, theta) = start(&federation, settings.domain, s_hat, theta)?;
        Ok(Self {
            federation,
            graph,
            averaging,
            settings,
            mixing,
            visible,
            begun: VecDeque::new(),
            number: 0,
            mean,
            s_hat,
            theta,
        })
    }

    /// Do all agents hold equal numbers of examples?
    fn equal_sizes(&self) -> bool {
        (1..self.federation.clients()).all(|agent| self.federation.size(agent) == self.federation.size(0))
    }

    /// E-step, adaptation, combination and M-step of all agents.
    fn iterate(&self, before: &Iterate, iteration: u64) -> Result<Iterate> {
        let (n, width) = (self.graph.len(), self.mean.len() + 1);
        let gamma = if iteration == 1 { 1.0 } else { self.settings.gamma.at(iteration) };
        let adapt = |agent: usize| {
            let (target, clipped) = self.own_step(agent as u32, &before.thetas[agent])?;
            let weight = self.federation.weight(agent as u32);
            let fresh = target.iter().chain([&1.0]).map(|s| weight * s);
            let x = &before.x[agent * width..][..width];
            let adapted: Vec<f64> = x.iter().zip(fresh).map(|(x, fresh)| x + gamma * (fresh - x)).collect();
            Ok((adapted, clipped))
        };
        let adapted: Vec<Result<(Vec<f64>, u64), DomainError>> = (0..n).into_par_iter().map(adapt).collect();
        let (mut phi, mut clipped) = (Vec::with_capacity(n * width), before.clipped);
        for (agent, adapted) in adapted.into_iter().enumerate() {
            let (x, more) = adapted.map_err(|error| failed(iteration, agent, error))?;
            phi.extend(x);
            clipped += more;
        }
        let mut next = Iterate { x: self.mixing.product(&phi, width), thetas: Vec::new(), clipped };
        for agent in 0..n {
            let (average, mut theta) = (vector_of(&next.x, agent, width - 1), Vec::new());
            let clipped = self.parameters_of(&average, &mut theta);
            next.clipped += clipped.map_err(|error| failed(iteration, agent, error))?;
            next.thetas.push(theta);
        }
        Ok(next)
    }

    /// What an agent at θ would have of its own examples alone, s̄_n(θ) or its T, and how many entries T clipped.
    fn own_step(&self, agent: u32, theta: &[f64]) -> Result<(Vec<f64>, u64), DomainError> {
        let statistic = self.local_statistic(agent, theta)?;
        match self.settings.averages {
            Averages::Statistics => Ok((statistic, 0)),
            Averages::Parameters => {
                let mut parameters = Vec::new();
                let clipped = self.settings.domain.maximize(self.federation.model(), &statistic, &mut parameters)?;
                Ok((parameters, clipped))
            }
        }
    }

    /// θ that belongs to a mean of what agents average; returns how many entries were clipped.
    fn parameters_of(&self, mean: &[f64], theta: &mut Vec<f64>) -> Result<u64, DomainError> {
        let (model, domain) = (self.federation.model(), self.settings.domain);
        match model.parameters() {
            Some(parameters) if self.settings.averages == Averages::Parameters => {
                Ok(parameters.admit(mean, domain.policy(), theta)?.entries())
            }
            _ => domain.maximize(model, mean, theta),
        }
    }

    /// s̄_n(θ).
    fn local_statistic(&self, agent: u32, theta: &[f64]) -> Result<Vec<f64>, DomainError> {
        let e_step = self.federation.model().conditional(theta)?;
        let mut statistic = vec![0.0; self.s_hat.len()];
        self.federation.local_statistics(&[agent], e_step.as_ref(), |_, _| false, 0, &mut statistic);
        Ok(statistic)
    }

    /// ‖Ŝ_n − Ŝ‖² of every agent, or ‖θ_n − θ‖² where these are averaged; before the first iteration all are at one
    /// θ₀.
    fn distances_sq(&self) -> Vec<f64> {
        if self.number == 0 {
            return vec![0.0; self.graph.len()];
        }
        let distance = |agent: u32| {
            let vector = vector_of(&self.visible.x, agent as usize, self.mean.len());
            distance_sq(&vector, &self.mean)
        };
        (0..self.federation.clients()).map(distance).collect()
    }

    /// F(θ_n) of the agent whose Ŝ_n is farthest from the average, over all data.
    fn farthest_objective(&self, distances_sq: &[f64]) -> Result<f64> {
        let farther = |best: usize, n: usize| if distances_sq[n] > distances_sq[best] { n } else { best };
        let theta = &self.visible.thetas[(0..distances_sq.len()).fold(0, farther)];
        let e_step = self.federation.model().conditional(theta)?;
        let objective = self.federation.mean_field(&self.s_hat, e_step.as_ref(), &mut vec![0.0; self.s_hat.len()]);
        Ok(objective + self.federation.model().penalty(theta))
    }
}

/// The Ŝ and θ = T(Ŝ) that the record shows before the first iteration, of agents at `theta`; `s_hat`: s̄(θ) of all
/// data.
fn start(
    federation: &Federation,
    domain: Domain,
    mut s_hat: Vec<f64>,
    mut theta: Vec<f64>,
) -> Result<(Vec<f64>, Vec<f64>)> {
    if let Some(parameters) = federation.model().parameters() {
        parameters.statistic_of(&theta, &mut s_hat);
    } else {
        domain.maximize(federation.model(), &s_hat, &mut theta).map_err(ProtocolError::Initial)?;
    }
    Ok((s_hat, theta))
}

/// The Ŝ_n of an agent, q numbers; or its θ_n.
fn vector_of(x: &[f64], agent: usize, q: usize) -> Vec<f64> {
    let x_n = &x[agent * (q + 1)..][..q + 1];
    x_n[..q].iter().map(|entry| entry / x_n[q]).collect()
}

fn failed(iteration: u64, agent: usize, error: DomainError) -> ProtocolError {
    ProtocolError::from(error).at(format_args!("iteration {iteration}, agent {agent}"))
}

impl Gossip for DiffusionEm {
    fn graph(&self) -> &Graph {
        &self.graph
    }

    fn work(&self, node: u32, _iteration: u64) -> u64 {
        u64::from(self.federation.size(node))
    }

    fn plan(&mut self, iteration: u64) -> Result<Plan> {
        let next = self.iterate(self.begun.back().unwrap_or(&self.visible), iteration)?;
        self.begun.push_back(next);
        let floats = self.mean.len() as u64 + u64::from(!self.equal_sizes());
        Ok(Plan { rounds: self.settings.combine.rounds(), bits: 64 * floats, ..Plan::default() })
    }

    fn commit(&mut self) -> Result<u64> {
        self.visible = self.begun.pop_front().expect("an iteration is planned before it is finished");
        self.number += 1;
        let (n, width) = (self.graph.len(), self.mean.len() + 1);
        self.mean.fill(0.0);
        for x in self.visible.x.chunks_exact(width) {
            self.mean.iter_mut().zip(x).for_each(|(mean, x)| *mean += x / n as f64);
        }
        let mut theta = std::mem::take(&mut self.theta);
        let clipped = self.parameters_of(&self.mean, &mut theta);
        self.theta = theta;
        let at = |error| {
            ProtocolError::Domain(error).at(format_args!("iteration {}, the average of all agents", self.number))
        };
        clipped.map_err(at)?;
        match self.federation.model().parameters() {
            Some(parameters) if self.settings.averages == Averages::Parameters => {
                parameters.statistic_of(&self.theta, &mut self.s_hat);
            }
            _ => self.s_hat.clone_from(&self.mean),
        }
        Ok(self.number * self.federation.total())
    }
}

impl Subject for DiffusionEm {
    fn problem(&self) -> &dyn Problem {
        &self.federation
    }

    fn state(&self) -> State<'_> {
        State { s_hat: &self.s_hat, theta: &self.theta }
    }

    fn probe(&self) -> Result<Probe> {
        let probe = self.federation.probe(&self.state())?;
        let parameters = self.federation.model().parameters();
        let is_mean = self.settings.averages == Averages::Parameters && parameters.is_some_and(|p| !p.is_expectation());
        Ok(probe.at_mean_of_parameters(is_mean))
    }

    /// `consensus_error`: root mean square over agents of ‖Ŝ_n − Ŝ‖, or of ‖θ_n − θ‖; `farthest_objective`: F(θ_n) over
    /// all data of the agent whose Ŝ_n (or θ_n) is farthest from the mean, on probed rounds.
    fn columns(&self) -> Vec<String> {
        COLUMNS.map(str::to_owned).to_vec()
    }

    fn values(&self, thorough: bool) -> Result<Vec<Option<f64>>> {
        let distances_sq = self.distances_sq();
        let error = (distances_sq.iter().sum::<f64>() / distances_sq.len() as f64).sqrt();
        let farthest = if thorough { Some(self.farthest_objective(&distances_sq)?) } else { None };
        let rounds = self.number * u64::from(self.settings.combine.rounds());
        Ok(vec![Some(error), farthest, Some(rounds as f64), Some(self.visible.clipped as f64)])
    }

    fn caveats(&self) -> Vec<Caveat> {
        let mut caveats = Vec::new();
        if self.visible.clipped > 0 {
            caveats.push(Caveat::ClippedEntries {
                statistics: "the agents' statistics".to_owned(),
                entries: so_many(self.visible.clipped, "entry"),
            });
        }
        let combine = self.settings.combine;
        let left = combine.recursion().left(self.averaging.slem(), combine.rounds());
        if let Schedule::Constant(gamma) = self.settings.gamma
            && left > LITTLE
        {
            caveats.push(Caveat::CombinationInexact {
                rounds: so_many(combine.rounds(), "round of combination leaves|rounds of combination leave"),
                share: format!("{:.1}", 100.0 * left),
                gamma: gamma.to_string(),
            });
        }
        caveats
    }
}
