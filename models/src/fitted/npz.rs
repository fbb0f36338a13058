//! Named arrays as a file of NumPy: a zip archive of `.npy` files (version 1.0 of the format,
//! <https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html>), not compressed, all of one date: the same
//! arrays give the same bytes.

use std::io::{self, Write};

use rawzip::time::UtcDateTime;
use rawzip::{CompressionMethod, ZipArchiveWriter};

use super::{Array, Content};

/// What precedes the data of an array is filled up to a multiple of this.
const ALIGNMENT: usize = 64;

/// A file of arrays that is being written.
pub struct NpzFile(ZipArchiveWriter<Vec<u8>>);

impl Default for NpzFile {
    fn default() -> Self {
        Self(ZipArchiveWriter::new(Vec::new()))
    }
}

impl NpzFile {
    /// Adds an array under its name; a word is an array without sides.
    ///
    /// # Errors
    /// When the archive cannot take it.
    pub fn array(&mut self, array: &Array) -> io::Result<()> {
        match &array.content {
            Content::Numbers { shape, values } => self.numbers(array.name, shape, values),
            Content::Text(text) => self.texts(array.name, &[], std::slice::from_ref(text)),
        }
    }

    /// Adds doubles, row-major.
    ///
    /// # Errors
    /// When the archive cannot take them.
    pub fn numbers(&mut self, name: &str, shape: &[usize], values: &[f64]) -> io::Result<()> {
        self.add(name, "<f8", shape, values.iter().flat_map(|value| value.to_le_bytes()))
    }

    /// Adds texts, each filled up to the longest.
    ///
    /// # Errors
    /// When the archive cannot take them.
    pub fn texts(&mut self, name: &str, shape: &[usize], texts: &[String]) -> io::Result<()> {
        let longest = texts.iter().map(|text| text.chars().count()).max().unwrap_or(0).max(1);
        let padded = |text: &String| text.chars().map(u32::from).chain(std::iter::repeat(0)).take(longest).collect();
        let bytes = texts.iter().flat_map(|text| -> Vec<u32> { padded(text) }).flat_map(u32::to_le_bytes);
        self.add(name, &format!("<U{longest}"), shape, bytes)
    }

    fn add(&mut self, name: &str, kind: &str, shape: &[usize], bytes: impl Iterator<Item = u8>) -> io::Result<()> {
        let path = format!("{name}.npy");
        let file = self.0.new_file(path.as_str()).compression_method(CompressionMethod::STORE);
        // The first day that zip archives know.
        let date = UtcDateTime::from_components(1980, 1, 1, 0, 0, 0, 0);
        let file = match date {
            Some(date) => file.last_modified(date),
            None => file,
        };
        let (mut entry, config) = file.start().map_err(io::Error::other)?;
        let mut writer = config.wrap(&mut entry);
        writer.write_all(&header(kind, shape))?;
        writer.write_all(&bytes.collect::<Vec<_>>())?;
        let (_, descriptor) = writer.finish().map_err(io::Error::other)?;
        entry.finish(descriptor).map(drop).map_err(io::Error::other)
    }

    /// The bytes of the file.
    ///
    /// # Errors
    /// When the archive cannot be ended.
    pub fn finish(self) -> io::Result<Vec<u8>> {
        self.0.finish().map_err(io::Error::other)
    }
}

/// What precedes the data of an array.
fn header(kind: &str, shape: &[usize]) -> Vec<u8> {
    let sides: String = shape.iter().map(|side| format!("{side}, ")).collect();
    let shape = match shape {
        [only] => format!("({only},)"),
        _ => format!("({})", sides.trim_end_matches(", ")),
    };
    let mut text = format!("{{'descr': '{kind}', 'fortran_order': False, 'shape': {shape}, }}");
    let begin = 10;
    let filled = (begin + text.len() + 1).next_multiple_of(ALIGNMENT);
    text.extend(std::iter::repeat_n(' ', filled - begin - text.len() - 1));
    text.push('\n');
    let mut header = b"\x93NUMPY\x01\x00".to_vec();
    header.extend((text.len() as u16).to_le_bytes());
    header.extend(text.as_bytes());
    header
}
