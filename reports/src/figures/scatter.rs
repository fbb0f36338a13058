//! Draws points in panels that each have their own axes: filled and hollow markers, quartiles as crosses, the line
//! under which nothing lies.

use super::legend::legend_of;
use super::marks::{draw_edged, draw_outline, reach};
use super::numbers::{Labelled, Number, SIZE, numbers};
use super::plot::{Frame, Plot};
use crate::axes::{Axis, Scale, range, scale};
use crate::scene::{Anchor, Area, Canvas, Layer, Scene, UNITS_PER_POINT, stroke, units};
use crate::shades::Rgb;
use crate::style::{self, LineStyle};
use crate::text::{Metrics, Rich};

/// Points without a style of their own.
const OTHERS: Rgb = (0x9A, 0x9A, 0x9A);
const BOUND: Rgb = (0xB4, 0xB4, 0xB4);
/// Markers whose centres are closer than this, in thicknesses of a line, lie on one another: half a marker's width.
const NEAR: f64 = 2.6;
/// Sizes of markers with a style, and of grey ones with a number, in thicknesses of a line.
const STYLED: f64 = 1.25;
const NUMBERED: f64 = 0.8;

/// A figure of points.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Scatter {
    pub name: String,
    /// Scale of the horizontal axes.
    pub panels: Vec<DotPanel>,
    pub entries: Vec<DotEntry>,
    /// Names of all arms.
    pub arms: Vec<String>,
}

/// One frame.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct DotPanel {
    pub x: String,
    pub y: String,
    pub dots: Vec<Dot>,
    /// Whether less of both is better, so that a line can bound what is beaten.
    pub is_bounded: bool,
}

/// One point.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Dot {
    /// Index of the arm's name.
    pub arm: usize,
    pub x: Measured,
    pub y: Measured,
    pub look: Look,
    /// Filled.
    pub of_front: bool,
}

/// What distinguishes a point from the others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Look {
    /// Colour and marker.
    Style(usize),
    /// A number beside a grey marker.
    Number(usize),
}

impl Look {
    fn color(self) -> Rgb {
        match self {
            Self::Style(style) => LineStyle::of(style).color,
            Self::Number(_) => OTHERS,
        }
    }
}

/// A median with its quartiles, in the unit of its axis; `None` where the upper one is beyond everything that was seen.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Measured {
    pub median: f64,
    pub low: f64,
    pub high: Option<f64>,
}

/// An entry of the legend.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct DotEntry {
    pub look: Look,
    pub words: String,
}

/// A measured panel.
struct Measure {
    plot: Plot,
    /// Baseline of the upward label.
    label_x: f64,
    /// Middle of the horizontal label.
    middle: f64,
}

impl Measure {
    /// Where a value is drawn; one without a coordinate is drawn at the low end.
    fn at(&self, x: f64, y: f64) -> (i32, i32) {
        let at = |axis: &Axis, value| axis.coordinate(value).unwrap_or(axis.low);
        self.plot.at((at(&self.plot.x, x), at(&self.plot.y, y)))
    }

    /// Where the marker of a dot stands: at its medians.
    fn center(&self, dot: &Dot) -> (i32, i32) {
        self.at(dot.x.median, dot.y.median)
    }

    /// The numbers that have room.
    fn numbers(&self, panel: &DotPanel, look: &style::Look, metrics: &Metrics) -> Vec<Number> {
        let labelled = |dot: &Dot| Labelled {
            center: self.center(dot),
            half_width: half_width(dot.look, look),
            words: if let Look::Number(number) = dot.look { Some(Rich::plain(&number.to_string())) } else { None },
            toward: (0.0, 0.0),
        };
        let (dots, room) = (panel.dots.iter().map(labelled).collect::<Vec<_>>(), (&self.plot.frame, SIZE * look.tick));
        numbers(&dots, &[], room, look, metrics)
    }
}

/// The figure as an SVG file.
pub(crate) fn draw(scatter: &Scatter, look: &style::Look, metrics: &Metrics) -> Scene {
    let page = ScatterPage::new(scatter, look, metrics);
    let mut canvas = Canvas::new(look.width, page.height);
    for (panel, measure) in scatter.panels.iter().zip(&page.panels) {
        draw_panel(&mut canvas, panel, measure, look, metrics);
    }
    for ((entry, words), (x, y)) in scatter.entries.iter().zip(&page.words).zip(&page.positions) {
        let center = (units(x + 0.5 * page.sample), units(y - 0.3 * look.tick));
        canvas.layer(Layer::new("legend"), |area| {
            draw_dot(area, center, entry.look, matches!(entry.look, Look::Style(_)), look)
        });
        canvas.text(&Rich::plain(words), (x + page.sample + 0.4 * look.tick, *y), look.tick, Anchor::Start);
    }
    canvas.finish()
}

