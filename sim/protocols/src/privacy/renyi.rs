//! Rényi differential privacy of Gaussian mechanisms, and the ε that follows.
//!
//! Symbols: z, the standard deviation of the noise ÷ the sensitivity; p, the probability with which a client takes
//! part; α, the order; A(α) = exp((α − 1) · RDP(α)).
//!
//! - Gaussian: RDP(α) = α / (2 z²) (Mironov, *Rényi Differential Privacy*, CSF 2017, corollary 3).
//! - Poisson subsampled: Mironov, Talwar, Zhang, *Rényi Differential Privacy of the Sampled Gaussian Mechanism*,
//!   arXiv:1908.10530, section 3.3: a finite sum for whole orders, two series for the others.
//! - ε(δ): Canonne, Kamath, Steinke, *The Discrete Gaussian for Differential Privacy*, arXiv:2004.00010,
//!   proposition 12; and 0 where δ ≥ √(1 − exp(−RDP(α))).

/// The orders at which everything is computed: 1.1, 1.2, …, 10.9, 11, 12, …, 63, 128, 256, 512, 1024.
pub fn orders() -> impl Iterator<Item = f64> {
    let tenths = (1..100).map(|x| 1.0 + f64::from(x) / 10.0);
    tenths.chain((11..64).map(f64::from)).chain([128.0, 256.0, 512.0, 1024.0])
}

/// log A(α) of the Gaussian mechanism.
#[must_use]
pub fn log_a_gaussian(z: f64, order: f64) -> f64 {
    (order - 1.0) * order / (2.0 * z * z)
}

/// log A(α) of the Gaussian mechanism over a sample in which everybody is with probability `p`, 0 < p < 1; `None` where
/// the series does not converge.
#[must_use]
pub fn log_a_sampled(p: f64, z: f64, order: f64) -> Option<f64> {
    match order.fract() == 0.0 {
        true => Some(log_a_whole(p, z, order)),
        false => log_a_fraction(p, z, order),
    }
}

fn log_a_whole(p: f64, z: f64, order: f64) -> f64 {
    let (log_p, log_q) = (libm::log(p), libm::log1p(-p));
    let term = |i: f64| log_binomial(order, i) + i * log_p + (order - i) * log_q + (i * i - i) / (2.0 * z * z);
    (0..=order as u32).map(|i| term(f64::from(i))).fold(f64::NEG_INFINITY, log_add)
}

/// Terms after which a series is given up.
const MOST_TERMS: u32 = 1_000;

/// Both series end when their terms fall, and are this far below the sum, in logarithms.
const NEGLIGIBLE: f64 = 30.0;

fn log_a_fraction(p: f64, z: f64, order: f64) -> Option<f64> {
    let (log_p, log_q) = (libm::log(p), libm::log1p(-p));
    let border = z * z * libm::log(1.0 / p - 1.0) + 0.5;
    let (mut below, mut above) = (f64::NEG_INFINITY, f64::NEG_INFINITY);
    let mut last = [f64::NEG_INFINITY; 2];
    for i in (0..MOST_TERMS).map(f64::from) {
        let (binomial, j) = (log_binomial(order, i), order - i);
        let scale = core::f64::consts::SQRT_2 * z;
        let half_erfc = |x: f64| log_erfc(x) - core::f64::consts::LN_2;
        let terms = [
            binomial + i * log_p + j * log_q + (i * i - i) / (2.0 * z * z) + half_erfc((i - border) / scale),
            binomial + j * log_p + i * log_q + (j * j - j) / (2.0 * z * z) + half_erfc((border - j) / scale),
        ];
        (below, above) = (log_add(below, terms[0]), log_add(above, terms[1]));
        let total = log_add(below, above);
        if terms[0] < last[0] && terms[1] < last[1] && terms[0].max(terms[1]) < total - NEGLIGIBLE {
            return Some(total);
        }
        last = terms;
    }
    None
}

/// The ε at `delta` of a mechanism with these Rényi divergences, order by order; infinite where none is finite.
pub fn epsilon(divergences: impl IntoIterator<Item = (f64, f64)>, delta: f64) -> f64 {
    let at = |(order, divergence): (f64, f64)| {
        if delta * delta + libm::expm1(-divergence) > 0.0 {
            return 0.0;
        }
        // Nearer to 1 the bound is not stable, and not useful.
        match order > 1.01 {
            true => divergence + libm::log1p(-1.0 / order) - libm::log(delta * order) / (order - 1.0),
            false => f64::INFINITY,
        }
    };
    divergences.into_iter().map(at).fold(f64::INFINITY, f64::min).max(0.0)
}

/// log(eᵃ + eᵇ).
pub(super) fn log_add(a: f64, b: f64) -> f64 {
    let (low, high) = (a.min(b), a.max(b));
    if low == f64::NEG_INFINITY { high } else { libm::log1p(libm::exp(low - high)) + high }
}

/// log |binomial(n, k)|, n any number.
fn log_binomial(n: f64, k: f64) -> f64 {
    libm::lgamma(n + 1.0) - libm::lgamma(k + 1.0) - libm::lgamma(n - k + 1.0)
}

/// log erfc(x): its asymptotic series where erfc itself is near the smallest numbers.
fn log_erfc(x: f64) -> f64 {
    if x < 20.0 {
        return libm::log(libm::erfc(x));
    }
    let square = 1.0 / (x * x);
    let series = -0.5 * square + 0.625 * square * square - 37.0 / 24.0 * square * square * square;
    -0.5 * libm::log(core::f64::consts::PI) - libm::log(x) - x * x + series
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Both branches of log erfc agree where they meet; the next term of the series is below 1e-10 there.
    #[test]
    fn the_tail_of_erfc_joins() {
        let (below, above) = (log_erfc(20.0 - 1e-9), log_erfc(20.0));
        assert!((below - above).abs() < 1e-7, "{below} {above}");
    }

    /// With p near 1 the sampled mechanism is the Gaussian one, and with less noise or more rounds ε grows.
    #[test]
    fn limits() {
        for order in orders().take(60) {
            let sampled = log_a_sampled(1.0 - 1e-9, 2.0, order).unwrap();
            assert!((sampled - log_a_gaussian(2.0, order)).abs() < 1e-6 * sampled.max(1.0), "{order}");
        }
        let of = |rounds: f64, z: f64| {
            epsilon(orders().map(|order| (order, rounds * log_a_gaussian(z, order) / (order - 1.0))), 1e-5)
        };
        assert!(of(2.0, 1.0) > of(1.0, 1.0) && of(1.0, 1.0) > of(1.0, 2.0) && of(1.0, 1e9) == 0.0);
    }
}
