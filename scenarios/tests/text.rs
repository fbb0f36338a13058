//! Scenarios are read from the span tree as RON's own parser, the oracle, reads them.

use fedbits_scenarios::schema::Scenario;
use fedbits_text::{Patched, Tree};
use proptest::prelude::*;
use ron::extensions::Extensions;

const GOOD: &str = include_str!("good.ron");
const TEMPLATE: &str = include_str!("../src/template.ron");

fn agrees(text: &str) -> Result<(), TestCaseError> {
    let dialect = Extensions::IMPLICIT_SOME | Extensions::UNWRAP_VARIANT_NEWTYPES;
    let Ok(scenario) = ron::Options::default().with_default_extension(dialect).from_str::<Scenario>(text) else {
        return Ok(());
    };
    let tree = Tree::scan(text);
    prop_assert_eq!(tree.flaw(), None);
    let reading = Patched::new(0, text).read_shape::<Scenario>();
    prop_assert_eq!(reading.problems, vec![]);
    // As text, because NaN is not equal to itself.
    prop_assert_eq!(reading.value.map(|read| fedbits_text::write(&read)), Some(fedbits_text::write(&scenario)));
    Ok(())
}

#[test]
fn good_texts_are_read_alike() {
    agrees(GOOD).unwrap();
    agrees(TEMPLATE).unwrap();
    agrees(&GOOD.replace("\"good\"", "r\"go\\od\"").replace("50", "Some(/* /* */ , */ 5_0)")).unwrap();
    agrees(
        &GOOD.replace("\"good\"", "r##\"a\"#\"##").replace("(\n    name", "#![enable(implicit_some)]\nScenario (name"),
    )
    .unwrap();
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3000))]

    /// One character replaced, removed or inserted: many such texts are still scenarios.
    #[test]
    fn mutated_texts_are_read_alike(index in any::<prop::sample::Index>(), kind in 0..3_u8, new in "[0-9a-z_.,:\\-+ (){}\"'/\\[\\]]") {
        let mut text: Vec<char> = GOOD.chars().collect();
        let at = index.index(text.len());
        let new = new.chars().next();
        match kind {
            0 => text.splice(at..=at, new).for_each(drop),
            1 => drop(text.remove(at)),
            _ => text.splice(at..at, new).for_each(drop),
        }
        agrees(&text.into_iter().collect::<String>())?;
    }
}
