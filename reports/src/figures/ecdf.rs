//! The distribution of durations of rounds, transfers, computations or clients, a staircase per arm. Rounds and clients
//! are counted one by one; of transfers and computations records keep quantiles only, which are marked.

use super::facets::{ArmsFrame, entries, share_panels};
use super::participation::clients;
use super::units::time_unit;
use crate::axes::scale;
use crate::data::{Arm, Run};
use crate::error::ReportError;
use crate::layout::{Form, Grid, Markers, Panel, Shape, Side};
use crate::report::{BuiltinKind, Drawing, Report};
use crate::rows::{FigureRows, cells, number};
use crate::style::LineStyle;
use crate::words::{listed, not_shown};
use fedbits_figures::{Ecdf, Timed};
use fedbits_numerics::{quantile, sorted};
use fedbits_record::{HistogramSummary, RecordError, RoundRow};
use fedbits_spec::so_many;

pub(crate) const KIND: BuiltinKind = BuiltinKind {
    name: "ecdf",
    title: "distributions of durations: of rounds, transfers, computations, clients",
    needs: "`rounds.csv`, `histograms.csv`, `clients.csv`",
    draw: |report| draw(report, &Ecdf::default()),
};

/// The figure; one per duration where the arms are spread over panels. Durations that no arm has have no panel.
pub(crate) fn draw(report: &Report<'_>, setting: &Ecdf) -> Result<Vec<Drawing>, ReportError> {
    let durations = match &setting.of[..] {
        [] => Timed::ALL.into_iter().filter(|duration| *duration != Timed::Waiting).collect(),
        asked => asked.to_vec(),
    };
    let measured = |duration: Timed| {
        let arms: Vec<Vec<(f64, f64)>> = report.arms().iter().map(|arm| shares(arm, duration)).collect();
        let takes_time = arms.iter().flatten().any(|point| point.0 > 0.0);
        takes_time.then_some(Distribution { duration, arms })
    };
    let all: Vec<Distribution> = durations.into_iter().filter_map(measured).collect();
    let frames = report.frames();
    let is_one = frames.len() == 1;
    let draw = |part: &[Distribution]| {
        let name = if is_one { "ecdf".to_owned() } else { format!("ecdf-{}", words(part[0].duration).0) };
        let is_shown = |arm: usize| part.iter().any(|distribution| !distribution.arms[arm].is_empty());
        let panels = part.iter().flat_map(|distribution| distribution.panels(&frames)).collect();
        let grid = Grid { entries: entries(&frames, is_shown), panels, ..Grid::default() };
        let words = report.words(&caption(part), &about(report.arms(), part));
        report.figure((&name, &name), grid, &rows(report.arms(), part)?, words)
    };
    all.chunks(if is_one { all.len().max(1) } else { 1 }).map(draw).collect()
}

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

fn shares(arm: &Arm, duration: Timed) -> Vec<(f64, f64)> {
    match (duration, words(duration).2) {
        (Timed::Round, _) => counted(&spans(arm)),
        (_, Some(histogram)) => quantiles(arm, histogram),
        _ => {
            let work = sorted(arm.records().flat_map(clients).filter_map(|client| client.work()));
            counted(&work.into_iter().map(|seconds| (seconds, 1)).collect::<Vec<_>>())
        }
    }
}

/// Of durations in their order with how many there are: each once, and the share of all that take at most so long.
fn counted(spans: &[(f64, u64)]) -> Vec<(f64, f64)> {
    let count = |spans: &[(f64, u64)]| spans.iter().map(|span| span.1).sum::<u64>();
    let mut before = 0;
    let shares = spans.chunk_by(|one, next| one.0 == next.0).map(|same| {
        before += count(same);
        (same[0].0, before as f64 / count(spans) as f64)
    });
    shares.collect()
}

/// The quantiles that a histogram has, the median over the runs of each.
fn quantiles(arm: &Arm, name: &str) -> Vec<(f64, f64)> {
    let rows = arm.records().flat_map(|record| &record.histograms);
    let rows: Vec<_> = rows.filter(|row| row.name == name && row.unit == "ns").collect();
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
        let values = sorted(rows.iter().copied().filter_map(of).map(|nanoseconds| nanoseconds as f64 * 1e-9));
        (!values.is_empty()).then(|| (quantile(&values, 0.5), share))
    };
    known.into_iter().filter_map(point).collect()
}

impl Distribution {
    fn is_counted(&self) -> bool {
        words(self.duration).2.is_none()
    }

