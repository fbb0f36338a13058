//! Reading, preparing and dividing the examples as a scenario says.

use std::collections::BTreeSet;
use std::path::PathBuf;

#[cfg(feature = "principal-components")]
use fedbits_eigen::symmetric_eigen;
use fedbits_kernel::Bits;
use fedbits_models::data::holdout::{Holdout, Split, held_out_rows};
use fedbits_models::data::packed::MemoryLimit;
use fedbits_models::data::preprocess::{Preprocess, PreprocessError, prepare_clients, prepare_further_clients};
use fedbits_models::data::transform::Transform;
use fedbits_models::data::{Coding, DataSet, Observations, Reading, Remarks, Values};
use fedbits_protocols::partition::{PartitionError, Partitioned};
use fedbits_protocols::star::Upfront;
use fedbits_random::Streams;
use fedbits_spec::Caveat;

use super::error::{read_error, unread};
use super::{PrepareError, data_error, fits, misfit};
use crate::data_files::DataFolders;
use crate::fitted::{FittedModel, Fitting};
use crate::schema::{Data, Scenario};

/// What logarithms need.
const ABOVE_0: &str = "expected columns of numbers above 0";

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
    pub(super) caveats: Vec<Caveat>,
    /// How columns of files became numbers, and what codes stand for.
    pub(super) coding: Coding,
}

/// The data as their source gives them.
pub(super) fn read(
    scenario: &Scenario,
    folders: &DataFolders,
    streams: &Streams,
) -> Result<(Observations, Said), PrepareError> {
    let (files, pool) = (files(&scenario.data, folders)?, &Streams::new(scenario.seed, 0));
    let remarks = Remarks::default();
    let (values, holdout) = (scenario.model.facts().values, scenario.holdout);
    let limit = folders.limit;
    let with = Reading { files: &files, streams, pool, values, remarks: &remarks, holdout, limit };
    let data = scenario.data.read(&with).map_err(read_error)?;
    let (notes, caveats, coding) = remarks.into_parts();
    let mut said = Said { notes, caveats, coding };
    let data = match data {
        Observations::Examples(table) => Observations::Examples(as_asked(table, scenario, limit, &mut said)?),
        data => data,
    };
    fits::squares(&data, scenario)?;
    Ok((data, said))
}

/// Whether examples stay sparse where they come so: the model takes such ones, and nothing else needs their zeros.
pub(super) fn stays_sparse(scenario: &Scenario) -> bool {
    let Scenario { model, protocol, .. } = scenario;
    let over = protocol.over();
    let facts = model.facts();
    let is_taken = facts.takes_sparse && facts.components.is_none() && !facts.estimates_covariance;
    let is_changed = !scenario.preprocess.is_empty() || over.is_by_feature() || over.is_sampled();
    let is_looked_at = scenario.initial.is_of_examples() || scenario.record.marginals.is_some();
    is_taken && !is_changed && !is_looked_at
}

/// Does the model predict numbers, and no classes?
pub(super) fn predicts_numbers(scenario: &Scenario) -> bool {
    scenario.model.facts().response == Some(Values::Real)
}

/// A table with its zeros, unless these are not needed, and with the response that the model predicts.
fn as_asked(table: DataSet, scenario: &Scenario, limit: MemoryLimit, said: &mut Said) -> Result<DataSet, PrepareError> {
    let table = if stays_sparse(scenario) {
        table
    } else {
        let expected = "expected fewer columns, `hash: 256` for example, or more memory (`--max-memory`)";
        table.dense(limit).map_err(|error| misfit("data", error, expected))?
    };
    let Some(labels) = table.labels().filter(|_| predicts_numbers(scenario)) else {
        said.caveats.extend(caveat(&table));
        return Ok(table);
    };
    let number = |class: &String| class.parse::<f64>().ok().filter(|number| number.is_finite());
    let wrong = |found: String| misfit("data", found, "expected a number as label, which the model predicts");
    let no_number = |class: &String| wrong(format!("the label `{class}` is not a number"));
    // Labels have no names where they are numbers in the source, of drawn data for example.
    let numbers = std::mem::take(&mut said.coding.classes);
    let numbers: Vec<f64> =
        numbers.iter().map(|class| number(class).ok_or_else(|| no_number(class))).collect::<Result<_, _>>()?;
    let of = |&label: &u32| numbers.get(label as usize).copied().unwrap_or(f64::from(label));
    let targets = labels.iter().map(of).collect();
    table.with_targets(targets).map_err(|error| wrong(error.to_string()))
}

