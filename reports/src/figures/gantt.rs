//! What nodes did in rounds that follow each other, from `trace.csv`. It knows no drawing.

use std::collections::BTreeMap;

use fedbits_record::{Fate, RecordError, Table, TracePart, TraceRow};

/// Rounds in a row that are shown together; of more the longest is shown alone.
const MOST_ROUNDS: usize = 12;

/// Rounds of a run that follow each other, and what its nodes did in them. Times are nanoseconds of the run.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Gantt {
    pub arm: String,
    /// Numbers, and from when to when.
    pub rounds: Vec<(u64, [u64; 2])>,
    /// Where the figure ends: late parts are shown up to a quarter of the rounds' time.
    pub end: u64,
    /// What the figure leaves out of the rounds in a row.
    pub left_out: usize,
    /// By node: number and name, and what it does by the beginnings.
    pub nodes: BTreeMap<(u64, String), Vec<Bar>>,
    /// Every row that is shown.
    rows: Vec<TraceRow>,
}

/// What a node does for a while.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Bar {
    pub times: [u64; 2],
    pub doing: Doing,
    pub fate: Ending,
}

/// What a node does; drawn in this order from below.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Doing {
    Receive,
    Compute,
    Send,
    Restart,
    Wait,
}

impl Doing {
    pub(crate) const ALL: [Self; 5] = [Self::Receive, Self::Compute, Self::Send, Self::Restart, Self::Wait];
}

/// What came of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Ending {
    Used,
    /// It came to its end, and nobody used it; or the run ended first.
    Unused,
    /// Lost or cut off.
    Lost,
}

/// Which nodes have rows of their own.
pub(crate) struct Chosen<'a> {
    pub own: Vec<&'a (u64, String)>,
    /// The rest, of which numbers are drawn.
    pub others: Vec<&'a (u64, String)>,
}

/// A figure for each traced rounds that follow each other.
pub(crate) fn of_rows(arm: &str, rows: Vec<TraceRow>) -> Vec<Gantt> {
    let rounds = rows.iter().filter(|row| row.part == TracePart::Round).map(|row| (row.rounds[0], row.times_ns));
    let mut rounds: Vec<(u64, [u64; 2])> = rounds.collect();
    rounds.sort_unstable();
    let in_a_row = rounds.chunk_by(|one, next| one.0 + 1 == next.0);
    let gantts = in_a_row.map(|rounds| Gantt::new(arm, rounds, &rows));
    // Of rounds that take no time, or in which nobody does anything, there is nothing to draw.
    gantts.filter(|gantt| gantt.times()[0] < gantt.times()[1] && !gantt.nodes.is_empty()).collect()
}

impl Gantt {
    fn new(arm: &str, rounds: &[(u64, [u64; 2])], rows: &[TraceRow]) -> Self {
        let length = |(_, [open, close]): &&(u64, [u64; 2])| close - open;
        let drawn: Vec<_> = match rounds.len() {
            many if many > MOST_ROUNDS => rounds.iter().rev().max_by_key(length).into_iter().copied().collect(),
            _ => rounds.to_vec(),
        };
        let [first, last] = [drawn[0].0, drawn[drawn.len() - 1].0];
        let shown = |row: &&TraceRow| row.rounds[0] <= last && row.rounds[1] >= first;
        let rows: Vec<TraceRow> = rows.iter().filter(shown).cloned().collect();
        let mut nodes: BTreeMap<(u64, String), Vec<Bar>> = BTreeMap::new();
        for (node, bar) in rows.iter().flat_map(bars) {
            let number = node.rsplit('-').next().and_then(|number| number.parse().ok()).unwrap_or(u64::MAX);
            nodes.entry((number, node)).or_default().push(bar);
        }
        nodes.values_mut().for_each(|bars| *bars = merged(bars));
        let [open, close] = [drawn[0].1[0], drawn[drawn.len() - 1].1[1]];
        let last = nodes.values().flatten().map(|bar: &Bar| bar.times[1]).max().unwrap_or(close);
        let end = last.clamp(close, close + (close - open) / 4);
        Self { arm: arm.to_owned(), left_out: rounds.len() - drawn.len(), rounds: drawn, end, nodes, rows }
    }

