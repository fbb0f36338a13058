//! FedAvg-EM: clients make EM steps of their own and the server averages parameters, as McMahan et al.,
//! "Communication-efficient learning of deep networks from decentralized data" (AISTATS 2017) do with gradient steps.
//! This form for EM is our reading.
//!
//! ```text
//! client:  θ_i ← θ;  E times: θ_i ← T_i(s̄_i(θ_i)) on all its examples;  numbered as in θ;  sends θ_i, uncompressed
//! server:  θ ← Σ w_i θ_i / Σ w_i over what arrived
//! ```
//!
//! Components are matched because a client's EM may exchange two of them: the assignment that is nearest to θ. With E =
//! 1 and one client this is EM; with heterogeneous clients its limit is none of EM's, which the record shows as an
//! ‖h(Ŝ)‖² that stays: Ŝ is the statistic of θ. T_i of a tied covariance has the second moment of the client's own
//! examples: with that of all it would maximize no likelihood. Ŝ has nothing of the mean of these covariances, θ is not
//! T(Ŝ) then, and h(Ŝ) would say nothing of θ: it is not measured. ‖H‖² is the squared change of Ŝ.

use fedbits_codec::{Compressor, Identity, WireFloat};
use fedbits_kernel::Bits;
use fedbits_models::fit::ExactSetting;
use fedbits_models::{Batch, DomainError, Parameters};
use fedbits_random::Streams;
use fedbits_spec::range::whole;
use fedbits_spec::{Caveat, Described, Facts, Findings, Path, so_many};
use serde::{Deserialize, Serialize};

use crate::error::{ProtocolError, Result};
use crate::fedem::Domain;
use crate::federation::Federation;
use crate::over::{Built, ExamplesOf, Over};
use crate::payload::Rows;
use crate::plan::Participation;
use crate::problem::Problem;
use crate::setting::{Profile, ProtocolSetting, RunFacts};
use crate::star::{
    Coder, Contribution, Conventions, Counts, Outgoing, Received, Sent, StarAlgorithm, Step, View, Wire,
};
use crate::state::{OwnedState, Probe, State, distance_sq};

/// Names of the columns of `rounds.csv`.
const COLUMNS: [&str; 2] = ["domain_events", "bits_up_dense32"];

/// Clients run EM steps, and the server averages their parameters.
#[derive(Clone, Debug, Described, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields, rename = "FedAvgEm")]
#[described(rules = rules)]
pub struct FedAvgEmSetting {
    /// E, EM steps per client and round.
    #[serde(default = "first")]
    #[range(whole(1, 1_000))]
    pub local_steps: u32,
    /// Clients of a round.
    #[serde(default)]
    pub participation: Participation,
    /// Matches components with the server's nearest by Kullback-Leibler divergence before averaging.
    #[serde(default = "yes")]
    pub match_components: bool,
    /// Width of floats.
    #[serde(default)]
    pub floats: WireFloat,
    /// Statistics outside the domain of T.
    #[serde(default)]
    pub domain: Domain,
}

fn first() -> u32 {
    1
}

fn yes() -> bool {
    true
}

fn rules(setting: &FedAvgEmSetting, at: &Path<'_>, _: &Facts, findings: &mut Findings) {
    no_skipping(setting.domain, at, findings);
}

/// Refuses to skip rounds for the statistic of one client.
pub(crate) fn no_skipping(domain: Domain, at: &Path<'_>, findings: &mut Findings) {
    if domain == Domain::SkipRound {
        let why = "a client's statistic without parameters is not a round to skip";
        findings.error(at.field("domain"), why, "expected `Error` or `Clip(floor: …)`");
    }
}

/// What clients and server of FedAvg-EM know. Clients have no state.
pub struct FedAvgEm {
    federation: Federation,
    settings: FedAvgEmSetting,
    floats: Identity,
    start: OwnedState,
    clipped: u64,
}

