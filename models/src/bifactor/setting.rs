//! Bi-factor models as scenarios name them: checks against the responses, construction, θ₀.

use fedbits_spec::range::whole;
use fedbits_spec::{Caveat, Described, Facts, Findings, Path, so_many};
use serde::{Deserialize, Serialize};

use super::law::Law;
use super::model::BiFactor;
use super::posterior::{arrays, scores};
use crate::Model;
use crate::data::responses::Responses;
use crate::data::{DataKind, Observations, Shape, Values, distances_from_0, far_from_0};
use crate::fit::{Fit, FitError, Given, SampledSetting};
use crate::fitted::{Array, Features};
use crate::initial::InitialSetting;
use crate::latent::{Abilities, FinalTable, SampledModel};
use crate::setting::{ModelFacts, ModelSetting, Stated};

/// A general factor and a specific one per group, for `Responses` data.
#[derive(Clone, Debug, Described, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields, rename = "BiFactor")]
#[described(rules = without_gaps)]
pub struct BiFactorSetting {
    /// Group of each item, from 1 without gaps.
    #[described(by_rules)]
    pub groups: Vec<usize>,
    /// Distribution of a response.
    #[serde(default)]
    pub law: Law,
}

/// Every group from 1 to the last has an item.
fn without_gaps(model: &BiFactorSetting, at: &Path<'_>, facts: &Facts, findings: &mut Findings) {
    let (groups, at) = (&model.groups, &at.field("groups"));
    if groups.is_empty() {
        findings.error(at, "there are no items", "expected the group of every item");
    }
    let range = whole(1, groups.len() as u64).note(", at most one group per item");
    for (index, &group) in groups.iter().enumerate() {
        range.check_whole(group as u64, &at.index(index), facts, findings);
    }
    let last = groups.iter().copied().max().unwrap_or(0);
    if last > groups.len() {
        return;
    }
    for group in 1..=last {
        match groups.iter().filter(|item| **item == group).count() {
            0 => findings.error(at, format!("no item is in group {group}"), "expected groups without gaps"),
            1 => findings.caveat(Caveat::OneItemGroup { group: group.to_string() }),
            2 => findings.caveat(Caveat::TwoItemGroup { group: group.to_string() }),
            _ => {}
        }
    }
}

impl BiFactorSetting {
    /// The last group. A larger number than there are items is an error of its own.
    fn last(&self) -> usize {
        self.groups.iter().copied().max().unwrap_or(0).min(self.groups.len())
    }

    fn model(&self, data: Observations) -> Result<BiFactor, FitError> {
        let Observations::Responses(data) = data else {
            return Err(FitError::model("bi-factor models need responses"));
        };
        BiFactor::new(self.law, &self.groups, data)
    }
}

impl ModelSetting for BiFactorSetting {
    fn facts(&self) -> ModelFacts {
        ModelFacts {
            features: Some(self.groups.len()),
            values: if self.law == Law::Gaussian { Values::Real } else { Values::UpTo(1) },
            ..ModelFacts::new(DataKind::Responses, &["Loadings"])
        }
    }

    fn statistic(&self, _: &Shape) -> Option<usize> {
        Some(self.law.statistic(self.last(), self.groups.len()))
    }

    fn sampled(&self) -> Option<&dyn SampledSetting> {
        Some(self)
    }

    fn check_with(&self, stated: &Stated<'_>, findings: &mut Findings) {
        if let Some(items) = stated.source.facts().shape.features.filter(|items| *items != self.groups.len()) {
            let expected = format!("expected {items}, one per item");
            findings.error("model.groups", so_many(self.groups.len(), "group is given|groups are given"), expected);
        }
        let InitialSetting::Loadings { variance, .. } = stated.initial else { return };
        if self.law != Law::Gaussian && *variance != 1.0 {
            findings.no_effect("initial.variance", "only Gaussian responses have a variance of their own");
        }
    }

    fn example_start(&self) -> InitialSetting {
        InitialSetting::Loadings { intercept: 0.0, general: 0.8, specific: 0.4, variance: 1.0 }
    }

    fn arrays(&self, theta: &[f64], _features: &Features) -> Result<Vec<Array>, FitError> {
        arrays(self.law, &self.groups, theta)
    }

    fn judge(&self, theta: &[f64], features: &Features, data: Observations) -> Result<Option<FinalTable>, FitError> {
        let (model, expected) = (self.model(data)?, &features.columns);
        let found = &model.data().items;
        if !expected.is_empty() && expected != found {
            let (expected, found) = (expected.join(", "), found.join(", "));
            return Err(FitError::model(format!(
                "the data have the items {found}: expected those of the model, {expected}"
            )));
        }
        scores(&model, theta).map(Some)
    }

    fn examples() -> Vec<Self> {
        let of = |law| Self { groups: vec![1, 1, 2, 2, 2], law };
        [Law::Gaussian, Law::Probit, Law::Logit].map(of).into()
    }
}

impl SampledSetting for BiFactorSetting {
    fn abilities(&self) -> Abilities {
        self.law.abilities(self.last())
    }

    fn fit(&self, data: Observations, given: &Given<'_>) -> Result<Fit<dyn SampledModel>, FitError> {
        let model = self.model(data)?;
        let theta = given.start(model.parameter_dimension(), |initial| match *initial {
            InitialSetting::Loadings { intercept, general, specific, variance } => {
                Some(model.parameter(intercept, general, specific, variance))
            }
            _ => None,
        })?;
        model.posterior(&theta).map_err(FitError::start)?;
        let far = if self.law == Law::Gaussian { far_item(&model.data) } else { None };
        let caveats = far.into_iter().collect();
        Ok(Fit { caveats, ..Fit::new(Box::new(model) as Box<dyn SampledModel>, theta) })
    }
}

/// Of the first item whose responses lie so far from 0, beside their spread, that squares of them hardly show it.
fn far_item(data: &Responses) -> Option<Caveat> {
    let mut distances = distances_from_0(&data.rows, data.items.len()).zip(&data.items);
    let advice = "subtract a number near its mean";
    distances.find_map(|(distance, item)| far_from_0(&format!("item `{item}` lies"), distance, 1, advice))
}
