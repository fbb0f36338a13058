//! Mixtures, drawn: ellipses of the components over two columns with the truth beside the estimate, and densities of
//! single columns, over the histograms of the data where records hold these.

use crate::axes::range;
use crate::data::{Arm, Run};
use crate::error::ReportError;
use crate::layout::{BoxStyle, Entry, Form, Grid, Markers, PLAIN, Panel, Shape, Side};
use crate::report::{BuiltinKind, Drawing, Report};
use crate::rows::{FigureRows, cells, number};
use crate::style::LineStyle;
use crate::words::not_shown;
use fedbits_figures::{Mixture, MixtureView};
use fedbits_record::{Marginal, RecordError};
use serde::Deserialize;
use serde_json::Value;

/// Panels of a figure; more arms have further figures.
const PANELS: usize = 9;
/// Standard deviations of the ellipses.
const DEVIATIONS: [f64; 2] = [1.0, 2.0];
/// Positions at which a density is drawn.
const POSITIONS: u32 = 200;
const DATA: BoxStyle = BoxStyle { color: (0xD8, 0xD8, 0xD8), hatch: PLAIN, cover: 1.0 };

pub(crate) const KIND: BuiltinKind = BuiltinKind {
    name: "mixture",
    title: "ellipses over two columns, and densities of single ones (`mixture-marginals`)",
    needs: "the fitted model of a mixture; for ellipses of two columns or more",
    draw: |report| {
        let marginals = Mixture { view: MixtureView::Marginals, ..Mixture::default() };
        let mut drawn = draw(report, &Mixture::default())?;
        drawn.extend(draw(report, &marginals)?);
        Ok(drawn)
    },
};

/// The figure; several where there are more than nine panels. None where no arm has fitted a mixture, and ellipses only
/// where it has two columns.
pub(crate) fn draw(report: &Report<'_>, setting: &Mixture) -> Result<Vec<Drawing>, ReportError> {
    let arms = report.arms().iter();
    let fitted = arms.filter_map(|arm| Some((arm, arm.runs.iter().find_map(FittedMixture::of)?)));
    let fitted: Vec<(&Arm, FittedMixture)> = fitted.collect();
    let Some((_, first)) = fitted.first() else { return Ok(Vec::new()) };
    let everywhere = |name: &&String| fitted.iter().all(|(_, fitted)| fitted.column(name).is_some());
    let columns: Vec<String> = match &setting.columns[..] {
        [] => first.columns.iter().filter(everywhere).take(2).cloned().collect(),
        asked => asked.to_vec(),
    };
    let mut pairs = columns.iter().flat_map(|name| fitted.iter().map(move |(_, fitted)| (name, fitted)));
    if let Some((name, lacking)) = pairs.find(|(name, fitted)| fitted.column(name).is_none()) {
        return Err(ReportError::unknown("column of the data", name, lacking.columns.iter().map(String::as_str)));
    }
    // Mixtures of data that have nothing in common.
    if columns.is_empty() {
        return Ok(Vec::new());
    }
    let tables = fitted.iter().flat_map(|(arm, _)| arm.records()).map(|record| Marginal::of(&record.extra));
    let bins = tables.into_iter().find(|bins| !bins.is_empty()).unwrap_or_default();
    let figure = MixtureFigure { report, view: setting.view, fitted: &fitted, columns: &columns, bins };
    let ellipses = |(arm, mixture): &(&Arm, FittedMixture)| figure.ellipses(arm, mixture);
    let (name, panels): (_, Vec<Panel>) = match setting.view {
        MixtureView::Ellipses if columns.len() < 2 => return Ok(Vec::new()),
        MixtureView::Ellipses => ("mixture", fitted.iter().map(ellipses).collect()),
        MixtureView::Marginals => ("mixture-marginals", columns.iter().map(|column| figure.density(column)).collect()),
    };
    let parts = panels.len().div_ceil(PANELS).max(1);
    let each = panels.len().div_ceil(parts).max(1);
    let grid = Grid { panels, entries: figure.entries(), ..Grid::default() };
    let words = [figure.caption(), figure.about()];
    report.parts((name, false), grid.parts(each), &figure.rows()?, words, &[])
}

