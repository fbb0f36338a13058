//! A curve and its data.

use super::curve::{Curve, MAX_LATENT};
use super::layout::{Effects, Layout};
use crate::data::longitudinal::{Longitudinal, Subject};
use crate::fit::FitError;
use fedbits_spec::{Caveat, Described, so_many};
use serde::{Deserialize, Serialize};

/// Residual error.
#[derive(Clone, Copy, Debug, Default, Described, Deserialize, Eq, PartialEq, Serialize)]
pub enum ResidualError {
    /// Constant, in the unit of the values: g = 1.
    #[default]
    Constant,
    /// Proportional to the curve: g = f, σ is a fraction; values of 0 are refused. Chains seldom cross zeros of the
    /// curve: if signs differ, start with a large `sigma`.
    Proportional,
}

/// Whether proportional error gives every observation of the subject a bounded density.
fn possible(curve: Curve, subject: &Subject) -> Result<(), String> {
    for (&t, &y) in subject.times.iter().zip(&subject.values) {
        let problem = if curve.is_zero(subject, t) {
            "is there with proportional error, and the curve is 0 there: expected later observations only"
        } else if y == 0.0 {
            // (y − f)/f is −1 whatever f: the density grows like 1/|f| towards f = 0. Where a curve comes there at a
            // finite z (other signs, a lag) its integral has no bound; else it has none over θ, or over all values 0.
            "is 0 with proportional error, and the likelihood has no bound: expected `error: Constant` or other values"
        } else {
            continue;
        };
        return Err(format!("the observation at time {t} {problem}"));
    }
    Ok(())
}

/// What is wrong with a subject.
pub(super) fn of_subject(subject: &Subject, problem: &str) -> String {
    format!("subject {}: {problem}", subject.name)
}

/// A mixed-effects model with its data.
pub struct MixedModel {
    pub(super) curve: Curve,
    pub(super) error: ResidualError,
    pub(super) layout: Layout,
    pub(super) data: Longitudinal,
    /// n/N.
    pub(super) mean_observations: f64,
}

impl MixedModel {
    /// The model of `data` with the given curve.
    ///
    /// # Errors
    /// A curve of too many parameters, no subject, a subject without observations or without what the curve needs,
    /// proportional error with an observation where every curve is 0, or with one of 0.
    pub fn new(curve: Curve, effects: Effects, error: ResidualError, data: Longitudinal) -> Result<Self, FitError> {
        let p = curve.parameters();
        if p == 0 || p > MAX_LATENT {
            let found = so_many(p, "parameter");
            return Err(FitError::model(format!("the curve has {found}: 1 to {MAX_LATENT} are possible")));
        }
        if data.subjects.is_empty() {
            return Err(FitError::model("there are no subjects: expected at least one"));
        }
        for subject in &data.subjects {
            let named = |problem: String| FitError::model(of_subject(subject, &problem));
            if subject.times.is_empty() {
                return Err(named("it has no observations: expected at least one".to_owned()));
            }
            if curve.needs_doses() && subject.doses.is_empty() {
                return Err(named("it has no dose: expected at least one amount above 0".to_owned()));
            }
            if error == ResidualError::Proportional {
                possible(curve, subject).map_err(named)?;
            }
        }
        let mean_observations = data.observations() as f64 / data.subjects.len() as f64;
        Ok(Self { curve, error, layout: Layout { p, effects }, data, mean_observations })
    }

    /// That nobody has more observations than random effects. Of one observation each, only the sum of what Ω and σ²
    /// add to its variance is known.
    pub(super) fn few_observations(&self) -> Option<Caveat> {
        let (most, p) = (self.data.subjects.iter().map(|subject| subject.times.len()).max()?, self.layout.p);
        (most <= p).then(|| Caveat::FewObservations {
            observations: so_many(most, "observation"),
            effects: so_many(p, "random effect"),
        })
    }

    /// Whether chains can start at θ: with proportional error the curve of the start must not be 0 at an observation.
    ///
    /// # Errors
    /// Which subject and observation have no density there.
    pub(super) fn check_start(&self, theta: &[f64]) -> Result<(), String> {
        if self.error == ResidualError::Constant {
            return Ok(());
        }
        for subject in &self.data.subjects {
            let mut z = theta[..self.layout.p].to_vec();
            self.curve.leave_zero(subject, &mut z);
            let natural = self.curve.natural(&z);
            for (&t, &y) in subject.times.iter().zip(&subject.values) {
                let f = self.curve.value(&natural, subject, t);
                let residual = (y - f) / f;
                if !(residual * residual).is_finite() {
                    let found = format!("the observation at time {t} is {y} with proportional error");
                    let problem = format!("{found}, and the curve of the start is {f} there");
                    return Err(of_subject(subject, &problem));
                }
            }
        }
        Ok(())
    }

    /// The subjects.
    pub fn data(&self) -> &Longitudinal {
        &self.data
    }

    /// z of a subject whose parameters have these natural values.
    pub fn latent(&self, values: &[f64]) -> Vec<f64> {
        values.iter().map(|&value| self.curve.latent(value)).collect()
    }

    /// θ of the given means, variances of the effects (Ω diagonal) and residual variance σ².
    pub fn parameter(&self, means: &[f64], variances: &[f64], sigma_sq: f64) -> Vec<f64> {
        let mut theta = means.to_vec();
        for (i, variance) in variances.iter().enumerate() {
            if self.layout.effects == Effects::Full {
                theta.resize(theta.len() + i, 0.0);
            }
            theta.push(*variance);
        }
        theta.push(sigma_sq);
        theta
    }
}
