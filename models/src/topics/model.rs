//! A corpus and its topics.

use crate::DomainError;
use crate::data::corpus::Corpus;
use crate::fit::FitError;
use fedbits_spec::so_many;

/// A topic model with its corpus: subject i is document i.
pub struct TopicModel {
    pub(super) topics: usize,
    /// α.
    pub(super) alpha: f64,
    /// ε.
    pub(super) smoothing: f64,
    pub(super) corpus: Corpus,
    /// Tokens per document.
    pub(super) mean_length: f64,
}

impl TopicModel {
    /// K topics over the words of `corpus`, with α and ε.
    ///
    /// # Errors
    /// Fewer than two topics, α or ε that is not above 0, no document, or one without words.
    pub fn new(topics: usize, alpha: f64, smoothing: f64, corpus: Corpus) -> Result<Self, FitError> {
        if topics < 2 {
            return Err(FitError::model(format!("{}: expected at least 2", so_many(topics, "topic"))));
        }
        for (name, value) in [("alpha", alpha), ("smoothing", smoothing)] {
            if !(value > 0.0 && value.is_finite()) {
                return Err(FitError::model(format!("{name} is {value}: expected a number above 0")));
            }
        }
        let bare = if corpus.documents.is_empty() { Some(0) } else { corpus.documents.iter().position(Vec::is_empty) };
        if let Some(index) = bare {
            let expected = "expected at least one token in every document, and at least one document";
            return Err(FitError::model(format!("document {} has no words: {expected}", index + 1)));
        }
        let mean_length = corpus.tokens() as f64 / corpus.documents.len() as f64;
        Ok(Self { topics, alpha, smoothing, corpus, mean_length })
    }

    /// The documents.
    pub fn corpus(&self) -> &Corpus {
        &self.corpus
    }

    /// V.
    pub(super) fn words(&self) -> usize {
        self.corpus.vocabulary.len()
    }

    /// ε/N.
    pub(super) fn prior_count(&self) -> f64 {
        self.smoothing / self.corpus.documents.len() as f64
    }

    pub(super) fn names(&self, first: &str) -> Vec<String> {
        let word = |word: &String| (0..self.topics).map(move |k| format!("{first}_{word}_{k}")).collect::<Vec<_>>();
        self.corpus.vocabulary.iter().flat_map(word).collect()
    }

    /// The word and topic of an entry of s or θ, for messages.
    pub(super) fn improbable(&self, at: usize, value: f64) -> DomainError {
        let (outcome, component) = (at / self.topics, at % self.topics);
        let text = format!("the probability of outcome {outcome} in component {component} is {value:e}");
        DomainError::Other(format!("{text}: it must be positive"))
    }
}
