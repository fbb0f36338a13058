//! Tables in Parquet: `rounds` and `runs`, with a row per run, and every table that runs leave beside the common ones
//! (`clients`, `components`, …). Each row names its arm, scenario, seed and replicate.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use fedbits_record::parquet::{Cell, ColumnKind, ParquetTable};
use fedbits_record::study::FrameKind;
use fedbits_record::{RunTable, Float, ROUND_COLUMNS, RoundRow, RunRecord};
use fedbits_reports::Arm;
use fedbits_text::Tree;

use crate::error::Error;

/// The columns that name the run of a row.
const KEY: [(&str, ColumnKind); 4] = [
    ("arm", ColumnKind::Text),
    ("scenario", ColumnKind::Text),
    ("seed", ColumnKind::Whole),
    ("replicate", ColumnKind::Whole),
];

/// Bits in all directions with headers: a column that `rounds.csv` leaves to its readers.
const BITS_TOTAL: &str = "bits_total";

/// A run with the name of its arm.
struct Run<'a> {
    arm: &'a str,
    record: &'a RunRecord,
}

/// Writes the tables of all runs into an existing folder, and returns the number of runs.
pub(super) fn write(arms: &[Arm], folder: &Path) -> Result<usize, Error> {
    let of_arm = |arm| Arm::records(arm).map(|record| Run { arm: Arm::label(arm), record });
    let runs: Vec<Run<'_>> = arms.iter().flat_map(of_arm).collect();
    let varying = varying(&runs);
    write_table(&runs, &folder.join("rounds.parquet"), |record| Some(Cow::Owned(rounds(record))))?;
    write_table(&runs, &folder.join("runs.parquet"), |record| Some(Cow::Owned(description(record, &varying))))?;
    let names: BTreeSet<&String> = runs.iter().flat_map(|run| &run.record.extra).map(|table| &table.name).collect();
    for name in names {
        write_table(&runs, &folder.join(format!("{name}.parquet")), |record| {
            record.extra.iter().find(|table| table.name == *name).map(Cow::Borrowed)
        })?;
    }
    Ok(runs.len())
}

/// The table of rounds with the total of bits, cells as text.
fn rounds(record: &RunRecord) -> RunTable {
    let extra = &record.manifest.extra_columns;
    let has_total = extra.iter().any(|name| name == BITS_TOTAL);
    let mut columns: Vec<String> = ROUND_COLUMNS.iter().map(|&name| name.to_owned()).chain(extra.clone()).collect();
    let mut rows: Vec<Vec<String>> = record.rounds.iter().map(cells).collect();
    if !has_total {
        columns.push(BITS_TOTAL.to_owned());
        rows.iter_mut().zip(&record.rounds).for_each(|(cells, row)| cells.push(row.bits_total().to_string()));
    }
    RunTable { name: "rounds".to_owned(), columns, rows }
}

/// The cells of a row of `rounds.csv`.
fn cells(row: &RoundRow) -> Vec<String> {
    let float = |value: Option<f64>| Float(value).to_string();
    let seconds = format!("{}.{:09}", row.time_ns / 1_000_000_000, row.time_ns % 1_000_000_000);
    let bits = [row.bits_up, row.bits_down, row.bits_peer, row.bits_header, row.bits_wasted];
    let clients = [row.selected, row.arrived, row.late, row.lost];
    let measured = [row.objective, row.mean_field_sq, row.field_sq].into_iter().chain(row.extra.iter().copied());
    let mut cells = vec![row.round.to_string(), seconds, float(Some(row.epochs)), row.expectations.to_string()];
    cells.extend(bits.iter().chain(&clients).map(u64::to_string));
    cells.extend(measured.map(float));
    cells
}

/// How a run ended, its digests, its scenario, and its values of the settings that differ: a table of one row.
fn description(record: &RunRecord, varying: &BTreeSet<String>) -> RunTable {
    let manifest = &record.manifest;
    let caveats: Vec<&str> = manifest.caveats.iter().map(|caveat| caveat.kind().id).collect();
    let (mut columns, mut row): (Vec<String>, Vec<String>) = [
        ("status", FrameKind::of(record).name()),
        ("stop_reason", &manifest.stop_reason),
        ("caveats", &caveats.join("; ")),
        ("version", &manifest.engine_version),
        ("data_digest", &manifest.digests.data),
        ("timeline_digest", &manifest.digests.timeline),
        ("state_digest", &manifest.digests.state),
        ("scenario_text", &manifest.scenario_text),
    ]
    .map(|(name, value)| (name.to_owned(), value.to_owned()))
    .into_iter()
    .unzip();
    let is_key = |path: &str| KEY.iter().any(|(key, _)| *key == path);
    for (path, value) in settings(record).into_iter().filter(|(path, _)| varying.contains(path) && !is_key(path)) {
        columns.push(path);
        row.push(value);
    }
    RunTable { name: "runs".to_owned(), columns, rows: vec![row] }
}

/// Settings by path, without the description of the scenario and its arms.
fn settings(record: &RunRecord) -> BTreeMap<String, String> {
    let mut settings: BTreeMap<String, String> = BTreeMap::new();
    for (path, value) in Tree::scan(&record.manifest.scenario_text).settings() {
        if path != "about" && path != "arms" {
            settings.entry(path).or_insert(value);
        }
    }
    settings
}

