//! Messages of Protocol Buffers, as far as exports need them: <https://protobuf.dev/programming-guides/encoding>.

/// A message; fields are written in the order in which they are added.
#[derive(Clone, Debug, Default)]
pub(super) struct Message(Vec<u8>);

/// How a field is written.
#[derive(Clone, Copy)]
enum Wire {
    Varint = 0,
    Fixed64 = 1,
    Bytes = 2,
    Fixed32 = 5,
}

impl Message {
    fn tag(&mut self, field: u32, wire: Wire) {
        self.varint(u64::from(field) << 3 | wire as u64);
    }

    fn varint(&mut self, mut value: u64) {
        while value >= 0x80 {
            self.0.push(value as u8 | 0x80);
            value >>= 7;
        }
        self.0.push(value as u8);
    }

    /// A whole number, a truth value or a choice; 0 is what a missing field says.
    #[must_use]
    pub(super) fn whole(mut self, field: u32, value: u64) -> Self {
        if value != 0 {
            self.tag(field, Wire::Varint);
            self.varint(value);
        }
        self
    }

    /// A double, also where it is 0: fields of a choice have to be there.
    #[must_use]
    pub(super) fn double(mut self, field: u32, value: f64) -> Self {
        self.tag(field, Wire::Fixed64);
        self.0.extend(value.to_le_bytes());
        self
    }

    /// A float, also where it is 0.
    #[must_use]
    pub(super) fn float(mut self, field: u32, value: f32) -> Self {
        self.tag(field, Wire::Fixed32);
        self.0.extend(value.to_le_bytes());
        self
    }

    /// A text.
    #[must_use]
    pub(super) fn text(self, field: u32, text: &str) -> Self {
        self.bytes(field, text.as_bytes())
    }

    /// Bytes.
    #[must_use]
    pub(super) fn bytes(mut self, field: u32, bytes: &[u8]) -> Self {
        self.tag(field, Wire::Bytes);
        self.varint(bytes.len() as u64);
        self.0.extend(bytes);
        self
    }

    /// A message in it.
    #[must_use]
    pub(super) fn message(self, field: u32, inner: &Message) -> Self {
        self.bytes(field, &inner.0)
    }

    /// What is written.
    pub(super) fn as_bytes(&self) -> &[u8] {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::Message;

    /// The examples of the encoding's documentation.
    #[test]
    fn documented_examples() {
        assert_eq!(Message::default().whole(1, 150).as_bytes(), [0x08, 0x96, 0x01]);
        assert_eq!(
            Message::default().text(2, "testing").as_bytes(),
            [0x12, 0x07, 0x74, 0x65, 0x73, 0x74, 0x69, 0x6e, 0x67]
        );
        let inner = Message::default().whole(1, 150);
        assert_eq!(Message::default().message(3, &inner).as_bytes(), [0x1a, 0x03, 0x08, 0x96, 0x01]);
        assert_eq!(Message::default().double(1, 1.0).as_bytes(), [0x09, 0, 0, 0, 0, 0, 0, 0xf0, 0x3f]);
        assert_eq!(Message::default().float(2, 1.0).as_bytes(), [0x15, 0, 0, 0x80, 0x3f]);
        assert_eq!(Message::default().whole(1, u64::MAX).as_bytes().len(), 11);
    }
}
