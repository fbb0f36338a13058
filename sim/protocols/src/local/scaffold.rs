//! SCAFFOLD: Karimireddy, Kale, Mohri, Reddi, Stich and Suresh, "SCAFFOLD: stochastic controlled averaging for
//! federated learning" (ICML 2020), Algorithm 1.
//!
//! ```text
//! client i in A:  y ← Ŝ;   K times: y ← y + γ (h_i(y; batch) − c_i + c);   Δ_i = y − Ŝ
//!                 option I:  c_i⁺ = h_i(Ŝ)        option II:  c_i⁺ = c_i − c + Δ_i / (K γ)
//! server:         Ŝ ← Ŝ + γ_g Σ_A w_i Δ_i / Σ_A w_i,   c ← c + n⁻¹ Σ_A w_i (c_i⁺ − c_i)
//! ```
//!
//! A client takes over c_i⁺ when it learns that its message was used: so c is the mean of the c_i whatever is lost.
//! With option II the server works out c_i⁺ − c_i = Δ_i / (K γ) − c itself: Δ_i is all that is sent, where the paper
//! counts a second vector. All begin with c = c_i = 0.

use fedbits_codec::{Encoded, WireFloat};
use fedbits_kernel::Bits;
use fedbits_models::Batch;
use fedbits_spec::range::{POSITIVE, whole};
use fedbits_spec::{Described, Findings};
use serde::{Deserialize, Serialize};

use super::{LocalSteps, profile};
use crate::error::Result;
use crate::fedem::BatchRule;
use crate::federation::Weighting;
use crate::footprint::{self, Kept, Sizes};
use crate::over::{Built, Over};
use crate::plan::Participation;
use crate::problem::Problem;
use crate::setting::{Profile, ProtocolSetting, RunFacts};
use crate::star::{Contribution, Conventions, Outgoing, Received, StarAlgorithm, Step, Wire};
use crate::state::{OwnedState, State, norm_sq};
use crate::uplink::{Divisor, Uplink};

/// Local steps with control variates against client drift (Karimireddy et al. 2020).
#[derive(Clone, Copy, Debug, Described, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields, rename = "Scaffold")]
pub struct ScaffoldSetting {
    /// K, local steps per client and round.
    #[range(whole(1, 100_000))]
    pub local_steps: u32,
    /// γ_l, local step along h_i (for gradients the paper's η_l is ρ γ_l).
    #[range(POSITIVE)]
    pub gamma: f64,
    /// γ_g, server step along the clients' mean change.
    #[serde(default = "whole_step")]
    #[range(POSITIVE)]
    pub server_step: f64,
    /// Control variates.
    #[serde(default)]
    pub control: ControlVariate,
    /// Examples of a local step.
    #[serde(default)]
    pub batch: BatchRule,
    /// Clients of a round.
    #[serde(default)]
    pub participation: Participation,
    /// Width of floats.
    #[serde(default)]
    pub floats: WireFloat,
    /// Weights of clients.
    #[serde(default)]
    pub weighting: Weighting,
}

fn whole_step() -> f64 {
    1.0
}

/// Update of SCAFFOLD's control variates.
#[derive(Clone, Copy, Debug, Default, Described, Deserialize, Eq, PartialEq, Serialize)]
pub enum ControlVariate {
    /// Option II: the mean of the local steps, which the server derives from the client's change. Messages have q
    /// numbers.
    #[default]
    Steps,
    /// Option I: h_i(Ŝ), another local pass. Messages have 2 q numbers.
    Gradient,
    /// None, c = c_i = 0: FedAvg on statistics, with one vector per broadcast.
    NoControl,
}

/// What clients and server of SCAFFOLD know.
pub struct Scaffold {
    steps: LocalSteps,
    local_steps: u32,
    server_step: f64,
    control: ControlVariate,
    uplink: Uplink,
}

/// The server's state.
pub struct ScaffoldServer {
    at: OwnedState,
    /// c, and c as clients have received it.
    c: Vec<f64>,
    sent: Vec<f64>,
}

/// A broadcast.
pub struct ScaffoldContent {
    s_hat: Vec<f64>,
    /// c; empty where there is none.
    c: Vec<f64>,
}

