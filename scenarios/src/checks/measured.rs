//! Quantities that figures show and no run will measure, as far as that is known before a run: what a scenario can
//! write into `rounds.csv`. This file must not know positions.

use fedbits_figures::{
    Complexity, Curves, Figure, FigureKind, Forest, GAP, Goal, PARAMETER, Panels, ParticipationFigure, ReachFigure,
    ShownArm, TradeOff,
};
use fedbits_models::data::DataKind;
use fedbits_record::{
    CLIENT_COLUMNS, ENERGY, EPSILON, HELD_OUT_COLUMNS, MEASURED_COLUMNS, PARAMETER_ERROR, QUALITY_COLUMNS,
    QUALITY_OF_CLIENTS, is_spent, no_target,
};
use fedbits_spec::{Finding, Findings, Path};

use super::figures::one_of;
use crate::schema::Scenario;

/// In messages.
const ARM: &str = "arm of the figure";
/// What figures of curves can show of every run.
const CURVES: [&str; 4] = ["mean_field_sq", "field_sq", "objective", GAP];

/// An arm: its name, and what is run.
pub(crate) type NamedArm<'a> = (&'a str, &'a Scenario);

/// Adds what figures show and no arm of theirs measures; runs `of_study` leave no table of clients unasked.
pub(super) fn check(figures: &[Figure], arms: &[NamedArm<'_>], of_study: bool, findings: &mut Findings) {
    for (index, figure) in figures.iter().enumerate() {
        let at = Path::Root.field("figures");
        let (at, named) = (at.index(index), shown(&figure.arms, arms));
        let arms: Vec<&Scenario> = named.iter().map(|(_, scenario)| *scenario).collect();
        let at = at.field("kind");
        match &figure.kind {
            FigureKind::Curves(curves) => {
                quantities(&curves.y, &arms, &at.field("y"), findings);
                of_panels(curves, &named, &at.field("panels").index(0), findings);
            }
            FigureKind::Complexity(Complexity { column: Some(column), .. }) => {
                recorded(column, &arms, &at.field("column"), findings);
            }
            FigureKind::Forest(Forest { target: Some(goal), .. })
            | FigureKind::Reach(ReachFigure { target: Some(goal), .. })
            | FigureKind::TradeOff(TradeOff { target: Some(goal), .. }) => target(goal, &arms, &at, findings),
            FigureKind::Participation(own) => participation(own, &arms, (&at, of_study), findings),
            FigureKind::Named(name) if name == "participation" => {
                participation(&ParticipationFigure::default(), &arms, (&at, of_study), findings);
            }
            FigureKind::Named(name) => written(name, &arms, &at, findings),
            _ => {}
        }
    }
}

/// Some arm writes the file that a figure by its name is made of.
fn written(name: &str, arms: &[&Scenario], at: &Path<'_>, findings: &mut Findings) {
    let (what, is_written, wanted): (_, fn(&Scenario) -> bool, _) = match name {
        "link_times" => ("how busy links were", |arm| arm.record.links_every.is_some(), "links_every: 1"),
        "weights" => ("θ", |arm| arm.record.theta, "theta: true"),
        _ => return,
    };
    if !arms.iter().any(|arm| is_written(arm)) {
        let message = format!("no {ARM} records {what}, so `{name}` is not drawn");
        findings.error(at, message, format!("expected `record: ({wanted})` in the scenario"));
    }
}

/// Some arm leaves a table of its clients, with the columns that the figure shows.
fn participation(
    own: &ParticipationFigure,
    arms: &[&Scenario],
    (at, of_study): (&Path<'_>, bool),
    findings: &mut Findings,
) {
    let is_unasked = |arm: &Scenario| of_study && arm.record.clients.is_none();
    let leaves = |arm: &&&Scenario| !is_unasked(arm) && arm.asks_for_clients(arm.clients.unwrap_or_default());
    let arms: Vec<&Scenario> = arms.iter().filter(leaves).copied().collect();
    if arms.is_empty() {
        let message = format!("no {ARM} leaves `clients.csv`, of which `participation` is drawn");
        return findings.error(at, message, "expected `record: (clients: true)` in a scenario with clients");
    }
    let [objective, accuracy] = QUALITY_OF_CLIENTS;
    let mut known = CLIENT_COLUMNS.to_vec();
    known.extend(arms.iter().any(|arm| arm.record.quality).then_some(objective));
    known.extend(arms.iter().any(|arm| compares_with_labels(arm)).then_some(accuracy));
    for (number, name) in own.y.iter().enumerate().filter(|(_, name)| !known.contains(&name.as_str())) {
        let message = format!("no {ARM} measures `{name}` of its clients{}", needed(name));
        findings.error(at.field("y").index(number), message, one_of(&known, name));
    }
}

/// Findings about figures of a scenario with these arms.
pub(crate) fn measured_by(figures: &[Figure], arms: &[NamedArm<'_>]) -> Vec<Finding> {
    let mut findings = Findings::default();
    check(figures, arms, false, &mut findings);
    findings.into_vec()
}

/// The arms that a figure or a panel shows.
fn shown<'a>(chosen: &[ShownArm], arms: &[NamedArm<'a>]) -> Vec<NamedArm<'a>> {
    let is_shown = |name: &str| chosen.is_empty() || chosen.iter().any(|own| own.holds(name));
    arms.iter().filter(|(name, _)| is_shown(name)).copied().collect()
}

