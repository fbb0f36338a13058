//! The model as samplers see it, and what it can be judged by: perplexity of tokens that the fit has not seen, and the
//! leading words of the topics.

use super::model::TopicModel;
use super::posterior::Conditional;
use crate::data::corpus::Document;
use crate::latent::{Abilities, FinalTable, Posterior, SampledModel};
use crate::{DomainError, DomainPolicy, Model, Parameters, Repairs};
use fedbits_random::{DrawPurpose, Streams};
use rayon::prelude::*;

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

    fn measure_names(&self) -> Vec<String> {
        self.corpus.held_out.iter().map(|_| PERPLEXITY.to_owned()).collect()
    }

    fn measures(&self, theta: &[f64], streams: &Streams) -> Result<Vec<Option<f64>>, DomainError> {
        let Some(held_out) = &self.corpus.held_out else { return Ok(Vec::new()) };
        Ok(vec![perplexity(self, theta, held_out, streams)?])
    }

    fn final_tables(&self, theta: &[f64], streams: &Streams) -> Result<Vec<FinalTable>, DomainError> {
        Ok(vec![top_words(self, theta, streams)?])
    }
}

/// Gibbs sweeps before those that count, and those that count.
const BURN_IN: u32 = 20;
const SWEEPS: u32 = 30;
/// Words per topic in the table.
const LEADING: usize = 10;

/// [`SWEEPS`] times E[n_k | fitted tokens of document `subject`; β], n_k being tokens of topic k: the sum over Gibbs
/// sweeps of E[n_k | ϑ]. Draws at (`DrawPurpose::Probe`, subject, 2).
fn tokens_of_topics(model: &TopicModel, conditional: &Conditional<'_>, subject: usize, streams: &Streams) -> Vec<f64> {
    let mut stream = streams.at(DrawPurpose::Probe, subject as u64, 2);
    let mut z = vec![0.0; model.topics - 1];
    for _ in 0..BURN_IN {
        conditional.gibbs(subject, &mut stream, &mut z);
    }
    let mut counts = vec![0.0; model.topics];
    for _ in 0..SWEEPS {
        let (theta, _) = conditional.proportions(&z);
        conditional.add_expected_topics(subject, &theta, &mut counts);
        conditional.gibbs(subject, &mut stream, &mut z);
    }
    counts
}

/// E[ϑ_k] = (α + E[n_k]) / (K α + n) of a document with these [`tokens_of_topics`].
fn mean_proportions(model: &TopicModel, counts: &[f64]) -> Vec<f64> {
    let total = counts.iter().sum::<f64>() / f64::from(SWEEPS) + model.alpha * model.topics as f64;
    counts.iter().map(|count| (model.alpha + count / f64::from(SWEEPS)) / total).collect()
}

/// So many documents are completed at a time.
const BLOCK: usize = 4_096;

/// [`tokens_of_topics`] of documents, computed on all threads and handed over in the order of the documents.
fn complete(
    model: &TopicModel,
    conditional: &Conditional<'_>,
    subjects: &[usize],
    streams: &Streams,
    mut visit: impl FnMut(usize, &[f64]),
) {
    for block in subjects.chunks(BLOCK) {
        let counts = |&subject: &usize| tokens_of_topics(model, conditional, subject, streams);
        let counts: Vec<Vec<f64>> = block.par_iter().map(counts).collect();
        block.iter().zip(&counts).for_each(|(&subject, counts)| visit(subject, counts));
    }
}

/// exp(−mean log Σ_k E[ϑ_ik] β_vk) over the tokens set aside; `None` when there are none.
pub(super) fn perplexity(
    model: &TopicModel,
    theta: &[f64],
    held_out: &[Document],
    streams: &Streams,
) -> Result<Option<f64>, DomainError> {
    let conditional = Conditional::new(model, theta)?;
    let (mut sum, mut tokens) = (0.0, 0.0);
    let split: Vec<usize> = (0..held_out.len()).filter(|&subject| !held_out[subject].is_empty()).collect();
    complete(model, &conditional, &split, streams, |subject, counts| {
        let proportions = mean_proportions(model, counts);
        for &(word, count) in &held_out[subject] {
            let beta = &theta[word as usize * model.topics..][..model.topics];
            let probability: f64 = beta.iter().zip(&proportions).map(|(beta, share)| beta * share).sum();
            sum += f64::from(count) * libm::log(probability);
            tokens += f64::from(count);
        }
    });
    Ok((tokens > 0.0).then(|| libm::exp(-sum / tokens)))
}

/// The table `topics`: per topic its share of the tokens and its most probable words, heaviest topic first.
pub(super) fn top_words(model: &TopicModel, theta: &[f64], streams: &Streams) -> Result<FinalTable, DomainError> {
    let conditional = Conditional::new(model, theta)?;
    let mut shares = vec![0.0; model.topics];
    let tokens = model.corpus.tokens() as f64 * f64::from(SWEEPS);
    let all: Vec<usize> = (0..model.corpus.documents.len()).collect();
    complete(model, &conditional, &all, streams, |_, counts| {
        shares.iter_mut().zip(counts).for_each(|(share, count)| *share += count / tokens);
    });
    let leading = LEADING.min(model.words());
    let mut order: Vec<usize> = (0..model.topics).collect();
    order.sort_by(|&a, &b| shares[b].total_cmp(&shares[a]));
    let row = |k: usize| -> Vec<String> {
        let beta: Vec<f64> = theta.iter().skip(k).step_by(model.topics).copied().collect();
        let mut words: Vec<usize> = (0..beta.len()).collect();
        // The first among equals leads.
        let order = |a: &usize, b: &usize| beta[*b].total_cmp(&beta[*a]).then(a.cmp(b));
        if leading < words.len() {
            words.select_nth_unstable_by(leading, order);
        }
        words[..leading].sort_unstable_by(order);
        let names = words[..leading].iter().map(|&word| model.corpus.vocabulary[word].clone());
        [k.to_string(), format!("{:?}", shares[k])].into_iter().chain(names).collect()
    };
    let numbered = (1..=leading).map(|place| format!("word_{place}"));
    Ok(FinalTable {
        name: "topics".to_owned(),
        columns: ["topic".to_owned(), "share".to_owned()].into_iter().chain(numbered).collect(),
        names: 2..2 + leading,
        rows: order.into_iter().map(row).collect(),
    })
}
