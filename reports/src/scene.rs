//! A picture as data: shapes in groups, and texts, in points (1/72 in) with the origin at the top left. The layout
//! makes it by plotters' elements, which a backend of ours takes; [`crate::export`] writes it as SVG, PDF, PNG and PGF.
//! Nothing reads a file back.

use crate::style::{BLACK, Rgb};
use crate::text::{Rich, each_once};
use plotters::coord::Shift;
use plotters::element::{Drawable, PointCollection};
use plotters::prelude::{Circle, DrawingArea, IntoDrawingArea, PathElement, Polygon, RGBColor, Rectangle, ShapeStyle};
use plotters::style::Color;
use plotters_backend::{BackendColor, BackendCoord, BackendStyle, DrawingBackend, DrawingErrorKind};
use std::convert::Infallible;

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

/// plotters' positions and widths are whole numbers of units: a hundred make a point.
pub(crate) const UNITS_PER_POINT: f64 = 100.0;

/// Points to whole units.
pub(crate) fn units(points: f64) -> i32 {
    (points * UNITS_PER_POINT).round() as i32
}

fn on_grid((x, y): Point) -> BackendCoord {
    (units(x), units(y))
}

/// Whole units to points.
pub(crate) fn in_points((x, y): BackendCoord) -> Point {
    (f64::from(x) / UNITS_PER_POINT, f64::from(y) / UNITS_PER_POINT)
}

/// A line of a width in points.
pub(crate) fn stroke(width: f64, color: Rgb) -> Paint {
    Paint::Stroke(color, width)
}

/// An area of a colour that covers this share of the paper.
pub(crate) fn fill(color: Rgb, opacity: f64) -> Paint {
    Paint::Fill(color, opacity)
}

fn style(paint: Paint) -> ShapeStyle {
    match paint {
        Paint::Stroke((red, green, blue), width) => ShapeStyle {
            color: RGBColor(red, green, blue).to_rgba(),
            filled: false,
            stroke_width: units(width).unsigned_abs(),
        },
        Paint::Fill((red, green, blue), opacity) => RGBColor(red, green, blue).mix(opacity).filled(),
    }
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

/// The shapes of a group, as plotters draws them.
struct Backend<'a> {
    size: (u32, u32),
    shapes: &'a mut Vec<Shape>,
}

type Pushed = Result<(), DrawingErrorKind<Infallible>>;

impl Backend<'_> {
    fn push<S: BackendStyle>(&mut self, outline: Outline, style: &S, is_filled: bool) -> Pushed {
        let BackendColor { alpha, rgb } = style.color();
        let paint = match is_filled {
            true => Paint::Fill(rgb, alpha),
            false => Paint::Stroke(rgb, f64::from(style.stroke_width()) / UNITS_PER_POINT),
        };
        self.shapes.push(Shape { outline, paint });
        Ok(())
    }
}

impl DrawingBackend for Backend<'_> {
    type ErrorType = Infallible;

    fn get_size(&self) -> (u32, u32) {
        self.size
    }

    fn ensure_prepared(&mut self) -> Pushed {
        Ok(())
    }

    fn present(&mut self) -> Pushed {
        Ok(())
    }

    fn draw_pixel(&mut self, point: BackendCoord, color: BackendColor) -> Pushed {
        self.draw_rect(point, (point.0 + 1, point.1 + 1), &color, true)
    }

    fn draw_line<S: BackendStyle>(&mut self, from: BackendCoord, to: BackendCoord, style: &S) -> Pushed {
        self.draw_path([from, to], style)
    }

    fn draw_rect<S: BackendStyle>(&mut self, from: BackendCoord, to: BackendCoord, style: &S, filled: bool) -> Pushed {
        let ends = [(from.0.min(to.0), from.1.min(to.1)), (from.0.max(to.0), from.1.max(to.1))];
        self.push(Outline::Rectangle(ends.map(in_points)), style, filled)
    }

    fn draw_path<S: BackendStyle, I: IntoIterator<Item = BackendCoord>>(&mut self, path: I, style: &S) -> Pushed {
        self.push(Outline::Line(path.into_iter().map(in_points).collect()), style, false)
    }

    fn draw_circle<S: BackendStyle>(&mut self, center: BackendCoord, radius: u32, style: &S, filled: bool) -> Pushed {
        self.push(Outline::Circle(in_points(center), f64::from(radius) / UNITS_PER_POINT), style, filled)
    }

    fn fill_polygon<S: BackendStyle, I: IntoIterator<Item = BackendCoord>>(&mut self, path: I, style: &S) -> Pushed {
        self.push(Outline::Polygon(path.into_iter().map(in_points).collect()), style, true)
    }
}

/// The area that plotters draws on, which moves what lies beyond the page to its edge; coordinates are points.
pub(crate) struct Area<'a> {
    area: DrawingArea<Backend<'a>, Shift>,
}

impl<'a> Area<'a> {
    fn draw<E>(&self, element: &E)
    where
        for<'e> &'e E: PointCollection<'e, BackendCoord>,
        E: Drawable<Backend<'a>>,
    {
        // The backend has no errors, and plotters' own are those of fonts, which no shape has.
        let _ = self.area.draw(element);
    }

    /// Draws a line through points.
    pub(crate) fn line(&self, points: &[Point], paint: Paint) {
        self.draw(&PathElement::new(points.iter().copied().map(on_grid).collect::<Vec<_>>(), style(paint)));
    }

    /// Fills a polygon.
    pub(crate) fn polygon(&self, corners: &[Point], paint: Paint) {
        self.draw(&Polygon::new(corners.iter().copied().map(on_grid).collect::<Vec<_>>(), style(paint)));
    }

    /// Draws a rectangle between two corners.
    pub(crate) fn rectangle(&self, corners: [Point; 2], paint: Paint) {
        self.draw(&Rectangle::new(corners.map(on_grid), style(paint)));
    }

    /// Draws a circle.
    pub(crate) fn circle(&self, center: Point, radius: f64, paint: Paint) {
        self.draw(&Circle::new(on_grid(center), units(radius), style(paint)));
    }
}

impl Scene {
    /// An empty picture of `width` × `height` points.
    pub(crate) fn new(width: f64, height: f64) -> Self {
        Self { width, height, nodes: Vec::new() }
    }

    /// Draws shapes as one group.
    pub(crate) fn layer(&mut self, group: SceneGroup, draw: impl FnOnce(&Area<'_>)) {
        let size = (units(self.width).unsigned_abs(), units(self.height).unsigned_abs());
        let mut shapes = Vec::new();
        draw(&Area { area: Backend { size, shapes: &mut shapes }.into_drawing_area() });
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
        let words = Rich::plain(words);
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
