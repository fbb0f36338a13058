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
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    /// Its cost by every objective, at least one.
    pub scores: Vec<Score>,
    /// Whether it met the constraints.
    pub feasible: bool,
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
