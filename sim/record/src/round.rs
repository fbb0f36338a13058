//! A row of `rounds.csv`: what is known after a round.

use crate::table::check_finite;
use crate::{Cell, RecordError};
use serde::{Deserialize, Serialize};

/// The columns of `rounds.csv` that every protocol writes; its own follow.
pub const ROUND_COLUMNS: [&str; 16] = [
    "round",
    "time_s",
    "epochs",
    "expectations",
    "bits_up",
    "bits_down",
    "bits_peer",
    "bits_header",
    "bits_wasted",
    "selected",
    "arrived",
    "late",
    "lost",
    "objective",
    "mean_field_sq",
    "field_sq",
];

/// The columns among them that are measured: targets ask for these, or for a protocol's own. The others count what a
/// run spends.
pub const MEASURED_COLUMNS: [&str; 3] = ["objective", "mean_field_sq", "field_sq"];
/// The column of joules so far, of runs whose powers are given.
pub const ENERGY: &str = "energy_j";
/// The column of ε of differential privacy so far.
pub const EPSILON: &str = "epsilon";
/// Of runs with Byzantine clients: ‖X − the mean of the honest x_i‖² of the last step, and the share of Byzantine
/// vectors among those that Krum or multi-Krum chose.
pub const BYZANTINE_COLUMNS: [&str; 2] = ["aggregation_error_sq", "byzantine_chosen"];
/// ‖θ − θ*‖², which every protocol has.
pub const PARAMETER_ERROR: &str = "parameter_error_sq";
/// ‖∇f‖², or the square of the gradient map, of models whose E-step is a gradient step.
pub const GRADIENT_SQ: &str = "gradient_sq";
/// The number of components with examples, of models that let components be empty.
pub const OCCUPIED: &str = "occupied_components";
/// The mean of the objectives of the ⌈n/10⌉ clients with the largest ones, of rounds of a server on examples.
pub const WORST_TENTH: &str = "objective_worst_tenth";
/// What probes compare with labels.
pub const QUALITY_COLUMNS: [&str; 4] = ["accuracy", "adjusted_rand_index", "normalized_mutual_information", "purity"];
/// What is measured on what no client has: of all, of labelled examples, and the others of subjects.
pub const HELD_OUT_COLUMNS: [&str; 5] =
    ["held_out_log_likelihood", "held_out_accuracy", "held_out_minus_2ll", "held_out_minus_2ll_error", "held_out_rmse"];
/// What only some runs spend, among the columns that follow.
const COSTS: [&str; 2] = [ENERGY, EPSILON];

/// Does the column count what a run spends, or the clients of a round? It is no target, but what getting to one costs.
#[must_use]
pub fn is_spent(column: &str) -> bool {
    let fixed = ROUND_COLUMNS.contains(&column) && !MEASURED_COLUMNS.contains(&column);
    fixed || COSTS.contains(&column)
}

/// Why the column is no target, where it is spent, or is what uploads would cost by another count.
#[must_use]
pub fn no_target(column: &str) -> Option<String> {
    (is_spent(column) || column.starts_with("bits_up_"))
        .then(|| format!("`{column}` is what a run spends, and no target"))
}

