//! A conjugate prior: Dirichlet on the weights, normal-Wishart on means and precisions. T gives the variational
//! posterior (Attias 1999; Bishop, *Pattern Recognition and Machine Learning*, section 10.2), which is known by the
//! expected statistics alone: FedEM, its messages and its memories stay what they are.
//!
//! With N_g = N s1_g / Σ s1 examples in component g, and s2, s3 scaled alike, the posterior has the numbers
//! α_g = α₀ + N_g, β_g = β₀ + N_g, ν_g = ν₀ + N_g, m_g = (β₀ m₀ + N s2_g) / β_g and
//! Ψ_g = Ψ₀ + N s3_g + β₀ m₀ m₀ᵀ − β_g m_g m_gᵀ. In θ stand E π_g = α_g / Σ α, m_g and Ψ_g / ν_g = (E Λ_g)⁻¹, from
//! which the others follow.

use fedbits_numerics::{cholesky, digamma, gram_entry, invert_lower, log_determinant, row_dot, vech_index, vech_pairs};
use fedbits_spec::range::Interval;
use fedbits_spec::{Described, Findings};
use serde::{Deserialize, Serialize};

use super::layout::Layout;
use crate::fit::Moment;
use crate::initial::{covariance_around, sample_mean};
use crate::{DomainError, DomainPolicy, Examples, Repairs};

/// Prior of a mixture's parameters.
#[derive(Clone, Copy, Debug, Default, Described, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub enum MixturePrior {
    /// None: T maximizes the likelihood.
    #[default]
    Flat,
    /// Dirichlet and normal-Wishart priors, ν₀ = d; the objective is −ELBO per example. Empty components keep their
    /// prior weight. Needs `covariance: Full`.
    Conjugate {
        /// α₀, prior examples per component; small values empty components.
        #[range(COUNTS)]
        concentration: f64,
        /// β₀, prior examples of each mean, at the overall mean.
        #[serde(default = "one")]
        #[range(COUNTS)]
        strength: f64,
        /// Ψ₀ as a multiple of the overall covariance.
        #[serde(default = "one")]
        #[range(COUNTS)]
        scatter: f64,
    },
}

/// Beyond, the numbers of the posterior are rounding.
const COUNTS: Interval = Interval::closed(1e-9, 1e9, "from 10⁻⁹ to 10⁹, no unit");

fn one() -> f64 {
    1.0
}

impl MixturePrior {
    /// The prior that the mean and the covariance of the examples of all clients make, of which there are so many;
    /// `average` is the mean of a moment over the clients.
    pub(super) fn build(self, examples: usize, average: &dyn Fn(&Moment<'_>) -> Vec<f64>) -> Option<Conjugate> {
        let Self::Conjugate { concentration, strength, scatter } = self else { return None };
        let mean = average(&|examples| match examples.len() {
            0 => vec![0.0; examples.dimension()],
            _ => sample_mean(examples),
        });
        let covariance = average(&|examples| covariance_around(examples, &mean));
        let scale = scatter;
        let scatter = covariance.into_iter().map(|entry| scale * entry).collect();
        let (freedom, examples) = (mean.len() as f64, examples as f64);
        Some(Conjugate { concentration, strength, scale, freedom, examples, mean, scatter })
    }

    /// Adds that only full covariances have one.
    pub(super) fn check(self, is_full: bool, findings: &mut Findings) {
        if self != Self::Flat && !is_full {
            let found = "a conjugate prior is one of a covariance per component";
            findings.error("model.prior", found, "expected `covariance: Full`, or no prior");
        }
    }
}

/// The prior of a mixture with full covariances.
#[derive(Clone, Debug, PartialEq)]
pub struct Conjugate {
    /// α₀.
    pub concentration: f64,
    /// β₀.
    pub strength: f64,
    /// Ψ₀ by the covariance of all examples.
    pub scale: f64,
    /// ν₀, above d − 1.
    pub freedom: f64,
    /// N, the number of examples of all clients.
    pub examples: f64,
    /// m₀, d numbers.
    pub mean: Vec<f64>,
    /// Ψ₀ as vech, d(d+1)/2 numbers.
    pub scatter: Vec<f64>,
}

/// The numbers of the posterior of one component.
struct Counts {
    /// α_g.
    alpha: f64,
    /// β_g.
    beta: f64,
    /// ν_g.
    nu: f64,
}

impl Counts {
    /// These, if they are those of a posterior in `dimension` dimensions; else `error`.
    fn admissible(self, dimension: usize, error: DomainError) -> Result<Self, DomainError> {
        let is_posterior = self.alpha > 0.0 && self.beta > 0.0 && self.nu > dimension as f64 - 1.0;
        if is_posterior { Ok(self) } else { Err(error) }
    }
}

impl Conjugate {
    /// The prior that these examples alone make.
    pub(super) fn of_examples(&self, examples: Examples<'_>) -> Option<Self> {
        let &Self { concentration, strength, scale: scatter, .. } = self;
        let prior = MixturePrior::Conjugate { concentration, strength, scatter };
        prior.build(examples.len(), &|moment| moment(examples))
    }