/// The state of a client; vectors are empty before it takes part.
#[derive(Debug, Default)]
pub struct ScaffoldClient {
    /// c_i.
    c: Vec<f64>,
    /// c of the broadcast that it works on.
    heard: Vec<f64>,
    /// c_i⁺ − c_i of what it has sent, until it learns whether that was used.
    change: Vec<f64>,
    is_staged: bool,
}

impl Scaffold {
    /// Its uplink and its rules over the local `steps`.
    ///
    /// # Errors
    /// None of a valid setting.
    pub fn new(steps: LocalSteps, setting: &ScaffoldSetting) -> Result<Self> {
        let ScaffoldSetting { local_steps, server_step, control, floats, .. } = *setting;
        let length = steps.start.s_hat.len() * if control == ControlVariate::Gradient { 2 } else { 1 };
        let floats = Box::new(fedbits_codec::Identity { wire: floats });
        let uplink = steps.uplink(Uplink::new(floats, steps.federation.clients()), Divisor::Weight).over(length)?;
        Ok(Self { steps, local_steps, server_step, control, uplink })
    }

    /// 1 / (K γ).
    fn per_step(&self) -> f64 {
        1.0 / (f64::from(self.local_steps) * self.steps.gamma)
    }
}

impl StarAlgorithm for Scaffold {
    type Server = ScaffoldServer;
    type Client = ScaffoldClient;
    type Content = ScaffoldContent;
    type Ahead = ();

    fn problem(&self) -> &dyn Problem {
        &self.steps.federation
    }

    fn uplink(&self) -> Option<&Uplink> {
        Some(&self.uplink)
    }

    fn server(&self) -> ScaffoldServer {
        let q = self.steps.start.s_hat.len();
        ScaffoldServer { at: self.steps.start.clone(), c: vec![0.0; q], sent: Vec::new() }
    }

    fn client(&self, _i: u32) -> ScaffoldClient {
        ScaffoldClient::default()
    }

    fn conventions(&self) -> Conventions {
        Conventions { acknowledges: self.control != ControlVariate::NoControl, ..Conventions::of(self.problem()) }
    }

    fn state<'a>(&'a self, server: &'a ScaffoldServer) -> State<'a> {
        server.at.as_state()
    }

    fn open_round(&self, server: &mut ScaffoldServer, wire: &mut Wire<'_>) -> Result<(ScaffoldContent, Bits)> {
        let (floats, mut s_hat) = (&self.steps.floats, server.at.s_hat.clone());
        let mut bits = wire.send(floats, &mut s_hat)?;
        if self.control != ControlVariate::NoControl {
            server.sent.clone_from(&server.c);
            bits += wire.send_parameter(floats, &mut server.sent)?;
        }
        Ok((ScaffoldContent { s_hat, c: server.sent.clone() }, bits))
    }

    fn client_update(
        &self,
        i: u32,
        client: &mut ScaffoldClient,
        received: Received<'_, ScaffoldContent, ()>,
        out: &mut Outgoing<'_>,
    ) -> Result<()> {
        let x = &mut *out.scratch;
        let ScaffoldContent { s_hat, c } = received.content.as_ref();
        let ScaffoldClient { c: variate, heard, change, is_staged } = client;
        variate.resize(c.len(), 0.0);
        if received.used == Some(true) && *is_staged {
            variate.iter_mut().zip(change).for_each(|(variate, change)| *variate += *change);
        }
        *is_staged = false;
        heard.clone_from(c);
        x.clone_from(s_hat);
        let stream = LocalSteps::stream(received.streams, i, received.round);
        let correction = |j: usize, _: f64| if c.is_empty() { 0.0 } else { c[j] - variate[j] };
        self.steps.walk((i, u64::from(self.local_steps)), stream, correction, x)?;
        x.iter_mut().zip(s_hat).for_each(|(x, s)| *x -= s);
        if self.control == ControlVariate::Gradient {
            let (mut theta, mut s) = (Vec::new(), Vec::new());
            self.steps.statistic(i, s_hat, Batch::All, &mut theta, &mut s)?;
            x.extend(s.iter().zip(s_hat).zip(&*variate).map(|((s, s_hat), variate)| s - s_hat - variate));
        }
        out.encode_difference()
    }

    fn work(&self, i: u32, _client: &ScaffoldClient, _round: u64) -> u64 {
        let size = self.steps.federation.size(i);
        let renewal = if self.control == ControlVariate::Gradient { u64::from(size) } else { 0 };
        u64::from(self.local_steps) * self.steps.batch.count(size) + renewal
    }

