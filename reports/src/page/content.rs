//! What the page holds besides pictures: the numbers for its script as JSON, and scenarios, digests and caveats as
//! HTML.

use crate::axes::{Scale, scale};
use crate::caption;
use crate::curves::Curve;
use crate::data::Arm;
use crate::figures::{bars, ledger};
use crate::origin::ascii;
use crate::quantity::Quantity;
use crate::replicates::CurvePoint;
use crate::report::Report;
use crate::shades::hex;
use crate::style::LineStyle;
use crate::text::escape;
use crate::x_axis::Spent;
use crate::x_axis::XAxis;
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// This many points of a curve are enough for a screen.
const MAX_POINTS: usize = 800;
/// Tables of more runs than this are left to `results.csv`.
const MAX_RUNS: usize = 2_000;
/// Up to this many scenarios are shown in full.
const MAX_SCENARIOS: usize = 64;

/// The numbers, safe inside a script element.
pub(crate) fn json(source: &Report<'_>) -> String {
    let arms = &source.collected.arms;
    let shown = shown_axes(arms);
    let quantities: Vec<Value> =
        Quantity::ALL.into_iter().filter_map(|(quantity, _)| self::quantity(source, quantity, &shown)).collect();
    let content = json!({
        "arms": arms.iter().map(|arm| self::arm(source, arm)).collect::<Vec<_>>(),
        "axes": axes(source),
        "x": shown.iter().map(|&axis| x_axis(source, axis)).collect::<Vec<_>>(),
        "quantities": quantities,
        "ledger": ledger(arms),
    });
    ascii(&content.to_string())
}

/// The horizontal axes that all runs have, and those of the others that some run has.
fn shown_axes(arms: &[Arm]) -> Vec<XAxis> {
    let rows = || arms.iter().flat_map(Arm::records).flat_map(|record| &record.rounds);
    let has = |axis: &XAxis| axis.needs().is_none() || rows().any(|row| axis.value(row) > 0.0);
    XAxis::ALL.into_iter().filter(has).collect()
}

/// A horizontal axis, and whether it is logarithmic at first: by the rule of the figures.
fn x_axis(source: &Report<'_>, axis: XAxis) -> Value {
    let (words, kind) = match axis {
        XAxis::Rounds => ("rounds", "count"),
        XAxis::Epochs => ("epochs", "count"),
        XAxis::BitsUp => ("bits sent, uplink", "bits"),
        XAxis::BitsTotal => ("bits sent, total", "bits"),
        XAxis::Time => ("simulated time", "time"),
        XAxis::Energy => ("energy", "energy"),
        XAxis::Epsilon => ("privacy loss ε", "count"),
    };
    let curves = Quantity::ALL
        .into_iter()
        .flat_map(|(quantity, _)| source.collected.arms.iter().filter_map(move |arm| source.curve(arm, quantity)));
    let ends = curves.filter_map(|curve| curve.points.last().map(|point| point.at(axis)));
    let log = scale(ends, source.options.x_scale) == Scale::Log;
    json!({"name": axis.column(), "words": words, "kind": kind, "log": log})
}

/// The axes of the study that vary among the arms shown.
fn axes(source: &Report<'_>) -> Vec<Value> {
    let Some(study) = &source.collected.study else { return Vec::new() };
    study.plan.axes.iter().map(|axis| json!({"name": axis.name, "levels": axis.levels})).collect()
}

fn arm(source: &Report<'_>, arm: &Arm) -> Value {
    let style = LineStyle::of(arm.style);
    json!({
        "label": arm.label,
        "levels": arm.levels,
        "runs": arm.runs.len(),
        "color": hex(style.color),
        "dash": style.dash,
        "shown": shown_first(source, arm),
    })
}

/// Whether an arm is shown before anything was chosen: all when they are few, else those that differ from the baseline
/// on at most one axis.
fn shown_first(source: &Report<'_>, arm: &Arm) -> bool {
    let arms = &source.collected.arms;
    let Some(study) = source.collected.study.as_ref().filter(|_| arms.len() > 10) else {
        return arms.len() <= 10 || arms.iter().take(10).any(|own| own.name == arm.name);
    };
    let base = &study.plan.arms[study.plan.baseline].levels;
    arm.levels.iter().zip(base).filter(|(own, base)| own != base).count() <= 1
}

fn quantity(source: &Report<'_>, quantity: Quantity<'_>, axes: &[XAxis]) -> Option<Value> {
    let arms = source.collected.arms.iter().enumerate();
    let curves = arms.filter_map(|(number, arm)| Some(points(number, &source.curve(arm, quantity)?, axes)));
    let curves: Vec<Value> = curves.collect();
    let log = quantity.vertical().scale == Scale::Log;
    (!curves.is_empty()).then(|| json!({"words": quantity.short(), "log": log, "curves": curves}))
}

