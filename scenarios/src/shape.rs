//! Reads a scenario from the span tree, and says what has the wrong shape: unknown names, missing fields, values of the
//! wrong type. Where a slip is nearly certain it reads on with the name that was meant, so that one run finds several
//! problems. It must not know ranges, nor any scenario type: what it knows, it is told by their `Deserialize`.

use std::cell::RefCell;
use std::fmt;
use std::ops::Range;

use serde::de::value::StrDeserializer;
use serde::de::{
    self, DeserializeSeed, Deserializer, EnumAccess, IntoDeserializer, MapAccess, SeqAccess, VariantAccess, Visitor,
};
use serde::forward_to_deserialize_any;

use crate::names;
use crate::schema::Scenario;
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
pub(crate) struct Reading {
    /// The scenario, when every problem had a nearly certain fix (and then with these fixes).
    pub(crate) scenario: Option<Scenario>,
    pub(crate) problems: Vec<Misshape>,
}

/// Reads a scenario from the tree of its text.
pub(crate) fn read(text: &str, root: &Node) -> Reading {
    let notes = Notes::default();
    let value = Value {
        text,
        node: root,
        notes: &notes,
        inside_variant: false,
    };
    let scenario = serde::Deserialize::deserialize(value).ok();
    let Log { problems, guessed } = notes.log.into_inner();
    Reading {
        scenario: scenario.filter(|_| !guessed),
        problems,
    }
}

#[derive(Default)]
struct Log {
    problems: Vec<Misshape>,
    /// Whether some value is a placeholder, so that the result means nothing.
    guessed: bool,
}

#[derive(Default)]
struct Notes {
    log: RefCell<Log>,
}

impl Notes {
    fn add(&self, span: Range<usize>, message: String, expected: String, help: Option<String>) {
        self.log.borrow_mut().problems.push(Misshape {
            span,
            message,
            expected,
            help,
        });
    }

    fn guess(&self) {
        self.log.borrow_mut().guessed = true;
    }
}

/// Why reading cannot go on below some node.
#[derive(Debug)]
enum Halt {
    /// The problem has been noted.
    Noted,
    /// A required field is absent.
    Missing(&'static str),
    /// Something a `Deserialize` implementation says.
    Other(String),
}

impl fmt::Display for Halt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self:?}")
    }
}

impl std::error::Error for Halt {}

impl de::Error for Halt {
    fn custom<T: fmt::Display>(message: T) -> Self {
        Halt::Other(message.to_string())
    }

    fn missing_field(field: &'static str) -> Self {
        Halt::Missing(field)
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
        Value {
            node,
            inside_variant: false,
            ..self
        }
    }

