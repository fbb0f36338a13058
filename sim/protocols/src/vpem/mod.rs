//! VP-EM: mixtures from data that are divided by features (Valdeira, Soares and Xavier).
//!
//! Federated (Algorithm 1, [`federated`]): a server adds the clients' terms. Decentralized (Algorithm 2, here): agents
//! on a graph form hubs ([`hubs`]); leaves send their features to the root of their hub once; in every iteration the
//! root b sends its terms Q^b to its leaves, all agents average z_n⁰ = (N / |H_b|) Q^b by S rounds of consensus
//! ([`crate::neighbours::rounds`]; quantized:
//! [`choco`]; lossy: [`lossy`]), and every root makes its own E- and M-step ([`fit`]) from what it has got.
//!
//! | symbol | |
//! |---|---|
//! | N, M, K | agents, examples, components |
//! | H_b, B | hub b, number of hubs |
//! | Q^b_mk | log\|Σ_k^b\| + ‖x_m^b − µ_k^b‖² in the metric of (Σ_k^b)⁻¹ |
//! | W, S | weights and number of consensus rounds |
//!
//! What is sent, in bits per message: features M · d_n · 64 per hop; terms and plain rounds \|B_t\| · K · 64 with
//! \|B_t\| the examples of the iteration; on top of rounds, D bits when rounds are adaptive (D the diameter) and 32 when a stopping iteration is flooded.

mod build;
pub mod choco;
pub mod clustering;
pub mod federated;
pub mod fit;
pub mod hubs;
mod left;
pub mod lossy;
mod report;
pub mod rules;
mod settings;

pub use settings::{Consensus, Setting, VpEm};

use std::collections::VecDeque;

use fedbits_codec::WireFloat;
use fedbits_kernel::TimeDelta;
use fedbits_models::Batch;
use fedbits_models::gmm::vertical::FeatureBlocks;
use fedbits_random::Streams;
use fedbits_spec::{Caveat, Duration, so_many};

use crate::error::ProtocolError;
use crate::journal::Subject;
use crate::neighbours::graph::Graph;
use crate::neighbours::rounds::{self, Rounds, Scheme};
use crate::neighbours::weights::Averaging;
use crate::neighbours::{Carried, Gossip, Plan, RoundBits};
use crate::problem::Problem;
use crate::state::{Probe, State};
use choco::Choco;
use clustering::{Clustering, flooding};
use fit::{Fit, Mix};
use hubs::Hubs;
use lossy::Lossy;
use report::Report;
use rules::Stopping;

/// A [`Consensus`] on a graph.
pub enum Exchange {
    /// Sums of floats, run as coefficients over the initial states.
    Linear {
        /// How states are combined.
        scheme: Scheme,
        /// How many rounds there are.
        rounds: Rounds,
    },
    /// Quantized differences with error compensation.
    Quantized(Box<Choco>),
    /// Rounds that go on when messages are missing: what is mixed is known when everybody has finished. No root stops
    /// by itself.
    Lossy {
        /// What is done about missing messages.
        consensus: Box<Lossy>,
        /// How long a message is waited for, if not for ever.
        patience: Option<TimeDelta>,
    },
}

impl Exchange {
    /// `audit`: every message of quantized rounds is checked bit by bit.
    ///
    /// # Panics
    /// If the patience of the consensus is out of its range.
    pub fn new(
        consensus: &Consensus,
        averaging: &Averaging,
        (graph, hubs): (&Graph, &Hubs),
        audit: bool,
        streams: Streams,
    ) -> Self {
        let linear = |chebyshev, rounds| {
            let scheme = if chebyshev { Scheme::Chebyshev } else { Scheme::Plain };
            Self::Linear { scheme, rounds }
        };
        match *consensus {
            Consensus::Rounds(rounds) => linear(false, Rounds::Fixed(rounds)),
            Consensus::Chebyshev(rounds) => linear(true, Rounds::Fixed(rounds)),
            Consensus::Adaptive { tolerance, at_most, chebyshev } => {
                linear(chebyshev, Rounds::Adaptive { tolerance, at_most })
            }
            Consensus::Lossy { rounds, missing, patience } => {
                let nanoseconds = |patience: Duration| patience.nanoseconds().expect("a checked duration");
                Self::Lossy {
                    consensus: Box::new(Lossy::new(missing, rounds, averaging.clone(), graph, hubs)),
                    patience: patience.map(|patience| TimeDelta::from_nanos(nanoseconds(patience))),
                }
            }
            Consensus::Choco(ref choco) => {
                Self::Quantized(Box::new(Choco::new(choco, (averaging, hubs), WireFloat::F32, audit, streams)))
            }
        }
    }
}

