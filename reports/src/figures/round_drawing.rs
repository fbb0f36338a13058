//! Draws what nodes do in a round: a row per node with a bar for each part, the close of the round across all rows, the
//! nodes without a row as shares, and below the transfers under way.

use super::gantt::{Bar, Chosen, Doing, Ending, Gantt, overlaps};
use super::hatch::{Hatch, Line, PLAIN, RISING, hatch};
use super::legend::legend_rows;
use super::plot::{Frame, HAIRLINE, Plot};
use crate::axes::Axis;
use crate::scene::{Anchor, Area, Canvas, Layer, Scene, fill, points, stroke, units};
use crate::shades::{BLACK, Rgb, WHITE};
use crate::style::{Look, dashes};
use crate::text::{Metrics, Rich};
use fedbits_record::TracePart;
use plotters::prelude::{Polygon, Rectangle};

const UPRIGHT: Hatch = Hatch { lines: &[Line::Upright], dense: false };
const WOVEN: Hatch = Hatch { lines: &[Line::Across, Line::Falling], dense: false };
/// How much ink a part has that served nothing, and waiting.
const PALE: f64 = 0.4;
/// Heights of a row in sizes of tick labels: the least, and the most.
const ROW: (f64, f64) = (1.08, 1.7);
/// No figure has more rows.
const MOST_ROWS: usize = 40;
/// Heights of the panels of other nodes and of transfers, in sizes of tick labels.
const OTHERS: f64 = 4.0;
const LOAD: f64 = 5.0;
/// Above the panel of transfers, in the same.
const GAP: f64 = 1.2;
/// Dots of the line at which a round closes, and dashes of downloads, in thicknesses of a line.
const DOTS: &[f64] = &[1.2, 1.8];
const DASHES: &[f64] = &[4.0, 1.6];
/// Columns in which shares are counted, per point.
const COLUMNS_PER_POINT: f64 = 2.0;

/// Colour and hatch of what a node does: those of the figure `client_time`.
fn looks(doing: Doing) -> (Rgb, Hatch) {
    match doing {
        Doing::Receive => ((0xD5, 0x5E, 0x00), RISING),
        Doing::Compute => ((0x00, 0x9E, 0x73), UPRIGHT),
        Doing::Send => ((0x00, 0x72, 0xB2), PLAIN),
        Doing::Restart => ((0x60, 0x60, 0x60), WOVEN),
        Doing::Wait => ((0xCC, 0x79, 0xA7), PLAIN),
    }
}

fn words(doing: Doing, agents: bool) -> &'static str {
    match (doing, agents) {
        (Doing::Receive, false) => "download",
        (Doing::Receive, true) => "receive",
        (Doing::Compute, _) => "compute",
        (Doing::Send, false) => "upload",
        (Doing::Send, true) => "send",
        (Doing::Restart, _) => "restart",
        (Doing::Wait, _) => "wait",
    }
}

/// How many nodes have rows of their own: all, or as many as fit on the page beside the others.
pub(crate) fn most_rows(gantt: &Gantt, look: &Look) -> usize {
    // A legend of three rows at most.
    let around = 5.0 * look.tick + around_load(look);
    let rows = |room: f64| (room / (ROW.0 * look.tick)).floor().max(1.0) as usize;
    let most = rows(look.tallest - around).min(MOST_ROWS);
    if gantt.nodes.len() <= most { most } else { rows(look.tallest - around - OTHERS * look.tick).min(MOST_ROWS) }
}

/// What the panel of transfers takes.
fn around_load(look: &Look) -> f64 {
    (GAP + LOAD) * look.tick + below(look)
}

/// What an axis with its label takes.
fn below(look: &Look) -> f64 {
    look.tick_baseline(0.0) + 1.55 * look.label
}

/// Where the panels stand.
struct Sheet<'a> {
    gantt: &'a Gantt,
    chosen: &'a Chosen<'a>,
    look: &'a Look,
    rows: Frame,
    pitch: f64,
    others: Option<Frame>,
    load: Frame,
    /// Nanoseconds of a unit of the axis, and its name.
    unit: (f64, &'static str),
}

