//! Losses ℓ(z, b) of a score z = aᵀx, and their slopes, for blocks of examples.
//!
//! | loss | ℓ | ∂ℓ/∂z |
//! |---|---|---|
//! | logistic, b = ±1 | log(1 + exp(−bz)) | −b / (1 + exp(bz)) |
//! | squares | ½(z − b)² | z − b |
//! | Huber, r = z − b | ½r² for \|r\| ≤ δ, else δ\|r\| − ½δ² | r, cut off at ±δ |
//! | softmax, class b | log Σ exp(z_c) − z_b | exp(z_c) / Σ exp(z) − 1{c = b} |

use fedbits_numerics::lanes::{exp_all, log_all};
use fedbits_spec::Described;
use fedbits_spec::range::POSITIVE;
use serde::{Deserialize, Serialize};

/// Loss of a linear score.
#[derive(Clone, Copy, Debug, Described, Deserialize, PartialEq, Serialize)]
pub enum RegressionLoss {
    /// log(1 + exp(−b aᵀx)), b = 1 for the second class of the data, else −1.
    Logistic,
    /// ½(aᵀx − b)² with numeric labels; generated data have ±1.
    Squares,
    /// −log p of the example's class, p_c ∝ exp(aᵀx_c).
    Softmax,
    /// `Squares` for |aᵀx − b| up to this δ, linear beyond.
    Huber(#[range(POSITIVE)] f64),
}

impl RegressionLoss {
    /// c, the largest curvature along a score.
    pub(super) fn curvature(self) -> f64 {
        match self {
            Self::Logistic => 0.25,
            Self::Squares | Self::Huber(_) => 1.0,
            Self::Softmax => 0.5,
        }
    }

    /// Does it compare with a class, and with no number?
    pub(super) fn is_of_classes(self) -> bool {
        matches!(self, Self::Logistic | Self::Softmax)
    }

    /// b of a class.
    pub(super) fn target(self, class: u32) -> f64 {
        match self {
            Self::Softmax => f64::from(class),
            _ => 2.0 * f64::from(class) - 1.0,
        }
    }

    /// Replaces the scores of a block of examples by slopes, and returns the sum of their losses where it is `wanted`,
    /// else 0. With softmax there are scores of all examples for each class, class after class.
    pub(super) fn slopes(self, scores: &mut [f64], targets: &[f64], wanted: bool) -> f64 {
        match self {
            Self::Logistic => logistic(scores, targets, wanted),
            Self::Squares => residuals(scores, targets, wanted, f64::INFINITY),
            Self::Huber(delta) => residuals(scores, targets, wanted, delta),
            Self::Softmax => softmax(scores, targets, wanted),
        }
    }
}

/// Examples of a block.
pub(super) const BLOCK: usize = 32;

fn logistic(scores: &mut [f64], targets: &[f64], wanted: bool) -> f64 {
    let (mut margins, mut logs) = ([0.0; BLOCK], [0.0; BLOCK]);
    let count = scores.len();
    for ((score, margin), b) in scores.iter_mut().zip(&mut margins).zip(targets) {
        *margin = b * *score;
        *score = *margin;
    }
    exp_all(scores);
    let mut loss = 0.0;
    if wanted {
        // log(1 + u) of u = exp(−|bz|) ≤ 1: the logarithm of w = 1 + u as it is rounded, and what rounding took.
        let small = |(e, margin): (&f64, &f64)| if *margin > 0.0 { 1.0 / e } else { *e };
        for (log, pair) in logs.iter_mut().zip(scores.iter().zip(&margins)) {
            *log = 1.0 + small(pair);
        }
        log_all(&mut logs[..count]);
        for (log, pair) in logs.iter().zip(scores.iter().zip(&margins)) {
            let (u, margin) = (small(pair), *pair.1);
            let w = 1.0 + u;
            loss += (-margin).max(0.0) + (log + (u - (w - 1.0)) / w);
        }
    }
    for (score, b) in scores.iter_mut().zip(targets) {
        *score = -b / (1.0 + *score);
    }
    loss
}

fn residuals(scores: &mut [f64], targets: &[f64], wanted: bool, delta: f64) -> f64 {
    let mut loss = 0.0;
    for (score, b) in scores.iter_mut().zip(targets) {
        let r = *score - b;
        let slope = r.clamp(-delta, delta);
        if wanted {
            // ½r², and beyond δ: δ|r| − ½δ² = δ(|r| − δ) + ½δ².
            let beyond = if r.abs() > delta { delta * (r.abs() - delta) } else { 0.0 };
            loss += 0.5 * slope * slope + beyond;
        }
        *score = slope;
    }
    loss
}

fn softmax(scores: &mut [f64], targets: &[f64], wanted: bool) -> f64 {
    let count = targets.len();
    let (mut largest, mut totals, mut at_class) =
        ([f64::NEG_INFINITY; BLOCK], [0.0; BLOCK], [f64::NEG_INFINITY; BLOCK]);
    for (class, scores) in scores.chunks_exact(count).enumerate() {
        for j in 0..count {
            largest[j] = largest[j].max(scores[j]);
            if targets[j] == class as f64 {
                at_class[j] = scores[j];
            }
        }
    }
    for scores in scores.chunks_exact_mut(count) {
        scores.iter_mut().zip(&largest).for_each(|(score, largest)| *score -= largest);
    }
    exp_all(scores);
    for scores in scores.chunks_exact(count) {
        totals.iter_mut().zip(scores).for_each(|(total, score)| *total += score);
    }
    let mut loss = 0.0;
    if wanted {
        let mut logs = totals;
        log_all(&mut logs[..count]);
        // A class that the model has not has probability 0.
        for j in 0..count {
            loss += logs[j] + (largest[j] - at_class[j]);
        }
    }
    for (class, scores) in scores.chunks_exact_mut(count).enumerate() {
        for j in 0..count {
            let indicator = if targets[j] == class as f64 { 1.0 } else { 0.0 };
            scores[j] = scores[j] / totals[j] - indicator;
        }
    }
    loss
}
