//! Quantities that figures show and no run will measure, as far as that is known before a run: what a scenario can
//! write into `rounds.csv`. This file must not know positions.

use fedbits_figures::{
    Curves, Figure, FigureKind, GAP, PARAMETER, PER_ROUND, Panels, ParticipationFigure, ShownArm, TradeOff, XAxis,
};
use fedbits_models::data::DataKind;
use fedbits_protocols::over::Over;
use fedbits_record::{
    BYZANTINE_COLUMNS, CLIENT_COLUMNS, ENERGY, EPSILON, GRADIENT_SQ, HELD_OUT_COLUMNS, MEASURED_COLUMNS, OCCUPIED,
    PARAMETER_ERROR, QUALITY_COLUMNS, QUALITY_OF_CLIENTS, WORST_TENTH, is_spent, no_target,
};
use fedbits_spec::{Caveat, Finding, Findings, Path, so_many};
use fedbits_text::first_few;

use super::figures::one_of;
use crate::schema::{Scenario, Shape, Target};

/// So many arms without a quantity are named.
const NAMED: usize = 6;
/// In messages.
const ARM: &str = "arm of the figure";
/// What figures of curves can show of every run.
const CURVES: [&str; 4] = ["mean_field_sq", "field_sq", "objective", GAP];

/// An arm: its name, and what is run.
pub(crate) type NamedArm<'a> = (&'a str, &'a Scenario);

/// The arms that a figure or a panel shows, and all that are run with them.
#[derive(Clone, Copy)]
struct Arms<'a> {
    /// The name of the figure.
    figure: &'a str,
    shown: &'a [NamedArm<'a>],
    all: &'a [NamedArm<'a>],
}

impl Arms<'_> {
    /// An error where no arm `has` what the figure shows, else a caveat about those that have not.
    fn some(&self, has: impl Fn(&Scenario) -> bool, error: Finding, findings: &mut Findings) {
        let without: Vec<&str> =
            self.shown.iter().filter(|(_, scenario)| !has(scenario)).map(|(name, _)| *name).collect();
        if without.len() == self.shown.len() {
            return findings.error(error.path, error.message, error.expected);
        }
        if !without.is_empty() {
            let what = error.message.trim_start_matches(&format!("no {ARM} "));
            let (figure, what) = (self.figure.to_owned(), what.to_owned());
            findings.caveat(Caveat::FigureForSomeArms { figure, what, arms: first_few(&without, NAMED) });
        }
    }

    /// Does this arm, or another one that solves the same problem, end with a reference of the objective?
    fn has_gap(&self, arm: &Scenario) -> bool {
        let problem = |scenario: &Scenario| {
            let Scenario { data, preprocess, holdout, seed, .. } = scenario;
            fedbits_text::write(&(data, preprocess, holdout, seed)) + &scenario.objective_text()
        };
        let is_exact = |scenario: &Scenario| {
            let over = scenario.protocol.over();
            !over.is_by_feature() && !matches!(over, Over::Counts(_)) && !scenario.protocol.profile().is_personalized
        };
        is_exact(arm) || self.all.iter().any(|(_, peer)| is_exact(peer) && problem(peer) == problem(arm))
    }

    /// Can this arm have the quantity, one that most runs have?
    fn may_have(&self, arm: &Scenario, name: &str) -> bool {
        let over = arm.protocol.over();
        let is_written = match name {
            // Of the step of a server, or of an algorithm in one place.
            "field_sq" => over.has_rounds(),
            "mean_field_sq" => !matches!(over, Over::Table(_)) && measures_field(arm),
            GAP => self.has_gap(arm),
            _ => true,
        };
        is_written && (arm.record.probe_every.is_some() || name != GAP && !needs_probes(name))
    }
}

