//! FedGrEM: Tian, Weng and Feng, "Towards the theory of unsupervised federated learning: non-asymptotic analysis of
//! federated EM algorithms" (ICML 2024), for mixtures of Gaussians with a known covariance.
//!
//! ```text
//! server → client k:   µ_k, its own means                                                R p numbers
//! client k:            γ at (w_k, µ_k),   w_k ← mean of γ,   µ̃_kr = µ_kr − (C_η / w⁰_kr) mean of γ_r (µ_kr − y)
//! client k → server:   µ̃_k                                                               R p numbers
//! server, each r:      minimizes Σ_k ½ ‖µ̃_kr − v_r − δ_kr‖² + λ_t/√n Σ_k ‖δ_kr‖,   µ_kr ← v_r + δ_kr
//! λ_t = κ₀ λ_{t−1} + C √(p + log K),   λ₀ = 1
//! ```
//!
//! n is the mean number of examples of a client: all have as many in the paper. The server alternates v = mean of µ̃ −
//! δ and δ = (1 − λ_t/(√n ‖µ̃ − v‖))₊ (µ̃ − v). It begins with v = mean of µ̃ and its δ, and repeats both `sweeps`
//! times: 20 times in the paper, once in its published code, whose loop `for (i in iter_num)` is passed once. w_k stays
//! with the client. The paper fits each client alone and then numbers the components alike. Here each makes some EM
//! steps of its own from θ₀, which numbers them; w⁰_k are its weights then.

use std::borrow::Cow;

use fedbits_codec::{Encoded, Identity, WireFloat};
use fedbits_kernel::Bits;
use fedbits_models::Batch;
use fedbits_models::fit::ExactSetting;
use fedbits_models::gmm::{CovarianceForm, MixtureSetting};
use fedbits_random::Streams;
use fedbits_record::ClientColumn;
use fedbits_spec::range::{Interval, POSITIVE, whole};
use fedbits_spec::{Described, Findings};
use serde::{Deserialize, Serialize};

use crate::error::{ProtocolError, Result};
use crate::fedem::Domain;
use crate::over::{Built, ExamplesOf, Over};
use crate::payload::Rows;
use crate::personalized::Personalized;
use crate::problem::Problem;
use crate::setting::{Profile, ProtocolSetting, RunFacts};
use crate::star::{
    Coder, Contribution, Conventions, Outgoing, OwnPart, Received, Sent, StarAlgorithm, Step, View, Wire, all_arrived,
};
use crate::state::{OwnedState, Probe, State, worst_tenth};

/// FedGrEM (Tian, Weng and Feng 2024): personal weights and means; the server pulls nearby means together. Needs a
/// known covariance. θ has the initial weights and the common part v of the means; `clients.csv` has each client's
/// parameters. No ‖h‖², label agreement or held-out value.
#[derive(Clone, Copy, Debug, Described, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields, rename = "FedGrEm")]
pub struct FedGrEmSetting {
    /// C_η, step of the means relative to the EM step at the client's first weights.
    #[serde(default = "nearly_one")]
    #[range(POSITIVE)]
    pub step: f64,
    /// C. 0: gradient EM of each client alone, once λ has decayed.
    #[serde(default = "two")]
    #[range(STRENGTH)]
    pub penalty: f64,
    /// κ₀, decay of the initial λ.
    #[serde(default = "a_tenth")]
    #[range(FORGETS)]
    pub decay: f64,
    /// Server alternations per round after the first pass.
    #[serde(default = "twenty")]
    #[range(whole(0, 10_000))]
    pub sweeps: u32,
    /// Local EM steps before the first message.
    #[serde(default = "ten")]
    #[range(whole(0, 10_000))]
    pub local_steps: u32,
    /// Width of floats.
    #[serde(default)]
    pub floats: WireFloat,
}

const STRENGTH: Interval = Interval::closed(0.0, 1e6, "from 0 to 10⁶, no unit");
const FORGETS: Interval = Interval::closed(0.0, 0.999, "from 0 to 0.999, no unit");

