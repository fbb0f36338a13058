//! `fedbits compare`: arms against the baseline: as a table for people, CSV, JSON,
//! LaTeX.

mod decision;
pub(crate) mod human;
mod latex;

use fedbits_record::no_target;
use fedbits_record::results::PlanTarget;
use fedbits_reports::compare::{self, Samples};
use fedbits_reports::decision::Decided;

use crate::cli::args::CompareOptions;
use crate::cli::failure::Failure;
use crate::cli::format::TableFormat;
use crate::cli::output;
use crate::cli::progress::Console;
use crate::cli::state::open;
use crate::comparison as tables;
use crate::scenario::arm_number;

pub(crate) fn compare(options: &CompareOptions, console: &Console) -> Result<(), Failure> {
    let folders = open(&options.dirs, console)?;
    let mut samples = tables::samples(&folders, &options.target)?;
    let decided = match &folders[..] {
        [only] => Decided::of(only.plan(), only.decision()),
        _ => None,
    };
    if let Some(name) = &options.baseline {
        let names: Vec<&str> = samples.arms.iter().map(|arm| arm.name.as_str()).collect();
        samples.baseline = arm_number(&names, name)?;
    }
    if samples.arms.iter().all(|arm| arm.runs.is_empty()) {
        return Err(Failure::Input("no run is finished: there is nothing to compare".to_owned()));
    }
    options.target.iter().try_for_each(|target| known(&samples, target))?;
    let comparison = compare::compare(&samples);
    let format = options.format.get();
    if format == TableFormat::Json {
        return output::line(tables::json(&samples, &comparison, decided.as_ref().map(decision::json)));
    }
    // What a search has decided stands first.
    let decision = decided.map_or(Ok(String::new()), |decided| decision::text(&decided, format))?;
    let sections = match format {
        TableFormat::Csv => {
            let title = if decision.is_empty() { "" } else { "# comparison\n" };
            return output::print(decision + title + &tables::csv(&samples, &comparison)?);
        }
        TableFormat::Latex => latex::sections(&samples, &comparison),
        _ => human::sections(&samples, &comparison),
    };
    output::print(decision + &human::text((&samples, &comparison), sections, format)?)
}

/// A column that no run measured is a slip; so is a value that none can have.
fn known(samples: &Samples, target: &PlanTarget) -> Result<(), Failure> {
    let column = &target.column;
    if !samples.columns.contains(column) {
        let columns: Vec<&str> = samples.columns.iter().map(String::as_str).collect();
        let found = no_target(column).unwrap_or_else(|| format!("`{column}` was measured by no run"));
        let measured = match columns.is_empty() {
            true => "nothing was measured".to_owned(),
            false => format!("measured are {}", fedbits_text::known(column, &columns, columns.len())),
        };
        return Err(Failure::Input(format!("{found}; {measured}")));
    }
    if !target.is_reachable() {
        let name = target.name();
        return Err(Failure::Input(format!(
            "the target `{name}` cannot be reached: expected a finite number, above 0 for a square, at most 1 for an \
             accuracy and its like"
        )));
    }
    Ok(())
}
