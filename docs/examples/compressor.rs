//! One entry at random: Q(x) = d · x_j e_j with j uniform on the d entries.
//!
//! Unbiased: each entry is kept with probability 1/d and then scaled by d. E‖Q(x) − x‖² = (d − 1)‖x‖² for every x: ω = d − 1.
//!
//! Message: j in ⌈log₂ d⌉ bits and x_j as a float of 64 bits.

use fedbits_random::CounterKey;

use crate::{
    BitReader, BitWriter, CodecError, Compressor, Draw, Encoded, ExpectedBits, WireFloat, lanes, norm, sparse,
};

/// Rand-1, written out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OneEntry;

/// ⌈log₂ d⌉.
fn place_bits(dimension: usize) -> u32 {
    dimension.next_power_of_two().trailing_zeros()
}

impl Compressor for OneEntry {
    fn name(&self) -> String {
        "one entry".to_owned()
    }

    // The sender: symbols into `out`, and their exact length.
    fn encode(&self, x: &[f64], draw: Draw<'_>, out: &mut Encoded) -> Result<(), CodecError> {
        self.validate(x.len())?;
        if !lanes::all_finite(x) {
            return Err(norm::not_finite(x));
        }
        out.restart(x.len());
        let u = match draw.given(1)? {
            Some(xi) => xi[0],
            None => draw.uniforms().next().unwrap_or(0.0),
        };
        let j = ((u * x.len() as f64) as usize).min(x.len() - 1);
        out.indices.push(j as u32);
        out.values.push(x[j]);
        if !(x[j] * x.len() as f64).is_finite() {
            return Err(CodecError::ValueOverflow { index: j, bits: 64 });
        }
        out.bits = u64::from(place_bits(x.len())) + 64;
        Ok(())
    }

    // The receiver: what it decodes is what the protocol uses.
    fn decode(&self, message: &Encoded, out: &mut [f64]) {
        out.fill(0.0);
        out[message.indices[0] as usize] = message.values[0] * message.dimension as f64;
    }

    // With the same bits as decoding first: −0 + scale · 0 is 0, so every entry is added.
    fn add_decoded(&self, message: &Encoded, scale: f64, accumulator: &mut [f64]) {
        for (j, sum) in accumulator.iter_mut().enumerate() {
            let sent = j == message.indices[0] as usize;
            *sum += scale * if sent { message.values[0] * message.dimension as f64 } else { 0.0 };
        }
    }

    // The wire: `bits` is the length of exactly this string, and the audit compares.
    fn write_bits(&self, message: &Encoded, writer: &mut BitWriter) {
        writer.write(u64::from(message.indices[0]), place_bits(message.dimension));
        WireFloat::F64.write(message.values[0], writer);
    }

    fn read_bits(
        &self,
        reader: &mut BitReader<'_>,
        dimension: usize,
        _: Option<CounterKey>,
        out: &mut Encoded,
    ) -> Result<(), CodecError> {
        let start = reader.position();
        out.restart(dimension);
        let j = reader.read(place_bits(dimension))?;
        if j >= dimension as u64 {
            return Err(reader.corrupt("a place beyond the vector"));
        }
        out.indices.push(j as u32);
        out.values.push(WireFloat::F64.read(reader)?);
        if !(out.values[0] * dimension as f64).is_finite() {
            return Err(reader.corrupt("a value whose scaled value is not finite"));
        }
        out.bits = reader.position() - start;
        Ok(())
    }

    // The theory: step sizes and the theorems' bounds follow from it, and the laws check it.
    fn is_unbiased(&self) -> bool {
        true
    }

    fn omega(&self, dimension: usize) -> Option<f64> {
        Some(dimension as f64 - 1.0)
    }

    fn variance_at(&self, x: &[f64]) -> Option<f64> {
        Some((x.len() as f64 - 1.0) * x.iter().map(|x| x * x).sum::<f64>())
    }

    fn uniforms(&self, _: usize) -> usize {
        1
    }

    fn expected_bits(&self, dimension: usize) -> Option<ExpectedBits> {
        Some(ExpectedBits::Always(u64::from(place_bits(dimension)) + 64))
    }

    fn validate(&self, dimension: usize) -> Result<(), CodecError> {
        sparse::check_dimension(dimension)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::audit;
    use fedbits_random::{Purpose, Streams};

    /// Over the d equally likely places: the mean is x, the mean squared error is ω‖x‖², and every string has the charged length.
    #[test]
    fn it_is_unbiased_and_its_bits_are_real() {
        let x = [3.0, -4.0, 0.5, 0.0, 12.0];
        let (mut mean, mut error, mut message, mut sent) = ([0.0; 5], 0.0, Encoded::new(), [0.0; 5]);
        for j in 0..5 {
            let u = [(f64::from(j) + 0.5) / 5.0];
            OneEntry.encode(&x, Draw::Given(&u), &mut message).unwrap();
            audit(&OneEntry, &message, Draw::Given(&u)).unwrap();
            assert_eq!(message.bits(), 3 + 64);
            OneEntry.decode(&message, &mut sent);
            mean.iter_mut().zip(&sent).for_each(|(mean, sent)| *mean += sent / 5.0);
            error += sent.iter().zip(&x).map(|(sent, x)| (sent - x) * (sent - x)).sum::<f64>() / 5.0;
        }
        assert!(mean.iter().zip(&x).all(|(mean, x)| (mean - x).abs() < 1e-12), "{mean:?}");
        assert!((error - OneEntry.variance_at(&x).unwrap()).abs() < 1e-9, "{error}");
        let key = Streams::new(1, 0).counter(Purpose::Compression, 0, 0);
        OneEntry.encode(&x, Draw::Keyed(key), &mut message).unwrap();
        audit(&OneEntry, &message, Draw::Keyed(key)).unwrap();
    }
}
