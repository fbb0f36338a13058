//! The laws of models find what is wrong with a model.

use std::panic::catch_unwind;

use fedbits_models::data::{DataSet, Shape};
use fedbits_models::fit::{ExactAbilities, ExactSetting, Fit, FitError, Given};
use fedbits_models::fitted::{Array, Features, Predictor};
use fedbits_models::gmm::{CovarianceForm, MixturePrior, MixtureSetting};
use fedbits_models::{
    Batch, Coordinates, DomainError, DomainPolicy, EStep, ExactModel, Examples, Model, ModelFacts, ModelSetting,
    Parameters, Repairs, Scratch, laws,
};
use fedbits_spec::Described;
use serde::{Deserialize, Serialize};

#[derive(Clone, Copy, Debug, Described, Deserialize, PartialEq, Serialize)]
enum Wrong {
    Nothing,
    /// T shrinks its means by 2 %.
    NoMaximum,
    /// T is the same for every statistic.
    Constant,
    /// A constant objective.
    Flat,
    NanObjective,
    /// T of a negative weight is not a number.
    NanOutside,
    PanicOutside,
    NanError,
    /// The error of θ against itself.
    ErrorOfItself,
    /// One coordinate too few.
    FewCoordinates,
    /// θ of coordinates has its last mean elsewhere.
    CoordinatesOfOthers,
    /// The gradient goes down.
    Downhill,
    /// The statistic of θ has its last mean elsewhere.
    StatisticOfOthers,
    ShortStatistic,
    /// Components change places.
    Renumbers,
    NanArray,
    /// θ is another for the same preparation.
    Carried,
    /// One prediction too few.
    FewPredictions,
    /// A prediction that depends on the other rows.
    Together,
}

/// A Gaussian mixture of which something is wrong.
#[derive(Clone, Debug, Described, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct AlteredSetting {
    wrong: Wrong,
}

const MIXTURE: MixtureSetting =
    MixtureSetting { components: 2, covariance: CovarianceForm::Diagonal, prior: MixturePrior::Flat };

/// Says the first number of each row.
struct AlteredPredictor(Wrong);

impl Predictor for AlteredPredictor {
    fn columns(&self) -> Vec<String> {
        vec!["first".to_owned()]
    }

    fn predict(&self, data: &DataSet) -> Result<Vec<f64>, DomainError> {
        let sum = if self.0 == Wrong::Together { data.rows().iter().sum() } else { 0.0 };
        let skipped = usize::from(self.0 == Wrong::FewPredictions);
        Ok(data.rows().chunks_exact(data.dimension()).skip(skipped).map(|row| row[0] + sum).collect())
    }
}

impl ModelSetting for AlteredSetting {
    fn facts(&self) -> ModelFacts {
        ModelFacts { components: None, estimates_covariance: false, features: None, ..MIXTURE.facts() }
    }

    fn statistic(&self, shape: &Shape) -> Option<usize> {
        MIXTURE.statistic(shape)
    }

    fn exact(&self) -> Option<&dyn ExactSetting> {
        Some(self)
    }

    fn arrays(&self, theta: &[f64], _: &Features) -> Result<Vec<Array>, FitError> {
        let weight = if self.wrong == Wrong::NanArray { f64::NAN } else { theta[0] };
        Ok(vec![Array::numbers("weight", &[1], vec![weight])])
    }

    fn carry(&self, theta: &[f64], _: &Features, _: &Features) -> Result<Vec<f64>, FitError> {
        let factor = if self.wrong == Wrong::Carried { 1.1 } else { 1.0 };
        Ok(theta.iter().map(|x| factor * x).collect())
    }

    fn predictor(&self, _: &[f64], _: &Features) -> Result<Option<Box<dyn Predictor>>, FitError> {
        Ok(Some(Box::new(AlteredPredictor(self.wrong))))
    }

    fn examples() -> Vec<Self> {
        vec![Self { wrong: Wrong::Nothing }]
    }
}

impl ExactSetting for AlteredSetting {
    fn fit(&self, data: &DataSet, given: &Given<'_>) -> Result<Fit<dyn ExactModel>, FitError> {
        let Fit { model: inner, theta, .. } = MIXTURE.fit(data, given)?;
        let model: Box<dyn ExactModel> = Box::new(Altered { inner, start: theta.clone(), wrong: self.wrong });
        Ok(Fit::new(model, theta))
    }

    fn abilities(&self) -> ExactAbilities {
        ExactAbilities { averages_parameters: true, lacks_coordinates: None, ..ExactAbilities::default() }
    }
}

struct Altered {
    inner: Box<dyn ExactModel>,
    start: Vec<f64>,
    wrong: Wrong,
}

impl Model for Altered {
    fn statistic_dimension(&self) -> usize {
        self.inner.statistic_dimension()
    }

    fn parameter_dimension(&self) -> usize {
        self.inner.parameter_dimension()
    }

    fn parameter_names(&self) -> Vec<String> {
        self.inner.parameter_names()
    }

    fn statistic_names(&self) -> Vec<String> {
        self.inner.statistic_names()
    }

    fn maximize(&self, s: &[f64], policy: DomainPolicy, theta: &mut Vec<f64>) -> Result<Repairs, DomainError> {
        let (outside, d) = (s[0] < 0.0, self.example_dimension());
        assert!(!(outside && self.wrong == Wrong::PanicOutside), "T fell over");
        if self.wrong == Wrong::Constant || (outside && self.wrong == Wrong::NanOutside) {
            theta.clone_from(&self.start);
            theta[0] = if outside { f64::NAN } else { theta[0] };
            return Ok(Repairs::default());
        }
        let repairs = self.inner.maximize(s, policy, theta)?;
        if self.wrong == Wrong::NoMaximum {
            theta[2..2 + 2 * d].iter_mut().for_each(|mean| *mean *= 0.98);
        }
        Ok(repairs)
    }

