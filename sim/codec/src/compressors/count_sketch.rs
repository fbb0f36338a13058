//! Count sketch (Charikar, Chen and Farach-Colton 2002; the uplink of sketched SGD, Ivkin et al. 2019): sums of entries
//! with random signs in r rows of c cells.
//!
//! C_ρb = Σ_{j: h_ρ(j) = b} σ_ρ(j) x_j and Q(x)_j = r⁻¹ Σ_ρ σ_ρ(j) C_ρ,h_ρ(j), with independent uniform cells h and
//! signs σ. Unbiased; E‖Q(x) − x‖² = (d − 1)/(r c) ‖x‖² for *every* x, so ω = (d − 1)/(r c) is attained. All
//! this holds for the mean of the rows (ours) and not for their median, which the papers read.
//!
//! Message: r c floats. Cells and signs are drawn by both ends from the seed of the message: sketches of two clients
//! cannot be added, as those of sketched SGD are, where all have the same cells and signs.

use fedbits_random::CounterKey;
use fedbits_spec::Described;
use fedbits_spec::range::whole;
use serde::{Deserialize, Serialize};

use crate::error::{check_dimension, check_overflow, parameter};
use crate::norm::check_finite;
use crate::setting::build_over_wire;
use crate::{
    BitReader, BitWriter, CodecError, Compressor, CompressorSetting, Draw, Encoded, ExpectedBits, WireFloat, lanes,
};

/// Sums of coordinates with random signs in `rows` × `columns` cells, redrawn per message and averaged over rows. ω =
/// (q − 1)/(rows · columns) (Charikar et al. 2002; Ivkin et al. 2019).
#[derive(Clone, Copy, Debug, Described, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct CountSketch {
    /// Independent sketches.
    #[range(whole(1, 64))]
    pub rows: u32,
    /// Cells per row.
    #[range(whole(1, 1 << 30))]
    pub columns: u32,
    /// How values are sent.
    #[serde(skip)]
    pub wire: WireFloat,
}

impl CountSketch {
    fn cells(&self) -> usize {
        self.rows as usize * self.columns as usize
    }

    /// For every row and entry the cell, counted from 1, with the sign; kept in `levels`.
    fn hash(&self, dimension: usize, uniforms: impl Iterator<Item = f64>, levels: &mut Vec<i32>) {
        let indices = f64::from(self.columns) * 2.0;
        levels.extend(uniforms.take(self.rows as usize * dimension).map(|u| {
            let slot = (u * indices) as u32;
            let cell = (slot / 2).min(self.columns - 1) as i32 + 1;
            if slot.is_multiple_of(2) { cell } else { -cell }
        }));
    }

    /// Entry j of the decoded vector. Divided before it is summed: cells are at most half the largest float.
    fn value(&self, message: &Encoded, j: usize) -> f64 {
        let levels = message.levels.iter().skip(j).step_by(message.dimension);
        let rows = message.values.chunks_exact(self.columns as usize);
        rows.zip(levels)
            .map(|(row, &level)| signed(row[level.unsigned_abs() as usize - 1], level) / f64::from(self.rows))
            .sum()
    }

    /// (1 + √ of what rounding of the cells adds)², as a bound: E C² = ‖x‖²/c and a bit at the cell of an entry.
    fn bound(&self, dimension: usize) -> f64 {
        let collisions = (dimension - 1) as f64 / f64::from(self.columns);
        let rounding = self.wire.unit_roundoff() * (1.0 + collisions).sqrt();
        let root = (collisions / f64::from(self.rows)).sqrt() + rounding;
        root * root
    }
}

fn signed(value: f64, level: i32) -> f64 {
    if level > 0 { value } else { -value }
}

/// Sums of cells must not overflow.
fn is_small(value: f64) -> bool {
    (2.0 * value).is_finite()
}

impl Compressor for CountSketch {
    fn name(&self) -> String {
        format!("count sketch {}×{} F{}", self.rows, self.columns, self.wire.bits())
    }

