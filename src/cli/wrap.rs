//! How wide the terminal is, and lines that fit it.

use std::fmt::Display;
use std::io::{IsTerminal, Write};

use textwrap::core::Word;
use textwrap::{Options, WordSeparator, WordSplitter};
use unicode_width::UnicodeWidthStr;

use crate::cli::style::{HEAD, tame};

/// Columns of a pipe, where nobody says how many there are.
const PIPE: usize = 80;
/// Longer lines of prose are hard to read.
const PROSE: usize = 100;
/// Nothing can be laid out in less.
const NARROWEST: usize = 20;

/// Columns of the terminal; in a pipe what the variable `COLUMNS` says, else 80.
pub(crate) fn width() -> usize {
    columns_of_results().unwrap_or(PIPE)
}

/// Columns of the terminal that results go to; in a pipe what the variable `COLUMNS` says, if it does.
pub(crate) fn columns_of_results() -> Option<usize> {
    columns(&console::Term::stdout(), std::io::stdout().is_terminal())
}

pub(crate) fn columns_of_errors() -> Option<usize> {
    columns(&console::Term::stderr(), std::io::stderr().is_terminal())
}

fn columns(stream: &console::Term, is_terminal: bool) -> Option<usize> {
    let measured = stream.size_checked().map(|(_, columns)| usize::from(columns));
    let measured = measured.filter(|&columns| columns > 0 && is_terminal);
    measured.or_else(variable).map(|columns| columns.max(NARROWEST))
}

/// The same, and 80 where nobody says it.
pub(crate) fn width_of_errors() -> usize {
    columns_of_errors().unwrap_or(PIPE)
}

fn variable() -> Option<usize> {
    std::env::var("COLUMNS").ok()?.trim().parse().ok().filter(|&columns| columns > 0)
}

/// The lines of a text in a column of this width; words longer than that are broken.
pub(crate) fn wrapped(text: &str, width: usize) -> Vec<String> {
    let fits = text.split(' ').all(|word| word.width() <= width);
    let separator = if fits { WordSeparator::AsciiSpace } else { WordSeparator::Custom(parts) };
    let options = Options::new(width.max(1)).word_separator(separator);
    let options = options.word_splitter(WordSplitter::NoHyphenation);
    textwrap::wrap(text, options).into_iter().map(|line| line.into_owned()).collect()
}

/// Where the text of a cell may go on in the next line: behind blanks, and within paths and names.
fn parts(line: &str) -> Box<dyn Iterator<Item = Word<'_>> + '_> {
    let mut from = 0;
    let mut words = Vec::new();
    let characters: Vec<(usize, char)> = line.char_indices().collect();
    for pair in characters.windows(3) {
        let [(_, before), (_, here), (next, after)] = [pair[0], pair[1], pair[2]];
        let in_path = "/._-".contains(here) && before.is_alphanumeric() && after.is_alphabetic();
        if in_path || here == ' ' && after != ' ' {
            words.push(Word::from(&line[from..next]));
            from = next;
        }
    }
    words.push(Word::from(&line[from..]));
    Box::new(words.into_iter())
}

pub(crate) fn heading(title: &str) -> String {
    prose("", "  ", title).lines().map(|line| format!("{HEAD}{line}{HEAD:#}\n")).collect()
}

/// Prose for the terminal: the first line begins with `first`, the others with `then`.
pub(crate) fn prose(first: &str, then: &str, text: &str) -> String {
    let options = Options::new(width().min(PROSE)).initial_indent(first).subsequent_indent(then);
    textwrap::fill(text, options.word_splitter(WordSplitter::NoHyphenation)) + "\n"
}

/// `name  value`; values of several entries stand below each other.
pub(crate) fn entry(name: &str, value: &str) -> String {
    const NAMES: usize = 11;
    let gap = if name.width() < NAMES { "" } else { " " };
    prose(&format!("{name:<NAMES$}{gap}"), &" ".repeat(NAMES), value)
}

/// Writes a line to standard error, wrapped on a terminal; a closed standard error is ignored.
pub(crate) fn error_line(text: impl Display) {
    let mut out = anstream::stderr();
    let _ = writeln!(out, "{}", message(&tame(&text.to_string()), columns_of_errors()));
}

/// A message on a terminal, line by line; diagnostics, which draw lines of their own, and pipes get it as it is. A long
/// word, such as a path or a digest, stays whole, to be copied.
pub(crate) fn message(text: &str, columns: Option<usize>) -> String {
    let Some(columns) = columns.filter(|_| !text.contains('│')) else { return text.to_owned() };
    let wrapped = |line: &str| {
        if line.width() <= columns {
            return line.to_owned();
        }
        let words = line.trim_start();
        let indent = " ".repeat(line.len() - words.len());
        let then = format!("{indent}  ");
        let options = Options::new(columns).initial_indent(&indent).subsequent_indent(&then).break_words(false);
        textwrap::fill(words, options.word_splitter(WordSplitter::NoHyphenation))
    };
    text.split('\n').map(wrapped).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_name_keeps_its_distance() {
        assert_eq!(entry("a long name", "slow"), "a long name slow\n");
        assert_eq!(entry("axis", "slow"), "axis       slow\n");
    }

    #[test]
    fn lines_of_a_message_keep_their_indent() {
        let text = "Error: no file\n    put it beside the scenario\n    0123456789abcdef0123456789abcdef\n  short";
        let expected =
            "Error: no file\n    put it beside\n      the scenario\n    0123456789abcdef0123456789abcdef\n  short";
        assert_eq!(message(text, Some(20)), expected);
        assert_eq!(message(text, None), text);
    }

    #[test]
    fn paths_break_at_their_parts_and_numbers_do_not() {
        assert_eq!(wrapped("protocol.participation", 14), ["protocol.", "participation"]);
        assert_eq!(wrapped("out/dithering-2-naive", 12), ["out/", "dithering-2-", "naive"]);
        assert_eq!(wrapped("[0.25, 1e-10]", 7), ["[0.25,", "1e-10]"]);
        assert_eq!(wrapped("incomprehensibilities", 10), ["incomprehe", "nsibilitie", "s"]);
    }
}
