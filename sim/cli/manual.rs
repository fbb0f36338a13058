//! `fedbits completions` and `fedbits man`: what shells and manuals are told about the commands, from the grammar itself.

use clap::CommandFactory;

use crate::args::{Args, CompletionsOptions, ManOptions};
use crate::failure::Failure;
use crate::output;
use crate::progress::Talk;

/// Prints the script for a shell.
pub fn completions(options: &CompletionsOptions) -> Result<(), Failure> {
    let mut script = Vec::new();
    clap_complete::generate(options.shell, &mut Args::command(), "fedbits", &mut script);
    output::print(String::from_utf8_lossy(&script))
}

/// Writes a page per command.
pub fn pages(options: &ManOptions, talk: &Talk) -> Result<(), Failure> {
    let dir = &options.dir;
    let written = std::fs::create_dir_all(dir).and_then(|()| clap_mangen::generate_to(Args::command(), dir));
    written.map_err(|error| Failure::file(dir, &error))?;
    talk.say(format!("manual pages are in {}", dir.display()));
    Ok(())
}
