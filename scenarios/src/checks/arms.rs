//! What a scenario of the right shape can still get wrong about its runs: arms and axes that do not fit together, names
//! of levels that do not exist, more arms than can be run, targets that no arm can measure. This file must not know
//! positions, nor how arms are made.

use std::collections::{BTreeMap, BTreeSet};

use fedbits_spec::{Described, Facts, Finding, Findings, Path, so_many};

use super::measured::needs_probes;
use super::parts::{arm_path, count, name, target, varied_path};
use super::search::is_within;
use crate::arms::{
    self, ABSENT, ARMS, Combination, ExpandedAxis, MAX_ARMS, MAX_DIMENSIONS, MAX_REPLICATES, MAX_RUNS, known, meant,
};
use crate::schema::{Arm, Axis, PointSet, Scenario, Target, Values};

/// Findings about all that speaks of several runs. When there are none, the axes can be expanded.
pub(crate) fn runs(scenario: &Scenario) -> Findings {
    let mut findings = Findings::default();
    count(&mut findings, "replicates", scenario.replicates, 1, MAX_REPLICATES, "");
    for (index, axis) in arms::all(scenario).iter().enumerate() {
        let place = arms::place(scenario, index);
        if place == ARMS {
            arm_list(&scenario.arms, &mut findings);
        } else {
            self::axis(axis, &place, &mut findings);
        }
        axis_name(scenario, index, &mut findings);
        set_twice(scenario, index, &mut findings);
    }
    targets_alone(&scenario.targets, &mut findings);
    super::search::search(scenario, &mut findings);
    findings
}

/// Findings about the levels of the axes. When there are none, the arms can be made.
pub(crate) fn levels(scenario: &Scenario, axes: &[ExpandedAxis], findings: &mut Findings) {
    (0..axes.len()).for_each(|index| names_of(scenario, axes, index, findings));
    number_of_arms(scenario, axes, findings);
    let is_whole = findings.iter().all(|finding| !finding.path.starts_with("axes"));
    if named_levels(scenario, axes, findings) && is_whole {
        combinations(scenario, axes, findings);
    }
}

fn arm_list(arms: &[Arm], findings: &mut Findings) {
    for (index, arm) in arms.iter().enumerate() {
        let place = format!("{ARMS}[{index}]");
        if arm.name.contains('/') {
            let expected = "expected a name without `/`, which stands between the levels of axes";
            findings.error(format!("{place}.name"), "the name of the arm has a slash", expected);
        }
        arm.set.keys().for_each(|path| arm_path(findings, &format!("{place}.set[\"{path}\"]"), path));
    }
}

fn axis(axis: &Axis, place: &str, findings: &mut Findings) {
    let place = Path::Root.field(place);
    match axis {
        Axis::Grid { path, values, labels, .. } => {
            varied_path(findings, &place.field("path").to_string(), path);
            values.check(&place.field("values"), &Facts::default(), findings);
            let (count, given) = (axis.count() as usize, labels.len());
            if given > 0 && count > 0 {
                fits(findings, &place.field("labels").to_string(), "label", given, count);
            }
        }
        Axis::Zip { labels, paths, .. } => {
            if labels.is_empty() {
                findings.error(place.field("labels"), "the axis has no level", "expected at least one");
            }
            for (path, values) in paths {
                let place = format!("{place}.paths[\"{path}\"]");
                varied_path(findings, &place, path);
                let what = format!("value of `{path}`|values of `{path}`");
                fits(findings, &place, &what, values.len(), labels.len());
            }
        }
        Axis::Cases { levels, .. } => cases(levels, &place, findings),
        Axis::Random(set) | Axis::Sobol(set) | Axis::LatinHypercube(set) => point_set(set, axis, &place, findings),
    }
    if axis.paths().is_empty() && !matches!(axis, Axis::Cases { .. }) {
        findings.error(place.field("paths"), "the axis sets nothing", "expected at least one path");
    }
}

