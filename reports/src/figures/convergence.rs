//! Convergence: a quantity against what it cost.

use super::gap::References;
use super::{Figure, Panel};
use crate::axes::Scale;
use crate::curves::{Curve, Quantity, XAxis, component_curve, curve};
use crate::data::Arm;
use crate::text::Rich;

/// So many arms are named one by one when they share a peculiarity.
const MOST_NOTES: usize = 6;

/// The figures of the quantities that were measured: one with a panel per axis of `panels`, one per axis of `singles`.
/// `slopes`: labels of arms, and the decades of ‖h(Ŝ)‖² per round that theory predicts.
pub(crate) fn figures(arms: &[Arm], panels: &[XAxis], singles: &[XAxis], slopes: &[(String, f64)]) -> Vec<Figure> {
    let mut figures = Vec::new();
    for quantity in Quantity::ALL {
        let mut curves: Vec<Curve> = arms.iter().filter_map(|arm| curve(arm, quantity)).map(trend(quantity)).collect();
        if curves.is_empty() {
            continue;
        }
        let mut notes = notes(arms, &curves);
        if quantity == Quantity::Objective && arms.len() > 1 {
            notes.extend(References::of(arms).missing(arms));
        }
        if quantity == Quantity::MeanFieldSq {
            let free = arms.iter().map(|arm| arm.style + 1).max().unwrap_or(0);
            let predicted = |(place, (label, slope)): (usize, &(String, f64))| {
                let measured = curves.iter().find(|curve| curve.label == *label)?;
                measured.predicted(*slope, free + place)
            };
            let predicted: Vec<Curve> = slopes.iter().enumerate().filter_map(predicted).collect();
            curves.extend(predicted);
        }
        let panels = &moved(panels, &curves)[..];
        if !panels.is_empty() {
            figures.push(figure(quantity, file_name(quantity).to_owned(), panels, &curves, &notes));
        }
        for &x in singles {
            let name = format!("{}-{}", file_name(quantity), x.column());
            figures.push(figure(quantity, name, &[x], &curves, &notes));
        }
    }
    figures
}

/// The axes on which some curve gets anywhere: in a run without a server nothing goes up. All of them, where none does.
pub(super) fn moved(axes: &[XAxis], curves: &[Curve]) -> Vec<XAxis> {
    let moves = |x: &XAxis| curves.iter().flat_map(|curve| &curve.points).any(|point| point.at(*x) > 0.0);
    let moved: Vec<XAxis> = axes.iter().copied().filter(moves).collect();
    if moved.is_empty() { axes.to_vec() } else { moved }
}

fn figure(quantity: Quantity, name: String, axes: &[XAxis], curves: &[Curve], notes: &[String]) -> Figure {
    let (y_label, y_words) = labels(quantity);
    Figure {
        name,
        data: file_name(quantity).to_owned(),
        y_label,
        y_words: y_words.to_owned(),
        y_scale: scale(quantity),
        panels: axes.iter().map(|&x| Panel::new(x, curves)).collect(),
        notes: notes.to_vec(),
        ..Figure::default()
    }
}

/// ‖H‖² is a random draw every round: its level is in its running median.
fn trend(quantity: Quantity) -> impl Fn(Curve) -> Curve {
    move |curve| {
        if quantity == Quantity::FieldSq { curve.with_trend() } else { curve }
    }
}

fn file_name(quantity: Quantity) -> &'static str {
    match quantity {
        Quantity::MeanFieldSq => "mean_field_sq",
        Quantity::FieldSq => "field_sq",
        Quantity::Objective => "objective",
    }
}

fn scale(quantity: Quantity) -> Scale {
    match quantity {
        Quantity::MeanFieldSq | Quantity::FieldSq => Scale::Log,
        Quantity::Objective => Scale::Linear,
    }
}

fn labels(quantity: Quantity) -> (Rich, &'static str) {
    match quantity {
        Quantity::MeanFieldSq => {
            (Rich::plain("‖ℎ(Ŝ)‖").superscript("2"), "the squared norm of the mean field over all data, ‖h(Ŝ)‖²")
        }
        Quantity::FieldSq => (
            Rich::plain("‖𝐻‖").superscript("2"),
            "the squared norm of the stochastic field that the server applied, ‖H‖²",
        ),
        Quantity::Objective => (Rich::plain("objective"), "the objective at θ = T(Ŝ)"),
    }
}

/// What the curves leave out.
fn notes(arms: &[Arm], curves: &[Curve]) -> Vec<String> {
    let mut notes = Vec::new();
    let mut uneven = Vec::new();
    for arm in arms {
        let last: Vec<u64> = arm.runs.iter().filter_map(|run| run.record.rounds.last().map(|row| row.round)).collect();
        if let (Some(shortest), Some(longest)) = (last.iter().min(), last.iter().max())
            && shortest < longest
        {
            let failed = arm.runs.iter().filter(|run| run.record.manifest.failure().is_some()).count();
            let failed = if failed == 0 { String::new() } else { format!(", {failed} of them because they failed") };
            uneven.push(format!("{}: replicates ended between rounds {shortest} and {longest}{failed}", arm.label));
        }
        match curves.iter().find(|curve| curve.label == arm.label) {
            None => notes.push(format!("{}: not measured", arm.label)),
            Some(curve) if curve.replicates < arm.runs.len() => {
                let without = arm.runs.len() - curve.replicates;
                notes.push(format!("{}: {without} of {} runs recorded no value", arm.label, arm.runs.len()));
            }
            Some(_) => {}
        }
    }
    if uneven.len() > MOST_NOTES {
        uneven = vec![format!("in {} arms replicates ended after different rounds", uneven.len())];
    }
    notes.extend(uneven);
    notes
}

/// The components' weights against epochs, a panel per arm, where θ was recorded: arms may differ in what a round costs.
pub(crate) fn weights(arms: &[Arm]) -> Option<Figure> {
    let panels: Vec<Panel> = arms.iter().filter_map(|arm| weight_panel(arm, arms.len() > 1)).collect();
    (!panels.is_empty()).then(|| Figure {
        name: "weights".to_owned(),
        data: "weights".to_owned(),
        y_label: Rich::plain("component weight"),
        y_words: "the weights of the mixture's components".to_owned(),
        y_scale: Scale::Linear,
        panels,
        ..Figure::default()
    })
}

fn weight_panel(arm: &Arm, several: bool) -> Option<Panel> {
    let names = arm.runs.first()?.record.theta.as_ref()?.names.iter().filter(|name| name.starts_with("weight_"));
    let label = |index: usize| format!("component {}", index + 1);
    let curves: Vec<Curve> =
        names.enumerate().filter_map(|(index, name)| component_curve(arm, index, name, label(index))).collect();
    let heading = several.then(|| arm.label.clone());
    (!curves.is_empty()).then(|| Panel { heading, ..Panel::new(XAxis::Epochs, &curves) })
}
