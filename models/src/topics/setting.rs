//! Topic models as scenarios name them: construction, θ₀.

use fedbits_random::DrawPurpose;
use fedbits_spec::Described;
use fedbits_spec::range::{POSITIVE, whole};
use serde::{Deserialize, Serialize};

use super::model::TopicModel;
use super::sampler::abilities;
use crate::Model;
use crate::data::{DataKind, DataSource, Observations, Shape};
use crate::fit::{Fit, FitError, Given, SampledSetting};
use crate::initial::InitialSetting;
use crate::latent::{Abilities, SampledModel};
use crate::matrix::TOLERANCE;
use crate::setting::{ModelFacts, ModelSetting};

/// Latent Dirichlet allocation, for `Corpus` and `Documents`: q = V·K for V words.
#[derive(Clone, Copy, Debug, Described, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields, rename = "Topics")]
pub struct TopicsSetting {
    /// K.
    #[range(whole(2, 1_000))]
    pub topics: usize,
    /// α, Dirichlet concentration of a document's proportions.
    #[range(POSITIVE)]
    pub alpha: f64,
    /// ε, pseudo-count per word and topic: prior Dirichlet(1 + ε).
    #[range(POSITIVE)]
    pub smoothing: f64,
}

impl ModelSetting for TopicsSetting {
    fn facts(&self) -> ModelFacts {
        ModelFacts::new(DataKind::Documents, &["RandomTopics"])
    }

    /// The features of documents are their words.
    fn statistic(&self, shape: &Shape) -> Option<usize> {
        shape.features?.checked_mul(self.topics)
    }

    fn size_field(&self, _: &dyn DataSource) -> &'static str {
        "model.topics"
    }

    fn sampled(&self) -> Option<&dyn SampledSetting> {
        Some(self)
    }

    fn example_start(&self) -> InitialSetting {
        InitialSetting::RandomTopics { concentration: 1.0 }
    }

    fn examples() -> Vec<Self> {
        vec![Self { topics: 2, alpha: 0.5, smoothing: 0.1 }]
    }
}

impl SampledSetting for TopicsSetting {
    fn abilities(&self) -> Abilities {
        abilities(self.topics)
    }

    /// The topics of the start are drawn at (`DrawPurpose::Initial`, 0, 0).
    fn fit(&self, data: Observations, given: &Given<'_>) -> Result<Fit<dyn SampledModel>, FitError> {
        let Observations::Documents(corpus) = data else {
            return Err(FitError::model("topic models need a corpus"));
        };
        let model = TopicModel::new(self.topics, self.alpha, self.smoothing, corpus)?;
        let theta = given.start(model.parameter_dimension(), |initial| match *initial {
            InitialSetting::RandomTopics { concentration } => {
                Some(model.random_topics(concentration, &mut given.streams.at(DrawPurpose::Initial, 0, 0)))
            }
            _ => None,
        })?;
        model.posterior(&theta).map_err(FitError::start)?;
        for topic in 0..self.topics {
            let sum: f64 = theta.iter().skip(topic).step_by(self.topics).sum();
            if (sum - 1.0).abs() > TOLERANCE {
                return Err(FitError::start(format!("the probabilities of topic {topic} sum to {sum}, and not to 1")));
            }
        }
        Ok(Fit::new(Box::new(model) as Box<dyn SampledModel>, theta))
    }

    fn lacks_likelihood(&self) -> Option<(&'static str, &'static str)> {
        let found = "proportions of many topics are too many for importance sampling";
        Some((found, "expected 0, and `hold_out_every` for the perplexity"))
    }
}
