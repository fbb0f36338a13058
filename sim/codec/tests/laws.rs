//! Laws of every compressor of the registry: the audit passes, `add_decoded` is decode and add, buffers carry nothing
//! over, bad vectors and corrupt strings are errors.

use std::panic::{AssertUnwindSafe, catch_unwind};

use fedbits_codec::bits::elias;
use fedbits_codec::{
    Announced, AuditError, Bernoulli, BitReader, BitWriter, BlockQuantization, CodecError, Composition, Compressor,
    CountSketch, Dithering, Draw, Encoded, ExpectedBits, Identity, Indices, Induced, Lazy, LevelCode, Mask,
    NaturalDithering, Norm, PermK, RandK, RankR, TopK, WireFloat, audit, framing_bits, laws, registry,
};
use fedbits_random::{CounterKey, DrawPurpose, Streams};
use proptest::prelude::*;

fn key(number: u64) -> CounterKey {
    Streams::new(3, 0).counter(DrawPurpose::Compression, 0, number)
}

/// All laws, over every registered compressor.
#[test]
fn every_compressor_obeys_the_laws() {
    let all = registry();
    // The number of operators that the laws allow for.
    assert!(all.len() < 1000);
    all.iter().for_each(|q| laws::operator(q.as_ref()));
}

/// Announced messages of every kind of end; nothing is one bit, and everything else the bit and its message.
#[test]
fn a_bit_announces_a_message() {
    let inner: [fn() -> Box<dyn Compressor>; 3] = [
        || Box::new(Identity { wire: WireFloat::F64 }),
        || Box::new(TopK::new(2, Indices::Enumerative, WireFloat::F32)),
        || Box::new(Dithering { s: 4, r: Norm::L(2.0), code: LevelCode::EliasSparse, wire: WireFloat::F64 }),
    ];
    for inner in inner {
        let (plain, announced) = (inner(), Announced(inner()));
        laws::operator(&announced);
        for x in [[0.0, 0.0, -0.0], [1.0, 0.0, -2.0]] {
            let (mut one, mut two) = (Encoded::new(), Encoded::new());
            plain.encode(&x, Draw::Keyed(key(1)), &mut one).unwrap();
            announced.encode(&x, Draw::Keyed(key(1)), &mut two).unwrap();
            let is_zero = x.iter().all(|value| *value == 0.0);
            assert_eq!(two.bits(), if is_zero { 1 } else { 1 + one.bits() }, "{}", announced.name());
        }
    }
}

/// What an operator may say of itself, or do, that is wrong.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Wrong {
    Nothing,
    /// What is decoded is that times what it should be.
    Times(f64),
    /// Entries below 1e-3 of the largest are left out.
    Tiny,
    /// ω, that times what it should be.
    Omega(f64),
    /// ω of normal vectors, and no closed form of the variance.
    OmegaOfNormal(f64),
    Variance(f64),
    VarianceOfSpike,
    /// Pairs of entries have one size, but for the first pair with a largest one: δ of them, which is 1/2.
    Pairs(f64),
}

/// An operator of which something is wrong.
#[derive(Debug)]
struct Altered {
    inner: Box<dyn Compressor>,
    wrong: Wrong,
}

impl Compressor for Altered {
    fn name(&self) -> String {
        format!("{}, {:?}", self.inner.name(), self.wrong)
    }

    fn encode(&self, x: &[f64], draw: Draw<'_>, out: &mut Encoded) -> Result<(), CodecError> {
        let largest = x.iter().fold(0.0, |largest: f64, v| largest.max(v.abs()));
        let dropped = |v: &f64| self.wrong == Wrong::Tiny && v.abs() < 1e-3 * largest;
        let mut kept: Vec<f64> = x.iter().map(|v| if dropped(v) { 0.0 } else { *v }).collect();
        let first = kept.iter().position(|v| v.abs() == largest).unwrap_or(0) / 2;
        let pairs = kept.chunks_exact_mut(2).enumerate().filter(|_| matches!(self.wrong, Wrong::Pairs(_)));
        for (_, pair) in pairs.filter(|(at, _)| *at != first) {
            let mean = pair[0].abs() / 2.0 + pair[1].abs() / 2.0;
            pair.iter_mut().for_each(|v| *v = mean.copysign(*v));
        }
        self.inner.encode(&kept, draw, out)
    }