/// What cannot be seen of the drawing, in sentences: arms whose markers lie on one another, and numbers without room.
pub(crate) fn hidden(scatter: &Scatter, look: &style::Look, metrics: &Metrics) -> String {
    let page = ScatterPage::new(scatter, look, metrics);
    let mut text = String::new();
    for (panel, measure) in scatter.panels.iter().zip(&page.panels) {
        let name = |&index: &usize| scatter.arms[panel.dots[index].arm].clone();
        let named = |dots: &Vec<usize>| dots.iter().map(name).collect::<Vec<_>>().join(", ");
        let groups: Vec<String> = on_one_another(panel, measure, look).iter().map(named).collect();
        let axes = format!("{} / {}", panel.x, panel.y);
        if !groups.is_empty() {
            text += &format!(" In the panel {axes} these lie on one another: {}.", groups.join("; "));
        }
        let numbers = measure.numbers(panel, look, metrics);
        let is_left_out = |index: &usize| {
            matches!(panel.dots[*index].look, Look::Number(_)) && numbers.iter().all(|number| number.dot != *index)
        };
        let left_out: Vec<usize> = (0..panel.dots.len()).filter(is_left_out).collect();
        if !left_out.is_empty() {
            text += &format!(" In the panel {axes} there is no room for the numbers of: {}.", named(&left_out));
        }
    }
    text
}

/// A measured figure.
struct ScatterPage {
    height: f64,
    /// Width of the legend's sample.
    sample: f64,
    words: Vec<String>,
    positions: Vec<(f64, f64)>,
    panels: Vec<Measure>,
}

impl ScatterPage {
    fn new(scatter: &Scatter, look: &style::Look, metrics: &Metrics) -> Self {
        let sample = 1.2 * look.tick;
        let words: Vec<&str> = scatter.entries.iter().map(|entry| entry.words.as_str()).collect();
        let (words, positions, legend_height) = legend_of(&words, sample, look, metrics);
        let columns = scatter.panels.len().min(look.columns);
        let rows = scatter.panels.len().div_ceil(columns);
        let wanted = if scatter.panels.len() == 1 { look.single_height } else { look.panel_height };
        let below = look.tick_length() + look.gap() + 0.95 * look.tick + 1.35 * look.label;
        let (top, around) = (legend_height + 0.8 * look.tick, below + 0.8 * look.tick);
        let height = wanted.min((look.tallest + 0.6 * look.tick - top) / rows as f64 - around);
        let pitch = height + around;
        let measured = |(index, panel): (usize, &DotPanel)| {
            let width = look.width / columns as f64;
            let left = width * (index % columns) as f64;
            let top = top + pitch * (index / columns) as f64;
            let room = Frame { left, top, right: left + width, bottom: top + height };
            measure(panel, room, look, metrics)
        };
        let panels = scatter.panels.iter().enumerate().map(measured).collect();
        let height = top + pitch * rows as f64 - 0.6 * look.tick;
        Self { height, sample, words, positions, panels }
    }
}

/// Measures a panel in its room.
fn measure(panel: &DotPanel, room: Frame, look: &style::Look, metrics: &Metrics) -> Measure {
    let most = ((room.bottom - room.top) / (2.4 * look.tick)) as usize;
    let y = axis(panel.dots.iter().map(|dot| dot.y), most);
    let label_x = room.left + 1.05 * look.label;
    let left = label_x + 0.4 * look.label + y.widest_label(look.tick, metrics) + 1.5 * look.gap() + look.tick_length();
    let frame = Frame { left, right: room.right - 0.9 * look.tick, ..room };
    let fits = |axis: &Axis| axis.has_room(frame.right - frame.left, 0.8 * look.tick, look.tick, metrics);
    let across = |most: usize| axis(panel.dots.iter().map(|dot| dot.x), most);
    let x = (1..=7).rev().map(across).find(fits).unwrap_or_else(|| across(1));
    // The page ends where the room ends: a label there that would leave it is left out, the axis' own is moved.
    let page = (f64::NEG_INFINITY, room.right - 0.15 * look.tick);
    let x = x.trimmed((frame.left, frame.right), page, look.tick, metrics);
    let half = 0.5 * metrics.width(&label(&panel.x), look.label);
    let middle = f64::min(frame.middle().0, room.right - half - 0.2 * look.tick);
    Measure { plot: Plot { frame, x, y }, label_x, middle }
}

/// Logarithmic by the common rule, where all values have a coordinate on it.
fn axis(values: impl Iterator<Item = Measured> + Clone, most: usize) -> Axis {
    let (low, high) = range(values.clone().flat_map(|own| [own.low, own.median, own.high.unwrap_or(own.median)]));
    match scale(values.clone().map(|own| own.median)) {
        Scale::Log if low > 0.0 => Axis::log(low, high, most),
        _ => Axis::linear(low, high, most, false),
    }
}

