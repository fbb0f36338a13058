//! One value of the tree, and what can be wrong with its names.

use super::notes::{Halt, Notes};
use crate::names;
use crate::tree::{Field, Group, Node, NodeKind};

/// Of more problems nobody reads what was expected, and what is near.
const MOST_EXPLAINED: usize = 200;

/// One node, to be read as whatever type is requested.
#[derive(Clone, Copy)]
pub(super) struct Value<'a> {
    pub(super) text: &'a str,
    pub(super) node: &'a Node,
    pub(super) notes: &'a Notes,
    /// The node is the group of a newtype variant: its fields may stand directly in its parentheses.
    pub(super) inside_variant: bool,
}

impl<'a> Value<'a> {
    pub(super) fn new(text: &'a str, node: &'a Node, notes: &'a Notes) -> Self {
        Value { text, node, notes, inside_variant: false }
    }

    pub(super) fn of(self, node: &'a Node) -> Self {
        Value { node, inside_variant: false, ..self }
    }

    /// What the user wrote, shortened.
    fn found(&self) -> String {
        let written = &self.text[self.node.span.clone()];
        let first_line = written.lines().next().unwrap_or("");
        match (&self.node.kind, first_line.chars().count() > 30 || first_line.len() < written.len()) {
            (_, false) => format!("`{written}`"),
            (NodeKind::List(_), true) => "a list".to_owned(),
            (NodeKind::Map(_), true) => "a map".to_owned(),
            (NodeKind::Text, true) => "a text".to_owned(),
            _ => format!("`{}…`", first_line.chars().take(30).collect::<String>()),
        }
    }

    pub(super) fn mistyped(&self, expected: &str, help: Option<String>) {
        let message = if self.node.span.is_empty() {
            "a value is missing".into()
        } else {
            format!("{} is of the wrong type", self.found())
        };
        // Of a word that is noted as unknown, the type is that of what it was taken for.
        if !self.notes.is_noted(&self.node.span) {
            self.notes.add(self.node.span.clone(), message, format!("expected {expected}"), help);
        }
        self.notes.guess();
    }

    pub(super) fn halt<T>(&self, expected: &str, help: Option<String>) -> Result<T, Halt> {
        self.mistyped(expected, help);
        Err(Halt::Noted)
    }

    /// The one value of a newtype variant's parentheses, or the value itself; `None` when there is not one value.
    pub(super) fn content(self) -> Option<Self> {
        match &self.node.kind {
            NodeKind::Group(group) if self.inside_variant => match &group.items[..] {
                [item] if group.fields.is_empty() => Some(self.of(item)),
                _ => None,
            },
            _ => Some(self),
        }
    }

    /// Like `content`; notes a problem when there is not one value.
    pub(super) fn one_content(self, expected: &str) -> Result<Self, Halt> {
        match self.content() {
            Some(value) => Ok(value),
            None => self.halt(&format!("one value in the parentheses: {expected}"), None),
        }
    }

    pub(super) fn group(&self, expected: &str) -> Result<&'a Group, Halt> {
        match &self.node.kind {
            NodeKind::Group(group) => Ok(group),
            _ => self.halt(expected, None),
        }
    }

    pub(super) fn missing(&self, group: &Group, field: &str) {
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
    pub(super) fn gives(&self, group: &Group, name: &str) -> bool {
        group.fields.iter().any(|field| &self.text[field.name.clone()] == name)
    }

    /// Whether an unknown field is left that may stand for any missing one. `read` are the fields whose names are
    /// clear.
    pub(super) fn is_unsure_of(&self, group: &Group, known: &[&str], read: &[(&str, &Node)]) -> bool {
        let mut unknown = group.fields.iter().filter(|field| !known.contains(&&self.text[field.name.clone()]));
        unknown.any(|field| !read.iter().any(|(_, node)| node.span == field.value.span))
    }

    /// The fields under the names that are meant; unknown and repeated ones are noted, and left out.
    pub(super) fn known_fields(&self, group: &'a Group, known: &'static [&'static str]) -> Vec<(&'a str, &'a Node)> {
        let mut fields: Vec<(&str, &Node)> = Vec::new();
        let written: Vec<&str> = group.fields.iter().map(|field| &self.text[field.name.clone()]).collect();
        let free: Vec<&'static str> = known.iter().copied().filter(|name| !written.contains(name)).collect();
        for (field, name) in group.fields.iter().zip(&written) {
            let meant = if known.contains(name) { Some(*name) } else { self.unknown_field(group, field, &free, known) };
            match meant {
                Some(name) if fields.iter().any(|(known, _)| *known == name) => {
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
        known: &'static [&'static str],
    ) -> Option<&'static str> {
        let name = &self.text[field.name.clone()];
        if self.notes.log.borrow().problems.len() >= MOST_EXPLAINED {
            self.notes.add(field.name.clone(), format!("unknown field `{name}`"), "expected another".to_owned(), None);
            self.notes.guess();
            return None;
        }
        let owner = group.name_in(self.text).map_or(String::new(), |owner| format!(" of `{owner}`"));
        // A name that is there may be meant by `--set`.
        let nearest = names::certain(name, known.iter().copied())
            .or_else(|| names::nearest(name, free.iter().copied()))
            .or_else(|| names::nearest(name, known.iter().copied()));
        let places = (self.notes.places)(name, known);
        let written = format!("{name}: {}", &self.text[field.value.span.clone()]);
        // The path alone may be what was typed: another choice has the field.
        let of_choices = places.iter().find(|place| !owner.is_empty() && place.variants.len() > names::MOST_VARIANTS);
        let help = (self.notes.value_help)(&written, known).or(of_choices.map(names::of_choices));
        let help = help.or_else(|| names::meant(name, nearest, &places));
        let expected = format!("expected {}", names::one_of(known));
        self.notes.add(field.name.clone(), format!("unknown field `{name}`{owner}"), expected, help);
        let meant = names::certain(name, free.iter().copied()).filter(|_| places.is_empty());
        if meant.is_none() {
            self.notes.guess();
        }
        meant
    }

    /// The variant that is meant, and the bytes of its name.
    pub(super) fn variant(&self, variants: &'static [&'static str]) -> Result<&'static str, Halt> {
        let span = match &self.node.kind {
            NodeKind::Scalar => self.node.span.clone(),
            NodeKind::Group(group) => group.name.clone().unwrap_or(0..0),
            _ => 0..0,
        };
        let name = &self.text[span.clone()];
        if let Some(variant) = variants.iter().find(|variant| **variant == name) {
            return Ok(variant);
        }
        if !name.starts_with(|c: char| c.is_alphabetic()) || matches!(name, "true" | "false" | "inf" | "NaN") {
            return self.halt(&names::one_of(variants), self.value_help(variants));
        }
        let help = self.value_help(variants);
        let certain = names::certain(name, variants.iter().copied()).filter(|_| help.is_none());
        let help = help.or_else(|| names::meant(name, names::nearest(name, variants.iter().copied()), &[]));
        self.notes.add(span, format!("unknown value `{name}`"), format!("expected {}", names::one_of(variants)), help);
        certain.ok_or_else(|| {
            self.notes.guess();
            Halt::Noted
        })
    }

    /// What to write instead of a literal or a bare word.
    pub(super) fn value_help(&self, variants: &[&str]) -> Option<String> {
        match self.node.kind {
            NodeKind::Scalar | NodeKind::Text | NodeKind::Group(_) => {
                (self.notes.value_help)(&self.text[self.node.span.clone()], variants)
            }
            _ => None,
        }
    }
}
