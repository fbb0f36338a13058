//! The audit of what is charged: a sample of the messages is written as a bit string, measured, read back and compared.

use fedbits_codec::{Compressor, Draw as Randomness, Encoded, audit};
use fedbits_random::{CounterKey, Purpose as Draw, Streams};

/// The first messages of a run are audited without exception.
const FIRST: u64 = 1_000;
/// One in so many is audited after that.
const ONE_IN: u64 = 64;

/// Decides which messages are audited, and audits them.
pub struct Auditor {
    all: bool,
    seen: u64,
}

impl Auditor {
    /// `all`: every message, as with `--audit`.
    pub fn new(all: bool) -> Self {
        Self { all, seen: 0 }
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
    ) -> Result<(), String> {
        self.seen += 1;
        let drawn = || streams.counter(Draw::Audit, entity, round).bits(0).is_multiple_of(ONE_IN);
        if !(self.all || self.seen <= FIRST || drawn()) {
            return Ok(());
        }
        audit(compressor, encoded, Randomness::Keyed(key))
            .map_err(|error| format!("audit of {}: {error}", compressor.name()))
    }
}
