//! The program under test, a folder to run it in, and what it said. Shared by the integration tests; knows no scenario.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{self, Command};

/// The program under test: the one that Cargo built, or the command of the variable `FEDBITS_PROGRAM` (words separated
/// by spaces), by which another build, or another processor under an emulator, is compared with the same files.
pub fn program() -> Command {
    let words = std::env::var("FEDBITS_PROGRAM").unwrap_or_else(|_| env!("CARGO_BIN_EXE_fedbits").to_owned());
    let mut words = words.split_whitespace();
    let mut command = Command::new(words.next().expect("FEDBITS_PROGRAM names a program"));
    command.args(words).env_remove("FEDBITS_DATA").env_remove("NO_COLOR").env_remove("COLUMNS");
    command
}

/// A folder that is removed with all it holds.
pub struct Scratch(tempfile::TempDir);

impl Scratch {
    pub fn new() -> Self {
        Self(tempfile::Builder::new().prefix("fedbits-test-").tempdir().unwrap())
    }

    pub fn path(&self, name: impl AsRef<Path>) -> PathBuf {
        self.0.path().join(name)
    }

    /// The program, to be run in this folder.
    pub fn fedbits(&self, args: impl IntoIterator<Item = impl AsRef<OsStr>>) -> Command {
        let mut command = program();
        command.current_dir(self.0.path()).args(args);
        command
    }
}

/// Runs to the end.
pub fn finish(mut command: Command) -> Output {
    let process::Output { status, stdout, stderr } =
        command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let text = |bytes| String::from_utf8(bytes).expect("the program speaks UTF-8");
    Output { code: status.code(), out: text(stdout), err: text(stderr) }
}

/// How a command ended and what it said.
pub struct Output {
    pub code: Option<i32>,
    pub out: String,
    pub err: String,
}

impl Output {
    /// Asserts success; the standard output.
    #[track_caller]
    pub fn done(self) -> String {
        assert_eq!(self.code, Some(0), "{}{}", self.out, self.err);
        self.out
    }
}

/// The runs of a folder that have a result, arm by arm.
pub fn runs(folder: &Path) -> Vec<fedbits::Record> {
    let record = fedbits::Results::open(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let arms = 0..record.plan().arms.len();
    let all = arms.flat_map(|arm| record.plan().replicate_numbers().map(move |replicate| (arm, replicate)));
    all.filter_map(|(arm, replicate)| record.run(arm, replicate).unwrap()).collect()
}

/// The first run of an arm in a folder.
pub fn run_of(folder: &Path, arm: &str) -> fedbits::Record {
    let found = runs(folder).into_iter().find(|run| run.manifest.arm == arm);
    found.unwrap_or_else(|| panic!("{} has no run of `{arm}`", folder.display()))
}

/// A file of `tests/scenarios`.
pub fn scenario_file(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/scenarios").join(name)
}
