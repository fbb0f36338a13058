//! Draws stacked bars: one per arm, parts distinguished by colour, waste pale.

use super::layout::legend_rows;
use super::plot::{Frame, Plot};
use crate::axes::Axis;
use crate::shades::Rgb;
use crate::style::Look;
use crate::svg::{Anchor, Canvas, DrawError, fill, stroke, units};
use crate::text::{Metrics, Rich};
use crate::words::fitted;
use fedbits_record::{Float, RecordError, Table};
use plotters::prelude::Rectangle;
use plotters::style::ShapeStyle;

/// How much ink a part has that served nothing.
const PALE: f64 = 0.45;
/// From bar to bar, in sizes of tick labels.
const PITCH: f64 = 1.9;

/// One stacked bar per arm, all of the same parts.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Stack {
    pub parts: Vec<BarPart>,
    /// Label and the amount of every part.
    pub bars: Vec<(String, Vec<f64>)>,
    /// What the axis measures, and what amounts are divided by before they are drawn.
    pub axis: String,
    pub unit: f64,
}

/// What a part of every bar is and how it looks.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct BarPart {
    pub words: String,
    /// None: grey.
    pub color: Option<Rgb>,
    /// What served nothing is drawn pale.
    pub pale: bool,
}

impl Stack {
    /// The longest bar.
    pub(crate) fn longest(bars: &[(String, Vec<f64>)]) -> f64 {
        bars.iter().map(|(_, amounts)| amounts.iter().sum()).fold(0.0, f64::max)
    }

    /// A tidy table: arm, part and amount, under these names.
    pub(crate) fn csv(&self, header: [&str; 3], comments: &[String]) -> Result<String, RecordError> {
        let mut table = Table::in_memory(comments, &header)?;
        for (label, amounts) in &self.bars {
            for (part, amount) in self.parts.iter().zip(amounts) {
                table.row(&[label, &part.words, &Float(Some(*amount))])?;
            }
        }
        table.into_text()
    }
}

/// The colour of a part, before it is made pale.
pub(crate) fn color(part: &BarPart) -> Rgb {
    part.color.unwrap_or((0x80, 0x80, 0x80))
}

fn part_fill(part: &BarPart) -> ShapeStyle {
    fill(color(part), if part.pale { PALE } else { 1.0 })
}

/// The figure as an SVG file.
pub(crate) fn draw(stack: &Stack, look: &Look, metrics: &Metrics, description: &str) -> Result<String, DrawError> {
    let labels: Vec<&str> = stack.parts.iter().map(|part| part.words.as_str()).collect();
    let swatch = 1.2 * look.tick;
    let (positions, legend_height) = legend_rows(&labels, swatch, look, metrics);
    let names: Vec<&str> = stack.bars.iter().map(|(label, _)| label.as_str()).collect();
    let names = fitted(&names, 0.45 * look.width, look.tick, metrics);
    let widest = names.iter().map(|label| metrics.width(&Rich::plain(label), look.tick)).fold(0.0, f64::max);
    let (left, right) = (widest + 3.0 * look.gap() + look.tick_length(), look.width - 1.5 * look.tick);
    let (top, pitch) = (legend_height + look.tick, PITCH * look.tick);
    let ticks = ((right - left) / (4.0 * look.tick)).clamp(2.0, 7.0) as usize;
    let frame = Frame { left, top, right, bottom: top + pitch * stack.bars.len() as f64 };
    let plot =
        Plot { frame, x: Axis::linear(0.0, Stack::longest(&stack.bars) / stack.unit, ticks, true), y: Axis::bare() };
    let baseline = look.tick_baseline(frame.bottom);
    let mut canvas = Canvas::new(look.width, baseline + 1.55 * look.label);
    draw_bars(&mut canvas, stack, &names, &plot, look);
    plot.draw_axes(&mut canvas, look);
    plot.draw_x_labels(&mut canvas, look);
    let position = (frame.middle().0, baseline + 1.2 * look.label);
    canvas.text(&Rich::plain(&stack.axis), position, look.label, Anchor::Middle);
    for (part, (x, y)) in stack.parts.iter().zip(positions) {
        canvas.layer("class=\"legend\"", |area| {
            let corners = [(units(x), units(y - 0.65 * look.tick)), (units(x + swatch), units(y))];
            area.draw(&Rectangle::new(corners, part_fill(part)));
        });
        canvas.text(&Rich::plain(&part.words), (x + swatch + 0.5 * look.tick, y), look.tick, Anchor::Start);
    }
    canvas.finish(description)
}

fn draw_bars(canvas: &mut Canvas, stack: &Stack, names: &[String], plot: &Plot, look: &Look) {
    let edge = stroke(0.6 * look.line, (255, 255, 255));
    let Frame { left, top, .. } = plot.frame;
    let pitch = PITCH * look.tick;
    for (row, ((_, amounts), label)) in stack.bars.iter().zip(names).enumerate() {
        let middle = top + pitch * (row as f64 + 0.5);
        let (above, below) = (units(middle - 0.32 * pitch), units(middle + 0.32 * pitch));
        canvas.layer("class=\"bar\"", |area| {
            let mut sum = 0.0;
            for (part, amount) in stack.parts.iter().zip(amounts) {
                let across = |amount: f64| plot.at((amount / stack.unit, 0.0)).0;
                let (from, to) = (across(sum), across(sum + amount));
                area.draw(&Rectangle::new([(from, above), (to, below)], part_fill(part)));
                // A white edge keeps neighbours apart in grey print.
                area.path(vec![(to, above), (to, below)], edge);
                sum += amount;
            }
        });
        let position = (left - look.tick_length() - look.gap(), middle + 0.33 * look.tick);
        canvas.text(&Rich::plain(label), position, look.tick, Anchor::End);
    }
}
