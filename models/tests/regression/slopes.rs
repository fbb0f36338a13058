//! The E-step by definition, and its gradients as derivatives of the objective.

use fedbits_models::regression::{LinearModel, Penalty, RegressionLoss};
use fedbits_models::{Batch, ExactModel, Examples, Model, Scratch};

use super::{LOSSES, PENALTIES, drawn, e_step, model};

fn point(model: &LinearModel) -> Vec<f64> {
    (0..model.parameter_dimension()).map(|k| 0.8 * libm::cos(k as f64 * 1.3) + 0.1).collect()
}

/// ℓ(z, b), and its slopes, one vector after the other.
fn loss_by_definition(loss: RegressionLoss, z: &[f64], b: f64) -> (f64, Vec<f64>) {
    match loss {
        RegressionLoss::Logistic => {
            let b = 2.0 * b - 1.0;
            (libm::log1p(libm::exp(-b * z[0])), vec![-b / (1.0 + libm::exp(b * z[0]))])
        }
        RegressionLoss::Squares => (0.5 * (z[0] - b) * (z[0] - b), vec![z[0] - b]),
        RegressionLoss::Huber(delta) => {
            let r = z[0] - b;
            let inside = r.abs() <= delta;
            let value = if inside { 0.5 * r * r } else { delta * r.abs() - 0.5 * delta * delta };
            (value, vec![if inside { r } else { delta * r.signum() }])
        }
        RegressionLoss::Softmax => {
            let total: f64 = z.iter().map(|z| libm::exp(*z)).sum();
            let slope = |(c, z): (usize, &f64)| libm::exp(*z) / total - if c == b as usize { 1.0 } else { 0.0 };
            (libm::log(total) - z[b as usize], z.iter().enumerate().map(slope).collect())
        }
    }
}

/// The mean of ℓ and of its gradient over some examples, example after example.
fn by_definition(model: &LinearModel, x: &[f64], examples: Examples<'_>, batch: &[u32]) -> (f64, Vec<f64>) {
    let (mut loss, mut gradient) = (0.0, vec![0.0; x.len()]);
    for &j in batch {
        let mut a = examples.row(j as usize).to_vec();
        a.extend(model.intercept.then_some(1.0));
        let z: Vec<f64> = x.chunks(a.len()).map(|x| x.iter().zip(&a).map(|(x, a)| x * a).sum()).collect();
        let (value, slopes) =
            loss_by_definition(model.loss, &z, examples.response().at(j as usize).expect("a response"));
        loss += value / batch.len() as f64;
        let terms = slopes.iter().flat_map(|slope| a.iter().map(move |a| slope * a));
        gradient.iter_mut().zip(terms).for_each(|(sum, term)| *sum += term / batch.len() as f64);
    }
    (loss, gradient)
}

fn smooth_slope(penalty: Penalty, x: f64) -> f64 {
    match penalty {
        Penalty::Ridge(ridge) | Penalty::ElasticNet { ridge, .. } => ridge * x,
        Penalty::NonConvex(lambda) => 2.0 * lambda * x / ((1.0 + x * x) * (1.0 + x * x)),
        _ => 0.0,
    }
}

