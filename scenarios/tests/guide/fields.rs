//! `docs/fields.md`: a section for each type.

use fedbits_spec::describe::Named;
use fedbits_spec::reference::{Repeated, sections};

const HEAD: &str = "\
# Fields of scenarios

Every field of a scenario with its unit, range and default, generated from the source code (`scenarios/tests/guide`).

- `name: type = default, range: description`. `(…)` stands for the defaults of the field's own fields.
- A field without `=` must be given, unless it is *optional*: these can be omitted or set to `None`.
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
