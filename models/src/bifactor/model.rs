//! Responses with the group of every item, θ and s, T, a regression of three weights per item, a statistic for a given
//! θ, and the Fisher gradient.

use super::law::Law;
use crate::data::responses::Responses;
use crate::fit::FitError;
use crate::{DomainError, DomainPolicy, Model, Parameters, Repairs};
use fedbits_numerics::{BadPivot, cholesky, vech_index};
use fedbits_spec::so_many;

/// A bi-factor model with its responses.
pub struct BiFactor {
    pub(super) law: Law,
    /// g(j), from 0.
    pub(super) group: Vec<usize>,
    pub(super) groups: usize,
    pub(super) data: Responses,
}

impl BiFactor {
    /// The model of `data`. `groups`: the group of every item, numbered from 1 without gaps.
    ///
    /// # Errors
    /// Not one group per item, a group without items, no person.
    pub fn new(law: Law, groups: &[usize], data: Responses) -> Result<Self, FitError> {
        let most = groups.iter().copied().max().unwrap_or(0);
        if groups.len() != data.items.len() {
            let (groups, items) = (so_many(groups.len(), "group"), so_many(data.items.len(), "item"));
            return Err(FitError::model(format!("{groups} for {items}: expected one group per item")));
        }
        if data.persons() == 0 {
            return Err(FitError::model("there are no persons: expected at least one"));
        }
        if let Some(group) = (1..=most).find(|group| !groups.contains(group)).or(groups.contains(&0).then_some(0)) {
            let text = format!("group {group} has no item: expected groups 1 to {most}, each with items");
            return Err(FitError::model(text));
        }
        Ok(Self { law, group: groups.iter().map(|group| group - 1).collect(), groups: most, data })
    }

    /// The responses.
    pub fn data(&self) -> &Responses {
        &self.data
    }

    /// θ with the same numbers for every item; `variance` counts with Gaussian responses only.
    pub fn parameter(&self, intercept: f64, general: f64, specific: f64, variance: f64) -> Vec<f64> {
        let item = [intercept, general, specific, variance];
        item[..self.law.parameters()].repeat(self.group.len())
    }

    pub(super) fn items(&self) -> usize {
        self.group.len()
    }

    /// (µ, a, c) of item `j`.
    pub(super) fn weights<'a>(&self, theta: &'a [f64], j: usize) -> &'a [f64] {
        &theta[j * self.law.parameters()..][..3]
    }

    /// Sign of factor `f` (0: general) that makes its first loading positive.
    pub(super) fn sign(&self, theta: &[f64], f: usize) -> f64 {
        let first = if f == 0 { Some(0) } else { self.group.iter().position(|&g| g + 1 == f) };
        let loading = first.map_or(0.0, |j| self.weights(theta, j)[1 + usize::from(f > 0)]);
        if loading < 0.0 { -1.0 } else { 1.0 }
    }
}

/// Lower triangle of M and r, for one item.
struct Moments {
    m: [f64; 6],
    r: [f64; 3],
    /// Mean of y²; 0 with binary responses.
    y_sq: f64,
}

impl Moments {
    fn of(model: &BiFactor, s: &[f64], j: usize) -> Self {
        let at = model.item_statistics(j);
        if model.law == Law::Logit {
            let item: &[f64; 9] = s[at..].first_chunk().expect("an item has 9 statistics");
            let [m @ .., r0, r1, r2] = *item;
            return Self { m, r: [r0, r1, r2], y_sq: 0.0 };
        }
        let g = 3 * model.group[j] + 2;
        let y_sq = if model.law == Law::Gaussian { s[at + 3] } else { 0.0 };
        Self { m: [1.0, s[0], s[1], s[g], s[g + 1], s[g + 2]], r: [s[at], s[at + 1], s[at + 2]], y_sq }
    }

    /// (M x)_i.
    fn product(&self, x: &[f64], i: usize) -> f64 {
        (0..3).map(|k| self.m[vech_index(i.max(k), i.min(k))] * x[k]).sum()
    }

    /// Mean of (y − xᵀu)².
    fn residual(&self, x: &[f64; 3]) -> f64 {
        self.y_sq + (0..3).map(|i| x[i] * (self.product(x, i) - 2.0 * self.r[i])).sum::<f64>()
    }
}

impl Model for BiFactor {
    fn statistic_dimension(&self) -> usize {
        self.law.statistic(self.groups, self.items())
    }

    fn parameter_dimension(&self) -> usize {
        self.law.parameters() * self.items()
    }

    fn parameter_names(&self) -> Vec<String> {
        let parts = &["intercept", "general", "specific", "variance"][..self.law.parameters()];
        self.data.items.iter().flat_map(|item| parts.iter().map(move |part| format!("{part}_{item}"))).collect()
    }

