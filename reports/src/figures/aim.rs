//! Where runs should get in a figure of comparisons, and what getting there costs.

use crate::compare::{self, ErrorKind, Measure, Observation, Quantity, Samples, of_runs};
use crate::data::no_such_arm;
use crate::error::ReportError;
use crate::report::Report;
use crate::words::target_words;
use fedbits_figures::{Cost, Goal};
use fedbits_record::results::{Bound, PlanTarget};
use fedbits_spec::Caveat;
use std::borrow::Cow;

/// The runs, and the number of the target that they should get to; none: they are compared at their ends.
pub(crate) struct Aim<'a> {
    pub samples: Cow<'a, Samples>,
    pub target: Option<usize>,
}

impl<'a> Aim<'a> {
    /// To this goal; without one to the last target of the scenario, or to the largest tolerance of ‖h(Ŝ)‖² that could
    /// end a run.
    pub(crate) fn of(report: &'a Report<'_>, goal: Option<&Goal>) -> Result<Self, ReportError> {
        let samples = report.samples();
        let target = match goal {
            Some(goal) => {
                if !samples.columns.contains(&goal.column) {
                    let known = samples.columns.iter().map(String::as_str);
                    return Err(ReportError::unknown("measured column", &goal.column, known));
                }
                let bound = Bound::toward(&goal.column, goal.value);
                PlanTarget { column: goal.column.clone(), bound }
            }
            None => match (samples.targets.last(), samples.goal_tolerance()) {
                (Some(last), _) => last.clone(),
                (None, Some(tolerance)) => PlanTarget::at_most("mean_field_sq", tolerance),
                (None, None) => return Ok(Self { samples: Cow::Borrowed(samples), target: None }),
            },
        };
        Ok(match samples.targets.iter().position(|known| *known == target) {
            Some(number) => Self { samples: Cow::Borrowed(samples), target: Some(number) },
            None => {
                let samples = Samples::of_arms(&report.collected, &[target]);
                Self { target: samples.targets.len().checked_sub(1), samples: Cow::Owned(samples) }
            }
        })
    }

    /// With another arm that the others are held against, where one is named.
    pub(crate) fn against(mut self, report: &Report<'_>, baseline: Option<&str>) -> Result<Self, ReportError> {
        if let Some(name) = baseline {
            let found = report.arms().iter().position(|arm| arm.name == name || arm.label == name);
            self.samples.to_mut().baseline = found.ok_or_else(|| no_such_arm(name, report.arms()))?;
        }
        Ok(self)
    }

    /// The target in words: ‖h(Ŝ)‖² ≤ 10⁻⁸.
    pub(crate) fn words(&self) -> Option<String> {
        Some(target_words(&self.samples.targets[self.target?]))
    }

    /// What the runs of an arm say of a measure.
    pub(crate) fn observations(&self, arm: usize, measure: &Measure) -> Vec<Observation> {
        self.samples.observations(arm, measure).into_values().collect()
    }

    /// How many runs of an arm get there, how many were planned, and how many have a degenerate fit.
    pub(crate) fn reached(&self, arm: usize, measure: &Measure) -> [usize; 3] {
        let (samples, runs) = (&self.samples, self.samples.observations(arm, measure));
        let reached = runs.values().filter(|run| run.is_reached()).count();
        [reached, samples.arms[arm].planned, samples.degenerate_among(arm, &runs)]
    }

    /// What must be known of the runs on their way there.
    pub(crate) fn caveats(&self) -> Vec<Caveat> {
        let (arms, goal) = ((0..self.samples.arms.len()).collect::<Vec<_>>(), self.target.map(compare::Goal::Target));
        of_runs(&self.samples, &arms, goal.as_slice())
    }

    /// Whether every run meets the target before its first round.
    pub(crate) fn is_met_at_the_start(&self) -> bool {
        let at_start = |target| self.samples.at_the_start(0..self.samples.arms.len(), compare::Goal::Target(target));
        self.target.map(at_start).is_some_and(|(met, all)| met == all)
    }

    /// What is measured: these costs, or without any all bits and time; at the ends of the runs, their error too.
    pub(crate) fn measures(&self, costs: &[Cost]) -> Vec<Measure> {
        let costs = if costs.is_empty() { &[Cost::BitsTotal, Cost::Time] } else { costs };
        let quantity = |&cost: &Cost| match cost {
            Cost::BitsTotal => Quantity::BitsTotal,
            Cost::BitsUp => Quantity::BitsUp,
            Cost::Time => Quantity::Time,
            Cost::Rounds => Quantity::Rounds,
        };
        let error = (self.target.is_none() && self.samples.error != ErrorKind::Mixed).then_some(Quantity::Error);
        costs.iter().map(quantity).chain(error).map(|what| Measure { target: self.target, what }).collect()
    }
}
