//! Axes with every level written out: lists as they are, rules and point sets evaluated. This file must
//! not know how an arm is made of levels.

use std::collections::{BTreeMap, BTreeSet};

use fedbits_spec::{Described, Facts, Findings, Path};

use super::MAX_ARMS;
use super::levels::{self, Written};
use super::points::{self, Design};
use super::sobol::MAX_DIMENSIONS;
use crate::schema::{Arm, Axis, Law, PointSet, Scenario, Values};

/// The name of the level of arms in which an axis does not exist.
pub const ABSENT: &str = "–";

/// An axis with its levels.
#[derive(Clone, Debug)]
pub struct ExpandedAxis {
    /// The name under which tables, figures, `exclude` and `baseline` know it.
    pub name: String,
    /// The names of its levels.
    pub labels: Vec<String>,
    /// Every path that it sets, with the value of each level, as RON; [`ABSENT`] of a level that does not set it.
    pub paths: Vec<(String, Vec<String>)>,
    /// Is each level a point in the space of its paths? Its values then tell more than its name.
    pub is_point_set: bool,
    /// Does it exist in some arms only? In the others its level is the number after the last.
    pub is_conditional: bool,
    /// By the number of an earlier axis: the levels with which it exists.
    pub(super) when: Needed,
    /// Do the values stand in the scenario one by one?
    pub(super) is_listed: bool,
}

impl ExpandedAxis {
    /// The name of a level, [`ABSENT`] of the number after the last.
    #[must_use]
    pub fn label(&self, level: usize) -> &str {
        self.labels.get(level).map_or(ABSENT, String::as_str)
    }

    /// By the name of an axis before it, of `axes`, the levels with one of which it exists.
    pub fn conditions<'a>(&'a self, axes: &'a [Self]) -> impl Iterator<Item = (&'a str, Vec<&'a str>)> {
        self.when.iter().map(|(&number, levels)| {
            (axes[number].name.as_str(), levels.iter().map(|&level| axes[number].label(level)).collect())
        })
    }

    /// Does it exist in an arm that has these levels on the axes before it?
    pub(super) fn exists(&self, levels: &[usize]) -> bool {
        self.when.iter().all(|(&axis, wanted)| wanted.contains(&levels[axis]))
    }

    /// The level that stands for its absence.
    pub(super) fn absent(&self) -> usize {
        self.labels.len()
    }
}

/// The axis that the arms of a scenario are, beside axes of its own.
pub const ARMS: &str = "arms";

/// The axes of a scenario: its arms, if it has any, then those that it lists.
pub(crate) fn all(scenario: &Scenario) -> Vec<Axis> {
    let arms = || Axis::Cases { name: ARMS.to_owned(), levels: scenario.arms.clone(), when: BTreeMap::new() };
    let arms = (!scenario.arms.is_empty()).then(arms);
    arms.into_iter().chain(scenario.axes.iter().cloned()).collect()
}

/// The path of an axis by its number among [`all`].
pub(crate) fn place(scenario: &Scenario, index: usize) -> String {
    match index.checked_sub(usize::from(!scenario.arms.is_empty())) {
        Some(index) => format!("axes[{index}]"),
        None => ARMS.to_owned(),
    }
}

/// The path of a level of such an axis that has `levels`.
pub(crate) fn place_of_level(scenario: &Scenario, index: usize, level: usize) -> String {
    match place(scenario, index) {
        arms if arms == ARMS => format!("{arms}[{level}]"),
        axis => format!("{axis}.levels[{level}]"),
    }
}

/// By the number of an axis: the levels that are needed.
pub(super) type Needed = BTreeMap<usize, BTreeSet<usize>>;

/// Whether the setting of a path takes a value: in an arm with these axes, and with the levels of them that the axis of
/// this number needs.
pub(super) type Takes<'t> = dyn FnMut(&[ExpandedAxis], usize, &Needed, &str, &str) -> bool + 't;

/// All axes; those with a mistake have no level. `takes` is asked where it matters whether a setting takes whole
/// numbers only.
pub(super) fn expand(scenario: &Scenario, takes: &mut Takes<'_>, findings: &mut Findings) -> Vec<ExpandedAxis> {
    let mut axes: Vec<ExpandedAxis> = Vec::new();
    for (index, axis) in all(scenario).iter().enumerate() {
        let place = place(scenario, index);
        let when = conditions(axis, &place, &axes, findings);
        let mut takes = |path: &str, value: &str| takes(&axes, index, &when, path, value);
        let mut expanded = ExpandedAxis {
            name: axis.name().to_owned(),
            labels: Vec::new(),
            paths: Vec::new(),
            is_point_set: false,
            is_conditional: !axis.when().is_empty(),
            when: when.clone(),
            is_listed: true,
        };
        match axis {
            Axis::Grid { path, values, labels, .. } => {
                let mut whole = |written: &[Written]| is_whole(written, &mut |value| takes(path, value));
                grid(&mut expanded, path, values, &mut whole);
                if !labels.is_empty() {
                    expanded.labels.clone_from(labels);
                }
            }
            Axis::Zip { labels, paths, .. } => {
                expanded.labels.clone_from(labels);
                expanded.paths = paths.iter().map(|(path, values)| (path.clone(), values.clone())).collect();
            }
            Axis::Cases { levels, .. } => {
                let value = |level: &Arm, path: &str| level.set.get(path).map_or(ABSENT, String::as_str).to_owned();
                let values = |path: &str| levels.iter().map(|level| value(level, path)).collect();
                expanded.labels = levels.iter().map(|level| level.name.clone()).collect();
                expanded.paths = axis.paths().into_iter().map(|path| (path.to_owned(), values(path))).collect();
            }
            Axis::Random(set) => point_levels(&mut expanded, (Design::Random, set), &mut takes, (&place, findings)),
            Axis::Sobol(set) => point_levels(&mut expanded, (Design::Sobol, set), &mut takes, (&place, findings)),
            Axis::LatinHypercube(set) => {
                point_levels(&mut expanded, (Design::LatinHypercube, set), &mut takes, (&place, findings));
            }
        }
        axes.push(expanded);
    }
    axes
}

