//! Where steps rest: closed forms, and conditions of optimality.

use fedbits_models::regression::{Penalty, RegressionLoss};
use fedbits_models::{Descent, ExactModel, Model, Parameters};

use super::{drawn, e_step, model, optimum};

/// (AᵀA/N + λI) x = Aᵀb/N, the last column of A being 1 and not penalized.
#[test]
fn ridge_squares_rest_at_the_solution_of_the_normal_equations() {
    let (table, n, p) = (drawn(60, 4, 2), 60, 5);
    let mut model = model(RegressionLoss::Squares, Penalty::Ridge(0.3), 4, true);
    let x = optimum(&mut model, table.of_numbers());
    let entry = |j: usize, k: usize| if k == 4 { 1.0 } else { table.rows[j * 4 + k] };
    for k in 0..p {
        let product = |i: usize| (0..n).map(|j| entry(j, k) * entry(j, i)).sum::<f64>() / n as f64;
        let right = (0..n).map(|j| entry(j, k) * table.numbers[j]).sum::<f64>() / n as f64;
        let ridge = if k == 4 { 0.0 } else { 0.3 * x[k] };
        let left = (0..p).map(|i| product(i) * x[i]).sum::<f64>() + ridge;
        assert!((left - right).abs() < 1e-13, "equation {k}: {left}, {right}");
    }
}

/// Each entry of ∇f is −λ sign x_k, or within ±λ where x_k is 0; an intercept has slope 0.
#[test]
fn l1_rests_where_the_subgradient_holds_zero() {
    for loss in [RegressionLoss::Squares, RegressionLoss::Logistic, RegressionLoss::Huber(0.5)] {
        for lambda in [0.02, 0.2] {
            let table = drawn(80, 6, 2);
            let mut model = model(loss, Penalty::L1(lambda), 6, true);
            let x = optimum(&mut model, table.of(loss));
            let (s, _) = e_step(&model, &x, table.of(loss));
            assert!(x[..6].contains(&0.0) && x.iter().any(|x| x.abs() > 0.01), "{loss:?}: {x:?}");
            for (k, (x, s)) in x.iter().zip(&s).enumerate() {
                let slope = (x - s) / model.step;
                let expected = match k {
                    6 => 0.0,
                    _ if *x == 0.0 => slope.clamp(-lambda, lambda),
                    _ => -lambda * x.signum(),
                };
                assert!((slope - expected).abs() < 1e-12, "{loss:?}, λ = {lambda}, {k}: {slope}, {expected} at {x}");
            }
        }
    }
}

/// Every step with ρ = 1/L lowers the objective, and one with 2.2/L raises it somewhere.
#[test]
fn one_over_l_is_a_step_that_descends() {
    let table = drawn(50, 3, 2);
    for (share, descends) in [(1.0, true), (2.2, false)] {
        let mut model = model(RegressionLoss::Squares, Penalty::Ridge(0.1), 3, false);
        model.step = share / model.smoothness(table.of_numbers());
        let (mut x, mut last, mut fell) = (vec![1.0, -2.0, 3.0], f64::INFINITY, true);
        for _ in 0..200 {
            let (s, objective) = e_step(&model, &x, table.of_numbers());
            fell &= objective <= last + 1e-12;
            (x, last) = (s, objective);
        }
        assert_eq!(fell, descends, "ρ = {share} / L");
    }
}

/// L of softmax, logistic and Huber bounds the change of gradients.
#[test]
fn gradients_are_as_smooth_as_l_says() {
    for (loss, classes) in
        [(RegressionLoss::Softmax, 3), (RegressionLoss::Logistic, 2), (RegressionLoss::Huber(3.0), 2)]
    {
        let table = drawn(50, 3, classes);
        let mut model = model(loss, Penalty::NonConvex(0.1), 3, true);
        let l = model.smoothness(table.of(loss));
        model.step = 1.0;
        let gradient = |x: &[f64]| -> Vec<f64> {
            let (s, _) = e_step(&model, x, table.of(loss));
            x.iter().zip(&s).map(|(x, s)| x - s).collect()
        };
        let distance = |x: &[f64], y: &[f64]| x.iter().zip(y).map(|(x, y)| (x - y) * (x - y)).sum::<f64>().sqrt();
        let mut most: f64 = 0.0;
        for at in 0..60 {
            let point = |shift: f64| -> Vec<f64> {
                (0..model.parameter_dimension()).map(|k| shift * libm::sin((at * 7 + k * 3) as f64)).collect()
            };
            let (x, y) = (point(0.0), point(0.05 * f64::from(at as u32 + 1)));
            most = most.max(distance(&gradient(&x), &gradient(&y)) / distance(&x, &y));
        }
        assert!(most <= l && most > 0.1 * l, "{loss:?}: {most} of L = {l}");
    }
}

/// T undoes the statistic of coefficients, zeros included, and averages are taken as they are.
#[test]
fn coefficients_are_images_of_their_statistics() {
    let model = model(RegressionLoss::Logistic, Penalty::L1(0.4), 3, true);
    let (x, mut s, mut back) = (vec![0.7, 0.0, -1e-3, 0.2], Vec::new(), Vec::new());
    model.parameters().unwrap().statistic_of(&x, &mut s);
    model.maximize(&s, fedbits_models::DomainPolicy::Error, &mut back).unwrap();
    assert!(x.iter().zip(&back).all(|(x, back)| (x - back).abs() < 1e-15), "{back:?}");
    assert_eq!((back[1], s[3]), (0.0, 0.2));
    model.admit(&x, fedbits_models::DomainPolicy::Error, &mut back).unwrap();
    assert_eq!(back, x);
}
