//! Blanks around fields: a run of them between fields that blanks separate is one blank; elsewhere those that begin a
//! field are left out, as a quote behind them opens a quoted field. A line of blanks is empty.

use std::io::{self, Read};

/// Takes blanks out of a text whose fields are separated by `delimiter`.
pub(super) struct Blanks<R> {
    text: R,
    delimiter: u8,
    place: Place,
    /// Where blanks separate fields: a run has begun, and whether anything of its line stood before it.
    run: bool,
    line_has_begun: bool,
    /// What is kept, and how much of it was handed on.
    kept: Vec<u8>,
    handed: usize,
}

/// Where in a field the next byte is, as the reader of fields sees it.
#[derive(Clone, Copy, Eq, PartialEq)]
enum Place {
    Start,
    Plain,
    Quoted,
    /// Behind a quote in a quoted field, which closes it unless another follows.
    Closing,
}

/// Bytes that are looked at together.
const PIECE: usize = 8 << 10;

impl<R> Blanks<R> {
    pub(super) fn new(text: R, delimiter: u8) -> Self {
        let (kept, handed) = (Vec::new(), 0);
        Self { text, delimiter, place: Place::Start, run: false, line_has_begun: false, kept, handed }
    }

    fn look_at_all(&mut self, piece: &[u8]) {
        let is_within = matches!(self.place, Place::Quoted | Place::Closing);
        // Most tables of numbers have nothing to look at.
        if self.delimiter == b' ' || is_within || piece.iter().any(|byte| b"\" \t".contains(byte)) {
            piece.iter().for_each(|&byte| self.look_at(byte));
        } else if let Some(&last) = piece.last() {
            self.kept.extend_from_slice(piece);
            self.place = if last == self.delimiter || ends_line(last) { Place::Start } else { Place::Plain };
        }
    }

    fn look_at(&mut self, byte: u8) {
        self.place = match (self.place, byte) {
            (Place::Quoted, b'"') => Place::Closing,
            (Place::Quoted, _) | (Place::Closing, b'"') => Place::Quoted,
            (place, _) => return self.look_outside(if place == Place::Closing { Place::Plain } else { place }, byte),
        };
        self.kept.push(byte);
    }

    /// At a byte outside of quotes, or one that opens them.
    fn look_outside(&mut self, mut place: Place, byte: u8) {
        self.place = place;
        let is_blank = byte == b' ' || byte == b'\t' && self.delimiter != b'\t';
        if is_blank && self.delimiter == b' ' {
            self.run = true;
            return;
        }
        if is_blank && place == Place::Start {
            return;
        }
        if std::mem::take(&mut self.run) && self.line_has_begun && !ends_line(byte) {
            self.kept.push(b' ');
            place = Place::Start;
        }
        self.line_has_begun = !ends_line(byte);
        self.place = match byte {
            _ if byte == self.delimiter || ends_line(byte) => Place::Start,
            b'"' if place == Place::Start => Place::Quoted,
            _ => Place::Plain,
        };
        self.kept.push(byte);
    }
}

fn ends_line(byte: u8) -> bool {
    matches!(byte, b'\n' | b'\r')
}

impl<R: Read> Read for Blanks<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let mut piece = [0; PIECE];
        while self.handed == self.kept.len() {
            self.kept.clear();
            self.handed = 0;
            let count = self.text.read(&mut piece)?;
            if count == 0 {
                return Ok(0);
            }
            self.look_at_all(&piece[..count]);
        }
        let count = buffer.len().min(self.kept.len() - self.handed);
        buffer[..count].copy_from_slice(&self.kept[self.handed..][..count]);
        self.handed += count;
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use std::io::BufReader;

    use super::*;

    /// Hands out a text in pieces of so many bytes.
    struct Pieces<'a>(&'a [u8], usize);

    impl Read for Pieces<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let count = self.1.min(buffer.len());
            (&mut self.0).take(count as u64).read(buffer)
        }
    }

    #[test]
    fn blanks_are_taken_out() {
        let cases = [
            (b' ', "  a  b\t\tc \n1 \"x  y\" 3  \r\n\n \n 4", "a b c\n1 \"x  y\" 3\r\n\n\n4"),
            // A quote within a field is no beginning of one.
            (b' ', "a  5\" b  c\n", "a 5\" b c\n"),
            (b',', "a, \"b, \"\" c\" , d e\n \t \n1,\t2,x \"y\"\n", "a,\"b, \"\" c\" ,d e\n\n1,2,x \"y\"\n"),
            (b'\t', "a\t\t \"b\"\n", "a\t\t\"b\"\n"),
        ];
        for (delimiter, text, expected) in cases {
            for size in [1, 2, 3, 7, 1000] {
                let mut kept = String::new();
                let text = Pieces(text.as_bytes(), size);
                BufReader::with_capacity(size, Blanks::new(text, delimiter)).read_to_string(&mut kept).unwrap();
                assert_eq!(kept, expected, "{size}");
            }
        }
    }
}