/// What figures show and arms of theirs do not measure: an error where none does, else a caveat. It is no caveat of a
/// run, whose record does not know the other arms.
pub(crate) fn measured_by(figures: &[Figure], all: &[NamedArm<'_>]) -> Findings {
    let mut findings = Findings::default();
    for (index, figure) in figures.iter().enumerate() {
        one_figure(index, figure, all, &mut findings);
    }
    findings
}

fn one_figure(index: usize, figure: &Figure, all: &[NamedArm<'_>], findings: &mut Findings) {
    let at = Path::Root.field("figures");
    let (at, named) = (at.index(index), shown(&figure.arms, all));
    let arms = Arms { figure: &figure.name, shown: &named, all };
    let at = at.field("kind");
    match &figure.kind {
        FigureKind::Curves(curves) => {
            quantities(&curves.y, arms, &at.field("y"), findings);
            of_panels(curves, arms, &at.field("panels").index(0), findings);
            axes(&curves.x, arms, &at.field("x"), findings);
        }
        FigureKind::Participation(figure) => participation(figure, &scenarios(arms), &at, findings),
        FigureKind::Named(name) if name == "participation" => {
            participation(&ParticipationFigure::default(), &scenarios(arms), &at, findings);
        }
        kind => {
            if let FigureKind::TradeOff(TradeOff { ends, .. }) = kind {
                let measured: Vec<String> = ends.iter().filter(|name| *name != PER_ROUND).cloned().collect();
                quantities(&measured, arms, &at.field("ends"), findings);
            }
            kind.target().into_iter().for_each(|goal| target(goal, arms, &at, findings));
            written(kind.name(), arms, &at, findings);
        }
    }
}

fn scenarios<'a>(arms: Arms<'a>) -> Vec<&'a Scenario> {
    arms.shown.iter().map(|(_, scenario)| *scenario).collect()
}

/// Whether a scenario has what a kind of figures is drawn of.
type Holds = fn(&Scenario) -> bool;

/// What figures of a kind show, who has it, and what else is expected; of kinds that every arm can fill nothing.
fn needs(kind: &str) -> Option<(&'static str, Holds, &'static str)> {
    Some(match kind {
        "weights" | "parameters" => {
            ("records θ", |arm| arm.record.theta, "expected `record: (theta: true)` in the scenario")
        }
        "topology" | "links" => (
            "has links between sites",
            |arm| arm.network.shape != Shape::Star,
            "expected `network: (shape: Graph(…), …)`",
        ),
        "trend" => (
            "imputes counts",
            |arm| matches!(arm.protocol.over(), Over::Counts(_)),
            "expected counts and `protocol: FedMissEm(…)`",
        ),
        "mixture" => {
            ("fits components", |arm| arm.model.facts().components.is_some(), "expected a model with components")
        }
        "ledger" => (
            "sends anything",
            |arm| !arm.protocol.profile().is_centralized,
            "expected a protocol with clients or agents",
        ),
        "held_out" => ("holds anything out", Scenario::holds_out, "expected `holdout: Rows(…)`, or data that hold out"),
        _ => return None,
    })
}

/// Some arm writes the file that a kind of figures is made of, and there are as many arms as it compares.
fn written(kind: &str, arms: Arms<'_>, at: &Path<'_>, findings: &mut Findings) {
    let fewest = match kind {
        "forest" | "objective_gap" => 2,
        "pareto" => 3,
        _ => 0,
    };
    if arms.shown.len() < fewest {
        let found = format!("`{kind}` compares arms, and has {}", so_many(arms.shown.len(), "arm"));
        return findings.error(at, found, format!("expected {fewest} or more"));
    }
    if kind == "objective_gap" {
        return one_measures(GAP, &CURVES, arms, at, findings);
    }
    if let Some((what, holds, expected)) = needs(kind) {
        let error = Finding::error(at, format!("no {ARM} {what}, so `{kind}` is not drawn"), expected);
        arms.some(holds, error, findings);
    }
}

/// Some arm spends what stands to the right.
fn axes(axes: &[XAxis], arms: Arms<'_>, at: &Path<'_>, findings: &mut Findings) {
    for (number, axis) in axes.iter().enumerate() {
        let (what, has, expected): (_, Holds, _) = match axis {
            XAxis::Energy => ("uses energy", |arm| arm.energy.is_some(), "expected `energy: (…)` in the scenario"),
            XAxis::Epsilon => (
                "has differential privacy",
                |arm| arm.privacy.is_some(),
                "expected `privacy: Gaussian(…)` in the scenario",
            ),
            XAxis::BitsUp | XAxis::BitsTotal => (
                "sends anything",
                |arm| !arm.protocol.profile().is_centralized,
                "expected an axis of which the arms spend something",
            ),
            XAxis::Rounds | XAxis::Epochs | XAxis::Time => continue,
        };
        if !arms.shown.iter().any(|(_, scenario)| has(scenario)) {
            findings.error(at.index(number), format!("no {ARM} {what}"), expected);
        }
    }
}

