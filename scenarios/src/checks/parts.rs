//! What is checked alike of scenarios, arms, axes and searches, by paths as text.

use fedbits_record::results::PlanTarget;
use fedbits_record::{MEASURED_COLUMNS, no_target};
use fedbits_spec::range::{Range, whole};
use fedbits_spec::{Facts, Findings, Path, visible};

use crate::schema::Target;

/// Of some fields the paths, and whether their values are not those of the usual value; without one, not the defaults.
macro_rules! given {
    ($at:literal, $of:expr, $usual:expr; $($field:ident),+) => {
        [$((concat!($at, stringify!($field)), $of.$field != $usual.$field)),+]
    };
    ($of:expr; $($field:ident),+) => {
        [$((stringify!($field), $of.$field != Default::default())),+]
    };
}

pub(super) use given;

/// Those of the settings that are given have no effect.
pub(super) fn void<'p>(findings: &mut Findings, why: &str, settings: impl IntoIterator<Item = (&'p str, bool)>) {
    settings.into_iter().filter(|(_, given)| *given).for_each(|(path, _)| findings.no_effect(path, why));
}

/// What speaks of all runs is no setting of an arm.
pub(super) fn arm_path(findings: &mut Findings, place: &str, path: &str) {
    let field = path.split(['.', '[']).next().unwrap_or("");
    let (why, instead) = match field {
        "replicate" | "replicates" => ("all arms have the same replicates", "expected `replicates: …` in the scenario"),
        "arms" | "axes" | "exclude" | "baseline" => ("an arm has no arms", "expected the path of another field"),
        "figures" => ("figures show all arms", "expected `figures: […]` in the scenario"),
        "targets" | "search" => ("it speaks of all arms", "expected it as a field of the scenario"),
        "name" | "about" => ("it changes no result", "expected the path of a field that does"),
        _ => return,
    };
    findings.error(place, format!("`{path}` cannot be set by an arm: {why}"), instead);
}

/// The same of what axes vary. Replicate r of every arm is to meet the same data.
pub(super) fn varied_path(findings: &mut Findings, place: &str, path: &str) {
    arm_path(findings, place, path);
    if path == "seed" {
        let expected = "expected `replicates: …`, or another `seed` for all arms";
        findings.error(place, "other seeds are other replicates, and no other arm", expected);
    }
}

/// Whether a whole number lies from `low` to `high`.
pub(super) fn count(findings: &mut Findings, path: &str, value: u64, low: u64, high: u64, what: &'static str) -> bool {
    whole(low, high).note(what).check(&value, &Path::Root.field(path), &Facts::default(), findings);
    (low..=high).contains(&value)
}

/// Whether a name can stand in tables and figures; `what` has it.
pub(super) fn name(findings: &mut Findings, place: &str, what: &str, name: &str) -> bool {
    let found = match name {
        _ if name.trim().is_empty() => "is empty",
        _ if visible(name) != name => "has a control character",
        _ => return true,
    };
    findings.error(place, format!("the name of the {what} {found}"), "expected a name for tables and figures");
    false
}

/// Findings about one target, which stands at `place`.
pub(super) fn target(target: &Target, place: &str, findings: &mut Findings) {
    let name = format!("{place}.name");
    let place = match target {
        Target::Column { at_most: Some(_), at_least: Some(_), .. }
        | Target::Column { at_most: None, at_least: None, .. } => {
            return findings.error(place, "a target has one bound", "expected either `at_most` or `at_least`");
        }
        Target::Column { at_most: Some(_), .. } => format!("{place}.at_most"),
        Target::Column { .. } => format!("{place}.at_least"),
        _ => format!("{place}[0]"),
    };
    let column = target.column();
    if let Some(found) = no_target(column) {
        let measured = MEASURED_COLUMNS.join(", ");
        let expected = format!("expected a measured column: {measured}, or one of the protocol's own");
        return findings.error(name, found, expected);
    }
    let (value, known) = (target.bound().value(), PlanTarget { column: column.to_owned(), bound: target.bound() });
    if !known.is_reachable() || matches!(target, Target::Accuracy(..=0.0)) {
        let expected = "expected a finite number, above 0 for a square, in (0, 1] for an accuracy";
        findings.error(&place, format!("the target {value} cannot be reached"), expected);
    }
}
