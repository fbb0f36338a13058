//! Reads a scenario from the span tree, and says what has the wrong shape: unknown names, missing fields, values of the
//! wrong type. Where a slip is nearly certain it reads on with the name that was meant, so that one run finds several
//! problems. It must not know ranges, nor any scenario type: what it knows, it is told by their `Deserialize`.

mod reader;

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::ops::Range;

use serde::de::DeserializeOwned;

use self::reader::Halt;
use crate::names;
use crate::source::tree::{Field, Group, Kind, Node};

/// A problem of shape, by its bytes in the text that was read.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Misshape {
    pub(crate) span: Range<usize>,
    pub(crate) message: String,
    pub(crate) expected: String,
    pub(crate) help: Option<String>,
}

/// What could be read.
pub(crate) struct Reading<T> {
    /// The value, when every problem had a nearly certain fix (and then with these fixes).
    pub(crate) value: Option<T>,
    pub(crate) problems: Vec<Misshape>,
}

/// Reads a value (a scenario, a study) from the tree of its text. A field whose value cannot be read at all is left out, and the rest is read
/// again without it, so that problems behind it are found too.
pub(crate) fn read<T: DeserializeOwned>(text: &str, root: &Node) -> Reading<T> {
    let mut notes = Notes::default();
    loop {
        let value = Value { text, node: root, notes: &notes, inside_variant: false };
        let read = T::deserialize(value).ok();
        let Log { problems, said, guessed, unreadable } = notes.log.take();
        match unreadable {
            Some(start) if problems.len() < ENOUGH && notes.left_out.insert(start) => {
                let mut log = notes.log.borrow_mut();
                (log.problems, log.said) = (problems, said);
            }
            _ => {
                let certain = !guessed && notes.left_out.is_empty();
                return Reading { value: read.filter(|_| certain), problems };
            }
        }
    }
}

/// With so many problems a text is not read once more for those behind a field that cannot be read.
const ENOUGH: usize = 50;

#[derive(Default)]
struct Log {
    problems: Vec<Misshape>,
    /// Where each problem lies, and what it says.
    said: BTreeSet<(usize, usize, String)>,
    /// Whether some value is a placeholder, so that the result means nothing.
    guessed: bool,
    /// Where the innermost field starts whose value cannot be read.
    unreadable: Option<usize>,
}

#[derive(Default)]
struct Notes {
    log: RefCell<Log>,
    /// Where the fields start that are left out.
    left_out: BTreeSet<usize>,
}

impl Notes {
    fn add(&self, span: Range<usize>, message: String, expected: String, help: Option<String>) {
        let mut log = self.log.borrow_mut();
        if log.said.insert((span.start, span.end, message.clone())) {
            log.problems.push(Misshape { span, message, expected, help });
        }
    }

    fn guess(&self) {
        self.log.borrow_mut().guessed = true;
    }

    /// Only the innermost field is remembered, which is the first to say so.
    fn unreadable(&self, start: usize) {
        self.log.borrow_mut().unreadable.get_or_insert(start);
    }
}

/// One node, to be read as whatever type is asked for.
#[derive(Clone, Copy)]
struct Value<'a> {
    text: &'a str,
    node: &'a Node,
    notes: &'a Notes,
    /// The node is the group of a newtype variant: its fields may stand directly in its parentheses.
    inside_variant: bool,
}

impl<'a> Value<'a> {
    fn of(self, node: &'a Node) -> Self {
        Value { node, inside_variant: false, ..self }
    }

    /// What the user wrote, shortened.
    fn found(&self) -> String {
        let written = &self.text[self.node.span.clone()];
        let first_line = written.lines().next().unwrap_or("");
        match (&self.node.kind, first_line.chars().count() > 30 || first_line.len() < written.len()) {
            (_, false) => format!("`{written}`"),
            (Kind::List(_), true) => "a list".to_owned(),
            (Kind::Map(_), true) => "a map".to_owned(),
            (Kind::Text, true) => "a text".to_owned(),
            _ => format!("`{}…`", first_line.chars().take(30).collect::<String>()),
        }
    }

    fn mistyped(&self, expected: &str, help: Option<String>) {
        let message = if self.node.span.is_empty() {
            "a value is missing".into()
        } else {
            format!("{} is of the wrong type", self.found())
        };
        self.notes.add(self.node.span.clone(), message, format!("expected {expected}"), help);
        self.notes.guess();
    }

    fn halt<T>(&self, expected: &str, help: Option<String>) -> Result<T, Halt> {
        self.mistyped(expected, help);
        Err(Halt::Noted)
    }

    /// The one value of a newtype variant's parentheses, or the value itself; `None` when there is not one value.
    fn content(self) -> Option<Self> {
        match &self.node.kind {
            Kind::Group(group) if self.inside_variant => match &group.items[..] {
                [item] if group.fields.is_empty() => Some(self.of(item)),
                _ => None,
            },
            _ => Some(self),
        }
    }

    /// Like `content`; notes a problem when there is not one value.
    fn one_content(self, expected: &str) -> Result<Self, Halt> {
        match self.content() {
            Some(value) => Ok(value),
            None => self.halt(&format!("one value in the parentheses: {expected}"), None),
        }
    }

