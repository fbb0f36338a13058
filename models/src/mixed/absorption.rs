//! Concentrations after oral doses at many times, and their derivatives, times in lanes.
//!
//! Every lane has the bits of the formula of [`super::curve`] for one time, with `exp` and `expm1` of `libm`.

use fedbits_numerics::lanes::{exp, expm1_not_positive};
use pulp::{Simd, WithSimd, bytemuck};

/// Times that a curve is asked for at once.
pub const AT_ONCE: usize = 16;

/// Values at `times`, and the derivatives when they are wanted.
pub(super) struct Concentrations<'a> {
    /// Tlag, ka, V, Cl.
    pub rates: [f64; 4],
    /// (time, amount).
    pub doses: &'a [(f64, f64)],
    /// At most [`AT_ONCE`].
    pub times: &'a [f64],
    pub values: &'a mut [f64; AT_ONCE],
    /// Rows of derivatives in (log Tlag,) log ka, log V, log Cl, and whether there is a lag.
    pub slopes: Option<(&'a mut [[f64; AT_ONCE]], bool)>,
}

impl WithSimd for Concentrations<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let Self { rates, doses, times, values, mut slopes } = self;
        let values = S::as_mut_simd_f64s(values).0;
        for (v, times) in times.chunks(S::F64_LANES).enumerate() {
            let times = simd.partial_load_f64s(times);
            let mut sums = Sums { value: simd.splat_f64s(0.0), slopes: [simd.splat_f64s(0.0); 4] };
            for &dose in doses {
                sums.add(simd, rates, dose, times, slopes.is_some());
            }
            values[v] = sums.value;
            if let Some((rows, lag)) = &mut slopes {
                for (row, slope) in rows.iter_mut().zip(&sums.slopes[usize::from(!*lag)..]) {
                    S::as_mut_simd_f64s(row).0[v] = *slope;
                }
            }
        }
    }
}

/// Sums over doses: f and its derivatives in log Tlag, log ka, log V and log Cl.
struct Sums<S: Simd> {
    value: S::f64s,
    slopes: [S::f64s; 4],
}

impl<S: Simd> Sums<S> {
    #[inline(always)]
    fn add(&mut self, simd: S, rates: [f64; 4], (time, amount): (f64, f64), times: S::f64s, sloped: bool) {
        let [lag, ka, v, cl] = rates;
        let t = simd.sub_f64s(simd.sub_f64s(times, simd.splat_f64s(time)), simd.splat_f64s(lag));
        let after = simd.less_than_f64s(simd.splat_f64s(0.0), t);
        // Before the dose any time will do: what comes of it is not used.
        let t = simd.select_f64s(after, t, simd.splat_f64s(1.0));
        let (a, b) = (simd.mul_f64s(simd.splat_f64s(ka), t), simd.mul_f64s(simd.splat_f64s(cl / v), t));
        let [h, ha, hb] = differences(simd, a, b, sloped);
        let front = simd.div_f64s(simd.mul_f64s(simd.splat_f64s(amount * ka), t), simd.splat_f64s(v));
        let c = simd.mul_f64s(front, h);
        self.value = simd.select_f64s(after, simd.add_f64s(self.value, c), self.value);
        if sloped {
            let log_ka = simd.add_f64s(c, simd.mul_f64s(simd.mul_f64s(front, ha), a));
            let log_k = simd.mul_f64s(simd.mul_f64s(front, hb), b);
            let both = simd.add_f64s(simd.mul_f64s(ha, a), simd.mul_f64s(hb, b));
            let both = simd.add_f64s(c, simd.mul_f64s(front, both));
            let log_lag = simd.mul_f64s(simd.div_f64s(simd.splat_f64s(lag), t), both);
            let terms = [simd.neg_f64s(log_lag), log_ka, simd.neg_f64s(simd.add_f64s(c, log_k)), log_k];
            for (slope, term) in self.slopes.iter_mut().zip(terms) {
                *slope = simd.select_f64s(after, simd.add_f64s(*slope, term), *slope);
            }
        }
    }
}