    /// Those of a component with α_g = `alpha` and N_g = `examples`.
    fn counts(&self, alpha: f64, examples: f64) -> Counts {
        Counts { alpha, beta: self.strength + examples, nu: self.freedom + examples }
    }

    /// Those of a component with the weight E π_g, where `total` is Σ α.
    fn counts_at(&self, total: f64, weight: f64) -> Counts {
        let alpha = weight * total;
        self.counts(alpha, alpha - self.concentration)
    }

    /// N_g of a component with the weight E π_g.
    pub(super) fn examples_of(&self, layout: &Layout, weight: f64) -> f64 {
        weight * self.total(layout.components) - self.concentration
    }

    /// Σ_g α_g.
    fn total(&self, components: usize) -> f64 {
        self.concentration * components as f64 + self.examples
    }

    /// Writes the posterior that belongs to s as θ.
    ///
    /// # Errors
    /// When s is outside the domain: a count or a scatter is not positive.
    pub(super) fn maximize(
        &self,
        layout: &Layout,
        s: &[f64],
        policy: DomainPolicy,
        theta: &mut [f64],
    ) -> Result<Repairs, DomainError> {
        let (mut repairs, d) = (Repairs::default(), layout.dimension);
        let sum = s[..layout.components].iter().fold(0.0, |sum, weight| sum + weight);
        if sum <= 0.0 {
            return Err(DomainError::Weight { component: 0, value: sum });
        }
        let scale = self.examples / sum;
        for g in 0..layout.components {
            let mut examples = scale * s[g];
            // Sums leave of an empty component what rounding makes of 0.
            if examples < 0.0 && examples > -1e-12 * self.examples {
                examples = 0.0;
            } else if examples < 0.0 && matches!(policy, DomainPolicy::Clip { .. }) {
                (examples, repairs.weights) = (0.0, repairs.weights + 1);
            }
            let counts = self.counts(self.concentration + examples, examples);
            let Counts { alpha, beta, nu } = counts.admissible(d, DomainError::Weight { component: g, value: s[g] })?;
            theta[g] = alpha / self.total(layout.components);
            for (j, at) in layout.mean(g).enumerate() {
                theta[at] = (self.strength * self.mean[j] + scale * s[at]) / beta;
            }
            let (first, covariances) = theta.split_at_mut(layout.covariance(g).start);
            let (mean, second) = (&first[layout.mean(g)], &s[layout.second_moment(g)]);
            for (i, j) in vech_pairs(d) {
                let at = vech_index(i, j);
                let prior = self.scatter[at] + self.strength * self.mean[i] * self.mean[j];
                covariances[at] = (prior + scale * second[at] - beta * mean[i] * mean[j]) / nu;
            }
        }
        Ok(repairs)
    }

