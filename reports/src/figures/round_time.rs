//! How long rounds take: a histogram per arm over a common axis of time, with its median and its slow end. Drawn here, row by row.

use super::layout::{Frame, legend_rows};
use super::panels::{HAIRLINE, path, stroke};
use crate::axes::{Axis, Scale, scale};
use crate::data::{Arm, Run};
use crate::options::XScale;
use crate::style::{LineStyle, Look};
use crate::svg::{Anchor, Canvas, UNITS_PER_POINT, units};
use crate::text::{Metrics, Rich};
use crate::words::fitted;
use fedbits_numerics::quantile;
use plotters::prelude::{Circle, Polygon, RGBColor};
use plotters::style::Color;
use std::fmt::Write;

/// Of median and slow end; the histogram has the arm's colour.
const INK: (u8, u8, u8) = (0x00, 0x00, 0x00);
/// Bins over the range of all arms.
const BINS: usize = 48;
/// Height of a row, in the size of tick labels.
const ROW: f64 = 2.6;

/// The durations of rounds of all arms.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct RoundTime {
    rows: Vec<Row>,
    /// Edges of the bins in seconds, one more than bins.
    edges: Vec<f64>,
    /// Do durations differ so much that the axis is logarithmic.
    log: bool,
    /// Label of every arm with rounds that take no time, and how many these are.
    instant: Vec<(String, usize)>,
    /// The most rounds between two recorded ones: above 1 durations are means over so many.
    stride: u64,
}

/// One arm.
#[derive(Debug, Clone, PartialEq)]
struct Row {
    label: String,
    /// Index of the arm's colour.
    style: usize,
    rounds: usize,
    /// Rounds per bin.
    counts: Vec<usize>,
    median: f64,
    p99: f64,
}

impl RoundTime {
    /// `None` when no arm has rounds that take time.
    pub(crate) fn of(arms: &[Arm], x_scale: XScale) -> Option<Self> {
        let mut spans: Vec<(&Arm, Vec<f64>)> = arms.iter().map(|arm| (arm, spans(arm))).collect();
        let instants =
            |(arm, own): &(&Arm, Vec<f64>)| (arm.label.clone(), own.iter().filter(|span| **span <= 0.0).count());
        let instant = spans.iter().map(instants).filter(|(_, count)| *count > 0).collect();
        spans.iter_mut().for_each(|(_, own)| own.retain(|span| *span > 0.0));
        let all = || spans.iter().flat_map(|(_, own)| own).copied();
        let (low, high) =
            all().fold((f64::INFINITY, 0.0), |(low, high), value| (f64::min(low, value), f64::max(high, value)));
        if high <= 0.0 {
            return None;
        }
        // All the same: a range around it.
        let (low, high) = if high > 1.02 * low { (low, high) } else { (0.8 * low, 1.25 * high) };
        let log = scale([low, high].into_iter(), x_scale) == Scale::Log;
        let edge = |edge: usize| {
            let share = edge as f64 / BINS as f64;
            if log { low * libm::exp(libm::log(high / low) * share) } else { low + share * (high - low) }
        };
        let edges: Vec<f64> = (0..=BINS).map(edge).collect();
        let row = |(arm, mut own): (&Arm, Vec<f64>)| {
            own.sort_by(f64::total_cmp);
            let mut counts = vec![0; BINS];
            for value in &own {
                // The bin is the last whose lower edge is not above the value.
                counts[edges.partition_point(|edge| edge <= value).saturating_sub(1).min(BINS - 1)] += 1;
            }
            let (median, p99) = (quantile(&own, 0.5), quantile(&own, 0.99));
            Row { label: arm.label.clone(), style: arm.style, rounds: own.len(), counts, median, p99 }
        };
        let rows = spans.into_iter().filter(|(_, own)| !own.is_empty()).map(row).collect();
        let stride = arms.iter().flat_map(|arm| &arm.runs).map(stride).max().unwrap_or(1);
        Some(Self { rows, edges, log, instant, stride })
    }

    /// A tidy table: arm, lower and upper edge of the bin in seconds, rounds in it; empty bins are left out.
    pub(crate) fn csv(&self, comments: &[String]) -> String {
        let put = "a string takes everything";
        let mut out: String = comments.iter().map(|line| format!("# {line}\n")).collect();
        out.push_str("arm,from_s,to_s,rounds\n");
        for row in &self.rows {
            let label = row.label.replace('"', "\"\"");
            for (bin, count) in row.counts.iter().enumerate().filter(|(_, count)| **count > 0) {
                writeln!(out, "\"{label}\",{:?},{:?},{count}", self.edges[bin], self.edges[bin + 1]).expect(put);
            }
        }
        out
    }

