//! Totals over time, as in Figure 2 of the FedEM paper: of each arm the estimated totals with a LOESS line, the missing
//! values, and the error of imputation.

use crate::axes::{Scale, range, scale};
use crate::data::Arm;
use crate::error::ReportError;
use crate::layout::{BoxStyle, Entry, Form, Grid, Markers, PLAIN, Panel, Sample, Shape, Side, most_panels};
use crate::report::{BuiltinKind, Drawing, Report};
use crate::rows::{FigureRows, cells, number};
use crate::style::{LineStyle, Marker, Rgb};
use crate::words::not_shown;
use fedbits_record::{RecordError, RoundRow};

/// The share of the times that a local fit looks at.
const SPAN: f64 = 0.5;
/// With fewer times there is nothing to smooth.
const FEWEST: usize = 6;
const PANELS: usize = 3;
const MISSING: Rgb = (0xB0, 0xB0, 0xB0);

pub(crate) const KIND: BuiltinKind = BuiltinKind {
    name: "trend",
    title: "estimated totals over time, missing values and errors of imputation",
    needs: "the table `trend` of a run",
    draw,
};

fn draw(report: &Report<'_>) -> Result<Vec<Drawing>, ReportError> {
    let trends: Vec<Trend> = report.arms().iter().filter_map(trend).collect();
    let most = most_panels(&grid(&trends, &trends), &report.look) / PANELS;
    let pages = trends.chunks(most.max(1)).map(|shown| grid(&trends, shown)).collect();
    let caption = "Estimated totals over all sites with a LOESS line, sites without an observation, and the root mean \
                   squared error of observations that the fit saw and of those held out.";
    let details = "Estimated totals over all sites at every time (points) with a locally estimated line (LOESS, degree \
        1, tricube weights, half of the times), the number of sites without an observation, and the root mean squared \
        error of observations that the fit saw and of those that were held out, against epochs. The first run of every \
        arm is shown. Times are evenly spaced, as they follow each other in the data.";
    let few = trends.iter().filter(|trend| trend.loess.is_empty()).map(|trend| trend.label.as_str());
    let few = match few.collect::<Vec<_>>().join(", ") {
        none if none.is_empty() => none,
        few => format!(" No line for {few}: fewer than {FEWEST} times."),
    };
    let has_none = |label: &&str| trends.iter().all(|trend| trend.label != *label);
    let without = not_shown("no such table", report.arms().iter().map(Arm::label).filter(has_none));
    let words = [caption.to_owned(), format!("{details}{few}{without}")];
    report.parts(("trend", true), pages, &rows(&trends)?, words, &[])
}

/// The first run of an arm.
struct Trend {
    label: String,
    times: Vec<String>,
    totals: Vec<f64>,
    /// Locally estimated totals; empty with too few times.
    loess: Vec<f64>,
    missing: Vec<f64>,
    /// (epochs, error) of observations that the fit saw.
    observed: Vec<(f64, f64)>,
    /// The same of held-out observations; empty when none were held out.
    held_out: Vec<(f64, f64)>,
}

impl Trend {
    fn epochs(&self) -> impl Iterator<Item = f64> {
        self.observed.iter().chain(&self.held_out).map(|point| point.0)
    }

    /// Where the times stand: whole numbers that follow each other where they are, others by their places in the data.
    fn places(&self) -> Vec<f64> {
        let numbers: Option<Vec<f64>> = self.times.iter().map(|name| name.parse().ok()).collect();
        let follow = |numbers: &Vec<f64>| numbers.windows(2).all(|pair| pair[1] - pair[0] == 1.0);
        numbers.filter(follow).unwrap_or_else(|| (0..self.times.len()).map(|place| place as f64).collect())
    }

