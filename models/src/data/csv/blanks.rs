//! Text whose fields are separated by any number of blanks and tabulators, as one blank each.

use std::io::{self, Read};

/// Makes one blank of each run of blanks and tabulators outside of quotes, and none of those around a line.
pub(super) struct Blanks<R> {
    text: R,
    quoted: bool,
    /// A run has begun, and whether anything of its line stood before it.
    run: bool,
    line_has_begun: bool,
    /// What is kept, and how much of it was handed on.
    kept: Vec<u8>,
    handed: usize,
}

/// Bytes that are looked at together.
const PIECE: usize = 8 << 10;

impl<R> Blanks<R> {
    pub(super) fn new(text: R) -> Self {
        Self { text, quoted: false, run: false, line_has_begun: false, kept: Vec::new(), handed: 0 }
    }

    fn look_at(&mut self, byte: u8) {
        if !self.quoted && matches!(byte, b' ' | b'\t') {
            self.run = true;
            return;
        }
        let ends_line = !self.quoted && matches!(byte, b'\n' | b'\r');
        if self.run && self.line_has_begun && !ends_line {
            self.kept.push(b' ');
        }
        self.run = false;
        self.line_has_begun = !ends_line;
        self.quoted ^= byte == b'"';
        self.kept.push(byte);
    }
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
            piece[..count].iter().for_each(|&byte| self.look_at(byte));
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

    #[test]
    fn runs_of_blanks_are_one() {
        let text = "  a  b\t\tc \n1 \"x  y\" 3  \r\n\n \n 4";
        for capacity in [1, 2, 3, 7, 1000] {
            let mut kept = String::new();
            BufReader::with_capacity(capacity, Blanks::new(text.as_bytes())).read_to_string(&mut kept).unwrap();
            assert_eq!(kept, "a b c\n1 \"x  y\" 3\r\n\n\n4", "{capacity}");
        }
    }
}
