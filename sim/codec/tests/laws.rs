//! Laws of every compressor of the registry: the audit passes, `add_decoded` is decode and add, buffers carry nothing over, bad
//! vectors and corrupt strings are errors.

#![expect(clippy::unwrap_used, reason = "helpers of tests fail as tests do")]

mod common;

use common::adversarial;
use fedbits_codec::{
    AuditError, Bernoulli, BitReader, BitWriter, BlockQuantization, CodecError, Composition, Compressor, CountSketch,
    Dithering, Draw, Encoded, ExpectedBits, Identity, Indices, Induced, Lazy, LevelCode, Mask, NaturalDithering, Norm,
    PermK, RandK, RankR, TopK, WireFloat, audit, registry,
};
use fedbits_random::{CounterKey, Purpose, Streams};
use proptest::prelude::*;

fn key(number: u64) -> CounterKey {
    Streams::new(3, 0).counter(Purpose::Compression, 0, number)
}

fn decoded(q: &dyn Compressor, message: &Encoded) -> Vec<f64> {
    let mut out = vec![f64::NAN; message.dimension()];
    q.decode(message, &mut out);
    out
}

/// Everything that must hold for one compressor, vector and key. Overflow of the wire is the only excuse.
fn laws(q: &dyn Compressor, x: &[f64], key: CounterKey, reused: &mut Encoded) {
    let (draw, mut message) = (Draw::Keyed(key), Encoded::new());
    match q.encode(x, draw, &mut message) {
        Ok(()) => {}
        Err(CodecError::ValueOverflow { .. } | CodecError::NormOverflow { .. }) => return,
        Err(error) => panic!("{} at {x:?}: {error}", q.name()),
    }
    audit(q, &message, draw).unwrap_or_else(|error| panic!("{error} at {x:?}"));
    q.encode(x, draw, reused).unwrap();
    assert_eq!(*reused, message, "{}: a reused buffer gives another message", q.name());
    let values = decoded(q, &message);
    assert!(values.iter().all(|v| v.is_finite()), "{} at {x:?}: {values:?}", q.name());
    for scale in [0.01, -3.0, 0.0] {
        let start = |j: usize| [-0.0, 0.0, 1.5, -7e-310][j % 4];
        let mut sum: Vec<f64> = (0..x.len()).map(start).collect();
        q.add_decoded(&message, scale, &mut sum);
        for j in 0..x.len() {
            assert_eq!(sum[j].to_bits(), (start(j) + scale * values[j]).to_bits(), "{} entry {j} of {x:?}", q.name());
        }
    }
}