/// The figure as an SVG file.
pub(crate) fn draw(gantt: &Gantt, chosen: &Chosen<'_>, (look, metrics): (&Look, &Metrics)) -> Scene {
    let entries = entries(gantt);
    let labels: Vec<&str> = entries.iter().map(|(words, _)| *words).collect();
    let sample = 1.8 * look.tick;
    let (positions, legend) = legend_rows(&labels, sample, look, metrics);
    let sheet = sheet(gantt, chosen, look, (legend + 0.8 * look.tick, metrics));
    let mut canvas = Canvas::new(look.width, sheet.load.bottom + below(look));
    sheet.draw_rows(&mut canvas);
    sheet.draw_others(&mut canvas);
    sheet.draw_load(&mut canvas, metrics);
    sheet.draw_closes(&mut canvas);
    for ((label, sign), (x, y)) in entries.into_iter().zip(positions) {
        draw_sign(&mut canvas, sign, (x, y), sample, look);
        canvas.text(&Rich::plain(label), (x + sample + 0.5 * look.tick, y), look.tick, Anchor::Start);
    }
    canvas.finish()
}

/// What a sample of the legend stands for.
enum Sign {
    Bar(Doing, Ending),
    Cross,
    Close,
}

/// The legend: what occurs.
fn entries(gantt: &Gantt) -> Vec<(&'static str, Sign)> {
    let occurs = |doing| gantt.bars().any(|bar| bar.doing == doing);
    let kinds = Doing::ALL.into_iter().filter(|&doing| occurs(doing));
    let bars = kinds.map(|doing| (words(doing, gantt.are_agents()), Sign::Bar(doing, Ending::Used)));
    let unused = gantt.bars().find(|bar| bar.fate != Ending::Used);
    let unused = unused.map(|bar| ("served nothing", Sign::Bar(bar.doing, bar.fate)));
    let lost = gantt.bars().any(|bar| bar.fate == Ending::Lost).then_some(("lost or cut off", Sign::Cross));
    bars.chain(unused).chain(lost).chain([("round closes", Sign::Close)]).collect()
}

fn draw_sign(canvas: &mut Canvas, sign: Sign, (x, y): (f64, f64), sample: f64, look: &Look) {
    let (top, bottom) = (units(y - 0.75 * look.tick), units(y + 0.05 * look.tick));
    let middle = units(x + sample / 2.0);
    match sign {
        Sign::Bar(doing, fate) => canvas.layer(Layer::new("legend"), |area| {
            let bar = Bar { times: [0; 2], doing, fate };
            draw_bar(area, bar, [(units(x), top), (units(x + sample), bottom)], look);
        }),
        Sign::Cross => canvas.layer(Layer::new("legend"), |area| cross(area, (middle, (top + bottom) / 2), look)),
        Sign::Close => canvas.layer(Layer::new("legend").dashed(dashes(DOTS, look)), |area| {
            area.path(vec![(middle, top), (middle, bottom)], stroke(look.line, BLACK));
        }),
    }
}

fn sheet<'a>(gantt: &'a Gantt, chosen: &'a Chosen<'a>, look: &'a Look, (top, metrics): (f64, &Metrics)) -> Sheet<'a> {
    let count = chosen.own.len() as f64;
    let others = if chosen.others.is_empty() { 0.0 } else { OTHERS * look.tick };
    let room = look.tallest - top - others - around_load(look);
    let pitch = (0.5 * look.width / count).clamp(ROW.0 * look.tick, ROW.1 * look.tick);
    let pitch = pitch.min(room / count).max(ROW.0 * look.tick);
    let most = [TracePart::Download, TracePart::Upload, TracePart::Message].map(|part| busiest(gantt, part));
    let numbers = chosen.own.iter().map(|(number, _)| number.to_string());
    let numbers = numbers.chain([most.into_iter().max().unwrap_or(0).to_string(), chosen.others.len().to_string()]);
    let widest = numbers.map(|text| metrics.width(&Rich::plain(&text), look.tick)).fold(0.0, f64::max);
    let left = 1.35 * look.label + widest + 2.0 * look.gap() + look.tick_length();
    let right = look.width - 1.2 * look.tick;
    let frame = |top: f64, height: f64| Frame { left, top, right, bottom: top + height };
    let rows = frame(top, pitch * count);
    let others = (!chosen.others.is_empty()).then(|| frame(rows.bottom + 0.5 * look.tick, (OTHERS - 0.5) * look.tick));
    let above = others.map_or(rows.bottom, |frame| frame.bottom);
    let load = frame(above + GAP * look.tick, LOAD * look.tick);
    let [open, _] = gantt.times();
    let span = (gantt.end - open) as f64;
    let units = [(3.6e12, "h"), (1e9, "s"), (1e6, "ms"), (1e3, "µs")];
    let unit = units.into_iter().find(|&(size, _)| span >= size).unwrap_or((1.0, "ns"));
    Sheet { gantt, chosen, look, rows, pitch, others, load, unit }
}

