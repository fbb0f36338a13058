//! Straight lines with random effects: data, settings, exact EM.

use fedbits_codec::CompressorSetting;
use fedbits_models::DomainPolicy;
use fedbits_models::data::longitudinal::{Longitudinal, Subject};
use fedbits_models::latent::SampledModel;
use fedbits_models::mixed::{Curve, Effects, MixedModel, ResidualError};
use fedbits_protocols::fedem::Domain;
use fedbits_protocols::saem::{CentralizedSaem, FlSaem, Kernel, Local, Panel, Saem, Sampler, Steps};
use fedbits_protocols::schedule::Schedule;
use fedbits_protocols::uplink::{Commit, DivideBy, Memory, MemoryStart};
use fedbits_random::{DrawPurpose, Streams};
use fedbits_spec::Choice;

/// Random walks as saemix has them, adapted in the first 100 rounds.
fn walks() -> Local {
    let steps = Steps::Adapt { target: 0.4, rounds: 100 };
    Local::Sample(Sampler { steps, ..Sampler::of(Kernel::RandomWalk { prior: 2, single: 2, block: 2 }) })
}

/// What is remembered, and what sums are divided by.
pub type Rules = (Memory, DivideBy);

/// Vectors are sent as they are.
pub const RAW: Rules = (Memory::NoMemory, DivideBy::Auto);

/// Differences to memories are sent.
pub fn differences(divide_by: DivideBy) -> Rules {
    (Memory::of(MemoryStart::Zero, Commit::OnAcknowledgement), divide_by)
}

pub fn settings(
    gamma: Schedule,
    (memory, divide_by): Rules,
    compressor: Choice<dyn CompressorSetting>,
    domain: Domain,
) -> FlSaem {
    let central = CentralizedSaem { gamma, local: walks(), domain, likelihood_draws: None };
    FlSaem { memory, divide_by, compressor, ..FlSaem::from(&central) }
}

/// Subject i belongs to client i mod n.
pub fn saem(model: Box<dyn SampledModel>, settings: FlSaem, clients: u32, theta: Vec<f64>) -> Saem {
    let client_of: Vec<u32> = (0..model.subjects() as u32).map(|subject| subject % clients).collect();
    let panel = Panel::new(model, &client_of, clients as usize, None).expect("clients with subjects");
    let expected = settings.participation.expected(clients, 1.0);
    Saem::new(panel, settings, expected, theta, Streams::new(7, 0)).expect("settings that fit")
}

/// 24 lines around (150, 6.5), as heights of boys are.
pub fn model() -> MixedModel {
    let streams = Streams::new(41, 0);
    let subject = |i: u64| {
        let mut stream = streams.at(DrawPurpose::Data, i, 0);
        let (a, b) = (stream.normal(), stream.normal());
        let (start, slope) = (150.0 + 8.0 * a, 6.5 + 1.0 * a + 1.3 * b);
        let times: Vec<f64> = (0..9).map(|k| f64::from(k) / 4.0 - 1.0).collect();
        let values = times.iter().map(|t| start + slope * t + 0.66 * stream.normal()).collect();
        Subject { name: i.to_string(), times, values, doses: Vec::new() }
    };
    let data = Longitudinal { subjects: (0..24).map(subject).collect() };
    MixedModel::new(Curve::Polynomial { degree: 1 }, Effects::Full, ResidualError::Constant, data).expect("a model")
}

/// 24 lines around 5 − 1.1 t that cross 0, with proportional error of 10 %; all values times `sign`.
pub fn crossing(sign: f64, draw: u64) -> MixedModel {
    let streams = Streams::new(41, draw);
    let subject = |i: u64| {
        let mut stream = streams.at(DrawPurpose::Data, i, 0);
        let (start, slope) = (5.0 + 0.3 * stream.normal(), -1.1 + 0.05 * stream.normal());
        let times: Vec<f64> = [0.0, 1.0, 2.0, 3.0, 6.5, 7.5, 8.5].to_vec();
        let values = times.iter().map(|t| sign * (start + slope * t) * (1.0 + 0.1 * stream.normal())).collect();
        Subject { name: i.to_string(), times, values, doses: Vec::new() }
    };
    let data = Longitudinal { subjects: (0..24).map(subject).collect() };
    let (curve, error) = (Curve::Polynomial { degree: 1 }, ResidualError::Proportional);
    MixedModel::new(curve, Effects::Diagonal, error, data).expect("a model")
}

pub fn start() -> Vec<f64> {
    vec![140.0, 1.0, 100.0, 0.0, 100.0, 1.0]
}

/// The maximum-likelihood estimate by exact EM.
pub fn maximum_likelihood() -> Vec<f64> {
    let client = vec![0; 24];
    let panel = Panel::new(Box::new(model()), &client, 1, None).expect("one client");
    let mut theta = start();
    for _ in 0..500 {
        let (s, _) = panel.expectation(&theta).expect("a parameter").expect("a closed form");
        panel.model().maximize(&s, DomainPolicy::Error, &mut theta).expect("in the domain");
    }
    theta
}

/// Largest relative error of β, and of Ω's variances and σ².
pub fn errors(theta: &[f64], truth: &[f64]) -> (f64, f64) {
    let relative = |at: usize| (theta[at] / truth[at] - 1.0).abs();
    (relative(0).max(relative(1)), relative(2).max(relative(4)).max(relative(5)))
}
