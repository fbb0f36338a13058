//! Longitudinal data and the mixed-effects models that are fitted to them. This file must not know how files are read.

use serde::{Deserialize, Serialize};

use super::Column;

/// Where doses stand in a longitudinal file.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub enum Doses {
    /// There are none.
    #[default]
    NoDoses,
    /// In rows of their own, which are no observations (NONMEM, Monolix, nlmixr2).
    Rows {
        /// The column of amounts; empty, `.`, `NA` or 0 in rows of observations.
        amount: Column,
    },
    /// In every row of a subject the same amount, given once.
    PerSubject {
        /// The column of amounts; above 0.
        amount: Column,
        /// When it was given, in the unit of the times; default 0.
        #[serde(default)]
        time: f64,
    },
}

/// A choice of rows by the text in a column.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Rows {
    /// The column.
    pub column: Column,
    /// What must stand in it.
    pub text: String,
}

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
