//! Draws a [`Ledger`]: one stacked bar per arm, kinds told apart by colour, waste pale.

use super::layout::{bit_unit, legend_rows};
use super::ledger::{Kind, Ledger, Traffic};
use crate::axes::Axis;
use crate::style::{LineStyle, Look};
use crate::svg::{Anchor, Canvas, UNITS_PER_POINT, units};
use crate::text::{Metrics, Rich};
use plotters::prelude::{PathElement, RGBColor, Rectangle, ShapeStyle};
use plotters::style::Color;

/// How much ink traffic has that served nothing.
const PALE: f64 = 0.45;

/// Colour of a kind: one of the lines' colours per payload, grey for headers and what was sent again.
fn fill(ledger: &Ledger, kind: &Kind) -> ShapeStyle {
    let mut payloads: Vec<&Traffic> = Vec::new();
    for own in ledger.kinds.iter().map(|kind| &kind.traffic) {
        if matches!(own, Traffic::Payload(_)) && !payloads.contains(&own) {
            payloads.push(own);
        }
    }
    let place = payloads.iter().position(|own| **own == kind.traffic);
    let (red, green, blue) = place.map_or((0x80, 0x80, 0x80), bar_color);
    RGBColor(red, green, blue).mix(if kind.waste.is_none() { 1.0 } else { PALE }).filled()
}

/// The lines' colours without black, which is too heavy for an area.
fn bar_color(index: usize) -> (u8, u8, u8) {
    let index = index % 6;
    LineStyle::of(if index < 4 { index } else { index + 1 }).color
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
    /// Bits are divided by this before they are placed.
    unit: f64,
}

impl Page {
    /// The place of a number of bits.
    fn across(&self, bits: f64) -> f64 {
        self.place(bits / self.unit)
    }

    fn place(&self, at: f64) -> f64 {
        self.left + (at - self.axis.low) / (self.axis.high - self.axis.low) * (self.right - self.left)
    }

    /// Baseline of the tick labels.
    fn baseline(&self, look: &Look) -> f64 {
        self.bottom + look.tick_length() + look.gap() + 0.72 * look.tick
    }
}

/// The figure as an SVG file.
pub(crate) fn draw(ledger: &Ledger, look: &Look, metrics: &Metrics, description: &str) -> String {
    let words: Vec<String> = ledger.kinds.iter().map(Kind::words).collect();
    let labels: Vec<&str> = words.iter().map(String::as_str).collect();
    let swatch = 1.2 * look.tick;
    let (places, legend_height) = legend_rows(&labels, swatch, look, metrics);
    let widest = ledger.bars.iter().map(|bar| metrics.width(&Rich::plain(&bar.label), look.tick)).fold(0.0, f64::max);
    let most = ledger.bars.iter().map(|bar| bar.bits.iter().sum()).fold(0.0, f64::max);
    let (unit, unit_name) = bit_unit(most);
    let (left, right) = (widest + 3.0 * look.gap() + look.tick_length(), look.width - 1.5 * look.tick);
    let (top, pitch) = (legend_height + look.tick, 1.9 * look.tick);
    let ticks = ((right - left) / (4.0 * look.tick)).clamp(2.0, 7.0) as usize;
    let axis = Axis::linear(0.0, most / unit, ticks, true);
    let page = Page { left, right, top, bottom: top + pitch * ledger.bars.len() as f64, pitch, axis, unit };
    let mut canvas = Canvas::new(look.width, page.baseline(look) + 1.55 * look.label);
    draw_bars(&mut canvas, ledger, &page, look);
    draw_axis(&mut canvas, &page, look, &Rich::plain(&format!("bits sent per run ({unit_name})")));
    for (kind, (x, y)) in ledger.kinds.iter().zip(places) {
        canvas.layer("class=\"legend\"", |area| {
            let corners = [(units(x), units(y - 0.65 * look.tick)), (units(x + swatch), units(y))];
            area.draw(&Rectangle::new(corners, fill(ledger, kind))).expect("a string takes everything");
        });
        canvas.text(&Rich::plain(&kind.words()), (x + swatch + 0.5 * look.tick, y), look.tick, Anchor::Start);
    }
    canvas.finish(description)
}

fn draw_bars(canvas: &mut Canvas, ledger: &Ledger, page: &Page, look: &Look) {
    let edge = line((255, 255, 255), 0.6 * look.line);
    for (row, bar) in ledger.bars.iter().enumerate() {
        let middle = page.top + page.pitch * (row as f64 + 0.5);
        let half = 0.32 * page.pitch;
        canvas.layer("class=\"bar\"", |area| {
            let mut sum = 0.0;
            for (kind, bits) in ledger.kinds.iter().zip(&bar.bits) {
                let (from, to) = (units(page.across(sum)), units(page.across(sum + bits)));
                let corners = [(from, units(middle - half)), (to, units(middle + half))];
                area.draw(&Rectangle::new(corners, fill(ledger, kind))).expect("a string takes everything");
                // A white edge keeps neighbours apart in grey print.
                area.draw(&PathElement::new(vec![(to, units(middle - half)), (to, units(middle + half))], edge))
                    .expect("a string takes everything");
                sum += bits;
            }
        });
        let place = (page.left - look.tick_length() - look.gap(), middle + 0.33 * look.tick);
        canvas.text(&Rich::plain(&bar.label), place, look.tick, Anchor::End);
    }
}

/// A line of that colour and thickness in points.
fn line((red, green, blue): (u8, u8, u8), width: f64) -> ShapeStyle {
    let stroke_width = (width * UNITS_PER_POINT).round() as u32;
    ShapeStyle { color: RGBColor(red, green, blue).to_rgba(), filled: false, stroke_width }
}

fn draw_axis(canvas: &mut Canvas, page: &Page, look: &Look, label: &Rich) {
    let line = line((0, 0, 0), 0.55 * look.line);
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
    let baseline = page.baseline(look);
    for tick in &page.axis.ticks {
        canvas.text(&tick.label, (page.place(tick.at), baseline), look.tick, Anchor::Middle);
    }
    let middle = (page.left + page.right) / 2.0;
    canvas.text(label, (middle, baseline + 1.2 * look.label), look.label, Anchor::Middle);
}
