//! IDX files (MNIST): unsigned bytes as images and labels, gzipped or not.
//!
//! Format: big-endian u32 words (magic 2051, images, rows, columns; or magic 2049, labels), then one byte per number.

use super::packed;
use super::{DataKind, DataSet, DataSource, FileError, MemoryLimit, Observations, ReadError, Reading, SourceFacts};
use fedbits_spec::range::FileName;
use fedbits_spec::{Described, so_many};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// Images in the IDX format (MNIST), plain, gzip or zstd.
#[derive(Clone, Debug, Described, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields, rename = "Idx")]
pub struct IdxFiles {
    /// Images.
    #[range(FileName)]
    pub images: String,
    /// Labels.
    #[serde(default)]
    #[range(FileName)]
    pub labels: Option<String>,
}

impl DataSource for IdxFiles {
    fn facts(&self) -> SourceFacts {
        let is_labelled = self.labels.is_some();
        SourceFacts { is_labelled, size_field: "data.images", ..SourceFacts::read(DataKind::Examples, None) }
    }

    fn files(&self) -> Vec<&str> {
        [&self.images].into_iter().chain(&self.labels).map(String::as_str).collect()
    }

    fn read(&self, with: &Reading<'_>) -> Result<Observations, ReadError> {
        let data = read_idx(&with.files[0], with.files.get(1).map(PathBuf::as_path), with.limit)?;
        Ok(Observations::Examples(data))
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

/// Reads images as examples (one number 0..=255 per pixel, row by row; columns `pixel 0`, `pixel 1`, …) with the labels
/// of `labels`, if given. Both may be gzipped; the first two bytes tell.
///
/// # Errors
/// [`FileError`]; every message names the file.
pub fn read_idx(images: &Path, labels: Option<&Path>, limit: MemoryLimit) -> Result<DataSet, FileError> {
    let (dimensions, pixels) = read_bytes(images, IMAGES, limit)?;
    let codes = labels.map(|path| read_labels((images, dimensions[0] as usize), path, limit)).transpose()?;
    let d = dimensions[1] as usize * dimensions[2] as usize;
    let columns = (0..d).map(|pixel| format!("pixel {pixel}")).collect();
    let rows = pixels.iter().map(|&byte| f64::from(byte)).collect();
    DataSet::new(columns, rows, codes, None).map_err(FileError::no_data_set(images))
}

fn read_labels(images: (&Path, usize), path: &Path, limit: MemoryLimit) -> Result<Vec<u32>, FileError> {
    let (_, bytes) = read_bytes(path, LABELS, limit)?;
    if bytes.len() != images.1 {
        let (count, labels) = (so_many(images.1, "image"), so_many(bytes.len(), "label"));
        return Err(FileError::content(path, format!("a label for each of {count} in {}", images.0.display()), labels));
    }
    Ok(bytes.into_iter().map(u32::from).collect())
}

/// The dimensions of the header and the bytes after it.
fn read_bytes(path: &Path, kind: Kind, limit: MemoryLimit) -> Result<(Vec<u32>, Vec<u8>), FileError> {
    let (mut file, _) = packed::open(path, limit).map_err(FileError::io(path))?;
    let header = packed::exactly(path, &mut file, 4 * kind.words as u64, "its header")?;
    let words: Vec<u32> = header.as_chunks::<4>().0.iter().map(|&word| u32::from_be_bytes(word)).collect();
    if words[0] != kind.magic {
        let expected = format!("an IDX file of {}, with the magic number {}", kind.name, kind.magic);
        return Err(FileError::content(path, expected, words[0].to_string()));
    }
    let dimensions = words[1..].to_vec();
    let impossible = || FileError::content(path, "dimensions of a data set in the header", format!("{dimensions:?}"));
    let length = dimensions.iter().try_fold(1u64, |product, &n| product.checked_mul(u64::from(n)));
    let length = length.filter(|&length| length > 0 && length < 1 << 48).ok_or_else(impossible)?;
    // A byte, and the number that it becomes.
    let columns = (length / u64::from(words[1])) as usize;
    limit.allows_columns(length.saturating_mul(9), columns).map_err(FileError::io(path))?;
    let bytes = packed::exactly(path, &mut file, length, "numbers")?;
    packed::nothing_behind(path, &mut file, length)?;
    Ok((dimensions, bytes))
}
