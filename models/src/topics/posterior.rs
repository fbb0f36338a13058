//! p(y_i, z; β) of a document, its gradient in z, its statistics, and draws of its proportions.

use fedbits_numerics::lanes::{exp_all, gammas, log_all};
use fedbits_random::Stream;
use pulp::Arch;

use super::model::TopicModel;
use super::tokens::DrawTopics;
use super::words::{AddExpected, Probabilities};
use crate::DomainError;
use crate::latent::Posterior;

/// The latent distributions at β.
pub(super) struct Conditional<'a> {
    model: &'a TopicModel,
    beta: &'a [f64],
    /// log Γ(Kα)/Γ(α)^K.
    log_constant: f64,
    level: Arch,
}

/// Logarithms of draws from Gamma(a), one per a: for small a the draw itself would be 0.
fn log_gamma_draws(shapes: &[f64], stream: &mut Stream) -> Vec<f64> {
    let mut boosts = vec![1.0; shapes.len()];
    let mut logs: Vec<f64> = shapes.iter().map(|&a| if a < 1.0 { a + 1.0 } else { a }).collect();
    gammas(stream, &mut logs, |k, stream| {
        if shapes[k] < 1.0 {
            boosts[k] = stream.uniform_open();
        }
    });
    log_all(&mut logs);
    log_all(&mut boosts);
    for ((log, boost), &a) in logs.iter_mut().zip(&boosts).zip(shapes) {
        if a < 1.0 {
            *log += boost / a;
        }
    }
    logs
}

/// The first entry that is no probability above 0. Blocks without one are passed over at once.
fn first_improbable(beta: &[f64]) -> Option<usize> {
    let is_fine = |&beta: &f64| beta > 0.0 && beta < f64::INFINITY;
    let blocks = beta.chunks(BLOCK).map(|block| block.iter().fold(true, |fine, beta| fine & is_fine(beta)));
    let block = blocks.enumerate().find(|(_, fine)| !fine)?.0;
    beta[block * BLOCK..].iter().position(|beta| !is_fine(beta)).map(|at| block * BLOCK + at)
}

/// Probabilities that are checked at once.
const BLOCK: usize = 64;

/// ψ′(x), the variance of the logarithm of a Gamma(x) draw: shifted above 8, then its asymptotic series (relative error
/// below 1e-9).
fn trigamma(mut x: f64) -> f64 {
    let mut sum = 0.0;
    while x < 8.0 {
        sum += 1.0 / (x * x);
        x += 1.0;
    }
    let square = 1.0 / (x * x);
    sum + (1.0 + 0.5 / x + square * (1.0 / 6.0 - square * (1.0 / 30.0 - square * (1.0 / 42.0 - square / 30.0)))) / x
}

impl<'a> Conditional<'a> {
    /// At β. An error when a probability is not positive.
    pub fn new(model: &'a TopicModel, beta: &'a [f64]) -> Result<Self, DomainError> {
        if let Some(at) = first_improbable(beta) {
            return Err(model.improbable(at, beta[at]));
        }
        let k = model.topics as f64;
        let log_constant = libm::lgamma(k * model.alpha) - k * libm::lgamma(model.alpha);
        Ok(Self { model, beta, log_constant, level: Arch::new() })
    }

    /// β of a word, K numbers.
    fn word(&self, word: u32) -> &[f64] {
        &self.beta[word as usize * self.model.topics..][..self.model.topics]
    }

    /// (ϑ, Σ_k log ϑ_k).
    pub fn proportions(&self, z: &[f64]) -> (Vec<f64>, f64) {
        let largest = z.iter().fold(0.0, |a: f64, &b| a.max(b));
        let mut theta: Vec<f64> = z.iter().chain(&[0.0]).map(|z| z - largest).collect();
        exp_all(&mut theta);
        let total: f64 = theta.iter().sum();
        theta.iter_mut().for_each(|theta| *theta /= total);
        let log_total = libm::log(total) + largest;
        (theta, z.iter().sum::<f64>() - (z.len() + 1) as f64 * log_total)
    }

    /// Σ_k ϑ_k β_vk of every word.
    fn probabilities(&self, subject: usize, theta: &[f64]) -> Vec<f64> {
        let document = &self.model.corpus.documents[subject][..];
        let mut out = vec![0.0; document.len()];
        self.level.dispatch(Probabilities { document, beta: self.beta, theta, out: &mut out });
        out
    }

    /// Σ_v n_v log p_v, where p are [`Self::probabilities`].
    fn log_probability(&self, subject: usize, mut probabilities: Vec<f64>) -> f64 {
        log_all(&mut probabilities);
        let words = self.model.corpus.documents[subject].iter().zip(&probabilities);
        words.fold(0.0, |sum, (&(_, count), log)| sum + f64::from(count) * log)
    }

    /// Adds Σ_v n_v r_vk at ϑ to `counts`.
    pub fn add_expected_topics(&self, subject: usize, theta: &[f64], counts: &mut [f64]) {
        let (document, probabilities) = (&self.model.corpus.documents[subject][..], self.probabilities(subject, theta));
        let probabilities = &probabilities[..];
        self.level.dispatch(AddExpected { document, beta: self.beta, theta, probabilities, counts });
    }

