//! The dialect of RON: `limit: 500` for `Some(500)`, `Circle(radius: …)` without a second pair of parentheses.

use std::ops::Range;

use ron::Options;
use ron::error::{Position, SpannedError};
use ron::extensions::Extensions;
use ron::ser::PrettyConfig;
use serde::Serialize;
use serde::de::IgnoredAny;

/// A text with more brackets open at once is refused, before it can exhaust the call stack.
pub(crate) const MAX_DEPTH: usize = 100;

/// The dialect's extensions.
fn extensions() -> Extensions {
    Extensions::IMPLICIT_SOME | Extensions::UNWRAP_VARIANT_NEWTYPES
}

fn options() -> Options {
    Options::default().with_default_extension(extensions()).with_recursion_limit(MAX_DEPTH)
}

/// What RON's own parser finds wrong with the syntax: where, and what it expected.
pub(crate) fn judge(text: &str) -> Result<(), (Range<usize>, String)> {
    let wrong = |error: SpannedError| (bytes(text, &error.span), explain(&error.code));
    options().from_str(text).map(|IgnoredAny| ()).map_err(wrong)
}

/// Writes a value with every field, so that it reads back as the same value.
///
/// # Panics
/// When the value has a type that RON cannot write (a map as the content of a variant, for example).
#[must_use]
pub fn write(value: &impl Serialize) -> String {
    write_erased(value)
}

/// The type is erased, so that the writer is compiled once and not for every type that is written.
fn write_erased(value: &dyn erased_serde::Serialize) -> String {
    let pretty = PrettyConfig::new().new_line("\n").compact_arrays(true).escape_strings(true);
    // What was read is not deeper than the limit of reading; writing counts levels differently.
    let options = options().without_recursion_limit();
    options.to_string_pretty(value, pretty).expect("a type that RON can write")
}

/// The bytes that ron's span of lines and columns (in characters) stands for.
fn bytes(text: &str, span: &ron::error::Span) -> Range<usize> {
    byte(text, span.start)..byte(text, span.end)
}

fn byte(text: &str, position: Position) -> usize {
    let line_start: usize = text.split_inclusive('\n').take(position.line.saturating_sub(1)).map(str::len).sum();
    let column = text[line_start..].char_indices().nth(position.col.saturating_sub(1));
    column.map_or(text.len(), |(offset, _)| line_start + offset)
}

/// What RON expected, as a label beside the position.
fn explain(error: &ron::Error) -> String {
    let text = error.to_string();
    let mut letters = text.chars();
    letters.next().map_or(String::new(), |first| first.to_lowercase().chain(letters).collect())
}
