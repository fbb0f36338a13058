//! Intervals of presence from a table: one row of the file per interval, told apart by a column. This file must not
//! know who is asked when.

use std::collections::BTreeMap;

use fedbits_kernel::availability::{Interval, TraceFile};

use super::tables::{find, open, room, unreadable};
use super::world::CENTURY;
use super::{PrepareError, misfit};
use crate::data_files::DataFolders;
use crate::schema::{Availability, Duration, Scenario};

/// The scenario with the intervals of its trace file; `None` when it has no such file.
pub(super) fn resolved(scenario: &Scenario, folders: &DataFolders) -> Result<Option<Scenario>, PrepareError> {
    let Some(wanted) = scenario.availability.get::<TraceFile>() else { return Ok(None) };
    let TraceFile { path, client, from, to, unit, absent, repeat, .. } = wanted;
    let mut file = open(&folders.find(path)?, "availability")?;
    let columns = [
        find(&file, client, "availability.client")?,
        find(&file, from, "availability.from")?,
        find(&file, to, "availability.to")?,
    ];
    let mut rows = Rows { unit: unit.seconds() * 1e9, numbers: BTreeMap::new(), intervals: Vec::new() };
    let mut count = 0;
    while let Some(row) = file.read().map_err(|error| unreadable("availability", error))? {
        let [client, from, to] = columns.map(|column| row.text(column));
        rows.add([&client, &from, &to]).map_err(|(message, expected)| {
            misfit("availability.path", format!("{}: {message}", row.location()), expected)
        })?;
        count += 1;
        room(&file, "availability", 100 * count)?;
    }
    let end = rows.intervals.iter().flatten().map(|&[_, to]| to).max().unwrap_or(0);
    let period = repeat.map(|repeat| repeat.nanoseconds().unwrap_or(0));
    if period.is_some_and(|period| period < end) {
        let message = format!(
            "{}: the last interval reaches beyond the duration after which everything repeats",
            file.path().display()
        );
        let expected = format!("expected at least Sec({})", end as f64 / 1e9);
        return Err(misfit("availability.repeat", message, expected));
    }
    let row = |intervals: Vec<[u64; 2]>| {
        let present = if *absent { gaps(&intervals, period.unwrap_or(CENTURY.as_nanos())) } else { intervals };
        let duration = |nanoseconds: u64| Duration::Ns(nanoseconds as f64);
        present.into_iter().map(|[from, to]| Interval { from: duration(from), to: duration(to) }).collect()
    };
    let rows = rows.intervals.into_iter().map(row).collect();
    let availability = Availability::of(TraceFile { rows, ..wanted.clone() });
    Ok(Some(Scenario { availability, ..scenario.clone() }))
}

/// Intervals in nanoseconds by client, clients in the order in which the file first names them.
struct Rows {
    /// Nanoseconds of 1 in the file.
    unit: f64,
    numbers: BTreeMap<String, usize>,
    intervals: Vec<Vec<[u64; 2]>>,
}

impl Rows {
    /// Adds an interval: the texts of client, beginning and end. An error says what is wrong and what was expected.
    fn add(&mut self, [client, from, to]: [&str; 3]) -> Result<(), (String, &'static str)> {
        let nanoseconds = |text: &str| match text.parse::<f64>().map(|number| (number * self.unit).round()) {
            Ok(value) if value >= 0.0 && value <= CENTURY.as_nanos() as f64 => Ok(value as u64),
            _ => Err((format!("`{text}` is no time of a run"), "expected numbers from 0 to a century")),
        };
        let (from, to) = (nanoseconds(from)?, nanoseconds(to)?);
        if from >= to {
            return Err(("the interval ends before it begins".to_owned(), "expected `from` below `to`"));
        }
        let next = self.intervals.len();
        let number = *self.numbers.entry(client.to_owned()).or_insert(next);
        if number == next {
            self.intervals.push(Vec::new());
        }
        let own = &mut self.intervals[number];
        if own.last().is_some_and(|&[_, end]| from < end) {
            let message = format!("the interval begins before the one of `{client}` in front of it has ended");
            return Err((message, "expected intervals that are sorted and do not overlap"));
        }
        own.push([from, to]);
        Ok(())
    }
}

/// What lies between sorted intervals, from 0 to `end`.
fn gaps(intervals: &[[u64; 2]], end: u64) -> Vec<[u64; 2]> {
    let begins = std::iter::once(0).chain(intervals.iter().map(|&[_, to]| to));
    let ends = intervals.iter().map(|&[from, _]| from).chain(std::iter::once(end));
    begins.zip(ends).filter(|(from, to)| from < to).map(|(from, to)| [from, to]).collect()
}
