//! The rules of an iteration of VP-EM: which examples it visits, and whether another one follows.

use fedbits_random::{DrawPurpose, Streams};
use fedbits_spec::range::{POSITIVE, Whole, whole};
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
