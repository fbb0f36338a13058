//! The combinations of the levels of a study's axes.

use std::collections::BTreeMap;

use crate::schema::{Axis, Study};

/// The combination to one arm: the level of each axis, by its number.
#[derive(Clone, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub(crate) struct Combination(pub(crate) Vec<usize>);

impl Combination {
    /// All combinations that are not excluded; the last axis changes fastest.
    pub(crate) fn all(study: &Study) -> Vec<Combination> {
        let mut combinations = vec![Combination(Vec::new())];
        for axis in &study.axes {
            let further = |combination: &Combination| {
                (0..axis.labels().len()).map(|level| combination.then(level)).collect::<Vec<_>>()
            };
            combinations = combinations.iter().flat_map(further).collect();
        }
        let excluded = |combination: &Combination| study.exclude.iter().any(|levels| combination.has(study, levels));
        combinations.into_iter().filter(|combination| !excluded(combination)).collect()
    }

    /// The baseline's: the levels it names, else the first of each axis.
    pub(crate) fn baseline(study: &Study) -> Combination {
        let level = |axis: &Axis| {
            let name = study.baseline.get(axis.name());
            name.and_then(|name| axis.labels().iter().position(|label| label == name)).unwrap_or(0)
        };
        Combination(study.axes.iter().map(level).collect())
    }

    fn then(&self, level: usize) -> Combination {
        Combination(self.0.iter().copied().chain([level]).collect())
    }

    /// Whether the arm has all of these levels.
    fn has(&self, study: &Study, levels: &BTreeMap<String, String>) -> bool {
        let own: BTreeMap<&str, &str> =
            study.axes.iter().zip(self.labels(study)).map(|(axis, label)| (axis.name(), label)).collect();
        levels.iter().all(|(axis, label)| own.get(axis.as_str()) == Some(&label.as_str()))
    }

    /// The names of its levels.
    pub(crate) fn labels<'s>(&self, study: &'s Study) -> Vec<&'s str> {
        study.axes.iter().zip(&self.0).map(|(axis, &level)| axis.labels()[level].as_str()).collect()
    }

    /// The arm's name: its levels' names, or the study's when it has no axes.
    pub(crate) fn name(&self, study: &Study) -> String {
        if self.0.is_empty() { study.name.clone() } else { self.labels(study).join(" / ") }
    }
}
