//! T, the M-step of a Gaussian mixture: π_g = s1_g / Σ s1, µ_g = s2_g / s1_g and the covariances
//! Σ_g = s3_g / s1_g − µ_g µ_gᵀ (diagonal and full) or Σ = C2 − Σ_g s1_g µ_g µ_gᵀ (tied).
//!
//! The tied form does not divide by Σ s1, as the code of the FIEM authors does not.

use super::layout::{Form, Layout};
use super::prior::Conjugate;
use crate::{DomainError, DomainPolicy, Repairs};
use fedbits_numerics::{cholesky, raise_eigenvalues, vech_pairs};

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
        let weights = repaired_weights(&s[..layout.components], policy, &mut repairs)?;
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

fn repaired_weights(s1: &[f64], policy: DomainPolicy, repairs: &mut Repairs) -> Result<Vec<f64>, DomainError> {
    let mut weights = s1.to_vec();
    for (component, weight) in weights.iter_mut().enumerate() {
        match policy {
            DomainPolicy::Clip { floor } if *weight < floor => {
                *weight = floor;
                repairs.weights += 1;
            }
            _ => {}
        }
        if *weight <= 0.0 {
            return Err(DomainError::Weight { component, value: *weight });
        }
    }
    Ok(weights)
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
    if let DomainPolicy::Clip { floor } = policy {
        repairs.eigenvalues += match layout.form {
            Form::Diagonal => raise_entries(sigma, floor),
            Form::Known | Form::Tied | Form::Full => raise_eigenvalues(sigma, layout.dimension, floor),
        };
    }
    check_covariance(layout, block, sigma)
}

fn raise_entries(variances: &mut [f64], floor: f64) -> u32 {
    let mut raised = 0;
    for variance in variances.iter_mut().filter(|variance| **variance < floor) {
        *variance = floor;
        raised += 1;
    }
    raised
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