    /// When the first round opens, and the last closes.
    pub(crate) fn times(&self) -> [u64; 2] {
        [self.rounds[0].1[0], self.rounds[self.rounds.len() - 1].1[1]]
    }

    pub(crate) fn bars(&self) -> impl Iterator<Item = &Bar> {
        self.nodes.values().flatten()
    }

    /// Are these agents that have no server?
    pub(crate) fn are_agents(&self) -> bool {
        self.rows.iter().any(|row| row.part == TracePart::Message)
    }

    /// At most `most` nodes have rows: in one round those that are done last, else the first.
    pub(crate) fn chosen(&self, most: usize) -> Chosen<'_> {
        let mut nodes: Vec<_> = self.nodes.iter().collect();
        if self.rounds.len() == 1 {
            let done = |bars: &Vec<Bar>| {
                bars.iter().filter(|bar| bar.doing != Doing::Wait).map(|bar| bar.times[1]).max().unwrap_or(0)
            };
            nodes.sort_by_key(|(_, bars)| done(bars));
        }
        let mut names: Vec<_> = nodes.into_iter().map(|(name, _)| name).collect();
        if names.len() <= most {
            return Chosen { own: names, others: Vec::new() };
        }
        match self.rounds.len() {
            1 => {
                let own = names.split_off(names.len() - most);
                Chosen { own, others: names }
            }
            _ => {
                let others = names.split_off(most);
                Chosen { own: names, others }
            }
        }
    }

    /// How many transfers of a part are under way, from when on, until the last round closes.
    pub(crate) fn load(&self, part: TracePart) -> Vec<(u64, u32)> {
        let [open, close] = self.times();
        let mut changes: BTreeMap<u64, i64> = BTreeMap::from([(open, 0), (close, 0)]);
        for row in self.rows.iter().filter(|row| row.part == part && row.times_ns[0] < close) {
            let [start, end] = row.times_ns.map(|time| time.clamp(open, close));
            *changes.entry(start).or_default() += 1;
            *changes.entry(end).or_default() -= 1;
        }
        let mut now = 0;
        let level = |(at, change): (u64, i64)| {
            now += change;
            (at, u32::try_from(now).unwrap_or(0))
        };
        changes.into_iter().map(level).collect()
    }

    /// The rows shown, as in `trace.csv`.
    pub(crate) fn csv(&self, comments: &[String]) -> Result<String, RecordError> {
        let table = TraceRow::table(&self.rows);
        let header: Vec<&str> = std::iter::once("arm").chain(table.columns.iter().map(String::as_str)).collect();
        let mut csv = Table::in_memory(comments, &header)?;
        for row in &table.rows {
            csv.cell(&self.arm)?;
            row.iter().try_for_each(|cell| csv.cell(cell))?;
            csv.end_row()?;
        }
        csv.into_text()
    }

    /// "client" or "agent".
    pub(crate) fn who(&self) -> &'static str {
        if self.are_agents() { "agent" } else { "client" }
    }
}

/// Does its node do something else meanwhile?
pub(crate) fn overlaps(bar: &Bar, bars: &[Bar]) -> bool {
    let at_once = |other: &Bar| other.times[0] < bar.times[1] && bar.times[0] < other.times[1];
    bars.iter().any(|other| other != bar && at_once(other))
}

/// What a row says of the nodes at its ends.
fn bars(row: &TraceRow) -> Vec<(String, Bar)> {
    let fate = match row.fate {
        None | Some(Fate::Delivered) => Ending::Used,
        Some(Fate::Late | Fate::InFlight) => Ending::Unused,
        Some(Fate::Lost | Fate::Aborted) => Ending::Lost,
    };
    let own = |doing| (row.node.clone(), Bar { times: row.times_ns, doing, fate });
    match row.part {
        TracePart::Round => Vec::new(),
        TracePart::Download => vec![own(Doing::Receive)],
        TracePart::Compute => vec![own(Doing::Compute)],
        TracePart::Upload => vec![own(Doing::Send)],
        TracePart::Message => {
            vec![own(Doing::Send), (row.peer.clone(), Bar { times: row.times_ns, doing: Doing::Receive, fate })]
        }
        TracePart::Restart => vec![own(Doing::Restart)],
        TracePart::Wait => vec![own(Doing::Wait)],
    }
}

