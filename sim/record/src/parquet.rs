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

/// The cells of a column in a group of rows.
enum ColumnCells {
    Text(Vec<Option<String>>),
    Whole(Vec<Option<u64>>),
    Float(Vec<Option<f64>>),
}

/// A table that is being written under a temporary name.
pub(crate) struct ParquetTable {
    path: PathBuf,
    writer: SerializedFileWriter<Temporary>,
    kinds: Vec<ColumnKind>,
    group: Vec<ColumnCells>,
    rows: usize,
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
        Ok(Self { path: path.to_path_buf(), writer, group: empty(&kinds), kinds, rows: 0 })
    }

    /// Writes a row, whose cells must be those of the columns.
    pub(crate) fn row(&mut self, cells: Vec<Cell>) -> Result<(), RecordError> {
        let fits = cells.len() == self.kinds.len()
            && cells.into_iter().zip(&mut self.group).all(|(cell, column)| column.push(cell));
        if !fits {
            return Err(RecordError::io(&self.path, io::Error::other("a row does not fit its columns")));
        }
        self.rows += 1;
        if self.rows < GROUP { Ok(()) } else { self.write_group() }
    }

    /// Puts the table on disk under its name.
    pub(crate) fn finish(mut self) -> Result<(), RecordError> {
        if self.rows > 0 {
            self.write_group()?;
        }
        let path = self.path;
        let file = self.writer.into_inner().map_err(|error| RecordError::io(&path, io::Error::other(error)))?;
        persist(file, &path)
    }

    fn write_group(&mut self) -> Result<(), RecordError> {
        let group = std::mem::replace(&mut self.group, empty(&self.kinds));
        self.rows = 0;
        write_group(&mut self.writer, &group).map_err(|error| RecordError::io(&self.path, io::Error::other(error)))
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

fn empty(kinds: &[ColumnKind]) -> Vec<ColumnCells> {
    let column = |kind: &ColumnKind| match kind {
        ColumnKind::Text => ColumnCells::Text(Vec::new()),
        ColumnKind::Whole => ColumnCells::Whole(Vec::new()),
        ColumnKind::Float => ColumnCells::Float(Vec::new()),
    };
    kinds.iter().map(column).collect()
}

fn write_group(writer: &mut SerializedFileWriter<Temporary>, group: &[ColumnCells]) -> Result<(), ParquetError> {
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
    /// Whether the last cell has a value.
    fn is_there(&self) -> bool {
        match self {
            Self::Text(cells) => matches!(cells.last(), Some(Some(_))),
            Self::Whole(cells) => matches!(cells.last(), Some(Some(_))),
            Self::Float(cells) => matches!(cells.last(), Some(Some(_))),
        }
    }

    /// Takes a cell; whether the column can hold it.
    fn push(&mut self, cell: Cell) -> bool {
        let is_missing = cell == Cell::Missing;
        match self {
            Self::Text(cells) => cells.push((!is_missing).then(|| cell.to_string())),
            Self::Whole(cells) => cells.push(cell.whole()),
            Self::Float(cells) => cells.push(cell.number()),
        }
        is_missing || self.is_there()
    }
}
