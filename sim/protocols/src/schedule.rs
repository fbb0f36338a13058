//! Step sizes by round, as a scenario writes them and as protocols use them.

use fedbits_spec::Described;
use fedbits_spec::range::{POSITIVE, PROBABILITY};
use fedbits_spec::short::{Short, Unread};
use serde::{Deserialize, Serialize};

/// A step size γ_k of round k = 1, 2, …
#[derive(Clone, Copy, Debug, Described, Deserialize, PartialEq, Serialize)]
#[serde(remote = "Self", deny_unknown_fields)]
#[described(short)]
pub enum Schedule {
    /// Constant over rounds.
    Constant(#[range(PROBABILITY)] f64),
    /// γ_k = initial / (1 + (k − 1) / offset)^exponent.
    Power {
        /// γ₁.
        #[range(PROBABILITY)]
        initial: f64,
        /// Exponent; stochastic approximation theory requires more than 0.5.
        #[range(PROBABILITY)]
        exponent: f64,
        /// Time scale of the decay, in rounds.
        #[range(POSITIVE)]
        offset: f64,
    },
    /// `first` for k ≤ k1, then `first` / (k − k1)^exponent (Delyon, Lavielle and Moulines 1999).
    Saem {
        /// Step of the first phase.
        #[serde(default = "one")]
        #[range(PROBABILITY)]
        first: f64,
        /// K₁, length of the first phase in rounds.
        k1: u64,
        /// Exponent; stochastic approximation theory requires more than 0.5.
        #[serde(default = "one")]
        #[range(PROBABILITY)]
        exponent: f64,
    },
}

fn one() -> f64 {
    1.0
}

impl Short for Schedule {
    const FORMS: &'static [(&'static str, &'static str)] = &[("0.1", "Constant(0.1)")];

    fn of_number(number: f64) -> Result<Self, Unread> {
        Ok(Self::Constant(number))
    }
}

impl Schedule {
    /// γ_k, k counted from 1.
    pub fn at(self, k: u64) -> f64 {
        match self {
            Self::Constant(value) => value,
            Self::Power { initial, exponent, offset } => {
                initial / libm::pow(1.0 + k.saturating_sub(1) as f64 / offset, exponent)
            }
            Self::Saem { first, k1, .. } if k <= k1 => first,
            Self::Saem { first, k1, exponent } => first * libm::pow((k - k1) as f64, -exponent),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// γ_k = γ₁ / (1 + (k − 1)/offset)^a: γ₁ at k = 1; half of it after `offset` rounds for a = 1, after 3 · offset for
    /// a = 1/2.
    #[test]
    fn a_power_schedule_starts_at_its_initial_value_and_decays() {
        let power = |exponent| Schedule::Power { initial: 0.5, exponent, offset: 100.0 };
        assert_eq!(power(1.0).at(1), 0.5);
        assert_eq!(power(1.0).at(101), 0.25);
        assert!((power(0.5).at(301) - 0.25).abs() < 1e-15);
        assert_eq!(Schedule::Constant(0.1).at(1_000_000), 0.1);
    }
}
