//! Signed levels in as few bytes as they need: what a message keeps in memory, counts and is copied in.

use std::borrow::Cow;

/// A signed level as messages keep it.
pub(crate) trait Level: Copy + Ord + Send + Sync {
    /// The largest magnitude that it can hold: levels of a higher one are kept otherwise.
    const MOST: u32;
    /// The level `value`, whose magnitude is at most [`Level::MOST`].
    fn new(value: i32) -> Self;
    /// Its value.
    fn get(self) -> i32;
    /// How many of `levels` have at least this magnitude, which is not zero.
    fn at_least(levels: &[Self], magnitude: u32) -> u64;
    /// The largest magnitude among them; 0 if there are none.
    fn largest(levels: &[Self]) -> u32;
    /// Levels that all fit in a byte, in a byte each.
    fn bytes(levels: &[Self]) -> Cow<'_, [i8]>;
}

impl Level for i32 {
    const MOST: u32 = i32::MAX as u32;

    #[inline(always)]
    fn new(value: i32) -> Self {
        value
    }

    #[inline(always)]
    fn get(self) -> i32 {
        self
    }

    #[inline(always)]
    fn at_least(levels: &[Self], magnitude: u32) -> u64 {
        let mut count = 0;
        for level in levels {
            count += u32::from(level.unsigned_abs() >= magnitude);
        }
        u64::from(count)
    }

    #[inline(always)]
    fn largest(levels: &[Self]) -> u32 {
        levels.iter().fold(0, |largest, level| largest.max(level.unsigned_abs()))
    }

    fn bytes(levels: &[Self]) -> Cow<'_, [i8]> {
        levels.iter().map(|&level| level as i8).collect()
    }
}

impl Level for i8 {
    const MOST: u32 = i8::MAX as u32;

    #[inline(always)]
    fn new(value: i32) -> Self {
        value as i8
    }

    #[inline(always)]
    fn get(self) -> i32 {
        i32::from(self)
    }

    #[inline(always)]
    fn at_least(levels: &[Self], magnitude: u32) -> u64 {
        match u8::try_from(magnitude) {
            Ok(magnitude) => count(levels, |level| level.unsigned_abs() >= magnitude),
            Err(_) => 0,
        }
    }

    #[inline(always)]
    fn largest(levels: &[Self]) -> u32 {
        u32::from(levels.iter().fold(0, |largest, level| level.unsigned_abs().max(largest)))
    }

    fn bytes(levels: &[Self]) -> Cow<'_, [i8]> {
        Cow::Borrowed(levels)
    }
}

/// So many levels at a time: a byte counts no further than 255.
const BLOCK: usize = 128;

/// For how many of `levels` does `holds` hold?
#[inline(always)]
pub(crate) fn count(levels: &[i8], holds: impl Fn(i8) -> bool) -> u64 {
    let mut total = 0;
    let (blocks, rest) = levels.as_chunks::<BLOCK>();
    for block in blocks {
        let mut count = 0u8;
        for &level in block {
            count += u8::from(holds(level));
        }
        total += u64::from(count);
    }
    let mut count = 0u8;
    for &level in rest {
        count += u8::from(holds(level));
    }
    total + u64::from(count)
}
