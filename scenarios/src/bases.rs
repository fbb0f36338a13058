//! Where the scenarios are that others name as their base. This file must not know how one is laid over another.

use fedbits_text::Source;

use crate::library;

/// Where the scenarios are that others name as their base. Paths are relative to the folder of the text that is loaded.
pub trait Bases {
    /// The text of a scenario of the library, or of a file (a name that ends with `.ron`).
    ///
    /// # Errors
    /// Why there is none.
    fn text(&self, base: &str) -> Result<Source, String>;

    /// Is there such a file, or one that fits such a pattern? Of data that a base names.
    fn has_file(&self, _path: &str) -> bool {
        false
    }
}

/// The scenarios of the library alone.
pub struct Library;

impl Bases for Library {
    fn text(&self, base: &str) -> Result<Source, String> {
        if base.ends_with(".ron") {
            return Err(format!("`{base}` is a file, and this text is in no folder"));
        }
        library::find(base).map_err(|error| error.to_string())
    }
}
