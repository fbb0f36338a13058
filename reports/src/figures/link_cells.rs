//! Draws heat maps of links and time: a row per direction over a link, a cell per interval.

use super::plot::{Frame, Plot};
use super::units::time_unit;
use crate::axes::{Axis, range};
use crate::scene::{Anchor, Canvas, Layer, Scene, fill, units};
use crate::shades::shade;
use crate::style::Look;
use crate::text::{Metrics, Rich};
use crate::words::fitted;
use plotters::prelude::Rectangle;

/// Rows of a panel at most.
const MOST_ROWS: usize = 20;
/// Height of a row, in sizes of tick labels.
const ROW: f64 = 1.15;
/// The names of links take this share of the width.
const NAMES: f64 = 0.32;
/// Intervals that are narrower than this are one, in points.
const NARROW: f64 = 1.0;
/// Boxes of the legend.
const STEPS: usize = 6;

/// What a link carried in an interval.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Cell {
    /// When it began and ended, in seconds.
    pub times: [f64; 2],
    pub bits: f64,
    /// In bit/s.
    pub capacity: f64,
}

/// The links of an arm.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct LinkPanel {
    pub heading: String,
    /// Names of directions and their cells, by time.
    pub rows: Vec<(String, Vec<Cell>)>,
    /// When the run ended, in seconds.
    pub end: f64,
    /// Directions that have no room.
    pub hidden: usize,
}

/// Panels that have room on a page.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Page {
    pub panels: Vec<LinkPanel>,
}

fn below(look: &Look) -> f64 {
    look.tick_length() + look.gap() + 0.95 * look.tick + 1.35 * look.label
}

/// Height of the legend above.
fn legend(look: &Look) -> f64 {
    1.9 * look.tick
}

fn height(panel: &LinkPanel, look: &Look) -> f64 {
    1.6 * look.tick + panel.rows.len() as f64 * ROW * look.tick + below(look) + 0.5 * look.tick
}

/// The panels with as many rows as have room, on as few pages as hold them in their order.
pub(super) fn pages(panels: Vec<LinkPanel>, look: &Look) -> Vec<Page> {
    let room = look.tallest - legend(look);
    let bare = 1.6 * look.tick + below(look) + 0.5 * look.tick;
    let most = (((room - bare) / (ROW * look.tick)) as usize).clamp(1, MOST_ROWS);
    let (mut pages, mut used): (Vec<Page>, f64) = (Vec::new(), f64::INFINITY);
    for mut panel in panels {
        panel.hidden = panel.rows.len().saturating_sub(most);
        panel.rows.truncate(most);
        let own = height(&panel, look);
        match pages.last_mut().filter(|_| used + own <= room) {
            Some(page) => page.panels.push(panel),
            None => {
                pages.push(Page { panels: vec![panel] });
                used = 0.0;
            }
        }
        used += own;
    }
    pages
}

/// The figure as an SVG file.
pub(super) fn draw(page: &Page, look: &Look, metrics: &Metrics) -> Scene {
    let total: f64 = page.panels.iter().map(|panel| height(panel, look)).sum();
    let mut canvas = Canvas::new(look.width, legend(look) + total);
    let names: Vec<&str> = page.panels.iter().flat_map(|panel| &panel.rows).map(|(name, _)| name.as_str()).collect();
    let names = fitted(&names, NAMES * look.width, look.tick, metrics);
    let widest = names.iter().map(|name| metrics.width(&Rich::plain(name), look.tick)).fold(0.0, f64::max);
    let (left, right) = (widest + 2.0 * look.gap() + 0.3 * look.tick, look.width - 1.6 * look.tick);
    let columns = |panel: &LinkPanel, frame: &Frame| {
        let width = (frame.right - frame.left) / panel.end.max(f64::MIN_POSITIVE);
        panel.rows.iter().map(|(_, cells)| merged(cells, NARROW / width)).collect::<Vec<_>>()
    };
    let mut placed = Vec::new();
    let mut top = legend(look);
    for panel in &page.panels {
        let upper = top + 1.6 * look.tick;
        let frame = Frame { left, top: upper, right, bottom: upper + panel.rows.len() as f64 * ROW * look.tick };
        placed.push((panel, frame, columns(panel, &frame)));
        top += height(panel, look);
    }
    let shares = placed.iter().flat_map(|(.., rows)| rows.iter().flatten()).map(share);
    let (_, most) = range(shares);
    draw_legend(&mut canvas, most, look, metrics);
    let mut names = names.into_iter();
    for (panel, frame, rows) in &placed {
        let own: Vec<String> = names.by_ref().take(panel.rows.len()).collect();
        draw_panel(&mut canvas, panel, frame, (&own, rows), most, (look, metrics));
    }
    canvas.finish()
}

/// The share of its capacity that a link used in an interval.
fn share(cell: &Cell) -> f64 {
    cell.bits / (cell.capacity * (cell.times[1] - cell.times[0]))
}