    fn decode(&self, message: &Encoded, out: &mut [f64]) {
        self.inner.decode(message, out);
        if let Wrong::Times(factor) = self.wrong {
            // What a corrupt string holds can be as large as numbers get.
            out.iter_mut().for_each(|v| *v = (*v * factor).clamp(f64::MIN, f64::MAX));
        }
    }

    fn write_bits(&self, message: &Encoded, writer: &mut BitWriter) {
        self.inner.write_bits(message, writer);
    }

    fn read(&self, reader: &mut BitReader<'_>, key: Option<CounterKey>, out: &mut Encoded) -> Result<(), CodecError> {
        self.inner.read(reader, key, out)
    }

    fn is_unbiased(&self) -> bool {
        !matches!(self.wrong, Wrong::Pairs(_))
    }

    fn contraction(&self, _: usize) -> Option<f64> {
        if let Wrong::Pairs(delta) = self.wrong { Some(delta) } else { None }
    }

    fn omega(&self, dimension: usize) -> Option<f64> {
        if !self.is_unbiased() {
            return None;
        }
        let omega = self.inner.omega(dimension)?;
        Some(if let Wrong::Omega(factor) | Wrong::OmegaOfNormal(factor) = self.wrong { factor * omega } else { omega })
    }

    fn variance_at(&self, x: &[f64]) -> Option<f64> {
        let variance = self.inner.variance_at(x)?;
        match self.wrong {
            Wrong::Nothing | Wrong::Omega(_) => Some(variance),
            Wrong::Times(_) | Wrong::Tiny | Wrong::OmegaOfNormal(_) | Wrong::Pairs(_) => None,
            Wrong::Variance(value) => Some(value),
            Wrong::VarianceOfSpike => Some(if x.len() < 20 { 0.5 * variance } else { variance }),
        }
    }

    fn uniforms(&self, dimension: usize) -> usize {
        self.inner.uniforms(dimension)
    }

    fn expected_bits(&self, dimension: usize) -> Option<ExpectedBits> {
        self.inner.expected_bits(dimension)
    }
}

/// Shrunken means, lost entries, too small an ω and variances that are none are found.
#[test]
fn the_laws_refuse_wrong_operators() {
    let one_entry = || Box::new(RandK::new(1, Indices::Enumerative, WireFloat::F64)) as Box<dyn Compressor>;
    let largest_norm = || {
        let code = LevelCode::Mask;
        Box::new(Dithering { s: 1, r: Norm::Infinity, code, wire: WireFloat::F64 }) as Box<dyn Compressor>
    };
    for inner in [one_entry(), largest_norm()] {
        laws::operator(&Altered { inner, wrong: Wrong::Nothing });
    }
    let whole = || Box::new(Identity { wire: WireFloat::F64 }) as Box<dyn Compressor>;
    laws::operator(&Altered { inner: whole(), wrong: Wrong::Pairs(0.5) });
    let cases = [
        (whole(), Wrong::Pairs(0.7), "mean squared error"),
        (one_entry(), Wrong::Times(0.3), "mean off"),
        (one_entry(), Wrong::Times(0.9), "mean off"),
        (one_entry(), Wrong::Times(1.1), "mean off"),
        (largest_norm(), Wrong::Times(0.9), "mean off"),
        (largest_norm(), Wrong::Tiny, "mean off"),
        (one_entry(), Wrong::Omega(0.99), "variance"),
        (largest_norm(), Wrong::Omega(0.5), "variance"),
        (largest_norm(), Wrong::OmegaOfNormal(0.5), "mean squared error"),
        (one_entry(), Wrong::Variance(f64::NAN), "variance NaN"),
        (one_entry(), Wrong::Variance(-1.0), "variance -1"),
        (largest_norm(), Wrong::VarianceOfSpike, "mean squared error"),
    ];
    for (inner, wrong, expected) in cases {
        let altered = Altered { inner, wrong };
        let refused = catch_unwind(AssertUnwindSafe(|| laws::operator(&altered))).expect_err("a wrong operator passed");
        let text = refused.downcast_ref::<String>().expect("a message");
        assert!(text.contains(expected), "{wrong:?}: {text}");
    }
}

