//! Responses, and the group of every item.

use super::law::Law;
use crate::data::responses::Responses;
use crate::fit::FitError;
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
