//! The drawing: plotters' shapes in layers, text, and the frame of an SVG file in points.

use crate::shades::{BLACK, Rgb, hex};
use crate::text::{FAMILY, FONT, Rich, escape};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use plotters::coord::Shift;
use plotters::drawing::DrawingAreaErrorKind;
use plotters::element::{Drawable, PointCollection};
use plotters::prelude::{DrawingArea, IntoDrawingArea, PathElement, RGBColor, SVGBackend, ShapeStyle};
use plotters::style::Color;
use std::cell::RefCell;

/// plotters' backend has whole coordinates: twenty of its units make a point.
pub(crate) const UNITS_PER_POINT: f64 = 20.0;

/// Points to whole units.
pub(crate) fn units(points: f64) -> i32 {
    (points * UNITS_PER_POINT).round() as i32
}

/// Whole units to points.
pub(crate) fn points(units: i32) -> f64 {
    f64::from(units) / UNITS_PER_POINT
}

/// A line of a width in points.
pub(crate) fn stroke(width: f64, (red, green, blue): Rgb) -> ShapeStyle {
    ShapeStyle { color: RGBColor(red, green, blue).to_rgba(), filled: false, stroke_width: units(width).unsigned_abs() }
}

/// An area of a colour that covers this share of the paper.
pub(crate) fn fill((red, green, blue): Rgb, opacity: f64) -> ShapeStyle {
    RGBColor(red, green, blue).mix(opacity).filled()
}

/// Why plotters could not draw.
pub(crate) type DrawError = DrawingAreaErrorKind<std::io::Error>;

/// Which end of a text stands at its position.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Anchor {
    Start,
    Middle,
    End,
}

/// The area plotters draws on: whole units, origin at the top left. Its first error is that of [`Canvas::finish`].
pub(crate) struct Area<'a> {
    area: DrawingArea<SVGBackend<'a>, Shift>,
    error: RefCell<Option<DrawError>>,
}

impl<'a> Area<'a> {
    /// Draws a shape of plotters.
    pub(crate) fn draw<E>(&self, shape: &E)
    where
        for<'e> &'e E: PointCollection<'e, (i32, i32)>,
        E: Drawable<SVGBackend<'a>>,
    {
        self.keep(self.area.draw(shape));
    }

    /// Draws a line through points.
    pub(crate) fn path(&self, points: Vec<(i32, i32)>, style: ShapeStyle) {
        self.draw(&PathElement::new(points, style));
    }

    fn keep(&self, drawn: Result<(), DrawError>) {
        if let Err(error) = drawn {
            self.error.borrow_mut().get_or_insert(error);
        }
    }
}

/// An SVG drawing in the making.
pub(crate) struct Canvas {
    width: f64,
    height: f64,
    body: String,
    error: Option<DrawError>,
}

impl Canvas {
    /// An empty drawing of `width` × `height` points.
    pub(crate) fn new(width: f64, height: f64) -> Self {
        Self { width, height, body: String::new(), error: None }
    }

    /// Draws shapes as one group with the given SVG attributes, for what plotters' styles do not have (dashes, joins).
    pub(crate) fn layer(&mut self, attributes: &str, draw: impl FnOnce(&Area)) {
        let size = (units(self.width).unsigned_abs(), units(self.height).unsigned_abs());
        let mut drawn = String::new();
        {
            let area = SVGBackend::with_string(&mut drawn, size).into_drawing_area();
            let area = Area { area, error: RefCell::new(None) };
            draw(&area);
            area.keep(area.area.present());
            self.error = self.error.take().or(area.error.take());
        }
        let first = drawn.find('\n').map_or(0, |end| end + 1);
        let last = drawn.rfind("</svg>").unwrap_or(drawn.len());
        // plotters states an opacity at every shape and ends lists of points with a space; neither says anything.
        let shapes = drawn[first..last].replace(" opacity=\"1\"", "").replace(" \"", "\"");
        self.body += &format!("<g {attributes}>\n{shapes}</g>\n");
    }

    /// Sets text with its baseline at (x, y) points.
    pub(crate) fn text(&mut self, text: &Rich, position: (f64, f64), size: f64, anchor: Anchor) {
        self.colored_text(text, position, size, anchor, BLACK);
    }

    /// Sets text that reads upwards, its baseline to the right; which of it stands at (x, y) says the anchor.
    pub(crate) fn upward_text(&mut self, text: &Rich, (x, y): (f64, f64), size: f64, anchor: Anchor) {
        let transform = format!("transform=\"translate({} {}) rotate(-90)\"", units(x), units(y));
        self.put_text(text, &transform, size, anchor);
    }

    /// Sets text in a colour.
    pub(crate) fn colored_text(&mut self, text: &Rich, (x, y): (f64, f64), size: f64, anchor: Anchor, color: Rgb) {
        let color = match color {
            BLACK => String::new(),
            color => format!(" fill=\"{}\"", hex(color)),
        };
        self.put_text(text, &format!("x=\"{}\" y=\"{}\"{color}", units(x), units(y)), size, anchor);
    }

    fn put_text(&mut self, text: &Rich, transform: &str, size: f64, anchor: Anchor) {
        let size = size * UNITS_PER_POINT;
        let anchor = match anchor {
            Anchor::Start => "",
            Anchor::Middle => " text-anchor=\"middle\"",
            Anchor::End => " text-anchor=\"end\"",
        };
        self.body += &format!("<text {transform} font-size=\"{size}\"{anchor}>{}</text>\n", text.svg(size));
    }

    /// The file: width and height in points, the font inside, and `description` as metadata.
    ///
    /// # Errors
    /// The first that plotters met.
    pub(crate) fn finish(self, description: &str) -> Result<String, DrawError> {
        if let Some(error) = self.error {
            return Err(error);
        }
        let (width, height) = (units(self.width), units(self.height));
        Ok(format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{}pt\" height=\"{}pt\" viewBox=\"0 0 {width} {height}\" \
             font-family=\"'{FAMILY}', STIXGeneral, 'STIX Two Text', serif\" fill=\"#000000\">\n\
             <metadata>{}</metadata>\n<style>{}</style>\n{}</svg>\n",
            points(width),
            points(height),
            escape(description),
            font_face(),
            self.body,
        ))
    }
}

/// The height of a drawing in points.
pub(crate) fn height(svg: &str) -> Option<f64> {
    svg.split_once(" height=\"")?.1.split_once("pt\"")?.0.parse().ok()
}

/// The font as part of the file, so that text stays text and looks the same everywhere.
pub(crate) fn font_face() -> String {
    format!(
        "@font-face{{font-family:'{FAMILY}';src:url(data:font/otf;base64,{}) format('opentype')}}",
        STANDARD.encode(FONT)
    )
}