    /// What the user wrote, shortened.
    fn found(&self) -> String {
        let written = &self.text[self.node.span.clone()];
        let first_line = written.lines().next().unwrap_or("");
        match (
            &self.node.kind,
            first_line.chars().count() > 30 || first_line.len() < written.len(),
        ) {
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
        self.notes
            .add(self.node.span.clone(), message, format!("expected {expected}"), help);
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

    /// The scalar as RON reads it.
    fn scalar<T: de::DeserializeOwned>(self, expected: &str, placeholder: T) -> T {
        let Ok(value) = self.one_content(expected) else {
            return placeholder;
        };
        let parsed = ron::from_str(&self.text[value.node.span.clone()]).ok();
        let is_scalar = !matches!(value.node.kind, Kind::Group(_) | Kind::Map(_) | Kind::List(_));
        parsed.filter(|_| is_scalar).unwrap_or_else(|| {
            let bare = value.text[value.node.span.clone()]
                .chars()
                .all(|c| c == '_' || c.is_alphanumeric());
            let quotes = (expected == TEXT && bare).then(|| "put it in double quotes".to_owned());
            value.mistyped(expected, quotes);
            placeholder
        })
    }

    fn group(&self, expected: &str) -> Result<&'a Group, Halt> {
        match &self.node.kind {
            Kind::Group(group) => Ok(group),
            _ => self.halt(expected, None),
        }
    }

    /// Visits the fields of a group, and places the errors that come without a place.
    fn fields<V: Visitor<'a>>(
        self,
        group: &'a Group,
        known: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Halt> {
        if let Some(item) = group.items.first() {
            return self.of(item).halt(
                &format!("a field, as in `{}: …`", known.first().unwrap_or(&"name")),
                None,
            );
        }
        let fields = self.known_fields(group, known);
        let skipped = fields.len() < group.fields.len();
        visitor
            .visit_map(Fields {
                value: self,
                fields: fields.into_iter(),
                next: None,
            })
            .map_err(|halt| {
                match halt {
                    Halt::Missing(field) if !skipped => self.missing(group, field),
                    Halt::Other(message) => {
                        self.notes.add(self.node.span.clone(), message, "here".to_owned(), None);
                        self.notes.guess();
                    }
                    Halt::Missing(_) | Halt::Noted => {}
                }
                Halt::Noted
            })
    }

    fn missing(&self, group: &Group, field: &str) {
        let owner = group
            .name_in(self.text)
            .map_or(String::new(), |name| format!(" of `{name}`"));
        let span = group
            .name
            .clone()
            .unwrap_or(group.inside.saturating_sub(1)..group.inside);
        self.notes.add(
            span,
            format!("the field `{field}`{owner} is missing"),
            format!("expected `{field}: …` in here"),
            None,
        );
        self.notes.guess();
    }

    /// The fields under the names that are meant; unknown and repeated ones are noted, and left out.
    fn known_fields(&self, group: &'a Group, known: &'static [&'static str]) -> Vec<(&'a str, &'a Node)> {
        let mut fields: Vec<(&str, &Node)> = Vec::new();
        let written: Vec<&str> = group
            .fields
            .iter()
            .map(|field| &self.text[field.name.clone()])
            .collect();
        for (field, name) in group.fields.iter().zip(&written) {
            let meant = if known.contains(name) {
                Some(*name)
            } else {
                self.unknown_field(
                    group,
                    field,
                    known.iter().copied().filter(|name| !written.contains(name)).collect(),
                    known,
                )
            };
            match meant {
                Some(name) if fields.iter().any(|(other, _)| *other == name) => {
                    let message = format!("the field `{name}` is given twice");
                    self.notes
                        .add(field.name.clone(), message, "the second one".to_owned(), None);
                }
                Some(name) => fields.push((name, &field.value)),
                None => {}
            }
        }
        fields
    }

    /// Notes an unknown field; the name that is almost certainly meant.
    fn unknown_field(
        &self,
        group: &Group,
        field: &Field,
        free: Vec<&'static str>,
        known: &[&'static str],
    ) -> Option<&'static str> {
        let name = &self.text[field.name.clone()];
        let owner = group
            .name_in(self.text)
            .map_or(String::new(), |owner| format!(" of `{owner}`"));
        let help = names::nearest(name, free.iter().copied()).map(|name| format!("did you mean `{name}`?"));
        let expected = format!("expected {}", names::one_of(known));
        self.notes.add(
            field.name.clone(),
            format!("unknown field `{name}`{owner}"),
            expected,
            help,
        );
        let meant = names::certain(name, free);
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
        self.notes.add(
            span,
            format!("unknown value `{name}`"),
            format!("expected {}", names::one_of(variants)),
            help,
        );
        names::certain(name, variants.iter().copied()).ok_or_else(|| {
            self.notes.guess();
            Halt::Noted
        })
    }

    /// "write `Ms(40)`", where a bare number stands for a quantity or another value with one number.
    fn unit_help(&self, variants: &[&str]) -> Option<String> {
        let written = &self.text[self.node.span.clone()];
        written.parse::<f64>().ok()?;
        let example = ["Ms", "Mbps", "MiB", "Constant"]
            .into_iter()
            .find(|unit| variants.contains(unit))?;
        let what = if example == "Constant" { "" } else { " with its unit" };
        Some(format!("write it{what} as `{example}({written})`"))
    }
}

const TEXT: &str = "text in double quotes";
const WHOLE: &str = "a whole number of at least 0";
const CHARACTER: &str = "one character in single quotes";

impl<'a> Deserializer<'a> for Value<'a> {
    type Error = Halt;

    fn deserialize_any<V: Visitor<'a>>(self, visitor: V) -> Result<V::Value, Halt> {
        visitor.visit_unit()
    }

