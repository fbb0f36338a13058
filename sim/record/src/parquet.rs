//! Tables in Parquet. Texts are UTF-8, whole numbers unsigned 64-bit, all others double precision; every cell may be
//! empty.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use parquet::basic::{LogicalType, Repetition, Type as Physical};
use parquet::data_type::{ByteArray, ByteArrayType, DataType, DoubleType, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedColumnWriter, SerializedFileWriter};
use parquet::schema::types::Type;

use crate::files::{Temporary, folder_of, persist, temporary_in};
use crate::{Cell, ColumnKind, RecordError};

/// Rows of a group, which are held in memory.
const GROUP: usize = 1 << 17;

/// A table that is being written under a temporary name.
pub(crate) struct ParquetTable {
    path: PathBuf,
    writer: SerializedFileWriter<Temporary>,
    kinds: Vec<ColumnKind>,
    group: Vec<Vec<Cell>>,
}

impl ParquetTable {
    /// Begins the table at `path` with these columns.
    pub(crate) fn create(path: &Path, columns: &[(String, ColumnKind)]) -> Result<Self, RecordError> {
        let refused = |error: ParquetError| RecordError::io(path, io::Error::other(error));
        let file = temporary_in(folder_of(path))?;
        let schema = Arc::new(schema(columns).map_err(refused)?);
        let properties = Arc::new(WriterProperties::builder().set_created_by("fedbits".to_owned()).build());
        let writer = SerializedFileWriter::new(file, schema, properties).map_err(refused)?;
        let kinds: Vec<ColumnKind> = columns.iter().map(|(_, kind)| *kind).collect();
        Ok(Self { path: path.to_path_buf(), writer, kinds, group: Vec::new() })
    }

    /// Writes a row, whose cells must be those of the columns.
    pub(crate) fn row(&mut self, cells: Vec<Cell>) -> Result<(), RecordError> {
        let fits = |(cell, kind): (&Cell, &ColumnKind)| cell.kind().is_none_or(|found| kind.or(found) == *kind);
        if cells.len() != self.kinds.len() || !cells.iter().zip(&self.kinds).all(fits) {
            return Err(RecordError::io(&self.path, io::Error::other("a row does not fit its columns")));
        }
        self.group.push(cells);
        if self.group.len() < GROUP { Ok(()) } else { self.write_group() }
    }

    /// Puts the table on disk under its name.
    pub(crate) fn finish(mut self) -> Result<(), RecordError> {
        if !self.group.is_empty() {
            self.write_group()?;
        }
        let path = self.path;
        let file = self.writer.into_inner().map_err(|error| RecordError::io(&path, io::Error::other(error)))?;
        persist(file, &path)
    }

    fn write_group(&mut self) -> Result<(), RecordError> {
        let rows = std::mem::take(&mut self.group);
        write_group(&mut self.writer, &self.kinds, &rows)
            .map_err(|error| RecordError::io(&self.path, io::Error::other(error)))
    }
}

fn schema(columns: &[(String, ColumnKind)]) -> Result<Type, ParquetError> {
    let field = |(name, kind): &(String, ColumnKind)| {
        let (physical, logical) = match kind {
            ColumnKind::Text => (Physical::BYTE_ARRAY, Some(LogicalType::String)),
            ColumnKind::Whole => (Physical::INT64, Some(LogicalType::integer(64, false))),
            ColumnKind::Float => (Physical::DOUBLE, None),
        };
        let builder = Type::primitive_type_builder(name, physical).with_repetition(Repetition::OPTIONAL);
        builder.with_logical_type(logical).build().map(Arc::new)
    };
    let fields = columns.iter().map(field).collect::<Result<_, _>>()?;
    Type::group_type_builder("table").with_fields(fields).build()
}

fn write_group(
    writer: &mut SerializedFileWriter<Temporary>,
    kinds: &[ColumnKind],
    rows: &[Vec<Cell>],
) -> Result<(), ParquetError> {
    let mut group = writer.next_row_group()?;
    for (number, kind) in kinds.iter().enumerate() {
        let Some(mut to) = group.next_column()? else { break };
        let cells = rows.iter().map(|row| &row[number]);
        match kind {
            ColumnKind::Text => put::<ByteArrayType>(&mut to, cells, |cell| ByteArray::from(cell.to_string().as_str())),
            // The bits of the number; the logical type says that it has no sign.
            ColumnKind::Whole => put::<Int64Type>(&mut to, cells, |cell| cell.whole().unwrap_or(0).cast_signed()),
            ColumnKind::Float => put::<DoubleType>(&mut to, cells, |cell| cell.number().unwrap_or(0.0)),
        }?;
        to.close()?;
    }
    group.close().map(drop)
}

/// Writes a column; missing cells have no value.
fn put<'c, D: DataType>(
    to: &mut SerializedColumnWriter<'_>,
    cells: impl Iterator<Item = &'c Cell> + Clone,
    value: impl Fn(&Cell) -> D::T,
) -> Result<(), ParquetError> {
    let is_there = |cell: &Cell| *cell != Cell::Missing;
    let there: Vec<i16> = cells.clone().map(|cell| i16::from(is_there(cell))).collect();
    let values: Vec<D::T> = cells.filter(|cell| is_there(cell)).map(value).collect();
    to.typed::<D>().write_batch(&values, Some(&there), None).map(drop)
}
