//! Runs of FL-SAEM and its kin: subjects over clients, the model with its data, the initial value, the settings.

use fedbits_models::data::csv::{LongitudinalFile, read_longitudinal};
use fedbits_models::data::longitudinal::Longitudinal;
use fedbits_models::gmm::SampledMixture;
use fedbits_models::latent::{Kernel, LatentSampler, Sampler, Start};
use fedbits_models::mixed::MixedModel;
use fedbits_protocols::alone::AloneRun;
use fedbits_protocols::error::ProtocolError;
use fedbits_protocols::federation::Weighting;
use fedbits_protocols::partition::Partitioned;
use fedbits_protocols::run::Playable;
use fedbits_protocols::saem::alone::Central;
use fedbits_protocols::saem::{Alpha, Divisor, Gain, LocalStep, Panel, Quantity, Saem, SaemSettings, Uplink};
use fedbits_protocols::star::StarRun;
use fedbits_random::Streams;

use super::{PrepareError, data_error, fits, model, model_error, protocol, rounds};
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
    match scenario.protocol {
        schema::Protocol::CentralizedSaem(_) => Some(1),
        _ => scenario.clients,
    }
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

/// The protocol of a problem.
pub(super) fn protocol(
    scenario: &Scenario,
    problem: Problem,
    streams: Streams,
    audit: bool,
) -> Result<Box<dyn Playable>, PrepareError> {
    let Problem { panel, theta, .. } = problem;
    match &scenario.protocol {
        schema::Protocol::FlSaem(fl) => {
            let settings = federated(scenario, fl, panel.clients());
            let length = match fl.sends {
                schema::Sends::Statistics => panel.model().statistic_dimension(),
                schema::Sends::Parameters | schema::Sends::Gradient => theta.len(),
            };
            fits::compressor("protocol.compressor", settings.compressor.as_ref(), length, "a message")?;
            if let (schema::Uplink::Memory { alpha, .. }, true) = (fl.uplink, settings.compressor.is_unbiased()) {
                fits::rate("protocol.uplink.alpha", alpha, settings.compressor.as_ref(), length)?;
            }
            let algorithm = Saem::new(panel, settings, theta, streams)?;
            Ok(Box::new(StarRun::new(algorithm, rounds::rounds(scenario, fl.participation), audit)))
        }
        schema::Protocol::CentralizedSaem(central) => {
            let settings = centralized(central);
            let saem = Saem::new(panel, settings, theta, streams)?;
            Ok(Box::new(AloneRun(Central::new(saem))))
        }
        _ => Err(ProtocolError::Unfit("this protocol does not sample latent variables".to_owned()).into()),
    }
}

fn federated(scenario: &Scenario, fl: &schema::FlSaem, clients: u32) -> SaemSettings {
    let floats = fl.floats;
    let compressor = fl.compressor.build(floats, clients);
    SaemSettings {
        local: local(&fl.local),
        gradient_map: gradient_map(&fl.local),
        quantity: match fl.sends {
            schema::Sends::Statistics => Quantity::Statistics,
            schema::Sends::Parameters => Quantity::Parameters,
            schema::Sends::Gradient => Quantity::Gradient,
        },
        local_steps: fl.local_steps,
        gain: gain(fl.gain),
        uplink: uplink(scenario, fl, compressor.is_unbiased(), clients),
        compressor,
        scaled: fl.coordinates == schema::Coordinates::Standardized,
        floats,
        domain: fl.domain,
        likelihood_draws: fl.likelihood_draws,
    }
}

fn centralized(central: &schema::CentralizedSaem) -> SaemSettings {
    let floats = schema::Floats::F64;
    SaemSettings {
        local: local(&central.local),
        gradient_map: gradient_map(&central.local),
        quantity: Quantity::Statistics,
        local_steps: 1,
        gain: gain(central.gain),
        uplink: Uplink::Raw,
        compressor: Box::new(fedbits_codec::Identity { wire: floats }),
        scaled: false,
        floats,
        domain: central.domain,
        likelihood_draws: central.likelihood_draws,
    }
}

fn gain(gain: schema::Gain) -> Gain {
    match gain {
        schema::Gain::Constant(value) => Gain::Constant(value),
        schema::Gain::Saem { first, k1, exponent } => Gain::Saem { first, k1, exponent },
    }
}

fn uplink(scenario: &Scenario, fl: &schema::FlSaem, unbiased: bool, clients: u32) -> Uplink {
    let schema::Uplink::Memory { alpha, divide_by, commit } = fl.uplink else { return Uplink::Raw };
    let expected = || Divisor::Expected(protocol::expected(scenario, fl.participation, clients));
    Uplink::Memory {
        alpha: match alpha {
            schema::Alpha::Auto => Alpha::Theory,
            schema::Alpha::Constant(value) => Alpha::Constant(value),
        },
        divisor: match divide_by {
            schema::DifferenceDivisor::Auto if unbiased => expected(),
            schema::DifferenceDivisor::Expected => expected(),
            schema::DifferenceDivisor::Arrived => Divisor::Arrived,
            schema::DifferenceDivisor::Auto | schema::DifferenceDivisor::Clients => Divisor::Clients,
        },
        commit: commit,
    }
}

fn gradient_map(local: &schema::Local) -> Option<Box<dyn fedbits_codec::Compressor>> {
    match local {
        schema::Local::Sample(schema::Sampler { kernel: schema::Kernel::Langevin { quantize, .. }, .. })
            if !quantize.is::<fedbits_codec::Identity>() =>
        {
            Some(quantize.build(schema::Floats::F64, 1))
        }
        _ => None,
    }
}

fn local(local: &schema::Local) -> LocalStep {
    let schema::Local::Sample(sampler) = local else { return LocalStep::Expect };
    let (target, adapt_rounds) = match sampler.steps {
        schema::Steps::Fixed => (None, 0),
        schema::Steps::Adapt { target, rounds } => (Some(target), rounds),
    };
    let kernel = match sampler.kernel {
        schema::Kernel::Langevin { step, .. } => Kernel::Langevin { step },
        schema::Kernel::Mala { step } => Kernel::Mala { step },
        schema::Kernel::RandomWalk { prior, single, block } => Kernel::RandomWalk { prior, single, block },
        schema::Kernel::Gibbs => Kernel::Gibbs,
    };
    let start = match sampler.start {
        schema::ChainStart::Warm => Start::Warm,
        schema::ChainStart::Restart => Start::Restart,
    };
    let schema::Sampler { chains, burn_in, iterations, keep, growth, .. } = *sampler;
    let sampler = Sampler { kernel, chains, burn_in, iterations, keep, start, target };
    LocalStep::Sample { sampler, growth, adapt_rounds }
}
