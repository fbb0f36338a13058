//! Quantiles of Student's t, from the regularized incomplete beta function.

/// Newton's steps at most; six are the rule.
const STEPS: usize = 64;

/// s/√n of at least two values with this mean; exactly zero when they are all the same.
pub fn standard_error(values: &[f64], mean: f64) -> f64 {
    if values.iter().all(|value| *value == values[0]) {
        return 0.0;
    }
    let offs = || values.iter().map(|value| value - mean);
    // Squares of what is divided by a power of two near the largest neither overflow nor vanish.
    let scale = libm::scalbn(1.0, libm::ilogb(offs().fold(0.0, |largest: f64, off| largest.max(off.abs()))));
    let square: f64 = offs().map(|off| (off / scale) * (off / scale)).sum();
    scale * libm::sqrt(square / (values.len() - 1) as f64 / values.len() as f64)
}

/// The two-sided quantile: P(|T| > t) = `tail` for T with `freedom` degrees of freedom; both above 0, `tail` below 1.
pub fn t_quantile(tail: f64, freedom: f64) -> f64 {
    // P(|T| > t) = I_x(ν/2, 1/2) with x = ν / (ν + t²). Its logarithm falls with v = ln t and is concave in it: Newton's
    // steps, but for the first, come from above and cannot overshoot.
    let (a, b, wanted) = (0.5 * freedom, 0.5, libm::log(tail));
    let mut v = 0.0;
    for _ in 0..STEPS {
        let u = ln_x(v, freedom);
        let found = ln_incomplete_beta(a, b, u);
        let step = (found - wanted) / (2.0 * libm::exp(ln_front(a, b, u) - found));
        v += step;
        if step.abs() <= f64::EPSILON * (1.0 + v.abs()) {
            break;
        }
    }
    libm::exp(v)
}

/// P(T > t) for T with `freedom` degrees of freedom, above 0.
pub fn t_tail(t: f64, freedom: f64) -> f64 {
    let beyond = 0.5 * libm::exp(ln_incomplete_beta(0.5 * freedom, 0.5, ln_x(libm::log(t.abs()), freedom)));
    if t < 0.0 { 1.0 - beyond } else { beyond }
}

/// ln x = −ln (1 + t²/ν) of v = ln t.
fn ln_x(v: f64, freedom: f64) -> f64 {
    let z = 2.0 * v - libm::log(freedom);
    // Where eᶻ could be too large for a number, 1 does not count.
    -if z > 40.0 { z } else { libm::log1p(libm::exp(z)) }
}

/// ln I_x(a, b) of u = ln x ≤ 0, by the continued fraction of DLMF 8.17.22 (modified Lentz), on the side where it
/// converges fast.
fn ln_incomplete_beta(a: f64, b: f64, u: f64) -> f64 {
    let (x, rest) = (libm::exp(u), -libm::expm1(u));
    if x <= (a + 1.0) / (a + b + 2.0) {
        return ln_front(a, b, u) + libm::log(fraction(a, b, x) / a);
    }
    if rest <= 0.0 { 0.0 } else { libm::log1p(-libm::exp(ln_front(a, b, u)) / b * fraction(b, a, rest)) }
}

/// ln (xᵃ (1 − x)ᵇ / B(a, b)) of u = ln x < 0.
fn ln_front(a: f64, b: f64, u: f64) -> f64 {
    libm::lgamma(a + b) - libm::lgamma(a) - libm::lgamma(b) + a * u + b * libm::log(-libm::expm1(u))
}

fn fraction(a: f64, b: f64, x: f64) -> f64 {
    const TINY: f64 = 1e-300;
    let away = |value: f64| if value.abs() < TINY { TINY } else { value };
    let (mut c, mut d) = (1.0, 1.0 / away(1.0 - (a + b) * x / (a + 1.0)));
    let mut h = d;
    for m in 1..500 {
        let m = f64::from(m);
        let even = m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m));
        let odd = -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0));
        let before = h;
        for coefficient in [even, odd] {
            d = 1.0 / away(1.0 + coefficient * d);
            c = away(1.0 + coefficient / c);
            h *= d * c;
        }
        if (h - before).abs() <= 1e-16 * h.abs() {
            break;
        }
    }
    h
}

#[cfg(test)]
mod tests {
    use super::{standard_error, t_quantile, t_tail};

    /// Of 1 and 3 it is 1, in any unit.
    #[test]
    fn a_standard_error_neither_overflows_nor_vanishes() {
        for unit in [1.0, 1e-320, 1e-200, 1e154, 1e307] {
            let error = standard_error(&[unit, 3.0 * unit], 2.0 * unit);
            assert!((error / unit - 1.0).abs() < 1e-12, "{error} of {unit}");
        }
        assert_eq!(standard_error(&[0.1; 3], 0.1 + 1e-17), 0.0);
    }

    /// scipy.stats.t.isf(tail / 2, df).
    #[test]
    fn agrees_with_scipy() {
        let table = [
            (0.05, 1.0, 12.706204736174694),
            (0.05, 4.0, 2.7764451051977934),
            (0.05, 9.0, 2.262157162798205),
            (0.05, 29.0, 2.045229642132703),
            (0.01, 2.0, 9.924843200918287),
            (0.1, 1000.0, 1.6463788172854643),
            (1e-7, 2.0, 3162.2774229975503),
            (1e-10, 29.0, 9.81778906454621),
            (3e-4, 5.3, 8.364915104967233),
            (0.999, 3.0, 0.001360350082597263),
            (0.5, 0.3, 3.0273369408647977),
            (1e-5, 0.7, 7045807.334587739),
            (1e-12, 1e5, 7.131431137523578),
            (1e-300, 1.0, 6.366197723675814e299),
        ];
        for (tail, freedom, expected) in table {
            let t = t_quantile(tail, freedom);
            assert!((t / expected - 1.0).abs() < 1e-9, "{tail} {freedom}: {t} is not {expected}");
            assert!((t_tail(expected, freedom) / (0.5 * tail) - 1.0).abs() < 1e-7);
            assert!((t_tail(-expected, freedom) - 1.0 + 0.5 * tail).abs() < 1e-12);
        }
    }
}
