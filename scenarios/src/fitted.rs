//! `models/ARM.json`: a fitted model with what it takes to use it elsewhere.

use std::collections::BTreeMap;
use std::path::Path;

use fedbits_models::DomainError;
use fedbits_models::data::csv::ResponsesFile;
use fedbits_models::data::npy::NpyFiles;
use fedbits_models::data::packed::MemoryLimit;
use fedbits_models::data::{DataSet, DataSource, FileError, Observations, ReadError, Reading, Remarks, Truth};
use fedbits_models::fit::FitError;
use fedbits_models::fitted::{Content, Features, NpzFile, Predictor};
use fedbits_models::latent::FinalTable;
use fedbits_random::Streams;
use fedbits_spec::Caveat;
use fedbits_text::{Document, Patched};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use thiserror::Error;

use crate::document;
use crate::schema::{Data, Model};

/// What every such file says as its `format`.
pub const MODEL_FORMAT: &str = "fedbits model 1";

/// A fitted model.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub struct FittedModel {
    /// [`MODEL_FORMAT`].
    pub format: String,
    /// The model as the scenario names it, in RON.
    pub model: String,
    /// The data as the scenario names them, in RON; empty in files of earlier versions.
    #[serde(default)]
    pub data: String,
    /// The columns of the data and their preparation; none where the data are no table.
    #[serde(flatten)]
    pub features: Features,
    /// Names of the columns that the preparation dropped.
    pub dropped: Vec<String>,
    /// Names of the columns that the parameters are about.
    pub parameter_columns: Vec<String>,
    /// The parameters in the units of the data: arrays under names.
    pub parameters: Map<String, Value>,
    /// The mixture that the data were drawn from, where the scenario says it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub truth: Option<Truth>,
    /// Names of the entries of θ.
    pub theta_names: Vec<String>,
    /// θ as it was fitted to the prepared data.
    pub theta: Vec<f64>,
    /// The run that it comes from.
    pub fit: Fit,
}

/// Where a fitted model comes from, and how good it is.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
pub struct Fit {
    /// Name of the scenario; empty in the store of runs.
    pub scenario: String,
    /// Name of the arm; empty in the store of runs.
    pub arm: String,
    /// Root seed.
    pub seed: u64,
    /// Replicate under it.
    pub replicate: u64,
    /// Rounds.
    pub rounds: u64,
    /// Why the run ended.
    pub stop_reason: String,
    /// What the last probe measured, by column of `rounds.csv`.
    pub measures: BTreeMap<String, f64>,
    /// Of a mixture fitted to labelled examples: the class that each component was matched with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub component_classes: Option<Vec<Option<String>>>,
    /// What a reader must know before trusting it.
    pub caveats: Vec<Caveat>,
}

/// What is known of the model before a run.
#[derive(Clone, Debug)]
pub struct Fitting {
    /// The model.
    pub model: Model,
    /// The data.
    pub data: Data,
    /// The columns and their preparation.
    pub features: Features,
    /// Names of the entries of θ.
    pub theta_names: Vec<String>,
}

