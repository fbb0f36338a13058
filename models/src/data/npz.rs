//! Files of several arrays of NumPy (`.npz`): zip archives of `.npy` files, stored or deflated.

use std::io::{self, Read};
use std::path::Path;

use flate2::read::DeflateDecoder;
use rawzip::{CompressionMethod, RECOMMENDED_BUFFER_SIZE, ZipArchive};
use strsim::damerau_levenshtein;

use super::error::FileError;

/// How an archive with something in it begins.
const MAGIC: [u8; 4] = *b"PK\x03\x04";
/// Names that an error lists.
const LISTED: usize = 20;

/// Whether the file at `path` is a zip archive.
pub(super) fn is_npz(path: &Path) -> bool {
    let mut head = [0; MAGIC.len()];
    fedbits_spec::files::reader(path).and_then(|mut file| file.read_exact(&mut head)).is_ok() && head == MAGIC
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