/// Algorithm 2 on a graph.
pub struct DecentralizedVpEm {
    graph: Graph,
    hubs: Hubs,
    averaging: Averaging,
    consensus: Exchange,
    clustering: Clustering,
    h: u32,
    fit: Fit,
    /// Features of every agent.
    own: FeatureBlocks,
    diameter: u32,
    /// Coefficients of the roots, where they are the same in every iteration.
    fixed: Option<Vec<Vec<f64>>>,
    /// Bits of iterations that are not computed yet.
    planned: VecDeque<u64>,
    /// Iterations whose adaptive rounds were over too soon.
    unfinished: u64,
}

impl DecentralizedVpEm {
    /// `fit` has one block per hub, `own` one per agent.
    ///
    /// # Panics
    /// If these numbers disagree.
    pub fn new(
        (graph, hubs, h): (Graph, Hubs, u32),
        (averaging, consensus): (Averaging, Exchange),
        clustering: Clustering,
        mut fit: Fit,
        own: FeatureBlocks,
    ) -> Self {
        assert_eq!(
            (fit.mixture().blocks().len(), own.len()),
            (hubs.len(), graph.len()),
            "a block per hub and per agent"
        );
        let diameter = graph.diameter(&|_| true);
        let fixed = match &consensus {
            &Exchange::Linear { scheme, rounds: Rounds::Fixed(rounds) } => {
                let coefficients = rounds::fixed(scheme, &averaging, hubs.initial_states(), rounds);
                Some(at_roots(&hubs, coefficients.rows()))
            }
            _ => None,
        };
        let per_iteration = match &consensus {
            Exchange::Linear { rounds: Rounds::Fixed(rounds) | Rounds::Adaptive { at_most: rounds, .. }, .. } => {
                *rounds
            }
            Exchange::Quantized(choco) => choco.rounds(),
            Exchange::Lossy { consensus, .. } => consensus.rounds(),
        };
        fit.set_hearing(u64::from(diameter.div_ceil(per_iteration.max(1)).max(1)));
        let planned = VecDeque::new();
        Self { graph, hubs, averaging, consensus, clustering, h, fit, own, diameter, fixed, planned, unfinished: 0 }
    }

    /// The hubs.
    pub fn hubs(&self) -> &Hubs {
        &self.hubs
    }

    /// The weights.
    pub fn averaging(&self) -> &Averaging {
        &self.averaging
    }

    /// N − B.
    fn leaves(&self) -> u64 {
        (self.graph.len() - self.hubs.len()) as u64
    }

    /// Bits of |B_t| · K floats.
    fn floats(&self, iteration: u64) -> u64 {
        let mixture = self.fit.mixture();
        64 * self.fit.settings().batch.size(iteration, mixture.examples()) * mixture.components() as u64
    }

    /// Bits that ride on every message of a round.
    fn riders(&self) -> u64 {
        let adaptive = matches!(self.consensus, Exchange::Linear { rounds: Rounds::Adaptive { .. }, .. });
        let flood = matches!(self.fit.settings().stopping, Stopping::Flood { .. });
        (if adaptive { u64::from(self.diameter) } else { 0 }) + (if flood { 32 } else { 0 })
    }