fn cases(levels: &[Arm], place: &Path<'_>, findings: &mut Findings) {
    if levels.is_empty() {
        findings.error(place.field("levels"), "the axis has no level", "expected at least one");
    }
    for (number, level) in levels.iter().enumerate() {
        level
            .set
            .keys()
            .for_each(|path| varied_path(findings, &format!("{place}.levels[{number}].set[\"{path}\"]"), path));
    }
}

fn point_set(set: &PointSet, axis: &Axis, place: &Path<'_>, findings: &mut Findings) {
    count(findings, &place.field("points").to_string(), set.points, 1, u64::from(MAX_ARMS), "");
    if matches!(axis, Axis::Sobol(_)) && set.paths.len() > MAX_DIMENSIONS {
        let found = format!("{} paths are too many for a Sobol sequence", set.paths.len());
        findings.error(place.field("paths"), found, format!("expected at most {MAX_DIMENSIONS}, or `LatinHypercube`"));
    }
    for (path, law) in &set.paths {
        let place = format!("{place}.paths[\"{path}\"]");
        varied_path(findings, &place, path);
        law.check(&Path::Root.field(&place), &Facts::default(), findings);
    }
}

fn fits(findings: &mut Findings, place: &str, what: &str, given: usize, levels: usize) {
    if given != levels {
        let levels = so_many(levels, "level");
        findings.error(place, format!("{}, but the axis has {levels}", so_many(given, what)), "expected one per level");
    }
}

/// The name of an axis tells it from the others.
fn axis_name(scenario: &Scenario, index: usize, findings: &mut Findings) {
    let axes = arms::all(scenario);
    let (axis, place) = (&axes[index], arms::place(scenario, index));
    let place = match axis {
        Axis::Grid { name: None, .. } => format!("{place}.path"),
        _ => format!("{place}.name"),
    };
    if name(findings, &place, "axis", axis.name()) && axes[..index].iter().any(|earlier| earlier.name() == axis.name())
    {
        let message = format!("another axis is named `{}` too", axis.name());
        findings.error(&place, message, "expected different names: give this one with `name: …`");
    }
}

/// The names of levels tell them apart.
fn names_of(scenario: &Scenario, axes: &[ExpandedAxis], index: usize, findings: &mut Findings) {
    let (axis, written) = (&axes[index], &arms::all(scenario)[index]);
    let place = arms::place(scenario, index);
    let place_of = |level: usize| match written {
        Axis::Cases { .. } => format!("{}.name", arms::place_of_level(scenario, index, level)),
        Axis::Grid { labels, values: Values::List(_), .. } if labels.is_empty() => format!("{place}.values[{level}]"),
        Axis::Grid { labels, .. } if labels.is_empty() => format!("{place}.values"),
        _ => format!("{place}.labels[{level}]"),
    };
    let what = if place == ARMS { "arm" } else { "level" };
    let mut known = BTreeSet::new();
    for (level, label) in axis.labels.iter().enumerate() {
        let place = place_of(level);
        if !name(findings, &place, what, label) {
            continue;
        }
        if label == ABSENT && axis.is_conditional {
            let found = format!("`{ABSENT}` stands for arms without the axis");
            findings.error(&place, found, "expected another name of the level");
        } else if !known.insert(label) && what == "arm" {
            findings.error(&place, format!("another arm is named `{label}` too"), "expected different names");
        } else if axis.labels[..level].contains(label) {
            let message = format!("another level of the axis `{}` is `{label}` too", axis.name);
            findings.error(&place, message, "expected different levels: these would be the same arm twice");
        }
    }
}

