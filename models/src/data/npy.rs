//! Arrays of NumPy (`.npy`, versions 1 to 3, or in a `.npz`): numbers in two dimensions, or in one, or in several of
//! which all but the first are features; labels from a second array. A `.npz` file is a zip archive of `.npy` files,
//! stored or deflated.

use super::codes::{Codes, name_of};
use super::packed;
use super::{
    Coding, DataKind, DataSet, DataSource, FileError, MemoryLimit, Observations, ReadError, Reading, SourceFacts,
};
use fedbits_spec::range::FileName;
use fedbits_spec::{Described, so_many};
use flate2::read::DeflateDecoder;
use rawzip::{CompressionMethod, RECOMMENDED_BUFFER_SIZE, ZipArchive};
use serde::{Deserialize, Serialize};
use std::io::{self, Read};
use std::path::Path;
use strsim::damerau_levenshtein;

/// A NumPy array (`.npy`, plain, gzip or zstd, or in a `.npz`), one example per row.
#[derive(Clone, Debug, Described, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields, rename = "Npy")]
pub struct NpyFiles {
    /// Features, also in dimensions after the second.
    #[range(FileName)]
    pub path: String,
    /// Array in an `.npz` file with several.
    #[serde(default)]
    pub array: Option<String>,
    /// Labels: one whole number per example.
    #[serde(default)]
    #[range(FileName)]
    pub labels: Option<String>,
    /// Label array in the `.npz` file `labels` or, without it, `path`.
    #[serde(default)]
    pub labels_array: Option<String>,
}

impl DataSource for NpyFiles {
    fn facts(&self) -> SourceFacts {
        let is_labelled = self.labels.is_some() || self.labels_array.is_some();
        SourceFacts { is_labelled, ..SourceFacts::read(DataKind::Examples, None) }
    }

    fn files(&self) -> Vec<&str> {
        [&self.path].into_iter().chain(&self.labels).map(String::as_str).collect()
    }

    fn read(&self, with: &Reading<'_>) -> Result<Observations, ReadError> {
        let examples = Stored { path: &with.files[0], array: self.array.as_deref() };
        let path = with.files.get(1).unwrap_or(&with.files[0]);
        let labels = self.facts().is_labelled.then(|| Stored { path, array: self.labels_array.as_deref() });
        let (data, coding) = read_npy(examples, labels, with.limit)?;
        with.remarks.code(coding);
        Ok(Observations::Examples(data))
    }

    fn examples() -> Vec<Self> {
        vec![Self { path: "examples.npy".to_owned(), array: None, labels: None, labels_array: None }]
    }
}

/// Where an array is.
#[derive(Clone, Copy, Debug)]
pub struct Stored<'a> {
    /// The file.
    pub path: &'a Path,
    /// Its name in a file of several.
    pub array: Option<&'a str>,
}

impl<'a> From<&'a Path> for Stored<'a> {
    fn from(path: &'a Path) -> Self {
        Self { path, array: None }
    }
}

/// Reads examples, and their labels from a second array, with the names of the classes.
///
/// # Errors
/// [`FileError`] names the file and says what was expected.
pub fn read_npy(
    examples: Stored<'_>,
    labels: Option<Stored<'_>>,
    limit: MemoryLimit,
) -> Result<(DataSet, Coding), FileError> {
    let path = examples.path;
    let array = Array::read(examples, limit)?;
    let (n, d) = (array.shape[0], array.shape[1..].iter().product::<usize>());
    let (classes, labels) = labels.map(|stored| labels_of(stored, n, limit)).transpose()?.unzip();
    let rows = array.rows(path)?;
    let columns = (0..d).map(|column| format!("column {column}")).collect();
    let coding = Coding { classes: classes.unwrap_or_default(), ..Coding::default() };
    let data = DataSet::new(columns, rows, labels, None);
    data.map(|data| (data, coding)).map_err(FileError::no_data_set(path))
}

/// The names of the classes, and the class of every example.
fn labels_of(stored: Stored<'_>, n: usize, limit: MemoryLimit) -> Result<(Vec<String>, Vec<u32>), FileError> {
    let path = stored.path;
    let array = Array::read(stored, limit)?;
    if array.numbers.len() != n {
        let expected = format!("{}, one per example", so_many(n, "label"));
        return Err(FileError::content(path, expected, array.numbers.len().to_string()));
    }
    let mut codes = Codes::default();
    for (index, &number) in array.numbers.iter().enumerate() {
        if !number.is_finite() || number != libm::floor(number) {
            let found = format!("{number} at {index} (counted from 0)");
            return Err(FileError::content(path, "whole numbers as labels", found));
        }
        codes.push(&name_of(number));
    }
    Ok(codes.finish())
}

struct Array {
    shape: Vec<usize>,
    fortran: bool,
    numbers: Vec<f64>,
}

const MAGIC: [u8; 6] = *b"\x93NUMPY";
/// A header describes an array in a line; a longer one is none.
const LONGEST_HEADER: usize = 1 << 16;
/// 2⁵³.
const LARGEST_WHOLE: f64 = 9_007_199_254_740_992.0;

