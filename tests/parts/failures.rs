//! A model that leaves θ half written where T fails: the run fails, and nothing is computed at that θ.

use fedbits::RunOptions;
use fedbits::models::data::{DataSet, Shape};
use fedbits::models::fit::{ExactAbilities, ExactSetting, Fit, FitError, Given};
use fedbits::models::{DomainError, DomainPolicy, EStep, ExactModel, Model, ModelFacts, ModelSetting, Repairs};
use fedbits::spec::Described;
use serde::{Deserialize, Serialize};

use super::model::PoissonMixture;

/// A mixture of two Poisson laws whose θ is empty where T fails.
#[derive(Clone, Copy, Debug, Described, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct Emptied {
    /// The mixture.
    #[described(by_rules)]
    mixture: PoissonMixture,
}

impl ModelSetting for Emptied {
    of_field! { mixture:
        fn facts(&self) -> ModelFacts;
        fn statistic(&self, shape: &Shape) -> Option<usize>;
    }

    fn exact(&self) -> Option<&dyn ExactSetting> {
        Some(self)
    }

    fn examples() -> Vec<Self> {
        PoissonMixture::examples().into_iter().map(|mixture| Self { mixture }).collect()
    }
}

impl ExactSetting for Emptied {
    fn fit(&self, data: &DataSet, given: &Given<'_>) -> Result<Fit<dyn ExactModel>, FitError> {
        let theta = self.mixture.fit(data, given)?.theta;
        Ok(Fit::new(Box::new(*self) as Box<dyn ExactModel>, theta))
    }

    /// As if it had coordinates, and no statistic of its parameters.
    fn abilities(&self) -> ExactAbilities {
        ExactAbilities { lacks_coordinates: None, ..ExactAbilities::default() }
    }
}

impl Model for Emptied {
    of_field! { mixture:
        fn statistic_dimension(&self) -> usize;
        fn parameter_dimension(&self) -> usize;
        fn parameter_names(&self) -> Vec<String>;
        fn statistic_names(&self) -> Vec<String>;
        fn parameter_error(&self, theta: &[f64], truth: &[f64]) -> f64;
    }

    fn maximize(&self, s: &[f64], policy: DomainPolicy, theta: &mut Vec<f64>) -> Result<Repairs, DomainError> {
        self.mixture.maximize(s, policy, theta).inspect_err(|_| theta.clear())
    }
}

impl ExactModel for Emptied {
    of_field! { mixture:
        fn example_dimension(&self) -> usize;
        fn conditional(&self, theta: &[f64]) -> Result<Box<dyn EStep>, DomainError>;
    }
}

#[test]
fn nothing_is_computed_at_a_state_that_failed() {
    let _app = fedbits::App::new().model::<PoissonMixture>().model::<Emptied>();
    let folder = tempfile::tempdir().unwrap();
    let text = r#"(name: "counts", data: Csv(path: "counts.csv", header: true), clients: 2,
        model: Emptied(mixture: PoissonMixture(components: 2)), initial: RandomExamples,
        protocol: FedEm(gamma: Constant(1), memory: NoMemory, compressor: RandK(k: 1), domain: Error),
        stop: (rounds: 30), record: (every: 10, theta: true))"#;
    std::fs::write(folder.path().join("counts.csv"), "count\n0\n1\n1\n2\n3\n9\n11\n12\n12\n15\n").unwrap();
    std::fs::write(folder.path().join("counts.ron"), text).unwrap();
    let scenario = fedbits::Scenario::load(folder.path().join("counts.ron").to_str().unwrap()).unwrap();
    let climbs = scenario.clone().set("protocol", "GradientAscent(gamma: Constant(0.1))").arms();
    let problems = climbs.unwrap_err().to_string();
    assert!(problems.contains("no statistic is known of the parameters of this model"), "{problems}");
    for every in ["1", "10"] {
        let arms = scenario.clone().set("record.every", every).set("record.probe_every", "10").arms().unwrap();
        let record = fedbits::run(&arms[0], &RunOptions::default()).unwrap();
        let why = record.manifest.failure().expect("one entry of four leaves the domain").to_owned();
        assert!(why.contains("positive"), "{why}");
    }
}
