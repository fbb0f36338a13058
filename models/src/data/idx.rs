//! IDX files (MNIST): unsigned bytes as images and labels, gzipped or not.
//!
//! Format: big-endian u32 words (magic 2051, images, rows, columns; or magic 2049, labels), then one byte per number.

use super::observations::{DataKind, Observations};
use super::packed;
use super::set::{DataSet, DataSetError};
use super::source::{DataSource, ReadError, Reading};
use fedbits_spec::range::FileName;
use fedbits_spec::{Described, so_many};
use serde::{Deserialize, Serialize};
use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};
use thiserror::Error;

/// Images in the IDX format (MNIST), plain, gzip or zstd.
#[derive(Clone, Debug, Described, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields, rename = "Idx")]
pub struct IdxFiles {
    /// The file of images.
    #[range(FileName)]
    pub images: String,
    /// The file of labels.
    #[serde(default)]
    #[range(FileName)]
    pub labels: Option<String>,
}

impl DataSource for IdxFiles {
    fn kind(&self) -> DataKind {
        DataKind::Examples
    }

    fn files(&self) -> Vec<&str> {
        [&self.images].into_iter().chain(&self.labels).map(String::as_str).collect()
    }

    fn is_labelled(&self) -> bool {
        self.labels.is_some()
    }

    fn read(&self, with: &Reading<'_>) -> Result<Observations, ReadError> {
        let data = read_idx(&with.files[0], with.files.get(1).map(PathBuf::as_path))?;
        Ok(Observations::Examples(data))
    }

    fn size_field(&self) -> &'static str {
        "data.images"
    }

    fn examples() -> Vec<Self> {
        vec![Self { images: "images.gz".to_owned(), labels: None }]
    }
}

const IMAGES: Kind = Kind { magic: 2051, words: 4, name: "images" };
const LABELS: Kind = Kind { magic: 2049, words: 2, name: "labels" };

#[derive(Clone, Copy)]
struct Kind {
    magic: u32,
    /// Words of the header, the magic number included.
    words: usize,
    name: &'static str,
}

/// Why files give no data set.
#[derive(Debug, Error)]
pub enum IdxError {
    /// The file cannot be opened or read, or its gzip stream is damaged.
    #[error("{}: {source}", .path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system or the decompressor says.
        source: std::io::Error,
    },
    /// Not the kind of file that was asked for.
    #[error("{}: not an IDX file of {what}: expected magic number {expected}, found {found}", .path.display())]
    Magic {
        /// The file.
        path: PathBuf,
        /// "images" or "labels".
        what: &'static str,
        /// 2051 or 2049.
        expected: u32,
        /// The first word of the file.
        found: u32,
    },
    /// The file ends too early.
    #[error("{}: truncated: expected {expected} bytes, found {found}{}", .path.display(), if *.packed { " \
        (uncompressed)" } else { "" })]
    Truncated {
        /// The file.
        path: PathBuf,
        /// Bytes that the header promises, header included.
        expected: u64,
        /// Bytes there are.
        found: u64,
        /// Whether the file is gzipped: bytes are counted after decompression.
        packed: bool,
    },
    /// The file goes on after its last number.
    #[error("{}: bytes after the end: the header promises {expected} bytes, header included", .path.display())]
    Trailing {
        /// The file.
        path: PathBuf,
        /// Bytes that the header promises, header included.
        expected: u64,
    },
    /// A dimension in the header is 0, or their product too large.
    #[error("{}: impossible dimensions {dimensions:?} in the header", .path.display())]
    Dimensions {
        /// The file.
        path: PathBuf,
        /// The words after the magic number.
        dimensions: Vec<u32>,
    },
    /// Images and labels do not belong together.
    #[error("{} has {}, but {} has {}", .image_path.display(), so_many(.images, "image"), .label_path.display(),
        so_many(.labels, "label"))]
    Count {
        /// File of images.
        image_path: PathBuf,
        /// File of labels.
        label_path: PathBuf,
        /// Number of images.
        images: usize,
        /// Number of labels.
        labels: usize,
    },
    /// The table is not a data set.
    #[error("{}: {source}", .path.display())]
    DataSet {
        /// File of images.
        path: PathBuf,
        /// The broken invariant.
        source: DataSetError,
    },
}

