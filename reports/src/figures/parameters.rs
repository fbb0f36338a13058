//! Parameters against what they cost: a figure per component of θ, a line per arm, where θ was recorded and is not too long.

use super::{Figure, Panel};
use crate::axes::Scale;
use crate::curves::{Curve, XAxis, component_curve};
use crate::data::Arm;
use crate::text::Rich;

/// Of a longer θ only the first components are drawn; all are in `theta.csv`.
const MOST_COMPONENTS: usize = 12;
const FIRST_COMPONENTS: usize = 6;
/// A θ with more components than this is a table of data and no list of parameters.
const LONGEST: usize = 200;
/// A point is shown when it is at most so many times farther from the middle of the last values than half of these are.
const REACH: f64 = 8.0;

/// One figure per component, for models whose components are parameters and not weights of a mixture.
pub(crate) fn figures(arms: &[Arm]) -> Vec<Figure> {
    let Some(names) = names(arms) else { return Vec::new() };
    let shown = if names.len() > MOST_COMPONENTS { FIRST_COMPONENTS } else { names.len() };
    let mut figures: Vec<Figure> = names[..shown].iter().filter_map(|name| figure(arms, name)).collect();
    if shown < names.len() {
        let note = format!("the first {shown} of {} components of θ are drawn, all are in theta.csv", names.len());
        figures.iter_mut().for_each(|figure| figure.notes.push(note.clone()));
    }
    figures
}

/// The components' names when every arm that recorded θ has few, or the first of them; a mixture's weights have a figure of their own.
fn names(arms: &[Arm]) -> Option<Vec<String>> {
    let mut names: Vec<String> = Vec::new();
    for theta in arms.iter().filter_map(|arm| arm.runs.first()?.record.theta.as_ref()) {
        names.extend(theta.names.iter().filter(|name| !names.contains(name)).cloned().collect::<Vec<_>>());
    }
    let short = !names.is_empty() && names.len() <= LONGEST;
    let mixture = names.iter().any(|name| name.starts_with("weight_"));
    (short && !mixture).then_some(names)
}

fn figure(arms: &[Arm], name: &str) -> Option<Figure> {
    let curves: Vec<Curve> =
        arms.iter().filter_map(|arm| component_curve(arm, arm.style, name, arm.label.clone())).collect();
    let (curves, notes) = near(curves);
    let panel = |x| Panel { heading: None, x, x_scale: Scale::Linear, curves: curves.clone() };
    let file = format!("parameter-{}", name.replace(|c: char| !c.is_alphanumeric() && c != '_', "-"));
    (!curves.is_empty()).then(|| Figure {
        name: file.clone(),
        data: file,
        y_label: Rich::plain(name),
        y_words: format!("the parameter {name}"),
        y_scale: Scale::Linear,
        panels: [XAxis::Rounds, XAxis::BitsUp, XAxis::Time].map(panel).into(),
        notes,
    })
}

/// The curves as far as they stay near where most arms end, and what is left out: one arm that runs away would flatten all others.
fn near(curves: Vec<Curve>) -> (Vec<Curve>, Vec<String>) {
    let last = |curve: &Curve| curve.points.last().map(|point| point.median);
    let middle = median(curves.iter().filter_map(last).collect());
    let spread = median(curves.iter().filter_map(last).map(|value| (value - middle).abs()).collect());
    let reach = REACH * spread.max(middle.abs() / 20.0).max(f64::MIN_POSITIVE);
    let mut notes = Vec::new();
    let mut kept = Vec::new();
    for mut curve in curves {
        let before = curve.points.len();
        curve.points.retain(|point| (point.median - middle).abs() <= reach);
        let left_out = before - curve.points.len();
        if left_out > 0 {
            let label = &curve.label;
            notes.push(format!(
                "{label}: {left_out} of {before} values are more than {reach:.3} from {middle:.4} and not shown"
            ));
        }
        if !curve.points.is_empty() {
            kept.push(curve);
        }
    }
    (kept, notes)
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_unstable_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(0.0)
}