/// Why a fitted model cannot be used.
#[derive(Debug, Error)]
pub enum FittedError {
    /// The text is no such model, its parts do not belong together, or it says nothing of what is asked.
    #[error("{0}")]
    Unusable(String),
    /// The model in it cannot be read.
    #[error("the model `{0}` is unknown")]
    Model(String),
    /// θ is none of the model.
    #[error(transparent)]
    Fit(#[from] FitError),
    /// θ has no density.
    #[error(transparent)]
    Domain(#[from] DomainError),
    /// Its arrays cannot be written.
    #[error("its arrays: {0}")]
    Arrays(#[from] std::io::Error),
}

impl Fitting {
    /// The model at `theta`.
    ///
    /// # Errors
    /// When θ has no density.
    pub fn at(self, theta: &[f64], fit: Fit) -> Result<FittedModel, FittedError> {
        let Self { model, data, features, theta_names } = self;
        let parameters = parameters(&model, theta, &features)?;
        let dropped = features.dropped();
        Ok(FittedModel {
            format: MODEL_FORMAT.to_owned(),
            model: fedbits_text::write(&model),
            data: fedbits_text::write(&data),
            parameter_columns: features.kept_names(),
            features,
            dropped,
            parameters,
            truth: data.truth(),
            theta_names,
            theta: theta.to_vec(),
            fit,
        })
    }
}

impl FittedModel {
    /// The text of the file: a line per field.
    #[must_use]
    pub fn text(&self) -> String {
        let Ok(Value::Object(fields)) = serde_json::to_value(self.without_long_fields()) else { return String::new() };
        let of_data = ["format", "model", "data", "inputs", "columns", "dropped", "transformation", "classes"];
        let order = [&of_data[..], &["sites", "times", "parameter_columns", "parameters", "truth"]].concat();
        let known = order.iter().filter_map(|name| fields.get_key_value(*name));
        let unknown = fields.iter().filter(|(name, _)| !order.contains(&name.as_str()));
        let mut text = b"{".to_vec();
        for (name, value) in known.chain(unknown) {
            text.extend(if text.len() > 1 { ",\n  " } else { "\n  " }.bytes());
            text.extend(format!("{}: ", Value::from(name.as_str())).bytes());
            // The long fields become text at once: a tree of values takes several times their memory.
            let written = match name.as_str() {
                "parameters" => serde_json::to_writer(&mut text, &self.parameters),
                "theta_names" => serde_json::to_writer(&mut text, &self.theta_names),
                "theta" => serde_json::to_writer(&mut text, &self.theta),
                _ => serde_json::to_writer(&mut text, value),
            };
            written.expect("numbers and texts are written to memory");
        }
        text.extend(b"\n}\n");
        String::from_utf8(text).expect("JSON is UTF-8")
    }

    /// It with nothing in the fields that grow with θ.
    fn without_long_fields(&self) -> Self {
        Self {
            format: self.format.clone(),
            model: self.model.clone(),
            data: self.data.clone(),
            features: self.features.clone(),
            dropped: self.dropped.clone(),
            parameter_columns: self.parameter_columns.clone(),
            parameters: Map::new(),
            truth: self.truth.clone(),
            theta_names: Vec::new(),
            theta: Vec::new(),
            fit: self.fit.clone(),
        }
    }

    /// The bytes of a file of NumPy with the parameters as arrays of doubles under the same names, and `theta`,
    /// `columns` and `parameter_columns`.
    ///
    /// # Errors
    /// When the model is unknown, or its arrays cannot be written.
    pub fn arrays(&self) -> Result<Vec<u8>, FittedError> {
        let mut file = NpzFile::default();
        for array in self.setting()?.arrays(&self.theta, &self.features)? {
            file.array(&array)?;
        }
        file.numbers("theta", &[self.theta.len()], &self.theta)?;
        for (name, texts) in [("columns", &self.features.columns), ("parameter_columns", &self.parameter_columns)] {
            file.texts(name, &[texts.len()], texts)?;
        }
        Ok(file.finish()?)
    }

    /// Reads the text of such a file.
    pub fn read(text: &str) -> Result<Self, FittedError> {
        let model: Self = serde_json::from_str(text).map_err(|error| {
            FittedError::Unusable(format!("line {}, column {}: {error}", error.line(), error.column()))
        })?;
        if model.format != MODEL_FORMAT {
            let found = format!("the format is `{}`, expected `{MODEL_FORMAT}`", model.format);
            return Err(FittedError::Unusable(found));
        }
        model.features.check().map_err(FittedError::Unusable)?;
        model.is_whole()?;
        Ok(model)
    }

    /// What is said twice in the file is said alike: what is used is θ, and who edits the parameters must know.
    fn is_whole(&self) -> Result<(), FittedError> {
        let setting = self.setting()?;
        // Checks the length of θ and its domain, where the model says something of examples.
        setting.predictor(&self.theta, &self.features)?;
        let same = [
            ("parameters", parameters(&setting, &self.theta, &self.features)? == self.parameters),
            ("parameter_columns", self.features.kept_names() == self.parameter_columns),
            ("dropped", self.features.dropped() == self.dropped),
        ];
        let components = setting.facts().components.unwrap_or(1);
        if let Some(classes) = self.fit.component_classes.as_ref().filter(|classes| classes.len() != components) {
            let found = format!("{} `component_classes`, expected {components}", classes.len());
            return Err(FittedError::Unusable(format!("{found}: the file was changed")));
        }
        match same.into_iter().find(|(_, same)| !same) {
            Some((name, _)) => Err(FittedError::Unusable(format!(
                "`{name}` is not what `theta`, `columns` and `transformation` give: the file was changed"
            ))),
            None => Ok(()),
        }
    }

    fn says_nothing(&self) -> FittedError {
        FittedError::Unusable(format!("a model `{}` says nothing of single examples", self.model))
    }

    /// The setting of the model.
    pub fn setting(&self) -> Result<Model, FittedError> {
        let named: Option<NamedModel> = read_part("model", &self.model);
        named.map(|named| named.model).ok_or_else(|| FittedError::Model(self.model.clone()))
    }

    /// The setting of the data.
    fn source(&self) -> Result<Data, FittedError> {
        let named: Option<NamedData> = read_part("data", &self.data);
        named.map(|named| named.data).ok_or_else(|| {
            let expected = "expected the model.json of a run of this version";
            FittedError::Unusable(format!("the data `{}` are unknown: {expected}", self.data))
        })
    }

    /// The examples of a file like the one that it was fitted to, of arrays and LIBSVM's files, in the columns of the
    /// model; none of tables, whose rows have more to them than numbers.
    ///
    /// # Errors
    /// When the file cannot be read in this way, or lacks columns of the model.
    pub fn examples(&self, file: &Path) -> Result<Option<DataSet>, FittedError> {
        let Ok(source) = self.source() else { return Ok(None) };
        let arrays = source.get::<NpyFiles>();
        let is_array = || arrays.is_some() && matches!(ending(file).as_deref(), Some("npy" | "npz"));
        let is_like = source.files().first().is_some_and(|name| ending(Path::new(name)) == ending(file));
        if source.part_name() == "Csv" || !(is_like || is_array()) {
            return Ok(None);
        }
        let wrong = |message: String| FittedError::Unusable(format!("{}: {message}", file.display()));
        // Further data have no labels, whatever those of the fit had, and a file of one array has no names in it.
        let is_archive = ending(file).as_deref() == Some("npz");
        let arrays = arrays.map(|files| {
            let array = files.array.clone().filter(|_| is_archive);
            NpyFiles { array, labels: None, labels_array: None, ..files.clone() }
        });
        let source: &dyn DataSource = arrays.as_ref().map_or(&*source, |arrays| arrays);
        let names = &self.features.columns;
        let unknown = |name: &str| wrong(format!("`{name}` is not a column of the model, which has {}", names.len()));
        let Observations::Examples(data) = self.read_like(source, file)?.0 else { return Ok(None) };
        let given = data.columns();
        let made = if data.is_sparse() {
            let known: BTreeMap<&String, u32> = names.iter().zip(0..).collect();
            let places: Vec<Option<u32>> = given.iter().map(|name| known.get(name).copied()).collect();
            let (mut offsets, mut indices, mut values) = (vec![0; data.len() + 1], Vec::new(), Vec::new());
            let unplaced = data.find_map(|example, column, value| match places[column] {
                Some(at) => {
                    indices.push(at);
                    values.push(value);
                    offsets[example + 1] = values.len();
                    None
                }
                None => (value != 0.0).then_some(column),
            });
            if let Some(column) = unplaced {
                return Err(unknown(&given[column]));
            }
            // Rows without entries end where those before them do.
            (1..offsets.len()).for_each(|at| offsets[at] = offsets[at].max(offsets[at - 1]));
            DataSet::sparse(names.clone(), (offsets, indices, values), None)
        } else {
            let place = |name| given.iter().position(|column| column == name);
            let place = |name| place(name).ok_or_else(|| wrong(format!("there is no `{name}`")));
            let places: Vec<usize> = names.iter().map(place).collect::<Result<_, _>>()?;
            if let Some(name) = given.iter().find(|name| !names.contains(name)) {
                return Err(unknown(name));
            }
            let rows = data.rows().chunks_exact(given.len()).flat_map(|row| places.iter().map(|&at| row[at])).collect();
            DataSet::new(names.clone(), rows, None, None)
        };
        made.map(Some).map_err(|error| wrong(error.to_string()))
    }

    /// The data of a file, and what is to be said of how they were read.
    fn read_like(&self, source: &dyn DataSource, file: &Path) -> Result<(Observations, Vec<Caveat>), FittedError> {
        let (streams, remarks) = (Streams::new(0, 0), Remarks::default());
        let (files, values, limit) = ([file.to_owned()], self.setting()?.facts().values, MemoryLimit::default());
        let with = Reading {
            files: &files,
            streams: &streams,
            pool: &streams,
            values,
            remarks: &remarks,
            holdout: None,
            limit,
        };
        // Here is no scenario that could say more of the file.
        let said = |error: ReadError| match error.downcast::<FileError>() {
            Ok(error) => error.of_file_alone(),
            Err(error) => error.to_string(),
        };
        let data = source.read(&with).map_err(|error| FittedError::Unusable(said(error)))?;
        let (_, caveats, _) = remarks.into_parts();
        Ok((data, caveats))
    }

    /// What it says of the subjects, persons or counts of a file like the one that it was fitted to, and what is to be
    /// said of how the file was read.
    ///
    /// # Errors
    /// When the file cannot be read in this way, or the model says nothing of what is in it.
    pub fn judge(&self, file: &Path) -> Result<(FinalTable, Vec<Caveat>), FittedError> {
        let (model, source, columns) = (self.setting()?, self.source()?, &self.features.columns);
        if source.files().is_empty() {
            let found = format!("the model was fitted to drawn data, `{}`", self.data);
            return Err(FittedError::Unusable(format!("{found}: expected one that was fitted to a file")));
        }
        let responses = source.get::<ResponsesFile>();
        let named = responses.filter(|_| !columns.is_empty()).map(|responses| responses.of_items(columns));
        let like: &dyn DataSource = named.as_ref().map_or(&*source, |named| named);
        let (data, mut caveats) = self.read_like(like, file)?;
        if columns.is_empty() && responses.is_some_and(|responses| !responses.names_items()) {
            caveats.push(Caveat::PredictedByPosition {});
        }
        let found = model.judge(&self.theta, &self.features, data)?;
        found.map(|found| (found, caveats)).ok_or_else(|| self.says_nothing())
    }

    /// It, to be applied to examples.
    ///
    /// # Errors
    /// When the model is unknown, says nothing of examples, or θ is none of it.
    pub fn predictor(&self) -> Result<Box<dyn Predictor>, FittedError> {
        let predictor = self.setting()?.predictor(&self.theta, &self.features)?;
        predictor.ok_or_else(|| self.says_nothing())
    }
}

/// The ending of a name, without that of a packed file.
fn ending(path: &Path) -> Option<String> {
    let name = path.file_name()?.to_str()?.to_lowercase();
    let name = [".gz", ".zst"].iter().find_map(|end| name.strip_suffix(end)).unwrap_or(&name);
    name.rsplit_once('.').map(|(_, ending)| ending.to_owned())
}

document::part!(NamedModel, "model", "model", model: Model, document::none);
document::part!(NamedData, "data", "data", data: Data, document::none);

/// A text of one field; none where anything is wrong with it.
fn read_part<T: Document>(field: &str, text: &str) -> Option<T> {
    let reading = Patched::new(0, &format!("({field}: {text})")).read::<T>();
    reading.value.filter(|_| reading.problems.is_empty())
}

/// The parameters under their names.
fn parameters(model: &Model, theta: &[f64], features: &Features) -> Result<Map<String, Value>, FitError> {
    let mut named = Map::new();
    for array in model.arrays(theta, features)? {
        let content = match array.content {
            Content::Text(text) => Value::from(text),
            Content::Numbers { shape, values } => nested(&shape, &values),
        };
        if named.insert(array.name.to_owned(), content).is_some() {
            return Err(FitError::model(format!("the model has two arrays `{}`", array.name)));
        }
    }
    Ok(named)
}

fn nested(shape: &[usize], values: &[f64]) -> Value {
    match shape {
        [] | [_] => Value::from(values.to_vec()),
        [_, rest @ ..] => {
            let size = rest.iter().product::<usize>().max(1);
            Value::Array(values.chunks(size).map(|values| nested(rest, values)).collect())
        }
    }
}
