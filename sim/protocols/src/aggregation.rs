//! How the server learns the sum of what clients send: from the messages themselves, by secure aggregation, which shows
//! it the sum alone, or not at all, where a robust rule takes its place ([`crate::robust`]).
//!
//! Pairwise masks: clients u and v agree on a key, u adds and v subtracts what a generator makes of it, and each adds a
//! mask of its own; both keys are shared by Shamir's scheme, so that the masks of those who drop out, and the own ones
//! of those who do not, can be taken off the sum.
//!
//! - All pairs: Bonawitz et al., *Practical Secure Aggregation for Privacy-Preserving Machine Learning*, CCS 2017,
//!   figure 4 without the parts for an active adversary: four rounds (advertise keys, share keys, masked input,
//!   unmasking).
//! - k neighbours in a random Harary graph: Bell et al., *Secure Single-Server Aggregation with (Poly)Logarithmic
//!   Overhead*, CCS 2020, algorithm 2 (semi-honest).
//!
//! Nothing is encrypted here: the messages have the lengths that the papers' text gives, and take their time.

use fedbits_random::{DrawPurpose, Streams};
use fedbits_spec::range::{Interval, whole};
use fedbits_spec::{Described, Facts, Findings, Path};
use serde::{Deserialize, Serialize};

use crate::error::{ProtocolError, Result};
use crate::robust::Robust;

/// How the server sums the clients' messages.
#[derive(Clone, Copy, Debug, Default, Described, Deserialize, PartialEq, Serialize)]
pub enum Aggregation {
    /// The server sees each message.
    #[default]
    Plain,
    /// The server sees only the sum, after four exchanges with pairwise masks. Needs `floats: F64`, also for the
    /// broadcast.
    SecureAggregation(SecureAggregation),
    /// A robust rule against Byzantine clients replaces the sum. Not with masks.
    Robust(Robust),
}

/// Secure aggregation with a semi-honest server.
#[derive(Clone, Copy, Debug, Described, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields, default)]
#[described(rules = fits)]
pub struct SecureAggregation {
    /// Pairs of clients that share masks.
    pub neighbours: Neighbours,
    /// Answers must exceed this share and be at least two; otherwise the round makes no step. `All`: of the cohort, in
    /// every exchange. `Degree(k)`: in the last exchange, of the k neighbours of every client in the sum. Cohorts of at
    /// most k + 1 use `All`.
    #[range(SHARE)]
    pub threshold: f64,
    /// Bits per masked entry, modulo 2 to this power.
    #[range(whole(8, 53))]
    pub field_bits: u32,
    /// Fractional bits to which entries are rounded before masking.
    #[range(whole(0, 52))]
    pub fraction_bits: u32,
    /// Bits of a public key.
    #[range(whole(1, 100_000))]
    pub key_bits: u32,
    /// Bits of a secret's share.
    #[range(whole(1, 100_000))]
    pub share_bits: u32,
    /// Bits of a ciphertext's nonce and authentication tag.
    #[range(whole(0, 100_000))]
    pub overhead_bits: u32,
}

/// [0, 1).
const SHARE: Interval = Interval::closed(0.0, 0.999, "from 0 to 0.999, no unit");

impl Default for SecureAggregation {
    fn default() -> Self {
        Self {
            neighbours: Neighbours::All,
            threshold: 0.5,
            field_bits: 32,
            fraction_bits: 16,
            key_bits: 256,
            share_bits: 256,
            overhead_bits: 224,
        }
    }
}

impl Aggregation {
    /// The smallest number of clients whose sum the server can learn, if all of them answer.
    pub(crate) fn least(self) -> u32 {
        match self {
            Self::Plain | Self::Robust(_) => 1,
            Self::SecureAggregation(_) => 2,
        }
    }

    /// Does the server see sums alone?
    #[must_use]
    pub fn is_secure(self) -> bool {
        matches!(self, Self::SecureAggregation(_))
    }

    /// The smallest number of contributions of which it makes a step, if there is one.
    #[must_use]
    pub fn least_of_step(self) -> u64 {
        match self {
            Self::Plain | Self::SecureAggregation(_) => 0,
            Self::Robust(robust) => robust.least(),
        }
    }
}

