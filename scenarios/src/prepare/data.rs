//! Reading, preparing and dividing the examples as a scenario says.

use std::path::PathBuf;

use fedbits_eigen::symmetric_eigen;
use fedbits_models::data::holdout::{Holdout, Split, held_out_rows};
use fedbits_models::data::preprocess::{Prepared, Preprocess, prepare};
use fedbits_models::data::transform::Transform;
use fedbits_models::data::{DataSet, Observations, Reading};
use fedbits_models::fitted::Features;
use fedbits_models::initial::InitialSetting;
use fedbits_protocols::partition::{Partitioned, Rule};
use fedbits_random::Streams;

use super::{PrepareError, data_error, fits, misfit};
use crate::data_files::DataFolders;
use crate::fitted::FittedModel;
use crate::schema::{Data, Scenario};

/// The files of the data, where they were found.
fn files(data: &Data, folders: &DataFolders) -> Result<Vec<PathBuf>, PrepareError> {
    data.files().into_iter().map(|file| Ok(folders.find(file)?)).collect()
}

/// The data as their source gives them.
pub(super) fn read(
    scenario: &Scenario,
    folders: &DataFolders,
    streams: &Streams,
) -> Result<Observations, PrepareError> {
    let (files, pool) = (files(&scenario.data, folders)?, &Streams::new(scenario.seed, 0));
    let with = Reading { files: &files, streams, pool, values: scenario.model.values() };
    let data = scenario.data.read(&with).map_err(data_error)?;
    fits::squares(&data, scenario)?;
    Ok(data)
}

/// What the clients have, and what is held out.
pub(super) fn hold_out(
    data: DataSet,
    holdout: Option<Holdout>,
    streams: &Streams,
) -> Result<(DataSet, Option<DataSet>), PrepareError> {
    let Some(holdout) = holdout else { return Ok((data, None)) };
    let Split { kept, held_out } = holdout
        .split(&data, streams)
        .map_err(|error| misfit("holdout", error, "expected a share that is more than none and less than all"))?;
    Ok((kept, Some(held_out)))
}

/// The subjects or persons that the clients have, and those that are held out.
pub(super) fn hold_out_subjects(
    data: Observations,
    holdout: Option<Holdout>,
    streams: &Streams,
) -> Result<(Observations, Option<Observations>), PrepareError> {
    let Some(Holdout::Rows(share)) = holdout else { return Ok((data, None)) };
    let expected = "expected a share that is more than none and less than all";
    let held_out = held_out_rows(share, data.size(), streams).map_err(|error| misfit("holdout", error, expected))?;
    let part = |wanted: bool| {
        let chosen: Vec<usize> = (0..data.size()).filter(|&row| held_out[row] == wanted).collect();
        data.select(&chosen).ok_or_else(|| data_error("of these data no subjects can be held out"))
    };
    Ok((part(false)?, Some(part(true)?)))
}

/// θ₀ where another run ended, for data prepared as `to` says.
pub(super) fn carried(
    scenario: &Scenario,
    path: &str,
    folders: &DataFolders,
    to: &Features,
) -> Result<InitialSetting, PrepareError> {
    let file = folders.find(path)?;
    let expected = "expected the model.json of a run of the same model";
    let wrong = |error: &dyn std::fmt::Display| misfit("initial", format!("{}: {error}", file.display()), expected);
    let text = std::fs::read_to_string(&file).map_err(|error| wrong(&error))?;
    let fitted = FittedModel::read(&text).map_err(|error| wrong(&error))?;
    let own = fitted.setting().map_err(|error| wrong(&error))?;
    if own != scenario.model {
        return Err(wrong(&format!("its model is {}", own_line(&fitted.model))));
    }
    Ok(InitialSetting::Parameters(scenario.model.carry(&fitted.theta, &fitted.features, to)?))
}

/// A text in RON on one line.
fn own_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Further data, prepared as others were.
pub(super) fn transform(data: DataSet, steps: &[Transform]) -> Result<DataSet, PrepareError> {
    steps.iter().try_fold(data, |data, step| step.apply(data)).map_err(data_error)
}

pub(super) fn preprocess(data: DataSet, steps: &[Preprocess]) -> Result<Prepared, PrepareError> {
    let mut all = Prepared { data, notes: Vec::new(), transformation: Vec::new() };
    for (index, step) in steps.iter().enumerate() {
        let expected = match step {
            Preprocess::Pca(_) => "expected at most as many components as there are columns",
            _ => "expected columns that vary, and more than one example",
        };
        let prepared = prepare(all.data, &[*step], symmetric_eigen);
        let prepared = prepared.map_err(|error| misfit(format!("preprocess[{index}]"), error, expected))?;
        all.data = prepared.data;
        all.notes.extend(prepared.notes);
        all.transformation.extend(prepared.transformation);
    }
    Ok(all)
}

pub(super) fn partition(data: &DataSet, scenario: &Scenario, streams: &Streams) -> Result<Partitioned, PrepareError> {
    let rule = match &scenario.protocol {
        protocol if protocol.is_centralized() && protocol.over().is_sampled() => Rule::Iid { clients: 1 },
        _ => scenario.partition.rule(scenario.clients.unwrap_or(1)),
    };
    Partitioned::new(data, rule, streams).map_err(fits::undivided)
}
