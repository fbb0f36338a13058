//! The bit strings of fixed vectors are part of every result: they never change, on any machine, with any instruction
//! set.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use fedbits_codec::{BitWriter, Compressor, Draw, Encoded, registry};
use fedbits_random::{DrawPurpose, Streams};

/// FNV-1a over 64-bit words.
fn absorb(hash: u64, word: u64) -> u64 {
    (hash ^ word).wrapping_mul(0x0000_0100_0000_01B3)
}

const START: u64 = 0xCBF2_9CE4_8422_2325;

/// A digest over the strings of one compressor at three dimensions, drawn from keys given by its name.
fn digest(q: &dyn Compressor) -> u64 {
    let name = q.name().bytes().fold(START, |hash, byte| absorb(hash, u64::from(byte)));
    let mut hash = START;
    for d in [6, 100, 2310] {
        let streams = Streams::new(77, d);
        let mut stream = streams.at(DrawPurpose::Data, 0, 0);
        let x: Vec<f64> = (0..d).map(|_| stream.normal()).collect();
        let (mut message, mut writer) = (Encoded::new(), BitWriter::new());
        q.encode(&x, Draw::Keyed(streams.counter(DrawPurpose::Compression, 0, name)), &mut message).unwrap();
        q.write_bits(&message, &mut writer);
        hash = absorb(hash, message.bits());
        hash = writer.words().iter().fold(hash, |hash, &word| absorb(hash, word));
    }
    hash
}

/// A line per registered compressor. If a line changes, old results cannot be reproduced any more.
#[test]
fn strings_are_pinned() {
    let all: BTreeMap<String, u64> = registry().iter().map(|q| (q.name(), digest(q.as_ref()))).collect();
    let mut found = String::new();
    all.iter().for_each(|(name, digest)| writeln!(found, "{digest:016x} {name}").unwrap());
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../sim/codec/tests/strings.txt");
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::write(path, &found).unwrap();
    }
    let kept = std::fs::read_to_string(path).unwrap_or_default();
    assert!(
        kept == found,
        "other strings than those of {path} (UPDATE_GOLDEN=1 adds lines of new compressors):\n{found}"
    );
}
