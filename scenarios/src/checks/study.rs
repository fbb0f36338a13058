//! What a study of the right shape can still get wrong: axes that do not fit together, names of levels that do not
//! exist, more arms than can be run, targets that no arm can measure. This file must not know positions, nor how arms
//! are made.

use std::collections::BTreeMap;

use fedbits_spec::{Finding, Findings};

use super::numbers::count;
use crate::schema::{Axis, Scenario, Study, Target};
use crate::study::{Combination, MAX_ARMS, MAX_REPLICATES, MAX_RUNS};

/// Findings about the study alone. When `axes`, `exclude` and `baseline` have none, the arms can be made.
pub(crate) fn study(study: &Study) -> Vec<Finding> {
    let mut findings = Findings::default();
    if study.name.trim().is_empty() {
        findings.error("name", "the name is empty", "expected a name for results and figures");
    }
    count(&mut findings, "replicates", study.replicates, 1, MAX_REPLICATES, "");
    study.set.keys().for_each(|path| own_path(&mut findings, &format!("set[\"{path}\"]"), path));
    axes(study, &mut findings);
    number_of_arms(study, &mut findings);
    let whole = findings.iter().all(|finding| !finding.path.starts_with("axes"));
    if named_levels(study, &mut findings) && whole {
        combinations(study, &mut findings);
    }
    targets(&study.targets, &mut findings);
    findings.into_vec()
}

/// What the study itself decides is no setting of an arm.
fn own_path(findings: &mut Findings, place: &str, path: &str) {
    let (why, instead) = match path.split(['.', '[']).next().unwrap_or("") {
        "replicate" => ("the study numbers the replicates itself", "expected `replicates: …` in the study"),
        "arms" => ("the axes of the study make the arms", "expected the path of another field"),
        "name" | "about" => ("it changes no result", "expected the path of a field that does"),
        _ => return,
    };
    findings.error(place, format!("`{path}` cannot be set by a study: {why}"), instead);
}

fn axes(study: &Study, findings: &mut Findings) {
    for (index, axis) in study.axes.iter().enumerate() {
        let place = format!("axes[{index}]");
        names_of(study, index, findings);
        match axis {
            Axis::Grid { path, values, labels, .. } => {
                own_path(findings, &format!("{place}.path"), path);
                if values.is_empty() {
                    findings.error(format!("{place}.values"), "the axis has no value", "expected at least one");
                } else if !labels.is_empty() {
                    fits(findings, &format!("{place}.labels"), "labels", labels.len(), values.len());
                }
            }
            Axis::Zip { labels, paths, .. } => {
                if labels.is_empty() {
                    findings.error(format!("{place}.labels"), "the axis has no level", "expected at least one");
                }
                if paths.is_empty() {
                    findings.error(format!("{place}.paths"), "the axis sets nothing", "expected at least one path");
                }
                for (path, values) in paths {
                    let place = format!("{place}.paths[\"{path}\"]");
                    own_path(findings, &place, path);
                    fits(findings, &place, &format!("values of `{path}`"), values.len(), labels.len());
                }
            }
        }
        set_twice(study, index, findings);
    }
}

fn fits(findings: &mut Findings, place: &str, what: &str, given: usize, levels: usize) {
    if given != levels {
        findings.error(place, format!("{given} {what}, but the axis has {levels} levels"), "expected one per level");
    }
}

/// The names of an axis and of its levels tell it, and them, apart.
fn names_of(study: &Study, index: usize, findings: &mut Findings) {
    let axis = &study.axes[index];
    let place = match axis {
        Axis::Grid { name: None, .. } => format!("axes[{index}].path"),
        _ => format!("axes[{index}].name"),
    };
    if axis.name().trim().is_empty() {
        findings.error(&place, "the name of the axis is empty", "expected a name for tables and figures");
    } else if study.axes[..index].iter().any(|other| other.name() == axis.name()) {
        let message = format!("another axis is named `{}` too", axis.name());
        findings.error(&place, message, "expected different names: give this one with `name: …`");
    }
    let field = if matches!(axis, Axis::Grid { labels, .. } if labels.is_empty()) { "values" } else { "labels" };
    for (level, label) in axis.labels().iter().enumerate() {
        let place = format!("axes[{index}].{field}[{level}]");
        if label.trim().is_empty() {
            findings.error(&place, "the name of the level is empty", "expected a name for tables and figures");
        } else if axis.labels()[..level].contains(label) {
            let message = format!("another level of the axis `{}` is `{label}` too", axis.name());
            findings.error(&place, message, "expected different levels: these would be the same arm twice");
        }
    }
}

/// A path is set in one place only: by `set`, by `budget`, or by one axis.
fn set_twice(study: &Study, index: usize, findings: &mut Findings) {
    for (path, _) in study.axes[index].paths() {
        let earlier = study.axes[..index].iter().find(|other| other.paths().any(|(other, _)| other == path));
        let by = match earlier {
            Some(axis) => format!("the axis `{}`", axis.name()),
            None if study.set.contains_key(path) => "`set`".to_owned(),
            None => continue,
        };
        let place = match &study.axes[index] {
            Axis::Grid { .. } => format!("axes[{index}].path"),
            Axis::Zip { .. } => format!("axes[{index}].paths[\"{path}\"]"),
        };
        let expected = "expected every path in one place only: several that move together are a `Zip`";
        findings.error(&place, format!("`{path}` is set by {by} too"), expected);
    }
}