impl FedAvgEm {
    /// FedAvg-EM from θ = T(`s_hat`).
    ///
    /// # Errors
    /// When the model's parameters cannot be averaged, or T(`s_hat`) does not exist.
    pub fn new(federation: Federation, settings: FedAvgEmSetting, s_hat: Vec<f64>) -> Result<Self> {
        parameters(&federation)?;
        let (start, clipped) = settings.domain.start(federation.model(), s_hat)?;
        let floats = Identity { wire: settings.floats };
        Ok(Self { federation, settings, floats, start, clipped })
    }

    /// The client's half: its parameter after E steps, the first of which has the statistic `first` of θ, numbered as
    /// θ.
    ///
    /// # Errors
    /// When a local statistic has no parameters.
    pub fn local_update(&self, i: u32, theta: &[f64], first: &[f64], counts: &mut Counts) -> Result<Vec<f64>> {
        let own_model = self.federation.model().with_constants_of(self.federation.examples(i));
        let model = own_model.as_deref().unwrap_or(self.federation.model());
        let (mut fitted, mut statistic) = (Vec::new(), first.to_vec());
        for step in 1..=self.settings.local_steps {
            if step > 1 {
                let e_step = model.conditional(&fitted).map_err(ProtocolError::Local)?;
                self.federation.statistic_of(i, e_step.as_ref(), Batch::All, &mut statistic);
            }
            // No step is made with the last common covariance of a client, and a mean of singular ones need not be so.
            let is_last = step == self.settings.local_steps && own_model.is_some();
            counts.domain_events += match self.settings.domain.maximize(model, &statistic, &mut fitted) {
                Err(DomainError::Covariance { .. }) if is_last => 0,
                clipped => clipped.map_err(ProtocolError::Local)?,
            };
        }
        if self.settings.match_components {
            parameters(&self.federation)?.align(&mut fitted, theta).map_err(ProtocolError::Local)?;
        }
        Ok(fitted)
    }
}

fn parameters(federation: &Federation) -> Result<&dyn Parameters> {
    federation.model().parameters().ok_or_else(|| {
        ProtocolError::Unfit("the parameters of this model cannot be averaged: FedAvg-EM needs a mixture".to_owned())
    })
}

impl StarAlgorithm for FedAvgEm {
    type Server = OwnedState;
    type Client = ();
    /// θ as the wire carries it.
    type Content = Vec<f64>;
    type Ahead = Rows;

    fn problem(&self) -> &dyn Problem {
        &self.federation
    }

    fn server(&self) -> OwnedState {
        self.start.clone()
    }

    fn client(&self, _i: u32) {}

    fn state<'a>(&'a self, server: &'a OwnedState) -> State<'a> {
        server.as_state()
    }

    fn open_round(&self, server: &mut OwnedState, wire: &mut Wire<'_>) -> Result<(Vec<f64>, Bits)> {
        let mut theta = server.theta.clone();
        let bits = wire.send(&self.floats, &mut theta)?;
        if theta != server.theta {
            let (model, parameters) = (self.federation.model(), parameters(&self.federation)?);
            let admit = |theta: &[f64], policy, out: &mut _| parameters.admit(theta, policy, out);
            self.settings.domain.received(&mut theta, |theta| model.conditional(theta).err(), admit)?;
        }
        Ok((theta, bits))
    }

    fn compute_ahead(
        &self,
        _clients: &[()],
        cohort: &[u32],
        sent: &Sent<'_, Vec<f64>>,
        ahead: &mut Rows,
    ) -> Result<()> {
        Ok(self.federation.statistics_ahead(sent.content, cohort, ahead)?)
    }

