//! A random rotation before another operator: R = H S / √D with random signs S and the Hadamard matrix H of order D,
//! the least power of two that is at least d. Entries of R x are nearly normal unless nearly all of x is in very few
//! entries, so that few levels fit them.
//!
//! Q(x) is the first d entries of Rᵀ C(R x), x with zeros up to D. R keeps norms and leaving entries out shortens the
//! error: Q has the ω, or the δ, of C at D; neither need be attained. With [`super::ScaledSign`] it is DRIVE (Vargaftik
//! et al. 2021, with the scale of least error), with [`super::LloydMax`] EDEN (Vargaftik et al. 2022, with the same
//! scale; their scale that is unbiased under a uniform rotation is only nearly so under this one), with
//! [`super::Dithering`] stochastic rotated quantization (Suresh et al. 2017).
//!
//! Message: that of C. Both ends draw the signs from the seed of the message.

use fedbits_random::CounterKey;
use fedbits_spec::{Choice, Described, Facts, Findings, Path};
use serde::{Deserialize, Serialize};

use super::composition::undivided;
use super::{Dithering, LloydMax, RandK, ScaledSign};
use crate::compressor::simulated;
use crate::draw::part;
use crate::error::{check_dimension, parameter};
use crate::norm::check_finite;
use crate::{
    BitReader, BitWriter, CodecError, Compressor, CompressorSetting, Draw, Encoded, ExpectedBits, Indices, LevelCode,
    WireFloat, lanes,
};

/// Parts of a draw: the signs, and what the operator draws.
const SIGNS: u64 = 0;
const INNER: u64 = 1;

/// An operator on rotated vectors.
#[derive(Debug)]
pub struct Rotation {
    /// C.
    pub of: Box<dyn Compressor>,
}

/// D.
fn order(dimension: usize) -> usize {
    dimension.next_power_of_two()
}

/// x ← H x for the unnormalized Hadamard matrix of order 2ⁿ, in place.
fn hadamard(x: &mut [f64]) {
    let mut half = 1;
    while half < x.len() {
        for block in x.chunks_exact_mut(2 * half) {
            let (upper, lower) = block.split_at_mut(half);
            for (a, b) in upper.iter_mut().zip(lower) {
                (*a, *b) = (*a + *b, *a - *b);
            }
        }
        half *= 2;
    }
}

/// One sign per uniform.
fn draw_signs(uniforms: impl Iterator<Item = f64>, order: usize, signs: &mut Vec<i8>) {
    signs.extend(uniforms.take(order).map(|u| if u < 0.5 { 1 } else { -1 }));
}

impl Rotation {
    /// Rᵀ of the decoded inner message, D numbers; the signs are in `small_levels`.
    fn rotated_back(&self, message: &Encoded) -> Vec<f64> {
        let [inner] = &message.parts[..] else { unreachable!("encode and read leave one part") };
        let mut y = vec![0.0; inner.dimension()];
        self.of.decode(inner, &mut y);
        let scale = 1.0 / (y.len() as f64).sqrt();
        y.iter_mut().for_each(|entry| *entry *= scale);
        hadamard(&mut y);
        y.iter_mut().zip(&message.small_levels).for_each(|(entry, &sign)| *entry *= f64::from(sign));
        y
    }

    fn is_finite(&self, message: &Encoded) -> bool {
        self.rotated_back(message).iter().all(|entry| entry.is_finite())
    }
}

impl Compressor for Rotation {
    fn name(&self) -> String {
        format!("rotated {}", self.of.name())
    }

    fn encode(&self, x: &[f64], draw: Draw<'_>, out: &mut Encoded) -> Result<(), CodecError> {
        check_dimension(x.len())?;
        check_finite(x)?;
        let order = order(x.len());
        let mut inner = out.parts.pop().unwrap_or_default();
        out.restart(x.len());
        let of_inner = match draw {
            Draw::Given(_) => {
                let xi = draw.given(self.uniforms(x.len()))?.unwrap_or_default();
                draw_signs(xi.iter().copied(), order, &mut out.small_levels);
                Draw::Given(&xi[order..])
            }
            Draw::Keyed(key) => {
                draw_signs(part(key, SIGNS).uniforms(), order, &mut out.small_levels);
                draw.part(INNER)
            }
        };
        let scale = 1.0 / (order as f64).sqrt();
        let signed = x.iter().zip(&out.small_levels).map(|(x, &sign)| f64::from(sign) * (scale * x));
        let mut y: Vec<f64> = signed.chain(std::iter::repeat_n(0.0, order - x.len())).collect();
        hadamard(&mut y);
        let overflow = || {
            let largest = lanes::largest(x);
            let index = x.iter().position(|entry| entry.abs() == largest).unwrap_or(0);
            CodecError::ValueOverflow { index, bits: 64 }
        };
        if y.iter().any(|entry| !entry.is_finite()) {
            return Err(overflow());
        }
        self.of.encode(&y, of_inner, &mut inner)?;
        out.bits = inner.bits();
        out.parts.push(inner);
        if self.is_finite(out) { Ok(()) } else { Err(overflow()) }
    }

