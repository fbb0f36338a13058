//! Words of a figure: runs on the line, raised and lowered, their width in the embedded font, and their SVG form.

use crate::latex::{code_point, latex};
use std::sync::LazyLock;
use ttf_parser::Face;

/// The figures' font (STIX, subset and renamed; `fonts/README.md`).
pub(crate) const FONT: &[u8] = include_bytes!("../fonts/figure-Regular.otf");
/// Its family name.
pub(crate) const FAMILY: &str = "Fedbits Figure";
/// The font, read once; that it can be read is tested. Without it every character would be drawn as its number.
pub(crate) static FACE: LazyLock<Option<Face<'static>>> = LazyLock::new(|| Face::parse(FONT, 0).ok());
/// Size of a superscript and how far it is raised, in the size of the text around.
pub(crate) const SUPERSCRIPT: (f64, f64) = (0.72, 0.36);
/// How far a subscript, which is as large, is lowered.
pub(crate) const LOWERED: f64 = 0.2;

/// A line of text: runs of characters, each on the line, raised above it or lowered.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Rich {
    runs: Vec<(Level, String)>,
}

/// Where a run of characters stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Level {
    Line,
    Superscript,
    Subscript,
}

impl Rich {
    /// Raised and lowered digits (10⁻⁸, β₀₁) become superscripts and subscripts: the font has none of them. The h of
    /// ‖h(Ŝ)‖² is in italics.
    pub(crate) fn plain(text: &str) -> Self {
        let italic = text.replace("‖h(Ŝ)‖", "‖ℎ(Ŝ)‖");
        let mut runs: Vec<(Level, String)> = Vec::new();
        for (level, character) in italic.chars().map(on_line) {
            match runs.last_mut() {
                Some((known, run)) if *known == level => run.push_str(&drawable(character)),
                _ => runs.push((level, drawable(character))),
            }
        }
        Self { runs }
    }

    /// Are there no characters?
    pub(crate) fn is_empty(&self) -> bool {
        self.runs.iter().all(|(_, text)| text.is_empty())
    }

    /// Appends a subscript.
    pub(crate) fn subscript(mut self, text: &str) -> Self {
        self.runs.push((Level::Subscript, text.chars().map(drawable).collect()));
        self
    }

    /// The characters alone.
    pub(crate) fn characters(&self) -> impl Iterator<Item = char> {
        self.runs.iter().flat_map(|(_, text)| text.chars())
    }

    /// Width in the unit of `size`; kerning left out, so it is at most a hair too wide.
    pub(crate) fn width(&self, size: f64) -> f64 {
        let run = |(level, text): &(Level, String)| match level {
            Level::Line => advance(text) * size,
            Level::Superscript | Level::Subscript => advance(text) * size * SUPERSCRIPT.0,
        };
        self.runs.iter().map(run).sum()
    }

    /// The size, or a smaller one at which it is not wider than `room`.
    pub(crate) fn fitting(&self, size: f64, room: f64) -> f64 {
        size * (room / self.width(size)).min(1.0)
    }

    /// As LaTeX.
    pub(crate) fn latex(&self) -> String {
        let run = |(level, text): &(Level, String)| match level {
            Level::Line => latex(text),
            Level::Superscript => format!("\\textsuperscript{{{}}}", latex(text)),
            Level::Subscript => format!("\\textsubscript{{{}}}", latex(text)),
        };
        self.runs.iter().map(run).collect()
    }

    /// Its runs with their sizes, the distance of their beginnings from the left end, and how far they are lowered (or
    /// raised, where that is negative), in the unit of `size`.
    pub(crate) fn placed<'a>(&'a self, size: f64) -> Vec<PlacedRun<'a>> {
        let mut left = 0.0;
        let run = |(level, text): &'a (Level, String)| {
            let (share, down) = match level {
                Level::Line => (1.0, 0.0),
                Level::Superscript => (SUPERSCRIPT.0, -SUPERSCRIPT.1),
                Level::Subscript => (SUPERSCRIPT.0, LOWERED),
            };
            let placed = PlacedRun { text, left, down: down * size, size: share * size };
            left += advance(text) * placed.size;
            placed
        };
        self.runs.iter().map(run).collect()
    }
}

/// Characters that stand on one level.
pub(crate) struct PlacedRun<'a> {
    pub text: &'a str,
    /// From the beginning of the text.
    #[cfg_attr(not(feature = "pictures"), expect(dead_code, reason = "SVG places runs by itself"))]
    pub left: f64,
    /// Below the line of the text.
    pub down: f64,
    pub size: f64,
}

/// Digits and signs that stand above the line, digits that stand below it, and what they are on it.
const OFF_LINE: [(&str, &str, Level); 2] =
    [("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789\u{2212}", Level::Superscript), ("₀₁₂₃₄₅₆₇₈₉", "0123456789", Level::Subscript)];

/// Where a character stands, and what it is there.
fn on_line(character: char) -> (Level, char) {
    let off_line = OFF_LINE.iter().find_map(|(shown, there, level)| {
        let place = shown.chars().position(|known| known == character)?;
        Some((*level, there.chars().nth(place)?))
    });
    off_line.unwrap_or((Level::Line, character))
}

