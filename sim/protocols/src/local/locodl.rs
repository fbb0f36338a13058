//! LoCoDL: Condat, Maranjyan and Richtárik, "LoCoDL: communication-efficient distributed learning with local training
//! and compression" (ICLR 2025).
//!
//! ```text
//! client i:  x_i ← x_i + γ (h_i(x_i) + σ (x_i − Ŝ₀) + u_i),   y ← y + γ (v − σ (y − Ŝ₀))   until the coin says 1
//!            sends Quant(x_i − y)
//! server:    D = (2n)⁻¹ Σ w_i Quant(x_i − y)
//! all:       x_i ← (1 − ϱ) x_i + ϱ (y + D),   u_i ← u_i + κ (D − Quant(x_i − y)),   κ = p χ / (γ (1 + 2ω))
//!            y ← y + ϱ D,                     v ← v + κ D
//! ```
//!
//! y and v are the same at all clients and at the server, which report Ŝ = y: of these nothing is sent. g(s) = σ/2 ‖s
//! − Ŝ₀‖² is the paper's function that all know; it is taken out of each client's, so that the sum stays. The theorems
//! have σ > 0, and f_i strongly convex without it. u_i = v = 0 at first, and n⁻¹ Σ w_i u_i + v = 0 at all times. Ŝ₀ is
//! sent before the first local step, and D afterwards.

use fedbits_codec::{Encoded, Indices, RandK, WireFloat};
use fedbits_kernel::Bits;
use fedbits_spec::range::{Interval, POSITIVE, PROBABILITY};
use fedbits_spec::short::{Short, Unread};
use fedbits_spec::{Choice, Described, Facts, Findings, Path};
use serde::{Deserialize, Serialize};

use super::{COMMUNICATES, LocalSteps, check_complete, local_steps, profile};
use crate::error::Result;
use crate::fedem::BatchRule;
use crate::federation::Weighting;
use crate::footprint::{self, Kept, Sizes};
use crate::operator::{self, Operator};
use crate::over::{Built, Over};
use crate::plan::Participation;
use crate::problem::Problem;
use crate::setting::{DRAWN_CYCLES, Profile, ProtocolSetting, RunFacts};
use crate::star::{Contribution, Outgoing, Received, StarAlgorithm, Step, Wire, all_arrived};
use crate::state::{OwnedState, State, norm_sq};
use crate::theory::descent::DescentMethod;
use crate::uplink::{Divisor, Uplink};

/// Local steps, with compressed messages by a shared coin (Condat, Maranjyan and Richtárik 2025). For gradient steps ρ
/// γ < 2/L, L the clients' largest.
#[derive(Clone, Debug, Described, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields, rename = "LoCoDl")]
#[described(rules = rules)]
pub struct LoCoDlSetting {
    /// γ, local step along h_i (for gradients the paper's is ρ γ).
    #[range(POSITIVE)]
    pub gamma: f64,
    /// p, probability of a message after a local step; mean 1/p steps per round.
    #[range(COMMUNICATES)]
    pub probability: f64,
    /// Compressor of x_i − y, y the shared state.
    #[serde(default)]
    pub compressor: Operator,
    /// Permits a biased compressor, which the theory excludes.
    #[serde(default)]
    pub allow_biased: bool,
    /// χ, step of the corrections.
    #[serde(default)]
    pub chi: Relaxation,
    /// ϱ, step towards consensus (ρ in the paper).
    #[serde(default)]
    pub rho: Relaxation,
    /// σ, strong convexity of the shared function; for gradient steps ρ times the paper's.
    #[serde(default)]
    #[range(SHARED)]
    pub shared: f64,
    /// Width of floats.
    #[serde(default)]
    pub floats: WireFloat,
    /// Weights of clients.
    #[serde(default)]
    pub weighting: Weighting,
}

/// [0, 1]: σ.
const SHARED: Interval = Interval::closed(0.0, 1.0, "from 0 to 1, no unit");

/// Step of LoCoDL's consensus.
#[derive(Clone, Copy, Debug, Default, Described, Deserialize, PartialEq, Serialize)]
#[serde(remote = "Self")]
#[described(short)]
pub enum Relaxation {
    /// 1/(1 + ω_av) with ω_av = ω max w_i / n, for `PermK` 1. If ω is unknown, 1.
    #[default]
    Auto,
    /// This value.
    Constant(#[range(PROBABILITY)] f64),
}

impl Short for Relaxation {
    const FORMS: &'static [(&'static str, &'static str)] = &[("0.1", "Constant(0.1)")];

