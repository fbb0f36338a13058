//! Draws what emulations [`Measured`]: transfers over a diagonal on two logarithmic axes, and beside or below it the
//! durations of rounds.

use super::legend::legend_of;
use super::plot::{Frame, HAIRLINE, Plot};
use super::units::time_unit;
use crate::axes::{Axis, range};
use crate::shades::{BLACK, Rgb};
use crate::style::{LineStyle, Look};
use crate::svg::{Anchor, Canvas, DrawError, fill, stroke, units};
use crate::text::{Metrics, Rich};
use plotters::prelude::Circle;
use std::collections::BTreeSet;

/// From this width on, in points, the panels stand side by side.
const WIDE: f64 = 380.0;
const DIAGONAL: Rgb = (0x88, 0x88, 0x88);
/// How much of the paper a point, and a simulated line, covers.
const POINT: f64 = 0.55;
const PALE: f64 = 0.35;
/// Points nearer than this, in units of the drawing, are one.
const NEAR: i32 = 8;

/// What was measured of an arm.
pub(crate) struct Measured {
    pub label: String,
    /// Index of the arm's colour.
    pub style: usize,
    /// Those of its runs that were emulated.
    pub runs: Vec<EmulatedRun>,
}

/// The emulations of a run.
pub(crate) struct EmulatedRun {
    pub seed: u64,
    pub replicate: u64,
    /// Simulated and real seconds of each transfer, with repeat and number.
    pub transfers: Vec<(u64, u64, [f64; 2])>,
    /// The rounds of each emulation, with its repeat.
    pub rounds: Vec<(u64, Rounds)>,
}

/// Number, simulated and real seconds of each.
type Rounds = Vec<(u64, [f64; 2])>;

impl Measured {
    /// The rounds of all emulations.
    fn emulations(&self) -> impl Iterator<Item = &Rounds> {
        self.runs.iter().flat_map(|run| &run.rounds).map(|(_, rounds)| rounds)
    }
}

/// Where a panel lies with its labels.
struct Place {
    left: f64,
    top: f64,
    width: f64,
    height: f64,
}

/// The figure as an SVG file.
pub(crate) fn draw(
    measured: &[Measured],
    look: &Look,
    metrics: &Metrics,
    description: &str,
) -> Result<String, DrawError> {
    let sample = 2.4 * look.tick;
    let names: Vec<&str> = measured.iter().map(|arm| arm.label.as_str()).collect();
    let names: Vec<&str> = names.into_iter().chain(["simulated"]).collect();
    let (labels, positions, legend) = legend_of(&names, sample, look, metrics);
    let (gap, top) = (1.2 * look.label, legend + 0.6 * look.tick);
    let beside = look.width >= WIDE;
    let width = if beside { (look.width - gap) / 2.0 } else { look.width };
    let wanted = if beside { look.single_height } else { look.panel_height } + 3.2 * look.label;
    let room = look.tallest - top;
    let height = wanted.min(if beside { room } else { 0.5 * (room - 0.3 * look.label) });
    let second = if beside { (width + gap, top) } else { (0.0, top + height + 0.3 * look.label) };
    let mut canvas = Canvas::new(look.width, second.1 + height);
    draw_transfers(&mut canvas, measured, &Place { left: 0.0, top, width, height }, (look, metrics));
    draw_rounds(&mut canvas, measured, &Place { left: second.0, top: second.1, width, height }, (look, metrics));
    for (number, (words, (x, y))) in labels.iter().zip(positions).enumerate() {
        let middle = units(y - 0.3 * look.tick);
        let ends = vec![(units(x), middle), (units(x + sample), middle)];
        match measured.get(number) {
            Some(arm) => canvas.layer("class=\"legend\"", |area| {
                area.path(ends, stroke(look.line, LineStyle::of(arm.style).color));
            }),
            None => canvas.layer(&format!("class=\"legend\" opacity=\"{PALE}\""), |area| {
                area.path(ends, stroke(3.0 * look.line, BLACK));
            }),
        }
        canvas.text(&Rich::plain(words), (x + sample + 0.5 * look.tick, y), look.tick, Anchor::Start);
    }
    canvas.finish(description)
}

/// The plot of a panel: its frame leaves room for the labels of its axes.
fn plot(
    place: &Place,
    axes: (impl Fn(usize) -> Axis, impl Fn(usize) -> Axis),
    (look, metrics): (&Look, &Metrics),
) -> Plot {
    let (x, y) = axes;
    let bottom = place.top + place.height - 2.9 * look.label;
    let y = y(((bottom - place.top) / (2.4 * look.tick)) as usize);
    let widest = y.widest_label(look.tick, metrics);
    let left = place.left + 1.5 * look.label + widest + 2.0 * look.gap() + look.tick_length();
    let right = place.left + place.width - 1.6 * look.tick;
    let room = |axis: &Axis| axis.has_room(right - left, look.tick, look.tick, metrics);
    let x = (2..=7).rev().map(&x).find(room).unwrap_or_else(|| x(1));
    Plot { frame: Frame { left, top: place.top + 0.5 * look.tick, right, bottom }, x, y }
}

