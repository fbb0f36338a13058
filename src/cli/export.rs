//! `fedbits export`: all tables of runs, as CSV or as Parquet files.

use fedbits_spec::so_many;

use crate::cli::args::ExportOptions;
use crate::cli::failure::Failure;
use crate::cli::output;
use crate::cli::progress::Console;
use crate::cli::state::open;
use crate::export::{TableFiles, export_folders};
use crate::listener::Listener;

/// Writes the files and prints the folder.
pub(crate) fn export(options: &ExportOptions, console: &Console) -> Result<(), Failure> {
    let files = if options.parquet { TableFiles::Parquet } else { TableFiles::Csv };
    let tables = export_folders(&open(&options.runs, console)?, &options.out, files)?;
    output::line(options.out.display())?;
    console.message(&so_many(tables, "table"));
    Ok(())
}
