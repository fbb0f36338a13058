//! Non-zeros: every entry that is not zero, exactly, and where it stands. For vectors that are sparse by themselves.
//!
//! Q(x) = x (with [`WireFloat::F32`] rounded to nearest; a negative zero becomes a positive one), so ω = 0 as for the
//! identity. Message: the number k of entries (Elias gamma of k + 1); their gaps in Rice's code with ⌊log₂(d/k)⌋ low
//! bits, which costs at most log₂(d/k) + 3 bits an entry; k floats.

use fedbits_spec::Described;
use serde::{Deserialize, Serialize};

use crate::compressor::Sparsifier;
use crate::error::{check_dimension, parameter};
use crate::indices::IndexCode;
use crate::sparse;
use crate::{CodecError, Compressor, CompressorSetting, Draw, Encoded, WireFloat};

/// Nonzero coordinates as floats, with indices: ω = 0.
#[derive(Clone, Copy, Debug, Default, Described, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct NonZeros {
    /// How floats are sent.
    #[serde(skip)]
    pub wire: WireFloat,
}

impl NonZeros {
    /// Encodes the vector of `dimension` with these `values` at these increasing `indices` and zeros elsewhere. A value
    /// may be zero: its index is sent all the same.
    ///
    /// # Errors
    /// A value that is not finite, or not on the wire; indices that do not increase or lie outside.
    pub fn encode_entries(
        &self,
        dimension: usize,
        indices: &[u32],
        values: &[f64],
        out: &mut Encoded,
    ) -> Result<(), CodecError> {
        check_dimension(dimension)?;
        let inside = indices.last().is_none_or(|&last| (last as usize) < dimension);
        if !inside || indices.len() != values.len() || !indices.is_sorted_by(|a, b| a < b) {
            let found = format!("{} indices for {} values", indices.len(), values.len());
            let expected = format!("one increasing index below {dimension} per value");
            return Err(parameter("indices", found, expected));
        }
        out.restart(dimension);
        out.indices.extend(0..indices.len() as u32);
        let in_vector = |error: CodecError| error.at(|index| indices[index] as usize);
        sparse::take(values, self.wire, 1.0, out).map_err(in_vector)?;
        out.indices.copy_from_slice(indices);
        out.bits = self.code().bits(out)? + indices.len() as u64 * self.wire.bits();
        Ok(())
    }
}

impl Sparsifier for NonZeros {
    fn label(&self) -> String {
        "non-zeros".to_owned()
    }

    fn wire(&self) -> WireFloat {
        self.wire
    }

    fn check(&self, dimension: usize) -> Result<(), CodecError> {
        check_dimension(dimension)
    }

    fn code(&self) -> IndexCode<'_> {
        IndexCode::Gaps(u32::MAX)
    }

    fn choose(&self, x: &[f64], _: Draw<'_>, out: &mut Encoded) -> Result<(), CodecError> {
        out.indices.extend((0..x.len() as u32).filter(|&j| x[j as usize] != 0.0));
        Ok(())
    }

    fn is_composed(&self) -> bool {
        false
    }
}

impl CompressorSetting for NonZeros {
    fn build(&self, wire: WireFloat, _clients: u32) -> Box<dyn Compressor> {
        Box::new(Self { wire })
    }

    fn examples() -> Vec<Self> {
        vec![Self::default()]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::audit;
    use fedbits_random::{DrawPurpose, Streams};

    /// A hundred entries among 5.1 million: at most log₂(d/k) + 3 = 18.6 bits an index, at least the entropy log₂ C(d,
    /// k) of all indices, 1 706 bits; indices whose values are zero are kept.
    #[test]
    fn indices_cost_little_more_than_their_entropy() {
        let (d, k) = (5_103_525, 100);
        let mut indices = Vec::new();
        Streams::new(1, 0).at(DrawPurpose::Data, 0, 0).subset(d, k, &mut indices);
        let mut values: Vec<f64> = (0..k).map(|i| f64::from(i) - 3.5).collect();
        values[7] = 0.0;
        let (code, mut message) = (NonZeros { wire: WireFloat::F64 }, Encoded::new());
        code.encode_entries(d as usize, &indices, &values, &mut message).unwrap();
        let for_indices = message.bits() - 64 * u64::from(k);
        assert!((1_706..1_880).contains(&for_indices), "{for_indices}");
        let draw = Draw::Given(&[]);
        audit(&code, &message, draw).unwrap();
        let mut out = vec![0.0; d as usize];
        code.decode(&message, &mut out);
        assert!(indices.iter().zip(&values).all(|(&index, &value)| out[index as usize] == value));
    }

    /// Where entries are costs nothing by the one convention, by the other no less than log₂ C(10, 3) = 6.9 bits: 10
    /// H(3/10) = 8.8 for a mask. What is charged has γ(4) = 5 bits and gaps 1, 1, 4 in Rice's code with one low bit.
    #[test]
    fn conventions_do_not_count_what_the_code_of_indices_takes() {
        let (code, mut message) = (NonZeros { wire: WireFloat::F32 }, Encoded::new());
        code.encode_entries(10, &[1, 3, 8], &[1.0; 3], &mut message).unwrap();
        assert_eq!((message.bits(), code.indices_free_bits(&message)), (5 + 2 + 2 + 4 + 96, 96));
        let mask = -10.0 * (0.3 * libm::log2(0.3) + 0.7 * libm::log2(0.7));
        assert!((code.entropy_bits(&message) - 96.0 - mask).abs() < 1e-9);
    }

    #[test]
    fn wrong_indices_are_refused() {
        let (code, mut message) = (NonZeros { wire: WireFloat::F64 }, Encoded::new());
        for indices in [vec![3, 2], vec![1, 9], vec![1, 1], vec![1]] {
            assert!(code.encode_entries(5, &indices, &[1.0, 2.0], &mut message).is_err(), "{indices:?}");
        }
    }
}
