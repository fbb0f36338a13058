//! Whether what a scenario says fits the data that were read. The rules are those of the checks, tried again with the
//! sizes that only the data tell; what is wrong has its place in the scenario. This file must not read data.

use fedbits_models::data::DataSet;
use fedbits_protocols::fedem::Domain;
use fedbits_protocols::partition::PartitionError;

use super::{Misfit, PrepareError, misfit};
use crate::checks::{self, Facts, Severity};
use crate::schema::{Covariance, Initial, Model, Partition, Scenario};

/// Tries all rules with what is known now.
///
/// # Errors
/// Every value of the scenario that does not fit.
pub(super) fn check(scenario: &Scenario, measured: &Facts) -> Result<(), PrepareError> {
    let errors = checks::with_data(scenario, measured).into_iter().filter(|found| found.severity == Severity::Error);
    let misfits: Vec<Misfit> =
        errors.map(|found| Misfit { path: found.path, message: found.message, expected: found.expected }).collect();
    if misfits.is_empty() { Ok(()) } else { Err(PrepareError::Misfits(misfits)) }
}

/// A table of examples, with all that the scenario says about it.
///
/// # Errors
/// Every value of the scenario that does not fit; a column of which no covariance can be estimated.
pub(super) fn table(data: &DataSet, scenario: &Scenario) -> Result<(), PrepareError> {
    let by_column = scenario.partition == Partition::ClientColumn && !scenario.protocol.is_centralized();
    let groups = data.groups().filter(|_| by_column).and_then(|groups| groups.iter().max());
    let measured = Facts {
        clients: groups.map(|&last| last as usize + 1),
        features: Some(data.dimension()),
        examples: Some(data.len() as u64),
        ..Facts::default()
    };
    check(scenario, &measured)?;
    varies(data, scenario)
}

/// A division of the data that cannot be made.
pub(super) fn undivided(error: PartitionError) -> PrepareError {
    match error {
        PartitionError::TooManyClients { clients, examples, .. } => {
            let found = format!("{clients} clients share {examples} examples");
            misfit("clients", found, format!("expected at most {examples}, the number of examples"))
        }
        PartitionError::TooFewGroups { clients, groups } => {
            let found = format!("{clients} clients share {groups} observers");
            misfit("clients", found, format!("expected at most {groups}, the number of observers"))
        }
        PartitionError::Unlucky { attempts, alpha, best, .. } => {
            let found = format!(
                "in each of {attempts} draws with concentration {alpha} some client had no example (at best {best})"
            );
            misfit("partition.alpha", found, "expected a larger concentration, or fewer clients")
        }
        other => misfit("partition", other, "expected data that can be divided so"),
    }
}

/// Numbers whose squares are no numbers any more cannot be fitted.
pub(super) fn squares(data: &DataSet, scenario: &Scenario) -> Result<(), PrepareError> {
    let (d, n) = (data.dimension(), data.len() as f64);
    let mut sums = vec![0.0; d];
    for row in data.rows().chunks_exact(d) {
        sums.iter_mut().zip(row).for_each(|(sum, value)| *sum += value * value);
    }
    let Some(column) = sums.iter().position(|sum| !(sum * n).is_finite()) else { return Ok(()) };
    let values = data.rows().chunks_exact(d).map(|row| row[column]).enumerate();
    let largest = values.reduce(|most, next| if next.1.abs() > most.1.abs() { next } else { most });
    let (example, value) = largest.unwrap_or_default();
    let place = format!("example {example} (counted from 0): column `{}`", data.columns()[column]);
    Err(too_large(scenario, &place, value))
}

/// The same of the numbers of subjects, each with what it is: name and time, or person and item.
pub(super) fn squares_of(
    scenario: &Scenario,
    numbers: impl ExactSizeIterator<Item = f64>,
    place: impl Fn(usize) -> String,
) -> Result<(), PrepareError> {
    let count = numbers.len() as f64;
    match numbers.enumerate().find(|(_, number)| !(number * number * count).is_finite()) {
        Some((at, number)) => Err(too_large(scenario, &place(at), number)),
        None => Ok(()),
    }
}

fn too_large(scenario: &Scenario, place: &str, value: f64) -> PrepareError {
    let file = scenario.data.files().first().map_or_else(String::new, |file| format!("{file}, "));
    let message = format!("{file}{place} is {value:e}, and sums of squares with it are infinite");
    misfit("data", message, "expected numbers of at most 1e150")
}

/// A covariance is to be estimated of columns that vary.
fn varies(data: &DataSet, scenario: &Scenario) -> Result<(), PrepareError> {
    if !needs_variation(scenario) {
        return Ok(());
    }
    let d = data.dimension();
    let constant = |column: &usize| data.rows().iter().skip(*column).step_by(d).all(|&y| y == data.rows()[*column]);
    let Some(column) = (0..d).find(constant) else { return Ok(()) };
    let message = format!(
        "column `{}` is constant ({}): no covariance with it is positive definite",
        data.columns()[column],
        data.rows()[column]
    );
    let path = if scenario.preprocess.is_empty() { "data" } else { "preprocess" };
    Err(misfit(path, message, "expected columns that vary: `preprocess: [DropConstant]` drops the others"))
}

/// Is a covariance estimated, and nothing done about one that is singular?
fn needs_variation(scenario: &Scenario) -> bool {
    let Model::GaussianMixture { covariance, .. } = &scenario.model else { return false };
    let given = matches!(scenario.initial, Initial::Theta { covariance: Some(_), .. });
    let clips = given && matches!(scenario.protocol.domain(), Domain::Clip { .. });
    let copes = clips || scenario.protocol.copes_with_constants();
    !matches!(covariance, Covariance::Known(_)) && !copes
}
