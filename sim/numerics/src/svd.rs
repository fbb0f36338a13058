//! The r leading singular triplets of a dense matrix, in one fixed order of operations.
//!
//! Small matrices: one-sided Jacobi, exact. Large ones: block Lanczos on MᵀM with full reorthogonalization in the space
//! of the columns (Golub and Van Loan, *Matrix Computations*, 10.3), restarted with its best vectors when the basis is
//! full. The start may be the result for a nearby matrix: then a few products suffice. A result is accepted when ‖MᵀM
//! v − σ² v‖ ≤ tolerance · σ₁² for all r vectors. Only the products touch the matrix: 4 flops per entry and vector.

use crate::jacobi::{descending, one_sided, symmetric};
use crate::vector::{dot, norm};
use fedbits_random::{DrawPurpose, Streams};

/// Vectors are multiplied in blocks of this many: two registers of the smallest vector unit.
const BLOCK: usize = 4;
/// At most this many columns (or rows) are decomposed by Jacobi.
const SMALL: usize = 32;
/// Basis vectors before a restart.
const BASIS: usize = 64;
/// Products with blocks before the search is given up.
const MAX_PRODUCTS: u32 = 2_000;
/// A vector of which orthogonalization leaves less is dependent on the others.
const DEPENDENT: f64 = 1e-12;

/// A dense matrix by rows.
#[derive(Clone, Copy, Debug)]
pub struct Matrix<'a> {
    /// Entries, row-major.
    pub entries: &'a [f64],
    /// Number of columns.
    pub columns: usize,
}

impl Matrix<'_> {
    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.entries.len() / self.columns
    }
}

/// M ≈ Σ_a σ_a u_a v_aᵀ.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Svd {
    /// σ, decreasing, r numbers.
    pub sigma: Vec<f64>,
    /// u_a, one after the other, r × rows.
    pub left: Vec<f64>,
    /// v_a, one after the other, r × columns; the entry largest in absolute value is positive.
    pub right: Vec<f64>,
    /// Products of the matrix and its transpose with a block of four vectors.
    pub products: u32,
    /// Did every triplet meet the tolerance?
    pub converged: bool,
}

/// The `rank` leading triplets of `matrix` (rank at most the smaller side). `start`: vectors in the space of the
/// columns, one after the other, to begin with; any number, orthogonal or not.
pub fn leading(matrix: Matrix<'_>, rank: usize, start: &[f64], tolerance: f64) -> Svd {
    if matrix.columns.min(matrix.rows()) <= SMALL {
        small(matrix, rank)
    } else {
        Lanczos::new(matrix, rank, start).run(tolerance)
    }
}

/// A V, or Aᵀ V where A has more columns than rows, with orthogonal columns: σ_i u_i and v_i in no order.
pub struct RotatedColumns {
    /// Whether A has more columns than rows, and the transpose was taken.
    pub wide: bool,
    count: usize,
    scaled: Vec<f64>,
    vectors: Vec<f64>,
}

impl RotatedColumns {
    /// By one-sided Jacobi rotations; cosines up to `orthogonal` count as 0.
    pub fn new(matrix: Matrix<'_>, orthogonal: f64) -> Self {
        let (rows, columns) = (matrix.rows(), matrix.columns);
        let wide = columns > rows;
        let entry = |at: usize| matrix.entries[at % rows * columns + at / rows];
        let mut scaled = if wide { matrix.entries.to_vec() } else { (0..rows * columns).map(entry).collect() };
        let count = rows.min(columns);
        let vectors = one_sided(&mut scaled, count, orthogonal);
        Self { wide, count, scaled, vectors }
    }

    /// σ_i u_i and v_i (a unit vector), min(rows, columns) pairs.
    pub fn pairs(&self) -> impl Iterator<Item = (&[f64], &[f64])> {
        let length = self.scaled.len() / self.count;
        self.scaled.chunks_exact(length).zip(self.vectors.chunks_exact(self.count))
    }
}

fn small(matrix: Matrix<'_>, rank: usize) -> Svd {
    let rotated = RotatedColumns::new(matrix, f64::EPSILON);
    let pairs: Vec<_> = rotated.pairs().collect();
    let squares: Vec<f64> = pairs.iter().map(|(scaled, _)| dot(scaled, scaled)).collect();
    let (mut sigma, mut unit, mut vectors) = (Vec::new(), Vec::new(), Vec::new());
    for i in descending(&squares).into_iter().take(rank) {
        let ((scaled, vector), length) = (pairs[i], squares[i].sqrt());
        unit.extend(scaled.iter().map(|x| if length > 0.0 { x / length } else { *x }));
        vectors.extend_from_slice(vector);
        sigma.push(length);
    }
    let (left, right) = if rotated.wide { (vectors, unit) } else { (unit, vectors) };
    let mut svd = Svd { sigma, left, right, products: 0, converged: true };
    svd.fix_signs(matrix.rows(), matrix.columns);
    svd
}

