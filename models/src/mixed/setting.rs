//! Curves as scenarios name them.

use fedbits_spec::Described;
use fedbits_spec::range::whole;
use serde::{Deserialize, Serialize};

use super::curve::{Curve, MAX_LATENT, Polynomial};
use super::layout::Effects;
use super::oral::OneCompartmentOral;

/// The curve of a subject.
#[derive(Clone, Copy, Debug, Described, Deserialize, Eq, PartialEq, Serialize)]
#[serde(deny_unknown_fields, rename = "Curve")]
pub enum CurveSetting {
    /// f(t) = Σ_k z_k t^k, with z normal.
    Polynomial {
        /// The highest power.
        #[range(whole(0, 7))]
        degree: usize,
    },
    /// Concentration after oral doses in one compartment with first-order absorption; (Tlag,) ka, V, Cl log-normal.
    OneCompartmentOral {
        /// Whether absorption begins after a lag Tlag.
        #[serde(default)]
        lag: bool,
    },
}

impl CurveSetting {
    /// The curve.
    #[must_use]
    pub fn build(self) -> Box<dyn Curve> {
        match self {
            Self::Polynomial { degree } => Box::new(Polynomial { degree }),
            Self::OneCompartmentOral { lag } => Box::new(OneCompartmentOral { lag }),
        }
    }

    /// p, the number of its parameters.
    #[must_use]
    pub fn parameters(self) -> usize {
        match self {
            Self::Polynomial { degree } => degree.saturating_add(1),
            Self::OneCompartmentOral { lag } => 3 + usize::from(lag),
        }
    }

    /// Does it follow doses, with parameters above 0?
    #[must_use]
    pub fn needs_doses(self) -> bool {
        matches!(self, Self::OneCompartmentOral { .. })
    }

    /// q with these random effects.
    pub(crate) fn statistic(self, effects: Effects) -> usize {
        // A larger number is an error of its own.
        let p = self.parameters().min(MAX_LATENT);
        match effects {
            Effects::Full => p + p * (p + 1) / 2 + 1,
            Effects::Diagonal => 2 * p + 1,
        }
    }
}
