//! One problem as people see it: its line with a mark and what was expected, or, where that is too wide, a few words.

use std::ops::Range;

use fedbits_spec::visible;

use ariadne::{Config, IndexType, Label, Report, ReportKind};
use textwrap::{Options, WordSplitter};
use unicode_width::UnicodeWidthStr;

use crate::diagnostic::Diagnostic;

/// Lines of more bytes are not shown whole.
const MAX_LINE_BYTES: usize = 1_000;
/// The excerpt of a long line, in characters.
const EXCERPT: usize = 60;
/// What a drawing needs beside the line: the number of the line and frames.
const FRAME: usize = 12;

/// The problem in `text`, its source, in at most `width` columns. Control characters are shown, not sent.
pub(crate) fn drawn(problem: &Diagnostic, text: &str, color: bool, width: usize) -> String {
    let Range { start, end } = problem.span;
    let parts = [&text[..start], &text[start..end], &text[end..]].map(|part| visible(&part.replace("\r\n", "\n")));
    let start = parts[0].len();
    let [source, message, expected] = [&problem.source, &problem.message, &problem.expected].map(|text| visible(text));
    let (span, help) = (start..start + parts[1].len(), problem.help.as_deref().map(visible));
    let problem = &Diagnostic { source, span, message, expected, help, ..*problem };
    drawn_as_it_is(problem, &parts.concat(), color, width)
}

fn drawn_as_it_is(problem: &Diagnostic, text: &str, color: bool, width: usize) -> String {
    let line = whole_lines(text, &problem.span);
    let is_long = text[line.clone()].split('\n').any(|line| line.len() > MAX_LINE_BYTES);
    let fits = |text: &str, span: &Range<usize>| {
        let plain = report(problem, text, span, false);
        plain.lines().all(|line| line.width() <= width).then(|| report(problem, text, span, color))
    };
    let whole = (!is_long).then(|| fits(text, &problem.span)).flatten();
    // Where no width is given, the line is shown whole or not at all.
    let part = || {
        if width > MAX_LINE_BYTES {
            return None;
        }
        let (text, span) = windowed(text, line.clone(), &problem.span, width.checked_sub(FRAME)?)?;
        fits(&text, &span)
    };
    whole.or_else(part).unwrap_or_else(|| in_words(problem, &text[problem.span.start..line.end], width))
}

/// The lines that a span lies in.
fn whole_lines(text: &str, span: &Range<usize>) -> Range<usize> {
    let start = text[..span.start].rfind('\n').map_or(0, |newline| newline + 1);
    let end = text[span.end..].find('\n').map_or(text.len(), |newline| span.end + newline);
    start..end
}

/// The text with at most `room` characters of the line around the span, and where the span is then; none of a span of
/// several lines, or one that is too long.
fn windowed(text: &str, line: Range<usize>, span: &Range<usize>, room: usize) -> Option<(String, Range<usize>)> {
    let width = text[span.clone()].chars().count();
    // A mark at each end that is cut off.
    let around = room.checked_sub(width + 2)? / 2;
    if text[span.clone()].contains('\n') {
        return None;
    }
    let back = |(at, _): (usize, char)| at;
    let from = text[line.start..span.start]
        .char_indices()
        .rev()
        .take(around)
        .last()
        .map_or(span.start, |offset| line.start + back(offset));
    let to = text[span.end..line.end].char_indices().map(back).nth(around).map_or(line.end, |at| span.end + at);
    let mark = |is_cut: bool| if is_cut { "…" } else { "" };
    let (left, right) = (mark(from > line.start), mark(to < line.end));
    let cut = format!("{}{left}{}{right}{}", &text[..line.start], &text[from..to], &text[line.end..]);
    let start = line.start + left.len() + (span.start - from);
    Some((cut, start..start + span.len()))
}

