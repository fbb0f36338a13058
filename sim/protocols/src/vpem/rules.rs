//! The rules of an iteration of VP-EM: which examples it visits, and whether another one follows. They must not know parameters.

use fedbits_random::{Purpose, Streams};

/// Which examples an iteration visits; the first one visits all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BatchRule {
    /// All of them.
    All,
    /// So many, the next ones in the order of the data, round and round.
    InTurn(u32),
    /// So many, drawn without replacement by a seed that all agents share: address (Minibatch, 0, iteration).
    Random(u32),
}

impl BatchRule {
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
                streams.at(Purpose::Minibatch, 0, iteration).subset(examples as u32, size, &mut chosen);
                Some(chosen)
            }
        }
    }

    /// How many examples iteration `iteration` visits of so many.
    pub fn size(self, iteration: u64, examples: usize) -> u64 {
        match self {
            Self::InTurn(size) | Self::Random(size) if iteration > 1 => u64::from(size),
            _ => examples as u64,
        }
    }
}

/// When roots stop, by the increase of their own log-likelihood per example from one iteration to the next.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Stopping {
    /// Only the rules of the run end it.
    Never,
    /// A root whose increase is below `tolerance` − `margin` makes its last M-step and goes on passing terms; the run ends when
    /// all are frozen. Roots may disagree about when. With a margin of twice the largest difference between roots, a root that
    /// freezes knows that every other one sees an increase below the tolerance, too.
    Alone {
        /// Per example; above 0.
        tolerance: f64,
        /// At least 0, below the tolerance.
        margin: f64,
    },
    /// The first root whose increase is below the tolerance floods the number of the last iteration, late enough for everybody
    /// to hear: all stop after the same iteration.
    Flood {
        /// Per example; above 0.
        tolerance: f64,
    },
}
