//! The laws of compressors, for the project's own and for a user's: strings of the charged length that read back, exact
//! `add_decoded`, typed errors for bad vectors and corrupt strings, true statements about bias, ω and lengths.
//!
//! Each function panics at the first law that is broken, and says which operator broke it: call [`compressor`] from a
//! test.

use fedbits_random::{CounterKey, DrawPurpose, Streams};
use fedbits_spec::{Facts, assert_sound};

use crate::{
    BitReader, BitWriter, CodecError, Compressor, CompressorSetting, Draw, Encoded, ExpectedBits, WireFloat, audit,
    claims::claims, registry::operators,
};

pub use crate::vectors::{adversarial, hostile_vectors};
use crate::vectors::{is_of_ordinary_size, normal, squared};

/// All laws, over the examples of a setting with both widths of floats.
///
/// # Panics
/// When a law is broken.
pub fn compressor<T: CompressorSetting>() {
    let examples = T::examples();
    assert!(!examples.is_empty(), "{}: no examples to test the laws over", std::any::type_name::<T>());
    for setting in examples {
        assert_sound(&setting, &Facts::default());
        for wire in [WireFloat::F64, WireFloat::F32] {
            let all = operators(&setting, wire);
            all.iter().for_each(|q| operator(q.as_ref()));
            all.iter().for_each(|q| memory(&setting, q.as_ref()));
        }
    }
}

/// A message takes about as many bytes as the setting says: buffers that grow may be twice as large, and small ones
/// have their least size.
fn memory<T: CompressorSetting>(setting: &T, q: &dyn Compressor) {
    let d = 4096;
    let (held, said) = (encoded(q, &normal(d, 10, 0), key(0)).bytes(), setting.message_bytes(d as u64));
    assert!(held as u64 <= 2 * said + 256, "{}: a message takes {held} bytes, and {said} are said", q.name());
}

/// All laws of one operator, whose parameters fit every dimension of at least 3.
///
/// # Panics
/// When a law is broken.
pub fn operator(q: &dyn Compressor) {
    let mut reused = Encoded::new();
    for d in [3, 4, 8, 31, 32, 33, 100, 257] {
        for (number, x) in hostile_vectors(d).iter().enumerate() {
            strings(q, x, key(number as u64), &mut reused);
        }
    }
    entries_that_are_not_finite(q);
    (0..64).for_each(|number| corrupt_strings(q, number));
    statements(q);
    lengths(q);
    moments(q);
    let found = claims(q, 24, 200, 5).unwrap_or_else(|error| panic!("{}: {error}", q.name()));
    assert!(found.broken.is_empty(), "{}: {:?}", q.name(), found.broken);
}

fn key(number: u64) -> CounterKey {
    Streams::new(3, 0).counter(DrawPurpose::Compression, 0, number)
}

fn encoded(q: &dyn Compressor, x: &[f64], key: CounterKey) -> Encoded {
    let mut message = Encoded::new();
    if let Err(error) = q.encode(x, Draw::Keyed(key), &mut message) {
        panic!("{} at {x:?}: {error}", q.name());
    }
    message
}

fn decoded(q: &dyn Compressor, message: &Encoded) -> Vec<f64> {
    let mut out = vec![f64::NAN; message.dimension()];
    q.decode(message, &mut out);
    out
}