/// The problem in words, each line wrapped.
fn in_words(problem: &Diagnostic, from_here: &str, width: usize) -> String {
    let line = from_here.split('\n').next().unwrap_or_default();
    let excerpt: String = line.chars().take(EXCERPT).collect();
    let more = if excerpt.len() < line.len() { "…" } else { "" };
    let Diagnostic { source, line, column, message, expected, .. } = problem;
    let wrapped = |indent: &str, text: &str| {
        let then = format!("{indent}  ");
        let options = Options::new(width.min(10_000)).initial_indent(indent).subsequent_indent(&then);
        textwrap::fill(text, options.word_splitter(WordSplitter::NoHyphenation)) + "\n"
    };
    let mut lines = wrapped("", &format!("Error: {message}"));
    lines += &wrapped("  ", &format!("{source}:{line}:{column}: {excerpt}{more}"));
    lines += &wrapped("    ", expected);
    problem.help.iter().for_each(|help| lines += &wrapped("    ", &format!("Help: {help}")));
    lines
}

/// The drawing of the problem, at `span` of `text`.
fn report(problem: &Diagnostic, text: &str, span: &Range<usize>, color: bool) -> String {
    let config = Config::default().with_color(color).with_index_type(IndexType::Byte);
    let position = (problem.source.clone(), span.clone());
    let mut report =
        Report::build(ReportKind::Error, position.clone()).with_config(config).with_message(&problem.message);
    report = report.with_label(Label::new(position).with_message(&problem.expected));
    if let Some(help) = &problem.help {
        report = report.with_help(help);
    }
    let (mut texts, mut bytes) = (ariadne::sources([(problem.source.clone(), text)]), Vec::new());
    let written = report.finish().write(&mut texts, &mut bytes);
    written.expect("writing to memory cannot fail, and the problem lies in the text");
    let drawing = String::from_utf8_lossy(&bytes);
    drawing.lines().map(|line| format!("{}\n", line.trim_end())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnostic::{Problem, Source};
    use crate::diagnostics::Diagnostics;
    use crate::patched::Origin;

    fn shown(text: &str, word: &str, expected: &str, width: usize) -> String {
        let start = text.find(word).unwrap();
        let origin = Origin { source: 0, span: start..start + word.len() };
        let problem =
            Problem { origin, message: "this is wrong".to_owned(), expected: expected.to_owned(), help: None };
        let source = Source { name: "a.ron".to_owned(), text: text.to_owned() };
        Diagnostics::new(vec![problem], vec![source]).render_within(false, width)
    }

    /// What is in a scenario does not reach the terminal as a command, and the mark stays below the value.
    #[test]
    fn control_characters_are_shown() {
        let shown = shown("(a: \"\u{1b}]0;x\u{7}\u{9b}2J\", wrong: 7)\r\n", "wrong", "expected `\u{1b}[2J`", 80);
        assert!(!shown.contains(|c: char| c.is_control() && c != '\n'), "{shown:?}");
        assert!(shown.contains(r#"(a: "\u{1b}]0;x\u{7}\u{9b}2J", wrong: 7)"#), "{shown}");
        let mark = shown.lines().find(|line| line.contains('┬')).unwrap();
        let place = |line: &str, word: &str| line[..line.find(word).unwrap()].chars().count();
        let line = shown.lines().find(|line| line.contains("wrong: 7")).unwrap();
        assert_eq!(place(mark, "─"), place(line, "wrong"), "{shown}");
    }

    /// Whatever the width, no line is wider, the word is there, and the place is that of the whole text.
    #[test]
    fn drawings_are_no_wider_than_the_terminal() {
        let before = "(first: 1,\n é: \"".to_owned() + &"x".repeat(90) + "\", ";
        let text = format!("{before}wrong: 7, {})", "z: 1, ".repeat(40));
        for width in [40, 60, 80, 120, 1_000] {
            let shown = shown(&text, "wrong", "expected `right`", width);
            assert!(shown.lines().all(|line| line.width() <= width), "{width}\n{shown}");
            assert!(shown.contains("wrong") && shown.contains("expected `right`"), "{shown}");
            assert_eq!(shown.contains('…'), width < 1_000, "{width}\n{shown}");
        }
        let narrow = shown(&text, "wrong", &"expected a great many words in a long row ".repeat(3), 60);
        assert!(narrow.lines().all(|line| line.width() <= 60), "{narrow}");
        assert!(narrow.contains("a.ron:2:99: wrong: 7") && !narrow.contains('│'), "{narrow}");
    }
}
