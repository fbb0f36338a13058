//! Traces of the rates of clients' access links, drawn for each client.

use std::collections::BTreeMap;

use fedbits_kernel::TimeDelta;
use fedbits_kernel::network::{RateTrace, TraceStart, VaryingRate};
use fedbits_models::data::Remarks;
use fedbits_random::{DrawPurpose, Streams};

use super::error::{PrepareError, misfit};
use super::tables::{MAX_BITS_PER_SECOND, find, only_of, open, room, unreadable};
use crate::data_files::DataFolders;

/// What a client's link follows in one direction.
pub(super) type Follow = Box<dyn Fn(u64, &Streams) -> VaryingRate>;

/// Reads the traces that the scenario names at `at`: each client has the next one, or one of a table, which is drawn.
pub(super) fn follow(
    at: &str,
    trace: &RateTrace,
    folders: &DataFolders,
    remarks: &Remarks,
) -> Result<Follow, PrepareError> {
    if let Some(traces) = trace.given() {
        return Ok(Box::new(move |client, _| traces[client as usize % traces.len()].clone()));
    }
    let RateTrace::Table { start, .. } = trace else { unreachable!("traces are given or in a table") };
    let (traces, is_anywhere) = (table(at, trace, folders, remarks)?, *start == TraceStart::Anywhere);
    Ok(Box::new(move |client, streams| {
        // Both directions make the same draws.
        let mut stream = streams.at(DrawPurpose::RateTrace, client, 0);
        let trace = &traces[stream.below(traces.len() as u64) as usize];
        let offset = if is_anywhere { stream.uniform() * trace.period() as f64 } else { 0.0 };
        trace.from(TimeDelta::from_nanos(offset as u64))
    }))
}

/// The traces of a file, in the order of their names.
fn table(
    at: &str,
    trace: &RateTrace,
    folders: &DataFolders,
    remarks: &Remarks,
) -> Result<Vec<VaryingRate>, PrepareError> {
    let RateTrace::Table { path, column, unit, interval, by, only, .. } = trace else { return Ok(Vec::new()) };
    let mut file = open(folders, path, at)?;
    let index = find(&file, column, format!("{at}.column"))?;
    let by = by.as_ref().map(|by| find(&file, by, format!("{at}.by[0]"))).transpose()?;
    let only = only_of(&file, only.as_ref(), at)?;
    let (length, mut traces) = (TimeDelta::of(*interval), BTreeMap::<String, Vec<(TimeDelta, u64)>>::new());
    let mut count = 0;
    while let Some(row) = file.read(remarks).map_err(|error| unreadable(at, error))? {
        if only.is_some_and(|(index, text)| row.text(index) != text) {
            continue;
        }
        let rate = row.number(index).ok().map(|number| number * unit.bits_per_second());
        let Some(rate) = rate.filter(|rate| (0.0..=MAX_BITS_PER_SECOND).contains(rate)) else {
            let cell = row.text(index);
            let found = format!("{}: column {}: `{cell}` is not a rate", row.location(), row.quoted(index));
            return Err(misfit(format!("{at}.column"), found, "expected rates from 0 to 10 Tbit/s"));
        };
        let name = by.map_or_else(String::new, |by| row.text(by).into_owned());
        traces.entry(name).or_default().push((length, rate.round() as u64));
        count += 1;
        room(&file, at, count * size_of::<(TimeDelta, u64)>())?;
    }
    if traces.is_empty() {
        let found = format!("{}: no row has the text that is asked for", file.path().display());
        return Err(misfit(at, found, "expected a column and a text that occurs in it"));
    }
    let follow = |(name, pieces): (String, Vec<(TimeDelta, u64)>)| {
        VaryingRate::new(&pieces).ok_or_else(|| {
            let name = if name.is_empty() { String::new() } else { format!(": trace `{name}`") };
            let found = format!("{}{name}: nothing ever flows", file.path().display());
            misfit(at, found, "expected at least one rate above 0 in each trace")
        })
    };
    traces.into_iter().map(follow).collect()
}
