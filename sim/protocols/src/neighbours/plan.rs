//! What the messages of an iteration will be. A plan must not know who has sent which of them.

use fedbits_kernel::Bits;

use super::graph::Graph;

/// Lengths of the messages of an iteration's rounds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RoundBits {
    /// The same for all.
    Same(u64),
    /// Per round, per node: every neighbour gets the same message.
    Each(Vec<Vec<u64>>),
}

/// The messages of an iteration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    /// S.
    pub rounds: u32,
    /// Lengths of the rounds' messages.
    pub round_bits: RoundBits,
    /// Length of what a root tells its leaves.
    pub announcement: u64,
    /// Why nobody goes on after this iteration, if so.
    pub last: Option<String>,
}

impl Plan {
    pub(super) fn bits(&self, round: u32, node: u32) -> Bits {
        Bits::new(match &self.round_bits {
            RoundBits::Same(bits) => *bits,
            RoundBits::Each(bits) => bits[round as usize][node as usize],
        })
    }

    /// Payload bits of the whole iteration on this graph.
    pub fn total(&self, graph: &Graph, leaves: u64) -> u64 {
        let links = 2 * graph.links() as u64;
        let rounds = match &self.round_bits {
            RoundBits::Same(bits) => u64::from(self.rounds) * links * bits,
            RoundBits::Each(bits) => {
                let of =
                    |row: &Vec<u64>| row.iter().zip(0..).map(|(bits, n)| bits * graph.degree(n) as u64).sum::<u64>();
                bits.iter().map(of).sum()
            }
        };
        rounds + leaves * self.announcement
    }
}
