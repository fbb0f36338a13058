//! ProxSkip for consensus, that is Scaffnew: Mishchenko, Malinovsky, Stich and Richtárik, "ProxSkip: yes! Local
//! gradient steps provably lead to communication acceleration! Finally!" (ICML 2022).
//!
//! ```text
//! client i:  y ← Ŝ;   y ← y + γ (h_i(y) + u_i) until a coin of probability p, common to all, says 1;   sends y − Ŝ
//! server:    Ŝ⁺ = Ŝ + n⁻¹ Σ w_i (y_i − Ŝ)
//! client i:  u_i ← u_i + (p/γ) (Ŝ⁺ − y_i)
//! ```
//!
//! A round is a communication after a geometric number of local steps. u_i = 0 at first, and Σ w_i u_i = 0 at all
//! times: every client is needed in every round.

use fedbits_codec::{Encoded, Identity, WireFloat};
use fedbits_kernel::Bits;
use fedbits_spec::range::POSITIVE;
use fedbits_spec::{Described, Findings};
use serde::{Deserialize, Serialize};

use super::{COMMUNICATES, LocalSteps, check_complete, local_steps, profile};
use crate::error::Result;
use crate::fedem::BatchRule;
use crate::federation::Weighting;
use crate::footprint::{self, Kept, Sizes};
use crate::over::{Built, Over};
use crate::plan::Participation;
use crate::problem::Problem;
use crate::setting::{DRAWN_CYCLES, Profile, ProtocolSetting, RunFacts};
use crate::star::{Contribution, Outgoing, Received, StarAlgorithm, Step, Wire, all_arrived};
use crate::state::{OwnedState, State, norm_sq};
use crate::theory::descent::DescentMethod;
use crate::uplink::{Divisor, Uplink};

/// Scaffnew: local steps, with messages by a shared coin (Mishchenko et al. 2022). For gradient steps ρ γ ≤ 1/L, L the
/// clients' largest, and p = √(ρ γ µ).
#[derive(Clone, Copy, Debug, Described, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields, rename = "ProxSkip")]
pub struct ProxSkipSetting {
    /// γ, local step along h_i (for gradients the paper's is ρ γ).
    #[range(POSITIVE)]
    pub gamma: f64,
    /// p, probability of a message after a local step; mean 1/p steps per round.
    #[range(COMMUNICATES)]
    pub probability: f64,
    /// Width of floats.
    #[serde(default)]
    pub floats: WireFloat,
    /// Weights of clients.
    #[serde(default)]
    pub weighting: Weighting,
}

/// What clients and server of ProxSkip know.
pub struct ProxSkip {
    steps: LocalSteps,
    probability: f64,
    uplink: Uplink,
}

/// A broadcast: Ŝ, and what the common coin says.
pub struct ProxSkipContent {
    s_hat: Vec<f64>,
    count: u64,
}

/// The state of a client; vectors are empty before it takes part.
#[derive(Debug, Default)]
pub struct ProxSkipClient {
    u: Vec<f64>,
    /// Ŝ that it started from, and what it has moved since as the server knows it.
    from: Vec<f64>,
    moved: Vec<f64>,
    count: u64,
}

impl ProxSkip {
    /// Its uplink and its rules over the local `steps`.
    ///
    /// # Errors
    /// None of a valid setting.
    pub fn new(steps: LocalSteps, setting: &ProxSkipSetting) -> Result<Self> {
        let (n, length) = (steps.federation.clients(), steps.start.s_hat.len());
        let floats = Box::new(Identity { wire: setting.floats });
        let uplink = steps.uplink(Uplink::new(floats, n), Divisor::Expected(f64::from(n))).over(length)?;
        Ok(Self { steps, probability: setting.probability, uplink })
    }
}

impl StarAlgorithm for ProxSkip {
    type Server = OwnedState;
    type Client = ProxSkipClient;
    type Content = ProxSkipContent;
    type Ahead = ();

    fn problem(&self) -> &dyn Problem {
        &self.steps.federation
    }