/// One recorded round. Time, epochs, expectations and bits are cumulative; the four counts of clients are of this
/// round.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct RoundRow {
    /// Number of the round; 0 is the state before the first.
    pub round: u64,
    /// Simulated time in ns; written as exact decimal seconds.
    pub time_ns: u64,
    /// Passes over all data: expectations ÷ number of examples.
    pub epochs: f64,
    /// Conditional expectations computed.
    pub expectations: u64,
    /// Payload bits from clients to the server, with all bits sent again in this direction.
    pub bits_up: u64,
    /// Payload bits from the server to clients, with all bits sent again in this direction.
    pub bits_down: u64,
    /// Payload bits between peers.
    pub bits_peer: u64,
    /// Bits of packet headers.
    pub bits_header: u64,
    /// Bits that served nothing: late, lost, aborted, retransmitted.
    pub bits_wasted: u64,
    /// Clients selected for the round.
    pub selected: u64,
    /// Contributions that arrived in time.
    pub arrived: u64,
    /// Clients that had not responded when the round closed: selected = arrived + late + lost. 0 where late
    /// contributions count: those who are still at work show in a later row.
    pub late: u64,
    /// Clients that dropped out before the round closed.
    pub lost: u64,
    /// The objective at θ = T(Ŝ).
    pub objective: Option<f64>,
    /// ‖h(Ŝ)‖², the squared norm of the mean field over all data.
    pub mean_field_sq: Option<f64>,
    /// ‖H‖², the squared norm of the stochastic field the server applied.
    pub field_sq: Option<f64>,
    /// The protocol's own columns, in the declared order.
    pub extra: Vec<Option<f64>>,
    /// The columns among them that are costs; filled in by whoever reads a record, not written.
    #[serde(skip)]
    pub costs: RoundCosts,
}

/// Columns of `rounds.csv` that only some runs have and that figures can show to the right; cumulative.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct RoundCosts {
    /// Joules: `energy_j`.
    pub energy_j: Option<f64>,
    /// ε of differential privacy: `epsilon`.
    pub epsilon: Option<f64>,
}

impl RoundCosts {
    /// Fills in what stands in the columns of these names.
    pub(crate) fn fill(rounds: &mut [RoundRow], extra_columns: &[String]) {
        let [energy, epsilon] = COSTS.map(|name| extra_columns.iter().position(|known| known == name));
        for row in rounds {
            let value = |column: Option<usize>| column.and_then(|column| row.extra.get(column).copied().flatten());
            row.costs = Self { energy_j: value(energy), epsilon: value(epsilon) };
        }
    }
}

impl RoundRow {
    /// All bits: payload up, down and between peers, and packet headers. A broken file may have numbers without a sum.
    #[must_use]
    pub fn bits_total(&self) -> u64 {
        [self.bits_up, self.bits_down, self.bits_peer, self.bits_header].into_iter().fold(0, u64::saturating_add)
    }

    /// The value of a column of [`MEASURED_COLUMNS`], or of those that followed the common ones in this order.
    #[must_use]
    pub fn value(&self, column: &str, extra_columns: &[String]) -> Option<f64> {
        match column {
            "objective" => self.objective,
            "mean_field_sq" => self.mean_field_sq,
            "field_sq" => self.field_sq,
            _ => *self.extra.get(extra_columns.iter().position(|known| known == column)?)?,
        }
    }

    /// Every number of the row can stand in a record, and there are as many extras as were declared.
    pub(crate) fn check(&self, extra_names: &[String]) -> Result<(), RecordError> {
        let (expected, given) = (extra_names.len(), self.extra.len());
        if given != expected {
            return Err(RecordError::width("rounds", self.round, expected, given));
        }
        let named = [
            ("epochs", Some(self.epochs)),
            ("objective", self.objective),
            ("mean_field_sq", self.mean_field_sq),
            ("field_sq", self.field_sq),
        ];
        let extras = extra_names.iter().map(String::as_str).zip(self.extra.iter().copied());
        check_finite("rounds", self.round, named.into_iter().chain(extras))
    }

    /// The cells of the row: those of [`ROUND_COLUMNS`], then the protocol's own.
    pub(crate) fn cells(&self) -> Vec<Cell> {
        let mut cells = vec![Cell::Whole(self.round), Cell::Nanoseconds(self.time_ns), Cell::Float(self.epochs)];
        let bits = [self.bits_up, self.bits_down, self.bits_peer, self.bits_header, self.bits_wasted];
        let clients = [self.selected, self.arrived, self.late, self.lost];
        cells.extend([self.expectations].into_iter().chain(bits).chain(clients).map(Cell::Whole));
        cells.extend([self.objective, self.mean_field_sq, self.field_sq].map(Cell::from));
        cells.extend(self.extra.iter().map(|&value| Cell::from(value)));
        cells
    }
}
