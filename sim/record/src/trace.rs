//! What happened in chosen rounds: `trace.csv`, a row per round, transfer, computation, restart and wait.

use std::collections::BTreeMap;

use fedbits_tally::words;

use crate::run_table::{RowCells, rows};
use crate::{Cell, Fate, RunTable};

/// Name of the table, without ending.
pub const TRACE: &str = "trace";

const COLUMNS: [&str; 13] = [
    "part",
    "round",
    "ended_in",
    "node",
    "peer",
    "purpose",
    "start_s",
    "end_s",
    "payload_bits",
    "header_bits",
    "retransmitted_bits",
    "work",
    "fate",
];

/// What went on, in the order of a round.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum TracePart {
    /// A round was open.
    Round,
    /// A message from the server.
    Download,
    /// A computation.
    Compute,
    /// A message to the server.
    Upload,
    /// A message between peers.
    Message,
    /// A message was coded, to be sent.
    Code,
    /// A message that had arrived was decoded.
    Decode,
    /// A node that had dropped out was restarting.
    Restart,
    /// Nothing of these, by a node that took part in the round.
    Wait,
}

words!(TracePart, word:
    Round = "round",
    Download = "download",
    Compute = "compute",
    Upload = "upload",
    Message = "message",
    Code = "code",
    Decode = "decode",
    Restart = "restart",
    Wait = "wait",
);

impl TracePart {
    /// Is it a message on its way?
    #[must_use]
    pub fn is_transfer(self) -> bool {
        matches!(self, Self::Download | Self::Upload | Self::Message)
    }

    /// Does its node compute, code or decode?
    #[must_use]
    pub fn is_computing(self) -> bool {
        matches!(self, Self::Compute | Self::Code | Self::Decode)
    }
}

/// Something that was under way while a traced round was open.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TraceRow {
    /// What it was.
    pub part: TracePart,
    /// The rounds that were open when it began and when it ended.
    pub rounds: [u64; 2],
    /// The client, or the agent that sends; empty for a round.
    pub node: String,
    /// The other end of a message.
    pub peer: String,
    /// What a message was sent for.
    pub purpose: String,
    /// When it began and ended, in nanoseconds.
    pub times_ns: [u64; 2],
    /// Payload bits of a message, as far as they were sent; all of those that are coded or decoded.
    pub payload_bits: u64,
    /// Bits of its headers and of acknowledgements sent back.
    pub header_bits: u64,
    /// Bits that were sent again.
    pub retransmitted_bits: u64,
    /// Units of work of a computation.
    pub work: u64,
    /// What became of a message, or of a computation (delivered: done).
    pub fate: Option<Fate>,
}

/// What `fate` says of a computation that came to its end.
const DONE: &str = "done";

impl TraceRow {
    /// Nothing but what goes on when.
    #[must_use]
    pub fn new(part: TracePart, rounds: [u64; 2], times_ns: [u64; 2]) -> Self {
        let text = String::new;
        Self {
            part,
            rounds,
            times_ns,
            node: text(),
            peer: text(),
            purpose: text(),
            payload_bits: 0,
            header_bits: 0,
            retransmitted_bits: 0,
            work: 0,
            fate: None,
        }
    }

    /// Was it under way while this round was open?
    #[must_use]
    pub fn is_in(&self, round: u64) -> bool {
        self.rounds[0] <= round && round <= self.rounds[1]
    }

