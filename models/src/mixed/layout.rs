//! Where the entries of θ and s lie.

use crate::DomainError;
use fedbits_numerics::{vech_index, vech_length, vech_pairs};
use fedbits_spec::Described;
use serde::{Deserialize, Serialize};

/// Covariance of the random effects.
#[derive(Clone, Copy, Debug, Default, Described, Deserialize, Eq, PartialEq, Serialize)]
pub enum Effects {
    /// Unrestricted: q = p + p(p + 1)/2 + 1.
    #[default]
    Full,
    /// Independent effects: q = 2p + 1.
    Diagonal,
}

/// Where things lie in s and θ, which are laid out alike.
#[derive(Clone, Copy, Debug)]
pub(super) struct Layout {
    pub p: usize,
    pub effects: Effects,
}

impl Layout {
    /// Length of s and of θ.
    pub fn length(self) -> usize {
        self.p + self.second_length() + 1
    }

    fn second_length(self) -> usize {
        match self.effects {
            Effects::Full => vech_length(self.p),
            Effects::Diagonal => self.p,
        }
    }

    /// Position of entry (i, j), j ≤ i, of S2 or Ω; none off the diagonal of a diagonal one.
    pub fn second_moment(self, i: usize, j: usize) -> Option<usize> {
        match self.effects {
            Effects::Full => Some(self.p + vech_index(i, j)),
            Effects::Diagonal => (i == j).then_some(self.p + i),
        }
    }

    /// (i, j, position) of every entry of S2.
    pub fn entries(self) -> impl Iterator<Item = (usize, usize, usize)> {
        vech_pairs(self.p).filter_map(move |(i, j)| self.second_moment(i, j).map(|at| (i, j, at)))
    }

    /// Ω of θ as vech.
    pub fn omega(self, theta: &[f64]) -> Vec<f64> {
        let mut omega = vec![0.0; vech_length(self.p)];
        self.entries().for_each(|(i, j, at)| omega[vech_index(i, j)] = theta[at]);
        omega
    }

    /// σ² of θ, checked.
    pub fn sigma_sq(self, theta: &[f64]) -> Result<f64, DomainError> {
        let value = theta[self.length() - 1];
        if value > 0.0 && value.is_finite() { Ok(value) } else { Err(DomainError::Variance { value }) }
    }

    /// `out += scale · (z, vech(z zᵀ))`.
    pub fn add_moments(self, z: &[f64], scale: f64, out: &mut [f64]) {
        out.iter_mut().zip(z).for_each(|(out, z)| *out += scale * z);
        self.entries().for_each(|(i, j, at)| out[at] += scale * z[i] * z[j]);
    }

    /// One name per entry.
    pub fn names(self, first: &str, second: &str, last: &str, z: &[String]) -> Vec<String> {
        let pair = |i: usize, j: usize| format!("{second}_{}_{}", z[j], z[i]);
        let firsts = z.iter().map(|z| format!("{first}_{z}"));
        firsts.chain(self.entries().map(|(i, j, _)| pair(i, j))).chain([last.to_owned()]).collect()
    }
}
