//! The vector loops against the baseline's instructions and against the definition.

use super::*;
use fedbits_random::{DrawPurpose, Streams};

fn operators() -> impl Iterator<Item = Dithering> {
    let codes = [LevelCode::Fixed, LevelCode::EliasSparse, LevelCode::EliasDense];
    let norms = [Norm::L(1.0), Norm::L(2.0), Norm::L(2.5), Norm::Infinity];
    let all = codes.into_iter().flat_map(move |code| norms.map(|r| (code, r)));
    all.flat_map(|(code, r)| [1, 4, 127, 128, 1000].map(|s| Dithering { s, r, code, wire: WireFloat::F64 }))
}

fn gaussian(d: usize) -> Vec<f64> {
    let mut stream = Streams::new(4, d as u64).at(DrawPurpose::Data, 0, 0);
    (0..d).map(|_| stream.normal()).collect()
}

fn quantize_plainly(operator: &Dithering, x: &[f64], key: CounterKey, out: &mut Encoded) {
    let uniforms = key.uniforms();
    if operator.s <= 127 {
        Quantize { operator, x, uniforms, out, levels: PhantomData::<i8> }.call().unwrap();
    } else {
        Quantize { operator, x, uniforms, out, levels: PhantomData::<i32> }.call().unwrap();
    }
}

fn add_plainly(operator: &Dithering, message: &Encoded, accumulator: &mut [f64]) {
    let (step, scale) = (operator.step(message.norm), -0.1);
    if operator.s <= 127 {
        AddLevels { levels: &message.small_levels, step, scale, accumulator }.call();
    } else {
        AddLevels { levels: &message.levels, step, scale, accumulator }.call();
    }
}

fn levels_of(operator: &Dithering, message: &Encoded) -> Vec<f64> {
    if operator.s <= 127 {
        message.small_levels.iter().map(|&level| f64::from(level)).collect()
    } else {
        message.levels.iter().map(|&level| f64::from(level)).collect()
    }
}

/// The same bits with the baseline's instructions as with this machine's best, in encoding and in adding.
#[test]
fn instruction_sets_agree() {
    for d in [40, 41, 63, 64, 129, 2310] {
        let (x, key) = (gaussian(d), Streams::new(1, 2).counter(DrawPurpose::Compression, 3, 4));
        for operator in operators() {
            let (mut best, mut plain) = (Encoded::new(), Encoded::new());
            operator.encode(&x, Draw::Keyed(key), &mut best).unwrap();
            quantize_plainly(&operator, &x, key, &mut plain);
            plain.bits = best.bits;
            assert_eq!(best, plain, "{} at d = {d}", operator.name());
            let (mut sum, mut plain_sum) = (x.clone(), x.clone());
            operator.add_decoded(&best, -0.1, &mut sum);
            add_plainly(&operator, &plain, &mut plain_sum);
            assert!(sum.iter().zip(&plain_sum).all(|(a, b)| a.to_bits() == b.to_bits()));
        }
    }
}

/// Slow reference: sign(x) ⌊s|x|/N + ξ⌋ entry by entry, uniform j from `CounterKey::uniform`; ‖x‖_r summed in order.
#[test]
fn levels_follow_the_definition() {
    for d in [1, 7, 100, 2310] {
        let (x, key) = (gaussian(d), Streams::new(1, 2).counter(DrawPurpose::Compression, 5, 6));
        for operator in operators() {
            let mut message = Encoded::new();
            operator.encode(&x, Draw::Keyed(key), &mut message).unwrap();
            let levels = levels_of(&operator, &message);
            let norm = match operator.r {
                Norm::L(r) => libm::pow(x.iter().map(|v| libm::pow(v.abs(), r)).sum(), 1.0 / r),
                Norm::Infinity => x.iter().fold(0.0, |max, v| v.abs().max(max)),
            };
            assert!((message.norm - norm).abs() < 1e-13 * norm);
            for (j, &value) in x.iter().enumerate() {
                let u = f64::from(operator.s) * value.abs() / norm;
                let level = libm::floor(u + key.uniform(j as u64)).min(f64::from(operator.s));
                assert_eq!(levels[j], level.copysign(value), "entry {j}: {}", operator.name());
            }
        }
    }
}
