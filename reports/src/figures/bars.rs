//! Draws stacked bars: one per arm, parts told apart by colour, waste pale. It must not know what is stacked.

use super::layout::legend_rows;
use super::panels::stroke;
use crate::axes::Axis;
use crate::shades::Rgb;
use crate::style::Look;
use crate::svg::{Anchor, Canvas, units};
use crate::text::{Metrics, Rich};
use crate::words::fitted;
use plotters::prelude::{PathElement, RGBColor, Rectangle, ShapeStyle};
use plotters::style::Color;

/// How much ink a part has that served nothing.
const PALE: f64 = 0.45;

/// One stacked bar per arm, all of the same parts.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Stack {
    pub parts: Vec<Part>,
    /// Label and the amount of every part.
    pub bars: Vec<(String, Vec<f64>)>,
    /// What the axis measures, and what amounts are divided by before they are placed.
    pub axis: String,
    pub unit: f64,
}

/// What a part of every bar is and how it looks.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Part {
    pub words: String,
    /// None: grey.
    pub color: Option<Rgb>,
    /// What served nothing is drawn pale.
    pub pale: bool,
}

impl Stack {
    /// The longest bar.
    pub(crate) fn most(bars: &[(String, Vec<f64>)]) -> f64 {
        bars.iter().map(|(_, amounts)| amounts.iter().sum()).fold(0.0, f64::max)
    }
}

/// The colour of a part, before it is made pale.
pub(crate) fn color(part: &Part) -> Rgb {
    part.color.unwrap_or((0x80, 0x80, 0x80))
}

fn fill(part: &Part) -> ShapeStyle {
    let (red, green, blue) = color(part);
    RGBColor(red, green, blue).mix(if part.pale { PALE } else { 1.0 }).filled()
}

/// Where the bars stand, in points, and what the axis measures.
struct Page {
    left: f64,
    right: f64,
    top: f64,
    bottom: f64,
    /// From bar to bar.
    pitch: f64,
    axis: Axis,
    /// Amounts are divided by this before they are placed.
    unit: f64,
}

impl Page {
    /// The place of an amount.
    fn across(&self, amount: f64) -> f64 {
        self.place(amount / self.unit)
    }

    fn place(&self, at: f64) -> f64 {
        self.left + (at - self.axis.low) / (self.axis.high - self.axis.low) * (self.right - self.left)
    }
}

/// The figure as an SVG file.
pub(crate) fn draw(stack: &Stack, look: &Look, metrics: &Metrics, description: &str) -> String {
    let labels: Vec<&str> = stack.parts.iter().map(|part| part.words.as_str()).collect();
    let swatch = 1.2 * look.tick;
    let (places, legend_height) = legend_rows(&labels, swatch, look, metrics);
    let names: Vec<&str> = stack.bars.iter().map(|(label, _)| label.as_str()).collect();
    let names = fitted(&names, 0.45 * look.width, look.tick, metrics);
    let widest = names.iter().map(|label| metrics.width(&Rich::plain(label), look.tick)).fold(0.0, f64::max);
    let (most, unit) = (Stack::most(&stack.bars), stack.unit);
    let (left, right) = (widest + 3.0 * look.gap() + look.tick_length(), look.width - 1.5 * look.tick);
    let (top, pitch) = (legend_height + look.tick, 1.9 * look.tick);
    let ticks = ((right - left) / (4.0 * look.tick)).clamp(2.0, 7.0) as usize;
    let axis = Axis::linear(0.0, most / unit, ticks, true);
    let page = Page { left, right, top, bottom: top + pitch * stack.bars.len() as f64, pitch, axis, unit };
    let mut canvas = Canvas::new(look.width, look.tick_baseline(page.bottom) + 1.55 * look.label);
    draw_bars(&mut canvas, stack, &names, &page, look);
    draw_axis(&mut canvas, &page, look, &Rich::plain(&stack.axis));
    for (part, (x, y)) in stack.parts.iter().zip(places) {
        canvas.layer("class=\"legend\"", |area| {
            let corners = [(units(x), units(y - 0.65 * look.tick)), (units(x + swatch), units(y))];
            area.draw(&Rectangle::new(corners, fill(part))).expect("a string takes everything");
        });
        canvas.text(&Rich::plain(&part.words), (x + swatch + 0.5 * look.tick, y), look.tick, Anchor::Start);
    }
    canvas.finish(description)
}

fn draw_bars(canvas: &mut Canvas, stack: &Stack, names: &[String], page: &Page, look: &Look) {
    let edge = stroke(0.6 * look.line, (255, 255, 255));
    for (row, ((_, amounts), label)) in stack.bars.iter().zip(names).enumerate() {
        let middle = page.top + page.pitch * (row as f64 + 0.5);
        let half = 0.32 * page.pitch;
        canvas.layer("class=\"bar\"", |area| {
            let mut sum = 0.0;
            for (part, amount) in stack.parts.iter().zip(amounts) {
                let (from, to) = (units(page.across(sum)), units(page.across(sum + amount)));
                let corners = [(from, units(middle - half)), (to, units(middle + half))];
                area.draw(&Rectangle::new(corners, fill(part))).expect("a string takes everything");
                // A white edge keeps neighbours apart in grey print.
                area.draw(&PathElement::new(vec![(to, units(middle - half)), (to, units(middle + half))], edge))
                    .expect("a string takes everything");
                sum += amount;
            }
        });
        let place = (page.left - look.tick_length() - look.gap(), middle + 0.33 * look.tick);
        canvas.text(&Rich::plain(label), place, look.tick, Anchor::End);
    }
}

fn draw_axis(canvas: &mut Canvas, page: &Page, look: &Look, label: &Rich) {
    let line = stroke(0.55 * look.line, (0, 0, 0));
    let (left, top, right, bottom) = (units(page.left), units(page.top), units(page.right), units(page.bottom));
    canvas.layer("class=\"axes\" stroke-linecap=\"square\"", |area| {
        let path = |points: Vec<(i32, i32)>| {
            area.draw(&PathElement::new(points, line)).expect("a string takes everything");
        };
        path(vec![(left, top), (left, bottom), (right, bottom)]);
        for tick in &page.axis.ticks {
            let x = units(page.place(tick.at));
            path(vec![(x, bottom), (x, bottom + units(look.tick_length()))]);
        }
    });
    let baseline = look.tick_baseline(page.bottom);
    for tick in &page.axis.ticks {
        canvas.text(&tick.label, (page.place(tick.at), baseline), look.tick, Anchor::Middle);
    }
    let middle = (page.left + page.right) / 2.0;
    canvas.text(label, (middle, baseline + 1.2 * look.label), look.label, Anchor::Middle);
}
