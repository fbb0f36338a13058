//! Heat maps over two axes of a study.

use fedbits_spec::{Described, Facts, Findings, Path};
use serde::{Deserialize, Serialize};

/// What it takes to reach a target over two axes of a study: medians, a panel per cost.
#[derive(Clone, Debug, Default, Described, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
#[described(rules = rules)]
pub struct Heat {
    /// The axis of the study for the rows; default: of the first two axes that vary the one with more levels. The
    /// points of a search are an axis only by name.
    #[serde(default)]
    pub rows: Option<String>,
    /// The axis of the study for the columns; default: the other one of the first two axes that vary.
    #[serde(default)]
    pub columns: Option<String>,
}

fn rules(heat: &Heat, at: &Path<'_>, _: &Facts, findings: &mut Findings) {
    match (&heat.rows, &heat.columns) {
        (Some(rows), Some(columns)) if rows == columns => {
            findings.error(at.field("columns"), format!("the rows are over `{rows}`, too"), "expected another axis");
        }
        (Some(_), None) => findings.error(at, "the heat map has `rows` alone", "expected `columns`, too"),
        (None, Some(_)) => findings.error(at, "the heat map has `columns` alone", "expected `rows`, too"),
        _ => {}
    }
}
