//! What can be named in a scenario, as the registered parts describe themselves. No part is listed here.

use std::collections::BTreeMap;

use fedbits_scenarios::schema::Scenario;
use fedbits_spec::Described;
use fedbits_spec::describe::{Body, Field, Named, Types};

/// Fields of the top that change no run: names, texts, figures; or that make several runs of one.
const LEFT_OUT: [&str; 6] = ["name", "about", "base", "replicates", "arms", "figures"];

/// The type of the whole.
pub const TOP: &str = "Scenario";

/// All types of settings that a run depends on, by name.
pub struct Grammar {
    types: BTreeMap<&'static str, Named>,
}

/// A type in the words of the reference, taken apart by one step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Written<'a> {
    Number,
    Whole,
    Text,
    Truth,
    Character,
    Maybe(&'a str),
    List(&'a str),
    Pair(&'a str, &'a str),
    Named(&'a str),
}

impl<'a> Written<'a> {
    pub fn of(written: &'a str) -> Self {
        let inside = |start: &str, end: &str| written.strip_prefix(start)?.strip_suffix(end);
        match written {
            "number" => Written::Number,
            "whole number" => Written::Whole,
            "text" => Written::Text,
            "true or false" => Written::Truth,
            "character" => Written::Character,
            _ => inside("Some(", ") or None")
                .map(Written::Maybe)
                .or_else(|| inside("[", ", …]").map(Written::List))
                .or_else(|| inside("(", ")")?.split_once(", ").map(|(one, other)| Written::Pair(one, other)))
                .unwrap_or(Written::Named(written)),
        }
    }

    /// The name of the setting that the type holds, if it holds one.
    pub fn holds(written: &'a str) -> Vec<&'a str> {
        match Written::of(written) {
            Written::Maybe(of) | Written::List(of) => Written::holds(of),
            Written::Pair(one, other) => [Written::holds(one), Written::holds(other)].concat(),
            Written::Named(name) => vec![name],
            _ => Vec::new(),
        }
    }
}

/// Something that a scenario can name: a type's variant, or a field that may be left out.
#[derive(Clone, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub struct Item {
    pub of: &'static str,
    pub variant: Option<&'static str>,
    pub field: Option<&'static str>,
}

impl std::fmt::Display for Item {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.of)?;
        self.variant.iter().try_for_each(|variant| write!(f, "::{variant}"))?;
        self.field.iter().try_for_each(|field| write!(f, ".{field}"))
    }
}

impl Grammar {
    pub fn new() -> Self {
        let mut queue = Types::new();
        queue.push(<Scenario as fedbits_spec::Documented>::describe);
        let mut types = BTreeMap::new();
        while let Some(describe) = queue.pop() {
            let mut named = describe();
            if types.contains_key(named.name) {
                continue;
            }
            if let (TOP, Body::Fields(fields)) = (named.name, &mut named.body) {
                fields.retain(|field| !LEFT_OUT.contains(&field.name));
            }
            queue.extend(all_fields(&named).iter().flat_map(|field| &field.types));
            types.insert(named.name, named);
        }
        debug_assert_eq!(Scenario::written(), TOP);
        Self { types }
    }

    pub fn find(&self, name: &str) -> Option<&Named> {
        self.types.get(name)
    }

    /// The fields of a struct, or of a variant of a choice, and whether they have names.
    pub fn fields(&self, of: &str, variant: Option<&str>) -> (&[Field], bool) {
        let body = self.find(of).map(|named| &named.body);
        let body = match (body, variant) {
            (Some(Body::Choices(choices)), Some(variant)) => {
                choices.iter().find(|choice| choice.name == variant).map(|choice| &choice.body)
            }
            (body, _) => body,
        };
        match body {
            Some(Body::Fields(fields)) => (fields, true),
            Some(Body::Items(fields)) => (fields, false),
            _ => (&[], false),
        }
    }

    /// The names of the variants of a choice; none of another type.
    pub fn variants(&self, of: &str) -> Vec<&'static str> {
        match self.find(of).map(|named| &named.body) {
            Some(Body::Choices(choices)) => choices.iter().map(|choice| choice.name).collect(),
            _ => Vec::new(),
        }
    }

    /// Does a type have named fields, which stand directly in the parentheses of a variant that holds it?
    pub fn is_group(&self, of: &str) -> bool {
        self.find(of).is_some_and(|named| matches!(named.body, Body::Fields(_)))
    }

    /// All that can be named: every variant, and every field that may be left out.
    pub fn items(&self) -> Vec<Item> {
        let optional = |of, variant, fields: &[Field]| -> Vec<Item> {
            let given = fields.iter().filter(|field| field.default.is_some());
            given.map(|field| Item { of, variant, field: Some(field.name) }).collect()
        };
        let mut items = Vec::new();
        for (&of, named) in &self.types {
            match &named.body {
                Body::Choices(choices) => {
                    for choice in choices {
                        items.push(Item { of, variant: Some(choice.name), field: None });
                        if let Body::Fields(fields) = &choice.body {
                            items.extend(optional(of, Some(choice.name), fields));
                        }
                    }
                }
                Body::Fields(fields) => items.extend(optional(of, None, fields)),
                Body::Unit | Body::Items(_) => {}
            }
        }
        items
    }

    /// Places from which a type is reached by one field: type, variant, field.
    pub fn places(&self, wanted: &str) -> Vec<Item> {
        let mut places = Vec::new();
        for (&of, named) in &self.types {
            let mut look = |variant, body: &Body| {
                let (Body::Fields(fields) | Body::Items(fields)) = body else { return };
                let holding = fields.iter().filter(|field| Written::holds(&field.written).contains(&wanted));
                places.extend(holding.map(|field| Item { of, variant, field: Some(field.name) }));
            };
            match &named.body {
                Body::Choices(choices) => choices.iter().for_each(|choice| look(Some(choice.name), &choice.body)),
                body => look(None, body),
            }
        }
        places
    }
}

fn all_fields(named: &Named) -> Vec<&Field> {
    match &named.body {
        Body::Unit => Vec::new(),
        Body::Items(fields) | Body::Fields(fields) => fields.iter().collect(),
        Body::Choices(choices) => choices.iter().flat_map(all_fields).collect(),
    }
}
