//! Mixed-effects models and their curves as scenarios name them.

use super::curve::{Curve, MAX_LATENT};
use super::model::{Effects, Layout, MixedModel, ResidualError};
use super::posterior::Conditional;
use super::sampler::{abilities, arrays, individuals};
use crate::Model;
use crate::data::longitudinal::Longitudinal;
use crate::data::{DataKind, Observations, Shape, distance_from_0, far_from_0};
use crate::fit::{Fit, FitError, Given, SampledSetting};
use crate::fitted::{Array, Features};
use crate::initial::InitialSetting;
use crate::latent::{Abilities, FinalTable, SampledModel};
use crate::setting::{ModelFacts, ModelSetting, Stated};
use fedbits_spec::range::{FINITE, POSITIVE, Range};
use fedbits_spec::{Caveat, Described, Findings, Path, so_many};
use serde::{Deserialize, Serialize};

/// Mixed effects: curves whose parameters vary between subjects; for `Longitudinal` data.
#[derive(Clone, Copy, Debug, Described, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields, rename = "MixedEffects")]
pub struct MixedSetting {
    /// The curve.
    pub curve: Curve,
    /// Covariance of the curve's parameters.
    #[serde(default)]
    pub effects: Effects,
    /// Residual error.
    #[serde(default)]
    pub error: ResidualError,
}

impl MixedSetting {
    fn model(&self, data: Observations) -> Result<MixedModel, FitError> {
        let Observations::Subjects(data) = data else {
            return Err(FitError::model("mixed-effects models need longitudinal data"));
        };
        MixedModel::new(self.curve, self.effects, self.error, data)
    }
}

impl ModelSetting for MixedSetting {
    fn facts(&self) -> ModelFacts {
        ModelFacts::new(DataKind::Subjects, &["Typical"])
    }

    fn statistic(&self, _: &Shape) -> Option<usize> {
        // More parameters are an error of their own.
        Some(Layout { p: self.curve.parameters().min(MAX_LATENT), effects: self.effects }.length())
    }

    fn sampled(&self) -> Option<&dyn SampledSetting> {
        Some(self)
    }

    fn check_with(&self, stated: &Stated<'_>, findings: &mut Findings) {
        let (curve, source) = (self.curve, stated.source);
        if curve.needs_doses() && !source.facts().has_doses {
            findings.error("data.doses", "the curve needs doses", "expected `Rows(…)` or `PerSubject(…)`");
        }
        let InitialSetting::Typical { values, deviations, .. } = stated.initial else { return };
        let p = curve.parameters();
        for (path, length) in [("initial.values", values.len()), ("initial.deviations", deviations.len())] {
            if length != p {
                let expected = format!("expected {p}, one per parameter of the curve");
                findings.error(path, so_many(length, "number is given|numbers are given"), expected);
            }
        }
        let range = if curve.needs_doses() { POSITIVE } else { FINITE };
        let path = Path::Root.field("initial.values");
        for (index, value) in values.iter().enumerate() {
            range.check(value, &path.index(index), stated.facts, findings);
        }
    }

    fn example_start(&self) -> InitialSetting {
        let p = self.curve.parameters();
        InitialSetting::Typical { values: vec![1.0; p], deviations: vec![0.5; p], sigma: 0.5 }
    }

    fn arrays(&self, theta: &[f64], _features: &Features) -> Result<Vec<Array>, FitError> {
        arrays(self.curve, self.effects, theta)
    }

    fn judge(&self, theta: &[f64], _: &Features, data: Observations) -> Result<Option<FinalTable>, FitError> {
        individuals(&self.model(data)?, theta).map(Some)
    }

    fn examples() -> Vec<Self> {
        let line =
            Self { curve: Curve::Polynomial { degree: 1 }, effects: Effects::Full, error: ResidualError::Constant };
        let oral = Curve::OneCompartmentOral { lag: false };
        vec![line, Self { curve: oral, effects: Effects::Diagonal, error: ResidualError::Proportional }]
    }
}

impl SampledSetting for MixedSetting {
    fn abilities(&self) -> Abilities {
        let gaussian = !self.curve.needs_doses() && self.error == ResidualError::Constant;
        abilities(self.curve.parameters(), gaussian)
    }

    fn fit(&self, data: Observations, given: &Given<'_>) -> Result<Fit<dyn SampledModel>, FitError> {
        let model = self.model(data)?;
        let theta = given.start(model.parameter_dimension(), |initial| {
            let InitialSetting::Typical { values, deviations, sigma } = initial else { return None };
            let variances: Vec<f64> = deviations.iter().map(|deviation| deviation * deviation).collect();
            Some(model.parameter(&model.latent(values), &variances, sigma * sigma))
        })?;
        let posterior = Conditional::new(&model, &theta).map_err(FitError::start)?;
        let expected = "expected times counted from one among them, values near 0, or a lower degree";
        model.check_digits(&posterior).map_err(|error| FitError::misfit("data.time", error, expected))?;
        let expected = "expected other values, or `error: Constant`";
        model.check_start(&theta).map_err(|error| FitError::misfit("initial", error, expected))?;
        let caveats = far_from_0s(self.curve, &model.data).into_iter().chain(model.few_observations()).collect();
        Ok(Fit { caveats, ..Fit::new(Box::new(model) as Box<dyn SampledModel>, theta) })
    }
}

/// Of a polynomial: values and times that lie so far from 0, beside their spread, that squares hardly show it.
fn far_from_0s(curve: Curve, data: &Longitudinal) -> Vec<Caveat> {
    let Curve::Polynomial { degree } = curve else { return Vec::new() };
    let times = data.subjects.iter().flat_map(|subject| subject.times.iter().copied());
    let values = data.subjects.iter().flat_map(|subject| subject.values.iter().copied());
    let found = [
        far_from_0("the values lie", distance_from_0(values), 1, "subtract a number near their mean"),
        far_from_0("the times lie", distance_from_0(times), degree, "count them from a time among them"),
    ];
    found.into_iter().flatten().collect()
}
