//! θ with its factors computed once, in the form the E-step kernel reads.
//!
//! log N(y; µ, Σ) + log π = offset − ½ |W y + shift|², with W = L⁻¹, Σ = L Lᵀ, shift = −L⁻¹ µ and
//! offset = log π − d/2 log 2π + Σ_a log W_aa. It must not know the observations.

use super::layout::{Form, Layout, vech_index};
use super::linalg::{cholesky, invert_lower};
use super::maximize::check_finite;
use crate::DomainError;

/// Parameters of the E-step. `W` is stored once when all components share it.
#[derive(Clone, Debug)]
pub(super) struct Packed {
    pub layout: Layout,
    /// vech W (diagonal form: its d diagonal entries) per covariance, one after the other.
    pub whiteners: Vec<f64>,
    /// −W_g µ_g, d numbers per component.
    pub shifts: Vec<f64>,
    /// One number per component.
    pub offsets: Vec<f64>,
}

const LOG_TWO_PI: f64 = 1.837_877_066_409_345_3;

impl Packed {
    /// Checks θ and factors it; `known` is Σ (vech) of the known form and empty otherwise.
    pub fn new(layout: Layout, known: &[f64], theta: &[f64]) -> Result<Self, DomainError> {
        assert_eq!(
            theta.len(),
            layout.parameter_dimension(),
            "θ has the length of the model"
        );
        check_finite(theta)?;
        let mut packed = Self {
            layout,
            whiteners: Vec::new(),
            shifts: Vec::new(),
            offsets: Vec::new(),
        };
        if layout.form == Form::Known {
            packed.push_whitener(None, known)?;
        }
        for block in 0..layout.covariance_blocks() {
            let component = (layout.form != Form::Tied).then_some(block);
            packed.push_whitener(component, &theta[layout.covariance(block)])?;
        }
        for g in 0..layout.components {
            packed.push_component(g, theta)?;
        }
        Ok(packed)
    }

    /// True when every component has the same covariance.
    pub fn is_common(&self) -> bool {
        matches!(self.layout.form, Form::Known | Form::Tied)
    }

    /// W of a component.
    pub fn whitener(&self, component: usize) -> &[f64] {
        let length = self.layout.covariance_length();
        let block = if self.is_common() { 0 } else { component };
        &self.whiteners[block * length..][..length]
    }

    /// −W_g µ_g.
    pub fn shift(&self, component: usize) -> &[f64] {
        &self.shifts[component * self.layout.dimension..][..self.layout.dimension]
    }

    fn push_whitener(&mut self, component: Option<usize>, sigma: &[f64]) -> Result<(), DomainError> {
        let bad = |pivot, value| DomainError::Covariance {
            component,
            pivot,
            value,
        };
        let mut factor = sigma.to_vec();
        if self.layout.form == Form::Diagonal {
            if let Some(pivot) = sigma.iter().position(|&variance| variance <= 0.0) {
                return Err(bad(pivot, sigma[pivot]));
            }
            factor.iter_mut().for_each(|variance| *variance = 1.0 / variance.sqrt());
        } else {
            cholesky(&mut factor, self.layout.dimension).map_err(|error| bad(error.pivot, error.value))?;
            invert_lower(&mut factor, self.layout.dimension);
        }
        self.whiteners.extend(factor);
        Ok(())
    }

    fn push_component(&mut self, g: usize, theta: &[f64]) -> Result<(), DomainError> {
        if theta[g] <= 0.0 {
            return Err(DomainError::Weight {
                component: g,
                value: theta[g],
            });
        }
        let d = self.layout.dimension;
        let mean = &theta[self.layout.mean(g)];
        let whitener = self.whitener(g);
        let row = |a: usize| match self.layout.form {
            Form::Diagonal => -(whitener[a] * mean[a]),
            _ => -(0..=a).fold(0.0, |sum, b| whitener[vech_index(a, b)].mul_add(mean[b], sum)),
        };
        let diagonal = |a: usize| match self.layout.form {
            Form::Diagonal => whitener[a],
            _ => whitener[vech_index(a, a)],
        };
        let shift: Vec<f64> = (0..d).map(row).collect();
        let log_determinant = (0..d).fold(0.0, |sum, a| sum + libm::log(diagonal(a)));
        self.offsets
            .push(libm::log(theta[g]) - 0.5 * (d as f64) * LOG_TWO_PI + log_determinant);
        self.shifts.extend(shift);
        Ok(())
    }
}
