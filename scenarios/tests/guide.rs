//! `docs/fields.md` is written from the schema's own types and doc comments, so that it cannot drift. After a change of
//! the schema, `UPDATE_GOLDEN=1 cargo test -p fedbits-scenarios --test guide` writes it anew.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use fedbits_scenarios::schema::{
    Aggregation, Availability, Compressor, Compute, Data, Dropout, Energy, Figure, Floats, Initial, Late, Law, Model,
    Network, Partition, Powers, Preprocess, Privacy, Protocol, Round, Staleness, Values, Which,
};
use fedbits_spec::Described;
use fedbits_spec::describe::{Body, Field, Named, Types};
use syn::{Attribute, Expr, Fields, Item, Lit, Meta, Type, Variant};

const HEAD: &str = "\
# Fields of scenarios and studies

Every field with its unit, range and default, written from the schema itself (`scenarios/tests/guide.rs`).
A field without a default is required. Values are RON; `fedbits new NAME` and `fedbits new study NAME` write commented files to start from,
and `fedbits check FILE` says what is wrong with a file, and where.
";

/// A type of the schema, as the guide shows it.
struct Entry {
    text: String,
    /// Types that it names, in order.
    names: Vec<String>,
}

#[test]
fn the_guide_of_fields_is_what_the_schema_says() {
    let written = guide();
    let path = root().join("../docs/fields.md");
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        fs::write(&path, &written).unwrap();
    }
    let kept = fs::read_to_string(&path).unwrap_or_default();
    assert!(
        kept == written,
        "docs/fields.md differs from the schema: run again with UPDATE_GOLDEN=1 and look at the diff"
    );
}

/// The template does not explain every choice, but it names them: none is left to be found by chance.
#[test]
fn the_template_names_every_choice() {
    let (template, entries) = (fedbits_scenarios::library::template("all"), entries());
    let words: Vec<&str> = template.split(|c: char| !c.is_alphanumeric()).collect();
    let all = "Data MissingValues Filling Factors Preprocess Partition Covariance Model Initial Protocol Setting VpBatch Singular Stopping Ties \
        Clustering Weights Consensus Combine Memory Commit Recovery VarianceReduction Participation Batch DivideBy \
        Compressor Floats Broadcast Downlink Domain Weighting Round Late Staleness Network Sites Availability \
        Dropout Aggregation Neighbours Privacy Granularity Against";
    for name in all.split_whitespace() {
        let variants = entries[name].text.lines().filter_map(|line| line.strip_prefix("- `"));
        for variant in variants.map(|line| line.split(['(', '`']).next().expect("a name")) {
            assert!(words.contains(&variant), "{name}::{variant} is not in the template");
        }
    }
}

/// Every type that a scenario or a study can hold, in the order in which a reader of the file meets it.
fn guide() -> String {
    let entries = entries();
    let (mut queue, mut done) = (vec!["Study".to_owned(), "Scenario".to_owned()], Vec::<String>::new());
    let mut guide = HEAD.to_owned();
    while let Some(name) = queue.pop() {
        if done.contains(&name) {
            continue;
        }
        let entry = &entries[&name];
        write!(guide, "\n## {name}\n\n{}", entry.text).unwrap();
        queue.extend(entry.names.iter().rev().filter(|name| entries.contains_key(*name)).cloned());
        done.push(name);
    }
    guide
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).to_owned()
}

