//! One round, drawn: what each client or agent does when, and below how many transfers are on the server's links. From
//! `trace.csv`.

use std::collections::BTreeSet;

use super::gantt::{Bar, Doing, Ending, Gantt, of_rows, overlaps};
use super::units::time_unit;
use crate::data::Arm;
use crate::error::ReportError;
use crate::layout::{
    BoxStyle, Entry, Form, Grid, Hatch, HatchLine, Markers, PLAIN, Panel, RISING, Sample, Shape, Side, rows_of_page,
};
use crate::report::{BuiltinKind, Drawing, Report};
use crate::style::{LineStyle, Look, Rgb};
use crate::text::{Rich, grouped};
use crate::words::{distinct, file_name};
use fedbits_record::{TracePart, TraceRow};
use fedbits_spec::so_many;

/// Figures of a report; `--arm` chooses others.
const MOST_FIGURES: usize = 8;
/// No figure has more rows.
const MOST_ROWS: usize = 40;
/// Heights of a row, of the panel of other nodes and of that of transfers, in sizes of tick labels.
const ROW: f64 = 1.2;
const OTHERS: f64 = 4.0;
const LOAD: f64 = 5.0;
/// Between panels, in the same.
const BETWEEN: f64 = 1.0;
/// Height of a bar in rows, and of one of waiting in bars.
const BAR: f64 = 0.8;
const WAIT: f64 = 0.3;
/// How much ink a part has that was not used, and waiting.
const PALE: f64 = 0.4;
/// What takes less than this share of the time is drawn as wide, to be seen.
const SHORTEST: f64 = 0.002;
/// Parts of the time in which other nodes are counted.
const PARTS: usize = 400;
const CLOSES: LineStyle = LineStyle { dash: &[1.2, 1.8], ..LineStyle::INK };

pub(crate) const KIND: BuiltinKind = BuiltinKind {
    name: "round",
    title: "what each client does when in a round, and the transfers on the server's links",
    needs: "`trace.csv`, which `record: (trace: […])` or `fedbits trace` leaves",
    draw,
};

fn draw(report: &Report<'_>) -> Result<Vec<Drawing>, ReportError> {
    let mut gantts = gantts(report.arms());
    let left_out = gantts.len().saturating_sub(MOST_FIGURES);
    gantts.truncate(MOST_FIGURES);
    let draw = |(gantt, name): (&Gantt, String)| {
        let chosen = gantt.chosen(most_rows(gantt.nodes.len(), &report.look));
        let words = report.words(&caption(gantt), &words(gantt, &chosen, left_out));
        let grid = RoundDrawing::new(gantt, chosen).grid();
        report.figure((&name, &name), grid, &gantt.table()?, words)
    };
    gantts.iter().zip(names(&gantts)).map(draw).collect()
}

fn most_rows(nodes: usize, look: &Look) -> usize {
    let rows = |below: f64| rows_of_page(ROW, look).saturating_sub((below / ROW).ceil() as usize).clamp(1, MOST_ROWS);
    let all = rows(LOAD + BETWEEN);
    if nodes <= all { all } else { rows(LOAD + OTHERS + 2.0 * BETWEEN) }
}

/// A name for each figure: that of the kind where there is but one.
fn names(gantts: &[Gantt]) -> Vec<String> {
    distinct(gantts.iter().map(|gantt| {
        let arm = file_name(&gantt.arm);
        let several = gantts.iter().filter(|one| one.arm == gantt.arm).count() > 1;
        match (gantts.len(), several) {
            (1, _) => "round".to_owned(),
            (_, false) => format!("round-{arm}"),
            (_, true) => format!("round-{arm}-{}", gantt.rounds[0].0),
        }
    }))
}

fn gantts(arms: &[Arm]) -> Vec<Gantt> {
    let traced = |arm: &Arm| {
        let rows = arm.records().map(|record| TraceRow::of(&record.extra)).find(|rows| !rows.is_empty());
        rows.map(|rows| of_rows(arm.label(), rows)).unwrap_or_default()
    };
    arms.iter().flat_map(traced).collect()
}

