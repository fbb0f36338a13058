//! `docs/fields.md`: a section for each type.

use std::fmt::Write as _;

use fedbits_spec::describe::{Body, Field, Named};

const HEAD: &str = "\
# Fields of scenarios and studies

Every field with its unit, range and default, written from the schema itself (`scenarios/tests/guide`).
A field without a default is required. Values are RON; `fedbits new NAME` and `fedbits new study NAME` write commented files to start from,
and `fedbits check FILE` says what is wrong with a file, and where.
";

/// The guide of these types.
pub fn guide(types: &[Named]) -> String {
    let mut guide = HEAD.to_owned();
    for Named { name, doc, short, body } in types {
        write!(guide, "\n## {name}\n\n{doc}\n\n").unwrap();
        match body {
            Body::Choices(choices) => choices.iter().for_each(|choice| variant(choice, &mut guide)),
            Body::Fields(fields) => fields.iter().for_each(|field| row(field, "", &mut guide)),
            Body::Unit | Body::Items(_) => {}
        }
        guide += &shortly(short);
    }
    guide
}

fn variant(Named { name, doc, body, .. }: &Named, guide: &mut String) {
    let (form, fields): (String, &[Field]) = match body {
        Body::Unit | Body::Choices(_) => ((*name).to_owned(), &[]),
        Body::Items(items) => (format!("{name}({})", items.iter().map(item).collect::<Vec<_>>().join(", ")), &[]),
        Body::Fields(fields) => (format!("{name}(…)"), fields),
    };
    writeln!(guide, "- `{form}`: {doc}").unwrap();
    fields.iter().for_each(|field| row(field, "  ", guide));
}

/// The short spellings of a type.
fn shortly(forms: &[(&str, &str)]) -> String {
    let forms: Vec<String> = forms.iter().map(|(short, long)| format!("`{short}` is `{long}`")).collect();
    if forms.is_empty() { String::new() } else { format!("\nIn short: {}.\n", forms.join(", ")) }
}

fn item(item: &Field) -> String {
    item.range.as_ref().map_or(item.written.clone(), |range| format!("{} {range}", item.written))
}

fn row(field: &Field, indent: &str, guide: &mut String) {
    let Field { name, doc, written, range, default, .. } = field;
    let (required, default) = match default {
        None => (", required", String::new()),
        Some(default) if default.len() > 60 => ("", String::new()),
        Some(default) => ("", format!(" Default `{default}`.")),
    };
    let range = range.as_ref().map_or(String::new(), |range| format!(" Range: {range}."));
    writeln!(guide, "{indent}- `{name}: {written}`{required}: {doc}{range}{default}").unwrap();
}
