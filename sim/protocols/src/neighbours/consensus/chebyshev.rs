//! Chebyshev's semi-iteration: agents know λ = SLEM(W) and keep one more state; messages are those of plain rounds.
//!
//! z_{s+1} = ω_{s+1} (W z_s − z_{s−1}) + z_{s−1}, ω₁ = 1, ω₂ = 1/(1 − λ²/2), ω_{s+1} = 1/(1 − λ² ω_s / 4).

use super::plain::Recursion;
use crate::neighbours::weights::Averaging;

/// The recursion; it begins anew at s = 0.
#[derive(Clone, Copy, Debug, Default)]
pub struct Chebyshev {
    omega: f64,
}

impl Recursion for Chebyshev {
    fn next(&mut self, weights: &Averaging, [now, before]: [&[Vec<f64>]; 2], s: u32) -> Vec<Vec<f64>> {
        let mut next = weights.apply(now);
        let lambda_sq = weights.slem() * weights.slem();
        self.omega = match s {
            0 => 1.0,
            1 => 1.0 / (1.0 - lambda_sq / 2.0),
            _ => 1.0 / (1.0 - lambda_sq * self.omega / 4.0),
        };
        if s > 0 {
            let entries = next.iter_mut().flatten().zip(before.iter().flatten());
            entries.for_each(|(next, before)| *next = self.omega * (*next - before) + before);
        }
        next
    }

    /// 1 / T_S(1/λ), T_S being Chebyshev's polynomial.
    fn left(&self, slem: f64, rounds: u32) -> f64 {
        let exponent = if rounds == 0 { 0.0 } else { f64::from(rounds) * libm::acosh(slem.recip()) };
        libm::cosh(exponent).recip()
    }
}
