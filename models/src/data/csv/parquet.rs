//! Parquet files as rows of typed cells, which every reader of tables takes as those of a text file.

use std::io::{self, Read};
use std::path::Path;

use super::cells::Cell;

/// How a file begins and ends.
const MAGIC: [u8; 4] = *b"PAR1";

/// Whether the file at `path` is in Parquet.
pub(super) fn is_parquet(path: &Path) -> bool {
    let mut head = [0; MAGIC.len()];
    fedbits_spec::files::open(path).and_then(|mut file| file.read_exact(&mut head)).is_ok() && head == MAGIC
}

/// The names of the columns, and the rows.
pub(super) type Opened = (Vec<String>, Box<dyn Iterator<Item = io::Result<Vec<Cell<'static>>>>>);

#[cfg(not(feature = "parquet"))]
pub(super) fn open(_: &Path) -> io::Result<Opened> {
    let why = "a Parquet file, and this program was built without the feature `parquet`";
    Err(io::Error::new(io::ErrorKind::Unsupported, why))
}

#[cfg(feature = "parquet")]
pub(super) use with_crate::open;

#[cfg(feature = "parquet")]
mod with_crate {
    use std::io::{self, Error, ErrorKind};
    use std::path::Path;

    use parquet::errors::ParquetError;
    use parquet::file::reader::{FileReader, SerializedFileReader};
    use parquet::record::{Field, Row};

    use super::{Cell, Opened};

    fn damaged(error: ParquetError) -> Error {
        Error::new(ErrorKind::InvalidData, error)
    }

    /// Opens a file without lists and structures.
    pub(in super::super) fn open(path: &Path) -> io::Result<Opened> {
        let reader = SerializedFileReader::new(fedbits_spec::files::open(path)?).map_err(damaged)?;
        let schema = reader.metadata().file_metadata().schema();
        if let Some(nested) = schema.get_fields().iter().find(|field| field.is_group()) {
            let what = format!("column `{}` holds lists or structures: expected numbers and texts", nested.name());
            return Err(Error::new(ErrorKind::InvalidData, what));
        }
        let names = schema.get_fields().iter().map(|field| field.name().to_owned()).collect();
        let row = |row: Result<Row, ParquetError>| {
            row.map_err(damaged)?.get_column_iter().map(|(name, field)| typed(name, field)).collect()
        };
        Ok((names, Box::new(reader.into_iter().map(row))))
    }

    fn typed(name: &str, field: &Field) -> io::Result<Cell<'static>> {
        let text = |text: &str| Cell::Text(text.trim_ascii().to_owned().into());
        // What is missing is empty, as a label or a client may be called `NA`.
        let number = |value: f64| if value.is_nan() { text("") } else { Cell::Number(value) };
        Ok(match field {
            Field::Null => text(""),
            Field::Bool(value) => number(f64::from(u8::from(*value))),
            Field::Float16(value) => number(value.to_f32().into()),
            Field::Float(value) => number((*value).into()),
            Field::Double(value) => number(*value),
            Field::Str(value) => text(value),
            Field::Bytes(_) | Field::Group(_) | Field::ListInternal(_) | Field::MapInternal(_) => {
                let what = format!("column `{name}` holds no numbers and no texts");
                return Err(Error::new(ErrorKind::InvalidData, what));
            }
            // Their texts are exact, also those of integers beyond 2⁵³.
            whole_or_date => text(&whole_or_date.to_string()),
        })
    }
}
