//! What is known or shared of the covariances of a mixture, as scenarios name it.

use fedbits_numerics::vech;
use fedbits_spec::{Described, Facts, Findings, Path};
use serde::{Deserialize, Serialize};

use super::mixture::Covariance;
use crate::Examples;
use crate::initial::{sample_covariance, sample_variances};
use crate::matrix::{Covariances, Matrix, covariance};

/// Covariance structure; sets the statistic's length q (d features, G components).
#[derive(Clone, Debug, Default, Described, Deserialize, PartialEq, Serialize)]
#[serde(rename = "Covariance")]
#[described(rules = known_is_covariance)]
pub enum CovarianceForm {
    /// One known d × d matrix: q = G + G·d.
    Known(#[described(by_rules)] Matrix),
    /// One unknown matrix: q = G + G·d.
    Tied,
    /// Variances per component and feature: q = G + 2·G·d.
    Diagonal,
    /// A matrix per component: q = G·(1 + d + d(d + 1)/2).
    #[default]
    Full,
}

fn known_is_covariance(form: &CovarianceForm, at: &Path<'_>, facts: &Facts, findings: &mut Findings) {
    if let CovarianceForm::Known(matrix) = form {
        covariance(matrix, facts.features, &at.index(0), findings);
    }
}

impl CovarianceForm {
    /// The form with its constant; `second_moment` is C2, which the tied form needs.
    pub fn build(&self, second_moment: impl FnOnce() -> Vec<f64>) -> Covariance {
        match self {
            Self::Known(matrix) => Covariance::Known(matrix.concat()),
            Self::Tied => Covariance::Tied { second_moment: second_moment() },
            Self::Diagonal => Covariance::Diagonal,
            Self::Full => Covariance::Full,
        }
    }

    /// q; beyond what can be counted the largest number.
    pub(super) fn statistic(&self, components: usize, features: usize) -> usize {
        let second = match self {
            Self::Known(_) | Self::Tied => 0,
            Self::Diagonal => features,
            Self::Full => features.saturating_mul(features.saturating_add(1)) / 2,
        };
        components.saturating_mul(features.saturating_add(1).saturating_add(second))
    }

    /// Can a mixture of this form have these covariances?
    #[must_use]
    pub fn allows(&self, covariances: &Covariances) -> bool {
        let is_diagonal = |matrix: &Matrix| {
            let entries = |(i, row): (usize, &Vec<f64>)| row.iter().enumerate().all(|(j, &x)| i == j || x == 0.0);
            matrix.iter().enumerate().all(entries)
        };
        match self {
            Self::Known(known) => covariances.matrices().iter().all(|matrix| matrix == known),
            Self::Tied => matches!(covariances, Covariances::Common(_)),
            Self::Diagonal => covariances.matrices().iter().all(is_diagonal),
            Self::Full => true,
        }
    }

    /// Covariances in the layout of θ.
    #[must_use]
    pub fn part(&self, components: usize, covariances: &Covariances) -> Vec<f64> {
        let vech = |matrix: &Matrix| vech(&matrix.concat(), matrix.len());
        match covariances {
            Covariances::Common(matrix) => self.repeated(components, self.block(&vech(matrix), matrix.len())),
            Covariances::PerComponent(matrices) => {
                matrices.iter().flat_map(|matrix| self.block(&vech(matrix), matrix.len())).collect()
            }
        }
    }

    /// The covariance of all examples for every component, in the layout of θ.
    #[must_use]
    pub fn pooled_part(&self, components: usize, examples: Examples<'_>) -> Vec<f64> {
        let block = match self {
            Self::Known(_) => Vec::new(),
            Self::Diagonal => sample_variances(examples),
            Self::Tied | Self::Full => sample_covariance(examples),
        };
        self.repeated(components, block)
    }

    /// One covariance as θ holds it, for every component.
    fn repeated(&self, components: usize, block: Vec<f64>) -> Vec<f64> {
        match self {
            Self::Known(_) | Self::Tied => block,
            Self::Diagonal | Self::Full => block.repeat(components),
        }
    }

    /// One covariance as θ holds it: its vech, or its diagonal.
    fn block(&self, covariance: &[f64], d: usize) -> Vec<f64> {
        match self {
            Self::Known(_) => Vec::new(),
            Self::Diagonal => (0..d).map(|i| covariance[i * (i + 1) / 2 + i]).collect(),
            Self::Tied | Self::Full => covariance.to_vec(),
        }
    }
}