fn busiest(gantt: &Gantt, part: TracePart) -> u32 {
    gantt.load(part).into_iter().map(|(_, count)| count).max().unwrap_or(0)
}

/// A bar in the look of what it stands for: pale where it served nothing.
fn draw_bar(area: &Area, bar: Bar, corners: [(i32, i32); 2], look: &Look) {
    let (color, lines) = looks(bar.doing);
    let pale = bar.fate != Ending::Used || bar.doing == Doing::Wait;
    let ink = if pale { color } else { WHITE };
    area.draw(&Rectangle::new(corners, fill(color, if pale { PALE } else { 1.0 })));
    let [(left, top), (right, bottom)] = corners.map(|(x, y)| (points(x), points(y)));
    hatch(area, (left, top), (right - left, bottom - top), lines, (ink, look));
}

/// Here something was lost or cut off.
fn cross(area: &Area, (x, y): (i32, i32), look: &Look) {
    let half = units(0.28 * look.tick);
    for way in [-1, 1] {
        area.path([-half, half].map(|off| (x + off, y + way * off)).to_vec(), stroke(look.line, BLACK));
    }
}

impl Sheet<'_> {
    /// Where a time is drawn, in points; inside of the frame.
    fn across(&self, at: u64) -> f64 {
        let ([open, _], end) = (self.gantt.times(), self.gantt.end);
        let share = at.clamp(open, end).saturating_sub(open) as f64 / (end - open) as f64;
        self.rows.left + share * (self.rows.right - self.rows.left)
    }

    fn draw_rows(&self, canvas: &mut Canvas) {
        let (look, Frame { left, top, bottom, .. }) = (self.look, self.rows);
        for (row, name) in self.chosen.own.iter().enumerate() {
            let middle = top + self.pitch * (row as f64 + 0.5);
            let bars = &self.gantt.nodes[*name];
            canvas.layer(Layer::new("bar"), |area| {
                bars.iter().for_each(|bar| self.draw_in_row(area, *bar, middle, overlaps(bar, bars)));
            });
            let position = (left - look.gap() - look.tick_length(), middle + 0.33 * look.tick);
            canvas.text(&Rich::plain(&name.0.to_string()), position, look.tick, Anchor::End);
        }
        let edge = stroke(HAIRLINE * look.line, BLACK);
        canvas.layer(Layer::new("axes"), |area| {
            area.path(vec![(units(left), units(top)), (units(left), units(bottom))], edge);
        });
        self.name(canvas, self.gantt.who(), &self.rows);
    }

    /// Beside a panel, upwards.
    fn name(&self, canvas: &mut Canvas, words: &str, frame: &Frame) {
        let position = (0.95 * self.look.label, frame.middle().1);
        canvas.upward_text(&Rich::plain(words), position, self.look.label, Anchor::Middle);
    }

    /// A bar of the row with this middle; with others at once each has its lane.
    fn draw_in_row(&self, area: &Area, bar: Bar, middle: f64, with_others: bool) {
        let high = 0.78 * self.pitch;
        let lane = match bar.doing {
            Doing::Send => -1.0 / 3.0,
            Doing::Receive => 1.0 / 3.0,
            Doing::Compute | Doing::Restart | Doing::Wait => 0.0,
        };
        let (middle, high) = if with_others { (middle + lane * high, high / 3.0) } else { (middle, high) };
        let high = if bar.doing == Doing::Wait { 0.3 * high } else { high };
        let [from, to] = bar.times.map(|at| units(self.across(at)));
        let ([open, _], end) = (self.gantt.times(), self.gantt.end);
        if bar.times[0] >= end || bar.times[1] < open {
            return;
        }
        // What takes no time is seen, too.
        let to = to.max(from + units(HAIRLINE * self.look.line));
        let corners = [(from, units(middle - high / 2.0)), (to, units(middle + high / 2.0))];
        draw_bar(area, bar, corners, self.look);
        // A white edge keeps neighbours apart in grey print.
        area.path(vec![(to, corners[0].1), (to, corners[1].1)], stroke(0.6 * self.look.line, WHITE));
        if bar.fate == Ending::Lost && bar.times[1] <= end {
            cross(area, (to, units(middle)), self.look);
        }
        if bar.times[0] < open {
            arrowhead(area, (from, units(middle)), -1, self.look);
        }
        if bar.times[1] > end {
            arrowhead(area, (to, units(middle)), 1, self.look);
        }
    }

    /// How many of the nodes without a row do what until the last round closes, one kind above the other.
    fn draw_others(&self, canvas: &mut Canvas) {
        let Some(frame) = self.others else { return };
        let [_, close] = self.gantt.times();
        let columns = ((self.across(close) - frame.left) * COLUMNS_PER_POINT) as usize;
        let (counts, most) = (self.counts(columns), self.chosen.others.len());
        let height = |count: u32| units(frame.bottom - f64::from(count) / most as f64 * (frame.bottom - frame.top));
        let edge = |column: usize| units(frame.left + column as f64 / COLUMNS_PER_POINT);
        let mut below = vec![0; columns];
        canvas.layer(Layer::new("others"), |area| {
            for (doing, own) in Doing::ALL.into_iter().zip(&counts).filter(|(_, own)| own.iter().any(|&n| n > 0)) {
                let above: Vec<u32> = below.iter().zip(own).map(|(below, own)| below + own).collect();
                let outline = |heights: &[u32]| -> Vec<(i32, i32)> {
                    let steps = heights.iter().enumerate();
                    steps.flat_map(|(k, &n)| [(edge(k), height(n)), (edge(k + 1), height(n))]).collect()
                };
                let (upper, mut lower) = (outline(&above), outline(&below));
                lower.reverse();
                let opacity = if doing == Doing::Wait { PALE } else { 1.0 };
                area.draw(&Polygon::new([upper.clone(), lower].concat(), fill(looks(doing).0, opacity)));
                // Black edges tell the kinds apart in grey print: they lie in the legend's order.
                area.path(upper, stroke(HAIRLINE * self.look.line, BLACK));
                below = above;
            }
        });
        let axis = Axis::linear(0.0, most as f64, 2, true);
        let plot = Plot { frame, x: Axis::bare(), y: axis };
        plot.draw_axes(canvas, self.look);
        plot.draw_y_labels(canvas, self.look);
        self.name(canvas, "others", &frame);
    }

    /// How many of the other nodes do each of [`Doing::ALL`], at the middle of each column. Who does several things at
    /// once counts as computing, else as sending.
    fn counts(&self, columns: usize) -> [Vec<u32>; 5] {
        const RANKS: [Doing; 5] = [Doing::Compute, Doing::Send, Doing::Receive, Doing::Restart, Doing::Wait];
        let [open, close] = self.gantt.times();
        let column = |at: u64| {
            let share = at.clamp(open, close).saturating_sub(open) as f64 / (close - open) as f64;
            ((share * columns as f64 + 0.5) as usize).min(columns)
        };
        let mut counts = Doing::ALL.map(|_| vec![0; columns]);
        for name in &self.chosen.others {
            let bars = &self.gantt.nodes[*name];
            let mut counted = vec![false; columns];
            for bar in RANKS.iter().flat_map(|rank| bars.iter().filter(move |bar| bar.doing == *rank)) {
                for column in column(bar.times[0])..column(bar.times[1]) {
                    counts[bar.doing as usize][column] += u32::from(!std::mem::replace(&mut counted[column], true));
                }
            }
        }
        counts
    }

    /// The transfers under way, and the axis of time.
    fn draw_load(&self, canvas: &mut Canvas, metrics: &Metrics) {
        let (look, frame, (unit, name)) = (self.look, self.load, self.unit);
        let parts: Vec<(TracePart, Doing)> = match self.gantt.are_agents() {
            true => vec![(TracePart::Message, Doing::Send)],
            false => vec![(TracePart::Upload, Doing::Send), (TracePart::Download, Doing::Receive)],
        };
        let most = parts.iter().map(|(part, _)| busiest(self.gantt, *part)).max().unwrap_or(0).max(1);
        let span = (self.gantt.end - self.gantt.times()[0]) as f64 / unit;
        let x = |most: usize| Axis { high: span, ..Axis::linear(0.0, span, most, true) };
        let room = |axis: &Axis| axis.has_room(frame.right - frame.left, 0.9 * look.tick, look.tick, metrics);
        let page = (f64::NEG_INFINITY, look.width - 0.15 * look.tick);
        let x = |most: usize| x(most).trimmed((frame.left, frame.right), page, look.tick, metrics);
        let x = (2..=7).rev().map(x).find(room).unwrap_or_else(|| x(2));
        let plot = Plot { frame, x, y: Axis::linear(0.0, f64::from(most), 3, true) };
        let height = |count: u32| plot.at((0.0, f64::from(count))).1;
        for (part, doing) in parts {
            // A shape for each time in which anything is under way.
            let mut shapes: Vec<Vec<(i32, i32)>> = Vec::new();
            let mut before = 0;
            for (at, count) in self.gantt.load(part) {
                let x = units(self.across(at));
                if before == 0 && count > 0 {
                    shapes.push(Vec::new());
                }
                if let Some(shape) = shapes.last_mut().filter(|_| before + count > 0) {
                    shape.extend([(x, height(before)), (x, height(count))]);
                }
                before = count;
            }
            let dash = if part == TracePart::Download { dashes(DASHES, look) } else { Vec::new() };
            canvas.layer(Layer::new("load").dashed(dash), |area| {
                for shape in shapes {
                    area.draw(&Polygon::new(shape.clone(), fill(looks(doing).0, 0.25)));
                    area.path(shape, stroke(look.line, looks(doing).0));
                }
            });
        }
        plot.draw_axes(canvas, look);
        plot.draw_x_labels(canvas, look);
        plot.draw_y_labels(canvas, look);
        self.name(canvas, if self.gantt.are_agents() { "messages" } else { "transfers" }, &frame);
        let since = match self.gantt.rounds.len() {
            1 => format!("time since the round opened ({name})"),
            _ => format!("time since round {} opened ({name})", self.gantt.rounds[0].0),
        };
        let position = (frame.middle().0, look.tick_baseline(frame.bottom) + 1.2 * look.label);
        canvas.text(&Rich::plain(&since), position, look.label, Anchor::Middle);
    }

    /// Where rounds close.
    fn draw_closes(&self, canvas: &mut Canvas) {
        let (top, bottom) = (units(self.rows.top - 0.3 * self.look.tick), units(self.load.bottom));
        canvas.layer(Layer::new("close").dashed(dashes(DOTS, self.look)), |area| {
            for (_, [_, close]) in &self.gantt.rounds {
                let x = units(self.across(*close));
                area.path(vec![(x, top), (x, bottom)], stroke(self.look.line, BLACK));
            }
        });
    }
}

/// A small white arrowhead inside a bar whose tip touches the frame: here it goes on.
fn arrowhead(area: &Area, (x, y): (i32, i32), way: i32, look: &Look) {
    let size = units(0.25 * look.tick);
    let head = [(x - way * size, y - size), (x, y), (x - way * size, y + size)];
    area.path(head.to_vec(), stroke(1.6 * look.line, WHITE));
    area.path(head.to_vec(), stroke(0.7 * look.line, BLACK));
}
