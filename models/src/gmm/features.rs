//! φ = (1, y, second moments) as products of two numbers of an extended observation, whole vectors at a time.
//!
//! Let z = (1, y) have D = d + 1 entries, and let product e be z_(e mod D) · z_(e mod D+1), where z_D is a gap. D and
//! D + 1 have no common divisor, so every pair of entries occurs; the difference of the two positions changes by one
//! from turn to turn, so every unordered pair occurs within about (D + 1)/2 turns. Eight neighbouring products are
//! eight neighbours of z times eight neighbours of z: φ is formed in registers and never stored, and few lanes are lost
//! (d = 20: 31 vectors of eight for 231 numbers).

use super::layout::{Form, Layout};
use fedbits_numerics::lanes::LANES;
use fedbits_numerics::vech_index;
use pulp::Simd;

/// What an extended observation holds.
#[derive(Clone, Copy, Debug)]
enum Extension {
    /// z, then ones.
    Once,
    /// 1, y and vech y yᵀ, then ones.
    Products,
    /// The end of z and the gap, z, the beginning of z: both kinds of turn without a jump.
    Turns,
}

/// Where the factors of φ lie in an extended observation, and which products are wanted.
#[derive(Clone, Debug)]
pub(super) struct Features {
    extension: Extension,
    /// Offsets of the two factors of every eight products.
    pub factors: Vec<[usize; 2]>,
    /// For each entry of (1, y, second moments) where its sum lies: that of component 0, the others follow at distances
    /// of [`LANES`].
    pub order: Vec<usize>,
    /// Numbers of an extended observation.
    pub length: usize,
}

impl Features {
    pub fn new(layout: &Layout) -> Self {
        let entries = layout.dimension + 1;
        let mut features = match layout.form {
            Form::Full if layout.dimension >= LANES => Self::turns(entries),
            Form::Full => Self::with_ones(Extension::Products, entries * (entries + 1) / 2),
            Form::Known | Form::Tied => Self::with_ones(Extension::Once, entries),
            Form::Diagonal => Self::with_ones(Extension::Once, entries).and_squares(entries),
        };
        features.order.iter_mut().for_each(|at| *at += *at / LANES * LANES * (layout.components - 1));
        features
    }

    /// Number of products.
    pub fn products(&self) -> usize {
        self.factors.len() * LANES
    }

    /// Stored numbers times ones.
    fn with_ones(extension: Extension, numbers: usize) -> Self {
        let ones = numbers.next_multiple_of(LANES);
        let factors = (0..ones).step_by(LANES).map(|at| [at, ones]).collect();
        Self { extension, factors, order: (0..numbers).collect(), length: ones + LANES }
    }

    /// z · z after z · 1.
    fn and_squares(mut self, entries: usize) -> Self {
        let start = self.products();
        self.factors.extend((0..start).step_by(LANES).map(|at| [at, at]));
        self.order.extend(start + 1..start + entries);
        self
    }

    /// All products of two entries of z.
    fn turns(entries: usize) -> Self {
        // A sentinel, as an `Option` would take twice the memory.
        const MISSING: usize = usize::MAX;
        let mut order = vec![MISSING; entries * (entries + 1) / 2];
        let mut missing = order.len();
        let mut product = 0;
        while missing > 0 {
            let (i, j) = (product % entries, product % (entries + 1));
            if j < entries {
                let place = &mut order[position(i.max(j), i.min(j), entries)];
                if *place == MISSING {
                    missing -= 1;
                    *place = product;
                }
            }
            product += 1;
        }
        let right = |j: usize| if j + LANES <= entries + 1 { BEFORE + j } else { j + BEFORE - 1 - entries };
        let factors = |e: usize| [BEFORE + e % entries, right(e % (entries + 1))];
        Self {
            extension: Extension::Turns,
            factors: (0..product).step_by(LANES).map(factors).collect(),
            order,
            length: (BEFORE + entries + LANES - 1).next_multiple_of(LANES),
        }
    }

    /// Writes an extended observation to `out`, [`Self::length`] numbers.
    #[inline(always)]
    pub fn extend<S: Simd>(&self, simd: S, y: &[f64], out: &mut [f64]) {
        match self.extension {
            Extension::Once => write_vectors(simd, y, out),
            Extension::Products => write_products(y, out),
            Extension::Turns => return write_turns(simd, y, out),
        }
        out[self.length - LANES..self.length].fill(1.0);
    }
}

/// Numbers before z in [`Extension::Turns`]: its last six entries and the gap.
const BEFORE: usize = LANES - 1;

/// Position in (1, y, vech y yᵀ) of the product of entries i ≥ j of z = (1, y).
fn position(i: usize, j: usize, entries: usize) -> usize {
    if j == 0 { i } else { entries + vech_index(i - 1, j - 1) }
}

/// z, and up to [`LANES`] − 1 zeros.
#[inline(always)]
fn write_vectors<S: Simd>(simd: S, y: &[f64], out: &mut [f64]) {
    out[0] = 1.0;
    for v in 0..y.len().div_ceil(S::F64_LANES) {
        let rest = &y[v * S::F64_LANES..];
        let vector = match S::as_simd_f64s(rest).0.first() {
            Some(&vector) => vector,
            None => simd.partial_load_f64s(rest),
        };
        S::as_mut_simd_f64s(&mut out[1 + v * S::F64_LANES..][..S::F64_LANES]).0[0] = vector;
    }
}

#[inline(always)]
fn write_products(y: &[f64], out: &mut [f64]) {
    out[0] = 1.0;
    out[1..=y.len()].copy_from_slice(y);
    for (i, &factor) in y.iter().enumerate() {
        let row = &mut out[1 + y.len() + vech_index(i, 0)..];
        row.iter_mut().zip(&y[..=i]).for_each(|(product, y)| *product = factor * y);
    }
}

#[inline(always)]
fn write_turns<S: Simd>(simd: S, y: &[f64], out: &mut [f64]) {
    const SIX: usize = BEFORE - 1;
    let after = BEFORE + 1 + y.len();
    write_vectors(simd, y, &mut out[BEFORE..]);
    out[..SIX].copy_from_slice(&y[y.len() - SIX..]);
    out[SIX] = 0.0;
    out[after] = 1.0;
    out[after + 1..][..SIX].copy_from_slice(&y[..SIX]);
}
