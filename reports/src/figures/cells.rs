//! Heat maps: draws panels of shaded cells with their numbers printed on them.

use super::hatch::{RISING, hatch};
use super::legend::legend_rows;
use crate::axes::range;
use crate::compare::reached_in_short;
use crate::scene::{Anchor, Area, Canvas, Layer, Scene, fill, stroke, units};
use crate::shades::{BLACK, Rgb, WHITE, shade, text_on};
use crate::style::Look;
use crate::text::{Metrics, Rich};
use crate::words::{fitted, three_digits};
use fedbits_spec::Caveat;
use plotters::prelude::Rectangle;

/// Paper under hatching.
const EMPTY: Rgb = (0xF2, 0xF2, 0xF2);
const HATCH: Rgb = (0xA6, 0xA6, 0xA6);
/// Size of k/n and the smallest size of numbers, in the size of tick labels.
const SMALL: f64 = 0.78;
/// Height of a cell of a number, and of one of a number over k/n, in sizes of tick labels; and the least.
const HEIGHT: [f64; 2] = [2.0, 2.7];
const LOWEST: [f64; 2] = [1.2, 2.1];
/// What a panel has over its cells, in sizes of tick labels.
const HEADING: f64 = 1.6;
/// Boxes of the legend's sample of shades.
const STEPS: usize = 5;

/// One figure: the same two axes in every panel.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct HeatMap {
    pub name: String,
    pub rows: Side,
    pub columns: Side,
    pub panels: Vec<CellPanel>,
    /// What it takes to get to; none: at the end of the runs.
    pub target: Option<String>,
    /// Levels at which the other axes are held.
    pub held: Vec<String>,
    /// Which cells are blank, and why; empty where none is.
    pub blank: String,
    /// The replicates that medians are over.
    pub over: String,
    /// What must be known of the medians, and of the runs.
    pub caveats: Vec<Caveat>,
}

/// An axis of the map.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Side {
    pub name: String,
    pub levels: Vec<String>,
}

/// One cost over all cells.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct CellPanel {
    /// The cost and its unit.
    pub heading: String,
    /// Its name in tables.
    pub column: &'static str,
    /// Values are divided by this before they are printed.
    pub unit: f64,
    /// By row, then column; `None` where there is no such arm or no run of it.
    pub cells: Vec<Vec<Option<Cell>>>,
}

/// One arm.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Cell {
    /// Kaplan–Meier median; `None` where the estimated share of runs that reach the target stays at or below a half.
    pub median: Option<f64>,
    pub reached: usize,
    /// Runs with a degenerate fit.
    pub degenerate: usize,
    pub runs: usize,
}

impl HeatMap {
    /// Whether some runs do not reach the target.
    pub(crate) fn is_censored(&self) -> bool {
        self.panels.iter().flat_map(|panel| panel.cells.iter().flatten().flatten()).any(|cell| cell.reached < cell.runs)
    }
}

impl CellPanel {
    /// Where a median stands between the least (0) and the most (1) of the panel: by logarithms when they differ more
    /// than threefold.
    fn share(&self, value: f64) -> f64 {
        let (low, high) = self.range();
        if high <= low {
            return 0.0;
        }
        match low > 0.0 && high > 3.0 * low {
            true => libm::log(value / low) / libm::log(high / low),
            false => (value - low) / (high - low),
        }
    }

    /// The least and the most of the medians.
    fn range(&self) -> (f64, f64) {
        range(self.cells.iter().flatten().flatten().filter_map(|cell| cell.median))
    }
}

/// Everything measured, in points.
struct CellsPage<'a> {
    look: &'a Look,
    rows: Vec<String>,
    columns: Vec<String>,
    /// What stands beside the rows and under the columns.
    names: [String; 2],
    /// What stands over the panels.
    headings: Vec<String>,
    /// Room left of the first panel of a row.
    left: f64,
    cell: (f64, f64),
    /// Panels side by side, and between them.
    across: usize,
    gap: f64,
    /// Do the columns' labels read upwards, and the room under the cells for them.
    upward: bool,
    below: f64,
    /// Size of numbers.
    number: f64,
}