struct MixtureFigure<'a> {
    report: &'a Report<'a>,
    view: MixtureView,
    fitted: &'a [(&'a Arm, FittedMixture)],
    columns: &'a [String],
    /// Histograms of the data's columns, where a record holds them, of the first arm that does.
    bins: Vec<Marginal>,
}

impl MixtureFigure<'_> {
    fn entries(&self) -> Vec<Entry> {
        let arm = |(arm, _): &(&Arm, FittedMixture)| Entry::line(&arm.label, LineStyle::of(arm.style));
        let mut entries: Vec<Entry> = match (self.view, self.fitted) {
            (MixtureView::Marginals, fitted) => fitted.iter().map(arm).collect(),
            (_, [(only, _)]) => vec![Entry::line("fitted", LineStyle::of(only.style).solid())],
            // Panels have the names of the arms above them.
            _ => Vec::new(),
        };
        entries.extend(self.has_truth().then(|| Entry::reference("truth")));
        let has_data = self.view == MixtureView::Marginals && !self.bins.is_empty();
        entries.extend(has_data.then(|| Entry::filled("data", DATA)));
        entries
    }

    /// Is a truth drawn? One line stands for all arms, if they have one truth.
    fn has_truth(&self) -> bool {
        match self.view {
            MixtureView::Ellipses => self.truths().next().is_some(),
            MixtureView::Marginals => self.common_truth().is_some(),
        }
    }

    fn truths(&self) -> impl Iterator<Item = (&FittedMixture, &Gaussians)> {
        self.fitted.iter().filter_map(|(_, fitted)| Some((fitted, fitted.truth.as_ref()?)))
    }

    fn common_truth(&self) -> Option<(&FittedMixture, &Gaussians)> {
        let first = self.truths().next()?;
        self.truths().all(|(fitted, truth)| fitted.columns == first.0.columns && truth == first.1).then_some(first)
    }

    /// The components of an arm over the first two columns.
    fn ellipses(&self, arm: &Arm, fitted: &FittedMixture) -> Panel {
        let column = |number: usize| fitted.column(&self.columns[number]).unwrap_or(number);
        let (i, j) = (column(0), column(1));
        let look = LineStyle::of(arm.style).solid();
        let lines = |mixture: &Gaussians| -> Vec<Vec<(f64, f64)>> {
            let levels = (0..mixture.means.len()).flat_map(|g| DEVIATIONS.map(|level| (g, level)));
            levels.filter_map(|(g, level)| mixture.ellipse(g, (i, j), level)).collect()
        };
        let of = |look: LineStyle, form: Form, means: &Vec<Vec<f64>>| {
            Shape::new(look, form, means.iter().map(|mean| (mean[i], mean[j])).collect())
        };
        let dots = |look: LineStyle, mixture: &Gaussians| of(look, Form::Dots { hollow: false }, &mixture.means);
        let mut shapes = Vec::new();
        if let Some(truth) = &fitted.truth {
            shapes.extend(lines(truth).into_iter().map(Shape::reference));
            shapes.push(dots(LineStyle::REFERENCE, truth));
        }
        shapes.extend(fitted.ways.iter().map(|way| of(look, Form::Pale, way)));
        let line = |line| Shape::new(look, Form::Line(Markers::None), line);
        shapes.extend(lines(&fitted.estimate).into_iter().map(line));
        shapes.push(dots(look, &fitted.estimate));
        let side = |number: usize| Side::new(&self.columns[number]);
        Panel { heading: Some(arm.label.clone()), ..Panel::new(side(0), side(1), shapes) }
    }

    fn density(&self, name: &str) -> Panel {
        let mixtures = || {
            let truths = self.common_truth().map(|(fitted, truth)| (None, fitted, truth));
            let estimates = self.fitted.iter().map(|(arm, fitted)| (Some(arm.style), fitted, &fitted.estimate));
            truths.into_iter().chain(estimates)
        };
        let column = |fitted: &FittedMixture| fitted.column(name).unwrap_or(0);
        let ends = mixtures().map(|(_, fitted, mixture)| mixture.reach(column(fitted)));
        let (low, high) = range(ends.flat_map(|(low, high)| [low, high]));
        let at = |step: u32| low + (high - low) * f64::from(step) / f64::from(POSITIONS);
        let line = |(style, fitted, mixture): (Option<usize>, &FittedMixture, &Gaussians)| {
            let points = (0..=POSITIONS).map(|step| (at(step), mixture.density(column(fitted), at(step)))).collect();
            match style {
                Some(style) => Shape::new(LineStyle::of(style), Form::Line(Markers::Spaced(style)), points),
                None => Shape::reference(points),
            }
        };
        let x = Side { tight: true, ..Side::new(name) };
        let y = Side { holds: vec![0.0], tight: true, ..Side::new("density") };
        Panel::new(x, y, self.histogram(name).into_iter().chain(mixtures().map(line)))
    }

    /// The histogram of a column of the data, as a density; none without one, or of a column that does not vary.
    fn histogram(&self, name: &str) -> Option<Shape> {
        let bins: Vec<&Marginal> = self.bins.iter().filter(|bin| bin.column == name).collect();
        let all: u64 = bins.iter().map(|bin| bin.count).sum();
        let corners = |bin: &&Marginal| {
            let density = bin.count as f64 / (all as f64 * (bin.ends[1] - bin.ends[0]));
            [(bin.ends[0], 0.0), (bin.ends[1], density)]
        };
        let points: Vec<(f64, f64)> = bins.iter().flat_map(corners).collect();
        let is_shown = !points.is_empty() && points.iter().all(|(_, density)| density.is_finite());
        is_shown.then(|| Shape::new(LineStyle::REFERENCE, Form::Boxes(DATA), points))
    }

    /// A tidy table: arm, `fitted` or `truth`, component, weight, and of each column mean and standard deviation.
    fn rows(&self) -> Result<FigureRows, RecordError> {
        let of_columns = self.columns.iter().flat_map(|name| [format!("{name}_mean"), format!("{name}_deviation")]);
        let header = ["arm", "of", "component", "weight"].map(str::to_owned).into_iter().chain(of_columns);
        let of_mixture = |(arm, fitted): &(&Arm, FittedMixture), of: &str, mixture: &Gaussians| {
            let row = |(g, weight): (usize, &f64)| {
                let moments = |at: usize| [mixture.means[g][at], libm::sqrt(mixture.covariances[g][at][at])];
                let moments = self.columns.iter().filter_map(|name| fitted.column(name)).flat_map(moments);
                let numbers = [*weight].into_iter().chain(moments).map(number);
                cells![arm.label, of, g].into_iter().chain(numbers).collect()
            };
            mixture.weights.iter().enumerate().map(row).collect::<Vec<Vec<String>>>()
        };
        let of_arm = |arm: &(&Arm, FittedMixture)| {
            let truth = arm.1.truth.iter().flat_map(|truth| of_mixture(arm, "truth", truth));
            of_mixture(arm, "fitted", &arm.1.estimate).into_iter().chain(truth).collect::<Vec<_>>()
        };
        FigureRows::new(&header.collect::<Vec<_>>(), self.fitted.iter().flat_map(of_arm))
    }

    fn caption(&self) -> String {
        let truth = if self.has_truth() { "; dashed: what the data were drawn from" } else { "" };
        match self.view {
            MixtureView::Ellipses => {
                let ways = self.fitted.iter().any(|(_, fitted)| !fitted.ways.is_empty());
                let ways = if ways { "; thin: the ways of the means over the rounds" } else { "" };
                let shown = "means, and ellipses of one and two standard deviations";
                format!("Components of the fitted mixtures: {shown}{ways}{truth}.")
            }
            MixtureView::Marginals => {
                let data = if self.bins.is_empty() { "" } else { "; grey bars: histograms of the data" };
                format!("Densities of single columns under the fitted mixtures{truth}{data}.")
            }
        }
    }

    fn about(&self) -> String {
        let mut text = self.caption();
        text.push_str(" In the units of the data, of the first run of each arm, after its last round.");
        text.push_str(match (self.view, self.bins.is_empty()) {
            (MixtureView::Marginals, true) => {
                " Without `record: (marginals: …)` records hold no histograms of the data, so that none are shown."
            }
            (MixtureView::Marginals, false) => {
                " The histograms are those of the first run that has the table `marginals`."
            }
            (MixtureView::Ellipses, _) => " Records hold no data, so that none are shown behind.",
        });
        if self.view == MixtureView::Marginals && self.truths().next().is_some() && self.common_truth().is_none() {
            text += " The data of the arms were drawn from different mixtures, which are in the CSV.";
        }
        let is_without = |arm: &&Arm| self.fitted.iter().all(|(fitted, _)| fitted.label != arm.label);
        let without = self.report.arms().iter().filter(is_without).map(Arm::label);
        text += &not_shown("no fitted mixture with covariances of the data's columns", without);
        text
    }
}

