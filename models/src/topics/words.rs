//! Sums over topics, words in lanes: every word's sum runs in the order of topics.

use fedbits_numerics::lanes::{LANES, gather};
use pulp::{NullaryFnOnce, Simd, WithSimd};

/// The rows of β of up to as many words as a vector has lanes; unused lanes repeat the first.
#[inline(always)]
pub(super) fn rows<'a, S: Simd>(words: &[u32], beta: &'a [f64], topics: usize) -> [&'a [f64]; LANES] {
    let mut rows = [&beta[words[0] as usize * topics..][..topics]; LANES];
    for (row, &word) in rows.iter_mut().zip(words).take(S::F64_LANES) {
        *row = &beta[word as usize * topics..][..topics];
    }
    rows
}

/// Σ_k ϑ_k β_vk of every word of a document.
pub(super) struct Probabilities<'a> {
    /// (word, tokens).
    pub document: &'a [(u32, u32)],
    /// K numbers per word.
    pub beta: &'a [f64],
    pub theta: &'a [f64],
    /// One number per word of the document.
    pub out: &'a mut [f64],
}

impl WithSimd for Probabilities<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let Self { document, beta, theta, out } = self;
        for (entries, out) in document.chunks(S::F64_LANES).zip(out.chunks_mut(S::F64_LANES)) {
            let mut words = [0; LANES];
            for (word, entry) in words.iter_mut().zip(entries) {
                *word = entry.0;
            }
            let rows = rows::<S>(&words[..entries.len()], beta, theta.len());
            let mut sum = simd.splat_f64s(0.0);
            for (k, &theta) in theta.iter().enumerate() {
                sum = simd.add_f64s(sum, simd.mul_f64s(gather(simd, &rows, k), simd.splat_f64s(theta)));
            }
            simd.partial_store_f64s(out, sum);
        }
    }
}

/// Adds Σ_v n_v ϑ_k β_vk / p_v to `counts`.
pub(super) struct AddExpected<'a> {
    /// (word, tokens).
    pub document: &'a [(u32, u32)],
    /// K numbers per word.
    pub beta: &'a [f64],
    pub theta: &'a [f64],
    /// p, one number per word of the document.
    pub probabilities: &'a [f64],
    pub counts: &'a mut [f64],
}

impl NullaryFnOnce for AddExpected<'_> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let Self { document, beta, theta, probabilities, counts } = self;
        for (&(word, count), &probability) in document.iter().zip(probabilities) {
            let (count, beta) = (f64::from(count), &beta[word as usize * theta.len()..][..theta.len()]);
            for ((counts, theta), beta) in counts.iter_mut().zip(theta).zip(beta) {
                *counts += count * theta * beta / probability;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gmm::levels;
    use fedbits_random::{DrawPurpose, Streams};

    /// Slow reference: word by word, topic by topic.
    #[test]
    fn sums_have_the_bits_of_their_definition() {
        for topics in [2, 3, 8, 20, 65] {
            let mut numbers = Streams::new(8, 0).at(DrawPurpose::Data, topics as u64, 1);
            let theta: Vec<f64> = (0..topics).map(|_| numbers.uniform()).collect();
            let beta: Vec<f64> = (0..50 * topics).map(|_| numbers.uniform()).collect();
            for length in [1, 7, 8, 9, 50] {
                let document: Vec<(u32, u32)> = (0..length).map(|word| (49 - word, 1 + word % 3)).collect();
                let (mut expected, mut added) = (Vec::new(), vec![0.25; topics]);
                for &(word, count) in &document {
                    let beta = &beta[word as usize * topics..][..topics];
                    let probability = beta.iter().zip(&theta).fold(0.0, |sum, (beta, theta)| sum + beta * theta);
                    for ((added, theta), beta) in added.iter_mut().zip(&theta).zip(beta) {
                        *added += f64::from(count) * theta * beta / probability;
                    }
                    expected.push(probability);
                }
                for level in levels() {
                    let (mut out, mut counts) = (vec![0.0; document.len()], vec![0.25; topics]);
                    let (document, beta, theta) = (&document[..], &beta[..], &theta[..]);
                    level.dispatch(Probabilities { document, beta, theta, out: &mut out });
                    assert_eq!(out, expected, "{topics} topics, {length} words at {level:?}");
                    let (probabilities, sums) = (&out[..], &mut counts[..]);
                    level.dispatch(AddExpected { document, beta, theta, probabilities, counts: sums });
                    assert_eq!(counts, added, "{topics} topics, {length} words at {level:?}");
                }
            }
        }
    }
}
