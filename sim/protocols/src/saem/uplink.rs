//! How a client's vector travels.

use fedbits_codec::Compressor;
use fedbits_spec::{Caveat, Described};
use serde::{Deserialize, Serialize};

use crate::error::ProtocolError;
use crate::fedem::{self, Alpha, Commit};
use crate::operator::no_contraction;

/// How a client's vector travels.
#[derive(Clone, Copy, Debug, Default, Described, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub enum Uplink {
    /// Compressed as it is, as the draft has it: of what arrives the mean by weights of the clients is taken.
    #[default]
    Raw,
    /// Compressed as the difference to a memory of both ends, which begins at w_i S_0, w_i the share of the subjects.
    Memory {
        /// α; `Auto` is 1/(1 + ω) for an unbiased operator, 1 for a contraction. Other operators need a number.
        #[serde(default)]
        alpha: Alpha,
        /// What the sum of differences is divided by; `Auto` is the expected number of participants for an unbiased
        /// operator, the number of clients for a contraction (EF21).
        #[serde(default)]
        divide_by: DifferenceDivisor,
        /// When a client's memory follows its message.
        #[serde(default)]
        commit: Commit,
    },
}

/// The divisor of the sum of differences.
#[derive(Clone, Copy, Debug, Default, Described, Deserialize, Eq, PartialEq, Serialize)]
pub enum DifferenceDivisor {
    /// By the operator: see `divide_by`.
    #[default]
    Auto,
    /// The expected number of participants: unbiased estimates of what V lacks, for unbiased operators.
    Expected,
    /// The number that arrived.
    Arrived,
    /// The number of clients: the estimate is the mean of the clients' memories after the round.
    Clients,
}

impl Uplink {
    pub(super) fn has_memory(self) -> bool {
        matches!(self, Self::Memory { .. })
    }

    pub(super) fn commit(self) -> Option<Commit> {
        match self {
            Self::Raw => None,
            Self::Memory { commit, .. } => Some(commit),
        }
    }

    pub(super) fn alpha(self, compressor: &dyn Compressor, dimension: usize) -> Result<f64, ProtocolError> {
        match self {
            Self::Raw => Ok(0.0),
            Self::Memory { alpha: Alpha::Auto, .. } if !compressor.is_unbiased() => {
                self.refusal(compressor, dimension).map_or(Ok(1.0), |why| Err(ProtocolError::Unfit(why)))
            }
            Self::Memory { alpha, .. } => alpha.value(compressor, dimension),
        }
    }

    /// What a rate means that is too large for the operator.
    pub(super) fn large_alpha(self, compressor: &dyn Compressor, dimension: usize) -> Option<Caveat> {
        let Self::Memory { alpha, .. } = self else { return None };
        fedem::large_alpha("alpha", alpha, compressor, dimension)
    }

    /// Why there is no automatic rate for a biased operator that fits vectors of this dimension; none where there is or
    /// needs to be none.
    pub(super) fn refusal(self, compressor: &dyn Compressor, dimension: usize) -> Option<String> {
        let automatic = matches!(self, Self::Memory { alpha: Alpha::Auto, .. }) && !compressor.is_unbiased();
        let needs = "`alpha: Auto` of a biased compressor needs a contraction";
        if automatic { no_contraction(needs, compressor, dimension) } else { None }
    }

    /// Is d the expected number of participants, for an operator that is unbiased or not?
    pub(super) fn divides_by_expected(self, is_unbiased: bool) -> bool {
        let Self::Memory { divide_by, .. } = self else { return false };
        divide_by == DifferenceDivisor::Expected || divide_by == DifferenceDivisor::Auto && is_unbiased
    }

    /// d, for an operator that is unbiased or not; `expected` of the `clients` take part, and this many contributions
    /// `arrived`.
    pub(super) fn divisor(self, is_unbiased: bool, expected: f64, clients: f64, arrived: usize) -> f64 {
        let Self::Memory { divide_by, .. } = self else { return 1.0 };
        match divide_by {
            _ if self.divides_by_expected(is_unbiased) => expected,
            DifferenceDivisor::Arrived => arrived.max(1) as f64,
            _ => clients,
        }
    }
}