    fn of_number(number: f64) -> Result<Self, Unread> {
        Ok(Self::Constant(number))
    }
}

impl Relaxation {
    fn value(self, omega_av: f64) -> f64 {
        match self {
            Self::Auto => 1.0 / (1.0 + omega_av),
            Self::Constant(value) => value,
        }
    }
}

fn rules(setting: &LoCoDlSetting, at: &Path<'_>, _: &Facts, findings: &mut Findings) {
    operator::unbiased(at, &setting.compressor, setting.allow_biased, "the corrections follow another mean", findings);
}

/// What clients and server of LoCoDL know.
pub struct LoCoDl {
    steps: LocalSteps,
    probability: f64,
    /// ϱ.
    rho: f64,
    /// κ.
    rate: f64,
    /// σ, and Ŝ₀ as clients receive it.
    shared: f64,
    centre: Vec<f64>,
    uplink: Uplink,
}

/// What all know: y after its local steps, and v.
#[derive(Debug, Default)]
struct CommonState {
    y: Vec<f64>,
    v: Vec<f64>,
}

/// The server's state.
pub struct LoCoDlServer {
    /// y after the last message, and T(y).
    at: OwnedState,
    known: CommonState,
    /// D as the wire carries it, empty before the first step; and what rounding has left out of all D so far.
    mean: Vec<f64>,
    left_out: Vec<f64>,
}

/// A broadcast: Ŝ₀ or D, and what the common coin says.
pub struct LoCoDlContent {
    vector: Vec<f64>,
    is_first: bool,
    count: u64,
}

/// The state of a client; vectors are empty before it takes part.
#[derive(Debug, Default)]
pub struct LoCoDlClient {
    x: Vec<f64>,
    u: Vec<f64>,
    known: CommonState,
    /// What it has sent, as the server has read it.
    sent: Vec<f64>,
    count: u64,
}

impl CommonState {
    fn begin(&mut self, start: &[f64]) {
        (self.y, self.v) = (start.to_vec(), vec![0.0; start.len()]);
    }
}

impl LoCoDl {
    /// Its uplink and its rules over the local `steps`.
    ///
    /// # Errors
    /// When the operator does not fit the statistic.
    pub fn new(steps: LocalSteps, setting: &LoCoDlSetting) -> Result<Self> {
        let (n, length) = (steps.federation.clients(), steps.start.s_hat.len());
        let (omega, omega_av) = setting.omegas(&steps);
        let quant = setting.compressor.build(setting.floats, n);
        let rate = setting.probability * setting.chi.value(omega_av) / (setting.gamma * (1.0 + 2.0 * omega));
        let uplink = steps.uplink(Uplink::new(quant, n), Divisor::Expected(f64::from(n))).over(length)?;
        Ok(Self {
            probability: setting.probability,
            rho: setting.rho.value(omega_av),
            rate,
            shared: setting.shared,
            centre: steps.start.s_hat.iter().map(|&s| setting.floats.nearest(s)).collect(),
            steps,
            uplink,
        })
    }

    /// The local steps of y.
    fn walk(&self, CommonState { y, v }: &mut CommonState, count: u64) {
        for _ in 0..count {
            for ((y, v), centre) in y.iter_mut().zip(&*v).zip(&self.centre) {
                *y += self.steps.gamma * (v - self.shared * (*y - centre));
            }
        }
    }

    /// y and v after a message.
    fn agree(&self, CommonState { y, v }: &mut CommonState, mean: &[f64]) {
        for ((y, v), mean) in y.iter_mut().zip(v).zip(mean) {
            (*y, *v) = (*y + self.rho * mean, *v + self.rate * mean);
        }
    }
}

impl StarAlgorithm for LoCoDl {
    type Server = LoCoDlServer;
    type Client = LoCoDlClient;
    type Content = LoCoDlContent;
    type Ahead = ();

    fn problem(&self) -> &dyn Problem {
        &self.steps.federation
    }

    fn uplink(&self) -> Option<&Uplink> {
        Some(&self.uplink)
    }

    fn server(&self) -> LoCoDlServer {
        let mut known = CommonState::default();
        known.begin(&self.centre);
        LoCoDlServer { at: self.steps.start.clone(), known, mean: Vec::new(), left_out: vec![0.0; self.centre.len()] }
    }

    fn client(&self, _i: u32) -> LoCoDlClient {
        LoCoDlClient::default()
    }

    fn state<'a>(&'a self, server: &'a LoCoDlServer) -> State<'a> {
        server.at.as_state()
    }

    fn open_round(&self, server: &mut LoCoDlServer, wire: &mut Wire<'_>) -> Result<(LoCoDlContent, Bits)> {
        let is_first = server.mean.is_empty();
        let mut vector = if is_first { self.centre.clone() } else { server.mean.clone() };
        let bits = wire.send(&self.steps.floats, &mut vector)?;
        let count = local_steps(wire.streams, wire.round, self.probability);
        self.walk(&mut server.known, count);
        Ok((LoCoDlContent { vector, is_first, count }, bits))
    }

