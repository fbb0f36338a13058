//! The curve f(z; t) of a subject, with derivatives in z.
//!
//! The polynomial is linear in z (the Oxford boys have degree 1). The concentration after oral doses, in one
//! compartment with first-order absorption, is
//!
//! ```text
//! C(t) = D ka / (V (ka − k)) (e^{−k t'} − e^{−ka t'}),   k = Cl/V,   t' = t − t_dose − Tlag,   0 for t' ≤ 0
//! ```
//!
//! summed over doses. z = (log Tlag,) log ka, log V, log Cl. With a = ka t', b = k t' and the divided difference
//! h(a, b) = (e^{−b} − e^{−a})/(a − b), which is smooth where a = b, C = (D ka t'/V) h(a, b).

use super::absorption::Concentrations;
use crate::data::longitudinal::Subject;
use fedbits_numerics::lanes::exp_all;
use fedbits_spec::Described;
use fedbits_spec::range::whole;
use pulp::Arch;
use serde::{Deserialize, Serialize};

pub use super::absorption::AT_ONCE;

/// Most latent variables of a mixed model: they live on the stack.
pub(super) const MAX_LATENT: usize = 8;

/// What a curve computes once per z: its parameters on their natural scale.
pub(super) type Natural = [f64; MAX_LATENT];

/// Curve of a subject.
// It has p parameters, each a real number (logarithms of what must be positive).
#[derive(Clone, Copy, Debug, Described, Deserialize, Eq, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub enum Curve {
    /// f(t) = Σ_k z_k t^k, with z normal.
    Polynomial {
        /// Highest power.
        #[range(whole(0, 7))]
        degree: usize,
    },
    /// Concentration after oral doses: one compartment, first-order absorption; (Tlag,) ka, V, Cl log-normal.
    OneCompartmentOral {
        /// Includes an absorption lag Tlag.
        #[serde(default)]
        lag: bool,
    },
}

impl Curve {
    /// p, the number of its parameters.
    pub(super) fn parameters(self) -> usize {
        match self {
            Self::Polynomial { degree } => degree.saturating_add(1),
            Self::OneCompartmentOral { lag } => 3 + usize::from(lag),
        }
    }

    /// Names of the p parameters.
    pub(super) fn names(self) -> Vec<String> {
        match self {
            Self::Polynomial { degree } => (0..=degree).map(|power| power.to_string()).collect(),
            Self::OneCompartmentOral { lag } => {
                let names = ["log_Tlag", "log_ka", "log_V", "log_Cl"];
                names[usize::from(!lag)..].iter().map(|name| (*name).to_owned()).collect()
            }
        }
    }

    /// Does it follow doses, with parameters above 0? Else it is linear in z.
    pub(super) fn needs_doses(self) -> bool {
        matches!(self, Self::OneCompartmentOral { .. })
    }

    /// Is f(z; t) = 0 whatever z?
    pub(super) fn is_zero(self, subject: &Subject, t: f64) -> bool {
        self.needs_doses() && subject.doses.iter().all(|&(time, _)| t <= time)
    }

    /// Moves `z` where f(z; t) = 0 at a time of the subject at which other z have f ≠ 0: a lag is at most half of the
    /// time from the first dose to the first observation.
    pub(super) fn leave_zero(self, subject: &Subject, z: &mut [f64]) {
        if self == (Self::OneCompartmentOral { lag: true }) {
            let first = |times: &mut dyn Iterator<Item = f64>| times.fold(f64::INFINITY, f64::min);
            let observed = first(&mut subject.times.iter().copied());
            let most = (observed - first(&mut subject.doses.iter().map(|dose| dose.0))) / 2.0;
            z[0] = z[0].min(self.latent(most));
        }
    }

    /// Parameter on the scale where it is normal, of a value on its natural scale.
    pub(super) fn latent(self, natural: f64) -> f64 {
        if self.needs_doses() { libm::log(natural) } else { natural }
    }

    /// Parameters on their natural scale.
    pub(super) fn natural(self, z: &[f64]) -> Natural {
        let mut natural = [0.0; MAX_LATENT];
        natural[..z.len()].copy_from_slice(z);
        if self.needs_doses() {
            exp_all(&mut natural[..z.len()]);
        }
        natural
    }

    /// Tlag, ka, V and Cl of the natural parameters after oral doses.
    pub(super) fn rates(lag: bool, natural: &Natural) -> [f64; 4] {
        let at = usize::from(lag);
        [if lag { natural[0] } else { 0.0 }, natural[at], natural[at + 1], natural[at + 2]]
    }

    /// f at time `t`.
    pub(super) fn value(self, natural: &Natural, subject: &Subject, t: f64) -> f64 {
        let mut values = [0.0; AT_ONCE];
        self.values(natural, subject, &[t], &mut values);
        values[0]
    }

    /// f at up to 16 times; entries beyond the last time mean nothing.
    pub(super) fn values(self, natural: &Natural, subject: &Subject, times: &[f64], values: &mut [f64; AT_ONCE]) {
        match self {
            Self::Polynomial { degree } => {
                let value = |t: f64| natural[..=degree].iter().rev().fold(0.0, |sum, z| sum * t + z);
                values.iter_mut().zip(times).for_each(|(out, &t)| *out = value(t));
            }
            Self::OneCompartmentOral { lag } => {
                let (rates, doses) = (Self::rates(lag, natural), &subject.doses[..]);
                Arch::new().dispatch(Concentrations { rates, doses, times, values, slopes: None });
            }
        }
    }

    /// Values with derivatives in z, one row per parameter.
    pub(super) fn values_and_gradients(
        self,
        natural: &Natural,
        subject: &Subject,
        times: &[f64],
        values: &mut [f64; AT_ONCE],
        rows: &mut [[f64; AT_ONCE]],
    ) {
        if let Self::OneCompartmentOral { lag } = self {
            let (rates, doses, slopes) = (Self::rates(lag, natural), &subject.doses[..], Some((rows, lag)));
            return Arch::new().dispatch(Concentrations { rates, doses, times, values, slopes });
        }
        self.values(natural, subject, times, values);
        for (j, &t) in times.iter().enumerate() {
            let mut power = 1.0;
            for row in rows.iter_mut() {
                row[j] = power;
                power *= t;
            }
        }
    }
}
