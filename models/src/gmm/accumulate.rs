//! Statistics as one small product: sums[g] += Σ_j r_gj φ_j, j in order.
//!
//! Lanes run over the entries of φ, so each entry is one chain over the observations and no sum depends on the vector
//! width or on the size of a block. The sums lie in rows of eight entries of φ, in a row component by component: what a
//! tile adds to is then one slice per row.

use super::features::Features;
use super::softmax::BLOCK;
use fedbits_numerics::lanes::{LANES, mul_add};
use pulp::Simd;

/// Vectors in [`LANES`] numbers.
const fn vectors<S: Simd>() -> usize {
    LANES / S::F64_LANES
}

/// Most components of a band: their sums, with those of a second row where vectors are longest, stay in registers.
const fn most<S: Simd>() -> usize {
    match vectors::<S>() {
        1 => 10,
        2 => 5,
        4 if S::REGISTER_COUNT >= 32 => 5,
        4 => 2,
        _ => 1,
    }
}

/// Adds r φᵀ of `count` observations: `r` has G rows of [`BLOCK`] lanes, `extended` the observations as [`Features`]
/// extends them, `sums` rows of G × [`LANES`] numbers.
#[inline(always)]
pub(super) fn accumulate<S: Simd>(
    simd: S,
    features: &Features,
    r: &[[f64; BLOCK]],
    extended: &[f64],
    sums: &mut [f64],
    count: usize,
) {
    let extended = &extended[..count * features.length];
    let mut band = Band { features, components: r.len(), first: 0, extended, sums };
    for r in r.chunks(most::<S>()) {
        if const { most::<S>() == 1 } {
            band.add::<S, 1>(simd, r);
        } else if const { most::<S>() == 2 } {
            match r.len() {
                1 => band.add::<S, 1>(simd, r),
                _ => band.add::<S, 2>(simd, r),
            }
        } else {
            match r.len() {
                1 => band.add::<S, 1>(simd, r),
                2 => band.add::<S, 2>(simd, r),
                3 => band.add::<S, 3>(simd, r),
                4 => band.add::<S, 4>(simd, r),
                5 => band.add::<S, 5>(simd, r),
                more if const { most::<S>() > 5 } => band.add_many(simd, r, more),
                more => unreachable!("{more} components in a band of at most {}", most::<S>()),
            }
        }
        band.first += r.len();
    }
}

/// Some neighbouring components.
struct Band<'a> {
    features: &'a Features,
    /// G.
    components: usize,
    /// The first one.
    first: usize,
    extended: &'a [f64],
    sums: &'a mut [f64],
}

impl Band<'_> {
    #[inline(always)]
    fn add_many<S: Simd>(&mut self, simd: S, r: &[[f64; BLOCK]], count: usize) {
        match count {
            6 => self.add::<S, 6>(simd, r),
            7 => self.add::<S, 7>(simd, r),
            8 => self.add::<S, 8>(simd, r),
            9 => self.add::<S, 9>(simd, r),
            _ => self.add::<S, 10>(simd, r),
        }
    }

    /// Adds `C` components, in tiles of as many rows as the registers allow: a product is formed once for all of them.
    #[inline(always)]
    fn add<S: Simd, const C: usize>(&mut self, simd: S, r: &[[f64; BLOCK]]) {
        let r = r.first_chunk::<C>().expect("a band has C components");
        let (mut row, rows) = (0, self.features.factors.len());
        while row < rows {
            let left = rows - row;
            row += if const { vectors::<S>() == 1 } {
                match left {
                    4.. if const { C <= 6 } => self.tile::<S, C, 4>(simd, r, row),
                    2.. => self.tile::<S, C, 2>(simd, r, row),
                    _ => self.tile::<S, C, 1>(simd, r, row),
                }
            } else if const { vectors::<S>() == 2 } {
                match left {
                    2.. if const { C <= 2 } => self.tile::<S, C, 4>(simd, r, row),
                    _ => self.tile::<S, C, 2>(simd, r, row),
                }
            } else if const { vectors::<S>() == 4 } {
                self.tile::<S, C, 4>(simd, r, row)
            } else {
                self.tile::<S, C, 8>(simd, r, row)
            };
        }
    }

    /// Adds to `V` vectors of every component, from row `first` on; returns the number of rows.
    #[inline(always)]
    fn tile<S: Simd, const C: usize, const V: usize>(&mut self, simd: S, r: &[[f64; BLOCK]; C], first: usize) -> usize {
        let (per_row, length) = (const { vectors::<S>() }, self.features.length);
        let rows = V / per_row;
        let mut factors = [[0; 2]; V];
        for (v, start) in self.features.factors[first..first + rows].iter().enumerate() {
            for i in 0..per_row {
                factors[v * per_row + i] = start.map(|start| start + i * S::F64_LANES);
            }
        }
        // Looked at once, so that the loop over the observations need not.
        for at in factors.as_flattened() {
            load::<S>(&self.extended[..length], *at);
        }
        let place = |row: usize| ((first + row) * self.components + self.first) * LANES;
        let mut sum = [[simd.splat_f64s(0.0); V]; C];
        for row in 0..rows {
            let sums = S::as_simd_f64s(&self.sums[place(row)..][..C * LANES]).0;
            for (sum, sums) in sum.iter_mut().zip(sums.chunks_exact(per_row)) {
                sum[row * per_row..][..per_row].copy_from_slice(sums);
            }
        }
        for (j, z) in self.extended.chunks_exact(length).take(BLOCK).enumerate() {
            let mut phi = [simd.splat_f64s(0.0); V];
            for (phi, [left, right]) in phi.iter_mut().zip(factors) {
                *phi = simd.mul_f64s(load::<S>(z, left), load::<S>(z, right));
            }
            for g in 0..C {
                let weight = simd.splat_f64s(r[g][j]);
                for v in 0..V {
                    sum[g][v] = mul_add(simd, weight, phi[v], sum[g][v]);
                }
            }
        }
        for row in 0..rows {
            let sums = S::as_mut_simd_f64s(&mut self.sums[place(row)..][..C * LANES]).0;
            for (sum, sums) in sum.iter().zip(sums.chunks_exact_mut(per_row)) {
                sums.copy_from_slice(&sum[row * per_row..][..per_row]);
            }
        }
        rows
    }
}

#[inline(always)]
fn load<S: Simd>(numbers: &[f64], at: usize) -> S::f64s {
    S::as_simd_f64s(&numbers[at..at + S::F64_LANES]).0[0]
}
