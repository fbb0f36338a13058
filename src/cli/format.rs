//! The formats in which results are printed.

use clap::ValueEnum;
use serde_json::Value;

use crate::cli::failure::Failure;
use crate::cli::output;
use crate::cli::table::Table;
use crate::cli::wrap;
use crate::comparison::one_line;

/// Formats of tables.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq, ValueEnum)]
pub(crate) enum TableFormat {
    /// Tables for the terminal's width.
    #[default]
    Human,
    /// Base units and all digits; comments separate tables.
    Csv,
    /// Base units and all digits, with further information.
    Json,
    /// Markdown tables.
    Markdown,
    /// LaTeX tables (booktabs).
    Latex,
}

/// Output format.
#[derive(Clone, Copy, Debug, clap::Args)]
pub(crate) struct FormatOptions {
    /// Output format.
    #[arg(long, value_enum, default_value_t = TableFormat::Human)]
    format: TableFormat,
    /// Short for --format json.
    #[arg(long, conflicts_with = "format")]
    json: bool,
}

impl FormatOptions {
    /// The format.
    pub(crate) fn get(self) -> TableFormat {
        if self.json { TableFormat::Json } else { self.format }
    }
}

/// A table and what it is of.
pub(crate) struct Titled<'a> {
    /// For people.
    pub(crate) title: &'a str,
    /// For programs.
    pub(crate) name: &'a str,
    pub(crate) table: &'a Table,
}

impl TableFormat {
    /// Prints tables, whichever format this is.
    pub(crate) fn print(self, tables: &[Titled<'_>]) -> Result<(), Failure> {
        if self == TableFormat::Json {
            let all = tables.iter().map(|titled| (titled.name.to_owned(), titled.table.json()));
            return output::line(Value::Object(all.collect()));
        }
        for (number, Titled { title, name, table }) in tables.iter().enumerate() {
            let alone = tables.len() == 1;
            // Documents need a title where the terminal has none.
            let heading = if title.is_empty() { name } else { title };
            output::print(if number > 0 { "\n" } else { "" })?;
            output::print(match self {
                TableFormat::Human if title.is_empty() => table.human(wrap::width()),
                TableFormat::Csv if alone => table.csv()?,
                TableFormat::Markdown if alone => table.markdown(),
                _ => self.titled(heading, table)?,
            })?;
        }
        Ok(())
    }

    /// A table below its title.
    pub(crate) fn titled(self, title: &str, table: &Table) -> Result<String, Failure> {
        Ok(match self {
            TableFormat::Human => format!("{}{}", wrap::heading(title), table.human(wrap::width())),
            TableFormat::Csv => format!("# {title}\n{}", table.csv()?),
            TableFormat::Markdown => format!("## {title}\n\n{}", table.markdown()),
            TableFormat::Latex => format!("% {}; needs booktabs\n{}", one_line(title), table.latex()),
            TableFormat::Json => format!("{}\n", table.json()),
        })
    }

    /// A sentence beside tables: a comment where they are for programs.
    pub(crate) fn note(self, text: &str) -> String {
        match self {
            TableFormat::Latex => format!("% {}\n", one_line(text)),
            TableFormat::Csv => format!("# {}\n", one_line(text)),
            _ => wrap::prose("", "  ", text),
        }
    }
}
