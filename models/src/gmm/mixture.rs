//! The mixture: which θ and s mean what, what it cannot be made of, and T.
//!
//! T, the M-step of a Gaussian mixture: π_g = s1_g / Σ s1, µ_g = s2_g / s1_g and the covariances
//! Σ_g = s3_g / s1_g − µ_g µ_gᵀ (diagonal and full) or Σ = C2 − Σ_g s1_g µ_g µ_gᵀ (tied).
//!
//! The tied form does not divide by Σ s1, as the code of the FIEM authors does not.

use super::kernel::Conditional;
use super::layout::{Form, Layout};
use super::matching;
use super::pack::Packed;
use super::prior::Conjugate;
use crate::clusters::Clusters;
use crate::data::DataSet;
use crate::initial::covariance_around;
use crate::matrix::asymmetry;
use crate::{
    Coordinates, DomainError, DomainPolicy, EStep, ExactModel, Examples, FitPooling, Model, OwnParameters, Parameters,
    Repairs, Scratch,
};
use fedbits_numerics::{cholesky, vech, vech_length, vech_pairs};
use fedbits_spec::so_many;
use std::ops::Range;
use std::sync::Arc;

/// Which covariances a mixture has.
#[derive(Clone, Debug, PartialEq)]
pub enum Covariance {
    /// One common covariance Σ that is given: d×d numbers in row-major order.
    Known(Vec<f64>),
    /// One common unknown covariance, Σ = C2 − Σ_g s1_g µ_g µ_gᵀ.
    Tied {
        /// C2 = N⁻¹ Σ_j y_j y_jᵀ as vech, d(d+1)/2 numbers: a constant of the data (see [`second_moment`]).
        second_moment: Vec<f64>,
    },
    /// A diagonal covariance per component.
    Diagonal,
    /// A covariance per component.
    Full,
}

/// A Gaussian mixture model: which θ and s mean what, the map T and E-steps.
#[derive(Clone, Debug)]
pub struct GaussianMixture {
    pub(super) layout: Layout,
    /// vech Σ of the known form, C2 of the tied form, else empty.
    pub(super) constant: Vec<f64>,
    /// The prior, under which T gives the variational posterior; of the full form only.
    pub(super) prior: Option<Conjugate>,
    /// The examples whose labels are sampled.
    pub(super) labelled: Option<Arc<DataSet>>,
}

impl GaussianMixture {
    /// A mixture of `components` Gaussians in `dimension` dimensions.
    ///
    /// Fails for G = 0 or d = 0, for a Σ or C2 of the wrong size or not finite, for a Σ that is not symmetric or not
    /// positive definite. C2 can be singular: what T makes of it is repaired by [`DomainPolicy::Clip`].
    pub fn new(components: usize, dimension: usize, covariance: Covariance) -> Result<Self, DomainError> {
        if components == 0 {
            return Err(DomainError::Other("a mixture needs at least one component".to_owned()));
        }
        if dimension == 0 {
            return Err(DomainError::Other("observations need at least one dimension".to_owned()));
        }
        let (form, constant) = match covariance {
            Covariance::Known(sigma) => (Form::Known, symmetric_vech(&sigma, dimension)?),
            Covariance::Tied { second_moment } => (Form::Tied, second_moment),
            Covariance::Diagonal => (Form::Diagonal, Vec::new()),
            Covariance::Full => (Form::Full, Vec::new()),
        };
        match form {
            Form::Known => cholesky(&mut constant.clone(), dimension).map_err(DomainError::covariance(None))?,
            Form::Tied => {
                check_length("the second moment", vech_length(dimension), &constant)?;
                DomainError::check_finite(&constant)?;
            }
            Form::Diagonal | Form::Full => {}
        }
        Ok(Self { layout: Layout { components, dimension, form }, constant, prior: None, labelled: None })
    }