fn entries() -> BTreeMap<String, Entry> {
    let folder = fs::read_dir(root().join("src/schema")).unwrap();
    let files: Vec<PathBuf> = folder.map(|file| file.unwrap().path()).collect();
    let mut entries = BTreeMap::new();
    for file in files {
        let text = fs::read_to_string(&file).unwrap();
        let items = syn::parse_file(&text).unwrap().items;
        entries.extend(items.iter().filter_map(entry));
    }
    described(<Compressor as Described>::types, &mut entries);
    described(Floats::types, &mut entries);
    described(<Data as Described>::types, &mut entries);
    described(<Protocol as Described>::types, &mut entries);
    described(Partition::types, &mut entries);
    described(Preprocess::types, &mut entries);
    described(Model::types, &mut entries);
    described(Initial::types, &mut entries);
    described(Availability::types, &mut entries);
    described(Compute::types, &mut entries);
    described(Dropout::types, &mut entries);
    described(Powers::types, &mut entries);
    described(Aggregation::types, &mut entries);
    described(Privacy::types, &mut entries);
    described(Energy::types, &mut entries);
    described(Network::types, &mut entries);
    described(Late::types, &mut entries);
    described(Round::types, &mut entries);
    described(Staleness::types, &mut entries);
    described(Figure::types, &mut entries);
    described(Values::types, &mut entries);
    described(Law::types, &mut entries);
    described(Which::types, &mut entries);
    entries
}

