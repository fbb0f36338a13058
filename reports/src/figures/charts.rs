//! Figures of panels that each have axes of their own: lines, steps, points and intervals, where they stand on the
//! page. Drawn by [`super::chart_shapes`].

use super::legend::legend_of;
use super::plot::{Frame, Plot};
use crate::axes::{Axis, Scale, Tick, range};
use crate::report::Report;
use crate::style::Look;
use crate::text::{Metrics, Rich};
use crate::words::{fitted, renamed};

/// A frame among many rows keeps this share of its height.
const LOWEST: f64 = 0.18;
/// At most this many panels stand side by side.
const MOST_COLUMNS: usize = 4;
/// So many panels do not stand in one column.
const MANY: usize = 4;
/// Height of a row of the strip above a frame, and what keeps the strip from a label at the frame's upper end, in sizes
/// of tick labels.
const STRIP: f64 = 1.3;
const FOOT: f64 = 0.3;
/// In a strip of more rows words have no room, and rows are so high.
const MOST_WORDED: usize = 5;
const DENSE_STRIP: f64 = 0.7;
/// Shapes at one position stand side by side over this share of the page's width at most.
const SPREAD: f64 = 0.06;
/// Half of a marker, in thicknesses of lines.
const MARKER: f64 = 3.2;

/// A figure of panels. Panels whose axes have the same label share its range.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Charts {
    /// Words and samples of the legend.
    pub entries: Vec<(String, Sample)>,
    pub panels: Vec<Chart>,
    /// Panels side by side, and height of a frame in widths; none as the venue's.
    pub shape: (Option<usize>, Option<f64>),
}

impl Charts {
    /// In the shape of the report, and with the words of its declaration at the axes, where it has some.
    pub(crate) fn of(report: &Report<'_>, entries: Vec<(String, Sample)>, mut panels: Vec<Chart>) -> Self {
        let x = report.axis_label(0, panels.iter().map(|panel| panel.x.label.as_str()), panels.len());
        let y = report.axis_label(1, panels.iter().map(|panel| panel.y.label.as_str()), panels.len());
        for panel in &mut panels {
            for (side, name) in [(&mut panel.x, &x), (&mut panel.y, &y)] {
                name.iter().for_each(|name| side.label = renamed(&side.label, name));
            }
        }
        Self { entries, panels, shape: report.shape() }
    }
}

/// How something looks in the legend.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sample {
    /// Colour, dash and marker of a style.
    Line(usize),
    /// Colour and marker.
    Marker(usize),
    /// Grey and dashed.
    Reference,
    /// Pale grey bars.
    Bars,
}

/// One frame.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Chart {
    pub heading: Option<String>,
    pub x: Side,
    pub y: Side,
    pub shapes: Vec<Shape>,
    /// What has no value: marks above the frame, each with words beside it, a row per style.
    pub strip: Vec<Beyond>,
}

/// An axis.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Side {
    pub label: String,
    pub scale: Scale,
    /// Values that it holds, beside those of the shapes.
    pub holds: Vec<f64>,
    /// Whether it ends where the values end.
    pub tight: bool,
    /// What stands at some values instead of round numbers, where there is room.
    pub ticks: Vec<(f64, String)>,
    /// Whether these are names at 0, 1, 2, …
    pub names: bool,
}

/// Points, and how they are drawn.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Shape {
    /// Colour, dash and marker; none: grey and dashed, without a marker.
    pub style: Option<usize>,
    pub form: Form,
    pub points: Vec<(f64, f64)>,
    /// Points of paper to the right, so that it can be distinguished from others at the same position.
    pub shift: f64,
}

/// How points are drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    /// A line with a few markers.
    Line,
    /// A line with a marker at each point.
    Marked,
    /// A line without markers and, but for grey ones, without dashes.
    Plain,
    /// The same, thin and without dashes.
    Thin,
    /// Markers alone.
    Dots,
    /// Small outlines of markers, of which those that cover each other are drawn once.
    Cloud,
    /// Outlines of markers, larger than these.
    Rings,
    /// Short strokes across a line.
    Strokes,
    /// Pairs of points: bars from the axis up to them, from the one to the other.
    Bars,
    /// Pairs of points, the ends of an interval each: one that has no place on the axis, or is infinite, is an
    /// arrowhead at the edge of the frame.
    Intervals,
}

