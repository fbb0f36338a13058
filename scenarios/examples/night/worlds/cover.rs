//! How often each item of all that can be named stands in worlds.

use std::collections::BTreeMap;

use crate::worlds::grammar::{Grammar, Item};
use crate::worlds::value::{Content, Value};

/// Does the scenario name the item?
pub fn names(scenario: &Value, item: &Item) -> bool {
    scenario.all().iter().any(|(_, value)| {
        value.of == item.of
            && matches!(value.content, Content::Part { .. })
            && value.variant() == item.variant
            && item.field.is_none_or(|field| value.field(field).is_some())
    })
}

/// In how many worlds each item stands.
#[derive(Debug, Default)]
pub struct Coverage {
    counts: BTreeMap<String, u64>,
}

impl Coverage {
    pub fn of(items: &[Item]) -> Self {
        Self { counts: items.iter().map(|item| (item.to_string(), 0)).collect() }
    }

    /// Counts what a world names, by itself or by the default of a field that is left out.
    pub fn add(&mut self, grammar: &Grammar, items: &[Item], scenario: &Value) {
        let mut seen = std::collections::BTreeSet::new();
        for (_, value) in scenario.all() {
            if let Content::Part { variant, fields } = &value.content {
                let (of, variant) = (&value.of, variant.as_ref().map_or(String::new(), |name| format!("::{name}")));
                seen.insert(format!("{of}{variant}"));
                seen.extend(fields.iter().map(|(field, _)| format!("{of}{variant}.{field}")));
                seen.extend(defaults(grammar, value));
            }
        }
        for item in items.iter().map(Item::to_string).filter(|item| seen.contains(item)) {
            *self.counts.entry(item).or_default() += 1;
        }
    }

    pub fn counts(&self) -> &BTreeMap<String, u64> {
        &self.counts
    }

    pub fn set(&mut self, item: &str, count: u64) {
        if let Some(entry) = self.counts.get_mut(item) {
            *entry = count;
        }
    }

    pub fn missing(&self) -> Vec<&str> {
        self.counts.iter().filter(|(_, count)| **count == 0).map(|(item, _)| item.as_str()).collect()
    }
}

/// Variants that stand in the defaults of the fields that a value leaves out.
fn defaults(grammar: &Grammar, value: &Value) -> Vec<String> {
    let (described, named) = grammar.fields(&value.of, value.variant());
    let left_out = described.iter().filter(|field| named && value.field(field.name).is_none());
    let of = |field: &fedbits_spec::describe::Field| {
        let default = field.default.as_deref()?;
        let variant = default.split('(').next()?;
        let known = grammar.variants(&field.written).contains(&variant);
        known.then(|| format!("{}::{variant}", field.written))
    };
    left_out.filter_map(of).collect()
}
