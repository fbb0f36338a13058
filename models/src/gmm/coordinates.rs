//! Parameters of a Gaussian mixture as things to average and to climb with.
//!
//! ```text
//! x = (a_g, µ_g, v_g): π = softmax(a), v_g = log variances of the diagonal form
//! ∂/∂a_g = s1_g − π_g,   ∂/∂µ_g = Σ⁻¹ (s2_g − s1_g µ_g),   ∂/∂v_g = ((s3_g − 2 µ_g s2_g + µ_g² s1_g) e^(−v_g) − s1_g)/2
//! ```
//!
//! by Fisher's identity, entry by entry for the diagonal form. A tied or full covariance would need coordinates that
//! keep it positive definite; those forms have none.

use super::layout::Form;
use super::matching;
use super::mixture::GaussianMixture;
use crate::{Coordinates, DomainError, DomainPolicy, Model, Parameters, Repairs};
use fedbits_numerics::{inverse_root, solve, vech_pairs};

impl Parameters for GaussianMixture {
    /// π_g, π_g µ_g, π_g (Σ_g + µ_g µ_gᵀ). (A tied Σ is a function of C2 and the means; it is not used.)
    fn statistic_of(&self, theta: &[f64], s: &mut Vec<f64>) {
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

    fn admit(&self, theta: &[f64], policy: DomainPolicy, out: &mut Vec<f64>) -> Result<Repairs, DomainError> {
        let mut s = Vec::new();
        self.statistic_of(theta, &mut s);
        self.with_second_moment(|| self.second_moment_at(theta)).maximize(&s, policy, out)
    }

    fn align(&self, theta: &mut [f64], reference: &[f64]) -> Result<(), DomainError> {
        let layout = &self.layout;
        let matched = matching::match_components((layout, &self.constant), theta, reference)?;
        let old = theta.to_vec();
        for (from, &to) in matched.iter().enumerate() {
            theta[to] = old[from];
            theta[layout.mean(to)].copy_from_slice(&old[layout.mean(from)]);
            if matches!(layout.form, Form::Diagonal | Form::Full) {
                theta[layout.covariance(to)].copy_from_slice(&old[layout.covariance(from)]);
            }
        }
        Ok(())
    }
}

impl GaussianMixture {
    /// Does this form have coordinates?
    pub(super) fn has_coordinates(&self) -> bool {
        matches!(self.layout.form, Form::Known | Form::Diagonal)
    }

    /// E y yᵀ at θ of the tied form: Σ + Σ_g π_g µ_g µ_gᵀ.
    fn second_moment_at(&self, theta: &[f64]) -> Vec<f64> {
        let layout = &self.layout;
        let mut moment = theta[layout.covariance(0)].to_vec();
        for g in 0..layout.components {
            let mean = &theta[layout.mean(g)];
            let pairs = moment.iter_mut().zip(vech_pairs(layout.dimension));
            pairs.for_each(|(sum, (i, j))| *sum += theta[g] * mean[i] * mean[j]);
        }
        moment
    }
}

impl Coordinates for GaussianMixture {
    fn coordinate_names(&self) -> Vec<String> {
        let names = self.layout.parameter_names().into_iter();
        names.map(|name| if name.starts_with("mean") { name } else { format!("log_{name}") }).collect()
    }

    fn coordinates_of(&self, theta: &[f64]) -> Vec<f64> {
        let mut x = theta.to_vec();
        let means = self.layout.mean(0).start..self.layout.mean(self.layout.components - 1).end;
        x.iter_mut().enumerate().filter(|(j, _)| !means.contains(j)).for_each(|(_, x)| *x = libm::log(*x));
        x
    }

    fn theta_of(&self, x: &[f64]) -> Vec<f64> {
        let (g, mut theta) = (self.layout.components, x.to_vec());
        let largest = x[..g].iter().copied().fold(f64::NEG_INFINITY, f64::max);
        theta[..g].iter_mut().for_each(|a| *a = libm::exp(*a - largest));
        let sum: f64 = theta[..g].iter().sum();
        theta[..g].iter_mut().for_each(|weight| *weight /= sum);
        theta[self.layout.mean(g - 1).end..].iter_mut().for_each(|v| *v = libm::exp(*v));
        theta
    }

