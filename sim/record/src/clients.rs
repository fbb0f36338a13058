//! What each client did, sent and spent its time on: `clients.csv`, and its spread for the manifest.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::{Cell, Direction, LedgerRow, RunTable};

/// Name of the table, without ending.
pub const CLIENTS: &str = "clients";

/// Name of the table of the same after chosen rounds, without ending.
const CLIENTS_AT: &str = "clients_at";

/// Columns of `clients.csv` that say what the state is worth to each client; the second needs labels.
pub const QUALITY_OF_CLIENTS: [&str; 2] = ["objective", "accuracy"];

/// The column of `clients.csv` that says who is Byzantine, 1 or 0, in runs where somebody is.
pub const BYZANTINE: &str = "byzantine";

/// The columns of `clients.csv` that every run has; further ones of the protocol follow.
pub const CLIENT_COLUMNS: [&str; 16] = [
    "client",
    "examples",
    "selected",
    "contributions",
    "late",
    "lost",
    "bits_up",
    "bits_down",
    "bits_peer",
    "computing_s",
    "sending_s",
    "receiving_s",
    "overlap_s",
    "waiting_s",
    "away_s",
    "energy_j",
];

/// One client at the end of a run.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ClientRow {
    /// Number of its examples; none where clients hold no examples of their own.
    pub examples: Option<u64>,
    /// How it took part; none where nobody is selected.
    pub part: Option<ClientPart>,
    /// Bits on its links, payload, headers and repetitions.
    pub bits: ClientBits,
    /// Nanoseconds computing, sending and receiving; what these count twice; waiting, away. All but the fourth, less
    /// that, are the time of the run.
    pub nanoseconds: [u64; 6],
    /// Joules, where powers are given.
    pub energy_j: Option<f64>,
}

/// How a client took part in the rounds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ClientPart {
    /// Rounds for which it was selected.
    pub selected: u64,
    /// Contributions that a step took in.
    pub contributions: u64,
    /// Rounds that closed while it was still at work.
    pub late: u64,
    /// Rounds in which it dropped out, or a message of its was lost.
    pub lost: u64,
}

/// Bits on the links of a client.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ClientBits {
    /// To the server.
    pub up: u64,
    /// From the server.
    pub down: u64,
    /// To peers.
    pub peer: u64,
}

impl ClientBits {
    /// Adds all bits of an account.
    pub fn add(&mut self, row: &LedgerRow) {
        let bits = row.payload_bits + row.header_bits + row.retransmitted_bits;
        match row.direction {
            Direction::Up => self.up += bits,
            Direction::Down => self.down += bits,
            Direction::Peer => self.peer += bits,
        }
    }
}

/// A further column of `clients.csv`.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ClientColumn {
    /// Its name.
    pub name: String,
    /// A value for each client; none where nothing was measured.
    pub values: Vec<Option<f64>>,
}

/// The table `clients`.
#[must_use]
pub fn client_table(rows: &[ClientRow], further: &[ClientColumn]) -> RunTable {
    let names = CLIENT_COLUMNS.iter().map(|&name| name.to_owned());
    let columns = names.chain(further.iter().map(|column| column.name.clone())).collect();
    let rows = (0..).zip(rows).map(|(client, row)| {
        let further = further.iter().map(|column| column.values.get(client as usize).copied().flatten().into());
        row.cells(client).into_iter().chain(further).collect()
    });
    RunTable { name: CLIENTS.to_owned(), columns, rows: rows.collect() }
}

/// The table `clients_at`: the same after a round, which its first column says.
#[must_use]
pub fn clients_at(round: u64, rows: &[ClientRow], further: &[ClientColumn]) -> RunTable {
    let RunTable { columns, rows, .. } = client_table(rows, further);
    let columns = ["round".to_owned()].into_iter().chain(columns).collect();
    let rows = rows.into_iter().map(|row| [Cell::Whole(round)].into_iter().chain(row).collect()).collect();
    RunTable { name: CLIENTS_AT.to_owned(), columns, rows }
}

impl ClientRow {
    fn cells(&self, client: u64) -> Vec<Cell> {
        let part = |of: fn(&ClientPart) -> u64| Cell::from(self.part.as_ref().map(of));
        let mut cells = vec![
            client.into(),
            self.examples.into(),
            part(|part| part.selected),
            part(|part| part.contributions),
            part(|part| part.late),
            part(|part| part.lost),
        ];
        cells.extend([self.bits.up, self.bits.down, self.bits.peer].map(Cell::from));
        cells.extend(self.nanoseconds.map(Cell::Nanoseconds));
        cells.push(self.energy_j.into());
        cells
    }

    /// Nanoseconds computing, sending or receiving.
    #[must_use]
    pub fn busy(&self) -> u64 {
        let [computing, sending, receiving, overlap, ..] = self.nanoseconds;
        computing + sending + receiving - overlap
    }
}

