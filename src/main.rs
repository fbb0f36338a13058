//! The command line of fedbits.

use std::process::ExitCode;

#[global_allocator]
static MEMORY: fedbits_memory::NotingAllocator = fedbits_memory::NotingAllocator;

fn main() -> ExitCode {
    fedbits::App::new().main()
}
