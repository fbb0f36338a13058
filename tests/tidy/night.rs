//! What `.ci/night/slow` makes of tests that pass, are skipped, or need a release build: scripts stand in the place of
//! cargo and of the programs that it builds.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

use crate::skips::{Lacks, skipped};

/// Two programs, or that of the last argument in a release build.
const CARGO: &str = r#"#!/bin/sh
built() {
    echo "{\"executable\": \"$FOLDER/$1\", \"profile\": {\"test\": true}, \"manifest_path\": \"$ROOT/sim/record/Cargo.toml\"," \
        "\"target\": {\"kind\": [\"test\"], \"name\": \"$2\"}}"
}
case "$*" in
    *--release*) built release "${*##* }" ;;
    *) built one one; built two two ;;
esac
"#;

/// Their tests have the same names. Leaves in `calls` which were run.
const PROGRAM: &str = r#"#!/bin/sh
name="$(basename "$0") $2"
case "$*" in
    *--list*) printf '%s: test\n' same slow rights ;;
    *--ignored*)
        echo "$name" >>"$FOLDER/calls"
        case "$name" in
            "two rights") echo 'test rights ... SKIPPED: mounting needs root' ;;
            "one slow" | "two slow") echo 'it took too long'; exit 101 ;;
        esac
        echo 'test result: ok. 1 passed; 0 failed' ;;
    *) printf 'test %s ... ignored, %s\n' same long slow 'for a release build' rights long ;;
esac
"#;

fn write_program(path: &Path, text: &str) {
    fs::write(path, text).unwrap();
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
}

#[test]
fn slow_tests_are_told_apart() {
    if Command::new("python3").arg("--version").output().is_err() {
        return skipped(Lacks::Program, "there is no python3");
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let scratch = tempfile::tempdir().unwrap();
    let folder = scratch.path();
    write_program(&folder.join("cargo"), CARGO);
    ["one", "two", "release"].into_iter().for_each(|name| write_program(&folder.join(name), PROGRAM));
    let night = || {
        let path = format!("{}:{}", folder.display(), std::env::var("PATH").unwrap());
        let mut command = Command::new(root.join(".ci/night/slow"));
        command.env("PATH", path).env("FOLDER", folder).env("ROOT", root).env("NIGHT_FOLDER", folder);
        let output = command.env_remove("NIGHT_SECONDS").env_remove("NIGHT_SLOW").output().unwrap();
        let said = [output.stdout, output.stderr].map(|text| String::from_utf8(text).unwrap()).concat();
        assert_eq!(output.status.code(), Some(77), "{said}");
        assert!(said.ends_with("1 of 6 tests were skipped: mounting needs root\n"), "{said}");
        let page = fs::read_to_string(folder.join("page.md")).unwrap();
        assert!(page.contains("6 tests: 5 passed, 0 failed, 1 skipped"), "{page}");
        assert!(page.contains("- SKIPPED sim/record --test two rights: mounting needs root"), "{page}");
        let calls = fs::read_to_string(folder.join("calls")).unwrap();
        fs::remove_file(folder.join("calls")).unwrap();
        calls
    };
    assert_eq!(night(), "one same\nrelease slow\none rights\ntwo same\nrelease slow\ntwo rights\n");
    assert_eq!(night(), "two rights\n", "only what was skipped is run again");
}
