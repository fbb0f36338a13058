//! The Gaussian mixture with sampled labels: z_i is the component of example i (a whole number), S(y, z) its indicator
//! form of the mixture's statistic. The case of FL-SAEM with a known answer, because E-step and objective exist too.

use std::sync::Arc;

use fedbits_numerics::vech_pairs;
use fedbits_random::Stream;

use super::kernel::Conditional;
use super::mixture::{GaussianMixture, second_moment};
use crate::clusters::Clusters;
use crate::data::DataSet;
use crate::latent::{Abilities, Posterior, SampledModel};
use crate::{Batch, DomainError, EStep, Examples, Model, Scratch};

/// Labels have no gradient and cannot walk.
pub(super) fn abilities() -> Abilities {
    Abilities { gibbs: true, expectation: true, latent: 1, ..Abilities::default() }
}

impl GaussianMixture {
    /// The mixture together with examples (of d columns) whose labels can be sampled: subject i is example i. Without,
    /// it has no subjects.
    #[must_use]
    pub fn with_examples(self, data: DataSet) -> Self {
        Self { labelled: Some(Arc::new(data)), ..self }
    }

    fn example(&self, subject: usize) -> Examples<'_> {
        let data = self.labelled.as_ref().expect("subjects are examples that the mixture was given");
        data.examples().range(subject..subject + 1)
    }
}

impl SampledModel for GaussianMixture {
    fn subjects(&self) -> usize {
        self.labelled.as_ref().map_or(0, |data| data.len())
    }

    fn abilities(&self) -> Abilities {
        abilities()
    }

    fn posterior<'a>(&'a self, theta: &'a [f64]) -> Result<Box<dyn Posterior + 'a>, DomainError> {
        let conditional = self.condition(theta)?;
        Ok(Box::new(Labels { mixture: self, conditional, weights: self.weights(theta) }))
    }

    /// C2 of the tied form.
    fn with_constants_of_subjects(&self, subjects: &[u32]) -> Option<Box<dyn Model>> {
        let moment = || {
            let rows: Vec<f64> = subjects.iter().flat_map(|&i| self.example(i as usize).rows()).copied().collect();
            second_moment(Examples::new(&rows, self.layout.dimension))
        };
        (self.constants_dimension() > 0).then(|| Box::new(self.with_second_moment(moment)) as _)
    }

    fn classes(&self) -> Option<(&dyn Clusters, &DataSet)> {
        Some((self, self.labelled.as_deref()?))
    }
}

struct Labels<'a> {
    mixture: &'a GaussianMixture,
    conditional: Conditional,
    weights: &'a [f64],
}

impl Labels<'_> {
    /// s̄ of one example, whose first G numbers are the posterior weights r, and log p(y).
    fn expectation(&self, subject: usize) -> (Vec<f64>, f64) {
        let mut s = vec![0.0; self.mixture.statistic_dimension()];
        let scratch = &mut Scratch::default();
        let objective = self.conditional.mean_statistics_and_objective(self.mixture.example(subject), scratch, &mut s);
        (s, -objective)
    }

    fn responsibilities(&self, subject: usize) -> Vec<f64> {
        let mut s = vec![0.0; self.mixture.statistic_dimension()];
        self.conditional.mean_statistics(self.mixture.example(subject), Batch::All, &mut Scratch::default(), &mut s);
        s.truncate(self.weights.len());
        s
    }
}

impl Posterior for Labels<'_> {
    fn start(&self, _subject: usize, z: &mut [f64]) {
        let heaviest = (0..self.weights.len()).fold(0, |a, b| if self.weights[b] > self.weights[a] { b } else { a });
        z[0] = heaviest as f64;
    }

    fn prior_scale(&self, _j: usize) -> f64 {
        1.0
    }

    fn log_density(&self, subject: usize, z: &[f64]) -> f64 {
        let (s, log_likelihood) = self.expectation(subject);
        log_likelihood + libm::log(s[z[0] as usize])
    }

    fn gradient(&self, _subject: usize, _z: &[f64], _out: &mut [f64]) -> f64 {
        unreachable!("labels have no gradient, and `abilities` says so")
    }

    fn add_statistics(&self, subject: usize, z: &[f64], scale: f64, out: &mut [f64]) {
        self.mixture.add_labelled(self.mixture.example(subject).rows(), z[0] as usize, scale, out);
    }

    fn draw_prior(&self, _subject: usize, stream: &mut Stream, z: &mut [f64]) {
        z[0] = stream.categorical(self.weights) as f64;
    }

    fn log_prior(&self, _subject: usize, z: &[f64]) -> f64 {
        libm::log(self.weights[z[0] as usize])
    }

    fn gibbs(&self, subject: usize, stream: &mut Stream, z: &mut [f64]) {
        z[0] = stream.categorical(&self.responsibilities(subject)) as f64;
    }

    fn expected_statistics(&self, subject: usize, scale: f64, out: &mut [f64]) -> Option<f64> {
        let (s, log_likelihood) = self.expectation(subject);
        out.iter_mut().zip(&s).for_each(|(out, s)| *out += scale * s);
        Some(log_likelihood)
    }
}

impl GaussianMixture {
    /// `out += scale · S(y, g)`: the statistic of an example whose component is known to be `g`.
    pub(super) fn add_labelled(&self, y: &[f64], g: usize, scale: f64, out: &mut [f64]) {
        let layout = &self.layout;
        out[g] += scale;
        for (at, y) in layout.mean(g).zip(y) {
            out[at] += scale * y;
        }
        let seconds = layout.second_moment(g);
        if seconds.len() == layout.dimension {
            seconds.zip(y).for_each(|(at, y)| out[at] += scale * y * y);
        } else if !seconds.is_empty() {
            seconds.zip(vech_pairs(layout.dimension)).for_each(|(at, (i, j))| out[at] += scale * y[i] * y[j]);
        }
    }
}
