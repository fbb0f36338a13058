//! Reading, preparing and dividing the examples as a scenario says.

use std::path::PathBuf;

use fedbits_eigen::symmetric_eigen;
use fedbits_kernel::Bits;
use fedbits_models::data::preprocess::{Preprocess, prepare_clients};
use fedbits_models::data::{DataSet, Observations, Reading, Remarks};
use fedbits_protocols::partition::{PartitionError, Partitioned, Rule};
use fedbits_protocols::star::Exchange;
use fedbits_random::Streams;

use super::{PrepareError, data_error, fits, misfit};
use crate::data_files::DataFolders;
use crate::schema::{Data, Scenario};

/// The files of the data, where they were found.
fn files(data: &Data, folders: &DataFolders) -> Result<Vec<PathBuf>, PrepareError> {
    let found: Vec<Vec<PathBuf>> =
        data.files().into_iter().map(|file| folders.find_all(file)).collect::<Result<_, _>>()?;
    Ok(found.concat())
}

impl From<PartitionError> for PrepareError {
    fn from(error: PartitionError) -> Self {
        fits::undivided(error)
    }
}

/// What is said of what was done to data.
#[derive(Clone, Default)]
pub(super) struct Said {
    /// A line per step.
    pub(super) notes: Vec<String>,
    pub(super) caveats: Vec<String>,
}

/// The data as their source gives them.
pub(super) fn read(
    scenario: &Scenario,
    folders: &DataFolders,
    streams: &Streams,
) -> Result<(Observations, Said), PrepareError> {
    let (files, pool) = (files(&scenario.data, folders)?, &Streams::new(scenario.seed, 0));
    let remarks = Remarks::default();
    let with = Reading { files: &files, streams, pool, values: scenario.model.values(), remarks: &remarks };
    let data = scenario.data.read(&with).map_err(data_error)?;
    fits::squares(&data, scenario)?;
    let (notes, caveats) = remarks.into_parts();
    Ok((data, Said { notes, caveats }))
}

/// How many steps are done before the data are divided: those before the first that needs to know the clients.
fn before_division(steps: &[Preprocess]) -> usize {
    steps.iter().position(Preprocess::needs_clients).unwrap_or(steps.len())
}

/// The steps before the data are divided.
pub(super) fn preprocess(data: DataSet, steps: &[Preprocess], said: &mut Said) -> Result<DataSet, PrepareError> {
    let offsets = [0, data.len()];
    let range = 0..before_division(steps);
    range.into_iter().try_fold(data, |data, index| Ok(step(data, &offsets, (steps, index), said)?.0))
}

/// The steps after the data are divided, and what they exchange.
pub(super) fn preprocess_divided(
    partitioned: Partitioned,
    steps: &[Preprocess],
    said: &mut Said,
) -> Result<(Partitioned, Exchange), PrepareError> {
    let first = before_division(steps);
    let mut exchange = Exchange::default();
    if first == steps.len() {
        return Ok((partitioned, exchange));
    }
    let prepared = partitioned.with(|data, offsets| {
        (first..steps.len()).try_fold(data, |data, index| {
            let (data, (up, down)) = step(data, offsets, (steps, index), said)?;
            exchange = Exchange { up: exchange.up + Bits::new(64 * up), down: exchange.down + Bits::new(64 * down) };
            Ok::<_, PrepareError>(data)
        })
    })?;
    Ok((prepared, exchange))
}

/// One step, and how many numbers each client sends and gets for it.
fn step(
    data: DataSet,
    offsets: &[usize],
    (steps, index): (&[Preprocess], usize),
    said: &mut Said,
) -> Result<(DataSet, (u64, u64)), PrepareError> {
    let step = &steps[index];
    let expected = match step {
        Preprocess::Pca(_) => "expected at most as many components as there are columns",
        Preprocess::Log(_) => "expected columns of numbers above 0",
        _ => "expected columns that vary, and more than one example",
    };
    let exchanged = step.exchanged(data.dimension());
    let prepared = prepare_clients(data, offsets, std::slice::from_ref(step), symmetric_eigen);
    let prepared = prepared.map_err(|error| misfit(format!("preprocess[{index}]"), error, expected))?;
    said.notes.extend(prepared.notes);
    said.caveats.extend(prepared.caveats);
    Ok((prepared.data, exchanged))
}

pub(super) fn partition(data: &DataSet, scenario: &Scenario, streams: &Streams) -> Result<Partitioned, PrepareError> {
    let rule = match &scenario.protocol {
        protocol if protocol.is_centralized() && protocol.over().is_sampled() => Rule::Iid { clients: 1 },
        _ => scenario.partition.rule(scenario.clients.unwrap_or(1)),
    };
    Partitioned::new(data, rule, streams).map_err(fits::undivided)
}
