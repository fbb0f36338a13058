//! How long rounds take: a histogram per arm over a common axis of time, with its median and its slow end. Drawn here,
//! row by row.

use super::legend::legend_rows;
use super::plot::{Frame, draw_axes, draw_x_labels};
use super::units::time_unit;
use crate::axes::{Axis, Scale, range, scale};
use crate::data::{Arm, Run};
use crate::error::ReportError;
use crate::kind::{About, FigureKind};
use crate::report::{Drawing, Report};
use crate::scene::{Anchor, Area, Canvas, Layer, Scene, fill, stroke, units};
use crate::shades::{BLACK, WHITE};
use crate::style::{LineStyle, Look};
use crate::text::{Metrics, Rich};
use crate::words::{fitted, not_shown, part};
use fedbits_record::{Float, RecordError, RoundRow, Table};
use fedbits_spec::so_many;
use plotters::prelude::{Circle, Polygon};

/// The kind of figure.
pub(crate) struct RoundTimes;

impl FigureKind for RoundTimes {
    fn about(&self) -> About {
        About { name: "round_time", title: "how long rounds take: a histogram per arm", needs: "`rounds.csv`" }
    }

    fn draw(&self, report: &Report<'_>) -> Result<Vec<Drawing>, ReportError> {
        let Some(time) = RoundTime::of(report.arms()) else { return Ok(Vec::new()) };
        let words = time.words() + &not_shown("no rounds that take time", time.without(report.arms()));
        let pages = time.pages(&report.look);
        let draw = |(number, page): (usize, &RoundTime)| {
            let (name, part) = part("round_time", number, pages.len());
            report.drawing(
                (&name, &name),
                draw(page, &report.look, &report.metrics),
                |comments| page.csv(comments),
                report.words(&format!("{CAPTION}{part}"), &format!("{words}{part}")),
            )
        };
        pages.iter().enumerate().map(draw).collect()
    }
}

const CAPTION: &str = "Simulated time that rounds take: a histogram per arm over all rounds and runs, its median \
    (line) and its 99th percentile (dot).";

/// Bins over the range of all arms.
const BINS: usize = 48;
/// Height of a row, in the size of tick labels.
const ROW: f64 = 2.6;
/// Where the first row begins, below a legend of one line.
const TOP: f64 = 1.95;
/// At least, so that labels stand apart.
const LEAST_ROW: f64 = 1.2;

/// The durations of rounds of all arms.
#[derive(Debug, Clone, PartialEq)]
struct RoundTime {
    rows: Vec<ArmRow>,
    /// Edges of the bins in seconds, one more than bins.
    edges: Vec<f64>,
    /// Do durations differ so much that the axis is logarithmic.
    log: bool,
    /// Label of every arm with rounds that take no time, and how many these are.
    instant: Vec<(String, u64)>,
    /// The most rounds between two recorded ones: above 1 durations are means over this many.
    stride: u64,
}

/// One arm.
#[derive(Debug, Clone, PartialEq)]
struct ArmRow {
    label: String,
    /// Index of the arm's colour.
    style: usize,
    /// Rounds per bin.
    counts: Vec<u64>,
    median: f64,
    p99: f64,
}

impl RoundTime {
    /// `None` when no arm has rounds that take time.
    fn of(arms: &[Arm]) -> Option<Self> {
        let mut spans: Vec<(&Arm, Vec<Span>)> = arms.iter().map(|arm| (arm, spans(arm))).collect();
        let instants = |(arm, own): &(&Arm, Vec<Span>)| {
            (arm.label.clone(), own.iter().filter(|span| span.seconds <= 0.0).map(|span| span.rounds).sum())
        };
        let instant = spans.iter().map(instants).filter(|(_, count)| *count > 0).collect();
        spans.iter_mut().for_each(|(_, own)| own.retain(|span| span.seconds > 0.0));
        let all = || spans.iter().flat_map(|(_, own)| own).map(|span| span.seconds);
        let (low, high) = range(all());
        if high <= 0.0 {
            return None;
        }
        // All the same: a range around it.
        let (low, high) = if high > 1.02 * low { (low, high) } else { (0.8 * low, 1.25 * high) };
        let log = scale([low, high].into_iter()) == Scale::Log;
        let edge = |edge: usize| {
            let share = edge as f64 / BINS as f64;
            if log { low * libm::exp(libm::log(high / low) * share) } else { low + share * (high - low) }
        };
        let edges: Vec<f64> = (0..=BINS).map(edge).collect();
        let row = |(arm, own): (&Arm, Vec<Span>)| {
            let mut counts = vec![0; BINS];
            for Span { seconds, rounds } in &own {
                // The bin is the last whose lower edge is not above the value.
                counts[edges.partition_point(|edge| edge <= seconds).saturating_sub(1).min(BINS - 1)] += rounds;
            }
            let (median, p99) = (quantile(&own, 0.5), quantile(&own, 0.99));
            ArmRow { label: arm.label.clone(), style: arm.style, counts, median, p99 }
        };
        let rows = spans.into_iter().filter(|(_, own)| !own.is_empty()).map(row).collect();
        let stride = arms.iter().flat_map(|arm| &arm.runs).map(stride).max().unwrap_or(1);
        Some(Self { rows, edges, log, instant, stride })
    }

