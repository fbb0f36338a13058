//! Synthetic documents: what latent Dirichlet allocation says that documents are.

use super::corpus::{Corpus, Document};
use super::{Beside, DataKind, DataSource, Observations, ReadError, Reading, SourceFacts};
use fedbits_random::{DrawPurpose, Stream, Streams, running_sums};
use fedbits_spec::Described;
use fedbits_spec::range::{Interval, POSITIVE, whole};
use serde::{Deserialize, Serialize};

/// Documents drawn from latent Dirichlet allocation (Blei, Ng and Jordan 2003): topics Dirichlet(`concentration`, …),
/// proportions Dirichlet(`alpha`, …).
#[derive(Clone, Copy, Debug, Described, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Documents {
    /// N.
    #[range(whole(1, 100_000_000))]
    pub documents: usize,
    /// V, the size of the vocabulary.
    #[range(whole(2, 1_000_000))]
    pub words: usize,
    /// K.
    #[range(whole(1, 1_000))]
    pub topics: usize,
    /// Mean number of tokens per document: one plus a Poisson number.
    #[range(LENGTH)]
    pub length: f64,
    /// Small values give few topics per document.
    #[range(POSITIVE)]
    pub alpha: f64,
    /// Small values give few words per topic.
    #[range(POSITIVE)]
    pub concentration: f64,
    /// Withholds every n-th token to measure perplexity. In document d (from 0) these are j ≥ 1, by word id, with n
    /// dividing j + d.
    #[serde(default)]
    #[range(whole(2, u64::from(u32::MAX)))]
    pub hold_out_every: Option<u32>,
}

const LENGTH: Interval = Interval::closed(1.0, 1e5, "from 1 to 100 000 tokens");

/// Bytes of a word's name.
const NAME: u64 = 64;

/// Entities of the draws.
const TOPIC: u64 = 0;
const DOCUMENT: u64 = 1;

impl DataSource for Documents {
    fn facts(&self) -> SourceFacts {
        let (topics, words) = (self.topics as u64, self.words as u64);
        // The topics, and a name for each word.
        let bytes = (topics + 1).saturating_mul(8 * words).saturating_add(NAME * words);
        let what = format!("{topics} topics of {words} words");
        SourceFacts {
            size_field: "data.documents",
            // An entry per word that occurs, and what a list takes.
            bytes_beside: 40 + 8 * self.length as u64,
            beside: Some(Beside { what, field: "data.words", bytes }),
            ..SourceFacts::drawn(DataKind::Documents, self.documents as u64, self.words)
        }
    }

    fn read(&self, with: &Reading<'_>) -> Result<Observations, ReadError> {
        Ok(Observations::Documents(self.generate(with.streams).hold_out(self.hold_out_every)))
    }

    fn examples() -> Vec<Self> {
        let small = Self {
            documents: 20,
            words: 12,
            topics: 2,
            length: 15.0,
            alpha: 0.5,
            concentration: 0.3,
            hold_out_every: None,
        };
        vec![small, Self { hold_out_every: Some(5), ..small }]
    }
}

impl Documents {
    /// Draws the documents; words are called by their numbers.
    #[must_use]
    pub fn generate(&self, streams: &Streams) -> Corpus {
        let topics: Vec<Vec<f64>> =
            (0..self.topics).map(|k| self.topic(&mut streams.at(DrawPurpose::Data, TOPIC, k as u64))).collect();
        let (mut proportions, mut tokens) = (vec![0.0; self.topics], Vec::new());
        let documents = (0..self.documents).map(|d| {
            let mut stream = streams.at(DrawPurpose::Data, DOCUMENT, d as u64);
            stream.dirichlet(&vec![self.alpha; self.topics], &mut proportions);
            tokens.clear();
            tokens.extend((0..1 + stream.poisson(self.length - 1.0)).map(|_| {
                let topic = stream.categorical(&proportions);
                stream.categorical_of_sums(&topics[topic]) as u32
            }));
            tokens.sort_unstable();
            counted(&tokens)
        });
        let documents = documents.collect();
        let vocabulary = (0..self.words).map(|word| word.to_string()).collect();
        Corpus { vocabulary, documents, held_out: None }
    }

    /// Running sums of the probabilities of the words.
    fn topic(&self, stream: &mut Stream) -> Vec<f64> {
        let mut words = vec![0.0; self.words];
        stream.dirichlet(&vec![self.concentration; self.words], &mut words);
        running_sums(words)
    }
}

/// How often each word occurs, of sorted tokens.
fn counted(tokens: &[u32]) -> Document {
    let runs = tokens.chunk_by(|a, b| a == b);
    let mut document = Document::with_capacity(runs.clone().count());
    document.extend(runs.map(|run| (run[0], run.len() as u32)));
    document
}
