//! The induced compressor (Horváth and Richtárik 2021): C(x) + Q(x − C(x)), which makes a contraction C unbiased by
//! sending what it left out through an unbiased Q.
//!
//! Unbiased with E‖·‖² = E‖Q(y) − y‖² at y = x − C(x), ‖y‖² ≤ (1 − δ)‖x‖²: ω = ω_Q (1 − δ_C).
//!
//! Message: that of C, then that of Q. C must end itself: nothing marks where its string ends.

use fedbits_random::CounterKey;
use fedbits_spec::{Choice, Described, Facts, Findings, Path};
use serde::{Deserialize, Serialize};

use super::composition::undivided;
use super::{Bernoulli, CompositionOf, Dithering, RandK, ScaledSign, TopK};
use crate::compressor::simulated;
use crate::error::{check_dimension, check_overflow, parameter};
use crate::norm::check_finite;
use crate::{
    BitReader, BitWriter, CodecError, Compressor, CompressorSetting, Draw, Encoded, ExpectedBits, Indices, LevelCode,
    Mask, WireFloat,
};

/// A contraction and an unbiased operator on its rest.
#[derive(Debug)]
pub struct Induced {
    /// C.
    pub contraction: Box<dyn Compressor>,
    /// Q.
    pub rest: Box<dyn Compressor>,
}

impl Induced {
    /// Decodes both parts into `out`.
    fn sum(&self, parts: &[Encoded], out: &mut [f64]) {
        let [first, second] = parts else { unreachable!("encode and read_bits leave two parts") };
        self.contraction.decode(first, out);
        self.rest.add_decoded(second, 1.0, out);
    }

    fn decoded(&self, message: &Encoded) -> Vec<f64> {
        let mut sum = vec![0.0; message.dimension];
        self.sum(&message.parts, &mut sum);
        sum
    }
}

impl Compressor for Induced {
    fn name(&self) -> String {
        format!("induced by {} with {}", self.contraction.name(), self.rest.name())
    }

    fn encode(&self, x: &[f64], draw: Draw<'_>, out: &mut Encoded) -> Result<(), CodecError> {
        self.validate(x.len())?;
        check_finite(x)?;
        out.restart(x.len());
        let (mut first, mut second, mut rest) = (Encoded::new(), Encoded::new(), x.to_vec());
        self.contraction.encode(x, Draw::Given(&[]), &mut first)?;
        self.contraction.add_decoded(&first, -1.0, &mut rest);
        let overflow = |values: &[f64]| check_overflow(values.iter().position(|value| !value.is_finite()), 64);
        overflow(&rest)?;
        self.rest.encode(&rest, draw, &mut second)?;
        out.bits = first.bits + second.bits;
        out.parts.extend([first, second]);
        overflow(&self.decoded(out))
    }

    fn decode(&self, message: &Encoded, out: &mut [f64]) {
        self.sum(&message.parts, out);
    }

    fn write_bits(&self, message: &Encoded, writer: &mut BitWriter) {
        for (operator, part) in [&self.contraction, &self.rest].into_iter().zip(&message.parts) {
            operator.write_bits(part, writer);
        }
    }

    fn read(&self, reader: &mut BitReader<'_>, key: Option<CounterKey>, out: &mut Encoded) -> Result<(), CodecError> {
        for operator in [&self.contraction, &self.rest] {
            let mut part = Encoded::new();
            operator.read_bits(reader, out.dimension, key, &mut part)?;
            out.bits += part.bits;
            out.parts.push(part);
        }
        reader.refuse(self.decoded(out).iter().any(|value| !value.is_finite()), "two parts whose sum is not finite")
    }

    fn inner(&self) -> Vec<&dyn Compressor> {
        vec![&*self.contraction, &*self.rest]
    }

    fn is_unbiased(&self) -> bool {
        self.rest.is_unbiased()
    }

    fn omega(&self, dimension: usize) -> Option<f64> {
        Some(self.rest.omega(dimension)? * (1.0 - self.contraction.contraction(dimension)?))
    }

    fn variance_at(&self, x: &[f64]) -> Option<f64> {
        let (mut first, mut rest) = (Encoded::new(), x.to_vec());
        self.contraction.encode(x, Draw::Given(&[]), &mut first).ok()?;
        self.contraction.add_decoded(&first, -1.0, &mut rest);
        self.rest.variance_at(&rest)
    }

