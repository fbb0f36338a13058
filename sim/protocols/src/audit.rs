//! The audit of what is charged: a sample of the messages is written as a bit string, measured, read back and compared.
//! And the key of a message, and what its receiver makes of it. Where a network carries the strings themselves
//! ([`Strings`]), every message is audited, and what arrived is read. It must not know protocols.

use fedbits_codec::{Compressor, Draw as Randomness, Encoded, audit, read_back};
use fedbits_kernel::Bits;
use fedbits_random::{CounterKey, DrawPurpose, Streams};

use crate::error::{ProtocolError, Result};
use crate::strings::Strings;

/// The first messages of a run are audited without exception.
const FIRST: u64 = 1_000;
/// One in this many is audited after that.
const ONE_IN: u64 = 64;
/// The first are fewer where their strings take more steps than this together ([`Compressor::string_work`]): some
/// seconds.
const FIRST_WORK: u64 = 1 << 28;

/// Entities of draws of `DrawPurpose::Compression` that belong to no client, all in one place so that no two of a
/// protocol are the same.
pub(crate) mod entity {
    /// Ŝ, or whatever else the server sends to everybody.
    pub(crate) const SERVER_STATISTIC: u64 = u64::MAX;
    /// θ, where the server sends it too.
    pub(crate) const SERVER_PARAMETER: u64 = u64::MAX - 1;
    /// What all clients of a round draw together.
    pub(crate) const COMMON: u64 = u64::MAX - 2;
    /// MARINA's coin.
    pub(crate) const COIN: u64 = u64::MAX - 3;
    /// Quant' of a compressed downlink.
    pub(crate) const DIRECTION: u64 = u64::MAX - 4;
}

/// The key of the message of `entity` in `round`.
pub(crate) fn message_key(streams: &Streams, entity: u64, round: u64) -> CounterKey {
    streams.counter(DrawPurpose::Compression, entity, round)
}

/// Decides which messages are audited, and audits them.
pub struct Auditor {
    all: bool,
    seen: u64,
    /// Steps that the first messages have taken.
    work: u64,
    strings: Option<Strings>,
}

impl Auditor {
    /// `all`: every message, as with `--audit`.
    pub fn new(all: bool) -> Self {
        Self { all, seen: 0, work: 0, strings: None }
    }

    /// The same, which leaves every string for a network that carries it.
    #[must_use]
    pub fn carrying(self, strings: Option<Strings>) -> Self {
        Self { all: self.all || strings.is_some(), strings, ..self }
    }

    /// Audits the message of `entity` in `round`, if it is its turn.
    ///
    /// # Errors
    /// When the charged length or a decoded symbol differs from the bit string: the run must stop.
    pub fn check(
        &mut self,
        streams: &Streams,
        entity: u64,
        round: u64,
        compressor: &dyn Compressor,
        encoded: &Encoded,
        key: CounterKey,
    ) -> Result<()> {
        let length = encoded.dimension() as u64;
        let work = || compressor.string_work(encoded.dimension());
        let draw = || streams.counter(DrawPurpose::Audit, entity, round).bits(0);
        if !(self.all || self.is_due(length, work, draw)) {
            return Ok(());
        }
        let string = audit(compressor, encoded, Randomness::Keyed(key))
            .map_err(|source| ProtocolError::Audit { compressor: compressor.name(), source })?;
        if let Some(strings) = &self.strings {
            strings.leave(entity, round, &string);
        }
        Ok(())
    }

    /// Is it the turn of a message of `length` numbers, whose string takes `work` more steps than some passes over
    /// them? With all of the first messages, and later with so few that their steps are about one for each number that
    /// is sent.
    fn is_due(&mut self, length: u64, work: impl FnOnce() -> u64, draw: impl FnOnce() -> u64) -> bool {
        self.seen += 1;
        if self.seen <= FIRST && (self.seen == 1 || self.work < FIRST_WORK) {
            self.work = self.work.saturating_add(work());
            return true;
        }
        let drawn = draw();
        let rarer = || work().div_ceil(ONE_IN * length.max(1)).max(1);
        drawn.is_multiple_of(ONE_IN) && drawn.is_multiple_of(ONE_IN.saturating_mul(rarer()))
    }

    /// Are all messages audited, and not a sample?
    pub(crate) fn audits_all(&self) -> bool {
        self.all
    }

    /// Do strings travel?
    #[inline]
    pub(crate) fn carries(&self) -> bool {
        self.strings.is_some()
    }

    /// The message of client `i` has arrived: where a network carried its string, it becomes what that says.
    ///
    /// # Errors
    /// When the string says something else than what was sent, or did not arrive.
    pub(crate) fn arrived(
        &self,
        i: u32,
        compressor: &dyn Compressor,
        encoded: &mut Encoded,
        key: CounterKey,
    ) -> Result<()> {
        let Some(strings) = &self.strings else { return Ok(()) };
        *encoded = read_back(compressor, encoded, Randomness::Keyed(key), &strings.arrived(i))
            .map_err(|source| ProtocolError::Audit { compressor: compressor.name(), source })?;
        Ok(())
    }

    /// Sends `x` as the message of `entity` in `round`: it becomes what receivers decode. Returns the bits; the message
    /// is left in
    /// `encoded`.
    ///
    /// # Errors
    /// When `x` cannot be encoded; as for [`Auditor::check`].
    pub fn transmit(
        &mut self,
        streams: &Streams,
        (entity, round): (u64, u64),
        compressor: &dyn Compressor,
        x: &mut [f64],
        encoded: &mut Encoded,
    ) -> Result<Bits> {
        let key = message_key(streams, entity, round);
        compressor.encode(x, Randomness::Keyed(key), encoded)?;
        self.check(streams, entity, round, compressor, encoded, key)?;
        compressor.decode(encoded, x);
        Ok(Bits::new(encoded.bits()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Messages of 100 numbers, the draws 0, 1, …: which of them are audited.
    fn audited(messages: u64, work: u64) -> Vec<u64> {
        let mut auditor = Auditor::new(false);
        (0..messages).filter(|&number| auditor.is_due(100, || work, || number)).collect()
    }

    /// All of the first thousand and then one in 64, also where strings take some steps for each number. At 2²⁵ steps a
    /// message these are 8, and then one in 64 · ⌈2²⁵ / 6400⌉ = 335 552. One is looked at in any case.
    #[test]
    fn strings_that_take_long_are_looked_at_less_often() {
        let usual: Vec<u64> = (0..1_000).chain((1_000..5_000).filter(|number| number % 64 == 0)).collect();
        assert_eq!([audited(5_000, 0), audited(5_000, 6_400)], [usual.clone(), usual]);
        assert_eq!(audited(700_000, 1 << 25), [0, 1, 2, 3, 4, 5, 6, 7, 335_552, 671_104]);
        assert_eq!(audited(5_000, u64::MAX), [0]);
    }
}