/// A path is set in one place only, and nothing around it by a later one, which would replace it.
fn set_twice(scenario: &Scenario, index: usize, findings: &mut Findings) {
    let axes = arms::all(scenario);
    let place = arms::place(scenario, index);
    for path in axes[index].paths() {
        let replaces = |inner: &str| is_within(inner, path);
        let earlier = axes[..index].iter().find(|axis| axis.paths().iter().any(|inner| replaces(inner)));
        let Some(by) = earlier.map(Axis::name) else { continue };
        let place = match &axes[index] {
            Axis::Grid { .. } => format!("{place}.path"),
            Axis::Cases { levels, .. } => {
                let level = levels.iter().position(|level| level.set.contains_key(path)).unwrap_or(0);
                format!("{}.set[\"{path}\"]", arms::place_of_level(scenario, index, level))
            }
            _ => format!("{place}.paths[\"{path}\"]"),
        };
        let expected = "expected every path in one place only: several that move together are a `Zip`";
        findings.error(&place, format!("`{path}` is set by the axis `{by}` too"), expected);
    }
}

fn number_of_arms(scenario: &Scenario, axes: &[ExpandedAxis], findings: &mut Findings) {
    let written = arms::all(scenario);
    let count = |axis: &Axis| u128::from(axis.count());
    let all = written.iter().fold(1_u128, |all, axis| all.saturating_mul(count(axis)));
    // Axes that exist in some arms only make fewer.
    let conditional = axes.iter().any(|axis| axis.is_conditional);
    let arms = match Combination::all(scenario, axes, MAX_ARMS as usize) {
        _ if !conditional => all,
        Some(combinations) => combinations.len() as u128,
        None => u128::from(MAX_ARMS) + 1,
    };
    if arms > u128::from(MAX_ARMS) {
        let sizes: Vec<String> = written.iter().map(|axis| axis.count().to_string()).collect();
        let found = match conditional {
            true => format!("the axes make more than {MAX_ARMS} arms"),
            false => format!("{} = {all} arms are too many", sizes.join(" × ")),
        };
        let place = if scenario.axes.is_empty() { ARMS } else { "axes" };
        findings.error(place, found, format!("expected at most {MAX_ARMS} combinations of levels"));
    } else if arms * u128::from(scenario.replicates) > u128::from(MAX_RUNS) {
        let found = format!("{} × {} replicates are too many runs", so_many(arms, "arm"), scenario.replicates);
        findings.error("replicates", found, format!("expected at most {MAX_RUNS} runs in all"));
    }
}

/// Whether `exclude` and `baseline` name axes and levels that exist.
fn named_levels(scenario: &Scenario, axes: &[ExpandedAxis], findings: &mut Findings) -> bool {
    let before = findings.iter().len();
    for (index, levels) in scenario.exclude.iter().enumerate() {
        let place = format!("exclude[{index}]");
        if levels.is_empty() {
            findings.error(&place, "this leaves every arm out", "expected the levels of one axis or of several");
        }
        level_names(axes, &place, levels, findings);
    }
    level_names(axes, "baseline", &scenario.baseline, findings);
    findings.iter().len() == before
}

/// What is left of the combinations, and the baseline among them.
fn combinations(scenario: &Scenario, axes: &[ExpandedAxis], findings: &mut Findings) {
    let combinations = Combination::all(scenario, axes, MAX_ARMS as usize).unwrap_or_default();
    if combinations.is_empty() {
        findings.error("exclude", "every combination is left out", "expected at least one arm that is not");
        return;
    }
    for (index, axis) in axes.iter().enumerate() {
        if combinations.iter().all(|combination| combination.0[index] == axis.labels.len()) {
            let (place, found) = (arms::place(scenario, index), format!("the axis `{}` exists in no arm", axis.name));
            findings.error(format!("{place}.when"), found, "expected levels that some arm has together");
        }
    }
    baseline(scenario, axes, &combinations, findings);
}

