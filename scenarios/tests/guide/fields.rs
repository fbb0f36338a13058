//! `docs/fields.md`: a section for each type.

use fedbits_spec::describe::Named;
use fedbits_spec::reference::sections;

const HEAD: &str = "\
# Fields of scenarios

Every field with its unit, range and default, written from the schema itself (`scenarios/tests/guide`).
Fields marked *required* must be given. A field that is neither marked so nor has a default here takes the defaults of its own fields.
Values are RON (Rusty Object Notation, <https://github.com/ron-rs/ron>): `name: value` in parentheses, lists in brackets, texts in double
quotes, comments after `//`. `fedbits new NAME` writes a commented file to start from, and `fedbits check FILE`
says what is wrong with a file, and where.
";

/// The guide of these types.
pub fn guide(types: &[Named]) -> String {
    format!("{HEAD}{}", sections(types))
}
