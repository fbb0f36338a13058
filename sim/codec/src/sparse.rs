//! What sparsifiers share: messages with some entries of a vector, increasing `indices` and their `values`. Knows no way of
//! choosing them.

use crate::norm::not_finite;
use crate::{BitReader, BitWriter, CodecError, Encoded, WireFloat, lanes};

/// How the receiver of a sparse message knows which entries were sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Places {
    /// The message says so, and is charged for it.
    Sent,
    /// Both ends share the seed of the draw: free, and only readable with the key.
    Shared,
}

impl std::fmt::Display for Places {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Sent => "places sent",
            Self::Shared => "seed shared",
        })
    }
}

/// Dimensions that messages can have: indices are 32-bit numbers.
pub(crate) fn check_dimension(dimension: usize) -> Result<(), CodecError> {
    if (1..=u32::MAX as usize).contains(&dimension) {
        return Ok(());
    }
    Err(CodecError::Parameter {
        parameter: "dimension",
        found: dimension.to_string(),
        expected: format!("1 to {}", u32::MAX),
    })
}

/// Takes the entries at `out.indices` as the wire carries them; `factor` is what the receiver multiplies them with.
pub(crate) fn take(x: &[f64], wire: WireFloat, factor: f64, out: &mut Encoded) -> Result<(), CodecError> {
    if !lanes::all_finite(x) {
        return Err(not_finite(x));
    }
    out.values.extend(out.indices.iter().map(|&j| wire.nearest(x[j as usize])));
    match out.values.iter().position(|value| !(factor * value).is_finite()) {
        None => Ok(()),
        Some(place) => Err(CodecError::ValueOverflow { index: out.indices[place] as usize, bits: wire.bits() }),
    }
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

/// Appends all values.
pub(crate) fn write_values(message: &Encoded, wire: WireFloat, writer: &mut BitWriter) {
    for &value in &message.values {
        wire.write(value, writer);
    }
}

/// Reads a message: the places as `places` finds them, then one value for each; each must stay finite when multiplied with `factor`.
pub(crate) fn read(
    reader: &mut BitReader<'_>,
    (dimension, factor): (usize, f64),
    wire: WireFloat,
    out: &mut Encoded,
    places: impl FnOnce(&mut BitReader<'_>, &mut Encoded) -> Result<(), CodecError>,
) -> Result<(), CodecError> {
    let start = reader.position();
    out.restart(dimension);
    places(reader, out)?;
    for _ in 0..out.indices.len() {
        let value = wire.read(reader)?;
        if !(factor * value).is_finite() {
            return Err(reader.corrupt("a value whose scaled value is not finite"));
        }
        out.values.push(value);
    }
    out.bits = reader.position() - start;
    Ok(())
}

/// E‖Q(x) − x‖² = `omega` ‖y‖² + ‖y − x‖², where y is x rounded to the wire and Q scales what it keeps of y without bias.
pub(crate) fn variance(x: &[f64], wire: WireFloat, omega: f64) -> Option<f64> {
    let variance = lanes::sum(x, |v| {
        let y = wire.nearest(v);
        omega * (y * y) + (y - v) * (y - v)
    });
    variance.is_finite().then_some(variance)
}