    /// Averages, makes the E- and M-steps of all roots; returns S and the lengths of the rounds' messages.
    fn iterate(&mut self, iteration: u64) -> Result<(u32, RoundBits), ProtocolError> {
        let same_bits = self.floats(iteration) + self.riders();
        let same = RoundBits::Same(same_bits);
        if let Some(rows) = &self.fixed {
            let Exchange::Linear { rounds: Rounds::Fixed(rounds), .. } = self.consensus else {
                unreachable!("coefficients are fixed for fixed linear rounds");
            };
            self.fit.advance(Mix::Linear(rows), u64::from(rounds))?;
            return Ok((rounds, same));
        }
        match &mut self.consensus {
            &mut Exchange::Linear { scheme, rounds: Rounds::Adaptive { tolerance, at_most } } => {
                let batch = self.fit.next_batch();
                let examples = batch.as_deref().map_or(Batch::All, Batch::Indices);
                let gram = self.fit.mixture().gram(&self.fit.newest().thetas, examples);
                let gram =
                    gram.map_err(|error| ProtocolError::from(error).at(format_args!("iteration {iteration}")))?;
                let limits = (tolerance, self.diameter, at_most);
                let coefficients = rounds::adaptive(scheme, &self.averaging, self.hubs.initial_states(), &gram, limits);
                let rows = at_roots(&self.hubs, coefficients.rows());
                self.unfinished += u64::from(coefficients.are_unfinished());
                self.fit.advance(Mix::Linear(&rows), u64::from(coefficients.rounds()))?;
                Ok((coefficients.rounds(), same))
            }
            &mut Exchange::Linear { rounds: Rounds::Fixed(_), .. } => unreachable!("their coefficients are fixed"),
            // Computed when all have finished.
            Exchange::Lossy { consensus, .. } => {
                let rounds = consensus.rounds();
                let bits = same_bits + 64 * consensus.extra();
                Ok((rounds, RoundBits::Same(bits)))
            }
            Exchange::Quantized(choco) => {
                choco.begin(iteration);
                let rounds = choco.rounds();
                let mut mix = |terms: &[f64], used: usize, out: &mut [f64]| choco.mix(terms, used, out);
                self.fit.advance(Mix::Custom(&mut mix), u64::from(rounds))?;
                let mut bits = choco.finish()?;
                let riders = if matches!(self.fit.settings().stopping, Stopping::Flood { .. }) { 32 } else { 0 };
                bits.iter_mut().flatten().for_each(|bits| *bits += riders);
                Ok((rounds, RoundBits::Each((1..).zip(bits).collect())))
            }
        }
    }
}

/// Coefficients of the roots, hub by hub.
fn at_roots(hubs: &Hubs, rows: &[Vec<f64>]) -> Vec<Vec<f64>> {
    hubs.hubs().iter().map(|hub| rows[hub.root as usize].clone()).collect()
}

impl Gossip for DecentralizedVpEm {
    fn graph(&self) -> &Graph {
        &self.graph
    }

    fn parent(&self, node: u32) -> Option<u32> {
        self.hubs.parent(node)
    }

    fn data_bits(&self, node: u32) -> u64 {
        64 * self.fit.mixture().examples() as u64 * self.own.features(node as usize).len() as u64
    }

    fn work(&self, _node: u32, iteration: u64) -> u64 {
        self.fit.settings().batch.size(iteration, self.fit.mixture().examples())
    }

    fn initialization(&mut self) -> Option<Plan> {
        (self.clustering == Clustering::Flooding).then(|| flooding(&self.graph, &self.hubs, self.h))
    }

    fn ahead(&mut self, iteration: u64) -> Result<Plan, ProtocolError> {
        let (rounds, round_bits) = self.iterate(iteration)?;
        let last = self.fit.newest().last.filter(|&last| last <= iteration && !self.copes());
        let plan = Plan {
            rounds,
            round_bits,
            announcement: self.floats(iteration),
            last: last.map(|_| report::stopped(iteration)),
        };
        if self.copes() {
            self.planned.push_back(plan.total(&self.graph, self.leaves()));
        } else {
            self.fit.note_bits(plan.total(&self.graph, self.leaves()));
        }
        Ok(plan)
    }

