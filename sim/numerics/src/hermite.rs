//! Gauss–Hermite quadrature for the standard normal distribution: Σ w f(x) is E f(Z) for polynomials f of degree below
//! twice the number of nodes.
//!
//! Nodes are the roots of the orthonormal Hermite polynomials h_n (weight φ), found by Newton's method between those of
//! the former degree, which interlace; w = 1/(n h_{n−1}(x)²) (Golub and Welsch 1969, Szegő's formula 3.4.1).

/// Steps of Newton's method; from an interlacing start fewer are enough.
const STEPS: usize = 100;

/// `count` nodes, increasing, each with its weight; the weights sum to 1. Only basic arithmetic and roots: the bits are
/// the same everywhere.
pub fn gauss_hermite(count: usize) -> Vec<(f64, f64)> {
    let mut roots: Vec<f64> = Vec::new();
    for degree in 1..=count {
        // Between its neighbours of the former degree lies each root, all within ±2√n.
        let bound = 2.0 * (degree as f64).sqrt();
        let ends: Vec<f64> = [-bound].into_iter().chain(roots).chain([bound]).collect();
        roots = ends.windows(2).map(|pair| root(degree, pair[0], pair[1])).collect();
    }
    let weight = |x: f64| {
        let (_, before) = polynomial(count, x);
        1.0 / (count as f64 * before * before)
    };
    roots.into_iter().map(|x| (x, weight(x))).collect()
}

/// h_n(x) and h_{n−1}(x): √k h_k = x h_{k−1} − √(k−1) h_{k−2}.
fn polynomial(degree: usize, x: f64) -> (f64, f64) {
    let (mut now, mut before) = (1.0, 0.0);
    for k in 1..=degree {
        let next = (x * now - ((k - 1) as f64).sqrt() * before) / (k as f64).sqrt();
        (now, before) = (next, now);
    }
    (now, before)
}

/// The root of h_n between `low` and `high`, by Newton's method (h_n' = √n h_{n−1}) kept inside by bisection.
fn root(degree: usize, mut low: f64, mut high: f64) -> f64 {
    let rises = polynomial(degree, high).0 > 0.0;
    let mut x = f64::midpoint(low, high);
    for _ in 0..STEPS {
        let (value, before) = polynomial(degree, x);
        if value == 0.0 {
            break;
        }
        if (value > 0.0) == rises {
            high = x
        } else {
            low = x
        }
        let newton = x - value / ((degree as f64).sqrt() * before);
        let next = if newton > low && newton < high { newton } else { f64::midpoint(low, high) };
        if next == x {
            break;
        }
        x = next;
    }
    x
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Moments of the normal distribution: 1, 0, 1, 0, 3, 0, 15, … up to degree 2n − 1, and a known rule of 3 nodes.
    #[test]
    fn moments_are_exact() {
        for count in [1, 2, 3, 5, 15, 21] {
            let rule = gauss_hermite(count);
            assert!(rule.is_sorted_by(|a, b| a.0 < b.0));
            let mut moment = 1.0;
            for degree in 0..2 * count {
                let power = |x: f64| (0..degree).fold(1.0, |product: f64, _| product * x);
                let found: f64 = rule.iter().map(|&(x, w)| w * power(x)).sum();
                let size: f64 = rule.iter().map(|&(x, w)| w * power(x).abs()).sum();
                if degree > 0 && degree % 2 == 0 {
                    moment *= (degree - 1) as f64;
                }
                let expected = if degree % 2 == 0 { moment } else { 0.0 };
                assert!(
                    (found - expected).abs() <= 1e-12 * size,
                    "{count} nodes, degree {degree}: {found}, {expected}"
                );
            }
        }
        let rule = gauss_hermite(3);
        let expected = [(-3f64.sqrt(), 1.0 / 6.0), (0.0, 2.0 / 3.0), (3f64.sqrt(), 1.0 / 6.0)];
        for ((x, w), (node, weight)) in rule.into_iter().zip(expected) {
            assert!((x - node).abs() < 1e-15 && (w - weight).abs() < 1e-15, "{x} {w}");
        }
    }
}
