//! Tables in Parquet: `rounds` of all runs, `runs` with what each is, and every table that runs leave beside the common
//! ones (`clients`, `components`, …). Each row says of which arm, scenario, seed and replicate it is.

use std::collections::BTreeMap;
use std::path::Path;

use fedbits_record::parquet::{Cell, ColumnKind, ParquetTable};
use fedbits_record::study::FrameKind;
use fedbits_record::{ExtraTable, RunRecord};

use super::runs::{Number, Run};
use crate::error::Error;

/// Whose row it is.
const KEY: [(&str, ColumnKind); 4] = [
    ("arm", ColumnKind::Text),
    ("scenario", ColumnKind::Text),
    ("seed", ColumnKind::Whole),
    ("replicate", ColumnKind::Whole),
];

/// Writes the tables into an existing folder.
pub(super) fn write(runs: &[Run<'_>], folder: &Path) -> Result<(), Error> {
    write_rounds(runs, &folder.join("rounds.parquet"))?;
    write_runs(runs, &folder.join("runs.parquet"))?;
    let mut names: Vec<&str> = Vec::new();
    for table in runs.iter().flat_map(|run| &run.record.extra) {
        // The tables above have these names.
        if !names.contains(&table.name.as_str()) && !["rounds", "runs"].contains(&table.name.as_str()) {
            names.push(&table.name);
        }
    }
    names.iter().try_for_each(|name| write_extra(runs, name, &folder.join(format!("{name}.parquet"))))
}

fn key(run: &Run<'_>) -> Vec<Cell> {
    let manifest = &run.record.manifest;
    vec![
        text(run.arm),
        text(&manifest.scenario),
        Cell::Whole(Some(manifest.seed)),
        Cell::Whole(Some(manifest.replicate)),
    ]
}

fn text(text: &str) -> Cell {
    Cell::Text(Some(text.to_owned()))
}

/// The columns of a table, behind those that say whose row it is.
#[derive(Default)]
struct Columns {
    columns: Vec<(String, ColumnKind)>,
    places: BTreeMap<String, usize>,
}

impl Columns {
    /// A column that holds this too: whole numbers among others are others, and numbers among texts texts.
    fn holds(&mut self, name: &str, kind: ColumnKind) {
        match self.places.get(name) {
            None => {
                self.places.insert(name.to_owned(), self.columns.len());
                self.columns.push((name.to_owned(), kind));
            }
            Some(&place) => {
                let own = &mut self.columns[place].1;
                *own = match (*own, kind) {
                    (one, other) if one == other => one,
                    (ColumnKind::Text, _) | (_, ColumnKind::Text) => ColumnKind::Text,
                    _ => ColumnKind::Float,
                };
            }
        }
    }

    /// Begins the table. A column with the name of a column before all others gets an underscore.
    fn create(&self, path: &Path) -> Result<ParquetTable, Error> {
        let is_key = |name: &str| KEY.iter().any(|(key, _)| *key == name);
        let renamed = |(name, kind): &(String, ColumnKind)| match is_key(name) {
            true => (format!("{name}_"), *kind),
            false => (name.clone(), *kind),
        };
        let keys = KEY.map(|(name, kind)| (name.to_owned(), kind)).into_iter();
        Ok(ParquetTable::create(path, &keys.chain(self.columns.iter().map(renamed)).collect::<Vec<_>>())?)
    }

    /// A row of these named values.
    fn row<'a>(&self, run: &Run<'_>, values: impl IntoIterator<Item = (&'a str, Value<'a>)>) -> Vec<Cell> {
        let mut found: Vec<Value<'a>> = vec![Value::None; self.columns.len()];
        for (name, value) in values {
            if let Some(&place) = self.places.get(name) {
                found[place] = value;
            }
        }
        let cells = self.columns.iter().zip(found).map(|((_, kind), value)| value.cell(*kind));
        key(run).into_iter().chain(cells).collect()
    }
}

/// What stands in a cell, before the kind of its column is known.
#[derive(Clone, Copy)]
enum Value<'a> {
    None,
    Number(Number),
    Text(&'a str),
}

impl Value<'_> {
    fn kind(self) -> Option<ColumnKind> {
        match self {
            Self::None | Self::Text("") => None,
            Self::Number(Number::Whole(_)) => Some(ColumnKind::Whole),
            Self::Number(_) => Some(ColumnKind::Float),
            // A name such as `01` is no number: it would become that of another.
            Self::Text(text) if text.parse::<u64>().is_ok_and(|value| value.to_string() == *text) => {
                Some(ColumnKind::Whole)
            }
            Self::Text(text) if is_padded(text) => Some(ColumnKind::Text),
            Self::Text(text) if text.parse::<f64>().is_ok_and(f64::is_finite) => Some(ColumnKind::Float),
            Self::Text(_) => Some(ColumnKind::Text),
        }
    }

    fn cell(self, kind: ColumnKind) -> Cell {
        match (kind, self) {
            (ColumnKind::Text, Self::Text(text)) => Cell::Text(Some(text.to_owned()).filter(|text| !text.is_empty())),
            (ColumnKind::Text, Self::Number(number)) => Cell::Text(Some(number.text())),
            (ColumnKind::Text, Self::None) => Cell::Text(None),
            (ColumnKind::Whole, Self::Number(Number::Whole(value))) => Cell::Whole(Some(value)),
            (ColumnKind::Whole, Self::Text(text)) => Cell::Whole(text.parse().ok()),
            (ColumnKind::Whole, _) => Cell::Whole(None),
            (ColumnKind::Float, Self::Number(number)) => Cell::Float(Some(number.double())),
            (ColumnKind::Float, Self::Text(text)) => Cell::Float(text.parse().ok()),
            (ColumnKind::Float, Self::None) => Cell::Float(None),
        }
    }
}

