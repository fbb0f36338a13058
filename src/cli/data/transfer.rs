//! Transfers by `curl`, or else `wget`: they know the machine's proxies and certificates, and add no code for TLS.

use std::io::{ErrorKind, Read};
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::sync::atomic::Ordering;
use std::time::Duration;

use fedbits_scenarios::known_files::KnownFile;
use hmac_sha256::Hash;

use crate::cli::failure::Failure;
use crate::cli::host::Signals;
use crate::cli::progress::Console;
use crate::cli::signal;

/// A transfer that brings nothing so often is given up.
const FRUITLESS: u32 = 2;
/// How often the length of a file is looked at.
const LOOK: Duration = Duration::from_millis(50);
/// What `curl` ends with where a server cannot resume.
const CANNOT_RESUME: i32 = 33;

#[derive(Clone, Copy)]
pub(super) enum Program {
    Curl,
    Wget,
}

impl Program {
    pub(super) fn is_there(self) -> bool {
        let name = match self {
            Self::Curl => "curl",
            Self::Wget => "wget",
        };
        let asked = Command::new(name).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
        asked.is_ok_and(|status| status.success())
    }
}

pub(super) struct Transfer {
    program: Program,
    signals: Signals,
    console: Console,
}

impl Transfer {
    pub(super) fn new(console: &Console) -> Result<Self, Failure> {
        let program = [Program::Curl, Program::Wget].into_iter().find(|program| program.is_there());
        let none = || Failure::File("neither `curl` nor `wget` was found: expected one of them".to_owned());
        Self::by(program.ok_or_else(none)?, console)
    }

    pub(super) fn by(program: Program, console: &Console) -> Result<Self, Failure> {
        Ok(Self { program, signals: Signals::listen()?, console: console.clone() })
    }

    /// Gets what is missing of a file; begun again as long as something comes.
    pub(super) fn get(&self, url: &str, part: &Path, file: &KnownFile) -> Result<(), Failure> {
        let bar = self.console.bytes(file.file, file.bytes);
        let mut fruitless = 0;
        loop {
            let before = length(part);
            let Output { status, stderr, .. } = self.run(url, part, &bar)?;
            if status.success() {
                return Ok(());
            }
            if status.code() == Some(CANNOT_RESUME) && before > 0 {
                remove(part)?;
                continue;
            }
            fruitless = if length(part) > before { 0 } else { fruitless + 1 };
            if fruitless >= FRUITLESS {
                // An empty file is no beginning.
                if length(part) == 0 {
                    remove(part)?;
                }
                let why = String::from_utf8_lossy(&stderr).trim().to_owned();
                let kept = if length(part) > 0 { "; what has come is kept, and resumed the next time" } else { "" };
                return Err(Failure::File(format!(
                    "{url}: {}{kept}",
                    if why.is_empty() { status.to_string() } else { why }
                )));
            }
        }
    }

    /// One try, which a signal ends.
    fn run(&self, url: &str, part: &Path, bar: &indicatif::ProgressBar) -> Result<Output, Failure> {
        let mut child = self.start(url, part)?;
        loop {
            if self.signals.stop().load(Ordering::Relaxed) {
                // It may have ended by itself.
                let _ = child.kill();
                let _ = child.wait();
                return Err(Failure::Signal(signal::number()));
            }
            if child.try_wait().map_err(|error| Failure::File(error.to_string()))?.is_some() {
                return child.wait_with_output().map_err(|error| Failure::File(error.to_string()));
            }
            bar.set_position(length(part));
            std::thread::sleep(LOOK);
        }
    }

    fn start(&self, url: &str, part: &Path) -> Result<Child, Failure> {
        let mut command = match self.program {
            Program::Curl => {
                let mut command = Command::new("curl");
                command.args(["--fail", "--location", "--silent", "--show-error", "--proto", "=http,https,file"]);
                command.args(["--connect-timeout", "30", "--speed-limit", "1", "--speed-time", "60"]);
                command.args(["--continue-at", "-", "--url", url, "--output"]);
                command
            }
            Program::Wget => {
                let mut command = Command::new("wget");
                command.args(["--no-verbose", "--tries=1", "--connect-timeout=30", "--read-timeout=60", "--continue"]);
                command.args([url, "--output-document"]);
                command
            }
        };
        command.arg(part).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
        command.spawn().map_err(|error| Failure::File(format!("{command:?}: {error}")))
    }
}

pub(crate) fn length(path: &Path) -> u64 {
    path.metadata().map_or(0, |metadata| metadata.len())
}

pub(super) fn remove(path: &Path) -> Result<(), Failure> {
    match std::fs::remove_file(path) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(Failure::file(path, &error)),
        _ => Ok(()),
    }
}

/// A SHA-256 in hexadecimal.
pub(crate) fn hexadecimal(hash: Hash) -> String {
    hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}

/// SHA-256 of a file, in hexadecimal; none when it is not there.
pub(crate) fn sum(path: &Path) -> Result<Option<String>, Failure> {
    let mut file = match fedbits_spec::files::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(Failure::file(path, &error)),
    };
    let (mut hash, mut piece) = (Hash::new(), vec![0; 1 << 16]);
    loop {
        match file.read(&mut piece).map_err(|error| Failure::file(path, &error))? {
            0 => return Ok(Some(hexadecimal(hash))),
            count => hash.update(&piece[..count]),
        }
    }
}
