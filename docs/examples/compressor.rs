//! One entry at random: Q(x) = d · x_j e_j with j uniform on the d entries.
//!
//! Unbiased: each entry is kept with probability 1/d and then scaled by d. E‖Q(x) − x‖² = (d − 1)‖x‖² for every x: ω =
//! d − 1.
//!
//! Message: j in ⌈log₂ d⌉ bits and x_j as a float.
//!
//! This file is a whole program: `fedbits` whose scenarios can say `compressor: OneEntry`.

use std::process::ExitCode;

use fedbits::codec::{
    BitReader, BitWriter, CodecError, Compressor, CompressorSetting, CounterKey, Draw, Encoded, ExpectedBits,
    WireFloat, check_dimension, check_finite,
};
use fedbits::spec::Described;
use serde::{Deserialize, Serialize};

/// One entry at random, times d: ω = d − 1.
#[derive(Clone, Copy, Debug, Default, Described, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct OneEntry {
    /// How the value is sent: the protocol's `floats`, which is no field of a scenario here.
    #[serde(skip)]
    wire: WireFloat,
}

// What a scenario needs of it.
impl CompressorSetting for OneEntry {
    fn build(&self, wire: WireFloat, _clients: u32) -> Box<dyn Compressor> {
        Box::new(Self { wire })
    }

    fn examples() -> Vec<Self> {
        vec![Self::default()]
    }
}

/// ⌈log₂ d⌉.
fn index_bits(dimension: usize) -> u32 {
    dimension.next_power_of_two().trailing_zeros()
}

impl OneEntry {
    fn value(&self, message: &Encoded) -> f64 {
        message.values[0] * message.dimension() as f64
    }
}

impl Compressor for OneEntry {
    fn name(&self) -> String {
        format!("one entry F{}", self.wire.bits())
    }

    // The sender: symbols into `out`, and their exact length.
    fn encode(&self, x: &[f64], draw: Draw<'_>, out: &mut Encoded) -> Result<(), CodecError> {
        check_dimension(x.len())?;
        check_finite(x)?;
        out.restart(x.len());
        let u = match draw.given(1)? {
            Some(xi) => xi[0],
            None => draw.uniforms().next().unwrap_or(0.0),
        };
        let j = ((u * x.len() as f64) as usize).min(x.len() - 1);
        out.indices.push(j as u32);
        out.values.push(self.wire.nearest(x[j]));
        if !self.value(out).is_finite() {
            return Err(CodecError::ValueOverflow { index: j, bits: self.wire.bits() });
        }
        out.bits = u64::from(index_bits(x.len())) + self.wire.bits();
        Ok(())
    }

    // The receiver: what it decodes is what the protocol uses.
    fn decode(&self, message: &Encoded, out: &mut [f64]) {
        out.fill(0.0);
        out[message.indices[0] as usize] = self.value(message);
    }

    // The wire: `bits` is the length of exactly this string, and the audit compares.
    fn write_bits(&self, message: &Encoded, writer: &mut BitWriter) {
        writer.write(u64::from(message.indices[0]), index_bits(message.dimension()));
        self.wire.write(message.values[0], writer);
    }

    fn read(&self, reader: &mut BitReader<'_>, _: Option<CounterKey>, out: &mut Encoded) -> Result<(), CodecError> {
        let j = reader.read(index_bits(out.dimension()))?;
        if j >= out.dimension() as u64 {
            return Err(reader.corrupt("an index beyond the vector"));
        }
        out.indices.push(j as u32);
        out.values.push(self.wire.read(reader)?);
        if !self.value(out).is_finite() {
            return Err(reader.corrupt("a value whose scaled value is not finite"));
        }
        Ok(())
    }

    // The theory: step sizes and the theorems' bounds follow from it, and the laws check it.
    fn is_unbiased(&self) -> bool {
        true
    }

    fn omega(&self, dimension: usize) -> Option<f64> {
        Some(self.wire.widen(dimension as f64 - 1.0))
    }

    fn variance_at(&self, x: &[f64]) -> Option<f64> {
        let (d, mut sum) = (x.len() as f64, 0.0);
        for &x in x {
            let y = self.wire.nearest(x);
            sum += (d - 1.0) * y * y + (y - x) * (y - x);
        }
        sum.is_finite().then_some(sum)
    }

    fn uniforms(&self, _: usize) -> usize {
        1
    }

    fn expected_bits(&self, dimension: usize) -> Option<ExpectedBits> {
        Some(ExpectedBits::Always(u64::from(index_bits(dimension)) + self.wire.bits()))
    }
}

/// `fedbits` with one more compressor.
pub fn app() -> fedbits::App {
    fedbits::App::new().compressor::<OneEntry>()
}

fn main() -> ExitCode {
    app().main()
}

/// Strings of the charged length that read back, the stated mean, variance and ω, typed errors for bad input.
#[test]
fn it_obeys_the_laws_of_compressors() {
    fedbits::laws::compressor::<OneEntry>();
}
