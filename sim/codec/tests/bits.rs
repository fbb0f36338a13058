//! Bit strings and codes against `dsi-bitstream`, and subsets against their definition.

#![expect(clippy::unwrap_used, reason = "helpers of tests fail as tests do")]

use dsi_bitstream::prelude::{
    BE, BitWrite, BufBitWriter, GammaWrite, MemWordWriterVec, OmegaWrite, len_gamma, len_omega,
};
use fedbits_codec::bits::{SubsetCode, elias};
use fedbits_codec::{BitReader, BitWriter, CodecError};
use fedbits_random::{DrawPurpose, Streams};
use proptest::prelude::*;

/// Small numbers, powers of two and their neighbours, and some in between.
fn integers() -> impl Iterator<Item = u64> {
    let powers = (1..63).flat_map(|k| [(1u64 << k) - 1, 1 << k, (1 << k) + 1, (1 << k) + (1 << (k / 2))]);
    (1..1000).chain(powers)
}

/// Their codes number n − 1 where Elias' number n; strings are compared as words of one long stream.
#[test]
fn elias_codes_agree_with_dsi_bitstream() {
    type Oracle = BufBitWriter<BE, MemWordWriterVec<u64, Vec<u64>>>;
    type Case = (fn(&mut BitWriter, u64), fn(u64) -> u64, fn(&mut Oracle, u64) -> usize, fn(u64) -> usize);
    let cases: [Case; 2] = [
        (elias::write_gamma, elias::gamma_length, |w, n| w.write_gamma(n).unwrap(), len_gamma),
        (elias::write_omega, elias::omega_length, |w, n| w.write_omega(n).unwrap(), len_omega),
    ];
    for (write, length, oracle, oracle_length) in cases {
        let mut writer = BitWriter::new();
        let mut reference: Oracle = BufBitWriter::new(MemWordWriterVec::new(Vec::new()));
        for n in integers() {
            write(&mut writer, n);
            oracle(&mut reference, n - 1);
            assert_eq!(length(n), oracle_length(n - 1) as u64, "length of the code of {n}");
        }
        reference.flush().unwrap();
        // Their words are stored in the byte order of the stream.
        let words: Vec<u64> = reference.into_inner().unwrap().into_inner().into_iter().map(u64::from_be).collect();
        assert_eq!(writer.words(), words);
    }
}