    /// The axis of times. Names have ticks; of names as `2004.1`, `2004.2`, which begin alike, the first.
    fn time(&self) -> Side {
        let (places, mut ticks) = (self.places(), Vec::<(f64, String)>::new());
        for (&place, name) in places.iter().zip(&self.times) {
            let start = name.split_once('.').map_or(name.as_str(), |(start, _)| start);
            if name.parse() != Ok(place) && ticks.last().is_none_or(|(_, before)| before != start) {
                ticks.push((place, start.to_owned()));
            }
        }
        let holds = places.iter().flat_map(|place| [place - 0.5, place + 0.5]).collect();
        Side { ticks, holds, tight: true, ..Side::new("time") }
    }

    fn panels(&self, epochs: &Side, has_heading: bool) -> [Panel; PANELS] {
        let places = self.places();
        let points = |values: &[f64]| places.iter().copied().zip(values.iter().copied()).collect::<Vec<_>>();
        let line = |look, points: &[(f64, f64)]| Shape::new(look, Form::Line(Markers::None), points.to_vec());
        let bars = points(&self.missing).into_iter().flat_map(|(at, missing)| [(at - 0.5, 0.0), (at + 0.5, missing)]);
        let filling = BoxStyle { color: MISSING, hatch: PLAIN, cover: 1.0 };
        let [total, observed, held_out] = looks();
        let totals = vec![
            Shape::new(total, Form::Cloud, points(&self.totals)),
            line(LineStyle::INK, &points(&self.loess)).sized(1.4),
        ];
        let missing = vec![Shape::new(LineStyle::INK, Form::Boxes(filling), bars.collect())];
        let errors = vec![line(observed, &self.observed), line(held_out, &self.held_out)];
        let heading = has_heading.then(|| self.label.clone());
        [
            Panel { heading, ..Panel::new(self.time(), Side::new("estimated total"), totals) },
            Panel::new(self.time(), Side { tight: true, ..Side::new("missing sites") }, missing),
            Panel::new(epochs.clone(), Side::new("error (RMSE)"), errors),
        ]
    }
}

/// Of totals, and of the errors of observations that the fit saw and that were held out.
fn looks() -> [LineStyle; 3] {
    let total = LineStyle { marker: Marker::Circle, ..LineStyle::of(6).solid() };
    [total, LineStyle::of(0).dashed(1), LineStyle::of(1).solid()]
}

/// A row of panels per shown arm; the errors of all arms stand over the same epochs.
fn grid(all: &[Trend], shown: &[Trend]) -> Grid {
    let ends = all.iter().map(|trend| trend.epochs().fold(0.0, f64::max));
    let scale = scale(ends);
    let has_place = |at: &f64| scale == Scale::Linear || *at > 0.0;
    let (first, last) = range(all.iter().flat_map(Trend::epochs).filter(has_place));
    let first = if scale == Scale::Linear { 0.0 } else { first };
    let holds = if first <= last { vec![first, last] } else { Vec::new() };
    let epochs = Side { scale, holds, tight: true, ..Side::new("epochs") };
    let line = |words: &str, look, thickness| Entry::new(words, Sample::Line(look, thickness, false));
    let [total, observed, held_out] = looks();
    let any = |is_there: fn(&Trend) -> bool| shown.iter().any(is_there);
    let entries = [
        (true, Entry::dot("estimated total", total, true)),
        (any(|trend| !trend.loess.is_empty()), line("LOESS", LineStyle::INK, 1.4)),
        (any(|trend| !trend.observed.is_empty()), line("RMSE of the fit", observed, 1.0)),
        (any(|trend| !trend.held_out.is_empty()), line("held-out RMSE", held_out, 1.0)),
    ];
    Grid {
        entries: entries.into_iter().filter(|entry| entry.0).map(|entry| entry.1).collect(),
        panels: shown.iter().flat_map(|trend| trend.panels(&epochs, all.len() > 1)).collect(),
        columns: Some(PANELS),
        free: [true; 2],
        ..Grid::default()
    }
}

