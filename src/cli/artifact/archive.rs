//! The archive: a ZIP file without dates of its files, so that the same content has the same bytes.

use std::io::{self, Write};
use std::path::{Component, Path, PathBuf};

use fedbits_record::{RecordError, is_temporary, write_new_with};
use fedbits_scenarios::known_files::{KNOWN_SETS, KnownSet};
use flate2::Compression;
use flate2::write::DeflateEncoder;
use rawzip::time::UtcDateTime;
use rawzip::{CompressionMethod, ZipArchiveWriter};

use crate::cli::failure::Failure;
use crate::error::Error;

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
    /// Whether the reader has to get it elsewhere.
    pub without: bool,
}

impl DataFile {
    /// The public data set that these bytes are of.
    pub(super) fn known(&self) -> Option<&'static KnownSet> {
        KNOWN_SETS.iter().find(|set| set.files.iter().any(|file| file.sha256 == self.sha256))
    }
}

/// A file of the archive.
pub(super) struct ArchiveFile {
    /// Its path, with slashes.
    path: String,
    content: Content,
}

enum Content {
    Folder,
    Text(String),
    File(PathBuf),
}

impl ArchiveFile {
    pub(super) fn text(path: &str, text: String) -> Self {
        Self { path: path.to_owned(), content: Content::Text(text) }
    }

    pub(super) fn folder(path: &str) -> Self {
        Self { path: format!("{path}/"), content: Content::Folder }
    }

    pub(super) fn file(path: &str, source: &Path) -> Self {
        Self { path: path.to_owned(), content: Content::File(source.to_path_buf()) }
    }
}

/// Writes a new file: whole, or not at all.
pub(super) fn write(out: &Path, files: &[ArchiveFile]) -> Result<(), Failure> {
    let written = write_new_with(out, |file| {
        let io = |source| Error::Record(RecordError::Io { path: out.to_path_buf(), source });
        let mut archive = ZipArchiveWriter::new(io::BufWriter::new(file));
        for file in files {
            add(&mut archive, file).map_err(|error| match &file.content {
                Content::File(path) => Error::file(path, error),
                Content::Text(_) | Content::Folder => io(error),
            })?;
        }
        let mut file = archive.finish().map_err(|error| io(io::Error::other(error)))?;
        file.flush().map_err(io)
    });
    Ok(written?)
}

fn add<W: Write>(archive: &mut ZipArchiveWriter<W>, file: &ArchiveFile) -> io::Result<()> {
    if let Content::Folder = file.content {
        return archive.new_dir(file.path.as_str()).create().map(drop).map_err(io::Error::other);
    }
    let mode = if file.path.ends_with(".sh") { 0o755 } else { 0o644 };
    let entry = archive.new_file(file.path.as_str()).compression_method(CompressionMethod::DEFLATE);
    let (mut entry, config) = entry.unix_permissions(mode).start().map_err(io::Error::other)?;
    let mut writer = config.wrap(DeflateEncoder::new(&mut entry, Compression::default()));
    match &file.content {
        Content::Folder => {}
        Content::Text(text) => writer.write_all(text.as_bytes())?,
        Content::File(path) => drop(io::copy(&mut fedbits_spec::files::open(path)?, &mut writer)?),
    }
    let (encoder, descriptor) = writer.finish().map_err(io::Error::other)?;
    encoder.finish()?;
    entry.finish(descriptor).map(drop).map_err(io::Error::other)
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

/// The path in `data/` at which `verify --data data` finds what a scenario calls `name`: the same path if it stays in
/// its folder, else the name of the file, without the folders of the author's machine.
pub(super) fn data_name(name: &str, source: &Path) -> String {
    let file = source.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let named = Path::new(name);
    let is_inside = |part: Component<'_>| matches!(part, Component::Normal(_) | Component::CurDir);
    let folder = named.parent().filter(|_| named.components().all(is_inside)).map(slashed).unwrap_or_default();
    if folder.is_empty() { file } else { format!("{folder}/{file}") }
}
