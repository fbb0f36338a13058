//! Lists of numbers for the page's script: 32-bit floats in base 64, a third of what they would be as decimals.

use crate::axes::range;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

/// Numbers as 32-bit floats, or above the last of them where they differ little; as they are where such floats do not
/// reach.
pub(crate) fn floats(values: &[f64]) -> Value {
    let (low, high) = range(values.iter().copied());
    let base = match values.last() {
        Some(last) if low.abs().max(high.abs()) > 16.0 * (high - low) && high > low => *last,
        _ => 0.0,
    };
    let fits = |value: f64| value == 0.0 || (1e-37..1e37).contains(&value.abs());
    if !values.iter().all(|value| fits(value - base)) {
        return json!(values);
    }
    let bytes: Vec<u8> = values.iter().flat_map(|value| ((value - base) as f32).to_le_bytes()).collect();
    let code = STANDARD.encode(bytes);
    if base == 0.0 { json!(code) } else { json!({"base": base, "above": code}) }
}

#[cfg(test)]
mod tests {
    use super::floats;
    use crate::axes::range;
    use base64::Engine;
    use base64::engine::general_purpose::STANDARD;
    use proptest::prelude::*;
    use serde_json::Value;

    /// As the script of the page decodes them.
    fn decoded(code: &Value) -> Vec<f64> {
        if let Some(plain) = code.as_array() {
            return plain.iter().map(|value| value.as_f64().unwrap()).collect();
        }
        let base = code["base"].as_f64().unwrap_or(0.0);
        let text = code["above"].as_str().or(code.as_str()).unwrap();
        let bytes = STANDARD.decode(text).unwrap();
        let float = |bytes: &[u8]| base + f64::from(f32::from_le_bytes(bytes.try_into().unwrap()));
        bytes.chunks(4).map(float).collect()
    }

    proptest! {
        /// To seven digits, or to a millionth of the range where that is less: an objective that hardly falls any more
        /// is no staircase.
        #[test]
        fn numbers_are_read_as_they_were(
            values in prop::collection::vec(-1.0..1.0_f64, 1..40),
            scale in prop::sample::select(vec![1e-300, 1e-40, 1e-12, 1.0, 1e9, 1e40, 1e300]),
            offset in prop::sample::select(vec![0.0, 1e3, -1e8]),
        ) {
            let values: Vec<f64> = values.iter().map(|value| scale * (value + offset)).collect();
            let (low, high) = range(values.iter().copied());
            let back = decoded(&floats(&values));
            prop_assert_eq!(back.len(), values.len());
            for (own, value) in back.iter().zip(&values) {
                let seven = 1e-7 * value.abs();
                let fine = if high > low { seven.min(1e-6 * (high - low)) } else { seven };
                prop_assert!((own - value).abs() <= fine.max(4e-16 * value.abs()), "{own} and {value}");
            }
        }
    }
}
