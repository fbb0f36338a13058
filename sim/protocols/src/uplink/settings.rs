//! What scenarios say of memories, in one vocabulary for all protocols that keep some.

use fedbits_codec::Compressor;
use fedbits_spec::Described;
use fedbits_spec::range::{PROBABILITY, whole};
use fedbits_spec::short::{Short, Unread};
use serde::{Deserialize, Serialize};

use crate::error::{ProtocolError, Result};

/// Step α of the memories.
#[derive(Clone, Copy, Debug, Default, Described, Deserialize, PartialEq, Serialize)]
#[serde(remote = "Self")]
#[described(short)]
pub enum Alpha {
    /// 1 / (1 + ω) for unbiased compressors (Theorem 1), 1 for contractions (EF21).
    #[default]
    Auto,
    /// This value.
    Constant(#[range(PROBABILITY)] f64),
}

impl Short for Alpha {
    const FORMS: &'static [(&'static str, &'static str)] = &[("0.1", "Constant(0.1)")];

    fn of_number(number: f64) -> Result<Self, Unread> {
        Ok(Self::Constant(number))
    }
}

impl Alpha {
    /// α for this compressor on q numbers.
    pub(crate) fn value(self, compressor: &dyn Compressor, q: usize) -> Result<f64> {
        match (self, compressor.omega(q).filter(|_| compressor.is_unbiased())) {
            (Self::Constant(value), _) => Ok(value),
            (Self::Auto, Some(omega)) => Ok(1.0 / (1.0 + omega)),
            (Self::Auto, None) => self.refusal(compressor, q).map_or(Ok(1.0), |why| Err(ProtocolError::Unfit(why))),
        }
    }

    /// Why there is no automatic rate for this compressor on q numbers; none where there is, or needs to be none.
    pub(crate) fn refusal(self, compressor: &dyn Compressor, q: usize) -> Option<String> {
        let automatic = self == Self::Auto && !compressor.is_unbiased();
        let needs = "`alpha: Auto` of a biased compressor needs a contraction";
        if automatic { no_contraction(needs, compressor, q) } else { None }
    }
}

/// Why an operator that fits vectors of length `q` is not what somebody `needs`, a contraction; none when it is.
pub(crate) fn no_contraction(needs: &str, compressor: &dyn Compressor, q: usize) -> Option<String> {
    let name = compressor.name();
    let unknown = match compressor.omega(q).filter(|_| compressor.is_unbiased()) {
        Some(omega) => format!("its ω is {omega}, and 1 or more says nothing"),
        None => "it states no δ".to_owned(),
    };
    let why = || format!("{needs}, and {name} is not known to be one at q = {q}: {unknown}");
    compressor.contraction(q).is_none().then(why)
}

/// Initial value V_{0,i} of the memories.
#[derive(Clone, Copy, Debug, Default, Described, Deserialize, Eq, PartialEq, Serialize)]
pub enum MemoryStart {
    /// h_i(S₀): a full local pass and an uncompressed, charged upload by every client before round 1, despite
    /// availability, participation, deadlines and dropouts.
    #[default]
    MeanField,
    /// 0: free, except for `FedMissEm`, which uploads the zeros with the cells.
    Zero,
}

/// Time of the memory update V_i ← V_i + α Quant(Δ_i).
#[derive(Clone, Copy, Debug, Default, Described, Deserialize, Eq, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub enum Commit {
    /// When the server acknowledges that it used the message: V remains the mean of the V_i.
    #[default]
    OnAcknowledgement,
    /// On sending, as in the paper: lost or late messages make V drift from the mean of the V_i.
    OnSend,
    /// On sending. At least n rounds after the last copy, a broadcast also carries the server's V_i (64 bits per
    /// number, charged), which replaces the client's. A lost copy waits for the next interval.
    Resynchronized {
        /// n, rounds between copies.
        #[range(whole(1, u64::MAX).note(" (rounds)"))]
        every: u64,
    },
}

/// Memory of a client that has lost its state (`dropout`).
#[derive(Clone, Copy, Debug, Default, Described, Deserialize, Eq, PartialEq, Serialize)]
pub enum Recovery {
    /// The server keeps all V_i. It adds the client's to broadcasts (64 bits per number, charged) until a contribution
    /// confirms it.
    #[default]
    Restore,
    /// V_i = 0: V is no longer the mean of the V_i.
    Zero,
}

/// The memories V_i.
#[derive(Clone, Copy, Debug, Described, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub enum Memory {
    /// Each client keeps V_i; the server keeps their mean V.
    Memory {
        /// Initial value.
        #[serde(default)]
        initial: MemoryStart,
        /// Time of the update.
        #[serde(default)]
        commit: Commit,
        /// V_i after a client has lost its state.
        #[serde(default)]
        recovery: Recovery,
    },
    /// V_i = 0: clients compress their statistics themselves.
    NoMemory,
}

impl Default for Memory {
    fn default() -> Self {
        Self::of(MemoryStart::default(), Commit::default())
    }
}

impl Memory {
    /// Memories that the server restores where clients lose them.
    #[must_use]
    pub fn of(initial: MemoryStart, commit: Commit) -> Self {
        Self::Memory { initial, commit, recovery: Recovery::Restore }
    }

    /// V_{0,i}.
    pub(crate) fn start(self) -> MemoryStart {
        match self {
            Self::NoMemory => MemoryStart::Zero,
            Self::Memory { initial, .. } => initial,
        }
    }

    /// When a client's memory follows its message; none without memory.
    pub(crate) fn commit(self) -> Option<Commit> {
        match self {
            Self::NoMemory => None,
            Self::Memory { commit, .. } => Some(commit),
        }
    }

    /// The rounds from one copy of V_i to the next, where the server sends copies.
    pub(crate) fn period(self) -> Option<u64> {
        if let Some(Commit::Resynchronized { every }) = self.commit() { Some(every) } else { None }
    }
}

/// Divisor of the sum of contributions.
#[derive(Clone, Copy, Debug, Default, Described, Deserialize, Eq, PartialEq, Serialize)]
pub enum DivideBy {
    /// The expected number: n a for all clients, n a p for `Bernoulli(p)`, min(m, n a) for `Cohort(m)`. Here a is the
    /// share of time or rounds in which a client is available (1 for a trace that does not repeat). `First(m)` and
    /// `Buffered(m)` cap it at m; asynchronous steps use 1. Biased by lost or late messages and by a varying number of
    /// clients (cohort, first m). Availability by the clock biases slightly.
    #[default]
    Expected,
    /// The number that arrived.
    Arrived,
    /// Per contribution, n times its client's share of steps so far: in the long run, unequal participation causes no
    /// bias.
    Estimated,
    /// n. With α = 1 the estimate is the mean of the updated memories (EF21).
    Clients,
    /// Total weight of the arrived clients; without memories the estimate is their weighted mean.
    Weights,
    /// `Weights` without memories; with them `Expected` if unbiased, `Clients` for a contraction.
    Auto,
}

impl DivideBy {
    /// What `Auto` means for an operator that `is_unbiased` or not, where clients remember or not; else itself.
    #[must_use]
    pub fn resolved(self, is_unbiased: bool, remembers: bool) -> Self {
        match self {
            Self::Auto if !remembers => Self::Weights,
            Self::Auto if is_unbiased => Self::Expected,
            Self::Auto => Self::Clients,
            given => given,
        }
    }
}
