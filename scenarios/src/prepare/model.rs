//! The model of a scenario on its data: examples or subjects over clients, the initial value, and the truth.

use std::sync::Arc;

use fedbits_models::ExactModel;
use fedbits_models::data::counts::CountTable;
use fedbits_models::data::{Observations, Shape};
use fedbits_models::fit::{FitError, Given, Moment, SampledSetting};
use fedbits_models::fitted::Features;
use fedbits_models::latent::{AUTOMATIC_DRAWS, SampledModel};
use fedbits_models::low_rank::LowRankSetting;
use fedbits_protocols::assessment::{HeldOut, rounding};
use fedbits_protocols::error::ProtocolError;
use fedbits_protocols::federation::{Federation, Weighting};
use fedbits_protocols::over::Catalogue;
use fedbits_protocols::over::{BuildError, CountsOf, ExamplesOf, SubjectsOf};
use fedbits_protocols::partition::{Partitioned, iid};
use fedbits_protocols::saem::Panel;
use fedbits_protocols::star::Upfront;
use fedbits_random::Streams;
use fedbits_spec::Caveat;

use super::data::Said;
use super::error::{PrepareError, data_error, misfit, model_error, start_error};
use super::{data, fits};
use crate::checks::Facts;
use crate::schema::Scenario;

impl From<FitError> for PrepareError {
    fn from(error: FitError) -> Self {
        match error {
            FitError::Model(error) => model_error(error),
            FitError::Misfit(found) => PrepareError::Misfits(vec![found]),
        }
    }
}

/// Examples, and who has which.
pub(super) struct Divided {
    pub partitioned: Partitioned,
    /// What is known of counts beside the examples.
    pub counts: Option<CountTable>,
    pub dealt: Dealt,
}

/// What is said of data that were dealt to clients.
#[derive(Default)]
pub(super) struct Dealt {
    pub clients: usize,
    pub digest: String,
    /// What was done to them, a line per step.
    pub notes: Vec<String>,
    pub caveats: Vec<Caveat>,
    /// What their preparation exchanges.
    pub exchange: Upfront,
    /// What no client has.
    pub held_out: Option<Arc<HeldOut>>,
    /// The columns of a table and their preparation.
    pub features: Features,
    /// What rounding takes of the variances that the start leads to.
    pub rounding: Vec<Caveat>,
}

impl Dealt {
    /// Of examples that are prepared without clients, and none of which is held out.
    pub(super) fn of(partitioned: &Partitioned, said: Said) -> Self {
        let (clients, digest) = (partitioned.len(), hex(&partitioned.digest()));
        Self { clients, digest, notes: said.notes, caveats: said.caveats, ..Self::default() }
    }

    /// A start without a parameter may be due to rounding: that is told with it.
    pub(super) fn explained(&self, error: BuildError) -> PrepareError {
        match error {
            BuildError::Protocol(error @ ProtocolError::Initial(_)) if !self.rounding.is_empty() => {
                model_error(format!("{error}; {}", Caveat::sentences(&self.rounding).join("; ")))
            }
            _ => error.into(),
        }
    }
}

/// What a model is built of beside its data.
pub(super) fn given<'a>(
    scenario: &'a Scenario,
    counts: Option<&'a CountTable>,
    streams: &'a Streams,
    average: &'a dyn Fn(&Moment<'_>) -> Vec<f64>,
) -> Given<'a> {
    let source = scenario.preprocess.is_empty().then_some(&*scenario.data);
    Given { source, counts, initial: &scenario.initial, streams, average }
}

/// The mean of a moment as the federation makes it before the first round: the clients' own, weighted, in id order.
fn average(data: &Partitioned, weighting: Weighting, moment: &Moment<'_>) -> Vec<f64> {
    let (total, n) = (data.data().len() as f64, data.len() as f64);
    let mut average: Vec<f64> = Vec::new();
    for i in 0..data.len() {
        let examples = data.client(i);
        let weight = match weighting {
            Weighting::Examples => examples.len() as f64 / total,
            Weighting::Clients => 1.0 / n,
        };
        let local = moment(examples);
        average.resize(local.len(), 0.0);
        average.iter_mut().zip(local).for_each(|(sum, moment)| *sum += weight * moment);
    }
    average
}

/// A model with an exact E-step over the examples of clients, and where the fit starts.
pub(super) fn examples(
    scenario: &Scenario,
    divided: Divided,
    streams: &Streams,
) -> Result<(ExamplesOf, Dealt), PrepareError> {
    let weighting = scenario.protocol.profile().weighting;
    let Divided { partitioned, counts, mut dealt } = divided;
    let average = |moment: &Moment<'_>| average(&partitioned, weighting, moment);
    let model = scenario.model.exact().ok_or_else(|| model_error("this protocol fits models with an exact E-step"))?;
    let fit = model.fit(partitioned.data(), &given(scenario, counts.as_ref(), streams, &average))?;
    dealt.notes.extend(fit.notes);
    dealt.caveats.extend(fit.caveats);
    // Where the shape of a table does not tell q, the protocol's operators are checked against it now.
    let shape = Shape { features: Some(partitioned.data().dimension()), ..Shape::default() };
    if scenario.model.statistic(&shape).is_none() {
        let (examples, q) = (partitioned.data().len() as u64, fit.model.statistic_dimension());
        fits::check(scenario, &Facts { examples: Some(examples), statistic: Some(q), ..Facts::default() })?;
    }
    let federation = Federation::new(partitioned, fit.model, weighting, fit.truth);
    let (federation, theta) = (federation.with_client_truths(fit.client_truths), fit.theta);
    // A start without a density is an error by itself.
    dealt.rounding =
        rounding::of_start(&federation, &theta, scenario.protocol.profile().statistic_floats).unwrap_or_default();
    let s_hat = match (scenario.privacy, fit.statistic) {
        (None, Some(statistic)) => statistic,
        (None, None) => federation.statistics_at(&theta).map_err(start_error)?,
        (Some(_), _) => untouched_start(federation.model(), &theta)?,
    };
    Ok((ExamplesOf { federation, theta, s_hat }, dealt))
}

