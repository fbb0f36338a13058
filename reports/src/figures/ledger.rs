//! Where the bits went: one stacked bar per arm, from the ledgers.

use super::layout::{bit_unit, legend_rows};
use crate::axes::Axis;
use crate::data::Arm;
use crate::style::{LineStyle, Look};
use crate::svg::{Anchor, Canvas, UNITS_PER_POINT, units};
use crate::text::{Metrics, Rich};
use fedbits_record::{Direction, Fate, LedgerRow};
use plotters::prelude::{PathElement, RGBColor, Rectangle, ShapeStyle};
use plotters::style::Color;
use std::fmt::Write;

/// A kind of traffic: the payload of a purpose, packet headers, or what was sent again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Kind {
    pub words: String,
    /// Arrived in time; what did not is drawn pale.
    pub used: bool,
}

/// Mean bits per run of every kind, in the order of `kinds`.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Bar {
    pub label: String,
    pub bits: Vec<f64>,
}

/// All arms' ledgers over common kinds.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Ledger {
    pub kinds: Vec<Kind>,
    pub bars: Vec<Bar>,
}

/// How much ink traffic has that served nothing.
const PALE: f64 = 0.45;

impl Ledger {
    /// Sums the rows of every run and takes the mean over an arm's runs; `None` when no run has a ledger.
    pub(crate) fn of(arms: &[Arm]) -> Option<Self> {
        let mut ledger = Self::default();
        for arm in arms {
            let mut bar = Bar {
                label: arm.label.clone(),
                bits: vec![0.0; ledger.kinds.len()],
            };
            for row in arm.runs.iter().flat_map(|run| &run.record.ledger) {
                for (kind, bits) in parts(row) {
                    let place = ledger.place(kind, &mut bar);
                    bar.bits[place] += bits as f64 / arm.runs.len() as f64;
                }
            }
            ledger.bars.push(bar);
        }
        let kinds = ledger.kinds.len();
        ledger.bars.iter_mut().for_each(|bar| bar.bits.resize(kinds, 0.0));
        (kinds > 0).then_some(ledger)
    }

    fn place(&mut self, kind: Kind, bar: &mut Bar) -> usize {
        let place = self.kinds.iter().position(|own| *own == kind).unwrap_or_else(|| {
            self.kinds.push(kind);
            self.kinds.len() - 1
        });
        bar.bits.resize(self.kinds.len(), 0.0);
        place
    }

    /// A tidy table: arm, kind, mean bits per run. Labels are quoted where CSV needs it.
    pub(crate) fn csv(&self, provenance: &[String]) -> String {
        let put = "a string takes everything";
        let mut out = String::new();
        for line in provenance {
            writeln!(out, "# {line}").expect(put);
        }
        out.push_str("arm,kind,bits\n");
        let quoted = |text: &str| format!("\"{}\"", text.replace('"', "\"\""));
        for bar in &self.bars {
            for (kind, bits) in self.kinds.iter().zip(&bar.bits) {
                writeln!(out, "{},{},{bits:?}", quoted(&bar.label), quoted(&kind.words)).expect(put);
            }
        }
        out
    }
}

/// The kinds a row's bits belong to; nothing for no bits.
fn parts(row: &LedgerRow) -> impl Iterator<Item = (Kind, u64)> {
    let used = row.fate == Fate::Delivered;
    let fate = if used { String::new() } else { format!(", {}", row.fate) };
    let way = match row.direction {
        Direction::Up => "up",
        Direction::Down => "down",
        Direction::Peer => "between peers",
    };
    let kind = |words: String, used| Kind { words, used };
    [
        (kind(format!("{} {way}{fate}", row.purpose), used), row.payload_bits),
        (kind("packet headers".to_owned(), true), row.header_bits),
        (kind("sent again".to_owned(), false), row.retransmitted_bits),
    ]
    .into_iter()
    .filter(|(_, bits)| *bits > 0)
}

