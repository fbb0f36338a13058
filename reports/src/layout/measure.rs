//! Where panels stand on the page: columns, margins, heights, axes.

use super::frame::{MARGIN, Placed};
use super::legend::{Legend, legend_of};
use super::{Form, Frame, Grid, Panel, Plot};
use crate::style::{Look, MOST_COLUMNS};
use crate::text::Rich;
use crate::words::fitted;
use std::ops::Range;

/// Width of a frame below which fewer panels stand side by side, and of the narrowest one, in sizes of tick labels.
const NARROW: f64 = 8.5;
const NARROWEST: f64 = 6.0;
/// The lowest frame, in heights of the venue.
const LOWEST: f64 = 0.4;
/// Height of a row of a name, in sizes of tick labels.
const PITCH: f64 = 1.75;
/// A map is at most this share of a page high, and so much is free at each edge of its frame, in sizes of tick labels.
const MAP: f64 = 0.7;
pub(super) const RIM: f64 = 2.2;
/// From name to name that read upwards, in sizes of tick labels.
const UPWARD: f64 = 1.15;
/// Names beside rows take at most this share of the page.
const NAMES: f64 = 0.34;
/// Height of a row of a strip, and of what is under its lowest one, in sizes of tick labels.
const STRIP: (f64, f64) = (1.15, 0.5);
/// Between columns of words, in sizes of tick labels.
pub(super) const GAP: f64 = 0.9;

pub(super) struct Page {
    pub height: f64,
    pub legend: Legend,
    pub placed: Vec<Placed>,
}

/// How many rows of names a page of the venue has room for, beside the legend and an axis.
pub(crate) fn rows_of_page(pitch: f64, look: &Look) -> usize {
    let around = 6.0 * look.tick + (below(true, false, look) + 2.0 * look.tick);
    ((look.tallest - around) / (pitch * look.tick)).max(1.0) as usize
}

/// Has a figure room on a page?
pub(crate) fn is_on_page(grid: &Grid, look: &Look) -> bool {
    let legend = legend_of(&grid.entries, look);
    measure(grid, legend, 0.0, look).height <= look.tallest + 0.01
}

/// A figure of rows on as few pages as hold all of them, with about equally many rows.
pub(crate) fn pages_of_rows(count: usize, grid: impl Fn(Range<usize>) -> Grid, look: &Look) -> Vec<Grid> {
    let on = |pages: usize| -> Vec<Grid> {
        let each = count.div_ceil(pages.max(1)).max(1);
        (0..count).step_by(each).map(|start| grid(start..count.min(start + each))).collect()
    };
    let fits = |page: &Grid| is_on_page(page, look);
    (1..=count).map(on).find(|pages| pages.iter().all(fits)).unwrap_or_else(|| on(count))
}

/// A figure on as many pages as its panels need: each has as many of those that are left as have room, since later
/// panels can be higher than the first ones.
pub(crate) fn pages_of_panels(grid: &Grid, look: &Look) -> Vec<Grid> {
    let (mut rest, mut pages) = (grid.clone(), Vec::new());
    while !rest.panels.is_empty() {
        let panels = rest.panels.split_off(most_panels(&rest, look));
        pages.push(std::mem::replace(&mut rest, Grid { panels, ..grid.clone() }));
    }
    pages
}

/// How many panels of a figure have room on a page.
pub(crate) fn most_panels(grid: &Grid, look: &Look) -> usize {
    let fits = |count: &usize| is_on_page(&Grid { panels: grid.panels[..*count].to_vec(), ..grid.clone() }, look);
    (1..=grid.panels.len()).rev().find(fits).unwrap_or(1)
}

/// What an axis and its label take below a frame.
fn below(has_label: bool, is_bare: bool, look: &Look) -> f64 {
    let label = if has_label { 1.35 * look.label } else { 0.3 * look.label };
    if is_bare {
        return label;
    }
    look.tick_length() + look.gap() + 0.95 * look.tick + label
}

