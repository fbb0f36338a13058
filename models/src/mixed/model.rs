//! A curve and its data, where the entries of θ and s lie, T, a statistic for a given θ, and the coordinates in which
//! statistics are well scaled.

use super::curve::{Curve, MAX_LATENT};
use crate::data::longitudinal::{Longitudinal, Subject};
use crate::fit::FitError;
use crate::{DomainError, DomainPolicy, Model, Parameters, Repairs};
use fedbits_numerics::{cholesky, gram_entry, inverse_root, vech_index, vech_length, vech_pairs};
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

/// Covariance of the random effects.
#[derive(Clone, Copy, Debug, Default, Described, Deserialize, Eq, PartialEq, Serialize)]
pub enum Effects {
    /// Unrestricted: q = p + p(p + 1)/2 + 1.
    #[default]
    Full,
    /// Independent effects: q = 2p + 1.
    Diagonal,
}

/// Where things lie in s and θ, which are laid out alike.
#[derive(Clone, Copy, Debug)]
pub(super) struct Layout {
    pub p: usize,
    pub effects: Effects,
}

impl Layout {
    /// Length of s and of θ.
    pub fn length(self) -> usize {
        self.p + self.second_length() + 1
    }

    fn second_length(self) -> usize {
        match self.effects {
            Effects::Full => vech_length(self.p),
            Effects::Diagonal => self.p,
        }
    }

    /// Position of entry (i, j), j ≤ i, of S2 or Ω; none off the diagonal of a diagonal one.
    pub fn second_moment(self, i: usize, j: usize) -> Option<usize> {
        match self.effects {
            Effects::Full => Some(self.p + vech_index(i, j)),
            Effects::Diagonal => (i == j).then_some(self.p + i),
        }
    }

    /// (i, j, position) of every entry of S2.
    pub fn entries(self) -> impl Iterator<Item = (usize, usize, usize)> {
        vech_pairs(self.p).filter_map(move |(i, j)| self.second_moment(i, j).map(|at| (i, j, at)))
    }

    /// Ω of θ as vech.
    pub fn omega(self, theta: &[f64]) -> Vec<f64> {
        let mut omega = vec![0.0; vech_length(self.p)];
        self.entries().for_each(|(i, j, at)| omega[vech_index(i, j)] = theta[at]);
        omega
    }

    /// σ² of θ, checked.
    pub fn sigma_sq(self, theta: &[f64]) -> Result<f64, DomainError> {
        let value = theta[self.length() - 1];
        if value > 0.0 && value.is_finite() { Ok(value) } else { Err(DomainError::Variance { value }) }
    }

    /// `out += scale · (z, vech(z zᵀ))`.
    pub fn add_moments(self, z: &[f64], scale: f64, out: &mut [f64]) {
        out.iter_mut().zip(z).for_each(|(out, z)| *out += scale * z);
        self.entries().for_each(|(i, j, at)| out[at] += scale * z[i] * z[j]);
    }

    /// One name per entry.
    pub fn names(self, first: &str, second: &str, last: &str, z: &[String]) -> Vec<String> {
        let pair = |i: usize, j: usize| format!("{second}_{}_{}", z[j], z[i]);
        let firsts = z.iter().map(|z| format!("{first}_{z}"));
        firsts.chain(self.entries().map(|(i, j, _)| pair(i, j))).chain([last.to_owned()]).collect()
    }
}

impl Model for MixedModel {
    fn statistic_dimension(&self) -> usize {
        self.layout.length()
    }

    fn parameter_dimension(&self) -> usize {
        self.layout.length()
    }

    fn parameter_names(&self) -> Vec<String> {
        self.layout.names("mean", "omega", "sigma_sq", &self.curve.names())
    }

    fn statistic_names(&self) -> Vec<String> {
        self.layout.names("s1", "s2", "s3", &self.curve.names())
    }

    fn constants_dimension(&self) -> usize {
        1
    }

    fn maximize(&self, s: &[f64], policy: DomainPolicy, theta: &mut Vec<f64>) -> Result<Repairs, DomainError> {
        assert_eq!(s.len(), self.layout.length(), "s has q entries");
        DomainError::check_finite(s)?;
        theta.clear();
        theta.extend_from_slice(s);
        self.layout.entries().for_each(|(i, j, at)| theta[at] -= s[i] * s[j]);
        let mut omega = self.layout.omega(theta);
        let last = theta.len() - 1;
        let raised = policy.raise_eigenvalues(&mut omega, self.layout.p) + policy.raise(&mut theta[last]);
        self.layout.entries().for_each(|(i, j, at)| theta[at] = omega[vech_index(i, j)]);
        self.layout.sigma_sq(theta)?;
        cholesky(&mut omega, self.layout.p).map_err(DomainError::covariance(None))?;
        Ok(Repairs { weights: 0, eigenvalues: raised })
    }
}

impl Parameters for MixedModel {
    /// s = (µ, Ω + µµᵀ, σ²).
    fn statistic_of(&self, theta: &[f64], s: &mut Vec<f64>) {
        s.clear();
        s.extend_from_slice(theta);
        self.layout.entries().for_each(|(i, j, at)| s[at] += theta[i] * theta[j]);
    }
}

/// Gradient of −½ log det Ω − ½ tr Ω⁻¹ C(s) − (n̄/2)(log σ² + S3/σ²) in θ, with C = S2 − S1 µᵀ − µ S1ᵀ + µ µᵀ.
/// Off-diagonal entries of Ω stand for two matrix entries. With proportional error S3 and n̄ are the same; log |f| does
/// not depend on θ.
pub(super) fn parameter_gradient(
    layout: Layout,
    mean_observations: f64,
    s: &[f64],
    theta: &[f64],
    out: &mut [f64],
) -> Result<(), DomainError> {
    let p = layout.p;
    let sigma_sq = layout.sigma_sq(theta)?;
    let inverse = inverse_root(layout.omega(theta), p).map_err(DomainError::covariance(None))?;
    let precision: Vec<f64> = (0..p * p).map(|at| gram_entry(&inverse, p, at / p, at % p)).collect();
    for (i, out) in out[..p].iter_mut().enumerate() {
        *out = (0..p).map(|j| precision[i * p + j] * (s[j] - theta[j])).sum();
    }
    let mut scatter = vec![0.0; p * p];
    for (i, j, at) in layout.entries() {
        let c = s[at] - s[i] * theta[j] - theta[i] * s[j] + theta[i] * theta[j];
        (scatter[i * p + j], scatter[j * p + i]) = (c, c);
    }
    let product = |a: &[f64], b: &[f64]| -> Vec<f64> {
        (0..p * p).map(|at| (0..p).map(|k| a[at / p * p + k] * b[k * p + at % p]).sum()).collect()
    };
    let quadratic = product(&product(&precision, &scatter), &precision);
    for (i, j, at) in layout.entries() {
        let both = if i == j { 0.5 } else { 1.0 };
        out[at] = both * (quadratic[i * p + j] - precision[i * p + j]);
    }
    let last = layout.length() - 1;
    out[last] = mean_observations / 2.0 * (s[last] / sigma_sq - 1.0) / sigma_sq;
    Ok(())
}
