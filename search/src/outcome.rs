//! What a run says of the cost of its arm.

/// A cost on the scale on which arms are compared: the logarithm where costs have ratios. Less is better.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Score {
    /// It is known, up to the distance of two recorded rows: the target was reached between `above` and `at`.
    At {
        /// The cost at the first recorded row that has reached the target.
        at: f64,
        /// The cost at the row before; at most `at`.
        above: f64,
    },
    /// The run ended before the target: it would cost at least this.
    AtLeast(f64),
}

/// What is known of one run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Outcome {
    /// Its cost.
    pub score: Score,
    /// Whether it met the constraints.
    pub feasible: bool,
}

/// How many of so many runs may fail, or not meet the constraints, where a share of them has to meet these.
pub(crate) fn tolerated(reached: f64, runs: u64) -> u64 {
    // A share such as 0.9 is no binary fraction: of ten runs it leaves one.
    const ROUNDING: f64 = 1e-9;
    ((1.0 - reached) * runs as f64 + ROUNDING) as u64
}

/// Whether so many of these runs met the constraints as are asked for.
pub(crate) fn eligible(runs: &[Outcome], reached: f64) -> bool {
    infeasible(runs) <= tolerated(reached, runs.len() as u64)
}

/// How many of these runs failed, or did not meet the constraints.
pub(crate) fn infeasible(runs: &[Outcome]) -> u64 {
    runs.iter().filter(|run| !run.feasible).count() as u64
}

impl Score {
    /// The cost, or the bound that is known.
    pub(crate) fn value(self) -> f64 {
        match self {
            Self::At { at, .. } => at,
            Self::AtLeast(bound) => bound,
        }
    }

    /// The variance of where in the distance of two rows the target was reached, each place being as likely; or of
    /// what was rounded, where costs are this far from each other at least.
    pub(crate) fn unknown_variance(self, resolution: f64) -> f64 {
        match self {
            Self::At { at, above } => {
                let step = (at - above).max(resolution);
                step * step / 12.0
            }
            Self::AtLeast(_) => 0.0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 0.28 · 25, 0.55 · 100 and 0.56 · 25 are above 7, 55 and 14 in binary fractions.
    #[test]
    fn shares_are_not_missed_by_rounding() {
        for (reached, met, count) in [(0.28, 7, 25), (0.55, 55, 100), (0.56, 14, 25), (0.9, 9, 10), (1.0, 3, 3)] {
            let runs = |met: usize| -> Vec<Outcome> {
                (0..count).map(|run| Outcome { score: Score::AtLeast(0.0), feasible: run < met }).collect()
            };
            assert!(eligible(&runs(met), reached), "{met} of {count}");
            assert!(!eligible(&runs(met - 1), reached), "{} of {count}", met - 1);
        }
    }
}
