//! The command line of fedbits.

use std::process::ExitCode;

fn main() -> ExitCode {
    fedbits::App::new().main()
}
