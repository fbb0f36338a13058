//! Bi-factor item response models (FL-SAEM draft 5.3): item j depends on a general factor z₀ and on the factor of
//! its group g(j) (Holzinger and Swineford 1937; Gibbons and Hedeker 1992).
//!
//! ```text
//! z_i ~ N(0, I),  1 + G numbers per person        η_ij = µ_j + a_j z_i0 + c_j z_ig(j) = x_jᵀ u_ij,   u = (1, z₀, z_g)
//! Gaussian:  y_ij = η_ij + ψ_j^½ ε_ij
//! probit:    y_ij = 1{w_ij > 0},  w_ij = η_ij + ε_ij                      (Albert and Chib 1993)
//! logit:     P(y_ij = 1) = σ(η_ij),  through ω_ij ~ PG(1, η_ij)           (Polson, Scott and Windle 2013)
//!
//! Gaussian, probit:  M_g = mean of u uᵀ (the same for all items of a group),   r_j = mean of t u,  t = y or E[w | z, y]
//! logit:             M_j = mean of E[ω | z] u uᵀ,  E[ω | z] = tanh(η/2)/(2η),   r_j = mean of (y − ½) u
//! T:                 x_j = M⁻¹ r_j,   ψ_j = mean of y² − x_jᵀ r_j
//! ```
//!
//! | vector | entries |
//! |---|---|
//! | θ | item by item: µ_j, a_j, c_j (intercept, general, specific), Gaussian: ψ_j (variance) |
//! | s, Gaussian and probit | z₀, z₀²; group by group z_g, z₀ z_g, z_g²; item by item r_j (3), Gaussian: y² |
//! | s, logit | item by item the lower triangle of M_j (6), r_j (3) |
//!
//! The augmenting w and ω are integrated out of the statistics given z (Rao and Blackwell), so that z alone is sampled; the probit
//! model's Gibbs kernel draws w. With Gaussian responses the posterior is Gaussian and the E-step exact (`exact.rs`). The sign of
//! every factor is free: all parties share θ, so no two of them can disagree about it, and T must not turn signs (the average S
//! would keep the old ones); tables are shown with the first loading of every factor positive. It must not know who holds a person.

mod exact;
mod law;
mod maximize;
mod posterior;

pub use law::Law;

use fedbits_random::Streams;
use thiserror::Error;

use crate::data::responses::Responses;
use crate::latent::{Abilities, FinalTable, LatentSampler, Posterior};
use crate::{DomainError, DomainPolicy, Repairs};
use posterior::Conditional;

/// Why responses and groups make no model.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum BiFactorError {
    /// Not one group per item.
    #[error("{groups} groups for {items} items: expected one group per item")]
    Groups {
        /// Groups given.
        groups: usize,
        /// Items of the data.
        items: usize,
    },
    /// A group that no item has.
    #[error("group {group} has no item: expected groups 1 to {most}, each with items")]
    Gap {
        /// The group, from 1.
        group: usize,
        /// The largest.
        most: usize,
    },
    /// No person.
    #[error("there are no persons: expected at least one")]
    Empty,
}

/// A bi-factor model with its responses.
pub struct BiFactor {
    law: Law,
    /// g(j), from 0.
    group: Vec<usize>,
    groups: usize,
    data: Responses,
}

impl BiFactor {
    /// The model of `data`. `groups`: the group of every item, numbered from 1 without gaps.
    ///
    /// # Errors
    /// [`BiFactorError`].
    pub fn new(law: Law, groups: &[usize], data: Responses) -> Result<Self, BiFactorError> {
        let most = groups.iter().copied().max().unwrap_or(0);
        if groups.len() != data.items.len() {
            return Err(BiFactorError::Groups { groups: groups.len(), items: data.items.len() });
        }
        if data.persons() == 0 {
            return Err(BiFactorError::Empty);
        }
        if let Some(group) = (1..=most).find(|group| !groups.contains(group)).or(groups.contains(&0).then_some(0)) {
            return Err(BiFactorError::Gap { group, most });
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

    fn items(&self) -> usize {
        self.group.len()
    }

    /// (µ, a, c) of item `j`.
    fn weights<'a>(&self, theta: &'a [f64], j: usize) -> &'a [f64] {
        &theta[j * self.law.parameters()..][..3]
    }

