//! The last table of docs/names.md: the length of one message under the conventions of the literature.

use fedbits_codec::{Compressor, Draw, Encoded, Identity, Indices, TopK, WireFloat};
use fedbits_random::CounterKey;

const D: usize = 1_000_000;
const K: u32 = 10_000;

/// Every row of the table, in its order; each length is that of a message whose string was written where it has one.
#[test]
fn the_page_has_the_lengths_of_the_message() {
    let x: Vec<f64> = (0..D as u64).map(|j| CounterKey::new(5).uniform(j) - 0.5).collect();
    let message = |wire, indices| {
        let (operator, mut message) = (TopK::new(K, indices, wire), Encoded::new());
        operator.encode(&x, Draw::Keyed(CounterKey::new(1)), &mut message).unwrap();
        (operator, message)
    };
    let bits = |wire, indices| message(wire, indices).1.bits() as f64;
    let (operator, encoded) = message(WireFloat::F32, Indices::Enumerative);
    // log₂ C(d, k), by log-gamma.
    let entropy =
        (libm::lgamma(D as f64 + 1.0) - libm::lgamma(f64::from(K) + 1.0) - libm::lgamma((D as u32 - K) as f64 + 1.0))
            / std::f64::consts::LN_2;
    let values = 32.0 * f64::from(K);
    assert!((operator.entropy_bits(&encoded) - values - entropy).abs() < 1.0);
    let exact = encoded.bits() as f64;
    assert!((0.0..64.0).contains(&(exact - values - entropy)), "{exact} bits, {entropy} of entropy");
    let headers = 320.0 * (exact / 11_680.0).ceil();
    let mut dense = Encoded::new();
    Identity { wire: WireFloat::F32 }.encode(&x, Draw::Keyed(CounterKey::new(1)), &mut dense).unwrap();
    let lengths = [
        operator.indices_free_bits(&encoded) as f64,
        operator.entropy_bits(&encoded),
        exact,
        exact + headers,
        bits(WireFloat::F32, Indices::List),
        values + 32.0 * f64::from(K),
        2.0 * values,
        bits(WireFloat::F64, Indices::Enumerative),
        2.0 * values + 64.0 * f64::from(K),
        bits(WireFloat::F32, Indices::Mask),
        bits(WireFloat::F64, Indices::Mask),
        dense.bits() as f64,
    ];
    let page = include_str!("../../../docs/names.md");
    let (_, section) = page.split_once("## Conventions of counting\n").expect("the page has the section");
    let rows = section.lines().filter(|line| line.starts_with('|')).skip(2);
    let shown: Vec<String> = rows
        .map(|row| {
            let cells: Vec<&str> = row.trim_matches('|').split('|').map(str::trim).collect();
            cells[2..].join(" ")
        })
        .collect();
    let expected: Vec<String> =
        lengths.iter().map(|length| format!("{:.1} {:.2}", length / 1e3, length / lengths[0])).collect();
    assert_eq!(shown, expected);
}
