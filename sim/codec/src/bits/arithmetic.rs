//! A binary arithmetic coder (Witten, Neal and Cleary 1987) with adaptive odds.
//!
//! The interval [low, high] of 32-bit numbers is cut in the proportion of the odds; leading digits that both ends share
//! are sent, and an interval around the middle is widened with its digit pending. Two digits end the string; the
//! decoder reads zeros behind it.

use super::{BitReader, BitWriter};

const HALF: u32 = 1 << 31;
const QUARTER: u32 = 1 << 30;

/// How often a decision was no and yes, plus one each.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Odds {
    no: u32,
    yes: u32,
}

/// Counts are halved when they reach this: the coder follows slow changes, and the cut never leaves an empty part.
const MOST: u32 = 1 << 14;

impl Odds {
    pub(crate) fn new() -> Self {
        Self { no: 1, yes: 1 }
    }

    fn learn(&mut self, yes: bool) {
        // Krichevsky–Trofimov: counts in halves, so each decision weighs two.
        *(if yes { &mut self.yes } else { &mut self.no }) += 2;
        if self.no + self.yes > MOST {
            self.no = self.no.div_ceil(2);
            self.yes = self.yes.div_ceil(2);
        }
    }

    /// Last number of the part of [low, high] that means no.
    fn cut(&self, low: u32, high: u32) -> u32 {
        let range = u64::from(high - low) + 1;
        low + (range * u64::from(self.no) / u64::from(self.no + self.yes)) as u32 - 1
    }
}

/// Where digits go.
pub(crate) trait DigitSink {
    fn digit(&mut self, one: bool);
}

impl DigitSink for &mut BitWriter {
    fn digit(&mut self, one: bool) {
        self.write(u64::from(one), 1);
    }
}

/// Counts digits.
#[derive(Default)]
pub(crate) struct Counted(u64);

impl Counted {
    pub(crate) fn bits(&self) -> u64 {
        self.0
    }
}

impl DigitSink for Counted {
    fn digit(&mut self, _: bool) {
        self.0 += 1;
    }
}

/// Decisions to digits.
pub(crate) struct Encoder<S> {
    low: u32,
    high: u32,
    pending: u32,
    sink: S,
}

impl<S: DigitSink> Encoder<S> {
    pub(crate) fn new(sink: S) -> Self {
        Self { low: 0, high: u32::MAX, pending: 0, sink }
    }

    pub(crate) fn encode(&mut self, odds: &mut Odds, yes: bool) {
        let cut = odds.cut(self.low, self.high);
        if yes {
            self.low = cut + 1;
        } else {
            self.high = cut;
        }
        odds.learn(yes);
        loop {
            if self.high < HALF {
                self.emit(false);
            } else if self.low >= HALF {
                self.emit(true);
            } else if self.low >= QUARTER && self.high < HALF + QUARTER {
                self.pending += 1;
                self.low -= QUARTER;
                self.high -= QUARTER;
            } else {
                return;
            }
            (self.low, self.high) = (self.low << 1, self.high << 1 | 1);
        }
    }

    fn emit(&mut self, one: bool) {
        self.sink.digit(one);
        for _ in 0..std::mem::take(&mut self.pending) {
            self.sink.digit(!one);
        }
    }

    pub(crate) fn finish(mut self) -> S {
        self.pending += 1;
        let one = self.low >= QUARTER;
        self.emit(one);
        self.sink
    }
}

/// Digits to decisions; any digits give some decisions.
pub(crate) struct Decoder<'a> {
    low: u32,
    high: u32,
    value: u32,
    reader: BitReader<'a>,
}

impl<'a> Decoder<'a> {
    pub(crate) fn new(reader: BitReader<'a>) -> Self {
        let mut decoder = Self { low: 0, high: u32::MAX, value: 0, reader };
        (0..32).for_each(|_| decoder.shift());
        decoder
    }

    fn shift(&mut self) {
        self.value = self.value << 1 | self.reader.read(1).map_or(0, |digit| digit as u32);
    }

    pub(crate) fn decode(&mut self, odds: &mut Odds) -> bool {
        let cut = odds.cut(self.low, self.high);
        let yes = self.value > cut;
        if yes {
            self.low = cut + 1;
        } else {
            self.high = cut;
        }
        odds.learn(yes);
        loop {
            if self.low >= QUARTER && self.high < HALF + QUARTER && self.high >= HALF && self.low < HALF {
                self.low -= QUARTER;
                self.high -= QUARTER;
                self.value -= QUARTER;
            } else if self.high >= HALF && self.low < HALF {
                return yes;
            }
            (self.low, self.high) = (self.low << 1, self.high << 1 | 1);
            self.shift();
        }
    }
}
