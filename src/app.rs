//! The command line as a value.

use std::process::ExitCode;

use crate::cli;

/// The program.
#[derive(Debug, Default)]
pub struct App {}

impl App {
    /// The program as it is.
    #[must_use]
    pub fn new() -> Self {
        App::default()
    }

    /// Does what the arguments of the process say, and gives its exit code.
    #[must_use]
    pub fn main(self) -> ExitCode {
        cli::main()
    }
}
