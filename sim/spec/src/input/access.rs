//! What the types of settings ask of lists, fields and choices.

use serde::de::value::StrDeserializer;
use serde::de::{DeserializeSeed, EnumAccess, IntoDeserializer, MapAccess, SeqAccess, VariantAccess, Visitor};

use super::call::Call;
use super::error::InputError;
use super::source::{EntrySource, ItemSource, VariantSource};

/// The items of a list.
pub(super) struct Items<'a>(pub(super) &'a mut dyn ItemSource);

impl<'de> SeqAccess<'de> for Items<'_> {
    type Error = InputError;

    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>, InputError> {
        let mut call = Call::new(seed);
        let is_there = self.0.next(&mut |input| call.run(|seed| seed.deserialize(input)))?;
        is_there.then(|| call.end()).transpose()
    }
}

/// The fields of a struct, or the entries of a map.
pub(super) struct Fields<'a>(pub(super) &'a mut dyn EntrySource);

impl<'de> MapAccess<'de> for Fields<'_> {
    type Error = InputError;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, InputError> {
        let mut call = Call::new(seed);
        let is_there = self.0.next_key(&mut |input| call.run(|seed| seed.deserialize(input)))?;
        is_there.then(|| call.end()).transpose()
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, InputError> {
        let mut call = Call::new(seed);
        self.0.next_value(&mut |input| call.run(|seed| seed.deserialize(input)))?;
        call.end()
    }
}

/// One of several variants, by its name.
pub(super) struct Choice<'a>(pub(super) &'a mut dyn VariantSource);

impl<'de> EnumAccess<'de> for Choice<'_> {
    type Error = InputError;
    type Variant = Self;

    fn variant_seed<V: DeserializeSeed<'de>>(self, seed: V) -> Result<(V::Value, Self), InputError> {
        let name: StrDeserializer<'_, InputError> = self.0.name().into_deserializer();
        Ok((seed.deserialize(name)?, self))
    }
}

impl<'de> VariantAccess<'de> for Choice<'_> {
    type Error = InputError;

    fn unit_variant(self) -> Result<(), InputError> {
        self.0.unit()
    }

    fn newtype_variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Result<T::Value, InputError> {
        let mut call = Call::new(seed);
        self.0.newtype(&mut |input| call.run(|seed| seed.deserialize(input)))?;
        call.end()
    }

    fn tuple_variant<V: Visitor<'de>>(self, length: usize, visitor: V) -> Result<V::Value, InputError> {
        let mut call = Call::new(visitor);
        self.0.tuple(length, &mut |items| call.run(|visitor| visitor.visit_seq(Items(items))))?;
        call.end()
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, InputError> {
        let mut call = Call::new(visitor);
        self.0.structure(fields, &mut |fields| call.run(|visitor| visitor.visit_map(Fields(fields))))?;
        call.end()
    }
}
