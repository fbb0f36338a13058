//! The schema reads what the library writes, and writes what it reads.

#[test]
fn figure1_round_trips() {
    let text = include_str!("../library/papers/fedem-figure1.ron");
    let scenario = fedbits_scenarios::parse(text).unwrap();
    let written = fedbits_scenarios::write(&scenario);
    assert_eq!(fedbits_scenarios::parse(&written).unwrap(), scenario, "{written}");
}
