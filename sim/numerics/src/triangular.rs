//! Cholesky factors and triangular matrices, stored as vech.

use crate::lanes::fused;
use crate::vech::vech_index;
use pulp::{Arch, NullaryFnOnce};

/// A pivot of a Cholesky factorization that is not positive.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BadPivot {
    /// Zero-based row.
    pub pivot: usize,
    /// Its square.
    pub value: f64,
}

/// Smaller matrices do not repay the choice of an instruction set.
const SMALL: usize = 8;

/// Replaces vech A (d × d) by vech L with A = L Lᵀ; after an error `a` is of no use.
///
/// # Errors
/// [`BadPivot`] when A is not positive definite.
pub fn cholesky(a: &mut [f64], d: usize) -> Result<(), BadPivot> {
    if d < SMALL { cholesky_by_entries(a, d) } else { Arch::new().dispatch(Cholesky { a, d }) }
}

/// Replaces vech L (lower triangular, positive diagonal) by vech L⁻¹.
pub fn invert_lower(l: &mut [f64], d: usize) {
    if d < SMALL { invert_by_entries(l, d) } else { Arch::new().dispatch(InvertLower { l, d }) }
}

/// vech L⁻¹ of vech A with A = L Lᵀ.
///
/// # Errors
/// [`BadPivot`] when A is not positive definite.
pub fn inverse_root(mut a: Vec<f64>, d: usize) -> Result<Vec<f64>, BadPivot> {
    cholesky(&mut a, d)?;
    invert_lower(&mut a, d);
    Ok(a)
}

/// A⁻¹ x = L⁻ᵀ L⁻¹ x, of vech L⁻¹.
pub fn solve(inverse_root: &[f64], x: &[f64]) -> Vec<f64> {
    let half: Vec<f64> = (0..x.len()).map(|i| row_dot(inverse_root, i, x)).collect();
    (0..x.len()).map(|i| column_dot(inverse_root, i, &half)).collect()
}

/// (L x)_i = Σ_{k ≤ i} L_ik x_k.
pub fn row_dot(l: &[f64], i: usize, x: &[f64]) -> f64 {
    (0..=i).map(|k| l[vech_index(i, k)] * x[k]).sum()
}

/// (Lᵀ x)_i = Σ_{k ≥ i} L_ki x_k.
pub fn column_dot(l: &[f64], i: usize, x: &[f64]) -> f64 {
    (i..x.len()).map(|k| l[vech_index(k, i)] * x[k]).sum()
}

/// (Lᵀ L)_ij, i and j in any order.
pub fn gram_entry(l: &[f64], d: usize, i: usize, j: usize) -> f64 {
    (i.max(j)..d).map(|k| l[vech_index(k, i)] * l[vech_index(k, j)]).sum()
}

/// Σ_i log L_ii.
pub fn log_determinant(l: &[f64], d: usize) -> f64 {
    (0..d).map(|i| libm::log(l[vech_index(i, i)])).sum()
}

/// One entry after the other: each a chain of fused operations.
fn cholesky_by_entries(a: &mut [f64], d: usize) -> Result<(), BadPivot> {
    for i in 0..d {
        for j in 0..=i {
            let mut sum = a[vech_index(i, j)];
            for k in 0..j {
                sum = fused(-a[vech_index(i, k)], a[vech_index(j, k)], sum);
            }
            if i > j {
                a[vech_index(i, j)] = sum / a[vech_index(j, j)];
            } else {
                a[vech_index(i, i)] = root(sum, i)?;
            }
        }
    }
    Ok(())
}

fn root(square: f64, pivot: usize) -> Result<f64, BadPivot> {
    if square > 0.0 && square.is_finite() { Ok(square.sqrt()) } else { Err(BadPivot { pivot, value: square }) }
}

fn invert_by_entries(l: &mut [f64], d: usize) {
    for j in 0..d {
        l[vech_index(j, j)] = 1.0 / l[vech_index(j, j)];
        for i in j + 1..d {
            let mut sum = 0.0;
            for k in j..i {
                sum = fused(l[vech_index(i, k)], l[vech_index(k, j)], sum);
            }
            l[vech_index(i, j)] = -sum / l[vech_index(i, i)];
        }
    }
}

/// [`cholesky_by_entries`] with the chains of a row side by side: every entry sees the same operations in the same
/// order.
struct Cholesky<'a> {
    a: &'a mut [f64],
    d: usize,
}

