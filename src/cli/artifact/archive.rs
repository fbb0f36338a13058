//! The archive: a ZIP file whose files have one date, so that the same content has the same bytes.

use std::collections::BTreeSet;
use std::io::{self, Read, Write};
use std::path::{Component, Path, PathBuf};

use fedbits_record::{RecordError, is_temporary, write_new_with};
use fedbits_scenarios::known_files::{KNOWN_SETS, KnownSet};
use flate2::Compression;
use flate2::write::DeflateEncoder;
use hmac_sha256::Hash;
use rawzip::time::UtcDateTime;
use rawzip::{CompressionMethod, ZipArchiveWriter};

use crate::cli::data::transfer::hexadecimal;
use crate::cli::failure::Failure;
use crate::error::Error;

/// The first day that ZIP files know, 1980-01-01.
const FIRST_DAY: i64 = 315_532_800;
/// Damaged bytes that `run` set aside are no results.
const DAMAGED: &str = "damaged";

/// A data file.
pub(super) struct DataFile {
    /// Its path in `data/`.
    pub name: String,
    pub source: PathBuf,
    pub bytes: u64,
    /// In hexadecimal.
    pub sha256: String,
}

impl DataFile {
    /// The public data set that these bytes are of.
    pub(super) fn known(&self) -> Option<&'static KnownSet> {
        KNOWN_SETS.iter().find(|set| set.files.iter().any(|file| file.sha256 == self.sha256))
    }
}

/// A file of the archive: its path, with slashes, and what it holds. The path of a folder ends with one.
pub(super) type ArchiveFile = (String, Content);

pub(super) enum Content {
    Folder,
    Text(String),
    File(PathBuf),
}

/// Names that unpack to the same on every system.
fn check_names(files: &[ArchiveFile]) -> Result<(), Failure> {
    let mut known = BTreeSet::new();
    for (path, _) in files {
        if path.contains(|c: char| c.is_control() || c == ':' || c == '\\') {
            let expected = "expected names without `:`, `\\` and control characters, which not every system can unpack";
            return Err(Failure::Input(format!("{path:?} would be in the archive: {expected}")));
        }
        if !known.insert(path) {
            return Err(Failure::Input(format!("{path} would be in the archive twice: expected different names")));
        }
    }
    Ok(())
}

/// Writes a new file: whole, or not at all. The last file of the archive has the SHA-256 of all others, and of
/// `missing` ones, which the reader has to get.
pub(super) fn write(out: &Path, files: &[ArchiveFile], missing: &str) -> Result<(), Failure> {
    check_names(files)?;
    let written = write_new_with(out, |file| {
        let to_archive = |source| Error::Record(RecordError::Io { path: out.to_path_buf(), source });
        let mut archive = ZipArchiveWriter::new(io::BufWriter::new(file));
        let mut sums = missing.to_owned();
        for (path, content) in files {
            if let Some(sum) = add(&mut archive, (path.as_str(), content), &to_archive)? {
                sums += &format!("{sum}  {path}\n");
            }
        }
        add(&mut archive, ("SHA256SUMS", &Content::Text(sums)), &to_archive)?;
        let mut file = archive.finish().map_err(|error| to_archive(io::Error::other(error)))?;
        file.flush().map_err(to_archive)
    });
    Ok(written?)
}

/// Adds a file; returns its SHA-256 in hexadecimal, of a folder nothing.
fn add<W: Write>(
    archive: &mut ZipArchiveWriter<W>,
    (path, content): (&str, &Content),
    to_archive: &dyn Fn(io::Error) -> Error,
) -> Result<Option<String>, Error> {
    let zip = |error: rawzip::Error| to_archive(io::Error::other(error));
    let date = UtcDateTime::from_unix(FIRST_DAY);
    if let Content::Folder = content {
        archive.new_dir(path).last_modified(date).unix_permissions(0o755).create().map_err(zip)?;
        return Ok(None);
    }
    let mode = if path.ends_with(".sh") { 0o755 } else { 0o644 };
    let entry = archive.new_file(path).compression_method(CompressionMethod::DEFLATE);
    let (mut entry, config) = entry.last_modified(date).unix_permissions(mode).start().map_err(zip)?;
    let mut writer = config.wrap(DeflateEncoder::new(&mut entry, Compression::default()));
    let mut hash = Hash::new();
    let mut take = |piece: &[u8]| {
        hash.update(piece);
        writer.write_all(piece).map_err(to_archive)
    };
    match content {
        Content::Folder => {}
        Content::Text(text) => take(text.as_bytes())?,
        Content::File(path) => {
            let read = |error| Error::file(path, error);
            let (mut source, mut piece) = (fedbits_spec::files::open(path).map_err(read)?, vec![0; 1 << 16]);
            loop {
                match source.read(&mut piece).map_err(read)? {
                    0 => break,
                    count => take(&piece[..count])?,
                }
            }
        }
    }
    let (encoder, descriptor) = writer.finish().map_err(zip)?;
    encoder.finish().map_err(to_archive)?;
    entry.finish(descriptor).map_err(zip)?;
    Ok(Some(hexadecimal(hash)))
}

/// The files below a folder, sorted, without temporary and damaged ones; none when there is no folder.
pub(super) fn files_in(folder: &Path) -> Result<Vec<PathBuf>, Failure> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(folder) = folders.pop() {
        let failure = |error: &io::Error| Failure::file(&folder, error);
        let Some(entries) =
            fedbits_spec::files::if_there(std::fs::read_dir(&folder)).map_err(|error| failure(&error))?
        else {
            continue;
        };
        for entry in entries {
            let entry = entry.map_err(|error| failure(&error))?;
            let (path, kind) = (entry.path(), entry.file_type().map_err(|error| failure(&error))?);
            if is_temporary(&entry.file_name()) || kind.is_dir() && entry.file_name() == DAMAGED {
                continue;
            }
            match kind {
                kind if kind.is_dir() => folders.push(path),
                kind if kind.is_file() => found.push(path),
                _ => {
                    let expected = "expected only files and folders, so that the archive is complete elsewhere";
                    return Err(Failure::Input(format!("{} is neither: {expected}", path.display())));
                }
            }
        }
    }
    found.sort();
    Ok(found)
}

/// The day of so many seconds since 1970, as in ISO 8601.
pub(super) fn iso_day(seconds: i64) -> String {
    let date = UtcDateTime::from_unix(seconds);
    format!("{:04}-{:02}-{:02}", date.year(), date.month(), date.day())
}

/// A relative path with slashes.
pub(super) fn slashed(path: &Path) -> String {
    let parts = path.components().filter_map(|part| match part {
        Component::Normal(part) => Some(part.to_string_lossy()),
        _ => None,
    });
    parts.collect::<Vec<_>>().join("/")
}

/// The path in `data/` at which `verify --data data` looks first for what a scenario calls `name`: all its folders but
/// `..` and the root, and the name of the file.
pub(super) fn data_name(name: &str, source: &Path) -> String {
    let file = source.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let folder = Path::new(name).parent().map(slashed).unwrap_or_default();
    if folder.is_empty() { file } else { format!("{folder}/{file}") }
}
