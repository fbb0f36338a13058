//! The gap of the objective: how far each arm is above the best objective that any arm has reached, against what it cost. Costs of bits
//! and time differ by orders of magnitude between arms, so their axes are logarithmic.

use super::convergence::moved;
use super::{Figure, Panel};
use crate::axes::Scale;
use crate::curves::{Curve, XAxis, gap_curve, least_objectives};
use crate::data::Arm;
use crate::text::Rich;

/// The figure with a panel per axis of `panels`, and one per axis of `singles`; none where there is nothing to compare.
pub(crate) fn figures(arms: &[Arm], panels: &[XAxis], singles: &[XAxis]) -> Vec<Figure> {
    let least = least_objectives(arms);
    let curves = arms.iter().filter_map(|arm| gap_curve(arm, &least));
    let curves: Vec<Curve> = curves.collect();
    if curves.len() < 2 || curves.iter().flat_map(|curve| &curve.points).all(|point| point.median <= 0.0) {
        return Vec::new();
    }
    let whole = moved(panels, &curves);
    let mut figures: Vec<Figure> = Vec::new();
    if !whole.is_empty() {
        figures.push(figure("objective_gap".to_owned(), &whole, &curves));
    }
    let single = |&x: &XAxis| figure(format!("objective_gap-{}", x.column()), &[x], &curves);
    figures.extend(singles.iter().map(single));
    figures
}

fn figure(name: String, axes: &[XAxis], curves: &[Curve]) -> Figure {
    let panel = |&x: &XAxis| {
        let x_scale = match x {
            XAxis::Rounds | XAxis::Epochs => Scale::Linear,
            XAxis::BitsUp | XAxis::BitsTotal | XAxis::Time => Scale::Log,
        };
        Panel { heading: None, x, x_scale, curves: curves.to_vec() }
    };
    Figure {
        name,
        data: "objective_gap".to_owned(),
        y_label: Rich::plain("objective gap"),
        y_words:
            "the objective at θ = T(Ŝ) above the smallest one that any arm reached with the same seed and replicate"
                .to_owned(),
        y_scale: Scale::Log,
        panels: axes.iter().map(panel).collect(),
        notes: vec![
            "values that are zero, and the start on axes of bits and time, have no place on a log axis".to_owned(),
        ],
    }
}
