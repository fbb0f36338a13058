//! What is written from the sources, so that it cannot drift: `docs/fields.md`, the sentences of `docs/caveats.md`, and
//! the classes of the Python package. After a change, `UPDATE_GOLDEN=1 cargo test -p fedbits-scenarios --test tests guide`
//! writes them anew.

mod fields;
mod literature;
mod python;
mod walk;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use fedbits_scenarios::schema::Scenario;
use fedbits_spec::describe::{Body, Named, Types};
use fedbits_spec::reference::all;
use fedbits_spec::{Caveat, CaveatKind, CaveatSeverity, Described};

/// The file is what was made, or becomes it.
fn same(file: &str, made: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(file);
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        fs::write(&path, made).unwrap();
    }
    let kept = fs::read_to_string(&path).unwrap_or_default();
    assert!(kept == made, "{file} differs from the schema: run again with UPDATE_GOLDEN=1 and look at the diff");
}

#[test]
fn the_guide_of_fields_is_what_the_schema_says() {
    same("docs/fields.md", &fields::guide(&walk::types()));
}

#[test]
fn the_table_of_quantizers_is_that_of_the_words() {
    let file = "docs/names.md";
    let kept = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(file)).unwrap();
    let (before, section) = kept.split_once(literature::HEADING).expect("the page has the section");
    let after = section.find("\n## ").map_or("", |next| &section[next..]);
    same(file, &format!("{before}{}{after}", literature::section()));
}

#[test]
fn the_classes_of_python_are_what_the_schema_says() {
    let made = python::module(&walk::types());
    let (names, mut once) = (python::class_names(&made), BTreeSet::new());
    let twice: Vec<&&str> = names.iter().filter(|name| !once.insert(**name)).collect();
    assert!(twice.is_empty(), "two classes are called {twice:?}");
    same("python/fedbits/parts.py", &made);
}

/// The second would be described as the first, in the guide and as a class.
#[test]
fn no_two_types_have_one_name() {
    let types = walk::types();
    let all = types.iter().flat_map(walk::fields).flat_map(|field| &field.types).map(|describe| describe());
    let doubles: BTreeSet<&str> =
        all.filter(|described| !types.contains(described)).map(|described| described.name).collect();
    assert!(doubles.is_empty(), "there are other types of these names: {doubles:?}");
}

/// Choices that the template leaves to docs/fields.md: layouts of files, families of counts, what stands in for missing
/// messages, and figures.
const NOT_IN_THE_TEMPLATE: &str = "Amount Which Arrangement Family Matrices Missing \
    Columns FigureKind Band ClientAxis Corner Cost Ends ForestOrder Mark MixtureView Panels Scale ShownArm Timed XAxis";

/// The fields of a type, of a choice those of this variant.
fn fields_of(types: &[Named], name: &str, variant: Option<&str>) -> Vec<&'static str> {
    let named = types.iter().find(|named| named.name == name).unwrap_or_else(|| panic!("no type {name}"));
    let body = match (&named.body, variant) {
        (Body::Choices(choices), Some(variant)) => &choices.iter().find(|choice| choice.name == variant).unwrap().body,
        (body, _) => body,
    };
    let (Body::Fields(fields) | Body::Items(fields)) = body else { panic!("{name} has no fields") };
    fields.iter().map(|field| field.name).collect()
}

/// What the template says that it has: every field of FedEM on a mixture, also those that a resolved text leaves out.
#[test]
fn the_template_has_every_field_of_fedem_on_a_mixture() {
    let (template, types) = (fedbits_scenarios::library::template("all"), walk::types());
    let structs = "Scenario FedEm Network Transport Queues LinkSettings SecureAggregation Gaussian Compute Slow Hazard Powers \
        ServerPower Stop Patience Record Arm";
    let variants = [("Data", "GaussianMixture"), ("Model", "GaussianMixture"), ("Shape", "Graph")];
    let of_variants = variants.iter().flat_map(|(name, variant)| fields_of(&types, name, Some(variant)));
    for field in structs.split_whitespace().flat_map(|name| fields_of(&types, name, None)).chain(of_variants) {
        assert!(template.contains(&format!("{field}:")), "{field} is not in the template");
    }
}

/// The template shows every field and choice of what speaks of several runs.
#[test]
fn the_template_has_every_field_of_axes_and_searches() {
    let (template, types) = (fedbits_scenarios::library::template("all"), walk::types());
    let words: Vec<&str> = template.split(|c: char| !c.is_alphanumeric() && c != '_').collect();
    let all = "Arm Stop Patience Measure Axis PointSet Values Law Target Race Objective Constraint";
    for name in all.split_whitespace() {
        let named = types.iter().find(|named| named.name == name).unwrap_or_else(|| panic!("no type {name}"));
        for field in walk::fields(named).into_iter().filter(|field| !field.name.starts_with("item_")) {
            assert!(words.contains(&field.name), "{name}: {} is not in the template", field.name);
        }
        let Body::Choices(choices) = &named.body else { continue };
        for choice in choices {
            // A list is written without its name.
            assert!(words.contains(&choice.name) || choice.name == "List", "{name}::{} is not there", choice.name);
        }
    }
}

/// The template does not explain every choice, but it names them: none is left to be found by chance.
#[test]
fn the_template_names_every_choice() {
    let (template, mut types) = (fedbits_scenarios::library::template("all"), Types::new());
    Scenario::types(&mut types);
    let words: Vec<&str> = template.split(|c: char| !c.is_alphanumeric()).collect();
    let left_out: Vec<&str> = NOT_IN_THE_TEMPLATE.split_whitespace().collect();
    let mut missing = Vec::new();
    for named in all(types).iter().filter(|named| !left_out.contains(&named.name)) {
        let Body::Choices(choices) = &named.body else { continue };
        let unnamed = choices.iter().filter(|choice| !words.contains(&choice.name));
        missing.extend(unnamed.map(|choice| format!("{}::{}", named.name, choice.name)));
    }
    assert!(missing.is_empty(), "not in scenarios/src/template.ron: {missing:?}");
}

/// Each id has one section, with the sentence of the table and an explanation below it.
#[test]
fn the_page_of_caveats_has_every_id() {
    let file = "docs/caveats.md";
    let kept = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(file)).unwrap();
    let (head, sections) = kept.split_once("\n## ").expect("the page has sections");
    let mut explanations = BTreeMap::new();
    for section in sections.split("\n## ") {
        let (id, body) = section.split_once('\n').unwrap();
        let lines = body.lines().skip_while(|line| line.is_empty() || line.starts_with("    "));
        explanations.insert(id, lines.collect::<Vec<_>>().join("\n"));
    }
    let section = |kind: &CaveatKind| {
        let explanation = explanations.remove(kind.id).filter(|text| text.len() > 40);
        let explanation = explanation.unwrap_or_else(|| panic!("{file} does not explain `{}`", kind.id));
        let severity = if kind.severity == CaveatSeverity::Warning { "warning" } else { "note" };
        format!("\n## {}\n\n    {severity}: {}\n\n{explanation}\n", kind.id, kind.sentence)
    };
    let made: String = Caveat::KINDS.iter().map(section).collect();
    assert!(explanations.is_empty(), "these are no ids: {:?}", explanations.keys());
    same(file, &format!("{head}{made}"));
}