impl Array {
    fn read(Stored { path, array }: Stored<'_>, limit: MemoryLimit) -> Result<Self, FileError> {
        if is_npz(path) {
            return with_array(path, array, |file| Self::parse(path, file, limit));
        }
        if let Some(name) = array {
            let expected = format!("a file of several arrays (`.npz`), for the name `{name}`");
            return Err(FileError::content(path, expected, "another file"));
        }
        let (mut file, _) = packed::open(path, limit).map_err(FileError::io(path))?;
        Self::parse(path, &mut file, limit)
    }

    fn parse(path: &Path, file: &mut dyn Read, limit: MemoryLimit) -> Result<Self, FileError> {
        let mut fill = |bytes: usize, of: &str| packed::exactly(path, &mut *file, bytes as u64, of);
        let head = fill(8, "a `.npy` file")?;
        if !head.starts_with(&MAGIC) {
            return Err(FileError::content(path, "an array of NumPy (`.npy`)", "other bytes"));
        }
        let version = head[6];
        let length = match version {
            1 => fill(2, "its header")?.iter().rev().fold(0, |sum, &byte| sum << 8 | usize::from(byte)),
            2 | 3 => fill(4, "its header")?.iter().rev().fold(0, |sum, &byte| sum << 8 | usize::from(byte)),
            _ => return Err(FileError::content(path, "version 1, 2 or 3 of the format", format!("version {version}"))),
        };
        if length > LONGEST_HEADER {
            let expected = format!("a header of at most {LONGEST_HEADER} bytes");
            return Err(FileError::content(path, expected, length.to_string()));
        }
        let header = String::from_utf8_lossy(&fill(length, "its header")?).into_owned();
        let unreadable =
            |what: &str| FileError::content(path, format!("a header with {what}"), format!("`{}`", header.trim()));
        let kind = Kind::of(entry(&header, "descr").ok_or_else(|| unreadable("'descr'"))?)
            .map_err(|found| FileError::content(path, "floats of 2, 4 or 8 bytes or integers of 1 to 8", found))?;
        let fortran = entry(&header, "fortran_order").ok_or_else(|| unreadable("'fortran_order'"))? == "True";
        let shape = shape_of(entry(&header, "shape").ok_or_else(|| unreadable("'shape'"))?);
        let shape = shape.ok_or_else(|| unreadable("a shape of whole numbers"))?;
        let count = shape.iter().try_fold(1_usize, |product, &side| product.checked_mul(side));
        let count = count.filter(|&count| count > 0 && !shape.is_empty() && (count as u64) < 1 << 48);
        let count = count.ok_or_else(|| {
            FileError::content(path, "an array with at least one row and one column", format!("{shape:?}"))
        })?;
        let bytes = (count as u64).saturating_mul(16 + kind.bytes as u64);
        limit.allows_columns(bytes, count / shape[0]).map_err(FileError::io(path))?;
        let bytes = fill(count * kind.bytes, "numbers")?;
        packed::nothing_behind(path, file, count as u64)?;
        let numbers: Vec<f64> = bytes.chunks_exact(kind.bytes).map(|number| kind.number(number)).collect();
        let inexact = numbers.iter().find(|number| kind.letter != b'f' && number.abs() > LARGEST_WHOLE);
        if let Some(number) = inexact {
            let expected = "integers of at most 2^53, which are exact as floats";
            return Err(FileError::content(path, expected, number.to_string()));
        }
        Ok(Self { shape, fortran, numbers })
    }

    /// Row by row.
    fn rows(self, path: &Path) -> Result<Vec<f64>, FileError> {
        if !self.fortran || self.shape.len() < 2 {
            return Ok(self.numbers);
        }
        let [n, d] = self.shape[..] else {
            return Err(FileError::content(path, "two dimensions in Fortran's order", format!("{:?}", self.shape)));
        };
        Ok((0..n * d).map(|place| self.numbers[place % d * n + place / d]).collect())
    }
}

/// What stands behind a key in the header, which is a dictionary of Python.
fn entry<'h>(header: &'h str, key: &str) -> Option<&'h str> {
    let (_, rest) = ["'", "\""].iter().find_map(|quote| header.split_once(&format!("{quote}{key}{quote}")))?;
    let rest = rest.trim_start().strip_prefix(':')?.trim_start();
    let end = match rest.chars().next()? {
        '(' => rest.find(')')? + 1,
        quote @ ('\'' | '"') => rest[1..].find(quote)? + 2,
        '[' => rest.find(']')? + 1,
        _ => rest.find([',', '}'])?,
    };
    Some(rest[..end].trim())
}

fn shape_of(text: &str) -> Option<Vec<usize>> {
    let sides = text.strip_prefix('(')?.strip_suffix(')')?.split(',').map(str::trim).filter(|side| !side.is_empty());
    sides.map(|side| side.trim_end_matches('L').parse().ok()).collect()
}

/// How a number is written.
#[derive(Clone, Copy)]
struct Kind {
    letter: u8,
    bytes: usize,
    big_endian: bool,
}