/// The figure as an SVG file.
pub(crate) fn draw(heat: &HeatMap, look: &Look, metrics: &Metrics) -> Scene {
    let entries = legend(heat);
    let words: Vec<&str> = entries.iter().map(|(words, _)| *words).collect();
    let sample = 3.0 * look.tick;
    let (positions, legend_height) = legend_rows(&words, sample, look, metrics);
    let top = legend_height + 0.4 * look.tick;
    let page = CellsPage::new(heat, top, look, metrics);
    let rows = heat.panels.len().div_ceil(page.across);
    let heading = HEADING * look.tick;
    let pitch = heading + page.cell.1 * heat.rows.levels.len() as f64 + page.below;
    let mut canvas = Canvas::new(look.width, top + pitch * rows as f64);
    for (index, panel) in heat.panels.iter().enumerate() {
        let column = index % page.across;
        let width = page.cell.0 * heat.columns.levels.len() as f64;
        let left = page.left + (width + page.gap) * column as f64;
        let top = top + pitch * (index / page.across) as f64 + heading;
        page.draw_panel(&mut canvas, (panel, &page.headings[index]), left, top);
        if column == 0 {
            page.draw_rows(&mut canvas, top);
        }
    }
    for ((words, sign), (x, y)) in entries.iter().zip(positions) {
        draw_sign(&mut canvas, sign, (x, y), sample, look);
        canvas.text(&Rich::plain(words), (x + sample + 0.5 * look.tick, y), look.tick, Anchor::Start);
    }
    canvas.finish()
}

/// What stands in the legend before the words.
enum Sign {
    Shades,
    Frame,
    Hatch,
    Count,
}

fn legend(heat: &HeatMap) -> Vec<(&'static str, Sign)> {
    let cells = || heat.panels.iter().flat_map(|panel| panel.cells.iter().flatten().flatten());
    let mut entries = Vec::new();
    if cells().any(|cell| cell.median.is_some()) {
        entries.extend([("least to most of a panel", Sign::Shades), ("the least", Sign::Frame)]);
    }
    if heat.is_censored() {
        entries.push(("of n runs, k reach it", Sign::Count));
    }
    if cells().any(|cell| cell.median.is_none()) {
        entries.push(("no median", Sign::Hatch));
    }
    entries
}

