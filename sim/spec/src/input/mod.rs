//! The one deserializer that every setting is compiled for.
//!
//! Serde makes the code of a type anew for each format that it is read from, and a type behind a trait object needs
//! one whose own type is forgotten. [`Input`] is that one: it asks a source, which any deserializer is, and only for
//! what the type can use. `erased_serde`, which passes on anything that any format may answer, makes 28 functions for
//! every visitor: with it they were a third of the machine code of all protocols (benches/README.md). Writing is erased
//! by that crate.

mod access;
mod call;
mod error;
mod source;

use serde::de::{DeserializeOwned, Deserializer, Error as _, Visitor};
use serde::forward_to_deserialize_any;

use access::{Choice, Fields, Items};
use call::Call;
pub use error::InputError;
pub use source::Input;
use source::Written;
pub(crate) use source::{Name, read_with};

/// Reads a value whose code exists for [`Input`] alone.
///
/// # Errors
/// Whatever the deserializer and the type say; of serde's errors a missing field stays one, the others become texts.
pub fn read<'de, T: DeserializeOwned, D: Deserializer<'de>>(deserializer: D) -> Result<T, D::Error> {
    read_with(deserializer, |input| T::deserialize(input))
}

const REFUSED: &str = "no setting can have this type: 128 bits, bytes, a unit, a tuple struct, or one of serde's \
    `untagged` and `flatten`";

macro_rules! primitives {
    ($($deserialize:ident, $visit:ident, $source:ident;)+) => {$(
        fn $deserialize<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, InputError> {
            visitor.$visit(self.0.$source()?)
        }
    )+};
}

impl<'de> Deserializer<'de> for Input<'_> {
    type Error = InputError;

    primitives! {
        deserialize_bool, visit_bool, bool;
        deserialize_u8, visit_u8, u8;
        deserialize_u16, visit_u16, u16;
        deserialize_u32, visit_u32, u32;
        deserialize_u64, visit_u64, u64;
        deserialize_i8, visit_i8, i8;
        deserialize_i16, visit_i16, i16;
        deserialize_i32, visit_i32, i32;
        deserialize_i64, visit_i64, i64;
        deserialize_f32, visit_f32, f32;
        deserialize_f64, visit_f64, f64;
        deserialize_char, visit_char, char;
        deserialize_str, visit_string, string;
        deserialize_string, visit_string, string;
    }

    fn deserialize_any<V: Visitor<'de>>(self, _: V) -> Result<V::Value, InputError> {
        Err(InputError::custom(REFUSED))
    }

    fn deserialize_identifier<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, InputError> {
        visitor.visit_str(&self.0.identifier()?)
    }

    fn deserialize_unit_struct<V: Visitor<'de>>(self, name: &'static str, visitor: V) -> Result<V::Value, InputError> {
        self.0.unit_struct(name)?;
        visitor.visit_unit()
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, InputError> {
        self.0.ignored()?;
        visitor.visit_unit()
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, InputError> {
        let mut call = Call::new(visitor);
        self.0.option(&mut |content| {
            call.run(|visitor| match content {
                Some(input) => visitor.visit_some(input),
                None => visitor.visit_none(),
            })
        })?;
        call.end()
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        visitor: V,
    ) -> Result<V::Value, InputError> {
        let mut call = Call::new(visitor);
        self.0.newtype_struct(name, &mut |input| call.run(|visitor| visitor.visit_newtype_struct(input)))?;
        call.end()
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, InputError> {
        let mut call = Call::new(visitor);
        self.0.seq(&mut |items| call.run(|visitor| visitor.visit_seq(Items(items))))?;
        call.end()
    }

    fn deserialize_tuple<V: Visitor<'de>>(self, length: usize, visitor: V) -> Result<V::Value, InputError> {
        let mut call = Call::new(visitor);
        self.0.tuple(length, &mut |items| call.run(|visitor| visitor.visit_seq(Items(items))))?;
        call.end()
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, InputError> {
        let mut call = Call::new(visitor);
        self.0.map(&mut |fields| call.run(|visitor| visitor.visit_map(Fields(fields))))?;
        call.end()
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, InputError> {
        let mut call = Call::new(visitor);
        self.0.structure(name, fields, &mut |fields| call.run(|visitor| visitor.visit_map(Fields(fields))))?;
        call.end()
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        name: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, InputError> {
        let mut call = Call::new(visitor);
        self.0.choice(name, variants, &mut |written| {
            call.run(|visitor| match written {
                Written::Variant(choice) => visitor.visit_enum(Choice(choice)),
                Written::Text(text) => visitor.visit_str(text),
                Written::Whole(number) => visitor.visit_u64(number),
                Written::Number(number) => visitor.visit_f64(number),
                Written::List(items) => visitor.visit_seq(Items(items)),
            })
        })?;
        call.end()
    }

    forward_to_deserialize_any! {
        i128 u128 bytes byte_buf unit tuple_struct
    }
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;

    #[derive(Debug, Deserialize, PartialEq)]
    struct Numbers {
        least: i8,
        small: i16,
        given: Option<i64>,
    }

    #[derive(Debug, Deserialize)]
    #[serde(untagged)]
    enum Untagged {
        #[allow(dead_code, reason = "the error of a variant that fits nothing is what is looked at")]
        Number(f64),
    }

    fn read<T: serde::de::DeserializeOwned>(text: &str) -> Result<T, ron::Error> {
        super::read(&mut ron::Deserializer::from_str(text).unwrap())
    }

    #[test]
    fn whole_numbers_of_every_width_are_read() {
        let numbers = Numbers { least: -128, small: 32_767, given: None };
        assert_eq!(read::<Numbers>("(least: -128, small: 32767, given: None)").unwrap(), numbers);
        assert_eq!(read::<Numbers>("(least: 1, small: 2)").unwrap().given, None);
        assert!(read::<Numbers>("(least: 128, small: 0)").is_err());
        assert!(read::<Numbers>("(least: 1)").unwrap_err().to_string().contains("small"));
    }

    #[test]
    fn a_type_that_no_setting_can_have_is_refused() {
        assert!(read::<Untagged>("1.0").unwrap_err().to_string().contains("`untagged`"));
    }
}
