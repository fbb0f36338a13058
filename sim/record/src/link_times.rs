//! What the links between sites carried between chosen rounds: the table `links_over_time.csv`, one row per interval,
//! link and direction over it that carried anything.
//!
//! A message counts, on every link of its route, in the interval in which it ended: when it arrived, was lost or was
//! cut off, or the run ended. So the bits of a direction over a link add up to those of its rows in `links.csv`,
//! whatever their purpose and fate.

use crate::run_table::{RowCells, rows};
use crate::topology::Way;
use crate::{Cell, RunTable, TopologyRows};

/// Name of the table, without ending.
const NAME: &str = "links_over_time";
const COLUMNS: [&str; 10] = [
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
        RunTable::of(NAME, &COLUMNS, rows, cells)
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
        rows(tables, NAME, row)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{TopologyLink, TopologySite};

    /// Number 1 is the direction back over the first link; there is no number 2. Rows survive their table.
    #[test]
    fn rows_survive_their_table() {
        let site = |name: &str| TopologySite { name: name.to_owned(), x: 0.0, y: 0.0, server: false, clients: 0 };
        let link = TopologyLink { from: 0, to: 1, capacity_bps: 5, latency_ns: 1 };
        let topology = TopologyRows { sites: ["a", "b"].map(site).to_vec(), links: vec![link] };
        let row = LinkTimeRow::new(&topology, 1, (7, [1, 2_500_000_001]), [1, 2, 3]).unwrap();
        assert_eq!((row.link, row.from.as_str(), row.to.as_str()), (0, "b", "a"));
        assert_eq!(LinkTimeRow::new(&topology, 2, (7, [1, 2]), [1, 2, 3]), None);
        let table = LinkTimeRow::table(std::slice::from_ref(&row));
        assert_eq!(table.rows[0][2].to_string(), "2.500000001");
        assert_eq!(LinkTimeRow::of(&[RunTable::default(), table]), [row]);
    }
}
