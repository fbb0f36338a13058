//! `fedbits diff`: in what two runs or two scenarios differ: settings, the first event, numbers.

mod numbers;
mod side;

use fedbits_spec::so_many;
use fedbits_text::{Difference, Tree, differences};
use serde_json::{Value, json};

use self::numbers::Numbers;
use self::side::{Pair, pairs};
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
    if options.arm.len() > 2 {
        return Err(Failure::Input("--arm is given more than twice: expected at most one for each side".to_owned()));
    }
    let a = side::read(&options.a, options.arm.first().map(String::as_str))?;
    let b = side::read(&options.b, options.arm.last().map(String::as_str))?;
    let (paired, alone) = pairs(&a, &b, [&options.a, &options.b])?;
    let found = paired.iter().map(|pair| Found::of(pair, options, console)).collect::<Result<Vec<_>, _>>()?;
    let same = alone.is_empty() && found.iter().all(Found::is_same);
    match options.format.get() {
        TableFormat::Human => output::print(text(&found, &alone, options))?,
        TableFormat::Json => {
            let pairs: Vec<Value> = found.iter().map(Found::json).collect();
            output::line(json!({"same": same, "pairs": pairs, "alone": alone}))?;
        }
        format => {
            let mut settings = Table::default().text("arm").text("path").text("a").text("b");
            for pair in &found {
                pair.settings(usize::MAX).for_each(|cells| settings.row([&[pair.name.into()], &cells[..]].concat()));
            }
            let numbers = numbers::table(found.iter().filter_map(|pair| Some((pair.name, pair.numbers.as_ref()?))));
            format.print(&[
                Titled { title: "settings that differ", name: "settings", table: &settings },
                Titled { title: "numbers", name: "numbers", table: &numbers },
            ])?;
            alone.iter().for_each(error_line);
        }
    }
    if same { Ok(()) } else { Err(Failure::Told(1)) }
}

struct Found<'a> {
    name: &'a str,
    settings: Vec<Difference>,
    /// Of two runs the first event that differs, if one does.
    event: Option<String>,
    numbers: Option<Numbers>,
}

impl<'a> Found<'a> {
    fn of(pair: &'a Pair<'a>, options: &DiffOptions, console: &Console) -> Result<Self, Failure> {
        let Pair { name, a, b } = pair;
        let settings = differences(&Tree::scan(a.text.as_str()), &Tree::scan(b.text.as_str()));
        let runs = a.run.as_ref().zip(b.run.as_ref());
        let event = runs.map(|(a, b)| side::first_event([a, b], options, console)).transpose()?.flatten();
        let numbers = runs.map(|(a, b)| Numbers::of(a, b));
        Ok(Self { name, settings, event, numbers })
    }

    fn is_same(&self) -> bool {
        self.settings.is_empty() && self.event.is_none() && self.numbers.as_ref().is_none_or(Numbers::are_same)
    }

    /// Path and both values of each setting that differs; values are cut after so many characters.
    fn settings(&self, most: usize) -> impl Iterator<Item = [Cell; 3]> {
        let cell = move |value: &Option<String>| match value {
            None => Cell::Missing,
            Some(value) if is_longer(value, most) => Cell::Text(value.chars().take(most).chain(['…']).collect()),
            Some(value) => Cell::Text(value.clone()),
        };
        let path = |path: &str| Cell::from(if path.is_empty() { "the whole" } else { path });
        self.settings.iter().map(move |found| [path(&found.path), cell(&found.values[0]), cell(&found.values[1])])
    }

    fn json(&self) -> Value {
        let setting = |Difference { path, values: [a, b] }: &Difference| json!({"path": path, "a": a, "b": b});
        json!({
            "name": self.name,
            "same": self.is_same(),
            "settings": self.settings.iter().map(setting).collect::<Vec<_>>(),
            "first_event": self.event,
            "numbers": self.numbers.as_ref().map(Numbers::json),
        })
    }

    fn text(&self) -> String {
        if self.is_same() {
            return format!("{GOOD}the same{GOOD:#}\n");
        }
        let mut text = match self.settings.len() {
            0 => "the settings are the same\n".to_owned(),
            many => so_many(many, "setting differs|settings differ") + "\n",
        };
        if !self.settings.is_empty() {
            let mut table = Table::default().text("path").text("A").text("B");
            self.settings(LONG).for_each(|cells| table.row(cells.to_vec()));
            text += &format!("\n{}", table.human(wrap::width()));
            if self.settings.iter().flat_map(|found| &found.values).flatten().any(|value| is_longer(value, LONG)) {
                text += &wrap::prose("", "  ", "…: longer values; --format csv has all of them");
            }
        }
        if let Some(numbers) = &self.numbers {
            let event = self.event.as_deref().unwrap_or("every event is the same");
            text += &format!("\n{}{}", wrap::prose("", "  ", event), numbers.text());
        }
        text
    }
}

/// The longest value that people see whole.
const LONG: usize = 80;

fn is_longer(value: &str, most: usize) -> bool {
    value.chars().count() > most
}

fn text(found: &[Found<'_>], alone: &[String], options: &DiffOptions) -> String {
    let mut text = format!("{HEAD}A{HEAD:#} {}\n{HEAD}B{HEAD:#} {}\n", options.a, options.b);
    for pair in found {
        let name = if found.len() > 1 { format!("{HEAD}{}{HEAD:#}: ", pair.name) } else { String::new() };
        text += &format!("\n{name}{}", pair.text());
    }
    text += if alone.is_empty() { "" } else { "\n" };
    alone.iter().for_each(|alone| text += &wrap::prose("", "  ", alone));
    text
}