fn target(goal: &Goal, arms: &[&Scenario], at: &Path<'_>, findings: &mut Findings) {
    recorded(&goal.column, arms, &at.field("target").field("column"), findings);
}

/// Panels that have quantities of their own.
fn of_panels(curves: &Curves, arms: &[NamedArm<'_>], at: &Path<'_>, findings: &mut Findings) {
    let Panels::Split(panels) = &curves.panels else { return };
    for (number, panel) in panels.iter().enumerate() {
        let own: Vec<&Scenario> = shown(&panel.arms, arms).into_iter().map(|(_, scenario)| scenario).collect();
        quantities(&panel.y, &own, &at.index(number).field("y"), findings);
    }
}

fn quantities(names: &[String], arms: &[&Scenario], at: &Path<'_>, findings: &mut Findings) {
    for (number, name) in names.iter().enumerate() {
        let at = at.index(number);
        if name.starts_with(PARAMETER) {
            if arms.iter().all(|arm| !arm.record.theta) {
                let message = format!("no {ARM} records θ, so `{name}` is not measured");
                findings.error(at, message, "expected `record: (theta: true)` in the scenario");
            }
        } else {
            one_measures(name, &CURVES, arms, &at, findings);
        }
    }
}

/// A column that some arm measures; what it spends is no target.
fn recorded(name: &str, arms: &[&Scenario], at: &Path<'_>, findings: &mut Findings) {
    match no_target(name) {
        Some(found) => findings.error(at, found, one_of(&MEASURED_COLUMNS, name)),
        None => one_measures(name, &MEASURED_COLUMNS, arms, at, findings),
    }
}

/// Some arm measures this: it is one that all have, or one of its own.
fn one_measures(name: &str, all: &[&'static str], arms: &[&Scenario], at: &Path<'_>, findings: &mut Findings) {
    if all.contains(&name) {
        return;
    }
    // Only a run tells what other protocols write.
    let Some(own) = arms.iter().map(|arm| columns(arm)).collect::<Option<Vec<_>>>() else { return };
    let mut known: Vec<&str> = own.into_iter().flatten().chain(all.iter().copied()).collect();
    if known.contains(&name) {
        return;
    }
    known.sort_unstable();
    known.dedup();
    findings.error(at, format!("no {ARM} measures `{name}`{}", needed(name)), one_of(&known, name));
}

/// What a scenario must say for a column that it can have.
fn needed(name: &str) -> &'static str {
    let [held_out, held_out_accuracy, ..] = HELD_OUT_COLUMNS;
    match name {
        ENERGY => ", which needs `energy: (…)`",
        EPSILON => ", which needs `privacy: Gaussian(…)`",
        _ if name == held_out => ", which needs `holdout: Rows(…)`, or `held_out` of `Counts` and `Visits`",
        _ if name == held_out_accuracy => {
            ", which needs a model with components, data with labels and `holdout: Rows(…)`"
        }
        _ if HELD_OUT_COLUMNS.contains(&name) => {
            ", which needs data of subjects and `holdout: Rows(…)` (`held_out_rmse`: or `held_out` of `Counts` and \
             `Visits`)"
        }
        _ if is_spent(name) => ": what a run spends stands to the right (`x`)",
        _ if QUALITY_COLUMNS.contains(&name) => {
            ", which needs a model with components, data with labels and `record: (quality: true)`"
        }
        _ => "",
    }
}

/// Do probes compare components with labels?
pub(super) fn compares_with_labels(scenario: &Scenario) -> bool {
    scenario.record.quality && has_labels(scenario)
}

/// Are there components, and labels to compare them with?
fn has_labels(scenario: &Scenario) -> bool {
    scenario.data.is_labelled() && scenario.model.has_clusters()
}

/// Is it a column that only probes fill in?
pub(super) fn needs_probes(name: &str) -> bool {
    let common = ["mean_field_sq", "objective", PARAMETER_ERROR];
    common.into_iter().chain(QUALITY_COLUMNS).chain(HELD_OUT_COLUMNS).any(|own| own == name)
}

/// The columns that runs of a scenario can add to `rounds.csv`; none where only a run tells.
pub(crate) fn columns(scenario: &Scenario) -> Option<Vec<&'static str>> {
    let mut columns = vec![PARAMETER_ERROR];
    if compares_with_labels(scenario) {
        columns.extend(QUALITY_COLUMNS);
    }
    if scenario.holds_out() {
        let [log_likelihood, accuracy, of_subjects @ ..] = HELD_OUT_COLUMNS;
        columns.push(log_likelihood);
        match scenario.data.kind() {
            DataKind::Examples => columns.extend(has_labels(scenario).then_some(accuracy)),
            DataKind::Counts => columns.extend(&of_subjects[2..]),
            _ => columns.extend(of_subjects),
        }
    }
    columns.extend(scenario.protocol.columns()?);
    columns.extend(scenario.energy.is_some().then_some(ENERGY));
    columns.extend(scenario.privacy.is_some().then_some(EPSILON));
    Some(columns)
}