/// The string of a message has the charged length and reads back to the same symbols; `add_decoded` is decode and add,
/// to the bit; a reused buffer carries nothing over. Overflow of the wire is the only excuse.
///
/// # Panics
/// When a law is broken.
pub fn strings(q: &dyn Compressor, x: &[f64], key: CounterKey, reused: &mut Encoded) {
    let (draw, mut message) = (Draw::Keyed(key), Encoded::new());
    match q.encode(x, draw, &mut message) {
        Ok(()) => {}
        Err(CodecError::ValueOverflow { .. } | CodecError::NormOverflow { .. }) => return,
        Err(error) => panic!("{} at {x:?}: {error}", q.name()),
    }
    audit(q, &message, draw).unwrap_or_else(|error| panic!("{error} at {x:?}"));
    assert_eq!(q.encode(x, draw, reused), Ok(()), "{}", q.name());
    assert_eq!(*reused, message, "{}: a reused buffer gives another message", q.name());
    let values = decoded(q, &message);
    assert!(values.iter().all(|v| v.is_finite()), "{} at {x:?}: {values:?}", q.name());
    for scale in [0.01, -3.0, 0.0] {
        let start = |j: usize| [-0.0, 0.0, 1.5, -7e-310][j % 4];
        let mut sum: Vec<f64> = (0..x.len()).map(start).collect();
        q.add_decoded(&message, scale, &mut sum);
        for j in 0..x.len() {
            let expected = start(j) + scale * values[j];
            assert_eq!(sum[j].to_bits(), expected.to_bits(), "{}: add_decoded, entry {j} of {x:?}", q.name());
        }
    }
}

/// The first entry that is not finite is named.
fn entries_that_are_not_finite(q: &dyn Compressor) {
    for (index, bad) in [(0, f64::NAN), (2, f64::INFINITY), (40, f64::NEG_INFINITY)] {
        let mut x = vec![1.0; 41];
        x[index] = bad;
        let result = q.encode(&x, Draw::Keyed(key(1)), &mut Encoded::new());
        assert_eq!(result, Err(CodecError::NotFinite { index }), "{}", q.name());
        assert_eq!(q.variance_at(&x), None, "{}: the variance at {bad}", q.name());
    }
}

/// A real string with a flipped bit, and one with a missing end.
fn corrupt_strings(q: &dyn Compressor, number: u64) {
    let mut stream = Streams::new(8, number).at(DrawPurpose::Data, 1, 0);
    let d = 3 + stream.below(17) as usize;
    let (message, mut writer) = (encoded(q, &normal(d, 8, number), key(number)), BitWriter::new());
    q.write_bits(&message, &mut writer);
    if writer.length() == 0 {
        return;
    }
    let at = stream.below(writer.length());
    read_again(q, writer.words(), at, d);
    let mut words = writer.words().to_vec();
    words[(at / 64) as usize] ^= 1 << (63 - at % 64);
    read_again(q, &words, writer.length(), d);
}

/// Any string at all is an error or a message: one that decodes to finite numbers and, written again, is the same
/// string.
///
/// # Panics
/// When a law is broken.
pub fn read_again(q: &dyn Compressor, words: &[u64], length: u64, d: usize) {
    let (mut reader, mut message) = (BitReader::new(words, length), Encoded::new());
    if q.read_bits(&mut reader, d, Some(key(0)), &mut message).is_err() {
        return;
    }
    assert_eq!(message.bits(), reader.position(), "{}: the length of what was read", q.name());
    assert!(decoded(q, &message).iter().all(|v| v.is_finite()), "{}: what was read is not finite", q.name());
    let mut writer = BitWriter::new();
    q.write_bits(&message, &mut writer);
    assert_eq!(writer.length(), message.bits(), "{}: the length of what is written again", q.name());
    let mut first = BitReader::new(words, length);
    let mut second = BitReader::new(writer.words(), writer.length());
    while second.remaining() > 0 {
        assert_eq!(first.read(1), second.read(1), "{}: what is written again differs", q.name());
    }
}

/// Unbiased operators have an ω, the others a contraction; both are in range, and no variance is above them.
fn statements(q: &dyn Compressor) {
    for d in [3, 12, 100] {
        let (omega, delta) = (q.omega(d), q.contraction(d));
        assert_eq!(q.is_unbiased(), omega.is_some(), "{}: an ω is for unbiased operators, which have one", q.name());
        assert!(omega.is_none_or(|omega| omega >= 0.0), "{}: ω = {omega:?}", q.name());
        assert!(q.is_unbiased() || delta.is_some(), "{}: neither unbiased nor a contraction", q.name());
        assert!(delta.is_none_or(|delta| 0.0 < delta && delta <= 1.0 + 1e-12), "{}: δ = {delta:?}", q.name());
        for x in adversarial(d).into_iter().filter(|x| is_of_ordinary_size(x)) {
            let (variance, most) = (q.variance_at(&x).unwrap_or(0.0), (factor(q, d) + 1.2e-7) * squared(&x));
            assert!(
                variance >= 0.0 && variance <= most,
                "{}: variance {variance} of at most {most}, at {x:?}",
                q.name()
            );
        }
    }
}

