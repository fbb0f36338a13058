//! What the links between sites carried: the table `links.csv`, one row per link, direction over it, direction of the
//! message, purpose and fate.
//!
//! A message has a row on every link of its route, so that these bits do not add up to those of the ledger.

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
}
