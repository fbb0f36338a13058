//! `fedbits completions` and `fedbits man`: what shells and manuals know about the commands, from the grammar itself.

use std::path::{Path, PathBuf};

use clap::CommandFactory;
use clap_complete::Shell;

use crate::cli::args::{Args, CompletionsOptions, ManOptions};
use crate::cli::failure::Failure;
use crate::cli::output;
use crate::cli::progress::Console;
use crate::listener::Listener;

/// Prints the script for a shell, or puts it where the shell looks.
pub(crate) fn completions(options: &CompletionsOptions, console: &Console) -> Result<(), Failure> {
    let mut script = Vec::new();
    clap_complete::generate(options.shell, &mut Args::command(), "fedbits", &mut script);
    // All shells take this for a comment.
    const MARK: &str = "\n# Written by `fedbits completions`.\n";
    script.extend_from_slice(MARK.as_bytes());
    if !options.install {
        return output::print(String::from_utf8_lossy(&script));
    }
    let (path, how) = place(options.shell)?;
    make_folder(&path)?;
    output::write_marked(&[(&path, script)], MARK)?;
    console.message(&format!("wrote {}; {how}", path.display()));
    Ok(())
}

/// Where a shell looks for the completions of a program, and what else it needs.
fn place(shell: Shell) -> Result<(PathBuf, &'static str), Failure> {
    Ok(match shell {
        Shell::Bash => (
            data_home()?.join("bash-completion/completions/fedbits"),
            "new shells know it, if the package bash-completion is installed",
        ),
        Shell::Zsh => (
            data_home()?.join("zsh/site-functions/_fedbits"),
            "new shells know it, if this folder is in fpath before compinit is called (in ~/.zshrc)",
        ),
        Shell::Fish => (config_home()?.join("fish/completions/fedbits.fish"), "new shells know it"),
        Shell::Elvish => {
            (config_home()?.join("elvish/lib/fedbits-completions.elv"), "add `use fedbits-completions` to rc.elv")
        }
        shell => {
            return Err(Failure::Input(format!(
                "{shell} has no folder for completions: `fedbits completions {shell}` prints what belongs in its \
                 profile"
            )));
        }
    })
}

/// Writes a page per command.
pub(crate) fn pages(options: &ManOptions, console: &Console) -> Result<(), Failure> {
    let dir = match &options.dir {
        Some(dir) => dir.clone(),
        None => data_home()?.join("man/man1"),
    };
    fedbits_record::make_folder(&dir).map_err(|error| Failure::file(&dir, &error))?;
    let mut command = Args::command().disable_help_subcommand(true);
    command.build();
    let inner = command.get_subcommands().flat_map(clap::Command::get_subcommands);
    let commands = std::iter::once(&command).chain(command.get_subcommands()).chain(inner);
    let pages: Vec<_> = commands.map(|command| page(&dir, command)).collect();
    output::write_marked(&pages, ".TH fedbits")?;
    let read = if options.install {
        "; `man fedbits` finds them, if ~/.local/bin is in PATH or their folder in MANPATH"
    } else {
        ""
    };
    console.message(&format!("manual pages are in {}{read}", dir.display()));
    Ok(())
}

fn page(dir: &Path, command: &clap::Command) -> (PathBuf, Vec<u8>) {
    let man = clap_mangen::Man::new(command.clone());
    let mut text = Vec::new();
    man.render(&mut text).expect("memory takes every byte");
    (dir.join(man.get_filename()), text)
}

fn make_folder(path: &Path) -> Result<(), Failure> {
    let Some(folder) = path.parent() else { return Ok(()) };
    fedbits_record::make_folder(folder).map_err(|error| Failure::file(folder, &error))
}

/// The folder of the user's data, by the XDG base directory specification.
fn data_home() -> Result<PathBuf, Failure> {
    base("XDG_DATA_HOME", ".local/share")
}

/// The folder of the user's settings, by the same.
fn config_home() -> Result<PathBuf, Failure> {
    base("XDG_CONFIG_HOME", ".config")
}

/// What a variable says, when it is an absolute path; else a folder in the user's own.
fn base(variable: &str, otherwise: &str) -> Result<PathBuf, Failure> {
    let said = std::env::var_os(variable).map(PathBuf::from).filter(|path| path.is_absolute());
    let home = || std::env::home_dir().filter(|home| home.is_absolute()).map(|home| home.join(otherwise));
    said.or_else(home).ok_or_else(|| Failure::Input(format!("neither {variable} nor HOME says where to install")))
}
