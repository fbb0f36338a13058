//! Numbers and texts as bytes: whole numbers in groups of seven bits, floats by their bits, texts with their length.

/// Bytes being written.
#[derive(Default)]
pub(super) struct ByteWriter(pub(super) Vec<u8>);

impl ByteWriter {
    pub(super) fn whole(&mut self, mut value: u64) {
        while value >= 0x80 {
            self.0.push(value as u8 | 0x80);
            value >>= 7;
        }
        self.0.push(value as u8);
    }

    pub(super) fn float(&mut self, value: f64) {
        self.0.extend(value.to_bits().to_le_bytes());
    }

    pub(super) fn text(&mut self, text: &str) {
        self.whole(text.len() as u64);
        self.0.extend(text.as_bytes());
    }

    pub(super) fn option<T>(&mut self, value: Option<T>, write: impl FnOnce(&mut Self, T)) {
        self.0.push(u8::from(value.is_some()));
        if let Some(value) = value {
            write(self, value);
        }
    }

    pub(super) fn list<T>(&mut self, items: &[T], mut write: impl FnMut(&mut Self, &T)) {
        self.whole(items.len() as u64);
        items.iter().for_each(|item| write(self, item));
    }
}

/// Bytes being read; `None` where they are not what was written.
pub(super) struct ByteReader<'b>(pub(super) &'b [u8]);

impl<'b> ByteReader<'b> {
    fn byte(&mut self) -> Option<u8> {
        let (first, rest) = self.0.split_first()?;
        self.0 = rest;
        Some(*first)
    }

    fn take(&mut self, length: usize) -> Option<&'b [u8]> {
        let (taken, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(taken)
    }

    pub(super) fn whole(&mut self) -> Option<u64> {
        let mut value = 0_u64;
        for group in 0..10 {
            let byte = self.byte()?;
            value |= u64::from(byte & 0x7f).checked_shl(7 * group)?;
            if byte < 0x80 {
                return Some(value);
            }
        }
        None
    }

    pub(super) fn float(&mut self) -> Option<f64> {
        let bytes = self.take(8)?.try_into().ok()?;
        Some(f64::from_bits(u64::from_le_bytes(bytes)))
    }

    pub(super) fn text(&mut self) -> Option<String> {
        let length = usize::try_from(self.whole()?).ok()?;
        String::from_utf8(self.take(length)?.to_vec()).ok()
    }

    /// The inner `None` is a value that was not there when it was written.
    pub(super) fn option<T>(&mut self, read: impl FnOnce(&mut Self) -> Option<T>) -> Option<Option<T>> {
        match self.byte()? {
            0 => Some(None),
            1 => read(self).map(Some),
            _ => None,
        }
    }

    pub(super) fn list<T>(&mut self, mut read: impl FnMut(&mut Self) -> Option<T>) -> Option<Vec<T>> {
        let length = usize::try_from(self.whole()?).ok()?;
        // Every item takes at least a byte: a length beyond that is no length, and must not be allocated.
        if length > self.0.len() {
            return None;
        }
        (0..length).map(|_| read(self)).collect()
    }
}
