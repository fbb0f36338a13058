//! The distribution of durations of rounds, transfers, computations or clients, a line per arm. Rounds and clients are
//! counted one by one; of transfers and computations records keep quantiles only, which are marked. Drawn by
//! [`super::chart_shapes`].

use super::chart_shapes;
use super::charts::{Chart, Charts, Form, Shape, Side};
use super::facets::ArmsFrame;
use super::old_entries::entries;
use super::round_time::{Span, spans, stride};
use super::units::time_unit;
use crate::axes::scale;
use crate::data::{Arm, Run};
use crate::error::ReportError;
use crate::kind::{About, FigureKind};
use crate::report::{Drawing, Report};
use crate::words::not_shown;
use fedbits_figures::{Ecdf, Timed};
use fedbits_numerics::{quantile, sorted};
use fedbits_record::{CLIENTS, Float, HistogramSummary, RecordError, Table};
use fedbits_spec::so_many;

/// The kind of figure.
pub(crate) struct Ecdfs;

impl FigureKind for Ecdfs {
    fn about(&self) -> About {
        About {
            name: "ecdf",
            title: "the share of rounds, transfers, computations and clients that take at most so long",
            needs: "`rounds.csv`, `histograms.csv`, `clients.csv`",
        }
    }

    fn draw(&self, report: &Report<'_>) -> Result<Vec<Drawing>, ReportError> {
        draw(report, &Ecdf::default())
    }
}

/// The figure; one per duration where the arms are spread over panels. Durations that no arm has have no panel.
pub(crate) fn draw(report: &Report<'_>, setting: &Ecdf) -> Result<Vec<Drawing>, ReportError> {
    let of = match &setting.of[..] {
        [] => Timed::ALL.into_iter().filter(|own| *own != Timed::Waiting).collect(),
        own => own.to_vec(),
    };
    let measured = |duration: Timed| {
        let arms: Vec<Vec<(f64, f64)>> = report.arms().iter().map(|arm| shares(arm, duration)).collect();
        let takes_time = arms.iter().flatten().any(|point| point.0 > 0.0);
        takes_time.then_some(Distribution { duration, arms })
    };
    let all: Vec<Distribution> = of.into_iter().filter_map(measured).collect();
    let frames = report.frames();
    let each = if frames.len() == 1 { all.len().max(1) } else { 1 };
    let draw = |own: &[Distribution]| {
        let name = if frames.len() == 1 { "ecdf".to_owned() } else { format!("ecdf-{}", words(own[0].duration).0) };
        let panels = own.iter().flat_map(|own| own.panels(&frames)).collect();
        let is_shown = |arm: usize| own.iter().any(|own| !own.arms[arm].is_empty());
        let charts = Charts::of(report, entries(&frames, is_shown), panels);
        report.drawing(
            (&name, &name),
            chart_shapes::draw(&charts, &report.look, &report.metrics),
            |comments| csv(report.arms(), own, comments),
            report.words(&caption(own), &about(report.arms(), own)),
        )
    };
    all.chunks(each).map(draw).collect()
}

/// How long something takes.
struct Distribution {
    duration: Timed,
    /// By arm: seconds, and the share that takes at most so long; in order, empty where nothing was measured.
    arms: Vec<Vec<(f64, f64)>>,
}

/// Its name in tables, what is to the right, and the histogram that counts it.
fn words(duration: Timed) -> (&'static str, &'static str, Option<&'static str>) {
    match duration {
        Timed::Round => ("round", "round", None),
        Timed::Download => ("download", "download", Some("downlink transfer")),
        Timed::Computing => ("computing", "computation", Some("compute")),
        Timed::Upload => ("upload", "upload", Some("uplink transfer")),
        Timed::Waiting => ("waiting", "wait of a client", Some("wait")),
        Timed::Client => ("client", "a client at work", None),
    }
}

/// Seconds and shares of an arm.
fn shares(arm: &Arm, duration: Timed) -> Vec<(f64, f64)> {
    match (duration, words(duration).2) {
        (Timed::Round, _) => counted(&spans(arm)),
        (_, Some(histogram)) => quantiles(arm, histogram),
        _ => {
            let clients = sorted(arm.runs.iter().flat_map(busy));
            counted(&clients.into_iter().map(|seconds| Span { seconds, rounds: 1 }).collect::<Vec<_>>())
        }
    }
}

/// Seconds that each client of a run computes, sends and receives.
fn busy(run: &Run) -> Vec<f64> {
    let clients = run.record.extra.iter().find(|table| table.name == CLIENTS);
    let column = |name: &str| clients.and_then(|clients| clients.numbers(name)).unwrap_or_default();
    let [computing, sending, receiving, overlap] = ["computing_s", "sending_s", "receiving_s", "overlap_s"].map(column);
    let client = |index: usize| computing[index] + sending[index] + receiving[index] - overlap[index];
    (0..overlap.len()).map(client).collect()
}

