//! Caveats as rows of Python.

use std::fmt::Display;

use serde::Serialize;

/// A caveat for Python: its sentence, and all of it as JSON.
pub(crate) type CaveatRow = (String, String);

pub(crate) fn caveat_rows<T: Serialize + Display>(caveats: &[T]) -> Vec<CaveatRow> {
    let json = |caveat: &T| serde_json::to_string(caveat).expect("a caveat has only texts and numbers");
    caveats.iter().map(|caveat| (caveat.to_string(), json(caveat))).collect()
}