/// What has a position on the horizontal axis and none on the vertical one.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Beyond {
    pub style: usize,
    pub x: f64,
    pub words: String,
}

impl Shape {
    pub(crate) fn new(style: usize, form: Form, points: Vec<(f64, f64)>) -> Self {
        Self { style: Some(style), form, points, shift: 0.0 }
    }

    /// A grey dashed line.
    pub(crate) fn reference(points: Vec<(f64, f64)>) -> Self {
        Self { style: None, form: Form::Plain, points, shift: 0.0 }
    }
}

impl Chart {
    /// The styles of the strip, from its lowest row.
    pub(crate) fn strip_rows(&self) -> Vec<usize> {
        let mut rows: Vec<usize> = Vec::new();
        for own in &self.strip {
            if !rows.contains(&own.style) {
                rows.push(own.style);
            }
        }
        rows
    }
}

/// A measured panel.
pub(crate) struct Placed {
    pub plot: Plot,
    /// Baseline of the upward label; none where the panel before has it.
    pub label_x: Option<f64>,
    pub strips: Strips,
}

/// A measured figure.
pub(crate) struct ChartPage {
    pub height: f64,
    /// Width of the legend's samples, its words and their positions.
    pub sample: f64,
    pub words: Vec<String>,
    pub positions: Vec<(f64, f64)>,
    pub placed: Vec<Placed>,
}

/// Rows and columns of the panels, and the height of a frame.
struct Grid {
    columns: usize,
    rows: usize,
    height: f64,
}

impl ChartPage {
    pub(crate) fn new(charts: &Charts, look: &Look, metrics: &Metrics) -> Self {
        let sample = 3.2 * look.tick;
        let words: Vec<&str> = match charts.entries.len() {
            // There is nothing to distinguish.
            0 | 1 => Vec::new(),
            _ => charts.entries.iter().map(|(words, _)| words.as_str()).collect(),
        };
        let (words, positions, legend) = legend_of(&words, sample, look, metrics);
        let legend = if words.is_empty() { 0.0 } else { legend };
        let heading = if charts.panels.iter().any(|panel| panel.heading.is_some()) { 1.5 * look.tick } else { 0.0 };
        let strips = Strips::of(charts, look);
        let above = heading + strips.height(strips.most);
        let below = look.tick_length() + look.gap() + 0.95 * look.tick + 1.35 * look.label;
        let (top, apart) = (legend + 0.6 * look.tick, 0.6 * look.tick);
        let room = |rows: usize| (look.tallest - top + apart) / rows as f64 - above - below - apart;
        let mut grid = grid(charts.panels.len(), charts.shape.0, look, room);
        let verticals = |height: f64| -> Vec<Axis> {
            charts.panels.iter().map(|panel| vertical(charts, panel, height, look)).collect()
        };
        if let Some(aspect) = charts.shape.1 {
            let across = columns(charts, &verticals(grid.height), grid.columns, strips.most > 0, look, metrics);
            let (_, left, right) = across[0];
            grid.height = (aspect * (right - left)).min(room(grid.rows)).max(LOWEST * look.panel_height);
        }
        let verticals = verticals(grid.height);
        let across = columns(charts, &verticals, grid.columns, strips.most > 0, look, metrics);
        let row = above + grid.height + below + apart;
        let place = |(index, y): (usize, Axis)| {
            let (column, line) = (index % grid.columns, index / grid.columns);
            let (start, left, right) = across[column];
            let top = top + row * line as f64 + above;
            let frame = Frame { left, top, right, bottom: top + grid.height };
            let x = horizontal(charts, &charts.panels[index], frame, look, metrics);
            let has_label = column == 0 || !shares_y(charts);
            let label_x = has_label.then_some(start + 1.05 * look.label);
            Placed { plot: Plot { frame, x, y }, label_x, strips }
        };
        let placed = verticals.into_iter().enumerate().map(place).collect();
        Self { height: top + row * grid.rows as f64 - apart, sample, words, positions, placed }
    }
}

