//! Composition: one operator, then another on its result.
//!
//! After a sparsifier (rand-k, Bernoulli, Top-k) the second operator works on the entries that are kept alone: the
//! message is their indices and the second's message of m ≤ d entries. After any other operator it is the second's
//! message of the first's result.
//!
//! If both are unbiased so is the composition, with ω = (1 + ω₁)(1 + ω₂) − 1, ω₂ at the dimension the second works on.
//! After Top-k with an unbiased second, ‖x − C(x)‖² + ω₂‖C(x)‖² ≤ (1 − (1 − ω₂) k/d)‖x‖²: a contraction if ω₂ < 1, and
//! NOT unbiased.

use fedbits_random::CounterKey;
use fedbits_spec::{Choice, Described, Facts, Findings, Path};
use serde::{Deserialize, Serialize};

use super::{Bernoulli, BlockQuantization, Dithering, Natural, RandK, RankR, TopK};
use crate::compressor::Sparsifier;
use crate::draw::part;
use crate::error::check_dimension;
use crate::norm::check_finite;
use crate::sparse;
use crate::{
    BitReader, BitWriter, CodecError, Compressor, CompressorSetting, Draw, Encoded, Indices, LevelCode, Mask, Norm,
    WireFloat,
};

/// The parts of the key that the two operators draw from. An operator may take parts of its own, numbered from 0, so
/// that these are beyond all of them, and a composition inside a composition has others than the outer one.
const FIRST: u64 = 1 << 40;
const THEN: u64 = FIRST + 1;

/// First one, then the other.
#[derive(Debug)]
pub struct Composition {
    /// Acts on the vector.
    pub first: Box<dyn Compressor>,
    /// Acts on the output of the first.
    pub then: Box<dyn Compressor>,
}

impl Composition {
    /// Dimension that the second works on, at most.
    fn inner_dimension(&self, dimension: usize) -> usize {
        self.first.sparsifier().map_or(dimension, |sparsifier| sparsifier.most(dimension))
    }

    /// Splits the uniforms, or takes two parts of the key.
    fn draws<'a>(&self, dimension: usize, draw: Draw<'a>) -> Result<(Draw<'a>, Draw<'a>), CodecError> {
        let used = self.first.uniforms(dimension);
        Ok(match draw.given(used)? {
            Some(xi) => (Draw::Given(&xi[..used]), Draw::Given(&xi[used..])),
            None => (draw.part(FIRST), draw.part(THEN)),
        })
    }

    /// The message of the kept entries, whose indices are chosen already.
    fn encode_kept(&self, x: &[f64], draw: Draw<'_>, factor: f64, out: &mut Encoded) -> Result<(), CodecError> {
        let mut part = Encoded::new();
        let kept: Vec<f64> = out.indices.iter().map(|&j| x[j as usize]).collect();
        if !kept.is_empty() {
            let in_vector = |error: CodecError| error.at(|index| out.indices.get(index).map_or(index, |&j| j as usize));
            self.then.encode(&kept, draw, &mut part).map_err(in_vector)?;
        }
        out.bits += part.bits;
        self.take_values(&part, out);
        out.parts.push(part);
        sparse::check_scaled(factor, 64, out)
    }

    /// The decoded kept entries, so that decoding is as for any sparse message.
    fn take_values(&self, part: &Encoded, out: &mut Encoded) {
        out.values.resize(part.dimension, 0.0);
        if part.dimension > 0 {
            self.then.decode(part, &mut out.values);
        }
    }

    fn read_sparse(
        &self,
        sparsifier: &dyn Sparsifier,
        reader: &mut BitReader<'_>,
        key: Option<CounterKey>,
        out: &mut Encoded,
    ) -> Result<(), CodecError> {
        sparsifier.read_indices(reader, key.map(|key| part(key, FIRST)), out)?;
        let mut kept = Encoded::new();
        if !out.indices.is_empty() {
            self.then.read_bits(reader, out.indices.len(), key.map(|key| part(key, THEN)), &mut kept)?;
        }
        self.take_values(&kept, out);
        out.parts.push(kept);
        sparse::check_read(reader, sparsifier.factor(out.dimension), out)
    }
}

/// The second's messages; where no entry was kept there is none.
fn sent(message: &Encoded) -> impl Iterator<Item = &Encoded> {
    message.parts.iter().filter(|part| part.dimension > 0)
}

impl Compressor for Composition {
    fn name(&self) -> String {
        format!("{} after {}", self.then.name(), self.first.name())
    }

