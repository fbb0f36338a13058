//! What must hold of any run at all. Bits are conserved: totals, rounds, accounts of hosts and links, tables of clients
//! and the trace of what happened tell the same. Nothing ends before it begins, nobody computes two things at a time,
//! and what a record says is finite. (That memories are the means that they should be, and that messages are what was
//! charged, the protocols say themselves: a run fails with that.)

use std::collections::BTreeMap;

use fedbits_kernel::StopReason;
use fedbits_protocols::run::Outcome;
use fedbits_record::{Direction, Fate, LedgerRow, RoundRow, RunRecord, RunTable, TracePart, TraceRow};

use fedbits_scenarios::schema::{Late, Round, Scenario};

/// Rounds up to this one are traced.
pub const TRACED: u64 = 64;

/// What a run that fails says of an error of the program's own, and not of the data's or the numbers'.
const BUGS: [&str; 2] = ["audit of", "a defect"];

/// Every law.
///
/// # Errors
/// The first one that is broken, behind its name.
pub fn hold(outcome: &Outcome, record: &RunRecord, scenario: &Scenario) -> Result<(), String> {
    if let StopReason::Failed(why) = &outcome.stop
        && let Some(bug) = BUGS.iter().find(|bug| why.contains(**bug))
    {
        return Err(format!("{bug}: the run failed: {why}"));
    }
    sums(outcome)?;
    rounds(outcome, &record.rounds)?;
    fates(&record.rounds, scenario)?;
    finite(outcome, record)?;
    let trace = outcome.trace.as_deref().unwrap_or_default();
    causality(trace, outcome.totals.time_ns)?;
    traced(outcome, trace)?;
    links(outcome)?;
    let clients = record.extra.iter().find(|table| table.name == fedbits_record::CLIENTS);
    clients.map_or(Ok(()), |table| client_bits(outcome, table).and_then(|()| client_time(outcome, table)))
}

fn law(name: &str, holds: bool, told: impl FnOnce() -> String) -> Result<(), String> {
    if holds { Ok(()) } else { Err(format!("{name}: {}", told())) }
}

/// The accounts add up to the totals.
fn sums(outcome: &Outcome) -> Result<(), String> {
    let (totals, rows) = (&outcome.totals, &outcome.ledger);
    let of = |direction: Direction| -> u64 {
        let entries = rows.iter().filter(|row| row.direction == direction);
        entries.map(|row| row.payload_bits + row.retransmitted_bits).sum()
    };
    let header: u64 = rows.iter().map(|row| row.header_bits).sum();
    let wasted = |row: &LedgerRow| {
        let served = matches!(row.fate, Fate::Delivered | Fate::InFlight);
        row.retransmitted_bits + if served { 0 } else { row.payload_bits + row.header_bits }
    };
    let accounts = [of(Direction::Up), of(Direction::Down), of(Direction::Peer), header, rows.iter().map(wasted).sum()];
    let told = [totals.bits_up, totals.bits_down, totals.bits_peer, totals.bits_header, totals.bits_wasted];
    law("ledger", accounts == told, || format!("accounts add up to {accounts:?}, totals are {told:?}"))
}

fn cumulative(row: &RoundRow) -> [u64; 7] {
    let bits = [row.bits_up, row.bits_down, row.bits_peer, row.bits_header];
    [row.round, row.time_ns, row.expectations, bits[0], bits[1], bits[2], bits[3]]
}

/// Everybody who was selected has one fate: by the end of the round, or, where late contributions count, in it or later.
fn fates(rows: &[RoundRow], scenario: &Scenario) -> Result<(), String> {
    let later = matches!(scenario.round, Round::Asynchronous | Round::Buffered(_)) || scenario.late == Late::Apply;
    let mut open = 0;
    for row in rows {
        open = row.selected as i64 + if later { open } else { 0 } - (row.arrived + row.late + row.lost) as i64;
        law("fates", if later { open >= 0 } else { open == 0 }, || format!("round {}: {open} have none", row.round))?;
    }
    Ok(())
}

/// Rounds follow each other, what adds up grows, and the last row tells the totals.
fn rounds(outcome: &Outcome, rows: &[RoundRow]) -> Result<(), String> {
    for pair in rows.windows(2) {
        let (before, after) = (cumulative(&pair[0]), cumulative(&pair[1]));
        let grows = before.iter().zip(&after).all(|(one, other)| one <= other) && before[0] < after[0];
        law("rounds", grows, || format!("{before:?} is followed by {after:?}"))?;
    }
    let Some(last) = rows.last().filter(|_| !outcome.stop.is_failure()) else { return Ok(()) };
    let totals = &outcome.totals;
    let bits = [totals.bits_up, totals.bits_down, totals.bits_peer, totals.bits_header];
    let told = [totals.rounds, totals.expectations];
    law("last row", [last.round, last.expectations] == told, || format!("{:?} and {told:?}", cumulative(last)))?;
    // What was in flight at the end is in the totals alone.
    let within = cumulative(last)[3..].iter().zip(&bits).all(|(row, total)| row <= total);
    law("last row", within && last.time_ns <= totals.time_ns, || format!("{:?} exceeds {totals:?}", cumulative(last)))
}

