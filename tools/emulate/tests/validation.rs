//! A few cases of benches/validation, by their script. Skipped without the rights, unless `FEDBITS_EMULATE=1` requires them.
#![cfg(target_os = "linux")]

use crate::script::plain_options;
use crate::skips::{Lacks, skipped};
use std::path::Path;
use std::process::Command;
use std::sync::Arc;

use fedbits_emulate::{EmulateError, Options, Sockets, Wiring};
use fedbits_kernel::network::{AccessLink, StarLinks};
use fedbits_kernel::{Bits, Framing, Rate, TimeDelta};

/// A network of one client is opened.
fn is_allowed() -> bool {
    let rate = Rate::new(1_000_000).expect("a rate");
    let client = AccessLink { up: rate, down: rate, latency: TimeDelta::from_nanos(0) };
    let star = StarLinks { server_up: rate, server_down: rate, clients: vec![client] };
    let framing = Framing { header: Bits::new(8 * 40), segment: Bits::new(8 * 1460) };
    let options = Options { pairs: vec![[1, 0]], ..plain_options() };
    match Sockets::open(Wiring::new(2, Arc::new(star), framing), options) {
        Err(error @ EmulateError::Rights { .. }) if std::env::var_os("FEDBITS_EMULATE").is_none() => {
            skipped(Lacks::Rights, &error.to_string());
            false
        }
        opened => opened.map(|_| true).expect("a network"),
    }
}

fn succeeds(command: &mut Command) {
    let output = command.output().expect("the program can be started");
    let said = [output.stdout, output.stderr].map(|text| String::from_utf8_lossy(&text).into_owned());
    assert!(output.status.success(), "{command:?}: {}{}", said[0], said[1]);
    print!("{}", said[0]);
}

#[test]
#[ignore = "slow tier: needs python3, the rights of `fedbits-emulate` and an idle machine"]
fn tcp_is_as_near_as_the_table_says() {
    if !is_allowed() {
        return;
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let target = tempfile::tempdir().expect("a folder for the build");
    let build = ["build", "--release", "-p", "fedbits-emulate", "--example", "transfers"];
    succeeds(Command::new(env!("CARGO")).args(build).current_dir(&root).env("CARGO_TARGET_DIR", target.path()));
    let transfers = target.path().join("release/examples/transfers");
    let script = root.join("benches/validation/validate.py");
    succeeds(Command::new("python3").arg(script).arg(transfers).args(["--small", "--repeat", "3", "--check"]));
}
