//! What sparsifiers share: messages with some entries of a vector, increasing `indices` and their `values`. Does not
//! choose them.

use std::cmp::Ordering;

use fedbits_random::CounterKey;

use crate::compressor::simulated;
use crate::error::{check_dimension, check_overflow, parameter};
use crate::indices::{IndexCode, Indices};
use crate::norm::check_finite;
use crate::{BitReader, BitWriter, CodecError, Compressor, Draw, Encoded, ExpectedBits, Sparsifier, WireFloat};

impl<S: Sparsifier> Compressor for S {
    fn name(&self) -> String {
        format!("{} F{}", self.label(), self.wire().bits())
    }

    fn encode(&self, x: &[f64], draw: Draw<'_>, out: &mut Encoded) -> Result<(), CodecError> {
        self.check(x.len())?;
        out.restart(x.len());
        self.choose(x, draw, out)?;
        take(x, self.wire(), self.factor(x.len()), out)?;
        out.bits = out.indices.len() as u64 * self.wire().bits() + self.code().bits(out)?;
        Ok(())
    }

    fn decode(&self, message: &Encoded, out: &mut [f64]) {
        scatter(message, self.factor(message.dimension), out);
    }

    fn add_decoded(&self, message: &Encoded, scale: f64, accumulator: &mut [f64]) {
        add_scattered(message, self.factor(message.dimension), scale, accumulator);
    }

    fn write_bits(&self, message: &Encoded, writer: &mut BitWriter) {
        self.code().write(message, writer);
        message.write_values(self.wire(), writer);
    }

    fn read(&self, reader: &mut BitReader<'_>, key: Option<CounterKey>, out: &mut Encoded) -> Result<(), CodecError> {
        self.read_indices(reader, key, out)?;
        out.read_values(out.indices.len(), self.wire(), reader)?;
        check_read(reader, self.factor(out.dimension), out)
    }

    fn is_unbiased(&self) -> bool {
        self.largest().is_none()
    }

    fn omega(&self, dimension: usize) -> Option<f64> {
        self.check(dimension).ok().filter(|()| self.is_unbiased())?;
        Some(self.wire().widen(self.factor(dimension) - 1.0))
    }

    fn omega_of_mean(&self, dimension: usize, clients: u32, weight: f64) -> Option<f64> {
        // A group leaves no entry out.
        let together = self.in_group(0).map(|_| weight);
        together.or_else(|| self.omega(dimension).map(|omega| omega * weight / f64::from(clients)))
    }

    fn contraction(&self, dimension: usize) -> Option<f64> {
        let Some(k) = self.largest() else {
            return self.omega(dimension).filter(|&omega| omega < 1.0).map(|omega| 1.0 - omega);
        };
        self.check(dimension).ok()?;
        let u = self.wire().unit_roundoff();
        Some((1.0 - u * u) * f64::from(k) / dimension as f64)
    }

    fn variance_at(&self, x: &[f64]) -> Option<f64> {
        self.check(x.len()).ok()?;
        self.variance(x)
    }

    fn uniforms(&self, dimension: usize) -> usize {
        self.draws(dimension)
    }

    fn expected_bits(&self, dimension: usize) -> Option<ExpectedBits> {
        self.check(dimension).ok()?;
        self.mean_bits(dimension).or_else(|| Some(simulated(self, dimension)))
    }

    fn indices_free_bits(&self, message: &Encoded) -> u64 {
        message.values.len() as u64 * self.wire().bits()
    }

    fn entropy_bits(&self, message: &Encoded) -> f64 {
        self.code().entropy(message) + self.indices_free_bits(message) as f64
    }

    fn string_work(&self, dimension: usize) -> u64 {
        self.code().work(dimension)
    }

    fn common_entries(&self, dimension: usize) -> Option<usize> {
        let are_known = matches!(self.code(), IndexCode::Shared | IndexCode::Subset(Indices::SharedSeed, ..));
        let always = || matches!(self.mean_bits(dimension), Some(ExpectedBits::Always(_)));
        (are_known && always()).then(|| self.most(dimension))
    }

    fn sparsifier(&self) -> Option<&dyn Sparsifier> {
        self.is_composed().then_some(self)
    }

    fn member(&self, i: u32) -> Option<Box<dyn Compressor>> {
        self.in_group(i)
    }

    fn validate(&self, dimension: usize) -> Result<(), CodecError> {
        self.check(dimension)
    }
}

/// Can `k` entries of so many be kept?
pub(crate) fn check_kept(k: u32, dimension: usize) -> Result<(), CodecError> {
    check_dimension(dimension)?;
    match (1..=dimension).contains(&(k as usize)) {
        true => Ok(()),
        false => Err(parameter("k", k, format!("1 to {dimension} entries"))),
    }
}

/// Larger magnitudes first, of equal ones the first. Magnitudes are finite: total_cmp is their usual order.
pub(crate) fn by_magnitude(x: &[f64], a: &u32, b: &u32) -> Ordering {
    x[*b as usize].abs().total_cmp(&x[*a as usize].abs()).then(a.cmp(b))
}

/// The `k` indices of `x` that are first [`by_magnitude`], in no order.
pub(crate) fn choose_largest(x: &[f64], k: u32, indices: &mut Vec<u32>) {
    indices.clear();
    indices.extend(0..x.len() as u32);
    if (k as usize) < x.len() {
        indices.select_nth_unstable_by(k as usize, |a, b| by_magnitude(x, a, b));
    }
    indices.truncate(k as usize);
}

/// Takes the entries at `out.indices` as the wire carries them; `factor` is what the receiver multiplies them with.
pub(crate) fn take(x: &[f64], wire: WireFloat, factor: f64, out: &mut Encoded) -> Result<(), CodecError> {
    check_finite(x)?;
    out.values.extend(out.indices.iter().map(|&j| wire.nearest(x[j as usize])));
    check_scaled(factor, wire.bits(), out)
}

/// Values that the receiver multiplies with `factor` stay finite.
pub(crate) fn check_scaled(factor: f64, bits: u64, out: &Encoded) -> Result<(), CodecError> {
    let large = out.values.iter().position(|value| !(factor * value).is_finite());
    check_overflow(large.map(|at| out.indices[at] as usize), bits)
}

/// `out` = 0 except `factor` · value at the indices.
pub(crate) fn scatter(message: &Encoded, factor: f64, out: &mut [f64]) {
    assert_eq!(out.len(), message.dimension, "dimension of the decoded vector");
    out.fill(0.0);
    for (&j, &value) in message.indices.iter().zip(&message.values) {
        out[j as usize] = factor * value;
    }
}

/// `accumulator += scale · decoded`. Entries not sent are zeros, whose addition changes a negative zero.
pub(crate) fn add_scattered(message: &Encoded, factor: f64, scale: f64, accumulator: &mut [f64]) {
    assert_eq!(accumulator.len(), message.dimension, "dimension of the accumulator");
    let (zero, mut next) = (scale * 0.0, 0);
    for (&j, &value) in message.indices.iter().zip(&message.values) {
        let j = j as usize;
        accumulator[next..j].iter_mut().for_each(|sum| *sum += zero);
        accumulator[j] += scale * (factor * value);
        next = j + 1;
    }
    accumulator[next..].iter_mut().for_each(|sum| *sum += zero);
}

/// [`check_scaled`] of values that were read.
pub(crate) fn check_read(reader: &BitReader<'_>, factor: f64, out: &Encoded) -> Result<(), CodecError> {
    let is_wrong = out.values.iter().any(|value| !(factor * value).is_finite());
    reader.refuse(is_wrong, "a value whose scaled value is not finite")
}
