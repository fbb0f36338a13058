//! Standard error.

use std::fmt::Display;
use std::io::Write;

/// Writes a line to standard error; when nobody can hear it, there is nobody to tell.
pub fn print_line(text: impl Display) {
    let _ = writeln!(std::io::stderr(), "{text}");
}
