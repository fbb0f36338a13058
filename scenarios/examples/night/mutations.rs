//! Changes the scenarios and studies of the library as often as requested, and loads what comes out: nothing may panic,
//! and every problem has a position. A change is a function of its number, so that one that fails can be had again.
//!
//! `cargo run --release -p fedbits-scenarios --example night -- mutations 100000`; a second number is that of the first
//! change.

use std::error::Error;
use std::panic;

use crate::draws::Draws;
use crate::mutation::{survives, texts};
use rayon::prelude::*;

/// What numbers and names are replaced with.
const VALUES: [&str; 16] = [
    "0",
    "-1",
    "1e400",
    "NaN",
    "inf",
    "0.5",
    "18446744073709551616",
    "1e-320",
    "None",
    "()",
    "[]",
    "{}",
    "\"\"",
    "Identity",
    "Sec(1)",
    "true",
];

/// What single characters are replaced with.
const CHARACTERS: [char; 16] = ['(', ')', '[', ']', '{', '}', ',', ':', '"', '\'', '0', '-', '.', 'a', 'Ω', '\n'];

pub fn main(arguments: &[String]) -> Result<(), Box<dyn Error>> {
    let mut arguments = arguments.iter();
    let count: u64 = arguments.next().ok_or("usage: mutations COUNT [FIRST]")?.parse()?;
    let first: u64 = arguments.next().map_or(Ok(0), |first| first.parse())?;
    let texts = texts();
    let survived = (first..first + count).into_par_iter().try_for_each(|number| {
        let mut draws = Draws(number);
        let text = &texts[draws.below(texts.len())];
        let mutated = (0..=draws.below(3)).fold(text.clone(), |text, _| changed(text, &mut draws));
        panic::catch_unwind(|| survives(&mutated, &[]))
            .map_err(|_| format!("mutation {number} is not survived:\n{mutated}"))
    });
    survived?;
    println!("{count} mutations: no panic, every problem at a position");
    Ok(())
}

/// One change: of a character, a word, a line, or the end.
fn changed(text: String, draws: &mut Draws) -> String {
    match draws.below(8) {
        0 => characters(&text, draws),
        1..=3 => words(&text, draws),
        4..=6 => lines(&text, draws),
        _ => text[..text.floor_char_boundary(draws.below(text.len()))].to_owned(),
    }
}

fn characters(text: &str, draws: &mut Draws) -> String {
    let mut all: Vec<char> = text.chars().collect();
    if all.is_empty() {
        return String::new();
    }
    let (at, new) = (draws.below(all.len()), CHARACTERS[draws.below(CHARACTERS.len())]);
    match draws.below(3) {
        0 => all[at] = new,
        1 => drop(all.remove(at)),
        _ => all.insert(at, new),
    }
    all.into_iter().collect()
}

/// A name or a number becomes another of the text, or a value of the list.
fn words(text: &str, draws: &mut Draws) -> String {
    let is_part = |c: char| c.is_ascii_alphanumeric() || "_.-".contains(c);
    let mut ranges = Vec::new();
    let mut start = None;
    for (at, character) in text.char_indices() {
        match (is_part(character), start) {
            (true, None) => start = Some(at),
            (false, Some(from)) => {
                ranges.push(from..at);
                start = None;
            }
            _ => {}
        }
    }
    if ranges.is_empty() {
        return text.to_owned();
    }
    let old = ranges[draws.below(ranges.len())].clone();
    let other = &text[ranges[draws.below(ranges.len())].clone()];
    let new = if draws.below(2) == 0 { other } else { VALUES[draws.below(VALUES.len())] };
    format!("{}{new}{}", &text[..old.start], &text[old.end..])
}

/// A line goes away, comes twice, or is swapped with another.
fn lines(text: &str, draws: &mut Draws) -> String {
    let mut all: Vec<&str> = text.split_inclusive('\n').collect();
    if all.is_empty() {
        return String::new();
    }
    let (at, other) = (draws.below(all.len()), draws.below(all.len()));
    match draws.below(3) {
        0 => drop(all.remove(at)),
        1 => all.insert(other, all[at]),
        _ => all.swap(at, other),
    }
    all.concat()
}
