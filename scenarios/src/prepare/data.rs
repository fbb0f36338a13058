//! Reading, preparing and dividing the examples as a scenario says.

use std::path::PathBuf;

use fedbits_eigen::symmetric_eigen;
use fedbits_models::data::preprocess::{Preprocess, prepare};
use fedbits_models::data::{DataSet, Observations, Reading, Remarks};
use fedbits_protocols::partition::{Partitioned, Rule};
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

pub(super) fn preprocess(data: DataSet, steps: &[Preprocess]) -> Result<(DataSet, Vec<String>), PrepareError> {
    let (mut data, mut notes) = (data, Vec::new());
    for (index, step) in steps.iter().enumerate() {
        let expected = match step {
            Preprocess::Pca(_) => "expected at most as many components as there are columns",
            _ => "expected columns that vary, and more than one example",
        };
        let prepared = prepare(data, &[*step], symmetric_eigen);
        let prepared = prepared.map_err(|error| misfit(format!("preprocess[{index}]"), error, expected))?;
        data = prepared.data;
        notes.extend(prepared.notes);
    }
    Ok((data, notes))
}

pub(super) fn partition(data: &DataSet, scenario: &Scenario, streams: &Streams) -> Result<Partitioned, PrepareError> {
    let rule = match &scenario.protocol {
        protocol if protocol.is_centralized() && protocol.over().is_sampled() => Rule::Iid { clients: 1 },
        _ => scenario.partition.rule(scenario.clients.unwrap_or(1)),
    };
    Partitioned::new(data, rule, streams).map_err(fits::undivided)
}