/// A mixture of normal distributions.
#[derive(Debug, Clone, PartialEq, Deserialize)]
struct Gaussians {
    pub weights: Vec<f64>,
    /// By component, then column.
    pub means: Vec<Vec<f64>>,
    /// By component, d × d.
    pub covariances: Vec<Vec<Vec<f64>>>,
}

/// What a run fitted.
#[derive(Debug, Clone, PartialEq)]
struct FittedMixture {
    pub columns: Vec<String>,
    pub estimate: Gaussians,
    /// What the data were drawn from.
    pub truth: Option<Gaussians>,
    /// By component: the means of the recorded rounds; empty where θ was not recorded, or of prepared columns.
    pub ways: Vec<Vec<Vec<f64>>>,
}

impl FittedMixture {
    /// Of a run that fitted a mixture with covariances in the units of the data.
    pub(crate) fn of(run: &Run) -> Option<Self> {
        let model: Value = serde_json::from_str(run.record.model.as_ref()?).ok()?;
        let columns = Vec::<String>::deserialize(&model["parameter_columns"]).ok()?;
        let estimate = estimate(&model["parameters"])?;
        let truth = Gaussians::deserialize(&model["truth"]).ok();
        let fits = |mixture: &Gaussians| mixture.means.iter().all(|mean| mean.len() == columns.len());
        if !fits(&estimate) {
            return None;
        }
        let is_plain = model["transformation"].as_array().is_some_and(Vec::is_empty);
        let ways = if is_plain { ways(run, &estimate) } else { Vec::new() };
        Some(Self { truth: truth.filter(fits), columns, estimate, ways })
    }

