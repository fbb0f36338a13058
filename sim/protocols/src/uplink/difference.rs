//! Δ = w (s̄ − Ŝ) − V, entry by entry in one pass, compiled for several instruction sets. Nothing is fused, so that all
//! give the same bits.

use pulp::{Arch, NullaryFnOnce};

/// `out` = w (s̄ − Ŝ) − V, where an empty V is 0.
pub(crate) fn difference(w: f64, s_bar: &[f64], s_hat: &[f64], v: &[f64], out: &mut Vec<f64>) {
    out.resize(s_hat.len(), 0.0);
    Arch::new().dispatch(Difference { w, s_bar, s_hat, v: (!v.is_empty()).then_some(v), out });
}

/// ‖x‖² in eight interleaved sums, for a tolerance: in the order of the entries every addition would wait for the last.
pub(super) fn size_sq(x: &[f64]) -> f64 {
    Arch::new().dispatch(SizeSq(x))
}

struct Difference<'a> {
    w: f64,
    s_bar: &'a [f64],
    s_hat: &'a [f64],
    v: Option<&'a [f64]>,
    out: &'a mut [f64],
}

impl NullaryFnOnce for Difference<'_> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let Self { w, s_bar, s_hat, v, out } = self;
        match v {
            None => {
                for ((out, s_bar), s_hat) in out.iter_mut().zip(s_bar).zip(s_hat) {
                    *out = w * (s_bar - s_hat);
                }
            }
            Some(v) => {
                for (((out, s_bar), s_hat), v) in out.iter_mut().zip(s_bar).zip(s_hat).zip(v) {
                    *out = w * (s_bar - s_hat) - v;
                }
            }
        }
    }
}

struct SizeSq<'a>(&'a [f64]);

impl NullaryFnOnce for SizeSq<'_> {
    type Output = f64;

    #[inline(always)]
    fn call(self) -> f64 {
        let mut sums = [0.0; 8];
        let (chunks, rest) = self.0.as_chunks::<8>();
        for chunk in chunks {
            for (sum, x) in sums.iter_mut().zip(chunk) {
                *sum += x * x;
            }
        }
        let mut total = 0.0;
        for x in rest {
            total += x * x;
        }
        let mut lanes = 0.0;
        for sum in sums {
            lanes += sum;
        }
        total + lanes
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fedbits_random::CounterKey;

    fn vector(key: u64, d: usize) -> Vec<f64> {
        (0..d as u64).map(|j| CounterKey::new(key).uniform(j) - 0.5).collect()
    }

    /// Slow reference: the definition entry by entry, with the baseline's instructions.
    #[test]
    fn every_instruction_set_gives_the_definition() {
        for d in [0, 1, 7, 8, 9, 64, 65, 2310] {
            let [s_bar, s_hat, v] = [1, 2, 3].map(|key| vector(key, d));
            let mut out = vec![f64::NAN; 3];
            difference(1.7, &s_bar, &s_hat, &v, &mut out);
            let bits = |x: &f64| x.to_bits();
            let expected = (0..d).map(|j| 1.7 * (s_bar[j] - s_hat[j]) - v[j]);
            assert!(out.iter().map(bits).eq(expected.map(f64::to_bits)), "d = {d}");
            difference(1.7, &s_bar, &s_hat, &[], &mut out);
            let expected = (0..d).map(|j| 1.7 * (s_bar[j] - s_hat[j]));
            assert!(out.iter().map(bits).eq(expected.map(f64::to_bits)), "d = {d}");
            assert_eq!(size_sq(&v).to_bits(), SizeSq(&v).call().to_bits());
            let slow: f64 = v.iter().map(|x| x * x).sum();
            assert!((size_sq(&v) - slow).abs() <= 1e-12 * slow);
        }
    }
}
