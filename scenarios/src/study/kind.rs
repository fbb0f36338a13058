//! Which texts are studies, and not scenarios.

use std::collections::BTreeSet;

use fedbits_spec::Documented;
use fedbits_spec::describe::Body;
use fedbits_text::Tree;

use crate::schema::{Scenario, Study};

/// Whether a text is meant as a study: it has no data of its own, and says what only a study says, or how often its
/// base is run and nothing that only a scenario says.
#[must_use]
pub fn is_study(text: &str) -> bool {
    let tree = Tree::scan(text);
    let has = |name: &str| tree.root().field(name).is_some();
    if has("data") {
        return false;
    }
    let (scenario, study) = (fields::<Scenario>(), fields::<Study>());
    let of_one = |own: &BTreeSet<&'static str>, other| own.difference(other).any(|name| has(name));
    of_one(&study, &scenario) || (has("replicates") && !of_one(&scenario, &study))
}

fn fields<T: Documented>() -> BTreeSet<&'static str> {
    match T::describe().body {
        Body::Fields(fields) => fields.iter().map(|field| field.name).collect(),
        _ => BTreeSet::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::is_study;

    #[test]
    fn what_one_kind_alone_can_say_tells_them_apart() {
        for scenario in [
            r#"(name: "a", base: "b")"#,
            r#"(name: "a", base: "b", replicates: 2, stop: (rounds: 5))"#,
            r#"(name: "a", base: "b", replicates: 2, arms: [])"#,
            r#"(name: "a", data: Digits, replicates: 2)"#,
            r#"(name: "a", base: "b", figures: [])"#,
        ] {
            assert!(!is_study(scenario), "{scenario}");
        }
        for study in [
            r#"(name: "a", base: "b", replicates: 2)"#,
            r#"(name: "a", base: "b", replicates: 2, budget: (rounds: 5))"#,
            r#"(name: "a", base: "b", axes: [], stop: (rounds: 5))"#,
            r#"(name: "a", base: "b", replicates: 2, exclude: [])"#,
        ] {
            assert!(is_study(study), "{study}");
        }
    }
}
