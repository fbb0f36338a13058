//! The combinations of the levels of a scenario's axes.

use std::collections::{BTreeMap, BTreeSet};

use super::axes::ExpandedAxis;
use crate::schema::Scenario;

/// The combination to one arm: the level of each axis, by its number; the number after the last where the axis does not
/// exist.
#[derive(Clone, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub(crate) struct Combination(pub(crate) Vec<usize>);

impl Combination {
    /// All combinations that are not excluded; the last axis changes fastest. `None` when there are more than `most`
    /// before any is excluded.
    pub(crate) fn all(scenario: &Scenario, axes: &[ExpandedAxis], most: usize) -> Option<Vec<Combination>> {
        let mut combinations = vec![Combination(Vec::new())];
        for axis in axes {
            // No axis takes a combination away.
            let levels = |combination: &Combination| if axis.exists(&combination.0) { axis.labels.len() } else { 1 };
            if combinations.iter().map(levels).sum::<usize>() > most {
                return None;
            }
            combinations = combinations.iter().flat_map(|combination| combination.further(axis)).collect();
        }
        let excluded = |combination: &Combination| {
            let levels = combination.named(axes);
            let has = |(axis, label): (&String, &String)| levels.get(axis.as_str()) == Some(&label.as_str());
            scenario.exclude.iter().any(|levels| levels.iter().all(has))
        };
        Some(combinations.into_iter().filter(|combination| !excluded(combination)).collect())
    }

    /// The baseline's: the levels it names, else the first of each axis that exists.
    pub(crate) fn baseline(scenario: &Scenario, axes: &[ExpandedAxis]) -> Combination {
        let level = |axis: &ExpandedAxis| {
            let name = scenario.baseline.get(&axis.name);
            name.and_then(|name| axis.labels.iter().position(|label| label == name)).unwrap_or(0)
        };
        Self::of(axes, |_, axis| level(axis))
    }

    /// The level of each axis that exists.
    fn of(axes: &[ExpandedAxis], level: impl Fn(usize, &ExpandedAxis) -> usize) -> Combination {
        axes.iter().enumerate().fold(Combination(Vec::new()), |mut before, (number, axis)| {
            let next = if axis.exists(&before.0) { level(number, axis) } else { axis.absent() };
            before.0.push(next);
            before
        })
    }

    /// One in which an axis exists that needs these levels of the `axes`, which stand before it; the first levels
    /// otherwise.
    pub(crate) fn with(axes: &[ExpandedAxis], needed: &BTreeMap<usize, BTreeSet<usize>>) -> Combination {
        let mut needed = needed.clone();
        for number in (0..axes.len()).rev() {
            if needed.contains_key(&number) {
                for (&condition, levels) in &axes[number].when {
                    let common = |known: &BTreeSet<usize>| known.intersection(levels).copied().collect();
                    let all = needed.get(&condition).map_or_else(|| levels.clone(), common);
                    needed.insert(condition, all);
                }
            }
        }
        Self::of(axes, |number, _| needed.get(&number).and_then(|levels| levels.first().copied()).unwrap_or(0))
    }

    fn further(&self, axis: &ExpandedAxis) -> Vec<Combination> {
        let then = |level: usize| Combination(self.0.iter().copied().chain([level]).collect());
        if axis.exists(&self.0) { (0..axis.labels.len()).map(then).collect() } else { vec![then(axis.absent())] }
    }

    /// The names of its levels, by those of the axes.
    fn named<'a>(&self, axes: &'a [ExpandedAxis]) -> BTreeMap<&'a str, &'a str> {
        axes.iter().zip(&self.0).map(|(axis, &level)| (axis.name.as_str(), axis.label(level))).collect()
    }

    /// The arm's name: the names of the levels that it has, or the scenario's when it has none.
    pub(crate) fn name(&self, scenario: &Scenario, axes: &[ExpandedAxis]) -> String {
        let there = axes.iter().zip(&self.0).filter(|(axis, level)| **level != axis.absent());
        let names: Vec<&str> = there.map(|(axis, &level)| axis.label(level)).collect();
        if names.is_empty() { scenario.name.clone() } else { names.join(" / ") }
    }
}
