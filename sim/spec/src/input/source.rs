//! Any deserializer, its type forgotten: it answers one request by one call back.

use std::fmt;
use std::marker::PhantomData;

use serde::Deserialize;
use serde::de::{DeserializeSeed, Deserializer, EnumAccess, IgnoredAny, MapAccess, SeqAccess, VariantAccess, Visitor};

use super::call::Once;
use super::error::InputError;

/// What a setting is read from, whatever the format.
pub struct Input<'a>(pub(super) &'a mut dyn Source);

type Done = Result<(), InputError>;
pub(super) type Then<'a> = &'a mut dyn FnMut(Input<'_>) -> Done;
pub(super) type ThenOption<'a> = &'a mut dyn FnMut(Option<Input<'_>>) -> Done;
pub(super) type ThenItems<'a> = &'a mut dyn FnMut(&mut dyn ItemSource) -> Done;
pub(super) type ThenEntries<'a> = &'a mut dyn FnMut(&mut dyn EntrySource) -> Done;
pub(super) type ThenChoice<'a> = &'a mut dyn FnMut(Written<'_>) -> Done;

/// Reads a value by a function of the [`Input`] that forgets the deserializer's type.
pub(crate) fn read_with<'de, T, D: Deserializer<'de>>(
    deserializer: D,
    read: impl FnOnce(Input<'_>) -> Result<T, InputError>,
) -> Result<T, D::Error> {
    read(Input(&mut Once::new(deserializer))).map_err(InputError::into_error)
}

macro_rules! source {
    ($($primitive:ident: $type:ty),+ $(,)?) => {
        /// One value of a text.
        pub(super) trait Source {
            $(fn $primitive(&mut self) -> Result<$type, InputError>;)+
            fn ignored(&mut self) -> Done;
            fn identifier(&mut self) -> Result<String, InputError>;
            fn unit_struct(&mut self, name: &'static str) -> Done;
            fn option(&mut self, then: ThenOption<'_>) -> Done;
            fn newtype_struct(&mut self, name: &'static str, then: Then<'_>) -> Done;
            fn seq(&mut self, then: ThenItems<'_>) -> Done;
            fn tuple(&mut self, length: usize, then: ThenItems<'_>) -> Done;
            fn map(&mut self, then: ThenEntries<'_>) -> Done;
            fn structure(
                &mut self,
                name: &'static str,
                fields: &'static [&'static str],
                then: ThenEntries<'_>,
            ) -> Done;
            fn choice(
                &mut self,
                name: &'static str,
                variants: &'static [&'static str],
                then: ThenChoice<'_>,
            ) -> Done;
        }

        impl<'de, S: Deserializer<'de>> Source for Once<S> {
            $(fn $primitive(&mut self) -> Result<$type, InputError> {
                <$type>::deserialize(self.take()?).map_err(InputError::of)
            })+

            fn ignored(&mut self) -> Done {
                IgnoredAny::deserialize(self.take()?).map(drop).map_err(InputError::of)
            }

            fn identifier(&mut self) -> Result<String, InputError> {
                Name.deserialize(self.take()?).map_err(InputError::of)
            }

            fn unit_struct(&mut self, name: &'static str) -> Done {
                self.take()?.deserialize_unit_struct(name, Unit).map_err(InputError::of)
            }

            fn option(&mut self, then: ThenOption<'_>) -> Done {
                self.take()?.deserialize_option(Content(then)).map_err(InputError::of)
            }

            fn newtype_struct(&mut self, name: &'static str, then: Then<'_>) -> Done {
                self.take()?.deserialize_newtype_struct(name, Newtype(then)).map_err(InputError::of)
            }

            fn seq(&mut self, then: ThenItems<'_>) -> Done {
                self.take()?.deserialize_seq(List(then)).map_err(InputError::of)
            }

            fn tuple(&mut self, length: usize, then: ThenItems<'_>) -> Done {
                self.take()?.deserialize_tuple(length, List(then)).map_err(InputError::of)
            }

            fn map(&mut self, then: ThenEntries<'_>) -> Done {
                self.take()?.deserialize_map(Entries(then)).map_err(InputError::of)
            }

            fn structure(
                &mut self,
                name: &'static str,
                fields: &'static [&'static str],
                then: ThenEntries<'_>,
            ) -> Done {
                self.take()?.deserialize_struct(name, fields, Entries(then)).map_err(InputError::of)
            }

            fn choice(
                &mut self,
                name: &'static str,
                variants: &'static [&'static str],
                then: ThenChoice<'_>,
            ) -> Done {
                self.take()?.deserialize_enum(name, variants, Variants(then)).map_err(InputError::of)
            }
        }
    };
}

source! {
    bool: bool, u8: u8, u16: u16, u32: u32, u64: u64, i8: i8, i16: i16, i32: i32, i64: i64, f32: f32, f64: f64,
    char: char, string: String,
}

/// The items of a list.
pub(super) trait ItemSource {
    /// Is there one more?
    fn next(&mut self, then: Then<'_>) -> Result<bool, InputError>;
}

impl<'de, A: SeqAccess<'de>> ItemSource for A {
    fn next(&mut self, then: Then<'_>) -> Result<bool, InputError> {
        self.next_element_seed(Seed(then)).map(|item| item.is_some()).map_err(InputError::of)
    }
}

/// The fields of a struct, or the entries of a map.
pub(super) trait EntrySource {
    /// Is there one more?
    fn next_key(&mut self, then: Then<'_>) -> Result<bool, InputError>;
    fn next_value(&mut self, then: Then<'_>) -> Done;
}

impl<'de, A: MapAccess<'de>> EntrySource for A {
    fn next_key(&mut self, then: Then<'_>) -> Result<bool, InputError> {
        self.next_key_seed(Seed(then)).map(|key| key.is_some()).map_err(InputError::of)
    }

    fn next_value(&mut self, then: Then<'_>) -> Done {
        self.next_value_seed(Seed(then)).map_err(InputError::of)
    }
}

/// What is written where a choice is expected: a variant, or one of its short spellings.
pub(super) enum Written<'a> {
    Variant(&'a mut dyn VariantSource),
    Text(&'a str),
    Whole(u64),
    Number(f64),
    List(&'a mut dyn ItemSource),
}

/// One of several variants, by its name.
pub(super) trait VariantSource {
    fn name(&self) -> &str;
    fn unit(&mut self) -> Done;
    fn newtype(&mut self, then: Then<'_>) -> Done;
    fn tuple(&mut self, length: usize, then: ThenItems<'_>) -> Done;
    fn structure(&mut self, fields: &'static [&'static str], then: ThenEntries<'_>) -> Done;
}

struct Variant<'de, A> {
    name: String,
    content: Once<A>,
    lifetime: PhantomData<&'de ()>,
}

impl<'de, A: VariantAccess<'de>> VariantSource for Variant<'de, A> {
    fn name(&self) -> &str {
        &self.name
    }

    fn unit(&mut self) -> Done {
        self.content.take()?.unit_variant().map_err(InputError::of)
    }

    fn newtype(&mut self, then: Then<'_>) -> Done {
        self.content.take()?.newtype_variant_seed(Seed(then)).map_err(InputError::of)
    }

    fn tuple(&mut self, length: usize, then: ThenItems<'_>) -> Done {
        self.content.take()?.tuple_variant(length, List(then)).map_err(InputError::of)
    }

    fn structure(&mut self, fields: &'static [&'static str], then: ThenEntries<'_>) -> Done {
        self.content.take()?.struct_variant(fields, Entries(then)).map_err(InputError::of)
    }
}

/// Hands on the value that stands where one is asked for.
struct Seed<'a>(Then<'a>);

impl<'de> DeserializeSeed<'de> for Seed<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        read_with(deserializer, self.0)
    }
}

/// Declares a visitor of what one request is answered by.
macro_rules! visitor {
    ($name:ident, $then:ident, $expecting:literal, $($visit:tt)+) => {
        struct $name<'a>($then<'a>);

        impl<'de> Visitor<'de> for $name<'_> {
            type Value = ();

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str($expecting)
            }

            $($visit)+
        }
    };
}

visitor! { Newtype, Then, "a value",
    fn visit_newtype_struct<D: Deserializer<'de>>(self, content: D) -> Result<(), D::Error> {
        read_with(content, self.0)
    }
}

visitor! { Content, ThenOption, "a value or `None`",
    fn visit_none<E: serde::de::Error>(self) -> Result<(), E> {
        (self.0)(None).map_err(InputError::into_error)
    }

    fn visit_some<D: Deserializer<'de>>(self, content: D) -> Result<(), D::Error> {
        read_with(content, |input| (self.0)(Some(input)))
    }
}

visitor! { List, ThenItems, "a list",
    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<(), A::Error> {
        (self.0)(&mut items).map_err(InputError::into_error)
    }
}

visitor! { Entries, ThenEntries, "fields",
    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<(), A::Error> {
        (self.0)(&mut entries).map_err(InputError::into_error)
    }
}

visitor! { Variants, ThenChoice, "a name",
    fn visit_enum<A: EnumAccess<'de>>(self, choice: A) -> Result<(), A::Error> {
        let (name, content) = choice.variant_seed(Name)?;
        let mut variant = Variant { name, content: Once::new(content), lifetime: PhantomData };
        (self.0)(Written::Variant(&mut variant)).map_err(InputError::into_error)
    }

    fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<(), E> {
        (self.0)(Written::Text(text)).map_err(InputError::into_error)
    }

    fn visit_u64<E: serde::de::Error>(self, number: u64) -> Result<(), E> {
        (self.0)(Written::Whole(number)).map_err(InputError::into_error)
    }

    fn visit_f64<E: serde::de::Error>(self, number: f64) -> Result<(), E> {
        (self.0)(Written::Number(number)).map_err(InputError::into_error)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<(), A::Error> {
        (self.0)(Written::List(&mut items)).map_err(InputError::into_error)
    }
}

struct Unit;

impl Visitor<'_> for Unit {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a name alone")
    }

    fn visit_unit<E: serde::de::Error>(self) -> Result<(), E> {
        Ok(())
    }
}

/// Reads a name of a field or a variant.
pub(crate) struct Name;

impl<'de> DeserializeSeed<'de> for Name {
    type Value = String;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<String, D::Error> {
        deserializer.deserialize_identifier(self)
    }
}

impl Visitor<'_> for Name {
    type Value = String;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a name")
    }

    fn visit_str<E: serde::de::Error>(self, name: &str) -> Result<String, E> {
        Ok(name.to_owned())
    }
}
