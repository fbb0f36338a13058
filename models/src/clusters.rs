//! Clusterings: what a model with components says of examples, and how far two labellings of them agree.
//!
//! | measure | definition |
//! |---|---|
//! | accuracy | largest share of examples on matched pairs of components and classes, one to one |
//! | adjusted Rand index | (Rand index − its mean) ÷ (1 − its mean) over tables with these margins (Hubert and Arabie 1985) |
//! | normalized mutual information | I(component; class) ÷ mean of the two entropies |
//! | purity | share of examples in the largest class of their component |
//!
//! Counts are exact; sums run over components, then classes.

use crate::assignment::assign;
use crate::{DomainError, Examples};

/// A model whose latent variable is the component that an example comes from.
///
/// ```
/// use fedbits_models::clusters::Clusters;
/// use fedbits_models::gmm::{Covariance, GaussianMixture};
/// use fedbits_models::Examples;
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let model = GaussianMixture::new(2, 1, Covariance::Known(vec![1.0]))?;
/// let theta = [0.5, 0.5, -3.0, 3.0];
/// let examples = Examples::new(&[-2.9, 3.3, 2.8], 1);
/// assert_eq!(Clusters::classify(&model, examples, &theta)?, [0, 1, 1]);
/// # Ok(())
/// # }
/// ```
pub trait Clusters: Send + Sync {
    /// G, the number of components.
    fn components(&self) -> usize;
    /// π of θ, G numbers.
    fn weights<'a>(&self, theta: &'a [f64]) -> &'a [f64];
    /// The component with the largest posterior weight per example; the smallest index among equals.
    ///
    /// # Errors
    /// When θ is no parameter of the model.
    fn classify(&self, examples: Examples<'_>, theta: &[f64]) -> Result<Vec<u32>, DomainError>;
    /// log p(y; θ) and the posterior weights of the components, of every example.
    ///
    /// # Errors
    /// When θ is no parameter of the model.
    fn posterior_weights(&self, examples: Examples<'_>, theta: &[f64]) -> Result<PosteriorWeights, DomainError>;
    /// Does a prior let components be without examples? The default is no.
    fn may_be_empty(&self) -> bool {
        false
    }
    /// The number of components with at least half an example behind them, of models whose components may be empty.
    /// The default is G.
    fn occupied(&self, theta: &[f64]) -> usize {
        self.weights(theta).len()
    }
    /// The Bhattacharyya distance −log ∫ √(p_g p_h) between the densities of two components: 0 where they are the same.
    ///
    /// # Errors
    /// When θ is no parameter of the model.
    fn distance(&self, theta: &[f64], g: usize, h: usize) -> Result<f64, DomainError>;
    /// The components with a direction along which their variance is at most `floor` (squared units of the columns), or
    /// what rounding leaves of squares that are counted from `origin` (d numbers; none: 0). None where covariances are
    /// not estimated.
    fn collapsed(&self, theta: &[f64], origin: Option<&[f64]>, floor: f64) -> Vec<usize>;
    /// Every variance in θ, with the square that T subtracts to find it, counted from `origin` (d numbers; none: 0).
    /// Empty where covariances are not estimated, or have a prior.
    fn variances(&self, theta: &[f64], origin: Option<&[f64]>) -> Vec<Variance>;
    /// These variances as T finds them from a statistic: differences of squares, of either sign by rounding.
    fn raw_variances(&self, s: &[f64]) -> Vec<f64>;
    /// These variances after an EM step from θ on these examples, each with the weight beside its part, by the
    /// two-pass computation. Not a number where a component has no example.
    ///
    /// # Errors
    /// When θ is no parameter of the model.
    fn two_pass_variances(&self, parts: &[(Examples<'_>, f64)], theta: &[f64]) -> Result<Vec<f64>, DomainError>;
    /// θ after that step.
    ///
    /// # Errors
    /// When θ, or what follows it, is no parameter of the model.
    fn two_pass_step(&self, parts: &[(Examples<'_>, f64)], theta: &[f64]) -> Result<Vec<f64>, DomainError>;
}

/// A variance that is found as a difference of squares.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Variance {
    /// Zero-based component; none where all have it in common.
    pub component: Option<usize>,
    /// Zero-based column.
    pub column: usize,
    /// Its value, in squared units of the column.
    pub value: f64,
    /// The square that is subtracted: of the mean, or the mean of squares over the components.
    pub square: f64,
}

/// What a model with components says of some examples.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PosteriorWeights {
    /// log p(y; θ) of every example, in nats.
    pub log_densities: Vec<f64>,
    /// r_g = p(z = g | y; θ), G numbers per example, example after example.
    pub weights: Vec<f64>,
}

/// Counts of examples by component and class.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Contingency {
    components: usize,
    classes: usize,
    /// The label of every class, increasing.
    labels: Vec<u32>,
    /// Row by row, a row per component.
    counts: Vec<u64>,
}

impl Contingency {
    /// The table of `found`, a component per example, and `labels`, a class per example.
    ///
    /// # Panics
    /// When the lengths differ, or a component is not below `components`.
    pub fn new(found: &[u32], labels: &[u32], components: usize) -> Self {
        assert_eq!(found.len(), labels.len(), "one label per example");
        let different = different(labels);
        let classes = different.len();
        // Labels of consecutive numbers, as files of data have them, are their own codes.
        let first = different.first().copied().unwrap_or(0);
        let is_consecutive = different.last().is_none_or(|&last| (last - first) as usize + 1 == classes);
        let code = |label: u32| match is_consecutive {
            true => (label - first) as usize,
            false => different.partition_point(|&known| known < label),
        };
        let mut counts = vec![0; components * classes];
        for (&component, &label) in found.iter().zip(labels) {
            counts[component as usize * classes + code(label)] += 1;
        }
        Self { components, classes, labels: different, counts }
    }

    /// The label of a class.
    pub fn label(&self, class: usize) -> u32 {
        self.labels[class]
    }

    fn row(&self, component: usize) -> &[u64] {
        &self.counts[component * self.classes..][..self.classes]
    }

    /// Examples of a component.
    pub fn size(&self, component: usize) -> u64 {
        self.row(component).iter().sum()
    }

    fn sizes(&self) -> Vec<u64> {
        (0..self.components).map(|component| self.size(component)).collect()
    }

    fn class_sizes(&self) -> Vec<u64> {
        let of = |class: usize| (0..self.components).map(|component| self.row(component)[class]).sum();
        (0..self.classes).map(of).collect()
    }

    fn total(&self) -> u64 {
        self.counts.iter().sum()
    }

    /// The share of a component's examples in its largest class; none without examples.
    pub fn component_purity(&self, component: usize) -> Option<f64> {
        let (size, largest) = (self.size(component), *self.row(component).iter().max()?);
        (size > 0).then(|| largest as f64 / size as f64)
    }

    /// The share of examples in the largest class of their component.
    pub fn purity(&self) -> f64 {
        let largest = |component| self.row(component).iter().max().copied().unwrap_or(0);
        (0..self.components).map(largest).sum::<u64>() as f64 / self.total().max(1) as f64
    }

    /// Which class each component stands for when they are matched one to one; with more components than classes, some
    /// stand for none.
    pub fn matching(&self) -> Vec<Option<usize>> {
        // There may be as many classes as examples: a matrix of classes by classes would not fit.
        let columns = self.components.max(self.classes);
        let mut cost = vec![0.0; self.components * columns];
        for component in 0..self.components {
            for (class, &count) in self.row(component).iter().enumerate() {
                cost[component * columns + class] = -(count as f64);
            }
        }
        let classes = assign(&cost, self.components, columns).into_iter();
        classes.map(|class| Some(class).filter(|&class| class < self.classes)).collect()
    }

    /// The label that each component stands for under [`Contingency::matching`]; none of a component that has no
    /// example of its class, which was merely left over.
    pub fn matched_labels(&self) -> Vec<Option<u32>> {
        let stands = |(component, class): (usize, Option<usize>)| {
            class.filter(|&class| self.row(component)[class] > 0).map(|class| self.label(class))
        };
        self.matching().into_iter().enumerate().map(stands).collect()
    }

    /// The share of examples whose class is that of their component, under the best one-to-one matching.
    pub fn accuracy(&self) -> f64 {
        let hits = |(component, class): (usize, Option<usize>)| class.map_or(0, |class| self.row(component)[class]);
        self.matching().into_iter().enumerate().map(hits).sum::<u64>() as f64 / self.total().max(1) as f64
    }

    /// The adjusted Rand index: 1 for equal partitions, 0 on average for random ones.
    pub fn adjusted_rand_index(&self) -> f64 {
        let squares = |counts: &[u64]| counts.iter().map(|&count| u128::from(count).pow(2)).sum::<u128>();
        let (total, both) = (u128::from(self.total()), squares(&self.counts));
        let (rows, columns) = (squares(&self.sizes()), squares(&self.class_sizes()));
        // Ordered pairs: together in both, in classes only, in components only, in neither.
        let (together, class_only, component_only) = (both - total, columns - both, rows - both);
        let apart = total * total + both - rows - columns;
        if class_only == 0 && component_only == 0 {
            return 1.0;
        }
        let [together, class_only, component_only, apart] =
            [together, class_only, component_only, apart].map(|pairs| pairs as f64);
        2.0 * (together * apart - class_only * component_only)
            / ((together + class_only) * (class_only + apart) + (together + component_only) * (component_only + apart))
    }

    /// The mutual information of component and class, divided by the mean of their entropies; 1 where both are
    /// constant.
    pub fn normalized_mutual_information(&self) -> f64 {
        let (sizes, class_sizes, total) = (self.sizes(), self.class_sizes(), self.total() as f64);
        let entropies = entropy(&sizes, total) + entropy(&class_sizes, total);
        let occupied = |sizes: &[u64]| sizes.iter().filter(|&&size| size > 0).count();
        if occupied(&sizes) <= 1 && occupied(&class_sizes) <= 1 {
            return 1.0;
        }
        let mut information = 0.0;
        for (component, &size) in sizes.iter().enumerate() {
            for (&count, &class_size) in self.row(component).iter().zip(&class_sizes) {
                if count > 0 {
                    let ratio = count as f64 * total / (size as f64 * class_size as f64);
                    information += count as f64 / total * libm::log(ratio);
                }
            }
        }
        2.0 * information.max(0.0) / entropies
    }
}

/// The different labels, increasing: near ones are marked, since a sort of all labels takes longer than an E-step.
fn different(labels: &[u32]) -> Vec<u32> {
    const NEAR: u32 = 1 << 16;
    let (Some(&low), Some(&high)) = (labels.iter().min(), labels.iter().max()) else { return Vec::new() };
    if high - low >= NEAR {
        let mut different = labels.to_vec();
        different.sort_unstable();
        different.dedup();
        return different;
    }
    let mut is_there = vec![false; (high - low) as usize + 1];
    labels.iter().for_each(|&label| is_there[(label - low) as usize] = true);
    (low..=high).zip(is_there).filter(|(_, is_there)| *is_there).map(|(label, _)| label).collect()
}

/// The entropy of shares in nats.
fn entropy(sizes: &[u64], total: f64) -> f64 {
    let shares = sizes.iter().filter(|&&size| size > 0).map(|&size| size as f64 / total);
    shares.fold(0.0, |sum, share| sum - share * libm::log(share))
}
