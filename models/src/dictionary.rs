//! Dictionary learning as majorize–minimize in the space of statistics (Mairal, Bach, Ponce and Sapiro, "Online
//! learning for matrix factorization and sparse coding", JMLR 2010; the experiment of FedMM, Dieuleveut et al. 2025).
//!
//! ```text
//! f(θ, z) = min_h ½‖z − θ h‖² + λ ‖h‖₁                               z of p numbers, θ = (atom 1, …, atom K), p × K
//! s̄(z, θ) = (h* h*ᵀ, z h*ᵀ) at the minimizer h*;      T(s₁, s₂) = argmin_θ ½⟨s₁, θᵀθ⟩ − ⟨s₂, θ⟩ + η/2 ‖θ‖²
//!                                                                  = s₂ (s₁ + η I)⁻¹
//! F(θ) = mean over examples of f(θ, z) + η/2 ‖θ‖²
//! ```
//!
//! At any other θ' the code h* of θ gives an upper bound of f(θ', z), which is linear in s̄(z, θ): T never raises F.
//!
//! | vector | holds |
//! |---|---|
//! | θ | K atoms of p numbers each, one after the other |
//! | s | the lower triangle of s₁ row by row, K(K + 1)/2 numbers; then the K columns of s₂ as rows of p numbers |

use crate::data::{DataKind, DataSet, Shape};
use crate::fit::{ExactAbilities, ExactSetting, Fit, FitError, Given};
use crate::fitted::{Array, Features, Predictor};
use crate::initial::Start;
use crate::setting::{ModelFacts, ModelSetting};
use crate::{Batch, DomainError, DomainPolicy, EStep, ExactModel, Examples, Model, Parameters, Repairs, Scratch};
use fedbits_numerics::{dot, inverse_root, norm, solve, vech_index, vech_length, vech_pairs};
use fedbits_spec::Described;
use fedbits_spec::range::{POSITIVE, whole};
use serde::{Deserialize, Serialize};

/// A dictionary of K atoms for examples of p numbers.
pub struct Dictionary {
    atoms: usize,
    columns: Vec<String>,
    /// λ.
    lambda: f64,
    /// η.
    eta: f64,
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
        repairs.eigenvalues = policy.raise_eigenvalues(&mut factor, self.atoms);
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
        Ok(Box::new(Coder::new(theta, self.length(), self.lambda)?))
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

impl EStep for Coder {
    /// The objective is the mean cost.
    fn mean(
        &self,
        examples: Examples<'_>,
        batch: Batch<'_>,
        scratch: &mut Scratch,
        out: &mut [f64],
        wanted: bool,
    ) -> f64 {
        let (count, p) = (self.codes(), examples.dimension());
        out.fill(0.0);
        scratch.buffer.resize(2 * count + p, 0.0);
        let (code, rest) = scratch.buffer.split_at_mut(count);
        let (slope, rest) = rest.split_at_mut(count);
        let (products, cross) = out.split_at_mut(vech_length(count));
        let visited = batch.indices(examples.len());
        let (visits, mut cost) = (visited.len(), 0.0);
        for j in visited {
            let z = examples.row(j);
            self.encode(z, code, slope);
            for k in (0..count).filter(|&k| code[k] != 0.0) {
                let row = &mut products[vech_index(k, 0)..][..=k];
                row.iter_mut().zip(&*code).for_each(|(sum, h)| *sum += code[k] * h);
                let row = &mut cross[k * p..][..p];
                row.iter_mut().zip(z).for_each(|(sum, z)| *sum += code[k] * z);
            }
            if wanted {
                cost += self.cost(z, code, rest);
            }
        }
        let visits = visits.max(1) as f64;
        out.iter_mut().for_each(|sum| *sum /= visits);
        cost / visits
    }
}

impl Predictor for Coder {
    fn columns(&self) -> Vec<String> {
        std::iter::once("cost".to_owned()).chain((0..self.codes()).map(|k| format!("code_{k}"))).collect()
    }