    fn encode(&self, x: &[f64], draw: Draw<'_>, out: &mut Encoded) -> Result<(), CodecError> {
        self.validate(x.len())?;
        let (one, two) = self.draws(x.len(), draw)?;
        let Some(sparsifier) = self.first.sparsifier() else {
            let mut result = vec![0.0; x.len()];
            self.first.encode(x, one, out)?;
            self.first.decode(out, &mut result);
            return self.then.encode(&result, two, out);
        };
        check_finite(x)?;
        out.restart(x.len());
        sparsifier.choose(x, one, out)?;
        out.bits = sparsifier.code().bits(out)?;
        self.encode_kept(x, two, sparsifier.factor(x.len()), out)
    }

    fn decode(&self, message: &Encoded, out: &mut [f64]) {
        match self.first.sparsifier() {
            Some(sparsifier) => sparse::scatter(message, sparsifier.factor(message.dimension), out),
            None => self.then.decode(message, out),
        }
    }

    fn add_decoded(&self, message: &Encoded, scale: f64, accumulator: &mut [f64]) {
        match self.first.sparsifier() {
            Some(sparsifier) => {
                sparse::add_scattered(message, sparsifier.factor(message.dimension), scale, accumulator);
            }
            None => self.then.add_decoded(message, scale, accumulator),
        }
    }

    fn write_bits(&self, message: &Encoded, writer: &mut BitWriter) {
        let Some(sparsifier) = self.first.sparsifier() else { return self.then.write_bits(message, writer) };
        sparsifier.code().write(message, writer);
        for part in sent(message) {
            self.then.write_bits(part, writer);
        }
    }

    fn read(&self, reader: &mut BitReader<'_>, key: Option<CounterKey>, out: &mut Encoded) -> Result<(), CodecError> {
        match self.first.sparsifier() {
            Some(sparsifier) => self.read_sparse(sparsifier, reader, key, out),
            None => self.then.read_bits(reader, out.dimension, key.map(|key| part(key, THEN)), out),
        }
    }

    fn inner(&self) -> Vec<&dyn Compressor> {
        vec![&*self.then]
    }

    fn is_unbiased(&self) -> bool {
        self.first.is_unbiased() && self.then.is_unbiased()
    }

    fn omega(&self, dimension: usize) -> Option<f64> {
        let (one, two) = (self.first.omega(dimension)?, self.then.omega(self.inner_dimension(dimension))?);
        Some((1.0 + one) * (1.0 + two) - 1.0)
    }

    fn contraction(&self, dimension: usize) -> Option<f64> {
        if self.is_unbiased() {
            return self.omega(dimension).filter(|&omega| omega < 1.0).map(|omega| 1.0 - omega);
        }
        // What Top-k keeps is orthogonal to what it drops.
        self.first.sparsifier()?;
        let two = self.then.omega(self.inner_dimension(dimension)).filter(|&omega| omega < 1.0)?;
        Some((1.0 - two) * self.first.contraction(dimension)?)
    }

    fn uniforms(&self, dimension: usize) -> usize {
        self.first.uniforms(dimension) + self.then.uniforms(self.inner_dimension(dimension))
    }

    fn indices_free_bits(&self, message: &Encoded) -> u64 {
        match self.first.sparsifier() {
            Some(_) => sent(message).map(|part| self.then.indices_free_bits(part)).sum(),
            None => self.then.indices_free_bits(message),
        }
    }

    fn entropy_bits(&self, message: &Encoded) -> f64 {
        let Some(sparsifier) = self.first.sparsifier() else { return self.then.entropy_bits(message) };
        sparsifier.code().entropy(message) + sent(message).map(|part| self.then.entropy_bits(part)).sum::<f64>()
    }

    fn string_work(&self, dimension: usize) -> u64 {
        self.first.string_work(dimension) + self.then.string_work(self.inner_dimension(dimension))
    }

    fn validate(&self, dimension: usize) -> Result<(), CodecError> {
        check_dimension(dimension)?;
        self.first.validate(dimension)?;
        self.then.validate(self.inner_dimension(dimension))
    }
}

