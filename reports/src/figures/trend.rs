//! Totals over time, as in Figure 2 of the FedEM paper: estimated totals with a LOESS line, missing values under them, and the
//! error of imputation beside them. Drawn by [`super::trend_panels`].

use crate::data::{Arm, Run};
use std::fmt::Write;

/// The share of the times that a local fit looks at.
const SPAN: f64 = 0.5;
/// With fewer times there is nothing to smooth.
pub(crate) const FEWEST: usize = 6;

/// The first run of an arm.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Trend {
    pub label: String,
    pub times: Vec<String>,
    pub totals: Vec<f64>,
    /// Locally estimated totals; empty with too few times.
    pub loess: Vec<f64>,
    pub missing: Vec<f64>,
    /// (epochs, error) of observations that the fit saw.
    pub observed: Vec<(f64, f64)>,
    /// The same of held-out observations; empty when none were held out.
    pub held_out: Vec<(f64, f64)>,
}

impl Trend {
    /// The trends of all arms that have one.
    pub(crate) fn of(arms: &[Arm]) -> Vec<Self> {
        arms.iter().filter_map(Self::of_arm).collect()
    }

    fn of_arm(arm: &Arm) -> Option<Self> {
        let run = arm.runs.first()?;
        let table = run.record.extra.iter().find(|table| table.name == "trend" && !table.rows.is_empty())?;
        let (time, totals) = (table.column("time")?, table.numbers("estimated_total")?);
        let loess = if totals.len() < FEWEST { Vec::new() } else { loess(&totals, SPAN) };
        Some(Self {
            label: arm.label.clone(),
            times: table.rows.iter().map(|row| row[time].clone()).collect(),
            loess,
            totals,
            missing: table.numbers("missing")?,
            observed: errors(run, "observed_rmse"),
            held_out: errors(run, "held_out_rmse"),
        })
    }
}

/// A column of the run's rounds against epochs, where it was measured.
fn errors(run: &Run, column: &str) -> Vec<(f64, f64)> {
    let Some(place) = run.record.manifest.extra_columns.iter().position(|name| name == column) else {
        return Vec::new();
    };
    run.record.rounds.iter().filter_map(|row| Some((row.epochs, row.extra[place]?))).collect()
}

/// Locally estimated scatterplot smoothing of values at even distances (Cleveland 1979, degree 1, no robustness steps): at every
/// place a line is fitted to the nearest ⌈span · n⌉ values with tricube weights.
pub(crate) fn loess(values: &[f64], span: f64) -> Vec<f64> {
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
    // Weights at one place only: its mean.
    if determinant > 1e-12 * w0 * w2 { (w2 * y0 - w1 * y1) / determinant } else { y0 / w0 }
}

/// A tidy table: arm, time, total, its local estimate, missing values.
pub(crate) fn csv(trends: &[Trend], provenance: &[String]) -> String {
    let put = "a string takes everything";
    let mut out = String::new();
    for line in provenance {
        writeln!(out, "# {line}").expect(put);
    }
    out.push_str("arm,time,estimated_total,loess,missing\n");
    let quoted = |text: &str| format!("\"{}\"", text.replace('"', "\"\""));
    for trend in trends {
        for (index, time) in trend.times.iter().enumerate() {
            let loess = trend.loess.get(index).map_or_else(String::new, |value| format!("{value:?}"));
            let (total, missing) = (trend.totals[index], trend.missing[index]);
            writeln!(out, "{},{},{total:?},{loess},{missing}", quoted(&trend.label), quoted(time)).expect(put);
        }
    }
    out
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