    fn statistic_names(&self) -> Vec<String> {
        let mut names = Vec::new();
        if self.law != Law::Logit {
            names.extend(["z0", "z0_z0"].map(str::to_owned));
            (1..=self.groups).for_each(|g| names.extend([format!("z{g}"), format!("z0_z{g}"), format!("z{g}_z{g}")]));
        }
        let parts: &[&str] = match self.law {
            Law::Gaussian => &["y", "y_z0", "y_zg", "y_y"],
            Law::Probit => &["w", "w_z0", "w_zg"],
            Law::Logit => &["o", "o_z0", "o_z0_z0", "o_zg", "o_z0_zg", "o_zg_zg", "k", "k_z0", "k_zg"],
        };
        for item in &self.data.items {
            names.extend(parts.iter().map(|part| format!("{part}_{item}")));
        }
        names
    }

    fn maximize(&self, s: &[f64], policy: DomainPolicy, theta: &mut Vec<f64>) -> Result<Repairs, DomainError> {
        DomainError::check_finite(s)?;
        theta.clear();
        let mut repairs = Repairs::default();
        for j in 0..self.items() {
            let mut moments = Moments::of(self, s, j);
            repairs.eigenvalues += policy.raise_eigenvalues(&mut moments.m, 3);
            let x = solve(moments.m, moments.r).map_err(DomainError::covariance(Some(j)))?;
            theta.extend(x);
            if self.law == Law::Gaussian {
                let mut psi = moments.residual(&x);
                repairs.eigenvalues += policy.raise(&mut psi);
                if psi <= 0.0 {
                    return Err(DomainError::Variance { value: psi });
                }
                theta.push(psi);
            }
        }
        Ok(repairs)
    }

    /// Minimal over the signs of all factors: each changes one column of loadings.
    fn parameter_error(&self, theta: &[f64], truth: &[f64]) -> f64 {
        let width = self.law.parameters();
        let mut same = vec![0.0; 2 + self.groups];
        let mut turned = same.clone();
        for (at, (x, y)) in theta.iter().zip(truth).enumerate() {
            let factor = match at % width {
                1 => 0,
                2 => 1 + self.group[at / width],
                _ => 1 + self.groups,
            };
            same[factor] += (x - y) * (x - y);
            turned[factor] += (x + y) * (x + y);
        }
        let signed: f64 = same.iter().zip(&turned).take(1 + self.groups).map(|(same, turned)| same.min(*turned)).sum();
        signed + same[1 + self.groups]
    }
}

impl Parameters for BiFactor {
    /// A statistic that T maps to θ: that of factors with mean 0 and covariance I (logit: with ω = ¼).
    fn statistic_of(&self, theta: &[f64], s: &mut Vec<f64>) {
        s.clear();
        if self.law != Law::Logit {
            s.extend([0.0, 1.0]);
            (0..self.groups).for_each(|_| s.extend([0.0, 0.0, 1.0]));
        }
        for item in theta.chunks_exact(self.law.parameters()) {
            let x = &item[..3];
            match self.law {
                Law::Gaussian => {
                    s.extend(x);
                    s.push(item[3] + x.iter().map(|x| x * x).sum::<f64>());
                }
                Law::Probit => s.extend(x),
                Law::Logit => {
                    s.extend([0.25, 0.0, 0.25, 0.0, 0.0, 0.25]);
                    s.extend(x.iter().map(|x| x / 4.0));
                }
            }
        }
    }
}

/// M⁻¹ r.
fn solve(mut m: [f64; 6], mut x: [f64; 3]) -> Result<[f64; 3], BadPivot> {
    cholesky(&mut m, 3)?;
    for i in 0..3 {
        let known: f64 = (0..i).map(|k| m[vech_index(i, k)] * x[k]).sum();
        x[i] = (x[i] - known) / m[vech_index(i, i)];
    }
    for i in (0..3).rev() {
        let known: f64 = (i + 1..3).map(|k| m[vech_index(k, i)] * x[k]).sum();
        x[i] = (x[i] - known) / m[vech_index(i, i)];
    }
    Ok(x)
}

/// ψ_j with the weights of θ: the mean of (y − xᵀu)², as a statistic gives it.
pub(super) fn residual(model: &BiFactor, s: &[f64], theta: &[f64], j: usize) -> f64 {
    let x = model.weights(theta, j).first_chunk().expect("an item has three weights");
    Moments::of(model, s, j).residual(x)
}

/// The gradient of the complete-data log-likelihood: (r − M x)/ψ, and (residual/ψ − 1)/(2ψ) in ψ. For the logit model
/// r − E[ω] η u is (y − σ(η)) u.
pub(super) fn parameter_gradient(model: &BiFactor, s: &[f64], theta: &[f64], out: &mut [f64]) {
    let width = model.law.parameters();
    for (j, (x, out)) in theta.chunks_exact(width).zip(out.chunks_exact_mut(width)).enumerate() {
        let moments = Moments::of(model, s, j);
        let psi = if model.law == Law::Gaussian { x[3] } else { 1.0 };
        (0..3).for_each(|i| out[i] = (moments.r[i] - moments.product(x, i)) / psi);
        if model.law == Law::Gaussian {
            out[3] = (residual(model, s, theta, j) / psi - 1.0) / (2.0 * psi);
        }
    }
}
