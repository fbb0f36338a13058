//! What the documentation says of the compressors' constants, which docs/fields.md and `fedbits explain` show.

use fedbits_codec::{
    BlockQuantization, Composition, Compressor, CompressorSetting, Dithering, Indices, LevelCode, NaturalDithering,
    Norm, RandK, TopK, WireFloat,
};
use fedbits_spec::Kind;

/// ω of the unbiased ones, δ of the contractions, and where each of them is from.
#[test]
fn every_compressor_says_its_constant_and_its_source() {
    for entry in <dyn CompressorSetting>::registry().entries() {
        let doc = (entry.describe)().doc;
        assert!(doc.contains('ω') || doc.contains('δ'), "{}: {doc}", entry.name);
        let has_year = doc.split(|c: char| !c.is_ascii_digit()).any(|word| word.len() == 4);
        assert!(has_year || ["Identity", "NonZeros"].contains(&entry.name), "no reference of {}: {doc}", entry.name);
    }
}

/// The formulas of the doc comments, written down once more.
#[test]
fn the_constants_are_those_of_the_documentation() {
    let (wire, code) = (WireFloat::F64, LevelCode::Fixed);
    let orders = [(Norm::L(1.0), 1.0), (Norm::L(1.5), 1.5), (Norm::L(2.0), 2.0), (Norm::L(7.0), 7.0)];
    let close = |found: Option<f64>, expected: f64, what: &str| {
        let found = found.unwrap();
        assert!((found - expected).abs() <= 1e-12 * expected.max(1.0), "{what}: {found}, not {expected}");
    };
    for q in [2_usize, 6, 100, 2310] {
        let length = q as f64;
        // The power of the norm in A, B: max(1/2, 1/r), max(1, 2/r).
        let powers = |r: f64| ((1.0 / r).max(0.5), (2.0 / r).max(1.0));
        let infinity = (Norm::Infinity, (1.0 + length.sqrt()) / 2.0, length);
        let norms = orders.map(|(norm, r)| (norm, libm::pow(length, powers(r).0), libm::pow(length, powers(r).1)));
        for (r, a, b) in norms.into_iter().chain([infinity]) {
            let block = BlockQuantization { block: q, p: r, code, wire };
            close(block.omega(4 * q), a - 1.0, "block");
            for s in [1, 2, 4, 50] {
                let levels = f64::from(s);
                let expected = if s == 1 { a - 1.0 } else { (a / levels).min(b / (4.0 * levels * levels)) };
                close(Dithering { s, r, code, wire }.omega(q), expected, "dithering");
            }
        }
        for (r, order) in orders.into_iter().chain([(Norm::Infinity, f64::INFINITY)]) {
            for s in [1_u8, 3, 10] {
                let t = libm::pow(2.0, 1.0 - f64::from(s)) * libm::pow(length, powers(order).0);
                let natural = NaturalDithering { s: u32::from(s), r, code, wire };
                close(natural.omega(q), 0.125 + t * t.min(1.0), "natural dithering");
            }
        }
        close(Dithering::tern_grad(wire).omega(q), (length.sqrt() - 1.0) / 2.0, "TernGrad");
        let then = || Box::new(Dithering::qsgd(4, code, wire));
        let kept = |k: usize| then().omega(k).unwrap();
        let rand = Composition { first: Box::new(RandK::new(2, Indices::Enumerative, wire)), then: then() };
        close(rand.omega(q), length / 2.0 * (1.0 + kept(2)) - 1.0, "rand-2, then QSGD");
        let top = Composition { first: Box::new(TopK::new(2, Indices::Enumerative, wire)), then: then() };
        close(top.contraction(q), (1.0 - kept(2)) * 2.0 / length, "top-2, then QSGD");
    }
}