    /// The same under a prior.
    ///
    /// Fails for other than full covariances, wrong lengths, and numbers that are no prior.
    pub fn with_prior(self, prior: Conjugate) -> Result<Self, DomainError> {
        if self.layout.form != Form::Full {
            return Err(DomainError::Other("a conjugate prior is one of a covariance per component".to_owned()));
        }
        let d = self.layout.dimension;
        check_length("the mean of the prior", d, &prior.mean)?;
        check_length("the scatter of the prior", vech_length(d), &prior.scatter)?;
        let numbers = [prior.concentration, prior.strength, prior.examples, prior.freedom - (d as f64 - 1.0)];
        if numbers.iter().any(|number| !(number.is_finite() && *number > 0.0)) {
            return Err(DomainError::Other("a prior needs α₀, β₀ and N above 0, and ν₀ above d − 1".to_owned()));
        }
        [&prior.mean, &prior.scatter].into_iter().try_for_each(|numbers| DomainError::check_finite(numbers))?;
        cholesky(&mut prior.scatter.clone(), d).map_err(|_| DomainError::Singular { component: None })?;
        Ok(Self { prior: Some(prior), ..self })
    }

    /// # Errors
    /// When a weight of `theta` is below what the prior gives every component.
    pub(super) fn check_start(&self, theta: &[f64]) -> Result<(), DomainError> {
        let Some(prior) = &self.prior else { return Ok(()) };
        let below = |&g: &usize| prior.examples_of(&self.layout, theta[g]) < -1e-9 * prior.examples;
        match (0..self.layout.components).find(below) {
            Some(component) => Err(DomainError::Other(format!(
                "the weight of component {component} is {}: the prior gives each at least α₀ / (G α₀ + N)",
                theta[component]
            ))),
            None => Ok(()),
        }
    }

    /// µ_g of θ, d numbers.
    pub fn mean<'a>(&self, theta: &'a [f64], component: usize) -> &'a [f64] {
        &theta[self.layout.mean(component)]
    }

    /// The mixture whose C2 is this one, where it has a C2.
    pub(super) fn with_second_moment(&self, second_moment: impl FnOnce() -> Vec<f64>) -> Self {
        let constant = if self.layout.form == Form::Tied { second_moment() } else { self.constant.clone() };
        Self { constant, ..self.clone() }
    }

    /// The mean of log p(y_j; θ) over the examples; 0 without examples.
    pub fn log_likelihood(&self, examples: Examples<'_>, theta: &[f64]) -> Result<f64, DomainError> {
        let mut out = vec![0.0; self.layout.statistic_dimension()];
        let objective =
            self.condition(theta)?.mean_statistics_and_objective(examples, &mut Scratch::default(), &mut out);
        Ok(-objective)
    }

    /// The density at θ; under a prior at the expectations of the posterior.
    pub(super) fn condition(&self, theta: &[f64]) -> Result<Conditional, DomainError> {
        let known = if self.layout.form == Form::Known { &self.constant[..] } else { &[] };
        Ok(Conditional::new(Packed::new(self.layout, known, theta)?))
    }
}

impl Model for GaussianMixture {
    fn statistic_dimension(&self) -> usize {
        self.layout.statistic_dimension()
    }

    fn parameter_dimension(&self) -> usize {
        self.layout.parameter_dimension()
    }

    fn parameter_names(&self) -> Vec<String> {
        self.layout.parameter_names()
    }

    fn statistic_names(&self) -> Vec<String> {
        self.layout.statistic_names()
    }

    fn constants_dimension(&self) -> usize {
        match (&self.prior, self.layout.form) {
            (Some(prior), _) => prior.mean.len() + prior.scatter.len(),
            (None, Form::Tied) => self.constant.len(),
            (None, _) => 0,
        }
    }

    fn maximize(&self, s: &[f64], policy: DomainPolicy, theta: &mut Vec<f64>) -> Result<Repairs, DomainError> {
        maximize(&self.layout, (&self.constant, self.prior.as_ref()), s, policy, theta)
    }

