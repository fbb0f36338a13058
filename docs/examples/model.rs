//! A mixture of K Poisson laws: counts y with P(y) = Σ_k π_k λ_k^y e^{−λ_k} / y!.
//!
//! | symbol | |
//! |---|---|
//! | ρ_k(y; θ) | probability of component k given y |
//! | s = (mean ρ_1 … mean ρ_K, mean ρ_1 y … mean ρ_K y) | the statistic, q = 2K |
//! | θ = (π_1 … π_K, λ_1 … λ_K) | the parameter |
//! | T | π_k = s_k, λ_k = s_{K+k} / s_k |
//!
//! This file is a whole program: `fedbits` whose scenarios can say `model: PoissonMixture(components: 2)`.

use std::process::ExitCode;

use fedbits::libm;
use fedbits::models::data::{DataKind, DataSet, Shape, Values};
use fedbits::models::fit::{ExactSetting, Fit, FitError, Given};
use fedbits::models::initial::Start;
use fedbits::models::{
    Batch, DomainError, DomainPolicy, EStep, ExactModel, Examples, Model, ModelFacts, ModelSetting, Repairs, Scratch,
    assign,
};
use fedbits::spec::Described;
use fedbits::spec::range::whole;
use serde::{Deserialize, Serialize};

/// A mixture of K Poisson laws, for counts in one column.
#[derive(Clone, Copy, Debug, Described, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct PoissonMixture {
    /// K, the number of components.
    #[range(whole(1, 100))]
    components: usize,
}

// What a scenario needs of it: what it is fitted to, where it starts, what is wrong with other data.
impl ModelSetting for PoissonMixture {
    fn facts(&self) -> ModelFacts {
        ModelFacts {
            // Data with another number of columns are refused.
            features: Some(1),
            values: Values::Counts,
            ..ModelFacts::new(DataKind::Examples, &["RandomExamples", "KMeansPlusPlus"])
        }
    }

    // Data with another number of columns are refused.

    fn statistic(&self, _: &Shape) -> Option<usize> {
        Some(2 * self.components)
    }

    fn exact(&self) -> Option<&dyn ExactSetting> {
        Some(self)
    }

    fn examples() -> Vec<Self> {
        vec![Self { components: 1 }, Self { components: 2 }]
    }
}

// The model on given data, with θ₀: equal weights, and rates at the means that the start gives, kept above 0.
impl ExactSetting for PoissonMixture {
    fn fit(&self, data: &DataSet, given: &Given<'_>) -> Result<Fit<dyn ExactModel>, FitError> {
        let start = given.initial.start(self.components, data.examples(), given.streams).map_err(FitError::start)?;
        let Some(Start::Means(means)) = start else { return Err(FitError::model("rates start at means")) };
        let mut theta = vec![1.0 / self.components as f64; self.components];
        theta.extend(means.iter().map(|mean| mean.max(0.1)));
        Ok(Fit::new(Box::new(*self) as Box<dyn ExactModel>, theta))
    }
}

impl Model for PoissonMixture {
    fn statistic_dimension(&self) -> usize {
        2 * self.components
    }

    fn parameter_dimension(&self) -> usize {
        2 * self.components
    }

    fn parameter_names(&self) -> Vec<String> {
        let names = |what: &str| (0..self.components).map(|k| format!("{what}_{k}")).collect::<Vec<_>>();
        [names("weight"), names("rate")].concat()
    }

    fn statistic_names(&self) -> Vec<String> {
        let names = |what: &str| (0..self.components).map(|k| format!("{what}_{k}")).collect::<Vec<_>>();
        [names("s0"), names("s1")].concat()
    }

    // T. A statistic outside its domain is a typed error, or is repaired and counted: compression noise can leave it.
    // After an error θ is what it was.
    fn maximize(&self, s: &[f64], policy: DomainPolicy, theta: &mut Vec<f64>) -> Result<Repairs, DomainError> {
        let mut repairs = Repairs::default();
        let (mut weights, mut rates) = (Vec::new(), Vec::new());
        for (component, (&weight, &sum)) in s.iter().zip(&s[self.components..]).enumerate() {
            let weight = positive(weight, policy, &mut repairs.weights);
            weights.push(weight.map_err(|value| DomainError::Weight { component, value })?);
            let sum = positive(sum, policy, &mut repairs.eigenvalues).map_err(|value| {
                DomainError::Other(format!(
                    "the counts of component {component} sum to {value:e}: expected a positive sum"
                ))
            })?;
            rates.push(sum / weights[component]);
        }
        let total: f64 = weights.iter().sum();
        theta.clear();
        theta.extend(weights.iter().map(|weight| weight / total));
        theta.extend(rates);
        Ok(repairs)
    }

    // Components have no order: the best matching counts.
    fn parameter_error(&self, theta: &[f64], truth: &[f64]) -> f64 {
        let k = self.components;
        let of = |values: &[f64], j: usize| [values[j], values[k + j]];
        let square = |a: [f64; 2], b: [f64; 2]| (a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]);
        let costs: Vec<f64> = (0..k * k).map(|at| square(of(theta, at / k), of(truth, at % k))).collect();
        assign(&costs, k, k).iter().enumerate().map(|(row, &column)| costs[row * k + column]).sum()
    }
}

