//! Standard error.

use std::fmt::Display;
use std::io::Write;

use crate::cli::style::tame;
use crate::cli::wrap;

/// Writes a line to standard error, wrapped on a terminal; a closed standard error is ignored.
pub(crate) fn print_line(text: impl Display) {
    let mut out = anstream::stderr();
    let _ = writeln!(out, "{}", wrap::message(&tame(&text.to_string()), wrap::columns_of_errors()));
}