    /// What the figure shows, for its caption.
    pub(crate) fn caption(&self) -> String {
        "Simulated time that rounds take: a histogram per arm over all rounds and runs, its median (line) and its 99th percentile (dot)."
            .to_owned()
    }

    /// What the figure shows, in sentences.
    pub(crate) fn words(&self) -> String {
        let mut text = "How long rounds take in simulated time: a histogram per arm over all its rounds and runs (bins of equal width \
                        on the axis, heights relative to the highest bin of the arm), its median (line) and its 99th \
                        percentile (dot)."
            .to_owned();
        let put = "a string takes everything";
        if self.stride > 1 {
            let stride = self.stride;
            write!(text, " Not every round is recorded: durations are means over up to {stride} rounds.").expect(put);
        }
        if !self.instant.is_empty() {
            let arms: Vec<String> = self.instant.iter().map(|(arm, count)| format!("{count} of {arm}")).collect();
            write!(text, " Rounds that take no time are left out: {}.", arms.join(", ")).expect(put);
        }
        text
    }
}

/// Rounds from one recorded row to the next, at most.
fn stride(run: &Run) -> u64 {
    run.record.rounds.windows(2).map(|pair| pair[1].round - pair[0].round).max().unwrap_or(1)
}

/// Seconds per round of all runs.
fn spans(arm: &Arm) -> Vec<f64> {
    let of = |run: &Run| -> Vec<f64> {
        let span = |pair: &[fedbits_record::RoundRow]| {
            let rounds = pair[1].round.saturating_sub(pair[0].round).max(1) as f64;
            pair[1].time_ns.saturating_sub(pair[0].time_ns) as f64 / 1e9 / rounds
        };
        run.record.rounds.windows(2).map(span).collect()
    };
    arm.runs.iter().flat_map(of).collect()
}

/// The figure as an SVG file.
pub(crate) fn draw(time: &RoundTime, look: &Look, metrics: &Metrics, description: &str) -> String {
    let labels: Vec<&str> = time.rows.iter().map(|row| row.label.as_str()).collect();
    let labels = fitted(&labels, 0.4 * look.width, look.tick, metrics);
    let widest = labels.iter().map(|label| metrics.width(&Rich::plain(label), look.tick)).fold(0.0, f64::max);
    let words = ["median", "99th percentile"];
    let sample = 1.2 * look.tick;
    let (places, legend_height) = legend_rows(&words, sample, look, metrics);
    let top = legend_height + 0.6 * look.tick;
    let (left, right) = (widest + 3.0 * look.gap() + look.tick_length(), look.width - 1.5 * look.tick);
    let bottom = top + ROW * look.tick * time.rows.len() as f64;
    let frame = Frame { left, top, right, bottom };
    let (axis, unit, name) = axis(time, &frame, look, metrics);
    let baseline = look.tick_baseline(bottom);
    let mut canvas = Canvas::new(look.width, baseline + 1.55 * look.label);
    let place = |seconds: f64| {
        let at = axis.place(seconds / unit).unwrap_or(axis.low);
        units(left + (at - axis.low) / (axis.high - axis.low) * (right - left))
    };
    for ((number, row), label) in time.rows.iter().enumerate().zip(&labels) {
        let floor = top + ROW * look.tick * (number + 1) as f64;
        draw_row(&mut canvas, time, row, floor, &place, look);
        let beside = (left - look.tick_length() - look.gap(), floor - 0.5 * look.tick);
        canvas.text(&Rich::plain(label), beside, look.tick, Anchor::End);
    }
    draw_axis(&mut canvas, &frame, &axis, baseline, look);
    let middle = (left + right) / 2.0;
    let label = format!("duration of a round ({name})");
    canvas.text(&Rich::plain(&label), (middle, baseline + 1.2 * look.label), look.label, Anchor::Middle);
    for ((words, line), (x, y)) in words.into_iter().zip([true, false]).zip(places) {
        let (across, middle) = (units(x + 0.5 * sample), units(y - 0.3 * look.tick));
        canvas.layer("class=\"legend\"", |area| {
            if line {
                path(area, vec![(across, units(y - 0.75 * look.tick)), (across, units(y))], stroke(look.line, INK));
            } else {
                dot(area, (across, middle), look);
            }
        });
        canvas.text(&Rich::plain(words), (x + sample + 0.3 * look.tick, y), look.tick, Anchor::Start);
    }
    canvas.finish(description)
}