/// As many columns as the venue has, two for many panels, and more where the rows would not fit on the page; `room`:
/// height of a frame of so many rows.
fn grid(count: usize, columns: Option<usize>, look: &Look, room: impl Fn(usize) -> f64) -> Grid {
    let wanted = if count == 1 { look.single_height } else { look.panel_height };
    let rows = |columns: usize| count.div_ceil(columns).max(1);
    let fits = |columns: &usize| room(rows(*columns)) >= LOWEST * wanted;
    let least = if count < MANY { look.columns } else { look.columns.max(2) };
    let fitting = || (least..=MOST_COLUMNS).find(fits).unwrap_or(MOST_COLUMNS.max(look.columns));
    let columns = columns.unwrap_or_else(fitting);
    let rows = rows(columns);
    // Four panels stand two by two, not three and one.
    let columns = count.div_ceil(rows).max(1);
    Grid { columns, rows, height: wanted.min(room(rows)).max(LOWEST * wanted) }
}

/// How the strips of a page are: their rows, which are as high in all of its panels.
#[derive(Clone, Copy)]
pub(crate) struct Strips {
    pub has_words: bool,
    /// Rows of the highest strip.
    most: usize,
    /// In points.
    foot: f64,
    row: f64,
}

impl Strips {
    fn of(charts: &Charts, look: &Look) -> Self {
        let most = charts.panels.iter().map(|panel| panel.strip_rows().len()).max().unwrap_or(0);
        let has_words = most <= MOST_WORDED;
        let row = if has_words { STRIP } else { DENSE_STRIP };
        Self { has_words, most, foot: FOOT * look.tick, row: row * look.tick }
    }

    /// Height of a strip of so many rows.
    pub(crate) fn height(&self, rows: usize) -> f64 {
        if rows == 0 { 0.0 } else { self.foot + self.row * rows as f64 }
    }

    /// The middle of a row, above the frame.
    pub(crate) fn middle(&self, row: usize) -> f64 {
        self.foot + self.row * (row as f64 + 0.5)
    }
}

/// How far to the right of the one before each of so many shapes at one position stands: `lines` thicknesses of lines
/// where there is room.
pub(crate) fn apart(count: usize, lines: f64, look: &Look) -> f64 {
    (lines * look.line).min(SPREAD * look.width / count.saturating_sub(1).max(1) as f64)
}

/// How far to the right of their common position the shape of that number stands.
pub(crate) fn shift(number: usize, count: usize, lines: f64, look: &Look) -> f64 {
    apart(count, lines, look) * (number as f64 - 0.5 * (count as f64 - 1.0))
}

/// Room that marks beside their positions take at the ends of horizontal axes.
fn pads(charts: &Charts, look: &Look) -> [f64; 2] {
    let shapes = || charts.panels.iter().flat_map(|panel| &panel.shapes);
    let most = |side: f64| shapes().map(|shape| side * shape.shift).fold(0.0, f64::max);
    // The marks of a strip stand to the left of their words.
    let strip = if charts.panels.iter().any(|panel| !panel.strip.is_empty()) { 1.3 * look.tick } else { 0.0 };
    let [left, right] = [-1.0, 1.0].map(most).map(|most| if most > 0.0 { most + MARKER * look.line } else { 0.0 });
    [left.max(strip), right]
}

/// Whether labels of the vertical axis stand at the first column only.
pub(crate) fn shares_y(charts: &Charts) -> bool {
    charts.panels.iter().all(|panel| panel.y.label == charts.panels[0].y.label)
}

/// Per column: where its room starts, and left and right end of its frames.
fn columns(
    charts: &Charts,
    verticals: &[Axis],
    count: usize,
    strips: bool,
    look: &Look,
    metrics: &Metrics,
) -> Vec<(f64, f64, f64)> {
    let strip = if strips { metrics.width(&Rich::plain("k/n"), look.tick) } else { 0.0 };
    let margin = |column: usize| {
        let own = verticals.iter().skip(column).step_by(count);
        let widest = own.map(|axis| axis.widest_label(look.tick, metrics)).fold(strip, f64::max);
        1.35 * look.label + widest + 2.5 * look.gap() + look.tick_length()
    };
    let margin = |column: usize| match column {
        0 => margin(0),
        _ if shares_y(charts) => 2.6 * look.tick,
        _ => margin(column) + 1.2 * look.tick,
    };
    let margins: Vec<f64> = (0..count).map(margin).collect();
    let right = 1.2 * look.tick;
    let width = (look.width - right - margins.iter().sum::<f64>()) / count as f64;
    let mut start = 0.0;
    let place = |margin: f64| {
        let (own, left) = (start, start + margin);
        start = left + width;
        (own, left, start)
    };
    margins.into_iter().map(place).collect()
}