    fn uplink(&self) -> Option<&Uplink> {
        Some(&self.uplink)
    }

    fn server(&self) -> OwnedState {
        self.steps.start.clone()
    }

    fn client(&self, _i: u32) -> ProxSkipClient {
        ProxSkipClient::default()
    }

    fn state<'a>(&'a self, server: &'a OwnedState) -> State<'a> {
        server.as_state()
    }

    fn open_round(&self, server: &mut OwnedState, wire: &mut Wire<'_>) -> Result<(ProxSkipContent, Bits)> {
        let mut s_hat = server.s_hat.clone();
        let bits = wire.send(&self.steps.floats, &mut s_hat)?;
        Ok((ProxSkipContent { s_hat, count: local_steps(wire.streams, wire.round, self.probability) }, bits))
    }

    fn client_update(
        &self,
        i: u32,
        client: &mut ProxSkipClient,
        received: Received<'_, ProxSkipContent, ()>,
        out: &mut Outgoing<'_>,
    ) -> Result<()> {
        let x = &mut *out.scratch;
        let (ProxSkipContent { s_hat, count }, rate) = (received.content.as_ref(), self.probability / self.steps.gamma);
        let ProxSkipClient { u, from, moved, count: counted } = client;
        u.resize(s_hat.len(), 0.0);
        for (((u, s), from), moved) in u.iter_mut().zip(s_hat).zip(&*from).zip(&*moved) {
            *u += rate * (s - from - moved);
        }
        from.clone_from(s_hat);
        x.clone_from(s_hat);
        *counted = *count;
        let stream = LocalSteps::stream(received.streams, i, received.round);
        self.steps.walk((i, *count), stream, |j, _| u[j], x)?;
        x.iter_mut().zip(s_hat).for_each(|(x, s)| *x -= s);
        out.encode_difference()
    }

    fn work(&self, i: u32, client: &ProxSkipClient, _round: u64) -> u64 {
        client.count * u64::from(self.steps.federation.size(i))
    }

    fn on_send(&self, i: u32, client: &mut ProxSkipClient, _round: u64, encoded: &Encoded) {
        client.moved.resize(encoded.dimension(), 0.0);
        self.uplink.coder(i).compressor.decode(encoded, &mut client.moved);
    }

    fn server_update(&self, server: &mut OwnedState, wire: &mut Wire<'_>, arrived: &[Contribution]) -> Result<Step> {
        all_arrived(self.steps.federation.clients(), arrived)?;
        let mut x = Vec::new();
        wire.estimate(arrived, &mut x);
        server.s_hat.iter_mut().zip(&x).for_each(|(s, moved)| *s += moved);
        self.steps.arrive(server)?;
        Ok(Step { field_sq: norm_sq(&x), used: true })
    }
}

impl ProtocolSetting for ProxSkipSetting {
    fn over(&self) -> Over<'_> {
        Over::examples(|problem, run| {
            let steps = LocalSteps::new(problem.federation, self.gamma, BatchRule::All, self.floats, problem.s_hat)?;
            let method = DescentMethod::ProxSkip { probability: self.probability };
            let descent = Some(steps.premises(method));
            Ok(Built { descent, ..Built::new(run.star(ProxSkip::new(steps, self)?)) })
        })
    }

    fn profile(&self) -> Profile {
        profile(self.floats, self.weighting, Some(DRAWN_CYCLES))
    }

    fn memory(&self, sizes: &Sizes) -> Vec<footprint::Part> {
        let kept = Kept { of_participants: 3, ..Kept::nothing(sizes.statistic) };
        kept.parts(sizes, Participation::All)
    }

    fn check_run(&self, run: &RunFacts<'_>, findings: &mut Findings) {
        check_complete("ProxSkip", "the corrections of clients", run, findings);
    }

    fn examples() -> Vec<Self> {
        let plain = Self { gamma: 0.5, probability: 0.4, floats: WireFloat::F64, weighting: Weighting::Examples };
        vec![plain, Self { floats: WireFloat::F32, weighting: Weighting::Clients, ..plain }]
    }
}