    fn group(&self, expected: &str) -> Result<&'a Group, Halt> {
        match &self.node.kind {
            Kind::Group(group) => Ok(group),
            _ => self.halt(expected, None),
        }
    }

    fn missing(&self, group: &Group, field: &str) {
        let owner = group.name_in(self.text).map_or(String::new(), |name| format!(" of `{name}`"));
        let span = group.name.clone().unwrap_or(group.inside.saturating_sub(1)..group.inside);
        self.notes.add(
            span,
            format!("the field `{field}`{owner} is missing"),
            format!("expected `{field}: …` in here"),
            None,
        );
        self.notes.guess();
    }

    /// Whether the group has a field of this name, readable or not.
    fn gives(&self, group: &Group, name: &str) -> bool {
        group.fields.iter().any(|field| &self.text[field.name.clone()] == name)
    }

    /// Whether an unknown field is left that may stand for any missing one. `read` are the fields whose names are clear.
    fn is_unsure_of(&self, group: &Group, known: &[&str], read: &[(&str, &Node)]) -> bool {
        let mut unknown = group.fields.iter().filter(|field| !known.contains(&&self.text[field.name.clone()]));
        unknown.any(|field| !read.iter().any(|(_, node)| node.span == field.value.span))
    }

    /// The fields under the names that are meant; unknown and repeated ones are noted, and left out.
    fn known_fields(&self, group: &'a Group, known: &'static [&'static str]) -> Vec<(&'a str, &'a Node)> {
        let mut fields: Vec<(&str, &Node)> = Vec::new();
        let written: Vec<&str> = group.fields.iter().map(|field| &self.text[field.name.clone()]).collect();
        let free: Vec<&'static str> = known.iter().copied().filter(|name| !written.contains(name)).collect();
        for (field, name) in group.fields.iter().zip(&written) {
            let meant = if known.contains(name) { Some(*name) } else { self.unknown_field(group, field, &free, known) };
            match meant {
                Some(name) if fields.iter().any(|(other, _)| *other == name) => {
                    let message = format!("the field `{name}` is given twice");
                    self.notes.add(field.name.clone(), message, "the second one".to_owned(), None);
                }
                Some(name) if !self.notes.left_out.contains(&field.value.span.start) => {
                    fields.push((name, &field.value))
                }
                Some(_) | None => {}
            }
        }
        fields
    }

    /// Notes an unknown field; the name that is almost certainly meant.
    fn unknown_field(
        &self,
        group: &Group,
        field: &Field,
        free: &[&'static str],
        known: &[&'static str],
    ) -> Option<&'static str> {
        let name = &self.text[field.name.clone()];
        let owner = group.name_in(self.text).map_or(String::new(), |owner| format!(" of `{owner}`"));
        let nearest =
            names::nearest(name, free.iter().copied()).or_else(|| names::nearest(name, known.iter().copied()));
        let help = nearest.map(|name| format!("did you mean `{name}`?"));
        let expected = format!("expected {}", names::one_of(known));
        self.notes.add(field.name.clone(), format!("unknown field `{name}`{owner}"), expected, help);
        let meant = names::certain(name, free.iter().copied());
        if meant.is_none() {
            self.notes.guess();
        }
        meant
    }

    /// The variant that is meant, and the bytes of its name.
    fn variant(&self, variants: &'static [&'static str]) -> Result<&'static str, Halt> {
        let span = match &self.node.kind {
            Kind::Scalar => self.node.span.clone(),
            Kind::Group(group) => group.name.clone().unwrap_or(0..0),
            _ => 0..0,
        };
        let name = &self.text[span.clone()];
        if let Some(variant) = variants.iter().find(|variant| **variant == name) {
            return Ok(variant);
        }
        if !name.starts_with(|c: char| c.is_alphabetic()) || matches!(name, "true" | "false" | "inf" | "NaN") {
            return self.halt(&names::one_of(variants), self.unit_help(variants));
        }
        let help = names::nearest(name, variants.iter().copied()).map(|name| format!("did you mean `{name}`?"));
        self.notes.add(span, format!("unknown value `{name}`"), format!("expected {}", names::one_of(variants)), help);
        names::certain(name, variants.iter().copied()).ok_or_else(|| {
            self.notes.guess();
            Halt::Noted
        })
    }

    /// "write `Ms(40)`", where a bare number stands for a quantity or another value with one number.
    fn unit_help(&self, variants: &[&str]) -> Option<String> {
        let written = &self.text[self.node.span.clone()];
        written.parse::<f64>().ok()?;
        let example = ["Ms", "Mbps", "MiB", "Constant"].into_iter().find(|unit| variants.contains(unit))?;
        let what = if example == "Constant" { "" } else { " with its unit" };
        Some(format!("write it{what} as `{example}({written})`"))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use crate::schema::Scenario;
    use crate::source::tree;
    use crate::syntax;

    const GOOD: &str = include_str!("../../tests/good.ron");
    const TEMPLATE: &str = include_str!("../template.ron");

    /// RON's own parser is the oracle: what it accepts, the scanner finds no flaw in, and is read as the same scenario.
    fn agrees(text: &str) -> Result<(), TestCaseError> {
        let Ok(scenario) = syntax::read::<Scenario>(text) else {
            return Ok(());
        };
        let tree = tree::scan(text);
        prop_assert_eq!(tree.flaw, None);
        let reading = super::read::<Scenario>(text, &tree.root);
        prop_assert_eq!(reading.problems, vec![]);
        // As text, because NaN is not equal to itself.
        prop_assert_eq!(reading.value.map(|read| syntax::write(&read)), Some(syntax::write(&scenario)));
        Ok(())
    }

    #[test]
    fn good_texts_are_read_alike() {
        agrees(GOOD).unwrap();
        agrees(TEMPLATE).unwrap();
        agrees(&GOOD.replace("\"good\"", "r\"go\\od\"").replace("50", "Some(/* /* */ , */ 5_0)")).unwrap();
        agrees(
            &GOOD
                .replace("\"good\"", "r##\"a\"#\"##")
                .replace("(\n    name", "#![enable(implicit_some)]\nScenario (name"),
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
}
