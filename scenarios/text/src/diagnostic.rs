//! One thing that is wrong, and the same with the line it lies in.

use std::ops::Range;

use crate::patched::Origin;

/// Something wrong at a position in one of the sources.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Problem {
    /// Where it is written.
    pub origin: Origin,
    /// What is wrong.
    pub message: String,
    /// What was expected there.
    pub expected: String,
    /// What to do, as far as that can be known; for example the nearest name.
    pub help: Option<String>,
}

/// A text and the name under which its problems are reported.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Source {
    /// The file's name as the user gave it, or another description of where the text was written.
    pub name: String,
    /// The whole text.
    pub text: String,
}

impl Source {
    /// A source of this name and text.
    pub fn new(name: impl Into<String>, text: impl Into<String>) -> Self {
        Source { name: name.into(), text: text.into() }
    }
}

/// One problem, with its line.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Diagnostic {
    /// The name of the source it lies in.
    pub source: String,
    /// The bytes it lies at.
    pub span: Range<usize>,
    /// The line, from 1.
    pub line: usize,
    /// The column in characters, from 1.
    pub column: usize,
    /// What is wrong.
    pub message: String,
    /// What was expected there.
    pub expected: String,
    /// What to do, as far as that can be known; for example the nearest name.
    pub help: Option<String>,
}

impl Diagnostic {
    /// The problem in its source; its line and column are counted when all problems are known.
    pub(crate) fn new(source: &Source, problem: Problem) -> Self {
        let Problem { origin, message, expected, help } = problem;
        let span = on_characters(&source.text, origin.span);
        Diagnostic { source: source.name.clone(), line: 0, column: 0, span, message, expected, help }
    }
}

/// The range, cut to the text and widened to whole characters.
fn on_characters(text: &str, span: Range<usize>) -> Range<usize> {
    let start = text.floor_char_boundary(span.start.min(text.len()));
    let end = text.ceil_char_boundary(span.end.clamp(start, text.len()));
    start..end
}
