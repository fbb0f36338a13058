//! Why reading stops.

use std::fmt;

use serde::de;

/// Why reading cannot go on below some node.
#[derive(Debug)]
pub(super) enum Halt {
    /// The problem has been noted.
    Noted,
    /// A required field is absent.
    Missing(&'static str),
    /// The value is of another type than any that can stand there.
    Type,
    /// Something a `Deserialize` implementation says.
    Other(String),
}

/// How [`Halt::Noted`] comes through an error type that keeps nothing but its text, such as that of a type-erased
/// `Deserialize`.
const NOTED: &str = "a problem that has been noted\0";

impl fmt::Display for Halt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Halt::Noted => f.write_str(NOTED),
            Halt::Missing(field) => write!(f, "the field `{field}` is missing"),
            Halt::Type => f.write_str("the value is of the wrong type"),
            Halt::Other(message) => f.write_str(message),
        }
    }
}

impl std::error::Error for Halt {}

impl de::Error for Halt {
    fn custom<T: fmt::Display>(message: T) -> Self {
        match message.to_string() {
            message if message == NOTED => Halt::Noted,
            message => Halt::Other(message),
        }
    }

    fn invalid_type(_: de::Unexpected<'_>, _: &dyn de::Expected) -> Self {
        Halt::Type
    }

    fn missing_field(field: &'static str) -> Self {
        Halt::Missing(field)
    }
}