/// The paths of the settings that are not the same in all runs.
fn varying(runs: &[Run<'_>]) -> BTreeSet<String> {
    let mut values: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (path, value) in runs.iter().flat_map(|run| settings(run.record)) {
        values.entry(path).or_default().push(value);
    }
    let varies = |values: &[String]| values.len() < runs.len() || values.iter().any(|value| *value != values[0]);
    values.into_iter().filter(|(_, values)| varies(values)).map(|(path, _)| path).collect()
}

/// Writes one table of all runs that have it. A column has the narrowest kind that holds the cells of all runs.
fn write_table<'a>(
    runs: &[Run<'a>],
    path: &Path,
    of: impl Fn(&'a RunRecord) -> Option<Cow<'a, RunTable>>,
) -> Result<(), Error> {
    let mut columns = Columns::default();
    // One run's table at a time: as text, those of all runs would need several times the memory of their records.
    for table in runs.iter().filter_map(|run| of(run.record)) {
        columns.hold(&table);
    }
    let mut parquet = ParquetTable::create(path, &columns.named())?;
    for (run, table) in runs.iter().filter_map(|run| Some((run, of(run.record)?))) {
        let places: Vec<usize> = table.columns.iter().map(|name| columns.places[name]).collect();
        for row in &table.rows {
            let mut texts = vec![""; columns.kinds.len()];
            places.iter().zip(row).for_each(|(&place, text)| texts[place] = text);
            let cells = columns.kinds.iter().zip(texts).map(|((_, kind), text)| cell(*kind, text));
            parquet.row(key(run).into_iter().chain(cells).collect())?;
        }
    }
    Ok(parquet.finish()?)
}

fn key(run: &Run<'_>) -> [Cell; 4] {
    let manifest = &run.record.manifest;
    [
        Cell::Text(Some(run.arm.to_owned())),
        Cell::Text(Some(manifest.scenario.clone())),
        Cell::Whole(Some(manifest.seed)),
        Cell::Whole(Some(manifest.replicate)),
    ]
}

/// The columns of a table after the key, in the order in which runs have them.
#[derive(Default)]
struct Columns {
    /// Without a kind as long as all cells are empty.
    kinds: Vec<(String, Option<ColumnKind>)>,
    places: BTreeMap<String, usize>,
}

impl Columns {
    /// Widens the columns until they hold the cells of this table.
    fn hold(&mut self, table: &RunTable) {
        for (index, name) in table.columns.iter().enumerate() {
            let place = *self.places.entry(name.clone()).or_insert_with(|| {
                self.kinds.push((name.clone(), None));
                self.kinds.len() - 1
            });
            let known = &mut self.kinds[place].1;
            for kind in table.rows.iter().filter_map(|row| kind(&row[index])) {
                *known = match *known {
                    None => Some(kind),
                    Some(known) if known == kind => Some(kind),
                    Some(ColumnKind::Text) => Some(ColumnKind::Text),
                    Some(_) if kind == ColumnKind::Text => Some(ColumnKind::Text),
                    Some(_) => Some(ColumnKind::Float),
                };
            }
        }
    }

    /// All columns with the key. A column with the name of one of the key gets an underscore.
    fn named(&self) -> Vec<(String, ColumnKind)> {
        let renamed = |(name, kind): &(String, Option<ColumnKind>)| {
            let is_key = KEY.iter().any(|(key, _)| key == name);
            (if is_key { format!("{name}_") } else { name.clone() }, kind.unwrap_or(ColumnKind::Float))
        };
        KEY.iter().map(|(name, kind)| ((*name).to_owned(), *kind)).chain(self.kinds.iter().map(renamed)).collect()
    }
}

/// What a cell holds; an empty cell has no kind.
fn kind(text: &str) -> Option<ColumnKind> {
    let digits = text.trim_start_matches('-').as_bytes();
    let is_padded = text.starts_with('+') || (digits.len() > 1 && digits[0] == b'0' && digits[1].is_ascii_digit());
    match text {
        "" => None,
        // A name such as `01` is not the number 1.
        _ if is_padded => Some(ColumnKind::Text),
        _ if text.parse::<u64>().is_ok() => Some(ColumnKind::Whole),
        _ if text.parse::<f64>().is_ok_and(f64::is_finite) => Some(ColumnKind::Float),
        _ => Some(ColumnKind::Text),
    }
}

fn cell(kind: Option<ColumnKind>, text: &str) -> Cell {
    match kind {
        Some(ColumnKind::Text) => Cell::Text(Some(text.to_owned()).filter(|text| !text.is_empty())),
        Some(ColumnKind::Whole) => Cell::Whole(text.parse().ok()),
        Some(ColumnKind::Float) | None => Cell::Float(text.parse().ok()),
    }
}

#[cfg(test)]
mod tests {
    use super::{ColumnKind, kind};

    /// `01` and `1` are two sites.
    #[test]
    fn names_of_digits_are_no_numbers() {
        assert_eq!(["1", "0", "1000"].map(kind), [Some(ColumnKind::Whole); 3]);
        assert_eq!(["0.5", "-0.5", "1e-9"].map(kind), [Some(ColumnKind::Float); 3]);
        assert_eq!(["01", "+1", "-07", "00.5", "x"].map(kind), [Some(ColumnKind::Text); 5]);
    }
}
