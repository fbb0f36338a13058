//! The empirical entropy of a message's symbols: what a memoryless code that knew their frequencies would need.

use std::sync::LazyLock;

use pulp::NullaryFnOnce;

use crate::lanes;
use crate::level::{Level, count};

/// Levels up to this magnitude are counted by comparing whole vectors with each value in turn.
const FEW: u32 = 8;
/// Levels below this magnitude are counted in a table, others by sorting.
const SMALL: u32 = 128;
/// n log₂ n is looked up below this.
const TABLE: usize = 4096;

static N_LOG_N: LazyLock<Vec<f64>> = LazyLock::new(|| (0..TABLE).map(|n| compute(n as u64)).collect());

fn compute(n: u64) -> f64 {
    if n == 0 { 0.0 } else { n as f64 * libm::log2(n as f64) }
}

fn n_log_n(n: usize) -> f64 {
    N_LOG_N.get(n).copied().unwrap_or_else(|| compute(n as u64))
}

/// d H in bits, H the entropy of the frequencies of `levels`: d log₂ d − Σ c log₂ c over the counts c.
pub(crate) fn of_levels<L: Level>(levels: &[L]) -> f64 {
    let counts = match lanes::dispatch(levels.len(), Largest(levels)) {
        most @ 0..=FEW => {
            let levels = &L::bytes(levels);
            sum(&lanes::dispatch(levels.len(), Compared { levels, most: most as i8 }))
        }
        largest if largest < SMALL => sum(&tabled(levels)),
        _ => sorted(levels),
    };
    n_log_n(levels.len()) - counts
}

/// Σ c log₂ c, in the order of the levels.
fn sum(counts: &[u32]) -> f64 {
    counts.iter().filter(|&&count| count > 1).map(|&count| n_log_n(count as usize)).sum()
}

/// The largest magnitude.
struct Largest<'a, L>(&'a [L]);

impl<L: Level> NullaryFnOnce for Largest<'_, L> {
    type Output = u32;

    #[inline(always)]
    fn call(self) -> u32 {
        L::largest(self.0)
    }
}

/// How often each of −`most`…`most` occurs; there is nothing else.
struct Compared<'a> {
    levels: &'a [i8],
    most: i8,
}

impl NullaryFnOnce for Compared<'_> {
    type Output = [u32; 2 * FEW as usize + 1];

    #[inline(always)]
    fn call(self) -> Self::Output {
        let mut counts = [0; 2 * FEW as usize + 1];
        for (place, value) in counts.iter_mut().zip(-self.most..=self.most) {
            *place = count(self.levels, |level| level == value) as u32;
        }
        counts
    }
}

fn tabled<L: Level>(levels: &[L]) -> [u32; 2 * SMALL as usize] {
    let mut counts = [0; 2 * SMALL as usize];
    for level in levels {
        counts[(level.get() + SMALL as i32) as usize] += 1;
    }
    counts
}

fn sorted<L: Level>(levels: &[L]) -> f64 {
    let mut levels = levels.to_vec();
    levels.sort_unstable();
    levels.chunk_by(|a, b| a == b).map(|run| n_log_n(run.len())).sum()
}

/// log₂ C(d, k): what distinguishes one of all k-subsets of d from the others.
pub(crate) fn of_subset(d: usize, k: u32) -> f64 {
    let log_factorial = |n: f64| libm::lgamma(n + 1.0);
    let (d, k) = (d as f64, f64::from(k));
    ((log_factorial(d) - log_factorial(k) - log_factorial(d - k)) / core::f64::consts::LN_2).max(0.0)
}

/// log₂ C(d, k) from d H(k/d), the entropy of a mask with k ones.
pub(crate) fn of_mask(d: usize, k: usize) -> f64 {
    n_log_n(d) - n_log_n(k) - n_log_n(d - k)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// C(6, 3) = 20, C(400, 1) = 400, C(5, 5) = 1.
    #[test]
    fn subsets() {
        for (d, k, count) in [(6, 3, 20.0), (400, 1, 400.0), (5, 5, 1.0), (64, 1, 64.0)] {
            assert!((of_subset(d, k) - libm::log2(count)).abs() < 1e-11, "{d} {k}");
        }
    }

    proptest! {
        /// Slow reference: the table, which adds the same terms in the same order, so that all bits agree. Lengths
        /// around whole lanes and sections; magnitudes on both sides of each method of counting.
        #[test]
        fn all_ways_to_count_agree(
            d in prop_oneof![1usize..200, 4_000usize..9_000],
            most in prop_oneof![0i32..10, 100i32..130],
            seed: u64,
        ) {
            let key = fedbits_random::CounterKey::new(seed);
            let levels: Vec<i32> = (0..d as u64).map(|j| (key.bits(j) % (2 * most as u64 + 1)) as i32 - most).collect();
            let slow = if most < SMALL as i32 { sum(&tabled(&levels)) } else { sorted(&levels) };
            prop_assert_eq!(of_levels(&levels).to_bits(), (n_log_n(d) - slow).to_bits());
            if most < SMALL as i32 {
                let small: Vec<i8> = levels.iter().map(|&level| level as i8).collect();
                prop_assert_eq!(of_levels(&small).to_bits(), (n_log_n(d) - slow).to_bits());
            }
        }
    }
}