/// The stated mean length: exactly, or within 9 standard errors of 400 messages. No message of independent entries is
/// shorter on average than the entropy of its symbols.
fn lengths(q: &dyn Compressor) {
    let d = 60;
    let messages = (0..400).map(|number| encoded(q, &normal(d, 9, number), key(number)));
    let (lengths, entropies): (Vec<f64>, Vec<f64>) =
        messages.map(|message| (message.bits() as f64, q.entropy_bits(&message))).unzip();
    let mean = lengths.iter().sum::<f64>() / 400.0;
    let entropy = entropies.iter().sum::<f64>() / 400.0;
    assert!(entropy <= mean + 1e-9, "{}: entropy {entropy} of {mean} bits", q.name());
    let variance = lengths.iter().map(|v| (v - mean) * (v - mean)).sum::<f64>() / 399.0;
    match q.expected_bits(d) {
        None => panic!("{}: no expected length", q.name()),
        Some(ExpectedBits::Always(bits)) => {
            assert!(lengths.iter().all(|&v| v == bits as f64), "{}: not always {bits} bits", q.name());
        }
        Some(ExpectedBits::OnAverage(bits) | ExpectedBits::ForNormal(bits)) => {
            let off = (mean - bits).abs();
            assert!(off <= Z * (variance / 300.0).sqrt() + 1e-9, "{}: {mean} bits, {bits} expected", q.name());
        }
    }
}

/// Dimension of the long vectors whose moments are sampled.
const D: usize = 300;
const SAMPLES: u64 = 1500;
/// Messages of a vector of one large entry and [`TINY`] ones: outcomes in which a tiny one is sent as a large one are
/// rare, and 54 of them are expected of operators that send it with probability `TINY`.
const RARE_SAMPLES: u64 = 20_000;
const TINY: f64 = 9e-4;
/// P(|Z| > 9) = 2e-19. Tails of sums of rare outcomes are heavier: P(Poisson(54) ≤ 16), 9 of its standard errors, is
/// 5e-10, so that a false alarm among 1000 operators has probability below 1e-6. A mean of 1500 samples that is off by
/// 0.28 standard deviations of one is found with probability 0.95.
const Z: f64 = 9.0;

/// How many standard errors the mean of the samples is away from `expected`; NaN if that is. Rounding is forgiven.
fn z_value(samples: &[f64], expected: f64, forgiven: f64) -> f64 {
    let n = samples.len() as f64;
    let mean = samples.iter().sum::<f64>() / n;
    let variance = samples.iter().map(|v| (v - mean) * (v - mean)).sum::<f64>() / (n - 1.0);
    let off = (mean - expected).abs();
    if off <= forgiven { 0.0 } else { (off - forgiven) / (variance / n).sqrt().max(f64::MIN_POSITIVE) }
}

