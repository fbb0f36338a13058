//! Files that are being fetched.

use std::io::{ErrorKind, Read};
use std::path::Path;

use hmac_sha256::Hash;

use crate::cli::failure::Failure;

pub(super) fn length(path: &Path) -> u64 {
    path.metadata().map_or(0, |metadata| metadata.len())
}

pub(super) fn remove(path: &Path) -> Result<(), Failure> {
    match std::fs::remove_file(path) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(Failure::file(path, &error)),
        _ => Ok(()),
    }
}

/// SHA-256 of a file, in hexadecimal; none when it is not there.
pub(super) fn sum(path: &Path) -> Result<Option<String>, Failure> {
    let mut file = match fedbits_spec::files::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(Failure::file(path, &error)),
    };
    let (mut hash, mut piece) = (Hash::new(), vec![0; 1 << 16]);
    loop {
        match file.read(&mut piece).map_err(|error| Failure::file(path, &error))? {
            0 => return Ok(Some(hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect())),
            count => hash.update(&piece[..count]),
        }
    }
}
