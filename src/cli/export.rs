//! `fedbits export`: the tables of runs as Parquet files.

use fedbits_spec::so_many;

use crate::cli::args::ExportOptions;
use crate::cli::failure::Failure;
use crate::cli::output;
use crate::cli::passed_over;
use crate::cli::progress::Console;
use crate::cli::study;
use crate::export::export as write;
use crate::listener::Listener;

/// Writes the files and prints the folder.
pub(crate) fn export(options: &ExportOptions, console: &Console) -> Result<(), Failure> {
    let runs = write(&options.runs, &options.out)?;
    options.runs.iter().try_for_each(|folder| study::report_state_of(folder, console))?;
    passed_over::report(&options.runs, console);
    let path = options.out.display();
    output::line(&path)?;
    console.message(&format!("{}; in Python:\n  pandas.read_parquet(\"{path}/rounds.parquet\")", so_many(runs, "run")));
    Ok(())
}