/// Each duration once, the shortest first, and the share of all that take at most so long.
fn counted(spans: &[Span]) -> Vec<(f64, f64)> {
    let all = spans.iter().map(|span| span.rounds).sum::<u64>() as f64;
    let mut before = 0;
    let shares = spans.chunk_by(|one, next| one.seconds == next.seconds).map(|same| {
        before += same.iter().map(|span| span.rounds).sum::<u64>();
        (same[0].seconds, before as f64 / all)
    });
    shares.collect()
}

/// The quantiles that a histogram has, the median over the runs of each.
fn quantiles(arm: &Arm, name: &str) -> Vec<(f64, f64)> {
    let rows = || {
        let rows = arm.records().flat_map(|record| &record.histograms);
        rows.filter(|row| row.name == name && row.unit == "ns")
    };
    type Quantile = fn(&HistogramSummary) -> Option<u64>;
    let known: [(f64, Quantile); 6] = [
        (0.0, |row| row.min),
        (0.5, |row| row.p50),
        (0.9, |row| row.p90),
        (0.99, |row| row.p99),
        (0.999, |row| row.p999),
        (1.0, |row| row.max),
    ];
    let point = |(share, of): (f64, Quantile)| {
        let own = sorted(rows().filter_map(of).map(|nanoseconds| nanoseconds as f64 * 1e-9));
        (!own.is_empty()).then(|| (quantile(&own, 0.5), share))
    };
    known.into_iter().filter_map(point).collect()
}

impl Distribution {
    fn is_counted(&self) -> bool {
        words(self.duration).2.is_none()
    }

    /// A panel per frame of arms.
    fn panels(&self, frames: &[ArmsFrame]) -> Vec<Chart> {
        let values = || self.arms.iter().flatten().map(|point| point.0);
        let (unit, name) = time_unit(values().fold(0.0, f64::max));
        let scale = scale(values());
        let panel = |frame: &ArmsFrame| {
            let shape = |(arm, _, style): &(usize, String, usize)| {
                let own = self.arms[*arm].iter().map(|&(seconds, share)| (seconds / unit, share)).collect::<Vec<_>>();
                match self.is_counted() {
                    true => Shape::new(*style, Form::Line, stairs(&own)),
                    false => Shape::new(*style, Form::Marked, own),
                }
            };
            Chart {
                heading: frame.heading.clone(),
                x: Side { label: format!("{} ({name})", words(self.duration).1), scale, ..Side::default() },
                y: Side { label: "share".to_owned(), holds: vec![0.0, 1.0], tight: true, ..Side::default() },
                shapes: frame.arms.iter().map(shape).filter(|shape| !shape.points.is_empty()).collect(),
                strip: Vec::new(),
            }
        };
        frames.iter().map(panel).collect()
    }
}

/// The line of counted values: from 0 at the first, in steps.
fn stairs(points: &[(f64, f64)]) -> Vec<(f64, f64)> {
    let before = [0.0].into_iter().chain(points.iter().map(|point| point.1));
    points.iter().zip(before).flat_map(|(&(value, share), before)| [(value, before), (value, share)]).collect()
}

/// A tidy table: what, arm, seconds, and the share that takes at most so long.
fn csv(arms: &[Arm], all: &[Distribution], comments: &[String]) -> Result<String, RecordError> {
    let mut table = Table::in_memory(comments, &["of", "arm", "seconds", "share"])?;
    for own in all {
        for (arm, points) in arms.iter().zip(&own.arms) {
            for &(seconds, share) in points {
                table.row(&[&words(own.duration).0, &arm.label, &Float(Some(seconds)), &Float(Some(share))])?;
            }
        }
    }
    table.into_text()
}

fn caption(all: &[Distribution]) -> String {
    let marked =
        if all.iter().all(Distribution::is_counted) { "" } else { "; marked: the quantiles that were recorded" };
    let what: Vec<&str> = all.iter().map(|own| words(own.duration).1).collect();
    format!("Share that takes at most so long, in simulated time, of all rounds and runs: {}{marked}.", what.join(", "))
}

fn about(arms: &[Arm], all: &[Distribution]) -> String {
    let mut text = caption(all);
    let has = |duration: Timed| all.iter().any(|own| own.duration == duration);
    if !all.iter().all(Distribution::is_counted) {
        text.push_str(
            " Of transfers, computations and waiting records keep the least, the quantiles 50, 90, 99 and 99.9 %, and \
             the most, which are marked (the median over an arm's runs of each); between them lines are straight, and \
             say nothing. Transfers include latency and what was late; left out is what was cut off or lost.",
        );
    }
    let stride = arms.iter().flat_map(|arm| &arm.runs).map(stride).max().unwrap_or(1);
    if has(Timed::Round) && stride > 1 {
        text += &format!(
            " Not every round is recorded: durations of rounds are means over up to {}.",
            so_many(stride, "round")
        );
    }
    if has(Timed::Client) {
        text.push_str(" A client at work computes, sends or receives; all clients of all runs, over whole runs.");
    }
    text.push_str(" What takes no time has no place on a logarithmic axis: there a line begins at its share.");
    for own in all {
        let without = arms.iter().zip(&own.arms).filter(|(_, points)| points.is_empty());
        let why = format!("no {} that was measured", words(own.duration).1);
        text += &not_shown(&why, without.map(|(arm, _)| arm.label()));
    }
    text
}
