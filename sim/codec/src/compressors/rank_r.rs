//! Rank-r: the vector as an a × b matrix, row by row, and its r largest singular triples.
//!
//! NOT unbiased. A contraction: the r largest of min(a, b) squared singular values hold at least their share of ‖x‖²,
//! so δ = r/min(a, b), attained where all are equal; up to rounding (of the decomposition, and of F32 factors).
//!
//! The decomposition is ours, one-sided Jacobi in a fixed order with + − × ÷ √ only: the same bits on every machine.
//!
//! Message: for every triple σ u (a floats) and v (b floats).

use fedbits_random::CounterKey;
use fedbits_spec::Described;
use fedbits_spec::range::whole;
use fedbits_spec::{Facts, Findings, Path};
use serde::{Deserialize, Serialize};

use crate::compressor::error_of;
use crate::error::{check_dimension, parameter};
use crate::norm::check_finite;
use crate::svd::svd;
use crate::{BitReader, BitWriter, CodecError, Compressor, CompressorSetting, Draw, Encoded, ExpectedBits, WireFloat};

/// Low-rank approximation of the vector as a matrix, row by row. Biased: δ = rank / min(rows, q / rows) (Safaryan et
/// al. 2022, FedNL).
#[derive(Clone, Copy, Debug, Described, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
#[described(rules = fits)]
pub struct RankR {
    /// At most the smaller side of the matrix.
    pub rank: usize,
    /// A divisor of q.
    pub rows: usize,
    /// How values are sent.
    #[serde(skip)]
    pub wire: WireFloat,
}

impl RankR {
    fn columns(&self, dimension: usize) -> usize {
        dimension / self.rows
    }

    fn floats(&self, dimension: usize) -> usize {
        self.rank * (self.rows + self.columns(dimension))
    }

    /// Entry (i, j) of Σ σ u vᵀ.
    fn value(&self, message: &Encoded, index: usize) -> f64 {
        let columns = self.columns(message.dimension);
        let (i, j) = (index / columns, index % columns);
        let triples = message.values.chunks_exact(self.rows + columns);
        triples.map(|triple| triple[i] * triple[self.rows + j]).sum()
    }

    fn first_overflow(&self, message: &Encoded) -> Option<usize> {
        (0..message.dimension).find(|&index| !self.value(message, index).is_finite())
    }
}

impl Compressor for RankR {
    fn name(&self) -> String {
        format!("rank-{} of {} rows F{}", self.rank, self.rows, self.wire.bits())
    }

    fn encode(&self, x: &[f64], _: Draw<'_>, out: &mut Encoded) -> Result<(), CodecError> {
        self.validate(x.len())?;
        check_finite(x)?;
        out.restart(x.len());
        for triple in svd(x, self.rows).into_iter().take(self.rank) {
            out.values.extend(triple.scaled_left.iter().chain(&triple.right).map(|&v| self.wire.nearest(v)));
        }
        out.bits = out.values.len() as u64 * self.wire.bits();
        if let Some(index) = self.first_overflow(out) {
            return Err(CodecError::ValueOverflow { index, bits: self.wire.bits() });
        }
        Ok(())
    }

    fn decode(&self, message: &Encoded, out: &mut [f64]) {
        message.decode_entries(out, |j| self.value(message, j));
    }

    fn add_decoded(&self, message: &Encoded, scale: f64, accumulator: &mut [f64]) {
        message.add_entries(scale, accumulator, |j| self.value(message, j));
    }

    fn write_bits(&self, message: &Encoded, writer: &mut BitWriter) {
        message.write_values(self.wire, writer);
    }

    fn read(&self, reader: &mut BitReader<'_>, _: Option<CounterKey>, out: &mut Encoded) -> Result<(), CodecError> {
        out.read_values(self.floats(out.dimension), self.wire, reader)?;
        match self.first_overflow(out) {
            None => Ok(()),
            Some(_) => Err(reader.corrupt("factors whose product is not finite")),
        }
    }

    fn contraction(&self, dimension: usize) -> Option<f64> {
        self.validate(dimension).ok()?;
        Some(self.rank as f64 / self.rows.min(self.columns(dimension)) as f64)
    }

    fn variance_at(&self, x: &[f64]) -> Option<f64> {
        error_of(self, x)
    }

    fn uniforms(&self, _: usize) -> usize {
        0
    }

    fn expected_bits(&self, dimension: usize) -> Option<ExpectedBits> {
        self.validate(dimension).ok()?;
        Some(ExpectedBits::Always(self.floats(dimension) as u64 * self.wire.bits()))
    }

    fn validate(&self, dimension: usize) -> Result<(), CodecError> {
        check_dimension(dimension)?;
        if self.rows == 0 || !dimension.is_multiple_of(self.rows) {
            return Err(parameter("rows", self.rows, format!("a divisor of the dimension {dimension}")));
        }
        let most = self.rows.min(self.columns(dimension));
        if !(1..=most).contains(&self.rank) {
            return Err(parameter("rank", self.rank, format!("1 to {most}, the smaller side of the matrix")));
        }
        Ok(())
    }
}

impl CompressorSetting for RankR {
    fn build(&self, wire: WireFloat, _clients: u32) -> Box<dyn Compressor> {
        Box::new(Self { wire, ..*self })
    }

    fn message_bytes(&self, length: u64) -> u64 {
        8 * length
    }

    fn examples() -> Vec<Self> {
        vec![Self { rank: 1, rows: 1, wire: WireFloat::F64 }]
    }
}

/// The matrix has q entries, where q is known, and no rank beyond its sides.
fn fits(operator: &RankR, at: &Path<'_>, facts: &Facts, findings: &mut Findings) {
    let RankR { rank, rows, .. } = *operator;
    let Some(q) = facts.vector else {
        whole(1, u64::from(u32::MAX)).check_whole(rows as u64, &at.field("rows"), facts, findings);
        let most = whole(1, rows.max(1) as u64).note(", at most the number of rows");
        return most.check_whole(rank as u64, &at.field("rank"), facts, findings);
    };
    if rows == 0 || !q.is_multiple_of(rows) {
        let message = format!("`rows` does not divide q = {q}, the length of the vector: {rows}");
        return findings.error(at.field("rows"), message, "expected a divisor of q");
    }
    let most = whole(1, rows.min(q / rows) as u64).note(", at most the smaller side of the matrix");
    most.check_whole(rank as u64, &at.field("rank"), facts, findings);
}
