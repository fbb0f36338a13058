//! Gradients against central differences: (f(z + h) − f(z − h))/2h differs from f' by h² f‴/6 plus rounding ε|f|/h.

use fedbits_models::latent::SampledModel;
use fedbits_models::mixed::ResidualError;
use fedbits_random::{DrawPurpose, Streams};

use super::{lines, oral, signed_lines, subject};

/// Largest |g_j − difference quotient| ÷ (1 + |g_j|), with Richardson's extrapolation of two steps (error h⁴).
pub fn gap(f: &dyn Fn(&[f64]) -> f64, at: &[f64], gradient: &[f64]) -> f64 {
    let mut x = at.to_vec();
    let mut slope = |j: usize, h: f64| {
        x[j] = at[j] + h;
        let up = f(&x);
        x[j] = at[j] - h;
        let down = f(&x);
        x[j] = at[j];
        (up - down) / (2.0 * h)
    };
    let each = |(j, g): (usize, &f64)| {
        let h = 2e-4 * at[j].abs().max(1.0);
        let extrapolated = (4.0 * slope(j, h / 2.0) - slope(j, h)) / 3.0;
        (g - extrapolated).abs() / (1.0 + g.abs())
    };
    gradient.iter().enumerate().map(each).fold(0.0, f64::max)
}

/// ∇ log p(y, z; θ) of every model at random z to 1e-7, with the density it returns equal to `log_density`.
#[test]
fn gradients_in_z_are_derivatives() {
    let times = [0.5, 1.0, 3.0, 9.0, 24.0, 72.0];
    let values = [1.9, 3.3, 6.6, 10.8, 5.6, 2.3];
    let pk = || vec![subject(&times, &values, Some(100.0))];
    let pk_theta = [-0.5, 2.0, -2.0, 0.4, 0.05, 0.08, 1.1];
    let lag_theta = [-1.5, -0.5, 2.0, -2.0, 0.01, 0.4, 0.05, 0.08, 1.1];
    let cases: Vec<(Box<dyn SampledModel>, Vec<f64>)> = vec![
        (
            Box::new(lines(vec![subject(&[-1.0, 0.1, 0.8], &[140.0, 150.0, 151.0], None)])),
            vec![148.0, 6.0, 60.0, 5.0, 3.0, 0.5],
        ),
        (Box::new(oral(false, ResidualError::Constant, pk())), pk_theta.to_vec()),
        (Box::new(oral(false, ResidualError::Proportional, pk())), pk_theta.to_vec()),
        (Box::new(oral(true, ResidualError::Constant, pk())), lag_theta.to_vec()),
        (Box::new(oral(true, ResidualError::Proportional, pk())), lag_theta.to_vec()),
        (Box::new(signed_lines(1.0)), vec![3.0, -1.1, 0.01, 0.0, 0.01, 0.09]),
    ];
    let mut stream = Streams::new(11, 0).at(DrawPurpose::Sampler, 0, 0);
    for (number, (model, theta)) in cases.iter().enumerate() {
        let posterior = model.posterior(theta).expect("a parameter");
        let p = model.latent_dimension();
        let (mut z, mut g) = (vec![0.0; p], vec![0.0; p]);
        for _ in 0..50 {
            posterior.draw_prior(0, &mut stream, &mut z);
            let density = posterior.gradient(0, &z, &mut g);
            assert_eq!(density, posterior.log_density(0, &z), "model {number}");
            if density > -1e4 {
                let gap = gap(&|z| posterior.log_density(0, z), &z, &g);
                assert!(gap < 1e-7, "model {number}: {gap:e} at {z:?}");
            }
        }
    }
}

/// Where absorption and elimination have the same rate, the curve and its gradient are smooth: ka = Cl/V.
#[test]
fn equal_rates_are_no_special_place() {
    let model = oral(false, ResidualError::Constant, vec![subject(&[1.0, 5.0], &[3.0, 2.0], Some(50.0))]);
    let theta = [0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 1.0];
    let posterior = model.posterior(&theta).expect("a parameter");
    for epsilon in [0.0, 1e-12, 1e-7, 1e-4, -1e-4, 1e-3, -1e-3] {
        let z = [-1.0 + epsilon, 1.5, 0.5];
        let mut g = [0.0; 3];
        posterior.gradient(0, &z, &mut g);
        let gap = gap(&|z| posterior.log_density(0, z), &z, &g);
        assert!(gap < 1e-7, "{gap:e} at ε = {epsilon:e}");
    }
}

/// The gradient in θ of the exact log-likelihood is the parameter gradient at s̄(θ) (Fisher's identity).
#[test]
fn the_parameter_gradient_obeys_fishers_identity() {
    let model = lines(vec![
        subject(&[-1.0, 0.1, 0.8], &[140.0, 150.0, 151.0], None),
        subject(&[-0.7, 0.3, 0.9, 1.0], &[149.0, 150.0, 157.0, 158.0], None),
    ]);
    let theta = vec![148.0, 6.0, 60.0, 5.0, 3.0, 0.5];
    let log_likelihood = |theta: &[f64]| {
        let posterior = model.posterior(theta).expect("a parameter");
        let mut s = vec![0.0; 6];
        (0..2).map(|i| posterior.expected_statistics(i, 0.5, &mut s).expect("exact")).sum::<f64>() / 2.0
    };
    let posterior = model.posterior(&theta).expect("a parameter");
    let (mut s, mut g) = (vec![0.0; 6], vec![0.0; 6]);
    for i in 0..2 {
        posterior.expected_statistics(i, 0.5, &mut s).expect("exact");
    }
    assert!(model.parameter_gradient(&s, &theta, &mut g).expect("a parameter"));
    let gap = gap(&log_likelihood, &theta, &g);
    assert!(gap < 1e-7, "{gap:e}");
}
