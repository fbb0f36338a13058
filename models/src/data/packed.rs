//! Files that may be packed with gzip or zstd: their first bytes say so. How bytes become text, of tables, scenarios
//! and topologies; and how much memory what is read may take.

use std::io::{self, BufRead, BufReader, Cursor, Error, ErrorKind, Read};
use std::path::Path;

use fedbits_spec::so_many;
use flate2::bufread::MultiGzDecoder;

use super::error::FileError;
use super::zstd::{self, Frames};

/// How a file in gzip (RFC 1952) begins.
const MAGIC: [u8; 2] = [0x1f, 0x8b];

/// Longer lines are no lines of a table: a row of a million numbers has 20 MB.
const LONGEST_LINE: usize = 64 << 20;

/// Bytes of memory that what is read from one file may take.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct MemoryLimit(u64);

impl Default for MemoryLimit {
    /// None.
    fn default() -> Self {
        Self(u64::MAX)
    }
}

impl MemoryLimit {
    /// The name of a column, as `feature 123456` in its list.
    const BYTES_PER_COLUMN: u64 = 64;

    /// This many bytes.
    #[must_use]
    pub fn new(bytes: u64) -> Self {
        Self(bytes)
    }

    /// In bytes.
    #[must_use]
    pub fn bytes(self) -> u64 {
        self.0
    }

    /// Whether what was read so far, or is about to be read, may take this many bytes.
    ///
    /// # Errors
    /// When it is more than the limit.
    pub fn allows(self, bytes: u64) -> io::Result<()> {
        let Self(most) = self;
        if bytes <= most {
            return Ok(());
        }
        let text = format!(
            "what is in it takes more memory than there is: at least {} MiB, and {} MiB can be had (`--max-memory`)",
            bytes >> 20,
            most >> 20
        );
        Err(Error::new(ErrorKind::FileTooLarge, text))
    }

    /// Whether a table may take these bytes of numbers, and a name for each of so many columns.
    ///
    /// # Errors
    /// As for [`MemoryLimit::allows`].
    pub fn allows_columns(self, bytes: u64, columns: usize) -> io::Result<()> {
        self.allows(bytes.saturating_add(Self::BYTES_PER_COLUMN.saturating_mul(columns as u64)))
    }
}

/// What is in the file at `path`, unpacked, and whether it is packed. Reading fails where more comes out than may be
/// kept.
///
/// # Errors
/// When it cannot be opened, or its beginning not be read.
pub fn open(path: &Path, limit: MemoryLimit) -> io::Result<(Box<dyn Read>, bool)> {
    let mut file = BufReader::new(fedbits_spec::files::reader(path)?);
    let head = file.fill_buf()?;
    let (gzip, zstd) = (head.starts_with(&MAGIC), head.starts_with(&zstd::MAGIC));
    let bytes: Box<dyn Read> = match (gzip, zstd) {
        (true, _) => Box::new(MultiGzDecoder::new(file)),
        (_, true) => Box::new(Frames::new(file)),
        _ => Box::new(file),
    };
    let packed = gzip || zstd;
    Ok((Box::new(Bounded { bytes, seen: 0, limit }), packed))
}

/// What some programs write before a text in UTF-8.
const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();

/// The same of a file of text in UTF-8 or, after its byte order mark, in UTF-16. The mark is no part of the text, and
/// no line may be without end. Reading fails at other bytes.
///
/// # Errors
/// As for [`open`]; UTF-16 with half a character.
pub fn text(path: &Path, limit: MemoryLimit) -> io::Result<Box<dyn Read>> {
    let (mut bytes, _) = open(path, limit)?;
    let mut head = Vec::new();
    bytes.by_ref().take(BYTE_ORDER_MARK.len() as u64).read_to_end(&mut head)?;
    let bytes: Box<dyn Read> = match head[..] {
        [0xff, 0xfe, ..] => Box::new(Cursor::new(of_utf_16(&head[2..], bytes, limit, u16::from_le_bytes)?)),
        [0xfe, 0xff, ..] => Box::new(Cursor::new(of_utf_16(&head[2..], bytes, limit, u16::from_be_bytes)?)),
        _ if head == BYTE_ORDER_MARK => bytes,
        _ => Box::new(Cursor::new(head).chain(bytes)),
    };
    Ok(Box::new(Text { bytes, lines: Lines::default(), length: 0, cut: Vec::new() }))
}

/// The lines of a text, each with its number from 1.
///
/// # Errors
/// As for [`text`]; each line may be an error, too.
pub(super) fn lines(
    path: &Path,
    limit: MemoryLimit,
) -> Result<impl Iterator<Item = (u64, Result<String, FileError>)>, FileError> {
    let reader = text(path, limit).map_err(FileError::io(path))?;
    Ok((1..).zip(BufReader::new(reader).lines().map(move |line| line.map_err(FileError::io(path)))))
}

/// So many bytes of what a file should have. The buffer grows with what is there, not with what a header claims.
pub(super) fn exactly(path: &Path, file: &mut dyn Read, bytes: u64, of: &str) -> Result<Vec<u8>, FileError> {
    let mut filled = Vec::new();
    match file.take(bytes).read_to_end(&mut filled) {
        Err(error) if error.kind() != ErrorKind::UnexpectedEof => Err(FileError::io(path)(error)),
        _ if (filled.len() as u64) < bytes => {
            Err(FileError::content(path, format!("{bytes} bytes of {of}"), filled.len().to_string()))
        }
        _ => Ok(filled),
    }
}

