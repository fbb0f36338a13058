//! Runs side by side: how they are emulated, and what each was.

use fedbits_emulate::{Discipline, Played, Report};
use fedbits_kernel::NodeId;
use fedbits_record::{Direction, LedgerRow, RunRecord};

/// The share of packets that may be handed over more than a millisecond late; of few packets, some may be.
pub(crate) const LATE_SHARE: f64 = 0.01;
const FEW: u64 = 5;

/// How scenarios are emulated.
#[derive(Clone, Debug)]
pub(crate) struct Settings {
    /// How often each.
    pub(crate) repeat: u32,
    /// Seconds that it may take.
    pub(crate) max_seconds: u64,
    /// TCP's congestion control, where it is not the scenario's.
    pub(crate) congestion: Option<String>,
    /// Does TCP keep its window while a connection is idle?
    pub(crate) keeps_window: bool,
    /// The order in which links send, where it is not the scenario's.
    pub(crate) discipline: Option<Discipline>,
    /// Room of all queues, where it is not the scenario's.
    pub(crate) room: Option<u64>,
}

/// A run on one network.
pub(crate) struct Run {
    /// Its record, in memory.
    pub(crate) record: RunRecord,
    /// Its transfers, in the order of their ends.
    pub(crate) played: Vec<Played>,
}

impl Run {
    /// Payload bits in a direction, without what was sent again: that is TCP's.
    pub(crate) fn payload(&self, direction: Direction) -> u64 {
        self.record.ledger.iter().filter(|row| row.direction == direction).map(|row| row.payload_bits).sum()
    }

    /// A number of every account, added up.
    pub(crate) fn sum(&self, of: impl Fn(&LedgerRow) -> u64) -> u64 {
        self.record.ledger.iter().map(of).sum()
    }
}

/// A run over sockets.
pub(crate) struct RealRun {
    /// The run.
    pub(crate) run: Run,
    /// What relay and clock found.
    pub(crate) report: Report,
}

impl RealRun {
    /// Was its relay so late that the times are the machine's and not the network's?
    pub(crate) fn is_late(&self) -> bool {
        self.report.relay.late > FEW && self.report.relay.late_share() > LATE_SHARE
    }
}

/// What an emulation of one arm found.
pub(crate) struct Emulated {
    /// The simulation.
    pub(crate) simulated: Run,
    /// The server's node, where there is one.
    pub(crate) server: Option<NodeId>,
    /// The emulations.
    pub(crate) real: Vec<RealRun>,
}

/// What is told of the simulation before anything is made.
pub(crate) struct Simulated {
    pub(super) run: Run,
    pub(super) nodes: u32,
    pub(super) server: Option<NodeId>,
}

impl Simulated {
    /// Seconds of the run.
    pub(crate) fn seconds(&self) -> f64 {
        self.run.record.manifest.totals.time_ns as f64 * 1e-9
    }
}