/// The points of a curve. Many are thinned: of each of this many stretches the first, the lowest, the highest and the
/// last stay.
fn points(number: usize, curve: &Curve, axes: &[XAxis]) -> Value {
    let stretch = curve.points.len().div_ceil(MAX_POINTS / 4).max(1);
    let kept: Vec<&CurvePoint> = curve.points.chunks(stretch).flat_map(extremes).collect();
    let x: Vec<Vec<f64>> = axes.iter().map(|&axis| kept.iter().map(|point| point.at(axis)).collect()).collect();
    let values = |value: fn(&CurvePoint) -> f64| kept.iter().map(|point| value(point)).collect::<Vec<f64>>();
    let mut own = json!({"arm": number, "x": x, "median": values(|point| point.median)});
    if curve.replicates > 1 {
        own["low"] = json!(values(|point| point.low));
        own["high"] = json!(values(|point| point.high));
    }
    if curve.first_ended() < curve.points.len() {
        own["running"] = json!(kept.iter().map(|point| point.running).collect::<Vec<_>>());
    }
    own
}

/// The first, lowest, highest and last of some points, each once and in their order.
fn extremes(points: &[CurvePoint]) -> Vec<&CurvePoint> {
    let by_value = |&a: &usize, &b: &usize| points[a].median.total_cmp(&points[b].median);
    let lowest = (0..points.len()).min_by(by_value);
    let highest = (0..points.len()).max_by(by_value);
    let kept: BTreeSet<usize> = [Some(0), lowest, highest, points.len().checked_sub(1)].into_iter().flatten().collect();
    kept.into_iter().filter_map(|index| points.get(index)).collect()
}

fn ledger(arms: &[Arm]) -> Value {
    let Some(stack) = ledger::stack(arms) else { return Value::Null };
    let kind = |part: &bars::BarPart| json!({"words": part.words, "color": hex(bars::color(part)), "pale": part.pale});
    json!({
        "kinds": stack.parts.iter().map(kind).collect::<Vec<_>>(),
        "bars": stack.bars.iter().map(|(_, bits)| bits).collect::<Vec<_>>(),
    })
}

/// The caveats as a list.
pub(crate) fn caveats(source: &Report<'_>) -> String {
    let items = caption::caveats(&[], &source.collected.arms);
    if items.is_empty() {
        return String::new();
    }
    let items: String = items.iter().map(|caveat| format!("<li>{}</li>\n", escape(caveat))).collect();
    format!("<section class=\"caveats\">\n<h2>Caveats</h2>\n<ul>\n{items}</ul>\n</section>\n")
}

/// The resolved scenarios, each once, under the arms that have it.
pub(crate) fn scenarios(source: &Report<'_>) -> String {
    let mut out = String::new();
    for arm in source.collected.arms.iter().take(MAX_SCENARIOS) {
        let text = &arm.runs[0].record.manifest.scenario_text;
        let (label, text) = (escape(&arm.label), escape(text));
        out += &format!("<details><summary>{label}</summary><pre>{text}</pre></details>\n");
    }
    if source.collected.arms.len() > MAX_SCENARIOS {
        let more = source.collected.arms.len() - MAX_SCENARIOS;
        out += &format!("<p>{more} more are in <code>study.json</code>.</p>\n");
    }
    out
}

/// One row per run: seed, replicate, how it ended, digests.
pub(crate) fn digests(source: &Report<'_>) -> String {
    let mut out = String::new();
    for line in source.collected.study.iter().map(|study| format!("study {}: {}", study.plan.name, study.digest)) {
        out += &format!("<p><code>{}</code></p>\n", escape(&line));
    }
    out += &format!("<p><code>all runs shown: {}</code></p>\n", source.origin.digest);
    if source.origin.runs > MAX_RUNS {
        source.runs.iter().for_each(|line| out += &format!("<p><code>{}</code></p>\n", escape(line)));
        return out;
    }
    out.push_str(
        "<div class=\"wide\"><table \
        class=\"digests\">\n<tr><th>arm</th><th>seed</th><th>replicate</th><th>ended by</th>",
    );
    out.push_str("<th>data</th><th>timeline</th><th>state</th></tr>\n");
    for arm in &source.collected.arms {
        for manifest in arm.runs.iter().map(|run| &run.record.manifest) {
            let digests = &manifest.digests;
            let cells = [
                &arm.label,
                &manifest.seed.to_string(),
                &manifest.replicate.to_string(),
                &manifest.stop_reason,
                &digests.data,
                &digests.timeline,
                &digests.state,
            ];
            let cells: String = cells.iter().map(|cell| format!("<td>{}</td>", escape(cell))).collect();
            out += &format!("<tr>{cells}</tr>\n");
        }
    }
    out.push_str("</table></div>\n");
    out
}
