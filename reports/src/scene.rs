//! A picture as data: shapes in groups, and texts, in points (1/72 in) with the origin at the top left. The layout
//! makes it; [`crate::export`] writes it as SVG, PDF, PNG and PGF. Nothing reads a file back.

use crate::style::{BLACK, Rgb};
use crate::text::{Rich, each_once};
use std::cell::RefCell;

/// Across and downwards, in points.
pub(crate) type Point = (f64, f64);

/// A picture.
#[derive(Debug, Clone, PartialEq)]
pub struct Scene {
    pub(crate) width: f64,
    pub(crate) height: f64,
    /// In the order in which they are drawn.
    pub(crate) nodes: Vec<Node>,
}

/// A part of a picture.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Node {
    Group(SceneGroup),
    Text(Label),
}

/// Shapes of one kind, which share dashes and opacity.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct SceneGroup {
    /// What the shapes are: `line`, `band`, `axes`, …
    pub class: &'static str,
    /// Lengths of strokes and gaps in points; empty for solid lines.
    pub dash: Vec<f64>,
    /// Of the group as a whole, 0 to 1.
    pub opacity: f64,
    pub shapes: Vec<Shape>,
}

/// An outline and how it is painted.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Shape {
    pub outline: Outline,
    pub paint: Paint,
}

/// Where a shape is.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Outline {
    /// An open line.
    Line(Vec<Point>),
    /// A closed polygon.
    Polygon(Vec<Point>),
    /// Upper left and lower right corner.
    Rectangle([Point; 2]),
    /// Centre and radius.
    Circle(Point, f64),
}

/// A line of a width in points, or an area of an opacity.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Paint {
    Stroke(Rgb, f64),
    Fill(Rgb, f64),
}

/// A text on one line.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Label {
    pub words: Rich,
    /// The end of the baseline that `anchor` says.
    pub at: Point,
    /// Size of the type in points.
    pub size: f64,
    pub anchor: Anchor,
    pub color: Rgb,
    /// Does it read upwards, its baseline to the right?
    pub upward: bool,
    /// What it says in full, where the words are shortened.
    pub full: Option<String>,
}

/// Which end of a text stands at its position.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Anchor {
    Start,
    Middle,
    End,
}

#[cfg(feature = "pictures")]
impl Label {
    /// How far it begins before its position.
    pub(crate) fn before(&self) -> f64 {
        match self.anchor {
            Anchor::Start => 0.0,
            Anchor::Middle => 0.5 * self.words.width(self.size),
            Anchor::End => self.words.width(self.size),
        }
    }
}

impl Scene {
    /// Its texts.
    pub(crate) fn labels(&self) -> impl Iterator<Item = &Label> {
        self.nodes.iter().filter_map(|node| if let Node::Text(label) = node { Some(label) } else { None })
    }

    /// What shortened texts say in full, each once, in the order of the drawing.
    pub(crate) fn shortened(&self) -> Vec<&str> {
        each_once(self.labels().filter_map(|label| label.full.as_deref()))
    }
}

/// Positions and widths are whole numbers of units: a hundred make a point.
pub(crate) const UNITS_PER_POINT: f64 = 100.0;

/// Points to whole units.
pub(crate) fn units(points: f64) -> i32 {
    (points * UNITS_PER_POINT).round() as i32
}

/// The nearest whole unit, in points.
fn on_grid(points: f64) -> f64 {
    f64::from(units(points)) / UNITS_PER_POINT
}

/// A line of a width in points.
pub(crate) fn stroke(width: f64, color: Rgb) -> Paint {
    Paint::Stroke(color, on_grid(width).abs())
}

/// An area of a colour that covers this share of the paper.
pub(crate) fn fill(color: Rgb, opacity: f64) -> Paint {
    Paint::Fill(color, opacity)
}

impl SceneGroup {
    /// Solid and opaque shapes.
    pub(crate) fn new(class: &'static str) -> Self {
        Self { class, dash: Vec::new(), opacity: 1.0, shapes: Vec::new() }
    }

