//! The model as samplers see it.

use super::model::TopicModel;
use super::posterior::Conditional;
use super::report;
use crate::latent::{Abilities, FinalTable, ModelReport, Posterior, SampledModel};
use crate::{DomainError, DomainPolicy, Model, Parameters, Repairs};
use fedbits_random::Streams;

/// The name of the column of held-out words.
pub const PERPLEXITY: &str = "perplexity_held_out";

/// What samplers may ask for of K topics. No expectation has a closed form.
pub(super) fn abilities(topics: usize) -> Abilities {
    let latent = topics.saturating_sub(1);
    Abilities { gradient: true, gibbs: true, continuous: true, latent, ..Abilities::default() }
}

impl Model for TopicModel {
    fn statistic_dimension(&self) -> usize {
        self.words() * self.topics
    }

    fn parameter_dimension(&self) -> usize {
        self.words() * self.topics
    }

    fn parameter_names(&self) -> Vec<String> {
        self.names("beta")
    }

    fn statistic_names(&self) -> Vec<String> {
        self.names("s")
    }

    /// N and the mean length of documents.
    fn constants_dimension(&self) -> usize {
        2
    }

    fn maximize(&self, s: &[f64], policy: DomainPolicy, theta: &mut Vec<f64>) -> Result<Repairs, DomainError> {
        DomainError::check_finite(s)?;
        let prior = self.prior_count();
        theta.clear();
        theta.extend(s.iter().map(|s| s + prior));
        let mut repairs = Repairs::default();
        for (at, weight) in theta.iter_mut().enumerate().filter(|(_, weight)| **weight <= 0.0) {
            let DomainPolicy::Clip { floor } = policy else { return Err(self.improbable(at, *weight)) };
            *weight = floor;
            repairs.weights += 1;
        }
        let mut totals = vec![0.0; self.topics];
        for word in theta.chunks_exact(self.topics) {
            totals.iter_mut().zip(word).for_each(|(total, weight)| *total += weight);
        }
        for word in theta.chunks_exact_mut(self.topics) {
            word.iter_mut().zip(&totals).for_each(|(weight, total)| *weight /= total);
        }
        Ok(repairs)
    }
}

impl Parameters for TopicModel {
    /// Equally heavy topics whose tokens sum to the mean length of a document.
    fn statistic_of(&self, theta: &[f64], s: &mut Vec<f64>) {
        let prior = self.prior_count();
        let heavy = self.mean_length / self.topics as f64 + prior * self.words() as f64;
        s.clear();
        s.extend(theta.iter().map(|beta| heavy * beta - prior));
    }
}

impl SampledModel for TopicModel {
    fn subjects(&self) -> usize {
        self.corpus.documents.len()
    }

    fn abilities(&self) -> Abilities {
        abilities(self.topics)
    }

    fn posterior<'a>(&'a self, theta: &'a [f64]) -> Result<Box<dyn Posterior + 'a>, DomainError> {
        Ok(Box::new(Conditional::new(self, theta)?))
    }

    fn report(&self) -> Option<&dyn ModelReport> {
        Some(self)
    }
}

impl ModelReport for TopicModel {
    fn measure_names(&self) -> Vec<String> {
        self.corpus.held_out.iter().map(|_| PERPLEXITY.to_owned()).collect()
    }

    fn measures(&self, theta: &[f64], streams: &Streams) -> Result<Vec<Option<f64>>, DomainError> {
        let Some(held_out) = &self.corpus.held_out else { return Ok(Vec::new()) };
        Ok(vec![report::perplexity(self, theta, held_out, streams)?])
    }

    fn final_tables(&self, theta: &[f64], streams: &Streams) -> Result<Vec<FinalTable>, DomainError> {
        Ok(vec![report::top_words(self, theta, streams)?])
    }
}
