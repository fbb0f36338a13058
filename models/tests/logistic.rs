//! A model with a response, a penalty and columns of several kinds: ℓ1-penalized logistic regression by majorization.
//!
//! ```text
//! F(x) = N⁻¹ Σ_j log(1 + exp(−b_j a_jᵀ x)) + λ ‖x‖₁,   b_j = ±1 the class of example j, a_j its columns and a 1
//! s̄_j(x) = x − ρ ∇f_j(x)   entry by entry, with ρ_k = 4 / (p · N⁻¹ Σ_j a_jk²): a separable quadratic above f
//! T(s)_k = sign(s_k) max(|s_k| − ρ_k λ, 0)
//! ```

use fedbits_models::data::{DataKind, DataSet, Shape, Values};
use fedbits_models::fit::{ExactSetting, Fit, FitError, Given};
use fedbits_models::fitted::{Array, Features, Predictor};
use fedbits_models::initial::InitialSetting;
use fedbits_models::{
    Batch, DomainError, DomainPolicy, EStep, ExactModel, Examples, Model, ModelFacts, ModelSetting, Repairs, Response,
    Scratch, laws,
};
use fedbits_spec::Described;
use fedbits_spec::range::POSITIVE;
use serde::{Deserialize, Serialize};

#[derive(Clone, Copy, Debug, Described, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct Logistic {
    /// λ.
    #[range(POSITIVE)]
    lambda: f64,
}

/// Columns of examples in the tests: a number, a count, and 0 or 1.
const COLUMNS: [Values; 3] = [Values::Real, Values::Counts, Values::UpTo(1)];

impl ModelSetting for Logistic {
    fn facts(&self) -> ModelFacts {
        ModelFacts {
            features: Some(COLUMNS.len()),
            response: Some(Values::UpTo(1)),
            takes_sparse: true,
            ..ModelFacts::new(DataKind::Examples, &["Zero"])
        }
    }

    fn values_of(&self, column: usize) -> Values {
        COLUMNS[column]
    }

    fn statistic(&self, shape: &Shape) -> Option<usize> {
        Some(shape.features? + 1)
    }

    fn exact(&self) -> Option<&dyn ExactSetting> {
        Some(self)
    }

    fn example_start(&self) -> InitialSetting {
        InitialSetting::Zero
    }

    fn arrays(&self, theta: &[f64], _: &Features) -> Result<Vec<Array>, FitError> {
        let (coefficients, intercept) = theta.split_at(theta.len() - 1);
        let coefficients = Array::numbers("coefficients", &[coefficients.len()], coefficients.to_vec());
        Ok(vec![coefficients, Array::numbers("intercept", &[1], intercept.to_vec())])
    }

    fn predictor(&self, theta: &[f64], _: &Features) -> Result<Option<Box<dyn Predictor>>, FitError> {
        Ok(Some(Box::new(At { x: theta.to_vec(), steps: Vec::new() })))
    }

    fn examples() -> Vec<Self> {
        vec![Self { lambda: 1e-3 }, Self { lambda: 0.05 }]
    }
}

impl ExactSetting for Logistic {
    fn fit(&self, data: &DataSet, given: &Given<'_>) -> Result<Fit<dyn ExactModel>, FitError> {
        if !matches!(data.examples().response(), Response::Classes(_)) {
            return Err(FitError::model("logistic regression needs labels: expected data with a label column"));
        }
        let p = data.dimension() + 1;
        let squares = (given.average)(&|examples: Examples<'_>| {
            let mut sums = vec![0.0; p];
            (0..examples.len()).for_each(|j| examples.stored_row(j).for_each(|column, a| sums[column] += a * a));
            sums[p - 1] = examples.len() as f64;
            sums.into_iter().map(|sum| sum / examples.len() as f64).collect()
        });
        let steps = squares.iter().map(|square| 4.0 / (p as f64 * square)).collect();
        let theta = given.start(p, |initial| matches!(initial, InitialSetting::Zero).then(|| vec![0.0; p]))?;
        let names = data.columns().iter().cloned().chain(["intercept".to_owned()]).collect();
        Ok(Fit::new(Box::new(Penalized { lambda: self.lambda, steps, names }) as Box<dyn ExactModel>, theta))
    }
}

struct Penalized {
    lambda: f64,
    /// ρ.
    steps: Vec<f64>,
    names: Vec<String>,
}

impl Model for Penalized {
    fn statistic_dimension(&self) -> usize {
        self.steps.len()
    }

    fn parameter_dimension(&self) -> usize {
        self.steps.len()
    }

    fn parameter_names(&self) -> Vec<String> {
        self.names.clone()
    }

    fn statistic_names(&self) -> Vec<String> {
        self.names.iter().map(|name| format!("step_{name}")).collect()
    }