impl Svd {
    /// The entry of v_a that is largest in absolute value (the first of equals) becomes positive.
    fn fix_signs(&mut self, rows: usize, columns: usize) {
        for (u, v) in self.left.chunks_exact_mut(rows).zip(self.right.chunks_exact_mut(columns)) {
            let largest = v.iter().fold(0.0, |best: f64, &x| if x.abs() > best.abs() { x } else { best });
            if largest < 0.0 {
                u.iter_mut().chain(v).for_each(|x| *x = -*x);
            }
        }
    }
}

/// The state of a search: an orthonormal basis of column space, and MᵀM times it.
struct Lanczos<'a> {
    matrix: Matrix<'a>,
    rank: usize,
    /// Basis vectors, one after the other.
    basis: Vec<f64>,
    /// MᵀM times each.
    images: Vec<f64>,
    products: u32,
    /// Replacements for dependent vectors drawn so far.
    drawn: u64,
}

impl<'a> Lanczos<'a> {
    fn new(matrix: Matrix<'a>, rank: usize, start: &[f64]) -> Self {
        let mut search = Self { matrix, rank, basis: Vec::new(), images: Vec::new(), products: 0, drawn: 0 };
        let n = matrix.columns;
        // Two vectors more than wanted: the gap that counts is then the one behind them.
        let first = (rank + 2).next_multiple_of(BLOCK).min(n);
        let mut block: Vec<f64> = start.chunks_exact(n).take(first).flatten().copied().collect();
        block.resize(first * n, 0.0);
        search.extend(block);
        search
    }

    fn size(&self) -> usize {
        self.basis.len() / self.matrix.columns
    }

    /// Adds the vectors to the basis, made orthonormal to it; a dependent one is replaced by a fixed pseudo-random one.
    fn extend(&mut self, block: Vec<f64>) {
        let n = self.matrix.columns;
        for vector in block.chunks_exact(n) {
            if self.size() == n {
                break;
            }
            let mut vector = vector.to_vec();
            while !orthonormalize(&mut vector, &self.basis) {
                let mut stream = Streams::new(0, 0).at(DrawPurpose::Initial, u64::MAX, self.drawn);
                self.drawn += 1;
                vector.iter_mut().for_each(|x| *x = stream.uniform() - 0.5);
            }
            self.basis.extend(vector);
        }
    }

    /// MᵀM times the basis vectors that have no image yet.
    fn multiply(&mut self) {
        let n = self.matrix.columns;
        let done = self.images.len();
        let fresh = &self.basis[done..];
        let mut images = vec![0.0; fresh.len()];
        for (block, image) in fresh.chunks(BLOCK * n).zip(images.chunks_mut(BLOCK * n)) {
            gram_block(self.matrix, block, image);
            self.products += 1;
        }
        self.images.extend(images);
    }

    fn run(mut self, tolerance: f64) -> Svd {
        let n = self.matrix.columns;
        loop {
            self.multiply();
            let (values, vectors) = self.ritz();
            let residuals = self.residuals(&values, &vectors);
            let bound = tolerance * values[0].max(f64::MIN_POSITIVE);
            let converged = residuals.chunks_exact(n).take(self.rank).all(|residual| norm(residual) <= bound);
            if converged || self.size() == n || self.products >= MAX_PRODUCTS {
                let whole = self.size() == n;
                return self.finish(&vectors, converged || whole);
            }
            if self.size() + BLOCK > BASIS.max(3 * self.rank + 3 * BLOCK) {
                self.restart(&vectors);
            }
            let count = (residuals.len() / n).min(self.rank.next_multiple_of(BLOCK));
            self.extend(residuals[..count * n].to_vec());
        }
    }

    /// Eigenvalues and (as rows of coefficients) vectors of MᵀM restricted to the basis.
    fn ritz(&self) -> (Vec<f64>, Vec<f64>) {
        let (k, n) = (self.size(), self.matrix.columns);
        let mut small = vec![0.0; k * k];
        for i in 0..k {
            for j in 0..=i {
                let entry = dot(&self.basis[i * n..(i + 1) * n], &self.images[j * n..(j + 1) * n]);
                (small[i * k + j], small[j * k + i]) = (entry, entry);
            }
        }
        symmetric(small, k)
    }

