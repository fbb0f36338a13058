//! What the messages of an iteration will be. A plan must not know who has sent which of them.

use fedbits_kernel::Bits;

use super::graph::Graph;

/// Lengths of the messages of an iteration's rounds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RoundBits {
    /// The same for all.
    Same(u64),
    /// Per node, of all rounds up to a number of rounds: every neighbour gets the same message.
    Each(Vec<(u32, Vec<u64>)>),
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
            RoundBits::Each(bits) => bits[bits.partition_point(|&(end, _)| end <= round)].1[node as usize],
        })
    }

    /// Payload bits of the whole iteration on this graph.
    pub fn total(&self, graph: &Graph, leaves: u64) -> u64 {
        let links = 2 * graph.links() as u64;
        let rounds = match &self.round_bits {
            RoundBits::Same(bits) => u64::from(self.rounds) * links * bits,
            RoundBits::Each(bits) => {
                let of = |row: &[u64]| row.iter().zip(0..).map(|(bits, n)| bits * graph.degree(n) as u64).sum::<u64>();
                let mut before = 0;
                let mut rounds = |end: u32| u64::from(end - std::mem::replace(&mut before, end));
                bits.iter().map(|(end, row)| rounds(*end) * of(row)).sum()
            }
        };
        rounds + leaves * self.announcement
    }
}