fn nearly_one() -> f64 {
    0.95
}

fn two() -> f64 {
    2.0
}

fn a_tenth() -> f64 {
    0.1
}

fn ten() -> u32 {
    10
}

fn twenty() -> u32 {
    20
}

/// What clients and server of FedGrEM know.
pub struct FedGrEm {
    clients: Personalized,
    setting: FedGrEmSetting,
    floats: Identity,
    start: OwnedState,
}

/// The server's state.
pub struct FedGrEmServer {
    at: OwnedState,
    /// µ_k of all clients, R p numbers each, as the wire carries them.
    means: Vec<Vec<f64>>,
    lambda: f64,
}

/// The weights of a client.
pub struct FedGrEmClient {
    weights: Vec<f64>,
    /// Those that it takes over when it sends.
    next: Vec<f64>,
    /// w⁰_k; empty before its first message.
    first: Vec<f64>,
}

impl FedGrEm {
    /// FedGrEM on `problem`.
    pub fn new(problem: ExamplesOf, setting: FedGrEmSetting) -> Self {
        let ExamplesOf { federation, theta, s_hat } = problem;
        let (clients, floats) = (Personalized::new(federation), Identity { wire: setting.floats });
        Self { clients, setting, floats, start: OwnedState { s_hat, theta } }
    }

    fn components(&self) -> usize {
        self.clients.federation().model().own_parameters().map_or(0, |parameters| parameters.own_entries().len())
    }

    /// θ_k.
    fn theta_of(&self, client: &FedGrEmClient, means: &[f64]) -> Cow<'static, [f64]> {
        [&client.weights[..], means].concat().into()
    }

    /// θ_k of client `i` after its steps alone from `means`, and the statistic there; `s` is that of the start.
    fn fit_alone(&self, i: u32, means: &[f64], s: &[f64]) -> Result<(Vec<f64>, Vec<f64>)> {
        let (federation, count) = (self.clients.federation(), self.components());
        let first = self.client(i).weights;
        let (mut theta, mut s) = ([&first[..count], means].concat(), s.to_vec());
        for _ in 0..self.setting.local_steps {
            Domain::Error.maximize(federation.model(), &s, &mut theta).map_err(ProtocolError::Initial)?;
            federation.statistic_of(i, federation.model().conditional(&theta)?.as_ref(), Batch::All, &mut s);
        }
        Ok((theta, s))
    }

    /// v and all v + δ of one component, of µ̃ as rows of p numbers.
    fn draw_together(&self, threshold: f64, moved: &[&[f64]]) -> (Vec<f64>, Vec<Vec<f64>>) {
        let (p, count) = (moved[0].len(), moved.len() as f64);
        let mut delta = vec![vec![0.0; p]; moved.len()];
        let mut v = vec![0.0; p];
        for _ in 0..=self.setting.sweeps {
            for (j, v) in v.iter_mut().enumerate() {
                *v = moved.iter().zip(&delta).fold(0.0, |sum, (moved, delta)| sum + (moved[j] - delta[j])) / count;
            }
            for (moved, delta) in moved.iter().zip(&mut delta) {
                delta.iter_mut().zip(*moved).zip(&v).for_each(|((delta, moved), v)| *delta = moved - v);
                let size = fedbits_numerics::norm(delta);
                let kept = if size > threshold { 1.0 - threshold / size } else { 0.0 };
                delta.iter_mut().for_each(|delta| *delta *= kept);
            }
        }
        delta.iter_mut().for_each(|delta| delta.iter_mut().zip(&v).for_each(|(delta, v)| *delta += v));
        (v, delta)
    }
}

impl StarAlgorithm for FedGrEm {
    type Server = FedGrEmServer;
    type Client = FedGrEmClient;
    /// µ_k of all clients: each receives its own.
    type Content = Vec<Vec<f64>>;
    type Ahead = Rows;

    fn problem(&self) -> &dyn Problem {
        &self.clients
    }