fn grid(axis: &mut ExpandedAxis, path: &str, values: &Values, is_whole: &mut dyn FnMut(&[Written]) -> bool) {
    let written: Vec<Written> = match values {
        Values::List(list) => list.iter().map(|value| Written { value: value.clone(), label: value.clone() }).collect(),
        _ if !is_sound(values) => Vec::new(),
        _ => {
            let exact = levels::levels(values, false).unwrap_or_default();
            let whole = is_whole(&exact);
            if whole { levels::levels(values, true).unwrap_or_default() } else { exact }
        }
    };
    axis.is_listed = matches!(values, Values::List(_));
    axis.labels = written.iter().map(|level| level.label.clone()).collect();
    axis.paths = vec![(path.to_owned(), written.into_iter().map(|level| level.value).collect())];
}

/// Does the setting refuse the first level that is no whole number, and take it rounded?
fn is_whole(written: &[Written], takes: &mut dyn FnMut(&str) -> bool) -> bool {
    let fraction = written.iter().find_map(|level| {
        let number: f64 = level.value.parse().ok()?;
        (number.fract() != 0.0).then_some((number, level.value.as_str()))
    });
    fraction.is_some_and(|(number, value)| !takes(value) && takes(&format!("{}", number.round())))
}

/// The points of a set as levels.
fn point_levels(
    axis: &mut ExpandedAxis,
    (design, set): (Design, &PointSet),
    takes: &mut dyn FnMut(&str, &str) -> bool,
    (place, findings): (&str, &mut Findings),
) {
    (axis.is_point_set, axis.is_listed) = (true, false);
    let fits = set.points >= 1 && set.points <= u64::from(MAX_ARMS);
    let sound = fits && !set.paths.is_empty() && set.paths.values().all(is_sound);
    if !sound || design == Design::Sobol && set.paths.len() > MAX_DIMENSIONS {
        return;
    }
    let mut whole = BTreeSet::new();
    for (path, law) in &set.paths {
        if levels::probes(law).is_some_and(|[fraction, rounded]| !takes(path, &fraction) && takes(path, &rounded)) {
            whole.insert(path.as_str());
        }
        if whole.contains(path.as_str())
            && let Law::Uniform(low, high) | Law::LogUniform(low, high) = law
            && levels::whole_ends(low, high).0 > levels::whole_ends(low, high).1
        {
            let place = format!("{place}.paths[\"{path}\"]");
            let found = format!("there is no whole number from {} to {}", low.number(), high.number());
            findings.error(place, found, format!("expected a range with one: `{path}` takes whole numbers only"));
            return;
        }
    }
    let points = points::points(design, set, &whole);
    if (points.len() as u64) < set.points {
        let found = format!("only {} of {} points could be found that differ", points.len(), set.points);
        findings.error(format!("{place}.points"), found, "expected no more points than there are different ones");
    }
    let width = points.len().to_string().len();
    axis.labels = (1..=points.len()).map(|number| format!("{} {number:0width$}", axis.name)).collect();
    let column = |path: usize| points.iter().map(|point| point[path].value.clone()).collect();
    axis.paths = set.paths.keys().enumerate().map(|(number, path)| (path.clone(), column(number))).collect();
}

/// Has the rule, or the law, no mistake of its own? Those are reported by the checks.
fn is_sound(rule: &impl Described) -> bool {
    let mut findings = Findings::default();
    rule.check(&Path::Root, &Facts::default(), &mut findings);
    findings.iter().len() == 0
}

/// The levels of the axes before, by number, that an axis needs.
fn conditions(axis: &Axis, place: &str, before: &[ExpandedAxis], findings: &mut Findings) -> Needed {
    let mut conditions = BTreeMap::new();
    for (name, which) in axis.when() {
        let place = format!("{place}.when[\"{name}\"]");
        let Some(number) = before.iter().position(|earlier| earlier.name == *name) else {
            let names: Vec<&str> = before.iter().map(|earlier| earlier.name.as_str()).collect();
            let found = format!("no axis before this one is called `{name}`{}", meant(name, &names));
            findings.error(place, found, known("axes before this one", &names));
            continue;
        };
        let labels: Vec<&str> = before[number].labels.iter().map(String::as_str).collect();
        let mut wanted = BTreeSet::new();
        for level in which.levels() {
            match labels.iter().position(|label| label == level) {
                Some(found) => _ = wanted.insert(found),
                // What is wrong with an axis without levels is said there.
                None if labels.is_empty() => {}
                None => {
                    let found = format!("the axis `{name}` has no level `{level}`{}", meant(level, &labels));
                    findings.error(&place, found, known("levels", &labels));
                }
            }
        }
        if which.levels().is_empty() {
            findings.error(&place, "the axis would exist in no arm", "expected at least one level");
        }
        conditions.insert(number, wanted);
    }
    conditions
}

/// ": did you mean `x`?", where a known name is near.
pub(crate) fn meant(name: &str, known: &[&str]) -> String {
    let nearest = fedbits_text::nearest(name, known.iter().copied());
    nearest.map_or_else(String::new, |name| format!(": did you mean `{name}`?"))
}

/// "expected `a` or `b`".
pub(crate) fn known(what: &str, names: &[&str]) -> String {
    if names.is_empty() { format!("there are no {what}") } else { format!("expected {}", fedbits_text::one_of(names)) }
}
