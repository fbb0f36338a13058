//! The bit strings of fixed vectors are part of every result: they never change, on any machine, with any instruction set.

use fedbits_codec::{BitWriter, Draw, Encoded, registry};
use fedbits_random::{Purpose, Streams};

/// FNV-1a over 64-bit words.
fn absorb(hash: u64, word: u64) -> u64 {
    (hash ^ word).wrapping_mul(0x0000_0100_0000_01B3)
}

/// One digest over the strings and lengths of all compressors of the registry at three dimensions. It changes when the registry does;
/// if it changes otherwise, old results cannot be reproduced any more.
#[test]
fn strings_are_pinned() {
    let mut hash = 0xCBF2_9CE4_8422_2325;
    for d in [6, 100, 2310] {
        let streams = Streams::new(77, d);
        let mut stream = streams.at(Purpose::Data, 0, 0);
        let x: Vec<f64> = (0..d).map(|_| stream.normal()).collect();
        for (number, q) in registry().iter().enumerate() {
            let (mut message, mut writer) = (Encoded::new(), BitWriter::new());
            let key = streams.counter(Purpose::Compression, 0, number as u64);
            q.encode(&x, Draw::Keyed(key), &mut message).unwrap();
            q.write_bits(&message, &mut writer);
            hash = absorb(hash, message.bits());
            hash = writer.words().iter().fold(hash, |hash, &word| absorb(hash, word));
        }
    }
    assert_eq!(format!("{hash:016x}"), "891b88913817446e");
}
