//! Consensus where messages are lost or late: every message carries coefficients over the hubs' terms, and the realized
//! mixing of an iteration is known when the last agent has finished it.
//!
//! A receiver knows in which round it misses a message (when it should have arrived, or when its patience ends).
//!
//! | kind | round of agent i with neighbours j, of which R have been heard |
//! |---|---|
//! | substitute | z_i ← Σ_{j∈R} W_ij z_j + (1 − Σ_{j∈R} W_ij) z_i: rows sum to 1, columns do not, averages drift |
//! | push-sum | (x_i, w_i) is cut into deg + 1 equal shares; one stays, the running sums σ_i of all shares so far are sent; x_i += σ_j − ρ_ij for j ∈ R with ρ_ij the last σ_j heard; the estimate is x_i / w_i |
//!
//! Push-sum (Kempe, Dobra and Gehrke 2003) with running sums (Hadjicostis, Vaidya and Domínguez-García 2016) loses
//! nothing for ever: what a lost message carried is in the next one's sum. It needs no symmetric weights, and its
//! messages one number more (w), which stands behind the coefficients.

use std::collections::BTreeMap;
use std::rc::Rc;

use fedbits_spec::{Caveat, Described};
use serde::{Deserialize, Serialize};

use super::hubs::Hubs;
use super::left::Left;
use crate::neighbours::Carried;
use crate::neighbours::graph::Graph;
use crate::neighbours::weights::Averaging;

/// What is done about missing messages.
#[derive(Clone, Copy, Debug, Default, Described, Deserialize, Eq, PartialEq, Serialize)]
pub enum Missing {
    /// Push-sum with running sums: what was lost is in the next message.
    #[default]
    PushSum,
    /// An agent's own state stands for the missing one: averages drift.
    Substitute,
}

/// An agent of push-sum whose w is smaller sends no more shares.
const LEAST: f64 = 1e-200;

/// One agent in its present iteration.
#[derive(Clone, Debug, Default)]
struct Agent {
    /// z, or x and w.
    state: Vec<f64>,
    /// σ.
    sent: Vec<f64>,
    /// ρ, by neighbour.
    heard: BTreeMap<u32, Carried>,
}

/// A consensus that copes.
pub struct Lossy {
    kind: Missing,
    rounds: u32,
    averaging: Averaging,
    degrees: Vec<usize>,
    start: Vec<Vec<f64>>,
    agents: Vec<Agent>,
    /// Coefficients of agents that have finished, by iteration.
    finished: BTreeMap<u64, BTreeMap<u32, Vec<f64>>>,
    /// Messages that rounds should have had, and those of them that nothing stood in for.
    wanted: u64,
    missing: u64,
    left: Left,
}

impl Lossy {
    /// S rounds per iteration.
    pub fn new(kind: Missing, rounds: u32, averaging: Averaging, graph: &Graph, hubs: &Hubs) -> Self {
        let mut start = hubs.initial_states();
        if kind == Missing::PushSum {
            start.iter_mut().for_each(|row| row.push(1.0));
        }
        let degrees = (0..graph.len() as u32).map(|agent| graph.degree(agent)).collect();
        let agents = vec![Agent::default(); graph.len()];
        let (finished, left) = (BTreeMap::new(), Left::default());
        Self { kind, rounds, averaging, degrees, start, agents, finished, wanted: 0, missing: 0, left }
    }

    /// S.
    pub fn rounds(&self) -> u32 {
        self.rounds
    }

    /// What a reader must know when messages were missing, or the rounds left much.
    pub fn caveats(&self) -> Vec<Caveat> {
        let share = 100.0 * self.missing as f64 / self.wanted.max(1) as f64;
        let missing = (self.missing > 0).then(|| Caveat::ConsensusLost { share: format!("{share:.1}") });
        missing.into_iter().chain(self.left.caveat()).collect()
    }

    /// Numbers of a message beside the terms.
    pub fn extra(&self) -> u64 {
        u64::from(self.kind == Missing::PushSum)
    }

    /// An agent begins an iteration.
    pub fn begin(&mut self, agent: u32) {
        let state = self.start[agent as usize].clone();
        self.agents[agent as usize] = Agent { sent: vec![0.0; state.len()], state, heard: BTreeMap::new() };
    }

    /// What an agent sends in its next round.
    pub fn speak(&mut self, agent: u32) -> Carried {
        let share = 1.0 / (self.degrees[agent as usize] + 1) as f64;
        let agent = &mut self.agents[agent as usize];
        if self.kind == Missing::Substitute {
            return agent.state.as_slice().into();
        }
        // Who has heard nothing for long keeps what little is left: its next shares are nothing beside those before,
        // and x / w would become 0 / 0.
        if agent.state.last().is_some_and(|w| *w > LEAST) {
            agent.state.iter_mut().for_each(|x| *x *= share);
            agent.sent.iter_mut().zip(&agent.state).for_each(|(sent, x)| *sent += x);
        }
        agent.sent.as_slice().into()
    }

    /// The messages of a round, by sender; none where it is missing.
    pub fn listen(&mut self, agent: u32, messages: &[(u32, Option<Carried>)]) {
        self.wanted += messages.len() as u64;
        self.missing += messages.iter().filter(|(_, carried)| carried.is_none()).count() as u64;
        let weights = self.averaging.row(agent);
        let own = &mut self.agents[agent as usize];
        let present = messages.iter().filter_map(|(from, carried)| Some((*from, carried.as_ref()?)));
        match self.kind {
            Missing::Substitute => {
                let before = own.state.clone();
                for (from, theirs) in present {
                    let weight = weights.iter().find(|(j, _)| *j == from).map_or(0.0, |(_, weight)| *weight);
                    for ((z, theirs), before) in own.state.iter_mut().zip(theirs.iter()).zip(&before) {
                        *z += weight * (theirs - before);
                    }
                }
            }
            Missing::PushSum => {
                for (from, sums) in present {
                    let last = own.heard.insert(from, Rc::clone(sums));
                    for (at, (x, sum)) in own.state.iter_mut().zip(sums.iter()).enumerate() {
                        *x += sum - last.as_ref().map_or(0.0, |last| last[at]);
                    }
                }
            }
        }
    }

    /// An agent has finished an iteration.
    pub fn finish(&mut self, agent: u32, iteration: u64) {
        let mut row = self.agents[agent as usize].state.clone();
        if self.kind == Missing::PushSum {
            let w = row.pop().expect("w stands behind the coefficients");
            row.iter_mut().for_each(|x| *x /= w);
        }
        self.finished.entry(iteration).or_default().insert(agent, row);
    }

    /// Coefficients of the roots when everybody has finished the iteration.
    ///
    /// # Panics
    /// If a root has not.
    pub fn take(&mut self, iteration: u64, hubs: &Hubs) -> Vec<Vec<f64>> {
        let mut rows = self.finished.remove(&iteration).unwrap_or_default();
        let row = |root: u32| rows.remove(&root).expect("every root has finished");
        let rows: Vec<Vec<f64>> = hubs.hubs().iter().map(|hub| hub.root).map(row).collect();
        // In the sum every hub's terms have the coefficient 1.
        let missed_sq = |row: &[f64]| row.iter().map(|own| (own - 1.0) * (own - 1.0)).sum::<f64>();
        let before = hubs.hubs().iter().map(|hub| missed_sq(&self.start[hub.root as usize][..hubs.len()])).sum();
        self.left.note([before, rows.iter().map(|row| missed_sq(row)).sum(), 0.0]);
        rows
    }
}
