//! What a study of the right shape can still get wrong: axes that do not fit together, names of levels that do not
//! exist, more arms than can be run, targets that no arm can measure. This file must not know positions, nor how arms
//! are made.

use std::collections::{BTreeMap, BTreeSet};

use fedbits_spec::{Described, Facts, Finding, Findings, Path, so_many, visible};

use super::figures::Known;
use super::measured::{NamedArm, needs_probes};
use super::numbers::count;
use super::parts::{own_path, target, varied_path};
use super::search::is_within;
use crate::schema::{Arm, Axis, Scenario, Search, Study, Target, Values};
use crate::study::{ABSENT, Combination, MAX_ARMS, MAX_DIMENSIONS, MAX_REPLICATES, MAX_RUNS, StudyAxis, known, meant};

/// Findings about the study alone. When `axes` have none, they can be expanded.
pub(crate) fn study(study: &Study) -> Findings {
    let mut findings = Findings::default();
    if study.name.trim().is_empty() {
        findings.error("name", "the name is empty", "expected a name for results and figures");
    }
    if visible(&study.name) != study.name {
        findings.error("name", "the name has a control character", "expected a name for results and figures");
    }
    count(&mut findings, "replicates", study.replicates, 1, MAX_REPLICATES, "");
    study.set.keys().for_each(|path| own_path(&mut findings, &format!("set[\"{path}\"]"), path));
    axes(study, &mut findings);
    targets(&study.targets, &mut findings);
    super::search::search(study, &mut findings);
    findings
}

/// Findings about the levels of the axes. When `axes`, `exclude` and `baseline` have none, the arms can be made.
pub(crate) fn levels(study: &Study, axes: &[StudyAxis], findings: &mut Findings) {
    (0..axes.len()).for_each(|index| names_of(study, axes, index, findings));
    number_of_arms(study, axes, findings);
    let whole = findings.iter().all(|finding| !finding.path.starts_with("axes"));
    if named_levels(study, axes, findings) && whole {
        combinations(study, axes, findings);
    }
}

/// Findings about the figures, once the names of the arms are known.
pub(crate) fn figures(study: &Study, arms: &[NamedArm<'_>]) -> Vec<Finding> {
    let mut findings = Findings::default();
    let (names, axes) = (arms.iter().map(|(name, _)| *name).collect(), study.axes.iter().map(Axis::name).collect());
    super::figures::check(&study.figures, &Known { arms: names, axes }, &mut findings);
    findings.into_vec().into_iter().chain(super::measured::measured_by(&study.figures, arms, true)).collect()
}

fn axes(study: &Study, findings: &mut Findings) {
    for (index, axis) in study.axes.iter().enumerate() {
        let place = format!("axes[{index}]");
        let place = Path::Root.field(&place);
        axis_name(study, index, findings);
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
                    fits(
                        findings,
                        &place,
                        &format!("value of `{path}`|values of `{path}`"),
                        values.len(),
                        labels.len(),
                    );
                }
            }
            Axis::Cases { levels, .. } => cases(levels, &place, findings),
            Axis::Random(own) | Axis::Sobol(own) | Axis::LatinHypercube(own) => search(own, axis, &place, findings),
        }
        if axis.paths().is_empty() && !matches!(axis, Axis::Cases { .. }) {
            findings.error(place.field("paths"), "the axis sets nothing", "expected at least one path");
        }
        set_twice(study, index, findings);
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

