//! Item responses and documents of a scenario, their models and starts.

use std::path::PathBuf;

use fedbits_models::bifactor::{BiFactor, Law};
use fedbits_models::data::corpus::{CorpusFile, read_corpus};
use fedbits_models::data::csv::{ResponseKind, ResponsesFile, read_responses};
use fedbits_models::topics::TopicModel;
use fedbits_random::{Purpose, Streams};

use super::memory::{self, Budget, Sizes};
use super::saem::{Problem, clients, deal};
use super::{PrepareError, data, data_error, fits, model_error};
use crate::data_files::DataFolders;
use crate::schema::{self, Scenario};

/// Responses and a bi-factor model.
pub(super) fn bi_factor(
    scenario: &Scenario,
    folders: &DataFolders,
    streams: &Streams,
) -> Result<(Problem, Vec<String>), PrepareError> {
    let Some(file) = scenario.data.get::<ResponsesFile>() else {
        return Err(data_error("bi-factor models need responses"));
    };
    let schema::Model::BiFactor { groups, law } = &scenario.model else {
        return Err(model_error("responses need a bi-factor model"));
    };
    let kind = if *law == Law::Gaussian { ResponseKind::Real } else { ResponseKind::Binary };
    let data = read_responses(&folders.find(&file.path)?, file, kind).map_err(data_error)?;
    let notes = vec![format!("{} persons with {} responses each", data.persons(), data.items.len())];
    fits::squares_of(scenario, data.rows.iter().copied(), |at| {
        format!("person {} (counted from 0): item `{}`", at / data.items.len(), data.items[at % data.items.len()])
    })?;
    let digest = data.digest();
    let model = BiFactor::new(*law, groups, data).map_err(model_error)?;
    let schema::Initial::Loadings { intercept, general, specific, variance } = scenario.initial else {
        return Err(model_error("bi-factor models start with loadings"));
    };
    let theta = model.parameter(intercept, general, specific, variance);
    let clients = clients(scenario).unwrap_or(1);
    let panel = deal(scenario, Box::new(model), clients, streams)?;
    Ok((Problem { panel, theta, digest }, notes))
}

/// Documents and a topic model. The topics of the start are drawn at (`Purpose::Initial`, 0, 0).
pub(super) fn topics(
    scenario: &Scenario,
    folders: &DataFolders,
    budget: &Budget,
    streams: &Streams,
) -> Result<(Problem, Vec<String>), PrepareError> {
    let Some(file) = scenario.data.get::<CorpusFile>() else {
        return Err(data_error("topic models need a corpus"));
    };
    let schema::Model::Topics { topics, alpha, smoothing } = scenario.model else {
        return Err(model_error("a corpus needs a topic model"));
    };
    let files = data::files(&scenario.data, folders)?;
    let corpus = read_corpus(&files[0], files.get(1).map(PathBuf::as_path)).map_err(data_error)?;
    let statistic = (corpus.vocabulary.len() as u64).saturating_mul(topics as u64);
    let sizes = Sizes { examples: corpus.documents.len() as u64, statistic, ..Sizes::stated(scenario) };
    budget.fits(&memory::of(scenario, sizes))?;
    let corpus = match file.hold_out_every {
        Some(every) => corpus.hold_out(every),
        None => corpus,
    };
    let notes = vec![format!(
        "{} documents, {} words, {} tokens ({} more held out)",
        corpus.documents.len(),
        corpus.vocabulary.len(),
        corpus.tokens(),
        corpus.held_out_tokens()
    )];
    let digest = corpus.digest();
    let model = TopicModel::new(topics, alpha, smoothing, corpus).map_err(model_error)?;
    let schema::Initial::RandomTopics { concentration } = scenario.initial else {
        return Err(model_error("topic models start with random topics"));
    };
    let theta = model.random_topics(concentration, &mut streams.at(Purpose::Initial, 0, 0));
    let panel = deal(scenario, Box::new(model), clients(scenario).unwrap_or(1), streams)?;
    Ok((Problem { panel, theta, digest }, notes))
}
