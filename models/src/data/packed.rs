//! Files that may be packed with gzip or zstd: their first bytes say so; and how much of a file is read at most.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Cursor, Error, ErrorKind, Read};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

use flate2::bufread::MultiGzDecoder;

use super::parquet::{self, is_parquet};
use super::zstd::{self, Frames};

/// How a file in gzip (RFC 1952) begins.
const MAGIC: [u8; 2] = [0x1f, 0x8b];

/// Longer lines are no lines of a table: a row of a million numbers has 20 MB.
const LONGEST_LINE: u64 = 64 << 20;

/// Bytes of a file that are looked at before it is taken for text.
const LOOK: u64 = 4_096;

/// Bytes of memory that what is read from one file may take. Of the whole process, as memory is.
static MOST: AtomicU64 = AtomicU64::new(u64::MAX);

/// Sets how many bytes of memory what is read from one file may take; without this there is no limit.
pub fn limit(bytes: u64) {
    MOST.store(bytes, Ordering::Relaxed);
}

/// The bytes of memory that what is read from one file may take.
pub fn most() -> u64 {
    MOST.load(Ordering::Relaxed)
}

/// Whether what was read so far, or is about to be read, may take this many bytes.
///
/// # Errors
/// When it is more than [`limit`] allows.
pub fn room(bytes: u64) -> io::Result<()> {
    let most = most();
    if bytes <= most {
        return Ok(());
    }
    let mib = |bytes: u64| bytes >> 20;
    let text = format!(
        "what is in it takes more memory than there is: at least {} MiB, and {} MiB can be had (`--max-memory`)",
        mib(bytes),
        mib(most)
    );
    Err(Error::new(ErrorKind::FileTooLarge, text))
}

/// What is in the file at `path`, unpacked, and whether it is packed. Reading fails where more comes out than may be
/// kept.
///
/// # Errors
/// When it cannot be opened, or its beginning not be read.
pub fn open(path: &Path) -> io::Result<(Box<dyn Read>, bool)> {
    // Data are looked at before they are read: what a pipe gave once is gone then.
    let kind = std::fs::metadata(path)?.file_type();
    if !kind.is_file() && !kind.is_dir() {
        return Err(Error::new(ErrorKind::InvalidInput, "it is a pipe or a device: expected a file"));
    }
    let mut file = BufReader::new(File::open(path)?);
    let head = file.fill_buf()?;
    let (gzip, zstd) = (head.starts_with(&MAGIC), head.starts_with(&zstd::MAGIC));
    let bytes: Box<dyn Read> = match (gzip, zstd) {
        (true, _) => Box::new(MultiGzDecoder::new(file)),
        (_, true) => Box::new(Frames::new(file)),
        _ => Box::new(file),
    };
    let packed = gzip || zstd;
    Ok((Box::new(Bounded { bytes, seen: 0, line: 0, longest_line: u64::MAX }), packed))
}

/// The same of a file of text, no line of which may be without end; of a table in Parquet the text that it would be.
///
/// # Errors
/// As for [`open`], and when the beginning of the file is not UTF-8.
pub fn text(path: &Path) -> io::Result<Box<dyn Read>> {
    let bytes = if is_parquet(path) { parquet::text(path)? } else { open(path)?.0 };
    let mut bytes = Bounded { bytes, seen: 0, line: 0, longest_line: LONGEST_LINE };
    let mut head = Vec::new();
    bytes.by_ref().take(LOOK).read_to_end(&mut head)?;
    if let Some(found) = no_text(&head) {
        return Err(Error::new(ErrorKind::InvalidData, format!("expected UTF-8 text, found {found}")));
    }
    Ok(Box::new(Cursor::new(head).chain(bytes)))
}

/// What the beginning of a file holds that is no text in UTF-8.
fn no_text(head: &[u8]) -> Option<String> {
    if head.contains(&0) {
        return Some("other bytes".to_owned());
    }
    // A character may be cut off at the end of what was looked at.
    let error = std::str::from_utf8(head).err().filter(|error| error.error_len().is_some())?;
    let line = head[..error.valid_up_to()].iter().filter(|byte| **byte == b'\n').count() + 1;
    Some(format!("other bytes in line {line} (Latin-1 becomes UTF-8 by `iconv -f LATIN1 -t UTF-8`)"))
}

/// Counts what is read.
struct Bounded {
    bytes: Box<dyn Read>,
    seen: u64,
    /// Bytes of the current line.
    line: u64,
    longest_line: u64,
}

impl Read for Bounded {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.bytes.read(buffer)?;
        self.seen += count as u64;
        room(self.seen)?;
        if self.longest_line < u64::MAX {
            for piece in buffer[..count].split_inclusive(|&byte| byte == b'\n') {
                self.line += piece.len() as u64;
                if self.line > self.longest_line {
                    let text =
                        format!("a line is longer than {} MiB: expected a text of lines", self.longest_line >> 20);
                    return Err(Error::new(ErrorKind::InvalidData, text));
                }
                self.line = if piece.ends_with(b"\n") { 0 } else { self.line };
            }
        }
        Ok(count)
    }
}
