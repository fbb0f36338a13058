//! `docs/fields.md`: a section for each type.

use fedbits_spec::describe::Named;
use fedbits_spec::reference::{Repeated, sections};

const HEAD: &str = "\
# Fields of scenarios

Every field of a scenario with its unit, range and default, generated from the source code (`scenarios/tests/guide`).

- A field marked *required* must be given; *optional* fields can be omitted or set to `None`.
- A field with neither mark nor default takes the defaults of its own fields.
- \"As for `X(…)`\" refers to the field of the same name there. `fedbits explain FIELD` prints it in full.
- Numbers have no unit unless the text names one. Files are looked up beside the scenario, then in the data folders.
- Values are RON (<https://github.com/ron-rs/ron>): `name: value` in parentheses, lists in brackets, text in double
  quotes, comments after `//`.

`fedbits new NAME` writes a commented scenario; `fedbits check FILE` reports errors with their locations.
";

/// The guide of these types.
pub fn guide(types: &[Named]) -> String {
    format!("{HEAD}{}", sections(types, Repeated::Reference))
}
