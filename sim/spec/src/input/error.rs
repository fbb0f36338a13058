//! What is wrong with an input.

use std::fmt::{self, Display};

use serde::de;

/// What is wrong with an input.
#[derive(Debug)]
pub enum InputError {
    /// A required field is absent.
    Missing(&'static str),
    /// A value is of another type than any that can stand in its place.
    Type,
    /// Something else, as the format or the type says it.
    Other(String),
}

impl InputError {
    /// The error of a format.
    pub(super) fn of(error: impl Display) -> Self {
        Self::Other(error.to_string())
    }

    /// It as an error of a format.
    pub(super) fn into_error<E: de::Error>(self) -> E {
        match self {
            Self::Missing(field) => E::missing_field(field),
            Self::Type => E::invalid_type(de::Unexpected::Other("this value"), &"another one"),
            Self::Other(message) => E::custom(message),
        }
    }
}

impl Display for InputError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Missing(field) => write!(f, "missing field `{field}`"),
            Self::Type => f.write_str("a value is of the wrong type"),
            Self::Other(message) => f.write_str(message),
        }
    }
}

impl std::error::Error for InputError {}

impl de::Error for InputError {
    fn custom<T: Display>(message: T) -> Self {
        Self::of(message)
    }

    fn invalid_type(_: de::Unexpected<'_>, _: &dyn de::Expected) -> Self {
        Self::Type
    }

    fn missing_field(field: &'static str) -> Self {
        Self::Missing(field)
    }
}
