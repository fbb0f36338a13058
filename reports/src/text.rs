//! Words of a figure: runs on the line and raised, their width in the embedded font, and their SVG form.

use crate::ReportError;
use ttf_parser::Face;

/// The figures' font (STIX, subset and renamed; `fonts/README.md`).
pub(crate) const FONT: &[u8] = include_bytes!("../fonts/figure-Regular.otf");
/// Its family name.
pub(crate) const FAMILY: &str = "Fedbits Figure";
/// Size of a superscript and how far it is raised, in the size of the text around.
const SUPERSCRIPT: (f64, f64) = (0.72, 0.36);

/// A line of text: runs of characters, each on the line or raised above it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Rich {
    runs: Vec<(Level, String)>,
}

/// Where a run of characters stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Level {
    Line,
    Superscript,
}

impl Rich {
    pub(crate) fn plain(text: &str) -> Self {
        Self::default().with(Level::Line, text)
    }

    /// Appends a superscript.
    pub(crate) fn superscript(self, text: &str) -> Self {
        self.with(Level::Superscript, text)
    }

    fn with(mut self, level: Level, text: &str) -> Self {
        self.runs.push((level, text.to_owned()));
        self
    }

    /// The characters alone.
    #[cfg(test)]
    pub(crate) fn characters(&self) -> String {
        self.runs.iter().map(|(_, text)| text.as_str()).collect()
    }

    /// As LaTeX.
    pub(crate) fn latex(&self) -> String {
        let run = |(level, text): &(Level, String)| match level {
            Level::Line => latex_escape(text),
            Level::Superscript => format!("$^{{{}}}$", latex_escape(text)),
        };
        self.runs.iter().map(run).collect()
    }

    /// The content of an SVG text element set at `size` (in the drawing's units). A superscript ends its line.
    pub(crate) fn svg(&self, size: f64) -> String {
        let run = |(level, text): &(Level, String)| match level {
            Level::Line => escape(text),
            Level::Superscript => format!(
                "<tspan dy=\"-{}\" font-size=\"{}\">{}</tspan>",
                units_of(SUPERSCRIPT.1 * size),
                units_of(SUPERSCRIPT.0 * size),
                escape(text)
            ),
        };
        self.runs.iter().map(run).collect()
    }
}

/// Whole units keep the text of the drawing short and the same everywhere.
fn units_of(value: f64) -> i64 {
    value.round() as i64
}

/// For XML content and attributes.
pub(crate) fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '&' => out.push_str("&amp;"),
            '"' => out.push_str("&quot;"),
            _ => out.push(character),
        }
    }
    out
}

/// For LaTeX text.
pub(crate) fn latex_escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' | '%' | '$' | '#' | '_' | '{' | '}' => {
                out.push('\\');
                out.push(character);
            }
            '\\' => out.push_str("\\textbackslash{}"),
            '^' => out.push_str("\\textasciicircum{}"),
            '~' => out.push_str("\\textasciitilde{}"),
            'ℎ' => out.push_str("$h$"),
            '𝐻' => out.push_str("$H$"),
            '‖' => out.push_str("$\\|$"),
            '²' => out.push_str("$^2$"),
            'Ŝ' => out.push_str("$\\hat S$"),
            '\u{2212}' => out.push_str("$-$"),
            '\u{2009}' => out.push_str("\\,"),
            _ => out.push(character),
        }
    }
    out
}

/// Advance widths of the embedded font.
pub(crate) struct Metrics {
    face: Face<'static>,
}

impl Metrics {
    pub(crate) fn new() -> Self {
        Self { face: Face::parse(FONT, 0).expect("the embedded font is a font") }
    }

    /// Width in the unit of `size`; kerning left out, so it is at most a hair too wide.
    pub(crate) fn width(&self, text: &Rich, size: f64) -> f64 {
        let run = |(level, text): &(Level, String)| match level {
            Level::Line => self.advance(text) * size,
            Level::Superscript => self.advance(text) * size * SUPERSCRIPT.0,
        };
        text.runs.iter().map(run).sum()
    }

    /// Whether the font has all characters of a user's label.
    pub(crate) fn check(&self, label: &str) -> Result<(), ReportError> {
        match label.chars().find(|&character| self.face.glyph_index(character).is_none()) {
            Some(character) => Err(ReportError::Character { label: label.to_owned(), character }),
            None => Ok(()),
        }
    }

    /// Width in em.
    fn advance(&self, text: &str) -> f64 {
        let glyph = |character| self.face.glyph_index(character).and_then(|id| self.face.glyph_hor_advance(id));
        let sum: u32 = text.chars().map(|character| u32::from(glyph(character).unwrap_or(0))).sum();
        f64::from(sum) / f64::from(self.face.units_per_em())
    }
}
