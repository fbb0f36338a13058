//! What nodes did in rounds that follow each other, from `trace.csv`. It knows no drawing.

use std::collections::BTreeMap;

use crate::rows::{FigureRows, cells};
use fedbits_record::{Cell, Fate, RecordError, TracePart, TraceRow};

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
    /// It came to its end, and nobody used it or what followed from it, or not yet; or the run ended first.
    Unused,
    /// Lost or cut off.
    Lost,
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
        let longest = rounds.iter().rev().max_by_key(|(_, [open, close])| close - open);
        let drawn =
            longest.filter(|_| rounds.len() > MOST_ROUNDS).map_or_else(|| rounds.to_vec(), |longest| vec![*longest]);
        let [first, last] = [drawn[0].0, drawn[drawn.len() - 1].0];
        let shown = |row: &TraceRow| row.rounds[0] <= last && row.rounds[1] >= first;
        let endings = endings(rows);
        let of_shown =
            rows.iter().zip(endings).filter(|(row, _)| shown(row)).flat_map(|(row, ending)| bars(row, ending));
        let mut nodes: BTreeMap<(u64, String), Vec<Bar>> = BTreeMap::new();
        for (node, bar) in of_shown {
            let number = node.rsplit('-').next().and_then(|number| number.parse().ok()).unwrap_or(u64::MAX);
            nodes.entry((number, node)).or_default().push(bar);
        }
        nodes.values_mut().for_each(merge);
        let rows: Vec<TraceRow> = rows.iter().filter(|row| shown(row)).cloned().collect();
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

    /// The nodes that have rows, at most so many, and the others, of which numbers are drawn: in one round those have
    /// rows that are done last, else the first.
    pub(crate) fn chosen(&self, most: usize) -> [Vec<&(u64, String)>; 2] {
        let mut nodes: Vec<_> = self.nodes.iter().collect();
        let most = most.min(nodes.len());
        if self.rounds.len() == 1 {
            let ends = |bars: &[Bar]| bars.iter().filter(|bar| bar.doing != Doing::Wait).map(|bar| bar.times[1]).max();
            nodes.sort_by_key(|(_, bars)| ends(bars));
            nodes.rotate_right(most);
        }
        let mut names: Vec<_> = nodes.into_iter().map(|(name, _)| name).collect();
        let rest = names.split_off(most);
        [names, rest]
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

    /// How many of these nodes do each of [`Doing::ALL`] in each of so many equal parts of the time until the last
    /// round closes. Who does several things at once counts as computing, else as sending.
    pub(crate) fn counts(&self, nodes: &[&(u64, String)], parts: usize) -> [Vec<u32>; 5] {
        const RANKS: [Doing; 5] = [Doing::Compute, Doing::Send, Doing::Receive, Doing::Restart, Doing::Wait];
        let [open, close] = self.times();
        let part = |at: u64| {
            let share = at.clamp(open, close).saturating_sub(open) as f64 / (close - open) as f64;
            ((share * parts as f64 + 0.5) as usize).min(parts)
        };
        let mut counts = Doing::ALL.map(|_| vec![0; parts]);
        for name in nodes {
            let bars = &self.nodes[*name];
            let mut counted = vec![false; parts];
            for bar in RANKS.iter().flat_map(|rank| bars.iter().filter(move |bar| bar.doing == *rank)) {
                for part in part(bar.times[0])..part(bar.times[1]) {
                    counts[bar.doing as usize][part] += u32::from(!std::mem::replace(&mut counted[part], true));
                }
            }
        }
        counts
    }

    /// The rows shown, as in `trace.csv`.
    pub(crate) fn table(&self) -> Result<FigureRows, RecordError> {
        let table = TraceRow::table(&self.rows);
        let header: Vec<&str> = std::iter::once("arm").chain(table.columns.iter().map(String::as_str)).collect();
        let row = |row: &Vec<Cell>| cells![self.arm].into_iter().chain(row.iter().map(ToString::to_string)).collect();
        FigureRows::new(&header, table.rows.iter().map(row))
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

/// What came of each row: of a computation what came of the uploads that follow it, and of a download what came of the
/// computation. A computation without an upload was not used, or not yet, where a round closed before its end.
fn endings(rows: &[TraceRow]) -> Vec<Ending> {
    let of_fate = |row: &TraceRow| match row.fate {
        None | Some(Fate::Delivered) => Ending::Used,
        Some(Fate::Late | Fate::InFlight) => Ending::Unused,
        Some(Fate::Lost | Fate::Aborted) => Ending::Lost,
    };
    let mut endings: Vec<Ending> = rows.iter().map(of_fate).collect();
    let of_round = |row: &TraceRow| (row.rounds[0], row.times_ns[1]);
    let closes: BTreeMap<u64, u64> = rows.iter().filter(|row| row.part == TracePart::Round).map(of_round).collect();
    let mut nodes: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (number, row) in rows.iter().enumerate() {
        nodes.entry(&row.node).or_default().push(number);
    }
    for mut numbers in nodes.into_values() {
        numbers.sort_by_key(|&number| rows[number].times_ns);
        // The best that came of the uploads after a computation, and of the computation after a download.
        let (mut sent, mut computed) = (None, None);
        for number in numbers.into_iter().rev() {
            let (row, ending) = (&rows[number], endings[number]);
            let is_late = || closes.range(row.rounds[0]..).next().is_some_and(|(_, close)| row.times_ns[1] > *close);
            let came_of_it = match row.part {
                TracePart::Upload => {
                    sent = Some(sent.map_or(ending, |best: Ending| best.min(ending)));
                    None
                }
                TracePart::Compute => sent.take().or_else(|| is_late().then_some(Ending::Unused)),
                TracePart::Download => computed,
                _ => None,
            };
            if ending == Ending::Used && came_of_it.is_some_and(|ending| ending != Ending::Used) {
                endings[number] = Ending::Unused;
            }
            if row.part == TracePart::Compute {
                computed = Some(endings[number]);
            }
        }
    }
    endings
}

/// What a row says of the nodes at its ends.
fn bars(row: &TraceRow, fate: Ending) -> Vec<(String, Bar)> {
    let of = |node: &String, doing| (node.clone(), Bar { times: row.times_ns, doing, fate });
    let doing = match row.part {
        TracePart::Round => return Vec::new(),
        TracePart::Message => return vec![of(&row.node, Doing::Send), of(&row.peer, Doing::Receive)],
        TracePart::Download => Doing::Receive,
        TracePart::Compute | TracePart::Code | TracePart::Decode => Doing::Compute,
        TracePart::Upload => Doing::Send,
        TracePart::Restart => Doing::Restart,
        TracePart::Wait => Doing::Wait,
    };
    vec![of(&row.node, doing)]
}

/// Sorts bars by their beginnings; what overlaps and is of one kind becomes one.
fn merge(bars: &mut Vec<Bar>) {
    bars.sort_unstable_by_key(|bar| (bar.doing, bar.fate, bar.times));
    bars.dedup_by(|bar, last| {
        let is_one = (last.doing, last.fate) == (bar.doing, bar.fate) && bar.times[0] < last.times[1];
        if is_one {
            last.times[1] = last.times[1].max(bar.times[1]);
        }
        is_one
    });
    bars.sort_unstable();
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
                    let of = |bar: &&Bar| (bar.doing, bar.fate == Ending::Lost) == (doing, lost);
                    for at in 0..130 {
                        let under = |&(client, what, start, duration, is_lost): &(u64, u8, u64, u64, bool)| {
                            (client, what, is_lost) == (*number, part, lost) && start <= at && at < start + duration
                        };
                        let drawn = bars.iter().filter(of).filter(|bar| bar.times[0] <= at && at < bar.times[1]);
                        prop_assert_eq!(drawn.count() > 0, parts.iter().any(under));
                    }
                }
            }
            let uploads = gantt.load(TracePart::Upload);
            for at in 0..100 {
                let now = uploads.iter().rev().find(|(since, _)| *since <= at).map_or(0, |(_, count)| *count);
                let under = parts.iter().filter(|(_, what, start, duration, _)| {
                    *what == 2 && *start <= at && at < start + duration
                });
                prop_assert_eq!(now as usize, under.count());
            }
            let chosen = gantt.chosen(most);
            let mut names: Vec<_> = chosen.concat();
            names.sort();
            prop_assert!(names.iter().copied().eq(gantt.nodes.keys()) && chosen[0].len() <= most);
        }
    }

    /// What a client computes is of use where an upload that follows is used, or, without one, where it is done before
    /// the round closes; and so is the download before it.
    #[test]
    fn work_that_serves_nothing_is_told_apart() {
        let of = |parts: &[(u64, u8, u64, u64, bool)]| -> Vec<(Doing, Ending)> {
            gantt(parts).nodes[&(1, "client-1".to_owned())].iter().map(|bar| (bar.doing, bar.fate)).collect()
        };
        let [used, unused] =
            [Ending::Used, Ending::Unused].map(|ending| vec![(Doing::Receive, ending), (Doing::Compute, ending)]);
        assert_eq!(of(&[(1, 0, 0, 10, false), (1, 1, 10, 80, false)]), used);
        assert_eq!(of(&[(1, 0, 0, 10, false), (1, 1, 10, 95, false)]), unused);
        let sent = |start: u64, is_lost: bool| {
            of(&[(1, 0, 0, 10, false), (1, 1, 10, start - 10, false), (1, 2, start, 20, is_lost)])
        };
        assert_eq!(sent(60, false), [&used[..], &[(Doing::Send, Ending::Used)]].concat());
        assert_eq!(sent(110, false), [&used[..], &[(Doing::Send, Ending::Used)]].concat());
        assert_eq!(sent(60, true), [&unused[..], &[(Doing::Send, Ending::Lost)]].concat());
    }
}