fn level_names(axes: &[ExpandedAxis], place: &str, levels: &BTreeMap<String, String>, findings: &mut Findings) {
    let names: Vec<&str> = axes.iter().map(|axis| axis.name.as_str()).collect();
    for (name, level) in levels {
        let place = format!("{place}[\"{name}\"]");
        let Some(axis) = axes.iter().find(|axis| axis.name == *name) else {
            findings.error(&place, format!("there is no axis `{name}`{}", meant(name, &names)), known("axes", &names));
            continue;
        };
        let labels: Vec<&str> = axis.labels.iter().map(String::as_str).collect();
        if !labels.contains(&level.as_str()) {
            let message = format!("the axis `{name}` has no level `{level}`{}", meant(level, &labels));
            findings.error(&place, message, known("levels", &labels));
        }
    }
}

fn baseline(scenario: &Scenario, axes: &[ExpandedAxis], combinations: &[Combination], findings: &mut Findings) {
    let baseline = Combination::baseline(scenario, axes);
    let there = |number: usize| baseline.0[number] != axes[number].labels.len();
    let named = |number: usize| scenario.baseline.contains_key(&axes[number].name);
    let missing = (0..axes.len()).find(|&number| there(number) && !named(number));
    let without = (0..axes.len()).find(|&number| !there(number) && named(number));
    let expected = "expected the level of every axis, as in `baseline: {\"axis\": \"level\"}`";
    if let (false, Some(number)) = (scenario.baseline.is_empty(), missing) {
        findings.error("baseline", format!("the baseline has no level of the axis `{}`", axes[number].name), expected);
    } else if let Some(number) = without {
        let name = &axes[number].name;
        let found = format!("the baseline is an arm in which the axis `{name}` does not exist");
        findings.error(format!("baseline[\"{name}\"]"), found, "expected levels of axes that it has");
    } else if !combinations.contains(&baseline) {
        let (place, which) =
            if scenario.baseline.is_empty() { ("exclude", "the first of all, ") } else { ("baseline", "") };
        let name = baseline.name(scenario, axes);
        findings.error(place, format!("the baseline ({which}`{name}`) is left out"), expected);
    }
}

fn targets_alone(targets: &[Target], findings: &mut Findings) {
    for (index, current) in targets.iter().enumerate() {
        target(current, &format!("targets[{index}]"), findings);
        let same = |earlier: &Target| (earlier.column(), earlier.bound()) == (current.column(), current.bound());
        if targets[..index].iter().any(same) {
            findings.error(format!("targets[{index}]"), "this target is given twice", "the second one");
        }
    }
}

/// The targets of a scenario and of its search, with their places.
fn all_targets(scenario: &Scenario) -> Vec<(String, &Target)> {
    let reached = scenario.targets.iter().enumerate().map(|(index, target)| (format!("targets[{index}]"), target));
    let objectives = scenario.search.iter().filter_map(|race| race.objective.target());
    reached.chain(objectives.map(|target| ("search.objective".to_owned(), target))).collect()
}

/// Findings about targets, once the arms are known: each must be measured, and not lie behind the end, in some arm.
pub(crate) fn targets(scenario: &Scenario, arms: &[&Scenario]) -> Vec<Finding> {
    let mut findings = Findings::default();
    for (place, target) in all_targets(scenario) {
        if needs_probes(target.column()) && arms.iter().all(|arm| arm.record.probe_every.is_none()) {
            let message = format!("no arm measures `{}` while it runs", target.column());
            findings.error(&place, message, "expected `record.probe_every` not to be `None` in some arm");
        }
        let Target::MeanFieldSq(value) = target else { continue };
        let first = |arm: &&Scenario| arm.stop.mean_field_sq.filter(|end| end > value && *value > 0.0);
        if let Some(end) = arms.iter().map(first).collect::<Option<Vec<_>>>().and_then(|ends| ends.first().copied()) {
            let message = format!("every arm ends before ‖h(Ŝ)‖² ≤ {value:e}, for example at ‖h(Ŝ)‖² ≤ {end:e}");
            findings.error(&place, message, "expected a larger target, or a smaller `stop.mean_field_sq`");
        }
    }
    findings.into_parts().0
}
