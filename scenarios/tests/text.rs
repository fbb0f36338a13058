//! Scenarios are read from the span tree as RON's own parser, the oracle, reads them.

use std::fmt::Debug;

use fedbits_models::data::csv::Columns;
use fedbits_protocols::uplink::Alpha;
use fedbits_scenarios::schema::{
    Background, Column, Duration, DurationLaw, LinkCapacity, LinkLatency, Loss, Rate, RateLaw, Scenario, Schedule,
    SiteName, Size,
};
use fedbits_spec::Short;
use fedbits_text::{Document, Patched, Source};
use ron::extensions::Extensions;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

const GOOD: &str = include_str!("good.ron");
const TEMPLATE: &str = include_str!("../src/template.ron");

/// Texts of other documents, also mutated ones: `scenarios/text/tests/agreement.rs`.
#[test]
fn scenarios_are_read_as_by_ron() {
    let dialect = Extensions::IMPLICIT_SOME | Extensions::UNWRAP_VARIANT_NEWTYPES;
    let oracle = ron::Options::default().with_default_extension(dialect);
    for text in [GOOD, TEMPLATE] {
        let expected: Scenario = oracle.from_str(text).expect("RON accepts it");
        let reading = Patched::new(0, text).read::<Scenario>();
        assert_eq!(reading.problems, vec![]);
        // As text, because NaN is not equal to itself.
        assert_eq!(reading.value.map(|read| fedbits_text::write(&read)), Some(fedbits_text::write(&expected)));
    }
}

/// A value, alone in a text, in a list, and where there may be none.
#[derive(Debug, Deserialize, PartialEq, Serialize)]
struct Held<T> {
    one: T,
    some: Option<T>,
    list: Vec<T>,
}

impl<T: Serialize + DeserializeOwned> Document for Held<T> {
    const NAME: &'static str = "text";
    const PATH: &'static str = "one";

    fn value_help(written: &str, names: &[&str]) -> Option<String> {
        Scenario::value_help(written, names)
    }
}

fn read<T: Serialize + DeserializeOwned>(value: &str) -> Held<T> {
    let text = format!("(one: {value}, some: {value}, list: [{value}, {value}])");
    let reading = Patched::new(0, &text).read::<Held<T>>();
    assert_eq!(reading.problems, vec![], "{text}");
    reading.value.expect("a text without problems has a value")
}

/// Short spellings are read as the long ones that they stand for, and are written as these.
fn forms<T: Short + Debug + PartialEq + Serialize + DeserializeOwned>() {
    assert!(!T::FORMS.is_empty());
    for (short, long) in T::FORMS {
        let value = read::<T>(short);
        assert_eq!(value, read::<T>(long), "{short}");
        assert_eq!(value, read::<T>(&fedbits_text::write(&value.one)), "{short}");
    }
}

/// Where a quantity or a step size is not understood, the hint "in short `…` is `…`" holds for its type.
fn hinted<T: Short + Debug + PartialEq + Serialize + DeserializeOwned>() {
    let reading = Patched::new(0, "(one: Unheard, some: None, list: [])").read::<Held<T>>();
    let hint = reading.problems[0].help.clone().expect("a choice with short spellings has a hint");
    let [_, short, _, long, _] = hint.split('`').collect::<Vec<_>>()[..] else { panic!("two spellings in {hint}") };
    assert_eq!(read::<T>(short), read::<T>(long), "{hint}");
}

#[test]
fn hints_are_short_spellings() {
    hinted::<Duration>();
    hinted::<Rate>();
    hinted::<Size>();
    hinted::<DurationLaw>();
    hinted::<RateLaw>();
    hinted::<Schedule>();
    hinted::<Alpha>();
}

#[test]
fn short_spellings_are_what_the_reference_says() {
    forms::<Column>();
    forms::<Columns>();
    forms::<SiteName>();
    forms::<Duration>();
    forms::<Rate>();
    forms::<Size>();
    forms::<DurationLaw>();
    forms::<RateLaw>();
    forms::<LinkCapacity>();
    forms::<LinkLatency>();
    forms::<Background>();
    forms::<Loss>();
    forms::<Schedule>();
    forms::<Alpha>();
}

/// Edits by path find what is written in short, and what is not written at all beside it.
#[test]
fn short_spellings_can_be_edited() {
    let shortly = GOOD.replace("client_up: Mbps(1)", "client_up: \"1 Mbps\"");
    assert_ne!(shortly, GOOD, "good.ron has a rate");
    let load = |text: &str, sets: &[&str]| {
        let sets: Vec<_> = sets.iter().map(|set| set.parse().expect("a setting")).collect();
        let loaded = fedbits_scenarios::load(Source::new("good.ron", text), &sets);
        loaded.unwrap_or_else(|problems| panic!("{problems}")).remove(0).text
    };
    assert_eq!(load(&shortly, &[]), load(GOOD, &[]));
    for set in ["network.client_up=\"7 Mbps\"", "compute.variation=0.5", "protocol.gamma=0.25"] {
        assert_eq!(load(&shortly, &[set]), load(GOOD, &[set]), "{set}");
    }
}

/// The syntax of a text with short spellings is still that of RON.
#[test]
fn what_is_no_ron_stays_none() {
    for text in ["(one: \"4 ms\", some: None, list: [],,)", "(one: \"4 ms\", some: None, list: [)"] {
        let reading = Patched::new(0, text).read::<Held<Duration>>();
        assert!(reading.value.is_none() && !reading.problems.is_empty(), "{text}");
    }
}

#[test]
fn a_literal_that_stands_for_nothing_says_what_was_expected() {
    let said = |value: &str| {
        let text = format!("(one: {value}, some: None, list: [])");
        let problems = Patched::new(0, &text).read::<Held<RateLaw>>().problems;
        let [problem] = &problems[..] else { panic!("{value}: {problems:?}") };
        (problem.message.clone(), problem.expected.clone())
    };
    let expected = "expected a rate with its unit, as in `\"10 Mbps\"`: bps, kbps, Mbps or Gbps";
    assert_eq!(said("\"10 MB/s\""), ("`\"10 MB/s\"` is of the wrong type".to_owned(), expected.to_owned()));
    assert!(said("[1, 2]").1.starts_with("expected `Bps`"), "{:?}", said("[1, 2]"));
    assert!(said("10").1.starts_with("expected `Bps`"), "{:?}", said("10"));
}