    /// On as many pages as the arms need, with about equally many arms and a common axis.
    fn pages(&self, look: &Look) -> Vec<Self> {
        let room = look.tallest - TOP * look.tick - below(look);
        let most = ((room / (LEAST_ROW * look.tick)) as usize).max(1);
        let each = self.rows.len().div_ceil(self.rows.len().div_ceil(most));
        self.rows.chunks(each).map(|rows| Self { rows: rows.to_vec(), ..self.clone() }).collect()
    }

    /// The arms without a row.
    fn without<'a>(&self, arms: &'a [Arm]) -> impl Iterator<Item = &'a str> {
        arms.iter().map(Arm::label).filter(|label| self.rows.iter().all(|row| row.label != *label))
    }

    /// A tidy table: arm, lower and upper edge of the bin in seconds, rounds in it; empty bins are left out.
    fn csv(&self, comments: &[String]) -> Result<String, RecordError> {
        let mut table = Table::in_memory(comments, &["arm", "from_s", "to_s", "rounds"])?;
        for row in &self.rows {
            for (bin, count) in row.counts.iter().enumerate().filter(|(_, count)| **count > 0) {
                let [from, to] = [bin, bin + 1].map(|edge| Float(Some(self.edges[edge])));
                table.row(&[&row.label, &from, &to, count])?;
            }
        }
        table.into_text()
    }

    /// What the figure shows, in sentences.
    fn words(&self) -> String {
        let mut text =
            "How long rounds take in simulated time: a histogram per arm over all its rounds and runs (bins of equal \
            width on the axis, heights relative to the highest bin of the arm), its median (line) and its 99th \
            percentile (dot)."
                .to_owned();
        if self.stride > 1 {
            let stride = self.stride;
            text +=
                &format!(" Not every round is recorded: durations are means over up to {}.", so_many(stride, "round"));
        }
        if !self.instant.is_empty() {
            let arms: Vec<String> = self.instant.iter().map(|(arm, count)| format!("{count} of {arm}")).collect();
            text += &format!(" Rounds that take no time are left out: {}.", arms.join(", "));
        }
        text
    }
}

/// Rounds from one recorded row to the next, at most.
pub(crate) fn stride(run: &Run) -> u64 {
    run.record.rounds.windows(2).map(|pair| pair[1].round - pair[0].round).max().unwrap_or(1)
}

/// From one recorded row to the next: what each of so many rounds took, in the mean.
#[derive(Clone, Copy)]
pub(crate) struct Span {
    pub seconds: f64,
    pub rounds: u64,
}

/// The rounds of all runs, the shortest first.
pub(crate) fn spans(arm: &Arm) -> Vec<Span> {
    let span = |pair: &[RoundRow]| {
        let rounds = pair[1].round.saturating_sub(pair[0].round).max(1);
        let seconds = pair[1].time_ns.saturating_sub(pair[0].time_ns) as f64 / 1e9 / rounds as f64;
        Span { seconds, rounds }
    };
    let mut all: Vec<Span> = arm.records().flat_map(|record| record.rounds.windows(2).map(span)).collect();
    all.sort_by(|one, other| one.seconds.total_cmp(&other.seconds));
    all
}

/// A quantile of the rounds, of which there is at least one, as [`fedbits_numerics::quantile`] has it.
fn quantile(spans: &[Span], q: f64) -> f64 {
    let last = spans.iter().map(|span| span.rounds).sum::<u64>() - 1;
    let position = q * last as f64;
    let below = position.floor() as u64;
    let at = |number: u64| {
        let mut before = 0;
        let holds = |span: &&Span| {
            before += span.rounds;
            before > number
        };
        spans.iter().find(holds).map_or(f64::NAN, |span| span.seconds)
    };
    let (low, high) = (at(below), at((below + 1).min(last)));
    low + (position - below as f64) * (high - low)
}

/// What the axis and its label take below the frame.
fn below(look: &Look) -> f64 {
    look.tick_baseline(0.0) + 1.55 * look.label
}

