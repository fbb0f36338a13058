//! When the server makes its step, and with what. This file must not know the engine.

use serde::{Deserialize, Serialize};

use super::Span;

/// When the server closes a round, that is makes its step.
///
/// A round in which nobody is asked and nobody is waited for lasts until somebody can be asked, where availability goes by the
/// clock, and then makes no step; else (a draw per round chose nobody) it lasts until its deadline or, without one, a second of
/// virtual time, and its step is that of no contributions.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Serialize)]
pub enum Round {
    /// When every selected client has answered or is known to be lost.
    #[default]
    WaitForAll,
    /// So long after its start; what comes later is late. Above 0.
    Deadline(Span),
    /// When the first m have answered; 1 to the size of the cohort.
    First(usize),
    /// At every contribution, whatever broadcast it answers. `participation` says how many are at work: all, or a cohort, which
    /// is filled up after each step with clients that have nothing to do.
    Asynchronous,
    /// The same at every so many contributions; 1 to the number at work.
    Buffered(usize),
}

impl Round {
    /// So many contributions make a step of an asynchronous or buffered run.
    #[must_use]
    pub fn buffer(self) -> Option<usize> {
        match self {
            Round::Asynchronous => Some(1),
            Round::Buffered(size) => Some(size),
            Round::WaitForAll | Round::Deadline(_) | Round::First(_) => None,
        }
    }
}

/// What becomes of contributions that arrive after their round has closed.
#[derive(Clone, Copy, Debug, Default, Deserialize, Eq, PartialEq, Serialize)]
pub enum Late {
    /// Neither end uses them; a new broadcast ends older work.
    #[default]
    Discard,
    /// Both ends use them: they count in the round in which they arrive, and who is at work is not asked again.
    Apply,
}

/// ω(τ), the weight of a contribution that answers the broadcast of τ steps ago.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Serialize)]
pub enum Staleness {
    /// 1.
    #[default]
    Constant,
    /// (1 + τ)^(−a); a from 0 to 10, no unit.
    Polynomial(f64),
}
