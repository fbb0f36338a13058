//! `#[derive(Described)]` of types whose fields have names that the derived code uses itself, or that Rust reserves.

use std::collections::BTreeMap;

use fedbits_spec::describe::Body;
use fedbits_spec::range::{FINITE, whole};
use fedbits_spec::{Described, Documented, Facts, Findings, Path};
use serde::{Deserialize, Serialize};

/// Fields called as the parameters of the check.
#[derive(Debug, Described, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct Names {
    /// When.
    #[range(whole(0, 3))]
    at: u64,
    /// Of what.
    #[range(whole(0, 3))]
    facts: u64,
    /// Found.
    #[range(whole(0, 3))]
    findings: u64,
    /// A reserved word.
    #[range(whole(0, 3))]
    r#type: u64,
}

/// The same in a variant.
#[derive(Debug, Described, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
enum Variants {
    /// With fields.
    Fields {
        /// When.
        #[range(whole(0, 3))]
        at: u64,
        /// Found.
        #[range(whole(0, 3))]
        findings: u64,
    },
}

fn found(setting: &impl Described) -> Vec<String> {
    let mut findings = Findings::default();
    setting.check(&Path::Root, &Facts::default(), &mut findings);
    findings.into_parts().0.into_iter().map(|finding| finding.path).collect()
}

#[test]
fn fields_may_have_any_name() {
    let names: Names = ron::from_str("(at: 4, facts: 4, findings: 1, type: 4)").unwrap();
    assert_eq!(found(&names), ["at", "facts", "type"]);
    let Body::Fields(fields) = Names::describe().body else { panic!("a struct with fields") };
    assert_eq!(fields.last().map(|field| field.name), Some("type"));
    assert_eq!(found(&Variants::Fields { at: 4, findings: 4 }).len(), 2);
}

/// Maps of numbers, and of settings.
#[derive(Debug, Described, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct Maps {
    /// Numbers.
    #[range(FINITE)]
    numbers: BTreeMap<String, f64>,
    /// Settings.
    settings: BTreeMap<String, Variants>,
}

#[test]
fn values_of_maps_are_checked_at_their_keys() {
    let maps: Maps =
        ron::from_str("(numbers: {\"a\": 1, \"b.c\": inf}, settings: {\"d\": Fields(at: 4, findings: 1)})").unwrap();
    assert_eq!(found(&maps), ["numbers[\"b.c\"]", "settings[\"d\"].at"]);
}
