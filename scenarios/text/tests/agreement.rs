//! RON's own parser is the oracle: what it accepts, the scanner finds no flaw in, and the span tree gives the same
//! value.

use std::cell::Cell;
use std::collections::BTreeMap;

use fedbits_text::{Document, Patched, Tree};
use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use ron::extensions::Extensions;
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

#[derive(Debug, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
struct Drawing {
    name: String,
    #[serde(default)]
    layer: u64,
    size: Option<u32>,
    mark: char,
    visible: bool,
    shift: i64,
    corner: (f32, u8),
    shapes: Vec<Shape>,
    tags: BTreeMap<String, String>,
}

#[derive(Debug, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
enum Shape {
    Empty,
    Circle(f64),
    Polygon { sides: u32, at: Vec<Vec<f64>> },
    Framed(Frame),
    Dotted(Dots),
}

#[derive(Debug, Deserialize, PartialEq, Serialize)]
struct Dots(u16);

#[derive(Debug, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields, default)]
struct Frame {
    width: f64,
    within: Option<Box<Shape>>,
}

impl Default for Frame {
    fn default() -> Self {
        Frame { width: 1.0, within: None }
    }
}

impl Document for Drawing {
    const NAME: &'static str = "drawing";
    const PATH: &'static str = "shapes[0].sides";
}

const GOOD: &str = r#"(
    name: "good", // all that RON has
    layer: 3,
    size: 50,
    mark: '-',
    visible: true,
    shift: -4,
    corner: (0.5, 7),
    shapes: [Empty, Circle(2.5), Polygon(sides: 3, at: [[0, 0], [1, -1e-2]]), Framed(width: 2), Framed(within: Circle(1)), Dotted(5)],
    tags: {"colour": "red", "pen": "0.3 mm"},
)
"#;

/// Whether RON's parser accepts the text; then the tree is to give the same.
fn agrees(text: &str) -> Result<bool, TestCaseError> {
    let dialect = Extensions::IMPLICIT_SOME | Extensions::UNWRAP_VARIANT_NEWTYPES;
    let Ok(drawing) = ron::Options::default().with_default_extension(dialect).from_str::<Drawing>(text) else {
        return Ok(false);
    };
    let tree = Tree::scan(text);
    prop_assert_eq!(tree.flaw(), None);
    let reading = Patched::new(0, text).read::<Drawing>();
    prop_assert_eq!(reading.problems, vec![]);
    // As text, because NaN is not equal to itself.
    prop_assert_eq!(reading.value.map(|read| fedbits_text::write(&read)), Some(fedbits_text::write(&drawing)));
    Ok(true)
}

#[test]
fn good_texts_are_read_alike() {
    assert!(Patched::new(0, GOOD).read::<Drawing>().problems.is_empty());
    let raw = GOOD.replace("\"good\"", "r\"go\\od\"").replace("50", "Some(/* /* */ , */ 5_0)");
    let headed =
        GOOD.replace("\"good\"", "r##\"a\"#\"##").replace("(\n    name", "#![enable(implicit_some)]\nDrawing (name");
    for text in [GOOD, &raw, &headed] {
        assert!(agrees(text).unwrap(), "{text}");
    }
}

/// A type behind `erased_serde`, as parts of an open kind are.
#[derive(Debug)]
struct Erased(Drawing);

impl<'de> Deserialize<'de> for Erased {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut erased = <dyn erased_serde::Deserializer>::erase(deserializer);
        erased_serde::deserialize(&mut erased).map(Erased).map_err(D::Error::custom)
    }
}

impl Serialize for Erased {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(serializer)
    }
}

impl Document for Erased {
    const NAME: &'static str = "drawing";
    const PATH: &'static str = "shapes[0].sides";
}

/// Problems are the same when the types in between are erased: nothing is reported twice, or as text of serde.
#[test]
fn erased_types_have_the_same_problems() {
    for (good, bad) in [
        ("size", "sise"),
        ("sides: 3, ", ""),
        ("layer: 3", "layer: \"3\""),
        ("corner: (0.5, 7)", "corner: 7"),
        ("Circle(2.5)", "Circel(x)"),
        ("width: 2", "width: None"),
        ("mark: '-',", ""),
    ] {
        let text = Patched::new(0, &GOOD.replacen(good, bad, 1));
        let (plain, erased) = (text.read::<Drawing>(), text.read::<Erased>());
        assert!(!plain.problems.is_empty(), "{bad}");
        assert_eq!(plain.problems, erased.problems, "{bad}");
        assert_eq!(plain.value, erased.value.map(|erased| erased.0), "{bad}");
    }
}

/// One character replaced, removed or inserted: many such texts are still drawings.
#[test]
fn mutated_texts_are_read_alike() {
    let compared = Cell::new(0);
    let mutation = (any::<prop::sample::Index>(), 0..3_u8, "[0-9a-z_.,:\\-+ (){}\"'/\\[\\]]");
    let mut runner = TestRunner::new(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(3000) });
    let tried = runner.run(&mutation, |(index, kind, new)| {
        let mut text: Vec<char> = GOOD.chars().collect();
        let at = index.index(text.len());
        let new = new.chars().next();
        match kind {
            0 => text.splice(at..=at, new).for_each(drop),
            1 => drop(text.remove(at)),
            _ => text.splice(at..at, new).for_each(drop),
        }
        compared.set(compared.get() + u32::from(agrees(&text.into_iter().collect::<String>())?));
        Ok(())
    });
    tried.unwrap_or_else(|failure| panic!("{failure}"));
    assert!(compared.get() > 500, "{} of 3000", compared.get());
}
