//! The workloads whose instructions are counted every night (`.ci/nightly`) are right, and all of them are counted.

use std::collections::BTreeSet;
use std::path::Path;

use crate::support::{Scratch, finish};

fn lines(name: &str) -> Vec<String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/instructions").join(name);
    let text = std::fs::read_to_string(path).unwrap();
    text.lines().filter(|line| !line.starts_with('#')).map(str::to_owned).collect()
}

#[test]
fn workloads_are_right_and_counted() {
    let workloads = lines("workloads.txt");
    let measured: BTreeSet<String> = lines("measured.txt").iter().map(|line| first(line).to_owned()).collect();
    assert_eq!(workloads.iter().map(|line| first(line).to_owned()).collect::<BTreeSet<_>>(), measured);
    for line in &workloads {
        // Checked and not run: the words after the scenario, but for those that say what a run leaves.
        let words = line.split_whitespace().skip(2).filter(|word| !["--no-figures", "--text-only"].contains(word));
        let scratch = Scratch::new();
        let mut command = scratch.fedbits(["check", "--text-only", "--quiet"]);
        command.current_dir(env!("CARGO_MANIFEST_DIR")).args(words);
        finish(command).done();
    }
}

fn first(line: &str) -> &str {
    line.split_whitespace().next().unwrap()
}