/// Of so many messages of x: ⟨a, Q(x) − x⟩ of unbiased operators has mean 0 for each of the directions a. Returns
/// ‖Q(x) − x‖² of all.
fn unbiased(q: &dyn Compressor, x: &[f64], directions: &[Vec<f64>], samples: u64) -> Vec<f64> {
    let (streams, mut message, mut error) = (Streams::new(21, 0), Encoded::new(), vec![0.0; x.len()]);
    let (mut projections, mut squares) = (vec![Vec::new(); directions.len()], Vec::new());
    for sample in 0..samples {
        let draw = Draw::Keyed(streams.counter(DrawPurpose::Compression, 0, sample));
        q.encode(x, draw, &mut message).unwrap_or_else(|error| panic!("{} at {x:?}: {error}", q.name()));
        q.decode(&message, &mut error);
        error.iter_mut().zip(x).for_each(|(value, x)| *value -= x);
        squares.push(squared(&error));
        for (values, a) in projections.iter_mut().zip(directions) {
            values.push(a.iter().zip(&error).map(|(a, e)| a * e).sum());
        }
    }
    for (values, a) in projections.iter().zip(directions).filter(|_| q.is_unbiased()) {
        // 32-bit wires round the entries by up to 2⁻²⁴ each.
        let size: f64 = a.iter().zip(x).map(|(a, x)| (a * x).abs()).sum();
        // Outcomes so rare that none was met explain a mean that is off, where `variance_at` has room for them.
        let rarest = values.len() as f64 * values[0] * values[0] / squared(a);
        let is_rare = values.iter().all(|value| *value == values[0]);
        if is_rare && q.variance_at(x).is_some_and(|variance| rarest < 20.0 * variance) {
            continue;
        }
        let z = z_value(values, 0.0, 6e-8 * size);
        assert!(z < Z, "{}: mean off by {z} standard errors, at {:?} …", q.name(), &x[..x.len().min(4)]);
    }
    squares
}

/// Mean and mean squared error, where shrinkage, lost small entries and too small an ω show.
fn moments(q: &dyn Compressor) {
    let mut stream = Streams::new(21, 0).at(DrawPurpose::Data, 1, 0);
    let mut signs = |d: usize| -> Vec<f64> { (0..d).map(|_| if stream.bernoulli(0.5) { 1.0 } else { -1.0 }).collect() };
    let x = normal(D, 20, 0);
    let directions: Vec<_> = (0..8).map(|_| signs(D)).chain([x.clone()]).collect();
    let squares = unbiased(q, &x, &directions, SAMPLES);
    if let Some(variance) = q.variance_at(&x) {
        // A 32-bit norm, rounded up, leaves rare outcomes of that much variance, which 1500 samples need not contain.
        let z = z_value(&squares, variance, 1e-9 * variance + 1.2e-7 * squared(&x));
        assert!(z < Z, "{}: variance off by {z} standard errors", q.name());
    }
    errors(q, &x, &squares);
    if q.is_unbiased() {
        // Operators that choose entries have nearly no noise along a vector of equal ones: shrinkage shows there.
        let flat = signs(12);
        unbiased(q, &flat, std::slice::from_ref(&flat), SAMPLES);
        unbiased(q, &[TINY, -1.0, TINY, -TINY], &[vec![1.0, 0.0, 1.0, -1.0]], RARE_SAMPLES);
    }
    for x in adversarial(12).into_iter().filter(|x| is_of_ordinary_size(x)) {
        errors(q, &x, &unbiased(q, &x, &[], 200));
    }
}

/// The factor of ‖x‖² that bounds the mean squared error: ω, or 1 − δ.
fn factor(q: &dyn Compressor, d: usize) -> f64 {
    q.omega(d).or_else(|| Some(1.0 - q.contraction(d)?)).unwrap_or(f64::INFINITY)
}

/// ‖Q(x) − x‖² is at most ω‖x‖², or (1 − δ)‖x‖², and at most `variance_at`, on average. Rare outcomes may be missing
/// among the samples: too small a mean is none here.
fn errors(q: &dyn Compressor, x: &[f64], squares: &[f64]) {
    let norm_sq = squared(x);
    let bound = (factor(q, x.len()) * norm_sq).min(q.variance_at(x).unwrap_or(f64::INFINITY));
    let (mean, forgiven) = (squares.iter().sum::<f64>() / squares.len() as f64, 1e-9 * bound + 1.2e-7 * norm_sq);
    let too_large = mean > bound && z_value(squares, bound, forgiven) > Z;
    assert!(
        !too_large,
        "{}: mean squared error {mean} above {bound}, which ω, δ or `variance_at` say, at {x:?}",
        q.name()
    );
}
