//! The lines of the page's charts that are no arms, for its script: those that the declared figure marks.

use super::floats::floats;
use super::opening::Opening;
use crate::curves::Curve;
use crate::figures::mark_lines::Marked;
use crate::latex::latex;
use crate::report::Report;
use fedbits_figures::{Mark, XAxis};
use serde_json::{Value, json};

/// Adds to a quantity of the opening's charts its horizontal lines and its slopes.
pub(crate) fn add(quantity: &mut Value, report: &Report<'_>, opening: &Opening, (name, axes): (&str, &[XAxis])) {
    if opening.charts.iter().all(|chart| chart.quantity != name) {
        return;
    }
    let marked = Marked { report, all: &opening.page_arms };
    let rules = opening.marks.iter().filter_map(|mark| marked.rule(mark, name));
    let rules: Vec<Value> =
        rules.map(|rule| json!({"y": rule.y, "words": rule.label, "tex": latex(&rule.label)})).collect();
    let slope = |(number, mark): (usize, &Mark)| {
        let Mark::Slope { arm, .. } = mark else { return None };
        let line = marked.slope(&opening.marks, number, &marked.line(arm, name)?)?;
        let arm = opening.page_arms.iter().position(|own| own.name == *arm)?;
        Some(slope_json(arm, &line, axes))
    };
    quantity["rules"] = Value::Array(rules);
    quantity["slopes"] = opening.marks.iter().enumerate().filter_map(slope).collect();
}

fn slope_json(arm: usize, line: &Curve, axes: &[XAxis]) -> Value {
    let x: Vec<Value> =
        axes.iter().map(|&axis| floats(&line.points.iter().map(|point| point.at(axis)).collect::<Vec<_>>())).collect();
    let y: Vec<f64> = line.points.iter().map(|point| point.median).collect();
    json!({"arm": arm, "words": line.label, "tex": latex(&line.label), "x": x, "y": floats(&y)})
}
