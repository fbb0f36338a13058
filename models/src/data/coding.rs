//! How the columns of a file became numbers, and what the numbers of classes, sites and times stand for.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

/// What it takes to read further files like one that was read before, and to name what is found in them.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
pub struct Coding {
    /// The columns of the file, in order; empty where the columns of the data are those of the file.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub inputs: Vec<Input>,
    /// Texts that stand for missing values in the file, beside those that always do.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub missing_values: Vec<String>,
    /// Names of the classes, by their number.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub classes: Vec<String>,
    /// Names of the clients of a client column, by their number: for messages alone.
    #[serde(skip)]
    pub clients: Vec<String>,
    /// Names of the sites of counts, by their number.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sites: Vec<String>,
    /// Names of the times of counts, by their number.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub times: Vec<String>,
}

/// A column of a file.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
pub struct Input {
    /// Its name in the file.
    pub column: String,
    /// Of a factor: the levels that have a column `column=level` of 0 and 1; empty for numbers.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub levels: Vec<String>,
    /// Of a factor: the level that has 0 in all of these columns, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reference: Option<String>,
    /// What stands for a missing value; none where nothing does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fill: Option<Fill>,
}

/// A value in the place of a missing one.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Fill {
    /// A number.
    Number(f64),
    /// A level of a factor.
    Level(String),
}

impl Input {
    /// A column of numbers.
    #[must_use]
    pub fn numbers(column: &str) -> Self {
        Self { column: column.to_owned(), ..Self::default() }
    }

    /// Does it hold texts?
    #[must_use]
    pub fn is_factor(&self) -> bool {
        !self.levels.is_empty() || self.reference.is_some()
    }

    /// Names of the columns of the data that it becomes.
    pub fn columns(&self) -> impl Iterator<Item = String> {
        let column = (!self.is_factor()).then(|| self.column.clone());
        column.into_iter().chain(self.levels.iter().map(|level| format!("{}={level}", self.column)))
    }

    /// All levels of a factor.
    pub fn all_levels(&self) -> impl Iterator<Item = &String> {
        self.reference.iter().chain(&self.levels)
    }

    /// The numbers that a level of a factor becomes; none of a level that is unknown.
    #[must_use]
    pub fn indicators(&self, level: &str) -> Option<Vec<f64>> {
        let is_known = self.all_levels().any(|known| known == level);
        is_known.then(|| self.levels.iter().map(|known| f64::from(u8::from(known == level))).collect())
    }

    /// The numbers that a missing value becomes; none where nothing stands for it.
    #[must_use]
    pub fn filling(&self) -> Option<Vec<f64>> {
        match self.fill.as_ref()? {
            Fill::Number(number) => (!self.is_factor()).then(|| vec![*number]),
            Fill::Level(level) => self.indicators(level),
        }
    }
}

impl Coding {
    /// Whether it gives these columns of data.
    ///
    /// # Errors
    /// What does not belong together.
    pub fn check(&self, columns: &[String]) -> Result<(), String> {
        if self.inputs.is_empty() {
            return Ok(());
        }
        for input in &self.inputs {
            let levels: BTreeSet<&String> = input.all_levels().collect();
            if levels.len() < input.all_levels().count() {
                return Err(format!("the levels of `{}` are not all different", input.column));
            }
            if input.fill.is_some() && !input.filling().is_some_and(|fill| fill.iter().all(|x| x.is_finite())) {
                return Err(format!("what stands for missing values of `{}` is not one of its values", input.column));
            }
        }
        let gives: Vec<String> = self.inputs.iter().flat_map(Input::columns).collect();
        if gives == columns { Ok(()) } else { Err("`inputs` do not give the `columns`".to_owned()) }
    }
}