fn draw_panel(canvas: &mut Canvas, panel: &DotPanel, measure: &Measure, look: &style::Look, metrics: &Metrics) {
    let plot = &measure.plot;
    plot.draw_axes(canvas, look);
    plot.draw_x_labels(canvas, look);
    plot.draw_y_labels(canvas, look);
    let position = (measure.label_x, plot.frame.middle().1);
    canvas.upward_text(&label(&panel.y), position, look.label, Anchor::Middle);
    let below = look.tick_baseline(plot.frame.bottom) + 1.2 * look.label;
    canvas.text(&label(&panel.x), (measure.middle, below), look.label, Anchor::Middle);
    if panel.is_bounded {
        let bound = bound(panel, measure);
        canvas.layer(Layer::new("bound"), |area| area.path(bound, stroke(0.8 * look.line, BOUND)));
    }
    canvas.layer(Layer::new("quartiles"), |area| {
        for dot in &panel.dots {
            let line = stroke(0.5 * look.line, dot.look.color());
            let (x, y) = (dot.x.median, dot.y.median);
            let right = dot.x.high.map_or(units(plot.frame.right), |high| measure.at(high, y).0);
            area.path(vec![measure.at(dot.x.low, y), (right, measure.at(x, y).1)], line);
            let top = dot.y.high.map_or(units(plot.frame.top), |high| measure.at(x, high).1);
            area.path(vec![measure.at(x, dot.y.low), (measure.at(x, y).0, top)], line);
        }
    });
    canvas.layer(Layer::new("dots"), |area| {
        // What is on the front lies above what is not.
        let dots = || panel.dots.iter();
        for dot in dots().filter(|dot| !dot.of_front).chain(dots().filter(|dot| dot.of_front)) {
            draw_dot(area, measure.center(dot), dot.look, dot.of_front, look);
        }
    });
    for Number { words, bounds, baseline, .. } in measure.numbers(panel, look, metrics) {
        canvas.text(&words, (bounds[0], baseline), SIZE * look.tick, Anchor::Start);
    }
}

/// Half the side of the square that holds the marker.
fn half_width(own: Look, look: &style::Look) -> f64 {
    match own {
        Look::Style(index) => reach(&LineStyle::of(index), STYLED * look.line),
        Look::Number(_) => reach(&LineStyle::of(0), NUMBERED * look.line),
    }
}

/// Groups of dots whose markers lie on one another, each with the next.
fn on_one_another(panel: &DotPanel, measure: &Measure, look: &style::Look) -> Vec<Vec<usize>> {
    let near = |a: usize, b: usize| {
        let (a, b) = (measure.center(&panel.dots[a]), measure.center(&panel.dots[b]));
        let distance = libm::hypot(f64::from(a.0 - b.0), f64::from(a.1 - b.1));
        distance < NEAR * look.line * UNITS_PER_POINT
    };
    let mut groups: Vec<Vec<usize>> = Vec::new();
    for index in 0..panel.dots.len() {
        let (own, others): (Vec<_>, Vec<_>) =
            groups.into_iter().partition(|group| group.iter().any(|&other| near(index, other)));
        let mut own: Vec<usize> = own.into_iter().flatten().chain([index]).collect();
        own.sort_unstable();
        groups = others;
        groups.push(own);
    }
    groups.retain(|group| group.len() > 1);
    groups.sort_unstable();
    groups
}

/// ‖h(Ŝ)‖² with its h in italics and its 2 raised, as in the other figures.
pub(crate) fn label(words: &str) -> Rich {
    let italic = words.replace("‖h(Ŝ)‖", "‖ℎ(Ŝ)‖");
    match italic.strip_suffix('²') {
        Some(base) => Rich::plain(base).superscript("2"),
        None => Rich::plain(&italic),
    }
}

/// The steps below and left of which no point lies, from the upper to the right edge of the frame.
fn bound(panel: &DotPanel, measure: &Measure) -> Vec<(i32, i32)> {
    let mut points: Vec<(f64, f64)> = panel.dots.iter().map(|dot| (dot.x.median, dot.y.median)).collect();
    points.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
    let mut steps: Vec<(i32, i32)> = Vec::new();
    let mut lowest = f64::INFINITY;
    for (x, y) in points {
        if y < lowest {
            let at = measure.at(x, y);
            let before = steps.last().map_or(units(measure.plot.frame.top), |last| last.1);
            steps.extend([(at.0, before), at]);
            lowest = y;
        }
    }
    steps.extend(steps.last().map(|last| (units(measure.plot.frame.right), last.1)));
    steps
}

