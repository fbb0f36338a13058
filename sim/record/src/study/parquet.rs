//! `results.parquet` and `curves.parquet`: the CSV tables again, with types. They are made from the CSV files, so that
//! both say the same; every column may be empty in any row. Texts are UTF-8, whole numbers unsigned 64-bit, all others
//! double precision (times in seconds among them, which the CSV files give exactly).

use std::path::Path;
use std::sync::Arc;

use parquet::basic::{LogicalType, Repetition, Type as Physical};
use parquet::data_type::{ByteArray, ByteArrayType, DataType, DoubleType, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedColumnWriter, SerializedFileWriter};
use parquet::schema::types::Type;

use crate::RecordError;
use crate::files::{Temporary, persist, temporary_in};
use crate::table::{Cells, TableReader};

/// Rows of a group, which are held in memory.
const GROUP: usize = 1 << 17;

/// What a column holds.
#[derive(Clone, Copy, PartialEq)]
enum ColumnKind {
    Text,
    Whole,
    Float,
}

/// The cells of a column in a group of rows.
enum ColumnCells {
    Text(Vec<Option<String>>),
    Whole(Vec<Option<u64>>),
    Float(Vec<Option<f64>>),
}

/// Writes `NAME.parquet` beside `NAME.csv`, whole or not at all.
pub(super) fn write(directory: &Path, csv: &str) -> Result<(), RecordError> {
    let path = directory.join(csv).with_extension("parquet");
    let reader = TableReader::open(directory, csv)?;
    let names = reader.further_columns(&[])?;
    let kinds: Vec<ColumnKind> = (0..names.len()).map(|index| kind(&names, index)).collect();
    let mut file = temporary_in(directory)?;
    let refused = |error: ParquetError| RecordError::io(&path, std::io::Error::other(error));
    let schema = Arc::new(schema(&names, &kinds).map_err(refused)?);
    let properties = Arc::new(WriterProperties::builder().set_created_by("fedbits".to_owned()).build());
    let mut writer = SerializedFileWriter::new(&mut file, schema, properties).map_err(refused)?;
    let mut group = columns(&kinds);
    reader.each(|cells| {
        group.iter_mut().try_for_each(|column| column.read(cells))?;
        if group.first().is_some_and(|column| column.len() == GROUP) {
            write_group(&mut writer, &group).map_err(refused)?;
            group = columns(&kinds);
        }
        Ok(())
    })?;
    if group.first().is_some_and(|column| column.len() > 0) {
        write_group(&mut writer, &group).map_err(refused)?;
    }
    writer.close().map_err(refused)?;
    persist(file, &path)
}

/// The arm and its levels stand before the replicate; the other texts and the whole numbers are known by their names.
fn kind(names: &[String], index: usize) -> ColumnKind {
    const TEXTS: [&str; 7] =
        ["status", "stop_reason", "caveats", "data_digest", "timeline_digest", "state_digest", "key"];
    const WHOLE: [&str; 9] =
        ["replicate", "seed", "round", "rounds", "expectations", "selected", "arrived", "late", "lost"];
    let name = names[index].as_str();
    let of_target = ["reached_to_", "rounds_to_"].iter().any(|start| name.starts_with(start));
    match names.iter().position(|name| name == "replicate") {
        Some(replicate) if index < replicate => ColumnKind::Text,
        _ if TEXTS.contains(&name) => ColumnKind::Text,
        _ if WHOLE.contains(&name) || name.starts_with("bits_") || of_target => ColumnKind::Whole,
        _ => ColumnKind::Float,
    }
}

fn schema(names: &[String], kinds: &[ColumnKind]) -> Result<Type, ParquetError> {
    let field = |(name, kind): (&String, &ColumnKind)| {
        let (physical, logical) = match kind {
            ColumnKind::Text => (Physical::BYTE_ARRAY, Some(LogicalType::String)),
            ColumnKind::Whole => (Physical::INT64, Some(LogicalType::integer(64, false))),
            ColumnKind::Float => (Physical::DOUBLE, None),
        };
        let builder = Type::primitive_type_builder(name, physical).with_repetition(Repetition::OPTIONAL);
        builder.with_logical_type(logical).build().map(Arc::new)
    };
    let fields = names.iter().zip(kinds).map(field).collect::<Result<_, _>>()?;
    Type::group_type_builder("table").with_fields(fields).build()
}

fn columns(kinds: &[ColumnKind]) -> Vec<ColumnCells> {
    let column = |kind: &ColumnKind| match kind {
        ColumnKind::Text => ColumnCells::Text(Vec::new()),
        ColumnKind::Whole => ColumnCells::Whole(Vec::new()),
        ColumnKind::Float => ColumnCells::Float(Vec::new()),
    };
    kinds.iter().map(column).collect()
}

fn write_group(writer: &mut SerializedFileWriter<&mut Temporary>, group: &[ColumnCells]) -> Result<(), ParquetError> {
    let mut rows = writer.next_row_group()?;
    for column in group {
        let Some(mut to) = rows.next_column()? else { break };
        match column {
            ColumnCells::Text(cells) => put::<ByteArrayType, _>(&mut to, cells, |text| ByteArray::from(text.as_str())),
            // The bits of the number; the logical type says that it has no sign.
            ColumnCells::Whole(cells) => put::<Int64Type, _>(&mut to, cells, |value| value.cast_signed()),
            ColumnCells::Float(cells) => put::<DoubleType, _>(&mut to, cells, |value| *value),
        }?;
        to.close()?;
    }
    rows.close().map(drop)
}

fn put<D: DataType, T>(
    to: &mut SerializedColumnWriter<'_>,
    cells: &[Option<T>],
    value: impl Fn(&T) -> D::T,
) -> Result<(), ParquetError> {
    let there: Vec<i16> = cells.iter().map(|cell| i16::from(cell.is_some())).collect();
    let values: Vec<D::T> = cells.iter().flatten().map(value).collect();
    to.typed::<D>().write_batch(&values, Some(&there), None).map(drop)
}

impl ColumnCells {
    fn len(&self) -> usize {
        match self {
            Self::Text(cells) => cells.len(),
            Self::Whole(cells) => cells.len(),
            Self::Float(cells) => cells.len(),
        }
    }

    fn read(&mut self, cells: &mut Cells) -> Result<(), RecordError> {
        match self {
            Self::Text(own) => own.push(Some(cells.text()?).filter(|text| !text.is_empty())),
            Self::Whole(own) => own.push(cells.optional_whole()?),
            Self::Float(own) => own.push(cells.float()?),
        }
        Ok(())
    }
}