    fn predict(&self, data: &DataSet) -> Result<Vec<f64>, DomainError> {
        let (count, mut rest) = (self.codes(), vec![0.0; data.dimension()]);
        let (mut code, mut slope, mut found) = (vec![0.0; count], vec![0.0; count], Vec::new());
        for z in data.rows().chunks_exact(data.dimension()) {
            self.encode(z, &mut code, &mut slope);
            found.push(self.cost(z, &code, &mut rest));
            found.extend_from_slice(&code);
        }
        Ok(found)
    }
}

/// Sweeps over the coordinates at most; a dictionary of nearly equal atoms takes the most.
const SWEEPS: usize = 1_000;
/// A sweep that changes no h_k by more than this share of ‖z‖, in units of its atom, ends the descent.
const REST: f64 = 1e-14;

/// Sparse codes at a fixed dictionary.
struct Coder {
    /// Atoms, a row of `length` numbers each.
    atoms: Vec<f64>,
    length: usize,
    /// θᵀθ, K × K.
    gram: Vec<f64>,
    lambda: f64,
}

impl Coder {
    /// For examples of `length` numbers.
    fn new(atoms: &[f64], length: usize, lambda: f64) -> Result<Self, DomainError> {
        DomainError::check_finite(atoms)?;
        let rows = || atoms.chunks_exact(length);
        let gram: Vec<f64> = rows().flat_map(|row| rows().map(|column| dot(row, column))).collect();
        DomainError::check_finite(&gram)?;
        Ok(Self { atoms: atoms.to_vec(), length, gram, lambda })
    }

    fn codes(&self) -> usize {
        self.atoms.len() / self.length
    }

    /// Writes h*, K numbers, over zeros: the same start for every call, so that a code depends on z alone. `slope` is
    /// working memory of K numbers.
    fn encode(&self, z: &[f64], code: &mut [f64], slope: &mut [f64]) {
        let count = self.codes();
        code.fill(0.0);
        // θᵀ(z − θ h).
        slope.iter_mut().zip(self.atoms.chunks_exact(self.length)).for_each(|(slope, atom)| *slope = dot(atom, z));
        let least = REST * dot(z, z).sqrt();
        for _ in 0..SWEEPS {
            let mut largest = 0.0_f64;
            for k in 0..count {
                let row = &self.gram[k * count..][..count];
                let curvature = row[k];
                if curvature <= 0.0 {
                    continue;
                }
                let free = slope[k] + curvature * code[k];
                let next = free.signum() * (free.abs() - self.lambda).max(0.0) / curvature;
                let change = next - code[k];
                if change != 0.0 {
                    code[k] = next;
                    slope.iter_mut().zip(row).for_each(|(slope, entry)| *slope -= change * entry);
                    largest = largest.max(change.abs() * curvature.sqrt());
                }
            }
            if largest <= least {
                return;
            }
        }
    }

    /// ½‖z − θ h‖² + λ‖h‖₁. `rest` is working memory of p numbers.
    fn cost(&self, z: &[f64], code: &[f64], rest: &mut [f64]) -> f64 {
        rest.copy_from_slice(z);
        for (h, atom) in code.iter().zip(self.atoms.chunks_exact(self.length)).filter(|(h, _)| **h != 0.0) {
            rest.iter_mut().zip(atom).for_each(|(rest, entry)| *rest -= h * entry);
        }
        0.5 * dot(rest, rest) + self.lambda * code.iter().map(|h| h.abs()).sum::<f64>()
    }
}

/// Dictionary learning with K atoms, min ½‖z − θh‖² + λ‖h‖₁ + η/2 ‖θ‖² (FedMM, Dieuleveut et al. 2025; Mairal et al.
/// 2010). The fit starts at normalized examples.
#[derive(Clone, Debug, Described, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields, rename = "Dictionary")]
pub struct DictionarySetting {
    /// K.
    #[range(whole(1, 1_000))]
    pub atoms: usize,
    /// λ, in units of the data times units of an atom.
    #[range(POSITIVE)]
    pub lambda: f64,
    /// η; keeps T defined if an atom is unused.
    #[range(POSITIVE)]
    pub eta: f64,
}

impl ModelSetting for DictionarySetting {
    fn facts(&self) -> ModelFacts {
        ModelFacts::new(DataKind::Examples, &["RandomExamples", "KMeansPlusPlus"])
    }

    fn statistic(&self, shape: &Shape) -> Option<usize> {
        Some(vech_length(self.atoms) + self.atoms.checked_mul(shape.features?)?)
    }

