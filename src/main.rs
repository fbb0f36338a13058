//! The command line of fedbits.

use std::process::ExitCode;

#[cfg(feature = "hints")]
#[global_allocator]
static MEMORY: fedbits_memory::HugePages = fedbits_memory::HugePages;

fn main() -> ExitCode {
    fedbits::App::new().main()
}