/// Do two panels that stand side by side have one vertical axis?
fn is_shared(grid: &Grid, index: usize, columns: usize) -> bool {
    if index.is_multiple_of(columns) || grid.free[1] {
        return false;
    }
    let (axis, before) = (&grid.panels[index].y, &grid.panels[index - 1].y);
    axis.label == before.label && axis.names == before.names && axis.scale == before.scale
}

/// Has the panel below another the same horizontal axis, whose labels serve both?
pub(super) fn is_labelled_below(grid: &Grid, index: usize, columns: usize) -> bool {
    let Some(below) = grid.panels.get(index + columns).filter(|_| !grid.free[0]) else { return false };
    let (above, below) = (&grid.panels[index].x, &below.x);
    above.label == below.label
        && above.names == below.names
        && above.ticks == below.ticks
        && (above.scale, above.window) == (below.scale, below.window)
}

/// Is the label of a panel's horizontal axis also that of the panel below?
fn has_label_below(grid: &Grid, index: usize, columns: usize) -> bool {
    grid.panels.get(index + columns).is_some_and(|below| below.x.label == grid.panels[index].x.label)
}

pub(super) struct Measuring<'a> {
    pub grid: &'a Grid,
    pub margin: f64,
    pub look: &'a Look,
}

/// The width of the widest of these words, as wide as tick labels.
pub(super) fn widest<'a>(words: impl IntoIterator<Item = &'a String>, look: &Look) -> f64 {
    words.into_iter().map(|words| Rich::plain(words).width(look.tick)).fold(0.0, f64::max)
}

/// Measures a figure below a legend, with such a margin at the right.
pub(super) fn measure(grid: &Grid, legend: Legend, margin: f64, look: &Look) -> Page {
    let measuring = Measuring { grid, margin, look };
    let count = grid.panels.len().max(1);
    let wanted = grid.columns.unwrap_or(MOST_COLUMNS).clamp(1, count);
    let balanced = |columns: usize| count.div_ceil(count.div_ceil(columns));
    let wide = measuring.words_width().max(grid.narrow.unwrap_or(NARROW) * look.tick);
    let is_wide = |columns: &usize| measuring.columns(balanced(*columns)).1 >= wide;
    let least = match grid.columns {
        Some(_) => wanted,
        None => (1..=wanted).rev().find(is_wide).unwrap_or(1),
    };
    let top = legend.height + 0.6 * look.tick;
    let fits = |columns: &usize| {
        let columns = balanced(*columns);
        measuring.columns(columns).1 >= NARROWEST * look.tick && measuring.rows(columns, top).2 <= look.tallest + 0.01
    };
    let columns = balanced((least..=count).find(fits).unwrap_or(least));
    measuring.page(columns, top, legend)
}

