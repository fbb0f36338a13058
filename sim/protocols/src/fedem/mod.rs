//! FedEM with partial participation: Algorithm 1 of Dieuleveut, Fort, Moulines and Robin, "Federated Expectation
//! Maximization with heterogeneity mitigation and variance reduction" (NeurIPS 2021).
//!
//! ```text
//! client i in A_{k+1}:  S_{k+1,i} = batch mean of s̄_ij(T(Ŝ_k))
//!                       Δ_{k+1,i} = w_i (S_{k+1,i} − Ŝ_k) − V_{k,i}
//!                       V_{k+1,i} = V_{k,i} + α Quant(Δ_{k+1,i}),   sends Quant(Δ_{k+1,i})
//! server:               H_{k+1}   = V_k + (1/(n p)) Σ_{i∈A} Quant(Δ_{k+1,i})
//!                       Ŝ_{k+1}   = Ŝ_k + γ_{k+1} H_{k+1}
//!                       V_{k+1}   = V_k + (α/n) Σ_{i∈A} Quant(Δ_{k+1,i})
//! ```
//!
//! | symbol | here | |
//! |---|---|---|
//! | Ŝ, θ | `s_hat`, `theta` | statistic at the server (q numbers) and T(Ŝ) |
//! | H | `h` | the step's direction, an estimate of the mean field h(Ŝ) |
//! | V, V_i | [`crate::uplink`] | memories of server and clients; V = n⁻¹ Σ V_i as long as nothing is lost silently |
//! | α, γ | `alpha`, `gamma` | memory rate, step size |
//! | n p | `DivideBy::Expected` | expected number of participants |
//! | w_i | `Federation::weight` | weight of a client: 1 in the paper, where all have equally many examples |
//!
//! Without memory (V_i = 0, α = 0) this is the naive variant. The downlink can be compressed as well
//! ([`Downlink`], after Artemis). How a client estimates s̄_i is a [`LocalRule`]: [`Minibatch`] as above,
//! [`crate::vr_fedem::Spider`], or [`OwnWeights`]. Distributed EM, EF21, MARINA and gradient ascent are FedEM with
//! certain settings ([`crate::baselines::presets`]).

mod build;
mod feedback;
mod local;
mod parameters;
mod server;
mod settings;
mod star;
mod task;

use fedbits_codec::{Compressor, Identity};
use fedbits_random::Streams;

pub(crate) use build::{caveats, hears_who_is_drawn};
pub use feedback::Feedback;
pub use local::{LocalRule, Minibatch, OwnEntries, OwnWeights};
pub use parameters::{DownMemory, Downlink, FedEmSetting};
pub use server::FedEmServer;
pub use settings::{BatchRule, Broadcast, Domain, MAX_BATCH};
pub(crate) use star::COLUMNS;
pub(crate) use task::draw_batch;
pub use task::{Content, Task};

use crate::error::{ProtocolError, Result};
use crate::federation::Federation;
use crate::star::Coder;
use crate::state::OwnedState;
use crate::uplink::{ClientMemory, Uplink, difference};

/// What clients and server of FedEM know; clients estimate s̄_i by `L`.
pub struct FedEm<L = Minibatch> {
    federation: Federation,
    setting: FedEmSetting,
    local: L,
    floats: Identity,
    uplink: Uplink,
    /// Quant' and α' of a compressed downlink.
    downlink: Option<(Box<dyn Compressor>, Option<f64>)>,
    /// Ŝ₀, T(Ŝ₀), and how many of its entries were clipped.
    start: OwnedState,
    clipped: u64,
    /// Where Ŝ are coordinates of something else, which the record shows.
    shown: Option<Coordinates>,
}

