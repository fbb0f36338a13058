//! Files that may be packed with gzip: their first two bytes say so. It must not know what is in them.

use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;

use flate2::bufread::MultiGzDecoder;

/// How a file in gzip (RFC 1952) begins.
const MAGIC: [u8; 2] = [0x1f, 0x8b];

/// What is in the file at `path`, unpacked, and whether it is packed.
///
/// # Errors
/// When it cannot be opened, or its beginning not be read.
pub fn open(path: &Path) -> std::io::Result<(Box<dyn Read>, bool)> {
    let mut file = BufReader::new(File::open(path)?);
    let packed = file.fill_buf()?.starts_with(&MAGIC);
    Ok((if packed { Box::new(MultiGzDecoder::new(file)) } else { Box::new(file) }, packed))
}