/// Some arm leaves a table of its clients, with the columns that the figure shows.
fn participation(figure: &ParticipationFigure, arms: &[&Scenario], at: &Path<'_>, findings: &mut Findings) {
    let leaves = |arm: &&&Scenario| arm.asks_for_clients(arm.clients.unwrap_or_default());
    let arms: Vec<&Scenario> = arms.iter().filter(leaves).copied().collect();
    if arms.is_empty() {
        let message = format!("no {ARM} leaves `clients.csv`, of which `participation` is drawn");
        return findings.error(at, message, "expected `record: (clients: true)` in a scenario with clients");
    }
    let [objective, accuracy] = QUALITY_OF_CLIENTS;
    let mut known = CLIENT_COLUMNS.to_vec();
    known.extend(arms.iter().any(|arm| arm.record.quality).then_some(objective));
    let has_accuracy = |arm: &&Scenario| compares_with_labels(arm) || arm.record.quality && predicts_labels(arm);
    known.extend(arms.iter().any(has_accuracy).then_some(accuracy));
    for (number, name) in figure.y.iter().enumerate().filter(|(_, name)| !known.contains(&name.as_str())) {
        let message = format!("no {ARM} measures `{name}` of its clients{}", needed(name));
        findings.error(at.field("y").index(number), message, one_of(&known, name));
    }
}

/// The arms that a figure or a panel shows.
fn shown<'a>(chosen: &[ShownArm], arms: &[NamedArm<'a>]) -> Vec<NamedArm<'a>> {
    let is_shown = |name: &str| chosen.is_empty() || chosen.iter().any(|arm| arm.holds(name));
    arms.iter().filter(|(name, _)| is_shown(name)).copied().collect()
}

fn target(goal: &Target, arms: Arms<'_>, at: &Path<'_>, findings: &mut Findings) {
    let at = at.field("target");
    let at = if matches!(goal, Target::Column { .. }) { &at.field("name") } else { &at };
    // What is spent is no target, which is found elsewhere.
    if no_target(goal.column()).is_none() {
        one_measures(goal.column(), &MEASURED_COLUMNS, arms, at, findings);
    }
}

/// Panels that have quantities of their own.
fn of_panels(curves: &Curves, arms: Arms<'_>, at: &Path<'_>, findings: &mut Findings) {
    let Panels::Split(panels) = &curves.panels else { return };
    for (number, panel) in panels.iter().enumerate() {
        let in_panel = shown(&panel.arms, arms.shown);
        quantities(&panel.y, Arms { shown: &in_panel, ..arms }, &at.index(number).field("y"), findings);
    }
}

fn quantities(names: &[String], arms: Arms<'_>, at: &Path<'_>, findings: &mut Findings) {
    for (number, name) in names.iter().enumerate() {
        let at = at.index(number);
        if name.starts_with(PARAMETER) {
            let message = format!("no {ARM} records θ, so `{name}` is not measured");
            let error = Finding::error(at, message, "expected `record: (theta: true)` in the scenario");
            arms.some(|arm| arm.record.theta, error, findings);
        } else {
            one_measures(name, &CURVES, arms, &at, findings);
        }
    }
}