    /// MᵀM v − σ² v of the leading Ritz vectors.
    fn residuals(&self, values: &[f64], vectors: &[f64]) -> Vec<f64> {
        let n = self.matrix.columns;
        let wanted = self.rank.next_multiple_of(BLOCK).min(self.size());
        let mut residuals = combine(&self.images, vectors, wanted, n);
        for ((residual, v), value) in
            residuals.chunks_exact_mut(n).zip(combine(&self.basis, vectors, wanted, n).chunks_exact(n)).zip(values)
        {
            residual.iter_mut().zip(v).for_each(|(r, v)| *r -= value * v);
        }
        residuals
    }

    /// Keeps the best vectors as the new basis.
    fn restart(&mut self, vectors: &[f64]) {
        let (n, kept) = (self.matrix.columns, (self.rank + 2).next_multiple_of(BLOCK).min(self.size()));
        self.images = combine(&self.images, vectors, kept, n);
        self.basis = combine(&self.basis, vectors, kept, n);
    }

    /// Right vectors from the basis, left vectors and values by one product.
    fn finish(self, vectors: &[f64], converged: bool) -> Svd {
        let (n, rows) = (self.matrix.columns, self.matrix.rows());
        let right = combine(&self.basis, vectors, self.rank, n);
        let mut left = vec![0.0; self.rank * rows];
        for (v, u) in right.chunks(BLOCK * n).zip(left.chunks_mut(BLOCK * rows)) {
            forward_block(self.matrix, v, u);
        }
        let sigma: Vec<f64> = left.chunks_exact(rows).map(norm).collect();
        for (u, &sigma) in left.chunks_exact_mut(rows).zip(&sigma) {
            if sigma > 0.0 {
                u.iter_mut().for_each(|x| *x /= sigma);
            }
        }
        let mut svd = Svd { sigma, left, right, products: self.products, converged };
        svd.fix_signs(rows, n);
        svd
    }
}

/// Makes `vector` orthogonal to the basis (twice: once is not enough in floating point) and of length 1; false when
/// nothing of it is left.
pub(crate) fn orthonormalize(vector: &mut [f64], basis: &[f64]) -> bool {
    let before = norm(vector);
    for _ in 0..2 {
        for direction in basis.chunks_exact(vector.len()) {
            let along = dot(vector, direction);
            vector.iter_mut().zip(direction).for_each(|(x, y)| *x -= along * y);
        }
    }
    let after = norm(vector);
    if after <= DEPENDENT * before || after < f64::MIN_POSITIVE {
        return false;
    }
    vector.iter_mut().for_each(|x| *x /= after);
    true
}

/// The first `count` combinations of `vectors` (one after the other, length `n`) with the rows of `coefficients`.
fn combine(vectors: &[f64], coefficients: &[f64], count: usize, n: usize) -> Vec<f64> {
    let k = vectors.len() / n;
    let mut out = vec![0.0; count * n];
    for (row, sum) in coefficients.chunks_exact(k).zip(out.chunks_exact_mut(n)) {
        for (c, vector) in row.iter().zip(vectors.chunks_exact(n)) {
            sum.iter_mut().zip(vector).for_each(|(sum, x)| *sum += c * x);
        }
    }
    out
}

/// Vectors side by side, padded with zeros to a whole block: entry l of vector a at [l][a].
fn interleave(vectors: &[f64], n: usize) -> Vec<[f64; BLOCK]> {
    let mut out = vec![[0.0; BLOCK]; n];
    for (a, vector) in vectors.chunks_exact(n).enumerate() {
        out.iter_mut().zip(vector).for_each(|(out, &x)| out[a] = x);
    }
    out
}

/// Row of M times four vectors. Two sums per vector, so that additions need not wait for each other.
#[inline]
fn row_times(row: &[f64], v: &[[f64; BLOCK]]) -> [f64; BLOCK] {
    let (mut even, mut odd) = ([0.0; BLOCK], [0.0; BLOCK]);
    let (pairs, v_pairs) = (row.chunks_exact(2), v.chunks_exact(2));
    if let ([last], [v_last]) = (pairs.remainder(), v_pairs.remainder()) {
        (0..BLOCK).for_each(|a| even[a] = last * v_last[a]);
    }
    for (m, v) in pairs.zip(v_pairs) {
        for a in 0..BLOCK {
            even[a] += m[0] * v[0][a];
            odd[a] += m[1] * v[1][a];
        }
    }
    std::array::from_fn(|a| even[a] + odd[a])
}