    fn penalty(&self, theta: &[f64]) -> f64 {
        self.prior.as_ref().map_or(0.0, |prior| prior.divergence(&self.layout, theta))
    }

    fn parameter_error(&self, theta: &[f64], truth: &[f64]) -> f64 {
        matching::parameter_error(&self.layout, theta, truth)
    }
}

impl ExactModel for GaussianMixture {
    fn example_dimension(&self) -> usize {
        self.layout.dimension
    }

    fn with_constants_of(&self, examples: Examples<'_>) -> Option<Box<dyn ExactModel>> {
        if let Some(prior) = &self.prior {
            return Some(Box::new(Self { prior: prior.of_examples(examples), ..self.clone() }));
        }
        (self.layout.form == Form::Tied).then(|| Box::new(self.with_second_moment(|| second_moment(examples))) as _)
    }

    fn conditional(&self, theta: &[f64]) -> Result<Box<dyn EStep>, DomainError> {
        let Some(prior) = &self.prior else { return Ok(Box::new(self.condition(theta)?)) };
        DomainError::check_finite(theta)?;
        let log_weights = prior.log_weights(&self.layout, theta)?;
        Ok(Box::new(Conditional::new(Packed::weighted(self.layout, &[], theta, log_weights)?)))
    }

    fn parameters(&self) -> Option<&dyn Parameters> {
        self.prior.is_none().then_some(self as _)
    }

    fn own_parameters(&self) -> Option<&dyn OwnParameters> {
        self.prior.is_none().then_some(self as _)
    }

    fn coordinates(&self) -> Option<&dyn Coordinates> {
        self.has_coordinates().then_some(self as _)
    }

    fn clusters(&self) -> Option<&dyn Clusters> {
        Some(self)
    }

    fn pooling(&self) -> Option<&dyn FitPooling> {
        self.prior.is_none().then_some(self as _)
    }
}

/// The weights π: T finds them of s1 alone, and the means and covariances of the sums over all clients.
impl OwnParameters for GaussianMixture {
    fn own_entries(&self) -> Range<usize> {
        0..self.layout.components
    }

    /// π = s1 / Σ s1. The weight of a component that a client has no example of shrinks from step to step, and would
    /// become 0 by underflow: it stays at the smallest normal number, 2.2e-308, which has a logarithm.
    fn maximize_own(&self, s: &[f64], entries: &mut Vec<f64>) {
        let s1 = &s[self.own_entries()];
        let total = s1.iter().fold(0.0, |sum, weight| sum + weight);
        entries.clear();
        entries.extend(s1.iter().map(|weight| (weight / total).max(f64::MIN_POSITIVE)));
    }
}

/// C2 = N⁻¹ Σ_j y_j y_jᵀ as vech, summed in the order of the examples; zeros without examples.
pub fn second_moment(examples: Examples<'_>) -> Vec<f64> {
    covariance_around(examples, &vec![0.0; examples.dimension()])
}

/// vech of a d×d matrix that must be symmetric up to rounding.
fn symmetric_vech(matrix: &[f64], d: usize) -> Result<Vec<f64>, DomainError> {
    check_length("the covariance", d * d, matrix)?;
    DomainError::check_finite(matrix)?;
    match asymmetry(d, |row, column| matrix[row * d + column]) {
        Some((row, column)) => Err(DomainError::Other(format!(
            "the covariance is not symmetric: entries ({row}, {column}) and ({column}, {row}) differ"
        ))),
        None => Ok(vech(matrix, d)),
    }
}

pub(super) fn check_length(what: &str, expected: usize, found: &[f64]) -> Result<(), DomainError> {
    if found.len() == expected {
        return Ok(());
    }
    Err(DomainError::Other(format!("{what} has {}: {expected} were expected", so_many(found.len(), "number"))))
}