fn number_of_arms(study: &Study, findings: &mut Findings) {
    let all: u128 = study.axes.iter().map(|axis| axis.labels().len() as u128).product();
    if all > u128::from(MAX_ARMS) {
        let sizes: Vec<String> = study.axes.iter().map(|axis| axis.labels().len().to_string()).collect();
        let found = format!("{} = {all} arms are too many", sizes.join(" × "));
        findings.error("axes", found, format!("expected at most {MAX_ARMS} combinations of levels"));
    } else if all * u128::from(study.replicates) > u128::from(MAX_RUNS) {
        let found = format!("{all} arms × {} replicates are too many runs", study.replicates);
        findings.error("replicates", found, format!("expected at most {MAX_RUNS} runs in all"));
    }
}

/// Whether `exclude` and `baseline` name axes and levels that exist.
fn named_levels(study: &Study, findings: &mut Findings) -> bool {
    let before = findings.iter().len();
    for (index, levels) in study.exclude.iter().enumerate() {
        let place = format!("exclude[{index}]");
        if levels.is_empty() {
            findings.error(&place, "this leaves every arm out", "expected the levels of one axis or of several");
        }
        level_names(study, &place, levels, findings);
    }
    level_names(study, "baseline", &study.baseline, findings);
    findings.iter().len() == before
}

/// What is left of the combinations, and the baseline among them.
fn combinations(study: &Study, findings: &mut Findings) {
    let combinations = Combination::all(study);
    if combinations.is_empty() {
        findings.error("exclude", "every combination is left out", "expected at least one arm that is not");
    } else {
        baseline(study, &combinations, findings);
    }
}

fn level_names(study: &Study, place: &str, levels: &BTreeMap<String, String>, findings: &mut Findings) {
    let axes: Vec<&str> = study.axes.iter().map(Axis::name).collect();
    for (name, level) in levels {
        let place = format!("{place}[\"{name}\"]");
        let Some(axis) = study.axes.iter().find(|axis| axis.name() == name) else {
            findings.error(&place, format!("there is no axis `{name}`{}", meant(name, &axes)), known("axes", &axes));
            continue;
        };
        let labels: Vec<&str> = axis.labels().iter().map(String::as_str).collect();
        if !labels.contains(&level.as_str()) {
            let message = format!("the axis `{name}` has no level `{level}`{}", meant(level, &labels));
            findings.error(&place, message, known("levels", &labels));
        }
    }
}

fn meant(name: &str, known: &[&str]) -> String {
    let nearest = fedbits_text::nearest(name, known.iter().copied());
    nearest.map_or_else(String::new, |name| format!(": did you mean `{name}`?"))
}

fn known(what: &str, names: &[&str]) -> String {
    if names.is_empty() { format!("there are no {what}") } else { format!("expected {}", fedbits_text::one_of(names)) }
}

fn baseline(study: &Study, combinations: &[Combination], findings: &mut Findings) {
    let missing = study.axes.iter().find(|axis| !study.baseline.contains_key(axis.name()));
    let expected = "expected the level of every axis, as in `baseline: {\"axis\": \"level\"}`";
    if let (false, Some(axis)) = (study.baseline.is_empty(), missing) {
        findings.error("baseline", format!("the baseline has no level of the axis `{}`", axis.name()), expected);
    } else if !combinations.contains(&Combination::baseline(study)) {
        let (place, which) =
            if study.baseline.is_empty() { ("exclude", "the first of all, ") } else { ("baseline", "") };
        findings.error(
            place,
            format!("the baseline ({which}`{}`) is left out", Combination::baseline(study).name(study)),
            expected,
        );
    }
}

fn targets(targets: &[Target], findings: &mut Findings) {
    for (index, target) in targets.iter().enumerate() {
        let place = match target {
            Target::Column { at_most: Some(_), at_least: Some(_), .. }
            | Target::Column { at_most: None, at_least: None, .. } => {
                let expected = "expected either `at_most` or `at_least`";
                findings.error(format!("targets[{index}]"), "a target has one bound", expected);
                continue;
            }
            Target::Column { at_most: Some(_), .. } => format!("targets[{index}].at_most"),
            Target::Column { .. } => format!("targets[{index}].at_least"),
            _ => format!("targets[{index}][0]"),
        };
        let value = target.bound().value();
        let reachable = match target {
            Target::MeanFieldSq(value) => *value > 0.0,
            Target::Accuracy(value) => *value > 0.0 && *value <= 1.0,
            _ => true,
        };
        if !value.is_finite() || !reachable {
            let expected = "expected a finite number, above 0 for a square, in (0, 1] for an accuracy";
            findings.error(&place, format!("the target {value} cannot be reached"), expected);
        }
        let same = |other: &Target| (other.column(), other.bound()) == (target.column(), target.bound());
        if targets[..index].iter().any(same) {
            findings.error(format!("targets[{index}]"), "this target is given twice", "the second one");
        }
    }
}

/// Findings about targets, once the arms are known: each must be measured, and not lie behind the end, in some arm.
pub(crate) fn measured(study: &Study, arms: &[&Scenario]) -> Vec<Finding> {
    let mut findings = Findings::default();
    let probed = ["mean_field_sq", "objective", "parameter_error_sq", "accuracy", "held_out_log_likelihood"];
    for (index, target) in study.targets.iter().enumerate() {
        let place = format!("targets[{index}]");
        let needs_probes = probed.contains(&target.column());
        if needs_probes && arms.iter().all(|arm| arm.record.probe_every.is_none()) {
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
