//! The topic of every token of a document, tokens in lanes.
//!
//! The sums over topics run in their order. Where a token falls among them is counted and not searched, so that nothing
//! depends on a branch.

use super::words::rows;
use fedbits_numerics::lanes::{LANES, gather};
use fedbits_random::Stream;
use pulp::{Simd, WithSimd, bytemuck};

/// Topics whose sums live on the stack.
const FEW: usize = 64;

/// Draws the topic of every token at ϑ, and adds how many fell to each to `counts`.
pub(super) struct DrawTopics<'a> {
    /// (word, tokens).
    pub document: &'a [(u32, u32)],
    /// K numbers per word.
    pub beta: &'a [f64],
    pub theta: &'a [f64],
    pub stream: &'a mut Stream,
    pub counts: &'a mut [f64],
}

impl WithSimd for DrawTopics<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        if self.theta.len() <= FEW {
            let mut sums = [simd.splat_f64s(0.0); FEW];
            self.draw(simd, &mut sums);
        } else {
            let mut sums = vec![simd.splat_f64s(0.0); self.theta.len()];
            self.draw(simd, &mut sums);
        }
    }
}

impl DrawTopics<'_> {
    #[inline(always)]
    fn draw<S: Simd>(self, simd: S, sums: &mut [S::f64s]) {
        let Self { document, beta, theta, stream, counts } = self;
        let mut waiting = Waiting { words: [0; LANES], places: [0.0; LANES], count: 0 };
        for &(word, tokens) in document {
            for _ in 0..tokens {
                waiting.words[waiting.count] = word;
                waiting.places[waiting.count] = stream.uniform();
                waiting.count += 1;
                if waiting.count == S::F64_LANES {
                    waiting.count_topics(simd, beta, theta, sums, counts);
                }
            }
        }
        if waiting.count > 0 {
            waiting.count_topics(simd, beta, theta, sums, counts);
        }
    }
}

/// Tokens, one per lane: their words, and where they fall in [0, 1).
struct Waiting {
    words: [u32; LANES],
    places: [f64; LANES],
    count: usize,
}

impl Waiting {
    /// Adds the topics of the tokens to `counts`; none waits afterwards.
    #[inline(always)]
    fn count_topics<S: Simd>(
        &mut self,
        simd: S,
        beta: &[f64],
        theta: &[f64],
        sums: &mut [S::f64s],
        counts: &mut [f64],
    ) {
        let rows = rows::<S>(&self.words[..self.count], beta, theta.len());
        let (zero, one) = (simd.splat_f64s(0.0), simd.splat_f64s(1.0));
        let mut total = zero;
        for ((k, &theta), sum) in theta.iter().enumerate().zip(&mut *sums) {
            total = simd.add_f64s(total, simd.mul_f64s(simd.splat_f64s(theta), gather(simd, &rows, k)));
            *sum = total;
        }
        let place = simd.mul_f64s(S::as_simd_f64s(&self.places).0[0], total);
        let mut passed = zero;
        for &sum in &sums[..theta.len()] {
            passed = simd.add_f64s(passed, simd.select_f64s(simd.less_than_f64s(place, sum), zero, one));
        }
        for &passed in &bytemuck::cast_slice::<S::f64s, f64>(std::slice::from_ref(&passed))[..self.count] {
            // Rounding may leave a sliver above the last sum.
            counts[(passed as usize).min(theta.len() - 1)] += 1.0;
        }
        self.count = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gmm::levels;
    use fedbits_random::{DrawPurpose, Streams};

    /// Slow reference: the first sum above the place, else the last topic.
    fn searched(document: &[(u32, u32)], beta: &[f64], theta: &[f64], stream: &mut Stream, counts: &mut [f64]) {
        for &(word, count) in document {
            let mut total = 0.0;
            let products = beta[word as usize * theta.len()..].iter().zip(theta);
            let sums: Vec<f64> = products.map(|(beta, theta)| (total += theta * beta, total).1).collect();
            for _ in 0..count {
                let place = stream.uniform() * total;
                counts[sums.iter().position(|&sum| place < sum).unwrap_or(theta.len() - 1)] += 1.0;
            }
        }
    }

    #[test]
    fn tokens_fall_where_a_search_finds_them() {
        for topics in [2, 3, 8, 20, 63, 64, 65, 130] {
            for broken in [1.0, 0.0, f64::NAN] {
                let mut numbers = Streams::new(8, 0).at(DrawPurpose::Data, topics as u64, 0);
                let mut theta: Vec<f64> = (0..topics).map(|_| numbers.uniform()).collect();
                theta[topics / 2] *= broken;
                let beta: Vec<f64> = (0..50 * topics).map(|_| numbers.uniform()).collect();
                let document: Vec<(u32, u32)> = (0..50).map(|word| (49 - word, word % 4)).collect();
                let stream = || Streams::new(9, 0).at(DrawPurpose::Data, 0, 0);
                let mut slow = vec![0.5; topics];
                searched(&document, &beta, &theta, &mut stream(), &mut slow);
                for level in levels() {
                    let mut counts = vec![0.5; topics];
                    let (document, beta, theta) = (&document[..], &beta[..], &theta[..]);
                    let (stream, counts_of) = (&mut stream(), &mut counts[..]);
                    level.dispatch(DrawTopics { document, beta, theta, stream, counts: counts_of });
                    assert_eq!(counts, slow, "{topics} topics at {level:?}");
                }
            }
        }
    }
}
