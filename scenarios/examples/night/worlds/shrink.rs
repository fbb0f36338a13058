//! From a scenario on which something fails to a smallest one on which it still does.

use crate::worlds::grammar::{Grammar, Written};
use crate::worlds::make::Maker;
use crate::worlds::value::{Content, Steps, Value};

/// Attempts at most.
const ATTEMPTS: usize = 3_000;

/// Takes away and simplifies, as long as it `fails` still.
pub fn smallest(maker: &Maker, scenario: &Value, mut fails: impl FnMut(&Value) -> bool) -> Value {
    let (mut least, mut attempts) = (scenario.clone(), 0);
    loop {
        let smaller = simpler(maker, &least).into_iter().find(|tried| {
            attempts += 1;
            attempts <= ATTEMPTS && fails(tried)
        });
        match smaller {
            Some(smaller) => least = smaller,
            None => return least,
        }
    }
}

/// Scenarios that are simpler by one step, the largest steps first.
fn simpler(maker: &Maker, scenario: &Value) -> Vec<Value> {
    let (mut removed, mut replaced) = (Vec::new(), Vec::new());
    for (steps, value) in scenario.all() {
        for at in 0..value.children().len() {
            if maker.may_be_left_out(value, at) {
                removed.extend(changed(scenario, &steps, |value| value.remove(at)));
            }
        }
        for other in simpler_values(&maker.grammar, value) {
            replaced.extend(changed(scenario, &steps, |value| *value = other.clone()));
        }
    }
    [removed, replaced].concat()
}

fn changed(scenario: &Value, steps: &Steps, change: impl FnOnce(&mut Value)) -> Option<Value> {
    let mut other = scenario.clone();
    change(other.at_mut(steps)?);
    Some(other)
}

/// Of a choice the variants without content, of a number one that is shorter or smaller.
fn simpler_values(grammar: &Grammar, value: &Value) -> Vec<Value> {
    let with = |content| Value { content, ..value.clone() };
    match (&value.content, Written::of(&value.of)) {
        (Content::Word(word), Written::Whole) => {
            let number: u64 = word.parse().unwrap_or(0);
            let smaller = [0, 1, 2, number / 2, number.saturating_sub(1)];
            let smaller = smaller.into_iter().filter(|&other| other < number);
            smaller.map(|other| with(Content::Word(other.to_string()))).collect()
        }
        (Content::Word(word), Written::Number) => {
            let number: f64 = word.parse().unwrap_or(0.0);
            let simple = ["0.0", "1.0", "0.5"].into_iter().map(str::to_owned);
            let simple = simple.chain([format!("{number:.0e}"), format!("{number:.1e}")]);
            let simple = simple.filter(|other| other != word && other.len() < word.len());
            simple.map(|other| with(Content::Word(other))).collect()
        }
        (Content::Part { variant: Some(variant), fields }, _) if !fields.is_empty() => {
            let units = grammar.variants(&value.of).into_iter();
            let units = units.filter(|name| *name != variant && grammar.fields(&value.of, Some(name)).0.is_empty());
            units.map(|name| with(Content::Part { variant: Some(name.to_owned()), fields: Vec::new() })).collect()
        }
        _ => Vec::new(),
    }
}
