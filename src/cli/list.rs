//! `fedbits list` and `fedbits show`: the library, and the source of what is in it.

use fedbits_scenarios::library;

use crate::cli::failure::Failure;
use crate::cli::format::{FormatOptions, TableFormat, Titled};
use crate::cli::output;
use crate::cli::style::{DIM, NAME};
use crate::cli::table::{Cell, Table};
use crate::cli::wrap;
use crate::texts;

/// Prints the library, by what one wants to do.
pub(crate) fn list(format: FormatOptions) -> Result<(), Failure> {
    let mut table = Table::default().text("name").text("group").text("about");
    for entry in library::list() {
        table.row(vec![entry.name.into(), entry.group.into(), Cell::Text(entry.about)]);
    }
    match format.get() {
        TableFormat::Human => output::print(by_group()),
        TableFormat::Json => output::line(table.json()),
        format => format.print(&[Titled { title: "library", name: "library", table: &table }]),
    }
}

/// Each group with its scenarios: what each shows stands beside its name, or below it where there is no room.
fn by_group() -> String {
    let entries: Vec<library::LibraryEntry> = library::list().collect();
    let longest = entries.iter().map(|entry| entry.name.len()).max().unwrap_or(0);
    let beside = wrap::width() >= longest + ROOM;
    let mut text = String::new();
    for group in library::groups() {
        let gap = if text.is_empty() { "" } else { "\n" };
        text += &format!("{gap}{}", wrap::heading(group));
        for library::LibraryEntry { name, about, .. } in entries.iter().filter(|entry| entry.group == group) {
            if beside {
                let indent = " ".repeat(longest + 4);
                text += &wrap::prose(&format!("  {NAME}{name}{NAME:#}{}", &indent[name.len() + 2..]), &indent, about);
            } else {
                text += &format!("  {NAME}{name}{NAME:#}\n{}", wrap::prose("    ", "    ", about));
            }
        }
    }
    text + &format!("\n{DIM}{}{DIM:#}", wrap::prose("", "", MORE))
}

/// Columns that a sentence needs to be read beside a name.
const ROOM: usize = 40;

const MORE: &str = "`fedbits run NAME` runs one, `check NAME` says what that costs, `show NAME` prints its source, \
    `new --from NAME` copies it.";

/// Prints the source of a scenario, with its comments.
pub(crate) fn show(scenario: &str) -> Result<(), Failure> {
    let source = texts::text(scenario)?.source;
    output::line(source.text.trim_end())
}