/// Reads images as examples (one number 0..=255 per pixel, row by row; columns `pixel 0`, `pixel 1`, …) with the labels
/// of `labels`, if given. Both may be gzipped; the first two bytes tell.
///
/// # Errors
/// [`IdxError`]; every message names the file.
pub fn read_idx(images: &Path, labels: Option<&Path>) -> Result<DataSet, IdxError> {
    let (dimensions, pixels) = read_bytes(images, IMAGES)?;
    let codes = labels.map(|path| read_labels(images, dimensions[0] as usize, path)).transpose()?;
    let d = dimensions[1] as usize * dimensions[2] as usize;
    let columns = (0..d).map(|pixel| format!("pixel {pixel}")).collect();
    let rows = pixels.iter().map(|&byte| f64::from(byte)).collect();
    DataSet::new(columns, rows, codes, None).map_err(|source| IdxError::DataSet { path: images.to_owned(), source })
}

fn read_labels(image_path: &Path, images: usize, path: &Path) -> Result<Vec<u32>, IdxError> {
    let (_, bytes) = read_bytes(path, LABELS)?;
    if bytes.len() != images {
        let (image_path, label_path) = (image_path.to_owned(), path.to_owned());
        return Err(IdxError::Count { image_path, label_path, images, labels: bytes.len() });
    }
    Ok(bytes.into_iter().map(u32::from).collect())
}

/// The dimensions of the header and the bytes after it.
fn read_bytes(path: &Path, kind: Kind) -> Result<(Vec<u32>, Vec<u8>), IdxError> {
    let mut source = Source::open(path)?;
    let header_length = 4 * kind.words as u64;
    let mut header = Vec::new();
    source.fill(header_length, 0, header_length, &mut header)?;
    let words: Vec<u32> = header.as_chunks::<4>().0.iter().map(|&word| u32::from_be_bytes(word)).collect();
    if words[0] != kind.magic {
        let (what, expected, found) = (kind.name, kind.magic, words[0]);
        return Err(IdxError::Magic { path: path.to_owned(), what, expected, found });
    }
    let dimensions = words[1..].to_vec();
    let impossible = || IdxError::Dimensions { path: path.to_owned(), dimensions: dimensions.clone() };
    let length = dimensions.iter().try_fold(1u64, |product, &n| product.checked_mul(u64::from(n)));
    let length = length.filter(|&length| length > 0 && length < 1 << 48).ok_or_else(impossible)?;
    // A byte, and the number that it becomes.
    packed::room_for_columns(length.saturating_mul(9), (length / u64::from(words[1])) as usize)
        .map_err(|source| IdxError::Io { path: path.to_owned(), source })?;
    let mut bytes = Vec::new();
    source.fill(length, header_length, header_length + length, &mut bytes)?;
    source.end(header_length + length)?;
    Ok((dimensions, bytes))
}

/// An open file, decompressed if need be.
struct Source<'a> {
    path: &'a Path,
    packed: bool,
    reader: Box<dyn Read>,
}

impl<'a> Source<'a> {
    fn open(path: &'a Path) -> Result<Self, IdxError> {
        let io = |source| IdxError::Io { path: path.to_owned(), source };
        let (reader, packed) = packed::open(path).map_err(io)?;
        Ok(Self { path, packed, reader })
    }

    /// Reads `length` bytes after `before` of the `expected` ones. The buffer grows with what is there, not with what
    /// the header claims.
    fn fill(&mut self, length: u64, before: u64, expected: u64, into: &mut Vec<u8>) -> Result<(), IdxError> {
        match self.reader.by_ref().take(length).read_to_end(into) {
            Err(source) if source.kind() != ErrorKind::UnexpectedEof => {
                Err(IdxError::Io { path: self.path.to_owned(), source })
            }
            _ if (into.len() as u64) < length => {
                let (path, found) = (self.path.to_owned(), before + into.len() as u64);
                Err(IdxError::Truncated { path, expected, found, packed: self.packed })
            }
            _ => Ok(()),
        }
    }

    /// The end must be here; for gzip this also checks the checksum.
    fn end(&mut self, expected: u64) -> Result<(), IdxError> {
        let mut more = Vec::new();
        match self.reader.by_ref().take(1).read_to_end(&mut more) {
            Err(source) => Err(IdxError::Io { path: self.path.to_owned(), source }),
            Ok(0) => Ok(()),
            Ok(_) => Err(IdxError::Trailing { path: self.path.to_owned(), expected }),
        }
    }
}
