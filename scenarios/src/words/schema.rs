//! Where a scenario has a field, and which of some choices take a number or a text: from the settings' descriptions.
//! All parts are registered before anything is read: descriptions are made once.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::LazyLock;

use fedbits_spec::describe::{Body, Field, Named, Types};
use fedbits_spec::reference::all;
use fedbits_spec::{Described, Documented};
use fedbits_text::Place;

use crate::schema::Scenario;

/// Every place of a field of this name that is nearest to the top, with the choices that have it there.
pub(super) fn places(name: &str) -> Vec<Place> {
    /// By name: of each the depth and the place.
    static PLACES: LazyLock<BTreeMap<&str, Vec<(usize, Place)>>> = LazyLock::new(all_places);
    let found = PLACES.get(name).map_or(&[][..], Vec::as_slice);
    let nearest = found.iter().map(|(depth, _)| *depth).min();
    found.iter().filter(|(depth, _)| Some(*depth) == nearest).map(|(_, place)| place.clone()).collect()
}

/// Lists and maps are not looked into, and of each type only its first place is.
fn all_places() -> BTreeMap<&'static str, Vec<(usize, Place)>> {
    let mut found: BTreeMap<&str, Vec<(usize, Place)>> = BTreeMap::new();
    let (mut seen, mut queue) = (BTreeSet::new(), VecDeque::from([(String::new(), Scenario::describe())]));
    while let Some((path, named)) = queue.pop_front() {
        if !seen.insert(named.name) {
            continue;
        }
        for (variant, field) in members(&named) {
            if field.written.starts_with(['[', '{', '(']) {
                continue;
            }
            let is_item = field.name.is_empty();
            let inner = match (is_item, path.is_empty()) {
                (true, _) => path.clone(),
                (false, true) => field.name.to_owned(),
                (false, false) => format!("{path}.{}", field.name),
            };
            if !is_item {
                let places = found.entry(field.name).or_default();
                match places.iter_mut().find(|(_, place)| place.path == inner) {
                    Some((_, place)) => place.variants.extend(variant),
                    None => {
                        let place = Place { path: inner.clone(), variants: variant.into_iter().collect() };
                        places.push((inner.matches('.').count(), place));
                    }
                }
            }
            for describe in &field.types {
                // What stands in parentheses behind a name is no deeper.
                match is_item {
                    true => queue.push_front((inner.clone(), describe())),
                    false => queue.push_back((inner.clone(), describe())),
                }
            }
        }
    }
    found
}

/// The field at a path, by the first choice that has it.
pub(crate) fn described(path: &str) -> Option<Field> {
    let (mut found, mut types): (Option<Field>, Types) = (None, vec![Scenario::describe]);
    for name in path.split('.') {
        let name = name.split('[').next().unwrap_or(name);
        let mut items = std::mem::take(&mut types);
        found = None;
        // What stands in parentheses behind a name is at the same path.
        while found.is_none() && !items.is_empty() {
            let fields: Vec<Field> = items
                .drain(..)
                .flat_map(|describe| {
                    members(&describe()).into_iter().map(|(_, field)| field.clone()).collect::<Vec<_>>()
                })
                .collect();
            items = fields.iter().filter(|field| field.name.is_empty()).flat_map(|field| field.types.clone()).collect();
            found = fields.into_iter().find(|field| field.name == name);
        }
        types = found.as_ref()?.types.clone();
    }
    found
}

/// The fields of a type, each with the choice that has it.
fn members(named: &Named) -> Vec<(Option<&'static str>, &Field)> {
    match &named.body {
        Body::Unit => Vec::new(),
        Body::Items(fields) | Body::Fields(fields) => fields.iter().map(|field| (None, field)).collect(),
        Body::Choices(choices) => {
            let of = |choice: &'_ Named| choice.name;
            choices
                .iter()
                .flat_map(|part| members(part).into_iter().map(move |(_, field)| (Some(of(part)), field)))
                .collect()
        }
    }
}

/// A literal.
#[derive(Clone, Copy)]
pub(super) enum Literal<'w> {
    /// A number, as it is written.
    Number(f64, &'w str),
    /// A text in quotes.
    Text(&'w str),
}

/// The choices, of those with these names, that take a literal: `Bernoulli(0.1)`, `Csv(path: "my.csv")`.
pub(super) fn taking(literal: Literal<'_>, variants: &[&str]) -> Vec<String> {
    static TYPES: LazyLock<Vec<Named>> = LazyLock::new(|| {
        let mut queue = Types::new();
        Scenario::types(&mut queue);
        all(queue)
    });
    let names = |named: &Named| match &named.body {
        Body::Choices(choices) => choices.iter().map(|choice| choice.name).collect(),
        _ => Vec::new(),
    };
    let Some(Named { body: Body::Choices(choices), .. }) = TYPES.iter().find(|named| names(named) == variants) else {
        return Vec::new();
    };
    choices.iter().filter_map(|choice| written(choice, literal)).collect()
}

/// A choice with a literal as all that it needs.
fn written(choice: &Named, literal: Literal<'_>) -> Option<String> {
    let (Literal::Number(_, text) | Literal::Text(text)) = literal;
    let name = choice.name;
    match &choice.body {
        Body::Items(items) => match &items[..] {
            [item] if takes(item, literal) => Some(format!("{name}({text})")),
            [item] => match &item.types[..] {
                // A struct whose fields stand directly in the parentheses.
                [describe] if describe().name == item.written => only(&describe().body, literal, name),
                _ => None,
            },
            _ => None,
        },
        body => only(body, literal, name),
    }
}

/// Fields of which one alone is required, if it takes the literal.
fn only(body: &Body, literal: Literal<'_>, name: &str) -> Option<String> {
    let (Literal::Number(_, text) | Literal::Text(text)) = literal;
    let Body::Fields(fields) = body else { return None };
    let required: Vec<&Field> = fields.iter().filter(|field| field.default.is_none()).collect();
    match required[..] {
        [field] if takes(field, literal) => Some(format!("{name}({}: {text})", field.name)),
        _ => None,
    }
}

/// Whether a value may be this literal.
fn takes(field: &Field, literal: Literal<'_>) -> bool {
    let (kind, range) = (field.written.as_str(), field.range.as_deref().unwrap_or(&field.written));
    match literal {
        Literal::Text(_) => kind.starts_with("text"),
        Literal::Number(value, _) if kind.starts_with("whole number") => value.fract() == 0.0 && value >= 0.0,
        Literal::Number(value, _) if kind.starts_with("number") => {
            let is_share = range.contains("(0, 1]") || range.contains("(0, 1)") || range.contains("[0, 1)");
            !is_share || (0.0..=1.0).contains(&value)
        }
        Literal::Number(..) => false,
    }
}
