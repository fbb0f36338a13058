//! Why a protocol cannot be made, or cannot go on.

use std::error::Error;
use std::fmt::Display;

use fedbits_codec::{AuditError, CodecError};
use fedbits_kernel::Bits;
use fedbits_models::DomainError;
use fedbits_models::gmm::vertical::BlockError;
use fedbits_models::initial::InitialError;
use fedbits_models::latent::SamplerError;
use fedbits_record::RecordError;
use fedbits_spec::so_many;

/// What helps where a message was lost that is waited for.
pub(crate) const AGAINST_LOSSES: &str =
    "links that lose need `delivery: Reliable(…)`, or smaller losses where `Tcp()` has given up the connection";

/// What a part of a protocol gives that can fail.
pub type Result<T, E = ProtocolError> = std::result::Result<T, E>;

/// What ends a run of a protocol, or keeps it from starting.
#[derive(Debug, thiserror::Error)]
pub enum ProtocolError {
    /// The initial statistic has no parameter.
    #[error("T of the initial statistic: {0}")]
    Initial(#[source] DomainError),
    /// What is broadcast has no parameter, or no density, any more when it is rounded to the wire's floats.
    #[error("the broadcast, rounded to the wire's floats: {0} (`floats: F64` or `domain: Clip(…)`)")]
    Rounded(#[source] DomainError),
    /// A block of features has no density.
    #[error(transparent)]
    Block(#[from] BlockError),
    /// An M-step of a block failed.
    #[error("{source}{remedy}")]
    Singular {
        /// What is wrong.
        source: BlockError,
        /// What may help.
        remedy: &'static str,
    },
    /// A step left the domain of T, and the policy is to stop.
    #[error("the statistic left the domain of T: {source} ({advice})")]
    LeftDomain {
        /// What is wrong with it.
        source: DomainError,
        /// What the user can do.
        advice: &'static str,
    },
    /// A client's own step left the domain of T.
    #[error("{0} (larger clients, a better start, or another `domain`, such as `Clip(…)`)")]
    Local(#[source] DomainError),
    /// A client's M-step on its own model left the domain of T.
    #[error("its local M-step failed: {0} (larger clients, or `domain: Clip(…)`)")]
    LocalStep(#[source] DomainError),
    /// Examples cannot be clustered.
    #[error(transparent)]
    Clusters(#[from] InitialError),
    /// A chain cannot go on.
    #[error(transparent)]
    Sampler(#[from] SamplerError),
    /// θ₀ is no parameter of the model.
    #[error("the initial parameter: {0}")]
    InitialParameter(#[source] DomainError),
    /// A contribution answers a broadcast whose parameter is no longer kept.
    #[error("a contribution answers round {0}, whose parameter is no longer kept")]
    TooLate(u64),
    /// The mean of the clients' parameters is none.
    #[error("the mean of the parameters: {0}")]
    Mean(#[source] DomainError),
    /// A parameter or a statistic is none of the model's.
    #[error(transparent)]
    Domain(#[from] DomainError),
    /// A vector cannot be coded.
    #[error(transparent)]
    Codec(#[from] CodecError),
    /// The server's direction cannot be coded for the downlink.
    #[error("the downlink: {0}")]
    Downlink(#[source] CodecError),
    /// The operator does not fit the cells of a server.
    #[error("client {client} observes {}: {source}", so_many(.cells, "cell"))]
    Cells {
        /// Zero-based client.
        client: usize,
        /// Its cells.
        cells: usize,
        /// What does not fit.
        source: CodecError,
    },
    /// An estimated total is not finite.
    #[error("an estimated total over sites is {0}")]
    Total(f64),
    /// A broadcast is charged less than what went over the wire.
    #[error("the broadcast of round {round} is charged {charged} bits, and {sent} went over the wire")]
    Charge {
        /// The round.
        round: u64,
        /// What it is charged.
        charged: Bits,
        /// What its vectors took.
        sent: Bits,
    },
    /// A broadcast has content and is charged nothing.
    #[error("audit: the broadcast of round {round} has content and is charged no bit")]
    Free {
        /// The round.
        round: u64,
    },
    /// A message differs from its bit string.
    #[error("audit of {compressor}: {source}")]
    Audit {
        /// The operator that made it.
        compressor: String,
        /// How it differs.
        source: AuditError,
    },
    /// What happened somewhere: at a client, in an iteration.
    #[error("{at}: {source}")]
    At {
        /// Where.
        at: String,
        /// What happened.
        source: Box<ProtocolError>,
    },
    /// A row or a table cannot be written.
    #[error(transparent)]
    Record(#[from] RecordError),
    /// Contributions are missing from a step that needs all.
    #[error("{}, and the server carries its state on from all of them",
        so_many(.0, "contribution is missing|contributions are missing"))]
    Missing(usize),
    /// A number of the server's step is not finite.
    #[error("{0} (a smaller step, or a finer compressor)")]
    Diverged(&'static str),
    /// Memories that commit on acknowledgement have drifted by more than rounding: ‖V − mean V_i‖².
    #[error("the invariant V = mean V_i is broken: ‖V − mean V_i‖² = {0:e} (a defect, please report)")]
    Drift(f64),
    /// The model has no coordinates without constraints, or no statistic of its parameters.
    #[error(
        "gradient ascent needs coordinates without constraints, and the statistic that belongs to parameters: this \
         model lacks one of them"
    )]
    Constrained,
    /// Model, data and settings that do not fit together.
    #[error("{0}")]
    Unfit(String),
    /// Anything else.
    #[error(transparent)]
    Other(#[from] Box<dyn Error + Send + Sync>),
}

impl ProtocolError {
    /// Model, data and settings do not fit together, as `why` says.
    pub fn unfit(why: impl Into<String>) -> Self {
        Self::Unfit(why.into())
    }

    /// The same, as what happened at `at`.
    pub fn at(self, at: impl Display) -> Self {
        Self::At { at: at.to_string(), source: Box::new(self) }
    }
}
