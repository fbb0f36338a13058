//! A figure of lines as panels of the layout.

use super::figure::{Figure, Panel as LinePanel, Rule};
use super::units::{AxisWords, axis};
use crate::axes::{Scale, range};
use crate::curves::{Curve, windows};
use crate::layout::{Entry, Form, Grid, Markers, Panel, Sample, Shape, Side};
use crate::quantity::GAP;
use crate::replicates::Progress;
use crate::scene::Point;
use crate::style::LineStyle;
use crate::text::{Rich, each_once};
use fedbits_figures::{AXES, XAxis};
use std::collections::BTreeMap;

/// Thickness of a line where some of its replicates have ended, of slopes and of rules.
const ENDED: f64 = 0.45;
const SLOPE: f64 = 0.8;
/// Points that are farther apart than this share of the axis are joined by steps: nothing is known between them.
const FAR: f64 = 0.04;
/// Of slopes, which stand beside an arm in its colour and are thinner: no arm has such dashes. An arm's first slope has
/// single dots, the second pairs of dots, the third dots far apart.
const DOTTED: [&[f64]; 3] = [&[0.7, 2.0], &[0.7, 1.6, 0.7, 5.0], &[0.7, 6.0]];

/// Colour, dash and marker of a line: where several quantities share its panel, the dashes are the quantity's.
fn style_of(curve: &Curve) -> LineStyle {
    let style = LineStyle::of(curve.style);
    match (&curve.slope, &curve.quantity) {
        (Some(slope), _) => LineStyle { dash: DOTTED[slope.number % DOTTED.len()], ..style },
        (None, Some((number, _))) => style.dashed(*number),
        (None, None) => style,
    }
}

fn rule_style(number: usize) -> LineStyle {
    LineStyle { color: LineStyle::REFERENCE.color, ..LineStyle::of(0).dashed(number + 1) }
}

pub(crate) fn grid(figure: &Figure) -> Grid {
    let rules = rule_numbers(figure);
    let panels = figure.panels.iter().map(|panel| self::panel(figure, panel, &rules)).collect();
    Grid { panels, entries: entries(figure, &rules), free: [figure.free_x, false], at_ends: true, ..Grid::default() }
}

/// The figure without the rounding noise of squared norms and of differences of objectives on logarithmic axes: the
/// frame ends at the least floor of a line, which is a share of the line's largest value.
pub(crate) fn with_floors(mut figure: Figure) -> Figure {
    for number in 0..figure.verticals.len() {
        let vertical = &figure.verticals[number];
        let share = match vertical.name.as_str() {
            GAP => f64::EPSILON,
            name if name.ends_with("_sq") => f64::EPSILON * f64::EPSILON,
            _ => continue,
        };
        let curves = || figure.panels.iter().filter(|panel| panel.vertical == number).flat_map(|panel| &panel.curves);
        let largest = |curve: &Curve| range(curve.points.iter().map(|point| point.median)).1;
        let low = share * range(curves().map(largest).filter(|value| *value > 0.0)).0;
        let values = curves().flat_map(|curve| &curve.points).flat_map(|point| [point.low, point.median]);
        let (least, _) = range(values.filter(|value| *value > 0.0));
        if vertical.scale == Scale::Log && vertical.window.is_none() && least < low {
            figure.verticals[number].window = Some((low, f64::INFINITY));
        }
    }
    figure
}

fn panel(figure: &Figure, panel: &LinePanel, rules: &BTreeMap<&str, usize>) -> Panel {
    let vertical = figure.vertical(panel);
    let curves = figure.beside(panel).flat_map(|panel| &panel.curves);
    let drawn = curves.map(|curve| {
        let runs = curve.runs.iter().flatten().map(|(costs, _)| costs[panel.x as usize]);
        curve.drawn(panel.x).into_iter().map(|(cost, _)| cost).chain(runs).fold(0.0, f64::max)
    });
    let end = panel.limits.to.unwrap_or_else(|| drawn.fold(0.0, f64::max));
    let AxisWords { label, brief, unit } = axis(panel.x, end);
    let window = vertical.window.map_or([None; 2], |(low, high)| [low, high].map(Some));
    let window = window.map(|end| end.filter(|end| end.is_finite()));
    let limits = [panel.limits.from, panel.limits.to].map(|limit| limit.map(|limit| limit / unit));
    let shapes = panel.curves.iter().flat_map(|curve| shapes(curve, panel, (unit, end / unit)));
    let across = panel.rules.iter().map(|Rule { y, label }| {
        Shape::new(rule_style(rules[label.as_str()]), Form::Across, vec![(0.0, *y)]).sized(SLOPE)
    });
    let holds = if panel.x_scale == Scale::Linear && limits[0].is_none() { vec![0.0] } else { Vec::new() };
    let (label, scale) = (Rich::plain(&label), panel.x_scale);
    let x = Side { label, brief, scale, holds, window: limits, tight: true, ..Side::default() };
    let y = Side { label: vertical.label.clone(), scale: vertical.scale, window, ..Side::default() };
    Panel { heading: panel.heading.clone(), ..Panel::new(x, y, shapes.chain(across)) }
}

