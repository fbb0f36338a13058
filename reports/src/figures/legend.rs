//! Where the entries of a legend stand: in centred rows at the top.

use crate::style::Look;
use crate::text::{Metrics, Rich};
use crate::words::fitted;

/// Share of the page that a legend may take before its labels are shortened.
const LEGEND: f64 = 0.35;

/// The labels of a legend, shortened where they would be wider than the page or take too much of it; left end and
/// baseline of each, and the height of all.
pub(crate) fn legend_of(
    labels: &[&str],
    sample: f64,
    look: &Look,
    metrics: &Metrics,
) -> (Vec<String>, Vec<(f64, f64)>, f64) {
    let of = |columns: usize| {
        let labels = fitted(labels, look.width / columns as f64 - sample - 2.0 * look.tick, look.tick, metrics);
        let words: Vec<&str> = labels.iter().map(String::as_str).collect();
        let (positions, height) = legend_rows(&words, sample, look, metrics);
        (labels, positions, height)
    };
    let most = ((look.width / (sample + 6.0 * look.tick)) as usize).max(1);
    (1..most).map(of).find(|(.., height)| *height <= LEGEND * look.tallest).unwrap_or_else(|| of(most))
}

/// Left end and baseline of each entry, in centred rows at the top, and the height of all rows. An entry is a sample of
/// that width and its label.
pub(crate) fn legend_rows(labels: &[&str], sample: f64, look: &Look, metrics: &Metrics) -> (Vec<(f64, f64)>, f64) {
    let gap = look.tick * 1.6;
    let width = |label: &str| sample + look.tick * 0.5 + metrics.width(&Rich::plain(label), look.tick);
    let mut rows: Vec<(Vec<f64>, f64)> = Vec::new();
    for label in labels {
        match rows.last_mut() {
            Some((row, used)) if *used + gap + width(label) <= look.width - look.tick => {
                row.push(width(label));
                *used += gap + width(label);
            }
            _ => rows.push((vec![width(label)], width(label))),
        }
    }
    let line = look.tick * 1.35;
    let height = rows.len() as f64 * line;
    let mut positions = Vec::new();
    for (index, (row, used)) in rows.into_iter().enumerate() {
        let mut x = ((look.width - used) / 2.0).max(0.0);
        for width in row {
            positions.push((x, index as f64 * line + look.tick));
            x += width + gap;
        }
    }
    (positions, height)
}
