//! Where runs should get. This file must not know how it is measured.

use fedbits_protocols::plan::Measure;
use fedbits_record::results::{Bound, PlanTarget};
use fedbits_spec::Described;
use serde::{Deserialize, Serialize};

/// A target, reached at the first recorded row that meets it, else censored at the end.
#[derive(Clone, Debug, Described, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub enum Target {
    /// ‖h(Ŝ)‖² at most this; above 0.
    MeanFieldSq(#[described(by_rules)] f64),
    /// Objective at most this.
    Objective(#[described(by_rules)] f64),
    /// `accuracy` at least this; in (0, 1].
    Accuracy(#[described(by_rules)] f64),
    /// `held_out_log_likelihood` at least this, in nats.
    HeldOut(#[described(by_rules)] f64),
    /// A measured column of `rounds.csv`, but no cost (time, epochs, bits).
    Column {
        /// Column, for example `parameter_error_sq`.
        name: String,
        /// Upper limit; either this or `at_least`.
        #[serde(default)]
        #[described(by_rules)]
        at_most: Option<f64>,
        /// Lower limit.
        #[serde(default)]
        #[described(by_rules)]
        at_least: Option<f64>,
    },
}

impl Target {
    /// The column of `rounds.csv` that is looked at.
    #[must_use]
    pub fn column(&self) -> &str {
        match self {
            Target::MeanFieldSq(_) => Measure::MeanFieldSq.column(),
            Target::Objective(_) => Measure::Objective.column(),
            Target::Accuracy(_) => Measure::Accuracy.column(),
            Target::HeldOut(_) => Measure::HeldOut.column(),
            Target::Column { name, .. } => name,
        }
    }

    /// As the plan of the runs has it.
    #[must_use]
    pub fn planned(&self) -> PlanTarget {
        PlanTarget { column: self.column().to_owned(), bound: self.bound() }
    }

    /// Where the column must get. Of a column with two bounds or none, which is refused, it is the first or none.
    #[must_use]
    pub fn bound(&self) -> Bound {
        match *self {
            Target::MeanFieldSq(value) | Target::Objective(value) => Bound::AtMost(value),
            Target::Accuracy(value) | Target::HeldOut(value) => Bound::AtLeast(value),
            Target::Column { at_most: Some(value), .. } => Bound::AtMost(value),
            Target::Column { at_least, .. } => Bound::AtLeast(at_least.unwrap_or(f64::NAN)),
        }
    }
}
