//! The drawing: plotters' shapes in layers, text, and the frame of an SVG file in points. Knows no data and no axis.

use crate::text::{FAMILY, FONT, Rich, escape};
use plotters::coord::Shift;
use plotters::prelude::{DrawingArea, IntoDrawingArea, SVGBackend};
use std::fmt::Write;

/// plotters' backend has whole coordinates: twenty of its units make a point.
pub(crate) const UNITS_PER_POINT: f64 = 20.0;

/// Points to whole units.
pub(crate) fn units(points: f64) -> i32 {
    (points * UNITS_PER_POINT).round() as i32
}

/// Which end of a text stands at its position.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Anchor {
    Start,
    Middle,
    End,
}

/// The area plotters draws on: whole units, origin at the top left.
pub(crate) type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;

/// An SVG drawing under way.
pub(crate) struct Canvas {
    width: f64,
    height: f64,
    body: String,
}

impl Canvas {
    /// An empty drawing of that many points.
    pub(crate) fn new(width: f64, height: f64) -> Self {
        Self { width, height, body: String::new() }
    }

    /// Draws shapes as one group with the given SVG attributes, for what plotters' styles do not have (dashes, joins).
    pub(crate) fn layer(&mut self, attributes: &str, draw: impl FnOnce(&Area)) {
        let size = (units(self.width).unsigned_abs(), units(self.height).unsigned_abs());
        let mut drawn = String::new();
        {
            let area = SVGBackend::with_string(&mut drawn, size).into_drawing_area();
            draw(&area);
            area.present().expect("a string takes everything");
        }
        let first = drawn.find('\n').map_or(0, |end| end + 1);
        let last = drawn.rfind("</svg>").unwrap_or(drawn.len());
        // plotters states an opacity at every shape and ends lists of points with a space; neither says anything.
        let shapes = drawn[first..last].replace(" opacity=\"1\"", "").replace(" \"", "\"");
        writeln!(self.body, "<g {attributes}>\n{shapes}</g>").expect("a string takes everything");
    }

    /// Sets text with its baseline at (x, y) points.
    pub(crate) fn text(&mut self, text: &Rich, (x, y): (f64, f64), size: f64, anchor: Anchor) {
        self.put_text(text, &format!("x=\"{}\" y=\"{}\"", units(x), units(y)), size, anchor);
    }

    /// Sets text that reads upwards, centred at (x, y) on its baseline.
    pub(crate) fn upward_text(&mut self, text: &Rich, (x, y): (f64, f64), size: f64) {
        let place = format!("transform=\"translate({} {}) rotate(-90)\"", units(x), units(y));
        self.put_text(text, &place, size, Anchor::Middle);
    }

    /// Sets text that reads upwards and ends at (x, y), its baseline to the right.
    pub(crate) fn upward_end_text(&mut self, text: &Rich, (x, y): (f64, f64), size: f64) {
        let place = format!("transform=\"translate({} {}) rotate(-90)\"", units(x), units(y));
        self.put_text(text, &place, size, Anchor::End);
    }

    /// Sets text in a colour.
    pub(crate) fn colored_text(
        &mut self,
        text: &Rich,
        (x, y): (f64, f64),
        size: f64,
        anchor: Anchor,
        (red, green, blue): (u8, u8, u8),
    ) {
        let color = if (red, green, blue) == (0, 0, 0) {
            String::new()
        } else {
            format!(" fill=\"#{red:02x}{green:02x}{blue:02x}\"")
        };
        self.put_text(text, &format!("x=\"{}\" y=\"{}\"{color}", units(x), units(y)), size, anchor);
    }

    fn put_text(&mut self, text: &Rich, place: &str, size: f64, anchor: Anchor) {
        let size = size * UNITS_PER_POINT;
        let anchor = match anchor {
            Anchor::Start => "",
            Anchor::Middle => " text-anchor=\"middle\"",
            Anchor::End => " text-anchor=\"end\"",
        };
        let content = text.svg(size);
        writeln!(self.body, "<text {place} font-size=\"{size}\"{anchor}>{content}</text>")
            .expect("a string takes everything");
    }

    /// The file: width and height in points, the font inside, and `description` as metadata.
    pub(crate) fn finish(&self, description: &str) -> String {
        let (width, height) = (units(self.width), units(self.height));
        let points = |units: i32| f64::from(units) / UNITS_PER_POINT;
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{}pt\" height=\"{}pt\" viewBox=\"0 0 {width} {height}\" \
             font-family=\"'{FAMILY}', STIXGeneral, 'STIX Two Text', serif\" fill=\"#000000\">\n\
             <metadata>{}</metadata>\n<style>{}</style>\n{}</svg>\n",
            points(width),
            points(height),
            escape(description),
            font_face(),
            self.body,
        )
    }
}

/// The font as part of the file, so that text stays text and looks the same everywhere.
pub(crate) fn font_face() -> String {
    format!("@font-face{{font-family:'{FAMILY}';src:url(data:font/otf;base64,{}) format('opentype')}}", base64(FONT))
}

/// RFC 4648, section 4.
fn base64(bytes: &[u8]) -> String {
    const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let word = chunk.iter().fold(0u32, |word, &byte| word << 8 | u32::from(byte)) << (8 * (3 - chunk.len()));
        for position in 0..4 {
            let sextet = word >> (18 - 6 * position) & 63;
            out.push(if position > chunk.len() { '=' } else { char::from(ALPHABET[sextet as usize]) });
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::base64;

    /// The test vectors of RFC 4648, section 10.
    #[test]
    fn base64_of_the_rfc() {
        let vectors =
            [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("foobar", "Zm9vYmFy")];
        for (text, code) in vectors {
            assert_eq!(base64(text.as_bytes()), code);
        }
    }
}