/// One compressor, then another on the coordinates that the first keeps (`RandK`, `Bernoulli`, `TopK`). Unbiased: ω =
/// (1 + ω₁)(1 + ω₂) − 1, ω₂ at the remaining length (Horváth et al. 2022). After `TopK`: δ = (1 − ω₂) k/q if ω₂ < 1
/// (Basu et al. 2019).
#[derive(Clone, Debug, Described, Deserialize, Serialize)]
#[serde(deny_unknown_fields, rename = "Composition")]
#[described(rules = rules)]
pub struct CompositionOf {
    /// Acts on the vector.
    pub first: Choice<dyn CompressorSetting>,
    /// Acts on the kept coordinates.
    #[described(by_rules)]
    pub then: Choice<dyn CompressorSetting>,
}

impl CompressorSetting for CompositionOf {
    fn build(&self, wire: WireFloat, clients: u32) -> Box<dyn Compressor> {
        Box::new(Composition { first: self.first.build(wire, clients), then: self.then.build(wire, clients) })
    }

    fn message_bytes(&self, length: u64) -> u64 {
        self.first.message_bytes(length).saturating_add(self.then.message_bytes(length)).saturating_add(300)
    }

    fn examples() -> Vec<Self> {
        let wire = WireFloat::F64;
        let qsgd = |code| Choice::of(Dithering::qsgd(4, code, wire));
        let rand_k = || Choice::of(RandK::new(3, Indices::Enumerative, wire));
        let bernoulli = || Choice::of(Bernoulli { p: 0.3, mask: Mask::SharedSeed, wire });
        let natural = || Choice::of(Natural { wire });
        let blocks = BlockQuantization { block: 400, p: Norm::L(2.0), code: LevelCode::Fixed, wire };
        let twice = Self { first: qsgd(LevelCode::Fixed), then: qsgd(LevelCode::Fixed) };
        vec![
            Self { first: rand_k(), then: qsgd(LevelCode::Fixed) },
            Self { first: bernoulli(), then: qsgd(LevelCode::EliasSparse) },
            Self { first: Choice::of(TopK::new(2, Indices::Enumerative, wire)), then: natural() },
            Self { first: qsgd(LevelCode::Fixed), then: natural() },
            Self { first: natural(), then: rand_k() },
            Self { first: Choice::of(blocks), then: bernoulli() },
            Self { first: Choice::of(twice), then: bernoulli() },
        ]
    }
}

fn rules(operator: &CompositionOf, at: &Path<'_>, facts: &Facts, findings: &mut Findings) {
    let CompositionOf { first, then } = operator;
    let (first_at, then_at) = (at.field("first"), at.field("then"));
    then.check(&then_at, &facts.with_vector(kept(first, facts.vector)), findings);
    undivided(first, &first_at, findings);
    undivided(then, &then_at, findings);
    if first.is::<Bernoulli>() {
        any_length(then, &then_at, findings);
    }
}

/// Length of what the first leaves to the second; `None` where it varies.
fn kept(first: &Choice<dyn CompressorSetting>, length: Option<usize>) -> Option<usize> {
    if first.is::<Bernoulli>() {
        return None;
    }
    match first.build(WireFloat::F64, 1).sparsifier() {
        Some(sparsifier) => Some(sparsifier.most(length.unwrap_or(usize::MAX))),
        None => length,
    }
}

/// `Bernoulli` keeps a random number of entries, at times fewer than any number that `then` takes for granted.
fn any_length(then: &Choice<dyn CompressorSetting>, at: &Path<'_>, findings: &mut Findings) {
    let field = if then.is::<RandK>() || then.is::<TopK>() {
        "k"
    } else if then.is::<RankR>() {
        "rows"
    } else {
        return any_length_within(then, at, findings);
    };
    let why = format!("`{field}` counts entries, but `Bernoulli` keeps a random number of them, at times fewer");
    findings.error(at.field(field), why, "expected `RandK` or `TopK` as `first`, or another `then`");
}

/// An operator with parts may have one that does so.
fn any_length_within(then: &Choice<dyn CompressorSetting>, at: &Path<'_>, findings: &mut Findings) {
    if let Err(error) = then.build(WireFloat::F64, 1).validate(1) {
        let why =
            format!("`Bernoulli` keeps a random number of entries, at times one, which this cannot send: {error}");
        findings.error(at, why, "expected `RandK` or `TopK` as `first`, or another `then`");
    }
}

/// An operator that divides the vector among the clients: inside another operator there is no such vector.
pub(super) fn undivided(part: &Choice<dyn CompressorSetting>, at: &Path<'_>, findings: &mut Findings) {
    if part.is_drawn_together() {
        let why = format!(
            "the clients of a round draw `{}` together, and it cannot be a part of another compressor",
            part.part_name()
        );
        findings.error(at, why, "expected another compressor");
    }
}
