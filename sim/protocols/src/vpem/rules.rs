//! The rules of an iteration of VP-EM: which examples it visits, and whether another one follows.

use fedbits_random::{DrawPurpose, Streams};
use fedbits_spec::range::{Interval, POSITIVE, Whole, whole};
use fedbits_spec::{Described, Facts, Findings, Path};
use serde::{Deserialize, Serialize};

const SIZE: Whole =
    whole(1, 1_000_000_000).at_most(|facts| facts.examples.map(|examples| examples as usize), "the number of examples");

/// The examples of an iteration (incremental EM of Neal and Hinton).
#[derive(Clone, Copy, Debug, Default, Described, Deserialize, Eq, PartialEq, Serialize)]
pub enum VpBatch {
    /// All.
    #[default]
    All,
    /// This number, the next ones in the order of the data.
    InTurn(#[range(SIZE)] u32),
    /// This number, drawn without replacement by a seed that all share.
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

/// Blocks of features that examples lack, in a study of gaps.
#[derive(Clone, Copy, Debug, Default, Described, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub enum MissingBlocks {
    /// None.
    #[default]
    Complete,
    /// Every block of every example is missing with the same probability, drawn again where an example would lack all.
    /// Nobody reads what is missing: the start (`initial`) is that of a table in which it has the mean of the observed
    /// values of its feature, whatever the treatment.
    Drawn {
        /// The probability.
        #[range(SHARE)]
        share: f64,
        /// What is done about gaps.
        #[serde(default)]
        treatment: GapTreatment,
    },
}

/// (0, 0.95].
const SHARE: Interval = Interval::above(0.0, 0.95, "in (0, 0.95], no unit");

/// What is done about examples that lack blocks. The objective is in any case that of all that was observed.
#[derive(Clone, Copy, Debug, Default, Described, Deserialize, Eq, PartialEq, Serialize)]
pub enum GapTreatment {
    /// Exact EM: sums run over the observed blocks, and the M-step of a block over the examples that have it. An agent
    /// sends the terms of its examples, and once a bit per example that says which they are.
    #[default]
    Marginalize,
    /// Missing values are replaced by the mean of the observed ones.
    Impute,
    /// Examples with gaps are dropped: agents send a bit per example once, and are told which ones are complete.
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

/// When agents stop, by the increase of their own log-likelihood per example from one iteration to the next.
#[derive(Clone, Copy, Debug, Default, Described, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
#[described(rules = below_tolerance)]
pub enum Stopping {
    /// Only `stop` ends the run.
    #[default]
    Never,
    /// Every root for itself: below `tolerance` − `margin` it freezes its parameters and goes on passing terms. The run
    /// ends when all have. With a margin of twice the largest difference between roots, a root that freezes knows that
    /// every other one sees an increase below the tolerance, too.
    Alone {
        /// Per example; no unit.
        #[range(POSITIVE)]
        tolerance: f64,
        /// At least 0, below the tolerance.
        #[serde(default)]
        #[described(by_rules)]
        margin: f64,
    },
    /// The first root below the tolerance floods the number of the last iteration, late enough for all agents to hear.
    Flood {
        /// Per example; no unit.
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