/// Types that describe themselves, and those that they name.
fn described(types: fn(&mut Types), entries: &mut BTreeMap<String, Entry>) {
    let mut queue = Vec::new();
    types(&mut queue);
    while let Some(describe) = queue.pop() {
        let Named { name, doc, short, body } = describe();
        if entries.contains_key(name) {
            continue;
        }
        let mut entry = Entry { text: format!("{doc}\n\n"), names: Vec::new() };
        match body {
            Body::Choices(choices) => {
                for Named { name, doc, body, .. } in choices {
                    let (form, fields) = match body {
                        Body::Unit | Body::Choices(_) => (name.to_owned(), Vec::new()),
                        Body::Items(items) => {
                            let written: Vec<String> = items.iter().map(item).collect();
                            items.into_iter().for_each(|item| named(item.types, &mut entry, &mut queue));
                            (format!("{name}({})", written.join(", ")), Vec::new())
                        }
                        Body::Fields(fields) => (format!("{name}(…)"), fields),
                    };
                    writeln!(entry.text, "- `{form}`: {doc}").unwrap();
                    fields.into_iter().for_each(|field| row(field, "  ", &mut entry, &mut queue));
                }
            }
            Body::Fields(fields) => fields.into_iter().for_each(|field| row(field, "", &mut entry, &mut queue)),
            Body::Unit | Body::Items(_) => {}
        }
        entry.text += &shortly(short);
        entries.insert(name.to_owned(), entry);
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

fn row(field: Field, indent: &str, entry: &mut Entry, queue: &mut Types) {
    let Field { name, doc, written, range, default, types } = field;
    let (required, default) = match default {
        None => (", required", String::new()),
        Some(default) if default.len() > 60 => ("", String::new()),
        Some(default) => ("", format!(" Default `{default}`.")),
    };
    let range = range.map_or(String::new(), |range| format!(" Range: {range}."));
    writeln!(entry.text, "{indent}- `{name}: {written}`{required}: {doc}{range}{default}").unwrap();
    named(types, entry, queue);
}

/// The types that a field names, to be described once.
fn named(types: Types, entry: &mut Entry, queue: &mut Types) {
    for describe in types {
        let name = describe().name;
        if !entry.names.iter().any(|other| other == name) {
            entry.names.push(name.to_owned());
            queue.push(describe);
        }
    }
}

fn entry(item: &Item) -> Option<(String, Entry)> {
    let (name, attributes) = match item {
        Item::Struct(item) => (&item.ident, &item.attrs),
        Item::Enum(item) => (&item.ident, &item.attrs),
        _ => return None,
    };
    let derives = |attribute: &Attribute| {
        let Meta::List(list) = &attribute.meta else { return false };
        list.path.is_ident("derive") && list.tokens.to_string().contains("Deserialize")
    };
    let describes_itself = |attribute: &Attribute| {
        let Meta::List(list) = &attribute.meta else { return false };
        list.path.is_ident("derive") && list.tokens.to_string().contains("Described")
    };
    if !attributes.iter().any(derives) || attributes.iter().any(describes_itself) {
        return None;
    }
    let mut entry = Entry { text: format!("{}\n\n", doc(attributes)), names: Vec::new() };
    match item {
        Item::Struct(item) => {
            let all_optional = defaults(&item.attrs);
            fields(&mut entry, &item.fields, "", all_optional);
        }
        Item::Enum(item) => item.variants.iter().for_each(|variant| one_of(&mut entry, variant)),
        _ => {}
    }
    Some((name.to_string(), entry))
}

fn one_of(entry: &mut Entry, variant: &Variant) {
    let name = &variant.ident;
    let form = match &variant.fields {
        Fields::Unit => name.to_string(),
        Fields::Named(_) => format!("{name}(…)"),
        Fields::Unnamed(fields) => {
            let types: Vec<String> = fields.unnamed.iter().map(|field| shown(&field.ty, &mut entry.names)).collect();
            format!("{name}({})", types.join(", "))
        }
    };
    writeln!(entry.text, "- `{form}`: {}", doc(&variant.attrs)).unwrap();
    if matches!(variant.fields, Fields::Named(_)) {
        fields(entry, &variant.fields, "  ", false);
    }
}

fn fields(entry: &mut Entry, fields: &Fields, indent: &str, all_optional: bool) {
    for field in fields {
        let shown = shown(&field.ty, &mut entry.names);
        let required = if all_optional || defaults(&field.attrs) { "" } else { ", required" };
        let name = field.ident.as_ref().map(ToString::to_string).unwrap_or_default();
        writeln!(entry.text, "{indent}- `{name}: {shown}`{required}: {}", doc(&field.attrs)).unwrap();
    }
}

/// Does serde fill it in?
fn defaults(attributes: &[Attribute]) -> bool {
    let says = |attribute: &Attribute| match &attribute.meta {
        Meta::List(list) => list.path.is_ident("serde") && list.tokens.to_string().contains("default"),
        _ => false,
    };
    attributes.iter().any(says)
}

fn doc(attributes: &[Attribute]) -> String {
    let line = |attribute: &Attribute| match &attribute.meta {
        Meta::NameValue(pair) if pair.path.is_ident("doc") => match &pair.value {
            Expr::Lit(literal) => match &literal.lit {
                Lit::Str(text) => Some(text.value().trim().to_owned()),
                _ => None,
            },
            _ => None,
        },
        _ => None,
    };
    attributes.iter().filter_map(line).collect::<Vec<_>>().join(" ")
}

/// The type in RON's words; types of the schema are collected in `names`.
fn shown(of: &Type, names: &mut Vec<String>) -> String {
    match of {
        Type::Path(path) => {
            let last = path.path.segments.last().unwrap();
            let arguments: Vec<String> = match &last.arguments {
                syn::PathArguments::AngleBracketed(list) => {
                    list.args.iter().map(|argument| inner(argument, names)).collect()
                }
                _ => Vec::new(),
            };
            match (last.ident.to_string().as_str(), arguments.as_slice()) {
                ("Option", [of]) => format!("Some({of}) or None"),
                ("Vec", [of]) => format!("[{of}, …]"),
                ("Box", [of]) => of.clone(),
                ("BTreeMap", [key, value]) => format!("{{{key}: {value}, …}}"),
                ("f64", _) => "number".to_owned(),
                ("u8" | "u16" | "u32" | "u64" | "usize", _) => "whole number".to_owned(),
                ("String", _) => "text".to_owned(),
                ("bool", _) => "true or false".to_owned(),
                (name, _) => {
                    names.push(name.to_owned());
                    name.to_owned()
                }
            }
        }
        Type::Tuple(tuple) => {
            let of: Vec<String> = tuple.elems.iter().map(|of| shown(of, names)).collect();
            format!("({})", of.join(", "))
        }
        _ => panic!("a type that the guide cannot show"),
    }
}

fn inner(argument: &syn::GenericArgument, names: &mut Vec<String>) -> String {
    match argument {
        syn::GenericArgument::Type(of) => shown(of, names),
        _ => panic!("an argument that the guide cannot show"),
    }
}
