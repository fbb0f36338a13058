//! RON as scenarios use it: `epochs: 500` for `Some(500)`, `FedEm(gamma: …)` without a second pair of parentheses.
//! This file must not know what a scenario means.

use ron::Options;
use ron::error::SpannedError;
use ron::extensions::Extensions;
use ron::ser::PrettyConfig;

use crate::schema::Scenario;

/// The dialect's extensions.
fn extensions() -> Extensions {
    Extensions::IMPLICIT_SOME | Extensions::UNWRAP_VARIANT_NEWTYPES
}

fn options() -> Options {
    Options::default().with_default_extension(extensions())
}

/// Reads a scenario: shape only, no ranges.
pub(crate) fn read(text: &str) -> Result<Scenario, SpannedError> {
    options().from_str(text)
}

/// Writes a scenario with every field, so that it reads back as the same value.
pub(crate) fn write(scenario: &Scenario) -> String {
    let pretty = PrettyConfig::new()
        .new_line("\n")
        .compact_arrays(true)
        .escape_strings(true);
    options()
        .to_string_pretty(scenario, pretty)
        .expect("a scenario has no type that RON cannot write")
}