/// The end of a file behind so many numbers; of packed ones this also checks the checksum.
pub(super) fn nothing_behind(path: &Path, file: &mut dyn Read, numbers: u64) -> Result<(), FileError> {
    match file.take(1).read_to_end(&mut Vec::new()).map_err(FileError::io(path))? {
        0 => Ok(()),
        _ => Err(FileError::content(path, format!("nothing behind {}", so_many(numbers, "number")), "more bytes")),
    }
}

/// A text in UTF-16, as editors of Windows and Excel ("Unicode text") write it, in UTF-8.
fn of_utf_16(head: &[u8], mut rest: Box<dyn Read>, limit: MemoryLimit, unit: fn([u8; 2]) -> u16) -> io::Result<String> {
    let mut bytes = head.to_vec();
    rest.read_to_end(&mut bytes)?;
    limit.allows(3 * bytes.len() as u64)?;
    let (pairs, odd) = bytes.as_chunks::<2>();
    let mut text = String::with_capacity(bytes.len());
    for character in char::decode_utf16(pairs.iter().map(|&pair| unit(pair))) {
        let Ok(character) = character else { return Err(wrong_utf_16(&text)) };
        text.push(character);
    }
    if odd.is_empty() { Ok(text) } else { Err(wrong_utf_16(&text)) }
}

fn wrong_utf_16(before: &str) -> Error {
    let mut lines = Lines::default();
    lines.pass(before.as_bytes());
    let found =
        format!("expected UTF-16 text, as its first bytes say, found half a character in line {}", lines.ended + 1);
    Error::new(ErrorKind::InvalidData, found)
}

/// Counts what is read.
struct Bounded {
    bytes: Box<dyn Read>,
    seen: u64,
    limit: MemoryLimit,
}

impl Read for Bounded {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.bytes.read(buffer)?;
        self.seen += count as u64;
        self.limit.allows(self.seen)?;
        Ok(count)
    }
}

/// Lines that have ended, as editors count them: by a line feed, a carriage return, or both.
#[derive(Clone, Copy, Default)]
pub(super) struct Lines {
    pub(super) ended: usize,
    /// Whether the last byte was a carriage return, to which a line feed belongs.
    returned: bool,
}

impl Lines {
    /// Counts the next bytes, too.
    pub(super) fn pass(&mut self, bytes: &[u8]) {
        let Some((first, last)) = bytes.first().zip(bytes.last()) else { return };
        // Files are large: what is counted is counted without a branch.
        let count = |end: u8| bytes.iter().filter(|byte| **byte == end).count();
        let both = bytes.windows(2).filter(|pair| *pair == b"\r\n").count();
        self.ended += count(b'\r') + count(b'\n') - both - usize::from(self.returned && *first == b'\n');
        self.returned = *last == b'\r';
    }
}

/// Looks at what is read of a text.
struct Text {
    bytes: Box<dyn Read>,
    lines: Lines,
    /// Bytes of the line that has not.
    length: usize,
    /// The beginning of a character whose other bytes were not read yet.
    cut: Vec<u8>,
}

impl Text {
    /// Looks at the next bytes of the text; none at its end.
    fn look_at(&mut self, piece: &[u8]) -> io::Result<()> {
        let joined;
        let text = if self.cut.is_empty() {
            piece
        } else {
            joined = [&self.cut, piece].concat();
            &joined
        };
        let wrong = |found: String| Err(Error::new(ErrorKind::InvalidData, found));
        let line = |before: &[u8]| {
            let mut lines = self.lines;
            lines.pass(before);
            lines.ended + 1
        };
        // The readers of tables take a zero byte for the end.
        if text.contains(&0) {
            let before = text.split(|&byte| byte == 0).next().unwrap_or_default();
            let hint = match (line(before), before.len()) {
                (1, 0 | 1) => " (UTF-16 without its mark becomes UTF-8 by `iconv -f UTF-16LE -t UTF-8`)",
                _ => "",
            };
            return wrong(format!("expected UTF-8 text, found a zero byte in line {}{hint}", line(before)));
        }
        let whole = match std::str::from_utf8(text) {
            Ok(_) => text.len(),
            Err(error) if error.error_len().is_none() && !piece.is_empty() => error.valid_up_to(),
            Err(error) => {
                let place = format!("found other bytes in line {}", line(&text[..error.valid_up_to()]));
                let hint = "Latin-1 becomes UTF-8 by `iconv -f LATIN1 -t UTF-8`";
                return wrong(format!("expected UTF-8 text, {place} ({hint})"));
            }
        };
        let (text, cut) = text.split_at(whole);
        self.lines.pass(text);
        let last = text.iter().rposition(|byte| b"\n\r".contains(byte));
        self.length = last.map_or(self.length + whole, |last| whole - last - 1);
        self.cut = cut.to_vec();
        if self.length > LONGEST_LINE {
            return wrong(format!("a line is longer than {} MiB: expected a text of lines", LONGEST_LINE >> 20));
        }
        Ok(())
    }
}

impl Read for Text {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.bytes.read(buffer)?;
        if !buffer.is_empty() {
            self.look_at(&buffer[..count])?;
        }
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use super::Lines;

    /// However a text is cut: each of its lines ends once.
    #[test]
    fn lines_end_once() {
        let text = b"a\r\nb\rc\n\n\r\r\nd";
        for cut in 0..=text.len() {
            let mut lines = Lines::default();
            lines.pass(&text[..cut]);
            lines.pass(&text[cut..]);
            assert_eq!(lines.ended, 6, "{cut}");
        }
    }
}
