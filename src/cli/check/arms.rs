//! In what the arms of a scenario differ, as short as it can be said: each from the first, or from another one before
//! it that it has more in common with.

use fedbits_scenarios::arms::{ExpandedAxis, unquoted};
use fedbits_text::{Difference, Tree, differences};

use super::findings::Findings;
use crate::cli::table::{Cell, Quantity, Table, each_once};
use crate::scenario::{Arm, arm_name};

/// Arms whose settings are written out; the levels of more say what they are.
const WRITTEN_OUT: usize = 12;

/// The level of each arm on every axis; where there are no axes and few arms what each has where it differs. None of a
/// single arm.
pub(super) fn arms(findings: &Findings<'_>) -> Option<Table> {
    let has_axes = !findings.runs.checked.scenario.axes.is_empty();
    match findings.arms.len() {
        1 => None,
        _ if has_axes => Some(levels(findings)),
        many if many > WRITTEN_OUT => Some(levels(findings)),
        _ => Some(differing(&findings.arms)),
    }
}

fn levels(findings: &Findings<'_>) -> Table {
    let checked = &findings.runs.checked;
    let axes = &checked.axes;
    let table = axes.iter().fold(Table::default().text("arm"), |table, axis| {
        table.column(&format!("axis_{}", axis.name), &axis.name, Quantity::Text)
    });
    let searched = || axes.iter().filter(|axis| axis.is_point_set).flat_map(|axis| &axis.paths);
    let table = searched()
        .fold(table, |table, (path, _)| table.column(path, path.rsplit('.').next().unwrap_or(path), Quantity::Text));
    let mut table = table.text("role");
    for (number, arm) in checked.arms.iter().enumerate() {
        let mut row = vec![arm_name(arm).into()];
        let level = |(axis, level): (&ExpandedAxis, &usize)| {
            axis.labels.get(*level).map_or(Cell::Missing, |text| text.as_str().into())
        };
        row.extend(axes.iter().zip(&arm.levels).map(level));
        for (axis, level) in axes.iter().zip(&arm.levels).filter(|(axis, _)| axis.is_point_set) {
            let value = |(_, values): &(String, Vec<String>)| {
                values.get(*level).map(|text| Cell::from(unquoted(text).as_str()))
            };
            row.extend(axis.paths.iter().map(|path| value(path).unwrap_or(Cell::Missing)));
        }
        row.push(if number == checked.baseline { "baseline" } else { "" }.into());
        table.row(row);
    }
    table
}

fn differing(arms: &[Arm]) -> Table {
    let trees: Vec<(&str, Tree)> = arms.iter().map(|arm| (arm.name(), Tree::scan(arm.text()))).collect();
    let mut table = Table::default().text("arm").text("settings");
    for number in 0..trees.len() {
        table.row(vec![trees[number].0.into(), Cell::Text(settings(&trees, number))]);
    }
    table
}

/// The settings of an arm, as (path, value).
type Settings = Vec<(String, String)>;

/// Arms before an arm that it is compared with, beside the first.
const CANDIDATES: usize = 30;
/// Longer values are shortened to their name.
const LONG: usize = 60;

/// What an arm says of itself.
fn settings(trees: &[(&str, Tree)], number: usize) -> String {
    if number == 0 {
        return said(&of_first(trees));
    }
    let from_first = against(&trees[0].1, &trees[number].1);
    // What is written out needs no other arm to be compared with.
    if from_first.iter().all(|(_, value)| !is_shortened(value)) {
        return if from_first.is_empty() { "as the first".to_owned() } else { said(&from_first) };
    }
    let earlier = number.saturating_sub(CANDIDATES).max(1)..number;
    let before = earlier.map(|candidate| (trees[candidate].0, against(&trees[candidate].1, &trees[number].1)));
    let whole = before.filter(|(_, settings)| settings.iter().all(|(_, value)| !is_shortened(value)));
    match whole.min_by_key(|(_, settings)| said(settings).chars().count()) {
        Some((name, settings)) if settings.is_empty() => format!("as {name}"),
        Some((name, settings)) => format!("as {name}, but {}", said(&settings)),
        None => said(&from_first),
    }
}

fn of_first(trees: &[(&str, Tree)]) -> Settings {
    let all = trees[1..].iter().flat_map(|(_, tree)| differences(&trees[0].1, tree));
    let paths: Vec<String> = each_once(all.map(|found| found.path));
    let outer = paths.iter().filter(|path| !is_within(path, &paths));
    outer.map(|path| (path.clone(), shortened(trees[0].1.compact(path)))).collect()
}

/// What a text has where it differs from another.
fn against(base: &Tree, tree: &Tree) -> Settings {
    let found = differences(base, tree).into_iter();
    found.map(|Difference { path, values: [_, value] }| (path, shortened(value))).collect()
}

fn said(settings: &Settings) -> String {
    settings.iter().map(|(path, value)| format!("{path}: {value}")).collect::<Vec<_>>().join("; ")
}

/// Whether a value is a part of another one that differs.
fn is_within(path: &str, paths: &[String]) -> bool {
    let continues = |rest: &str| rest.starts_with(['.', '[']);
    paths.iter().any(|outer| path.strip_prefix(outer.as_str()).is_some_and(continues))
}

fn shortened(value: Option<String>) -> String {
    let Some(text) = value else { return "–".to_owned() };
    match text.split_once('(') {
        _ if text.chars().count() <= LONG => text,
        Some((name, _)) if !name.is_empty() => format!("{name}(…)"),
        _ => format!("{}…", text.chars().take(LONG).collect::<String>()),
    }
}

fn is_shortened(value: &str) -> bool {
    value.ends_with("…") || value.ends_with("(…)")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_arm_is_compared_with_the_one_that_it_is_nearest_to() {
        let long = "x".repeat(LONG);
        let texts = [
            ("first", "(rate: 1, algorithm: One(step: 1))".to_owned()),
            ("second", "(rate: 2, algorithm: One(step: 1))".to_owned()),
            ("third", format!("(rate: 1, algorithm: Two(name: \"{long}\", k: 1))")),
            ("fourth", format!("(rate: 1, algorithm: Two(name: \"{long}\", k: 2))")),
            ("fifth", format!("(rate: 1, algorithm: Two(name: \"{long}\", k: 2))")),
            ("sixth", format!("(rate: 1, algorithm: Two(name: \"{long}\", k: 3))")),
        ];
        let trees: Vec<(&str, Tree)> = texts.iter().map(|(name, text)| (*name, Tree::scan(text.as_str()))).collect();
        let all: Vec<String> = (0..trees.len()).map(|number| settings(&trees, number)).collect();
        assert_eq!(
            all,
            [
                "rate: 1; algorithm: One(step: 1)",
                "rate: 2",
                "algorithm: Two(…)",
                "as third, but algorithm.k: 2",
                "as fourth",
                "as third, but algorithm.k: 3",
            ]
        );
    }
}
