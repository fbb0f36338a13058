//! Parameters against what they cost: a figure per component of θ, a line per arm, where θ was recorded and is not too
//! long.

use super::components;
use super::figure::{Figure, Window};
use super::symbols::Symbol;
use crate::axes::range;
use crate::curves::Curve;
use crate::data::Arm;
use crate::error::ReportError;
use crate::kind::{About, FigureKind};
use crate::report::{Drawing, Report};
use fedbits_figures::XAxis;
use fedbits_numerics::{quantile, sorted};
use fedbits_spec::so_many;

/// Of a longer θ only the first components are drawn; all are in `theta.csv`.
const MAX_COMPONENTS: usize = 12;
const FIRST_COMPONENTS: usize = 6;
/// A θ with more components than this is a table of data and no list of parameters.
const LONGEST: usize = 200;
/// The frame reaches at most this many times farther from the middle of the last values than half of these do …
const REACH: f64 = 8.0;
/// … unless all values fit into a frame that is this many times as high.
const ROOMY: f64 = 3.0;

/// The kind of figure.
pub(crate) struct Parameters;

impl FigureKind for Parameters {
    fn about(&self) -> About {
        About {
            name: "parameter-…",
            title: "parameters against what they cost",
            needs: "`theta.csv` of at most 200 parameters, which are none of a mixture (`weights` and \
                `Curves(y: [\"theta.mean_*\"])` show these)",
        }
    }

    fn draw(&self, report: &Report<'_>) -> Result<Vec<Drawing>, ReportError> {
        report.all_lines(figures(report.arms()))
    }
}

/// One figure per component, for models whose components are parameters and not weights of a mixture.
fn figures(arms: &[Arm]) -> Vec<Figure> {
    let Some(names) = names(arms) else { return Vec::new() };
    let shown = if names.len() > MAX_COMPONENTS { FIRST_COMPONENTS } else { names.len() };
    let mut figures: Vec<Figure> = names[..shown].iter().filter_map(|name| figure(arms, name, &names)).collect();
    if shown < names.len() {
        let note =
            format!("the first {shown} of {} of θ are drawn, all are in theta.csv", so_many(names.len(), "component"));
        figures.iter_mut().for_each(|figure| figure.notes.push(note.clone()));
    }
    figures
}

/// The components' names when every arm that recorded θ has few, or the first of them; a mixture's weights have a
/// figure of their own.
fn names(arms: &[Arm]) -> Option<Vec<String>> {
    let mut names: Vec<String> = Vec::new();
    for theta in arms.iter().filter_map(|arm| arm.runs.first()?.record.theta.as_ref()) {
        names.extend(theta.names.iter().filter(|name| !names.contains(name)).cloned().collect::<Vec<_>>());
    }
    let short = !names.is_empty() && names.len() <= LONGEST;
    let mixture = names.iter().any(|name| name.starts_with("weight_"));
    (short && !mixture).then_some(names)
}

fn figure(arms: &[Arm], name: &str, names: &[String]) -> Option<Figure> {
    let component = |arm: &Arm| arm.component(arm.style, name, arm.label.clone());
    let curves: Vec<Curve> = arms.iter().filter_map(component).collect();
    let file = format!("parameter-{}", name.replace(|c: char| !c.is_alphanumeric() && c != '_', "-"));
    let axes = [XAxis::Rounds, XAxis::BitsUp, XAxis::Time];
    let symbol = Symbol::of(name, names);
    let words = match &symbol {
        Some(symbol) => format!("the parameter {} ({name} in theta.csv)", symbol.words()),
        None => format!("the parameter {name}"),
    };
    let mut figure = Figure::new(&file, (name, &words), &axes, &curves);
    figure.verticals[0].window = window(&curves);
    figure.notes.extend(components::caveat(arms, |own| own == name).map(|caveat| caveat.to_string()));
    if let Some(symbol) = symbol {
        figure.verticals[0].label = symbol.label();
    }
    (!curves.is_empty()).then_some(figure)
}

/// Where most arms end, and what is near: one arm that runs away would flatten all others. `None` for an arm alone, and
/// where all values have room.
fn window(curves: &[Curve]) -> Option<Window> {
    if curves.len() < 2 {
        return None;
    }
    let last = |curve: &Curve| curve.points.last().map(|point| point.median);
    let middle = median(curves.iter().filter_map(last).collect());
    let spread = median(curves.iter().filter_map(last).map(|value| (value - middle).abs()).collect());
    let reach = REACH * spread.max(middle.abs() / 20.0);
    let points = || curves.iter().flat_map(|curve| &curve.points);
    let values = || points().flat_map(|point| [point.low, point.median, point.high]);
    let (low, high) = range(values().filter(|value| (value - middle).abs() <= reach));
    let (lowest, highest) = range(values());
    let height = high - low;
    // No height is no scale to measure the rest by.
    if height <= 0.0 || highest - lowest <= ROOMY * height {
        return None;
    }
    let rule = format!(
        "the frame holds the values that are at most {reach:.3} from {middle:.4}, the median of where the arms end; \
         all values are in the CSV"
    );
    Some(Window { low, high, rule })
}

fn median(values: Vec<f64>) -> f64 {
    if values.is_empty() { 0.0 } else { quantile(&sorted(values), 0.5) }
}
