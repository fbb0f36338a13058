//! The `Deserializer` over the span tree: it follows what `Deserialize` requests.

use std::collections::BTreeSet;

use serde::de::value::{MapDeserializer, SeqDeserializer, StrDeserializer};
use serde::de::{self, DeserializeSeed, Deserializer, EnumAccess, IntoDeserializer, MapAccess, VariantAccess, Visitor};
use serde::forward_to_deserialize_any;

use super::notes::Halt;
use super::value::Value;
use crate::names;
use crate::tree::{Group, Node, NodeKind};

const TEXT: &str = "text in double quotes";
const CHARACTER: &str = "one character in single quotes";

/// A literal of the text.
enum Literal<'a> {
    Text(String),
    Whole(u64),
    Number(f64),
    List(&'a [Node]),
}

impl<'a> Value<'a> {
    /// The scalar as RON reads it.
    fn scalar<T: de::DeserializeOwned>(self, expected: &str, placeholder: T) -> T {
        let Ok(value) = self.one_content(expected) else {
            return placeholder;
        };
        let parsed = ron::from_str(&self.text[value.node.span.clone()]).ok();
        let is_scalar = !matches!(value.node.kind, NodeKind::Group(_) | NodeKind::Map(_) | NodeKind::List(_));
        parsed.filter(|_| is_scalar).unwrap_or_else(|| {
            value.mistyped(expected, value.quoting_help(expected));
            placeholder
        })
    }

    /// A whole number of at most `largest`. What a field takes beyond that is not known here: only what no field can
    /// take is reported.
    fn whole<T: de::DeserializeOwned>(self, largest: u64, placeholder: T) -> T {
        let written = &self.text[self.content().unwrap_or(self).node.span.clone()];
        let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'_');
        let expected = match written.strip_prefix('-') {
            Some(rest) if digits(rest) => "a whole number that is not negative".to_owned(),
            None if digits(written) => format!("a whole number of at most {largest}"),
            _ => "a whole number".to_owned(),
        };
        self.scalar(&expected, placeholder)
    }

    /// What is to be done about the quotes or the escapes of a text.
    fn quoting_help(&self, expected: &str) -> Option<String> {
        let written = &self.text[self.node.span.clone()];
        let bare = !written.is_empty() && written.chars().all(|c| c == '_' || c.is_alphanumeric());
        match self.node.kind {
            NodeKind::Text if expected == TEXT => {
                Some(r"after `\` only n, r, t, 0, u{…}, x, quotes and `\` may stand".to_owned())
            }
            NodeKind::Scalar if expected == TEXT && bare => Some("put it in double quotes".to_owned()),
            _ => None,
        }
    }

    /// What may be a short spelling where a choice is expected.
    fn literal(self) -> Option<Literal<'a>> {
        let written = &self.text[self.node.span.clone()];
        match &self.node.kind {
            NodeKind::Text => ron::from_str(written).ok().map(Literal::Text),
            NodeKind::List(items) => Some(Literal::List(items)),
            NodeKind::Scalar if written.starts_with(|c: char| c.is_ascii_digit() || "+-.".contains(c)) => {
                let whole = ron::from_str(written).ok().map(Literal::Whole);
                whole.or_else(|| ron::from_str(written).ok().map(Literal::Number))
            }
            _ => None,
        }
    }

    /// Keys that stand there twice: only the last would count.
    fn note_repeated(&self, entries: &[(Node, Node)]) {
        let mut seen = BTreeSet::new();
        for (key, _) in entries {
            let name = &self.text[key.span.clone()];
            if !seen.insert(name) {
                let message = format!("{name} is given twice");
                self.notes.add(key.span.clone(), message, "the second one".to_owned(), None);
            }
        }
    }

    fn items(self, nodes: &'a [Node]) -> SeqDeserializer<impl Iterator<Item = Self>, Halt> {
        SeqDeserializer::new(nodes.iter().map(move |node| self.of(node)))
    }

    /// The choice that a literal stands for.
    fn short<V: Visitor<'a>>(
        self,
        literal: Literal<'a>,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Halt> {
        let read = match literal {
            Literal::Text(text) => visitor.visit_string(text),
            Literal::Whole(number) => visitor.visit_u64(number),
            Literal::Number(number) => visitor.visit_f64(number),
            Literal::List(items) => visitor.visit_seq(self.items(items)),
        };
        read.or_else(|halt| match halt {
            Halt::Type => self.halt(&names::one_of(variants), self.value_help(variants)),
            Halt::Other(expected) => self.halt(&expected, None),
            halt => Err(halt),
        })
    }

    /// Visits the fields of a group, and gives a span to errors that come without one.
    fn fields<V: Visitor<'a>>(
        self,
        group: &'a Group,
        known: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Halt> {
        if let Some(item) = group.items.first() {
            return self.of(item).halt(&format!("a field, as in `{}: …`", known.first().unwrap_or(&"name")), None);
        }
        let fields = self.known_fields(group, known);
        let unsure = self.is_unsure_of(group, known, &fields);
        visitor.visit_map(Fields { value: self, fields: fields.into_iter(), next: None }).map_err(|halt| {
            match halt {
                Halt::Missing(field) if !unsure && !self.gives(group, field) => self.missing(group, field),
                halt @ (Halt::Other(_) | Halt::Type) => {
                    self.notes.add(self.node.span.clone(), halt.to_string(), "here".to_owned(), None);
                    self.notes.guess();
                }
                Halt::Missing(_) | Halt::Noted => {}
            }
            Halt::Noted
        })
    }
}

impl<'a> IntoDeserializer<'a, Halt> for Value<'a> {
    type Deserializer = Self;

    fn into_deserializer(self) -> Self {
        self
    }
}