/// Writes θ = T(s); `second_moment` is C2 (vech) of the tied form and empty otherwise, `prior` that of the full form.
pub(super) fn maximize(
    layout: &Layout,
    (second_moment, prior): (&[f64], Option<&Conjugate>),
    s: &[f64],
    policy: DomainPolicy,
    theta: &mut Vec<f64>,
) -> Result<Repairs, DomainError> {
    assert_eq!(s.len(), layout.statistic_dimension(), "s has q entries");
    DomainError::check_finite(s)?;
    let mut repairs = Repairs::default();
    theta.clear();
    theta.resize(layout.parameter_dimension(), 0.0);
    if let Some(prior) = prior {
        repairs = prior.maximize(layout, s, policy, theta)?;
    } else {
        let mut weights = s[..layout.components].to_vec();
        policy.raise_weights(&mut weights, &mut repairs)?;
        let total: f64 = weights.iter().fold(0.0, |sum, weight| sum + weight);
        for (g, &weight) in weights.iter().enumerate() {
            theta[g] = weight / total;
            for at in layout.mean(g) {
                theta[at] = s[at] / weight;
            }
        }
        match layout.form {
            Form::Known => {}
            Form::Tied => tied(layout, second_moment, &weights, theta),
            Form::Diagonal | Form::Full => each_covariance(layout, s, &weights, theta),
        }
    }
    DomainError::check_finite(theta)?;
    for block in 0..layout.covariance_blocks() {
        repair_covariance(layout, block, policy, &mut theta[layout.covariance(block)], &mut repairs)?;
    }
    Ok(repairs)
}

fn tied(layout: &Layout, second_moment: &[f64], weights: &[f64], theta: &mut [f64]) {
    let (first, sigma) = theta.split_at_mut(layout.covariance(0).start);
    sigma.copy_from_slice(second_moment);
    for (g, &weight) in weights.iter().enumerate() {
        let mean = &first[layout.mean(g)];
        let entries = sigma.iter_mut().zip(vech_pairs(layout.dimension));
        entries.for_each(|(sigma, (i, j))| *sigma -= weight * mean[i] * mean[j]);
    }
}

/// Of the diagonal and the full form.
fn each_covariance(layout: &Layout, s: &[f64], weights: &[f64], theta: &mut [f64]) {
    let (first, covariances) = theta.split_at_mut(layout.covariance(0).start);
    let entries = layout.covariance_entries();
    for ((g, &weight), sigma) in weights.iter().enumerate().zip(covariances.chunks_exact_mut(entries.len())) {
        let (mean, moment) = (&first[layout.mean(g)], &s[layout.second_moment(g)]);
        for ((sigma, &(i, j)), moment) in sigma.iter_mut().zip(&entries).zip(moment) {
            *sigma = moment / weight - mean[i] * mean[j];
        }
    }
}

fn repair_covariance(
    layout: &Layout,
    block: usize,
    policy: DomainPolicy,
    sigma: &mut [f64],
    repairs: &mut Repairs,
) -> Result<(), DomainError> {
    repairs.eigenvalues += match layout.form {
        Form::Diagonal => sigma.iter_mut().map(|variance| policy.raise(variance)).sum(),
        Form::Known | Form::Tied | Form::Full => policy.raise_eigenvalues(sigma, layout.dimension),
    };
    check_covariance(layout, block, sigma)
}

/// A typed error unless the covariance is positive definite.
fn check_covariance(layout: &Layout, block: usize, sigma: &[f64]) -> Result<(), DomainError> {
    let component = (layout.form != Form::Tied).then_some(block);
    if layout.form == Form::Diagonal {
        return match sigma.iter().position(|&variance| variance <= 0.0) {
            Some(pivot) => Err(DomainError::Covariance { component, pivot, value: sigma[pivot] }),
            None => Ok(()),
        };
    }
    cholesky(&mut sigma.to_vec(), layout.dimension).map_err(DomainError::covariance(component))
}