    fn uniforms(&self, dimension: usize) -> usize {
        self.rest.uniforms(dimension)
    }

    fn expected_bits(&self, dimension: usize) -> Option<ExpectedBits> {
        let rest = self.rest.expected_bits(dimension)?;
        let sum = self.contraction.expected_bits(dimension)?.plus(rest);
        // What C leaves is no normal vector, and may be zero.
        let is_as_long_of_zero = || {
            let mut zero = Encoded::new();
            let encoded = self.rest.encode(&vec![0.0; dimension], Draw::Keyed(CounterKey::new(0)), &mut zero);
            encoded.is_ok() && rest.bits() == zero.bits() as f64
        };
        Some(match sum {
            ExpectedBits::OnAverage(_) => sum,
            ExpectedBits::Always(_) if is_as_long_of_zero() => sum,
            _ => simulated(self, dimension),
        })
    }

    fn string_work(&self, dimension: usize) -> u64 {
        self.contraction.string_work(dimension) + self.rest.string_work(dimension)
    }

    fn validate(&self, dimension: usize) -> Result<(), CodecError> {
        check_dimension(dimension)?;
        if !self.contraction.ends_itself() || self.contraction.uniforms(dimension) > 0 {
            let expected = "a compressor without randomness whose string has a known length".to_owned();
            return Err(parameter("contraction", self.contraction.name(), expected));
        }
        self.contraction.validate(dimension)?;
        self.rest.validate(dimension)
    }
}

/// C, made unbiased by an unbiased compressor of x − C(x) (Horváth and Richtárik 2021). ω is (1 − δ) times the ω of
/// `rest`.
#[derive(Clone, Debug, Described, Deserialize, Serialize)]
#[serde(deny_unknown_fields, rename = "Induced")]
#[described(rules = rules)]
pub struct InducedBy {
    /// C, a deterministic contraction, such as `TopK`.
    pub contraction: Choice<dyn CompressorSetting>,
    /// Compressor of x − C(x).
    pub rest: Choice<dyn CompressorSetting>,
}

impl CompressorSetting for InducedBy {
    fn build(&self, wire: WireFloat, clients: u32) -> Box<dyn Compressor> {
        Box::new(Induced { contraction: self.contraction.build(wire, clients), rest: self.rest.build(wire, clients) })
    }

    fn message_bytes(&self, length: u64) -> u64 {
        self.contraction.message_bytes(length).saturating_add(self.rest.message_bytes(length)).saturating_add(300)
    }

    fn examples() -> Vec<Self> {
        let wire = WireFloat::F64;
        let top_k = || Choice::of(TopK::new(2, Indices::Enumerative, wire));
        let qsgd = |code| Choice::of(Dithering::qsgd(4, code, wire));
        let bernoulli = Choice::of(Bernoulli { p: 0.3, mask: Mask::SharedSeed, wire });
        let composed = CompositionOf { first: bernoulli, then: qsgd(LevelCode::EliasSparse) };
        vec![
            Self { contraction: top_k(), rest: Choice::of(RandK::new(3, Indices::Enumerative, wire)) },
            Self { contraction: Choice::of(ScaledSign { wire }), rest: qsgd(LevelCode::Arithmetic) },
            Self { contraction: top_k(), rest: Choice::of(composed) },
        ]
    }
}

fn rules(operator: &InducedBy, at: &Path<'_>, _: &Facts, findings: &mut Findings) {
    let InducedBy { contraction, rest } = operator;
    undivided(rest, &at.field("rest"), findings);
    if !rest.build(WireFloat::F64, 1).is_unbiased() {
        let why = "the rest of an induced compressor must be unbiased: it makes up for what the contraction leaves out";
        let expected = "expected an unbiased compressor, such as `RandK(k: …)` or `Dithering(…)`";
        findings.error(at.field("rest"), why, expected);
    }
    let operator = contraction.build(WireFloat::F64, 1);
    if operator.is_unbiased() || operator.uniforms(1) > 0 || contraction.is::<CompositionOf>() {
        let why = "the contraction of an induced compressor must be biased, and without randomness";
        let expected = "expected `TopK(k: …)`, `ScaledSign` or `RankR(rank: …, rows: …)`; an unbiased compressor needs \
            no `Induced`";
        findings.error(at.field("contraction"), why, expected);
    }
}
