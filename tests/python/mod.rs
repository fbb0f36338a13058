//! The Python package (`python/`): its module is built, and its own tests run. Where Python is missing, or one of the
//! packages that the tests need, they are skipped and say so; with the variable `FEDBITS_PYTHON`, which names the
//! interpreter, they are not.

use crate::skips::{Lacks, skipped};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::LazyLock;

/// The interpreter, if it has what the tests cannot do without.
fn interpreter() -> Option<String> {
    let asked = std::env::var("FEDBITS_PYTHON").ok();
    let python = asked.clone().unwrap_or_else(|| "python3".to_owned());
    let needs = "import sys; assert sys.version_info >= (3, 10); import numpy, pytest";
    let found = Command::new(&python).args(["-c", needs]).output();
    match (found, asked) {
        (Ok(output), _) if output.status.success() => Some(python),
        (Ok(output), Some(_)) => panic!("{python} cannot run the tests: {}", said(&output)),
        (Err(error), Some(_)) => panic!("FEDBITS_PYTHON is {python}: {error}"),
        (_, None) => None,
    }
}

/// The module, built with the features that the workspace's tests have, so that what is built is built once.
static MODULE: LazyLock<PathBuf> = LazyLock::new(|| {
    let mut build = Command::new(env!("CARGO"));
    build.args(["build", "--quiet", "--workspace", "--lib", "--tests"]);
    let program = Path::new(env!("CARGO_BIN_EXE_fedbits"));
    let folder = program.parent().expect("a program lies in a folder");
    if folder.ends_with("release") {
        build.arg("--release");
    }
    let output = build.current_dir(env!("CARGO_MANIFEST_DIR")).output().expect("cargo runs, as it did for this test");
    assert!(output.status.success(), "the module cannot be built: {}", said(&output));
    folder.join(format!("{}_fedbits{}", std::env::consts::DLL_PREFIX, std::env::consts::DLL_SUFFIX))
});

fn said(output: &Output) -> String {
    [&output.stdout, &output.stderr].map(|stream| String::from_utf8_lossy(stream).into_owned()).concat()
}

/// The package with its module in a folder of its own.
fn package(sources: &Path, folder: &Path) {
    let package = folder.join("fedbits");
    std::fs::create_dir(&package).unwrap();
    for entry in std::fs::read_dir(sources.join("fedbits")).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|ending| ["py", "pyi", "typed"].iter().any(|known| ending == *known)) {
            std::fs::copy(&path, package.join(path.file_name().unwrap())).unwrap();
        }
    }
    let name = if cfg!(windows) { "_fedbits.pyd" } else { "_fedbits.abi3.so" };
    std::fs::copy(&*MODULE, package.join(name)).unwrap();
}

/// What starts processes and waits for them is run beside the rest.
const APART: [&str; 3] = ["test_engines.py", "test_examples.py", "test_types.py"];

/// Runs pytest with these arguments, on the package in a folder of its own.
fn pass(arguments: &[String]) {
    let Some(python) = interpreter() else {
        return skipped(Lacks::Program, "there is no Python 3.10 or later with NumPy and pytest");
    };
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("python");
    let folder = tempfile::tempdir().unwrap();
    package(&sources, folder.path());
    let tests = Command::new(python)
        .args(["-W", "ignore", "-m", "pytest", "-q", "-p", "no:cacheprovider", "-rs", "--rootdir"])
        .arg(&sources)
        .args(arguments)
        // Not beside the sources, which would be found first.
        .current_dir(folder.path())
        .env("PYTHONPATH", folder.path())
        // A hundred processes import the same packages: the first of each compiles it, and not beside the sources.
        .env_remove("PYTHONDONTWRITEBYTECODE")
        .env("PYTHONPYCACHEPREFIX", Path::new(env!("CARGO_TARGET_TMPDIR")).join("pycache"))
        .env("FEDBITS_PROGRAM", env!("CARGO_BIN_EXE_fedbits"))
        .output()
        .unwrap();
    let said = said(&tests);
    println!("{said}");
    // What scikit-learn's checks of an estimator leave out lies in their own package, and lacks nothing.
    let lacks = |line: &&str| line.starts_with("SKIPPED [") && !line.contains("site-packages");
    said.lines().filter(lacks).for_each(|line| skipped(Lacks::Program, line));
    assert!(tests.status.success(), "the tests of the Python package failed");
}

/// A file of the package's tests, or their folder.
fn tests(name: &str) -> String {
    format!("{}/python/tests/{name}", env!("CARGO_MANIFEST_DIR"))
}

/// The longest: tests begin in the order of their names.
#[test]
fn most_of_the_python_package_passes_its_tests() {
    let apart = APART.iter().map(|name| format!("--ignore={}", tests(name)));
    pass(&[tests("")].into_iter().chain(apart).collect::<Vec<_>>());
}

#[test]
fn studies_run_under_engines_of_python() {
    pass(&[tests(APART[0])]);
}

#[test]
fn notebooks_and_checkers_of_types_are_content() {
    pass(&[tests(APART[1]), tests(APART[2])]);
}