fn finite(outcome: &Outcome, record: &RunRecord) -> Result<(), String> {
    let floats = |row: &RoundRow| {
        let values = [Some(row.epochs), row.objective, row.mean_field_sq, row.field_sq];
        values.into_iter().chain(row.extra.iter().copied()).flatten().collect::<Vec<f64>>()
    };
    let mut all: Vec<f64> = record.rounds.iter().flat_map(floats).chain(outcome.measures.values().copied()).collect();
    let series = record.theta.iter().chain(&record.statistics);
    all.extend(series.flat_map(|series| series.rows.iter().flat_map(|row| row.values.iter().copied())));
    if !outcome.stop.is_failure() {
        all.extend(&outcome.theta);
    }
    law("finite", all.iter().all(|x| x.is_finite()), || "a number of the record is not finite".to_owned())
}

/// Everything ends after it began and before the run did, and no node computes two things at a time.
fn causality(trace: &[TraceRow], end: u64) -> Result<(), String> {
    let mut busy: BTreeMap<&str, Vec<[u64; 2]>> = BTreeMap::new();
    for row in trace {
        let [from, to] = row.times_ns;
        law("causality", from <= to && to <= end, || format!("{row:?}, the run ends at {end}"))?;
        let known = row.rounds[0] <= row.rounds[1];
        law("causality", known, || format!("ends in a round before: {row:?}"))?;
        if row.part == TracePart::Compute {
            busy.entry(&row.node).or_default().push([from, to]);
        }
    }
    for (node, spans) in &mut busy {
        spans.sort_unstable();
        let apart = spans.windows(2).all(|pair| pair[0][1] <= pair[1][0]);
        law("causality", apart, || format!("{node} computes two things at a time"))?;
    }
    Ok(())
}

/// Messages of the trace by end, direction and fate are those of the ledger, which has acknowledgements that ride on
/// them on their own.
fn traced(outcome: &Outcome, trace: &[TraceRow]) -> Result<(), String> {
    let whole = outcome.trace.is_some() && outcome.ledger.iter().all(|row| row.link != "all");
    if !whole || outcome.totals.rounds > TRACED {
        return Ok(());
    }
    let mut bits: BTreeMap<(&str, Direction, Fate), [i64; 3]> = BTreeMap::new();
    let mut add = |of, counts: [u64; 3], sign: i64| {
        let sums = bits.entry(of).or_default();
        sums.iter_mut().zip(counts).for_each(|(sum, count)| *sum += sign * count as i64);
    };
    for row in &outcome.ledger {
        let counts = [row.messages, row.payload_bits, row.retransmitted_bits];
        add((&row.link, row.direction, row.fate), counts, 1);
    }
    for row in trace {
        let (Some(direction), Some(fate)) = (direction(row.part), row.fate) else { continue };
        add((&row.node, direction, fate), [1, row.payload_bits, row.retransmitted_bits], -1);
    }
    let differs = bits.iter().find(|(_, sums)| **sums != [0; 3]);
    differs.map_or(Ok(()), |(of, sums)| Err(format!("trace: {of:?} differs from the ledger by {sums:?}")))
}

fn direction(part: TracePart) -> Option<Direction> {
    match part {
        TracePart::Download => Some(Direction::Down),
        TracePart::Upload => Some(Direction::Up),
        TracePart::Message => Some(Direction::Peer),
        _ => None,
    }
}

/// No link between sites carries more of an account than was sent.
fn links(outcome: &Outcome) -> Result<(), String> {
    let mut sent: BTreeMap<(&str, Direction, Fate), u64> = BTreeMap::new();
    for row in &outcome.ledger {
        *sent.entry((&row.purpose, row.direction, row.fate)).or_default() += row.payload_bits;
    }
    for (link, row) in &outcome.links {
        let most = sent.get(&(row.purpose.as_str(), row.direction, row.fate)).copied().unwrap_or(0);
        // A link has a number for each of its directions.
        law("links", row.payload_bits <= most, || format!("link {} carries {row:?} of {most}", link.0))?;
    }
    Ok(())
}

/// The bits of each client in `clients.csv` are those of its accounts.
fn client_bits(outcome: &Outcome, table: &RunTable) -> Result<(), String> {
    for (column, direction) in
        [("bits_up", Direction::Up), ("bits_down", Direction::Down), ("bits_peer", Direction::Peer)]
    {
        let Some(told) = table.numbers(column) else { continue };
        for (client, told) in told.iter().enumerate() {
            let names = [format!("client-{client}"), format!("node-{client}")];
            let accounts = outcome.ledger.iter().filter(|row| names.contains(&row.link) && row.direction == direction);
            let sum: u64 = accounts.map(|row| row.payload_bits + row.header_bits + row.retransmitted_bits).sum();
            law("clients", sum as f64 == *told, || format!("{column} of client {client}: {told}, its accounts {sum}"))?;
        }
    }
    Ok(())
}

/// What a client spent its time on is the time of the run.
fn client_time(outcome: &Outcome, table: &RunTable) -> Result<(), String> {
    let names = ["computing_s", "sending_s", "receiving_s", "overlap_s", "waiting_s", "away_s"];
    let columns: Option<Vec<Vec<f64>>> = names.iter().map(|name| table.numbers(name)).collect();
    let Some(columns) = columns else { return Ok(()) };
    let time = outcome.totals.time_ns as f64 / 1e9;
    for client in 0..columns[0].len() {
        let signed =
            columns.iter().enumerate().map(|(at, column)| if at == 3 { -column[client] } else { column[client] });
        let sum: f64 = signed.sum();
        law("client time", (sum - time).abs() <= 1e-9 * (1.0 + time) * 8.0, || {
            format!("client {client}: {sum} s of {time} s")
        })?;
    }
    Ok(())
}