    fn encode(&self, x: &[f64], draw: Draw<'_>, out: &mut Encoded) -> Result<(), CodecError> {
        self.validate(x.len())?;
        out.restart(x.len());
        check_finite(x)?;
        match draw.given(self.uniforms(x.len()))? {
            Some(xi) => self.hash(x.len(), xi.iter().copied(), &mut out.levels),
            None => self.hash(x.len(), draw.uniforms(), &mut out.levels),
        }
        out.values.resize(self.cells(), 0.0);
        let rows = out.values.chunks_exact_mut(self.columns as usize);
        for (row, levels) in rows.zip(out.levels.chunks_exact(x.len())) {
            for (&x, &level) in x.iter().zip(levels) {
                row[level.unsigned_abs() as usize - 1] += signed(x, level);
            }
            row.iter_mut().for_each(|cell| *cell = self.wire.nearest(*cell));
            let large = levels.iter().position(|level| !is_small(row[level.unsigned_abs() as usize - 1]));
            check_overflow(large, self.wire.bits())?;
        }
        out.bits = self.cells() as u64 * self.wire.bits();
        Ok(())
    }

    fn add_decoded(&self, message: &Encoded, scale: f64, accumulator: &mut [f64]) {
        message.add_values(scale, accumulator, (0..message.dimension).map(|j| self.value(message, j)));
    }

    fn write_bits(&self, message: &Encoded, writer: &mut BitWriter) {
        message.write_values(self.wire, writer);
    }

    fn read(&self, reader: &mut BitReader<'_>, key: Option<CounterKey>, out: &mut Encoded) -> Result<(), CodecError> {
        self.hash(out.dimension, key.ok_or(CodecError::KeyNeeded)?.uniforms(), &mut out.levels);
        out.read_values(self.cells(), self.wire, reader)?;
        reader.refuse(out.values.iter().any(|&value| !is_small(value)), "a cell above half of the largest float")
    }

    fn is_unbiased(&self) -> bool {
        true
    }

    fn omega(&self, dimension: usize) -> Option<f64> {
        self.validate(dimension).ok()?;
        Some(self.bound(dimension))
    }

    fn variance_at(&self, x: &[f64]) -> Option<f64> {
        self.validate(x.len()).ok().filter(|()| self.wire == WireFloat::F64)?;
        let variance = lanes::sum(x, |v| v * v) * (x.len() - 1) as f64 / self.cells() as f64;
        variance.is_finite().then_some(variance)
    }

    fn uniforms(&self, dimension: usize) -> usize {
        self.rows as usize * dimension
    }

    fn expected_bits(&self, dimension: usize) -> Option<ExpectedBits> {
        self.validate(dimension).ok()?;
        Some(ExpectedBits::Always(self.cells() as u64 * self.wire.bits()))
    }

    fn validate(&self, dimension: usize) -> Result<(), CodecError> {
        check_dimension(dimension)?;
        if !(1..=64).contains(&self.rows) {
            return Err(parameter("rows", self.rows, "1 to 64 rows".to_owned()));
        }
        if !(1..=1 << 30).contains(&self.columns) {
            return Err(parameter("columns", self.columns, "1 to 1073741824 cells per row".to_owned()));
        }
        Ok(())
    }
}

impl CompressorSetting for CountSketch {
    build_over_wire!();

    fn message_bytes(&self, length: u64) -> u64 {
        // The cell of every entry in every row, and the cells, whose buffer grows by doubling.
        let (cells, rows) = (length.min(1).saturating_mul(u64::from(self.columns)), u64::from(self.rows));
        length.saturating_mul(4).saturating_add(cells.saturating_mul(10)).saturating_mul(rows)
    }

    fn examples() -> Vec<Self> {
        [(1, 7), (3, 2)].map(|(rows, columns)| Self { rows, columns, wire: WireFloat::F64 }).to_vec()
    }
}