    fn coder(&self, _streams: &Streams, _i: u32, _round: u64) -> Coder<'_> {
        Coder::per_client(&self.floats)
    }

    fn client_update(
        &self,
        i: u32,
        _client: &mut (),
        received: Received<'_, Vec<f64>, Rows>,
        out: &mut Outgoing<'_>,
    ) -> Result<()> {
        let fitted = self.local_update(i, received.content, received.ahead, out.counts)?;
        out.encode(&fitted)
    }

    fn work(&self, i: u32, _client: &(), _round: u64) -> u64 {
        u64::from(self.settings.local_steps) * u64::from(self.federation.size(i))
    }

    /// The mean of the parameters that arrived.
    fn server_update(&self, server: &mut OwnedState, wire: &mut Wire<'_>, arrived: &[Contribution]) -> Result<Step> {
        if arrived.is_empty() {
            return Ok(Step::default());
        }
        let total: f64 = arrived.iter().map(|contribution| self.federation.weight(contribution.client)).sum();
        let mut theta = vec![0.0; server.theta.len()];
        for contribution in arrived {
            let share = self.federation.weight(contribution.client) / total;
            self.floats.add_decoded(&contribution.encoded, share, &mut theta);
        }
        if let Some(combiner) = wire.combiner() {
            let rows = arrived.iter().map(|contribution| {
                let mut row = vec![0.0; theta.len()];
                self.floats.decode(&contribution.encoded, &mut row);
                row
            });
            let (rows, clients) = (rows.collect(), arrived.iter().map(|contribution| contribution.client));
            let mut last = server.theta.clone();
            wire.counts.combined = Some(combiner.combine(clients, rows, &mut last, &mut theta));
        }
        let (mut s_hat, parameters) = (Vec::new(), parameters(&self.federation)?);
        parameters.statistic_of(&theta, &mut s_hat);
        let admitted = parameters.admit(&theta, self.settings.domain.policy(), &mut server.theta);
        wire.counts.domain_events += admitted.map_err(ProtocolError::Mean)?.entries();
        let field_sq = distance_sq(&s_hat, &server.s_hat);
        server.s_hat = s_hat;
        Ok(Step { field_sq, used: true })
    }

    fn conventions(&self) -> Conventions {
        Conventions { means: self.federation.means(), ..Conventions::of(&self.federation) }
    }

    fn probe(&self, view: &View<'_, Self>) -> Result<Probe> {
        let probe = self.federation.probe(&view.server.as_state())?;
        Ok(probe.at_mean_of_parameters(!parameters(&self.federation)?.is_expectation()))
    }

    fn columns(&self) -> Vec<String> {
        COLUMNS.map(str::to_owned).to_vec()
    }

    fn values(&self, view: &View<'_, Self>, _thorough: bool) -> Result<Vec<Option<f64>>> {
        let domain_events = self.clipped + view.counts.domain_events;
        Ok([domain_events, view.counts.dense32].map(|value| Some(value as f64)).to_vec())
    }

    fn caveats(&self, view: &View<'_, Self>) -> Vec<Caveat> {
        let events = self.clipped + view.counts.domain_events;
        let clipped =
            || Caveat::ClippedEntries { statistics: "statistics".to_owned(), entries: so_many(events, "entry") };
        (events > 0).then(clipped).into_iter().collect()
    }
}

impl ProtocolSetting for FedAvgEmSetting {
    fn over(&self) -> Over<'_> {
        Over::examples(|ExamplesOf { federation, s_hat, .. }, run| {
            Ok(Built::new(run.star(FedAvgEm::new(federation, self.clone(), s_hat)?)))
        })
    }

    fn profile(&self) -> Profile {
        Profile {
            participation: self.participation,
            domain: self.domain,
            sends_parameters: true,
            columns: Some(COLUMNS.to_vec()),
            ..Profile::default()
        }
    }

    fn takes(&self, model: &dyn ExactSetting) -> bool {
        model.abilities().averages_parameters
    }

    fn measures_field(&self, model: &dyn ExactSetting) -> bool {
        model.abilities().averages_expectations
    }

    fn check_run(&self, run: &RunFacts<'_>, findings: &mut Findings) {
        run.check_early(findings);
        run.check_mean(findings);
        let em = run.model.exact().filter(|em| em.abilities().has_short_statistics);
        if em.is_some_and(|em| !self.takes(em)) {
            let found = "the parameters of this model cannot be averaged";
            findings.error("protocol", found, "expected `FedEm(…)` or another protocol that averages statistics");
        }
    }

    fn check_robust(&self, _run: &RunFacts<'_>, _findings: &mut Findings) {}

    fn examples() -> Vec<Self> {
        let (participation, floats, domain) = (Participation::All, WireFloat::F64, Domain::Error);
        vec![Self { local_steps: 2, participation, match_components: true, floats, domain }]
    }
}