/// `image` = Mᵀ M `vectors`, at most four, in one pass over the matrix.
fn gram_block(matrix: Matrix<'_>, vectors: &[f64], image: &mut [f64]) {
    let n = matrix.columns;
    let v = interleave(vectors, n);
    let mut z = vec![[0.0; BLOCK]; n];
    for row in matrix.entries.chunks_exact(n) {
        let y = row_times(row, &v);
        for (z, m) in z.iter_mut().zip(row) {
            for a in 0..BLOCK {
                z[a] += m * y[a];
            }
        }
    }
    for (a, image) in image.chunks_exact_mut(n).enumerate() {
        image.iter_mut().zip(&z).for_each(|(out, z)| *out = z[a]);
    }
}

/// `out` = M `vectors`, at most four.
fn forward_block(matrix: Matrix<'_>, vectors: &[f64], out: &mut [f64]) {
    let (n, rows) = (matrix.columns, matrix.rows());
    let v = interleave(vectors, n);
    for (j, row) in matrix.entries.chunks_exact(n).enumerate() {
        let y = row_times(row, &v);
        out.chunks_exact_mut(rows).enumerate().for_each(|(a, u)| u[j] = y[a]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A matrix with given singular values in random directions.
    fn with_values(rows: usize, columns: usize, sigma: &[f64], seed: u64) -> Vec<f64> {
        let mut entries = vec![0.0; rows * columns];
        let direction = |length: usize, entity: u64, earlier: &[f64]| {
            let mut stream = Streams::new(seed, 0).at(DrawPurpose::Data, entity, 0);
            let mut vector: Vec<f64> = (0..length).map(|_| stream.normal()).collect();
            assert!(orthonormalize(&mut vector, earlier));
            vector
        };
        let (mut left, mut right) = (Vec::new(), Vec::new());
        for (a, sigma) in sigma.iter().enumerate() {
            let u = direction(rows, a as u64, &left);
            let v = direction(columns, 1000 + a as u64, &right);
            for j in 0..rows {
                for l in 0..columns {
                    entries[j * columns + l] += sigma * u[j] * v[l];
                }
            }
            left.extend(u);
            right.extend(v);
        }
        entries
    }

    /// Values to 1e-10 and M v = σ u, for small and large matrices, tall and wide, full rank and deficient.
    #[test]
    fn finds_the_values_it_was_made_of() {
        for (rows, columns) in [(5, 4), (4, 5), (200, 12), (12, 200), (90, 70), (70, 90)] {
            let sigma: Vec<f64> = (0..rows.min(columns).min(40)).map(|a| 10.0 / (1.0 + a as f64)).collect();
            let entries = with_values(rows, columns, &sigma, 1);
            let matrix = Matrix { entries: &entries, columns };
            for rank in [1, 3] {
                let svd = leading(matrix, rank, &[], 1e-11);
                assert!(svd.converged);
                for (a, expected) in sigma.iter().enumerate().take(rank) {
                    assert!((svd.sigma[a] - expected).abs() < 1e-9, "{rows}×{columns}: {:?}", svd.sigma);
                    let (u, v) = (&svd.left[a * rows..][..rows], &svd.right[a * columns..][..columns]);
                    for (j, row) in entries.chunks_exact(columns).enumerate() {
                        assert!((dot(row, v) - svd.sigma[a] * u[j]).abs() < 1e-8);
                    }
                }
            }
        }
    }

    /// Reference: Lanczos against Jacobi on the same matrix, values close together; and a start at the result needs one
    /// product.
    #[test]
    fn lanczos_agrees_with_jacobi() {
        let (rows, columns) = (120, 30);
        let sigma: Vec<f64> = (0..30).map(|a| 3.0 - 0.05 * a as f64).collect();
        let entries = with_values(rows, columns, &sigma, 2);
        let matrix = Matrix { entries: &entries, columns };
        let exact = small(matrix, 2);
        let found = Lanczos::new(matrix, 2, &[]).run(1e-11);
        for (a, b) in exact.right.iter().zip(&found.right) {
            assert!((a - b).abs() < 1e-8);
        }
        let again = Lanczos::new(matrix, 2, &found.right).run(1e-9);
        assert_eq!(again.products, 1);
    }

    /// The zero matrix has no direction; nothing divides by zero.
    #[test]
    fn zero_matrix() {
        for columns in [4, 50] {
            let entries = vec![0.0; 60 * columns];
            let svd = leading(Matrix { entries: &entries, columns }, 2, &[], 1e-10);
            assert_eq!(svd.sigma, [0.0, 0.0]);
            assert!(svd.left.iter().chain(&svd.right).all(|x| x.is_finite()));
        }
    }
}