fn search(search: &Search, axis: &Axis, place: &Path<'_>, findings: &mut Findings) {
    count(findings, &place.field("points").to_string(), search.points, 1, u64::from(MAX_ARMS), "");
    if matches!(axis, Axis::Sobol(_)) && search.paths.len() > MAX_DIMENSIONS {
        let found = format!("{} paths are too many for a Sobol sequence", search.paths.len());
        findings.error(place.field("paths"), found, format!("expected at most {MAX_DIMENSIONS}, or `LatinHypercube`"));
    }
    for (path, law) in &search.paths {
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
fn axis_name(study: &Study, index: usize, findings: &mut Findings) {
    let axis = &study.axes[index];
    let place = match axis {
        Axis::Grid { name: None, .. } => format!("axes[{index}].path"),
        _ => format!("axes[{index}].name"),
    };
    if axis.name().trim().is_empty() {
        findings.error(&place, "the name of the axis is empty", "expected a name for tables and figures");
    } else if visible(axis.name()) != axis.name() {
        findings.error(
            &place,
            "the name of the axis has a control character",
            "expected a name for tables and figures",
        );
    } else if study.axes[..index].iter().any(|other| other.name() == axis.name()) {
        let message = format!("another axis is named `{}` too", axis.name());
        findings.error(&place, message, "expected different names: give this one with `name: …`");
    }
}

/// The names of levels tell them apart.
fn names_of(study: &Study, axes: &[StudyAxis], index: usize, findings: &mut Findings) {
    let axis = &axes[index];
    let field = match &study.axes[index] {
        Axis::Grid { labels, .. } if labels.is_empty() => "values",
        Axis::Cases { .. } => "levels",
        _ => "labels",
    };
    let listed = field != "values" || matches!(&study.axes[index], Axis::Grid { values: Values::List(_), .. });
    let mut known = BTreeSet::new();
    for (level, label) in axis.labels.iter().enumerate() {
        let place = if listed { format!("axes[{index}].{field}[{level}]") } else { format!("axes[{index}].{field}") };
        if label.trim().is_empty() {
            findings.error(&place, "the name of the level is empty", "expected a name for tables and figures");
        } else if label == ABSENT && axis.is_conditional {
            let found = format!("`{ABSENT}` stands for arms without the axis");
            findings.error(&place, found, "expected another name of the level");
        } else if !known.insert(label) {
            let message = format!("another level of the axis `{}` is `{label}` too", axis.name);
            findings.error(&place, message, "expected different levels: these would be the same arm twice");
        }
    }
}

/// A path is set in one place only: by `set`, by `budget`, or by one axis; and nothing around it by a later one, which
/// would replace it.
fn set_twice(study: &Study, index: usize, findings: &mut Findings) {
    for path in study.axes[index].paths() {
        let replaces = |inner: &str| is_within(inner, path);
        let earlier = study.axes[..index].iter().find(|other| other.paths().iter().any(|own| replaces(own)));
        let by = match earlier {
            Some(axis) => format!("the axis `{}`", axis.name()),
            None if study.set.keys().any(|own| replaces(own)) => "`set`".to_owned(),
            None => continue,
        };
        let place = match &study.axes[index] {
            Axis::Grid { .. } => format!("axes[{index}].path"),
            Axis::Cases { levels, .. } => {
                let level = levels.iter().position(|level| level.set.contains_key(path)).unwrap_or(0);
                format!("axes[{index}].levels[{level}].set[\"{path}\"]")
            }
            _ => format!("axes[{index}].paths[\"{path}\"]"),
        };
        let expected = "expected every path in one place only: several that move together are a `Zip`";
        findings.error(&place, format!("`{path}` is set by {by} too"), expected);
    }
}

fn number_of_arms(study: &Study, axes: &[StudyAxis], findings: &mut Findings) {
    let count = |axis: &Axis| u128::from(axis.count());
    let all = study.axes.iter().fold(1_u128, |all, axis| all.saturating_mul(count(axis)));
    // Axes that exist in some arms only make fewer.
    let conditional = axes.iter().any(|axis| axis.is_conditional);
    let arms = match Combination::all(study, axes, MAX_ARMS as usize) {
        _ if !conditional => all,
        Some(combinations) => combinations.len() as u128,
        None => u128::from(MAX_ARMS) + 1,
    };
    if arms > u128::from(MAX_ARMS) {
        let sizes: Vec<String> = study.axes.iter().map(|axis| axis.count().to_string()).collect();
        let found = match conditional {
            true => format!("the axes make more than {MAX_ARMS} arms"),
            false => format!("{} = {all} arms are too many", sizes.join(" × ")),
        };
        findings.error("axes", found, format!("expected at most {MAX_ARMS} combinations of levels"));
    } else if arms * u128::from(study.replicates) > u128::from(MAX_RUNS) {
        let found = format!("{} × {} replicates are too many runs", so_many(arms, "arm"), study.replicates);
        findings.error("replicates", found, format!("expected at most {MAX_RUNS} runs in all"));
    }
}

/// Whether `exclude` and `baseline` name axes and levels that exist.
fn named_levels(study: &Study, axes: &[StudyAxis], findings: &mut Findings) -> bool {
    let before = findings.iter().len();
    for (index, levels) in study.exclude.iter().enumerate() {
        let place = format!("exclude[{index}]");
        if levels.is_empty() {
            findings.error(&place, "this leaves every arm out", "expected the levels of one axis or of several");
        }
        level_names(axes, &place, levels, findings);
    }
    level_names(axes, "baseline", &study.baseline, findings);
    findings.iter().len() == before
}

/// What is left of the combinations, and the baseline among them.
fn combinations(study: &Study, axes: &[StudyAxis], findings: &mut Findings) {
    let combinations = Combination::all(study, axes, MAX_ARMS as usize).unwrap_or_default();
    if combinations.is_empty() {
        findings.error("exclude", "every combination is left out", "expected at least one arm that is not");
        return;
    }
    for (index, axis) in axes.iter().enumerate() {
        if combinations.iter().all(|combination| combination.0[index] == axis.labels.len()) {
            let found = format!("the axis `{}` exists in no arm", axis.name);
            findings.error(format!("axes[{index}].when"), found, "expected levels that some arm has together");
        }
    }
    baseline(study, axes, &combinations, findings);
}

fn level_names(axes: &[StudyAxis], place: &str, levels: &BTreeMap<String, String>, findings: &mut Findings) {
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

fn baseline(study: &Study, axes: &[StudyAxis], combinations: &[Combination], findings: &mut Findings) {
    let baseline = Combination::baseline(study, axes);
    let there = |number: usize| baseline.0[number] != axes[number].labels.len();
    let named = |number: usize| study.baseline.contains_key(&axes[number].name);
    let missing = (0..axes.len()).find(|&number| there(number) && !named(number));
    let without = (0..axes.len()).find(|&number| !there(number) && named(number));
    let expected = "expected the level of every axis, as in `baseline: {\"axis\": \"level\"}`";
    if let (false, Some(number)) = (study.baseline.is_empty(), missing) {
        findings.error("baseline", format!("the baseline has no level of the axis `{}`", axes[number].name), expected);
    } else if let Some(number) = without {
        let name = &axes[number].name;
        let found = format!("the baseline is an arm in which the axis `{name}` does not exist");
        findings.error(format!("baseline[\"{name}\"]"), found, "expected levels of axes that it has");
    } else if !combinations.contains(&baseline) {
        let (place, which) =
            if study.baseline.is_empty() { ("exclude", "the first of all, ") } else { ("baseline", "") };
        findings.error(place, format!("the baseline ({which}`{}`) is left out", baseline.name(study, axes)), expected);
    }
}

fn targets(targets: &[Target], findings: &mut Findings) {
    for (index, own) in targets.iter().enumerate() {
        target(own, &format!("targets[{index}]"), findings);
        let same = |other: &Target| (other.column(), other.bound()) == (own.column(), own.bound());
        if targets[..index].iter().any(same) {
            findings.error(format!("targets[{index}]"), "this target is given twice", "the second one");
        }
    }
}

/// The targets of a study and of its search, with their places.
fn all_targets(study: &Study) -> Vec<(String, &Target)> {
    let own = study.targets.iter().enumerate().map(|(index, target)| (format!("targets[{index}]"), target));
    let objective = study.search.iter().filter_map(|race| race.objective.target());
    own.chain(objective.map(|target| ("search.objective".to_owned(), target))).collect()
}

/// Findings about targets, once the arms are known: each must be measured, and not lie behind the end, in some arm.
pub(crate) fn measured(study: &Study, arms: &[&Scenario]) -> Vec<Finding> {
    let mut findings = Findings::default();
    for (place, target) in all_targets(study) {
        if needs_probes(target.column()) && arms.iter().all(|arm| arm.record.probe_every.is_none()) {
            let message = format!("no arm measures `{}` while it runs", target.column());
            findings.error(&place, message, "expected `record.probe_every` not to be `None` in some arm");
        }
        let Target::MeanFieldSq(value) = target else { continue };
        let first = |arm: &&Scenario| arm.stop.mean_field_sq.filter(|end| end > value);
        if let Some(end) = arms.iter().map(first).collect::<Option<Vec<_>>>().and_then(|ends| ends.first().copied()) {
            let message = format!("every arm ends before ‖h(Ŝ)‖² ≤ {value:e}, for example at ‖h(Ŝ)‖² ≤ {end:e}");
            findings.error(&place, message, "expected a target that `stop.mean_field_sq` does not forestall");
        }
    }
    findings.into_vec()
}
