//! One compartment with first-order absorption: concentration after oral doses.
//!
//! ```text
//! C(t) = D ka / (V (ka − k)) (e^{−k t'} − e^{−ka t'}),   k = Cl/V,   t' = t − t_dose − Tlag,   0 for t' ≤ 0
//! ```
//!
//! summed over doses. z = (log Tlag,) log ka, log V, log Cl. With a = ka t', b = k t' and the divided difference
//! h(a, b) = (e^{−b} − e^{−a})/(a − b), which is smooth where a = b, C = (D ka t'/V) h(a, b).

use super::absorption::Concentrations;
use super::curve::{AT_ONCE, Curve, MAX_LATENT, Natural};
use crate::data::longitudinal::Subject;
use fedbits_numerics::lanes::exp_all;
use pulp::Arch;

/// The one-compartment model with first-order absorption and elimination.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OneCompartmentOral {
    /// Does absorption begin after a lag Tlag?
    pub lag: bool,
}

/// Below this difference of the exponents the divided difference is a series; its first neglected term is below 1e-17.
pub(super) const CLOSE: f64 = 1e-3;

/// h(a, b), ∂h/∂a and ∂h/∂b for a, b ≥ 0.
pub(super) fn divided_difference(a: f64, b: f64) -> [f64; 3] {
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

impl OneCompartmentOral {
    /// Tlag, ka, V and Cl of the natural parameters.
    pub(super) fn rates(&self, natural: &Natural) -> [f64; 4] {
        let at = usize::from(self.lag);
        [if self.lag { natural[0] } else { 0.0 }, natural[at], natural[at + 1], natural[at + 2]]
    }
}

impl Curve for OneCompartmentOral {
    fn names(&self) -> Vec<String> {
        let names = ["log_Tlag", "log_ka", "log_V", "log_Cl"];
        names[usize::from(!self.lag)..].iter().map(|name| (*name).to_owned()).collect()
    }

    fn check(&self, subject: &Subject) -> Result<(), String> {
        if subject.doses.is_empty() {
            return Err("it has no dose: expected at least one amount above 0".to_owned());
        }
        Ok(())
    }

    fn is_zero(&self, subject: &Subject, t: f64) -> bool {
        subject.doses.iter().all(|&(time, _)| t <= time)
    }

    fn is_linear(&self) -> bool {
        false
    }

    fn latent(&self, natural: f64) -> f64 {
        libm::log(natural)
    }

    fn natural(&self, z: &[f64]) -> Natural {
        let mut natural = [0.0; MAX_LATENT];
        natural[..z.len()].copy_from_slice(z);
        exp_all(&mut natural[..z.len()]);
        natural
    }

    fn value(&self, natural: &Natural, subject: &Subject, t: f64) -> f64 {
        let [lag, ka, v, cl] = self.rates(natural);
        let mut sum = 0.0;
        for &(time, amount) in &subject.doses {
            let t = t - time - lag;
            if t > 0.0 {
                sum += amount * ka * t / v * divided_difference(ka * t, cl / v * t)[0];
            }
        }
        sum
    }

    fn value_and_gradient(&self, natural: &Natural, subject: &Subject, t: f64, gradient: &mut [f64]) -> f64 {
        let [lag, ka, v, cl] = self.rates(natural);
        let k = cl / v;
        gradient.fill(0.0);
        let at = usize::from(self.lag);
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
            if self.lag {
                // −Tlag dC/dt', and t' dC/dt' = c + front (ha a + hb b).
                gradient[0] -= lag / t * (c + front * (ha * a + hb * b));
            }
        }
        sum
    }

    fn values(&self, natural: &Natural, subject: &Subject, times: &[f64], values: &mut [f64; AT_ONCE]) {
        let (rates, doses) = (self.rates(natural), &subject.doses[..]);
        Arch::new().dispatch(Concentrations { rates, doses, times, values, slopes: None });
    }

    fn values_and_gradients(
        &self,
        natural: &Natural,
        subject: &Subject,
        times: &[f64],
        values: &mut [f64; AT_ONCE],
        rows: &mut [[f64; AT_ONCE]],
    ) {
        let (rates, doses, slopes) = (self.rates(natural), &subject.doses[..], Some((rows, self.lag)));
        Arch::new().dispatch(Concentrations { rates, doses, times, values, slopes });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
