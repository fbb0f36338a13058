//! Scenarios as texts.

use fedbits_spec::input;
use fedbits_text::{Document, Place, nearest};
use serde::Deserializer;

use crate::schema::Scenario;
use crate::words;

impl Document for Scenario {
    const NAME: &'static str = "scenario";
    const PATH: &'static str = "protocol.compressor.k";

    fn read<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        input::read(deserializer)
    }

    fn value_help(written: &str, names: &[&str]) -> Option<String> {
        words::value_help(written, names)
    }

    /// A slip of a field that is here is more likely than one that is elsewhere, but for the fields of the whole: there
    /// people write what belongs into one of them.
    fn places(field: &str, known: &[&str]) -> Vec<Place> {
        let is_slip = nearest(field, known.iter().copied()).is_some() && !known.contains(&"protocol");
        if is_slip { Vec::new() } else { words::places(field) }
    }
}