    /// With dashes of these lengths in points.
    pub(crate) fn dashed(self, dash: Vec<f64>) -> Self {
        Self { dash, ..self }
    }

    /// That covers this share of what is under it.
    pub(crate) fn pale(self, opacity: f64) -> Self {
        Self { opacity, ..self }
    }
}

/// The shapes of a group in the making. What lies beyond the page is moved to its edge.
pub(crate) struct Area {
    /// Of the page.
    size: Point,
    shapes: RefCell<Vec<Shape>>,
}

impl Area {
    fn draw(&self, outline: Outline, paint: Paint) {
        self.shapes.borrow_mut().push(Shape { outline, paint });
    }

    fn place(&self, (x, y): Point) -> Point {
        (on_grid(x).min(self.size.0).max(0.0), on_grid(y).min(self.size.1).max(0.0))
    }

    fn places(&self, points: &[Point]) -> Vec<Point> {
        points.iter().map(|&point| self.place(point)).collect()
    }

    /// Draws a line through points.
    pub(crate) fn line(&self, points: &[Point], paint: Paint) {
        self.draw(Outline::Line(self.places(points)), paint);
    }

    /// Fills a polygon.
    pub(crate) fn polygon(&self, corners: &[Point], paint: Paint) {
        self.draw(Outline::Polygon(self.places(corners)), paint);
    }

    /// Draws a rectangle between two corners.
    pub(crate) fn rectangle(&self, corners: [Point; 2], paint: Paint) {
        let [one, two] = corners.map(|corner| self.place(corner));
        let ends = [(one.0.min(two.0), one.1.min(two.1)), (one.0.max(two.0), one.1.max(two.1))];
        self.draw(Outline::Rectangle(ends), paint);
    }

    /// Draws a circle.
    pub(crate) fn circle(&self, center: Point, radius: f64, paint: Paint) {
        self.draw(Outline::Circle(self.place(center), on_grid(radius)), paint);
    }
}

impl Scene {
    /// An empty picture of `width` × `height` points.
    pub(crate) fn new(width: f64, height: f64) -> Self {
        Self { width, height, nodes: Vec::new() }
    }

    /// Draws shapes as one group.
    pub(crate) fn layer(&mut self, group: SceneGroup, draw: impl FnOnce(&Area)) {
        let size = (on_grid(self.width), on_grid(self.height));
        let area = Area { size, shapes: RefCell::default() };
        draw(&area);
        let shapes = area.shapes.into_inner();
        if !shapes.is_empty() {
            self.nodes.push(Node::Group(SceneGroup { shapes, ..group }));
        }
    }

    /// Sets a text.
    pub(crate) fn label(&mut self, label: Label) {
        self.nodes.push(Node::Text(label));
    }

    /// Sets a text in black with its baseline at a position.
    pub(crate) fn text(&mut self, words: &Rich, at: Point, size: f64, anchor: Anchor) {
        self.colored_text(words, at, size, anchor, BLACK);
    }

    /// Sets words that say `full`, which is kept where they are shortened.
    pub(crate) fn set_words(&mut self, words: &str, full: &str, at: Point, size: f64, anchor: Anchor) {
        let kept = (words != full).then(|| full.to_owned());
        let words = Rich::of_quantity(words);
        self.label(Label { words, at, size, anchor, color: BLACK, upward: false, full: kept });
    }

    /// The same reading upwards, ending at a position.
    pub(crate) fn set_upward_words(&mut self, words: &str, full: &str, at: Point, size: f64) {
        let kept = (words != full).then(|| full.to_owned());
        let words = Rich::plain(words);
        self.label(Label { words, at, size, anchor: Anchor::End, color: BLACK, upward: true, full: kept });
    }

    /// Sets a text in a colour.
    pub(crate) fn colored_text(&mut self, words: &Rich, at: Point, size: f64, anchor: Anchor, color: Rgb) {
        let words = words.clone();
        self.label(Label { words, at, size, anchor, color, upward: false, full: None });
    }
}