/// Methods that read a scalar: how it is read, and what is visited with it.
macro_rules! scalars {
    ($($method:ident($value:ident) $visit:ident($read:expr)),+ $(,)?) => {
        $(fn $method<V: Visitor<'a>>(self, visitor: V) -> Result<V::Value, Halt> {
            let $value = self;
            visitor.$visit($read)
        })+
    };
}

impl<'a> Deserializer<'a> for Value<'a> {
    type Error = Halt;

    fn deserialize_any<V: Visitor<'a>>(self, visitor: V) -> Result<V::Value, Halt> {
        visitor.visit_unit()
    }

    scalars! {
        deserialize_bool(value) visit_bool(value.scalar("`true` or `false`", false)),
        deserialize_u64(value) visit_u64(value.whole(u64::MAX, 1)),
        deserialize_u32(value) visit_u32(value.whole(u32::MAX.into(), 1)),
        deserialize_u16(value) visit_u64(value.whole(u16::MAX.into(), 1)),
        deserialize_u8(value) visit_u64(value.whole(u8::MAX.into(), 1)),
        deserialize_i64(value) visit_i64(value.scalar("a whole number", 1)),
        deserialize_i32(value) visit_i64(value.scalar("a whole number", 1_i32).into()),
        deserialize_f32(value) visit_f32(value.scalar("a number", 1.0)),
        deserialize_f64(value) visit_f64(value.scalar("a number", 1.0)),
        deserialize_char(value) visit_char(value.scalar(CHARACTER, ',')),
        deserialize_str(value) visit_string(value.scalar(TEXT, String::new())),
        deserialize_string(value) visit_string(value.scalar(TEXT, String::new())),
    }

    fn deserialize_option<V: Visitor<'a>>(self, visitor: V) -> Result<V::Value, Halt> {
        match &self.node.kind {
            NodeKind::Scalar if &self.text[self.node.span.clone()] == "None" => visitor.visit_none(),
            NodeKind::Group(group) if group.name_in(self.text) == Some("Some") => match &group.items[..] {
                [item] if group.fields.is_empty() => visitor.visit_some(self.of(item)),
                // `Some(field: …)`, without parentheses of its own.
                [] if !group.fields.is_empty() => visitor.visit_some(Value { inside_variant: true, ..self }),
                _ => self.halt("`Some(…)` with one value, or `None`", None),
            },
            _ => visitor.visit_some(self),
        }
    }

    fn deserialize_seq<V: Visitor<'a>>(self, visitor: V) -> Result<V::Value, Halt> {
        let value = self.one_content("a list")?;
        match &value.node.kind {
            NodeKind::List(items) => visitor.visit_seq(value.items(items)),
            _ => value.halt("a list, as in `[…, …]`", None),
        }
    }

    fn deserialize_tuple<V: Visitor<'a>>(self, length: usize, visitor: V) -> Result<V::Value, Halt> {
        let items = match &self.node.kind {
            NodeKind::Group(Group { fields, items, .. }) if fields.is_empty() && items.len() == length => items,
            _ => return self.halt(&format!("{length} values in parentheses"), None),
        };
        visitor.visit_seq(self.items(items))
    }

    fn deserialize_newtype_struct<V: Visitor<'a>>(self, _name: &'static str, visitor: V) -> Result<V::Value, Halt> {
        visitor.visit_newtype_struct(Value { inside_variant: true, ..self })
    }

    fn deserialize_map<V: Visitor<'a>>(self, visitor: V) -> Result<V::Value, Halt> {
        match &self.node.kind {
            NodeKind::Map(entries) => {
                self.note_repeated(entries);
                let entries = entries.iter().map(|(key, value)| (self.of(key), self.of(value)));
                visitor.visit_map(MapDeserializer::new(entries))
            }
            _ => self.halt("a map, as in `{\"path\": \"value\"}`", None),
        }
    }

    fn deserialize_struct<V: Visitor<'a>>(
        self,
        name: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Halt> {
        let example = format!("fields in parentheses, as in `({}: …)`", fields.first().unwrap_or(&"name"));
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
        if let Some(literal) = value.literal() {
            return value.short(literal, variants, visitor);
        }
        let variant = value.variant(variants)?;
        visitor.visit_enum(Variant { value, variant })
    }

    forward_to_deserialize_any! {
        <V: Visitor<'a>>
        i8 i16 bytes byte_buf unit unit_struct tuple_struct identifier ignored_any
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
        seed.deserialize(self.value.of(node)).inspect_err(|_| self.value.notes.unreadable(node.span.start))
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
            NodeKind::Group(_) => self.value.halt(&format!("`{}` alone, without parentheses", self.variant), None),
            _ => Ok(()),
        }
    }

    fn newtype_variant_seed<T: DeserializeSeed<'a>>(self, seed: T) -> Result<T::Value, Halt> {
        self.value.group(&format!("parentheses after the name, as in `{}(…)`", self.variant))?;
        seed.deserialize(Value { inside_variant: true, ..self.value })
    }

    fn tuple_variant<V: Visitor<'a>>(self, length: usize, visitor: V) -> Result<V::Value, Halt> {
        match &self.value.node.kind {
            NodeKind::Group(Group { fields, items, .. }) if fields.is_empty() && items.len() == length => {
                visitor.visit_seq(self.value.items(items))
            }
            _ => self.value.halt(&format!("`{}(…)` with {length} values in the parentheses", self.variant), None),
        }
    }

    fn struct_variant<V: Visitor<'a>>(self, fields: &'static [&'static str], visitor: V) -> Result<V::Value, Halt> {
        let wants = format!("`{}({}: …)`", self.variant, fields.first().unwrap_or(&"name"));
        let group = self.value.group(&wants)?;
        self.value.fields(group, fields, visitor)
    }
}
