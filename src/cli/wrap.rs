//! How wide the terminal is, and lines that fit it.

use textwrap::{Options, WordSplitter};
use unicode_width::UnicodeWidthStr;

/// Columns of a pipe, where nobody says how many there are.
const PIPE: usize = 80;
/// Longer lines of prose are hard to read.
const PROSE: usize = 100;
/// Nothing can be laid out in less.
const NARROWEST: usize = 20;

/// Columns of the terminal; in a pipe what the variable `COLUMNS` says, else 80.
pub(crate) fn width() -> usize {
    let terminal = || console::Term::stdout().size_checked().map(|(_, columns)| usize::from(columns));
    let variable = || std::env::var("COLUMNS").ok()?.trim().parse().ok();
    terminal().filter(|&columns| columns > 0).or_else(variable).unwrap_or(PIPE).max(NARROWEST)
}

/// The lines of a text in a column of this width; words longer than that are broken.
pub(crate) fn wrapped(text: &str, width: usize) -> Vec<String> {
    let options = Options::new(width.max(1)).word_splitter(WordSplitter::HyphenSplitter);
    textwrap::wrap(text, options).into_iter().map(|line| line.into_owned()).collect()
}

/// Prose for the terminal: the first line begins with `first`, the others with `then`.
pub(crate) fn prose(first: &str, then: &str, text: &str) -> String {
    let options = Options::new(width().min(PROSE)).initial_indent(first).subsequent_indent(then);
    textwrap::fill(text, options.word_splitter(WordSplitter::NoHyphenation)) + "\n"
}

/// `name  value`; values of several entries stand below each other.
pub(crate) fn entry(name: &str, value: &str) -> String {
    const NAMES: usize = 11;
    prose(&format!("{name:<NAMES$}"), &" ".repeat(NAMES), value)
}

/// A message on a terminal; diagnostics, which draw lines of their own, and pipes get it as it is.
pub(crate) fn message(text: &str, columns: Option<usize>) -> String {
    let fits = |columns: usize| text.lines().all(|line| line.width() <= columns);
    match columns {
        Some(columns) if !fits(columns) && !text.contains('│') => {
            let indent = " ".repeat(text.len() - text.trim_start().len() + 2);
            textwrap::fill(
                text,
                Options::new(columns).subsequent_indent(&indent).word_splitter(WordSplitter::NoHyphenation),
            )
        }
        _ => text.to_owned(),
    }
}
