//! `fedbits export`: records as the files of other tools.

use fedbits_spec::so_many;
use std::path::PathBuf;

use crate::cli::args::{ExportOptions, ExportTo};
use crate::cli::failure::Failure;
use crate::cli::output;
use crate::cli::passed_over;
use crate::cli::progress::Console;
use crate::cli::study;
use crate::export::{ExportFormat, export as write};
use crate::listener::Listener;

/// Writes the files, prints the folder, and says how it is looked at.
pub(crate) fn export(options: &ExportOptions, console: &Console) -> Result<(), Failure> {
    let (format, name) = match options.to {
        ExportTo::Mlflow => (ExportFormat::Mlflow, "mlruns"),
        ExportTo::Tensorboard => (ExportFormat::Tensorboard, "tensorboard"),
        ExportTo::Wandb => (ExportFormat::Wandb, "wandb"),
        ExportTo::Parquet => (ExportFormat::Parquet, "parquet"),
    };
    let out = options.out.clone().unwrap_or_else(|| PathBuf::from(name));
    let runs = write(&options.runs, format, &out)?;
    options.runs.iter().try_for_each(|folder| study::report_state_of(folder, console))?;
    passed_over::report(&options.runs, console);
    output::line(out.display())?;
    let path = out.display();
    let look = match options.to {
        ExportTo::Mlflow => format!("MLFLOW_ALLOW_FILE_STORE=true mlflow ui --backend-store-uri {path}"),
        ExportTo::Tensorboard => format!("tensorboard --logdir {path}"),
        ExportTo::Wandb => format!("wandb sync {path}/offline-run-*"),
        ExportTo::Parquet => format!("pandas.read_parquet(\"{path}/rounds.parquet\")"),
    };
    console.message(&format!("{}; looked at by\n  {look}", so_many(runs, "run")));
    Ok(())
}