    fn server(&self) -> FedGrEmServer {
        let means = self.start.theta[self.components()..].iter().map(|&mean| self.floats.wire.nearest(mean)).collect();
        FedGrEmServer {
            at: self.start.clone(),
            means: vec![means; self.clients.federation().clients() as usize],
            lambda: 1.0,
        }
    }

    fn client(&self, _i: u32) -> FedGrEmClient {
        let wire = |&weight: &f64| self.floats.wire.nearest(weight);
        let weights: Vec<f64> = self.start.theta[..self.components()].iter().map(wire).collect();
        FedGrEmClient { next: weights.clone(), weights, first: Vec::new() }
    }

    fn state<'a>(&'a self, server: &'a FedGrEmServer) -> State<'a> {
        server.at.as_state()
    }

    fn open_round(&self, server: &mut FedGrEmServer, _: &mut Wire<'_>) -> Result<(Vec<Vec<f64>>, Bits)> {
        Ok((server.means.clone(), Bits::ZERO))
    }

    /// The first one brings the weights of θ₀, too.
    fn own_part(&self, server: &mut FedGrEmServer, i: u32, round: u64) -> OwnPart {
        let weights = if round == 1 { self.components() } else { 0 };
        let numbers = (server.means[i as usize].len() + weights) as u64;
        OwnPart { bits: Bits::new(self.floats.wire.bits() * numbers), ..OwnPart::default() }
    }

    fn compute_ahead(
        &self,
        clients: &[FedGrEmClient],
        cohort: &[u32],
        sent: &Sent<'_, Vec<Vec<f64>>>,
        ahead: &mut Rows,
    ) -> Result<()> {
        let rows = ahead.resize(cohort.len(), self.start.s_hat.len());
        let theta_of = |i: u32| self.theta_of(&clients[i as usize], &sent.content[i as usize]);
        Ok(self.clients.statistics(cohort, &theta_of, |_, _| false, rows)?)
    }

