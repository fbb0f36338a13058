//! Problems of a scenario, each with its place in a text, and how they are shown. This file must not know how problems
//! are found.

use std::fmt;
use std::ops::Range;

use ariadne::{Config, IndexType, Label, Report, ReportKind};

use crate::source::Source;

/// One problem.
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
    /// What to do, as far as that can be told; for example the nearest name.
    pub help: Option<String>,
}

/// All problems that were found, in the order of their places, with the texts they lie in.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Diagnostics {
    problems: Vec<Diagnostic>,
    sources: Vec<Source>,
}

impl Diagnostics {
    /// `problems` lie in `sources`; sorted by place, and repetitions dropped.
    pub(crate) fn new(mut problems: Vec<Diagnostic>, sources: Vec<Source>) -> Self {
        let rank = |name: &str| sources.iter().position(|source| source.name == name);
        problems.sort_by_key(|problem| (rank(&problem.source), problem.span.start, problem.span.end));
        let mut kept: Vec<Diagnostic> = Vec::new();
        for problem in problems {
            let again = |other: &Diagnostic| {
                (&other.source, &other.span, &other.message) == (&problem.source, &problem.span, &problem.message)
            };
            if !kept.iter().any(again) {
                kept.push(problem);
            }
        }
        Diagnostics { problems: kept, sources }
    }

    /// The problems of several scenarios that were read from the same texts; `None` when there are none.
    #[must_use]
    pub fn joined(all: Vec<Diagnostics>) -> Option<Diagnostics> {
        let sources = all.first()?.sources.clone();
        let problems: Vec<Diagnostic> = all.into_iter().flat_map(|own| own.problems).collect();
        (!problems.is_empty()).then(|| Diagnostics::new(problems, sources))
    }

    /// The problems, in the order of their places.
    #[must_use]
    pub fn problems(&self) -> &[Diagnostic] {
        &self.problems
    }

    /// All problems as text with the lines they lie in; with terminal colours when asked for.
    #[must_use]
    pub fn render(&self, color: bool) -> String {
        let mut bytes = Vec::new();
        for problem in &self.problems {
            let texts = self.sources.iter().map(|source| (source.name.clone(), source.text.as_str()));
            problem
                .report(color)
                .write(ariadne::sources(texts), &mut bytes)
                .expect("writing to memory cannot fail, and every problem lies in one of the sources");
        }
        let text = String::from_utf8_lossy(&bytes);
        text.lines().map(|line| format!("{}\n", line.trim_end())).collect()
    }
}

impl fmt::Display for Diagnostics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.render(false))
    }
}

impl std::error::Error for Diagnostics {}

impl Diagnostic {
    /// A problem at a range of bytes of a source.
    pub(crate) fn new(source: &Source, span: Range<usize>, message: String, expected: String) -> Self {
        let span = on_characters(&source.text, span);
        let before = &source.text[..span.start];
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        Diagnostic {
            source: source.name.clone(),
            line: before.matches('\n').count() + 1,
            column: before[line_start..].chars().count() + 1,
            span,
            message,
            expected,
            help: None,
        }
    }

    fn report(&self, color: bool) -> Report<'_, (String, Range<usize>)> {
        let config = Config::default().with_color(color).with_index_type(IndexType::Byte);
        let place = (self.source.clone(), self.span.clone());
        let mut report =
            Report::build(ReportKind::Error, place.clone()).with_config(config).with_message(&self.message);
        report = report.with_label(Label::new(place).with_message(&self.expected));
        if let Some(help) = &self.help {
            report = report.with_help(help);
        }
        report.finish()
    }
}

/// The range, cut to the text and widened to whole characters.
fn on_characters(text: &str, span: Range<usize>) -> Range<usize> {
    let start = text.floor_char_boundary(span.start.min(text.len()));
    let end = text.ceil_char_boundary(span.end.clamp(start, text.len()));
    start..end
}
