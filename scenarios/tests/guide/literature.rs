//! The table of quantizers in `docs/names.md`, and that it is so.

use fedbits_codec::{Compressor, Draw, Encoded, WireFloat, audit, claims};
use fedbits_random::{DrawPurpose, Streams};
use fedbits_scenarios::compressor;
use fedbits_scenarios::words::{Quantizer, literature};

/// The length of the vectors.
const Q: usize = 1000;
/// Clients that divide a vector.
const CLIENTS: u32 = 10;

/// The heading of the section.
pub const HEADING: &str = "## Quantizers of the literature\n";

const HEAD: &str = "
Vectors have q = 1000 entries and `floats: F32`; the default `F64` adds 32 bits per norm or number. Bits per entry are
means of whole messages, of normal entries if the length depends on the vector. Quantization to b bits with a sign has
`levels` 2^(b − 1) − 1 and `code: Fixed`; other codes are shorter if most levels are zero. Biased operators have δ.
[fields.md](fields.md#compressor) has the sources; errors and `fedbits explain` know the names.

| called | setting | bits per entry | constant |
|---|---|---|---|
";

fn operator(setting: &str) -> Box<dyn Compressor> {
    compressor(setting, Q).unwrap_or_else(|problems| panic!("{problems}")).build(WireFloat::F32, CLIENTS)
}

/// The section, with its heading.
pub fn section() -> String {
    let row = |Quantizer { names, setting, note, warns }: &Quantizer| {
        let operator = operator(setting);
        let bits = operator.expected_bits(Q).unwrap().bits() / Q as f64;
        let constant = match (operator.omega(Q).filter(|_| operator.is_unbiased()), operator.contraction(Q)) {
            (Some(omega), _) => format!("ω {}", rounded(omega)),
            (None, Some(delta)) => format!("δ {}", rounded(delta)),
            (None, None) => panic!("{setting} has no constant"),
        };
        let warning = if *warns { format!("; {note}") } else { String::new() };
        format!("| {} | `{setting}` | {bits:.2} | {constant}{warning} |\n", names.join(", "))
    };
    format!("{HEADING}{HEAD}{}", literature().iter().map(row).collect::<String>())
}

/// Three digits.
fn rounded(value: f64) -> String {
    let text = format!("{value:.2e}").parse::<f64>().unwrap().to_string();
    if text.len() > 8 { format!("{value:.1e}") } else { text }
}

/// The mean length of messages that are written and read back is the one of the table, and they keep what the table
/// says of their mean and their error, of normal, sparse, equal and spiky vectors.
#[test]
fn the_table_is_what_messages_are() {
    for Quantizer { setting, .. } in literature() {
        let operator = operator(setting);
        let (mut message, mut bits) = (Encoded::new(), Vec::new());
        for number in 0..400 {
            let streams = Streams::new(77, number);
            let mut stream = streams.at(DrawPurpose::Data, 0, 0);
            let x: Vec<f64> = (0..Q).map(|_| stream.normal()).collect();
            let draw = Draw::Keyed(streams.counter(DrawPurpose::Compression, 0, 0));
            operator.encode(&x, draw, &mut message).unwrap();
            if number < 20 {
                audit(operator.as_ref(), &message, draw).unwrap();
            }
            bits.push(message.bits() as f64 / Q as f64);
        }
        let mean = bits.iter().sum::<f64>() / bits.len() as f64;
        let variance = bits.iter().map(|length| (length - mean) * (length - mean)).sum::<f64>() / bits.len() as f64;
        let said = operator.expected_bits(Q).unwrap().bits() / Q as f64;
        // P(|Z| > 6) = 2e-9, and the expected length is simulated, too.
        assert!((mean - said).abs() <= 12.0 * (variance / 400.0).sqrt() + 1e-9, "{setting}: {mean} {said}");
        let found = claims(operator.as_ref(), Q, 20, 3).unwrap();
        assert!(found.broken.is_empty(), "{setting}: {:?}", found.broken);
    }
}

/// Lengths by hand: F bits for each norm or number, and what stands behind it.
#[test]
fn lengths_are_those_of_the_papers() {
    let log2_choose = |n: u32, k: u32| (0..k).map(|i| libm::log2(f64::from(n - i) / f64::from(k - i))).sum::<f64>();
    let ten = 320.0 + log2_choose(1000, 10).ceil();
    for (setting, bits) in [
        ("Identity", 32_000.0),
        ("ScaledSign", 32.0 + 1000.0),
        ("Qsgd(levels: 1, code: Fixed)", 32.0 + 2000.0),
        ("Qsgd(levels: 7, code: Fixed)", 32.0 + 4000.0),
        ("Dithering(levels: 7, norm: Infinity, code: Fixed)", 32.0 + 4000.0),
        ("Dithering(levels: 127, norm: Infinity, code: Fixed)", 32.0 + 8000.0),
        ("Dithering(levels: 32767, norm: Infinity, code: Fixed)", 32.0 + 16_000.0),
        ("Natural", 9000.0),
        ("TopK(k: 10)", ten),
        ("RandK(k: 10)", ten),
        ("RandK(k: 10, indices: SharedSeed)", 320.0),
        ("PermK", 3200.0),
        ("RankR(rank: 1, rows: 25)", 32.0 * 65.0),
        ("CountSketch(rows: 5, columns: 20)", 3200.0),
    ] {
        assert!(literature().iter().any(|row| row.setting == setting), "{setting} is not in the table");
        assert_eq!(operator(setting).expected_bits(Q).unwrap().bits(), bits, "{setting}");
    }
    // More than a bit: three values need log₂ 3.
    for setting in ["Dithering(levels: 1, code: Packed)", "TernGrad"] {
        let bits = operator(setting).expected_bits(Q).unwrap().bits() - 32.0;
        assert!((1584.0..=1.01 * 1585.0 + 1.0).contains(&bits), "{setting}: {bits}");
    }
}