    /// Sign of factor `f` (0: general) that makes its first loading positive.
    fn sign(&self, theta: &[f64], f: usize) -> f64 {
        let first = if f == 0 { Some(0) } else { self.group.iter().position(|&g| g + 1 == f) };
        let loading = first.map_or(0.0, |j| self.weights(theta, j)[1 + usize::from(f > 0)]);
        if loading < 0.0 { -1.0 } else { 1.0 }
    }
}

impl LatentSampler for BiFactor {
    fn subjects(&self) -> usize {
        self.data.persons()
    }

    fn latent_dimension(&self) -> usize {
        1 + self.groups
    }

    fn statistic_dimension(&self) -> usize {
        match self.law {
            Law::Gaussian => 2 + 3 * self.groups + 4 * self.items(),
            Law::Probit => 2 + 3 * self.groups + 3 * self.items(),
            Law::Logit => 9 * self.items(),
        }
    }

    fn parameter_dimension(&self) -> usize {
        self.law.parameters() * self.items()
    }

    fn parameter_names(&self) -> Vec<String> {
        let parts = &["intercept", "general", "specific", "variance"][..self.law.parameters()];
        self.data.items.iter().flat_map(|item| parts.iter().map(move |part| format!("{part}_{item}"))).collect()
    }

    fn statistic_names(&self) -> Vec<String> {
        maximize::statistic_names(self)
    }

    fn constants_dimension(&self) -> usize {
        0
    }

    fn abilities(&self) -> Abilities {
        Abilities {
            gradient: true,
            gibbs: self.law != Law::Logit,
            continuous: true,
            expectation: self.law == Law::Gaussian,
        }
    }

    fn maximize(&self, s: &[f64], policy: DomainPolicy, theta: &mut Vec<f64>) -> Result<Repairs, DomainError> {
        maximize::maximize(self, s, policy, theta)
    }

    fn statistics_of(&self, theta: &[f64], s: &mut Vec<f64>) {
        maximize::statistics_of(self, theta, s);
    }

    fn posterior<'a>(&'a self, theta: &'a [f64]) -> Result<Box<dyn Posterior + 'a>, DomainError> {
        Ok(Box::new(Conditional::new(self, theta)?))
    }

    fn parameter_gradient(&self, s: &[f64], theta: &[f64], out: &mut [f64]) -> Result<bool, DomainError> {
        maximize::parameter_gradient(self, s, theta, out);
        Ok(true)
    }

    /// The table `loadings`: a row per item, the first loading of every factor positive.
    fn final_tables(&self, theta: &[f64], _streams: &Streams) -> Result<Vec<FinalTable>, DomainError> {
        let columns = ["item", "group", "intercept", "general", "specific", "variance"];
        let kept = 2 + self.law.parameters();
        let row = |(j, item): (usize, &String)| {
            let x = &theta[j * self.law.parameters()..][..self.law.parameters()];
            let signs = [1.0, self.sign(theta, 0), self.sign(theta, 1 + self.group[j]), 1.0];
            let numbers = x.iter().zip(signs).map(|(x, sign)| format!("{:?}", x * sign));
            [item.clone(), (self.group[j] + 1).to_string()].into_iter().chain(numbers).collect()
        };
        Ok(vec![FinalTable {
            name: "loadings".to_owned(),
            columns: columns[..kept].iter().map(|&name| name.to_owned()).collect(),
            rows: self.data.items.iter().enumerate().map(row).collect(),
        }])
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
