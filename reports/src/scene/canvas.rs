//! Drawing into a [`Scene`]: plotters' elements through a backend of ours, whose unit is a hundredth of a point, and
//! texts.

use super::{Anchor, Label, Node, Outline, Paint, Point, Scene, SceneGroup, Shape};
use crate::shades::{BLACK, Rgb};
use crate::text::Rich;
use plotters::coord::Shift;
use plotters::element::{Drawable, PointCollection};
use plotters::prelude::{Circle, DrawingArea, IntoDrawingArea, PathElement, Polygon, RGBColor, Rectangle, ShapeStyle};
use plotters::style::Color;
use plotters_backend::{BackendColor, BackendCoord, BackendStyle, DrawingBackend, DrawingErrorKind};
use std::convert::Infallible;

/// plotters' coordinates are whole numbers: a hundred make a point.
pub(crate) const UNITS_PER_POINT: f64 = 100.0;

/// Points to whole units.
pub(crate) fn units(points: f64) -> i32 {
    (points * UNITS_PER_POINT).round() as i32
}

/// Whole units to points.
fn points(units: i32) -> f64 {
    f64::from(units) / UNITS_PER_POINT
}

fn on_grid((x, y): Point) -> BackendCoord {
    (units(x), units(y))
}

pub(crate) fn in_points((x, y): BackendCoord) -> Point {
    (points(x), points(y))
}

/// A line of a width in points.
pub(crate) fn stroke(width: f64, (red, green, blue): Rgb) -> ShapeStyle {
    let stroke_width = units(width).unsigned_abs();
    ShapeStyle { color: RGBColor(red, green, blue).to_rgba(), filled: false, stroke_width }
}

/// An area of a colour that covers this share of the paper.
pub(crate) fn fill((red, green, blue): Rgb, opacity: f64) -> ShapeStyle {
    RGBColor(red, green, blue).mix(opacity).filled()
}

/// What shapes of a group share.
#[derive(Debug, Clone, Default)]
pub(crate) struct LayerStyle {
    class: &'static str,
    dash: Vec<f64>,
    opacity: Option<f64>,
}

impl LayerStyle {
    /// Solid and opaque shapes.
    pub(crate) fn new(class: &'static str) -> Self {
        Self { class, ..Self::default() }
    }

    /// With dashes of these lengths in points.
    pub(crate) fn dashed(self, dash: Vec<f64>) -> Self {
        Self { dash, ..self }
    }

    /// That covers this share of what is under it.
    pub(crate) fn pale(self, opacity: f64) -> Self {
        Self { opacity: Some(opacity), ..self }
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

/// The area that plotters draws on; coordinates are points.
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
    pub(crate) fn line(&self, points: &[Point], style: ShapeStyle) {
        self.draw(&PathElement::new(points.iter().copied().map(on_grid).collect::<Vec<_>>(), style));
    }

    /// Fills a polygon.
    pub(crate) fn polygon(&self, corners: &[Point], style: ShapeStyle) {
        self.draw(&Polygon::new(corners.iter().copied().map(on_grid).collect::<Vec<_>>(), style));
    }

    /// Draws a rectangle between two corners.
    pub(crate) fn rectangle(&self, corners: [Point; 2], style: ShapeStyle) {
        self.draw(&Rectangle::new(corners.map(on_grid), style));
    }

    /// Draws a circle.
    pub(crate) fn circle(&self, center: Point, radius: f64, style: ShapeStyle) {
        self.draw(&Circle::new(on_grid(center), units(radius), style));
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
    pub(crate) fn layer(&mut self, LayerStyle { class, dash, opacity }: LayerStyle, draw: impl FnOnce(&Area<'_>)) {
        let size = on_grid((self.scene.width, self.scene.height));
        let mut shapes = Vec::new();
        let size = (size.0.unsigned_abs(), size.1.unsigned_abs());
        draw(&Area { area: Backend { size, shapes: &mut shapes }.into_drawing_area() });
        if !shapes.is_empty() {
            self.scene.nodes.push(Node::Group(SceneGroup { class, dash, opacity: opacity.unwrap_or(1.0), shapes }));
        }
    }

    /// Sets a text.
    pub(crate) fn label(&mut self, label: Label) {
        self.scene.nodes.push(Node::Text(label));
    }

    /// Sets a text in black with its baseline at a position.
    pub(crate) fn text(&mut self, words: &Rich, at: Point, size: f64, anchor: Anchor) {
        let words = words.clone();
        self.label(Label { words, at, size, anchor, color: BLACK, upward: false, full: None });
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
