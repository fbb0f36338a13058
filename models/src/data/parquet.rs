//! Parquet files as the text that a table would be: names in the first line, a line per row. Every reader of text files
//! reads them, so that columns, missing values, factors and several files mean the same.

use std::io;
use std::path::Path;

/// How a file begins and ends.
pub(super) const MAGIC: [u8; 4] = *b"PAR1";

/// Whether the file at `path` is in Parquet.
pub(super) fn is_parquet(path: &Path) -> bool {
    let mut head = [0; MAGIC.len()];
    let read = fedbits_spec::files::open(path).and_then(|mut file| io::Read::read_exact(&mut file, &mut head));
    read.is_ok() && head == MAGIC
}

#[cfg(not(feature = "parquet"))]
pub(super) fn text(_: &Path) -> io::Result<Box<dyn io::Read>> {
    let why = "a Parquet file, and this program was built without the feature `parquet`";
    Err(io::Error::new(io::ErrorKind::Unsupported, why))
}

#[cfg(feature = "parquet")]
pub(super) use with_crate::text;

#[cfg(feature = "parquet")]
mod with_crate {
    use std::io::{self, Cursor, Error, ErrorKind, Read};
    use std::path::Path;

    use parquet::errors::ParquetError;
    use parquet::file::reader::{FileReader, SerializedFileReader};
    use parquet::record::reader::RowIter;
    use parquet::record::{Field, Row};

    /// Rows that are written at once.
    const ROWS: usize = 1024;

    fn damaged(error: ParquetError) -> Error {
        Error::new(ErrorKind::InvalidData, error)
    }

    /// The text of a file.
    pub(in super::super) fn text(path: &Path) -> io::Result<Box<dyn Read>> {
        let reader = SerializedFileReader::new(fedbits_spec::files::open(path)?).map_err(damaged)?;
        let schema = reader.metadata().file_metadata().schema();
        if let Some(nested) = schema.get_fields().iter().find(|field| field.is_group()) {
            let what = format!("column `{}` holds lists or structures: expected numbers and texts", nested.name());
            return Err(Error::new(ErrorKind::InvalidData, what));
        }
        let names: Vec<String> = schema.get_fields().iter().map(|field| quoted(field.name())).collect();
        let written = Cursor::new(names.join(",").into_bytes());
        let rows = reader.into_iter();
        Ok(Box::new(written.chain(&b"\n"[..]).chain(Lines { rows, written: Cursor::default() })))
    }

    struct Lines {
        rows: RowIter<'static>,
        written: Cursor<Vec<u8>>,
    }

    impl Read for Lines {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            if self.written.position() == self.written.get_ref().len() as u64 {
                let mut lines = String::new();
                for row in self.rows.by_ref().take(ROWS) {
                    line(&row.map_err(damaged)?, &mut lines)?;
                }
                self.written = Cursor::new(lines.into_bytes());
            }
            self.written.read(buffer)
        }
    }

    fn line(row: &Row, lines: &mut String) -> io::Result<()> {
        for (place, (name, field)) in row.get_column_iter().enumerate() {
            if place > 0 {
                lines.push(',');
            }
            lines.push_str(&cell(name, field)?);
        }
        lines.push('\n');
        Ok(())
    }

    /// Numbers are written so that they read back as the same. What is missing is empty, as a label or a client may be
    /// called `NA`.
    fn cell(name: &str, field: &Field) -> io::Result<String> {
        let number = |value: f64| if value.is_nan() { quoted("") } else { value.to_string() };
        Ok(match field {
            Field::Null => quoted(""),
            Field::Bool(value) => u8::from(*value).to_string(),
            Field::Float16(value) => number(value.to_f32().into()),
            Field::Float(value) => number((*value).into()),
            Field::Double(value) => number(*value),
            Field::Str(value) => quoted(value),
            Field::Bytes(_) | Field::Group(_) | Field::ListInternal(_) | Field::MapInternal(_) => {
                let what = format!("column `{name}` holds no numbers and no texts");
                return Err(Error::new(ErrorKind::InvalidData, what));
            }
            whole_or_date => quoted(&whole_or_date.to_string()),
        })
    }

    fn quoted(text: &str) -> String {
        // A line with nothing on it would be none.
        let needs_quotes = text.is_empty() || text.contains([',', '"', '\n', '\r']) || text.trim() != text;
        if needs_quotes { format!("\"{}\"", text.replace('"', "\"\"")) } else { text.to_owned() }
    }
}