/// Some arm measures this: it is one that all have, or one of its own.
fn one_measures(name: &str, all: &[&'static str], arms: Arms<'_>, at: &Path<'_>, findings: &mut Findings) {
    // Whoever measures nothing for speed keeps the figures of a base.
    if (name == GAP || needs_probes(name)) && arms.shown.iter().all(|(_, arm)| arm.record.probe_every.is_none()) {
        let (figure, quantity) = (arms.figure.to_owned(), name.to_owned());
        return findings.caveat(Caveat::FigureUnprobed { figure, quantity });
    }
    let is_common = all.contains(&name);
    let may_have = |arm: &Scenario| match is_common {
        true => arms.may_have(arm, name),
        // Only a run tells what other protocols write.
        false => columns(arm).is_none_or(|names| names.contains(&name)) && arms.may_have(arm, name),
    };
    let extra = scenarios(arms).into_iter().filter_map(columns).flatten();
    let has_some = |name: &&str| arms.shown.iter().any(|(_, arm)| arms.may_have(arm, name));
    let mut known: Vec<&str> = extra.chain(all.iter().copied()).filter(has_some).collect();
    known.sort_unstable();
    known.dedup();
    let message = format!("no {ARM} measures `{name}`{}", needed(name));
    arms.some(may_have, Finding::error(at, message, one_of(&known, name)), findings);
}

/// What a scenario must say for a column that it can have.
fn needed(name: &str) -> &'static str {
    let [held_out, held_out_accuracy, ..] = HELD_OUT_COLUMNS;
    match name {
        GAP => {
            ": f* is found for protocols whose examples, or subjects, are divided among clients or \
             in one place"
        }
        "field_sq" => ", which is that of the steps of a server or in one place",
        ENERGY => ", which needs `energy: (…)`",
        _ if BYZANTINE_COLUMNS.contains(&name) => ", which needs `byzantine: (…)`",
        EPSILON => ", which needs `privacy: Gaussian(…)`",
        _ if name == held_out => ", which needs `holdout: Rows(…)`, or `held_out` of `Counts` and `Visits`",
        _ if name == held_out_accuracy => {
            ", which needs a model with components or a regression, data with labels and `holdout: Rows(…)`"
        }
        WORST_TENTH => ", which is that of the clients of a server",
        GRADIENT_SQ => ", which needs a model whose E-steps are gradient steps, such as `Regression(…)`",
        OCCUPIED => ", which needs a model with `prior: Conjugate(…)`",
        _ if name == QUALITY_COLUMNS[0] => {
            ", which needs a model with components or a regression, data with labels and `record: (quality: true)`"
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
    scenario.data.facts().is_labelled
        && scenario.model.facts().components.is_some()
        && !scenario.protocol.profile().is_personalized
}

/// Is ‖h(Ŝ)‖² measured with this protocol and model?
pub(super) fn measures_field(scenario: &Scenario) -> bool {
    scenario.model.exact().is_none_or(|em| scenario.protocol.measures_field(em))
}

/// Are E-steps gradient steps?
fn descends(scenario: &Scenario) -> bool {
    let by_examples = matches!(scenario.protocol.over(), Over::Examples(_) | Over::PeerExamples(_));
    by_examples && scenario.model.exact().is_some_and(|em| em.abilities().descends)
}

/// Does the model let components be empty?
fn empties_components(scenario: &Scenario) -> bool {
    scenario.model.exact().is_some_and(|em| em.abilities().empties_components)
}

/// Are there labels that the model predicts?
fn predicts_labels(scenario: &Scenario) -> bool {
    scenario.data.facts().is_labelled && descends(scenario)
}

/// Is it a column that only probes fill in?
pub(super) fn needs_probes(name: &str) -> bool {
    let common = ["mean_field_sq", "objective", PARAMETER_ERROR, GRADIENT_SQ, OCCUPIED, WORST_TENTH];
    common.into_iter().chain(QUALITY_COLUMNS).chain(HELD_OUT_COLUMNS).any(|known| known == name)
}

/// Can a run of the scenario alone have the quantity?
pub(crate) fn may_measure(scenario: &Scenario, name: &str) -> bool {
    let arms = [("", scenario)];
    Arms { figure: "", shown: &arms, all: &arms }.may_have(scenario, name)
}

/// The columns that runs of a scenario can add to `rounds.csv`; none where only a run tells.
pub(crate) fn columns(scenario: &Scenario) -> Option<Vec<&'static str>> {
    let mut columns = vec![PARAMETER_ERROR];
    columns.extend(descends(scenario).then_some(GRADIENT_SQ));
    columns.extend(empties_components(scenario).then_some(OCCUPIED));
    let has_clients =
        matches!(scenario.protocol.over(), Over::Examples(_)) && !scenario.protocol.profile().is_centralized;
    columns.extend(has_clients.then_some(WORST_TENTH));
    if compares_with_labels(scenario) {
        columns.extend(QUALITY_COLUMNS);
    } else if scenario.record.quality && predicts_labels(scenario) {
        columns.push(QUALITY_COLUMNS[0]);
    }
    if scenario.holds_out() && !scenario.protocol.profile().is_personalized {
        let [log_likelihood, accuracy, of_subjects @ ..] = HELD_OUT_COLUMNS;
        columns.push(log_likelihood);
        match scenario.data.kind() {
            DataKind::Examples => {
                columns.extend((has_labels(scenario) || predicts_labels(scenario)).then_some(accuracy));
            }
            DataKind::Counts => columns.extend(&of_subjects[2..]),
            _ => columns.extend(of_subjects),
        }
    }
    columns.extend(scenario.protocol.profile().columns?);
    columns.extend(scenario.energy.is_some().then_some(ENERGY));
    columns.extend(scenario.privacy.is_some().then_some(EPSILON));
    columns.extend(scenario.byzantine.iter().flat_map(|_| BYZANTINE_COLUMNS));
    Some(columns)
}
