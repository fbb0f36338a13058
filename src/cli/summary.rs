//! What a run prints on standard output: a table, or JSON.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use fedbits_numerics::quantile;
use fedbits_record::{MEAN_FIELD_REACHED, Manifest, RunRecord};
use fedbits_spec::{Caveats, CountedCaveat};
use serde_json::json;

use crate::cli::client_summary;
use crate::cli::failure::Failure;
use crate::cli::format::{TableFormat, Titled};
use crate::cli::output;
use crate::cli::table::number::{given, significant};
use crate::cli::table::{Cell, Quantity, Table};
use crate::cli::units::duration;

/// The summary of runs and their figures.
pub(crate) fn print(runs: &[(PathBuf, Manifest)], figures: &[PathBuf], format: TableFormat) -> Result<(), Failure> {
    if format == TableFormat::Json {
        let run = |run: &(PathBuf, Manifest)| {
            // As it was written, with the names of its files.
            let (directory, manifest) = (&run.0, Manifest::read(&run.0)?);
            let values = table(std::slice::from_ref(run)).json()[0].take();
            Ok(json!({"directory": directory, "values": values, "manifest": manifest}))
        };
        let runs = runs.iter().map(run).collect::<Result<Vec<_>, Failure>>()?;
        return output::line(json!({"runs": runs, "figures": figures}));
    }
    if !runs.is_empty() {
        let (all, clients) = (table(runs), client_summary::table(runs));
        let mut tables = vec![Titled { title: "", name: "runs", table: &all }];
        if !clients.is_empty() {
            tables.push(Titled { title: "", name: "clients", table: &clients });
        }
        format.print(&tables)?;
    }
    if format != TableFormat::Human {
        return Ok(());
    }
    if runs.windows(2).any(|pair| pair[0].1.arm == pair[1].1.arm) {
        let failed = runs.iter().filter(|(_, manifest)| manifest.failure().is_some()).count();
        let so_far =
            if failed > 0 { format!("; {failed} failed, and count as far as they came") } else { String::new() };
        output::line(format_args!("medians over the replicates of an arm{so_far}"))?;
    }
    let mut pngs = figures.iter().filter(|path| path.extension().is_some_and(|ending| ending == "png"));
    pngs.try_for_each(|png| output::line(format_args!("figure {}", png.display())))
}

/// The caveats of the runs' manifests, with the arms that have them.
pub(crate) fn caveats(runs: &[(PathBuf, Manifest)]) -> Vec<CountedCaveat> {
    let mut caveats = Caveats::default();
    runs.iter().for_each(|(_, run)| caveats.add(&run.arm, &run.caveats));
    caveats.into_vec()
}

/// Why the run of the record in a folder ended, for people: numbers in few digits, and which accuracy was asked for and
/// not reached.
pub(crate) fn ended(manifest: &Manifest, folder: &Path) -> String {
    let words = manifest.stop_reason.split(' ').map(|word| match word.parse::<f64>() {
        Ok(value) if word.len() > 6 && value.fract() != 0.0 => significant(value, 4),
        _ => word.to_owned(),
    });
    let reason = words.collect::<Vec<_>>().join(" ");
    // A record is read again only where the rule was not what ended the run.
    let limit = manifest.stop_rules.mean_field_sq.filter(|_| !manifest.stop_reason.starts_with(MEAN_FIELD_REACHED));
    let last_field = || RunRecord::read(folder).ok()?.last("mean_field_sq");
    let missed = limit.and_then(|limit| Some((limit, last_field()?))).filter(|(limit, field)| field > limit);
    let missed = missed.map_or_else(String::new, |(limit, field)| {
        format!("; ‖h‖² is {}, and {} was asked for", significant(field, 4), given(limit))
    });
    format!("{reason} in {}{missed}", duration(manifest.host.seconds))
}

/// How more is said of the caveats, where there is more.
pub(crate) fn explained(caveats: &[CountedCaveat]) -> Option<String> {
    let ids: BTreeSet<&str> = caveats.iter().map(|own| own.caveat.kind().id).collect();
    let (verb, ids) = (if ids.len() == 1 { "says" } else { "say" }, Vec::from_iter(ids));
    (!ids.is_empty()).then(|| format!("`fedbits explain {}` {verb} more", ids.join("`, `fedbits explain ")))
}

