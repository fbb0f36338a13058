//! How far a clustering agrees with labels: the contingency table and what is read off it.
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