/// h and, when they are `sloped`, its derivatives; see [`divided_difference`].
#[inline(always)]
fn differences<S: Simd>(simd: S, a: S::f64s, b: S::f64s, sloped: bool) -> [S::f64s; 3] {
    let u = simd.sub_f64s(a, b);
    let size = simd.abs_f64s(u);
    let is_b_smaller = simd.less_than_f64s(simd.splat_f64s(0.0), u);
    let smaller = simd.select_f64s(is_b_smaller, b, a);
    let first = exp(simd, simd.neg_f64s(smaller));
    let share = simd.neg_f64s(expm1_not_positive(simd, simd.neg_f64s(size)));
    let mut h = [simd.div_f64s(simd.mul_f64s(first, share), size), simd.splat_f64s(0.0), simd.splat_f64s(0.0)];
    if sloped {
        let second = exp(simd, simd.neg_f64s(simd.select_f64s(is_b_smaller, a, b)));
        let (ea, eb) = (simd.select_f64s(is_b_smaller, second, first), simd.select_f64s(is_b_smaller, first, second));
        h[1] = simd.div_f64s(simd.sub_f64s(ea, h[0]), u);
        h[2] = simd.div_f64s(simd.sub_f64s(h[0], eb), u);
    }
    let is_far = simd.less_than_f64s(simd.splat_f64s(CLOSE), size);
    if simd.first_true_m64s(simd.not_m64s(is_far)) < S::F64_LANES {
        replace_close::<S>(a, b, &mut h);
    }
    h
}

/// Lanes whose exponents are close take the series.
#[inline(never)]
fn replace_close<S: Simd>(a: S::f64s, b: S::f64s, h: &mut [S::f64s; 3]) {
    let (a, b) = ([a], [b]);
    let (a, b): (&[f64], &[f64]) = (bytemuck::cast_slice(&a), bytemuck::cast_slice(&b));
    for (lane, (&a, &b)) in a.iter().zip(b).enumerate() {
        let is_far = (a - b).abs() > CLOSE;
        if !is_far {
            let exact = divided_difference(a, b);
            for (h, exact) in h.iter_mut().zip(exact) {
                bytemuck::cast_slice_mut::<S::f64s, f64>(std::slice::from_mut(h))[lane] = exact;
            }
        }
    }
}

/// Below this difference of the exponents the divided difference is a series; its first neglected term is below 1e-17.
const CLOSE: f64 = 1e-3;

/// h(a, b) = (e^{−b} − e^{−a})/(a − b) for a, b ≥ 0, a divided difference that is smooth where a = b, ∂h/∂a and ∂h/∂b.
fn divided_difference(a: f64, b: f64) -> [f64; 3] {
    let u = a - b;
    let (ea, eb) = (libm::exp(-a), libm::exp(-b));
    if u.abs() > CLOSE {
        // The smaller exponent in front keeps every factor at most 1.
        let h = if u > 0.0 { eb * -libm::expm1(-u) / u } else { ea * libm::expm1(u) / u };
        return [h, (ea - h) / u, (h - eb) / u];
    }
    // (1 − e^{−u})/u = 1 − u/2 + u²/6 − …, and its derivative.
    let series = |u: f64| 1.0 - u / 2.0 * (1.0 - u / 3.0 * (1.0 - u / 4.0 * (1.0 - u / 5.0 * (1.0 - u / 6.0))));
    let slope = |u: f64| -0.5 + u * (1.0 / 3.0 - u * (1.0 / 8.0 - u * (1.0 / 30.0 - u * (1.0 / 144.0 - u / 840.0))));
    [eb * series(u), eb * slope(u), ea * slope(-u)]
}

#[cfg(test)]
mod tests {
    use super::super::curve::{Curve, MAX_LATENT, Natural};
    use super::*;
    use crate::data::longitudinal::Subject;
    use crate::gmm::levels;

