//! What it takes a run to get to a goal.

use super::super::measure::{Goal, Quantity};
use super::super::problem::ErrorKind;
use super::super::survival::{CostEnd, Observation};
use super::{Sample, Samples};

impl Sample {
    /// What it takes to get to a goal; `None` when that was not measured.
    pub(crate) fn cost(&self, goal: Goal, what: Quantity, among: &Samples) -> Option<Observation> {
        match (goal, what) {
            (Goal::Target(number), _) => self.cost_of_target(number, what),
            (Goal::Tolerance(_) | Goal::End, Quantity::Error) => self.error_at_end(among.error),
            (Goal::Tolerance(_) | Goal::End, _) => self.cost_at_end(what, among.tolerance),
        }
    }

    pub(super) fn is_lost(&self) -> bool {
        self.failed || self.degenerate
    }

    fn cost_of_target(&self, target: usize, what: Quantity) -> Option<Observation> {
        let is_known = self.measured.get(target) != Some(&Some(false));
        let reach = self.reaches.get(target).filter(|_| is_known)?.as_ref();
        // What failed before its first row never gets there either.
        let never = self.is_lost().then_some(Observation::NEVER);
        match reach {
            Some(reach) if reach.reached => Some(Observation::reached(what.of_reach(reach)?)),
            Some(reach) => never.or(Some(Observation { value: what.of_reach(reach)?, end: self.end_before() })),
            None => never,
        }
    }

    /// How it ended, as a goal sees it, in a word for tables.
    pub(crate) fn end_of(&self, observation: &Observation) -> &'static str {
        match observation.end {
            CostEnd::Reached => "reached",
            CostEnd::Missed if self.failed => "failed",
            CostEnd::Missed if self.degenerate => "degenerate",
            CostEnd::Missed => "missed",
            CostEnd::Cut => "cut",
        }
    }

    /// How a run ended that did not get to a goal.
    fn end_before(&self) -> CostEnd {
        if self.cut { CostEnd::Cut } else { CostEnd::Missed }
    }

    fn error_at_end(&self, error: ErrorKind) -> Option<Observation> {
        if self.error_measured == Some(false) {
            return None;
        }
        let never = self.is_lost().then_some(Observation::NEVER);
        let value = self.error.filter(|_| !self.cut);
        never.or_else(|| Some(Observation::reached(self.without_overshoot(Quantity::Error, value?, error))))
    }

    fn cost_at_end(&self, what: Quantity, tolerance: Option<f64>) -> Option<Observation> {
        let value = match what {
            Quantity::BitsTotal => self.bits_total as f64,
            Quantity::BitsUp => self.bits_up as f64,
            Quantity::Time => self.time_ns as f64 / 1e9,
            Quantity::Rounds => self.rounds as f64,
            Quantity::Error => return None,
        };
        let has_rule = tolerance.is_none() || self.stop_rules.mean_field_sq == tolerance;
        let reach = self.tolerance.filter(|_| tolerance.is_some());
        match reach {
            _ if !has_rule => None,
            _ if self.is_lost() => Some(Observation::NEVER),
            Some((_, reach)) => Some(Observation::reached(what.of_reach(&reach)?)),
            None if self.cut => Some(Observation { value, end: CostEnd::Cut }),
            None if tolerance.is_none() => {
                Some(Observation::reached(self.without_overshoot(what, value, ErrorKind::Mixed)))
            }
            // Where it was not measured, it could end no run.
            None => self.mean_field_sq.map(|_| Observation { value, end: CostEnd::Missed }),
        }
    }

    /// The value at the end, where a rule ended the run as it was when the rule was met.
    fn without_overshoot(&self, what: Quantity, value: f64, error: ErrorKind) -> f64 {
        let rules = &self.stop_rules;
        match what {
            Quantity::BitsTotal => rules.bits.map_or(value, |most| value.min(most as f64)),
            Quantity::Time => rules.time_ns.map_or(value, |most| value.min(most as f64 / 1e9)),
            // A tolerance is one of ‖h(Ŝ)‖², and bounds no objective.
            Quantity::Error if error == ErrorKind::MeanField => {
                self.tolerance.map_or(value, |(least, _)| value.max(least))
            }
            Quantity::Error | Quantity::BitsUp | Quantity::Rounds => value,
        }
    }
}
