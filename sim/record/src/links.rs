//! What the links between sites carried: the table `links.csv`, one row per link, direction over it, direction of the
//! message, purpose and fate; and `links_over_time.csv`, one row per interval between chosen rounds, link and direction
//! over it that carried anything.
//!
//! A message has a row on every link of its route, so that these bits do not add up to those of the ledger. In time it
//! counts, on every link, in the interval in which it ended: when it arrived, was lost or was cut off, or the run
//! ended. So the bits of a direction over a link add up to those of its rows in `links.csv`, whatever their purpose and
//! fate.

use crate::run_table::{RowCells, rows};
use crate::topology::Way;
use crate::{Cell, Direction, Fate, LedgerRow, RunTable, TopologyRows};

/// Name of the table, without ending.
const NAME: &str = "links";
const COLUMNS: [&str; 11] = [
    "link",
    "from",
    "to",
    "capacity_bps",
    "direction",
    "purpose",
    "fate",
    "messages",
    "payload_bits",
    "header_bits",
    "retransmitted_bits",
];

/// Bits that went one direction over one link, of one direction, purpose and fate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LinkRow {
    /// The link's number in the topology, from 0.
    pub link: u64,
    /// The site they came from.
    pub from: String,
    /// The site they went to.
    pub to: String,
    /// The link's capacity in bit/s.
    pub capacity_bps: u64,
    /// The bits.
    pub bits: LedgerRow,
}

impl LinkRow {
    /// The row of a direction over link `number / 2`: forth when `number` is even, back when it is odd; `None` when the
    /// topology has no such link.
    #[must_use]
    pub fn new(topology: &TopologyRows, number: u32, bits: LedgerRow) -> Option<Self> {
        let Way { link, from, to, capacity_bps } = topology.way(number)?;
        Some(Self { link, from, to, capacity_bps, bits })
    }

    /// The table of some rows.
    #[must_use]
    pub fn table(rows: &[Self]) -> RunTable {
        let cells = |row: &Self| {
            let bits = &row.bits;
            let counts = [bits.messages, bits.payload_bits, bits.header_bits, bits.retransmitted_bits];
            let mut cells = vec![row.link.into(), Cell::from(&row.from), Cell::from(&row.to), row.capacity_bps.into()];
            cells.extend([bits.direction.word(), &bits.purpose, bits.fate.word()].map(Cell::from));
            cells.extend(counts.map(Cell::from));
            cells
        };
        RunTable::of(NAME, &COLUMNS, rows, cells)
    }

    /// The rows of a record's tables; none where it has no such table, or one that cannot be read.
    #[must_use]
    pub fn of(tables: &[RunTable]) -> Vec<Self> {
        let row = |row: RowCells<'_>| {
            let (from, to) = (row.text("from")?, row.text("to")?);
            let bits = LedgerRow {
                link: format!("{from} → {to}"),
                direction: Direction::from_word(&row.text("direction")?)?,
                purpose: row.text("purpose")?,
                fate: Fate::from_word(&row.text("fate")?)?,
                messages: row.whole("messages")?,
                payload_bits: row.whole("payload_bits")?,
                header_bits: row.whole("header_bits")?,
                retransmitted_bits: row.whole("retransmitted_bits")?,
            };
            Some(Self { link: row.whole("link")?, from, to, capacity_bps: row.whole("capacity_bps")?, bits })
        };
        rows(tables, NAME, row)
    }
}

/// Name of the table, without ending.
const OVER_TIME: &str = "links_over_time";
const OVER_TIME_COLUMNS: [&str; 10] = [
    "round",
    "from_s",
    "to_s",
    "link",
    "from",
    "to",
    "capacity_bps",
    "payload_bits",
    "header_bits",
    "retransmitted_bits",
];

/// Bits that went one direction over one link in an interval.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LinkTimeRow {
    /// The round that was closed when the interval ended.
    pub round: u64,
    /// When it began and ended, in nanoseconds.
    pub times_ns: [u64; 2],
    /// The link's number in the topology, from 0.
    pub link: u64,
    /// The site they came from.
    pub from: String,
    /// The site they went to.
    pub to: String,
    /// The link's capacity in bit/s.
    pub capacity_bps: u64,
    /// Payload, headers, and bits that were sent again.
    pub bits: [u64; 3],
}

