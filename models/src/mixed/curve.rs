//! The curve f(z; t) of a subject, and polynomials in time (linear in z: the Oxford boys have degree 1).

use crate::data::longitudinal::Subject;

/// Most latent variables of a mixed model: they live on the stack.
pub(super) const MAX_LATENT: usize = 8;

/// Times that a curve is asked for at once.
pub const AT_ONCE: usize = 16;

/// What a curve computes once per z: its parameters on their natural scale.
pub type Natural = [f64; MAX_LATENT];

/// A family of curves with p parameters, each a real number (logarithms of what must be positive).
pub trait Curve: Send + Sync {
    /// Names of the p parameters.
    fn names(&self) -> Vec<String>;
    /// Does the subject have what the curve needs? The text says what was expected.
    ///
    /// # Errors
    /// What is missing.
    fn check(&self, subject: &Subject) -> Result<(), String>;
    /// Is f(z; t) = 0 whatever z?
    fn is_zero(&self, subject: &Subject, t: f64) -> bool;
    /// Moves `z` where f(z; t) = 0 at a time of the subject at which other z have f ≠ 0, as far as that is known.
    fn leave_zero(&self, subject: &Subject, z: &mut [f64]) {
        let _ = (subject, z);
    }
    /// Is f linear in z?
    fn is_linear(&self) -> bool;
    /// Parameter on the scale where it is normal, of a value on its natural scale.
    fn latent(&self, natural: f64) -> f64 {
        natural
    }
    /// Parameters on their natural scale.
    fn natural(&self, z: &[f64]) -> Natural;
    /// f at time `t`.
    fn value(&self, natural: &Natural, subject: &Subject, t: f64) -> f64 {
        let mut values = [0.0; AT_ONCE];
        self.values(natural, subject, &[t], &mut values);
        values[0]
    }
    /// f at up to 16 times; entries beyond the last time mean nothing.
    fn values(&self, natural: &Natural, subject: &Subject, times: &[f64], out: &mut [f64; AT_ONCE]);
    /// Values with derivatives in z, one row per parameter.
    fn values_and_gradients(
        &self,
        natural: &Natural,
        subject: &Subject,
        times: &[f64],
        out: &mut [f64; AT_ONCE],
        rows: &mut [[f64; AT_ONCE]],
    );
}

/// f(z; t) = Σ_k z_k t^k, k = 0, …, degree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Polynomial {
    /// The highest power, at most 7.
    pub degree: usize,
}

impl Curve for Polynomial {
    fn names(&self) -> Vec<String> {
        (0..=self.degree).map(|power| power.to_string()).collect()
    }

    fn check(&self, _subject: &Subject) -> Result<(), String> {
        Ok(())
    }

    fn is_zero(&self, _subject: &Subject, _t: f64) -> bool {
        false
    }

    fn is_linear(&self) -> bool {
        true
    }

    fn natural(&self, z: &[f64]) -> Natural {
        let mut natural = [0.0; MAX_LATENT];
        natural[..z.len()].copy_from_slice(z);
        natural
    }

    fn values(&self, natural: &Natural, _subject: &Subject, times: &[f64], out: &mut [f64; AT_ONCE]) {
        let value = |t: f64| natural[..=self.degree].iter().rev().fold(0.0, |sum, z| sum * t + z);
        out.iter_mut().zip(times).for_each(|(out, &t)| *out = value(t));
    }

    fn values_and_gradients(
        &self,
        natural: &Natural,
        subject: &Subject,
        times: &[f64],
        out: &mut [f64; AT_ONCE],
        rows: &mut [[f64; AT_ONCE]],
    ) {
        self.values(natural, subject, times, out);
        for (j, &t) in times.iter().enumerate() {
            let mut power = 1.0;
            for row in rows.iter_mut() {
                row[j] = power;
                power *= t;
            }
        }
    }
}
