//! Drawing into a [`Scene`]: shapes in groups, on a grid of hundredths of a point, and texts.

use super::{Anchor, Label, Node, Outline, Paint, Point, Scene, SceneGroup, Shape};
use crate::shades::{BLACK, Rgb};
use crate::text::Rich;
use std::cell::RefCell;

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

/// A scene in the making.
pub(crate) struct Canvas {
    scene: Scene,
}

impl Canvas {
    /// An empty picture of `width` × `height` points.
    pub(crate) fn new(width: f64, height: f64) -> Self {
        Self { scene: Scene { width, height, nodes: Vec::new() } }
    }

    /// Draws shapes as one group.
    pub(crate) fn layer(&mut self, group: SceneGroup, draw: impl FnOnce(&Area)) {
        let size = (on_grid(self.scene.width), on_grid(self.scene.height));
        let area = Area { size, shapes: RefCell::default() };
        draw(&area);
        let shapes = area.shapes.into_inner();
        if !shapes.is_empty() {
            self.scene.nodes.push(Node::Group(SceneGroup { shapes, ..group }));
        }
    }

    /// Sets a text.
    pub(crate) fn label(&mut self, label: Label) {
        self.scene.nodes.push(Node::Text(label));
    }

    /// Sets a text in black with its baseline at a position.
    pub(crate) fn text(&mut self, words: &Rich, at: Point, size: f64, anchor: Anchor) {
        self.colored_text(words, at, size, anchor, BLACK);
    }

    /// Sets words that say `full`, which is kept where they are shortened.
    pub(crate) fn shortened(&mut self, words: &str, full: &str, at: Point, size: f64, anchor: Anchor) {
        let kept = (words != full).then(|| full.to_owned());
        let words = Rich::of_quantity(words);
        self.label(Label { words, at, size, anchor, color: BLACK, upward: false, full: kept });
    }

    /// The same reading upwards, ending at a position.
    pub(crate) fn upward_shortened(&mut self, words: &str, full: &str, at: Point, size: f64) {
        let kept = (words != full).then(|| full.to_owned());
        let words = Rich::plain(words);
        self.label(Label { words, at, size, anchor: Anchor::End, color: BLACK, upward: true, full: kept });
    }

    /// Sets a text in a colour.
    pub(crate) fn colored_text(&mut self, words: &Rich, at: Point, size: f64, anchor: Anchor, color: Rgb) {
        let words = words.clone();
        self.label(Label { words, at, size, anchor, color, upward: false, full: None });
    }

    /// The picture.
    pub(crate) fn finish(self) -> Scene {
        self.scene
    }
}