impl LinkTimeRow {
    /// The row of a direction over link `number / 2`: forth when `number` is even, back when it is odd; `None` when the
    /// topology has no such link.
    #[must_use]
    pub fn new(
        topology: &TopologyRows,
        number: u32,
        (round, times_ns): (u64, [u64; 2]),
        bits: [u64; 3],
    ) -> Option<Self> {
        let Way { link, from, to, capacity_bps } = topology.way(number)?;
        Some(Self { round, times_ns, link, from, to, capacity_bps, bits })
    }

    /// The table of some rows.
    #[must_use]
    pub fn table(rows: &[Self]) -> RunTable {
        let cells = |row: &Self| {
            let [from_s, to_s] = row.times_ns.map(Cell::Nanoseconds);
            let whole = [row.capacity_bps, row.bits[0], row.bits[1], row.bits[2]].map(Cell::from);
            let place = [row.round.into(), from_s, to_s, row.link.into(), Cell::from(&row.from), Cell::from(&row.to)];
            place.into_iter().chain(whole).collect()
        };
        RunTable::of(OVER_TIME, &OVER_TIME_COLUMNS, rows, cells)
    }

    /// The rows of a record's tables; none where it has no such table, or one that cannot be read.
    #[must_use]
    pub fn of(tables: &[RunTable]) -> Vec<Self> {
        let row = |row: RowCells<'_>| {
            let [payload, header, again] =
                ["payload_bits", "header_bits", "retransmitted_bits"].map(|column| row.whole(column));
            Some(Self {
                round: row.whole("round")?,
                times_ns: [row.nanoseconds("from_s")?, row.nanoseconds("to_s")?],
                link: row.whole("link")?,
                from: row.text("from")?,
                to: row.text("to")?,
                capacity_bps: row.whole("capacity_bps")?,
                bits: [payload?, header?, again?],
            })
        };
        rows(tables, OVER_TIME, row)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{TopologyLink, TopologySite};

    fn topology() -> TopologyRows {
        let site = |name: &str| TopologySite { name: name.to_owned(), x: 0.0, y: 0.0, server: false, clients: 0 };
        let link = |from, to| TopologyLink { from, to, capacity_bps: 5, latency_ns: 1 };
        TopologyRows { sites: ["a", "b", "c"].map(site).to_vec(), links: vec![link(0, 1), link(2, 1)] }
    }

    fn bits(fate: Fate) -> LedgerRow {
        LedgerRow {
            link: "b → c".to_owned(),
            direction: Direction::Up,
            purpose: "update".to_owned(),
            fate,
            messages: 1,
            payload_bits: 2,
            header_bits: 3,
            retransmitted_bits: 4,
        }
    }

    /// Number 3 is the direction back over the second link, from its second site to its first; there is no number 4.
    #[test]
    fn rows_survive_their_table() {
        let row = LinkRow::new(&topology(), 3, bits(Fate::Late)).unwrap();
        assert_eq!((row.link, row.from.as_str(), row.to.as_str(), row.capacity_bps), (1, "b", "c", 5));
        assert_eq!(LinkRow::new(&topology(), 4, bits(Fate::Late)), None);
        let rows = [row.clone(), LinkRow { bits: bits(Fate::InFlight), ..row }];
        assert_eq!(LinkRow::of(&[RunTable::default(), LinkRow::table(&rows)]), rows);
        let mut damaged = LinkRow::table(&rows);
        damaged.rows[0][6] = "eaten".into();
        assert_eq!(LinkRow::of(&[damaged]), []);
    }

    /// Number 1 is the direction back over the first link; there is no number 4.
    #[test]
    fn rows_over_time_survive_their_table() {
        let row = LinkTimeRow::new(&topology(), 1, (7, [1, 2_500_000_001]), [1, 2, 3]).unwrap();
        assert_eq!((row.link, row.from.as_str(), row.to.as_str()), (0, "b", "a"));
        assert_eq!(LinkTimeRow::new(&topology(), 4, (7, [1, 2]), [1, 2, 3]), None);
        let table = LinkTimeRow::table(std::slice::from_ref(&row));
        assert_eq!(table.rows[0][2].to_string(), "2.500000001");
        assert_eq!(LinkTimeRow::of(&[RunTable::default(), table]), [row]);
    }
}