    fn decode(&self, message: &Encoded, out: &mut [f64]) {
        assert_eq!(out.len(), message.dimension(), "dimension of the decoded vector");
        out.copy_from_slice(&self.rotated_back(message)[..message.dimension()]);
    }

    fn write_bits(&self, message: &Encoded, writer: &mut BitWriter) {
        message.parts.iter().for_each(|inner| self.of.write_bits(inner, writer));
    }

    fn read(&self, reader: &mut BitReader<'_>, key: Option<CounterKey>, out: &mut Encoded) -> Result<(), CodecError> {
        let key = key.ok_or(CodecError::KeyNeeded)?;
        let order = order(out.dimension());
        draw_signs(part(key, SIGNS).uniforms(), order, &mut out.small_levels);
        let mut inner = Encoded::new();
        self.of.read_bits(reader, order, Some(part(key, INNER)), &mut inner)?;
        out.parts.push(inner);
        reader.refuse(!self.is_finite(out), "a message whose rotation is not finite")
    }

    fn inner(&self) -> Vec<&dyn Compressor> {
        vec![&*self.of]
    }

    fn is_unbiased(&self) -> bool {
        self.of.is_unbiased()
    }

    fn omega(&self, dimension: usize) -> Option<f64> {
        self.of.omega(order(dimension))
    }

    fn contraction(&self, dimension: usize) -> Option<f64> {
        self.of.contraction(order(dimension))
    }

    fn uniforms(&self, dimension: usize) -> usize {
        order(dimension) + self.of.uniforms(order(dimension))
    }

    fn expected_bits(&self, dimension: usize) -> Option<ExpectedBits> {
        self.validate(dimension).ok()?;
        match self.of.expected_bits(order(dimension))? {
            ExpectedBits::ForNormal(_) => Some(simulated(self, dimension)),
            always => Some(always),
        }
    }

    fn string_work(&self, dimension: usize) -> u64 {
        self.of.string_work(order(dimension))
    }

    fn common_entries(&self, dimension: usize) -> Option<usize> {
        self.of.common_entries(order(dimension))
    }

    fn validate(&self, dimension: usize) -> Result<(), CodecError> {
        check_dimension(dimension)?;
        if self.of.member(0).is_some() {
            let expected = "an operator that clients use independently".to_owned();
            return Err(parameter("of", self.of.name(), expected));
        }
        self.of.validate(order(dimension))
    }
}

/// A compressor after a random rotation: Hadamard matrix, random signs from a shared seed. With `ScaledSign` it is
/// DRIVE, with `LloydMax` EDEN (Vargaftik et al. 2021, 2022). ω and δ are those at the next power of two of q.
#[derive(Clone, Debug, Described, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
#[described(rules = rules)]
pub struct Rotated {
    /// Compressor of the rotated vector.
    pub of: Choice<dyn CompressorSetting>,
}

impl CompressorSetting for Rotated {
    fn build(&self, wire: WireFloat, clients: u32) -> Box<dyn Compressor> {
        Box::new(Rotation { of: self.of.build(wire, clients) })
    }

    fn message_bytes(&self, length: u64) -> u64 {
        // The signs, and two vectors while it is coded.
        let order = length.checked_next_power_of_two().unwrap_or(u64::MAX);
        self.of.message_bytes(order).saturating_add(order.saturating_mul(17)).saturating_add(300)
    }

    fn examples() -> Vec<Self> {
        let wire = WireFloat::F64;
        let of = |of| Self { of };
        vec![
            of(Choice::of(ScaledSign { wire })),
            of(Choice::of(LloydMax { bits: 2, wire })),
            of(Choice::of(Dithering::qsgd(4, LevelCode::EliasSparse, wire))),
            of(Choice::of(RandK::new(2, Indices::SharedSeed, wire))),
        ]
    }
}

fn rules(operator: &Rotated, at: &Path<'_>, _: &Facts, findings: &mut Findings) {
    undivided(&operator.of, &at.field("of"), findings);
}
