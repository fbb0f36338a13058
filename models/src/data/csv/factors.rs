//! Columns of texts as numbers: a column of 0 and 1 for each level.

use crate::data::{Fill, Input};
use fedbits_spec::Described;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Feature columns whose first value is text. Numbers among texts are refused.
#[derive(Clone, Copy, Debug, Default, Described, Deserialize, Eq, PartialEq, Serialize)]
pub enum Factors {
    /// Refused.
    #[default]
    Refuse,
    /// One 0/1 column `name=level` per level, in alphabetical order. Their joint covariance is singular.
    OneHot,
    /// `OneHot` without the first level.
    Treatment,
}

/// A factor with more levels is rather an identifier.
pub(super) const MOST_LEVELS: usize = 1_000;

/// A column that is used, while it is read.
#[derive(Clone, Debug)]
pub(super) enum Used {
    /// No value was there yet.
    Unknown,
    Numbers,
    /// Levels, numbered by first appearance.
    Factor(BTreeMap<String, u32>),
}

impl Used {
    /// How many columns of the data it becomes.
    pub(super) fn width(&self, factors: Factors) -> usize {
        match self {
            Self::Unknown | Self::Numbers => 1,
            Self::Factor(levels) => levels.len() - usize::from(factors == Factors::Treatment),
        }
    }
}

/// A column of a file, with what stands for its missing values.
pub(super) fn input(title: &str, used: &Used, fill: Option<f64>, factors: Factors) -> Input {
    let column = title.to_owned();
    let Used::Factor(numbers) = used else {
        return Input { fill: fill.map(Fill::Number), ..Input::numbers(title) };
    };
    let level =
        |number: f64| numbers.iter().find(|(_, code)| f64::from(**code) == number).map(|(name, _)| name.clone());
    let mut levels: Vec<String> = numbers.keys().cloned().collect();
    let reference = (factors == Factors::Treatment && !levels.is_empty()).then(|| levels.remove(0));
    Input { column, levels, reference, fill: fill.and_then(level).map(Fill::Level) }
}

/// The table with columns of 0 and 1 in the place of factors: names and rows.
pub(super) fn expand(titles: &[String], rows: &[f64], used: &[Used], factors: Factors) -> (Vec<String>, Vec<f64>) {
    let skipped = usize::from(factors == Factors::Treatment);
    let width: usize = used.iter().map(|column| column.width(factors)).sum();
    // Of each preliminary number of a level its place in the alphabet.
    let place = |levels: &BTreeMap<String, u32>| {
        let mut places = vec![0; levels.len()];
        levels.values().enumerate().for_each(|(place, &number)| places[number as usize] = place);
        places
    };
    let places: Vec<Vec<usize>> =
        used.iter().map(|column| if let Used::Factor(levels) = column { place(levels) } else { Vec::new() }).collect();
    let mut columns = Vec::with_capacity(width);
    for (title, column) in titles.iter().zip(used) {
        match column {
            Used::Factor(levels) => columns.extend(levels.keys().skip(skipped).map(|level| format!("{title}={level}"))),
            _ => columns.push(title.clone()),
        }
    }
    let mut expanded = Vec::with_capacity(rows.len() / used.len().max(1) * width);
    for row in rows.chunks_exact(used.len().max(1)) {
        for ((&value, column), places) in row.iter().zip(used).zip(&places) {
            match column {
                Used::Factor(levels) => {
                    let level = places[value as usize];
                    expanded.extend((skipped..levels.len()).map(|place| f64::from(u8::from(place == level))));
                }
                _ => expanded.push(value),
            }
        }
    }
    (columns, expanded)
}

/// The bytes that a row takes when it is expanded.
pub(super) fn bytes_per_row(used: &[Used], factors: Factors) -> u64 {
    8 * used.iter().map(|column| column.width(factors) as u64).sum::<u64>()
}