impl FedEm {
    /// FedEM at Ŝ₀ = `s_hat`. Memories, divisor and operator are those of `uplink`.
    ///
    /// # Errors
    /// When T(Ŝ₀) does not exist or a compressor does not fit q.
    pub fn new(federation: Federation, setting: FedEmSetting, uplink: Uplink, s_hat: Vec<f64>) -> Result<Self> {
        let q = federation.model().statistic_dimension();
        let uplink = uplink.over(q)?;
        let weights = if uplink.needs_weights() { federation.weights() } else { Vec::new() };
        let (start, clipped) = setting.domain.start(federation.model(), s_hat)?;
        let mut downlink = None;
        if let Some((compressor, alpha)) = setting.downlink.build(setting.floats) {
            compressor.validate(q)?;
            let alpha = alpha.map(|alpha| alpha.value(compressor.as_ref(), q)).transpose()?;
            downlink = Some((compressor, alpha));
        }
        let floats = Identity { wire: setting.floats };
        let mut uplink = uplink.weighing(weights, false);
        (uplink.floats, uplink.holds) = (floats, setting.full_rounds.is_some());
        Ok(Self { floats, local: Minibatch, uplink, downlink, start, clipped, shown: None, setting, federation })
    }

    /// FedEM with another local rule.
    pub fn with_local_rule<L: LocalRule>(self, local: L) -> FedEm<L> {
        let Self { federation, setting, local: _, floats, uplink, downlink, start, clipped, shown } = self;
        FedEm { federation, setting, local, floats, uplink, downlink, start, clipped, shown }
    }

    /// FedEM whose Ŝ are `coordinates` of a statistic of which so many entries were clipped.
    pub(crate) fn showing(self, coordinates: Coordinates, clipped: u64) -> Self {
        Self { shown: Some(coordinates), clipped: self.clipped + clipped, ..self }
    }
}

impl<L: LocalRule> FedEm<L> {
    /// The clients' data and their model.
    pub fn federation(&self) -> &Federation {
        &self.federation
    }

    /// What a local rule works with in `round`.
    fn task<'a>(&'a self, streams: &'a Streams, round: u64) -> Task<'a> {
        Task { federation: &self.federation, batch: self.setting.batch, streams, round }
    }

    /// Does θ travel beside Ŝ? Not where clients follow Ŝ by compressed updates.
    fn sends_parameters(&self) -> bool {
        self.setting.broadcast == Broadcast::StatisticAndParameters && self.downlink.is_none()
    }

    /// The client's half of Algorithm 1, before Quant: Δ = w_i (s̄_i − Ŝ) − V_i. For MARINA, `full`: h_i, else its
    /// change.
    pub fn difference(
        &self,
        (i, memory): (u32, &mut ClientMemory),
        statistics: &[f64],
        (s_hat, full): (&[f64], bool),
        delta: &mut Vec<f64>,
    ) {
        let w = self.federation.weight(i);
        if self.setting.full_rounds.is_some() {
            let next = &mut memory.kept().next;
            difference(w, statistics, s_hat, &[], next);
            if full {
                return delta.clone_from(next);
            }
        }
        if let Some(feedback) = self.setting.feedback {
            difference(w, statistics, s_hat, &[], delta);
            return feedback.difference(memory, delta);
        }
        difference(w, statistics, s_hat, memory.committed(), delta);
    }

    /// What client `i` codes with: Quant, or (`whole`) floats.
    fn coder_of(&self, i: u32, whole: bool) -> Coder<'_> {
        if whole { self.uplink.whole() } else { self.uplink.coder(i) }
    }
}

/// How the record looks at coordinates x: as Ŝ and θ of the model whose coordinates they are.
pub(crate) struct Coordinates {
    /// The clients' data under that model.
    pub(crate) em: Federation,
    /// Where the run starts.
    pub(crate) start: OwnedState,
}

impl Coordinates {
    /// Of the model of `em`, from `x`.
    ///
    /// # Errors
    /// When it has none.
    pub(crate) fn new(em: Federation, x: &[f64]) -> Result<Self> {
        let shown = Self { em, start: OwnedState::default() };
        Ok(Self { start: shown.show(x)?, ..shown })
    }

    /// Ŝ and θ of `x`.
    ///
    /// # Errors
    /// When the model has no coordinates.
    pub(crate) fn show(&self, x: &[f64]) -> Result<OwnedState> {
        let model = self.em.model();
        let (Some(coordinates), Some(parameters)) = (model.coordinates(), model.parameters()) else {
            return Err(ProtocolError::Constrained);
        };
        let (theta, mut s_hat) = (coordinates.theta_of(x), Vec::new());
        parameters.statistic_of(&theta, &mut s_hat);
        Ok(OwnedState { s_hat, theta })
    }
}