/// Pairs of clients that share masks.
#[derive(Clone, Copy, Debug, Default, Described, Deserialize, Eq, PartialEq, Serialize)]
pub enum Neighbours {
    /// All pairs (Bonawitz et al. 2017).
    #[default]
    All,
    /// Each client with this even number of others, redrawn in each round (Bell et al. 2020).
    Degree(#[range(whole(2, 1_000_000))] u32),
}

fn fits(secure: &SecureAggregation, at: &Path<'_>, _: &Facts, findings: &mut Findings) {
    if let Neighbours::Degree(degree) = secure.neighbours
        && degree % 2 != 0
    {
        let found = format!("a Harary graph of the odd degree {degree} is not regular for every cohort");
        findings.error(at.field("neighbours"), found, "expected an even number");
    }
    if secure.fraction_bits >= secure.field_bits {
        let found = "no bit is left for whole numbers and the sign";
        findings.error(at.field("fraction_bits"), found, "expected fewer than `field_bits`");
    }
}

/// Whole numbers modulo 2^b that stand for multiples of 2^−f.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Field {
    bits: u32,
    fraction: u32,
}

impl Field {
    /// Rounds each entry; the sum of `cohort` such vectors does not wrap.
    ///
    /// # Errors
    /// Where it could.
    pub(crate) fn round(&self, x: &mut [f64], cohort: usize) -> Result<()> {
        let scale = (1_u64 << self.fraction) as f64;
        let most = (1_u64 << (self.bits - 1)) as f64 / cohort.max(1) as f64;
        for entry in x {
            let whole = (*entry * scale).round_ties_even();
            if !whole.is_finite() || whole.abs() >= most {
                return Err(ProtocolError::unfit(format!(
                    "secure aggregation: the entry {entry} times {cohort} clients does not fit a field of {} bits \
                     with {} behind the point (larger `field_bits`, or fewer `fraction_bits`)",
                    self.bits, self.fraction
                )));
            }
            *entry = whole / scale;
        }
        Ok(())
    }
}

/// Lengths of messages in bits.
impl SecureAggregation {
    pub(crate) fn field(&self) -> Field {
        Field { bits: self.field_bits, fraction: self.fraction_bits }
    }

    /// How far rounding moves a vector of `entries` at most: half a step in each, in norm.
    #[must_use]
    pub fn rounding(&self, entries: usize) -> f64 {
        (entries as f64).sqrt() * 0.5 / (1_u64 << self.fraction_bits) as f64
    }

    /// The number of those who must answer, of `parties` among whom a key is shared: t of t-out-of-n, at least 2. 0.29
    /// of 100 are 29, which the product of floats is not.
    #[must_use]
    pub fn quorum(&self, parties: usize) -> usize {
        ((self.threshold * parties as f64 + 1e-9).floor() as usize + 1).max(2)
    }

    /// Two public keys, to the server.
    #[must_use]
    pub(crate) fn advertisement(&self) -> u64 {
        2 * u64::from(self.key_bits)
    }

    /// The keys of `neighbours`, with their names, to a client.
    #[must_use]
    pub(crate) fn key_list(&self, neighbours: usize, clients: u32) -> u64 {
        neighbours as u64 * (name_bits(clients) + self.advertisement())
    }

    /// A ciphertext of both names and two shares, with the name of the other end.
    fn addressed_shares(&self, clients: u32) -> u64 {
        let plain = 2 * name_bits(clients) + 2 * u64::from(self.share_bits);
        name_bits(clients) + plain + u64::from(self.overhead_bits)
    }

    /// Encrypted shares for, or of, `neighbours`: to the server, or from it.
    #[must_use]
    pub fn shares(&self, neighbours: usize, clients: u32) -> u64 {
        neighbours as u64 * self.addressed_shares(clients)
    }

    /// A masked vector of `entries`.
    #[must_use]
    pub fn masked(&self, entries: usize) -> u64 {
        entries as u64 * u64::from(self.field_bits)
    }

    /// The names of `survivors`, to a client.
    #[must_use]
    pub(crate) fn survivor_list(&self, survivors: usize, clients: u32) -> u64 {
        survivors as u64 * name_bits(clients)
    }