/// The figure as an SVG file.
fn draw(time: &RoundTime, look: &Look, metrics: &Metrics) -> Scene {
    let labels: Vec<&str> = time.rows.iter().map(|row| row.label.as_str()).collect();
    let labels = fitted(&labels, 0.4 * look.width, look.tick, metrics);
    let widest = labels.iter().map(|label| metrics.width(&Rich::plain(label), look.tick)).fold(0.0, f64::max);
    let words = ["median", "99th percentile"];
    let sample = 1.2 * look.tick;
    let (positions, _) = legend_rows(&words, sample, look, metrics);
    let top = TOP * look.tick;
    let (left, right) = (widest + 3.0 * look.gap() + look.tick_length(), look.width - 1.5 * look.tick);
    let below = below(look);
    let pitch = f64::min(ROW * look.tick, (look.tallest - top - below) / time.rows.len() as f64);
    let bottom = top + pitch * time.rows.len() as f64;
    let frame = Frame { left, top, right, bottom };
    let (axis, unit, name) = axis(time, &frame, look, metrics);
    let baseline = look.tick_baseline(bottom);
    let mut canvas = Canvas::new(look.width, bottom + below);
    let across = |at: f64| units(left + (at - axis.low) / (axis.high - axis.low) * (right - left));
    let position = |seconds: f64| across(axis.coordinate(seconds / unit).unwrap_or(axis.low));
    for ((number, row), label) in time.rows.iter().enumerate().zip(&labels) {
        let floor = top + pitch * (number + 1) as f64;
        draw_row(&mut canvas, time, row, (floor, 0.86 * pitch), &position, look);
        let beside = (left - look.tick_length() - look.gap(), floor - 0.5 * pitch + 0.33 * look.tick);
        canvas.text(&Rich::plain(label), beside, look.tick, Anchor::End);
    }
    let ground = [(left, bottom), (right, bottom)];
    draw_axes(&mut canvas, &ground, (&axis, &Axis::bare()), &|(at, _)| (across(at), 0), (1.0, look));
    draw_x_labels(&mut canvas, frame, &axis, &across, look);
    let label = format!("duration of a round ({name})");
    let below = (frame.middle().0, baseline + 1.2 * look.label);
    canvas.text(&Rich::plain(&label), below, look.label, Anchor::Middle);
    for ((words, line), (x, y)) in words.into_iter().zip([true, false]).zip(positions) {
        let (across, middle) = (units(x + 0.5 * sample), units(y - 0.3 * look.tick));
        canvas.layer(Layer::new("legend"), |area| {
            if line {
                area.path(vec![(across, units(y - 0.75 * look.tick)), (across, units(y))], stroke(look.line, BLACK));
            } else {
                dot(area, (across, middle), look);
            }
        });
        canvas.text(&Rich::plain(words), (x + sample + 0.3 * look.tick, y), look.tick, Anchor::Start);
    }
    canvas.finish()
}

/// The axis over all bins, with as many labels as fit; its unit in seconds and the unit's name.
fn axis(time: &RoundTime, frame: &Frame, look: &Look, metrics: &Metrics) -> (Axis, f64, &'static str) {
    let (low, high) = (time.edges[0], time.edges[BINS]);
    let (unit, name) = time_unit(high);
    let of = |most: usize| match time.log {
        true => Axis::log(low / unit, high / unit, most),
        false => Axis::linear(low / unit, high / unit, most, false),
    };
    let room = |axis: &Axis| axis.has_room(frame.right - frame.left, 0.8 * look.tick, look.tick, metrics);
    let mut axis = (2..=7).rev().map(of).find(room).unwrap_or_else(|| of(1));
    // A label that would leave the page is left out.
    let (scale, start) = ((frame.right - frame.left) / (axis.high - axis.low), axis.low);
    axis.ticks.retain(|tick| {
        let end = frame.left + (tick.at - start) * scale + 0.5 * metrics.width(&tick.label, look.tick);
        end <= look.width - 0.15 * look.tick
    });
    (axis, unit, name)
}

fn draw_row(
    canvas: &mut Canvas,
    time: &RoundTime,
    row: &ArmRow,
    (floor, height): (f64, f64),
    position: &impl Fn(f64) -> i32,
    look: &Look,
) {
    let highest = row.counts.iter().copied().max().unwrap_or(1).max(1) as f64;
    let at = |count: u64| units(floor - height * count as f64 / highest);
    let ground = units(floor);
    // One outline per run of bins that hold something.
    let mut shapes: Vec<Vec<(i32, i32)>> = Vec::new();
    for (bin, &count) in row.counts.iter().enumerate().filter(|(_, count)| **count > 0) {
        let (from, to) = (position(time.edges[bin]), position(time.edges[bin + 1]));
        let follows = shapes.last().and_then(|shape| shape.last()).is_some_and(|last| last.0 == from);
        if !follows {
            shapes.push(vec![(from, ground)]);
        }
        if let Some(shape) = shapes.last_mut() {
            shape.extend([(from, at(count)), (to, at(count))]);
        }
    }
    let color = LineStyle::of(row.style).color;
    canvas.layer(Layer::new("histogram"), |area| {
        for mut shape in shapes {
            let end = shape.last().map_or(0, |last| last.0);
            shape.push((end, ground));
            area.draw(&Polygon::new(shape.clone(), fill(color, 0.45)));
            area.path(shape, stroke(0.5 * look.line, color));
        }
        let across = position(row.median);
        area.path(vec![(across, ground), (across, units(floor - height))], stroke(look.line, BLACK));
        dot(area, (position(row.p99), units(floor - 0.5 * look.tick)), look);
    });
}

/// A dot with a white rim.
fn dot(area: &Area, center: (i32, i32), look: &Look) {
    area.draw(&Circle::new(center, units(2.5 * look.line), fill(WHITE, 1.0)));
    area.draw(&Circle::new(center, units(1.9 * look.line), fill(BLACK, 1.0)));
}