    fn deserialize_bool<V: Visitor<'a>>(self, visitor: V) -> Result<V::Value, Halt> {
        visitor.visit_bool(self.scalar("`true` or `false`", false))
    }

    fn deserialize_u64<V: Visitor<'a>>(self, visitor: V) -> Result<V::Value, Halt> {
        visitor.visit_u64(self.scalar(WHOLE, 1))
    }

    fn deserialize_u32<V: Visitor<'a>>(self, visitor: V) -> Result<V::Value, Halt> {
        visitor.visit_u32(self.scalar("a whole number from 0 to 4294967295", 1))
    }

    fn deserialize_f64<V: Visitor<'a>>(self, visitor: V) -> Result<V::Value, Halt> {
        visitor.visit_f64(self.scalar("a number", 1.0))
    }

    fn deserialize_char<V: Visitor<'a>>(self, visitor: V) -> Result<V::Value, Halt> {
        visitor.visit_char(self.scalar(CHARACTER, ','))
    }

    fn deserialize_str<V: Visitor<'a>>(self, visitor: V) -> Result<V::Value, Halt> {
        visitor.visit_string(self.scalar(TEXT, String::new()))
    }

    fn deserialize_string<V: Visitor<'a>>(self, visitor: V) -> Result<V::Value, Halt> {
        self.deserialize_str(visitor)
    }

    fn deserialize_option<V: Visitor<'a>>(self, visitor: V) -> Result<V::Value, Halt> {
        match &self.node.kind {
            Kind::Scalar if &self.text[self.node.span.clone()] == "None" => visitor.visit_none(),
            Kind::Group(group) if group.name_in(self.text) == Some("Some") => match &group.items[..] {
                [item] if group.fields.is_empty() => visitor.visit_some(self.of(item)),
                _ => self.halt("`Some(…)` with one value, or `None`", None),
            },
            _ => visitor.visit_some(self),
        }
    }

    fn deserialize_seq<V: Visitor<'a>>(self, visitor: V) -> Result<V::Value, Halt> {
        let value = self.one_content("a list")?;
        match &value.node.kind {
            Kind::List(items) => visitor.visit_seq(Items {
                value,
                items: items.iter(),
            }),
            _ => value.halt("a list, as in `[…, …]`", None),
        }
    }

    fn deserialize_map<V: Visitor<'a>>(self, visitor: V) -> Result<V::Value, Halt> {
        match &self.node.kind {
            Kind::Map(entries) => visitor.visit_map(Entries {
                value: self,
                entries: entries.iter(),
                next: None,
            }),
            _ => self.halt("a map, as in `{\"path\": \"value\"}`", None),
        }
    }

    fn deserialize_struct<V: Visitor<'a>>(
        self,
        name: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Halt> {
        let example = format!(
            "fields in parentheses, as in `({}: …)`",
            fields.first().unwrap_or(&"name")
        );
        let group = self.group(&example)?;
        if !self.inside_variant && group.name_in(self.text).is_some_and(|written| written != name) {
            return self.halt(&example, None);
        }
        self.fields(group, fields, visitor)
    }

    fn deserialize_enum<V: Visitor<'a>>(
        self,
        _name: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Halt> {
        let value = self.one_content(&names::one_of(variants))?;
        let variant = value.variant(variants)?;
        visitor.visit_enum(Variant { value, variant })
    }

    fn deserialize_ignored_any<V: Visitor<'a>>(self, visitor: V) -> Result<V::Value, Halt> {
        visitor.visit_unit()
    }

    forward_to_deserialize_any! {
        <V: Visitor<'a>>
        i8 i16 i32 i64 u8 u16 f32 bytes byte_buf unit unit_struct newtype_struct tuple tuple_struct identifier
    }
}

