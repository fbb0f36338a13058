//! θ with its factors computed once, in the form the E-step kernel reads.
//!
//! log N(y; µ, Σ) + log π = offset − ½ |W y + shift|², with W = L⁻¹, Σ = L Lᵀ, shift = −L⁻¹ µ and
//! offset = log π − d/2 log 2π + Σ_a log W_aa.

use super::features::Features;
use super::layout::{Form, Layout};
use crate::DomainError;
use fedbits_numerics::{cholesky, invert_lower, vech_index};

/// W, once or per component.
#[derive(Clone, Debug)]
pub(super) enum Whitener {
    /// One W for all components, laid out by [`tiled`].
    Common(Vec<f64>),
    /// The d diagonal entries of each W.
    Diagonal(Vec<f64>),
    /// Each W laid out by [`tiled`].
    Full(Vec<f64>),
}

/// Parameters of the E-step.
#[derive(Clone, Debug)]
pub(super) struct Packed {
    pub layout: Layout,
    pub features: Features,
    pub whitener: Whitener,
    /// −W_g µ_g, d numbers per component.
    shifts: Vec<f64>,
    /// One number per component.
    pub offsets: Vec<f64>,
}

/// Rows of W per tile, as long as there are that many.
pub(super) const ROWS: usize = 4;
/// log 2π.
pub(super) const LOG_TWO_PI: f64 = 1.837_877_066_409_345_3;

impl Packed {
    /// Checks θ and factors it; `known` is Σ (vech) of the known form and empty otherwise.
    pub fn new(layout: Layout, known: &[f64], theta: &[f64]) -> Result<Self, DomainError> {
        assert_eq!(theta.len(), layout.parameter_dimension(), "θ has the length of the model");
        DomainError::check_finite(theta)?;
        check_weights(&theta[..layout.components])?;
        let factors = factors(&layout, known, theta)?;
        let (features, whitener) = (Features::new(&layout), pack(&layout, &factors));
        let mut packed = Self { layout, features, whitener, shifts: Vec::new(), offsets: Vec::new() };
        for g in 0..layout.components {
            let factor = &factors[if factors.len() == 1 { 0 } else { g }];
            packed.push_component(factor, theta[g], &theta[layout.mean(g)]);
        }
        Ok(packed)
    }

    /// True when every component has the same covariance.
    pub fn is_common(&self) -> bool {
        matches!(self.whitener, Whitener::Common(_))
    }

    /// −W_g µ_g.
    pub fn shift(&self, component: usize) -> &[f64] {
        &self.shifts[component * self.layout.dimension..][..self.layout.dimension]
    }

    /// W of a component, one of G blocks of equal length.
    pub fn block<'a>(&self, whiteners: &'a [f64], component: usize) -> &'a [f64] {
        let length = self.layout.covariance_length();
        &whiteners[component * length..][..length]
    }

    fn push_component(&mut self, factor: &[f64], weight: f64, mean: &[f64]) {
        let d = mean.len();
        let diagonal = self.layout.form == Form::Diagonal;
        for a in 0..d {
            let projected = if diagonal {
                factor[a] * mean[a]
            } else {
                (0..=a).fold(0.0, |sum, b| factor[vech_index(a, b)].mul_add(mean[b], sum))
            };
            self.shifts.push(-projected);
        }
        let pivot = |a: usize| if diagonal { factor[a] } else { factor[vech_index(a, a)] };
        let log_determinant = (0..d).fold(0.0, |sum, a| sum + libm::log(pivot(a)));
        self.offsets.push(libm::log(weight) - 0.5 * (d as f64) * LOG_TWO_PI + log_determinant);
    }
}

fn check_weights(weights: &[f64]) -> Result<(), DomainError> {
    match weights.iter().position(|&weight| weight <= 0.0) {
        Some(component) => Err(DomainError::Weight { component, value: weights[component] }),
        None => Ok(()),
    }
}

/// W of every covariance: vech L⁻¹, or 1/σ for the diagonal form.
fn factors(layout: &Layout, known: &[f64], theta: &[f64]) -> Result<Vec<Vec<f64>>, DomainError> {
    if layout.form == Form::Known {
        return Ok(vec![factor(layout, None, known)?]);
    }
    let component = |block: usize| (layout.form != Form::Tied).then_some(block);
    let blocks = 0..layout.covariance_blocks();
    blocks.map(|block| factor(layout, component(block), &theta[layout.covariance(block)])).collect()
}

fn factor(layout: &Layout, component: Option<usize>, sigma: &[f64]) -> Result<Vec<f64>, DomainError> {
    let mut factor = sigma.to_vec();
    if layout.form == Form::Diagonal {
        if let Some(pivot) = sigma.iter().position(|&variance| variance <= 0.0) {
            return Err(DomainError::Covariance { component, pivot, value: sigma[pivot] });
        }
        factor.iter_mut().for_each(|variance| *variance = 1.0 / variance.sqrt());
    } else {
        cholesky(&mut factor, layout.dimension).map_err(DomainError::covariance(component))?;
        invert_lower(&mut factor, layout.dimension);
    }
    Ok(factor)
}

fn pack(layout: &Layout, factors: &[Vec<f64>]) -> Whitener {
    let tiles = || factors.iter().flat_map(|factor| tiled(factor, layout.dimension)).collect();
    match layout.form {
        Form::Known | Form::Tied => Whitener::Common(tiles()),
        Form::Diagonal => Whitener::Diagonal(factors.concat()),
        Form::Full => Whitener::Full(tiles()),
    }
}

/// A lower triangular matrix (vech) in the order in which the kernel reads it: tiles of [`ROWS`] rows, then of one; in
/// a tile column by column, in a column the rows that have it.
fn tiled(factor: &[f64], d: usize) -> Vec<f64> {
    let mut tiles = Vec::with_capacity(factor.len());
    let mut above = 0;
    while above < d {
        let below = above + if d - above < ROWS { 1 } else { ROWS };
        for b in 0..below {
            tiles.extend((above.max(b)..below).map(|a| factor[vech_index(a, b)]));
        }
        above = below;
    }
    tiles
}
