//! The scenario schema, its checks, and the library of scenarios.

pub mod schema;
mod syntax;

/// Reads a scenario: shape only.
///
/// # Errors
/// The text of the first syntax or shape error.
pub fn parse(text: &str) -> Result<schema::Scenario, String> {
    syntax::read(text).map_err(|error| error.to_string())
}

/// Writes a scenario with every field.
#[must_use]
pub fn write(scenario: &schema::Scenario) -> String {
    syntax::write(scenario)
}
