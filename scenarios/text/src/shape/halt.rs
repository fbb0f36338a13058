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
    /// Something a `Deserialize` implementation says.
    Other(String),
}

impl fmt::Display for Halt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self:?}")
    }
}

impl std::error::Error for Halt {}

impl de::Error for Halt {
    fn custom<T: fmt::Display>(message: T) -> Self {
        Halt::Other(message.to_string())
    }

    fn missing_field(field: &'static str) -> Self {
        Halt::Missing(field)
    }
}
