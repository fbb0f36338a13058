//! The mixed-effects models that are fitted to longitudinal data.

use serde::{Deserialize, Serialize};

/// The curve of a subject.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub enum Curve {
    /// f(t) = Σ_k z_k t^k, with z normal.
    Polynomial {
        /// The highest power; 0 to 7.
        degree: usize,
    },
    /// Concentration after oral doses in one compartment with first-order absorption; (Tlag,) ka, V, Cl log-normal.
    OneCompartmentOral {
        /// Whether absorption begins after a lag Tlag; default false.
        #[serde(default)]
        lag: bool,
    },
}

impl Curve {
    /// p, the number of its parameters.
    #[must_use]
    pub fn parameters(self) -> usize {
        match self {
            Curve::Polynomial { degree } => degree + 1,
            Curve::OneCompartmentOral { lag } => 3 + usize::from(lag),
        }
    }
}

/// The covariance of the random effects.
#[derive(Clone, Copy, Debug, Default, Deserialize, Eq, PartialEq, Serialize)]
pub enum Effects {
    /// Any: q = p + p(p + 1)/2 + 1.
    #[default]
    Full,
    /// Independent effects: q = 2p + 1.
    Diagonal,
}

/// The residual error.
#[derive(Clone, Copy, Debug, Default, Deserialize, Eq, PartialEq, Serialize)]
pub enum ResidualError {
    /// The same everywhere, in the unit of the values.
    #[default]
    Constant,
    /// In proportion to the curve.
    Proportional,
}
