//! Short spellings: a text, a number or a list where a choice is expected, as in `"10 Mbps"` for `Mbps(10)`.
//!
//! A setting has them by `#[described(short)]` beside `#[serde(remote = "Self")]`, and an implementation of [`Short`]:
//! serde's derived code then reads and writes the long spelling, and what [`Described`](crate::Described) derives reads
//! both. Which spellings a format can have is the format's matter: RON's own parser knows no literal in the place of a
//! choice, the span tree of `fedbits-text` does.

use std::fmt::{self, Formatter};
use std::marker::PhantomData;

use serde::de::value::EnumAccessDeserializer;
use serde::de::{Deserialize, Deserializer, EnumAccess, Error, SeqAccess, Unexpected, Visitor};

/// A choice that has short spellings.
pub trait Short: Sized {
    /// Examples: a short spelling of each form, and the long one that it stands for. The first ones are read as they
    /// stand by the tests.
    const FORMS: &'static [(&'static str, &'static str)];

    /// What a text stands for.
    ///
    /// # Errors
    /// [`Unread`]; by default a text is none of the short spellings.
    fn of_text(_text: &str) -> Result<Self, Unread> {
        Err(Unread::Type)
    }

    /// What a number stands for.
    ///
    /// # Errors
    /// [`Unread`]; by default a number is none of the short spellings.
    fn of_number(_number: f64) -> Result<Self, Unread> {
        Err(Unread::Type)
    }

    /// What a whole number stands for; by default the same as any number.
    ///
    /// # Errors
    /// [`Unread`].
    fn of_whole(number: u64) -> Result<Self, Unread> {
        Self::of_number(number as f64)
    }

    /// What a list stands for.
    ///
    /// # Errors
    /// Those of the items; by default a list is none of the short spellings.
    fn of_list<'de, A: SeqAccess<'de>>(_items: A) -> Result<Self, A::Error> {
        Err(A::Error::invalid_type(Unexpected::Seq, &"another value"))
    }
}

/// Why a literal is no short spelling.
#[derive(Clone, Debug, PartialEq)]
pub enum Unread {
    /// There is none of this type.
    Type,
    /// This was expected: "a rate with its unit, as in `10 Mbps`".
    Expected(String),
}

/// Reads a choice in its short or its long spelling: what `#[described(short)]` makes of a type's `Deserialize`.
///
/// # Errors
/// Those of the deserializer, of `long`, and of [`Short`].
pub fn read<'de, T, D>(deserializer: D, name: &'static str, variants: &'static [&'static str]) -> Result<T, D::Error>
where
    T: Short + Long,
    D: Deserializer<'de>,
{
    deserializer.deserialize_enum(name, variants, Spelling(PhantomData))
}

/// The long spelling, which serde derives.
#[doc(hidden)]
pub trait Long: Sized {
    /// Reads it.
    ///
    /// # Errors
    /// Those of the deserializer.
    fn read_long<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error>;
}

struct Spelling<T>(PhantomData<T>);

impl<T: Short> Spelling<T> {
    fn read<E: Error>(&self, read: Result<T, Unread>, found: Unexpected<'_>) -> Result<T, E> {
        read.map_err(|unread| match unread {
            Unread::Type => E::invalid_type(found, &"another value"),
            Unread::Expected(expected) => E::custom(expected),
        })
    }
}

impl<'de, T: Short + Long> Visitor<'de> for Spelling<T> {
    type Value = T;

    fn expecting(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str("a name")
    }

    fn visit_enum<A: EnumAccess<'de>>(self, choice: A) -> Result<T, A::Error> {
        T::read_long(EnumAccessDeserializer::new(choice))
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<T, E> {
        self.read(T::of_text(text), Unexpected::Str(text))
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<T, E> {
        self.read(T::of_whole(number), Unexpected::Unsigned(number))
    }

    fn visit_f64<E: Error>(self, number: f64) -> Result<T, E> {
        self.read(T::of_number(number), Unexpected::Float(number))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, items: A) -> Result<T, A::Error> {
        T::of_list(items)
    }
}

/// All items of a list.
///
/// # Errors
/// Those of the items.
pub fn items<'de, T: Deserialize<'de>, A: SeqAccess<'de>>(mut items: A) -> Result<Vec<T>, A::Error> {
    let mut read = Vec::new();
    while let Some(item) = items.next_element()? {
        read.push(item);
    }
    Ok(read)
}
