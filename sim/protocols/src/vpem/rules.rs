//! The rules of an iteration of VP-EM: which examples it visits, and whether another one follows.

use fedbits_random::{DrawPurpose, Streams};
use fedbits_spec::range::{Interval, POSITIVE, Whole, whole};
use fedbits_spec::{Described, Facts, Findings, Path};
use serde::{Deserialize, Serialize};

const SIZE: Whole =
    whole(1, 1_000_000_000).at_most(|facts| facts.examples.map(|examples| examples as usize), "the number of examples");

/// Examples of an iteration (incremental EM of Neal and Hinton).
#[derive(Clone, Copy, Debug, Default, Described, Deserialize, Eq, PartialEq, Serialize)]
pub enum VpBatch {
    /// All.
    #[default]
    All,
    /// This many, in the order of the data.
    InTurn(#[range(SIZE)] u32),
    /// This many, without replacement, from a shared seed.
    Random(#[range(SIZE)] u32),
}

impl VpBatch {
    /// The examples of iteration 1, 2, …; `None` for all.
    pub(super) fn draw(self, iteration: u64, examples: usize, streams: &Streams) -> Option<Vec<u32>> {
        let total = examples as u64;
        match self {
            _ if iteration <= 1 => None,
            Self::All => None,
            Self::InTurn(size) => {
                let first = (iteration - 2) * u64::from(size);
                Some((first..first + u64::from(size)).map(|at| (at % total) as u32).collect())
            }
            Self::Random(size) => {
                let mut chosen = Vec::new();
                streams.at(DrawPurpose::Minibatch, 0, iteration).subset(examples as u32, size, &mut chosen);
                Some(chosen)
            }
        }
    }

    /// How many examples iteration `iteration` visits of this many.
    pub fn size(self, iteration: u64, examples: usize) -> u64 {
        match self {
            Self::InTurn(size) | Self::Random(size) if iteration > 1 => u64::from(size),
            _ => examples as u64,
        }
    }
}

/// Simulated missing blocks of features.
#[derive(Clone, Copy, Debug, Default, Described, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub enum MissingBlocks {
    /// None.
    #[default]
    Complete,
    /// Each block of an example is missing with equal probability; examples without blocks are redrawn. `initial` sees
    /// observed means in place of missing values.
    Drawn {
        /// Probability.
        #[range(SHARE)]
        share: f64,
        /// Treatment of incomplete examples.
        #[serde(default)]
        treatment: GapTreatment,
    },
}

/// (0, 0.95].
const SHARE: Interval = Interval::above(0.0, 0.95, "in (0, 0.95], no unit");

/// Treatment of incomplete examples. The objective covers all observed values.
#[derive(Clone, Copy, Debug, Default, Described, Deserialize, Eq, PartialEq, Serialize)]
pub enum GapTreatment {
    /// Exact EM over observed blocks. Agents send the terms of examples with their block, and once one bit per example.
    #[default]
    Marginalize,
    /// Missing values become the mean of the observed ones.
    Impute,
    /// Drops incomplete examples; agents send one bit per example once.
    Drop,
}

impl MissingBlocks {
    /// Which examples have each block, M flags per block; none where all have all.
    pub fn draw(self, blocks: usize, examples: usize, streams: &Streams) -> Option<Vec<Vec<bool>>> {
        let Self::Drawn { share, .. } = self else { return None };
        let mut observed = vec![vec![false; examples]; blocks];
        for m in 0..examples {
            let mut stream = streams.at(DrawPurpose::Gaps, m as u64, 0);
            while observed.iter().all(|has| !has[m]) {
                observed.iter_mut().for_each(|has| has[m] = stream.uniform() >= share);
            }
        }
        Some(observed)
    }

    /// Bits that every agent sends once, and is sent, for so many examples.
    pub(super) fn mask_bits(self, examples: u64) -> [u64; 2] {
        match self {
            Self::Drawn { treatment: GapTreatment::Marginalize, .. } => [examples, 0],
            Self::Drawn { treatment: GapTreatment::Drop, .. } => [examples; 2],
            Self::Complete | Self::Drawn { treatment: GapTreatment::Impute, .. } => [0; 2],
        }
    }
}

/// Stopping rule on the increase of an agent's log-likelihood per example and iteration.
#[derive(Clone, Copy, Debug, Default, Described, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
#[described(rules = below_tolerance)]
pub enum Stopping {
    /// Only `stop` ends a run.
    #[default]
    Never,
    /// Below `tolerance` − `margin` a root freezes its parameters and only passes terms on; the run ends when all do. A
    /// margin of twice the largest difference between roots keeps all below `tolerance`.
    Alone {
        /// Per example.
        #[range(POSITIVE)]
        tolerance: f64,
        /// At least 0, below the tolerance.
        #[serde(default)]
        #[described(by_rules)]
        margin: f64,
    },
    /// The first root below `tolerance` floods the index of a last iteration that all agents hear of in time.
    Flood {
        /// Per example.
        #[range(POSITIVE)]
        tolerance: f64,
    },
}

fn below_tolerance(stopping: &Stopping, at: &Path<'_>, _: &Facts, findings: &mut Findings) {
    if let Stopping::Alone { tolerance, margin } = *stopping
        && !(margin >= 0.0 && margin < tolerance)
    {
        let expected = "expected 0 or more, below the tolerance";
        findings.error(at.field("margin"), format!("the margin is {margin}"), expected);
    }
}
