//! Levels through an adaptive binary arithmetic coder: what a good general coder would send.
//!
//! A level is a row of yes/no questions, each with its own counts: is it zero? (its sign: even odds) is it above 1?
//! above 2? … After sixteen of them the rest is an Elias gamma string at even odds. The counts start at 1 : 1 in every
//! message.

use crate::bits::arithmetic::{Counted, Decoder, DigitSink, Encoder, Odds};
use crate::level::Level;
use crate::{BitReader, BitWriter, CodecError};

/// Questions "above t?" that have counts of their own.
const LADDER: u32 = 16;

/// Counts of all questions.
struct Model {
    zero: Odds,
    above: [Odds; LADDER as usize],
}

impl Model {
    fn new() -> Self {
        Self { zero: Odds::new(), above: [Odds::new(); LADDER as usize] }
    }
}

/// Either direction: writes a decision, or reads it.
trait Coder {
    fn decide(&mut self, odds: &mut Odds, truth: bool) -> bool;
    fn even(&mut self, truth: bool) -> bool;
}

impl<S: DigitSink> Coder for Encoder<S> {
    fn decide(&mut self, odds: &mut Odds, truth: bool) -> bool {
        self.encode(odds, truth);
        truth
    }
    fn even(&mut self, truth: bool) -> bool {
        self.encode(&mut Odds::new(), truth);
        truth
    }
}

impl Coder for Decoder<'_> {
    fn decide(&mut self, odds: &mut Odds, _: bool) -> bool {
        self.decode(odds)
    }
    fn even(&mut self, _: bool) -> bool {
        self.decode(&mut Odds::new())
    }
}

/// One level, at most `s` in magnitude: the same decisions in both directions. `None`: they lead beyond `s`.
fn code(coder: &mut impl Coder, model: &mut Model, s: u32, level: i32) -> Option<i32> {
    if coder.decide(&mut model.zero, level == 0) {
        return Some(0);
    }
    let negative = coder.even(level < 0);
    let magnitude = level.unsigned_abs();
    let mut t = 1;
    while t < s && t <= LADDER {
        if !coder.decide(&mut model.above[(t - 1) as usize], magnitude > t) {
            break;
        }
        t += 1;
    }
    if t > LADDER {
        t = LADDER.checked_add(gamma(coder, magnitude.saturating_sub(LADDER).max(1))?)?;
    }
    (t <= s).then_some(if negative { -(t as i32) } else { t as i32 })
}

/// Elias gamma of n ≥ 1 at even odds.
fn gamma(coder: &mut impl Coder, n: u32) -> Option<u32> {
    let mut digits = 0;
    while coder.even(n.ilog2() > digits) {
        digits += 1;
        if digits > 30 {
            return None;
        }
    }
    Some((0..digits).rev().fold(1, |value, digit| value << 1 | u32::from(coder.even(n >> digit & 1 == 1))))
}

fn encode<L: Level, S: DigitSink>(s: u32, levels: &[L], sink: S) -> S {
    let (mut coder, mut model) = (Encoder::new(sink), Model::new());
    for level in levels {
        code(&mut coder, &mut model, s, level.get());
    }
    coder.finish()
}

pub(super) fn count<L: Level>(s: u32, levels: &[L]) -> u64 {
    encode(s, levels, Counted::default()).bits()
}

pub(super) fn write<L: Level>(s: u32, levels: &[L], writer: &mut BitWriter) {
    encode(s, levels, writer);
}

/// Reads to the end of the string, which must be the one that the encoder writes for these levels.
pub(super) fn read<L: Level>(s: u32, reader: &mut BitReader<'_>, levels: &mut [L]) -> Result<(), CodecError> {
    let (mut coder, mut model) = (Decoder::new(reader.clone()), Model::new());
    for level in levels.iter_mut() {
        let found = code(&mut coder, &mut model, s, 0);
        *level = L::new(found.ok_or_else(|| reader.corrupt("a level above the highest"))?);
    }
    let mut again = BitWriter::new();
    encode(s, levels, &mut again);
    reader.refuse(again.length() != reader.remaining(), "an arithmetic code of another length")?;
    let mut expected = BitReader::new(again.words(), again.length());
    while expected.remaining() > 0 {
        let width = expected.remaining().min(64) as u32;
        let is_wrong = expected.read(width)? != reader.read(width)?;
        reader.refuse(is_wrong, "an arithmetic code that the encoder does not write")?;
    }
    Ok(())
}
