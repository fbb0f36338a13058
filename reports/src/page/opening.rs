//! What the page opens with: the first declared figure of curves as charts, or what the results choose.

use crate::axes::Scale;
use crate::curves::Curve;
use crate::data::Arm;
use crate::declarations;
use crate::error::ReportError;
use crate::figures::choice;
use crate::figures::declared::limit_x;
use crate::figures::figure::{Figure as Drawn, Panel};
use crate::figures::shown::as_one;
use crate::quantity::Quantity;
use crate::report::Report;
use fedbits_figures::{
    Band, Curves, Figure, FigureKind, Limits, Mark, Panels, Scale as DeclaredScale, ShownArm, XAxis,
};
use std::collections::{BTreeMap, BTreeSet};

/// Arms that are shown at first where nothing says which, all are more, and no study says which are near its baseline.
const FEW: usize = 10;
/// More charts than this are not side by side.
const MOST: usize = 4;

/// The charts at first.
#[derive(Debug, Clone)]
pub(crate) struct Opening {
    /// None where no run measured anything.
    pub charts: Vec<Chart>,
    /// The arms of the page: those of the report, and behind them those that the figure shows as one.
    pub page_arms: Vec<Arm>,
    /// Numbers of the arms shown, among these.
    pub arms: BTreeSet<usize>,
    /// What the figure calls arms of the report, by their numbers.
    pub labels: BTreeMap<usize, String>,
    /// What bands show, and whether they are there at first.
    pub band: Band,
    /// The lines of the figure that are no arms.
    pub marks: Vec<Mark>,
    /// The part of the charts' one axis that is shown.
    pub range: Option<(XAxis, f64, f64)>,
}

/// A quantity over an axis; the vertical scale is chosen where the declaration leaves it open.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Chart {
    pub quantity: String,
    pub x: XAxis,
    pub x_scale: Scale,
    pub y_scale: DeclaredScale,
    pub y_limits: Limits,
}

/// The first figure of curves that is declared, a chart for each of its quantities and axes.
///
/// # Errors
/// [`ReportError`]: a declaration that is none.
pub(crate) fn opening(report: &Report<'_>) -> Result<Opening, ReportError> {
    let all = declarations::figures(report.options, &report.collected)?;
    let is_curves = |figure: &Figure| match &figure.kind {
        FigureKind::Curves(curves) => Some((figure.arms.clone(), curves.clone())),
        _ => None,
    };
    let first = all.iter().find_map(is_curves);
    let (arms, curves) = first.unwrap_or_default();
    let choice = chosen(report, &arms, &curves);
    Ok(charts(report, &curves, choice))
}

/// The arms of a declared figure among those of the page.
struct Chosen {
    page_arms: Vec<Arm>,
    arms: BTreeSet<usize>,
    labels: BTreeMap<usize, String>,
}

fn chosen(report: &Report<'_>, arms: &[ShownArm], curves: &Curves) -> Chosen {
    // Where the figure shows no bands, the page has those of others, for who asks for them.
    let band = if curves.band == Band::Nothing { Band::Quartiles } else { curves.band };
    let page_arms: Vec<Arm> = report.arms().iter().map(|arm| Arm { band, ..arm.clone() }).collect();
    let mut chosen = Chosen { page_arms, arms: BTreeSet::new(), labels: BTreeMap::new() };
    let split = match &curves.panels {
        Panels::Split(split) if arms.is_empty() => split.iter().flat_map(|panel| &panel.arms).collect(),
        _ => Vec::new(),
    };
    let asked: Vec<&ShownArm> = arms.iter().chain(split).collect();
    if asked.is_empty() {
        chosen.arms = (0..report.arms().len()).filter(|&number| shown_first(report, number)).collect();
        return chosen;
    }
    let known = chosen.page_arms.clone();
    for shown in asked {
        let number = match shown {
            ShownArm::Group { .. } => as_one(&known, shown).map(|arm| {
                // It has no level of its own.
                chosen.page_arms.push(Arm { levels: Vec::new(), ..arm });
                chosen.page_arms.len() - 1
            }),
            _ => known.iter().position(|arm| shown.holds(&arm.name)),
        };
        let Some(number) = number else { continue };
        chosen.arms.insert(number);
        if let ShownArm::Labelled { label, .. } = shown {
            chosen.labels.insert(number, label.clone());
        }
    }
    chosen
}

fn charts(report: &Report<'_>, declared: &Curves, chosen: Chosen) -> Opening {
    let Chosen { page_arms, arms, labels } = chosen;
    let names = match declared.y.is_empty() {
        false => choice::expanded(report, &declared.y),
        true => choice::quantity(report).into_iter().collect(),
    };
    let lines = |name: &str| -> Vec<Curve> {
        arms.iter().filter_map(|&arm| report.curve(&page_arms[arm], Quantity(name))).collect()
    };
    let measured: Vec<&String> = names.iter().filter(|name| !lines(name).is_empty()).collect();
    let (band, marks) = (declared.band, declared.marks.clone());
    let Some(first) = measured.first() else {
        return Opening { charts: Vec::new(), page_arms, arms, labels, band, marks, range: None };
    };
    let mut axes = declared.x.clone();
    if axes.is_empty() {
        axes.push(choice::x_axis(&lines(first), choice::bound(report, first)));
    }
    // As the figure is made of its panels: axes on which nothing moves, scales, and limits that hold nothing.
    let panels = measured.iter().enumerate().flat_map(|(vertical, name)| {
        let curves = lines(name);
        axes.iter().map(move |&x| Panel { vertical, ..Panel::new(x, &curves) }).collect::<Vec<_>>()
    });
    let verticals = measured.iter().map(|name| Quantity(name).vertical()).collect();
    let mut figure = Drawn { verticals, panels: panels.collect(), ..Drawn::default() }.without_idle_axes();
    limit_x(report, declared, &mut figure, lines);
    let figure = Drawn { free_x: declared.free_x, ..figure }.with_axes(declared.x_scale);
    let chart = |panel: &Panel| Chart {
        quantity: measured[panel.vertical].clone(),
        x: panel.x,
        x_scale: panel.x_scale,
        y_scale: declared.y_scale,
        y_limits: declared.y_limits,
    };
    let charts = figure.panels.iter().take(MOST).map(chart).collect();
    Opening { charts, page_arms, arms, labels, band, marks, range: range(&figure) }
}

/// The limits of the first panel, where all have one axis; the open one is 0, or where lines end.
fn range(figure: &Drawn) -> Option<(XAxis, f64, f64)> {
    let first = figure.panels.first().filter(|first| figure.panels.iter().all(|panel| panel.x == first.x))?;
    let Limits { from, to } = first.limits;
    let end =
        || figure.curves().filter_map(|line| line.points.last()).map(|point| point.at(first.x)).fold(0.0, f64::max);
    (from.is_some() || to.is_some()).then(|| (first.x, from.unwrap_or(0.0), to.unwrap_or_else(end)))
}

/// All when they are few, else those that differ from the baseline on at most one axis; without axes the first few.
fn shown_first(report: &Report<'_>, number: usize) -> bool {
    let arms = report.arms();
    let study = report.collected.planned.as_ref().filter(|study| arms.len() > FEW && !study.plan.axes.is_empty());
    let Some(study) = study else { return number < FEW };
    let base = &study.plan.arms[study.plan.baseline].levels;
    arms[number].levels.iter().zip(base).filter(|(own, base)| own != base).count() <= 1
}