/// Digits behind a sign `+` or a 0 that no number begins with.
fn is_padded(text: &str) -> bool {
    let digits = text.trim_start_matches('-').as_bytes();
    text.starts_with('+') || (digits.len() > 1 && digits[0] == b'0' && digits[1].is_ascii_digit())
}

fn write_rounds(runs: &[Run<'_>], path: &Path) -> Result<(), Error> {
    const ROUND: &str = "round";
    let mut columns = Columns::default();
    columns.holds(ROUND, ColumnKind::Whole);
    for run in runs {
        // What is counted is counted in every row.
        let first = run.record.rounds.first().map_or_else(Vec::new, |row| run.numbers(row));
        let kinds = first.into_iter().map(|number| number.map_or(Value::None, Value::Number).kind());
        for (name, kind) in run.columns().iter().zip(kinds) {
            columns.holds(name, kind.unwrap_or(ColumnKind::Float));
        }
    }
    let mut table = columns.create(path)?;
    for run in runs {
        let names = run.columns();
        for row in &run.record.rounds {
            let numbers = run.numbers(row).into_iter().map(|number| number.map_or(Value::None, Value::Number));
            let round = [(ROUND, Value::Number(Number::Whole(row.round)))];
            table.row(columns.row(run, names.iter().map(String::as_str).zip(numbers).chain(round)))?;
        }
    }
    Ok(table.finish()?)
}

fn write_runs(runs: &[Run<'_>], path: &Path) -> Result<(), Error> {
    let mut columns = Columns::default();
    let about = |record: &RunRecord| {
        let manifest = &record.manifest;
        [
            ("status", FrameKind::of(record).name().to_owned()),
            ("stop_reason", manifest.stop_reason.clone()),
            ("caveats", manifest.caveats.join("; ")),
            ("version", manifest.engine_version.clone()),
            ("data_digest", manifest.digests.data.clone()),
            ("timeline_digest", manifest.digests.timeline.clone()),
            ("state_digest", manifest.digests.state.clone()),
            ("scenario_text", manifest.scenario_text.clone()),
        ]
    };
    runs.iter().flat_map(|run| about(run.record)).for_each(|(name, _)| columns.holds(name, ColumnKind::Text));
    let varies = |run: &&Run<'_>| run.varies.iter().cloned().collect::<Vec<_>>();
    let varies = runs.first().as_ref().map_or_else(Vec::new, varies);
    let is_key = |path: &str| KEY.iter().any(|(key, _)| *key == path);
    let settings = |run: &Run<'_>| -> Vec<(String, String)> {
        run.settings.iter().filter(|(path, _)| varies.contains(path) && !is_key(path)).cloned().collect()
    };
    for (path, value) in runs.iter().flat_map(settings) {
        columns.holds(&path, Value::Text(&value).kind().unwrap_or(ColumnKind::Text));
    }
    let mut table = columns.create(path)?;
    for run in runs {
        let (about, settings) = (about(run.record), settings(run));
        let about = about.iter().map(|(name, value)| (*name, Value::Text(value)));
        let settings = settings.iter().map(|(path, value)| (path.as_str(), Value::Text(value)));
        table.row(columns.row(run, about.chain(settings)))?;
    }
    Ok(table.finish()?)
}

fn write_extra(runs: &[Run<'_>], name: &str, path: &Path) -> Result<(), Error> {
    let tables = runs.iter().flat_map(|run| run.record.extra.iter().map(move |table| (run, table)));
    let tables: Vec<(&Run<'_>, &ExtraTable)> = tables.filter(|(_, table)| table.name == name).collect();
    let mut columns = Columns::default();
    for (_, table) in &tables {
        for (place, column) in table.columns.iter().enumerate() {
            let kinds = table.rows.iter().filter_map(|row| Value::Text(&row[place]).kind());
            kinds.for_each(|kind| columns.holds(column, kind));
        }
    }
    // A column without a value anywhere has no kind.
    for column in tables.iter().flat_map(|(_, table)| &table.columns) {
        if !columns.places.contains_key(column) {
            columns.holds(column, ColumnKind::Float);
        }
    }
    let mut table = columns.create(path)?;
    for (run, own) in tables {
        for row in &own.rows {
            let cells = own.columns.iter().zip(row).map(|(name, cell)| (name.as_str(), Value::Text(cell)));
            table.row(columns.row(run, cells))?;
        }
    }
    Ok(table.finish()?)
}

#[cfg(test)]
mod tests {
    use super::{ColumnKind, Value};

    /// `01` and `1` are two sites.
    #[test]
    fn names_of_digits_are_no_numbers() {
        let kind = |text| Value::Text(text).kind();
        assert_eq!(["1", "0", "1000"].map(kind), [Some(ColumnKind::Whole); 3]);
        assert_eq!(["0.5", "-0.5", "1e-9"].map(kind), [Some(ColumnKind::Float); 3]);
        assert_eq!(["01", "+1", "-07", "00.5", "x"].map(kind), [Some(ColumnKind::Text); 5]);
    }
}