    fn parameter_error(&self, theta: &[f64], truth: &[f64]) -> f64 {
        match self.wrong {
            Wrong::NanError => f64::NAN,
            Wrong::ErrorOfItself => 1.0,
            _ => self.inner.parameter_error(theta, truth),
        }
    }
}

impl ExactModel for Altered {
    fn example_dimension(&self) -> usize {
        self.inner.example_dimension()
    }

    fn conditional(&self, theta: &[f64]) -> Result<Box<dyn EStep>, DomainError> {
        Ok(Box::new(AlteredStep { inner: self.inner.conditional(theta)?, wrong: self.wrong }))
    }

    fn parameters(&self) -> Option<&dyn Parameters> {
        Some(self)
    }

    fn coordinates(&self) -> Option<&dyn Coordinates> {
        Some(self)
    }
}

impl Altered {
    fn has_parameters(&self) -> &dyn Parameters {
        self.inner.parameters().expect("a mixture has parameters")
    }

    fn has_coordinates(&self) -> &dyn Coordinates {
        self.inner.coordinates().expect("a diagonal mixture has coordinates")
    }
}

impl Parameters for Altered {
    fn statistic_of(&self, theta: &[f64], s: &mut Vec<f64>) {
        self.has_parameters().statistic_of(theta, s);
        match self.wrong {
            Wrong::StatisticOfOthers => s[5] += 0.1,
            Wrong::ShortStatistic => drop(s.pop()),
            _ => {}
        }
    }

    fn admit(&self, theta: &[f64], policy: DomainPolicy, out: &mut Vec<f64>) -> Result<Repairs, DomainError> {
        self.has_parameters().admit(theta, policy, out)
    }

    fn align(&self, theta: &mut [f64], reference: &[f64]) -> Result<(), DomainError> {
        if self.wrong == Wrong::Renumbers {
            theta.swap(0, 1);
            return Ok(());
        }
        self.has_parameters().align(theta, reference)
    }
}

impl Coordinates for Altered {
    fn coordinate_names(&self) -> Vec<String> {
        self.has_coordinates().coordinate_names()
    }

    fn coordinates_of(&self, theta: &[f64]) -> Vec<f64> {
        let mut x = self.has_coordinates().coordinates_of(theta);
        if self.wrong == Wrong::FewCoordinates {
            x.pop();
        }
        x
    }

    fn theta_of(&self, x: &[f64]) -> Vec<f64> {
        let mut theta = self.has_coordinates().theta_of(x);
        theta[5] += if self.wrong == Wrong::CoordinatesOfOthers { 0.1 } else { 0.0 };
        theta
    }

    fn gradient(&self, theta: &[f64], statistic: &mut [f64]) {
        self.has_coordinates().gradient(theta, statistic);
        if self.wrong == Wrong::Downhill {
            statistic.iter_mut().for_each(|slope| *slope = -*slope);
        }
    }
}

struct AlteredStep {
    inner: Box<dyn EStep>,
    wrong: Wrong,
}

impl EStep for AlteredStep {
    fn mean(
        &self,
        examples: Examples<'_>,
        batch: Batch<'_>,
        scratch: &mut Scratch,
        out: &mut [f64],
        wanted: bool,
    ) -> f64 {
        let objective = self.inner.mean(examples, batch, scratch, out, wanted);
        match self.wrong {
            Wrong::Flat => 1.0,
            Wrong::NanObjective => f64::NAN,
            _ => objective,
        }
    }
}

#[test]
fn the_laws_refuse_wrong_models() {
    laws::setting(&AlteredSetting { wrong: Wrong::Nothing });
    let cases = [
        (Wrong::NoMaximum, "T is not a maximum"),
        (Wrong::Constant, "T, or the objective, is the same"),
        (Wrong::Flat, "T, or the objective, is the same"),
        (Wrong::NanObjective, "the objective is NaN"),
        (Wrong::NanOutside, "times a mean statistic"),
        (Wrong::PanicOutside, "T fell over"),
        (Wrong::NanError, "the error of θ against"),
        (Wrong::ErrorOfItself, "the error of θ against itself"),
        (Wrong::FewCoordinates, "expected q of them"),
        (Wrong::CoordinatesOfOthers, "θ of its coordinates"),
        (Wrong::Downhill, "a gradient in coordinates"),
        (Wrong::StatisticOfOthers, "T of the statistic of θ"),
        (Wrong::ShortStatistic, "the length of the statistic of θ"),
        (Wrong::Renumbers, "θ aligned with itself"),
        (Wrong::NanArray, "`weight` is [NaN]"),
        (Wrong::Carried, "θ carried to data that are prepared in the same way"),
        (Wrong::FewPredictions, "59 predictions, 1 columns"),
        (Wrong::Together, "the prediction of a row alone"),
    ];
    for (wrong, expected) in cases {
        let refused = catch_unwind(|| laws::setting(&AlteredSetting { wrong })).expect_err("a wrong model passed");
        let text = refused
            .downcast_ref::<String>()
            .map_or_else(|| (*refused.downcast_ref::<&str>().expect("a message")).to_owned(), Clone::clone);
        assert!(text.contains(expected), "{wrong:?}: {text}");
    }
}