impl NullaryFnOnce for Cholesky<'_> {
    type Output = Result<(), BadPivot>;

    #[inline(always)]
    fn call(self) -> Self::Output {
        let Self { a, d } = self;
        // Column k of L in row k, so that what a row needs of it lies together.
        let mut columns = vec![0.0; d * d];
        for i in 0..d {
            let (row, pivot) = a[vech_index(i, 0)..][..=i].split_at_mut(i);
            for (k, column) in columns.chunks_exact_mut(d).enumerate().take(i) {
                let (done, rest) = row.split_at_mut(k + 1);
                let l = done[k] / column[k];
                for (sum, above) in rest.iter_mut().zip(&column[k + 1..]) {
                    *sum = fused(-l, *above, *sum);
                }
                pivot[0] = fused(-l, l, pivot[0]);
                (done[k], column[i]) = (l, l);
            }
            pivot[0] = root(pivot[0], i)?;
            columns[i * d + i] = pivot[0];
        }
        Ok(())
    }
}

/// [`invert_by_entries`] with the chains of a row side by side.
struct InvertLower<'a> {
    l: &'a mut [f64],
    d: usize,
}

impl NullaryFnOnce for InvertLower<'_> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let Self { l, d } = self;
        let mut sums = vec![0.0; d];
        for i in 0..d {
            let (above, row) = l.split_at_mut(vech_index(i, 0));
            let (row, pivot) = row[..=i].split_at_mut(i);
            sums.fill(0.0);
            for (k, &factor) in row.iter().enumerate() {
                for (sum, x) in sums.iter_mut().zip(&above[vech_index(k, 0)..][..=k]) {
                    *sum = fused(factor, *x, *sum);
                }
            }
            for (entry, sum) in row.iter_mut().zip(&sums) {
                *entry = -sum / pivot[0];
            }
            pivot[0] = 1.0 / pivot[0];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::levels::levels;

    /// A Gram matrix of pseudorandom vectors plus `shift` on the diagonal.
    fn gram(d: usize, shift: f64) -> Vec<f64> {
        let entry = |i: usize, k: usize| ((i * 31 + k * 17) % 23) as f64 / 23.0 - 0.4;
        let product = |i: usize, j: usize| (0..d).map(|k| entry(i, k) * entry(j, k)).sum::<f64>();
        let entries = (0..d).flat_map(|i| (0..=i).map(move |j| (i, j)));
        entries.map(|(i, j)| product(i, j) + if i == j { shift } else { 0.0 }).collect()
    }

    /// The same bits row by row as entry by entry, from every instruction set; and the same pivot that is not positive.
    #[test]
    fn rows_and_entries_agree() {
        for d in 1..40 {
            for level in levels() {
                let (mut rows, mut entries) = (gram(d, 0.5), gram(d, 0.5));
                cholesky_by_entries(&mut entries, d).unwrap();
                level.dispatch(Cholesky { a: &mut rows, d }).unwrap();
                assert_eq!(rows, entries, "L at d = {d}, {level:?}");
                invert_by_entries(&mut entries, d);
                level.dispatch(InvertLower { l: &mut rows, d });
                assert_eq!(rows, entries, "L⁻¹ at d = {d}, {level:?}");
                let (mut rows, mut entries) = (gram(d, -0.4), gram(d, -0.4));
                let (row, entry) = (level.dispatch(Cholesky { a: &mut rows, d }), cholesky_by_entries(&mut entries, d));
                assert_eq!(row, entry);
                assert!(d < 5 || row.is_err(), "the shift makes it indefinite");
            }
        }
    }

    /// L Lᵀ = A and L⁻¹ L = I.
    #[test]
    fn factors_multiply_to_the_matrix() {
        let d = 20;
        let a = gram(d, 0.5);
        let mut l = a.clone();
        cholesky(&mut l, d).unwrap();
        let mut inverse = l.clone();
        invert_lower(&mut inverse, d);
        for i in 0..d {
            for j in 0..=i {
                let product: f64 = (0..=j).map(|k| l[vech_index(i, k)] * l[vech_index(j, k)]).sum();
                assert!((product - a[vech_index(i, j)]).abs() < 1e-13);
                let unit: f64 = (j..=i).map(|k| inverse[vech_index(i, k)] * l[vech_index(k, j)]).sum();
                assert!((unit - if i == j { 1.0 } else { 0.0 }).abs() < 1e-12);
            }
        }
    }
}
