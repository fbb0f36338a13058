//! The worked examples of `docs/extending.md`, each used from a scenario as a user's crate would use it.

#[expect(dead_code, reason = "its `main` and its own test are for the program")]
#[path = "../../docs/examples/compressor.rs"]
mod compressor;

use fedbits::{RunOptions, Scenario, run};

/// The quickstart with five rounds, and some of its fields set.
fn quickstart(sets: &[(&str, &str)]) -> Scenario {
    let short = Scenario::load("quickstart").unwrap().set("arms", "[]").set("stop.rounds", "5");
    sets.iter().fold(short, |scenario, (path, value)| scenario.set(path, value))
}

/// Bits of one contribution to the last round, where everybody takes part.
fn contribution_bits(compressor: &str) -> u64 {
    let arms = quickstart(&[("protocol.compressor", compressor), ("protocol.floats", "F32")]).arms().unwrap();
    let rounds = run(&arms[0], &RunOptions::default()).unwrap().rounds;
    let [.., before, last] = &rounds[..] else { panic!("five rounds") };
    assert_eq!((last.round, last.arrived), (5, last.selected));
    (last.bits_up - before.bits_up) / last.arrived
}

#[test]
fn a_compressor_is_named_checked_and_charged() {
    let _app = compressor::app();
    let q = contribution_bits("Identity") / 32;
    assert_eq!(contribution_bits("OneEntry"), u64::from(q.next_power_of_two().trailing_zeros()) + 32);
    let problems = quickstart(&[("protocol.compressor", "OneEntri")]).arms().unwrap_err().to_string();
    assert!(problems.contains("did you mean `OneEntry`?"), "{problems}");
}
