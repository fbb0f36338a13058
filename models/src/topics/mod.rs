//! Probabilistic latent Dirichlet allocation with sampled proportions (Blei, Ng and Jordan 2003; FL-SAEM draft 5.2).
//!
//! ```text
//! ϑ_i ~ Dirichlet(α, …, α)                            K proportions of topics per document
//! every token of document i is word v with probability Σ_k ϑ_ik β_vk        (the topics of tokens are summed out)
//!
//! z = (log ϑ_1/ϑ_K, …, log ϑ_{K−1}/ϑ_K),  p(z) = Γ(Kα)/Γ(α)^K Π_k ϑ_k^α     (Dirichlet in the softmax basis)
//! ∂/∂z_k log p(z | y) = Σ_v n_v (r_vk − ϑ_k) + α − K α ϑ_k,   r_vk = ϑ_k β_vk / Σ_j ϑ_j β_vj
//! S_vk = N⁻¹ Σ_i n_iv r_ivk                            expected tokens of word v from topic k, per document
//! T: β_vk ∝ S_vk + ε/N,  Σ_v β_vk = 1                  (posterior mode under Dirichlet(1 + ε) on every topic)
//! ```
//!
//! | vector | entries |
//! |---|---|
//! | s, θ | word by word the K topics: S_vk, β_vk; q = V K |
//!
//! log p is that of the words in order: no multinomial coefficient. The Gibbs kernel draws the topics of all tokens, then ϑ. It must
//! not know who holds a document.

mod posterior;
mod report;

use fedbits_random::{Stream, Streams};
use thiserror::Error;

use crate::data::corpus::Corpus;
use crate::latent::{Abilities, FinalTable, LatentSampler, Posterior};
use crate::{DomainError, DomainPolicy, Repairs};
use posterior::Conditional;

/// Why a corpus and settings make no model.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum TopicsError {
    /// Too few topics.
    #[error("{found} topics: expected at least 2")]
    Topics {
        /// K.
        found: usize,
    },
    /// α or ε.
    #[error("{name} is {value}: expected a number above 0")]
    NotPositive {
        /// Which.
        name: &'static str,
        /// Its value.
        value: f64,
    },
    /// No document, or one without words.
    #[error(
        "document {document} has no words: expected at least one token in every document, and at least one document"
    )]
    Empty {
        /// The document, from 1.
        document: usize,
    },
}

/// A topic model with its corpus: subject i is document i.
pub struct TopicModel {
    topics: usize,
    /// α.
    alpha: f64,
    /// ε.
    smoothing: f64,
    corpus: Corpus,
    /// Tokens per document.
    mean_length: f64,
}

impl TopicModel {
    /// K topics over the words of `corpus`, with α and ε.
    ///
    /// # Errors
    /// [`TopicsError`].
    pub fn new(topics: usize, alpha: f64, smoothing: f64, corpus: Corpus) -> Result<Self, TopicsError> {
        if topics < 2 {
            return Err(TopicsError::Topics { found: topics });
        }
        for (name, value) in [("alpha", alpha), ("smoothing", smoothing)] {
            if !(value > 0.0 && value.is_finite()) {
                return Err(TopicsError::NotPositive { name, value });
            }
        }
        let bare = if corpus.documents.is_empty() { Some(0) } else { corpus.documents.iter().position(Vec::is_empty) };
        if let Some(index) = bare {
            return Err(TopicsError::Empty { document: index + 1 });
        }
        let mean_length = corpus.tokens() as f64 / corpus.documents.len() as f64;
        Ok(Self { topics, alpha, smoothing, corpus, mean_length })
    }

    /// The documents.
    pub fn corpus(&self) -> &Corpus {
        &self.corpus
    }

    /// V.
    fn words(&self) -> usize {
        self.corpus.vocabulary.len()
    }

    /// ε/N.
    fn prior_count(&self) -> f64 {
        self.smoothing / self.corpus.documents.len() as f64
    }

    /// θ with every topic drawn from Dirichlet(`concentration`) over the words.
    pub fn random_topics(&self, concentration: f64, stream: &mut Stream) -> Vec<f64> {
        let mut theta = vec![0.0; self.words() * self.topics];
        let logs: Vec<f64> = theta.iter().map(|_| posterior::log_gamma_draw(concentration, stream)).collect();
        for k in 0..self.topics {
            let own = || logs.iter().skip(k).step_by(self.topics);
            let largest = own().fold(f64::NEG_INFINITY, |a, &b| a.max(b));
            // No word may be impossible: what underflows stays at the smallest share.
            let share = |log: f64| libm::exp(log - largest).max(1e-12);
            let total: f64 = own().map(|&log| share(log)).sum();
            own()
                .zip(theta.iter_mut().skip(k).step_by(self.topics))
                .for_each(|(&log, beta)| *beta = share(log) / total);
        }
        theta
    }

    fn names(&self, first: &str) -> Vec<String> {
        let word = |word: &String| (0..self.topics).map(move |k| format!("{first}_{word}_{k}")).collect::<Vec<_>>();
        self.corpus.vocabulary.iter().flat_map(word).collect()
    }

    /// The word and topic of an entry of s or θ, for messages.
    fn improbable(&self, at: usize, value: f64) -> DomainError {
        DomainError::Probability { word: at / self.topics, topic: at % self.topics, value }
    }
}

impl LatentSampler for TopicModel {
    fn subjects(&self) -> usize {
        self.corpus.documents.len()
    }

    fn latent_dimension(&self) -> usize {
        self.topics - 1
    }

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

    fn abilities(&self) -> Abilities {
        Abilities { gradient: true, gibbs: true, continuous: true, expectation: false }
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

    /// Equally heavy topics whose tokens sum to the mean length of a document.
    fn statistics_of(&self, theta: &[f64], s: &mut Vec<f64>) {
        let prior = self.prior_count();
        let heavy = self.mean_length / self.topics as f64 + prior * self.words() as f64;
        s.clear();
        s.extend(theta.iter().map(|beta| heavy * beta - prior));
    }

    fn posterior<'a>(&'a self, theta: &'a [f64]) -> Result<Box<dyn Posterior + 'a>, DomainError> {
        Ok(Box::new(Conditional::new(self, theta)?))
    }

    fn finding_names(&self) -> Vec<String> {
        self.corpus.held_out.iter().map(|_| "perplexity_held_out".to_owned()).collect()
    }

    fn findings(&self, theta: &[f64], streams: &Streams) -> Result<Vec<Option<f64>>, DomainError> {
        let Some(held_out) = &self.corpus.held_out else { return Ok(Vec::new()) };
        Ok(vec![report::perplexity(self, theta, held_out, streams)?])
    }

    fn final_tables(&self, theta: &[f64], streams: &Streams) -> Result<Vec<FinalTable>, DomainError> {
        Ok(vec![report::top_words(self, theta, streams)?])
    }
}
