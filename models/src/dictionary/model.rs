//! The model of dictionary learning.

use fedbits_numerics::{inverse_root, raise_eigenvalues, solve, vech_index, vech_length, vech_pairs};

use super::lasso::Coder;
use crate::data::DataSet;
use crate::fitted::Predictor;
use crate::{Batch, DomainError, DomainPolicy, EStep, ExactModel, Examples, Model, Parameters, Repairs, Scratch};

/// A dictionary of K atoms for examples of p numbers.
pub struct Dictionary {
    pub(super) atoms: usize,
    pub(super) columns: Vec<String>,
    /// λ.
    pub(super) lambda: f64,
    /// η.
    pub(super) eta: f64,
}

impl Dictionary {
    /// p.
    fn length(&self) -> usize {
        self.columns.len()
    }
}

impl Model for Dictionary {
    fn statistic_dimension(&self) -> usize {
        vech_length(self.atoms) + self.atoms * self.length()
    }

    fn parameter_dimension(&self) -> usize {
        self.atoms * self.length()
    }

    fn parameter_names(&self) -> Vec<String> {
        let of = |k: usize| self.columns.iter().map(move |column| format!("atom_{k}_{column}"));
        (0..self.atoms).flat_map(of).collect()
    }

    fn statistic_names(&self) -> Vec<String> {
        let products = vech_pairs(self.atoms).map(|(k, l)| format!("hh_{k}_{l}"));
        let of = |k: usize| self.columns.iter().map(move |column| format!("zh_{k}_{column}"));
        products.chain((0..self.atoms).flat_map(of)).collect()
    }

    fn maximize(&self, s: &[f64], policy: DomainPolicy, theta: &mut Vec<f64>) -> Result<Repairs, DomainError> {
        DomainError::check_finite(s)?;
        let (mut factor, mut repairs) = (s[..vech_length(self.atoms)].to_vec(), Repairs::default());
        for k in 0..self.atoms {
            factor[vech_index(k, k)] += self.eta;
        }
        if let DomainPolicy::Clip { floor } = policy {
            repairs.eigenvalues = raise_eigenvalues(&mut factor, self.atoms, floor);
        }
        let inverse = inverse_root(factor, self.atoms).map_err(|bad| {
            let (pivot, value) = (bad.pivot, bad.value);
            DomainError::Other(format!("s₁ + η I is not positive definite (pivot {pivot} is {value:e})"))
        })?;
        let (p, right) = (self.length(), &s[vech_length(self.atoms)..]);
        theta.clear();
        theta.resize(self.atoms * p, 0.0);
        for j in 0..p {
            let column: Vec<f64> = right.iter().skip(j).step_by(p).copied().collect();
            let solved = solve(&inverse, &column);
            theta.iter_mut().skip(j).step_by(p).zip(solved).for_each(|(theta, x)| *theta = x);
        }
        DomainError::check_finite(theta)?;
        Ok(repairs)
    }

    fn penalty(&self, theta: &[f64]) -> f64 {
        0.5 * self.eta * theta.iter().map(|x| x * x).sum::<f64>()
    }
}

impl ExactModel for Dictionary {
    fn example_dimension(&self) -> usize {
        self.length()
    }

    fn conditional(&self, theta: &[f64]) -> Result<Box<dyn EStep>, DomainError> {
        Ok(Box::new(Codes::new(theta, self.length(), self.lambda)?))
    }

    fn parameters(&self) -> Option<&dyn Parameters> {
        Some(self)
    }
}

impl Parameters for Dictionary {
    /// s₁ = I and s₂ = (1 + η) θ: one of the statistics that T maps to θ.
    fn statistic_of(&self, theta: &[f64], s: &mut Vec<f64>) {
        s.clear();
        s.resize(vech_length(self.atoms), 0.0);
        (0..self.atoms).for_each(|k| s[vech_index(k, k)] = 1.0);
        s.extend(theta.iter().map(|entry| (1.0 + self.eta) * entry));
    }

    fn is_expectation(&self) -> bool {
        false
    }
}

/// Codes of examples under a dictionary.
pub(super) struct Codes(Coder);

impl Codes {
    /// For examples of `length` numbers.
    pub(super) fn new(theta: &[f64], length: usize, lambda: f64) -> Result<Self, DomainError> {
        DomainError::check_finite(theta)?;
        let coder = Coder::new(theta, length, lambda);
        DomainError::check_finite(coder.gram())?;
        Ok(Self(coder))
    }
}

impl EStep for Codes {
    /// The objective is the mean cost.
    fn mean(
        &self,
        examples: Examples<'_>,
        batch: Batch<'_>,
        scratch: &mut Scratch,
        out: &mut [f64],
        wanted: bool,
    ) -> f64 {
        let (count, p) = (self.0.codes(), examples.dimension());
        out.fill(0.0);
        scratch.buffer.resize(2 * count + p, 0.0);
        let (code, rest) = scratch.buffer.split_at_mut(count);
        let (slope, rest) = rest.split_at_mut(count);
        let (products, cross) = out.split_at_mut(vech_length(count));
        let visited = batch.indices(examples.len());
        let (visits, mut cost) = (visited.len(), 0.0);
        for j in visited {
            let z = examples.row(j);
            self.0.encode(z, code, slope);
            for k in (0..count).filter(|&k| code[k] != 0.0) {
                let row = &mut products[vech_index(k, 0)..][..=k];
                row.iter_mut().zip(&*code).for_each(|(sum, h)| *sum += code[k] * h);
                let row = &mut cross[k * p..][..p];
                row.iter_mut().zip(z).for_each(|(sum, z)| *sum += code[k] * z);
            }
            if wanted {
                cost += self.0.cost(z, code, rest);
            }
        }
        let visits = visits.max(1) as f64;
        out.iter_mut().for_each(|sum| *sum /= visits);
        cost / visits
    }
}

impl Predictor for Codes {
    fn columns(&self) -> Vec<String> {
        std::iter::once("cost".to_owned()).chain((0..self.0.codes()).map(|k| format!("code_{k}"))).collect()
    }

    fn predict(&self, data: &DataSet) -> Result<Vec<f64>, DomainError> {
        let (count, mut rest) = (self.0.codes(), vec![0.0; data.dimension()]);
        let (mut code, mut slope, mut found) = (vec![0.0; count], vec![0.0; count], Vec::new());
        for z in data.rows().chunks_exact(data.dimension()) {
            self.0.encode(z, &mut code, &mut slope);
            found.push(self.0.cost(z, &code, &mut rest));
            found.extend_from_slice(&code);
        }
        Ok(found)
    }
}