    /// Draws the topic of every token at ϑ, and adds how many fell to each topic to `counts`.
    fn draw_topics(&self, subject: usize, theta: &[f64], stream: &mut Stream, counts: &mut [f64]) {
        let document = &self.model.corpus.documents[subject][..];
        self.level.dispatch(DrawTopics { document, beta: self.beta, theta, stream, counts });
    }

    /// z of a draw from Dirichlet(α + counts).
    fn draw_proportions(&self, counts: &[f64], stream: &mut Stream, z: &mut [f64]) {
        let shapes: Vec<f64> = counts.iter().map(|count| self.model.alpha + count).collect();
        let logs = log_gamma_draws(&shapes, stream);
        let last = logs[logs.len() - 1];
        z.iter_mut().zip(&logs).for_each(|(z, log)| *z = log - last);
    }

    fn finite_or_impossible(density: f64) -> f64 {
        if density.is_nan() { f64::NEG_INFINITY } else { density }
    }
}

impl TopicModel {
    /// θ with every topic drawn from Dirichlet(`concentration`) over the words.
    pub fn random_topics(&self, concentration: f64, stream: &mut Stream) -> Vec<f64> {
        let mut theta = vec![0.0; self.words() * self.topics];
        let logs = log_gamma_draws(&vec![concentration; theta.len()], stream);
        for k in 0..self.topics {
            let of_topic = || logs.iter().skip(k).step_by(self.topics);
            let largest = of_topic().fold(f64::NEG_INFINITY, |a, &b| a.max(b));
            // No word may be impossible: what underflows stays at the smallest share.
            let share = |log: f64| libm::exp(log - largest).max(1e-12);
            let total: f64 = of_topic().map(|&log| share(log)).sum();
            of_topic()
                .zip(theta.iter_mut().skip(k).step_by(self.topics))
                .for_each(|(&log, beta)| *beta = share(log) / total);
        }
        theta
    }
}

impl Posterior for Conditional<'_> {
    fn start(&self, _subject: usize, z: &mut [f64]) {
        z.fill(0.0);
    }

    /// The variance of log ϑ_k/ϑ_K is 2 ψ′(α).
    fn prior_scale(&self, _j: usize) -> f64 {
        (2.0 * trigamma(self.model.alpha)).sqrt()
    }

    fn log_density(&self, subject: usize, z: &[f64]) -> f64 {
        let (theta, log_sum) = self.proportions(z);
        let tokens = self.log_probability(subject, self.probabilities(subject, &theta));
        Self::finite_or_impossible(tokens + self.log_constant + self.model.alpha * log_sum)
    }

    fn gradient(&self, subject: usize, z: &[f64], out: &mut [f64]) -> f64 {
        let (theta, log_sum) = self.proportions(z);
        let alpha = self.model.alpha;
        let weight = alpha * theta.len() as f64;
        out.iter_mut().zip(&theta).for_each(|(out, theta)| *out = alpha - weight * theta);
        let probabilities = self.probabilities(subject, &theta);
        for (&(word, count), probability) in self.model.corpus.documents[subject].iter().zip(&probabilities) {
            for ((out, theta), beta) in out.iter_mut().zip(&theta).zip(self.word(word)) {
                *out += f64::from(count) * theta * (beta / probability - 1.0);
            }
        }
        let tokens = self.log_probability(subject, probabilities);
        Self::finite_or_impossible(tokens + self.log_constant + alpha * log_sum)
    }

    fn add_statistics(&self, subject: usize, z: &[f64], scale: f64, out: &mut [f64]) {
        let (theta, _) = self.proportions(z);
        let topics = self.model.topics;
        let probabilities = self.probabilities(subject, &theta);
        for (&(word, count), probability) in self.model.corpus.documents[subject].iter().zip(&probabilities) {
            let factor = scale * f64::from(count) / probability;
            let entries = out[word as usize * topics..][..topics].iter_mut();
            entries.zip(&theta).zip(self.word(word)).for_each(|((out, theta), beta)| *out += factor * theta * beta);
        }
    }

    fn draw_prior(&self, _subject: usize, stream: &mut Stream, z: &mut [f64]) {
        self.draw_proportions(&vec![0.0; self.model.topics], stream, z);
    }

    fn log_prior(&self, _subject: usize, z: &[f64]) -> f64 {
        Self::finite_or_impossible(self.log_constant + self.model.alpha * self.proportions(z).1)
    }

    /// Topics of all tokens, then proportions.
    fn gibbs(&self, subject: usize, stream: &mut Stream, z: &mut [f64]) {
        let (theta, _) = self.proportions(z);
        let mut counts = vec![0.0; theta.len()];
        self.draw_topics(subject, &theta, stream, &mut counts);
        self.draw_proportions(&counts, stream, z);
    }
}

#[cfg(test)]
mod tests {
    /// ψ′(1) = π²/6, ψ′(½) = π²/2, ψ′(x) = ψ′(x + 1) + 1/x².
    #[test]
    fn trigamma() {
        let squared = core::f64::consts::PI * core::f64::consts::PI;
        assert!((super::trigamma(1.0) - squared / 6.0).abs() < 1e-9);
        assert!((super::trigamma(0.5) - squared / 2.0).abs() < 1e-9);
        assert!((super::trigamma(0.1) - super::trigamma(1.1) - 100.0).abs() < 1e-9);
    }
}
