//! Mean lengths of dithered Gaussian vectors: a table of reference runs. Its row d = 210 (324 and 384 bits) rests on
//! few vectors: another program, straight from the definitions (3000 vectors, standard error 0.4), gives the values
//! used here and confirms the other rows.

#![expect(clippy::unwrap_used, reason = "helpers of tests fail as tests do")]

use fedbits_codec::{Compressor, Dithering, Draw, Encoded, Indices, Induced, LevelCode, Norm, TopK, WireFloat};
use fedbits_random::{DrawPurpose, Streams};

fn dithering(s: u32, code: LevelCode) -> Dithering {
    Dithering { s, r: Norm::L(2.0), code, wire: WireFloat::F32 }
}

fn mean_bits(q: &dyn Compressor, d: usize, samples: u64) -> f64 {
    let (mut x, mut message, mut total) = (vec![0.0; d], Encoded::new(), 0);
    for sample in 0..samples {
        let streams = Streams::new(11, sample);
        let mut stream = streams.at(DrawPurpose::Data, 0, 0);
        x.fill_with(|| stream.normal());
        q.encode(&x, Draw::Keyed(streams.counter(DrawPurpose::Compression, 0, 0)), &mut message).unwrap();
        total += message.bits();
    }
    total as f64 / samples as f64
}

/// Fixed-width lengths are exact: 32 + d(1 + ⌈log₂(s + 1)⌉). The others are means: within 1 % and the rounding of the
/// table. (Their standard errors here are below 0.15 %.)
#[test]
fn table_of_mean_lengths() {
    let rows = [
        (6, 1, 41.0, 44.0, 44.0, 20_000),
        (100, 4, 203.0, 228.0, 432.0, 4000),
        (210, 4, 319.5, 380.7, 872.0, 2000),
        (2310, 4, 1484.0, 2802.0, 9272.0, 300),
    ];
    for (d, s, sparse, dense, fixed, samples) in rows {
        assert_eq!(mean_bits(&dithering(s, LevelCode::Fixed), d, 3), fixed);
        for (code, expected) in [(LevelCode::EliasSparse, sparse), (LevelCode::EliasDense, dense)] {
            let mean = mean_bits(&dithering(s, code), d, samples);
            assert!((mean - expected).abs() <= 0.01 * expected + 0.5, "d = {d}, {code}: {mean} against {expected}");
        }
    }
}

/// What Top-k leaves is half zeros, and no normal vector: its dithered message is shorter. Where k is d it leaves nothing,
/// and a length that holds for all vectors but zero does not hold for what is left.
#[test]
fn induced_messages_have_the_length_of_what_is_left() {
    let (d, top) = (100, |k| Box::new(TopK::new(k, Indices::default(), WireFloat::F64)));
    let induced = Induced { contraction: top(50), rest: Box::new(dithering(4, LevelCode::EliasSparse)) };
    let (mean, stated) = (mean_bits(&induced, d, 4000), induced.expected_bits(d).unwrap().bits());
    assert!((mean - stated).abs() < 0.01 * mean, "{mean} bits, {stated} stated");
    let alone = dithering(4, LevelCode::EliasSparse).expected_bits(d).unwrap().bits();
    assert!(stated < top(50).expected_bits(d).unwrap().bits() + alone - 20.0, "{stated}");
    let nothing = Induced { contraction: top(100), rest: Box::new(dithering(4, LevelCode::Fixed)) };
    assert_eq!(mean_bits(&nothing, d, 3), nothing.expected_bits(d).unwrap().bits());
}
