//! The legend: entries in centred rows at the top.

use super::marks::{draw_cross, draw_edged, draw_filling, draw_marker, draw_outline};
use super::{BoxStyle, Frame};
use crate::scene::{Anchor, Scene, SceneGroup, fill, stroke};
use crate::style::{LineStyle, Look, dashes};
use crate::text::Rich;
use crate::words::fitted;

/// Share of the page that a legend may take before its labels are shortened.
const LEGEND: f64 = 0.35;

/// What the legend explains.
#[derive(Debug, Clone)]
pub(crate) struct Entry {
    pub words: String,
    pub sample: Sample,
}

/// What stands before the words of an entry: what is drawn in the frames.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Sample {
    /// A line of that thickness, with or without a marker.
    Line(LineStyle, f64, bool),
    /// A filled or a hollow marker.
    Dot(LineStyle, bool),
    Box(BoxStyle),
    Band(LineStyle, f64),
    /// A cross, or an upright line.
    Cross(LineStyle),
    Upright(LineStyle),
}

impl Entry {
    pub(crate) fn new(words: &str, sample: Sample) -> Self {
        Self { words: words.to_owned(), sample }
    }

    /// An arm's line with its marker.
    pub(crate) fn line(words: &str, look: LineStyle) -> Self {
        Self::new(words, Sample::Line(look, 1.0, true))
    }

    /// A dashed grey line of what is no arm.
    pub(crate) fn reference(words: &str) -> Self {
        Self::new(words, Sample::Line(LineStyle::REFERENCE, 0.8, false))
    }

    pub(crate) fn dot(words: &str, look: LineStyle, hollow: bool) -> Self {
        Self::new(words, Sample::Dot(look, hollow))
    }

    pub(crate) fn filled(words: &str, filling: BoxStyle) -> Self {
        Self::new(words, Sample::Box(filling))
    }
}

#[derive(Debug, Clone, Default)]
pub(crate) struct Legend {
    pub words: Vec<String>,
    /// Left end of the sample and baseline of each.
    pub positions: Vec<(f64, f64)>,
    pub height: f64,
    pub sample: f64,
}

impl Sample {
    /// Its width in sizes of tick labels.
    fn width(self) -> f64 {
        match self {
            Self::Line(..) => 3.2,
            Self::Dot(..) | Self::Cross(_) | Self::Upright(_) => 1.2,
            Self::Box(_) | Self::Band(..) => 1.8,
        }
    }
}

/// The legend of some entries: their words are shortened where they would be wider than the page or take too much of
/// it.
pub(crate) fn legend_of(entries: &[Entry], look: &Look) -> Legend {
    let sample = entries.iter().map(|entry| entry.sample.width()).fold(0.0, f64::max) * look.tick;
    let labels: Vec<&str> = entries.iter().map(|entry| entry.words.as_str()).collect();
    let of = |columns: usize| {
        let words = fitted(&labels, look.width / columns as f64 - sample - 2.0 * look.tick, look.tick);
        let (positions, height) = rows(&words, sample, look);
        Legend { words, positions, height, sample }
    };
    let most = ((look.width / (sample + 6.0 * look.tick)) as usize).max(1);
    (1..most).map(of).find(|legend| legend.height <= LEGEND * look.tallest).unwrap_or_else(|| of(most))
}

/// Left end and baseline of each entry, in centred rows at the top, and the height of all rows.
fn rows(labels: &[String], sample: f64, look: &Look) -> (Vec<(f64, f64)>, f64) {
    let gap = look.tick * 1.6;
    let width = |label: &str| sample + look.tick * 0.5 + Rich::plain(label).width(look.tick);
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

pub(crate) fn draw_entries(canvas: &mut Scene, entries: &[Entry], legend: &Legend, look: &Look) {
    for ((entry, words), &(x, y)) in entries.iter().zip(&legend.words).zip(&legend.positions) {
        let frame =
            Frame { left: x, top: y - 0.75 * look.tick, right: x + legend.sample, bottom: y + 0.05 * look.tick };
        draw_sample(canvas, entry.sample, frame, look);
        let at = (x + legend.sample + 0.5 * look.tick, y);
        canvas.set_words(words, &entry.words, at, look.tick, Anchor::Start);
    }
}

pub(super) fn draw_sample(canvas: &mut Scene, sample: Sample, frame: Frame, look: &Look) {
    let Frame { left, top, right, bottom } = frame;
    let middle = frame.middle();
    let dash = match sample {
        Sample::Line(style, ..) | Sample::Upright(style) => dashes(style.dash, look),
        _ => Vec::new(),
    };
    canvas.layer(SceneGroup::new("legend").dashed(dash), |area| match sample {
        Sample::Line(style, thickness, _) => {
            area.line(&[(left, middle.1), (right, middle.1)], stroke(thickness * look.line, style.color));
        }
        Sample::Dot(style, true) => draw_outline(area, middle, &style, look.line),
        Sample::Dot(style, false) => draw_edged(area, middle, &style, look.line),
        Sample::Box(filling) => draw_filling(area, &filling, [(left, top), (right, bottom)], look),
        Sample::Cross(style) => draw_cross(area, middle, &style, look.line),
        Sample::Upright(style) => {
            area.line(&[(middle.0, top), (middle.0, bottom)], stroke(look.line, style.color));
        }
        Sample::Band(style, opacity) => area.rectangle([(left, top), (right, bottom)], fill(style.color, opacity)),
    });
    if let Sample::Line(style, _, true) = sample {
        canvas.layer(SceneGroup::new("legend"), |area| draw_marker(area, middle, &style, look.line));
    }
}
