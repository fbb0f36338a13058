//! The reference of settings, as they describe themselves.

use std::collections::BTreeMap;

use crate::describe::{Body, Field, Named, Types};

/// These types and those that they name, each once, in the order in which a reader of a file meets them.
#[must_use]
pub fn all(mut queue: Types) -> Vec<Named> {
    let mut done: Vec<Named> = Vec::new();
    while let Some(describe) = queue.pop() {
        let named = describe();
        if done.iter().any(|known| known.name == named.name) {
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

/// What stands in place of a field that has been described before.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Repeated {
    /// The same description.
    Whole,
    /// A reference to it.
    Reference,
}

/// The section of a field, and its variant.
type Owner = (&'static str, Option<&'static str>);

/// A row is referred to if it has so many words, or its owner the name of the first one.
const LONG: usize = 9;

fn called((section, variant): Owner, here: &str) -> String {
    let link = format!("[{section}](#{})", section.to_lowercase());
    match variant {
        Some(variant) if section == here => format!("`{variant}(…)`"),
        Some(variant) => format!("`{variant}(…)` of {link}"),
        None => link,
    }
}

/// A section for each of these types, in Markdown.
#[must_use]
pub fn sections(types: &[Named], repeated: Repeated) -> String {
    let mut guide = Guide { text: String::new(), repeated, owners: BTreeMap::new() };
    for Named { name, doc, short, body } in types {
        guide.text += &format!("\n## {name}\n\n{doc}\n\n");
        match body {
            Body::Choices(choices) => choices.iter().for_each(|choice| guide.variant(name, choice)),
            Body::Fields(fields) => guide.fields(fields, (name, None)),
            Body::Unit | Body::Items(_) => {}
        }
        guide.text += &shortly(short);
    }
    guide.text
}

struct Guide {
    text: String,
    repeated: Repeated,
    /// Who has each row first.
    owners: BTreeMap<String, Owner>,
}

impl Guide {
    /// Who has a row that is referred to.
    fn known(&mut self, row: &str, owner: Owner) -> Option<Owner> {
        let first = *self.owners.entry(row.to_owned()).or_insert(owner);
        let name = |owner: Owner| owner.1.unwrap_or(owner.0);
        let refers = name(first) == name(owner) || row.split_whitespace().count() >= LONG;
        (self.repeated == Repeated::Reference && first != owner && refers).then_some(first)
    }

    fn variant(&mut self, section: &'static str, Named { name, doc, body, .. }: &Named) {
        let (form, fields): (String, &[Field]) = match body {
            Body::Unit | Body::Choices(_) => ((*name).to_owned(), &[]),
            Body::Items(items) => (format!("{name}({})", items.iter().map(item).collect::<Vec<_>>().join(", ")), &[]),
            Body::Fields(fields) => (format!("{name}(…)"), fields),
        };
        let row = format!("- `{form}`: {doc}\n");
        let first = self.known(&row, (section, None));
        self.text += &first.map_or(row, |first| format!("- `{form}`: as for {}.\n", called(first, section)));
        self.fields(fields, (section, Some(name)));
    }

    fn fields(&mut self, fields: &[Field], owner: Owner) {
        let indent = if owner.1.is_some() { "  " } else { "" };
        let mut references: BTreeMap<Owner, Vec<String>> = BTreeMap::new();
        for field in fields {
            let row = row(field);
            match self.known(&row, owner) {
                None => self.text += &format!("{indent}{row}"),
                Some(first) => references.entry(first).or_default().push(format!("`{}`", field.name)),
            }
        }
        for (first, names) in references {
            self.text += &format!("{indent}- {}: as for {}.\n", names.join(", "), called(first, owner.0));
        }
    }
}

/// The short spellings of a type.
fn shortly(forms: &[(&str, &str)]) -> String {
    let forms: Vec<String> = forms.iter().map(|(short, long)| format!("`{short}` is `{long}`")).collect();
    if forms.is_empty() { String::new() } else { format!("\nIn short: {}.\n", forms.join(", ")) }
}

fn item(item: &Field) -> String {
    item.range.as_ref().map_or(item.written.clone(), |range| format!("{} {range}", item.written))
}

/// The name before the parenthesis of a value; that of a struct is not written.
fn head(value: &str) -> &str {
    value.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default()
}

fn row(field: &Field) -> String {
    let Field { name, doc, written, default, .. } = field;
    let optional = written.strip_prefix("Some(").and_then(|rest| rest.strip_suffix(") or None"));
    let (written, mark, default) = match (default.as_deref(), optional) {
        (None, _) => (&**written, "", String::new()),
        (Some("None"), Some(inner)) => (inner, ", optional", String::new()),
        (Some(default), _) if default.len() > 60 => (&**written, "", format!(" = {}(…)", head(default))),
        (Some(default), _) => (&**written, "", format!(" = {default}")),
    };
    let range = field.bare_range().map_or(String::new(), |range| format!(", {range}"));
    format!("- `{name}: {written}{default}`{mark}{range}: {doc}\n")
}