impl<'a> CellsPage<'a> {
    /// Below a legend that ends at `top`: on one page if the numbers can be read there.
    fn new(heat: &HeatMap, top: f64, look: &'a Look, metrics: &Metrics) -> Self {
        let width = |text: &str, size: f64| metrics.width(&Rich::plain(text), size);
        let shortened = |words: &[String], most: f64, size: f64| {
            fitted(&words.iter().map(String::as_str).collect::<Vec<_>>(), most, size, metrics)
        };
        let widest = |labels: &[String]| labels.iter().map(|label| width(label, look.tick)).fold(0.0, f64::max);
        let rows = shortened(&heat.rows.levels, 0.3 * look.width, look.tick);
        let columns = shortened(&heat.columns.levels, 8.0 * look.tick, look.tick);
        let left = 1.5 * look.label + widest(&rows) + 2.0 * look.gap();
        let (gap, right, count) = (1.6 * look.tick, 0.3 * look.tick, columns.len() as f64);
        let cell_width = |across: usize| {
            let frames = look.width - left - right - gap * (across - 1) as f64;
            frames / across as f64 / count
        };
        let number_width = widest_number(heat, look, metrics);
        let headings: Vec<String> = heat.panels.iter().map(|panel| panel.heading.clone()).collect();
        // What stands over and under a panel leaves it by a quarter of a letter at most.
        let room = |across: usize| cell_width(across) * count + 0.5 * look.tick;
        let fits = |&across: &usize| {
            let most = widest(&headings).max(width(&heat.columns.name, look.label));
            cell_width(across) >= number_width + 0.5 * look.tick && room(across) >= most
        };
        let is_upward = |across: usize| widest(&columns) + 0.4 * look.tick > cell_width(across);
        let below = |across: usize| {
            let labels = if is_upward(across) { widest(&columns) + 0.3 * look.tick } else { 1.2 * look.tick };
            look.gap() + labels + 1.5 * look.label
        };
        // Numbers that do not even fit alone are set smaller, as far as they can be read.
        let size = |across: usize| (cell_width(across) - 0.3 * look.tick) / number_width;
        let lines = usize::from(heat.is_censored());
        let height = |across: usize| {
            let row = (look.tallest - top) / heat.panels.len().div_ceil(across) as f64;
            (row - HEADING * look.tick - below(across)) / rows.len() as f64 / look.tick
        };
        let most = heat.panels.len().min(3);
        let preferred = (1..=most).rev().find(fits).unwrap_or(1);
        let readable = (preferred..=most).take_while(|&across| across == preferred || size(across) >= SMALL);
        let on_page = readable.clone().find(|&across| height(across) >= HEIGHT[lines]);
        let across = on_page.or(readable.last()).unwrap_or(preferred);
        let height = height(across).clamp(LOWEST[lines], HEIGHT[lines]) * look.tick;
        let beside = height * rows.len() as f64 + look.tick;
        let name = |name: &str, room: f64| fitted(&[name], room, look.label, metrics).concat();
        Self {
            names: [name(&heat.rows.name, beside), name(&heat.columns.name, room(across))],
            headings: shortened(&headings, room(across), look.tick),
            cell: (cell_width(across), height),
            upward: is_upward(across),
            below: below(across),
            number: size(across).clamp(SMALL, 1.0) * look.tick,
            look,
            rows,
            columns,
            left,
            across,
            gap,
        }
    }

    fn draw_panel(&self, canvas: &mut Canvas, (panel, heading): (&CellPanel, &str), left: f64, top: f64) {
        let (width, height) = self.cell;
        let look = self.look;
        let (least, _) = panel.range();
        let cells = || {
            panel.cells.iter().enumerate().flat_map(move |(row, cells)| {
                cells.iter().enumerate().filter_map(move |(column, cell)| {
                    Some(((left + width * column as f64, top + height * row as f64), (*cell)?))
                })
            })
        };
        canvas.layer(Layer::new("cells"), |area| {
            for (corner, cell) in cells() {
                self.draw_cell(area, corner, color(panel, &cell));
            }
        });
        canvas.layer(Layer::new("least"), |area| {
            for (corner, _) in cells().filter(|(_, cell)| cell.median == Some(least)) {
                self.draw_frame(area, corner);
            }
        });
        for ((x, y), cell) in cells() {
            let ink = color(panel, &cell).map_or(BLACK, text_on);
            let middle = x + width / 2.0;
            let counted = cell.reached < cell.runs;
            let count = Rich::plain(&cell.count());
            match cell.median {
                Some(median) => {
                    let lift = if counted { 0.05 * look.tick } else { -0.33 * self.number };
                    let text = three_digits(median / panel.unit);
                    canvas.colored_text(&text, (middle, y + height / 2.0 - lift), self.number, Anchor::Middle, ink);
                    if counted {
                        let below = y + height / 2.0 + 0.95 * look.tick;
                        canvas.colored_text(&count, (middle, below), SMALL * look.tick, Anchor::Middle, ink);
                    }
                }
                None => {
                    let center = (middle, y + height / 2.0 + 0.3 * look.tick);
                    canvas.colored_text(&count, center, SMALL * look.tick, Anchor::Middle, ink);
                }
            }
        }
        let center = left + width * self.columns.len() as f64 / 2.0;
        canvas.text(&Rich::plain(heading), (center, top - 0.55 * look.tick), look.tick, Anchor::Middle);
        self.draw_columns(canvas, left, top + height * self.rows.len() as f64);
    }

