//! Standard error.

use std::fmt::Display;
use std::io::Write;
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::cli::style::tame;
use crate::cli::wrap;

/// Lines that wait until the screen is closed; none while no screen is open.
static HELD: Mutex<Option<Vec<String>>> = Mutex::new(None);

/// Writes a line to standard error, wrapped on a terminal; a closed standard error is ignored. While a screen is open
/// the line waits for its end.
pub(crate) fn print_line(text: impl Display) {
    match &mut *held() {
        Some(lines) => lines.push(text.to_string()),
        None => write(&text.to_string()),
    }
}

fn write(text: &str) {
    let mut out = anstream::stderr();
    let _ = writeln!(out, "{}", wrap::message(&tame(text), wrap::columns_of_errors()));
}

/// Lines wait from now on.
pub(crate) fn hold() {
    held().get_or_insert_default();
}

/// Writes the lines that waited; others wait no more.
pub(crate) fn release() {
    held().take().unwrap_or_default().iter().for_each(|line| write(line));
}

fn held() -> MutexGuard<'static, Option<Vec<String>>> {
    HELD.lock().unwrap_or_else(PoisonError::into_inner)
}
