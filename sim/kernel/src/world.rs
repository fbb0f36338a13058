//! What a run runs on, and why it ended. It must not know how it is run.

use fedbits_random::Streams;
use fedbits_tally::FAILED;

use crate::clients::{Dropout, Overheads, Speed};
use crate::ledger::LedgerDetail;
use crate::message::Framing;
use crate::network::Network;
use crate::time_use::TimeUsePlan;
use crate::{NodeId, Time};

/// Why a run ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StopReason {
    /// The protocol reached the end it was given; the text names it (for example `rounds: 3333`).
    Reached(String),
    /// Nobody needs more of the run than this; the text says how far it went.
    Cut(String),
    /// Nothing was left to happen.
    Idle,
    /// Virtual time reached its limit.
    TimeLimit,
    /// The number of events reached its limit.
    EventLimit,
    /// The user stopped it.
    Interrupted,
    /// The run cannot go on; the text says why.
    Failed(String),
}

impl StopReason {
    /// Did the run fail?
    pub fn is_failure(&self) -> bool {
        matches!(self, Self::Failed(_))
    }
}

impl std::fmt::Display for StopReason {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Reached(what) => f.write_str(what),
            Self::Cut(what) => write!(f, "cut: {what}"),
            Self::Idle => f.write_str("nothing left to happen"),
            Self::TimeLimit => f.write_str("time limit"),
            Self::EventLimit => f.write_str("event limit"),
            Self::Interrupted => f.write_str("interrupted"),
            Self::Failed(why) => write!(f, "{FAILED}{why}"),
        }
    }
}

/// What a run runs on.
pub struct World {
    /// Links and flows.
    pub network: Box<dyn Network>,
    /// Speed of every node; its length is the number of nodes. The engine takes it.
    pub speeds: Vec<Speed>,
    /// Times to code and decode messages, and of steps; `None`: they take none.
    pub overheads: Option<Overheads>,
    /// Whether nodes drop out; node 0 of a star (the server) never does.
    pub dropout: Dropout,
    /// The node whose incoming traffic counts as up and outgoing as down.
    pub server: Option<NodeId>,
    /// Segments and headers.
    pub framing: Framing,
    /// Detail of the ledger.
    pub detail: LedgerDetail,
    /// Randomness.
    pub streams: Streams,
    /// Virtual time at which the run ends at the latest.
    pub time_limit: Option<Time>,
    /// Number of events after which the run ends at the latest.
    pub event_limit: Option<u64>,
    /// Whether the time of every node is kept. The engine takes it.
    pub time_use: Option<TimeUsePlan>,
}
