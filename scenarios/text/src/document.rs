//! What a type must say of itself so that its texts can be read, edited and complained about.

use serde::Serialize;
use serde::de::DeserializeOwned;

/// A type whose values people write in RON. Names of fields and variants come from its `Deserialize`, defaults from
/// both.
pub trait Document: Serialize + DeserializeOwned {
    /// What it is called in messages, as in "the *scenario* has no `x`".
    const NAME: &'static str;
    /// An example of a path into it.
    const PATH: &'static str;

    /// What to write instead of a literal, a word, or `field: value`, where one of `names` is expected: "write it with
    /// its unit, such as `"40 ms"`".
    #[must_use]
    fn value_help(_written: &str, _names: &[&str]) -> Option<String> {
        None
    }

    /// Where a field is that is called so, or that people call so, and is none of those that are `known` here.
    #[must_use]
    fn places(_field: &str, _known: &[&str]) -> Vec<Place> {
        Vec::new()
    }
}

/// Where a type has a field.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Place {
    /// Its path.
    pub path: String,
    /// The choices that have it, where it is one of a choice.
    pub variants: Vec<&'static str>,
}
