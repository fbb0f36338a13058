//! Questions on a terminal, each with an answer that is proposed; nobody is asked elsewhere.

use std::io::{BufRead, IsTerminal};

use super::columns;
use super::table_file::{TableFile, names, quoted};
use crate::cli::failure::Failure;
use crate::cli::progress::Console;
use crate::listener::Listener;

pub(super) struct Questions<'a> {
    console: &'a Console,
    asks: bool,
}

impl<'a> Questions<'a> {
    /// Asks when standard input is a terminal, unless every proposal is taken.
    pub(super) fn new(yes: bool, console: &'a Console) -> Self {
        Self { console, asks: !yes && std::io::stdin().is_terminal() }
    }

    /// The answer, until `read` accepts one; an empty one, or the end of the input, is what is proposed.
    fn ask<T>(
        &mut self,
        question: &str,
        proposed: &str,
        read: impl Fn(&str) -> Result<T, String>,
    ) -> Result<Option<T>, Failure> {
        if !self.asks {
            return Ok(None);
        }
        loop {
            self.console.message(&format!("{question} [{proposed}]"));
            let mut line = String::new();
            let count = std::io::stdin().lock().read_line(&mut line);
            let count = count.map_err(|error| Failure::File(format!("standard input: {error}")))?;
            let answer = line.trim();
            if count == 0 || answer.is_empty() {
                return Ok(None);
            }
            match read(answer) {
                Ok(value) => return Ok(Some(value)),
                Err(why) => self.console.message(&format!("  {why}")),
            }
        }
    }

    /// Yes or no; none where nobody answers.
    pub(super) fn yes(&mut self, question: &str, proposed: &str) -> Result<Option<bool>, Failure> {
        self.ask(question, proposed, |answer| match answer.to_lowercase().as_str() {
            "y" | "yes" => Ok(true),
            "n" | "no" => Ok(false),
            _ => Err("expected y or n".to_owned()),
        })
    }

    pub(super) fn whole(&mut self, question: &str, proposed: u64, most: u64) -> Result<u64, Failure> {
        let read = |answer: &str| match answer.parse() {
            Ok(value) if (1..=most).contains(&value) => Ok(value),
            _ => Err(format!("expected a whole number from 1 to {most}")),
        };
        Ok(self.ask(question, &proposed.to_string(), read)?.unwrap_or(proposed))
    }

    pub(super) fn column(
        &mut self,
        question: &str,
        table: &TableFile,
        proposed: Option<usize>,
    ) -> Result<Option<usize>, Failure> {
        let shown = proposed.map_or("-", |index| table.columns[index].name.as_str());
        let read = |answer: &str| match &names(answer)[..] {
            _ if answer == "-" => Ok(None),
            [name] => find(table, name).map(Some),
            _ => find(table, answer).map(Some),
        };
        Ok(self.ask(&format!("{question}, - for none"), shown, read)?.unwrap_or(proposed))
    }

    /// Columns of numbers, at least one.
    pub(super) fn columns(
        &mut self,
        question: &str,
        table: &TableFile,
        proposed: Vec<usize>,
    ) -> Result<Vec<usize>, Failure> {
        let shown: Vec<String> = proposed.iter().map(|&index| quoted(&table.columns[index].name)).collect();
        let feature = |name: &String| {
            let index = find(table, name)?;
            let column = &table.columns[index];
            match columns::no_numbers(column) {
                Some(why) => Err(format!("`{name}` is not a column of numbers: {}", why.why(column))),
                None => Ok(index),
            }
        };
        let read = |answer: &str| names(answer).iter().map(feature).collect::<Result<Vec<_>, _>>();
        let question = format!("{question}, divided by commas (names with commas in double quotes)");
        Ok(self.ask(&question, &shown.join(","), read)?.unwrap_or(proposed))
    }
}

/// So many columns are named where there is none of a name.
const NAMED: usize = 20;

pub(super) fn find(table: &TableFile, name: &str) -> Result<usize, String> {
    let found = table.columns.iter().find(|column| column.name == name);
    found.map(|column| column.index).ok_or_else(|| {
        let names: Vec<&str> = table.columns.iter().map(|column| column.name.as_str()).collect();
        format!("there is no column `{name}`; there are {}", fedbits_text::known(name, &names, NAMED))
    })
}