/// The fields of a struct.
struct Fields<'a> {
    value: Value<'a>,
    fields: std::vec::IntoIter<(&'a str, &'a Node)>,
    next: Option<&'a Node>,
}

impl<'a> MapAccess<'a> for Fields<'a> {
    type Error = Halt;

    fn next_key_seed<K: DeserializeSeed<'a>>(&mut self, seed: K) -> Result<Option<K::Value>, Halt> {
        let Some((name, node)) = self.fields.next() else {
            return Ok(None);
        };
        self.next = Some(node);
        let name: StrDeserializer<'_, Halt> = name.into_deserializer();
        seed.deserialize(name).map(Some)
    }

    fn next_value_seed<V: DeserializeSeed<'a>>(&mut self, seed: V) -> Result<V::Value, Halt> {
        let node = self.next.take().expect("a value is asked for after its key");
        seed.deserialize(self.value.of(node))
    }
}

/// The entries of a map.
struct Entries<'a> {
    value: Value<'a>,
    entries: std::slice::Iter<'a, (Node, Node)>,
    next: Option<&'a Node>,
}

impl<'a> MapAccess<'a> for Entries<'a> {
    type Error = Halt;

    fn next_key_seed<K: DeserializeSeed<'a>>(&mut self, seed: K) -> Result<Option<K::Value>, Halt> {
        let Some((key, node)) = self.entries.next() else {
            return Ok(None);
        };
        self.next = Some(node);
        seed.deserialize(self.value.of(key)).map(Some)
    }

    fn next_value_seed<V: DeserializeSeed<'a>>(&mut self, seed: V) -> Result<V::Value, Halt> {
        let node = self.next.take().expect("a value is asked for after its key");
        seed.deserialize(self.value.of(node))
    }
}

/// The items of a list.
struct Items<'a> {
    value: Value<'a>,
    items: std::slice::Iter<'a, Node>,
}

impl<'a> SeqAccess<'a> for Items<'a> {
    type Error = Halt;

    fn next_element_seed<T: DeserializeSeed<'a>>(&mut self, seed: T) -> Result<Option<T::Value>, Halt> {
        self.items
            .next()
            .map(|node| seed.deserialize(self.value.of(node)))
            .transpose()
    }
}

/// An enum's value whose variant is known.
struct Variant<'a> {
    value: Value<'a>,
    variant: &'static str,
}

impl<'a> EnumAccess<'a> for Variant<'a> {
    type Error = Halt;
    type Variant = Self;

    fn variant_seed<V: DeserializeSeed<'a>>(self, seed: V) -> Result<(V::Value, Self), Halt> {
        let name: StrDeserializer<'_, Halt> = self.variant.into_deserializer();
        Ok((seed.deserialize(name)?, self))
    }
}

impl<'a> VariantAccess<'a> for Variant<'a> {
    type Error = Halt;

    fn unit_variant(self) -> Result<(), Halt> {
        match &self.value.node.kind {
            Kind::Group(_) => self
                .value
                .halt(&format!("`{}` alone, without parentheses", self.variant), None),
            _ => Ok(()),
        }
    }

    fn newtype_variant_seed<T: DeserializeSeed<'a>>(self, seed: T) -> Result<T::Value, Halt> {
        self.value
            .group(&format!("parentheses after the name, as in `{}(…)`", self.variant))?;
        seed.deserialize(Value {
            inside_variant: true,
            ..self.value
        })
    }

    fn tuple_variant<V: Visitor<'a>>(self, _length: usize, _visitor: V) -> Result<V::Value, Halt> {
        self.value.halt(&format!("`{}`", self.variant), None)
    }

    fn struct_variant<V: Visitor<'a>>(self, fields: &'static [&'static str], visitor: V) -> Result<V::Value, Halt> {
        let wants = format!("`{}({}: …)`", self.variant, fields.first().unwrap_or(&"name"));
        let group = self.value.group(&wants)?;
        self.value.fields(group, fields, visitor)
    }
}
