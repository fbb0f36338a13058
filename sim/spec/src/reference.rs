//! The reference of settings, as they describe themselves.

use crate::describe::{Body, Field, Named, Types};

/// These types and those that they name, each once, in the order in which a reader of a file meets them.
#[must_use]
pub fn all(mut queue: Types) -> Vec<Named> {
    let mut done: Vec<Named> = Vec::new();
    while let Some(describe) = queue.pop() {
        let named = describe();
        if done.iter().any(|other| other.name == named.name) {
            continue;
        }
        queue.extend(fields(&named).iter().flat_map(|field| &field.types).rev());
        done.push(named);
    }
    done
}

/// The fields of a type, of a choice those of all its variants.
#[must_use]
pub fn fields(named: &Named) -> Vec<&Field> {
    match &named.body {
        Body::Unit => Vec::new(),
        Body::Items(fields) | Body::Fields(fields) => fields.iter().collect(),
        Body::Choices(choices) => choices.iter().flat_map(fields).collect(),
    }
}

/// A section for each of these types, in Markdown.
#[must_use]
pub fn sections(types: &[Named]) -> String {
    let mut guide = String::new();
    for Named { name, doc, short, body } in types {
        guide += &format!("\n## {name}\n\n{doc}\n\n");
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
    *guide += &format!("- `{form}`: {doc}\n");
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
    *guide += &format!("{indent}- `{name}: {written}`{required}: {doc}{range}{default}\n");
}
