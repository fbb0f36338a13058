//! What an emulation found beside the simulation of the same run: the table `emulation.csv`, one row per transfer, and
//! `emulation_rounds.csv`, one per round. Times are whole nanoseconds since the start of the run. They are measured:
//! another emulation gives others, and `verify` leaves these tables out.

use crate::ExtraTable;
use crate::extra::{ExtraCells as Cells, rows};

/// Tables that are measured on a machine, and no result of the scenario.
pub const MEASURED_TABLES: [&str; 2] = [TRANSFERS, ROUNDS];

const TRANSFERS: &str = "emulation";
const ROUNDS: &str = "emulation_rounds";
const TRANSFER_COLUMNS: [&str; 10] = [
    "repeat",
    "transfer",
    "round",
    "from",
    "to",
    "bits",
    "simulated_start_ns",
    "simulated_end_ns",
    "real_start_ns",
    "real_end_ns",
];
const ROUND_COLUMNS: [&str; 4] = ["repeat", "round", "simulated_end_ns", "real_end_ns"];

/// A transfer that arrived in both.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EmulatedTransfer {
    /// Which emulation, from 1.
    pub repeat: u64,
    /// Its number in the order of simulated starts, from 1.
    pub transfer: u64,
    /// The recorded round in which it ended.
    pub round: u64,
    /// The sender.
    pub from: String,
    /// The receiver.
    pub to: String,
    /// Bits on the wire, headers included.
    pub bits: u64,
    /// Start and end in the simulation.
    pub simulated_ns: [u64; 2],
    /// Start and end over sockets.
    pub real_ns: [u64; 2],
}

/// A recorded round that ended in both.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EmulatedRound {
    /// Which emulation, from 1.
    pub repeat: u64,
    /// Its number.
    pub round: u64,
    /// When it ended in the simulation.
    pub simulated_ns: u64,
    /// When it ended over sockets.
    pub real_ns: u64,
}

impl EmulatedTransfer {
    /// Nanoseconds that it took in the simulation and over sockets.
    #[must_use]
    pub fn durations(&self) -> [u64; 2] {
        [self.simulated_ns, self.real_ns].map(|[start, end]| end.saturating_sub(start))
    }

    /// The table of some rows.
    #[must_use]
    pub fn table(rows: &[Self]) -> ExtraTable {
        let cells = |row: &Self| {
            let Self { repeat, transfer, round, from, to, bits, simulated_ns, real_ns } = row;
            let numbers = |numbers: &[u64]| numbers.iter().map(u64::to_string).collect::<Vec<_>>();
            [
                numbers(&[*repeat, *transfer, *round]),
                vec![from.clone(), to.clone()],
                numbers(&[*bits]),
                numbers(simulated_ns),
                numbers(real_ns),
            ]
            .concat()
        };
        ExtraTable::of(TRANSFERS, &TRANSFER_COLUMNS, rows, cells)
    }

    /// The rows of a record's tables; none where it has no such table, or one that cannot be read.
    #[must_use]
    pub fn of(tables: &[ExtraTable]) -> Vec<Self> {
        let row = |row: Cells<'_>| {
            Some(Self {
                repeat: row.number("repeat")?,
                transfer: row.number("transfer")?,
                round: row.number("round")?,
                from: row.text("from")?,
                to: row.text("to")?,
                bits: row.number("bits")?,
                simulated_ns: [row.number("simulated_start_ns")?, row.number("simulated_end_ns")?],
                real_ns: [row.number("real_start_ns")?, row.number("real_end_ns")?],
            })
        };
        rows(tables, TRANSFERS, row)
    }
}

impl EmulatedRound {
    /// The table of some rows.
    #[must_use]
    pub fn table(rows: &[Self]) -> ExtraTable {
        let cells = |row: &Self| [row.repeat, row.round, row.simulated_ns, row.real_ns].map(|n| n.to_string()).to_vec();
        ExtraTable::of(ROUNDS, &ROUND_COLUMNS, rows, cells)
    }