/// Rows of all lengths modulo the lanes, batches of all lengths modulo the rows that are taken together.
#[test]
fn it_is_its_definition() {
    for loss in LOSSES {
        for (examples, columns, intercept) in
            [(1, 1, false), (3, 7, true), (31, 8, false), (33, 9, true), (70, 16, false), (97, 21, true)]
        {
            let table = drawn(examples, columns, if loss == RegressionLoss::Softmax { 3 } else { 2 });
            let examples = table.of(loss);
            let model = model(loss, Penalty::NonConvex(0.2), columns, intercept);
            let (x, step_at) = (point(&model), model.conditional(&point(&model)).unwrap());
            let all: Vec<u32> = (0..examples.len() as u32).collect();
            let batch: Vec<u32> = (0..2 * examples.len() as u32).map(|j| j * 7 % examples.len() as u32).collect();
            let mut s = vec![f64::NAN; x.len()];
            for (batch, indices) in [(Batch::All, &all), (Batch::Indices(&batch), &batch)] {
                step_at.mean_statistics(examples, batch, &mut Scratch::default(), &mut s);
                let (_, gradient) = by_definition(&model, &x, examples, indices);
                for (at, (s, gradient)) in s.iter().zip(&gradient).enumerate() {
                    let is_intercept = intercept && at % (columns + 1) == columns;
                    let of_penalty = if is_intercept { 0.0 } else { smooth_slope(model.penalty, x[at]) };
                    let expected = x[at] - model.step * (gradient + of_penalty);
                    assert!((s - expected).abs() < 1e-14, "{loss:?}, {columns} columns, entry {at}: {s}, {expected}");
                }
            }
            let (mean, _) = by_definition(&model, &x, examples, &all);
            let (_, objective) = e_step(&model, &x, examples);
            assert!((objective - model.penalty(&x) - mean).abs() < 1e-14 * (1.0 + mean), "{loss:?}: {objective}");
        }
    }
}

/// (x − s̄(x))/ρ is the derivative of the objective without its ℓ₁ part, for every loss with every penalty.
#[test]
fn steps_go_along_the_gradient() {
    for loss in LOSSES {
        for penalty in PENALTIES {
            let table = drawn(40, 3, if loss == RegressionLoss::Softmax { 3 } else { 2 });
            let model = model(loss, penalty, 3, true);
            let (x, examples) = (point(&model), table.of(loss));
            let (s, _) = e_step(&model, &x, examples);
            let l1 = match penalty {
                Penalty::L1(l1) | Penalty::ElasticNet { l1, .. } => l1,
                _ => 0.0,
            };
            for k in 0..x.len() {
                let at = |h: f64| {
                    let mut moved = x.clone();
                    moved[k] += h;
                    e_step(&model, &moved, examples).1
                };
                let h = 1e-5;
                let of_l1 = if k % 4 == 3 { 0.0 } else { l1 * x[k].signum() };
                let slope = (at(h) - at(-h)) / (2.0 * h) - of_l1;
                let found = (x[k] - s[k]) / model.step;
                assert!((found - slope).abs() < 1e-8, "{loss:?} with {penalty:?}, entry {k}: {found}, {slope}");
            }
        }
    }
}

/// Scores of ±1000 have finite losses and slopes, to the last digit.
#[test]
fn far_scores_are_exact() {
    let rows = [1000.0, -1000.0, 40.0, -40.0, 1e-9, 0.0];
    let classes = [1, 1, 1, 1, 1, 1];
    let examples = Examples::new(&rows, 1).with_response(fedbits_models::Response::Classes(&classes));
    let model = LinearModel { step: 1.0, ..model(RegressionLoss::Logistic, Penalty::NoPenalty, 1, false) };
    let step_at = model.conditional(&[1.0]).unwrap();
    let of = |j: usize| {
        let mut s = [0.0];
        let loss = step_at.mean_statistics_and_objective(examples.range(j..j + 1), &mut Scratch::default(), &mut s);
        (loss, 1.0 - s[0])
    };
    let expected = |z: f64| {
        let loss = (-z).max(0.0) + libm::log1p(libm::exp(-z.abs()));
        (loss, -z / (1.0 + libm::exp(z)))
    };
    for (j, &z) in rows.iter().enumerate() {
        let ((loss, slope), (expected_loss, expected_slope)) = (of(j), expected(z));
        assert!((loss - expected_loss).abs() <= 4e-16 * expected_loss, "{z}: {loss}, {expected_loss}");
        assert!((slope - expected_slope).abs() <= 1e-15 * (1.0 + expected_slope.abs()), "{z}: {slope}");
    }
}
