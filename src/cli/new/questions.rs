//! Questions on a terminal, each with an answer that is proposed; nobody is asked elsewhere.

use std::io::{BufRead, IsTerminal};

use super::columns;
use super::table_file::TableFile;
use crate::cli::failure::Failure;
use crate::cli::progress::Console;
use crate::listener::Listener;

/// Who asks.
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

    /// Yes or no, without a proposal; none where nobody answers.
    pub(super) fn decide(&mut self, question: &str) -> Result<Option<bool>, Failure> {
        self.ask(question, "y or n", yes_or_no)
    }

    /// Yes or no.
    pub(super) fn yes(&mut self, question: &str, proposed: bool) -> Result<bool, Failure> {
        Ok(self.ask(question, if proposed { "y" } else { "n" }, yes_or_no)?.unwrap_or(proposed))
    }

    /// A number from 1.
    pub(super) fn whole(&mut self, question: &str, proposed: u64, most: u64) -> Result<u64, Failure> {
        let read = |answer: &str| match answer.parse() {
            Ok(value) if (1..=most).contains(&value) => Ok(value),
            _ => Err(format!("expected a whole number from 1 to {most}")),
        };
        Ok(self.ask(question, &proposed.to_string(), read)?.unwrap_or(proposed))
    }

    /// A column, or none.
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
                Some(why) => Err(format!("`{name}` is no column of numbers: {}", why.why(column))),
                None => Ok(index),
            }
        };
        let read = |answer: &str| names(answer).iter().map(feature).collect::<Result<Vec<_>, _>>();
        let question = format!("{question}, divided by commas (names with commas in double quotes)");
        Ok(self.ask(&question, &shown.join(","), read)?.unwrap_or(proposed))
    }
}

/// A name as a list of names holds it.
fn quoted(name: &str) -> String {
    let plain = name.trim() == name && !name.contains([',', '"']);
    if plain { name.to_owned() } else { format!("\"{}\"", name.replace('\\', "\\\\").replace('"', "\"\"")) }
}

/// Names divided by commas; those in double quotes may hold commas, and quotes twice as in CSV or behind a backslash
/// as in RON.
fn names(answer: &str) -> Vec<String> {
    let mut names = vec![(String::new(), false)];
    let (mut characters, mut within) = (answer.chars().peekable(), false);
    while let Some(character) = characters.next() {
        let (name, is_quoted) = names.last_mut().expect("it begins with one name");
        match character {
            '"' if within => match characters.next_if_eq(&'"') {
                Some(quote) => name.push(quote),
                None => within = false,
            },
            '\\' if within => name.push(characters.next_if(|next| "\"\\".contains(*next)).unwrap_or(character)),
            _ if within => name.push(character),
            '"' if name.trim().is_empty() => {
                name.clear();
                (within, *is_quoted) = (true, true);
            }
            ',' => names.push((String::new(), false)),
            blank if *is_quoted && blank.is_whitespace() => {}
            other => name.push(other),
        }
    }
    names.into_iter().map(|(name, is_quoted)| if is_quoted { name } else { name.trim().to_owned() }).collect()
}

fn yes_or_no(answer: &str) -> Result<bool, String> {
    match answer.to_lowercase().as_str() {
        "y" | "yes" => Ok(true),
        "n" | "no" => Ok(false),
        _ => Err("expected y or n".to_owned()),
    }
}

/// A column by its name.
fn find(table: &TableFile, name: &str) -> Result<usize, String> {
    let found = table.columns.iter().find(|column| column.name == name);
    found.map(|column| column.index).ok_or_else(|| {
        let names = table.columns.iter().map(|column| column.name.as_str());
        let nearest = fedbits_text::nearest(name, names);
        let help = nearest.map_or_else(String::new, |name| format!(": did you mean `{name}`?"));
        format!("there is no column `{name}`{help}")
    })
}

#[cfg(test)]
mod tests {
    use super::{names, quoted};

    #[test]
    fn names_with_commas_are_read_as_they_are_shown() {
        assert_eq!(names("a, b c ,d"), ["a", "b c", "d"]);
        let odd = ["Length, cm", "a \"b\"", " edge ", "plain", "back\\slash"];
        let shown: Vec<String> = odd.iter().map(|name| quoted(name)).collect();
        assert_eq!(names(&shown.join(", ")), odd);
        // As RON has it.
        assert_eq!(names(r#""a \"b\"", "x, y""#), ["a \"b\"", "x, y"]);
    }
}
