//! The Gaussian mixture with sampled labels: z_i is the component of example i (a whole number), S(y, z) its indicator
//! form of the mixture's statistic. The case of FL-SAEM with a known answer, because E-step and objective exist too.

use fedbits_random::Stream;

use super::kernel::Conditional;
use super::mixture::{GaussianMixture, second_moment};
use crate::clusters::Clusters;
use crate::coordinates::Parameters;
use crate::data::DataSet;
use crate::latent::{Abilities, LatentSampler, Posterior};
use crate::{Batch, DomainError, DomainPolicy, EStep, Examples, Model, Repairs, Scratch};

/// A mixture and its examples: subject i is example i.
pub struct SampledMixture {
    mixture: GaussianMixture,
    data: DataSet,
}

impl SampledMixture {
    /// Labels have no gradient and cannot walk.
    pub(super) const ABILITIES: Abilities =
        Abilities { gradient: false, gibbs: true, continuous: false, expectation: true, importance: false };

    /// The mixture with sampled labels of `data` (d columns).
    pub fn new(mixture: GaussianMixture, data: DataSet) -> Self {
        Self { mixture, data }
    }

    /// The examples.
    pub fn data(&self) -> &DataSet {
        &self.data
    }

    fn example(&self, subject: usize) -> Examples<'_> {
        let d = self.data.dimension();
        Examples { rows: &self.data.rows()[subject * d..][..d], dimension: d }
    }
}

impl LatentSampler for SampledMixture {
    fn subjects(&self) -> usize {
        self.data.len()
    }

    fn latent_dimension(&self) -> usize {
        1
    }

    fn statistic_dimension(&self) -> usize {
        self.mixture.statistic_dimension()
    }

    fn parameter_dimension(&self) -> usize {
        self.mixture.parameter_dimension()
    }

    fn parameter_names(&self) -> Vec<String> {
        self.mixture.parameter_names()
    }

    fn statistic_names(&self) -> Vec<String> {
        self.mixture.statistic_names()
    }

    fn constants_dimension(&self) -> usize {
        self.mixture.constants_dimension()
    }

    fn abilities(&self) -> Abilities {
        Self::ABILITIES
    }

    fn maximize(&self, s: &[f64], policy: DomainPolicy, theta: &mut Vec<f64>) -> Result<Repairs, DomainError> {
        self.mixture.maximize(s, policy, theta)
    }

    fn maximize_own(
        &self,
        subjects: &[u32],
        s: &[f64],
        policy: DomainPolicy,
        theta: &mut Vec<f64>,
    ) -> Result<Repairs, DomainError> {
        let own = || {
            let rows: Vec<f64> = subjects.iter().flat_map(|&i| self.example(i as usize).rows).copied().collect();
            second_moment(Examples { rows: &rows, dimension: self.data.dimension() })
        };
        self.mixture.with_second_moment(own).maximize(s, policy, theta)
    }

    /// C2 of the tied form.
    fn has_own_constants(&self) -> bool {
        self.constants_dimension() > 0
    }

    fn admit(&self, theta: &[f64], policy: DomainPolicy, out: &mut Vec<f64>) -> Result<Repairs, DomainError> {
        self.mixture.admit(theta, policy, out)
    }

    fn statistics_of(&self, theta: &[f64], s: &mut Vec<f64>) {
        self.mixture.statistics_of(theta, s);
    }

    fn posterior<'a>(&'a self, theta: &'a [f64]) -> Result<Box<dyn Posterior + 'a>, DomainError> {
        let conditional = self.mixture.condition(theta)?;
        Ok(Box::new(Labels { model: self, conditional, weights: self.mixture.weights(theta) }))
    }

    fn clusters(&self) -> Option<(&dyn Clusters, &DataSet)> {
        Some((&self.mixture, &self.data))
    }

    fn parameter_error(&self, theta: &[f64], truth: &[f64]) -> f64 {
        self.mixture.parameter_error(theta, truth)
    }
}

struct Labels<'a> {
    model: &'a SampledMixture,
    conditional: Conditional,
    weights: &'a [f64],
}

impl Labels<'_> {
    /// s̄ of one example, whose first G numbers are the posterior weights r, and log p(y).
    fn expectation(&self, subject: usize) -> (Vec<f64>, f64) {
        let mut s = vec![0.0; self.model.mixture.statistic_dimension()];
        let scratch = &mut Scratch::default();
        let objective = self.conditional.mean_statistics_and_objective(self.model.example(subject), scratch, &mut s);
        (s, -objective)
    }

    fn responsibilities(&self, subject: usize) -> Vec<f64> {
        let mut s = vec![0.0; self.model.mixture.statistic_dimension()];
        self.conditional.mean_statistics(self.model.example(subject), Batch::All, &mut Scratch::default(), &mut s);
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
        self.model.mixture.add_labelled(self.model.example(subject).rows, z[0] as usize, scale, out);
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
            let pairs = (0..layout.dimension).flat_map(|i| (0..=i).map(move |j| (i, j)));
            seconds.zip(pairs).for_each(|(at, (i, j))| out[at] += scale * y[i] * y[j]);
        }
    }

    /// s with T(s) = θ: π_g, π_g µ_g, π_g (Σ_g + µ_g µ_gᵀ). (A tied Σ is a function of C2 and the means; it is not
    /// used.)
    pub(super) fn statistics_of(&self, theta: &[f64], s: &mut Vec<f64>) {
        let layout = &self.layout;
        s.clear();
        s.resize(layout.statistic_dimension(), 0.0);
        for g in 0..layout.components {
            self.add_labelled(&theta[layout.mean(g)], g, theta[g], s);
            let seconds = layout.second_moment(g);
            if !seconds.is_empty() {
                for (at, variance) in seconds.zip(&theta[layout.covariance(g)]) {
                    s[at] += theta[g] * variance;
                }
            }
        }
    }
}