// The E-step over examples.
impl ExactModel for PoissonMixture {
    fn example_dimension(&self) -> usize {
        1
    }

    fn conditional(&self, theta: &[f64]) -> Result<Box<dyn EStep>, DomainError> {
        let (weights, rates) = theta.split_at(self.components);
        let bad = |value: &f64| !value.is_finite() || *value <= 0.0;
        if let Some(index) = theta.iter().position(bad) {
            return Err(DomainError::NotFinite { index, value: theta[index] });
        }
        let log = |values: &[f64]| values.iter().map(|&value| libm::log(value)).collect::<Vec<_>>();
        Ok(Box::new(PoissonEStep { log_weights: log(weights), log_rates: log(rates), rates: rates.to_vec() }))
    }
}

/// An entry that has to be positive, or the floor in its place where the policy says so.
fn positive(value: f64, policy: DomainPolicy, repaired: &mut u32) -> Result<f64, f64> {
    match policy {
        DomainPolicy::Error if value > 0.0 && value.is_finite() => Ok(value),
        DomainPolicy::Clip { floor } if value >= floor && value.is_finite() => Ok(value),
        DomainPolicy::Clip { floor } if value < floor => {
            *repaired += 1;
            Ok(floor)
        }
        _ => Err(value),
    }
}

struct PoissonEStep {
    log_weights: Vec<f64>,
    log_rates: Vec<f64>,
    rates: Vec<f64>,
}

impl PoissonEStep {
    /// Adds the statistic of one count to `out`; returns −log P(y).
    fn add(&self, y: f64, rho: &mut [f64], out: &mut [f64]) -> f64 {
        for (k, rho) in rho.iter_mut().enumerate() {
            *rho = self.log_weights[k] + y * self.log_rates[k] - self.rates[k] - libm::lgamma(y + 1.0);
        }
        // Log-sum-exp: the largest term is taken out, so that far counts do not underflow.
        let largest = rho.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let sum: f64 = rho.iter().map(|log| libm::exp(log - largest)).sum();
        let components = rho.len();
        for (k, rho) in rho.iter().enumerate() {
            let share = libm::exp(rho - largest) / sum;
            out[k] += share;
            out[components + k] += share * y;
        }
        -(largest + libm::log(sum))
    }
}

impl EStep for PoissonEStep {
    // Means over the visited examples, in order: of their statistics, and of −log P(y).
    fn mean(&self, examples: Examples<'_>, batch: Batch<'_>, scratch: &mut Scratch, out: &mut [f64], _: bool) -> f64 {
        out.fill(0.0);
        let visited = batch.indices(examples.len());
        let count = visited.len().max(1) as f64;
        scratch.buffer.resize(self.rates.len(), 0.0);
        let objective: f64 = visited.map(|j| self.add(examples.row(j)[0], &mut scratch.buffer, out)).sum();
        out.iter_mut().for_each(|sum| *sum /= count);
        objective / count
    }
}

/// `fedbits` with one more model.
pub fn app() -> fedbits::App {
    fedbits::App::new().model::<PoissonMixture>()
}

fn main() -> ExitCode {
    app().main()
}

/// A statistic is the mean over its examples, EM never increases −log likelihood and comes to rest.
#[test]
fn it_obeys_the_laws_of_models() {
    fedbits::laws::model::<PoissonMixture>();
}

/// For one component T(s̄) is the mean of the counts, in one step.
#[test]
fn one_component_is_the_mean() {
    let counts = [0.0, 1.0, 1.0, 2.0, 3.0, 9.0, 11.0, 12.0, 12.0, 15.0];
    let examples = Examples::new(&counts, 1);
    let (one, mut s, mut theta) = (PoissonMixture { components: 1 }, vec![0.0; 2], Vec::new());
    one.conditional(&[1.0, 3.0]).unwrap().mean_statistics(examples, Batch::All, &mut Scratch::default(), &mut s);
    one.maximize(&s, DomainPolicy::Error, &mut theta).unwrap();
    assert_eq!(theta, [1.0, 6.6]);
}

/// What lies outside of T's domain is an error that leaves θ as it was, or is repaired and counted.
#[test]
fn sums_outside_of_the_domain_are_errors_or_counted() {
    let (two, mut theta) = (PoissonMixture { components: 2 }, vec![0.5, 0.5, 1.0, 2.0]);
    for s in [[0.5, 0.5, 1.0, -0.1], [1.1, -0.1, 1.0, 1.0], [0.5, 0.5, f64::NAN, 1.0]] {
        two.maximize(&s, DomainPolicy::Error, &mut theta).unwrap_err();
        assert_eq!(theta, [0.5, 0.5, 1.0, 2.0]);
    }
    let repairs = two.maximize(&[0.5, 0.5, 1.0, -0.1], DomainPolicy::Clip { floor: 0.01 }, &mut theta).unwrap();
    assert_eq!((theta, repairs.eigenvalues), (vec![0.5, 0.5, 2.0, 0.02], 1));
}