/// The least and the most on the axis of one label; none where nothing has a value.
fn extent(charts: &Charts, own: &Chart, side: fn(&Chart) -> &Side, at: fn(&(f64, f64)) -> f64) -> Option<(f64, f64)> {
    let shares = |panel: &&Chart| side(panel).label == side(own).label;
    let is_log = side(own).scale == Scale::Log;
    let values = |panel: &Chart| {
        let points = panel.shapes.iter().flat_map(|shape| &shape.points).map(at);
        points.chain(side(panel).holds.iter().copied()).collect::<Vec<f64>>()
    };
    let all = charts.panels.iter().filter(shares).flat_map(values);
    let (low, high) = range(all.filter(|&value| value.is_finite() && (!is_log || value > 0.0)));
    (low <= high).then_some((low, high))
}

/// The ends of an axis without a value.
const NOWHERE: (f64, f64) = (0.1, 1.0);

fn vertical(charts: &Charts, panel: &Chart, height: f64, look: &Look) -> Axis {
    let (low, high) = extent(charts, panel, |panel| &panel.y, |point| point.1).unwrap_or(NOWHERE);
    let most = ((height / (2.4 * look.tick)) as usize).max(2);
    match panel.y.scale {
        Scale::Log => Axis::log(low, high, most),
        Scale::Linear => Axis::linear(low, high, most, panel.y.tight),
    }
}

/// The horizontal axis, with as many labels as there is room for.
fn horizontal(charts: &Charts, panel: &Chart, frame: Frame, look: &Look, metrics: &Metrics) -> Axis {
    let width = frame.right - frame.left;
    if panel.x.names {
        return named(&panel.x.ticks, width, look, metrics);
    }
    let beyond = |panel: &Chart| panel.strip.iter().map(|own| own.x).collect::<Vec<f64>>();
    let shapes = extent(charts, panel, |panel| &panel.x, |point| point.0);
    let own = beyond(panel).into_iter().filter(|&at| panel.x.scale == Scale::Linear || at > 0.0);
    let (low, high) = range(own.chain(shapes.into_iter().flat_map(|(low, high)| [low, high])));
    let (low, high) = if low <= high { (low, high) } else { NOWHERE };
    let of = |most: usize| match panel.x.scale {
        Scale::Log => Axis::log(low, high, most),
        Scale::Linear => Axis::linear(low, high, most, panel.x.tight),
    };
    let pads = pads(charts, look);
    let inner = width - pads[0] - pads[1];
    let fits = |axis: &Axis| axis.has_room(inner, 0.9 * look.tick, look.tick, metrics);
    let chosen = chosen(&panel.x.ticks, of(2));
    let round = || (1..=7).rev().map(of).find(|axis| fits(axis) && axis.ticks.len() > 1).unwrap_or_else(|| of(2));
    let axis = chosen.filter(|axis| fits(axis)).unwrap_or_else(round).padded(pads, width);
    // A label that would leave the page is left out.
    let page = (0.15 * look.tick, look.width - 0.15 * look.tick);
    axis.trimmed((frame.left, frame.right), page, look.tick, metrics)
}

/// The axis with these ticks; none without any.
fn chosen(ticks: &[(f64, String)], axis: Axis) -> Option<Axis> {
    let tick = |(value, label): &(f64, String)| Some(Tick { at: axis.coordinate(*value)?, label: Rich::plain(label) });
    let mut ticks: Vec<Tick> = ticks.iter().filter_map(tick).collect();
    ticks.sort_by(|one, other| one.at.total_cmp(&other.at));
    (!ticks.is_empty()).then_some(Axis { ticks, minor: Vec::new(), ..axis })
}