#[test]
fn adversarial_vectors() {
    let mut reused = Encoded::new();
    for d in [1, 2, 3, 4, 8, 31, 32, 33, 100, 257] {
        // Some of the registry's parameters need more than one or two entries.
        let fitting: Vec<_> = registry().into_iter().filter(|q| q.validate(d).is_ok()).collect();
        assert!(d < 3 || fitting.len() == registry().len());
        let extremes = [vec![0.0; d], vec![-0.0; d], vec![5e-324; d], vec![1.7e308; d], vec![-3e-39; d], vec![3e38; d]];
        for (number, x) in adversarial(d).into_iter().chain(extremes).enumerate() {
            for q in &fitting {
                laws(q.as_ref(), &x, key(number as u64), &mut reused);
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn random_vectors(
        x in prop::collection::vec(prop_oneof![
            4 => -3.0..3.0_f64,
            1 => Just(0.0),
            1 => prop::num::f64::NORMAL | prop::num::f64::SUBNORMAL | prop::num::f64::ZERO,
        ], 3..80),
        number in any::<u64>(),
    ) {
        let mut reused = Encoded::new();
        for q in registry() {
            laws(q.as_ref(), &x, key(number), &mut reused);
        }
    }

    /// Any bits at all: a message or an error. What is read decodes to finite numbers, and, written again, to the same string.
    #[test]
    fn arbitrary_strings(words in prop::collection::vec(any::<u64>(), 0..8), cut in 0u64..64, d in 3usize..20) {
        let length = (words.len() as u64 * 64).saturating_sub(cut);
        read_all(&words, length, d);
    }

    /// Real strings with one flipped bit or a missing end.
    #[test]
    fn corrupted_strings(d in 3usize..20, number in any::<u64>(), place in any::<prop::sample::Index>(), cut in any::<bool>()) {
        let mut stream = Streams::new(8, number).at(Purpose::Data, 0, 0);
        let x: Vec<f64> = (0..d).map(|_| stream.normal()).collect();
        for q in registry() {
            let (mut message, mut writer) = (Encoded::new(), BitWriter::new());
            q.encode(&x, Draw::Keyed(key(number)), &mut message).unwrap();
            q.write_bits(&message, &mut writer);
            let Some(last) = writer.length().checked_sub(1) else { continue };
            let at = place.index(last as usize + 1) as u64;
            let mut words = writer.words().to_vec();
            if !cut {
                words[(at / 64) as usize] ^= 1 << (63 - at % 64);
            }
            read_again(q.as_ref(), &words, if cut { at } else { last + 1 }, d);
        }
    }
}

fn read_all(words: &[u64], length: u64, d: usize) {
    for q in registry() {
        read_again(q.as_ref(), words, length, d);
    }
}

fn read_again(q: &dyn Compressor, words: &[u64], length: u64, d: usize) {
    let (mut reader, mut message) = (BitReader::new(words, length), Encoded::new());
    if q.read_bits(&mut reader, d, Some(key(0)), &mut message).is_err() {
        return;
    }
    assert_eq!(message.bits(), reader.position(), "{}", q.name());
    assert!(decoded(q, &message).iter().all(|v| v.is_finite()), "{}", q.name());
    let mut writer = BitWriter::new();
    q.write_bits(&message, &mut writer);
    assert_eq!(writer.length(), message.bits(), "{}", q.name());
    let mut first = BitReader::new(words, length);
    let mut second = BitReader::new(writer.words(), writer.length());
    while second.remaining() > 0 {
        assert_eq!(first.read(1), second.read(1), "{}", q.name());
    }
}

/// The message of the zero vector under dithering is the norm alone; all others keep their usual length.
#[test]
fn zero_vectors_are_short() {
    for q in registry() {
        let mut message = Encoded::new();
        q.encode(&[0.0; 9], Draw::Keyed(key(1)), &mut message).unwrap();
        assert!(decoded(q.as_ref(), &message).iter().all(|&v| v == 0.0));
        if q.name().starts_with("dithering") && !q.name().contains("after") {
            assert_eq!(message.bits(), if q.name().ends_with("F32") { 32 } else { 64 }, "{}", q.name());
        }
    }
}

#[test]
fn entries_that_are_not_finite_are_named() {
    for q in registry() {
        for (index, bad) in [(0, f64::NAN), (2, f64::INFINITY), (40, f64::NEG_INFINITY)] {
            let mut x = vec![1.0; 41];
            x[index] = bad;
            let result = q.encode(&x, Draw::Keyed(key(1)), &mut Encoded::new());
            assert_eq!(result, Err(CodecError::NotFinite { index }), "{}", q.name());
            assert_eq!(q.variance_at(&x), None, "{}", q.name());
        }
    }
}

/// A charge that is not the length of the string, and a string read with another key, are found.
#[test]
fn the_audit_can_fail() {
    let (short, long) = (Identity { wire: WireFloat::F32 }, Identity { wire: WireFloat::F64 });
    let mut message = Encoded::new();
    short.encode(&[1.0; 4], Draw::Keyed(key(1)), &mut message).unwrap();
    let found = audit(&long, &message, Draw::Keyed(key(1)));
    assert_eq!(found, Err(AuditError::Length { compressor: long.name(), charged: 128, written: 256 }));
    for q in [
        &RandK::new(5, Indices::SharedSeed, WireFloat::F64) as &dyn Compressor,
        &Bernoulli { p: 0.5, mask: Mask::SharedSeed, wire: WireFloat::F64 },
    ] {
        q.encode(&[1.0; 64], Draw::Keyed(key(1)), &mut message).unwrap();
        assert!(audit(q, &message, Draw::Keyed(key(2))).is_err(), "{}", q.name());
        let without = audit(q, &message, Draw::Given(&[]));
        assert!(matches!(without, Err(AuditError::Unreadable { source: CodecError::KeyNeeded, .. })));
    }
}

fn rank(rank: usize, rows: usize) -> Box<dyn Compressor> {
    Box::new(RankR { rank, rows, wire: WireFloat::F64 })
}

fn block(block: usize, p: f64) -> Box<dyn Compressor> {
    Box::new(BlockQuantization { block, p: Norm::L(p), code: LevelCode::Mask, wire: WireFloat::F64 })
}

fn sketch(rows: u32, columns: u32) -> Box<dyn Compressor> {
    Box::new(CountSketch { rows, columns, wire: WireFloat::F64 })
}

fn natural_dithering(s: u32) -> Box<dyn Compressor> {
    Box::new(NaturalDithering { s, r: Norm::L(2.0), code: LevelCode::Fixed, wire: WireFloat::F64 })
}

/// Every compressor says what it is: unbiased ones have an ω, the others a contraction; both are in range.
#[test]
fn statements() {
    for q in registry() {
        for d in [3, 12, 100] {
            let (omega, delta) = (q.omega(d), q.contraction(d));
            assert_eq!(q.is_unbiased(), omega.is_some(), "{}", q.name());
            assert!(omega.is_none_or(|omega| omega >= 0.0), "{}", q.name());
            assert!(q.is_unbiased() || delta.is_some(), "{}", q.name());
            assert!(delta.is_none_or(|delta| 0.0 < delta && delta <= 1.0 + 1e-12), "{}: {delta:?}", q.name());
        }
    }
}

/// The stated mean length: exactly, or within 6.5 standard errors of 400 messages.
#[test]
fn expected_lengths() {
    let d = 60;
    for q in registry() {
        let mut lengths = Vec::new();
        for number in 0..400 {
            let mut stream = Streams::new(9, number).at(Purpose::Data, 0, 0);
            let x: Vec<f64> = (0..d).map(|_| stream.normal()).collect();
            let mut message = Encoded::new();
            q.encode(&x, Draw::Keyed(key(number)), &mut message).unwrap();
            lengths.push(message.bits() as f64);
        }
        let mean = lengths.iter().sum::<f64>() / 400.0;
        let variance = lengths.iter().map(|v| (v - mean) * (v - mean)).sum::<f64>() / 399.0;
        match q.expected_bits(d).unwrap() {
            ExpectedBits::Always(bits) => assert!(lengths.iter().all(|&v| v == bits as f64), "{}", q.name()),
            ExpectedBits::OnAverage(bits) | ExpectedBits::ForNormal(bits) => {
                assert!((mean - bits).abs() <= 6.5 * (variance / 300.0).sqrt() + 1e-9, "{}: {mean}, {bits}", q.name());
            }
        }
    }
}

/// No message of independent entries is shorter on average than the entropy of its symbols, and what leaves the places out is no
/// longer than the whole where there are few levels. The adaptive coder needs at most 10 % and a few bits more than the entropy of its levels.
#[test]
fn conventions() {
    let d = 400;
    for q in registry() {
        let (mut bits, mut entropy, mut free) = (0.0, 0.0, 0.0);
        for number in 0..30 {
            let mut stream = Streams::new(9, number).at(Purpose::Data, 0, 0);
            let x: Vec<f64> = (0..d).map(|_| stream.normal()).collect();
            let mut message = Encoded::new();
            q.encode(&x, Draw::Keyed(key(number)), &mut message).unwrap();
            bits += message.bits() as f64 / 30.0;
            entropy += q.entropy_bits(&message) / 30.0;
            free += q.indices_free_bits(&message) as f64 / 30.0;
        }
        assert!(entropy <= bits + 1e-9, "{}: entropy {entropy} of {bits} bits", q.name());
        // With many levels most take fewer bits than ⌈log₂ s⌉.
        let many = q.name().contains("s=255") || q.name().contains("s=1048576");
        assert!(many || free <= bits + 1e-9, "{}: {free} of {bits} bits", q.name());
        if q.name().contains("(arithmetic)") && q.name().starts_with("dithering") {
            assert!(bits <= 1.1 * entropy + 10.0, "{}: {bits} against {entropy}", q.name());
        }
    }
}

fn dithering(s: u32, r: f64) -> Box<dyn Compressor> {
    Box::new(Dithering { s, r: Norm::L(r), code: LevelCode::Fixed, wire: WireFloat::F64 })
}

/// The message says which parameter, what it is and what was expected.
#[test]
fn wrong_parameters() {
    let bernoulli = |p| Box::new(Bernoulli { p, mask: Mask::Sent, wire: WireFloat::F64 }) as Box<dyn Compressor>;
    let rand_k = |k| Box::new(RandK::new(k, Indices::Enumerative, WireFloat::F64)) as Box<dyn Compressor>;
    let cases = [
        (dithering(0, 2.0), "s is 0: expected 1 to 1073741824 levels"),
        (dithering(u32::MAX, 2.0), "s is 4294967295: expected 1 to 1073741824 levels"),
        (dithering(1, 0.5), "r is 0.5: expected a norm r ≥ 1, or infinity"),
        (dithering(1, f64::NAN), "r is NaN: expected a norm r ≥ 1, or infinity"),
        (rand_k(0), "k is 0: expected 1 to 3 entries"),
        (rand_k(4), "k is 4: expected 1 to 3 entries"),
        (bernoulli(0.0), "p is 0: expected a probability, 0 < p ≤ 1"),
        (bernoulli(1.5), "p is 1.5: expected a probability, 0 < p ≤ 1"),
        (bernoulli(f64::NAN), "p is NaN: expected a probability, 0 < p ≤ 1"),
        (Box::new(Lazy { p: 0.0, wire: WireFloat::F64 }), "p is 0: expected a probability, 0 < p ≤ 1"),
        (Box::new(TopK::new(4, Indices::Enumerative, WireFloat::F64)), "k is 4: expected 1 to 3 entries"),
        (
            Box::new(TopK::new(1, Indices::SharedSeed, WireFloat::F64)),
            "places is seed shared: expected places that are sent: they depend on the vector",
        ),
        (rank(2, 1), "rank is 2: expected 1 to 1, the smaller side of the matrix"),
        (rank(0, 3), "rank is 0: expected 1 to 1, the smaller side of the matrix"),
        (rank(1, 2), "rows is 2: expected a divisor of the dimension 3"),
        (rank(1, 0), "rows is 0: expected a divisor of the dimension 3"),
        (block(0, 2.0), "block is 0: expected at least 1 entry"),
        (block(2, 0.0), "r is 0: expected a norm r ≥ 1, or infinity"),
        (Box::new(PermK { members: 0, member: 0, wire: WireFloat::F64 }), "members is 0: expected at least 1 client"),
        (Box::new(PermK { members: 2, member: 2, wire: WireFloat::F64 }), "member is 2: expected 0 to 1"),
        (sketch(0, 1), "rows is 0: expected 1 to 64 rows"),
        (sketch(1, 0), "columns is 0: expected 1 to 1073741824 cells per row"),
        (natural_dithering(0), "s is 0: expected 1 to 60 levels"),
        (natural_dithering(61), "s is 61: expected 1 to 60 levels"),
        (Box::new(Composition { first: rand_k(2), then: rand_k(3) }), "k is 3: expected 1 to 2 entries"),
        (
            Box::new(Induced { contraction: rand_k(1), rest: rand_k(1) }),
            "contraction is rand-1 (places sent) F64: expected a compressor without randomness whose string has a known length",
        ),
    ];
    for (q, expected) in cases {
        let error = q.validate(3).unwrap_err();
        assert_eq!(error.to_string(), expected);
        assert_eq!(q.encode(&[1.0; 3], Draw::Keyed(key(1)), &mut Encoded::new()).unwrap_err().to_string(), expected);
    }
    let none = dithering(1, 2.0).validate(0).unwrap_err();
    assert_eq!(none.to_string(), "dimension is 0: expected 1 to 4294967295");
    let few = dithering(1, 2.0).encode(&[1.0; 3], Draw::Given(&[0.5]), &mut Encoded::new());
    assert_eq!(few, Err(CodecError::TooFewUniforms { needed: 3, given: 1 }));
}
