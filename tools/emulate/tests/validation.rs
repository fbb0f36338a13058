//! A few cases of docs/validation.md, by its script.
#![cfg(target_os = "linux")]

use std::path::Path;
use std::process::Command;

fn succeeds(command: &mut Command) {
    let output = command.output().expect("the program can be started");
    let said = [output.stdout, output.stderr].map(|text| String::from_utf8_lossy(&text).into_owned());
    assert!(output.status.success(), "{command:?}: {}{}", said[0], said[1]);
    print!("{}", said[0]);
}

#[test]
#[ignore = "slow tier: needs python3, the rights of `fedbits emulate` and an idle machine"]
fn tcp_is_as_near_as_the_table_says() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let target = tempfile::tempdir().expect("a folder for the build");
    let build = ["build", "--release", "-p", "fedbits-emulate", "--example", "transfers"];
    succeeds(Command::new(env!("CARGO")).args(build).current_dir(&root).env("CARGO_TARGET_DIR", target.path()));
    let transfers = target.path().join("release/examples/transfers");
    let script = root.join("benches/validation/validate.py");
    succeeds(Command::new("python3").arg(script).arg(transfers).args(["--small", "--repeat", "3", "--check"]));
}