    /// f at one time; its derivatives in z are written to `gradient`.
    fn value_and_gradient(has_lag: bool, natural: &Natural, subject: &Subject, t: f64, gradient: &mut [f64]) -> f64 {
        let [lag, ka, v, cl] = Curve::rates(has_lag, natural);
        let k = cl / v;
        let at = usize::from(has_lag);
        let mut sum = 0.0;
        for &(time, amount) in &subject.doses {
            let t = t - time - lag;
            if t <= 0.0 {
                continue;
            }
            let (a, b) = (ka * t, k * t);
            let [h, ha, hb] = divided_difference(a, b);
            let front = amount * ka * t / v;
            let c = front * h;
            let (log_ka, log_k) = (c + front * ha * a, front * hb * b);
            sum += c;
            gradient[at] += log_ka;
            gradient[at + 1] -= c + log_k;
            gradient[at + 2] += log_k;
            if has_lag {
                // −Tlag dC/dt', and t' dC/dt' = c + front (ha a + hb b).
                gradient[0] -= lag / t * (c + front * (ha * a + hb * b));
            }
        }
        sum
    }

    /// Slow reference: one time after the other, with rates that are apart, close and equal, and times before, at and
    /// after doses.
    #[test]
    fn many_times_have_the_bits_of_one() {
        let times: Vec<f64> = (0..AT_ONCE).map(|j| -0.5 + 0.75 * j as f64 + if j > 12 { 40.0 } else { 0.0 }).collect();
        let doses = vec![(0.0, 100.0), (2.5, 70.0), (-40.0, 1e-3)];
        let subject = Subject { name: "1".to_owned(), times: times.clone(), values: times.clone(), doses };
        let logs = [[0.6, 7.7, 0.13], [0.1, 2.0, 2.1], [0.1, 2.0, 2.1 + 1e-6], [700.0, 1.0, 0.0], [-800.0, 3.0, 9.0]];
        for lag in [false, true] {
            for (z, count) in logs.iter().zip([AT_ONCE, 1, 9, 11, 15]) {
                let z: Vec<f64> = if lag { [&[-0.4], &z[..]].concat() } else { z.to_vec() };
                let natural = Curve::OneCompartmentOral { lag }.natural(&z);
                for level in levels() {
                    let (mut values, mut slopes) = ([0.0; AT_ONCE], [[0.0; AT_ONCE]; MAX_LATENT]);
                    let rates = Curve::rates(lag, &natural);
                    let (times, doses) = (&times[..count], &subject.doses[..]);
                    level.dispatch(Concentrations { rates, doses, times, values: &mut values, slopes: None });
                    let alone = values;
                    let rows = Some((&mut slopes[..z.len()], lag));
                    level.dispatch(Concentrations { rates, doses, times, values: &mut values, slopes: rows });
                    for (j, &t) in times.iter().enumerate() {
                        let mut gradient = vec![0.0; z.len()];
                        let slow = value_and_gradient(lag, &natural, &subject, t, &mut gradient);
                        let same =
                            |fast: f64, slow: f64| fast.to_bits() == slow.to_bits() || (fast.is_nan() && slow.is_nan());
                        assert!(same(alone[j], slow), "f at {t}, {z:?}, {level:?}");
                        assert!(same(values[j], slow), "f at {t}, {z:?}, {level:?}");
                        for (k, &slow) in gradient.iter().enumerate() {
                            assert!(same(slopes[k][j], slow), "slope {k} at {t}: {} {slow}, {z:?}", slopes[k][j]);
                        }
                    }
                }
            }
        }
    }

    /// The series and the quotient agree where they meet, and both with the definition in extended steps.
    #[test]
    fn divided_differences_are_continuous() {
        for b in [0.01, 0.7, 5.0] {
            for sign in [-1.0, 1.0] {
                let inside = divided_difference(b + sign * CLOSE * (1.0 - 1e-9) * 1.0, b.max(CLOSE));
                let outside = divided_difference(b + sign * CLOSE * (1.0 + 1e-9) * 1.0, b.max(CLOSE));
                for (x, y) in inside.iter().zip(outside) {
                    assert!((x - y).abs() < 1e-9, "{x} {y} at b = {b}");
                }
            }
        }
        // h(b, b) = e^{−b}, both slopes −e^{−b}/2.
        let [h, ha, hb] = divided_difference(0.3, 0.3);
        let e = libm::exp(-0.3);
        assert!((h - e).abs() < 1e-15 && (ha + e / 2.0).abs() < 1e-15 && (hb + e / 2.0).abs() < 1e-15);
    }
}
