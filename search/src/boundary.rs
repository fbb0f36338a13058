//! How rare a difference must be at each look. A race looks after 2, 3, …, R replicates; all looks have the same level
//! p (S. J. Pocock, *Group sequential methods in the design and analysis of clinical trials*, Biometrika 64, 1977), the
//! largest one with which Student's t of the replicates so far exceeds its quantile at any look with probability ε at
//! most, where the mean is 0.
//!
//! With A_n for "after n replicates", P(∪ A_n) ≤ Σ P(A_n) − Σ P(A_n ∩ A_{n+1}) (D. Hunter, *An upper bound for the
//! probability of a union*, J. Appl. Prob. 13, 1976). The first sum is (R − 1) p. The second needs how t moves: let θ
//! be the angle between n normal variables, as a vector, and (1, …, 1), so that t = √(n − 1) cot θ, with density ∝
//! sin^{n−2} θ. The next variable, divided by their length, is independent of θ, and √n of it is Student's t on n
//! degrees of freedom.

use core::f64::consts::PI;
use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use fedbits_numerics::{t_quantile, t_tail};

/// Levels that were found before, by replicates and the bits of the error: a race asks for the same ones at every look.
static FOUND: Mutex<BTreeMap<(u64, u64), f64>> = Mutex::new(BTreeMap::new());

/// The level p at which looks after 2 to `replicates` replicates have the probability `error` together.
pub(crate) fn level(replicates: u64, error: f64) -> f64 {
    let mut found = FOUND.lock().unwrap_or_else(PoisonError::into_inner);
    *found.entry((replicates, error.to_bits())).or_insert_with(|| search(replicates, error))
}

/// Steps of the search for p; each leaves about a tenth of the distance.
const STEPS: usize = 8;

fn search(replicates: u64, error: f64) -> f64 {
    let looks = replicates.saturating_sub(1).max(1) as f64;
    let mut level = error / looks;
    for _ in 0..STEPS {
        let overlaps: f64 = (2..replicates).map(|count| overlap(count, level)).sum();
        level *= error / (looks * level - overlaps);
    }
    level
}

/// Intervals of Simpson's rule.
const INTERVALS: u32 = 64;

/// P(A_n ∩ A_{n+1}); 0, which is too little, where quantiles are so low that the second event has another shape.
fn overlap(count: u64, level: f64) -> f64 {
    let n = count as f64;
    let angle = |n: f64| libm::atan2(libm::sqrt(n - 1.0), t_quantile(2.0 * level, n - 1.0));
    let (end, next) = (angle(n), angle(n + 1.0));
    let least = libm::sqrt(n + 1.0) * libm::cos(next);
    if least <= 1.0 {
        return 0.0;
    }
    let density = libm::exp(libm::lgamma(0.5 * n) - libm::lgamma(0.5 * (n - 1.0))) / libm::sqrt(PI);
    let value = |step: u32| {
        let angle = end * f64::from(step) / f64::from(INTERVALS);
        libm::pow(libm::sin(angle), n - 2.0) * stays(n, libm::sqrt(n) * libm::cos(angle), least)
    };
    let weight = |step: u32| match step {
        0 | INTERVALS => 1.0,
        odd if odd % 2 == 1 => 4.0,
        _ => 2.0,
    };
    let sum: f64 = (0..=INTERVALS).map(|step| weight(step) * value(step)).sum();
    density * sum * end / (3.0 * f64::from(INTERVALS))
}

/// The probability that (r + y) / √(1 + y²) is above `least` > 1, where √n y is Student's t on n degrees of freedom:
/// that y lies between the roots of a square.
fn stays(n: f64, r: f64, least: f64) -> f64 {
    let square = least * least;
    let half = least * libm::sqrt((r * r + 1.0 - square).max(0.0));
    let tail = |root: f64| t_tail(libm::sqrt(n) * root / (square - 1.0), n);
    tail(r - half) - tail(r + half)
}

#[cfg(test)]
mod tests {
    use super::*;
    use fedbits_random::{DrawPurpose, Streams};

    /// `tests/golden/make_races.py` has the same levels by integrals over means and sums of squares.
    #[test]
    fn levels_are_scipys() {
        let lines = include_str!("../tests/golden/levels.csv").lines().filter(|line| !line.starts_with('#'));
        for line in lines {
            let row: Vec<f64> = line.split(',').map(|cell| cell.parse().unwrap()).collect();
            let found = level(row[0] as u64, row[1]);
            assert!((found / row[2] - 1.0).abs() < 1e-4, "{line}: {found}");
        }
    }

    /// Of 20 000 sequences of normal differences without a mean, as many exceed the quantile at some look as promised,
    /// or somewhat fewer.
    #[test]
    fn the_error_is_spent() {
        let (replicates, error, sequences) = (10, 0.05, 20_000);
        let level = level(replicates, error);
        let bounds: Vec<f64> = (1..replicates).map(|freedom| t_quantile(2.0 * level, freedom as f64)).collect();
        let mut stream = Streams::new(3, 0).at(DrawPurpose::Bootstrap, 0, 0);
        let mut exceeded = 0;
        for _ in 0..sequences {
            let (mut sum, mut squares, mut is_beyond) = (stream.normal(), 0.0, false);
            squares += sum * sum;
            for n in 2..=replicates {
                let value = stream.normal();
                (sum, squares) = (sum + value, squares + value * value);
                let count = n as f64;
                let variance = (squares - sum * sum / count) / (count - 1.0);
                is_beyond |= sum / libm::sqrt(count * variance) > bounds[n as usize - 2];
            }
            exceeded += u32::from(is_beyond);
        }
        let share = f64::from(exceeded) / f64::from(sequences);
        assert!((0.7 * error..error + 0.005).contains(&share), "{share}");
    }

    #[test]
    fn one_look_has_the_whole_error() {
        assert_eq!((level(2, 0.05), level(1, 0.05)), (0.05, 0.05));
        assert!(level(3, 0.5) <= 0.5);
    }
}