fn draw_dot(area: &Area, center: (i32, i32), own: Look, filled: bool, look: &style::Look) {
    match own {
        Look::Style(index) if filled => draw_edged(area, center, &LineStyle::of(index), STYLED * look.line),
        Look::Style(index) => draw_outline(area, center, &LineStyle::of(index), STYLED * look.line),
        Look::Number(_) => {
            let grey = LineStyle { color: OTHERS, ..LineStyle::of(0) };
            draw_outline(area, center, &grey, NUMBERED * look.line);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Dot, DotPanel, Look, Measured, SIZE, Scatter, ScatterPage, hidden};
    use crate::scene::{Layer, UNITS_PER_POINT, points};
    use crate::style::Style;
    use crate::text::Metrics;
    use proptest::prelude::*;

    fn scatter(points: &[(f64, f64)], look: impl Fn(usize) -> Look) -> Scatter {
        let measured = |value: f64| Measured { median: value, low: value, high: Some(value) };
        let dot = |(arm, &(x, y)): (usize, &(f64, f64))| Dot {
            arm,
            x: measured(x),
            y: measured(y),
            look: look(arm),
            of_front: arm % 2 == 0,
        };
        let dots = points.iter().enumerate().map(dot).collect();
        let panels = vec![DotPanel { x: "bits".to_owned(), y: "error".to_owned(), dots, is_bounded: true }];
        let arms = (0..points.len()).map(|arm| format!("arm {arm}")).collect();
        Scatter { name: "test".to_owned(), panels, entries: Vec::new(), arms }
    }

    /// Three equal points and one far from them: the three are named, the fourth is not.
    #[test]
    fn what_lies_on_one_another_is_named() {
        let scatter = scatter(&[(1.0, 1.0), (9.0, 9.0), (1.0, 1.0), (1.001, 1.0)], Look::Style);
        let words = hidden(&scatter, &Style::Neurips.look(), &Metrics::new());
        assert_eq!(words, " In the panel bits / error these lie on one another: arm 0, arm 2, arm 3.");
    }

    /// Points far from each other all have their numbers.
    #[test]
    fn numbers_with_room_are_drawn() {
        let points: Vec<(f64, f64)> = (0..12).map(|arm| (f64::from(arm % 4), f64::from(arm / 4))).collect();
        let scatter = scatter(&points, Look::Number);
        for style in Style::ALL {
            let (look, metrics) = (style.look(), Metrics::new());
            assert_eq!(hidden(&scatter, &look, &metrics), "");
            let svg = crate::export::svg::element(&super::draw(&scatter, &look, &metrics), "", "");
            let size = SIZE * look.tick * UNITS_PER_POINT;
            assert_eq!(svg.matches(&format!("font-size=\"{size}\">")).count(), 12, "{}", style.name());
        }
    }

    proptest! {
        /// Every marker stands at its values; every number meets no other, no marker and no axis, or its arm is named.
        #[test]
        fn markers_stay_and_numbers_are_apart(dots in prop::collection::vec((0.0f64..10.0, 0.0f64..10.0), 3..60)) {
            let scatter = scatter(&dots, Look::Number);
            let (look, metrics) = (Style::Neurips.look(), Metrics::new());
            let page = ScatterPage::new(&scatter, &look, &metrics);
            let (measure, panel) = (&page.panels[0], &scatter.panels[0]);
            let frame = measure.plot.frame;
            let svg = crate::export::svg::element(&super::draw(&scatter, &look, &metrics), "", "");
            for &(x, y) in &dots {
                let (x, y) = measure.at(x, y);
                let circle = format!("<circle cx=\"{x}\" cy=\"{y}\"");
                prop_assert!(svg.contains(&circle), "no marker at {x}, {y}");
            }
            let numbers = measure.numbers(panel, &look, &metrics);
            let words = hidden(&scatter, &look, &metrics);
            let unnumbered = words.rsplit_once("there is no room for the numbers of: ").map_or("", |(_, arms)| arms);
            let unnumbered = unnumbered.trim_end_matches('.').split(", ").filter(|arm| !arm.is_empty()).count();
            prop_assert_eq!(numbers.len() + unnumbered, dots.len());
            for (index, number) in numbers.iter().enumerate() {
                let [left, top, right, bottom] = number.bounds;
                prop_assert!(left > frame.left && right < frame.right);
                prop_assert!(top > frame.top && bottom < frame.bottom);
                for other in &numbers[..index] {
                    let [l, t, r, b] = other.bounds;
                    prop_assert!(right <= l || r <= left || bottom <= t || b <= top);
                }
                for dot in &panel.dots {
                    let (x, y) = measure.center(dot);
                    let (x, y) = (points(x), points(y));
                    prop_assert!(!(left < x && x < right && top < y && y < bottom), "on a marker");
                }
            }
        }
    }
}
