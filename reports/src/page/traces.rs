//! The traced rounds for the page's script, as JSON: what went on in each, and the network that it went over. From
//! `trace.csv` and `topology.csv`.

use super::floats::{floats, whole};
use super::network;
use crate::data::Arm;
use fedbits_record::{Fate, RunRecord, TracePart, TraceRow};
use fedbits_spec::so_many;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// The page holds at most so many parts of rounds: transfers, computations and waits, of some 30 bytes each.
const MAX_PARTS: usize = 40_000;
/// One letter per part of a round.
const PARTS: [(TracePart, char); 6] = [
    (TracePart::Download, 'd'),
    (TracePart::Compute, 'c'),
    (TracePart::Upload, 'u'),
    (TracePart::Message, 'm'),
    (TracePart::Restart, 'r'),
    (TracePart::Wait, 'w'),
];

/// A traced round: what was under way while it was open.
struct Round<'a> {
    number: u64,
    times_ns: [u64; 2],
    rows: Vec<&'a TraceRow>,
}

/// The first traced run of an arm.
struct Traced<'a> {
    arm: usize,
    record: &'a RunRecord,
    rows: Vec<TraceRow>,
}

/// The traced rounds that the page has room for, of the first traced run of each arm; null where no run was traced.
pub(crate) fn json(arms: &[Arm]) -> Value {
    let traced: Vec<Traced<'_>> = arms.iter().enumerate().filter_map(|(arm, own)| traced(arm, own)).collect();
    if traced.is_empty() {
        return Value::Null;
    }
    let mut left_out = Vec::new();
    let mut all: Vec<Vec<Round<'_>>> = traced.iter().map(|own| rounds(&own.rows)).collect();
    let label = |index: usize| arms[traced[index].arm].label.as_str();
    fit(&mut all, MAX_PARTS, |index, round| {
        left_out.push(format!("round {} of {} ({})", round.number, label(index), so_many(round.rows.len(), "part")));
    });
    let shown = traced.iter().zip(&all).filter(|(_, rounds)| !rounds.is_empty());
    let runs: Vec<Value> = shown.map(|(own, rounds)| run(own, rounds)).collect();
    json!({"runs": runs, "leftOut": left_out, "most": MAX_PARTS})
}

fn traced(arm: usize, own: &Arm) -> Option<Traced<'_>> {
    let mut all = own.records().map(|record| Traced { arm, record, rows: TraceRow::of(&record.extra) });
    all.find(|traced| !traced.rows.is_empty())
}

/// The traced rounds by number; those that took no time, or in which nobody did anything, have nothing to show.
fn rounds(rows: &[TraceRow]) -> Vec<Round<'_>> {
    let opened = rows.iter().filter(|row| row.part == TracePart::Round && row.times_ns[0] < row.times_ns[1]);
    let round = |opened: &TraceRow| {
        let number = opened.rounds[0];
        let own = rows.iter().filter(|row| row.part != TracePart::Round && row.is_in(number));
        Round { number, times_ns: opened.times_ns, rows: own.collect() }
    };
    let mut rounds: Vec<Round<'_>> = opened.map(round).filter(|round| !round.rows.is_empty()).collect();
    rounds.sort_by_key(|round| round.number);
    rounds
}

/// Keeps as many rounds as have room, the first of every arm before the second of any, and says which it leaves out.
fn fit<'a>(all: &mut [Vec<Round<'a>>], most: usize, mut left_out: impl FnMut(usize, &Round<'a>)) {
    let longest = all.iter().map(Vec::len).max().unwrap_or(0);
    let mut kept: Vec<Vec<bool>> = all.iter().map(|rounds| vec![false; rounds.len()]).collect();
    let mut room = most;
    for (place, index) in (0..longest).flat_map(|place| (0..all.len()).map(move |index| (place, index))) {
        let Some(round) = all[index].get(place) else { continue };
        match room.checked_sub(round.rows.len()) {
            Some(rest) => (room, kept[index][place]) = (rest, true),
            None => left_out(index, round),
        }
    }
    for (rounds, kept) in all.iter_mut().zip(kept) {
        let mut kept = kept.into_iter();
        rounds.retain(|_| kept.next() == Some(true));
    }
}

/// Indices of words, given out as they are met.
#[derive(Default)]
struct Names<'a> {
    all: Vec<&'a str>,
    known: BTreeMap<&'a str, usize>,
}

