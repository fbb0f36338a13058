//! An arm, and what its runs on the simulated and the real network leave.

use fedbits_emulate::{Played, Report};
use fedbits_kernel::NodeId;
use fedbits_record::results::PlanTarget;
use fedbits_record::{Direction, LedgerRow, Totals};
use fedbits_scenarios::Checked;

/// The share of packets that may be delivered more than a millisecond late; of few packets, some may be.
pub(super) const LATE_SHARE: f64 = 0.01;
const FEW: u64 = 5;

/// An arm of a scenario.
pub(super) struct Arm {
    /// Its name in the scenario, which replicates share, and that of the replicate.
    pub(super) arm: String,
    pub(super) name: String,
    pub(super) checked: Checked,
    /// The first target of the scenario, if it has one.
    pub(super) target: Option<PlanTarget>,
}

/// A run on one network.
pub(super) struct Run {
    /// The recorded rounds: number, and nanoseconds at which each ended.
    pub(super) rounds: Vec<(u64, u64)>,
    /// Nanoseconds at the first recorded row that meets the scenario's first target.
    pub(super) reached_ns: Option<u64>,
    pub(super) ledger: Vec<LedgerRow>,
    pub(super) totals: Totals,
    /// Digest of the state at the end.
    pub(super) state: String,
    /// The transfers, in the order of their ends.
    pub(super) played: Vec<Played>,
}

impl Run {
    /// Payload bits in a direction, without retransmissions: those are TCP's.
    pub(super) fn payload(&self, direction: Direction) -> u64 {
        self.ledger.iter().filter(|row| row.direction == direction).map(|row| row.payload_bits).sum()
    }

    /// Sums one number of the rows of the ledger.
    pub(super) fn sum(&self, number: impl Fn(&LedgerRow) -> u64) -> u64 {
        self.ledger.iter().map(number).sum()
    }

    /// Seconds of the whole run.
    pub(super) fn seconds(&self) -> f64 {
        self.totals.time_ns as f64 * 1e-9
    }
}

/// A run over sockets.
pub(super) struct MeasuredRun {
    pub(super) run: Run,
    /// What relay and clock found.
    pub(super) report: Report,
}

impl MeasuredRun {
    /// Whether the relay was so late that the times are those of the machine, not of the network.
    pub(super) fn is_late(&self) -> bool {
        self.report.relay.late > FEW && self.report.relay.late_share() > LATE_SHARE
    }
}

/// A run on the simulated network, and its nodes.
pub(super) struct Simulated {
    pub(super) run: Run,
    pub(super) nodes: u32,
    /// The node of the server, where there is one.
    pub(super) server: Option<NodeId>,
}
