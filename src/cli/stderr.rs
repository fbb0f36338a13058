//! Standard error.

use std::fmt::Display;
use std::io::{IsTerminal, Write};

use crate::cli::wrap;

/// Writes a line to standard error, wrapped on a terminal; a closed standard error is ignored.
pub(crate) fn print_line(text: impl Display) {
    let mut out = anstream::stderr();
    let columns = || console::Term::stderr().size_checked().map(|(_, columns)| usize::from(columns));
    let columns = if std::io::stderr().is_terminal() { columns().filter(|&columns| columns > 0) } else { None };
    let _ = writeln!(out, "{}", wrap::message(&text.to_string(), columns));
}
