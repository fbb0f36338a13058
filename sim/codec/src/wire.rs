//! Floats on the wire: how many bits they take and what is left of a value.

use fedbits_spec::Described;
use serde::{Deserialize, Serialize};

use crate::{BitReader, BitWriter, CodecError};

/// Width of floats in messages. Both ends use the rounded values.
#[derive(Clone, Copy, Debug, Default, Described, Deserialize, Eq, PartialEq, Serialize)]
#[serde(rename = "Floats")]
pub enum WireFloat {
    /// IEEE binary64, lossless.
    #[default]
    F64,
    /// IEEE binary32: relative error up to 2⁻²⁴ (values above 1.2e-38).
    F32,
}

impl WireFloat {
    /// Bits of one float.
    #[inline]
    pub fn bits(self) -> u64 {
        match self {
            Self::F64 => 64,
            Self::F32 => 32,
        }
    }

    /// Largest relative rounding error of a normal number: 0 or 2⁻²⁴.
    pub fn unit_roundoff(self) -> f64 {
        match self {
            Self::F64 => 0.0,
            Self::F32 => 0.5 * f64::from(f32::EPSILON),
        }
    }

    /// The nearest value that the wire carries; infinite if there is none.
    #[inline]
    pub fn nearest(self, value: f64) -> f64 {
        match self {
            Self::F64 => value,
            Self::F32 => f64::from(value as f32),
        }
    }

    /// The smallest value ≥ `value` that the wire carries; infinite if there is none.
    #[inline]
    pub fn at_least(self, value: f64) -> f64 {
        let nearest = value as f32;
        match self {
            Self::F64 => value,
            Self::F32 if f64::from(nearest) < value => f64::from(nearest.next_up()),
            Self::F32 => f64::from(nearest),
        }
    }

    /// Bound on E‖Q(y) − x‖² ÷ ‖x‖² where y is x rounded to the wire and E‖Q(y) − y‖² ≤ `omega` ‖y‖², E Q(y) = y.
    pub fn widen(self, omega: f64) -> f64 {
        let u = self.unit_roundoff();
        omega * (1.0 + u) * (1.0 + u) + u * u
    }

    /// Appends a value that the wire carries.
    #[inline]
    pub fn write(self, value: f64, writer: &mut BitWriter) {
        match self {
            Self::F64 => writer.write(value.to_bits(), 64),
            Self::F32 => writer.write(u64::from((value as f32).to_bits()), 32),
        }
    }

    /// Reads a finite value.
    #[inline]
    pub fn read(self, reader: &mut BitReader<'_>) -> Result<f64, CodecError> {
        let value = match self {
            Self::F64 => f64::from_bits(reader.read(64)?),
            Self::F32 => f64::from(f32::from_bits(reader.read(32)? as u32)),
        };
        if value.is_finite() { Ok(value) } else { Err(reader.corrupt("a float that is not finite")) }
    }
}
