//! What a run keeps in memory, part by part. The factors were measured; `tests/command_line/footprints.rs` compares
//! their sum with what runs take.

use crate::fedem::BatchRule;
use crate::operator::Operator;
use crate::plan::Participation;
use fedbits_spec::so_many;

/// A contribution is in flight or waits for the end of its round; beside a memory it is kept until it is acknowledged.
const CONTRIBUTIONS: u64 = 2;
/// Bytes of an example that was drawn, in two lists that grow by doubling.
const DRAWN: u64 = 16;
/// Threads that work at a time.
pub(crate) const THREADS: u64 = 4;

/// Something that takes memory.
#[derive(Clone, Debug, PartialEq)]
pub struct Part {
    /// What.
    pub what: String,
    /// The path of the scenario that decides it.
    pub path: &'static str,
    /// How many bytes.
    pub bytes: u64,
}

/// What decides how much memory a protocol takes. What is not known yet is 0.
#[derive(Clone, Copy, Debug, Default)]
pub struct Sizes {
    /// N.
    pub examples: u64,
    /// n, agents included.
    pub clients: u64,
    /// How many of them take part in any round, at the most.
    pub taking_part: u64,
    /// q.
    pub statistic: u64,
    /// The length of z, of models whose latent variables can be sampled.
    pub latent: u64,
    /// G.
    pub components: u64,
    /// Does the server keep copies of the memories of clients, which may lose theirs, or lie?
    pub copies: bool,
}

/// A product of sizes; beyond 64 bits it stays at the largest number, which no machine has.
#[must_use]
pub fn product(factors: &[u64]) -> u64 {
    factors.iter().fold(1, |product: u64, &factor| product.saturating_mul(factor))
}

/// What a client of a server keeps and sends.
#[derive(Clone, Debug)]
pub struct Kept {
    /// The vectors that are kept of every client.
    pub vectors: u64,
    /// Those that are kept only of clients that have taken part.
    pub of_participants: u64,
    /// The length of these, and of its messages.
    pub length: u64,
    /// What its messages are coded with.
    pub compressor: Operator,
    /// Does it send its initial memory whole?
    pub initial: bool,
}

impl Kept {
    /// Nothing is kept, and vectors of this length are sent whole.
    #[must_use]
    pub fn nothing(length: u64) -> Self {
        Self { vectors: 0, of_participants: 0, length, compressor: Operator::default(), initial: false }
    }

    /// What all clients keep and send.
    #[must_use]
    pub fn parts(&self, sizes: &Sizes, participation: Participation) -> Vec<Part> {
        let Sizes { clients, taking_part, .. } = *sizes;
        let remembering = if self.vectors > 0 || self.initial { clients } else { taking_part };
        let of_everybody = product(&[8, self.vectors, clients, self.length]);
        let memory = of_everybody.saturating_add(product(&[8, self.of_participants, remembering, self.length]));
        let busy = match participation {
            Participation::Cohort(cohort) => clients.min(u64::from(cohort).max(1)),
            _ => clients,
        };
        let message = self.compressor.message_bytes(self.length);
        let copies = if self.vectors + self.of_participants > 0 { CONTRIBUTIONS } else { 1 };
        let contributions = product(&[copies, busy, message]);
        // Before the first round every client sends its initial memory whole.
        let initial = if self.initial { product(&[CONTRIBUTIONS, clients, 8, self.length]) } else { 0 };
        // More than an index and a value for each number is the compressor's doing.
        let path = if message > product(&[12, self.length]) { "protocol.compressor" } else { "clients" };
        vec![
            Part { what: format!("memories of {}", so_many(remembering, "client")), path: "clients", bytes: memory },
            Part { what: format!("messages of {}", so_many(busy, "client")), path, bytes: contributions.max(initial) },
        ]
    }
}

/// This many messages of the operator at `path`, which is none of the uplink's.
pub(crate) fn messages(path: &'static str, operator: &Operator, length: u64, count: u64) -> Part {
    let bytes = product(&[CONTRIBUTIONS, count, operator.message_bytes(length)]);
    Part { what: format!("compressed vectors of {length} numbers"), path, bytes }
}

/// The examples of a step, drawn with replacement; others are no more than there are.
pub(crate) fn draws(batch: BatchRule, sizes: &Sizes) -> Option<Part> {
    let BatchRule::WithReplacement(size) = batch else { return None };
    let bytes = product(&[DRAWN, u64::from(size), sizes.clients.min(THREADS)]);
    Some(Part { what: format!("draws of {}", so_many(size, "example")), path: "protocol.batch", bytes })
}

/// A statistic for each example.
pub(crate) fn of_examples(sizes: &Sizes) -> Part {
    let Sizes { examples, statistic, .. } = *sizes;
    let bytes = product(&[8, examples, statistic]);
    Part { what: format!("a statistic for each of {examples} examples"), path: "protocol", bytes }
}

/// This many numbers at each agent; among peers, their weights, too.
pub(crate) fn agents(numbers: u64, are_peers: bool, sizes: &Sizes) -> Vec<Part> {
    let n = sizes.clients;
    let weights = if are_peers { product(&[8, 4, n, n]) } else { 0 };
    vec![
        Part { what: format!("states of {n} agents"), path: "clients", bytes: product(&[8, numbers, n]) },
        Part { what: format!("weights between {n} agents"), path: "clients", bytes: weights },
    ]
}