impl Kind {
    fn of(text: &str) -> Result<Self, String> {
        let inner = text.trim_matches(['\'', '"']).as_bytes();
        let [order @ (b'<' | b'>' | b'|' | b'='), letter, size @ ..] = inner else { return Err(text.to_owned()) };
        let bytes = std::str::from_utf8(size).ok().and_then(|size| size.parse().ok()).unwrap_or(0);
        let known = match letter {
            b'f' => matches!(bytes, 2 | 4 | 8),
            b'i' | b'u' => matches!(bytes, 1 | 2 | 4 | 8),
            b'b' => bytes == 1,
            _ => false,
        };
        if known { Ok(Self { letter: *letter, bytes, big_endian: *order == b'>' }) } else { Err(text.to_owned()) }
    }

    fn number(self, bytes: &[u8]) -> f64 {
        let bits = |sum: u64, &byte: &u8| sum << 8 | u64::from(byte);
        let bits = if self.big_endian { bytes.iter().fold(0, bits) } else { bytes.iter().rev().fold(0, bits) };
        let unused = 64 - 8 * self.bytes as u32;
        match (self.letter, self.bytes) {
            (b'f', 2) => half(bits as u16),
            (b'f', 4) => f64::from(f32::from_bits(bits as u32)),
            (b'f', _) => f64::from_bits(bits),
            (b'i', _) => ((bits << unused) as i64 >> unused) as f64,
            _ => bits as f64,
        }
    }
}

/// The value of a float of 2 bytes (IEEE 754 binary16): a sign, 5 bits of the exponent, 10 of the mantissa.
fn half(bits: u16) -> f64 {
    let (exponent, mantissa) = (i32::from(bits >> 10 & 31), f64::from(bits & 1023));
    let size = match exponent {
        0 => libm::ldexp(mantissa, -24),
        31 if mantissa == 0.0 => f64::INFINITY,
        31 => f64::NAN,
        _ => libm::ldexp(1024.0 + mantissa, exponent - 25),
    };
    if bits >> 15 == 1 { -size } else { size }
}

/// How an archive with something in it begins.
const ZIP_MAGIC: [u8; 4] = *b"PK\x03\x04";
/// Names that an error lists.
const LISTED: usize = 20;

/// Whether the file at `path` is a zip archive.
pub(super) fn is_npz(path: &Path) -> bool {
    let mut head = [0; ZIP_MAGIC.len()];
    fedbits_spec::files::reader(path).and_then(|mut file| file.read_exact(&mut head)).is_ok() && head == ZIP_MAGIC
}

/// What `read` makes of the `.npy` file of an array in an archive: of the one named, or of the only one.
pub(super) fn with_array<T>(
    path: &Path,
    name: Option<&str>,
    read: impl FnOnce(&mut dyn Read) -> Result<T, FileError>,
) -> Result<T, FileError> {
    let zip = |error: rawzip::Error| FileError::io(path)(io::Error::new(io::ErrorKind::InvalidData, error));
    let file = fedbits_spec::files::open(path).map_err(FileError::io(path))?;
    let mut buffer = vec![0; RECOMMENDED_BUFFER_SIZE];
    let archive = ZipArchive::from_file(file, &mut buffer).map_err(zip)?;
    let (mut names, mut found, mut count) = (Vec::new(), None, 0_u64);
    let mut entries = archive.entries(&mut buffer);
    while let Some(entry) = entries.next_entry().map_err(zip)? {
        let title = String::from_utf8_lossy(entry.file_path().as_ref()).into_owned();
        let Some(title) = title.strip_suffix(".npy") else { continue };
        count += 1;
        if name.is_none_or(|name| name == title) {
            found = Some((entry.wayfinder(), entry.compression_method()));
        }
        if names.len() < LISTED {
            names.push(title.to_owned());
        }
    }
    let (place, method) = match found {
        Some(found) if name.is_some() || count == 1 => found,
        _ => return Err(no_array(path, name, &names, count)),
    };
    let entry = archive.get_entry(place).map_err(zip)?;
    match method {
        CompressionMethod::STORE => read(&mut entry.verifying_reader(entry.reader())),
        CompressionMethod::DEFLATE => read(&mut entry.verifying_reader(DeflateDecoder::new(entry.reader()))),
        other => Err(FileError::content(
            path,
            "an archive that is stored or deflated, as NumPy writes it",
            format!("{other:?}"),
        )),
    }
}

fn no_array(path: &Path, name: Option<&str>, names: &[String], count: u64) -> FileError {
    let more = if count > names.len() as u64 { ", …" } else { "" };
    let listed = names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
    let listed = if count == 0 { "no array at all".to_owned() } else { format!("{listed}{more}") };
    match name {
        None => FileError::content(path, "the name of one of its arrays (`array`, `labels_array`)", listed),
        Some(wanted) => {
            let near = names.iter().min_by_key(|name| damerau_levenshtein(name, wanted));
            let near = near.filter(|name| damerau_levenshtein(name, wanted) <= 2);
            let hint = near.map_or_else(String::new, |near| format!("; did you mean `{near}`?"));
            FileError::content(path, format!("an array `{wanted}`"), format!("{listed}{hint}"))
        }
    }
}
