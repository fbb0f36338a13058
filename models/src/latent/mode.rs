//! The most probable latent variables of a subject given its observations, and their spread there: empirical Bayes
//! estimates of random effects, maximum a posteriori scores of factors.
//!
//! Newton's method from the mode of p(z; θ), in units of the prior's standard deviations. Second derivatives are
//! central differences of the gradient; where −H is not positive definite, a multiple of the identity is added
//! (Levenberg), and steps are halved until the density grows.

use fedbits_numerics::{column_dot, dot, inverse_root, row_dot, vech_index, vech_pairs};

use super::model::Posterior;

/// The mode of one posterior.
#[derive(Clone, Debug, PartialEq)]
pub struct Mode {
    /// z.
    pub z: Vec<f64>,
    /// Roots of the diagonal of (−H)⁻¹: exact standard deviations where the posterior is Gaussian.
    pub deviations: Vec<f64>,
}

/// Steps after which the search is given up.
const MOST_STEPS: usize = 200;
/// Differences of second derivatives, in prior standard deviations.
const DIFFERENCE: f64 = 1e-4;
/// Where a step is expected to add less than this to log p, Newton's method converges quadratically, and what it adds
/// is soon too small to be seen.
const NEAR: f64 = 1e-8;
/// Steps that are made from there on: errors are squared each time.
const LAST_STEPS: u32 = 3;

/// The mode of z | y of a subject with `p` latent variables; none where the search does not end. Only with
/// [`crate::latent::Abilities::gradient`].
pub fn mode(posterior: &dyn Posterior, subject: usize, p: usize) -> Option<Mode> {
    let scales: Vec<f64> = (0..p).map(|j| posterior.prior_scale(j)).collect();
    let place = Place { posterior, subject, scales };
    let mut z = vec![0.0; p];
    posterior.start(subject, &mut z);
    let (mut density, mut slope) = place.slope(&z);
    let mut last = 0;
    for _ in 0..MOST_STEPS {
        let curvature = place.curvature(&z);
        let inverse = root_at(&curvature, p, 0.0);
        let (step, gain) = ascent(&curvature, inverse.as_deref(), &slope)?;
        match inverse {
            Some(inverse) if last == LAST_STEPS => return Some(place.found(z, &inverse)),
            Some(_) if gain <= NEAR => {
                z = place.along(&z, &step, 1.0);
                last += 1;
            }
            _ => z = place.climb(&z, &step, density)?,
        }
        (density, slope) = place.slope(&z);
    }
    None
}

struct Place<'a> {
    posterior: &'a dyn Posterior,
    subject: usize,
    scales: Vec<f64>,
}

impl Place<'_> {
    /// log p, and its gradient in units of the prior.
    fn slope(&self, z: &[f64]) -> (f64, Vec<f64>) {
        let mut slope = vec![0.0; z.len()];
        let density = self.posterior.gradient(self.subject, z, &mut slope);
        slope.iter_mut().zip(&self.scales).for_each(|(slope, scale)| *slope *= scale);
        (density, slope)
    }

    /// −H in units of the prior, vech.
    fn curvature(&self, z: &[f64]) -> Vec<f64> {
        let p = z.len();
        let mut columns = Vec::with_capacity(p);
        for (j, scale) in self.scales.iter().enumerate() {
            let at = |sign: f64| {
                let mut near = z.to_vec();
                near[j] += sign * DIFFERENCE * scale;
                self.slope(&near).1
            };
            let (above, below) = (at(1.0), at(-1.0));
            let difference = above.iter().zip(&below).map(|(above, below)| (below - above) / (2.0 * DIFFERENCE));
            columns.push(difference.collect::<Vec<f64>>());
        }
        vech_pairs(p).map(|(i, j)| 0.5 * (columns[i][j] + columns[j][i])).collect()
    }

    fn along(&self, z: &[f64], step: &[f64], length: f64) -> Vec<f64> {
        let moves = step.iter().zip(&self.scales);
        z.iter().zip(moves).map(|(z, (step, scale))| z + length * step * scale).collect()
    }

    /// A point along the step, in units of the prior, where the density is larger.
    fn climb(&self, z: &[f64], step: &[f64], density: f64) -> Option<Vec<f64>> {
        let lengths = (0..60).map(|halvings| libm::ldexp(1.0, -halvings));
        lengths
            .map(|length| self.along(z, step, length))
            .find(|next| self.posterior.log_density(self.subject, next) > density)
    }

    fn found(&self, z: Vec<f64>, inverse: &[f64]) -> Mode {
        let p = z.len();
        // (−H)⁻¹ = L⁻ᵀ L⁻¹: its diagonal has the squared lengths of the columns of L⁻¹.
        let variance = |j: usize| (j..p).map(|i| inverse[vech_index(i, j)]).map(|x| x * x).sum::<f64>();
        let deviations = self.scales.iter().enumerate().map(|(j, scale)| scale * variance(j).sqrt()).collect();
        Mode { z, deviations }
    }
}

/// L⁻¹ of −H + λI = L Lᵀ; none where it is not positive definite.
fn root_at(curvature: &[f64], p: usize, lambda: f64) -> Option<Vec<f64>> {
    let mut factor = curvature.to_vec();
    (0..p).for_each(|i| factor[vech_index(i, i)] += lambda);
    inverse_root(factor, p).ok().filter(|inverse| inverse.iter().all(|entry| entry.is_finite()))
}

/// A step of Newton's method, and half of what it is expected to add to log p.
fn ascent(curvature: &[f64], inverse: Option<&[f64]>, slope: &[f64]) -> Option<(Vec<f64>, f64)> {
    let p = slope.len();
    let step = |inverse: &[f64]| {
        let w: Vec<f64> = (0..p).map(|i| row_dot(inverse, i, slope)).collect();
        ((0..p).map(|i| column_dot(inverse, i, &w)).collect(), 0.5 * dot(&w, &w))
    };
    if let Some(inverse) = inverse {
        return Some(step(inverse));
    }
    let largest = (0..p).map(|i| curvature[vech_index(i, i)].abs()).fold(1.0, f64::max);
    let lambdas = std::iter::successors(Some(1e-3 * largest), |lambda| Some(4.0 * lambda)).take(40);
    lambdas
        .filter(|lambda| lambda.is_finite())
        .find_map(|lambda| root_at(curvature, p, lambda))
        .map(|inverse| step(&inverse))
}
