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
//! | V, V_i | `v`, [`ClientMemory`] | memories of server and clients; V = n⁻¹ Σ V_i as long as nothing is lost silently |
//! | α, γ | `alpha`, `gamma` | memory rate, step size |
//! | n p | `DivideBy::Expected` | expected number of participants |
//! | w_i | `Federation::weight` | weight of a client: 1 in the paper, where all have equally many examples |
//!
//! Without memory (V_i = 0, α = 0) this is the naive variant. The downlink can be compressed as well
//! ([`DownlinkSettings`], after Artemis). How a client estimates s̄_i is a [`LocalRule`]: [`Minibatch`] as above, or
//! [`crate::vr_fedem::Spider`]. MARINA is another kind of memory ([`crate::baselines::marina`]), gradient ascent
//! another model ([`crate::baselines::gradient_ascent`]).

mod ahead;
mod build;
mod content;
mod difference;
mod downlink;
mod local;
mod marina;
mod memory;
mod parameters;
mod releases;
mod server;
mod settings;
mod shown;
mod star;
mod task;
mod uplink;
pub(crate) mod weights;

use fedbits_codec::Identity;
use fedbits_random::Streams;

pub(crate) use build::{caveats, caveats_of, large_alpha};
pub use content::Content;
pub use local::{LocalRule, Minibatch};
pub use memory::ClientMemory;
pub(crate) use memory::DriftSq;
pub use parameters::{DownMemory, DownlinkSetting, FedEmSetting, MemorySetting};
pub use server::FedEmServer;
pub use settings::{
    Alpha, BatchRule, Broadcast, Commit, DivideBy, Domain, DownlinkSettings, FedEmSettings, MAX_BATCH, Memory,
    MemoryStart, Recovery,
};
pub(crate) use shown::Coordinates;
pub(crate) use star::COLUMNS;
pub use task::Task;
pub(crate) use task::draw_batch;
pub use weights::Divisor;

pub use crate::schedule::Schedule;

use crate::error::ProtocolError;
use crate::federation::Federation;
use crate::star::Coder;
use difference::difference;
use uplink::Uplink;

/// What clients and server of FedEM know; clients estimate s̄_i by `L`.
pub struct FedEm<L = Minibatch> {
    federation: Federation,
    settings: FedEmSettings,
    local: L,
    floats: Identity,
    alpha: f64,
    downlink_alpha: Option<f64>,
    uplink: Uplink,
    start: Start,
    /// Where Ŝ are coordinates of something else, which the record shows.
    shown: Option<Coordinates>,
    late_counts: bool,
}

/// Ŝ₀, T(Ŝ₀), and how many of its entries were clipped.
struct Start {
    s_hat: Vec<f64>,
    theta: Vec<f64>,
    clipped: u64,
}

/// The state of a client.
#[derive(Debug)]
pub struct FedEmClient<C> {
    /// V_i.
    pub memory: ClientMemory,
    /// What its local rule keeps.
    pub local: C,
}

impl FedEm {
    /// FedEM at Ŝ₀ = `s_hat`.
    ///
    /// # Errors
    /// When T(Ŝ₀) does not exist or a compressor does not fit q.
    pub fn new(federation: Federation, settings: FedEmSettings, s_hat: Vec<f64>) -> Result<Self, ProtocolError> {
        let q = federation.model().statistic_dimension();
        settings.compressor.validate(q)?;
        let alpha = settings.memory.alpha(settings.compressor.as_ref(), q)?;
        let mut theta = Vec::new();
        let maximized = settings.domain.maximize(federation.model(), &s_hat, &mut theta);
        let clipped = maximized.map_err(ProtocolError::Initial)?;
        let mut downlink_alpha = None;
        if let Some(DownlinkSettings { compressor, alpha }) = &settings.downlink {
            compressor.validate(q)?;
            downlink_alpha = alpha.map(|alpha| alpha.value(compressor.as_ref(), q)).transpose()?;
        }
        Ok(Self {
            floats: Identity { wire: settings.floats },
            local: Minibatch,
            alpha,
            downlink_alpha,
            uplink: Uplink::new(settings.compressor.as_ref(), federation.clients()),
            start: Start { s_hat, theta, clipped },
            shown: None,
            late_counts: false,
            settings,
            federation,
        })
    }

    /// The same, with another local rule.
    pub fn with_local_rule<L: LocalRule>(self, local: L) -> FedEm<L> {
        let Self { federation, settings, local: _, floats, alpha, downlink_alpha, uplink, start, shown, late_counts } =
            self;
        FedEm { federation, settings, local, floats, alpha, downlink_alpha, uplink, start, shown, late_counts }
    }

    /// The same; Ŝ are `coordinates` of a statistic of which so many entries were clipped.
    pub(crate) fn showing(self, coordinates: Coordinates, clipped: u64) -> Self {
        let start = Start { clipped: self.start.clipped + clipped, ..self.start };
        Self { shown: Some(coordinates), start, ..self }
    }
}

impl<L: LocalRule> FedEm<L> {
    /// α in use.
    pub fn alpha(&self) -> f64 {
        self.alpha
    }

    /// The clients' data and their model.
    pub fn federation(&self) -> &Federation {
        &self.federation
    }

    /// What a local rule works with in `round`.
    fn task<'a>(&'a self, streams: &'a Streams, round: u64) -> Task<'a> {
        Task { federation: &self.federation, batch: self.settings.batch, streams, round }
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
        if let Memory::Marina { .. } = self.settings.memory {
            let next = &mut memory.kept().next;
            difference(w, statistics, s_hat, &[], next);
            if full {
                return delta.clone_from(next);
            }
        }
        difference(w, statistics, s_hat, memory.committed(), delta);
    }

    /// What client `i` codes with: Quant, or (`whole`) floats.
    fn coder_of(&self, i: u32, whole: bool) -> Coder<'_> {
        match whole {
            true => self.uplink.whole(&self.floats),
            false => self.uplink.of(i, self.settings.compressor.as_ref()),
        }
    }
}
