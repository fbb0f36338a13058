//! Rand-k: a uniformly chosen k-subset of the coordinates, scaled by d/k.
//!
//! Q(x)_j = (d/k) x_j for the chosen j, 0 elsewhere. Unbiased; E‖Q(x) − x‖² = (d/k − 1)‖x‖² for *every* x, so ω = d/k − 1 is
//! attained. The wire carries x_j, the receiver scales: with F64 nothing is lost; with F32, x is first rounded to nearest (relative
//! error 2⁻²⁴, included in ω).
//!
//! Message: the subset, then k floats. The subset costs ⌈log₂ C(d, k)⌉ bits ([`crate::bits::SubsetCode`]), or nothing when both
//! ends share the seed and the receiver draws it again.

use std::sync::OnceLock;

use fedbits_random::CounterKey;

use crate::bits::SubsetCode;
use crate::sparse::{self, check_dimension};
use crate::{BitReader, BitWriter, CodecError, Compressor, Draw, Encoded, Places, WireFloat};

/// Exactly k of d coordinates.
#[derive(Clone, Debug)]
pub struct RandK {
    k: u32,
    places: Places,
    wire: WireFloat,
    /// The code of the first dimension met: C(d, k) may have thousands of digits.
    code: OnceLock<(usize, SubsetCode)>,
}

impl RandK {
    /// Keeps `k` ≥ 1 coordinates; `places` says how the receiver knows which, `wire` how values are sent.
    pub fn new(k: u32, places: Places, wire: WireFloat) -> Self {
        Self {
            k,
            places,
            wire,
            code: OnceLock::new(),
        }
    }

    fn factor(&self, dimension: usize) -> f64 {
        dimension as f64 / f64::from(self.k)
    }

    fn code(&self, dimension: usize) -> Result<SubsetCode, CodecError> {
        let make = || {
            self.validate(dimension)?;
            SubsetCode::new(dimension as u32, self.k).ok_or_else(|| self.wrong_k(dimension))
        };
        match self.code.get() {
            Some(&(known, code)) if known == dimension => Ok(code),
            Some(_) => make(),
            None => make().inspect(|&code| {
                self.code.get_or_init(|| (dimension, code));
            }),
        }
    }

    #[cold]
    fn wrong_k(&self, dimension: usize) -> CodecError {
        CodecError::Parameter {
            parameter: "k",
            found: self.k.to_string(),
            expected: format!("1 to {dimension} entries"),
        }
    }
}

/// A k-subset of 0…d−1 by Floyd's algorithm, as [`fedbits_random::Stream::subset`], on given uniforms.
fn subset_from(xi: &[f64], d: u32, k: u32, out: &mut Vec<u32>) -> Result<(), CodecError> {
    if xi.len() < k as usize {
        return Err(CodecError::TooFewUniforms {
            needed: k as usize,
            given: xi.len(),
        });
    }
    out.clear();
    for (j, u) in (d - k..d).zip(xi) {
        let candidate = ((u * f64::from(j + 1)) as u32).min(j);
        match out.binary_search(&candidate) {
            Ok(_) => out.push(j),
            Err(place) => out.insert(place, candidate),
        }
    }
    Ok(())
}

impl Compressor for RandK {
    fn name(&self) -> String {
        format!("rand-{} ({}) F{}", self.k, self.places, self.wire.bits())
    }

    fn encode(&self, x: &[f64], draw: Draw<'_>, out: &mut Encoded) -> Result<(), CodecError> {
        self.validate(x.len())?;
        out.restart(x.len());
        let d = x.len() as u32;
        match draw {
            Draw::Keyed(key) => key.stream().subset(d, self.k, &mut out.indices),
            Draw::Given(xi) => subset_from(xi, d, self.k, &mut out.indices)?,
        }
        sparse::take(x, self.wire, self.factor(x.len()), out)?;
        out.bits = u64::from(self.k) * self.wire.bits();
        if self.places == Places::Sent {
            out.bits += self.code(x.len())?.bits();
        }
        Ok(())
    }

    fn decode(&self, message: &Encoded, out: &mut [f64]) {
        sparse::scatter(message, self.factor(message.dimension), out);
    }

    fn add_decoded(&self, message: &Encoded, scale: f64, accumulator: &mut [f64]) {
        sparse::add_scattered(message, self.factor(message.dimension), scale, accumulator);
    }

    fn write_bits(&self, message: &Encoded, writer: &mut BitWriter) {
        if self.places == Places::Sent {
            let code = self
                .code(message.dimension)
                .expect("encode and read_bits validate k and the dimension");
            code.write(&message.indices, writer);
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
        let start = reader.position();
        out.restart(dimension);
        match self.places {
            Places::Sent => self.code(dimension)?.read(reader, &mut out.indices)?,
            Places::Shared => {
                let key = key.ok_or(CodecError::KeyNeeded)?;
                key.stream().subset(dimension as u32, self.k, &mut out.indices);
            }
        }
        sparse::read_values(reader, self.wire, self.factor(dimension), out)?;
        out.bits = reader.position() - start;
        Ok(())
    }

    fn is_unbiased(&self) -> bool {
        true
    }

    fn omega(&self, dimension: usize) -> Option<f64> {
        self.validate(dimension).ok()?;
        Some(self.wire.widen(self.factor(dimension) - 1.0))
    }

    fn variance_at(&self, x: &[f64]) -> Option<f64> {
        self.validate(x.len()).ok()?;
        sparse::variance(x, self.wire, self.factor(x.len()) - 1.0)
    }

    fn validate(&self, dimension: usize) -> Result<(), CodecError> {
        check_dimension(dimension)?;
        if (1..=dimension).contains(&(self.k as usize)) {
            Ok(())
        } else {
            Err(self.wrong_k(dimension))
        }
    }
}