fn draw_frame(canvas: &mut Canvas, plot: &Plot, place: &Place, (x, y): (&str, &str), look: &Look) {
    plot.draw_axes(canvas, look);
    plot.draw_x_labels(canvas, look);
    plot.draw_y_labels(canvas, look);
    let (across, down) = plot.frame.middle();
    let below = look.tick_baseline(plot.frame.bottom) + 1.2 * look.label;
    canvas.text(&Rich::plain(x), (across, below), look.label, Anchor::Middle);
    canvas.upward_text(&Rich::plain(y), (place.left + look.label, down), look.label, Anchor::Middle);
}

fn draw_transfers(canvas: &mut Canvas, measured: &[Measured], place: &Place, (look, metrics): (&Look, &Metrics)) {
    let positive = |&value: &f64| value > 0.0;
    let transfers = measured.iter().flat_map(|arm| &arm.runs).flat_map(|run| &run.transfers);
    let all = transfers.flat_map(|&(.., both)| both).filter(positive);
    let (low, high) = range(all);
    if high <= 0.0 {
        return;
    }
    let (size, name) = time_unit(high);
    let axis = |most: usize| Axis::log(low / size, high / size, most);
    let plot = plot(place, (axis, axis), (look, metrics));
    draw_frame(canvas, &plot, place, (&format!("simulated transfer ({name})"), &format!("real ({name})")), look);
    canvas.layer("class=\"diagonal\"", |area| {
        let ends = [plot.x.low, plot.x.high].map(|end| plot.at((end, end)));
        area.path(ends.to_vec(), stroke(HAIRLINE * look.line, DIAGONAL));
    });
    for arm in measured {
        let mut taken = BTreeSet::new();
        let color = LineStyle::of(arm.style).color;
        canvas.layer("class=\"points\"", |area| {
            for &(.., [simulated, real]) in arm.runs.iter().flat_map(|run| &run.transfers) {
                let point = plot.x.coordinate(simulated / size).zip(plot.y.coordinate(real / size));
                let Some((across, upwards)) = point.map(|point| plot.at(point)) else { continue };
                if taken.insert((across / NEAR, upwards / NEAR)) {
                    area.draw(&Circle::new((across, upwards), units(1.2 * look.line), fill(color, POINT)));
                }
            }
        });
    }
}

fn draw_rounds(canvas: &mut Canvas, measured: &[Measured], place: &Place, (look, metrics): (&Look, &Metrics)) {
    let rounds = || measured.iter().flat_map(Measured::emulations).flatten();
    let (first, last) = range(rounds().map(|&(number, _)| number as f64));
    let (_, high) = range(rounds().flat_map(|&(_, both)| both));
    if high <= 0.0 {
        return;
    }
    let (size, name) = time_unit(high);
    let (first, last) = if last > first { (first, last) } else { (first - 1.0, last + 1.0) };
    let axes =
        (|most: usize| Axis::linear(first, last, most, true), |most: usize| Axis::linear(0.0, high / size, most, true));
    let plot = plot(place, axes, (look, metrics));
    draw_frame(canvas, &plot, place, ("round", &format!("duration ({name})")), look);
    let line = |emulation: &[(u64, [f64; 2])], which: usize| {
        let point = |&(number, both): &(u64, [f64; 2])| plot.at((number as f64, both[which] / size));
        emulation.iter().map(point).collect::<Vec<_>>()
    };
    for arm in measured {
        let color = LineStyle::of(arm.style).color;
        canvas.layer(&format!("class=\"simulated\" stroke-linejoin=\"round\" opacity=\"{PALE}\""), |area| {
            for (_, first) in arm.runs.iter().filter_map(|run| run.rounds.first()) {
                let line = line(first, 0);
                // A line through one round is a dot, wider than the real one.
                if let [only] = line[..] {
                    area.draw(&Circle::new(only, units(3.0 * look.line), fill(color, 1.0)));
                }
                area.path(line, stroke(3.0 * look.line, color));
            }
        });
    }
    for arm in measured {
        let color = LineStyle::of(arm.style).color;
        canvas.layer("class=\"line\" stroke-linejoin=\"round\"", |area| {
            for emulation in arm.emulations() {
                let line = line(emulation, 1);
                if let [only] = line[..] {
                    area.draw(&Circle::new(only, units(1.5 * look.line), fill(color, 1.0)));
                }
                area.path(line, stroke(0.7 * look.line, color));
            }
        });
    }
}
