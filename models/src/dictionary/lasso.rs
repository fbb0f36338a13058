//! The code h of an example under a dictionary: min_h ½‖z − θ h‖² + λ‖h‖₁ by coordinate descent.

use fedbits_numerics::dot;

/// Sweeps over the coordinates at most; a dictionary of nearly equal atoms takes the most.
const SWEEPS: usize = 1_000;
/// A sweep that changes no h_k by more than this share of ‖z‖, in units of its atom, ends the descent.
const REST: f64 = 1e-14;

/// Sparse codes at a fixed dictionary.
pub(super) struct Coder {
    /// Atoms, a row of `length` numbers each.
    atoms: Vec<f64>,
    length: usize,
    /// θᵀθ, K × K.
    gram: Vec<f64>,
    lambda: f64,
}

impl Coder {
    pub(super) fn new(atoms: &[f64], length: usize, lambda: f64) -> Self {
        let rows = || atoms.chunks_exact(length);
        let gram = rows().flat_map(|row| rows().map(|column| dot(row, column))).collect();
        Self { atoms: atoms.to_vec(), length, gram, lambda }
    }

    pub(super) fn gram(&self) -> &[f64] {
        &self.gram
    }

    pub(super) fn codes(&self) -> usize {
        self.atoms.len() / self.length
    }

    /// Writes h*, K numbers, over zeros: the same start for every call, so that a code depends on z alone. `slope` is
    /// working memory of K numbers.
    pub(super) fn encode(&self, z: &[f64], code: &mut [f64], slope: &mut [f64]) {
        let count = self.codes();
        code.fill(0.0);
        // θᵀ(z − θ h).
        slope.iter_mut().zip(self.atoms.chunks_exact(self.length)).for_each(|(slope, atom)| *slope = dot(atom, z));
        let least = REST * dot(z, z).sqrt();
        for _ in 0..SWEEPS {
            let mut largest = 0.0_f64;
            for k in 0..count {
                let row = &self.gram[k * count..][..count];
                let curvature = row[k];
                if curvature <= 0.0 {
                    continue;
                }
                let free = slope[k] + curvature * code[k];
                let next = free.signum() * (free.abs() - self.lambda).max(0.0) / curvature;
                let change = next - code[k];
                if change != 0.0 {
                    code[k] = next;
                    slope.iter_mut().zip(row).for_each(|(slope, entry)| *slope -= change * entry);
                    largest = largest.max(change.abs() * curvature.sqrt());
                }
            }
            if largest <= least {
                return;
            }
        }
    }

    /// ½‖z − θ h‖² + λ‖h‖₁. `rest` is working memory of p numbers.
    pub(super) fn cost(&self, z: &[f64], code: &[f64], rest: &mut [f64]) -> f64 {
        rest.copy_from_slice(z);
        for (h, atom) in code.iter().zip(self.atoms.chunks_exact(self.length)).filter(|(h, _)| **h != 0.0) {
            rest.iter_mut().zip(atom).for_each(|(rest, entry)| *rest -= h * entry);
        }
        0.5 * dot(rest, rest) + self.lambda * code.iter().map(|h| h.abs()).sum::<f64>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fedbits_random::CounterKey;

    /// θ_kᵀ(z − θ h) is λ sign(h_k), or within ±λ where h_k is 0: that is the minimum of a convex function.
    #[test]
    fn codes_satisfy_the_optimality_conditions() {
        for (seed, (p, count, lambda)) in
            [(8, 5, 0.1), (5, 9, 0.3), (20, 20, 0.02), (3, 1, 0.5)].into_iter().enumerate()
        {
            let numbers = |stream: u64, n: usize| -> Vec<f64> {
                (0..n as u64).map(|j| CounterKey::new(100 * seed as u64 + stream).uniform(j) - 0.5).collect()
            };
            let (atoms, z) = (numbers(1, p * count), numbers(2, p));
            let coder = Coder::new(&atoms, p, lambda);
            let (mut code, mut slope) = (vec![0.0; count], vec![0.0; count]);
            coder.encode(&z, &mut code, &mut slope);
            let rest: Vec<f64> =
                (0..p).map(|j| z[j] - (0..count).map(|k| atoms[k * p + j] * code[k]).sum::<f64>()).collect();
            for (k, h) in code.iter().enumerate() {
                let gradient = dot(&atoms[k * p..][..p], &rest);
                let expected = if *h == 0.0 { gradient.clamp(-lambda, lambda) } else { lambda * h.signum() };
                assert!((gradient - expected).abs() < 1e-12, "atom {k} of {count}: {gradient}, expected {expected}");
            }
        }
    }
}
