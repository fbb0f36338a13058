//! What the links between sites carried: the table `links.csv`, one row per link, direction over it, direction of the
//! message, purpose and fate.
//!
//! A message has a row on every link of its route, so that these bits do not add up to those of the ledger.

use crate::{Direction, ExtraTable, Fate, LedgerRow, TopologyRows};

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
        let link = topology.links.get(number as usize / 2)?;
        let name = |site: u64| topology.sites.get(site as usize).map(|site| site.name.clone());
        let (from, to) = if number.is_multiple_of(2) { (link.from, link.to) } else { (link.to, link.from) };
        let (from, to) = (name(from)?, name(to)?);
        Some(Self { link: u64::from(number / 2), from, to, capacity_bps: link.capacity_bps, bits })
    }

    /// The table of some rows.
    #[must_use]
    pub fn table(rows: &[Self]) -> ExtraTable {
        let cells = |row: &Self| {
            let bits = &row.bits;
            let counts = [bits.messages, bits.payload_bits, bits.header_bits, bits.retransmitted_bits];
            let words = [
                row.link.to_string(),
                row.from.clone(),
                row.to.clone(),
                row.capacity_bps.to_string(),
                bits.direction.to_string(),
                bits.purpose.clone(),
                bits.fate.to_string(),
            ];
            words.into_iter().chain(counts.map(|count| count.to_string())).collect()
        };
        ExtraTable {
            name: NAME.to_owned(),
            columns: COLUMNS.map(str::to_owned).to_vec(),
            rows: rows.iter().map(cells).collect(),
        }
    }

    /// The rows among the tables of a record; none without such a table, or where it is not as documented.
    #[must_use]
    pub fn of(tables: &[ExtraTable]) -> Vec<Self> {
        let is_it = |table: &&ExtraTable| table.name == NAME && table.columns == COLUMNS;
        let Some(table) = tables.iter().find(is_it) else { return Vec::new() };
        table.rows.iter().map(|row| Self::read(row)).collect::<Option<_>>().unwrap_or_default()
    }

    fn read(cells: &[String]) -> Option<Self> {
        let [link, from, to, capacity, direction, purpose, fate, counts @ ..] = cells else { return None };
        let counts: Vec<u64> = counts.iter().map(|cell| cell.parse().ok()).collect::<Option<_>>()?;
        let [messages, payload_bits, header_bits, retransmitted_bits] = counts[..] else { return None };
        let bits = LedgerRow {
            link: format!("{from} → {to}"),
            direction: Direction::ALL.into_iter().find(|known| known.word() == direction)?,
            purpose: purpose.clone(),
            fate: Fate::ALL.into_iter().find(|known| known.word() == fate)?,
            messages,
            payload_bits,
            header_bits,
            retransmitted_bits,
        };
        let (link, capacity_bps) = (link.parse().ok()?, capacity.parse().ok()?);
        Some(Self { link, from: from.clone(), to: to.clone(), capacity_bps, bits })
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
        assert_eq!(LinkRow::of(&[ExtraTable::default(), LinkRow::table(&rows)]), rows);
        let mut other = LinkRow::table(&rows);
        other.rows[0][6] = "eaten".to_owned();
        assert_eq!(LinkRow::of(&[other]), []);
    }
}