/// The axis over all bins, with as many labels as fit; its unit in seconds and the unit's name.
fn axis(time: &RoundTime, frame: &Frame, look: &Look, metrics: &Metrics) -> (Axis, f64, &'static str) {
    let (low, high) = (time.edges[0], time.edges[BINS]);
    let units = [(3_600.0, "h"), (1.0, "s"), (1e-3, "ms"), (1e-6, "µs")];
    let (unit, name) = units.into_iter().find(|&(size, _)| high >= size).unwrap_or((1e-9, "ns"));
    let of = |most: usize| match time.log {
        true => Axis::log(low / unit, high / unit, most),
        false => Axis::linear(low / unit, high / unit, most, false),
    };
    let room = |axis: &Axis| {
        let widest = axis.ticks.iter().map(|tick| metrics.width(&tick.label, look.tick)).fold(0.0, f64::max);
        let gaps = axis.ticks.windows(2).map(|pair| pair[1].at - pair[0].at).fold(f64::INFINITY, f64::min);
        gaps / (axis.high - axis.low) * (frame.right - frame.left) >= widest + 0.8 * look.tick
    };
    let mut axis = (2..=7).rev().map(of).find(room).unwrap_or_else(|| of(1));
    // A label that would leave the page is left out.
    let (scale, start) = ((frame.right - frame.left) / (axis.high - axis.low), axis.low);
    axis.ticks.retain(|tick| {
        let end = frame.left + (tick.at - start) * scale + 0.5 * metrics.width(&tick.label, look.tick);
        end <= look.width - 0.15 * look.tick
    });
    (axis, unit, name)
}

fn draw_row(canvas: &mut Canvas, time: &RoundTime, row: &Row, floor: f64, place: &impl Fn(f64) -> i32, look: &Look) {
    let highest = row.counts.iter().copied().max().unwrap_or(1).max(1) as f64;
    let height = 0.86 * ROW * look.tick;
    let at = |count: usize| units(floor - height * count as f64 / highest);
    let ground = units(floor);
    // One outline per run of bins that hold something.
    let mut shapes: Vec<Vec<(i32, i32)>> = Vec::new();
    for (bin, &count) in row.counts.iter().enumerate().filter(|(_, count)| **count > 0) {
        let (from, to) = (place(time.edges[bin]), place(time.edges[bin + 1]));
        let follows = shapes.last().and_then(|shape| shape.last()).is_some_and(|last| last.0 == from);
        if !follows {
            shapes.push(vec![(from, ground)]);
        }
        if let Some(shape) = shapes.last_mut() {
            shape.extend([(from, at(count)), (to, at(count))]);
        }
    }
    let (red, green, blue) = LineStyle::of(row.style).color;
    canvas.layer("class=\"histogram\" stroke-linejoin=\"round\"", |area| {
        for mut shape in shapes {
            let end = shape.last().map_or(0, |last| last.0);
            shape.push((end, ground));
            let fill = RGBColor(red, green, blue).mix(0.45).filled();
            area.draw(&Polygon::new(shape.clone(), fill)).expect("a string takes everything");
            path(area, shape, stroke(0.5 * look.line, (red, green, blue)));
        }
        let across = place(row.median);
        path(area, vec![(across, ground), (across, units(floor - height))], stroke(look.line, INK));
        dot(area, (place(row.p99), units(floor - 0.5 * look.tick)), look);
    });
}

/// A dot with a white rim.
fn dot(area: &crate::svg::Area, center: (i32, i32), look: &Look) {
    let fill = |(red, green, blue): (u8, u8, u8)| RGBColor(red, green, blue).filled();
    let put = "a string takes everything";
    area.draw(&Circle::new(center, units(2.5 * look.line), fill((255, 255, 255)))).expect(put);
    area.draw(&Circle::new(center, units(1.9 * look.line), fill(INK))).expect(put);
}

fn draw_axis(canvas: &mut Canvas, frame: &Frame, axis: &Axis, baseline: f64, look: &Look) {
    let bottom = units(frame.bottom);
    let across = |at: f64| units(frame.left + (at - axis.low) / (axis.high - axis.low) * (frame.right - frame.left));
    canvas.layer("class=\"axes\" stroke-linecap=\"square\"", |area| {
        let line = stroke(HAIRLINE * look.line, (0, 0, 0));
        path(area, vec![(units(frame.left), bottom), (units(frame.right), bottom)], line);
        for tick in &axis.ticks {
            path(area, vec![(across(tick.at), bottom), (across(tick.at), bottom + units(look.tick_length()))], line);
        }
        for &at in &axis.minor {
            path(area, vec![(across(at), bottom), (across(at), bottom + units(0.55 * look.tick_length()))], line);
        }
    });
    for tick in &axis.ticks {
        let x = f64::from(across(tick.at)) / UNITS_PER_POINT;
        canvas.text(&tick.label, (x, baseline), look.tick, Anchor::Middle);
    }
}
