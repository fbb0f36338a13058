//! Whether what a scenario says fits the data that were read. The rules are those of the checks, tried again with the
//! sizes that only the data tell; what is wrong has its place in the scenario. This file must not read data.

use std::collections::BTreeMap;

use fedbits_models::data::holdout::held_out_rows;
use fedbits_models::data::preprocess::Preprocess;
use fedbits_models::data::{DataKind, DataSet, Observations, Overflow, Underflow, columns_underflow};
use fedbits_protocols::fedem::Domain;
use fedbits_protocols::partition::PartitionError;
use fedbits_random::Streams;
use fedbits_spec::so_many;

use super::{PrepareError, misfit};
use crate::checks::{self, Facts, Severity};
use crate::schema::{Holdout, Initial, Partition, Scenario};

/// Tries all rules with what is known now.
pub(super) fn check(scenario: &Scenario, measured: &Facts) -> Result<(), PrepareError> {
    let mut misfits = checks::with_data(scenario, measured).into_parts().0;
    misfits.retain(|found| found.severity == Severity::Error);
    if misfits.is_empty() { Ok(()) } else { Err(PrepareError::Misfits(misfits)) }
}

/// A table of examples, with all that the scenario says about it.
///
/// # Errors
/// Every value of the scenario that does not fit; a column of which no covariance can be estimated.
pub(super) fn table(data: &DataSet, scenario: &Scenario) -> Result<(), PrepareError> {
    let by_column = scenario.partition == Partition::ClientColumn && !scenario.protocol.profile().is_centralized;
    let groups = data.groups().filter(|_| by_column).and_then(|groups| groups.iter().max());
    let measured = Facts {
        clients: groups.map(|&last| last as usize + 1),
        features: Some(data.dimension()),
        examples: Some(data.len() as u64),
        ..Facts::default()
    };
    check(scenario, &measured)?;
    possible(data, scenario)?;
    varies(data, scenario)?;
    // What is done to the data of each client may still magnify them.
    if scenario.preprocess.iter().any(Preprocess::needs_clients) || scenario.model.facts().components.is_none() {
        return Ok(());
    }
    differs(columns_underflow(data), scenario)
}

/// Clients that keep some of their examples in so many replicates from the scenario's own on, by which the data were
/// held out; `names` are those of the client column.
///
/// # Errors
/// A client of which every example is held out.
pub(super) fn clients(
    kept: &DataSet,
    held_out: Option<&DataSet>,
    names: &[String],
    (scenario, replicates): (&Scenario, u64),
) -> Result<(), PrepareError> {
    let (Partition::ClientColumn, Some(Holdout::Rows(share)), Some(held_out)) =
        (&scenario.partition, scenario.holdout, held_out)
    else {
        return Ok(());
    };
    let (first, kept_count) = (scenario.replicate, kept.len());
    let drawn = |replicate| {
        held_out_rows(share, kept.len() + held_out.len(), &Streams::new(scenario.seed, replicate)).unwrap_or_default()
    };
    // The clients of all examples, in the order in which they were before they were divided.
    let [mut kept, mut held_out] = [kept, held_out].map(|data| data.groups().unwrap_or_default().iter().copied());
    let client = |is_held_out: bool| if is_held_out { held_out.next() } else { kept.next() };
    let clients: Vec<u32> = drawn(first).into_iter().filter_map(client).collect();
    let mut sizes = BTreeMap::<u32, usize>::new();
    clients.iter().for_each(|&client| *sizes.entry(client).or_default() += 1);
    // Only a client with no more examples than are held out can lose them all, with about this probability. What is so
    // unlikely, or comes after so many draws, the run itself says.
    const UNLIKELY: f64 = 1e-12;
    const DRAWS: usize = 100_000_000;
    let held_out = clients.len() - kept_count;
    let chance = |&examples: &usize| libm::pow(held_out as f64 / clients.len() as f64, examples as f64);
    let chances: f64 = sizes.values().filter(|&&examples| examples <= held_out).map(chance).sum();
    let most = if chances * replicates as f64 > UNLIKELY { DRAWS / clients.len() + 1 } else { 0 };
    for replicate in first..first + replicates.min(most as u64) {
        let mut left = sizes.clone();
        let lost = clients.iter().zip(drawn(replicate)).filter(|(_, is_held_out)| *is_held_out);
        lost.for_each(|(client, _)| *left.entry(*client).or_default() -= 1);
        let Some((&client, _)) = left.iter().find(|(_, examples)| **examples == 0) else { continue };
        let name = names.get(client as usize).cloned().unwrap_or_else(|| client.to_string());
        let when = if replicate == first { String::new() } else { format!("in replicate {replicate} ") };
        let found = format!("{when}all examples of client `{name}` are held out");
        return Err(misfit("holdout", found, "expected a smaller share, `Clients(…)`, or another seed"));
    }
    Ok(())
}

