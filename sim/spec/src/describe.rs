//! What a setting says about itself: the rows of the reference of fields, and its check.

use std::collections::BTreeMap;

use ron::extensions::Extensions;
use ron::ser::PrettyConfig;

use crate::{Facts, Findings, Path};

/// A value that a user can write in a scenario. Derived with `#[derive(Described)]`.
pub trait Described {
    /// Is it a struct with named fields? Its fields then stand directly in the parentheses of a variant that holds it.
    const GROUP: bool = false;

    /// Its type in the words of the reference: `whole number`, `[Rate, …]`.
    fn written() -> String;

    /// The types of settings that it names, each to be described on its own.
    fn types(_types: &mut Types) {}

    /// Adds everything that is wrong with the value at `at`.
    fn check(&self, _at: &Path<'_>, _facts: &Facts, _findings: &mut Findings) {}
}

/// A setting with a name of its own.
pub trait Documented: Described {
    /// Its name in scenarios and in the reference.
    const NAME: &'static str;
    /// Is its name all that is written of it?
    const UNIT: bool;

    /// Its fields or choices.
    fn describe() -> Named;
}

/// Types of settings that a setting names, each to be described on its own.
pub type Types = Vec<fn() -> Named>;

/// Something with a name and a description.
#[derive(Clone, Debug, PartialEq)]
pub struct Named {
    /// The name in a scenario.
    pub name: &'static str,
    /// Its documentation.
    pub doc: &'static str,
    /// Its short spellings, each with the long one that it stands for.
    pub short: &'static [(&'static str, &'static str)],
    /// What is written behind the name.
    pub body: Body,
}

/// What is written behind a name.
#[derive(Clone, Debug, PartialEq)]
pub enum Body {
    /// Nothing.
    Unit,
    /// Values without names.
    Items(Vec<Field>),
    /// Values with names.
    Fields(Vec<Field>),
    /// One of several.
    Choices(Vec<Named>),
}

/// A field of a setting.
#[derive(Clone, Debug)]
pub struct Field {
    /// Name.
    pub name: &'static str,
    /// Its documentation.
    pub doc: &'static str,
    /// Its type in words.
    pub written: String,
    /// Its range in words.
    pub range: Option<String>,
    /// What it is when it is not given, as RON; `None` where it is required.
    pub default: Option<String>,
    /// The types of settings that it names.
    pub types: Types,
}

impl Field {
    /// A field that holds a `T`.
    #[must_use]
    pub fn of<T: Described>(
        name: &'static str,
        doc: &'static str,
        range: Option<String>,
        default: Option<String>,
    ) -> Self {
        let mut types = Vec::new();
        T::types(&mut types);
        Self { name, doc, written: T::written(), range, default, types }
    }

    /// Its range, for a reference. Ranges are worded for errors ("expected a number from 0 to 1, no unit"), and stand
    /// alone here.
    #[must_use]
    pub fn bare_range(&self) -> Option<&str> {
        let range = self.range.as_ref()?;
        let range = range.trim_end_matches(", no unit");
        let bare = |word: &str| range.strip_prefix(word).filter(|rest| word != "from " || rest.contains(" to "));
        Some(["that is ", "from ", "in ", "of "].iter().find_map(|word| bare(word)).unwrap_or(range))
    }
}

/// The same row of the reference.
impl PartialEq for Field {
    fn eq(&self, other: &Self) -> bool {
        let row =
            |field: &Self| (field.name, field.doc, field.written.clone(), field.range.clone(), field.default.clone());
        row(self) == row(other)
    }
}

/// A value as RON on one line, as scenarios write it.
///
/// # Panics
/// If the value has a type that RON cannot write, which no setting has.
///
/// The type is erased, so that the writer is compiled once and not for every setting.
#[must_use]
pub fn text(value: &dyn erased_serde::Serialize) -> String {
    let extensions = Extensions::IMPLICIT_SOME | Extensions::UNWRAP_VARIANT_NEWTYPES;
    let options = ron::Options::default().with_default_extension(extensions);
    let pretty = PrettyConfig::new().depth_limit(0).escape_strings(true);
    options.to_string_pretty(value, pretty).expect("settings have no type that RON cannot write")
}

macro_rules! plain {
    ($($words:literal: $($of:ty)+;)+) => {$($(
        impl Described for $of {
            fn written() -> String {
                $words.to_owned()
            }
        }
    )+)+};
}
plain! {
    "number": f64;
    "whole number": u8 u16 u32 u64 usize;
    "text": String;
    "true or false": bool;
    "character": char;
}

impl<T: Described> Described for Box<T> {
    const GROUP: bool = T::GROUP;

    fn written() -> String {
        T::written()
    }

    fn types(types: &mut Types) {
        T::types(types);
    }

    fn check(&self, at: &Path<'_>, facts: &Facts, findings: &mut Findings) {
        (**self).check(at, facts, findings);
    }
}

impl<T: Described> Described for Option<T> {
    fn written() -> String {
        format!("Some({}) or None", T::written())
    }

    fn types(types: &mut Types) {
        T::types(types);
    }

    fn check(&self, at: &Path<'_>, facts: &Facts, findings: &mut Findings) {
        if let Some(value) = self {
            value.check(at, facts, findings);
        }
    }
}

impl<T: Described> Described for Vec<T> {
    fn written() -> String {
        format!("[{}, …]", T::written())
    }

    fn types(types: &mut Types) {
        T::types(types);
    }

    fn check(&self, at: &Path<'_>, facts: &Facts, findings: &mut Findings) {
        self.iter().enumerate().for_each(|(index, value)| value.check(&at.index(index), facts, findings));
    }
}

impl<A: Described, B: Described> Described for (A, B) {
    fn written() -> String {
        format!("({}, {})", A::written(), B::written())
    }

    fn types(types: &mut Types) {
        A::types(types);
        B::types(types);
    }

    fn check(&self, at: &Path<'_>, facts: &Facts, findings: &mut Findings) {
        self.0.check(&at.index(0), facts, findings);
        self.1.check(&at.index(1), facts, findings);
    }
}

impl<V: Described> Described for BTreeMap<String, V> {
    fn written() -> String {
        format!("{{{}: {}, …}}", String::written(), V::written())
    }

    fn types(types: &mut Types) {
        V::types(types);
    }

    fn check(&self, at: &Path<'_>, facts: &Facts, findings: &mut Findings) {
        self.iter().for_each(|(key, value)| value.check(&at.key(key), facts, findings));
    }
}