    fn commit(&mut self) -> Result<u64, ProtocolError> {
        if let Exchange::Lossy { consensus, .. } = &mut self.consensus {
            let rows = consensus.take(self.fit.newest().number + 1, &self.hubs);
            self.fit.advance(Mix::Linear(&rows), u64::from(consensus.rounds()))?;
            self.fit.note_bits(self.planned.pop_front().unwrap_or(0));
        }
        self.fit.commit();
        Ok(self.fit.visible().expectations)
    }

    fn copes(&self) -> bool {
        matches!(self.consensus, Exchange::Lossy { .. })
    }

    fn patience(&self) -> Option<TimeDelta> {
        if let Exchange::Lossy { patience, .. } = &self.consensus { *patience } else { None }
    }

    fn begins(&mut self, node: u32, _iteration: u64) {
        if let Exchange::Lossy { consensus, .. } = &mut self.consensus {
            consensus.begin(node);
        }
    }

    fn speaks(&mut self, node: u32) -> Option<Carried> {
        match &mut self.consensus {
            Exchange::Lossy { consensus, .. } => Some(consensus.speak(node)),
            _ => None,
        }
    }

    fn listens(&mut self, node: u32, messages: &[(u32, Option<Carried>)]) {
        if let Exchange::Lossy { consensus, .. } = &mut self.consensus {
            consensus.listen(node, messages);
        }
    }

    fn finishes(&mut self, node: u32, iteration: u64) {
        if let Exchange::Lossy { consensus, .. } = &mut self.consensus {
            consensus.finish(node, iteration);
        }
    }
}

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

    fn probe(&self) -> Result<Probe, ProtocolError> {
        self.fit.probe()
    }

    fn columns(&self) -> Vec<String> {
        report::columns(Report::Decentralized).into_iter().map(str::to_owned).collect()
    }

    fn values(&self, _thorough: bool) -> Result<Vec<Option<f64>>, ProtocolError> {
        report::values(&self.fit, Report::Decentralized)
    }

    fn caveats(&self) -> Vec<Caveat> {
        let inexact = match &self.consensus {
            Exchange::Quantized(choco) => choco.caveat(),
            // One hub has the sum of all before the first round, and what is lost is that same sum.
            _ if self.hubs.len() == 1 => None,
            Exchange::Lossy { consensus, .. } => return [report::caveats(&self.fit), consensus.caveats()].concat(),
            &Exchange::Linear { scheme, rounds: Rounds::Fixed(rounds) } => self.fixed_caveat(scheme, rounds),
            &Exchange::Linear { rounds: Rounds::Adaptive { at_most, .. }, .. } => self.adaptive_caveat(at_most),
        };
        report::caveats(&self.fit).into_iter().chain(inexact).collect()
    }
}

/// What a reader must know of rounds that leave something.
impl DecentralizedVpEm {
    fn fixed_caveat(&self, scheme: Scheme, rounds: u32) -> Option<Caveat> {
        let slem = self.averaging.slem();
        let left = rounds::left(scheme, slem, rounds);
        (left > rounds::LITTLE).then(|| Caveat::ConsensusInexact {
            rounds: so_many(rounds, "consensus round leaves|consensus rounds leave"),
            share: format!("{:.1}", 100.0 * left),
            slem: format!("{slem:.4}"),
        })
    }

    fn adaptive_caveat(&self, at_most: u32) -> Option<Caveat> {
        // Some iterations may be computed and not yet over: a share says the same of both.
        let share = 100.0 * self.unfinished as f64 / self.fit.newest().number.max(1) as f64;
        (share > 0.0).then(|| Caveat::AdaptiveRounds { rounds: at_most.to_string(), share: format!("{share:.1}") })
    }
}
