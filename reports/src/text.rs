//! Words of a figure: runs of upright, italic and raised type, their width in the embedded font, and their SVG form.

use crate::ReportError;
use std::fmt::Write;
use ttf_parser::Face;

/// Upright figures' font (STIX, subset and renamed).
pub(crate) const REGULAR: &[u8] = include_bytes!("../fonts/figure-Regular.otf");
/// Italic for mathematical symbols.
pub(crate) const ITALIC: &[u8] = include_bytes!("../fonts/figure-Italic.otf");
/// Family name of both.
pub(crate) const FAMILY: &str = "Fedbits Figure";
/// Size of a superscript and how far it is raised, in the size of the text around.
const SUPERSCRIPT: (f64, f64) = (0.72, 0.36);

/// How a run of characters is set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Setting {
    Upright,
    Italic,
    Superscript,
}

/// A line of text with italics and superscripts.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Rich {
    runs: Vec<(Setting, String)>,
}

impl Rich {
    pub(crate) fn plain(text: &str) -> Self {
        Self::default().then(text)
    }

    /// Appends upright text.
    pub(crate) fn then(self, text: &str) -> Self {
        self.with(Setting::Upright, text)
    }

    /// Appends a mathematical symbol.
    pub(crate) fn italic(self, text: &str) -> Self {
        self.with(Setting::Italic, text)
    }

    /// Appends a superscript.
    pub(crate) fn superscript(self, text: &str) -> Self {
        self.with(Setting::Superscript, text)
    }

    fn with(mut self, face: Setting, text: &str) -> Self {
        self.runs.push((face, text.to_owned()));
        self
    }

    /// The characters alone.
    #[cfg(test)]
    pub(crate) fn characters(&self) -> String {
        self.runs.iter().map(|(_, text)| text.as_str()).collect()
    }

    /// As LaTeX; `plain` text is escaped.
    pub(crate) fn latex(&self) -> String {
        self.runs
            .iter()
            .map(|(face, text)| match face {
                Setting::Upright => latex_escape(text),
                Setting::Italic => format!("${text}$"),
                Setting::Superscript => format!("$^{{{}}}$", latex_escape(text)),
            })
            .collect()
    }

    /// The content of an SVG text element set at `size` (in the drawing's units).
    pub(crate) fn svg(&self, size: f64) -> String {
        let mut out = String::new();
        let mut raised = false;
        for (face, text) in &self.runs {
            let lift = units_of(SUPERSCRIPT.1 * size);
            let shift = match (*face == Setting::Superscript, raised) {
                (true, false) => format!(" dy=\"-{lift}\""),
                (false, true) => format!(" dy=\"{lift}\""),
                _ => String::new(),
            };
            raised = *face == Setting::Superscript;
            let form = match face {
                Setting::Upright => String::new(),
                Setting::Italic => " font-style=\"italic\"".to_owned(),
                Setting::Superscript => format!(" font-size=\"{}\"", units_of(SUPERSCRIPT.0 * size)),
            };
            let content = escape(text);
            if shift.is_empty() && form.is_empty() {
                out.push_str(&content);
            } else {
                write!(out, "<tspan{shift}{form}>{content}</tspan>").expect("a string takes everything");
            }
        }
        out
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
    regular: Face<'static>,
    italic: Face<'static>,
}

impl Metrics {
    pub(crate) fn new() -> Self {
        let face = |bytes| Face::parse(bytes, 0).expect("the embedded font is a font");
        Self {
            regular: face(REGULAR),
            italic: face(ITALIC),
        }
    }

    /// Width in the unit of `size`; kerning left out, so it is at most a hair too wide.
    pub(crate) fn width(&self, text: &Rich, size: f64) -> f64 {
        text.runs
            .iter()
            .map(|(face, run)| match face {
                Setting::Upright => advance(&self.regular, run) * size,
                Setting::Italic => advance(&self.italic, run) * size,
                Setting::Superscript => advance(&self.regular, run) * size * SUPERSCRIPT.0,
            })
            .sum()
    }

    /// A user's label can be set in the font.
    pub(crate) fn check(&self, label: &str) -> Result<(), ReportError> {
        match label
            .chars()
            .find(|&character| self.regular.glyph_index(character).is_none())
        {
            Some(character) => Err(ReportError::Character {
                label: label.to_owned(),
                character,
            }),
            None => Ok(()),
        }
    }
}

/// Width in em.
fn advance(face: &Face, text: &str) -> f64 {
    let glyph = |character| {
        face.glyph_index(character)
            .and_then(|id| face.glyph_hor_advance(id))
            .unwrap_or(0)
    };
    let sum: u32 = text.chars().map(|character| u32::from(glyph(character))).sum();
    f64::from(sum) / f64::from(face.units_per_em())
}
