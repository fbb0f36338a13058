//! Bernoulli sparsifier: every entry is kept with probability p, independently, and scaled by 1/p.
//!
//! Q(x)_j = x_j / p with probability p, otherwise 0. Unbiased; E‖Q(x) − x‖² = (1/p − 1)‖x‖² for *every* x, so ω = 1/p − 1 is
//! attained. The wire carries x_j, the receiver scales: with F64 nothing is lost; with F32, x is first rounded to nearest (relative
//! error 2⁻²⁴, included in ω).
//!
//! Message: a mask of d bits, then one float for every entry kept; or the floats alone when both ends share the seed and the
//! receiver draws the mask again.

use fedbits_random::CounterKey;

use crate::sparse::{self, check_dimension};
use crate::{BitReader, BitWriter, CodecError, Compressor, Draw, Encoded, Places, WireFloat};

/// Every entry with probability p.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bernoulli {
    /// Probability to keep an entry, in (0, 1].
    pub p: f64,
    /// How the receiver knows which entries are kept.
    pub places: Places,
    /// How values are sent.
    pub wire: WireFloat,
}

impl Bernoulli {
    /// Keeps entry j where uniform j is below p; there are at least d uniforms. Without a branch, which would often be mispredicted.
    #[inline(always)]
    fn choose(&self, dimension: usize, uniforms: impl Iterator<Item = f64>, indices: &mut Vec<u32>) {
        indices.resize(dimension, 0);
        let mut kept = 0;
        for (j, u) in (0..dimension as u32).zip(uniforms) {
            indices[kept] = j;
            kept += usize::from(u < self.p);
        }
        indices.truncate(kept);
    }
}

fn write_mask(message: &Encoded, writer: &mut BitWriter) {
    let mut next = 0;
    for &j in &message.indices {
        writer.write_unary(u64::from(j - next));
        next = j + 1;
    }
    for _ in next as usize..message.dimension {
        writer.write(0, 1);
    }
}

fn read_mask(reader: &mut BitReader<'_>, out: &mut Encoded) -> Result<(), CodecError> {
    for j in 0..out.dimension {
        if reader.read(1)? == 1 {
            out.indices.push(j as u32);
        }
    }
    Ok(())
}

impl Compressor for Bernoulli {
    fn name(&self) -> String {
        format!("Bernoulli p={} ({}) F{}", self.p, self.places, self.wire.bits())
    }

    fn encode(&self, x: &[f64], draw: Draw<'_>, out: &mut Encoded) -> Result<(), CodecError> {
        self.validate(x.len())?;
        out.restart(x.len());
        match draw {
            Draw::Keyed(key) => self.choose(x.len(), key.uniforms(), &mut out.indices),
            Draw::Given(xi) if xi.len() < x.len() => {
                return Err(CodecError::TooFewUniforms { needed: x.len(), given: xi.len() });
            }
            Draw::Given(xi) => self.choose(x.len(), xi.iter().copied(), &mut out.indices),
        }
        sparse::take(x, self.wire, 1.0 / self.p, out)?;
        let mask = if self.places == Places::Sent { x.len() as u64 } else { 0 };
        out.bits = mask + out.indices.len() as u64 * self.wire.bits();
        Ok(())
    }

    fn decode(&self, message: &Encoded, out: &mut [f64]) {
        sparse::scatter(message, 1.0 / self.p, out);
    }

    fn add_decoded(&self, message: &Encoded, scale: f64, accumulator: &mut [f64]) {
        sparse::add_scattered(message, 1.0 / self.p, scale, accumulator);
    }

    fn write_bits(&self, message: &Encoded, writer: &mut BitWriter) {
        if self.places == Places::Sent {
            write_mask(message, writer);
        }
        sparse::write_values(message, self.wire, writer);
    }

    fn read_bits(
        &self,
        reader: &mut BitReader<'_>,
        dimension: usize,
        key: Option<CounterKey>,
        out: &mut Encoded,
    ) -> Result<(), CodecError> {
        self.validate(dimension)?;
        sparse::read(reader, (dimension, 1.0 / self.p), self.wire, out, |reader, out| match self.places {
            Places::Sent => read_mask(reader, out),
            Places::Shared => {
                let key = key.ok_or(CodecError::KeyNeeded)?;
                self.choose(dimension, key.uniforms(), &mut out.indices);
                Ok(())
            }
        })
    }

    fn is_unbiased(&self) -> bool {
        true
    }

    fn omega(&self, dimension: usize) -> Option<f64> {
        self.validate(dimension).ok()?;
        Some(self.wire.widen(1.0 / self.p - 1.0))
    }

    fn variance_at(&self, x: &[f64]) -> Option<f64> {
        self.validate(x.len()).ok()?;
        sparse::variance(x, self.wire, 1.0 / self.p - 1.0)
    }

    fn validate(&self, dimension: usize) -> Result<(), CodecError> {
        check_dimension(dimension)?;
        // Below the smallest normal float, 1/p would be infinite.
        if (f64::MIN_POSITIVE..=1.0).contains(&self.p) {
            return Ok(());
        }
        Err(CodecError::Parameter {
            parameter: "p",
            found: self.p.to_string(),
            expected: "a probability, 0 < p ≤ 1".to_owned(),
        })
    }
}
