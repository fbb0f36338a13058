//! Which feature lies in which block of a block-diagonal covariance.

use thiserror::Error;

use crate::DomainError;

/// Why a block has no density, or no parameters: the features make it possible to repair the data.
#[derive(Clone, Debug, Error, PartialEq)]
#[error("the block of feature{} {}: \
    {error}{}", if .features.len() == 1 { "" } else { "s" }, listed(.features), self.suspect())]
pub struct BlockError {
    /// The features of the block, in its order.
    pub features: Vec<usize>,
    /// What is wrong with it.
    pub error: DomainError,
}

impl BlockError {
    /// What a vanishing pivot says about its feature. Below 0 a difference of squares is rounding.
    fn suspect(&self) -> String {
        let rounding = |value: f64| match value < 0.0 {
            true => ", or components lie so far apart that rounding takes their variances",
            false => "",
        };
        match self.error {
            DomainError::Covariance { pivot: 0, value, .. } => {
                format!("; feature {} does not vary there{}", self.features[0], rounding(value))
            }
            DomainError::Covariance { pivot, value, .. } if pivot < self.features.len() => {
                format!("; feature {} adds nothing there to those before it{}", self.features[pivot], rounding(value))
            }
            _ => String::new(),
        }
    }
}

fn listed(features: &[usize]) -> String {
    features.iter().map(usize::to_string).collect::<Vec<_>>().join(", ")
}

/// A partition of the features 0, …, d − 1 into blocks: every feature in exactly one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FeatureBlocks {
    blocks: Vec<Vec<usize>>,
    dimension: usize,
}

impl FeatureBlocks {
    /// The partition of `dimension` features into `blocks`; the order inside a block is kept.
    ///
    /// # Errors
    /// The first problem in the order of the blocks.
    pub fn new(blocks: Vec<Vec<usize>>, dimension: usize) -> Result<Self, String> {
        if blocks.is_empty() {
            return Err("there are no blocks of features: at least one was expected".to_owned());
        }
        let once = "every feature belongs to exactly one block";
        let mut owner = vec![None; dimension];
        for (block, features) in blocks.iter().enumerate() {
            if features.is_empty() {
                return Err(format!("block {block} has no features: every block needs at least one"));
            }
            for &feature in features {
                let place = owner.get_mut(feature).ok_or_else(|| {
                    format!("block {block} names feature {feature}: the data have features 0 to {}", dimension - 1)
                })?;
                if let Some(first) = place.replace(block) {
                    return Err(format!("feature {feature} is in block {first} and in block {block}: {once}"));
                }
            }
        }
        match owner.iter().position(Option::is_none) {
            Some(feature) => Err(format!("feature {feature} is in no block: {once}")),
            None => Ok(Self { blocks, dimension }),
        }
    }

    /// `count` blocks of consecutive features whose sizes differ by at most one, the larger ones first.
    ///
    /// # Errors
    /// When there are fewer features than blocks, or no block.
    pub fn even(count: usize, dimension: usize) -> Result<Self, String> {
        let bound = |block: usize| block * (dimension / count) + block.min(dimension % count);
        Self::new((0..count).map(|block| (bound(block)..bound(block + 1)).collect()).collect(), dimension)
    }

    /// The union of blocks, group by group: `groups` lists blocks, each in exactly one group.
    ///
    /// # Errors
    /// When `groups` is no partition of the blocks (there, blocks are called features).
    pub fn merged(&self, groups: &[Vec<usize>]) -> Result<Self, String> {
        let groups = Self::new(groups.to_vec(), self.blocks.len())?;
        let union = |group: &Vec<usize>| group.iter().flat_map(|&block| self.blocks[block].iter().copied()).collect();
        Self::new(groups.blocks.iter().map(union).collect(), self.dimension)
    }

    /// Number of blocks.
    pub fn len(&self) -> usize {
        self.blocks.len()
    }

    /// Never: a partition has at least one block.
    pub fn is_empty(&self) -> bool {
        self.blocks.is_empty()
    }

    /// d, the number of features.
    pub fn dimension(&self) -> usize {
        self.dimension
    }

    /// The features of a block.
    pub fn features(&self, block: usize) -> &[usize] {
        &self.blocks[block]
    }

    /// Replaces what is missing of `rows` by the mean of the observed values of its feature; `observed` has a flag per
    /// block and example.
    pub fn fill(&self, rows: &mut [f64], observed: &[Vec<bool>]) {
        for (features, has) in self.blocks.iter().zip(observed) {
            let count = has.iter().filter(|&&has| has).count().max(1) as f64;
            for &feature in features {
                let column = || (feature..rows.len()).step_by(self.dimension).zip(has);
                let mean = column().filter(|(_, has)| **has).map(|(at, _)| rows[at]).sum::<f64>() / count;
                column().filter(|(_, has)| !**has).map(|(at, _)| at).for_each(|at| rows[at] = mean);
            }
        }
    }
}
