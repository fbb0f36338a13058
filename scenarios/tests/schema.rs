//! The schema reads what the library writes, and writes what it reads.

use fedbits_scenarios::{Source, load};

#[test]
fn figure1_round_trips() {
    let text = include_str!("../library/papers/fedem-figure1.ron");
    let checked = load(Source::new("figure1", text), &[]).unwrap_or_else(|problems| panic!("{problems}"));
    for one in checked {
        let again = load(Source::new("again", &*one.text), &[]).unwrap();
        assert_eq!(again[0].scenario, one.scenario);
    }
}