    pub(crate) fn column(&self, name: &str) -> Option<usize> {
        self.columns.iter().position(|column| column == name)
    }
}

/// The fitted mixture, its covariances one per component.
fn estimate(parameters: &Value) -> Option<Gaussians> {
    let weights = Vec::deserialize(&parameters["weights"]).ok()?;
    let means = Vec::deserialize(&parameters["means"]).ok()?;
    let written = &parameters["covariances"];
    let diagonal = |row: &Vec<f64>| {
        let entry = |i: usize, j: usize| if i == j { row[i] } else { 0.0 };
        (0..row.len()).map(|i| (0..row.len()).map(|j| entry(i, j)).collect()).collect()
    };
    let covariances = match parameters["covariance_type"].as_str()? {
        "full" => Vec::deserialize(written).ok()?,
        "tied" => vec![Vec::deserialize(written).ok()?; weights.len()],
        "diag" => Vec::<Vec<f64>>::deserialize(written).ok()?.iter().map(diagonal).collect(),
        _ => return None,
    };
    Some(Gaussians { weights, means, covariances })
}

fn ways(run: &Run, estimate: &Gaussians) -> Vec<Vec<Vec<f64>>> {
    let Some(theta) = &run.record.theta else { return Vec::new() };
    let way = |(component, mean): (usize, &Vec<f64>)| -> Option<Vec<Vec<f64>>> {
        let name = |column: usize| format!("mean_{component}_{column}");
        let find = |column: usize| theta.names.iter().position(|known| *known == name(column));
        let at: Vec<usize> = (0..mean.len()).map(find).collect::<Option<_>>()?;
        Some(theta.rows.iter().map(|row| at.iter().map(|&at| row.values[at]).collect()).collect())
    };
    estimate.means.iter().enumerate().map(way).collect::<Option<_>>().unwrap_or_default()
}

