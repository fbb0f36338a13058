//! What is noted while a value is read.

use std::cell::{OnceCell, RefCell};
use std::collections::BTreeSet;
use std::ops::Range;

/// A problem of shape, by its bytes in the text that was read.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ShapeProblem {
    pub(crate) span: Range<usize>,
    pub(crate) message: String,
    pub(crate) expected: String,
    pub(crate) help: Option<String>,
}

#[derive(Default)]
pub(super) struct Log {
    pub(super) problems: Vec<ShapeProblem>,
    /// Where each problem lies, and what it says.
    pub(super) seen: BTreeSet<(usize, usize, String)>,
    /// Whether some value is a placeholder, so that the result means nothing.
    pub(super) guessed: bool,
    /// Whether a literal stood where a choice was expected: RON's own parser cannot read it.
    pub(super) short: bool,
    /// Where the innermost field starts whose value cannot be read.
    pub(super) unreadable: Option<usize>,
}

/// What to write instead of a literal or a bare word where one of some variants is expected.
type LiteralHelp = fn(&str, &[&str]) -> Option<String>;

pub(super) struct Notes {
    pub(super) literal_help: LiteralHelp,
    pub(super) log: RefCell<Log>,
    /// Where the fields start that are left out.
    pub(super) left_out: BTreeSet<usize>,
    /// The fields of the whole text, once they were asked for.
    outermost: OnceCell<&'static [&'static str]>,
}

impl Notes {
    pub(super) fn new(literal_help: LiteralHelp) -> Self {
        Notes { literal_help, log: RefCell::default(), left_out: BTreeSet::new(), outermost: OnceCell::new() }
    }

    pub(super) fn add(&self, span: Range<usize>, message: String, expected: String, help: Option<String>) {
        let mut log = self.log.borrow_mut();
        if log.seen.insert((span.start, span.end, message.clone())) {
            log.problems.push(ShapeProblem { span, message, expected, help });
        }
    }

    /// Whether there is a problem of just these bytes.
    pub(super) fn is_noted(&self, span: &Range<usize>) -> bool {
        let log = self.log.borrow();
        let from = (span.start, span.end, String::new());
        log.seen.range(from..).next().is_some_and(|(start, end, _)| (*start, *end) == (span.start, span.end))
    }

    /// Fields are asked for; those of the whole text come first. Whether one of the whole text has this name.
    pub(super) fn is_outermost(&self, known: &'static [&'static str], name: &str) -> bool {
        let outermost = *self.outermost.get_or_init(|| known);
        outermost != known && outermost.contains(&name)
    }

    pub(super) fn has_short_spellings(&self) {
        self.log.borrow_mut().short = true;
    }

    pub(super) fn guess(&self) {
        self.log.borrow_mut().guessed = true;
    }

    /// Only the innermost field is remembered, which is the first to say so.
    pub(super) fn unreadable(&self, start: usize) {
        self.log.borrow_mut().unreadable.get_or_insert(start);
    }
}
