//! When a run ends and what it records: the parts of a plan that every protocol shares.

use fedbits_kernel::{Bits, Span};

/// The run ends as soon as one of these holds; at least one is given.
#[derive(Clone, Copy, Debug, Default)]
pub struct StopRules {
    /// After this many rounds.
    pub rounds: Option<u64>,
    /// After this many passes over all data (conditional expectations ÷ N).
    pub epochs: Option<f64>,
    /// After this span of simulated time.
    pub time: Option<Span>,
    /// After this many bits on the wire, headers included.
    pub bits: Option<Bits>,
    /// When a probe finds ‖h(Ŝ)‖² at most this large.
    pub mean_field_sq: Option<f64>,
    /// When the objective changes by at most this much between probes.
    pub objective_change: Option<f64>,
}

/// What is recorded and how often, in rounds. The first and the last round always are.
#[derive(Clone, Copy, Debug)]
pub struct RecordPlan {
    /// A row every this many rounds.
    pub every: u64,
    /// A probe (full pass over all data; out of band) every this many rounds; none: at the first and the last only.
    pub probe_every: Option<u64>,
}

/// Who closes a round.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RoundPolicy {
    /// The last contribution of those who have not dropped out.
    WaitForAll,
    /// The clock, or the last contribution if that is earlier.
    Deadline(Span),
    /// The m-th contribution, or the last of those who have not dropped out.
    First(u32),
    /// Every K-th contribution, whatever broadcast it answers (FedBuff; K = 1: asynchronous). Nobody is interrupted: after each step
    /// only clients without work are asked, so that as many as take part are at work.
    Buffered(u32),
}

/// What becomes of a contribution to a round that is closed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Late {
    /// Neither end uses it: the server drops it, and the client learns that it was not acknowledged. A new broadcast ends older
    /// work.
    Discard,
    /// Both ends use it: it goes into the step of the round in which it arrives, and nobody is asked again before.
    Apply,
}

/// ω(τ), the weight of a contribution that answers the broadcast of τ steps ago.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Staleness {
    /// 1.
    Constant,
    /// (1 + τ)^(−a), a ≥ 0 (Xie, Koyejo, Gupta 2019).
    Polynomial(f64),
}

impl Staleness {
    /// ω(`tau`).
    pub fn at(self, tau: u64) -> f64 {
        match self {
            Self::Polynomial(a) if tau > 0 => libm::pow(1.0 + tau as f64, -a),
            Self::Constant | Self::Polynomial(_) => 1.0,
        }
    }
}

/// Who is asked to take part.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Participation {
    /// Everybody who is available.
    All,
    /// Every available client with this probability, independently (FedEM, assumption A8).
    Bernoulli(f64),
    /// So many of the available clients, uniformly without replacement.
    Cohort(u32),
}

impl Participation {
    /// Expected number of participants among `n` clients that are available with probability `available`.
    pub fn expected(self, n: u32, available: f64) -> f64 {
        let n = f64::from(n) * available;
        match self {
            Self::All => n,
            Self::Bernoulli(p) => n * p,
            Self::Cohort(m) => f64::from(m).min(n),
        }
    }
}