impl Measuring<'_> {
    /// The room left of the frames of each of so many columns, and right of them; and how wide all frames are.
    fn columns(&self, columns: usize) -> ([Vec<f64>; 2], f64) {
        let (look, panels) = (self.look, &self.grid.panels);
        let of = |column: usize| (column..panels.len()).step_by(columns);
        let left = |column: usize| {
            let indices = of(column).filter(|&index| !is_shared(self.grid, index, columns));
            let labels = indices.map(|index| self.left(&panels[index]));
            let between = if column > 0 { 1.2 * look.tick } else { 0.0 };
            let shared = if column > 0 { 1.7 * look.tick } else { 0.0 };
            labels.map(|label| label + between).fold(shared, f64::max)
        };
        let right = |column: usize| of(column).map(|index| self.right(&panels[index])).fold(0.0, f64::max);
        let lefts: Vec<f64> = (0..columns).map(left).collect();
        let rights: Vec<f64> = (0..columns).map(right).collect();
        let around = lefts.iter().chain(&rights).sum::<f64>() + self.margin + 1.2 * look.tick;
        ([lefts, rights], (look.width - around) / columns as f64)
    }

    /// Room left of a frame with labels.
    fn left(&self, panel: &Panel) -> f64 {
        let look = self.look;
        let label = if panel.y.label.is_empty() { 0.0 } else { 1.35 * look.label };
        if panel.y.is_bare {
            return label + look.gap();
        }
        let widest = match panel.y.names.is_empty() {
            true => self.vertical(panel, self.base()).widest_label(look.tick),
            false => widest(&self.row_names(panel), look) + look.tick_length(),
        };
        let strip = if panel.strip.is_empty() { 0.0 } else { Rich::plain("k/n").width(look.tick) };
        label + widest.max(strip) + 2.2 * look.gap() + look.tick_length()
    }

    /// Room right of a frame with columns of words.
    fn right(&self, panel: &Panel) -> f64 {
        self.word_widths(panel).iter().map(|width| width + GAP * self.look.tick).sum()
    }

    fn word_widths(&self, panel: &Panel) -> Vec<f64> {
        panel.beside.iter().map(|column| widest(column.words.iter().chain([&column.heading]), self.look)).collect()
    }

    /// The width that frames need whose columns have words in them, or names below them that read upwards.
    fn words_width(&self) -> f64 {
        let of = |panel: &Panel| {
            let words = panel.shapes.iter().flat_map(|shape| match &shape.form {
                Form::Words(words, _) => &words[..],
                _ => &[],
            });
            let width = |words: &String| Rich::plain(words).width(self.look.tick) + 2.0 * MARGIN * self.look.tick;
            panel.x.names.len() as f64 * words.map(width).fold(UPWARD * self.look.tick, f64::max)
        };
        self.grid.panels.iter().map(of).fold(0.0, f64::max)
    }

    fn row_names(&self, panel: &Panel) -> Vec<String> {
        let names: Vec<&str> = panel.y.names.iter().map(String::as_str).collect();
        fitted(&names, NAMES * self.look.width, self.look.tick)
    }

    /// Height of a frame where nothing asks for another.
    fn base(&self) -> f64 {
        if self.grid.panels.len() == 1 { self.look.single_height } else { self.look.panel_height }
    }

    /// The wanted height of a frame, and whether it may be lower.
    fn wanted(&self, panel: &Panel, width: f64) -> (f64, bool) {
        let (look, base) = (self.look, self.base());
        if panel.is_map {
            let length = |side| self.extent(panel, side).map_or(0.0, |(low, high)| high - low);
            let most = panel.height.map_or(base, |height| height * look.tick).min(MAP * look.tallest);
            let (across, upwards) = (length(0), length(1));
            let rims = 2.0 * RIM * look.tick;
            let height = if across > 0.0 { rims + (width - rims) * upwards / across } else { most };
            return (height.clamp(rims.min(most), most), false);
        }
        match (panel.height, panel.y.names.len(), self.grid.aspect) {
            (Some(height), ..) => (height * look.tick, false),
            (None, rows, _) if rows > 0 => {
                let pitch = if panel.y.pitch > 0.0 { panel.y.pitch } else { PITCH };
                (rows as f64 * pitch * look.tick, false)
            }
            (None, _, Some(aspect)) => (aspect * width, true),
            _ => (base.min((0.8 * width).max(0.6 * base)), true),
        }
    }

    /// Room above a frame: heading, headings of columns of words, strip.
    fn above(&self, panel: &Panel, has_heading: bool) -> f64 {
        let beside = panel.beside.iter().any(|column| !column.heading.is_empty());
        let heading = if has_heading { 1.75 * self.look.tick } else { 0.0 };
        heading.max(if beside { 1.2 * self.look.tick } else { 0.0 }) + self.strip(panel)
    }

    fn strip(&self, panel: &Panel) -> f64 {
        let rows = panel.strip.iter().map(|beyond| beyond.row + 1).max().unwrap_or(0);
        if rows == 0 { 0.0 } else { (STRIP.1 + STRIP.0 * rows as f64) * self.look.tick }
    }

    /// Room below the frame of a panel of that number.
    fn below(&self, index: usize, columns: usize, width: f64) -> f64 {
        let panel = &self.grid.panels[index];
        if is_labelled_below(self.grid, index, columns) {
            return self.look.tick_length();
        }
        let has_label = !panel.x.label.is_empty() && !has_label_below(self.grid, index, columns);
        let below = below(has_label, panel.x.is_bare, self.look);
        if panel.x.names.is_empty() {
            return below;
        }
        let (names, is_upward) = self.column_names(panel, width);
        let names = if is_upward { widest(&names, self.look) } else { 0.8 * self.look.tick };
        below - 0.8 * self.look.tick + names
    }

    /// The names below a frame, and whether they read upwards, where they are too wide for their columns.
    fn column_names(&self, panel: &Panel, width: f64) -> (Vec<String>, bool) {
        let names: Vec<&str> = panel.x.names.iter().map(String::as_str).collect();
        let room = width / names.len().max(1) as f64 - 0.5 * self.look.tick;
        let is_upward = widest(&panel.x.names, self.look) > room && room < 4.0 * self.look.tick;
        let room = if is_upward { 7.0 * self.look.tick } else { room };
        let mut shown = fitted(&names, room, self.look.tick);
        // Those that would touch are left out: every second, third, … is there.
        let every = (UPWARD * self.look.tick * names.len() as f64 / width).ceil().max(1.0) as usize;
        let touches = |number: usize| is_upward && !number.is_multiple_of(every);
        shown.iter_mut().enumerate().filter(|(number, _)| touches(*number)).for_each(|(_, name)| name.clear());
        (shown, is_upward)
    }

    /// Of each row the room above its frames, the height of these, and where the last row ends.
    fn rows(&self, columns: usize, top: f64) -> (Vec<(f64, f64, f64)>, f64, f64) {
        let look = self.look;
        let width = self.columns(columns).1;
        let has_heading = self.grid.panels.iter().any(|panel| panel.heading.is_some());
        let most = |panels: &[Panel], of: &dyn Fn(&Panel) -> f64| panels.iter().map(of).fold(0.0, f64::max);
        let row = |(number, panels): (usize, &[Panel])| {
            let first = number * columns;
            let is_flexible = panels.iter().all(|panel| self.wanted(panel, width).1);
            let height = most(panels, &|panel| self.wanted(panel, width).0);
            let above = most(panels, &|panel| self.above(panel, has_heading));
            let below = (first..first + panels.len()).map(|index| self.below(index, columns, width));
            let below = below.fold(0.0, f64::max);
            (above, height, below, is_flexible)
        };
        let rows: Vec<_> = self.grid.panels.chunks(columns).enumerate().map(row).collect();
        let apart = 0.6 * look.tick;
        let fixed: f64 = rows.iter().map(|row| row.0 + row.2 + if row.3 { 0.0 } else { row.1 }).sum();
        let around = top + fixed + apart * rows.len().saturating_sub(1) as f64;
        let flexible: f64 = rows.iter().filter(|row| row.3).map(|row| row.1).sum();
        let share = ((look.tallest - around) / flexible.max(1.0)).clamp(LOWEST, 1.0);
        let sized = |&(above, height, below, is_flexible): &(f64, f64, f64, bool)| {
            (above, if is_flexible { share * height } else { height }, below)
        };
        let rows: Vec<(f64, f64, f64)> = rows.iter().map(sized).collect();
        let end = top + rows.iter().map(|row| row.0 + row.1 + row.2 + apart).sum::<f64>() - apart;
        (rows, apart, end)
    }

    fn page(&self, columns: usize, top: f64, legend: Legend) -> Page {
        let (look, panels) = (self.look, &self.grid.panels);
        let ([lefts, rights], width) = self.columns(columns);
        let (rows, apart, height) = self.rows(columns, top);
        let start = |column: usize| {
            lefts[..column].iter().sum::<f64>() + rights[..column].iter().sum::<f64>() + column as f64 * width
        };
        let place = |(index, panel): (usize, &Panel)| {
            let (column, row) = (index % columns, index / columns);
            let before: f64 = rows[..row].iter().map(|row| row.0 + row.1 + row.2 + apart).sum();
            let left = start(column) + lefts[column];
            let top = top + before + rows[row].0;
            let (wanted, is_flexible) = self.wanted(panel, width);
            let bottom = top + if is_flexible { rows[row].1 } else { wanted };
            let frame = Frame { left, top, right: left + width, bottom };
            let has_labels = !is_shared(self.grid, index, columns);
            let (column_names, upward) = self.column_names(panel, width);
            let names = [if has_labels { self.row_names(panel) } else { Vec::new() }, column_names];
            let mut at = frame.right;
            let beside = self.word_widths(panel).into_iter().map(|width| {
                let left = at + GAP * look.tick;
                at = left + width;
                left
            });
            let beside = beside.collect();
            // Labels of axes side by side do not meet.
            let from = if column == 0 { 0.0 } else { 0.5 * (start(column) - rights[column - 1] + left) };
            let end = if column + 1 == columns { look.width } else { start(column + 1) };
            let is_shared_next = is_shared(self.grid, (index + 1).min(panels.len() - 1), columns);
            let shared = lefts.get(column + 1).filter(|_| is_shared_next).map(|next| frame.right + 0.5 * next);
            let edge = 0.15 * look.tick;
            let room = (from + edge, shared.unwrap_or(end) - edge);
            let plot = match panel.is_map {
                true => self.map(panel, frame, room),
                false => Plot::new(frame, self.horizontal(panel, frame, room), self.vertical(panel, frame.height())),
            };
            let label_x = has_labels.then_some(frame.left - self.left(panel) + 1.05 * look.label);
            let is_labelled_below = is_labelled_below(self.grid, index, columns);
            Placed {
                plot,
                label_x,
                strip: self.strip(panel),
                beside,
                end,
                names,
                upward,
                is_labelled_below,
                x_label: None,
            }
        };
        let mut placed: Vec<Placed> = panels.iter().enumerate().map(place).collect();
        self.share_labels(&mut placed, columns);
        Page { height, legend, placed }
    }

    /// Panels side by side with one label below share it.
    fn share_labels(&self, placed: &mut [Placed], columns: usize) {
        let panels = &self.grid.panels;
        let has_label = |index: usize| !has_label_below(self.grid, index, columns);
        let mut index = 0;
        while index < panels.len() {
            let row_end = (index / columns + 1) * columns;
            let is_same = |next: &usize| panels[*next].x.label == panels[index].x.label && has_label(*next);
            let last = (index..panels.len().min(row_end)).take_while(is_same).last();
            let right = placed[last.unwrap_or(index)].plot.frame.right;
            placed[index].x_label = last.map(|_| (placed[index].plot.frame.left, right));
            placed[index].end = placed[last.unwrap_or(index)].end;
            index = last.unwrap_or(index) + 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Grid, Panel};
    use crate::layout::Side;
    use crate::style::Style;

    /// Panels of one horizontal axis have its label once, below the lowest, and where they share its limits the labels
    /// of its ticks in each column once.
    #[test]
    fn a_label_stands_once() {
        let side = |label: &str| Side { holds: vec![0.0, 7.0], ..Side::new(label) };
        let panel = |y: &str| Panel { x: side("time"), y: side(y), ..Panel::default() };
        let look = Style::Icml.look();
        let words = |free: bool| -> Vec<String> {
            let panels = ["a", "b", "c", "d"].map(panel).into();
            let grid = Grid { panels, columns: Some(2), free: [free, false], ..Grid::default() };
            let scene = grid.laid(&look).scene;
            scene.labels().map(|label| label.words.characters().collect()).collect()
        };
        let (shared, free) = (words(false), words(true));
        for words in [&shared, &free] {
            assert_eq!(words.iter().filter(|words| *words == "time").count(), 1, "{words:?}");
        }
        assert!(free.len() >= shared.len() + 4, "{free:?}");
    }
}
