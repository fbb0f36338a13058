//! Runs of FL-SAEM and its kin: subjects over clients, the model with its data, the initial value, the settings.

use fedbits_models::data::csv::{LongitudinalFile, read_longitudinal};
use fedbits_models::data::longitudinal::Longitudinal;
use fedbits_models::gmm::SampledMixture;
use fedbits_models::latent::LatentSampler;
use fedbits_models::mixed::MixedModel;
use fedbits_protocols::federation::Weighting;
use fedbits_protocols::partition::Partitioned;
use fedbits_protocols::saem::Panel;
use fedbits_random::Streams;

use super::{PrepareError, data_error, fits, model, model_error};
use crate::checks::Facts;
use crate::data_files::DataFolders;
use crate::schema::{self, Scenario};

/// A problem before its protocol is made: subjects of one model over clients.
pub(super) struct Problem {
    pub panel: Panel,
    pub theta: Vec<f64>,
    pub digest: [u8; 32],
}

impl Problem {
    /// The sizes that data and model tell together.
    pub(super) fn measured(&self) -> Facts {
        let model = self.panel.model();
        Facts {
            examples: Some(self.panel.total()),
            statistic: Some(model.statistic_dimension()),
            parameters: Some(model.parameter_dimension()),
            ..Facts::default()
        }
    }
}

/// Longitudinal data and a mixed-effects model.
pub(super) fn longitudinal(
    scenario: &Scenario,
    folders: &DataFolders,
    streams: &Streams,
) -> Result<(Problem, Vec<String>), PrepareError> {
    let schema::Model::MixedEffects { curve, effects, error } = &scenario.model else {
        return Err(model_error("longitudinal data need a mixed-effects model"));
    };
    let Some(file) = scenario.data.get::<LongitudinalFile>() else {
        return Err(data_error("mixed-effects models need longitudinal data"));
    };
    let data = read_longitudinal(&folders.find(&file.path)?, file).map_err(data_error)?;
    let (subjects, observations) = (data.subjects.len(), data.observations());
    squares(scenario, &data)?;
    let digest = data.digest();
    let model = MixedModel::new(curve.build(), *effects, *error, data).map_err(model_error)?;
    let theta = typical(&scenario.initial, &model)?;
    let clients = clients(scenario).unwrap_or(subjects);
    let panel = deal(scenario, Box::new(model), clients, streams)?;
    Ok((Problem { panel, theta, digest }, vec![format!("{subjects} subjects with {observations} observations")]))
}

/// Values and times whose squares overflow have their subject.
fn squares(scenario: &Scenario, data: &Longitudinal) -> Result<(), PrepareError> {
    let mut all: Vec<(&str, f64, f64)> = Vec::with_capacity(data.observations());
    for subject in &data.subjects {
        all.extend(subject.times.iter().zip(&subject.values).map(|(&t, &y)| (subject.name.as_str(), t, y)));
    }
    let values = all.iter().map(|(.., value)| *value);
    fits::squares_of(scenario, values, |at| format!("subject {}: the value at time {}", all[at].0, all[at].1))?;
    let times = all.iter().map(|(_, time, _)| *time);
    fits::squares_of(scenario, times, |at| format!("subject {}: a time", all[at].0))
}

/// A Gaussian mixture whose labels are sampled.
pub(super) fn mixture(
    scenario: &Scenario,
    partitioned: Partitioned,
    streams: &Streams,
) -> Result<Problem, PrepareError> {
    let mixture = model::build(scenario, &partitioned, Weighting::Examples)?;
    let theta = model::initial(scenario, &mixture, partitioned.data().examples(), streams)?;
    let truth = model::truth(scenario, &mixture)?;
    let sizes = partitioned.sizes();
    let client_of: Vec<u32> = sizes.iter().enumerate().flat_map(|(i, &size)| vec![i as u32; size]).collect();
    let digest = partitioned.digest();
    let model = SampledMixture::new(mixture, partitioned.data().clone());
    let panel = Panel::new(Box::new(model), &client_of, sizes.len(), truth).map_err(data_error)?;
    Ok(Problem { panel, theta, digest })
}

/// n, where the protocol has clients.
pub(super) fn clients(scenario: &Scenario) -> Option<usize> {
    if scenario.protocol.is_centralized() { Some(1) } else { scenario.clients }
}

/// Subjects over clients: a uniform permutation, cut.
pub(super) fn deal(
    scenario: &Scenario,
    model: Box<dyn LatentSampler>,
    clients: usize,
    streams: &Streams,
) -> Result<Panel, PrepareError> {
    let subjects = model.subjects();
    let measured = Facts {
        clients: Some(clients),
        examples: Some(subjects as u64),
        statistic: Some(model.statistic_dimension()),
        parameters: Some(model.parameter_dimension()),
        ..Facts::default()
    };
    fits::check(scenario, &measured)?;
    let client_of = fedbits_protocols::partition::iid(subjects, clients, streams);
    Panel::new(model, &client_of, clients, None).map_err(data_error)
}

/// θ₀ of typical values, on the scale where they are normal.
fn typical(initial: &schema::Initial, model: &MixedModel) -> Result<Vec<f64>, PrepareError> {
    let schema::Initial::Typical { values, deviations, sigma } = initial else {
        return Err(model_error("mixed-effects models start at typical values"));
    };
    let variances: Vec<f64> = deviations.iter().map(|deviation| deviation * deviation).collect();
    Ok(model.parameter(&model.latent(values), &variances, sigma * sigma))
}