impl Gaussians {
    /// The ellipse of a component at so many standard deviations over two columns: closed. None where the covariance is
    /// not positive definite.
    pub(crate) fn ellipse(&self, component: usize, (i, j): (usize, usize), deviations: f64) -> Option<Vec<(f64, f64)>> {
        const POINTS: u32 = 72;
        let (mean, sigma) = (&self.means[component], self.covariances.get(component)?);
        // L of Σ = L Lᵀ.
        let first = libm::sqrt(sigma[i][i]);
        let below = sigma[i][j] / first;
        let second = libm::sqrt(sigma[j][j] - below * below);
        if !(first > 0.0 && second > 0.0) {
            return None;
        }
        let point = |step: u32| {
            let angle = std::f64::consts::TAU * f64::from(step) / f64::from(POINTS);
            let (x, y) = (deviations * libm::cos(angle), deviations * libm::sin(angle));
            (mean[i] + first * x, mean[j] + below * x + second * y)
        };
        Some((0..=POINTS).map(point).collect())
    }

    fn density(&self, column: usize, value: f64) -> f64 {
        let component = |(g, weight): (usize, &f64)| {
            let variance = self.covariances[g][column][column];
            let distance = value - self.means[g][column];
            let norm = libm::sqrt(std::f64::consts::TAU * variance);
            weight * libm::exp(-0.5 * distance * distance / variance) / norm
        };
        self.weights.iter().enumerate().map(component).sum()
    }

    /// From where to where a column is denser than next to nothing: three and a half standard deviations around each
    /// component.
    pub(crate) fn reach(&self, column: usize) -> (f64, f64) {
        let ends = self.means.iter().zip(&self.covariances).flat_map(|(mean, sigma)| {
            let far = 3.5 * libm::sqrt(sigma[column][column]);
            [mean[column] - far, mean[column] + far]
        });
        crate::axes::range(ends)
    }
}

#[cfg(test)]
mod tests {
    use super::Gaussians;
    use proptest::prelude::*;

    proptest! {
        /// Every point of an ellipse has its Mahalanobis distance; densities integrate to 1.
        #[test]
        fn ellipses_and_densities(
            variances in (0.1f64..9.0, 0.1f64..9.0), correlation in -0.95f64..0.95, weight in 0.05f64..0.95,
            mean in (-5.0f64..5.0, -5.0f64..5.0), deviations in 0.5f64..3.0,
        ) {
            let (a, b) = variances;
            let c = correlation * libm::sqrt(a * b);
            let sigma = vec![vec![a, c], vec![c, b]];
            let mixture = Gaussians {
                weights: vec![weight, 1.0 - weight],
                means: vec![vec![mean.0, mean.1], vec![0.0, 0.0]],
                covariances: vec![sigma.clone(), sigma],
            };
            let determinant = a * b - c * c;
            for (x, y) in mixture.ellipse(0, (0, 1), deviations).unwrap() {
                let (x, y) = (x - mean.0, y - mean.1);
                let distance = (b * x * x - 2.0 * c * x * y + a * y * y) / determinant;
                prop_assert!((distance - deviations * deviations).abs() < 1e-9 * (1.0 + distance));
            }
            let (low, high) = (-40.0, 40.0);
            let step = (high - low) / 8_000.0;
            let sum: f64 = (0..8_000).map(|at| mixture.density(1, low + step * f64::from(at)) * step).sum();
            prop_assert!((sum - 1.0).abs() < 1e-6, "{sum}");
        }
    }
}
