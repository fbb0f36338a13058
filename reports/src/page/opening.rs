//! What the page opens with: the first declared figure of curves as charts, or what the results choose.

use crate::curves::Curve;
use crate::declarations::declared;
use crate::error::ReportError;
use crate::figures::choice;
use crate::quantity::Quantity;
use crate::report::Report;
use fedbits_figures::XAxis;
use fedbits_figures::{Curves, Figure, FigureKind, Limits, Scale};
use std::collections::BTreeSet;

/// Arms that are shown at first where nothing says which, all are more, and no study says which are near its baseline.
const FEW: usize = 10;
/// More charts than this are not side by side.
const MOST: usize = 4;

/// The charts at first.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Opening {
    /// None where no run measured anything.
    pub charts: Vec<Chart>,
    /// Numbers of the arms shown.
    pub arms: BTreeSet<usize>,
    /// The part of the charts' one axis that is shown.
    pub range: Option<(XAxis, f64, f64)>,
}

/// A quantity over an axis; scales are chosen where the declaration leaves them open.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Chart {
    pub quantity: String,
    pub x: XAxis,
    pub x_scale: Scale,
    pub y_scale: Scale,
}

/// The first figure of curves that is declared, a chart for each of its quantities and axes.
///
/// # Errors
/// [`ReportError`]: a declaration that is none.
pub(crate) fn opening(report: &Report<'_>) -> Result<Opening, ReportError> {
    let all = match &report.options.declared {
        Some(figures) => figures.clone(),
        None => declared(&report.collected)?,
    };
    let is_curves = |figure: &Figure| match &figure.kind {
        FigureKind::Curves(curves) => Some((figure.clone(), curves.clone())),
        _ => None,
    };
    let first = all.iter().find_map(is_curves);
    let (figure, curves) = first.unwrap_or_else(|| (choice::figure(report), Curves::default()));
    let arms = report.arms().iter().enumerate();
    let is_shown = |number: usize, name: &str| match figure.arms.is_empty() {
        true => shown_first(report, number),
        false => figure.arms.iter().any(|shown| shown.holds(name)),
    };
    let arms = arms.filter(|(number, arm)| is_shown(*number, &arm.name)).map(|(number, _)| number).collect();
    Ok(charts(report, &curves, arms))
}

fn charts(report: &Report<'_>, declared: &Curves, arms: BTreeSet<usize>) -> Opening {
    let names = match declared.y.is_empty() {
        false => choice::expanded(report, &declared.y),
        true => choice::quantity(report).into_iter().collect(),
    };
    let lines = |name: &str| -> Vec<Curve> {
        arms.iter().filter_map(|&arm| report.curve(&report.arms()[arm], Quantity(name))).collect()
    };
    let measured: Vec<&String> = names.iter().filter(|name| !lines(name).is_empty()).collect();
    let Some(first) = measured.first() else { return Opening { charts: Vec::new(), arms, range: None } };
    let (first, bound) = (lines(first), choice::bound(report, first));
    let mut axes = report.options.panels.clone().unwrap_or_else(|| declared.x.clone());
    if axes.is_empty() {
        axes.push(choice::x_axis(&first, bound));
    }
    let chart = |quantity: &String, x| Chart {
        quantity: quantity.clone(),
        x,
        x_scale: declared.x_scale,
        y_scale: declared.y_scale,
    };
    let charts = measured.iter().flat_map(|name| axes.iter().map(move |&x| chart(name, x)));
    let range = match axes[..] {
        [x] => range(
            &first,
            x,
            match declared.x_limits {
                Limits { from: None, to: None } => Limits { from: None, to: choice::end(&first, x, bound) },
                limits => limits,
            },
        ),
        _ => None,
    };
    Opening { charts: charts.take(MOST).collect(), arms, range }
}

/// Both ends of a range of which one may be where the lines end.
fn range(lines: &[Curve], x: XAxis, Limits { from, to }: Limits) -> Option<(XAxis, f64, f64)> {
    let end = || lines.iter().filter_map(|line| line.points.last()).map(|point| point.at(x)).fold(0.0, f64::max);
    (from.is_some() || to.is_some()).then(|| (x, from.unwrap_or(0.0), to.unwrap_or_else(end)))
}

/// All when they are few, else those that differ from the baseline on at most one axis.
fn shown_first(report: &Report<'_>, number: usize) -> bool {
    let arms = report.arms();
    let Some(study) = report.collected.study.as_ref().filter(|_| arms.len() > FEW) else { return number < FEW };
    let base = &study.plan.arms[study.plan.baseline].levels;
    arms[number].levels.iter().zip(base).filter(|(own, base)| own != base).count() <= 1
}
