//! Where the entries of θ and s of a Gaussian mixture lie in their flat vectors, and their names.
//!
//! A symmetric d×d matrix is stored as vech: its lower triangle row by row, d(d+1)/2 numbers.

use fedbits_numerics::{vech_index, vech_length, vech_pairs};
use std::ops::Range;

/// Which covariances a mixture has; what the model is told beyond this stays in the model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    Known,
    Tied,
    Diagonal,
    Full,
}

/// Sizes and offsets of θ and s.
#[derive(Clone, Copy, Debug)]
pub(super) struct Layout {
    pub components: usize,
    pub dimension: usize,
    pub form: Form,
}

impl Layout {
    /// Numbers of s3 per component.
    fn second_moment_length(&self) -> usize {
        match self.form {
            Form::Known | Form::Tied => 0,
            Form::Diagonal => self.dimension,
            Form::Full => vech_length(self.dimension),
        }
    }

    /// q.
    pub fn statistic_dimension(&self) -> usize {
        self.components * (1 + self.dimension + self.second_moment_length())
    }

    /// Length of θ.
    pub fn parameter_dimension(&self) -> usize {
        self.components * (1 + self.dimension) + self.covariance_blocks() * self.covariance_length()
    }

    /// How many covariances θ holds.
    pub fn covariance_blocks(&self) -> usize {
        match self.form {
            Form::Known => 0,
            Form::Tied => 1,
            Form::Diagonal | Form::Full => self.components,
        }
    }

    /// Numbers per covariance in θ.
    pub fn covariance_length(&self) -> usize {
        match self.form {
            Form::Diagonal => self.dimension,
            Form::Known | Form::Tied | Form::Full => vech_length(self.dimension),
        }
    }

    /// Where a covariance, or s3 of a component, has the variance of column `j`.
    pub fn variance(&self, j: usize) -> usize {
        if self.form == Form::Diagonal { j } else { vech_index(j, j) }
    }

    /// A covariance (vech, d(d+1)/2) as θ holds it: not, its diagonal, or as it is.
    pub fn covariance_from(&self, sigma: &[f64]) -> Vec<f64> {
        match self.form {
            Form::Known => Vec::new(),
            Form::Diagonal => (0..self.dimension).map(|j| sigma[vech_index(j, j)]).collect(),
            Form::Tied | Form::Full => sigma.to_vec(),
        }
    }

    /// Row and column of every number of a covariance.
    pub fn covariance_entries(&self) -> Vec<(usize, usize)> {
        match self.form {
            Form::Diagonal => (0..self.dimension).map(|i| (i, i)).collect(),
            Form::Known | Form::Tied | Form::Full => vech_pairs(self.dimension).collect(),
        }
    }

    /// Range of µ_g in θ and, the layouts being alike, of s2_g in s.
    pub fn mean(&self, component: usize) -> Range<usize> {
        let start = self.components + component * self.dimension;
        start..start + self.dimension
    }

    /// Range of s3_g in s.
    pub fn second_moment(&self, component: usize) -> Range<usize> {
        let length = self.second_moment_length();
        let start = self.components * (1 + self.dimension) + component * length;
        start..start + length
    }

    /// Range of the covariance `block` in θ.
    pub fn covariance(&self, block: usize) -> Range<usize> {
        let start = self.components * (1 + self.dimension) + block * self.covariance_length();
        start..start + self.covariance_length()
    }

    /// Σ of a component in the layout of θ; `known` is that of the known form.
    pub fn covariance_of<'a>(&self, known: &'a [f64], theta: &'a [f64], component: usize) -> &'a [f64] {
        match self.form {
            Form::Known => known,
            Form::Tied => &theta[self.covariance(0)],
            Form::Diagonal | Form::Full => &theta[self.covariance(component)],
        }
    }

    pub fn parameter_names(&self) -> Vec<String> {
        let mut names = self.first_names("weight", "mean");
        for block in 0..self.covariance_blocks() {
            match self.form {
                Form::Diagonal => names.extend((0..self.dimension).map(|i| format!("variance_{block}_{i}"))),
                Form::Tied => names.extend(self.vech_names("covariance")),
                Form::Known | Form::Full => names.extend(self.vech_names(&format!("covariance_{block}"))),
            }
        }
        names
    }

    pub fn statistic_names(&self) -> Vec<String> {
        let mut names = self.first_names("s1", "s2");
        for g in 0..self.components {
            match self.form {
                Form::Known | Form::Tied => {}
                Form::Diagonal => names.extend((0..self.dimension).map(|i| format!("s3_{g}_{i}"))),
                Form::Full => names.extend(self.vech_names(&format!("s3_{g}"))),
            }
        }
        names
    }

    fn first_names(&self, weight: &str, mean: &str) -> Vec<String> {
        let weights = (0..self.components).map(|g| format!("{weight}_{g}"));
        let means = (0..self.components).flat_map(|g| (0..self.dimension).map(move |i| format!("{mean}_{g}_{i}")));
        weights.chain(means).collect()
    }

    fn vech_names(&self, prefix: &str) -> Vec<String> {
        vech_pairs(self.dimension).map(|(i, j)| format!("{prefix}_{i}_{j}")).collect()
    }
}
