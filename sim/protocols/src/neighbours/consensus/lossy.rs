//! Rounds that go on when messages are lost or late: every message carries coefficients over the terms of the hubs, and
//! the mixing of an iteration is known when the last agent has finished it.
//!
//! A receiver knows in which round it misses a message (when it should have arrived, or when its patience ends).
//!
//! | kind | round of agent i with neighbours j, of which those in R have been heard |
//! |---|---|
//! | substitute | z_i ← Σ_{j∈R} W_ij z_j + (1 − Σ_{j∈R} W_ij) z_i: rows sum to 1, columns do not, averages drift |
//! | push-sum | (x_i, w_i) is cut into deg + 1 equal shares; one stays, the running sums σ_i of all shares so far are sent; x_i += σ_j − ρ_ij for j ∈ R with ρ_ij the last σ_j heard; the estimate is x_i / w_i |
//!
//! Push-sum (Kempe, Dobra and Gehrke 2003) with running sums (Hadjicostis, Vaidya and Domínguez-García 2016) loses
//! nothing for ever: what a lost message carried is in the next one's sum. It needs no symmetric weights, and its
//! messages one number more (w), which stands behind the coefficients.

use std::collections::BTreeMap;
use std::rc::Rc;

use fedbits_kernel::TimeDelta;
use fedbits_models::gmm::vertical::Mixing;
use fedbits_spec::{Caveat, Described, Duration};
use serde::{Deserialize, Serialize};

use super::{Agents, Averager, Left, Terms};
use crate::error::Result;
use crate::neighbours::gossip::{Lengths, States, Values};
use crate::neighbours::hubs::Hubs;
use crate::neighbours::weights::Averaging;

/// Treatment of missing messages.
#[derive(Clone, Copy, Debug, Default, Described, Deserialize, Eq, PartialEq, Serialize)]
pub enum Missing {
    /// Push-sum with running sums: the next message makes up for a lost one.
    #[default]
    PushSum,
    /// The receiver's own state replaces the missing one: averages drift.
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
    heard: BTreeMap<u32, Values>,
}

/// A consensus that copes with missing messages.
pub struct Lossy {
    kind: Missing,
    rounds: u32,
    patience: Option<TimeDelta>,
    hubs: Hubs,
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
    /// S rounds per iteration. `patience`: how long a message is waited for, if not for ever.
    ///
    /// # Panics
    /// If the patience is out of its range.
    pub fn new(kind: Missing, agents: Agents<'_>, rounds: u32, patience: Option<Duration>) -> Self {
        let Agents { graph, hubs, averaging } = agents;
        let mut start = hubs.initial_states();
        if kind == Missing::PushSum {
            start.iter_mut().for_each(|row| row.push(1.0));
        }
        let nanoseconds = |patience: Duration| patience.nanoseconds().expect("a checked duration");
        Self {
            kind,
            rounds,
            patience: patience.map(|patience| TimeDelta::from_nanos(nanoseconds(patience))),
            hubs: hubs.clone(),
            averaging: averaging.clone(),
            degrees: (0..graph.len() as u32).map(|agent| graph.degree(agent)).collect(),
            start,
            agents: vec![Agent::default(); graph.len()],
            finished: BTreeMap::new(),
            wanted: 0,
            missing: 0,
            left: Left::default(),
        }
    }
}

impl Averager for Lossy {
    fn rounds(&self) -> u32 {
        self.rounds
    }

    fn message_bits(&self, numbers: u64) -> u64 {
        64 * (numbers + u64::from(self.kind == Missing::PushSum))
    }

    fn average(&mut self, terms: &mut dyn Terms) -> Result<(u32, Lengths)> {
        let mut rows = self.finished.remove(&terms.iteration()).unwrap_or_default();
        let row = |root: u32| rows.remove(&root).expect("every root has finished");
        let rows: Vec<Vec<f64>> = self.hubs.hubs().iter().map(|hub| hub.root).map(row).collect();
        // In the sum the terms of every hub have the coefficient 1.
        let missed_sq = |row: &[f64]| row.iter().map(|a| (a - 1.0) * (a - 1.0)).sum::<f64>();
        let starts = self.hubs.hubs().iter().map(|hub| &self.start[hub.root as usize][..self.hubs.len()]);
        self.left.note([starts.map(missed_sq).sum(), rows.iter().map(|row| missed_sq(row)).sum(), 0.0]);
        let mixing = Mixing::new(rows.iter().map(Vec::as_slice), self.hubs.len());
        terms.mix(self.rounds, &mut |terms, _, seen| mixing.mix(terms, seen))?;
        Ok((self.rounds, Lengths::new()))
    }

    fn states(&mut self) -> Option<&mut dyn States> {
        Some(self)
    }

    fn caveats(&self) -> Vec<Caveat> {
        // One hub has the sum before the first round, and what is lost is that sum, too.
        if self.hubs.len() == 1 {
            return Vec::new();
        }
        let share = 100.0 * self.missing as f64 / self.wanted.max(1) as f64;
        let missing = (self.missing > 0).then(|| Caveat::ConsensusLost { share: format!("{share:.1}") });
        missing.into_iter().chain(self.left.caveat()).collect()
    }
}

impl States for Lossy {
    fn patience(&self) -> Option<TimeDelta> {
        self.patience
    }

    fn begin(&mut self, node: u32) {
        let state = self.start[node as usize].clone();
        self.agents[node as usize] = Agent { sent: vec![0.0; state.len()], state, heard: BTreeMap::new() };
    }

    fn send(&mut self, node: u32) -> Values {
        let share = 1.0 / (self.degrees[node as usize] + 1) as f64;
        let agent = &mut self.agents[node as usize];
        if self.kind == Missing::Substitute {
            return agent.state.as_slice().into();
        }
        // An agent that has heard nothing for long keeps what little is left: its next shares are nothing beside those
        // before, and x / w would become 0 / 0.
        if agent.state.last().is_some_and(|w| *w > LEAST) {
            agent.state.iter_mut().for_each(|x| *x *= share);
            agent.sent.iter_mut().zip(&agent.state).for_each(|(sent, x)| *sent += x);
        }
        agent.sent.as_slice().into()
    }

    fn receive(&mut self, node: u32, messages: &[(u32, Option<Values>)]) {
        self.wanted += messages.len() as u64;
        self.missing += messages.iter().filter(|(_, values)| values.is_none()).count() as u64;
        let agent = &mut self.agents[node as usize];
        let before = agent.state.clone();
        for (from, values) in messages.iter().filter_map(|(from, values)| Some((*from, values.as_ref()?))) {
            let states = agent.state.iter_mut().zip(values.iter());
            if self.kind == Missing::Substitute {
                let weight = self.averaging.weight(node, from);
                states.zip(&before).for_each(|((z, z_j), z_i)| *z += weight * (z_j - z_i));
            } else {
                let last = agent.heard.insert(from, Rc::clone(values));
                let last = |at: usize| last.as_ref().map_or(0.0, |last| last[at]);
                states.enumerate().for_each(|(at, (x, sum))| *x += sum - last(at));
            }
        }
    }

    fn finish(&mut self, node: u32, iteration: u64) {
        let mut row = self.agents[node as usize].state.clone();
        if self.kind == Missing::PushSum {
            let w = row.pop().expect("w stands behind the coefficients");
            row.iter_mut().for_each(|x| *x /= w);
        }
        self.finished.entry(iteration).or_default().insert(node, row);
    }
}