/// How a quantity differs among the clients.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Spread {
    /// The least.
    pub min: f64,
    /// The mean.
    pub mean: f64,
    /// The largest.
    pub max: f64,
    /// The mean over the tenth of the clients (at least one) that fares worst: fewest contributions, most seconds, bits
    /// and joules.
    pub worst_decile: f64,
    /// Jain's index (Σx)² / (n Σx²): 1 when all have the same, 1/n when one has all; none when nobody has anything, and
    /// of values below 0, as an objective can have them.
    pub jain: Option<f64>,
}

impl Spread {
    /// Of some values, of which there is at least one; `less_is_worse`: the worst are the smallest.
    #[must_use]
    pub fn of(values: impl IntoIterator<Item = f64>, less_is_worse: bool) -> Option<Self> {
        let mut values: Vec<f64> = values.into_iter().collect();
        values.sort_by(f64::total_cmp);
        let (&min, &max) = values.first().zip(values.last())?;
        let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
        let tenth = values.len().div_ceil(10);
        let worst = if less_is_worse { &values[..tenth] } else { &values[values.len() - tenth..] };
        let (sum, squares) = (values.iter().sum::<f64>(), values.iter().map(|x| x * x).sum::<f64>());
        let jain = (squares > 0.0 && min >= 0.0).then(|| sum * sum / (values.len() as f64 * squares));
        Some(Self { min, mean: mean(&values), max, worst_decile: mean(worst), jain })
    }
}

/// Spreads over the clients, for the manifest.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct PerClient {
    /// Contributions that a step took in; none where nobody is selected.
    #[serde(default)]
    pub contributions: Option<Spread>,
    /// Seconds computing, sending or receiving.
    pub busy_s: Spread,
    /// Seconds present and idle.
    pub waiting_s: Spread,
    /// Bits up, down and to peers.
    pub bits: Spread,
    /// Joules, where powers are given.
    #[serde(default)]
    pub energy_j: Option<Spread>,
    /// Further columns that all clients have a finite value in, by name: the objective on a client's examples, the
    /// accuracy.
    #[serde(default)]
    pub further: BTreeMap<String, Spread>,
}

impl PerClient {
    /// Of the clients of a run; none where there are none.
    #[must_use]
    pub fn of(rows: &[ClientRow], further: &[ClientColumn]) -> Option<Self> {
        let spread = |column: &ClientColumn| {
            // A run that failed may have left an objective that is no number.
            let values = column.values.iter().map(|value| value.filter(|value| value.is_finite()));
            let values = values.collect::<Option<Vec<f64>>>()?;
            Some((column.name.clone(), Spread::of(values, column.name == "accuracy")?))
        };
        let of = |value: fn(&ClientRow) -> f64| Spread::of(rows.iter().map(value), false);
        let contributions = rows.iter().map(|row| row.part.map(|part| part.contributions as f64));
        let contributions = contributions.collect::<Option<Vec<f64>>>();
        let energy = rows.iter().map(|row| row.energy_j).collect::<Option<Vec<f64>>>();
        Some(Self {
            contributions: contributions.and_then(|values| Spread::of(values, true)),
            busy_s: of(|row| row.busy() as f64 / 1e9)?,
            waiting_s: of(|row| row.nanoseconds[4] as f64 / 1e9)?,
            bits: of(|row| (row.bits.up + row.bits.down + row.bits.peer) as f64)?,
            energy_j: energy.and_then(|values| Spread::of(values, false)),
            further: further.iter().filter_map(spread).collect(),
        })
    }

    /// All numbers, for a check that they are finite.
    pub(crate) fn numbers(&self) -> impl Iterator<Item = f64> {
        let spreads = [self.contributions, Some(self.busy_s), Some(self.waiting_s), Some(self.bits), self.energy_j];
        let further = self.further.values().copied();
        spreads
            .into_iter()
            .flatten()
            .chain(further)
            .flat_map(|spread| [spread.min, spread.mean, spread.max, spread.worst_decile])
    }
}

/// Joules of a run, where powers are given.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct EnergyTotals {
    /// All clients.
    pub clients_j: f64,
    /// The server, where its power is given.
    #[serde(default)]
    pub server_j: Option<f64>,
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By hand: 1, 2, 3 have the mean 2 and Jain's index 36 / (3 · 14).
    #[test]
    fn spreads() {
        let spread = Spread::of([3.0, 1.0, 2.0], true).unwrap();
        assert_eq!((spread.min, spread.mean, spread.max, spread.worst_decile), (1.0, 2.0, 3.0, 1.0));
        assert!((spread.jain.unwrap() - 36.0 / 42.0).abs() < 1e-15);
        assert_eq!(Spread::of([0.0, 0.0], true).unwrap().jain, None);
        assert_eq!(Spread::of([-1.0, 1.0], false).unwrap().jain, None, "it would be 0, below 1/n");
        assert_eq!(Spread::of([], true), None);
        let one_has_all = Spread::of((0..10).map(|i| f64::from(u8::from(i == 3))), false).unwrap();
        assert_eq!((one_has_all.jain, one_has_all.worst_decile), (Some(0.1), 1.0));
        let many = Spread::of((0..25).map(f64::from), true).unwrap();
        assert_eq!(many.worst_decile, 1.0, "the mean of the three smallest");
    }
}
