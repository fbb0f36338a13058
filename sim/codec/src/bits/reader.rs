//! Reads bit strings, most significant bit first.

use crate::CodecError;

/// A position in a bit string of known length.
#[derive(Clone, Debug)]
pub struct BitReader<'a> {
    words: &'a [u64],
    length: u64,
    position: u64,
}

impl<'a> BitReader<'a> {
    /// Reads the first `length` bits of `words` (the first bit is the highest of the first word); words that are
    /// missing shorten the string.
    pub fn new(words: &'a [u64], length: u64) -> Self {
        Self { words, length: length.min(words.len() as u64 * 64), position: 0 }
    }

    /// Number of bits read so far.
    pub fn position(&self) -> u64 {
        self.position
    }

    /// Number of bits left.
    pub fn remaining(&self) -> u64 {
        self.length - self.position
    }

    /// The next `width` ≤ 64 bits as a number.
    ///
    /// # Errors
    /// [`CodecError::Truncated`] if fewer are left; nothing is consumed then.
    #[inline]
    pub fn read(&mut self, width: u32) -> Result<u64, CodecError> {
        debug_assert!(width <= 64, "{width} bits at once");
        if u64::from(width) > self.remaining() {
            return Err(CodecError::Truncated { at: self.length });
        }
        if width == 0 {
            return Ok(0);
        }
        let (word, used) = ((self.position / 64) as usize, (self.position % 64) as u32);
        let mut window = self.words[word] << used;
        if used + width > 64 {
            window |= self.words[word + 1] >> (64 - used);
        }
        self.position += u64::from(width);
        Ok(window >> (64 - width))
    }

    /// Number of zeros before the next one; both are consumed.
    ///
    /// # Errors
    /// [`CodecError::Truncated`] if there is no further one.
    pub fn read_unary(&mut self) -> Result<u64, CodecError> {
        let mut zeros = 0;
        while self.read(1)? == 0 {
            zeros += 1;
        }
        Ok(zeros)
    }

    /// Is this a string that no encoder writes?
    ///
    /// # Errors
    /// [`CodecError::Corrupt`] if it `is_wrong`.
    #[inline]
    pub fn refuse(&self, is_wrong: bool, what: &'static str) -> Result<(), CodecError> {
        if is_wrong { Err(self.corrupt(what)) } else { Ok(()) }
    }

    /// The error for a string that no encoder writes, at the current position.
    pub fn corrupt(&self, what: &'static str) -> CodecError {
        CodecError::Corrupt { at: self.position, what }
    }
}
