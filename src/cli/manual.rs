//! `fedbits completions` and `fedbits man`: what shells and manuals know about the commands, from the grammar itself.

use std::path::{Path, PathBuf};

use clap::CommandFactory;

use crate::cli::args::{Args, CompletionsOptions, ManOptions};
use crate::cli::failure::Failure;
use crate::cli::progress::Console;
use crate::cli::{marked_files, output};
use crate::listener::Listener;

/// Prints the script for a shell.
pub(crate) fn completions(options: &CompletionsOptions) -> Result<(), Failure> {
    let mut script = Vec::new();
    clap_complete::generate(options.shell, &mut Args::command(), "fedbits", &mut script);
    output::print(String::from_utf8_lossy(&script))
}

/// Writes a page per command.
pub(crate) fn pages(options: &ManOptions, console: &Console) -> Result<(), Failure> {
    let dir = &options.dir;
    std::fs::create_dir_all(dir).map_err(|error| Failure::file(dir, &error))?;
    let mut command = Args::command().disable_help_subcommand(true);
    command.build();
    let pages: Vec<_> = std::iter::once(&command).chain(command.get_subcommands()).map(|own| page(dir, own)).collect();
    marked_files::write(&pages, ".TH fedbits")?;
    console.message(&format!("manual pages are in {}", dir.display()));
    Ok(())
}

/// The path of a command's page, and the page.
fn page(dir: &Path, command: &clap::Command) -> (PathBuf, Vec<u8>) {
    let man = clap_mangen::Man::new(command.clone());
    let mut text = Vec::new();
    man.render(&mut text).expect("memory takes every byte");
    (dir.join(man.get_filename()), text)
}
