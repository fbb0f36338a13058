//! The combinations of the levels of a study's axes. This file must not know what the levels change.

use std::collections::BTreeMap;

use crate::schema::{Axis, Study};

/// The way to one arm: the level of each axis, by its number.
#[derive(Clone, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub(crate) struct Way(pub(crate) Vec<usize>);

impl Way {
    /// All combinations that are not excluded; the last axis changes fastest.
    pub(crate) fn all(study: &Study) -> Vec<Way> {
        let mut ways = vec![Way(Vec::new())];
        for axis in &study.axes {
            let further = |way: &Way| (0..axis.labels().len()).map(|level| way.then(level)).collect::<Vec<_>>();
            ways = ways.iter().flat_map(further).collect();
        }
        let excluded = |way: &Way| study.exclude.iter().any(|levels| way.has(study, levels));
        ways.into_iter().filter(|way| !excluded(way)).collect()
    }

    /// The baseline's: the levels it names, else the first of each axis.
    pub(crate) fn baseline(study: &Study) -> Way {
        let level = |axis: &Axis| {
            let name = study.baseline.get(axis.name());
            name.and_then(|name| axis.labels().iter().position(|label| label == name)).unwrap_or(0)
        };
        Way(study.axes.iter().map(level).collect())
    }

    fn then(&self, level: usize) -> Way {
        Way(self.0.iter().copied().chain([level]).collect())
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
