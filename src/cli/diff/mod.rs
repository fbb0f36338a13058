//! `fedbits diff`: in what two runs or two scenarios differ: settings, the first event, numbers.

mod numbers;
mod side;

use fedbits_spec::so_many;
use fedbits_text::{Difference, Tree, differences};
use serde_json::{Value, json};

use self::numbers::Numbers;
use self::side::{Pair, Side, pairs};
use crate::cli::args::DiffOptions;
use crate::cli::failure::Failure;
use crate::cli::format::{TableFormat, Titled};
use crate::cli::output;
use crate::cli::progress::Console;
use crate::cli::style::{GOOD, HEAD};
use crate::cli::table::{Cell, Table};
use crate::cli::wrap;
use crate::cli::wrap::error_line;

/// Compares, and prints; the exit code is 1 when anything differs.
pub(crate) fn diff(options: &DiffOptions, console: &Console) -> Result<(), Failure> {
    let (first, second) = match &options.arm[..] {
        [] => (None, None),
        [both] => (Some(both), Some(both)),
        [first, second] => (Some(first), Some(second)),
        _ => {
            return Err(Failure::Input(
                "--arm is given more than twice: expected at most one for each side".to_owned(),
            ));
        }
    };
    let a = side::read(&options.a, first.map(String::as_str))?;
    let b = side::read(&options.b, second.map(String::as_str))?;
    let (paired, alone) = pairs(&a, &b, [&options.a, &options.b])?;
    let mut found = Vec::new();
    for pair in &paired {
        found.push(Found::of(pair, options, console)?);
    }
    let same = alone.is_empty() && found.iter().all(Found::is_same);
    match options.format.get() {
        TableFormat::Human => output::print(text(&found, &alone, options))?,
        TableFormat::Json => {
            let pairs: Vec<Value> = found.iter().map(Found::json).collect();
            output::line(json!({"same": same, "pairs": pairs, "alone": alone}))?;
        }
        format => {
            let mut tables = [Table::default().text("arm").text("path").text("a").text("b"), numbers::empty()];
            for pair in &found {
                pair.settings(&mut tables[0]);
                pair.numbers(&mut tables[1]);
            }
            let names = [("settings that differ", "settings"), ("numbers", "numbers")];
            let titled = names.iter().zip(&tables).map(|((title, name), table)| Titled { title, name, table });
            format.print(&titled.collect::<Vec<_>>())?;
            alone.iter().for_each(error_line);
        }
    }
    if same { Ok(()) } else { Err(Failure::Told(1)) }
}

/// In what a pair differs.
struct Found<'a> {
    name: &'a str,
    settings: Vec<Difference>,
    /// Of two records.
    records: Option<OfRecords>,
}

/// In what two records differ.
struct OfRecords {
    /// The first event that differs; none when all are the same.
    event: Option<String>,
    numbers: Numbers,
}

impl<'a> Found<'a> {
    fn of(pair: &'a Pair<'a>, options: &DiffOptions, console: &Console) -> Result<Self, Failure> {
        let Pair { name, a, b } = pair;
        let settings = differences(&Tree::scan(a.text()), &Tree::scan(b.text()));
        let records = match (a, b) {
            (Side::Record(a), Side::Record(b)) => {
                Some(OfRecords { event: side::first_event([a, b], options, console)?, numbers: Numbers::of(a, b) })
            }
            _ => None,
        };
        Ok(Self { name, settings, records })
    }

    fn is_same(&self) -> bool {
        let records = self.records.as_ref();
        self.settings.is_empty() && records.is_none_or(|records| records.event.is_none() && records.numbers.are_same())
    }

    /// The settings that differ, a row each.
    fn settings(&self, table: &mut Table) {
        for Difference { path, values: [a, b] } in &self.settings {
            let cell = |value: &Option<String>| value.as_deref().map_or(Cell::Missing, Cell::from);
            let path = if path.is_empty() { "the whole" } else { path };
            table.row(vec![self.name.into(), path.into(), cell(a), cell(b)]);
        }
    }

    fn numbers(&self, table: &mut Table) {
        self.records.iter().for_each(|records| records.numbers.rows(self.name, table));
    }

    fn json(&self) -> Value {
        let settings: Vec<Value> = self
            .settings
            .iter()
            .map(|Difference { path, values }| json!({"path": path, "a": values[0], "b": values[1]}))
            .collect();
        let records = self.records.as_ref();
        json!({
            "name": self.name,
            "same": self.is_same(),
            "settings": settings,
            "first_event": records.and_then(|records| records.event.clone()),
            "numbers": records.map(|records| records.numbers.json()),
        })
    }
}

/// The longest value that people see whole.
const LONG: usize = 80;

fn is_long(value: &str) -> bool {
    value.chars().count() > LONG
}

fn is_cut(difference: &Difference) -> bool {
    difference.values.iter().flatten().any(|value| is_long(value))
}

fn text(found: &[Found<'_>], alone: &[String], options: &DiffOptions) -> String {
    let mut text = format!("{HEAD}A{HEAD:#} {}\n{HEAD}B{HEAD:#} {}\n", options.a, options.b);
    for pair in found {
        let name = if found.len() > 1 { format!("{HEAD}{}{HEAD:#}: ", pair.name) } else { String::new() };
        if pair.is_same() {
            text += &format!("\n{name}{GOOD}the same{GOOD:#}\n");
            continue;
        }
        text += &format!("\n{name}{}\n", verdict(pair));
        if !pair.settings.is_empty() {
            text += &format!("\n{}", settings(&pair.settings).human(wrap::width()));
            if pair.settings.iter().any(is_cut) {
                text += &wrap::prose("", "  ", "…: longer values; --format csv has all of them");
            }
        }
        if let Some(records) = &pair.records {
            let event = records.event.as_deref().unwrap_or("every event is the same");
            text += &format!("\n{}", wrap::prose("", "  ", event));
            text += &records.numbers.text();
        }
    }
    if !alone.is_empty() {
        text.push('\n');
    }
    alone.iter().for_each(|alone| text += &wrap::prose("", "  ", alone));
    text
}

/// In one line.
fn verdict(found: &Found<'_>) -> String {
    match found.settings.len() {
        0 => "the settings are the same".to_owned(),
        many => so_many(many, "setting differs|settings differ"),
    }
}

fn settings(found: &[Difference]) -> Table {
    let mut table = Table::default().text("path").text("A").text("B");
    for Difference { path, values: [a, b] } in found {
        let cell = |value: &Option<String>| match value {
            None => Cell::Missing,
            Some(value) if is_long(value) => Cell::Text(value.chars().take(LONG).collect::<String>() + "…"),
            Some(value) => Cell::Text(value.clone()),
        };
        table.row(vec![path.as_str().into(), cell(a), cell(b)]);
    }
    table
}