/// Cells that are at least so long: with those before that are not, as long as they follow each other.
fn merged(cells: &[Cell], least: f64) -> Vec<Cell> {
    let mut all: Vec<Cell> = Vec::new();
    for cell in cells {
        let length = |own: &Cell| own.times[1] - own.times[0];
        match all.last_mut().filter(|last| length(last) < least && cell.times[0] - last.times[0] < least) {
            Some(last) => {
                last.bits += cell.bits;
                last.times[1] = cell.times[1];
            }
            None => all.push(*cell),
        }
    }
    // What stands alone is as wide as can be seen.
    for cell in &mut all {
        cell.times[1] = cell.times[1].max(cell.times[0] + least);
    }
    all
}

fn draw_panel(
    canvas: &mut Canvas,
    panel: &LinkPanel,
    frame: &Frame,
    (names, rows): (&[String], &[Vec<Cell>]),
    most: f64,
    (look, metrics): (&Look, &Metrics),
) {
    let Frame { left, top, right, bottom } = *frame;
    let (unit, name) = time_unit(panel.end);
    let with = |ticks: usize| Axis::linear(0.0, panel.end / unit, ticks, true);
    let fits = |axis: &Axis| axis.has_room(right - left, 0.9 * look.tick, look.tick, metrics);
    let x = (2..=7).rev().map(with).find(fits).unwrap_or_else(|| with(2));
    let plot = Plot { frame: *frame, x, y: Axis::bare() };
    let height = ROW * look.tick;
    canvas.layer(Layer::new("cells"), |area| {
        for (row, cells) in rows.iter().enumerate() {
            let upper = top + row as f64 * height;
            for cell in cells {
                let [from, to] = cell.times.map(|time| plot.at((time / unit, 0.0)).0.min(units(right)));
                let corners = [(from, units(upper)), (to, units(upper + height - 0.12 * look.tick))];
                area.draw(&Rectangle::new(corners, fill(shade(0.1 + 0.9 * share(cell) / most), 1.0)));
            }
        }
    });
    plot.draw_axes(canvas, look);
    plot.draw_x_labels(canvas, look);
    for (row, name) in names.iter().enumerate() {
        let baseline = top + (row as f64 + 0.5) * height + 0.3 * look.tick;
        canvas.text(&Rich::plain(name), (left - look.gap(), baseline), look.tick, Anchor::End);
    }
    let middle = (left + right) / 2.0;
    let heading = fitted(&[&panel.heading], right - left, look.tick, metrics).concat();
    canvas.text(&Rich::plain(&heading), (middle, top - 0.55 * look.tick), look.tick, Anchor::Middle);
    let label = (middle, look.tick_baseline(bottom) + 1.2 * look.label);
    canvas.text(&Rich::plain(&format!("simulated time ({name})")), label, look.label, Anchor::Middle);
}

/// Shades from the least to the most use.
fn draw_legend(canvas: &mut Canvas, most: f64, look: &Look, metrics: &Metrics) {
    let words = ["used by 0 %".to_owned(), percent(most)];
    let sample = 5.0 * look.tick;
    let width = |words: &str| metrics.width(&Rich::plain(words), look.tick);
    let all = width(&words[0]) + sample + width(&words[1]) + look.tick;
    let left = (look.width - all) / 2.0;
    let (x, baseline) = (left + width(&words[0]) + 0.5 * look.tick, look.tick);
    canvas.text(&Rich::plain(&words[0]), (left, baseline), look.tick, Anchor::Start);
    canvas.text(&Rich::plain(&words[1]), (x + sample + 0.5 * look.tick, baseline), look.tick, Anchor::Start);
    canvas.layer(Layer::new("legend"), |area| {
        for step in 0..STEPS {
            let at = |step: usize| units(x + sample * step as f64 / STEPS as f64);
            let corners =
                [(at(step), units(baseline - 0.75 * look.tick)), (at(step + 1), units(baseline + 0.1 * look.tick))];
            area.draw(&Rectangle::new(corners, fill(shade(0.1 + 0.9 * step as f64 / (STEPS - 1) as f64), 1.0)));
        }
    });
}

/// Two digits at least.
fn percent(share: f64) -> String {
    let percent = 100.0 * share;
    let decimals = if percent > 0.0 { (1.0 - libm::log10(percent).floor()).clamp(0.0, 9.0) as usize } else { 0 };
    format!("{percent:.decimals$} %")
}

#[cfg(test)]
mod tests {
    use super::{Cell, merged};
    use proptest::prelude::*;

    proptest! {
        /// Merging keeps all bits, the order, and leaves nothing that is too narrow to be seen.
        #[test]
        fn merged_cells_keep_their_bits(lengths in prop::collection::vec((0.001f64..3.0, 0u32..1000), 1..60)) {
            let mut at = 0.0;
            let cells: Vec<Cell> = lengths.iter().map(|&(length, bits)| {
                let times = [at, at + length];
                at += length;
                Cell { times, bits: f64::from(bits), capacity: 1.0 }
            }).collect();
            let all = merged(&cells, 1.0);
            let sum = |cells: &[Cell]| cells.iter().map(|cell| cell.bits).sum::<f64>();
            prop_assert_eq!(sum(&all), sum(&cells));
            prop_assert!(all.iter().all(|cell| cell.times[1] - cell.times[0] >= 1.0 - 1e-12));
            prop_assert!(all.windows(2).all(|pair| pair[0].times[0] < pair[1].times[0]));
        }
    }
}
