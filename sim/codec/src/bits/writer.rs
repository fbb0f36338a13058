//! Writes bit strings, most significant bit first.

/// A growing bit string.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BitWriter {
    words: Vec<u64>,
    length: u64,
}

impl BitWriter {
    /// An empty string.
    pub fn new() -> Self {
        Self::default()
    }

    /// Forgets the string and keeps the memory.
    pub fn clear(&mut self) {
        self.words.clear();
        self.length = 0;
    }

    /// Number of bits written.
    pub fn length(&self) -> u64 {
        self.length
    }

    /// The bits: the first is the highest of the first word; behind the last there are zeros.
    pub fn words(&self) -> &[u64] {
        &self.words
    }

    /// Appends the `width` low bits of `value`.
    ///
    /// # Panics
    /// In debug builds, if `width` > 64 or `value` does not fit.
    #[inline]
    pub fn write(&mut self, value: u64, width: u32) {
        debug_assert!(width <= 64 && (width == 64 || value >> width == 0), "{value} in {width} bits");
        if width == 0 {
            return;
        }
        let aligned = value << (64 - width);
        let used = (self.length % 64) as u32;
        match self.words.last_mut() {
            Some(last) if used > 0 => {
                *last |= aligned >> used;
                if used + width > 64 {
                    self.words.push(aligned << (64 - used));
                }
            }
            _ => self.words.push(aligned),
        }
        self.length += u64::from(width);
    }

    /// Appends `n` zeros and a one.
    pub fn write_unary(&mut self, mut n: u64) {
        while n >= 64 {
            self.write(0, 64);
            n -= 64;
        }
        self.write(0, n as u32);
        self.write(1, 1);
    }
}