/// Ŝ₀ = s(θ₀), which no example enters: the exact statistic of all examples at θ₀ would be released without noise.
fn untouched_start(model: &dyn ExactModel, theta: &[f64]) -> Result<Vec<f64>, PrepareError> {
    model.conditional(theta).map_err(start_error)?;
    let parameters = model.parameters().ok_or_else(|| {
        let expected = "expected a mixture, or no `privacy`";
        misfit("privacy", "this model has no statistic of its parameters alone, from which a run could start", expected)
    })?;
    let mut s_hat = Vec::new();
    parameters.statistic_of(theta, &mut s_hat);
    Ok(s_hat)
}

/// The counts of clients with a low-rank matrix behind them, and where the fit starts.
pub(super) fn counts(
    scenario: &Scenario,
    divided: Divided,
    streams: &Streams,
) -> Result<(CountsOf, Dealt), PrepareError> {
    let Divided { partitioned: data, counts, mut dealt } = divided;
    let (Some(setting), Some(counts)) = (scenario.model.get::<LowRankSetting>(), counts) else {
        return Err(model_error("this protocol fits counts by low-rank matrices"));
    };
    let fit = setting.impute(data.data(), &given(scenario, Some(&counts), streams, &|_| Vec::new()))?;
    dealt.notes.extend(fit.notes);
    dealt.caveats.extend(fit.caveats);
    let catalogue = Catalogue { observed: counts.observed_cells(), times: counts.times, truth: fit.truth };
    Ok((CountsOf { data, model: *fit.model, theta: fit.theta, catalogue }, dealt))
}

fn sampled(scenario: &Scenario) -> Result<&dyn SampledSetting, PrepareError> {
    scenario.model.sampled().ok_or_else(|| model_error("this protocol fits models whose latent variables are sampled"))
}

/// A model whose subjects are the examples of a table. In one place they are those that clients would have, prepared
/// and in the order of these, so that arms of both kinds fit the same from the same start.
pub(super) fn labels(
    scenario: &Scenario,
    divided: Divided,
    streams: &Streams,
) -> Result<(SubjectsOf, Dealt), PrepareError> {
    let Divided { partitioned, mut dealt, .. } = divided;
    let average = |moment: &Moment<'_>| average(&partitioned, Weighting::Examples, moment);
    let data = Observations::Examples(partitioned.data().clone());
    let fit = sampled(scenario)?.fit(data, &given(scenario, None, streams, &average))?;
    fits::check(scenario, &measured(fit.model.as_ref()))?;
    let sizes =
        if scenario.protocol.profile().is_centralized { vec![partitioned.data().len()] } else { partitioned.sizes() };
    let client_of: Vec<u32> = sizes.iter().enumerate().flat_map(|(i, &size)| vec![i as u32; size]).collect();
    let panel = Panel::new(fit.model, &client_of, sizes.len(), fit.truth).map_err(data_error)?;
    dealt.rounding =
        rounding::of_start(&panel, &fit.theta, scenario.protocol.profile().statistic_floats).unwrap_or_default();
    Ok((SubjectsOf { panel, theta: fit.theta }, dealt))
}

/// A model of subjects, which are dealt to clients: a uniform permutation, cut.
pub(super) fn subjects(
    scenario: &Scenario,
    data: Observations,
    said: Said,
    streams: &Streams,
) -> Result<(SubjectsOf, Dealt), PrepareError> {
    let clients = clients(scenario).unwrap_or(1);
    let (data, held_out) = data::hold_out_subjects(data, scenario.holdout, streams)?;
    let notes = said.notes.into_iter().chain(data.note()).collect();
    let digest = hex(&data.digest());
    let features = Features { columns: data.columns().to_vec(), ..Features::default() };
    let (given, model) = (given(scenario, None, streams, &|_| Vec::new()), sampled(scenario)?);
    let fit = model.fit(data, &given)?;
    let draws = scenario.protocol.profile().likelihood_draws.unwrap_or(AUTOMATIC_DRAWS);
    let held_out = held_out.map(|data| {
        model.fit(data, &given).map(|fit| HeldOut::Subjects { model: fit.model, draws, streams: *streams })
    });
    let held_out = held_out.transpose()?.map(Arc::new);
    let caveats = [said.caveats, fit.caveats].concat();
    fits::check(scenario, &Facts { clients: Some(clients), ..measured(fit.model.as_ref()) })?;
    let client_of = iid(fit.model.subjects(), clients, streams);
    let panel = Panel::new(fit.model, &client_of, clients, fit.truth).map_err(data_error)?;
    let dealt = Dealt { clients, digest, notes, caveats, held_out, features, ..Dealt::default() };
    Ok((SubjectsOf { panel, theta: fit.theta }, dealt))
}

/// The sizes that data and model tell together.
pub(super) fn measured(model: &dyn SampledModel) -> Facts {
    Facts {
        examples: Some(model.subjects() as u64),
        statistic: Some(model.statistic_dimension()),
        parameters: Some(model.parameter_dimension()),
        ..Facts::default()
    }
}

/// n, where the protocol has clients.
pub(super) fn clients(scenario: &Scenario) -> Option<usize> {
    if scenario.protocol.profile().is_centralized { Some(1) } else { scenario.clients }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
