//! The choices that FedEM leaves open, as plain values.

use fedbits_models::{DomainError, DomainPolicy, ExactModel, Model, Repairs};
use fedbits_spec::Described;
use fedbits_spec::range::{Interval, whole};
use serde::{Deserialize, Serialize};

use crate::error::{ProtocolError, Result};
use crate::federation::Federation;
use crate::state::OwnedState;

/// The largest batch.
pub const MAX_BATCH: u32 = 1_000_000_000;

/// Examples of a local step.
#[derive(Clone, Copy, Debug, Default, Described, Deserialize, Eq, PartialEq, Serialize)]
#[serde(rename = "Batch")]
pub enum BatchRule {
    /// All local examples.
    #[default]
    All,
    /// b examples, drawn with replacement.
    WithReplacement(#[range(whole(1, MAX_BATCH as u64))] u32),
    /// b different examples, or all if the client has fewer; at most the largest client's number.
    WithoutReplacement(u32),
}

impl BatchRule {
    /// Examples in the batch of a client that holds `size`.
    pub fn count(self, size: u32) -> u64 {
        u64::from(match self {
            Self::All => size,
            Self::WithReplacement(b) => b,
            Self::WithoutReplacement(b) => b.min(size),
        })
    }

    /// b, none where every batch is all that a client has; and the variance of a mean over it, in that of b independent
    /// draws: (m_i − b)/(m_i − 1) of different examples, weighted as variances are.
    pub(super) fn noise(self, federation: &Federation) -> (Option<u32>, f64) {
        let clients = || (0..federation.clients()).map(|i| (federation.weight(i), federation.size(i)));
        match self {
            Self::All => (None, 0.0),
            Self::WithReplacement(b) => (Some(b), 1.0),
            Self::WithoutReplacement(b) if clients().all(|(_, size)| size <= b) => (None, 0.0),
            Self::WithoutReplacement(b) => {
                let left = |size: u32| f64::from(size.saturating_sub(b)) / f64::from(size.max(2) - 1);
                let sum = |of: fn(f64) -> f64| clients().map(|(w, size)| w * w * of(left(size))).sum::<f64>();
                (Some(b), sum(|left| left) / sum(|_| 1.0))
            }
        }
    }
}

/// (0, 0.1].
const FLOOR: Interval = Interval::above(0.0, 0.1, "in (0, 0.1], no unit");

/// Treatment of statistics outside the domain of T, which have no parameters.
#[derive(Clone, Copy, Debug, Default, Described, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub enum Domain {
    /// Stops the run.
    #[default]
    Error,
    /// Raises weights and variances below the floor to it (for topics, probabilities not above 0), and counts them. A
    /// raised weight moves its component's mean towards the origin: choose a floor below every expected weight. With
    /// local M-steps (`FedAvgEm`, D-SAEM) an entry can count twice.
    Clip {
        /// The floor.
        #[range(FLOOR)]
        floor: f64,
    },
    /// Drops and counts the round's update.
    SkipRound,
}

impl Domain {
    /// θ = T(s) under this policy; returns how many entries were clipped.
    ///
    /// # Errors
    /// When `s` has no parameters, and is not clipped.
    pub fn maximize(self, model: &dyn Model, s: &[f64], theta: &mut Vec<f64>) -> Result<u64, DomainError> {
        model.maximize(s, self.policy(), theta).map(Repairs::entries)
    }

    /// Counts what this policy did with a step among the `events`: the entries that were `clipped`, or the step that
    /// is skipped. Is the step made?
    ///
    /// # Errors
    /// When there is no parameter, and the step is not skipped.
    pub(crate) fn settle(self, clipped: Result<u64, DomainError>, events: &mut u64) -> Result<bool, DomainError> {
        let skips = self == Self::SkipRound && clipped.is_err();
        *events += if skips { 1 } else { clipped? };
        Ok(!skips)
    }

    /// Ŝ₀ = `s_hat` with T(Ŝ₀), and how many entries were clipped.
    ///
    /// # Errors
    /// When T(Ŝ₀) does not exist.
    pub(crate) fn start(self, model: &dyn Model, s_hat: Vec<f64>) -> Result<(OwnedState, u64)> {
        let mut theta = Vec::new();
        let clipped = self.maximize(model, &s_hat, &mut theta).map_err(ProtocolError::Initial)?;
        Ok((OwnedState { s_hat, theta }, clipped))
    }

    /// θ = T(Ŝ) under this policy, where Ŝ becomes the statistic of θ if entries were clipped and the model has one;
    /// returns how many.
    ///
    /// # Errors
    /// As [`Domain::maximize`].
    pub fn project(self, model: &dyn ExactModel, at: &mut OwnedState) -> Result<u64, DomainError> {
        let clipped = self.maximize(model, &at.s_hat, &mut at.theta)?;
        if let Some(parameters) = model.parameters().filter(|_| clipped > 0) {
            parameters.statistic_of(&at.theta, &mut at.s_hat);
        }
        Ok(clipped)
    }

    pub(crate) fn policy(self) -> DomainPolicy {
        match self {
            Self::Clip { floor } => DomainPolicy::Clip { floor },
            Self::Error | Self::SkipRound => DomainPolicy::Error,
        }
    }

    /// `theta` as it came over the wire. Rounding may have made a covariance singular, which `error` says: under
    /// [`Domain::Clip`] it is repaired as those of T are, by `admit`.
    ///
    /// # Errors
    /// When θ has no density, and is not repaired.
    pub(crate) fn received(
        self,
        theta: &mut Vec<f64>,
        error: impl Fn(&[f64]) -> Option<DomainError>,
        admit: impl FnOnce(&[f64], DomainPolicy, &mut Vec<f64>) -> Result<Repairs, DomainError>,
    ) -> Result<()> {
        let Some(source) = error(theta) else { return Ok(()) };
        let Self::Clip { .. } = self else { return Err(ProtocolError::Rounded(source)) };
        let rounded = std::mem::take(theta);
        admit(&rounded, self.policy(), theta).map_err(ProtocolError::Rounded)?;
        error(theta).map_or(Ok(()), |source| Err(ProtocolError::Rounded(source)))
    }

    /// The error of a statistic that ends a run, with what may help beside the policy that there is.
    pub(crate) fn left(self, source: DomainError) -> ProtocolError {
        let advice = match self {
            Self::Clip { .. } => "beyond what `Clip` repairs: a smaller step, or `domain: SkipRound`",
            Self::Error | Self::SkipRound => "a smaller step, `domain: Clip(…)` or `SkipRound`",
        };
        ProtocolError::LeftDomain { source, advice }
    }
}

/// Content of the broadcast.
#[derive(Clone, Copy, Debug, Default, Described, Deserialize, Eq, PartialEq, Serialize)]
pub enum Broadcast {
    /// Ŝ: q floats; clients compute T(Ŝ).
    #[default]
    Statistic,
    /// Ŝ and T(Ŝ), as in the paper.
    StatisticAndParameters,
}
