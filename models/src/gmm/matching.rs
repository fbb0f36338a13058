//! Comparing two mixtures whose components are numbered differently.

use super::layout::{Form, Layout};
use crate::assignment::assign;

/// The sum of squared differences of all entries of θ and `truth`, minimal over permutations of the components of θ.
pub(super) fn parameter_error(layout: &Layout, theta: &[f64], truth: &[f64]) -> f64 {
    let g = layout.components;
    let cost = component_errors(layout, theta, truth);
    let matched = assign(&cost, g, g);
    let components = matched.iter().enumerate().fold(0.0, |sum, (i, &j)| sum + cost[i * g + j]);
    if layout.form == Form::Tied {
        return components + squared_distance(&theta[layout.covariance(0)], &truth[layout.covariance(0)]);
    }
    components
}

/// Which component of `reference` each component of θ is, by the same differences.
pub(super) fn match_components(layout: &Layout, theta: &[f64], reference: &[f64]) -> Vec<usize> {
    let g = layout.components;
    assign(&component_errors(layout, theta, reference), g, g)
}

fn component_errors(layout: &Layout, theta: &[f64], truth: &[f64]) -> Vec<f64> {
    let g = layout.components;
    (0..g * g).map(|at| component_error(layout, (theta, at / g), (truth, at % g))).collect()
}

/// Squared difference of component `i` of one θ and component `j` of another, without a common covariance.
fn component_error(layout: &Layout, (theta, i): (&[f64], usize), (truth, j): (&[f64], usize)) -> f64 {
    let weight = squared_distance(&theta[i..=i], &truth[j..=j]);
    let mean = squared_distance(&theta[layout.mean(i)], &truth[layout.mean(j)]);
    let covariance = match layout.form {
        Form::Known | Form::Tied => 0.0,
        Form::Diagonal | Form::Full => squared_distance(&theta[layout.covariance(i)], &truth[layout.covariance(j)]),
    };
    weight + mean + covariance
}

fn squared_distance(x: &[f64], y: &[f64]) -> f64 {
    x.iter().zip(y).fold(0.0, |sum, (x, y)| sum + (x - y) * (x - y))
}
