//! A text put together from several sources, which knows for each of its bytes where it was written.

use std::ops::Range;

/// A position in one of several sources.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Origin {
    /// The index of the source.
    pub source: usize,
    /// The bytes in it.
    pub span: Range<usize>,
}

/// A stretch of text of one origin.
#[derive(Clone, Debug)]
pub(crate) struct TextPiece {
    pub(crate) text: String,
    pub(crate) origin: Origin,
}

impl TextPiece {
    /// Whether each byte of the piece stands for one byte of its origin; else the piece stands for the origin as a
    /// whole.
    fn is_exact(&self) -> bool {
        self.text.len() == self.origin.span.len()
    }

    /// The part of the piece between two of its bytes.
    fn part(&self, range: Range<usize>) -> TextPiece {
        TextPiece { text: self.text[range.clone()].to_owned(), origin: self.origin_of(range) }
    }

    fn origin_of(&self, range: Range<usize>) -> Origin {
        let start = self.origin.span.start;
        let span = if self.is_exact() { start + range.start..start + range.end } else { self.origin.span.clone() };
        Origin { source: self.origin.source, span }
    }
}

/// A text that was put together from several sources by [edits](crate::Edit), and knows where each of its bytes was
/// written.
#[derive(Clone, Debug)]
pub struct Patched {
    pieces: Vec<TextPiece>,
}

impl Patched {
    /// The whole text of one source, which is known by its index.
    #[must_use]
    pub fn new(source: usize, text: &str) -> Self {
        let origin = Origin { source, span: 0..text.len() };
        Patched { pieces: vec![TextPiece { text: text.to_owned(), origin }] }
    }

    /// The text as it is now.
    #[must_use]
    pub fn text(&self) -> String {
        self.pieces.iter().map(|piece| piece.text.as_str()).collect()
    }

    /// Replaces by pieces the text of a range of bytes.
    pub(crate) fn replace(&mut self, range: Range<usize>, new: Vec<TextPiece>) {
        let (mut before, mut after) = (Vec::new(), Vec::new());
        let mut offset = 0;
        for piece in &self.pieces {
            let length = piece.text.len();
            let head = range.start.saturating_sub(offset).min(length);
            let tail = range.end.saturating_sub(offset).min(length);
            before.extend((head > 0).then(|| piece.part(0..head)));
            after.extend((tail < length).then(|| piece.part(tail..length)));
            offset += length;
        }
        before.extend(new);
        before.extend(after);
        self.pieces = before;
    }

    /// Replaces a range of bytes by other text, and takes it for what was written there.
    pub fn rewrite(&mut self, range: Range<usize>, text: &str) {
        let origin = self.origin(range.clone());
        self.replace(range, vec![TextPiece { text: text.to_owned(), origin }]);
    }

    /// Where a range of bytes was written, by the piece that holds its first byte.
    #[must_use]
    pub fn origin(&self, range: Range<usize>) -> Origin {
        let mut offset = 0;
        let last = self.pieces.len().saturating_sub(1);
        for (index, piece) in self.pieces.iter().enumerate() {
            let length = piece.text.len();
            if range.start < offset + length || index == last {
                let start = (range.start - offset).min(length);
                let end = range.end.saturating_sub(offset).clamp(start, length);
                return piece.origin_of(start..end);
            }
            offset += length;
        }
        Origin { source: 0, span: 0..0 }
    }
}