/// Colour and hatch of what a node does: traffic has those of the bits that most of it carries.
fn filling(doing: Doing, is_pale: bool) -> BoxStyle {
    const UPRIGHT: Hatch = Hatch { lines: &[HatchLine::Upright], dense: false };
    const WOVEN: Hatch = Hatch { lines: &[HatchLine::Across, HatchLine::Falling], dense: false };
    let (color, hatch): (Rgb, Hatch) = match doing {
        Doing::Receive => ((0xD5, 0x5E, 0x00), RISING),
        Doing::Compute => ((0x00, 0x9E, 0x73), UPRIGHT),
        Doing::Send => ((0x00, 0x72, 0xB2), PLAIN),
        Doing::Restart => ((0x60, 0x60, 0x60), WOVEN),
        Doing::Wait => ((0xCC, 0x79, 0xA7), PLAIN),
    };
    BoxStyle { color, hatch, cover: if is_pale || doing == Doing::Wait { PALE } else { 1.0 } }
}

/// A line in the colour of what a node does.
fn line(doing: Doing) -> LineStyle {
    let look = LineStyle { color: filling(doing, false).color, ..LineStyle::INK };
    if doing == Doing::Receive { look.dashed(1) } else { look }
}

fn doing_words(doing: Doing, are_agents: bool) -> &'static str {
    match (doing, are_agents) {
        (Doing::Receive, false) => "download",
        (Doing::Receive, true) => "receive",
        (Doing::Compute, _) => "compute",
        (Doing::Send, false) => "upload",
        (Doing::Send, true) => "send",
        (Doing::Restart, _) => "restart",
        (Doing::Wait, _) => "wait",
    }
}

/// The panels of a round, over one axis of time.
struct RoundDrawing<'a> {
    gantt: &'a Gantt,
    /// The nodes that have rows, and the others.
    nodes: [Vec<&'a (u64, String)>; 2],
    /// Nanoseconds of a unit of the axis.
    unit: f64,
    time: Side,
}