/// The shapes of a line: single replicates or a band behind it, the line, and how many replicates get to the target.
fn shapes(curve: &Curve, panel: &LinePanel, (unit, end): (f64, f64)) -> Vec<Shape> {
    let (x, look) = (panel.x, style_of(curve));
    let pale = |points: Vec<(f64, f64)>| Shape::new(look.solid(), Form::Pale, points);
    let form = |points: &[Point], markers| line(points, panel, (unit, end), markers);
    let mut shapes = Vec::new();
    if !curve.trend.is_empty() {
        shapes.push(pale(curve.points.iter().map(|point| (point.at(x) / unit, point.median)).collect()));
    } else {
        let run = |run: &Vec<([f64; AXES], f64)>| {
            let run: Vec<Point> = run.iter().map(|(costs, y)| (costs[x as usize] / unit, *y)).collect();
            Shape::new(look, form(&run, Markers::None), run).way()
        };
        shapes.extend(curve.runs.iter().map(run).map(pale));
        shapes.extend(band(curve, x, unit).map(|(one, two)| Shape::new(look, Form::Band(two), one)));
    }
    let drawn: Vec<(f64, f64)> = curve.drawn(x).into_iter().map(|(cost, value)| (cost / unit, value)).collect();
    let is_sparse = curve.progress.is_none() && curve.is_sparse();
    let markers = match (&curve.slope, is_sparse) {
        (Some(_), _) => Markers::None,
        (None, true) => Markers::Each,
        (None, false) => Markers::Spaced(curve.style),
    };
    let ended = if curve.progress.is_some() { drawn.len() } else { curve.first_ended() };
    let last = drawn.last().copied();
    let (whole, thin) = (&drawn[..ended.min(drawn.len())], &drawn[ended.saturating_sub(1).min(drawn.len())..]);
    if ended < drawn.len() {
        let form = form(&drawn, Markers::Spaced(curve.style));
        shapes.push(Shape::new(look, form, thin.to_vec()).sized(ENDED));
    }
    let thickness = if curve.slope.is_some() { SLOPE } else { 1.0 };
    shapes.push(Shape::new(look, form(&drawn, markers), whole.to_vec()).sized(thickness));
    if let (Some(progress), Some(last)) = (&curve.progress, last) {
        let Progress { reached, planned, .. } = progress;
        if reached < planned {
            shapes.push(Shape::new(look, Form::Counts(vec![format!("{reached}/{planned}")]), vec![last]));
        }
    }
    shapes
}

/// The edges of a line's band; none of one run, and where the replicates stand there one by one.
fn band(curve: &Curve, x: XAxis, unit: f64) -> Option<(Vec<Point>, Vec<Point>)> {
    if !curve.has_band() {
        return None;
    }
    if let Some(progress) = &curve.progress {
        let costs = progress.costs(x);
        let high = costs.iter().map(|cost| (cost.high.map_or(f64::INFINITY, |high| high / unit), cost.level)).collect();
        let low = costs.iter().filter_map(|cost| Some((cost.low? / unit, cost.level))).collect();
        return Some((high, low));
    }
    let edge = |value: fn(&crate::replicates::CurvePoint) -> f64| {
        curve.points.iter().map(|point| (point.at(x) / unit, value(point))).collect()
    };
    Some((edge(|point| point.high), edge(|point| point.low)))
}

/// A line whose points are joined by steps where some are far apart on the axis, which ends at `end`: a value holds
/// until the next one was seen.
fn line(points: &[Point], panel: &LinePanel, (unit, end): (f64, f64), markers: Markers) -> Form {
    let is_log = panel.x_scale == Scale::Log;
    let from = panel.limits.from.map_or(0.0, |from| from / unit);
    let shown = points.iter().map(|point| point.0).filter(|&cost| cost >= from && (!is_log || cost > 0.0));
    let places: Vec<f64> = shown.map(|cost| if is_log { libm::log10(cost) } else { cost }).collect();
    let length = if is_log { libm::log10(end) - range(places.iter().copied()).0 } else { end - from };
    let is_far = places.windows(2).any(|two| two[1] - two[0] > FAR * length);
    if is_far { Form::Steps(markers) } else { Form::Line(markers) }
}

/// The number of each value with a line, by its label.
fn rule_numbers(figure: &Figure) -> BTreeMap<&str, usize> {
    let mut numbers = BTreeMap::new();
    for rule in figure.panels.iter().flat_map(|panel| &panel.rules) {
        let next = numbers.len();
        numbers.entry(rule.label.as_str()).or_insert(next);
    }
    numbers
}

/// What the legend explains: the dashes of quantities, the arms, rules, and what is pale.
fn entries(figure: &Figure, rules: &BTreeMap<&str, usize>) -> Vec<Entry> {
    let plain = |words: &str, look: LineStyle, thickness: f64| Entry::new(words, Sample::Line(look, thickness, false));
    let curve = |curve: &Curve| match curve.slope {
        Some(_) => plain(&curve.label, style_of(curve), SLOPE),
        None => Entry::line(&curve.label, style_of(curve)),
    };
    let quantities = each_once(figure.curves().filter_map(|curve| curve.quantity.as_ref())).into_iter();
    let mut entries: Vec<Entry> =
        quantities.map(|(number, words)| plain(words, LineStyle::INK.dashed(*number), 1.0)).collect();
    entries.extend(figure.legend().into_iter().map(curve));
    entries.extend(rules.iter().map(|(words, number)| plain(words, rule_style(*number), SLOPE)));
    let windows = windows(figure.curves());
    let smoothed = format!("recorded; lines: running medians over {windows}");
    entries.extend((!windows.is_empty()).then(|| Entry::new(&smoothed, Sample::Band(LineStyle::REFERENCE, 0.3))));
    entries
}
