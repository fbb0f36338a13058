//! Open kinds of parts: a scenario names one of the parts that are registered, the project's own or a user's.
//!
//! A *kind* is a trait object: `dyn CompressorSetting`. Its parts are types, each with its fields; [`Choice`] holds one
//! of them. Parts are registered once, before anything is read; the list is the same for the whole process.

use std::any::{Any, TypeId};
use std::fmt::{self, Debug};
use std::ops::Deref;
use std::sync::{Arc, RwLock};

use serde::de::value::{Error as ValueError, MapDeserializer, UnitDeserializer};
use serde::de::{self, DeserializeSeed, EnumAccess, VariantAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::describe::{Body, Described, Documented, Named, Types, text};
use crate::{Facts, Findings, Path, Severity};

/// A part whose type is not known. Every type with these traits is one: implement [`Described`] by its derive.
pub trait Part: Debug + Send + Sync + Any {
    /// Its name in scenarios.
    fn part_name(&self) -> &'static str;
    /// It, for a downcast to its type.
    fn as_any(&self) -> &dyn Any;
    /// Adds everything that is wrong with it.
    fn check_part(&self, at: &Path<'_>, facts: &Facts, findings: &mut Findings);
    /// It as RON, which distinguishes two parts of a kind.
    fn text(&self) -> String;
    /// It for serde; `None` where its name is all that there is.
    fn content(&self) -> Option<&dyn erased_serde::Serialize>;
}

impl<T: Documented + Serialize + Debug + Send + Sync + Any> Part for T {
    fn part_name(&self) -> &'static str {
        T::NAME
    }

    fn as_any(&self) -> &dyn Any {
        self
    }

    fn check_part(&self, at: &Path<'_>, facts: &Facts, findings: &mut Findings) {
        self.check(at, facts, findings);
    }

    fn text(&self) -> String {
        text(self)
    }

    fn content(&self) -> Option<&dyn erased_serde::Serialize> {
        (!T::UNIT).then_some(self)
    }
}

/// A kind of parts, implemented for the trait object of the kind by [`kind!`](crate::kind).
pub trait Kind: Part {
    /// What the reference calls it: `Compressor`.
    const NAME: &'static str;

    /// What the reference says of it.
    const DOC: &'static str;

    /// The parts that are registered.
    fn registry() -> &'static Registry<Self>;

    /// The part of a setting that is not given, for kinds that have one.
    fn default_part() -> Option<Arc<Self>>;
}

/// The laws of all kinds begin with it: nothing is wrong with a part that is among the examples of its kind.
///
/// # Panics
/// When something is.
pub fn assert_sound<P: Part + ?Sized>(part: &P, facts: &Facts) {
    let mut findings = Findings::default();
    part.check_part(&Path::Root.field(part.part_name()), facts, &mut findings);
    let errors: Vec<_> = findings.iter().filter(|found| found.severity == Severity::Error).collect();
    assert!(errors.is_empty(), "{part:?}: {errors:?}");
}

/// Makes a part of a kind of a value.
pub trait Share<T>: Kind {
    /// The value as a part whose type is forgotten.
    fn share(part: T) -> Arc<Self>;
}

/// A type of parts.
pub struct Entry<D: ?Sized> {
    /// Its name in scenarios.
    pub name: &'static str,
    /// The type.
    pub of: TypeId,
    /// Is its name all that is written of it?
    pub unit: bool,
    /// Its documentation.
    pub describe: fn() -> Named,
    /// Reads it from what stands behind its name.
    pub read: fn(&mut dyn erased_serde::Deserializer<'_>) -> Result<Arc<D>, erased_serde::Error>,
    /// Parts with representative values, over which the laws of the kind are tested; at least one.
    pub examples: fn() -> Vec<Arc<D>>,
}

impl<D: ?Sized> Clone for Entry<D> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<D: ?Sized> Copy for Entry<D> {}

/// The parts of a kind: the project's own, and those that a user's crate has added.
pub struct Registry<D: ?Sized + 'static> {
    built_in: &'static [Entry<D>],
    added: RwLock<Added<D>>,
}

struct Added<D: ?Sized + 'static> {
    entries: Vec<Entry<D>>,
    /// The names of all, kept for serde; made anew when a part is added.
    names: Option<&'static [&'static str]>,
}

impl<D: ?Sized> Registry<D> {
    /// A registry of the project's own parts.
    #[must_use]
    pub const fn new(built_in: &'static [Entry<D>]) -> Self {
        Self { built_in, added: RwLock::new(Added { entries: Vec::new(), names: None }) }
    }