/// The same by their beginnings; what overlaps and is of one kind is one bar.
fn merged(bars: &[Bar]) -> Vec<Bar> {
    let mut bars = bars.to_vec();
    bars.sort_unstable_by_key(|bar| (bar.doing, bar.fate, bar.times));
    let mut merged: Vec<Bar> = Vec::new();
    for bar in bars {
        match merged.last_mut() {
            Some(last) if (last.doing, last.fate) == (bar.doing, bar.fate) && bar.times[0] < last.times[1] => {
                last.times[1] = last.times[1].max(bar.times[1]);
            }
            _ => merged.push(bar),
        }
    }
    merged.sort_unstable();
    merged
}

#[cfg(test)]
mod tests {
    use super::{Bar, Doing, Ending, Gantt, of_rows};
    use fedbits_record::{Fate, TracePart, TraceRow};
    use proptest::prelude::*;

    /// A round from 0 to 100 with these transfers and computations: client, what, beginning, duration, lost.
    fn gantt(parts: &[(u64, u8, u64, u64, bool)]) -> Gantt {
        let mut rows = vec![TraceRow::new(TracePart::Round, [7, 7], [0, 100])];
        rows.extend(parts.iter().map(|&(client, part, start, duration, lost)| {
            let part = [TracePart::Download, TracePart::Compute, TracePart::Upload][usize::from(part)];
            let fate = Some(if lost { Fate::Lost } else { Fate::Delivered });
            let row = TraceRow::new(part, [7, 7], [start, start + duration]);
            TraceRow { node: format!("client-{client}"), fate, ..row }
        }));
        of_rows("an arm", rows).remove(0)
    }

    proptest! {
        /// Bars of a kind and fate are apart and cover what their rows cover; the load is what is under way; rows and
        /// others are all nodes, each once. (Slow reference: every instant by itself.)
        #[test]
        fn nothing_is_lost(
            parts in prop::collection::vec((0..5u64, 0..3u8, 0..95u64, 1..30u64, any::<bool>()), 1..40),
            most in 1..7usize,
        ) {
            let gantt = gantt(&parts);
            let looks = [(0, Doing::Receive), (1, Doing::Compute), (2, Doing::Send)];
            for ((number, _), bars) in &gantt.nodes {
                for ((part, doing), lost) in looks.into_iter().flat_map(|look| [(look, false), (look, true)]) {
                    let fate = if lost { Ending::Lost } else { Ending::Used };
                    let of = |bar: &&Bar| (bar.doing, bar.fate) == (doing, fate);
                    for at in 0..130 {
                        let under = |own: &(u64, u8, u64, u64, bool)| {
                            (own.0, own.1, own.4) == (*number, part, lost) && own.2 <= at && at < own.2 + own.3
                        };
                        let drawn = bars.iter().filter(of).filter(|bar| bar.times[0] <= at && at < bar.times[1]);
                        prop_assert_eq!(drawn.count(), usize::from(parts.iter().any(under)));
                    }
                }
            }
            let uploads = gantt.load(TracePart::Upload);
            for at in 0..100 {
                let now = uploads.iter().rev().find(|(since, _)| *since <= at).map_or(0, |(_, count)| *count);
                let under = parts.iter().filter(|own| own.1 == 2 && own.2 <= at && at < own.2 + own.3);
                prop_assert_eq!(now as usize, under.count());
            }
            let chosen = gantt.chosen(most);
            let mut names: Vec<_> = chosen.own.iter().chain(&chosen.others).copied().collect();
            names.sort();
            prop_assert!(names.iter().copied().eq(gantt.nodes.keys()) && chosen.own.len() <= most);
        }
    }
}