impl<'a> RoundDrawing<'a> {
    fn new(gantt: &'a Gantt, nodes: [Vec<&'a (u64, String)>; 2]) -> Self {
        let span = (gantt.end - gantt.times()[0]) as f64;
        let (seconds, unit) = time_unit(span * 1e-9);
        let since = match gantt.rounds.len() {
            1 => "the round".to_owned(),
            _ => format!("round {}", gantt.rounds[0].0),
        };
        let label = Rich::plain(&format!("time since {since} opened ({unit})"));
        let brief = format!("time ({unit})");
        let window = [Some(0.0), Some(span / (1e9 * seconds))];
        Self { gantt, nodes, unit: 1e9 * seconds, time: Side { label, brief, window, ..Side::default() } }
    }

    /// Where a time stands on the axis.
    fn at(&self, time: u64) -> f64 {
        (time as f64 - self.gantt.times()[0] as f64) / self.unit
    }

    fn grid(&self) -> Grid {
        let unlisted = (!self.nodes[1].is_empty()).then(|| self.unlisted());
        let mut panels: Vec<Panel> = [self.rows()].into_iter().chain(unlisted).chain([self.load()]).collect();
        for panel in &mut panels {
            let closes = self.gantt.rounds.iter().map(|(_, [_, close])| (self.at(*close), 0.0)).collect();
            panel.shapes.push(Shape::new(CLOSES, Form::Upright, closes));
        }
        Grid { panels, entries: self.entries(), columns: Some(1), ..Grid::default() }
    }

    /// The legend: what occurs.
    fn entries(&self) -> Vec<Entry> {
        let gantt = self.gantt;
        let occurs = |doing: &Doing| gantt.bars().any(|bar| bar.doing == *doing);
        let words = |doing| doing_words(doing, gantt.are_agents());
        let bars = Doing::ALL.into_iter().filter(occurs);
        let bars = bars.map(|doing| Entry::filled(words(doing), filling(doing, false)));
        let unused = gantt.bars().find(|bar| bar.fate != Ending::Used);
        let unused = unused.map(|bar| Entry::filled("not used (yet)", filling(bar.doing, true)));
        let is_lost = gantt.bars().any(|bar| bar.fate == Ending::Lost);
        let lost = is_lost.then(|| Entry::new("lost or cut off", Sample::Cross(LineStyle::INK)));
        bars.chain(unused).chain(lost).chain([Entry::new("round closes", Sample::Upright(CLOSES))]).collect()
    }

    /// A row per node with a bar for each part.
    fn rows(&self) -> Panel {
        let (gantt, mut boxes) = (self.gantt, Vec::new());
        let (open, end) = (gantt.times()[0], gantt.end);
        let (mut crosses, mut beyond) = (Vec::new(), Vec::new());
        for (row, name) in self.nodes[0].iter().enumerate() {
            let bars = &gantt.nodes[*name];
            for bar in bars.iter().filter(|bar| bar.times[0] < end && bar.times[1] >= open) {
                let filling = filling(bar.doing, bar.fate != Ending::Used);
                let (middle, half) = lane(bar, overlaps(bar, bars));
                let [from, to] = bar.times.map(|time| self.at(time));
                let to = to.max(from + SHORTEST * self.at(end));
                let height = row as f64 + middle;
                boxes.push((filling, [(from, height - half), (to, height + half)]));
                if bar.times[1] > end {
                    beyond.push((to, height));
                } else if bar.fate == Ending::Lost {
                    crosses.push((to, height));
                }
            }
        }
        let name = |(number, name): &&(u64, String)| match name.strip_prefix(gantt.who()) {
            Some(rest) if rest == format!("-{number}") => number.to_string(),
            _ => name.clone(),
        };
        let names = self.nodes[0].iter().map(name).collect();
        let boxes = grouped(boxes).into_iter().map(|(filling, corners)| (Form::Boxes(filling), corners.concat()));
        let shapes = boxes.chain([(Form::Crosses, crosses), (Form::Beyond, beyond)]);
        let y = Side { pitch: ROW, ..Side::of_names(gantt.who(), names) };
        Panel::new(self.time.clone(), y, shapes.map(|(form, points)| Shape::new(LineStyle::INK, form, points)))
    }

    /// How many of the nodes without a row do what until the last round closes, one kind above the other.
    fn unlisted(&self) -> Panel {
        let [open, close] = self.gantt.times();
        let counts = self.gantt.counts(&self.nodes[1], PARTS);
        let width = (self.at(close) - self.at(open)) / PARTS as f64;
        let steps = |heights: &[u32]| -> Vec<(f64, f64)> {
            let ends =
                |(part, &height): (usize, &u32)| [part, part + 1].map(|at| (at as f64 * width, f64::from(height)));
            heights.iter().enumerate().flat_map(ends).collect()
        };
        let (mut below, mut shapes) = (vec![0; PARTS], Vec::new());
        let occurs = |(_, counts): &(Doing, &Vec<u32>)| counts.iter().any(|&count| count > 0);
        for (doing, of_doing) in Doing::ALL.into_iter().zip(&counts).filter(occurs) {
            let above: Vec<u32> = below.iter().zip(of_doing).map(|(below, count)| below + count).collect();
            let look = line(doing).solid();
            shapes.push(Shape::new(look, Form::Band(steps(&below)), steps(&above)));
            shapes.push(Shape::new(look, Form::Line(Markers::None), steps(&above)));
            below = above;
        }
        let holds = vec![0.0, self.nodes[1].len() as f64];
        let y = Side { holds, tight: true, ..Side::new("others") };
        Panel { height: Some(OTHERS), ..Panel::new(self.time.clone(), y, shapes) }
    }

    fn load(&self) -> Panel {
        let (label, parts) = match self.gantt.are_agents() {
            true => ("messages", vec![(TracePart::Message, Doing::Send)]),
            false => ("transfers", vec![(TracePart::Upload, Doing::Send), (TracePart::Download, Doing::Receive)]),
        };
        let shapes = parts.into_iter().flat_map(|(part, doing)| {
            let mut steps: Vec<(f64, f64)> = Vec::new();
            for (time, count) in self.gantt.load(part) {
                let before = steps.last().map_or(0.0, |last| last.1);
                steps.extend([(self.at(time), before), (self.at(time), f64::from(count))]);
            }
            let floor = steps.iter().map(|&(at, _)| (at, 0.0)).collect();
            let band = Shape::new(line(doing), Form::Band(floor), steps.clone());
            [band, Shape::new(line(doing), Form::Line(Markers::None), steps)]
        });
        let y = Side { holds: vec![0.0, 1.0], tight: true, ..Side::new(label) };
        Panel { height: Some(LOAD), ..Panel::new(self.time.clone(), y, shapes) }
    }
}