fn trend(arm: &Arm) -> Option<Trend> {
    let run = arm.runs.first()?;
    let table = run.record.extra.iter().find(|table| table.name == "trend" && !table.rows.is_empty())?;
    let (time, totals) = (table.column("time")?, table.numbers("estimated_total")?);
    let errors = |column: &str| {
        let value = |row: &RoundRow| row.value(column, &run.record.manifest.extra_columns);
        run.record.rounds.iter().filter_map(|row| Some((row.epochs, value(row)?))).collect()
    };
    let loess = if totals.len() < FEWEST { Vec::new() } else { loess(&totals, SPAN) };
    Some(Trend {
        label: arm.label.clone(),
        times: table.rows.iter().map(|row| row[time].to_string()).collect(),
        loess,
        totals,
        missing: table.numbers("missing")?,
        observed: errors("observed_rmse"),
        held_out: errors("held_out_rmse"),
    })
}

/// Locally estimated scatterplot smoothing of values at even distances (Cleveland 1979, degree 1, no robustness steps):
/// at every point a line is fitted to the nearest ⌈span · n⌉ values with tricube weights.
fn loess(values: &[f64], span: f64) -> Vec<f64> {
    let n = values.len();
    let window = ((span * n as f64).ceil() as usize).clamp(3.min(n), n);
    (0..n).map(|at| local_line(values, at, window)).collect()
}

fn local_line(values: &[f64], at: usize, window: usize) -> f64 {
    let first = at.saturating_sub((window - 1) / 2).min(values.len() - window);
    let farthest = (at - first).max(first + window - 1 - at) as f64;
    let (mut w0, mut w1, mut w2, mut y0, mut y1) = (0.0, 0.0, 0.0, 0.0, 0.0);
    for (index, value) in values.iter().enumerate().skip(first).take(window) {
        let x = index as f64 - at as f64;
        let share = x.abs() / farthest.max(1.0);
        let cube = 1.0 - share * share * share;
        let weight = cube * cube * cube;
        w0 += weight;
        w1 += weight * x;
        w2 += weight * x * x;
        y0 += weight * value;
        y1 += weight * x * value;
    }
    let determinant = w0 * w2 - w1 * w1;
    // Weights at one point only: its mean.
    if determinant > 1e-12 * w0 * w2 { (w2 * y0 - w1 * y1) / determinant } else { y0 / w0 }
}

/// A tidy table: arm, time, total, its local estimate, missing values.
fn rows(trends: &[Trend]) -> Result<FigureRows, RecordError> {
    let of_trend = |trend: &'_ Trend| {
        let row = |(index, time): (usize, &String)| {
            let [total, loess] = [Some(trend.totals[index]), trend.loess.get(index).copied()].map(number);
            cells![trend.label, time, total, loess, trend.missing[index]]
        };
        trend.times.iter().enumerate().map(row).collect::<Vec<_>>()
    };
    FigureRows::new(&["arm", "time", "estimated_total", "loess", "missing"], trends.iter().flat_map(of_trend))
}

#[cfg(test)]
mod tests {
    use super::loess;

    /// A line is its own local fit, at the ends too.
    #[test]
    fn lines_stay() {
        let values: Vec<f64> = (0..23).map(|x| 3.0 - 0.5 * f64::from(x)).collect();
        for (smooth, value) in loess(&values, 0.4).iter().zip(&values) {
            assert!((smooth - value).abs() < 1e-12);
        }
    }

    /// The window of five has its ends at weight 0, so in the middle three values count, with tricube weights
    /// (1 − 1/8)³ = 0.669921875, 1, 0.669921875; the line through symmetric weights passes their weighted mean.
    #[test]
    fn the_middle_of_a_window() {
        let values = [4.0, 1.0, 0.0, 2.0, 7.0, 3.0, 3.0, 8.0, 1.0];
        let w = 0.669_921_875;
        let expected = (w * 2.0 + 7.0 + w * 3.0) / (1.0 + 2.0 * w);
        assert!((loess(&values, 5.0 / 9.0)[4] - expected).abs() < 1e-12);
    }
}
