//! Linear rounds until, in some round, the states of all agents change by less than a tolerance.
//!
//! Every message carries one bit for each of the last D rounds (D the diameter): "an agent that I have heard of changed
//! by more in that round". D rounds later all know, and stop. The change of an agent is the root mean square over its
//! M K numbers, relative to that of its initial state.

use fedbits_spec::Caveat;

use super::plain::{Coefficients, Recursion};
use super::{Agents, Averager, Terms};
use crate::error::Result;
use crate::neighbours::gossip::Lengths;
use crate::neighbours::hubs::Hubs;
use crate::neighbours::weights::Averaging;

/// Rounds of a recursion as far as they are needed.
pub struct Adaptive {
    recursion: Box<dyn Recursion>,
    hubs: Hubs,
    averaging: Averaging,
    diameter: u32,
    tolerance: f64,
    at_most: u32,
    iterations: u64,
    /// Iterations whose rounds were over before all agents were content.
    unfinished: u64,
}

impl Adaptive {
    /// `tolerance` has no unit.
    pub fn new(recursion: Box<dyn Recursion>, agents: Agents<'_>, tolerance: f64, at_most: u32) -> Self {
        let Agents { graph, hubs, averaging } = agents;
        let (diameter, hubs, averaging) = (graph.diameter(&|_| true), hubs.clone(), averaging.clone());
        Self { recursion, hubs, averaging, diameter, tolerance, at_most, iterations: 0, unfinished: 0 }
    }
}

impl Averager for Adaptive {
    fn rounds(&self) -> u32 {
        self.at_most
    }

    fn message_bits(&self, numbers: u64) -> u64 {
        64 * numbers + u64::from(self.diameter)
    }

    fn average(&mut self, terms: &mut dyn Terms) -> Result<(u32, Lengths)> {
        let (gram, mut states) = (terms.gram()?, Coefficients::start(self.hubs.initial_states()));
        let scales: Vec<f64> = states.now.iter().map(|row| square(row, &gram).max(f64::MIN_POSITIVE)).collect();
        let mut last = None;
        while states.rounds < last.unwrap_or(self.at_most).min(self.at_most) {
            states.round(self.recursion.as_mut(), &self.averaging);
            if last.is_none() && largest_change_sq(&states, &gram, &scales) < self.tolerance * self.tolerance {
                last = Some(states.rounds + self.diameter);
            }
        }
        self.iterations += 1;
        self.unfinished += u64::from(last.is_none());
        let mixing = states.at_roots(&self.hubs);
        terms.mix(states.rounds, &mut |terms, _, seen| mixing.mix(terms, seen))?;
        Ok((states.rounds, Lengths::new()))
    }

    fn caveats(&self) -> Vec<Caveat> {
        let share = 100.0 * self.unfinished as f64 / self.iterations.max(1) as f64;
        let told = share > 0.0 && self.hubs.len() > 1;
        let caveat =
            told.then(|| Caveat::AdaptiveRounds { rounds: self.at_most.to_string(), share: format!("{share:.1}") });
        caveat.into_iter().collect()
    }
}

/// The largest relative change of a state in the last round, squared, by the Gram matrix of the terms.
fn largest_change_sq(states: &Coefficients, gram: &[f64], scales: &[f64]) -> f64 {
    let agents = states.now.iter().zip(&states.before).zip(scales);
    let change = |((now, before), scale): ((&Vec<f64>, &Vec<f64>), &f64)| {
        let step: Vec<f64> = now.iter().zip(before).map(|(now, before)| now - before).collect();
        square(&step, gram) / scale
    };
    agents.map(change).fold(0.0, f64::max)
}

/// xᵀ G x.
fn square(x: &[f64], gram: &[f64]) -> f64 {
    let rows = gram.chunks_exact(x.len()).zip(x);
    rows.map(|(row, &x_a)| x_a * row.iter().zip(x).map(|(g, x_b)| g * x_b).sum::<f64>()).sum()
}