/// A division of the data that cannot be made.
pub(super) fn undivided(error: PartitionError) -> PrepareError {
    match error {
        PartitionError::TooManyClients { clients, examples, .. } => {
            let found = format!("{} share {}", so_many(clients, "client"), so_many(examples, "example"));
            misfit("clients", found, format!("expected at most {examples}, the number of examples"))
        }
        PartitionError::TooFewGroups { clients, groups } => {
            let found = format!("{} share {}", so_many(clients, "client"), so_many(groups, "observer"));
            misfit("clients", found, format!("expected at most {groups}, the number of observers"))
        }
        PartitionError::Unlucky { attempts, alpha, best, .. } => {
            let found = format!(
                "in each of {attempts} draws with concentration {alpha} some client had no example (at best {best})"
            );
            misfit("partition.alpha", found, "expected a larger concentration, or fewer clients")
        }
        found => misfit("partition", found, "expected data that can be divided so"),
    }
}

/// Numbers whose fourth powers are no numbers any more cannot be fitted.
pub(super) fn squares(data: &Observations, scenario: &Scenario) -> Result<(), PrepareError> {
    let Some(Overflow { index, value }) = data.overflow() else {
        // A table may be prepared.
        let is_table = matches!(data, Observations::Examples(_));
        return if is_table { Ok(()) } else { differs(data.underflow(), scenario) };
    };
    let message =
        format!("{}{index} is {value:e}, and squares of sums of squares with it are infinite", file(scenario));
    Err(misfit("data", message, "expected numbers of at most 1e70"))
}

/// Numbers of which squares of differences underflow cannot be fitted.
fn differs(found: Option<Underflow>, scenario: &Scenario) -> Result<(), PrepareError> {
    let Some(Underflow { what, range }) = found else { return Ok(()) };
    let message = format!(
        "{}{what}: the numbers differ by at most {range:.1e}, and squares of sums of squares of that are 0 in floats \
         of 64 bits",
        file(scenario)
    );
    let remedy = match scenario.data.kind() {
        DataKind::Examples => ": `preprocess: [Standardize]`, or another unit",
        _ => ": another unit",
    };
    Err(misfit(origin(scenario), message, format!("expected numbers that differ by 1e-70 or more{remedy}")))
}

/// The file of the examples, before what stands in it.
fn file(scenario: &Scenario) -> String {
    scenario.data.files().first().map_or_else(String::new, |file| format!("{file}, "))
}

/// Where to look when prepared examples do not fit.
fn origin(scenario: &Scenario) -> &'static str {
    if scenario.preprocess.is_empty() { "data" } else { "preprocess" }
}

/// The model can have these examples.
fn possible(data: &DataSet, scenario: &Scenario) -> Result<(), PrepareError> {
    let model = &scenario.model;
    // A zero that is not stored is an observation of every kind.
    let refused = |example, column, value| Some((example, column, value, model.values_of(column).refuses(value)?));
    let Some((example, column, value, expected)) = data.find_map(refused) else { return Ok(()) };
    let column = &data.columns()[column];
    let message = format!("{}example {example} (counted from 0): column `{column}` is {value}", file(scenario));
    Err(misfit(origin(scenario), message, format!("expected {expected}")))
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
    Err(misfit(origin(scenario), message, "expected columns that vary: `preprocess: [DropConstant]` drops the others"))
}

/// Is a covariance estimated, and nothing done about one that is singular?
fn needs_variation(scenario: &Scenario) -> bool {
    let given = matches!(scenario.initial, Initial::Theta { covariance: Some(_), .. });
    let clips = given && matches!(scenario.protocol.profile().domain, Domain::Clip { .. });
    let copes = clips || scenario.protocol.profile().copes_with_constants;
    scenario.model.facts().estimates_covariance && !copes
}
