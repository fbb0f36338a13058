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

    /// A lag is at most half of the time from the first dose to the first observation.
    fn leave_zero(&self, subject: &Subject, z: &mut [f64]) {
        if self.lag {
            let first = |times: &mut dyn Iterator<Item = f64>| times.fold(f64::INFINITY, f64::min);
            let observed = first(&mut subject.times.iter().copied());
            let most = (observed - first(&mut subject.doses.iter().map(|dose| dose.0))) / 2.0;
            z[0] = z[0].min(self.latent(most));
        }
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