    /// The rows of a record's tables; none where it has no such table, or one that cannot be read.
    #[must_use]
    pub fn of(tables: &[ExtraTable]) -> Vec<Self> {
        let row = |row: Cells<'_>| {
            Some(Self {
                repeat: row.number("repeat")?,
                round: row.number("round")?,
                simulated_ns: row.number("simulated_end_ns")?,
                real_ns: row.number("real_end_ns")?,
            })
        };
        rows(tables, ROUNDS, row)
    }
}

/// The recorded rounds of an emulation: which one it is, and of each round its number, and the nanoseconds that it took
/// in the simulation and over sockets.
pub type RoundDurations = (u64, Vec<(u64, [u64; 2])>);

/// How long each recorded round took from the end of the recorded round before, an entry per emulation. The first
/// begins with its first transfer, behind what is exchanged before, which is no part of a round.
#[must_use]
pub fn round_durations(rounds: &[EmulatedRound], transfers: &[EmulatedTransfer]) -> Vec<RoundDurations> {
    let of_emulation = |rounds: &[EmulatedRound]| {
        let repeat = rounds[0].repeat;
        let mut before = begins(transfers, repeat);
        let mut duration = |row: &EmulatedRound| {
            let now = [row.simulated_ns, row.real_ns];
            let span = [0, 1].map(|which| now[which].saturating_sub(before[which]));
            before = now;
            (row.round, span)
        };
        (repeat, rounds.iter().map(&mut duration).collect())
    };
    rounds.chunk_by(|one, next| one.repeat == next.repeat).map(of_emulation).collect()
}

/// When the first round of an emulation begins, simulated and real.
fn begins(transfers: &[EmulatedTransfer], repeat: u64) -> [u64; 2] {
    let own = transfers.iter().filter(|row| row.repeat == repeat && row.round > 0);
    let starts = own.map(|row| [row.simulated_ns[0], row.real_ns[0]]);
    starts.reduce(|one, other| [0, 1].map(|which| one[which].min(other[which]))).unwrap_or([0, 0])
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The exchange before the first round is no part of it, nor are transfers of another emulation.
    #[test]
    fn the_first_round_begins_with_its_first_transfer() {
        let transfer = |repeat, round, simulated, real| EmulatedTransfer {
            repeat,
            transfer: 1,
            round,
            from: "server".to_owned(),
            to: "client-0".to_owned(),
            bits: 8,
            simulated_ns: [simulated, simulated + 5],
            real_ns: [real, real + 6],
        };
        let round = |repeat, round, simulated_ns, real_ns| EmulatedRound { repeat, round, simulated_ns, real_ns };
        let all = [transfer(1, 0, 0, 0), transfer(1, 1, 50, 61), transfer(1, 1, 40, 70), transfer(2, 1, 30, 30)];
        let rounds = [round(1, 1, 60, 80), round(1, 2, 90, 100), round(2, 1, 60, 70)];
        let first = vec![(1, [20, 19]), (2, [30, 20])];
        assert_eq!(round_durations(&rounds, &all), [(1, first), (2, vec![(1, [30, 40])])]);
        assert_eq!(begins(&all[..1], 1), [0, 0]);
    }

    #[test]
    fn rows_are_read_as_they_were_written() {
        let transfer = EmulatedTransfer {
            repeat: 1,
            transfer: 7,
            round: 3,
            from: "server".to_owned(),
            to: "client-2".to_owned(),
            bits: 12_320,
            simulated_ns: [5, 25],
            real_ns: [6, 28],
        };
        let round = EmulatedRound { repeat: 1, round: 3, simulated_ns: 40, real_ns: 41 };
        let tables = [EmulatedTransfer::table(std::slice::from_ref(&transfer)), EmulatedRound::table(&[round])];
        assert_eq!(transfer.durations(), [20, 22]);
        assert_eq!(EmulatedTransfer::of(&tables), [transfer]);
        assert_eq!(EmulatedRound::of(&tables), [round]);
        assert!(tables.iter().all(|table| MEASURED_TABLES.contains(&table.name.as_str())));
        assert!(EmulatedRound::of(&tables[..1]).is_empty());
    }
}
