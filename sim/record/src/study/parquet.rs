//! `results.parquet` and `curves.parquet`: the CSV tables again, with types. They are made from the CSV files, so that
//! both say the same (times in seconds, which the CSV files give exactly, are doubles).

use std::path::Path;

use crate::parquet::{Cell, ColumnKind, ParquetTable};
use crate::table::{Cells, TableReader};
use crate::{ROUND_COLUMNS, RecordError};

/// Writes `NAME.parquet` beside `NAME.csv`, whole or not at all.
pub(super) fn write(directory: &Path, csv: &str) -> Result<(), RecordError> {
    let reader = TableReader::open(directory, csv)?;
    let names = reader.further_columns(&[])?;
    let kinds: Vec<ColumnKind> = (0..names.len()).map(|index| kind(&names, index)).collect();
    let columns: Vec<_> = names.into_iter().zip(kinds.iter().copied()).collect();
    let mut table = ParquetTable::create(&directory.join(csv).with_extension("parquet"), &columns)?;
    reader.each(|cells| table.row(kinds.iter().map(|kind| cell(*kind, cells)).collect::<Result<_, _>>()?))?;
    table.finish()
}

/// The arm and its levels stand before the replicate; the other texts and the whole numbers are known by their names.
fn kind(names: &[String], index: usize) -> ColumnKind {
    const TEXTS: [&str; 7] =
        ["status", "stop_reason", "caveats", "data_digest", "timeline_digest", "state_digest", "key"];
    const WHOLE: [&str; 9] =
        ["replicate", "seed", "round", "rounds", "expectations", "selected", "arrived", "late", "lost"];
    let name = names[index].as_str();
    let of_target = ["reached_to_", "rounds_to_", "bits_up_to_", "bits_total_to_"];
    let is_of_target = of_target.iter().any(|start| name.starts_with(start));
    // A protocol's own columns, `bits_up_entropy` among them, hold any number.
    let is_bits = name.starts_with("bits_") && (ROUND_COLUMNS.contains(&name) || name == "bits_total");
    match names.iter().position(|name| name == "replicate") {
        Some(replicate) if index < replicate => ColumnKind::Text,
        _ if TEXTS.contains(&name) || name.starts_with("verdict_to_") => ColumnKind::Text,
        _ if WHOLE.contains(&name) || is_bits || is_of_target => ColumnKind::Whole,
        _ => ColumnKind::Float,
    }
}

fn cell(kind: ColumnKind, cells: &mut Cells) -> Result<Cell, RecordError> {
    Ok(match kind {
        ColumnKind::Text => Cell::Text(Some(cells.text()?).filter(|text| !text.is_empty())),
        ColumnKind::Whole => Cell::Whole(cells.optional_whole()?),
        ColumnKind::Float => Cell::Float(cells.float()?),
    })
}