    fn client_update(
        &self,
        i: u32,
        client: &mut LoCoDlClient,
        received: Received<'_, LoCoDlContent, ()>,
        out: &mut Outgoing<'_>,
    ) -> Result<()> {
        let LoCoDlContent { vector, is_first, count } = received.content.as_ref();
        let LoCoDlClient { x, u, known, sent, count: counted } = client;
        if *is_first {
            known.begin(vector);
            x.clone_from(vector);
            *u = vec![0.0; vector.len()];
        } else {
            let steps = x.iter_mut().zip(u.iter_mut()).zip(&known.y).zip(vector).zip(&*sent);
            for ((((x, u), y), mean), sent) in steps {
                *x = (1.0 - self.rho) * *x + self.rho * (y + mean);
                *u += self.rate * (mean - sent);
            }
            self.agree(known, vector);
        }
        *counted = *count;
        self.walk(known, *count);
        let stream = LocalSteps::stream(received.streams, i, received.round);
        let correction = |j: usize, x: f64| u[j] + self.shared * (x - self.centre[j]);
        self.steps.walk((i, *count), stream, correction, x)?;
        out.scratch.clear();
        out.scratch.extend(x.iter().zip(&known.y).map(|(x, y)| x - y));
        out.encode_difference()
    }

    fn work(&self, i: u32, client: &LoCoDlClient, _round: u64) -> u64 {
        client.count * u64::from(self.steps.federation.size(i))
    }

    fn on_send(&self, i: u32, client: &mut LoCoDlClient, _round: u64, encoded: &Encoded) {
        client.sent.resize(encoded.dimension(), 0.0);
        self.uplink.coder(i).compressor.decode(encoded, &mut client.sent);
    }

    fn server_update(&self, server: &mut LoCoDlServer, wire: &mut Wire<'_>, arrived: &[Contribution]) -> Result<Step> {
        all_arrived(self.steps.federation.clients(), arrived)?;
        let mut x = Vec::new();
        wire.estimate(arrived, &mut x);
        let LoCoDlServer { at, known, mean, left_out } = server;
        // All have the same y, and corrections add up to 0: what the wire rounds away is sent with the next D.
        mean.clear();
        for (x, left) in x.iter().zip(left_out) {
            let exact = x / 2.0 + *left;
            let sent = self.steps.floats.wire.nearest(exact);
            *left = exact - sent;
            mean.push(sent);
        }
        self.agree(known, mean);
        at.s_hat.clone_from(&known.y);
        self.steps.arrive(at)?;
        Ok(Step { field_sq: norm_sq(mean), used: true })
    }
}

impl LoCoDlSetting {
    /// ω and ω_av.
    fn omegas(&self, steps: &LocalSteps) -> (f64, f64) {
        let (n, length) = (steps.federation.clients(), steps.start.s_hat.len());
        let quant = self.compressor.build(self.floats, n);
        let omega = quant.omega(length).unwrap_or(0.0);
        let largest = steps.federation.weights().into_iter().fold(0.0, f64::max);
        (omega, quant.omega_of_mean(length, n, largest).unwrap_or(0.0))
    }

    /// What theorems know of it, for an unbiased operator.
    fn method(&self, steps: &LocalSteps) -> Option<DescentMethod> {
        let (omega, omega_av) = self.omegas(steps);
        let (chi, rho, shared) = (self.chi.value(omega_av), self.rho.value(omega_av), self.shared);
        let method = DescentMethod::LoCoDl { probability: self.probability, omega, omega_av, chi, rho, shared };
        operator::is_unbiased(&self.compressor).then_some(method)
    }
}

impl ProtocolSetting for LoCoDlSetting {
    fn over(&self) -> Over<'_> {
        Over::examples(|problem, run| {
            let steps = LocalSteps::new(problem.federation, self.gamma, BatchRule::All, self.floats, problem.s_hat)?;
            let descent = self.method(&steps).map(|method| steps.premises(method));
            Ok(Built { descent, ..Built::new(run.star(LoCoDl::new(steps, self)?)) })
        })
    }

    fn profile(&self) -> Profile {
        // Clients add up what they are sent.
        profile(WireFloat::F64, self.weighting, Some(DRAWN_CYCLES))
    }

    fn memory(&self, sizes: &Sizes) -> Vec<footprint::Part> {
        let compressor = self.compressor.clone();
        let kept = Kept { of_participants: 5, compressor, ..Kept::nothing(sizes.statistic) };
        kept.parts(sizes, Participation::All)
    }

    fn check_run(&self, run: &RunFacts<'_>, findings: &mut Findings) {
        check_complete("LoCoDL", "the point common to all clients", run, findings);
    }

    fn examples() -> Vec<Self> {
        let plain = Self {
            gamma: 0.5,
            probability: 0.4,
            compressor: Choice::of(RandK::new(2, Indices::default(), WireFloat::F64)),
            allow_biased: false,
            chi: Relaxation::Auto,
            rho: Relaxation::Auto,
            shared: 0.0,
            floats: WireFloat::F64,
            weighting: Weighting::Examples,
        };
        let varied = Self {
            compressor: Operator::default(),
            chi: Relaxation::Constant(0.5),
            shared: 0.02,
            floats: WireFloat::F32,
            ..plain.clone()
        };
        vec![plain, varied]
    }
}
