//! Numbers of subjects and persons that lie so far from 0, beside their spread, that squares of them hardly show it.
//!
//! Variances are found as `E[y²] − µ²`. With y at D standard deviations from 0 their relative error is about D² ε;
//! with powers of y up to the p-th, as of the times of a polynomial, about D²ᵖ ε.

use fedbits_spec::Caveat;

/// The relative error from which on it is said.
const TOLD: f64 = 1e-6;

/// How many standard deviations the mean lies from 0. Of a constant there is only rounding, and no covariance either
/// way: 0.
pub fn distance_from_0(numbers: impl Iterator<Item = f64> + Clone) -> f64 {
    let mut count = 0.0;
    let sum = numbers.clone().inspect(|_| count += 1.0).sum::<f64>();
    let mean = sum / count;
    let squares = numbers.clone().map(|y| (y - mean) * (y - mean)).sum::<f64>();
    let mut differences = numbers.clone().zip(numbers.skip(1));
    if differences.any(|(y, next)| y != next) { mean.abs() / (squares / count).sqrt() } else { 0.0 }
}

/// The same of each of the d columns of a table.
pub fn distances_from_0(rows: &[f64], d: usize) -> impl Iterator<Item = f64> + '_ {
    (0..d).map(move |j| distance_from_0(rows.iter().skip(j).step_by(d).copied()))
}

/// What is to be said of `what`, which lies so far from 0 and enters with powers up to this.
pub fn far_from_0(what: &str, distance: f64, power: usize, advice: &str) -> Option<Caveat> {
    let lost = libm::pow(distance, 2.0 * power as f64) * f64::EPSILON;
    (lost > TOLD).then(|| Caveat::RawSquares {
        what: what.to_owned(),
        distance: format!("{distance:.1e}"),
        error: format!("{:.0e}", lost.min(1.0)),
        advice: advice.to_owned(),
    })
}