/// Names at even distances, those that are too wide cut.
fn named(names: &[(f64, String)], width: f64, look: &Look, metrics: &Metrics) -> Axis {
    let words: Vec<&str> = names.iter().map(|(_, name)| name.as_str()).collect();
    let room = width / names.len() as f64 - 0.5 * look.tick;
    let labels = fitted(&words, room, look.tick, metrics);
    let tick = |((at, _), label): (&(f64, String), &String)| Tick { at: *at, label: Rich::plain(label) };
    let ticks = names.iter().zip(&labels).map(tick).collect();
    Axis { low: -0.5, high: names.len() as f64 - 0.5, ticks, ..Axis::bare() }
}

#[cfg(test)]
mod tests {
    use super::{Beyond, Chart, ChartPage, Charts, Form, Sample, Shape, Side};
    use crate::axes::Scale;
    use crate::style::Style;
    use crate::text::Metrics;
    use proptest::prelude::*;

    fn chart(label: usize, values: &[(f64, f64)], log: bool, strip: usize) -> Chart {
        let scale = if log { Scale::Log } else { Scale::Linear };
        let beyond = |style: usize| Beyond { style, x: values[0].0, words: "3/10".to_owned() };
        let side = |name: &str| Side { label: format!("{name} {label}"), scale, ..Side::default() };
        Chart {
            heading: (label > 0).then(|| "a heading".to_owned()),
            x: side("x"),
            y: side("y"),
            shapes: vec![Shape::new(0, Form::Marked, values.to_vec())],
            strip: (0..strip).map(beyond).collect(),
        }
    }

    proptest! {
        /// Whatever is drawn: frames lie on the page, beside and below each other, the page is no higher than the
        /// venue's, and every value is inside of its frame.
        #[test]
        fn frames_stand_on_the_page(
            values in prop::collection::vec((1e-3f64..1e9, 1e-9f64..1e3), 1..20),
            panels in 1usize..9, labels in 1usize..3, log: bool, strip in 0usize..4, arms in 0usize..9,
        ) {
            let panels: Vec<Chart> = (0..panels).map(|number| chart(number % labels, &values, log, strip)).collect();
            let entries = (0..arms).map(|arm| (format!("arm number {arm}"), Sample::Line(arm))).collect();
            let charts = Charts { entries, panels, ..Charts::default() };
            for style in Style::ALL {
                let look = style.look();
                let page = ChartPage::new(&charts, &look, &Metrics::new());
                let height = page.height;
                prop_assert!(height <= look.tallest + 1e-6, "{}: {height} of {}", style.name(), look.tallest);
                for (index, own) in page.placed.iter().enumerate() {
                    let frame = own.plot.frame;
                    prop_assert!(frame.left > 0.0 && frame.right < look.width && frame.left < frame.right);
                    prop_assert!(frame.top > 0.0 && frame.bottom < page.height && frame.top < frame.bottom);
                    for other in &page.placed[..index] {
                        let other = other.plot.frame;
                        prop_assert!(other.right < frame.left || other.bottom < frame.top);
                    }
                    for &(x, y) in &values {
                        let (x, y) = (own.plot.x.coordinate(x).unwrap(), own.plot.y.coordinate(y).unwrap());
                        prop_assert!(x >= own.plot.x.low - 1e-9 && x <= own.plot.x.high + 1e-9);
                        prop_assert!(y >= own.plot.y.low - 1e-9 && y <= own.plot.y.high + 1e-9);
                    }
                }
            }
        }
    }

    /// Panels stand and are shaped as a declaration says.
    #[test]
    fn a_declared_shape() {
        let panels = vec![chart(0, &[(1.0, 1.0), (2.0, 3.0)], false, 0); 3];
        let charts = Charts { panels, shape: (Some(1), Some(0.2)), ..Charts::default() };
        let page = ChartPage::new(&charts, &Style::Neurips.look(), &Metrics::new());
        let frames: Vec<_> = page.placed.iter().map(|placed| placed.plot.frame).collect();
        assert!(frames.windows(2).all(|pair| pair[0].left == pair[1].left && pair[0].bottom < pair[1].top));
        let (width, height) = (frames[0].right - frames[0].left, frames[0].bottom - frames[0].top);
        // The labels of other heights leave the frames a little more or less room.
        assert!((height - 0.2 * width).abs() < 0.01 * width, "{height} of {width}");
    }
}
