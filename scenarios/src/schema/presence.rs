//! When clients can be asked, and what happens to those who drop out. This file must not know the engine.

use serde::{Deserialize, Serialize};

use super::Column;
use super::Span;

/// Whether a client can be selected. It decides about that moment and about nothing else: who has been selected receives, works and
/// sends whether its window ends meanwhile or not, and is interrupted only by a dropout (`dropout`).
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub enum Availability {
    /// In every round.
    #[default]
    Always,
    /// In each round independently with this probability; in (0, 1].
    Bernoulli(f64),
    /// Periods of presence and absence in turn, of independent durations, begun long before the run.
    OnOff {
        /// Durations of presence.
        on: Durations,
        /// Durations of absence.
        off: Durations,
    },
    /// In a window of each local day (such as the night, when phones are charged). The run begins at midnight of zone 0.
    Diurnal {
        /// Local hour at which the window begins; from 0 to below 24.
        from: f64,
        /// Local hour at which it ends; from 0 to 24, not `from`; below `from`: on the next day.
        to: f64,
        /// Offsets of the time zones in hours, from −14 to 14; each client draws one of them; default `[0]`.
        #[serde(default = "one_zone")]
        zones: Vec<f64>,
        /// Probability that a client has its window on a given day; in (0, 1], default 1.
        #[serde(default = "certain")]
        probability: f64,
    },
    /// In given intervals.
    Trace {
        /// Rows of intervals; client i has row i modulo their number. In a row they are sorted and do not overlap.
        rows: Vec<Vec<Interval>>,
        /// After this span everything repeats; not before the end of the last interval; default `None`: it does not.
        #[serde(default)]
        repeat: Option<Span>,
    },
    /// The same with the intervals of a table, a row of the table for each.
    TraceFile {
        /// A CSV file with a header, plain or gzip, looked up beside the scenario, then in the data directories.
        path: String,
        /// The column that tells whose interval it is. Client i has those of the i-th different text in the order of the file, modulo
        /// their number; they are sorted and do not overlap.
        client: Column,
        /// The column of their beginnings, counted from the start of the run.
        from: Column,
        /// The column of their ends, which are not included.
        to: Column,
        /// What 1 in these columns is; above 0, default `Sec(1)`.
        #[serde(default = "one_second")]
        unit: Span,
        /// They are times of absence, and in between the client is there; default false.
        #[serde(default)]
        absent: bool,
        /// After this span everything repeats; not before the end of the last interval; default `None`: it does not.
        #[serde(default)]
        repeat: Option<Span>,
    },
}

fn one_second() -> Span {
    Span::Sec(1.0)
}

fn one_zone() -> Vec<f64> {
    vec![0.0]
}

fn certain() -> f64 {
    1.0
}

/// A law of durations.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub enum Durations {
    /// Exponential with this mean; at least 1 ms.
    Exponential(Span),
    /// One of these, each equally likely; at least one, each at least 1 ms.
    Empirical(Vec<Span>),
}

/// A span of time from the start of the run, the end not included.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Interval {
    /// Its beginning.
    pub from: Span,
    /// Its end; after `from`.
    pub to: Span,
}

/// Whether clients drop out while they are busy.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub enum Dropout {
    /// They do not.
    #[default]
    Never,
    /// At a constant hazard; the transfer under way is cut off and its bits stay charged.
    Hazard {
        /// Dropouts per second of busy time; above 0.
        per_second: f64,
        /// The span until the client can be selected again; default `Sec(0)`.
        #[serde(default = "at_once")]
        restart: Span,
        /// What is left of the client's state (its memory V_i) when it restarts; default `Kept`.
        #[serde(default)]
        state: State,
    },
}

impl Dropout {
    /// Whether clients lose their state.
    #[must_use]
    pub fn loses_state(self) -> bool {
        matches!(self, Dropout::Hazard { state: State::Lost, .. })
    }
}

fn at_once() -> Span {
    Span::Sec(0.0)
}

/// The state of a client that restarts after a dropout.
#[derive(Clone, Copy, Debug, Default, Deserialize, Eq, PartialEq, Serialize)]
pub enum State {
    /// All of it.
    #[default]
    Kept,
    /// Nothing of it: see `protocol.memory.recovery`.
    Lost,
}