    /// Adds a part, if it has not been added yet.
    ///
    /// # Errors
    /// [`NameTaken`] when one of the project's own parts has this name, or another one that was added.
    pub fn add(&self, entry: Entry<D>) -> Result<(), NameTaken> {
        let mut added = self.added.write().unwrap_or_else(std::sync::PoisonError::into_inner);
        let is_own = self.built_in.iter().any(|built_in| built_in.name == entry.name);
        match added.entries.iter().find(|known| known.name == entry.name) {
            None if !is_own => {
                added.entries.push(entry);
                added.names = None;
                Ok(())
            }
            Some(other) if other.of == entry.of => Ok(()),
            _ => Err(NameTaken { name: entry.name }),
        }
    }

    /// All parts, the project's own first.
    #[must_use]
    pub fn entries(&self) -> Vec<Entry<D>> {
        let added = self.added.read().unwrap_or_else(std::sync::PoisonError::into_inner);
        self.built_in.iter().chain(&added.entries).copied().collect()
    }

    /// The part of this name.
    fn find(&self, name: &str) -> Option<Entry<D>> {
        let added = self.added.read().unwrap_or_else(std::sync::PoisonError::into_inner);
        self.built_in.iter().chain(&added.entries).find(|entry| entry.name == name).copied()
    }

    /// The names of all parts.
    pub fn names(&self) -> &'static [&'static str] {
        let mut added = self.added.write().unwrap_or_else(std::sync::PoisonError::into_inner);
        if let Some(names) = added.names {
            return names;
        }
        // Leaked once per part that is added: serde needs names that live as long as the process.
        let names: Vec<_> = self.built_in.iter().chain(&added.entries).map(|entry| entry.name).collect();
        added.names.insert(names.leak())
    }
}

/// A part cannot be added: there is another one of this name.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
#[error("there is a part `{name}` already: give yours another name")]
pub struct NameTaken {
    /// The name.
    pub name: &'static str,
}

/// One part of a kind, as a scenario names it. Cloning shares it.
pub struct Choice<D: ?Sized>(Arc<D>);

impl<D: Kind + ?Sized> Choice<D> {
    /// A choice that is made in code.
    #[must_use]
    pub fn of<T>(part: T) -> Self
    where
        D: Share<T>,
    {
        Self(D::share(part))
    }

    /// Is it a part of this type?
    #[must_use]
    pub fn is<T: 'static>(&self) -> bool {
        self.get::<T>().is_some()
    }

    /// The part, if it is of this type.
    #[must_use]
    pub fn get<T: 'static>(&self) -> Option<&T> {
        self.0.as_any().downcast_ref()
    }
}

impl<D: ?Sized> Clone for Choice<D> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<D: ?Sized> Deref for Choice<D> {
    type Target = D;

    fn deref(&self) -> &D {
        &self.0
    }
}

impl<D: Kind + ?Sized> Debug for Choice<D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Debug::fmt(&self.0, f)
    }
}

/// Of the same type with the same values.
impl<D: Kind + ?Sized> PartialEq for Choice<D> {
    fn eq(&self, other: &Self) -> bool {
        self.part_name() == other.part_name() && self.text() == other.text()
    }
}

impl<D: Kind + ?Sized> Default for Choice<D> {
    fn default() -> Self {
        Self(D::default_part().expect("only kinds with a default stand in fields that have one"))
    }
}

impl<D: Kind + ?Sized> Described for Choice<D> {
    fn written() -> String {
        D::NAME.to_owned()
    }

    fn types(types: &mut Types) {
        types.push(describe::<D>);
    }

    fn check(&self, at: &Path<'_>, facts: &Facts, findings: &mut Findings) {
        self.check_part(at, facts, findings);
    }
}

/// The kind with its parts as choices.
fn describe<D: Kind + ?Sized>() -> Named {
    let parts = D::registry().entries().into_iter().map(|entry| (entry.describe)());
    Named { name: D::NAME, doc: D::DOC, short: &[], body: Body::Choices(parts.collect()) }
}

impl<D: Kind + ?Sized> Serialize for Choice<D> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.content() {
            None => serializer.serialize_unit_variant(D::NAME, 0, self.part_name()),
            Some(content) => serializer.serialize_newtype_variant(D::NAME, 0, self.part_name(), content),
        }
    }
}

impl<'de, D: Kind + ?Sized> Deserialize<'de> for Choice<D> {
    fn deserialize<S: Deserializer<'de>>(deserializer: S) -> Result<Self, S::Error> {
        deserializer.deserialize_enum(D::NAME, D::registry().names(), PartVisitor(std::marker::PhantomData))
    }
}

