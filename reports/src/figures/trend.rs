//! Totals over time, as in Figure 2 of the FedEM paper: estimated totals with a LOESS line, missing values under them,
//! and the error of imputation beside them. Drawn by [`super::trend_panels`].

use super::trend_panels::{self, Trend};
use crate::caption::Words;
use crate::data::Arm;
use crate::error::ReportError;
use crate::kind::{About, FigureKind};
use crate::report::{Drawing, Report};
use crate::words::not_shown;
use fedbits_record::{Float, RecordError, RoundRow, RunRecord, Table};
use std::ops::Range;

/// The share of the times that a local fit looks at.
const SPAN: f64 = 0.5;
/// With fewer times there is nothing to smooth.
const FEWEST: usize = 6;

/// The kind of figure.
pub(crate) struct Trends;

impl FigureKind for Trends {
    fn about(&self) -> About {
        About {
            name: "trend",
            title: "estimated totals over time, missing values and errors of imputation",
            needs: "the table `trend` of a run",
        }
    }

    fn draw(&self, report: &Report<'_>) -> Result<Vec<Drawing>, ReportError> {
        let trends: Vec<Trend> = report.arms().iter().filter_map(trend).collect();
        let pages = trend_panels::pages(trends.len(), &report.look, &report.metrics);
        let count = pages.len();
        let draw = |(page, shown): (usize, Range<usize>)| {
            // What does not fit on a page goes on in `trend-2`.
            let name = if page == 0 { "trend".to_owned() } else { format!("trend-{}", page + 1) };
            report.drawing(
                (&name, "trend"),
                trend_panels::draw(&trends, shown.clone(), (&report.look, &report.metrics)),
                |comments| csv(&trends, comments),
                words(report, (&trends, &trends[shown.clone()]), (page + 1, count)),
            )
        };
        pages.into_iter().enumerate().map(draw).collect()
    }
}

/// `(page, of)`: the number of the figure among those that show all arms together; `shown` is its part.
fn words(report: &Report<'_>, (all, shown): (&[Trend], &[Trend]), (page, of): (usize, usize)) -> Words {
    let mut caption = "Estimated totals over all sites (points) with a LOESS line, and the number of sites without an \
                       observation; beside them the root mean squared error of observations that the fit saw and of \
                       those held out, against epochs."
        .to_owned();
    let mut about = "Estimated totals over all sites at every time (points) with a locally estimated line (LOESS, \
        degree 1, tricube weights, half of the times), the number of sites without an observation under them, and \
        beside them the root mean squared error of observations that the fit saw and of those that were held out, \
        against epochs; the first run of every arm."
        .to_owned();
    let labels = |of: &dyn Fn(&&Trend) -> bool| {
        shown.iter().filter(of).map(|trend| trend.label.as_str()).collect::<Vec<_>>().join(", ")
    };
    let few = labels(&|trend| trend.loess.is_empty());
    if !few.is_empty() {
        about += &format!(" No line for {few}: fewer than {FEWEST} times.");
    }
    if of > 1 {
        caption += &format!(" Part {page} of {of}.");
        let all = labels(&|_| true);
        about += &format!(
            " All arms together are higher than a page: this is part {page} of {of}, with {all}; error axes are those \
             of all parts."
        );
    }
    let without = report.arms().iter().map(Arm::label).filter(|label| all.iter().all(|own| own.label != *label));
    about += &not_shown("no such table", without);
    report.words(&caption, &about)
}

fn trend(arm: &Arm) -> Option<Trend> {
    let run = arm.runs.first()?;
    let table = run.record.extra.iter().find(|table| table.name == "trend" && !table.rows.is_empty())?;
    let (time, totals) = (table.column("time")?, table.numbers("estimated_total")?);
    let loess = if totals.len() < FEWEST { Vec::new() } else { loess(&totals, SPAN) };
    Some(Trend {
        label: arm.label.clone(),
        times: table.rows.iter().map(|row| row[time].to_string()).collect(),
        loess,
        totals,
        missing: table.numbers("missing")?,
        observed: errors(&run.record, "observed_rmse"),
        held_out: errors(&run.record, "held_out_rmse"),
    })
}

/// A column of the run's rounds against epochs, where it was measured.
fn errors(record: &RunRecord, column: &str) -> Vec<(f64, f64)> {
    let value = |row: &RoundRow| row.value(column, &record.manifest.extra_columns);
    record.rounds.iter().filter_map(|row| Some((row.epochs, value(row)?))).collect()
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
fn csv(trends: &[Trend], comments: &[String]) -> Result<String, RecordError> {
    let mut table = Table::in_memory(comments, &["arm", "time", "estimated_total", "loess", "missing"])?;
    for trend in trends {
        for (index, time) in trend.times.iter().enumerate() {
            let (total, loess) = (Float(Some(trend.totals[index])), Float(trend.loess.get(index).copied()));
            table.row(&[&trend.label, time, &total, &loess, &trend.missing[index]])?;
        }
    }
    table.into_text()
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