/// Of labels that tell hardly two examples alike, as a column that numbers the rows.
fn caveat(table: &DataSet) -> Option<Caveat> {
    const FEW: usize = 10;
    let (labels, examples) = (table.labels()?, table.len());
    let classes = labels.iter().collect::<BTreeSet<_>>().len();
    (examples >= FEW && 2 * classes > examples)
        .then(|| Caveat::ManyLabels { labels: classes.to_string(), examples: examples.to_string() })
}

/// What the clients have, and what is held out.
pub(super) fn hold_out(
    data: DataSet,
    scenario: &Scenario,
    streams: &Streams,
) -> Result<(DataSet, Option<DataSet>), PrepareError> {
    let Some(holdout) = scenario.holdout else { return Ok((data, None)) };
    let possible = scenario.preprocess.first().map_or(Ok(()), |first| first.possible(&data));
    possible.map_err(|error| misfit("preprocess[0]", error, ABOVE_0))?;
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

/// The model where another run ended, which `initial` names by this path.
pub(super) fn fitted(scenario: &Scenario, path: &str, folders: &DataFolders) -> Result<FittedModel, PrepareError> {
    let file = folders.find(path)?;
    let expected = "expected the model.json of a run of the same model";
    let wrong = |error: &dyn std::fmt::Display| misfit("initial", format!("{}: {error}", file.display()), expected);
    let text = fedbits_spec::files::read_text(&file)
        .map_err(|error| unread(&file, &error).unwrap_or_else(|| wrong(&error)))?;
    let fitted = FittedModel::read(&text).map_err(|error| wrong(&error))?;
    let setting = fitted.setting().map_err(|error| wrong(&error))?;
    if setting != scenario.model {
        let on_one_line = fitted.model.split_whitespace().collect::<Vec<_>>().join(" ");
        return Err(wrong(&format!("its model is {on_one_line}")));
    }
    Ok(fitted)
}

/// Whether θ of `from` is about the words, items, sites and times of these data: it was taken over by position.
pub(super) fn is_of_names(from: &FittedModel, to: &Fitting) -> Result<(), PrepareError> {
    let (old, new) = (&from.features.coding, &to.features.coding);
    let lists = [
        ("site", &old.sites, &new.sites),
        ("time", &old.times, &new.times),
        ("parameter", &from.theta_names, &to.theta_names),
    ];
    for (what, old, new) in lists {
        if let Some(at) = old.iter().zip(new).position(|(old, new)| old != new) {
            let found = format!("{what} {} of the model is `{}`, that of the data `{}`", at + 1, old[at], new[at]);
            return Err(misfit("initial", found, "expected data with the same names in the same order"));
        }
    }
    Ok(())
}

/// What is held out, prepared as the clients' data were.
pub(super) fn transform(
    data: DataSet,
    steps: &[Transform],
    holdout: Option<Holdout>,
    said: &mut Said,
) -> Result<DataSet, PrepareError> {
    let transformed = match holdout {
        Some(Holdout::Clients(_)) => prepare_further_clients(data, steps),
        _ => steps.iter().try_fold(data, |data, step| step.apply(data)).map(|data| (data, None)),
    };
    let expected = "expected examples that can be prepared like the clients'";
    let (data, caveat) = transformed.map_err(|error| misfit("holdout", error, expected))?;
    said.caveats.extend(caveat);
    Ok(data)
}

/// How many steps are done before the data are divided: those before the first that needs to know the clients.
fn before_division(steps: &[Preprocess]) -> usize {
    steps.iter().position(Preprocess::needs_clients).unwrap_or(steps.len())
}

/// Are there steps after the data are divided?
pub(super) fn prepares_divided(steps: &[Preprocess]) -> bool {
    before_division(steps) < steps.len()
}

/// What was done to data by some steps.
#[derive(Default)]
pub(super) struct Done {
    /// The steps as they were fitted.
    pub(super) transformation: Vec<Transform>,
    /// What they exchange with every client.
    pub(super) exchange: Upfront,
}

/// The steps before the data are divided.
pub(super) fn preprocess(
    data: DataSet,
    steps: &[Preprocess],
    said: &mut Said,
) -> Result<(DataSet, Done), PrepareError> {
    let (offsets, mut done) = ([0, data.len()], Done::default());
    let mut range = 0..before_division(steps);
    let data = range.try_fold(data, |data, index| step(data, &offsets, (steps, index), said, &mut done))?;
    Ok((data, done))
}

/// The steps after the data are divided.
pub(super) fn preprocess_divided(
    partitioned: Partitioned,
    steps: &[Preprocess],
    said: &mut Said,
) -> Result<(Partitioned, Done), PrepareError> {
    let (first, mut done) = (before_division(steps), Done::default());
    if !prepares_divided(steps) {
        return Ok((partitioned, done));
    }
    let prepared = partitioned.with(|data, offsets| {
        (first..steps.len()).try_fold(data, |data, index| step(data, offsets, (steps, index), said, &mut done))
    })?;
    Ok((prepared, done))
}

/// One step.
fn step(
    data: DataSet,
    offsets: &[usize],
    (steps, index): (&[Preprocess], usize),
    said: &mut Said,
    done: &mut Done,
) -> Result<DataSet, PrepareError> {
    let step = &steps[index];
    let expected = |error: &PreprocessError| match step {
        Preprocess::Pca(_) if matches!(error, PreprocessError::Rank { .. }) => {
            "expected no more components than columns that do not follow from others; `Standardize` before it where \
             their scales differ much"
        }
        Preprocess::Pca(_) => "expected at most as many components as there are columns",
        Preprocess::Log(_) => ABOVE_0,
        _ => "expected columns that vary, and more than one example",
    };
    if matches!(step, Preprocess::Pca(_)) && cfg!(not(feature = "principal-components")) {
        let why = "this program is built without the feature `principal-components`";
        let expected = "expected a program that is built with it, or no `Pca`";
        return Err(misfit(format!("preprocess[{index}]"), why, expected));
    }
    let (up, down) = step.exchanged(data.dimension());
    let prepared = prepare_clients(data, offsets, std::slice::from_ref(step), symmetric_eigen);
    let prepared = prepared.map_err(|error| misfit(format!("preprocess[{index}]"), &error, expected(&error)))?;
    said.notes.extend(prepared.notes);
    said.caveats.extend(prepared.caveats);
    done.transformation.extend(prepared.transformation);
    let exchange = &mut done.exchange;
    (exchange.up, exchange.down) = (exchange.up + Bits::new(64 * up), exchange.down + Bits::new(64 * down));
    Ok(prepared.data)
}

/// No step calls it: [`step`] refuses the only one that would.
#[cfg(not(feature = "principal-components"))]
fn symmetric_eigen(_: &[f64], _: usize) -> Option<(Vec<f64>, Vec<f64>)> {
    None
}

pub(super) fn partition(data: &DataSet, scenario: &Scenario, streams: &Streams) -> Result<Partitioned, PrepareError> {
    let rule = scenario.partition.rule(scenario.clients.unwrap_or(1));
    Partitioned::new(data, &rule, streams).map_err(fits::undivided)
}