    /// A cell in its shade, or hatched; white lines keep cells apart.
    fn draw_cell(&self, area: &Area, (x, y): (f64, f64), color: Option<Rgb>) {
        let (width, height) = self.cell;
        let corners = [(units(x), units(y)), (units(x + width), units(y + height))];
        area.draw(&Rectangle::new(corners, fill(color.unwrap_or(EMPTY), 1.0)));
        if color.is_none() {
            // The middle stays free for the number.
            let strip = (0.5 * (height - 1.1 * self.look.tick)).max(0.0);
            hatch(area, (x, y), (width, strip), RISING, (HATCH, self.look));
            hatch(area, (x, y + height - strip), (width, strip), RISING, (HATCH, self.look));
        }
        let edge = stroke(0.9 * self.look.line, WHITE);
        area.path(outline(corners), edge);
    }

    fn draw_frame(&self, area: &Area, (x, y): (f64, f64)) {
        let inset = 0.9 * self.look.line;
        let (width, height) = self.cell;
        let corners = [(units(x + inset), units(y + inset)), (units(x + width - inset), units(y + height - inset))];
        let line = stroke(1.1 * self.look.line, BLACK);
        area.path(outline(corners), line);
    }

    /// Names of the rows, and of their axis.
    fn draw_rows(&self, canvas: &mut Canvas, top: f64) {
        let (look, height) = (self.look, self.cell.1);
        for (row, label) in self.rows.iter().enumerate() {
            let y = top + height * (row as f64 + 0.5) + 0.33 * look.tick;
            canvas.text(&Rich::plain(label), (self.left - look.gap(), y), look.tick, Anchor::End);
        }
        let middle = top + height * self.rows.len() as f64 / 2.0;
        canvas.upward_text(&Rich::plain(&self.names[0]), (0.95 * look.label, middle), look.label, Anchor::Middle);
    }

    /// Names of the columns, and of their axis.
    fn draw_columns(&self, canvas: &mut Canvas, left: f64, bottom: f64) {
        let (look, width) = (self.look, self.cell.0);
        for (column, label) in self.columns.iter().enumerate() {
            let x = left + width * (column as f64 + 0.5);
            let label = Rich::plain(label);
            if self.upward {
                let position = (x + 0.33 * look.tick, bottom + 2.0 * look.gap());
                canvas.upward_text(&label, position, look.tick, Anchor::End);
            } else {
                let y = bottom + look.gap() + 0.85 * look.tick;
                canvas.text(&label, (x, y), look.tick, Anchor::Middle);
            }
        }
        let center = left + width * self.columns.len() as f64 / 2.0;
        let y = bottom + self.below - 0.4 * look.label;
        canvas.text(&Rich::plain(&self.names[1]), (center, y), look.label, Anchor::Middle);
    }
}

impl Cell {
    /// k/n, with the degenerate runs.
    fn count(&self) -> String {
        reached_in_short(self.reached, self.runs, self.degenerate)
    }
}

/// The shade of a cell; `None` when it has no median.
fn color(panel: &CellPanel, cell: &Cell) -> Option<Rgb> {
    // The ends are left out: the lightest is nearly the paper, the darkest nearly black.
    cell.median.map(|median| shade(0.04 + 0.88 * panel.share(median)))
}

/// Width of the widest text of a cell at the size of tick labels.
fn widest_number(heat: &HeatMap, look: &Look, metrics: &Metrics) -> f64 {
    let cells =
        heat.panels.iter().flat_map(|panel| panel.cells.iter().flatten().flatten().map(move |cell| (panel, cell)));
    let width = |(panel, cell): (&CellPanel, &Cell)| {
        let number = cell.median.map_or(0.0, |median| metrics.width(&three_digits(median / panel.unit), look.tick));
        number.max(metrics.width(&Rich::plain(&cell.count()), SMALL * look.tick))
    };
    cells.map(width).fold(look.tick, f64::max)
}

