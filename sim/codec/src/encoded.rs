//! The coded symbols of one message and the exact length of its bit string.

use crate::level::Level;
use crate::{BitReader, BitWriter, CodecError, WireFloat};

/// A compressed vector: symbols and their length in bits. The buffers are reused when it is encoded into again.
///
/// Two are equal when their symbols and lengths are.
#[derive(Debug, Default, PartialEq)]
pub struct Encoded {
    /// Dimension d of the vector.
    pub(crate) dimension: usize,
    /// Length of the bit string, counted from the symbols and not by writing it.
    pub bits: u64,
    /// Norm, for those who send one.
    pub norm: f64,
    /// Signed level of every entry, for those who quantize.
    pub levels: Vec<i32>,
    /// The same in a byte each, for those whose levels all fit.
    pub small_levels: Vec<i8>,
    /// Which entries are sent, increasing, for those who sparsify.
    pub indices: Vec<u32>,
    /// Floats as the wire carries them.
    pub values: Vec<f64>,
    /// Messages inside this one, for those made of others.
    pub parts: Vec<Encoded>,
    /// Scratch of those who draw subsets; empty between calls.
    pub(crate) marks: Vec<u64>,
}

/// Levels that a message keeps.
pub(crate) trait KeptLevel: Level {
    /// Where it keeps them.
    fn of(message: &Encoded) -> &Vec<Self>;
    /// The same, to be written.
    fn of_mut(message: &mut Encoded) -> &mut Vec<Self>;
}

impl KeptLevel for i32 {
    fn of(message: &Encoded) -> &Vec<Self> {
        &message.levels
    }

    fn of_mut(message: &mut Encoded) -> &mut Vec<Self> {
        &mut message.levels
    }
}

impl KeptLevel for i8 {
    fn of(message: &Encoded) -> &Vec<Self> {
        &message.small_levels
    }

    fn of_mut(message: &mut Encoded) -> &mut Vec<Self> {
        &mut message.small_levels
    }
}

impl Encoded {
    /// No message yet: dimension and length 0.
    pub fn new() -> Self {
        Self::default()
    }

    /// Exact length of the bit string.
    #[inline]
    pub fn bits(&self) -> u64 {
        self.bits
    }

    /// Bytes of memory that its buffers take.
    pub(crate) fn bytes(&self) -> usize {
        let Self { levels, small_levels, indices, values, parts, marks, .. } = self;
        let four = levels.capacity() + indices.capacity();
        let eight = values.capacity() + marks.capacity();
        small_levels.capacity() + 4 * four + 8 * eight + parts.iter().map(Self::bytes).sum::<usize>()
    }

    /// Dimension d of the encoded vector.
    #[inline]
    pub fn dimension(&self) -> usize {
        self.dimension
    }

    /// Adds the decoded vector, given entry by entry, times `scale`.
    ///
    /// # Panics
    /// If `accumulator` has not the dimension of the message.
    #[inline]
    pub(crate) fn add_values(&self, scale: f64, accumulator: &mut [f64], values: impl Iterator<Item = f64>) {
        assert_eq!(accumulator.len(), self.dimension, "dimension of the accumulator");
        accumulator.iter_mut().zip(values).for_each(|(sum, value)| *sum += scale * value);
    }

    /// Appends its floats to a string.
    pub(crate) fn write_values(&self, wire: WireFloat, writer: &mut BitWriter) {
        self.values.iter().for_each(|&value| wire.write(value, writer));
    }

    /// Reads so many floats.
    pub(crate) fn read_values(
        &mut self,
        count: usize,
        wire: WireFloat,
        reader: &mut BitReader<'_>,
    ) -> Result<(), CodecError> {
        for _ in 0..count {
            self.values.push(wire.read(reader)?);
        }
        Ok(())
    }

    /// Empties all symbols for a new vector of the given dimension, keeping the memory.
    #[inline]
    pub fn restart(&mut self, dimension: usize) {
        self.dimension = dimension;
        self.bits = 0;
        self.norm = 0.0;
        self.levels.clear();
        self.small_levels.clear();
        self.indices.clear();
        self.values.clear();
        self.parts.clear();
    }

    /// The same with a level for every entry of which nothing is known: all of them are to be written.
    #[inline]
    pub(crate) fn restart_levels<L: KeptLevel>(&mut self, dimension: usize) {
        let mut levels = std::mem::take(L::of_mut(self));
        self.restart(dimension);
        levels.resize(dimension, L::new(0));
        *L::of_mut(self) = levels;
    }
}

impl Clone for Encoded {
    fn clone(&self) -> Self {
        let mut copy = Self::default();
        copy.clone_from(self);
        copy
    }

    /// Keeps the memory of the message that is overwritten.
    fn clone_from(&mut self, source: &Self) {
        let Self { dimension, bits, norm, levels, small_levels, indices, values, parts, marks } = self;
        (*dimension, *bits, *norm) = (source.dimension, source.bits, source.norm);
        levels.clone_from(&source.levels);
        small_levels.clone_from(&source.small_levels);
        indices.clone_from(&source.indices);
        values.clone_from(&source.values);
        parts.clone_from(&source.parts);
        marks.clear();
    }
}
