//! Golden vectors g7: independent numpy implementations of the operators and codes, to 1e-9.

#![expect(clippy::unwrap_used, reason = "helpers of tests fail as tests do")]

use fedbits_codec::bits::{SubsetCode, elias};
use fedbits_codec::{
    BitWriter, BlockQuantization, Compressor, Dithering, Draw, Encoded, Indices, LevelCode, Norm, TopK, WireFloat,
};
use serde_json::Value;

fn golden() -> Value {
    serde_json::from_str(include_str!("../../../tests/golden/g7_compressors.json")).unwrap()
}

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().unwrap().iter().map(|v| v.as_f64().unwrap()).collect()
}

fn close(found: f64, expected: f64) -> bool {
    (found - expected).abs() <= 1e-9 * expected.abs().max(1.0)
}

fn operator(case: &Value, code: LevelCode) -> Dithering {
    let r = case["r"].as_f64().map_or(Norm::Infinity, Norm::L);
    Dithering { s: case["s"].as_u64().unwrap() as u32, r, code, wire: WireFloat::F64 }
}

/// Q(x) = (N/s) sign(x) ⌊s|x|/N + ξ⌋ for the uniforms in the file, and E‖Q(x) − x‖², for all cases and codes.
#[test]
fn dithering() {
    let golden = golden();
    let cases = golden["dithering"].as_array().unwrap();
    assert_eq!(cases.len(), 45);
    for case in cases {
        let x = numbers(&golden["vectors"][case["x"].as_str().unwrap()]);
        for code in [LevelCode::Fixed, LevelCode::EliasSparse, LevelCode::EliasDense] {
            let q = operator(case, code);
            let (mut message, mut decoded) = (Encoded::new(), vec![0.0; x.len()]);
            q.encode(&x, Draw::Given(&numbers(&case["xi"])), &mut message).unwrap();
            q.decode(&message, &mut decoded);
            let expected = numbers(&case["output"]);
            assert!(decoded.iter().zip(&expected).all(|(&a, &b)| close(a, b)), "{case}: {decoded:?}");
            assert!(close(q.variance_at(&x).unwrap(), case["variance"].as_f64().unwrap()), "{case}");
            assert!(case["omega_at_x"].as_f64().unwrap() <= q.omega(x.len()).unwrap() * (1.0 + 1e-12), "{case}");
        }
    }
}

/// The charged sparse and fixed lengths, spelt out from the golden output: F + Σ (|ω(gap)| + 1 + |ω(level)|), F + d(1 +
/// ⌈log₂(s+1)⌉).
#[test]
fn lengths_of_golden_messages() {
    let golden = golden();
    let omega = |n: u64| {
        let row = golden["elias"].as_array().unwrap().iter().find(|row| row["n"].as_u64() == Some(n));
        row.unwrap()["len_omega"].as_u64().unwrap()
    };
    for case in golden["dithering"].as_array().unwrap() {
        let x = numbers(&golden["vectors"][case["x"].as_str().unwrap()]);
        let (s, norm) = (case["s"].as_u64().unwrap(), case["norm_r"].as_f64().unwrap());
        let (mut gap, mut sparse, mut dense) = (1, 64, 64);
        for value in numbers(&case["output"]) {
            let level = (value.abs() * s as f64 / norm).round() as u64;
            dense += omega(level + 1) + u64::from(level > 0);
            gap = if level > 0 {
                sparse += omega(gap) + 1 + omega(level);
                1
            } else {
                gap + 1
            };
        }
        let fixed = 64 + x.len() as u64 * (1 + [0, 1, 2, 2, 3][s as usize]);
        let codes = [(LevelCode::Fixed, fixed), (LevelCode::EliasSparse, sparse), (LevelCode::EliasDense, dense)];
        for (code, bits) in codes {
            let mut message = Encoded::new();
            operator(case, code).encode(&x, Draw::Given(&numbers(&case["xi"])), &mut message).unwrap();
            assert_eq!(message.bits(), bits, "{code} of {case}");
        }
    }
}

/// E‖Q(x)‖² = Σ ‖x_l‖₁ ‖x_l‖_p, and ω at x.
#[test]
fn block_quantization() {
    let golden = golden();
    let cases = golden["block_p"].as_array().unwrap();
    assert_eq!(cases.len(), 45);
    for case in cases {
        let x = numbers(&golden["vectors"][case["x"].as_str().unwrap()]);
        let p = case["p"].as_f64().map_or(Norm::Infinity, Norm::L);
        let block = case["block"].as_u64().unwrap() as usize;
        let q = BlockQuantization { block, p, code: LevelCode::Mask, wire: WireFloat::F64 };
        let square: f64 = x.iter().map(|v| v * v).sum();
        let variance = q.variance_at(&x).unwrap();
        assert!(close(variance + square, case["second_moment"].as_f64().unwrap()), "{case}");
        assert!(close(variance / square, case["omega_at_x"].as_f64().unwrap()), "{case}");
    }
}

/// The k largest entries, the first of equal ones.
#[test]
fn top_k() {
    let golden = golden();
    let cases = golden["topk"].as_array().unwrap();
    assert_eq!(cases.len(), 15);
    for case in cases {
        let x = numbers(&golden["vectors"][case["x"].as_str().unwrap()]);
        let q = TopK::new(case["k"].as_u64().unwrap() as u32, Indices::Enumerative, WireFloat::F64);
        let (mut message, mut decoded) = (Encoded::new(), vec![0.0; x.len()]);
        q.encode(&x, Draw::Given(&[]), &mut message).unwrap();
        q.decode(&message, &mut decoded);
        assert_eq!(decoded, numbers(&case["output"]), "{case}");
    }
}

#[test]
fn elias_strings() {
    type Code = (&'static str, fn(&mut BitWriter, u64), fn(u64) -> u64);
    let codes: [Code; 2] =
        [("gamma", elias::write_gamma, elias::gamma_length), ("omega", elias::write_omega, elias::omega_length)];
    let golden = golden();
    let rows = golden["elias"].as_array().unwrap();
    assert_eq!(rows.len(), 64);
    for row in rows {
        let n = row["n"].as_u64().unwrap();
        for (name, write, length) in codes {
            let mut writer = BitWriter::new();
            write(&mut writer, n);
            let bit = |i: u64| char::from(b'0' + (writer.words()[(i / 64) as usize] >> (63 - i % 64) & 1) as u8);
            let string: String = (0..writer.length()).map(bit).collect();
            assert_eq!(string, row[name].as_str().unwrap(), "{name}({n})");
            assert_eq!(length(n), row[format!("len_{name}")].as_u64().unwrap(), "{name}({n})");
        }
    }
}

/// ⌈log₂ C(d, k)⌉ from the file's log₂ C(d, k), none of which is near a whole number.
#[test]
fn subset_bits() {
    for row in golden()["subset_bits"].as_array().unwrap() {
        let [d, k] = ["d", "k"].map(|name| row[name].as_u64().unwrap() as u32);
        let bits = SubsetCode::new(d, k).unwrap().bits();
        assert_eq!(bits, row["log2_binom"].as_f64().unwrap().ceil() as u64, "C({d}, {k})");
    }
}