    /// The word of its fate in `trace.csv`; empty where there is none.
    #[must_use]
    pub fn fate_word(&self) -> &'static str {
        match (self.part, self.fate) {
            (part, Some(Fate::Delivered)) if part.is_computing() => DONE,
            (_, fate) => fate.map_or("", Fate::word),
        }
    }

    /// The table of some rows.
    #[must_use]
    pub fn table(rows: &[Self]) -> RunTable {
        let cells = |row: &Self| {
            let number = |number: u64, is_there: bool| Cell::from(is_there.then_some(number));
            let bits = |bits| number(bits, row.part.is_transfer());
            let is_coding = matches!(row.part, TracePart::Code | TracePart::Decode);
            let text = |text: &str| Cell::from(Some(text).filter(|text| !text.is_empty()));
            vec![
                row.part.word().into(),
                row.rounds[0].into(),
                row.rounds[1].into(),
                text(&row.node),
                text(&row.peer),
                text(&row.purpose),
                Cell::Nanoseconds(row.times_ns[0]),
                Cell::Nanoseconds(row.times_ns[1]),
                number(row.payload_bits, row.part.is_transfer() || is_coding),
                bits(row.header_bits),
                bits(row.retransmitted_bits),
                number(row.work, row.part == TracePart::Compute),
                text(row.fate_word()),
            ]
        };
        RunTable::of(TRACE, &COLUMNS, rows, cells)
    }

    /// The rows of a record's tables; none where it has no such table, or one that cannot be read.
    #[must_use]
    pub fn of(tables: &[RunTable]) -> Vec<Self> {
        let row = |row: RowCells<'_>| {
            let fate = row.text("fate")?;
            let bits = |column: &str| row.whole(column).unwrap_or(0);
            Some(Self {
                part: TracePart::from_word(&row.text("part")?)?,
                rounds: [row.whole("round")?, row.whole("ended_in")?],
                node: row.text("node")?,
                peer: row.text("peer")?,
                purpose: row.text("purpose")?,
                times_ns: [row.nanoseconds("start_s")?, row.nanoseconds("end_s")?],
                payload_bits: bits("payload_bits"),
                header_bits: bits("header_bits"),
                retransmitted_bits: bits("retransmitted_bits"),
                work: bits("work"),
                fate: match fate.as_str() {
                    DONE => Some(Fate::Delivered),
                    word => Fate::from_word(word),
                },
            })
        };
        rows(tables, TRACE, row)
    }

    /// These rows by their beginnings, with the waits of every node that took part in a traced round: what the round
    /// leaves between its parts.
    #[must_use]
    pub fn with_waits(mut rows: Vec<Self>) -> Vec<Self> {
        let mut waits = Vec::new();
        for (((rounds, times_ns), node), mut busy) in busy(&rows) {
            busy.sort_unstable();
            let [mut idle_since, close] = times_ns;
            for [start, end] in busy.into_iter().chain([[close, close]]) {
                if start.min(close) > idle_since {
                    let times = [idle_since, start.min(close)];
                    waits.push(Self { node: node.to_owned(), ..Self::new(TracePart::Wait, rounds, times) });
                }
                idle_since = idle_since.max(end);
            }
        }
        rows.extend(waits);
        rows.sort_by_key(|row| row.times_ns);
        rows
    }
}

/// A traced round: its number twice, and when it began and ended.
type Window = ([u64; 2], [u64; 2]);

/// When each node does something in each traced round.
fn busy(rows: &[TraceRow]) -> BTreeMap<(Window, &str), Vec<[u64; 2]>> {
    let is_round = |row: &&TraceRow| row.part == TracePart::Round;
    let rounds = rows.iter().filter(is_round).map(|row| (row.rounds[0], (row.rounds, row.times_ns)));
    let rounds: BTreeMap<u64, Window> = rounds.collect();
    let mut busy: BTreeMap<(Window, &str), Vec<[u64; 2]>> = BTreeMap::new();
    for row in rows.iter().filter(|row| !is_round(row)) {
        let peer = (row.part == TracePart::Message).then_some(row.peer.as_str());
        for (_, &round) in rounds.range(row.rounds[0]..=row.rounds[1]) {
            for node in [Some(row.node.as_str()), peer].into_iter().flatten() {
                busy.entry((round, node)).or_default().push(row.times_ns);
            }
        }
    }
    busy
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(part: TracePart, node: &str, times_ns: [u64; 2]) -> TraceRow {
        TraceRow { node: node.to_owned(), ..TraceRow::new(part, [3, 3], times_ns) }
    }

    /// A round from 10 to 100: client 0 is busy from 10 to 30 and from 40 to 60, client 1 beyond the end.
    #[test]
    fn waits_are_what_is_left_of_a_round() {
        let rows = vec![
            row(TracePart::Download, "client-0", [10, 20]),
            row(TracePart::Compute, "client-0", [15, 30]),
            row(TracePart::Upload, "client-0", [40, 60]),
            row(TracePart::Upload, "client-1", [50, 120]),
            row(TracePart::Round, "", [10, 100]),
        ];
        let rows = TraceRow::with_waits(rows);
        let waits: Vec<_> = rows.iter().filter(|row| row.part == TracePart::Wait).map(|row| row.times_ns).collect();
        assert_eq!(waits, [[10, 50], [30, 40], [60, 100]]);
        assert!(rows.is_sorted_by_key(|row| row.times_ns));
    }

    #[test]
    fn rows_are_read_as_they_were_written() {
        let upload = TraceRow {
            peer: "server".to_owned(),
            purpose: "update".to_owned(),
            payload_bits: 7,
            header_bits: 320,
            retransmitted_bits: 11,
            fate: Some(Fate::Late),
            rounds: [3, 5],
            ..row(TracePart::Upload, "client-2", [1_500_000_001, 2_000_000_000])
        };
        let compute = TraceRow { work: 9, fate: Some(Fate::Delivered), ..row(TracePart::Compute, "client-2", [0, 9]) };
        let rows = [upload, compute, row(TracePart::Round, "", [0, 10])];
        let table = TraceRow::table(&rows);
        assert_eq!(table.rows[1][12], Cell::from("done"));
        assert_eq!(TraceRow::of(&[table]), rows);
        assert!(TraceRow::of(&[]).is_empty());
    }
}