    fn parameters(&self, shape: &Shape) -> Option<usize> {
        self.atoms.checked_mul(shape.features?)
    }

    fn size_field(&self, _: &dyn crate::data::DataSource) -> &'static str {
        "model.atoms"
    }

    fn exact(&self) -> Option<&dyn ExactSetting> {
        Some(self)
    }

    /// `atoms`, K × p, of the prepared columns.
    fn arrays(&self, theta: &[f64], _: &Features) -> Result<Vec<Array>, FitError> {
        Ok(vec![Array::numbers("atoms", &[self.atoms, theta.len() / self.atoms], theta.to_vec())])
    }

    fn predictor(&self, theta: &[f64], features: &Features) -> Result<Option<Box<dyn Predictor>>, FitError> {
        let length = features.prepared();
        FitError::theta(theta.len(), self.atoms * length)?;
        Ok(Some(Box::new(Coder::new(theta, length, self.lambda).map_err(FitError::model)?)))
    }

    fn examples() -> Vec<Self> {
        vec![Self { atoms: 2, lambda: 0.1, eta: 0.01 }, Self { atoms: 3, lambda: 0.5, eta: 0.1 }]
    }
}

impl ExactSetting for DictionarySetting {
    fn fit(&self, data: &DataSet, given: &Given<'_>) -> Result<Fit<dyn ExactModel>, FitError> {
        let (atoms, columns) = (self.atoms, data.columns().to_vec());
        let model = Dictionary { atoms, columns, lambda: self.lambda, eta: self.eta };
        let theta = match given.initial.parameters(model.parameter_dimension()).map_err(FitError::start)? {
            Some(theta) => theta,
            None => match given.initial.start(self.atoms, data.examples(), given.streams).map_err(FitError::start)? {
                Some(Start::Means(atoms)) => of_length_1(atoms, data.dimension()),
                _ => return Err(FitError::model("this start is not for this model")),
            },
        };
        model.conditional(&theta).map_err(FitError::start)?;
        Ok(Fit::new(Box::new(model) as Box<dyn ExactModel>, theta))
    }

    fn abilities(&self) -> ExactAbilities {
        ExactAbilities { averages_parameters: true, averages_expectations: false, ..ExactAbilities::default() }
    }
}

/// Atoms of length 1; one of zeros stays.
fn of_length_1(mut atoms: Vec<f64>, length: usize) -> Vec<f64> {
    for atom in atoms.chunks_exact_mut(length) {
        let size = norm(atom);
        if size > 0.0 {
            atom.iter_mut().for_each(|entry| *entry /= size);
        }
    }
    atoms
}

#[cfg(test)]
mod tests {
    use super::*;
    use fedbits_random::CounterKey;

    /// θ_kᵀ(z − θ h) is λ sign(h_k), or within ±λ where h_k is 0: that is the minimum of a convex function.
    #[test]
    fn codes_satisfy_the_optimality_conditions() {
        for (seed, (p, count, lambda)) in
            [(8, 5, 0.1), (5, 9, 0.3), (20, 20, 0.02), (3, 1, 0.5)].into_iter().enumerate()
        {
            let numbers = |stream: u64, n: usize| -> Vec<f64> {
                (0..n as u64).map(|j| CounterKey::new(100 * seed as u64 + stream).uniform(j) - 0.5).collect()
            };
            let (atoms, z) = (numbers(1, p * count), numbers(2, p));
            let coder = Coder::new(&atoms, p, lambda).expect("finite atoms");
            let (mut code, mut slope) = (vec![0.0; count], vec![0.0; count]);
            coder.encode(&z, &mut code, &mut slope);
            let rest: Vec<f64> =
                (0..p).map(|j| z[j] - (0..count).map(|k| atoms[k * p + j] * code[k]).sum::<f64>()).collect();
            for (k, h) in code.iter().enumerate() {
                let gradient = dot(&atoms[k * p..][..p], &rest);
                let expected = if *h == 0.0 { gradient.clamp(-lambda, lambda) } else { lambda * h.signum() };
                assert!((gradient - expected).abs() < 1e-12, "atom {k} of {count}: {gradient}, expected {expected}");
            }
        }
    }
}
