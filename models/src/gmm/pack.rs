//! θ with its factors computed once, in the form the E-step kernel reads.
//!
//! log N(y; µ, Σ) + log π = offset − ½ |W y + shift|², with W = L⁻¹, Σ = L Lᵀ, shift = −L⁻¹ µ and
//! offset = log π − d/2 log 2π + Σ_a log W_aa.

use super::features::Features;
use super::layout::{Form, Layout};
use crate::DomainError;
use fedbits_numerics::lanes::fused;
use fedbits_numerics::{inverse_root, vech_index};

/// W, once or per component.
#[derive(Clone, Debug)]
pub(super) enum Whitener {
    /// One W for all components, laid out by [`tile`].
    Common(Vec<f64>),
    /// The d diagonal entries of each W.
    Diagonal(Vec<f64>),
    /// Each W laid out by [`tile`].
    Full(Vec<f64>),
}

impl Whitener {
    /// Room for every W.
    fn empty(layout: &Layout) -> Self {
        let room = Vec::with_capacity(layout.covariance_blocks().max(1) * layout.covariance_length());
        match layout.form {
            Form::Known | Form::Tied => Self::Common(room),
            Form::Diagonal => Self::Diagonal(room),
            Form::Full => Self::Full(room),
        }
    }

    /// Adds a W of `d` columns.
    fn push(&mut self, factor: &[f64], d: usize) {
        match self {
            Self::Diagonal(all) => all.extend(factor),
            Self::Common(all) | Self::Full(all) => tile(factor, d, all),
        }
    }
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
        let logarithms = theta.iter().take(layout.components).map(|&weight| libm::log(weight)).collect();
        Self::weighted(layout, known, theta, logarithms)
    }

    /// The same with these logarithms of weights, one per component, in place of log π.
    pub fn weighted(layout: Layout, known: &[f64], theta: &[f64], log_weights: Vec<f64>) -> Result<Self, DomainError> {
        assert_eq!(theta.len(), layout.parameter_dimension(), "θ has the length of the model");
        DomainError::check_finite(theta)?;
        check_weights(&theta[..layout.components])?;
        let mut packed = Self {
            layout,
            features: Features::new(&layout),
            whitener: Whitener::empty(&layout),
            shifts: Vec::with_capacity(layout.components * layout.dimension),
            offsets: Vec::with_capacity(layout.components),
        };
        // One factor at a time: all of them would be as large as the whitener.
        for block in 0..layout.covariance_blocks().max(1) {
            let component = matches!(layout.form, Form::Diagonal | Form::Full).then_some(block);
            let factor = factor(&layout, component, layout.covariance_of(known, theta, block))?;
            packed.whitener.push(&factor, layout.dimension);
            for g in component.map_or(0..layout.components, |g| g..g + 1) {
                packed.push_component(&factor, log_weights[g], &theta[layout.mean(g)]);
            }
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

    fn push_component(&mut self, factor: &[f64], log_weight: f64, mean: &[f64]) {
        let d = mean.len();
        let diagonal = self.layout.form == Form::Diagonal;
        for a in 0..d {
            let projected = if diagonal {
                factor[a] * mean[a]
            } else {
                (0..=a).fold(0.0, |sum, b| fused(factor[vech_index(a, b)], mean[b], sum))
            };
            self.shifts.push(-projected);
        }
        let log_determinant = (0..d).fold(0.0, |sum, a| sum + libm::log(factor[self.layout.variance(a)]));
        self.offsets.push(log_weight - 0.5 * (d as f64) * LOG_TWO_PI + log_determinant);
    }
}

fn check_weights(weights: &[f64]) -> Result<(), DomainError> {
    match weights.iter().position(|&weight| weight <= 0.0) {
        Some(component) => Err(DomainError::Weight { component, value: weights[component] }),
        None => Ok(()),
    }
}

/// W of a covariance: vech L⁻¹, or 1/σ for the diagonal form.
fn factor(layout: &Layout, component: Option<usize>, sigma: &[f64]) -> Result<Vec<f64>, DomainError> {
    if layout.form != Form::Diagonal {
        return inverse_root(sigma.to_vec(), layout.dimension).map_err(DomainError::covariance(component));
    }
    match sigma.iter().position(|&variance| variance <= 0.0) {
        Some(pivot) => Err(DomainError::Covariance { component, pivot, value: sigma[pivot] }),
        None => Ok(sigma.iter().map(|variance| 1.0 / variance.sqrt()).collect()),
    }
}

/// A lower triangular matrix (vech) in the order in which the kernel reads it: tiles of [`ROWS`] rows, then of one; in
/// a tile column by column, in a column the rows that have it.
fn tile(factor: &[f64], d: usize, tiles: &mut Vec<f64>) {
    let mut above = 0;
    while above < d {
        let below = above + if d - above < ROWS { 1 } else { ROWS };
        for b in 0..below {
            tiles.extend((above.max(b)..below).map(|a| factor[vech_index(a, b)]));
        }
        above = below;
    }
}
