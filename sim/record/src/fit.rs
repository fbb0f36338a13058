//! The final fit of a run, and whether it is degenerate.

use fedbits_spec::Caveat;
use serde::{Deserialize, Serialize};

/// How far a final objective may lie above that of the start, in units of the objective: for a density in nats per
/// example. At 0.25 an example is less probable by a factor of e^−0.25 = 0.78 in the geometric mean.
pub const MARGIN: f64 = 0.25;

/// The final fit of a run, as far as the verdict depends on it.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
pub struct FinalFit {
    /// Number of components; 0 of a model without.
    pub components: u64,
    /// Components with less than half an example in expectation.
    pub empty: u64,
    /// Components with a variance that rounding or the floor of the domain gives.
    pub collapsed: u64,
    /// The last measured objective.
    pub objective: Option<f64>,
    /// The objective before the first round: that of the start, on the same data.
    pub start_objective: Option<f64>,
    /// Whether the scenario lets a degenerate fit count like any other.
    #[serde(default)]
    pub accepted: bool,
}

impl FinalFit {
    /// What is wrong with it, whether or not it is accepted; empty where nothing is.
    #[must_use]
    pub fn defects(&self) -> Vec<String> {
        let of = |count: u64, what: &str| {
            let are = if count == 1 { "is" } else { "are" };
            (count > 0).then(|| format!("{count} of {} components {are} {what}", self.components))
        };
        let worse = self.rise().filter(|rise| *rise > MARGIN);
        let worse = worse.map(|rise| format!("its objective lies {rise:.2} above that of its start"));
        [of(self.empty, "empty"), of(self.collapsed, "collapsed"), worse].into_iter().flatten().collect()
    }

    /// Whether a target that the run met counts as missed.
    #[must_use]
    pub fn is_degenerate(&self) -> bool {
        !self.accepted && (self.empty > 0 || self.collapsed > 0 || self.rise().is_some_and(|rise| rise > MARGIN))
    }

    /// How far the final objective lies above that of the start.
    fn rise(&self) -> Option<f64> {
        Some(self.objective? - self.start_objective?)
    }

    /// The caveat of a degenerate fit. Without components only the objective makes it one.
    #[must_use]
    pub fn caveat(&self) -> Option<Caveat> {
        let defects = self.defects().join(", ");
        self.is_degenerate().then_some(match self.components {
            0 => Caveat::RunDiverged { defects },
            _ => Caveat::DegenerateFit { defects },
        })
    }
}