impl<'a> Names<'a> {
    fn index(&mut self, name: &'a str) -> f64 {
        let index = *self.known.entry(name).or_insert_with(|| {
            self.all.push(name);
            self.all.len() - 1
        });
        index as f64
    }
}

fn run(own: &Traced<'_>, rounds: &[Round<'_>]) -> Value {
    let (mut nodes, mut purposes) = (Names::default(), Names::default());
    let rounds: Vec<Value> = rounds.iter().map(|round| self::round(round, &mut nodes, &mut purposes)).collect();
    let agents = own.rows.iter().any(|row| row.part == TracePart::Message);
    let manifest = &own.record.manifest;
    json!({
        "arm": own.arm,
        "run": format!("seed {}, replicate {}", manifest.seed, manifest.replicate),
        "agents": agents,
        "nodes": nodes.all,
        "purposes": purposes.all,
        "rounds": rounds,
        "network": network::json(own.record, &nodes.all, agents),
    })
}

/// A round in columns. Times of parts are seconds since it opened.
fn round<'a>(round: &Round<'a>, nodes: &mut Names<'a>, purposes: &mut Names<'a>) -> Value {
    let [open, close] = round.times_ns;
    let since = |time: u64| (i128::from(time) - i128::from(open)) as f64 * 1e-9;
    let column = |value: &mut dyn FnMut(&'a TraceRow) -> f64| {
        floats(&round.rows.iter().map(|row| value(row)).collect::<Vec<f64>>())
    };
    let bits = |row: &&TraceRow| row.payload_bits + row.header_bits + row.retransmitted_bits;
    let letter = |row: &&TraceRow| PARTS.iter().find(|(part, _)| *part == row.part).map_or('w', |own| own.1);
    json!({
        "round": round.number,
        "open": open as f64 * 1e-9,
        "length": (close - open) as f64 * 1e-9,
        "parts": round.rows.iter().map(letter).collect::<String>(),
        "fates": round.rows.iter().map(|row| fate(row.fate)).collect::<String>(),
        "node": column(&mut |row| nodes.index(&row.node)),
        "peer": column(&mut |row| nodes.index(&row.peer)),
        "purpose": column(&mut |row| purposes.index(&row.purpose)),
        "start": column(&mut |row| since(row.times_ns[0])),
        "end": column(&mut |row| since(row.times_ns[1])),
        "bits": whole(&round.rows.iter().map(bits).collect::<Vec<u64>>()),
    })
}

/// One letter for what became of a part.
fn fate(fate: Option<Fate>) -> char {
    match fate {
        None | Some(Fate::Delivered) => 'd',
        Some(Fate::Late) => 'l',
        Some(Fate::Lost) => 'x',
        Some(Fate::Aborted) => 'a',
        Some(Fate::InFlight) => 'f',
    }
}

#[cfg(test)]
mod tests {
    use super::{Round, fit};
    use fedbits_record::{TracePart, TraceRow};
    use proptest::prelude::*;

    proptest! {
        /// What is kept has room and is in order, what is not is named, and the first rounds of all arms go before
        /// later ones: where one is left out, no later one of its size is kept.
        #[test]
        fn rounds_are_kept_or_named(
            sizes in prop::collection::vec(prop::collection::vec(1..40usize, 0..6), 1..4),
            most in 1..150usize,
        ) {
            let row = TraceRow::new(TracePart::Compute, [1, 1], [0, 1]);
            let round = |(number, &size): (usize, &usize)| Round {
                number: number as u64,
                times_ns: [0, 1],
                rows: vec![&row; size],
            };
            let mut all: Vec<Vec<Round<'_>>> =
                sizes.iter().map(|own| own.iter().enumerate().map(round).collect()).collect();
            let mut named = Vec::new();
            fit(&mut all, most, |index, round| named.push((index, round.number, round.rows.len())));
            prop_assert!(all.iter().flatten().map(|round| round.rows.len()).sum::<usize>() <= most);
            let kept = all.iter().map(Vec::len).sum::<usize>();
            prop_assert_eq!(kept + named.len(), sizes.iter().map(Vec::len).sum::<usize>());
            for (_, number, size) in named {
                let later = all.iter().flatten().any(|round| round.number > number && round.rows.len() >= size);
                prop_assert!(!later);
            }
        }
    }
}