/// What the last probe may have measured beside the objective: the column of `rounds.csv`, and its heading.
const MEASURED: [(&str, &str, Quantity); 5] = [
    ("minus_2ll", "−2LL", Quantity::Plain),
    ("perplexity_held_out", "perplexity", Quantity::Plain),
    ("accuracy", "accuracy", Quantity::Share),
    ("held_out_log_likelihood", "held-out LL", Quantity::Plain),
    ("held_out_accuracy", "held-out acc.", Quantity::Share),
];

/// A row per run.
fn table(runs: &[(PathBuf, Manifest)]) -> Table {
    // One record at a time: it has a row for every client.
    let read = |(directory, manifest): &(PathBuf, Manifest)| {
        let record = RunRecord::read(directory).ok();
        let last = MEASURED.map(|(name, ..)| record.as_ref().and_then(|record| record.last(name)));
        (row(manifest, record.as_ref()), last)
    };
    let found: Vec<(Vec<Cell>, [Option<f64>; MEASURED.len()])> = runs.iter().map(read).collect();
    let is_measured = |&at: &usize| found.iter().any(|(_, last)| last[at].is_some());
    let measured: Vec<usize> = (0..MEASURED.len()).filter(is_measured).collect();
    let mut table = Table::default()
        .text("arm")
        .column("rounds", "rounds", Quantity::Plain)
        .column("epochs", "epochs", Quantity::Plain)
        .column("bits_up", "bits up", Quantity::Bits)
        .column("bits_total", "bits total", Quantity::Bits)
        .column("time_s", "time", Quantity::Seconds)
        .column("objective", "objective", Quantity::Plain)
        .column("mean_field_sq", "‖h‖²", Quantity::Plain);
    for (name, head, quantity) in measured.iter().map(|&at| MEASURED[at]) {
        table = table.column(name, head, quantity);
    }
    let rows: Vec<Vec<Cell>> = found
        .into_iter()
        .map(|(mut cells, last)| {
            cells.extend(measured.iter().map(|&at| Cell::from(last[at])));
            cells
        })
        .collect();
    let arms: Vec<&[Vec<Cell>]> = rows.chunk_by(|one, other| one[0] == other[0]).collect();
    if arms.len() == rows.len() {
        rows.into_iter().for_each(|cells| table.row(cells));
        return table;
    }
    let mut table = table.column("runs", "runs", Quantity::Plain);
    for own in arms {
        let mut cells = vec![own[0][0].clone()];
        cells.extend((1..own[0].len()).map(|column| median(own.iter().map(|cells| &cells[column]))));
        cells.push(Cell::Count(own.len() as u64));
        table.row(cells);
    }
    table
}

/// The median of some numbers; empty where there is none.
fn median<'a>(cells: impl Iterator<Item = &'a Cell>) -> Cell {
    let number = |cell: &Cell| match cell {
        Cell::Count(count) => Some(*count as f64),
        Cell::Number(number) | Cell::Rough(number) | Cell::Shown(_, number) => Some(*number),
        Cell::Text(_) | Cell::Missing => None,
    };
    let mut numbers: Vec<f64> = cells.filter_map(number).collect();
    numbers.sort_by(f64::total_cmp);
    if numbers.is_empty() { Cell::Missing } else { Cell::Number(quantile(&numbers, 0.5)) }
}

/// What all runs have.
fn row(manifest: &Manifest, record: Option<&RunRecord>) -> Vec<Cell> {
    let totals = &manifest.totals;
    let last = |name| Cell::from(record.and_then(|record| record.last(name)));
    vec![
        Cell::Text(manifest.arm.clone()),
        Cell::Count(totals.rounds),
        Cell::from(record.and_then(|record| Some(record.rounds.last()?.epochs))),
        Cell::Count(totals.bits_up),
        Cell::Count(totals.bits_total()),
        Cell::Number(totals.time_ns as f64 / 1e9),
        last("objective"),
        last("mean_field_sq"),
    ]
}
