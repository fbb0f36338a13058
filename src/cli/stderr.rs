//! Standard error.

use std::fmt::Display;
use std::io::Write;

/// Writes a line to standard error; a closed standard error is ignored.
pub(crate) fn print_line(text: impl Display) {
    let _ = writeln!(std::io::stderr(), "{text}");
}
