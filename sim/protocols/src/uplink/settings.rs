//! What scenarios say of memories, in one vocabulary for all protocols that keep some.

use fedbits_codec::Compressor;
use fedbits_spec::Described;
use fedbits_spec::range::{PROBABILITY, whole};
use fedbits_spec::short::{Short, Unread};
use serde::{Deserialize, Serialize};

use crate::error::ProtocolError;

/// The step α of the memories.
#[derive(Clone, Copy, Debug, Default, Described, Deserialize, PartialEq, Serialize)]
#[serde(remote = "Self")]
#[described(short)]
pub enum Alpha {
    /// α = 1 / (1 + ω), ω the variance constant of an unbiased compressor (Theorem 1; also under partial
    /// participation); 1 for a biased one that is a contraction (EF21).
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
    pub(crate) fn value(self, compressor: &dyn Compressor, q: usize) -> Result<f64, ProtocolError> {
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

/// The first value of the memories.
#[derive(Clone, Copy, Debug, Default, Described, Deserialize, Eq, PartialEq, Serialize)]
pub enum MemoryStart {
    /// V_{0,i} = h_i(S₀): one full local pass, and one uncompressed upload per client, which is charged. It precedes
    /// the first round and is of all clients: availability, participation, deadlines and dropouts begin after it.
    #[default]
    MeanField,
    /// V_{0,i} = 0: free, but for `FedMissEm`, where zeros travel with the client's cells.
    Zero,
}

/// When a client's memory follows its message, V_i ← V_i + α Quant(Δ_i).
#[derive(Clone, Copy, Debug, Default, Described, Deserialize, Eq, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub enum Commit {
    /// When the server has acknowledged that it used the message: V stays the mean of the V_i.
    #[default]
    OnAcknowledgement,
    /// At once, as in the paper: V drifts from the mean of the V_i when messages are lost or late.
    OnSend,
    /// At once; and a broadcast to a client n rounds or more after its last copy (that of `Restore` is one; before the
    /// first: from round n on) carries the server's copy of its V_i (64 bits per number, charged), which it takes over.
    /// One that is lost is not repeated before that.
    Resynchronized {
        /// Rounds from one copy to the next.
        #[range(whole(1, u64::MAX).note(" (rounds)"))]
        every: u64,
    },
}

/// What happens to the memory of a client that has lost its state.
#[derive(Clone, Copy, Debug, Default, Described, Deserialize, Eq, PartialEq, Serialize)]
pub enum Recovery {
    /// The server keeps copies of all V_i and sends it with the next broadcast (64 bits per number, charged), until a
    /// contribution shows that it arrived.
    #[default]
    Restore,
    /// The client goes on with V_i = 0: V is no longer the mean of the V_i.
    Zero,
}

/// The memories V_i.
#[derive(Clone, Copy, Debug, Described, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub enum Memory {
    /// Each client keeps V_i; the server keeps V, their mean.
    Memory {
        /// V_{0,i}.
        #[serde(default)]
        initial: MemoryStart,
        /// When a client adds α D_i to its V_i.
        #[serde(default)]
        commit: Commit,
        /// What happens to V_i when a client loses its state (`dropout`).
        #[serde(default)]
        recovery: Recovery,
    },
    /// V_i = 0 forever: what clients send is compressed as it is.
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
}

/// The divisor of the sum of contributions.
#[derive(Clone, Copy, Debug, Default, Described, Deserialize, Eq, PartialEq, Serialize)]
pub enum DivideBy {
    /// The expected number: n a of all, n a p of `Bernoulli(p)` (n p in Algorithm 1), the smaller of m and n a of
    /// `Cohort(m)`. a is the probability that a client is available, by `availability` (a share of all time for on/off,
    /// days and repeating traces; 1 for a trace that does not repeat). With `First(m)` and `Buffered(m)` it is at most
    /// m, asynchronously 1. Unbiased if this many contribute on average: while no message is lost or late; not for a
    /// cohort of some of the clients, or the first m, if the number that can take part varies (fewer do on average);
    /// and not exactly if availability follows the clock (rounds begin when some client is available, and last as long
    /// as their clients need).
    #[default]
    Expected,
    /// The number that arrived.
    Arrived,
    /// For each contribution n times the share of the steps so far in which its client took part: what is rare counts
    /// more, and unequal participation biases nothing in the long run.
    Estimated,
    /// n, the number of clients: with α = 1 the estimate is the mean of the memories after the round (EF21).
    Clients,
    /// The weights of the clients that arrived: without memories the estimate is their weighted mean.
    Weights,
    /// `Weights` without memories; with them `Expected` for an unbiased operator and `Clients` for a contraction.
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