    /// One share each of the keys of `owners`, to the server, in the order of names that both know.
    #[must_use]
    pub fn unmasking(&self, owners: usize) -> u64 {
        owners as u64 * u64::from(self.share_bits)
    }

    /// The neighbours of everybody in a cohort of `m`, as positions; the graph is drawn for `round`.
    #[must_use]
    pub fn graph(&self, m: usize, streams: &Streams, round: u64) -> MaskGraph {
        match self.neighbours {
            Neighbours::Degree(degree) if (degree as usize) + 1 < m => {
                let mut ring: Vec<u32> = (0..m as u32).collect();
                streams.at(DrawPurpose::Masks, 0, round).shuffle(&mut ring);
                let mut places = vec![0; m];
                ring.iter().enumerate().for_each(|(place, &position)| places[position as usize] = place);
                MaskGraph { m, ring: Some((ring, places, degree as usize / 2)) }
            }
            _ => MaskGraph { m, ring: None },
        }
    }
}

/// ⌈log₂ n⌉, at least 1: the name of one of n clients.
fn name_bits(clients: u32) -> u64 {
    u64::from(u32::BITS - clients.saturating_sub(1).leading_zeros()).max(1)
}

/// Who shares masks with whom in a round.
pub struct MaskGraph {
    m: usize,
    /// A random ring, the place of each position on it, and how far neighbours are on either side; none: everybody.
    ring: Option<(Vec<u32>, Vec<usize>, usize)>,
}

impl MaskGraph {
    /// Is every mask shared with everybody, so that a client keeps a share of its own keys, too (Bonawitz et al.)?
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.ring.is_none()
    }

    /// Number of neighbours of everybody.
    #[must_use]
    pub fn degree(&self) -> usize {
        self.ring.as_ref().map_or(self.m.saturating_sub(1), |(.., reach)| 2 * reach)
    }

    /// The neighbours of the client at `position` of the cohort, itself not among them.
    pub fn neighbours(&self, position: usize) -> Box<dyn Iterator<Item = usize> + '_> {
        match &self.ring {
            None => Box::new((0..self.m).filter(move |&peer| peer != position)),
            Some((ring, places, reach)) => {
                let (place, m) = (places[position], self.m);
                Box::new(
                    (1..=*reach).flat_map(move |far| {
                        [(place + far) % m, (place + m - far) % m].map(|peer| ring[peer] as usize)
                    }),
                )
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_graph_is_regular_and_symmetric() {
        let secure = SecureAggregation { neighbours: Neighbours::Degree(4), ..Default::default() };
        for m in 1..12 {
            let graph = secure.graph(m, &Streams::new(3, 0), 7);
            for position in 0..m {
                let mut neighbours: Vec<usize> = graph.neighbours(position).collect();
                neighbours.sort_unstable();
                neighbours.dedup();
                assert_eq!(neighbours.len(), graph.degree());
                assert!(neighbours.iter().all(|&peer| peer != position));
                assert!(neighbours.iter().all(|&peer| graph.neighbours(peer).any(|back| back == position)));
            }
            assert_eq!(graph.degree(), if m > 5 { 4 } else { m - 1 });
        }
    }

    #[test]
    fn names_and_quorums() {
        assert_eq!([1, 2, 3, 4, 5, 256, 257].map(name_bits), [1, 1, 2, 2, 3, 8, 9]);
        let secure = SecureAggregation { threshold: 0.5, ..Default::default() };
        assert_eq!([1, 2, 3, 4, 5].map(|m| secure.quorum(m)), [2, 2, 2, 3, 3]);
        // More than a share of 100 clients that is a whole number of them is one more, for every share of two decimals.
        for percent in 1..=99 {
            let secure = SecureAggregation { threshold: f64::from(percent) / 100.0, ..secure };
            assert_eq!(secure.quorum(100), (percent as usize + 1).max(2), "{percent} %");
        }
    }

    #[test]
    fn a_sum_that_could_wrap_is_refused() {
        let field = Field { bits: 8, fraction: 2 };
        let mut x = [0.3, -0.3, 7.7];
        field.round(&mut x, 4).unwrap();
        assert_eq!(x, [0.25, -0.25, 7.75]);
        assert!(field.round(&mut [8.0], 4).is_err());
        assert!(field.round(&mut [f64::NAN], 1).is_err());
    }
}