/// A character, or `<U+4E2D>` of one that the font lacks: names of arms, levels and sites may be in any script, and
/// those that differ look different.
fn drawable(character: char) -> String {
    match FACE.as_ref().and_then(|face| face.glyph_index(character)) {
        Some(_) => String::from(character),
        // The font's one space is narrow.
        None if character == '\u{2009}' => " ".to_owned(),
        None => code_point(character),
    }
}

/// All digits of a number, very large and small ones with a power of ten: 2.5 × 10⁻⁸. For texts: the figures' font has
/// no such digits.
pub(crate) fn raised(value: f64) -> String {
    let text = format!("{value:e}");
    match text.split_once('e') {
        Some((mantissa, power)) if value != 0.0 && !matches!(power.parse(), Ok(-4..6)) => {
            let factor = if mantissa == "1" { String::new() } else { format!("{mantissa} × ") };
            format!("{factor}10{}", superscripts(power))
        }
        _ => value.to_string(),
    }
}

/// Digits, and a minus before them, raised.
pub(crate) fn superscripts(power: &str) -> String {
    let raised = |c: char| match c.to_digit(10) {
        Some(digit) => ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'][digit as usize],
        None => '⁻',
    };
    power.chars().map(raised).collect()
}

/// A path as a relative URI (RFC 3986).
#[must_use]
pub fn encode_uri(path: &str) -> String {
    let keep = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~/#".contains(&byte);
    path.bytes().map(|byte| if keep(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") }).collect()
}

/// A text for XML and HTML, as content or as an attribute.
#[must_use]
pub fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '&' => out.push_str("&amp;"),
            '"' => out.push_str("&quot;"),
            '\n' | '\t' => out.push(character),
            // XML forbids the others (XML 1.0, section 2.2).
            _ if character.is_control() || matches!(character, '\u{fffe}' | '\u{ffff}') => {
                out.push_str(&escape(&code_point(character)));
            }
            _ => out.push(character),
        }
    }
    out
}

/// Each of these once, in the order in which they first come.
pub(crate) fn each_once<T: PartialEq>(all: impl IntoIterator<Item = T>) -> Vec<T> {
    each_once_by(all, T::eq)
}

/// The first of those that are the same.
pub(crate) fn each_once_by<T>(all: impl IntoIterator<Item = T>, is_same: impl Fn(&T, &T) -> bool) -> Vec<T> {
    let mut once: Vec<T> = Vec::new();
    for one in all {
        if !once.iter().any(|known| is_same(known, &one)) {
            once.push(one);
        }
    }
    once
}

/// The values of each key, in the order in which the keys first come.
pub(crate) fn grouped<K: PartialEq, V>(pairs: impl IntoIterator<Item = (K, V)>) -> Vec<(K, Vec<V>)> {
    let mut groups: Vec<(K, Vec<V>)> = Vec::new();
    for (key, value) in pairs {
        match groups.iter_mut().find(|(known, _)| *known == key) {
            Some((_, values)) => values.push(value),
            None => groups.push((key, vec![value])),
        }
    }
    groups
}

/// A text on one line, for comments: a line break in a name would end the comment.
pub(crate) fn one_line(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { code_point(c) } else { c.to_string() }).collect()
}

/// The glyphs of a text: number, and advance in em.
#[cfg(feature = "pictures")]
pub(crate) fn glyphs(text: &str) -> Vec<(ttf_parser::GlyphId, f64)> {
    let Some(face) = FACE.as_ref() else { return Vec::new() };
    let advance = |id| f64::from(face.glyph_hor_advance(id).unwrap_or(0)) / f64::from(face.units_per_em());
    text.chars().filter_map(|character| face.glyph_index(character)).map(|id| (id, advance(id))).collect()
}

/// Width in em.
fn advance(text: &str) -> f64 {
    let Some(face) = FACE.as_ref() else { return 0.0 };
    let glyph = |character| face.glyph_index(character).and_then(|id| face.glyph_hor_advance(id));
    let sum: u32 = text.chars().map(|character| u32::from(glyph(character).unwrap_or(0))).sum();
    f64::from(sum) / f64::from(face.units_per_em())
}

#[cfg(test)]
mod tests {
    use super::{Rich, escape, one_line};

    /// What the font lacks is drawn as its number, and measured as it is drawn.
    #[test]
    fn names_in_any_script() {
        let text = Rich::plain("中 β");
        assert_eq!(text.characters().collect::<String>(), "<U+4E2D> β");
        assert_eq!(text.width(8.0), Rich::plain("<U+4E2D> β").width(8.0));
        assert_ne!(Rich::plain("中"), Rich::plain("国"));
    }

    /// A name may hold anything: it ends no comment and breaks no XML.
    #[test]
    fn control_characters() {
        assert_eq!(one_line("a\nb"), "a<U+000A>b");
        assert_eq!(escape("a\u{1}\n<"), "a&lt;U+0001&gt;\n&lt;");
    }
}
