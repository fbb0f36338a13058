//! Regression against its definition, closed forms and conditions of optimality.

mod fitted;
mod optima;
mod slopes;

use fedbits_models::regression::{LinearModel, Penalty, RegressionLoss};
use fedbits_models::{Batch, DomainPolicy, ExactModel, Examples, Model, Response, Scratch};

/// A table by a formula, with a class and a number for each example.
struct Drawn {
    rows: Vec<f64>,
    columns: usize,
    classes: Vec<u32>,
    numbers: Vec<f64>,
}

fn drawn(examples: usize, columns: usize, classes: u32) -> Drawn {
    let entry =
        |j: usize, k: usize| libm::sin((j * (k + 2)) as f64 * 0.37 + k as f64) + 0.3 * libm::cos((j + k) as f64);
    let rows: Vec<f64> = (0..examples * columns).map(|at| entry(at / columns, at % columns)).collect();
    let noise = |j: usize| ((j * 29 % 17) as f64 - 8.0) / 8.0;
    let score = |j: usize| rows[j * columns..][..columns.min(2)].iter().sum::<f64>() + 0.7 * noise(j);
    let class = |j: usize| (((score(j) + 1.5).max(0.0) * f64::from(classes) / 3.0) as u32).min(classes - 1);
    Drawn {
        classes: (0..examples).map(class).collect(),
        numbers: (0..examples).map(|j| 2.0 * score(j) + 0.4).collect(),
        rows,
        columns,
    }
}

impl Drawn {
    fn of_classes(&self) -> Examples<'_> {
        Examples::new(&self.rows, self.columns).with_response(Response::Classes(&self.classes))
    }

    fn of_numbers(&self) -> Examples<'_> {
        Examples::new(&self.rows, self.columns).with_response(Response::Numbers(&self.numbers))
    }

    /// What the loss takes.
    fn of(&self, loss: RegressionLoss) -> Examples<'_> {
        match loss {
            RegressionLoss::Logistic | RegressionLoss::Softmax => self.of_classes(),
            RegressionLoss::Squares | RegressionLoss::Huber(_) => self.of_numbers(),
        }
    }
}

const LOSSES: [RegressionLoss; 4] =
    [RegressionLoss::Logistic, RegressionLoss::Squares, RegressionLoss::Softmax, RegressionLoss::Huber(0.6)];
const PENALTIES: [Penalty; 5] = [
    Penalty::NoPenalty,
    Penalty::Ridge(0.3),
    Penalty::NonConvex(0.2),
    Penalty::L1(0.1),
    Penalty::ElasticNet { l1: 0.05, ridge: 0.1 },
];

fn model(loss: RegressionLoss, penalty: Penalty, columns: usize, intercept: bool) -> LinearModel {
    let vectors = if loss == RegressionLoss::Softmax { 3 } else { 1 };
    let columns = (0..columns).map(|k| format!("a{k}")).collect();
    LinearModel { loss, penalty, intercept, columns, vectors, step: 0.25 }
}

/// s̄(x), and F(x) with its penalty.
fn e_step(model: &LinearModel, x: &[f64], examples: Examples<'_>) -> (Vec<f64>, f64) {
    let mut s = vec![f64::NAN; x.len()];
    let at = model.conditional(x).expect("a point");
    let loss = at.mean_statistics_and_objective(examples, &mut Scratch::default(), &mut s);
    let mut alone = vec![f64::NAN; x.len()];
    at.mean_statistics(examples, Batch::All, &mut Scratch::default(), &mut alone);
    assert_eq!(s, alone, "the statistic beside the objective");
    (s, loss + model.penalty(x))
}

/// Where proximal gradient steps with ρ = 1/L rest.
fn optimum(model: &mut LinearModel, examples: Examples<'_>) -> Vec<f64> {
    model.step = 1.0 / fedbits_models::Descent::smoothness(model, examples);
    let mut x = vec![0.0; model.parameter_dimension()];
    for _ in 0..200_000 {
        let (s, _) = e_step(model, &x, examples);
        let before = x.clone();
        model.maximize(&s, DomainPolicy::Error, &mut x).expect("a step");
        let moved = x.iter().zip(&before).map(|(x, before)| (x - before).abs()).fold(0.0, f64::max);
        if moved < 1e-16 {
            break;
        }
    }
    x
}