    fn on_send(&self, i: u32, client: &mut ScaffoldClient, _round: u64, encoded: &Encoded) {
        let ScaffoldClient { heard, change, is_staged, .. } = client;
        if self.control == ControlVariate::NoControl {
            return;
        }
        let mut sent = vec![0.0; encoded.dimension()];
        self.uplink.coder(i).compressor.decode(encoded, &mut sent);
        let (moved, renewed) = sent.split_at(heard.len());
        change.clear();
        match self.control {
            ControlVariate::Gradient => change.extend_from_slice(renewed),
            _ => change.extend(moved.iter().zip(heard).map(|(moved, c)| moved * self.per_step() - *c)),
        }
        *is_staged = true;
    }

    fn server_update(
        &self,
        server: &mut ScaffoldServer,
        wire: &mut Wire<'_>,
        arrived: &[Contribution],
    ) -> Result<Step> {
        let mut x = Vec::new();
        wire.estimate(arrived, &mut x);
        if arrived.is_empty() {
            return Ok(Step::default());
        }
        let ScaffoldServer { at, c, sent } = server;
        let (federation, per_step) = (&self.steps.federation, self.per_step());
        let taken: f64 = arrived.iter().map(|sent| federation.weight(sent.client)).sum();
        let (share, (moved, renewed)) = (taken / f64::from(federation.clients()), x.split_at(at.s_hat.len()));
        at.s_hat.iter_mut().zip(moved).for_each(|(s, moved)| *s += self.server_step * moved);
        self.steps.arrive(at)?;
        match self.control {
            ControlVariate::Gradient => c.iter_mut().zip(renewed).for_each(|(c, change)| *c += share * change),
            ControlVariate::Steps => {
                let changes = moved.iter().zip(sent).map(|(moved, sent)| moved * per_step - *sent);
                c.iter_mut().zip(changes).for_each(|(c, change)| *c += share * change);
            }
            ControlVariate::NoControl => {}
        }
        Ok(Step { field_sq: norm_sq(moved) * per_step * per_step, used: true })
    }
}

impl ProtocolSetting for ScaffoldSetting {
    fn over(&self) -> Over<'_> {
        Over::examples(|problem, run| {
            let steps = LocalSteps::new(problem.federation, self.gamma, self.batch, self.floats, problem.s_hat)?;
            Ok(Built::new(run.star(Scaffold::new(steps, self)?)))
        })
    }

    fn profile(&self) -> Profile {
        Profile { participation: self.participation, ..profile(self.floats, self.weighting, None) }
    }

    fn memory(&self, sizes: &Sizes) -> Vec<footprint::Part> {
        let vectors = if self.control == ControlVariate::NoControl { 0 } else { 3 };
        let kept = Kept { of_participants: vectors, ..Kept::nothing(sizes.statistic) };
        kept.parts(sizes, self.participation).into_iter().chain(footprint::draws(self.batch, sizes)).collect()
    }

    fn check_run(&self, run: &RunFacts<'_>, findings: &mut Findings) {
        run.check_batch(self.batch, findings);
        run.check_early(findings);
        run.check_mean(findings);
        match self.control {
            ControlVariate::NoControl if run.dropout.loses_state() => {
                findings.no_effect("dropout.state", "clients keep nothing from round to round");
            }
            _ if run.dropout.loses_state() => {
                let why = "a client that loses its control variate c_i makes c another than their mean, for good";
                findings.error("dropout.state", why, "expected `Kept`, or `control: NoControl`");
            }
            _ => {}
        }
    }

    fn examples() -> Vec<Self> {
        let plain = Self {
            local_steps: 3,
            gamma: 0.2,
            server_step: 1.0,
            control: ControlVariate::Steps,
            batch: BatchRule::All,
            participation: Participation::All,
            floats: WireFloat::F64,
            weighting: Weighting::Examples,
        };
        let drawn =
            Self { batch: BatchRule::WithReplacement(3), participation: Participation::Bernoulli(0.7), ..plain };
        vec![
            plain,
            Self { control: ControlVariate::Gradient, floats: WireFloat::F32, ..drawn },
            Self { control: ControlVariate::NoControl, ..drawn },
        ]
    }
}