    fn gradient(&self, theta: &[f64], statistic: &mut [f64]) {
        let layout = &self.layout;
        for g in 0..layout.components {
            let (s1, mean) = (statistic[g], &theta[layout.mean(g)]);
            let r: Vec<f64> = statistic[layout.mean(g)].iter().zip(mean).map(|(s2, mean)| s2 - s1 * mean).collect();
            if layout.form == Form::Known {
                let inverse = inverse_root(self.constant.clone(), layout.dimension);
                let inverse = inverse.expect("a known covariance is checked when the mixture is made");
                statistic[layout.mean(g)].copy_from_slice(&solve(&inverse, &r));
            } else {
                let variances = &theta[layout.covariance(g)];
                for (i, ((r, mean), variance)) in r.iter().zip(mean).zip(variances).enumerate() {
                    let (s2, s3) = (layout.mean(g).start + i, layout.second_moment(g).start + i);
                    let squares = statistic[s3] - 2.0 * mean * statistic[s2] + mean * mean * s1;
                    statistic[s3] = 0.5 * (squares / variance - s1);
                    statistic[s2] = r / variance;
                }
            }
        }
        statistic[..layout.components].iter_mut().zip(theta).for_each(|(s1, weight)| *s1 -= weight);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gmm::Covariance;
    use crate::{Batch, ExactModel, Examples, Model, Scratch};

    const ROWS: [f64; 10] = [0.3, -1.0, 1.2, 0.4, -0.8, -0.5, 2.0, 1.0, 0.1, 0.9];

    fn models() -> [(GaussianMixture, Vec<f64>); 2] {
        let known = GaussianMixture::new(2, 2, Covariance::Known(vec![1.0, 0.3, 0.3, 0.8])).unwrap();
        let diagonal = GaussianMixture::new(2, 2, Covariance::Diagonal).unwrap();
        let theta = vec![0.3, 0.7, -0.5, -0.4, 0.8, 0.6];
        let variances = [0.5, 1.1, 0.9, 0.7];
        [(known, theta.clone()), (diagonal, [&theta[..], &variances].concat())]
    }

    fn mean_log_likelihood(model: &GaussianMixture, x: &[f64]) -> f64 {
        model.log_likelihood(Examples::new(&ROWS, 2), &model.theta_of(x)).unwrap()
    }

    /// The gradient is that of central differences of the log-likelihood, and coordinates are a way there and back.
    #[test]
    fn the_gradient_is_that_of_differences() {
        for (model, theta) in models() {
            let x = model.coordinates_of(&theta);
            assert!(model.theta_of(&x).iter().zip(&theta).all(|(a, b)| (a - b).abs() < 1e-14));
            let mut gradient = vec![0.0; x.len()];
            let e_step = model.conditional(&theta).unwrap();
            let examples = Examples::new(&ROWS, 2);
            e_step.mean_statistics(examples, Batch::All, &mut Scratch::default(), &mut gradient);
            model.gradient(&theta, &mut gradient);
            for j in 0..x.len() {
                let at = |by: f64| {
                    let mut x = x.clone();
                    x[j] += by;
                    mean_log_likelihood(&model, &x)
                };
                let difference = (at(1e-5) - at(-1e-5)) / 2e-5;
                assert!((gradient[j] - difference).abs() < 1e-9, "{j}: {} and {difference}", gradient[j]);
            }
        }
    }

    /// T(s(θ)) = θ, and a renumbered θ is numbered back.
    #[test]
    fn statistics_and_numbers_of_parameters() {
        for (model, theta) in models() {
            let (mut s, mut back) = (Vec::new(), Vec::new());
            model.statistic_of(&theta, &mut s);
            model.maximize(&s, crate::DomainPolicy::Error, &mut back).unwrap();
            assert!(back.iter().zip(&theta).all(|(a, b)| (a - b).abs() < 1e-14), "{back:?}");
            let mut swapped = vec![theta[1], theta[0], theta[4], theta[5], theta[2], theta[3]];
            swapped.extend(theta[6..].iter().skip(2).chain(theta[6..].iter().take(2)));
            model.align(&mut swapped, &theta).unwrap();
            assert_eq!(swapped, theta);
        }
    }

    /// Distances are those of the covariance: along its long axis a component lies near, across it far. Squared
    /// differences would choose the other one, and so would a precision without its products of two columns.
    #[test]
    fn correlated_columns_are_matched_by_their_covariance() {
        let model = GaussianMixture::new(2, 2, Covariance::Full).unwrap();
        let of = |weights: [f64; 2], means: [f64; 4]| {
            let sigma = [100.0, 99.0, 100.0];
            [&weights[..], &means, &sigma, &sigma].concat()
        };
        let reference = of([0.5, 0.5], [0.0, 0.0, 10.0, -4.0]);
        // The second is as far from both.
        let expected = of([0.4, 0.6], [14.0, 8.0, 5.0, -2.0]);
        for theta_0 in [&expected, &of([0.6, 0.4], [5.0, -2.0, 14.0, 8.0])] {
            let mut aligned = theta_0.clone();
            model.align(&mut aligned, &reference).unwrap();
            assert_eq!(&aligned, &expected);
        }
    }

    /// What a client has of one example: the same mean twice, and the weights of its posterior.
    #[test]
    fn rounding_exchanges_nothing() {
        let model = GaussianMixture::new(2, 1, Covariance::Known(vec![1.0])).unwrap();
        for means in [[0.1 + 0.2, 0.3], [0.3, 0.1 + 0.2], [0.3, 0.3]] {
            for [p, q] in [[0.51, 0.49], [0.49, 0.51]] {
                let theta_0 = vec![p, q, means[0], means[1]];
                let mut theta = theta_0.clone();
                model.align(&mut theta, &[0.4, 0.6, -0.9, 1.1]).unwrap();
                assert_eq!(theta, theta_0);
            }
        }
    }

    /// Sampled variances 1.4 and 0.7 are in the other order than those of the reference. In units in which squares of
    /// variances are large against those of means they must not decide; nor must weights.
    #[test]
    fn components_are_matched_without_units() {
        for covariance in [Covariance::Diagonal, Covariance::Full] {
            let model = GaussianMixture::new(2, 1, covariance).unwrap();
            for unit in [1e-3, 1.0, 30.0, 800.0, 1e6] {
                let of = |[p, q]: [f64; 2], [a, b]: [f64; 2], [v, w]: [f64; 2]| {
                    vec![p, q, unit * a, unit * b, unit * unit * v, unit * unit * w]
                };
                let reference = of([0.6, 0.4], [0.0, 1.0], [1.0, 1.1]);
                let theta_0 = of([0.1, 0.9], [0.1, 1.2], [1.4, 0.7]);
                for turned in [theta_0.clone(), of([0.9, 0.1], [1.2, 0.1], [0.7, 1.4])] {
                    let mut theta = turned;
                    model.align(&mut theta, &reference).unwrap();
                    assert_eq!(theta, theta_0, "{unit}");
                }
            }
        }
    }
}
