//! Rank-r: the vector as an a × b matrix, row by row, and its r largest singular triples.
//!
//! NOT unbiased. A contraction: the r largest of min(a, b) squared singular values hold at least their share of ‖x‖²,
//! so δ = r/min(a, b), attained where all are equal; up to rounding (of the decomposition, and of F32 factors).
//!
//! The decomposition is ours, one-sided Jacobi in a fixed order with + − × ÷ √ only: the same bits on every machine.
//!
//! Message: for every triple σ u (a floats) and v (b floats).

use fedbits_numerics::norm;
use fedbits_numerics::svd::{Matrix, RotatedColumns};
use fedbits_random::CounterKey;
use fedbits_spec::Described;
use fedbits_spec::range::whole;
use fedbits_spec::{Facts, Findings, Path};
use serde::{Deserialize, Serialize};

use crate::error::{check_dimension, check_overflow, parameter};
use crate::norm::check_finite;
use crate::setting::build_over_wire;
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
        check_overflow(self.first_overflow(out), self.wire.bits())
    }

    fn add_decoded(&self, message: &Encoded, scale: f64, accumulator: &mut [f64]) {
        message.add_values(scale, accumulator, (0..message.dimension).map(|j| self.value(message, j)));
    }

    fn write_bits(&self, message: &Encoded, writer: &mut BitWriter) {
        message.write_values(self.wire, writer);
    }

    fn read(&self, reader: &mut BitReader<'_>, _: Option<CounterKey>, out: &mut Encoded) -> Result<(), CodecError> {
        out.read_values(self.floats(out.dimension), self.wire, reader)?;
        reader.refuse(self.first_overflow(out).is_some(), "factors whose product is not finite")
    }

    fn contraction(&self, dimension: usize) -> Option<f64> {
        self.validate(dimension).ok()?;
        Some(self.rank as f64 / self.rows.min(self.columns(dimension)) as f64)
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
    build_over_wire!();

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

/// σ u and v of one singular triple.
struct Triple {
    /// σ u, one number per row.
    scaled_left: Vec<f64>,
    /// v, one number per column; a unit vector.
    right: Vec<f64>,
}

/// Cosines up to this are zero.
const ORTHOGONAL: f64 = 1e-15;

/// All min(a, b) triples of the matrix with `rows` = a rows, stored row by row; largest σ first.
fn svd(x: &[f64], rows: usize) -> Vec<Triple> {
    let scale = power_near(x.iter().fold(0.0, |max: f64, v| max.max(v.abs())));
    let entries: Vec<f64> = x.iter().map(|v| v / scale).collect();
    let rotated = RotatedColumns::new(Matrix { entries: &entries, columns: x.len() / rows }, ORTHOGONAL);
    let mut triples: Vec<(f64, Triple)> =
        rotated.pairs().map(|(left, right)| triple(left, right, rotated.wide, scale)).collect();
    triples.sort_by(|(a, _), (b, _)| b.total_cmp(a));
    triples.into_iter().map(|(_, triple)| triple).collect()
}

/// σ and the triple of a column σ u of A V (of Aᵀ V, if `wide`) and its v.
fn triple(left: &[f64], right: &[f64], wide: bool, scale: f64) -> (f64, Triple) {
    let sigma = norm(left);
    if !wide {
        return (sigma, Triple { scaled_left: left.iter().map(|v| v * scale).collect(), right: right.to_vec() });
    }
    // Aᵀ = Σ (σ u) vᵀ: the roles are exchanged, and the unit vector is σ u / σ.
    let unit = left.iter().map(|v| if sigma > 0.0 { v / sigma } else { 0.0 }).collect();
    (sigma, Triple { scaled_left: right.iter().map(|v| v * sigma * scale).collect(), right: unit })
}

/// A power of two near `max`, and 1 for 0: dividing by it is exact for all but denormal numbers.
fn power_near(max: f64) -> f64 {
    const EXPONENT: u64 = 0x7FF0_0000_0000_0000;
    if max == 0.0 { 1.0 } else { f64::from_bits(max.to_bits() & EXPONENT).max(f64::MIN_POSITIVE) }
}