fn outline([(left, top), (right, bottom)]: [(i32, i32); 2]) -> Vec<(i32, i32)> {
    vec![(left, top), (right, top), (right, bottom), (left, bottom), (left, top)]
}

fn draw_sign(canvas: &mut Canvas, sign: &Sign, (x, y): (f64, f64), sample: f64, look: &Look) {
    let (top, bottom) = (y - 0.75 * look.tick, y + 0.1 * look.tick);
    let corners = [(units(x), units(top)), (units(x + sample), units(bottom))];
    match sign {
        Sign::Shades => canvas.layer(Layer::new("legend"), |area| {
            for step in 0..STEPS {
                let at = |step: usize| x + sample * step as f64 / STEPS as f64;
                let corners = [(units(at(step)), units(top)), (units(at(step + 1)), units(bottom))];
                let color = shade(0.04 + 0.88 * step as f64 / (STEPS - 1) as f64);
                area.draw(&Rectangle::new(corners, fill(color, 1.0)));
            }
        }),
        Sign::Frame => canvas.layer(Layer::new("legend"), |area| {
            area.draw(&Rectangle::new(corners, fill(shade(0.04), 1.0)));
            area.path(outline(corners), stroke(1.1 * look.line, BLACK));
        }),
        Sign::Hatch => canvas.layer(Layer::new("legend"), |area| {
            area.draw(&Rectangle::new(corners, fill(EMPTY, 1.0)));
            hatch(area, (x, top), (sample, bottom - top), RISING, (HATCH, look));
        }),
        Sign::Count => {
            canvas.text(&Rich::plain("k/n"), (x + sample, y), SMALL * look.tick, Anchor::End);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Cell, CellPanel, HeatMap, Side, draw};
    use crate::scene::{Layer, height};
    use crate::style::Style;
    use crate::text::Metrics;

    /// Three panels of so many rows and columns.
    fn heat(rows: usize, columns: usize, reached: usize) -> HeatMap {
        let cell = |number: usize| Some(Cell { median: Some(1000.0 + number as f64), reached, degenerate: 0, runs: 3 });
        let cells = |row: usize| (0..columns).map(|column| cell(row * columns + column)).collect();
        let panel = |heading: &str| CellPanel {
            heading: heading.to_owned(),
            column: "bits",
            unit: 1.0,
            cells: (0..rows).map(cells).collect(),
        };
        let side = |name: &str, count: usize| Side {
            name: name.to_owned(),
            levels: (0..count).map(|level| format!("level {level}")).collect(),
        };
        HeatMap {
            name: "heat".to_owned(),
            rows: side("participation", rows),
            columns: side("compression of what clients send up", columns),
            panels: ["bits sent (Mbit)", "simulated time (min)", "rounds"].map(panel).to_vec(),
            target: None,
            held: Vec::new(),
            blank: String::new(),
            over: String::new(),
            caveats: Vec::new(),
        }
    }

    /// As long as lines of numbers can: then rows are lower, and more panels stand side by side.
    #[test]
    fn maps_stay_on_their_page() {
        let metrics = Metrics::new();
        for style in Style::ALL {
            let look = style.look();
            let height = |heat: &HeatMap| height(&draw(heat, &look, &metrics, "").unwrap()).unwrap();
            for (rows, reached) in [(2, 2), (4, 2), (8, 2), (2, 3), (7, 3), (13, 3)] {
                let height = height(&heat(rows, 3, reached));
                assert!(height <= look.tallest, "{} {rows} {reached}: {height} of {}", style.name(), look.tallest);
            }
            assert!(height(&heat(200, 3, 3)) > look.tallest);
        }
    }
}