    /// E log π_g + E log N(y; µ_g, Λ_g⁻¹) less log N(y; m_g, Ψ_g / ν_g), for the E-step.
    ///
    /// # Errors
    /// When a count that the weights give is not positive.
    pub(super) fn log_weights(&self, layout: &Layout, theta: &[f64]) -> Result<Vec<f64>, DomainError> {
        let (total, d) = (self.total(layout.components), layout.dimension as f64);
        let of = |g: usize| {
            let counts = self.counts_at(total, theta[g]);
            let error = DomainError::Weight { component: g, value: theta[g] };
            let Counts { alpha, beta, nu } = counts.admissible(layout.dimension, error)?;
            let log_determinant = digammas(layout.dimension, nu) + d * libm::log(2.0 / nu);
            Ok(digamma(alpha) - digamma(total) + 0.5 * log_determinant - 0.5 * d / beta)
        };
        (0..layout.components).map(of).collect()
    }

    /// KL(q(π, µ, Λ) ‖ p(π, µ, Λ)) / N in nats; not a number where θ is no posterior.
    pub(super) fn divergence(&self, layout: &Layout, theta: &[f64]) -> f64 {
        let (g, total) = (layout.components, self.total(layout.components));
        let alphas = || theta[..g].iter().map(|weight| weight * total);
        let prior = libm::lgamma(self.concentration * g as f64) - g as f64 * libm::lgamma(self.concentration);
        let mut sum = libm::lgamma(total) - prior;
        for alpha in alphas() {
            sum += (alpha - self.concentration) * (digamma(alpha) - digamma(total)) - libm::lgamma(alpha);
        }
        let mut scatter = self.scatter.clone();
        if cholesky(&mut scatter, layout.dimension).is_err() {
            return f64::NAN;
        }
        let log_scatter = 2.0 * log_determinant(&scatter, layout.dimension);
        (sum + (0..g).map(|g| self.component_divergence(layout, theta, g, log_scatter)).sum::<f64>()) / self.examples
    }

    /// KL of the normal-Wishart part of component `g`.
    fn component_divergence(&self, layout: &Layout, theta: &[f64], g: usize, log_scatter: f64) -> f64 {
        let (d, dimension) = (layout.dimension as f64, layout.dimension);
        let Counts { beta, nu, .. } = self.counts_at(self.total(layout.components), theta[g]);
        let mut factor = theta[layout.covariance(g)].to_vec();
        if cholesky(&mut factor, dimension).is_err() {
            return f64::NAN;
        }
        let log_posterior = 2.0 * log_determinant(&factor, dimension) + d * libm::log(nu);
        invert_lower(&mut factor, dimension);
        let from_prior: Vec<f64> = theta[layout.mean(g)].iter().zip(&self.mean).map(|(m, prior)| m - prior).collect();
        let square: f64 = (0..dimension).map(|i| row_dot(&factor, i, &from_prior)).map(|z| z * z).sum();
        let normal = libm::log(beta / self.strength) - 1.0 + self.strength / beta;
        let normal = 0.5 * (d * normal + self.strength * square);
        let wishart = self.freedom * (log_posterior - log_scatter) + self.trace(&factor) - nu * d
            + (nu - self.freedom) * digammas(dimension, nu);
        normal + 0.5 * wishart + log_gamma(dimension, self.freedom) - log_gamma(dimension, nu)
    }

    /// tr(Ψ₀ Σ⁻¹), Σ⁻¹ = Wᵀ W with W (vech) lower triangular.
    fn trace(&self, whitener: &[f64]) -> f64 {
        let d = self.mean.len();
        let entry = |(i, j)| self.scatter[vech_index(i, j)] * gram_entry(whitener, d, i, j);
        vech_pairs(d).map(|(i, j)| entry((i, j)) * if i == j { 1.0 } else { 2.0 }).sum()
    }
}

/// Σ_i ψ((ν + 1 − i) / 2) over i = 1 … d.
fn digammas(dimension: usize, nu: f64) -> f64 {
    (0..dimension).map(|i| digamma(0.5 * (nu - i as f64))).sum()
}

/// log Γ_d(ν / 2) without the power of π, which differences do not see.
fn log_gamma(dimension: usize, nu: f64) -> f64 {
    (0..dimension).map(|i| libm::lgamma(0.5 * (nu - i as f64))).sum()
}
