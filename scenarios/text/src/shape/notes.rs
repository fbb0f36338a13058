//! What is noted while a value is read, and why reading stops.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::fmt;
use std::ops::Range;

use serde::de;

use crate::document::Place;

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
    /// Where the innermost field starts whose value cannot be read.
    pub(super) unreadable: Option<usize>,
}

/// What to write instead of a value or a field where one of some names is expected.
type ValueHelp = fn(&str, &[&str]) -> Option<String>;
/// Where a field is that is unknown elsewhere.
type Places = fn(&str, &[&str]) -> Vec<Place>;

pub(super) struct Notes {
    pub(super) value_help: ValueHelp,
    pub(super) places: Places,
    pub(super) log: RefCell<Log>,
    /// Where the fields start that are left out.
    pub(super) left_out: BTreeSet<usize>,
}

impl Notes {
    pub(super) fn new(value_help: ValueHelp, places: Places) -> Self {
        Notes { value_help, places, log: RefCell::default(), left_out: BTreeSet::new() }
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

    pub(super) fn guess(&self) {
        self.log.borrow_mut().guessed = true;
    }

    /// Only the innermost field is remembered, which is the first to say so.
    pub(super) fn unreadable(&self, start: usize) {
        self.log.borrow_mut().unreadable.get_or_insert(start);
    }
}

/// Why reading cannot go on below some node.
#[derive(Debug)]
pub(super) enum Halt {
    /// The problem has been noted.
    Noted,
    /// A required field is absent.
    Missing(&'static str),
    /// The value is of another type than any that can stand there.
    Type,
    /// Something a `Deserialize` implementation says.
    Other(String),
}

/// How [`Halt::Noted`] comes through an error type that keeps nothing but its text, such as that of a type-erased
/// `Deserialize`.
const NOTED: &str = "a problem that has been noted\0";

impl fmt::Display for Halt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Halt::Noted => f.write_str(NOTED),
            Halt::Missing(field) => write!(f, "the field `{field}` is missing"),
            Halt::Type => f.write_str("the value is of the wrong type"),
            Halt::Other(message) => f.write_str(message),
        }
    }
}

impl std::error::Error for Halt {}

impl de::Error for Halt {
    fn custom<T: fmt::Display>(message: T) -> Self {
        match message.to_string() {
            message if message == NOTED => Halt::Noted,
            message => Halt::Other(message),
        }
    }

    fn invalid_type(_: de::Unexpected<'_>, _: &dyn de::Expected) -> Self {
        Halt::Type
    }

    fn missing_field(field: &'static str) -> Self {
        Halt::Missing(field)
    }
}