struct PartVisitor<D: ?Sized>(std::marker::PhantomData<Arc<D>>);

impl<'de, D: Kind + ?Sized> Visitor<'de> for PartVisitor<D> {
    type Value = Choice<D>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(D::NAME)
    }

    fn visit_enum<A: EnumAccess<'de>>(self, data: A) -> Result<Choice<D>, A::Error> {
        let (name, content) = data.variant_seed(Name)?;
        let Some(entry) = D::registry().find(&name) else {
            return Err(de::Error::unknown_variant(&name, D::registry().names()));
        };
        let part = if entry.unit {
            content.unit_variant()?;
            // A unit struct, or one whose fields are none of the user's.
            let fields = || MapDeserializer::<_, ValueError>::new(std::iter::empty::<(&str, &str)>());
            let unit = Content(entry).deserialize(UnitDeserializer::<ValueError>::new());
            unit.or_else(|_| Content(entry).deserialize(fields())).map_err(de::Error::custom)?
        } else {
            content.newtype_variant_seed(Content(entry))?
        };
        Ok(Choice(part))
    }
}

/// Reads the name of a part.
struct Name;

impl<'de> DeserializeSeed<'de> for Name {
    type Value = String;

    fn deserialize<S: Deserializer<'de>>(self, deserializer: S) -> Result<String, S::Error> {
        deserializer.deserialize_identifier(self)
    }
}

impl Visitor<'_> for Name {
    type Value = String;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a name")
    }

    fn visit_str<E: de::Error>(self, name: &str) -> Result<String, E> {
        Ok(name.to_owned())
    }
}

/// Reads what stands behind a name. The type of the deserializer is forgotten: parts are behind trait objects.
struct Content<D: ?Sized>(Entry<D>);

impl<'de, D: Kind + ?Sized> DeserializeSeed<'de> for Content<D> {
    type Value = Arc<D>;

    fn deserialize<S: Deserializer<'de>>(self, deserializer: S) -> Result<Arc<D>, S::Error> {
        (self.0.read)(&mut <dyn erased_serde::Deserializer>::erase(deserializer)).map_err(de::Error::custom)
    }
}

/// Declares a kind of parts: `kind! { /// What it is. dyn Trait as "Name", default Part::default(): PartA, PartB }`.
///
/// The trait has [`Part`](crate::Part) as its supertrait and `fn examples() -> Vec<Self> where Self: Sized`. A function
/// `entry::<T>()` is declared beside it, by which other crates register parts of their own.
#[macro_export]
macro_rules! kind {
    ($(#[doc = $doc:literal])+ dyn $of:ident as $name:literal, default $default:expr; $($part:ty),+ $(,)?) => {
        impl $crate::Kind for dyn $of {
            const NAME: &'static str = $name;
            const DOC: &'static str = concat!($($doc),+).trim_ascii();

            fn registry() -> &'static $crate::Registry<Self> {
                static PARTS: &[$crate::Entry<dyn $of>] = &[$(entry::<$part>()),+];
                static REGISTRY: $crate::Registry<dyn $of> = $crate::Registry::new(PARTS);
                &REGISTRY
            }

            fn default_part() -> Option<::std::sync::Arc<Self>> {
                let part: Option<::std::sync::Arc<Self>> = $default;
                part
            }
        }

        impl<T: $of> $crate::Share<T> for dyn $of {
            fn share(part: T) -> ::std::sync::Arc<Self> {
                ::std::sync::Arc::new(part)
            }
        }

        /// The entry of a part, to be added to the registry of the kind.
        pub const fn entry<T: $of + $crate::Documented + $crate::DeserializeOwned>() -> $crate::Entry<dyn $of> {
            fn read<T: $of + $crate::DeserializeOwned>(
                input: &mut dyn $crate::erased_serde::Deserializer<'_>,
            ) -> Result<::std::sync::Arc<dyn $of>, $crate::erased_serde::Error> {
                Ok(::std::sync::Arc::new($crate::erased_serde::deserialize::<T>(input)?))
            }
            fn examples<T: $of>() -> Vec<::std::sync::Arc<dyn $of>> {
                T::examples().into_iter().map(|part| ::std::sync::Arc::new(part) as _).collect()
            }
            let (name, unit, of) = (T::NAME, T::UNIT, ::core::any::TypeId::of::<T>());
            $crate::Entry { name, of, unit, describe: T::describe, read: read::<T>, examples: examples::<T> }
        }
    };
}