    fn panels(&self, frames: &[ArmsFrame]) -> Vec<Panel> {
        let values = || self.arms.iter().flatten().map(|point| point.0);
        let (unit, name) = time_unit(values().fold(0.0, f64::max));
        let shapes = |arm: usize, style: usize| {
            let points: Vec<(f64, f64)> =
                self.arms[arm].iter().map(|&(seconds, share)| (seconds / unit, share)).collect();
            let (look, line) = (LineStyle::of(style), stairs(&points));
            match self.is_counted() {
                true => vec![Shape::new(look, Form::Line(Markers::Spaced(style)), line)],
                false => vec![
                    Shape::new(look, Form::Line(Markers::None), line),
                    Shape::new(look, Form::Dots { hollow: false }, points),
                ],
            }
        };
        let x = Side { scale: scale(values()), ..Side::new(&format!("{} ({name})", words(self.duration).1)) };
        share_panels(frames, &x, "share", shapes)
    }
}

/// What is known of a distribution: the share of each point holds up to the next one.
fn stairs(points: &[(f64, f64)]) -> Vec<(f64, f64)> {
    let before = [0.0].into_iter().chain(points.iter().map(|point| point.1));
    points.iter().zip(before).flat_map(|(&(value, share), before)| [(value, before), (value, share)]).collect()
}

/// A tidy table: what, arm, seconds, and the share that takes at most so long.
fn rows(arms: &[Arm], all: &[Distribution]) -> Result<FigureRows, RecordError> {
    let of_arm = |of: &'static str, arm: &Arm, points: &[(f64, f64)]| {
        let row = |&(seconds, share): &(f64, f64)| cells![of, arm.label, number(seconds), number(share)];
        points.iter().map(row).collect::<Vec<_>>()
    };
    let of_duration = |distribution: &Distribution| {
        let of = words(distribution.duration).0;
        arms.iter().zip(&distribution.arms).flat_map(|(arm, points)| of_arm(of, arm, points)).collect::<Vec<_>>()
    };
    FigureRows::new(&["of", "arm", "seconds", "share"], all.iter().flat_map(of_duration))
}

fn caption(all: &[Distribution]) -> String {
    let what: Vec<String> = all.iter().map(|distribution| words(distribution.duration).1.to_owned()).collect();
    let marked = match all.iter().all(Distribution::is_counted) {
        true => "",
        false => " Markers are recorded quantiles; between them the share is at least that of the step.",
    };
    format!("Share of durations that are at most so long, over all rounds and runs: {}.{marked}", listed(&what))
}

fn about(arms: &[Arm], all: &[Distribution]) -> String {
    let mut text = caption(all);
    let has = |duration: Timed| all.iter().any(|distribution| distribution.duration == duration);
    if !all.iter().all(Distribution::is_counted) {
        text.push_str(
            " Records keep the least, the quantiles 50, 90, 99 and 99.9 %, and the most of transfers, computations \
             and waiting; a marker is the median over the runs of an arm. Transfers include latency and late ones; \
             those that were cut off or lost are left out.",
        );
    }
    let stride = arms.iter().flat_map(|arm| &arm.runs).map(stride).max().unwrap_or(1);
    if has(Timed::Round) && stride > 1 {
        let rounds = so_many(stride, "round");
        text += &format!(" Not every round is recorded: durations of rounds are means over up to {rounds}.");
    }
    if has(Timed::Client) {
        text.push_str(" A client at work computes, sends or receives; its duration is that of a whole run.");
    }
    text.push_str(" A logarithmic axis has no place for 0 s: a line begins there at the share that takes no time.");
    for distribution in all {
        let without = arms.iter().zip(&distribution.arms).filter(|(_, points)| points.is_empty());
        let why = format!("no {} that was measured", words(distribution.duration).1);
        text += &not_shown(&why, without.map(|(arm, _)| arm.label()));
    }
    text
}

/// Rounds from one recorded row to the next, at most.
fn stride(run: &Run) -> u64 {
    run.record.rounds.windows(2).map(|pair| pair[1].round - pair[0].round).max().unwrap_or(1)
}

/// Of all runs, from one recorded row to the next, what each round took in the mean and how many there are; the
/// shortest first.
fn spans(arm: &Arm) -> Vec<(f64, u64)> {
    let span = |pair: &[RoundRow]| {
        let rounds = pair[1].round.saturating_sub(pair[0].round).max(1);
        (pair[1].time_ns.saturating_sub(pair[0].time_ns) as f64 / 1e9 / rounds as f64, rounds)
    };
    let mut all: Vec<(f64, u64)> = arm.records().flat_map(|record| record.rounds.windows(2).map(span)).collect();
    all.sort_by(|one, two| one.0.total_cmp(&two.0));
    all
}
