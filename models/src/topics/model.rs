//! A corpus and its topics.

use crate::DomainError;
use crate::data::corpus::Corpus;
use fedbits_spec::so_many;
use thiserror::Error;

/// Why a corpus and settings make no model.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum TopicsError {
    /// Too few topics.
    #[error("{}: expected at least 2", so_many(.found, "topic"))]
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
        DomainError::Probability { outcome: at / self.topics, component: at % self.topics, value }
    }
}