    fn maximize(&self, s: &[f64], _: DomainPolicy, theta: &mut Vec<f64>) -> Result<Repairs, DomainError> {
        DomainError::check_finite(s)?;
        let shrunk = |(s, step): (&f64, &f64)| s.signum() * (s.abs() - step * self.lambda).max(0.0);
        *theta = s.iter().zip(&self.steps).map(shrunk).collect();
        Ok(Repairs::default())
    }

    fn penalty(&self, theta: &[f64]) -> f64 {
        self.lambda * theta.iter().map(|x| x.abs()).sum::<f64>()
    }
}

impl ExactModel for Penalized {
    fn example_dimension(&self) -> usize {
        self.steps.len() - 1
    }

    fn conditional(&self, theta: &[f64]) -> Result<Box<dyn EStep>, DomainError> {
        DomainError::check_finite(theta)?;
        Ok(Box::new(At { x: theta.to_vec(), steps: self.steps.clone() }))
    }
}

/// E-steps and predictions at x.
struct At {
    x: Vec<f64>,
    steps: Vec<f64>,
}

impl At {
    /// Coefficients and intercept.
    fn parts(&self) -> (&[f64], f64) {
        let (intercept, coefficients) = self.x.split_last().expect("an intercept");
        (coefficients, *intercept)
    }

    /// Means over a batch: the statistic, and log(1 + exp(−b aᵀ x)).
    fn visit(&self, examples: Examples<'_>, batch: Batch<'_>, out: &mut [f64]) -> f64 {
        let (count, mut loss, mut slopes) = (batch.indices(examples.len()).len().max(1) as f64, 0.0, 0.0);
        let (coefficients, intercept) = self.parts();
        let slope = |j, product: f64| {
            let class = 2.0 * examples.response().at(j).expect("a class") - 1.0;
            let margin = class * (product + intercept);
            let slope = -class / (1.0 + libm::exp(margin));
            loss += (-margin).max(0.0) + libm::log1p(libm::exp(-margin.abs()));
            slopes += slope;
            slope
        };
        out.fill(0.0);
        if batch.indices(examples.len()).len() == 0 {
            return 0.0;
        }
        examples.add_products(batch, coefficients, slope, &mut out[..coefficients.len()]);
        out[coefficients.len()] = slopes;
        out.iter_mut().zip(&self.x).zip(&self.steps).for_each(|((s, x), step)| *s = x - step * *s / count);
        loss / count
    }
}

impl EStep for At {
    fn mean(&self, examples: Examples<'_>, batch: Batch<'_>, _: &mut Scratch, out: &mut [f64], _: bool) -> f64 {
        self.visit(examples, batch, out)
    }
}

impl Predictor for At {
    fn columns(&self) -> Vec<String> {
        vec!["probability".to_owned()]
    }

    fn predict(&self, data: &DataSet) -> Result<Vec<f64>, DomainError> {
        let (coefficients, intercept) = self.parts();
        let of = |j| 1.0 / (1.0 + libm::exp(-intercept - data.examples().stored_row(j).dot(coefficients)));
        Ok((0..data.len()).map(of).collect())
    }
}

#[test]
fn it_obeys_the_laws_of_models() {
    laws::model::<Logistic>();
}

/// Where the iteration rests, each entry of ∇f is −λ sign x_k, or within ±λ where x_k is 0.
#[test]
fn it_rests_where_the_subgradient_holds_zero() {
    let row = |j: usize| [libm::sin(j as f64 * 0.7) * 2.0, (j * 7 % 5) as f64, (j % 2) as f64];
    let rows: Vec<f64> = (0..80).flat_map(row).collect();
    let class = |j: usize| u32::from(row(j)[0] + 0.3 * row(j)[1] + ((j * 13 % 11) as f64 - 5.0) * 0.3 > 0.5);
    let classes: Vec<u32> = (0..80).map(class).collect();
    let examples = Examples::new(&rows, 3).with_response(Response::Classes(&classes));
    let model = Penalized { lambda: 0.04, steps: vec![0.3, 0.1, 0.5, 0.4], names: Vec::new() };
    let (mut x, mut s) = (vec![0.0; 4], vec![0.0; 4]);
    for _ in 0..20_000 {
        let e_step = model.conditional(&x).unwrap();
        e_step.mean_statistics(examples, Batch::All, &mut Scratch::default(), &mut s);
        model.maximize(&s, DomainPolicy::Error, &mut x).unwrap();
    }
    assert!(x.contains(&0.0) && x[0] > 0.1, "{x:?}");
    for ((x, s), step) in x.iter().zip(&s).zip(&model.steps) {
        let gradient = (x - s) / step;
        let expected = if *x == 0.0 { gradient.clamp(-0.04, 0.04) } else { -0.04 * x.signum() };
        assert!((gradient - expected).abs() < 1e-9, "{gradient}, expected {expected} at {x}");
    }
}