/// Colour of a kind: those of the lines, paler for what served nothing.
fn fill(kind: &Kind, index: usize) -> ShapeStyle {
    let (red, green, blue) = LineStyle::of(index).color;
    RGBColor(red, green, blue)
        .mix(if kind.used { 1.0 } else { PALE })
        .filled()
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
    let words: Vec<&str> = ledger.kinds.iter().map(|kind| kind.words.as_str()).collect();
    let swatch = 1.2 * look.tick;
    let (places, legend_height) = legend_rows(&words, swatch, look, metrics);
    let widest = ledger
        .bars
        .iter()
        .map(|bar| metrics.width(&Rich::plain(&bar.label), look.tick))
        .fold(0.0, f64::max);
    let most = ledger.bars.iter().map(|bar| bar.bits.iter().sum()).fold(0.0, f64::max);
    let (unit, unit_name) = bit_unit(most);
    let (left, right) = (
        widest + 3.0 * look.gap() + look.tick_length(),
        look.width - 1.5 * look.tick,
    );
    let (top, pitch) = (legend_height + look.tick, 1.9 * look.tick);
    let ticks = ((right - left) / (4.0 * look.tick)).clamp(2.0, 7.0) as usize;
    let axis = Axis::linear(0.0, most / unit, ticks, true);
    let page = Page {
        left,
        right,
        top,
        bottom: top + pitch * ledger.bars.len() as f64,
        pitch,
        axis,
        unit,
    };
    let mut canvas = Canvas::new(look.width, page.baseline(look) + 1.55 * look.label);
    draw_bars(&mut canvas, ledger, &page, look);
    draw_axis(
        &mut canvas,
        &page,
        look,
        &Rich::plain(&format!("bits sent per run ({unit_name})")),
    );
    for (index, (kind, (x, y))) in ledger.kinds.iter().zip(places).enumerate() {
        canvas.layer("class=\"legend\"", |area| {
            let corners = [(units(x), units(y - 0.65 * look.tick)), (units(x + swatch), units(y))];
            area.draw(&Rectangle::new(corners, fill(kind, index)))
                .expect("a string takes everything");
        });
        canvas.text(
            &Rich::plain(&kind.words),
            (x + swatch + 0.5 * look.tick, y),
            look.tick,
            Anchor::Start,
        );
    }
    canvas.finish(description)
}

fn draw_bars(canvas: &mut Canvas, ledger: &Ledger, page: &Page, look: &Look) {
    for (row, bar) in ledger.bars.iter().enumerate() {
        let middle = page.top + page.pitch * (row as f64 + 0.5);
        let half = 0.32 * page.pitch;
        canvas.layer("class=\"bar\"", |area| {
            let mut sum = 0.0;
            for (index, (kind, bits)) in ledger.kinds.iter().zip(&bar.bits).enumerate() {
                let (from, to) = (units(page.across(sum)), units(page.across(sum + bits)));
                let corners = [(from, units(middle - half)), (to, units(middle + half))];
                area.draw(&Rectangle::new(corners, fill(kind, index)))
                    .expect("a string takes everything");
                sum += bits;
            }
        });
        let place = (page.left - look.tick_length() - look.gap(), middle + 0.33 * look.tick);
        canvas.text(&Rich::plain(&bar.label), place, look.tick, Anchor::End);
    }
}

fn draw_axis(canvas: &mut Canvas, page: &Page, look: &Look, label: &Rich) {
    let width = (0.55 * look.line * UNITS_PER_POINT).round() as u32;
    let line = ShapeStyle {
        color: RGBColor(0, 0, 0).to_rgba(),
        filled: false,
        stroke_width: width,
    };
    let (left, top, right, bottom) = (units(page.left), units(page.top), units(page.right), units(page.bottom));
    canvas.layer("class=\"axes\" stroke-linecap=\"square\"", |area| {
        let path = |points: Vec<(i32, i32)>| {
            area.draw(&PathElement::new(points, line))
                .expect("a string takes everything");
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