    fn coder(&self, _streams: &Streams, _i: u32, _round: u64) -> Coder<'_> {
        Coder::per_client(&self.floats)
    }

    fn client_update(
        &self,
        i: u32,
        client: &mut FedGrEmClient,
        received: Received<'_, Vec<Vec<f64>>, Rows>,
        out: &mut Outgoing<'_>,
    ) -> Result<()> {
        let (mut s, mut means) = (Cow::Borrowed(received.ahead), Cow::Borrowed(&received.content[i as usize][..]));
        if client.first.is_empty() {
            let (theta, at_theta) = self.fit_alone(i, &means, &s)?;
            let (first, fitted) = theta.split_at(self.components());
            (client.first, means, s) = (first.to_vec(), fitted.to_vec().into(), at_theta.into());
        }
        if let Some(parameters) = self.clients.federation().model().own_parameters() {
            parameters.maximize_own(&s, &mut client.next);
        }
        let (count, p) = (self.components(), means.len() / self.components().max(1));
        let moved = means.iter().zip(&s[count..]).enumerate().map(|(at, (mean, sum))| {
            let r = at / p;
            mean - self.setting.step / client.first[r] * (s[r] * mean - sum)
        });
        let moved: Vec<f64> = moved.collect();
        out.encode(&moved)
    }

    fn on_send(&self, _i: u32, client: &mut FedGrEmClient, _round: u64, _encoded: &Encoded) {
        client.weights.clone_from(&client.next);
    }

    fn work(&self, i: u32, _client: &FedGrEmClient, round: u64) -> u64 {
        let alone = if round == 1 { u64::from(self.setting.local_steps) } else { 0 };
        (alone + 1) * u64::from(self.clients.federation().size(i))
    }

    fn server_update(&self, server: &mut FedGrEmServer, _: &mut Wire<'_>, arrived: &[Contribution]) -> Result<Step> {
        all_arrived(self.clients.federation().clients(), arrived)?;
        let (count, federation) = (self.components(), self.clients.federation());
        let mut moved = vec![vec![0.0; server.means[0].len()]; arrived.len()];
        for (sent, moved) in arrived.iter().zip(&mut moved) {
            fedbits_codec::Compressor::decode(&self.floats, &sent.encoded, moved);
        }
        let (p, n) = (moved[0].len() / count, federation.total() as f64 / arrived.len() as f64);
        let clients = libm::log(arrived.len() as f64);
        server.lambda = self.setting.decay * server.lambda + self.setting.penalty * (p as f64 + clients).sqrt();
        let mut field_sq = 0.0;
        for r in 0..count {
            let rows: Vec<&[f64]> = moved.iter().map(|moved| &moved[r * p..][..p]).collect();
            let (v, drawn) = self.draw_together(server.lambda / n.sqrt(), &rows);
            let now = &mut server.at.theta[count + r * p..][..p];
            field_sq += now.iter().zip(&v).map(|(now, v)| (v - now) * (v - now)).sum::<f64>();
            now.copy_from_slice(&v);
            for (means, drawn) in server.means.iter_mut().zip(drawn) {
                let means = means[r * p..][..p].iter_mut().zip(drawn);
                means.for_each(|(mean, drawn)| *mean = self.floats.wire.nearest(drawn));
            }
        }
        if let Some(parameters) = federation.model().parameters() {
            parameters.statistic_of(&server.at.theta, &mut server.at.s_hat);
        }
        Ok(Step { field_sq, used: true })
    }

    fn conventions(&self) -> Conventions {
        // Who sees a broadcast sees the means of its receiver.
        Conventions { personal: true, ..Conventions::default() }
    }

    fn probe(&self, view: &View<'_, Self>) -> Result<Probe> {
        let (federation, n) = (self.clients.federation(), f64::from(self.clients.federation().clients()));
        let theta_of = |i: u32| self.theta_of(&view.clients[i as usize], &view.server.means[i as usize]);
        let (mut objective, mut objectives) = (0.0, Vec::new());
        self.clients.look(&theta_of, |i, _, _, value| {
            objective += federation.weight(i) * value;
            objectives.push(value);
        })?;
        Ok(Probe {
            objective: Some(objective / n),
            objective_worst_tenth: worst_tenth(objectives),
            parameter_error_sq: federation.parameter_error_of_clients(&theta_of),
            ..Probe::default()
        })
    }

    fn quality_of_clients(&self, view: &View<'_, Self>) -> Result<Vec<ClientColumn>> {
        let theta_of = |i: u32| self.theta_of(&view.clients[i as usize], &view.server.means[i as usize]);
        self.clients.quality_of_clients(&theta_of, 0..self.start.theta.len())
    }
}

impl ProtocolSetting for FedGrEmSetting {
    fn over(&self) -> Over<'_> {
        Over::examples(|problem, run| Ok(Built::new(run.star(FedGrEm::new(problem, *self)))))
    }

    fn profile(&self) -> Profile {
        let other_objective = Some("weights and means of each client");
        Profile { other_objective, is_personalized: true, columns: Some(Vec::new()), ..Profile::default() }
    }

    fn takes(&self, model: &dyn ExactSetting) -> bool {
        model.abilities().has_own_parameters
    }

    fn measures_field(&self, _model: &dyn ExactSetting) -> bool {
        false
    }

    fn check_run(&self, run: &RunFacts<'_>, findings: &mut Findings) {
        run.need_everybody("the server draws the means of all clients together", findings);
        let mixture: Option<&MixtureSetting> = run.model.as_any().downcast_ref();
        if !mixture.is_some_and(|mixture| matches!(mixture.covariance, CovarianceForm::Known(_))) {
            let found = "FedGrEM is for mixtures with a known covariance";
            findings.error("model", found, "expected `GaussianMixture(covariance: Known(…), …)`");
        }
    }

    fn examples() -> Vec<Self> {
        let (step, penalty, decay, sweeps) = (nearly_one(), two(), a_tenth(), twenty());
        let plain = Self { step, penalty, decay, sweeps, local_steps: 3, floats: WireFloat::F64 };
        vec![plain, Self { sweeps: 1, penalty: 0.3, local_steps: 0, floats: WireFloat::F32, ..plain }]
    }
}
