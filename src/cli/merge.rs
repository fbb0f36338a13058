//! `fedbits merge`.

use crate::cli::args::MergeOptions;
use crate::cli::failure::Failure;
use crate::cli::format::TableFormat;
use crate::cli::host;
use crate::cli::output;
use crate::cli::progress::Console;
use crate::cli::state::verdict;
use crate::cli::summary;
use crate::runs;

/// Puts the directories together.
pub(crate) fn merge(options: &MergeOptions, console: &Console) -> Result<(), Failure> {
    host::set_threads(None);
    let out = options.out.as_ref().unwrap_or(&options.dirs[0]);
    let format = options.format.get();
    if format == TableFormat::Json {
        output::check_json_path(out)?;
    }
    let record = runs::merge(&options.dirs, out, console)?;
    summary::print(&record, None, &[], format, console)?;
    let (counts, missing) = (record.counts(), record.counts().missing());
    if missing > 0 {
        return Err(Failure::Run(format!("runs that are missing: {missing} of {}", counts.planned)));
    }
    verdict(&record, None)
}