#[test]
fn elias_codes_are_read_back() {
    type Write = fn(&mut BitWriter, u64);
    type Read = fn(&mut BitReader<'_>) -> Result<u64, CodecError>;
    let codes: [(Write, Read); 2] = [(elias::write_gamma, elias::read_gamma), (elias::write_omega, elias::read_omega)];
    for (write, read) in codes {
        let mut writer = BitWriter::new();
        integers().chain([u64::MAX]).for_each(|n| write(&mut writer, n));
        let mut reader = BitReader::new(writer.words(), writer.length());
        for n in integers().chain([u64::MAX]) {
            assert_eq!(read(&mut reader), Ok(n));
        }
        assert_eq!(reader.remaining(), 0);
        assert!(matches!(read(&mut reader), Err(CodecError::Truncated { .. })));
    }
}

/// An endless run of ones makes ω read numbers beyond 64 bits.
#[test]
fn oversized_elias_codes_are_errors() {
    let ones = [u64::MAX; 40];
    assert!(matches!(elias::read_omega(&mut BitReader::new(&ones, 2560)), Err(CodecError::Corrupt { .. })));
    let zeros = [0, 0, u64::MAX];
    assert!(matches!(elias::read_gamma(&mut BitReader::new(&zeros, 192)), Err(CodecError::Corrupt { .. })));
    assert!(matches!(elias::read_gamma(&mut BitReader::new(&zeros, 128)), Err(CodecError::Truncated { .. })));
}

proptest! {
    /// Any sequence of fields comes back, across word borders; unary too.
    #[test]
    fn fields_are_read_back(fields in prop::collection::vec((any::<u64>(), 0u32..=64, 0u64..200), 0..60)) {
        let mut writer = BitWriter::new();
        let cut = |value: u64, width: u32| if width == 0 { 0 } else { value >> (64 - width) };
        for &(value, width, n) in &fields {
            writer.write(cut(value, width), width);
            writer.write_unary(n);
        }
        let expected: u64 = fields.iter().map(|&(_, width, n)| u64::from(width) + n + 1).sum();
        prop_assert_eq!(writer.length(), expected);
        let mut reader = BitReader::new(writer.words(), writer.length());
        for &(value, width, n) in &fields {
            prop_assert_eq!(reader.read(width), Ok(cut(value, width)));
            prop_assert_eq!(reader.read_unary(), Ok(n));
        }
        prop_assert_eq!(reader.remaining(), 0);
    }
}

fn round_trip(code: SubsetCode, subset: &[u32]) -> BitWriter {
    let mut writer = BitWriter::new();
    code.write(subset, &mut writer);
    assert_eq!(writer.length(), code.bits());
    let mut read = Vec::new();
    code.read(&mut BitReader::new(writer.words(), writer.length()), &mut read).unwrap();
    assert_eq!(read, subset);
    writer
}

/// The rank of {c_1 < … < c_k} is Σ C(c_i, i): counting masks of k ones upwards visits the ranks 0, 1, …, C(d, k) − 1.
/// Larger numbers of ⌈log₂ C⌉ bits are no subset.
#[test]
fn all_small_subsets_have_their_rank() {
    for d in 1..=10u32 {
        for k in 0..=d {
            let code = SubsetCode::new(d, k).unwrap();
            let masks = (0u32..1 << d).filter(|mask| mask.count_ones() == k);
            let mut total = 0;
            for (rank, mask) in masks.enumerate() {
                let subset: Vec<u32> = (0..d).filter(|j| mask >> j & 1 == 1).collect();
                let writer = round_trip(code, &subset);
                let expected = if code.bits() == 0 { 0 } else { (rank as u64) << (64 - code.bits()) };
                assert_eq!(writer.words().first().copied().unwrap_or(0), expected, "{subset:?} of {d}");
                total += 1;
            }
            assert_eq!(code.bits(), f64::from(total).log2_ceil(), "C({d}, {k}) = {total}");
            for rank in u64::try_from(total).unwrap()..1 << code.bits() {
                let words = [rank << (64 - code.bits())];
                let read = code.read(&mut BitReader::new(&words, code.bits()), &mut Vec::new());
                assert!(matches!(read, Err(CodecError::Corrupt { .. })), "rank {rank} of C({d}, {k})");
            }
        }
    }
    assert_eq!(SubsetCode::new(3, 4), None);
}

trait Log2Ceil {
    fn log2_ceil(self) -> u64;
}

impl Log2Ceil for f64 {
    fn log2_ceil(self) -> u64 {
        libm::ceil(libm::log2(self)) as u64
    }
}

/// Within 64 bits, within 128, just beyond, and far beyond; first and last subset have ranks 0 and C − 1.
#[test]
fn large_subsets_are_read_back() {
    for (d, k) in [(60, 30), (130, 64), (132, 66), (200, 30), (2310, 1), (2310, 200), (2310, 2200), (10_000, 100)] {
        let code = SubsetCode::new(d, k).unwrap();
        for replicate in 0..20 {
            let mut subset = Vec::new();
            Streams::new(5, replicate).at(DrawPurpose::Compression, 0, 0).subset(d, k, &mut subset);
            round_trip(code, &subset);
        }
        let first = round_trip(code, &(0..k).collect::<Vec<_>>());
        assert!(first.words().iter().all(|&word| word == 0));
        round_trip(code, &(d - k..d).collect::<Vec<_>>());
    }
}

/// ln C(d, k) from the gamma function, far beyond 128 bits.
#[test]
fn lengths_of_large_subsets() {
    for (d, k) in [(2310, 200), (10_000, 100), (100_000, 1000)] {
        let log = |n: u32| libm::lgamma(f64::from(n) + 1.0);
        let bits = (log(d) - log(k) - log(d - k)) / std::f64::consts::LN_2;
        assert_eq!(SubsetCode::new(d, k).unwrap().bits(), libm::ceil(bits) as u64, "C({d}, {k})");
    }
}