/// Vectors of one or two entries, for those whose parameters fit them.
#[test]
fn short_vectors() {
    let mut reused = Encoded::new();
    for d in [1, 2] {
        for (number, x) in laws::hostile_vectors(d).iter().enumerate() {
            for q in registry().iter().filter(|q| q.validate(d).is_ok()) {
                laws::strings(q.as_ref(), x, key(number as u64), &mut reused);
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
            laws::strings(q.as_ref(), &x, key(number), &mut reused);
        }
    }

    /// Any bits at all: a message or an error. What is read decodes to finite numbers, and, written again, to the same
    /// string.
    #[test]
    fn arbitrary_strings(words in prop::collection::vec(any::<u64>(), 0..8), cut in 0u64..64, d in 3usize..20) {
        let length = (words.len() as u64 * 64).saturating_sub(cut);
        read_all(&words, length, d);
    }
}

fn read_all(words: &[u64], length: u64, d: usize) {
    for q in registry() {
        laws::read_again(q.as_ref(), words, length, d);
    }
}

/// Messages that end themselves can be read one behind the other, and others with their length before them: the whole
/// has the bits that are charged.
#[test]
fn a_message_behind_another_is_found() {
    for q in registry() {
        let (mut writer, mut charged) = (BitWriter::new(), 0);
        let messages: Vec<Encoded> = (0..3).map(|number| encoded(q.as_ref(), number)).collect();
        for message in &messages {
            let framing = framing_bits(q.as_ref(), message);
            if framing > 0 {
                elias::write_omega(&mut writer, message.bits() + 1);
            }
            q.write_bits(message, &mut writer);
            charged += framing + message.bits();
        }
        assert_eq!(writer.length(), charged, "{}", q.name());
        let mut reader = BitReader::new(writer.words(), writer.length());
        for (number, message) in (0..).zip(&messages) {
            let mut read = Encoded::new();
            if q.ends_itself() {
                q.read_bits(&mut reader, 40, Some(key(number)), &mut read).unwrap();
            } else {
                let mut inner = BitWriter::new();
                for _ in 1..elias::read_omega(&mut reader).unwrap() {
                    inner.write(reader.read(1).unwrap(), 1);
                }
                let mut reader = BitReader::new(inner.words(), inner.length());
                q.read_bits(&mut reader, 40, Some(key(number)), &mut read).unwrap();
            }
            assert_eq!(read, *message, "{}", q.name());
        }
        assert_eq!(reader.remaining(), 0, "{}", q.name());
    }
}

fn encoded(q: &dyn Compressor, number: u64) -> Encoded {
    let (x, mut message) = (laws::adversarial(40).swap_remove(6), Encoded::new());
    q.encode(&x, Draw::Keyed(key(number)), &mut message).unwrap();
    message
}

/// The message of the zero vector under dithering is the norm alone; all others keep their usual length.
#[test]
fn zero_vectors_are_short() {
    for q in registry() {
        let mut message = Encoded::new();
        q.encode(&[0.0; 9], Draw::Keyed(key(1)), &mut message).unwrap();
        let mut decoded = [1.0; 9];
        q.decode(&message, &mut decoded);
        assert_eq!(decoded, [0.0; 9], "{}", q.name());
        if q.name().starts_with("dithering") && !q.name().contains("after") {
            assert_eq!(message.bits(), if q.name().ends_with("F32") { 32 } else { 64 }, "{}", q.name());
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

/// What leaves the indices out is no longer than the whole where there are few levels. The adaptive coder needs at most
/// 10 % and a few bits more than the entropy of its levels.
#[test]
fn conventions() {
    let d = 400;
    for q in registry() {
        let (mut bits, mut entropy, mut free) = (0.0, 0.0, 0.0);
        for number in 0..30 {
            let mut stream = Streams::new(9, number).at(DrawPurpose::Data, 0, 0);
            let x: Vec<f64> = (0..d).map(|_| stream.normal()).collect();
            let mut message = Encoded::new();
            q.encode(&x, Draw::Keyed(key(number)), &mut message).unwrap();
            bits += message.bits() as f64 / 30.0;
            entropy += q.entropy_bits(&message) / 30.0;
            free += q.indices_free_bits(&message) as f64 / 30.0;
        }
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
            "indices is seed shared: expected indices that are sent: they depend on the vector",
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
            "contraction is rand-1 (indices sent) F64: expected a compressor without randomness whose string has a known length",
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
