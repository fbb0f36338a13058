//! Problems with the lines they lie in, and how they are shown.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use crate::diagnostic::{Diagnostic, Problem, Source};
use crate::drawing;

/// All problems that were found, in the order of their positions, with the texts they lie in.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Diagnostics {
    problems: Vec<Diagnostic>,
    sources: Vec<Source>,
}

impl Diagnostics {
    /// `problems` that lie in `sources`; sorted by position, and repetitions dropped.
    ///
    /// # Panics
    /// When a problem lies in a source that is not among `sources`.
    #[must_use]
    pub fn new(problems: Vec<Problem>, sources: Vec<Source>) -> Self {
        let located = |problem: Problem| Diagnostic::new(&sources[problem.origin.source], problem);
        let problems = problems.into_iter().map(located).collect();
        Diagnostics::sorted(problems, sources)
    }

    fn sorted(mut problems: Vec<Diagnostic>, sources: Vec<Source>) -> Self {
        let ranks: BTreeMap<&str, usize> =
            sources.iter().enumerate().rev().map(|(rank, source)| (source.name.as_str(), rank)).collect();
        let rank = |problem: &Diagnostic| ranks.get(problem.source.as_str()).copied();
        problems.sort_by_key(|problem| (rank(problem), problem.span.start, problem.span.end));
        let mut seen = BTreeSet::new();
        problems.retain(|problem| {
            seen.insert((rank(problem), problem.span.start, problem.span.end, problem.message.clone()))
        });
        count_lines(&mut problems, &sources, rank);
        Diagnostics { problems, sources }
    }

    /// The problems of several documents that were read from the same texts; `None` when there are none.
    #[must_use]
    pub fn joined(all: Vec<Diagnostics>) -> Option<Diagnostics> {
        let sources = all.first()?.sources.clone();
        let problems: Vec<Diagnostic> = all.into_iter().flat_map(|diagnostics| diagnostics.problems).collect();
        (!problems.is_empty()).then(|| Diagnostics::sorted(problems, sources))
    }

    /// The problems, in the order of their positions.
    #[must_use]
    pub fn problems(&self) -> &[Diagnostic] {
        &self.problems
    }

    /// The first problems (twenty of them) as text with the lines they lie in, and how many more there are; with
    /// terminal colours on request.
    #[must_use]
    pub fn render(&self, color: bool) -> String {
        self.render_within(color, usize::MAX)
    }

    /// The same for a terminal of this many columns: of lines that are too long, what is around the problem.
    #[must_use]
    pub fn render_within(&self, color: bool, width: usize) -> String {
        let mut lines = String::new();
        for problem in self.problems.iter().take(MAX_SHOWN) {
            let source = self.sources.iter().find(|source| source.name == problem.source);
            let text = source.map_or("", |source| source.text.as_str());
            lines += &drawing::drawn(problem, text, color, width);
        }
        match self.problems.len().saturating_sub(MAX_SHOWN) {
            0 => {}
            1 => lines.push_str("and one more problem\n"),
            more => lines.push_str(&format!("and {more} more problems\n")),
        }
        lines
    }
}

impl fmt::Display for Diagnostics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.render(false))
    }
}

impl std::error::Error for Diagnostics {}

/// More problems are counted, not shown: nobody reads more than a screenful.
const MAX_SHOWN: usize = 20;

/// Lines and columns of problems that are sorted by their positions, in one pass over each source.
fn count_lines(problems: &mut [Diagnostic], sources: &[Source], rank: impl Fn(&Diagnostic) -> Option<usize>) {
    let (mut source, mut seen, mut line, mut column) = (None, 0, 1, 1);
    for problem in problems {
        let Some(text) = rank(problem).map(|rank| &sources[rank].text) else { continue };
        if source != rank(problem) {
            (source, seen, line, column) = (rank(problem), 0, 1, 1);
        }
        let passed = &text[seen..problem.span.start];
        line += passed.matches('\n').count();
        column = match passed.rfind('\n') {
            Some(newline) => passed[newline + 1..].chars().count() + 1,
            None => column + passed.chars().count(),
        };
        seen = problem.span.start;
        (problem.line, problem.column) = (line, column);
    }
}
