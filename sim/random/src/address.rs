//! From an address to a seed: the frozen hash.

use crate::mix::mix;
use crate::{CounterKey, Stream};

/// What a draw is for. The numbers are frozen: they are part of every result.
///
/// Environment purposes carry neither the protocol's nor the compressor's name, so that two arms of a study meet the
/// same environment (common random numbers).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u64)]
pub enum DrawPurpose {
    /// Synthetic examples.
    Data = 1,
    /// Which example belongs to which client.
    Partition = 2,
    /// The initial value θ₀.
    Initial = 3,
    /// Availability of a client in a round or period.
    Availability = 4,
    /// Which clients are chosen in a round.
    Participation = 5,
    /// Latency of an access link or of a message.
    Latency = 6,
    /// Rate of an access link.
    Bandwidth = 7,
    /// Compute speed of a client.
    Speed = 8,
    /// Dropouts while busy.
    Dropout = 9,
    /// Indices of minibatches.
    Minibatch = 10,
    /// Randomness of compressors.
    Compression = 11,
    /// Which messages are audited bit by bit.
    Audit = 12,
    /// Packet and message losses.
    Loss = 13,
    /// Structure of generated topologies.
    Topology = 14,
    /// Markov chains over latent variables.
    Sampler = 15,
    /// Resampling in statistics over runs.
    Bootstrap = 16,
    /// Cross traffic on links.
    Background = 17,
    /// Splits for held-out data.
    HeldOut = 18,
    /// Estimates by simulation that only look on: importance sampling, predictive checks.
    Probe = 19,
    /// Varying delays of single messages.
    Jitter = 24,
    /// Which row of a table of measurements an entity gets.
    TableRow = 25,
    /// The wait before a message of the initialization is sent again.
    Backoff = 26,
    /// Which trace of rates a client follows, and where it begins.
    RateTrace = 27,
    /// Ties in a clustering of nodes.
    Clustering = 31,
    /// Power of a client.
    Power = 32,
    /// Noise that hides a client.
    Privacy = 33,
    /// Who shares masks with whom.
    Masks = 34,
    /// Which blocks of features an example lacks.
    Gaps = 35,
    /// What Byzantine clients report.
    Attack = 36,
    /// Examples that a server draws of the fits of clients.
    Resampling = 37,
    /// Settings of the arms of a study.
    Sweep = 40,
    /// Whatever a part of another crate draws; nothing of the project draws here.
    Own = 48,
}

/// The root of all randomness of one run: a seed and a replicate number.
#[derive(Clone, Copy, Debug)]
pub struct Streams {
    root: [u64; 2],
}

const K0: u64 = 0x9E37_79B9_7F4A_7C15;
const K1: u64 = 0xD1B5_4A32_D192_ED03;

#[inline]
fn absorb(state: [u64; 2], word: u64) -> [u64; 2] {
    let a = mix(state[0] ^ word.wrapping_mul(K0));
    let b = mix(state[1].wrapping_add(word).wrapping_mul(K1) ^ a);
    [a, b]
}

/// What every address begins with.
#[cfg(not(feature = "master-seed"))]
fn master() -> [u64; 2] {
    [K0, K1]
}

/// What every address begins with: other numbers for every value of `FEDBITS_MASTER_SEED`, but for 0.
#[cfg(feature = "master-seed")]
fn master() -> [u64; 2] {
    static MASTER: std::sync::LazyLock<[u64; 2]> = std::sync::LazyLock::new(|| {
        let text = std::env::var("FEDBITS_MASTER_SEED").unwrap_or_else(|_| "0".to_owned());
        let seed: u64 = text.parse().expect("FEDBITS_MASTER_SEED is a whole number of at most 64 bits");
        if seed == 0 { [K0, K1] } else { absorb([K1, K0], seed) }
    });
    *MASTER
}

impl Streams {
    /// The streams of replicate `replicate` under root seed `seed`.
    pub fn new(seed: u64, replicate: u64) -> Self {
        Self { root: absorb(absorb(master(), seed), replicate) }
    }

    /// The generator at the address (`purpose`, `entity`, `index`).
    #[inline]
    pub fn at(&self, purpose: DrawPurpose, entity: u64, index: u64) -> Stream {
        let [a, b] = self.address(purpose, entity, index);
        Stream::from_words([a, b, mix(a.wrapping_add(K1)), mix(b.wrapping_add(K0))])
    }

    /// A counter hash at the address: cheap uniforms for whole vectors (dithers).
    #[inline]
    pub fn counter(&self, purpose: DrawPurpose, entity: u64, index: u64) -> CounterKey {
        CounterKey::new(self.address(purpose, entity, index)[1])
    }

    #[inline]
    fn address(&self, purpose: DrawPurpose, entity: u64, index: u64) -> [u64; 2] {
        absorb(absorb(absorb(self.root, purpose as u64), entity), index)
    }
}
