//! VP-EM: mixtures from data that are divided by features, by the symbols of its paper. This file must not know messages.

use serde::{Deserialize, Serialize};

use super::Compressor;
use super::Span;
use super::data::Matrix;

/// Parameters of VP-EM. The features are divided over `clients` agents by `partition: EvenFeatures` or `Features([…])`; the
/// model is a mixture with `covariance: Full`, of which the entries between blocks are 0.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct VpEm {
    /// Who adds the terms of the agents.
    pub setting: Setting,
    /// The examples of an iteration after the first, which visits all; default `All`.
    #[serde(default)]
    pub batch: VpBatch,
    /// What happens when a block's covariance is singular; default `Error`.
    #[serde(default)]
    pub singular: Singular,
    /// When agents stop by themselves; default `Never`.
    #[serde(default)]
    pub stopping: Stopping,
}

/// The two algorithms of the paper.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub enum Setting {
    /// Algorithm 1: a server adds the terms. Needs `network: Star(…)`.
    Federated,
    /// Algorithm 2: the sites of `network: Graph(…)` are the agents, as many as `clients`; they average among neighbours. A
    /// message to a neighbour goes over the link between them, also where a detour would be faster. Access links, the server and
    /// the placement of clients have no meaning then.
    Decentralized {
        /// h: hubs hold agents within so many hops of their root; 0 to 1000, default 1.
        #[serde(default = "one")]
        hops: u32,
        /// Which of several largest hubs is taken; default `SmallestIndex`.
        #[serde(default)]
        ties: Ties,
        /// Whether finding the hubs is charged; default `Central`.
        #[serde(default)]
        clustering: Clustering,
        /// W; default `Metropolis`.
        #[serde(default)]
        weights: Weights,
        /// How agents average; default `Rounds(100)`, as in the paper.
        #[serde(default)]
        consensus: Consensus,
    },
}

fn one() -> u32 {
    1
}

/// The examples of an iteration (incremental EM of Neal and Hinton).
#[derive(Clone, Copy, Debug, Default, Deserialize, Eq, PartialEq, Serialize)]
pub enum VpBatch {
    /// All.
    #[default]
    All,
    /// So many, the next ones in the order of the data; 1 to the number of examples.
    InTurn(u32),
    /// So many, drawn without replacement by a seed that all share; 1 to the number of examples.
    Random(u32),
}

/// Singular covariances.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Serialize)]
pub enum Singular {
    /// The run stops with that error.
    #[default]
    Error,
    /// So much is added to every variance in every M-step; above 0, in squared units of the data.
    Ridge(f64),
}

/// When agents stop, by the increase of their own log-likelihood per example from one iteration to the next.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub enum Stopping {
    /// Only `stop` ends the run.
    #[default]
    Never,
    /// Every root for itself: below `tolerance` − `margin` it freezes its parameters and goes on passing terms. The run ends when
    /// all have.
    Alone {
        /// Above 0; no unit.
        tolerance: f64,
        /// At least 0, below the tolerance; default 0.
        #[serde(default)]
        margin: f64,
    },
    /// The first root below the tolerance floods the number of the last iteration.
    Flood {
        /// Above 0; no unit.
        tolerance: f64,
    },
}

/// Ties between hubs.
#[derive(Clone, Copy, Debug, Default, Deserialize, Eq, PartialEq, Serialize)]
pub enum Ties {
    /// The smallest root.
    #[default]
    SmallestIndex,
    /// Drawn.
    Random,
    /// The outcome of this number, from 0, in the list of all that ties allow (at most 10 000).
    Outcome(usize),
}

/// Who finds the hubs.
#[derive(Clone, Copy, Debug, Default, Deserialize, Eq, PartialEq, Serialize)]
pub enum Clustering {
    /// Known before the start: free.
    #[default]
    Central,
    /// A flooding protocol, whose messages are charged.
    Flooding,
}

/// Weights of the consensus.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
pub enum Weights {
    /// 1 / (1 + the larger degree).
    #[default]
    Metropolis,
    /// I − α L; α in (0, 2/λ_max(L)).
    Laplacian(f64),
    /// I − α L with the α that averages fastest.
    BestConstant,
    /// These; symmetric, rows sum to 1, 0 between agents that are not neighbours.
    Given(Matrix),
}

/// How agents average.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub enum Consensus {
    /// S rounds z ← W z; 0 to 100 000.
    Rounds(u32),
    /// S rounds of Chebyshev's iteration; 0 to 100 000.
    Chebyshev(u32),
    /// Rounds until the states of all agents change by less than a tolerance, and as many more as the diameter, to tell.
    Adaptive {
        /// Root mean square of the change, relative to the initial state; above 0.
        tolerance: f64,
        /// Rounds at most; 1 to 100 000.
        at_most: u32,
        /// Chebyshev's iteration instead of z ← W z; default false.
        #[serde(default)]
        chebyshev: bool,
    },
    /// S rounds that go on when messages are missing, because links lose or because they are late. Needs `stopping: Never`.
    Lossy {
        /// S; 1 to 100 000.
        rounds: u32,
        /// What an agent does about messages that it misses; default `PushSum`.
        #[serde(default)]
        missing: Missing,
        /// How long a message of a round is waited for; above 0; default none: for ever, unless it is lost.
        #[serde(default)]
        patience: Option<Span>,
    },
    /// Quantized differences with error compensation (CHOCO-gossip).
    Choco {
        /// S; 1 to 100 000.
        rounds: u32,
        /// γ, the step; in (0, 1].
        step: f64,
        /// What differences are sent with, 32 examples at a time.
        compressor: Compressor,
        /// Whether states stay from one iteration to the next; default true. Needs `batch: All`.
        #[serde(default = "yes")]
        tracking: bool,
    },
}

/// What is done about missing messages.
#[derive(Clone, Copy, Debug, Default, Deserialize, Eq, PartialEq, Serialize)]
pub enum Missing {
    /// Push-sum with running sums: what was lost is in the next message.
    #[default]
    PushSum,
    /// An agent's own state stands for the missing one: averages drift.
    Substitute,
}

fn yes() -> bool {
    true
}

impl Default for Consensus {
    fn default() -> Self {
        Consensus::Rounds(100)
    }
}

/// Parameters of the baseline k-means; its number of clusters is that of the model's components.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct KMeansBaseline {
    /// Whether features are divided over clients (`partition: EvenFeatures` or `Features([…])`); otherwise all is in one place.
    pub vertical: bool,
    /// Lloyd iterations at most; 1 to 10 000, default 300.
    #[serde(default = "three_hundred")]
    pub iterations: usize,
    /// Independent attempts, the best kept; 1 to 10 000, default 10.
    #[serde(default = "ten")]
    pub restarts: usize,
}

fn three_hundred() -> usize {
    300
}

fn ten() -> usize {
    10
}