/// The middle of a bar and half its height, in rows; with others at once each has its lane.
fn lane(bar: &Bar, has_others: bool) -> (f64, f64) {
    let lane = match bar.doing {
        Doing::Send => -1.0,
        Doing::Receive => 1.0,
        Doing::Compute | Doing::Restart | Doing::Wait => 0.0,
    };
    let height = if has_others { BAR / 3.0 } else { BAR };
    let middle = if has_others { lane * height } else { 0.0 };
    (middle, 0.5 * height * if bar.doing == Doing::Wait { WAIT } else { 1.0 })
}

/// "Round 3", or "Rounds 3 to 5".
fn title(gantt: &Gantt) -> String {
    match gantt.rounds[..] {
        [(only, _)] => format!("Round {only}"),
        _ => format!("Rounds {} to {}", gantt.rounds[0].0, gantt.rounds[gantt.rounds.len() - 1].0),
    }
}

fn caption(gantt: &Gantt) -> String {
    let closes = if gantt.rounds.len() == 1 { "the round closes" } else { "rounds close" };
    let below = match gantt.are_agents() {
        true => "messages that are on their way",
        false => "transfers on the server's links, downloads dashed",
    };
    let fates = gantt.bars().map(|bar| bar.fate).collect::<BTreeSet<_>>();
    let is_pale = fates.iter().any(|fate| *fate != Ending::Used);
    let pale = if is_pale { "; pale: what was not used, or not yet" } else { "" };
    let cross = if fates.contains(&Ending::Lost) { " (crosses: lost or cut off)" } else { "" };
    format!(
        "{} of {}: what each {} does when{pale}{cross}; dotted: {closes}. Below: {below}.",
        title(gantt),
        gantt.arm,
        gantt.who()
    )
}

fn words(gantt: &Gantt, [in_rows, unlisted]: &[Vec<&(u64, String)>; 2], left_out: usize) -> String {
    let (who, [open, close], end) = (gantt.who(), gantt.times(), gantt.end);
    let mut text = format!(
        "{} of {} (its first traced run), from `trace.csv`: what each {who} that takes part does when. A transfer \
         is drawn from its sending to its arrival, latency included; between its parts a {who} waits.",
        title(gantt),
        gantt.arm
    );
    if gantt.rounds.len() == 1 {
        text += &format!(" Those that are done last stand at the bottom: what a {who} does ends with its last part.");
    }
    if gantt.left_out > 0 {
        text += &format!(" It is the longest of {} traced rounds in a row.", gantt.left_out + 1);
    }
    if !unlisted.is_empty() {
        let which = if gantt.rounds.len() == 1 { "the slowest" } else { "the first" };
        text += &format!(
            " Of {} {who}s {which} {} have rows; of the {} others the figure shows how many do what at a time.",
            gantt.nodes.len(),
            in_rows.len(),
            unlisted.len()
        );
    }
    let beyond = |beyond: &dyn Fn(&Bar) -> bool| gantt.bars().filter(|bar| beyond(bar)).count();
    let (before, after) = (beyond(&|bar| bar.times[0] < open), beyond(&|bar| bar.times[1] > end));
    if before + after > 0 {
        text += &format!(
            " Parts that began before the round opened: {before}; parts that go on beyond the right edge (arrowheads): \
             {after}."
        );
    }
    text += &format!(" Times count from the opening, at {} s of the run", open as f64 / 1e9);
    text += &format!("; the last close is at {} s.", close as f64 / 1e9);
    if left_out > 0 {
        text += &format!(
            " {} left out: `--arm` chooses arms.",
            so_many(left_out, "further figure of this kind is|further figures of this kind are")
        );
    }
    text
}
