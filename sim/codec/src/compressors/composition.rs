//! Composition: one operator, then another on its result.
//!
//! After a sparsifier (rand-k, Bernoulli, Top-k) the second operator works on the entries that are kept alone: the message is their
//! places and the second's message of m ≤ d entries. After any other operator it is the second's message of the first's result.
//!
//! If both are unbiased so is the composition, with ω = (1 + ω₁)(1 + ω₂) − 1, ω₂ at the dimension the second works on. After Top-k
//! with an unbiased second, ‖x − C(x)‖² + ω₂‖C(x)‖² ≤ (1 − (1 − ω₂) k/d)‖x‖²: a contraction if ω₂ < 1, and NOT unbiased.

use fedbits_random::CounterKey;

use crate::compressor::part;
use crate::sparse::{self, Sparsifier, check_dimension};
use crate::{BitReader, BitWriter, CodecError, Compressor, Draw, Encoded, ExpectedBits};

/// The parts of the key that the two operators draw from. An operator may take parts of its own, numbered from 0, so that these are beyond
/// all of them, and a composition inside a composition has others than the outer one.
const FIRST: u64 = 1 << 40;
const THEN: u64 = FIRST + 1;

/// First one, then the other.
#[derive(Debug)]
pub struct Composition {
    /// Works on the vector.
    pub first: Box<dyn Compressor>,
    /// Works on what the first leaves.
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

    /// The message of the kept entries, whose places are chosen already.
    fn encode_kept(&self, x: &[f64], draw: Draw<'_>, factor: f64, out: &mut Encoded) -> Result<(), CodecError> {
        let mut part = Encoded::new();
        let kept: Vec<f64> = out.indices.iter().map(|&j| x[j as usize]).collect();
        if !kept.is_empty() {
            let place = |error: CodecError| error.at(|index| out.indices.get(index).map_or(index, |&j| j as usize));
            self.then.encode(&kept, draw, &mut part).map_err(place)?;
        }
        out.bits += part.bits;
        self.take_values(&part, out);
        out.parts.push(part);
        match out.values.iter().position(|value| !(factor * value).is_finite()) {
            None => Ok(()),
            Some(place) => Err(CodecError::ValueOverflow { index: out.indices[place] as usize, bits: 64 }),
        }
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
        let start = reader.position();
        sparsifier.read_places(reader, key.map(|key| part(key, FIRST)), out)?;
        let mut kept = Encoded::new();
        if !out.indices.is_empty() {
            self.then.read_bits(reader, out.indices.len(), key.map(|key| part(key, THEN)), &mut kept)?;
        }
        self.take_values(&kept, out);
        out.parts.push(kept);
        out.bits = reader.position() - start;
        let factor = sparsifier.factor(out.dimension);
        if out.values.iter().all(|value| (factor * value).is_finite()) {
            return Ok(());
        }
        Err(reader.corrupt("a value whose scaled value is not finite"))
    }
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
        if !crate::lanes::all_finite(x) {
            return Err(crate::norm::not_finite(x));
        }
        out.restart(x.len());
        sparsifier.choose(x, one, out)?;
        out.bits = sparsifier.places_bits(out)?;
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
        sparsifier.write_places(message, writer);
        for part in message.parts.iter().filter(|part| part.dimension > 0) {
            self.then.write_bits(part, writer);
        }
    }

    fn read_bits(
        &self,
        reader: &mut BitReader<'_>,
        dimension: usize,
        key: Option<CounterKey>,
        out: &mut Encoded,
    ) -> Result<(), CodecError> {
        self.validate(dimension)?;
        out.restart(dimension);
        match self.first.sparsifier() {
            Some(sparsifier) => self.read_sparse(sparsifier, reader, key, out),
            None => self.then.read_bits(reader, dimension, key.map(|key| part(key, THEN)), out),
        }
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

    fn variance_at(&self, _: &[f64]) -> Option<f64> {
        None
    }

    fn uniforms(&self, dimension: usize) -> usize {
        self.first.uniforms(dimension) + self.then.uniforms(self.inner_dimension(dimension))
    }

    fn expected_bits(&self, dimension: usize) -> Option<ExpectedBits> {
        self.validate(dimension).ok()?;
        Some(crate::expected::simulated(self, dimension))
    }

    fn indices_free_bits(&self, message: &Encoded) -> u64 {
        match self.first.sparsifier() {
            Some(_) => message.parts.iter().map(|part| self.then.indices_free_bits(part)).sum(),
            None => self.then.indices_free_bits(message),
        }
    }

    fn entropy_bits(&self, message: &Encoded) -> f64 {
        let Some(sparsifier) = self.first.sparsifier() else { return self.then.entropy_bits(message) };
        let values = message.parts.iter().filter(|part| part.dimension > 0);
        // Enumerative places are at their entropy; masks and lists cost more, and are counted as they are.
        let places = sparsifier.places_bits(message).unwrap_or(0) as f64;
        places + values.map(|part| self.then.entropy_bits(part)).sum::<f64>()
    }

    fn ends_itself(&self) -> bool {
        self.then.ends_itself()
    }

    fn validate(&self, dimension: usize) -> Result<(), CodecError> {
        check_dimension(dimension)?;
        self.first.validate(dimension)?;
        self.then.validate(self.inner_dimension(dimension))
    }
}
