//! What a client's step costs in conditional expectations.

use fedbits_spec::Described;
use serde::{Deserialize, Serialize};

use crate::fedem::BatchRule;

/// Values s̄_ij(T(Ŝ)) of a batch at the Ŝ where a client's estimate stands. It changes what a step costs, never what it
/// computes.
#[derive(Clone, Copy, Debug, Default, Described, Deserialize, Eq, PartialEq, Serialize)]
pub enum Previous {
    /// Computed again: 2 b expectations per inner step, m + 2 b in the first of an outer loop, the paper's count
    /// K_CE = n m + k_out (n m + 2 n b k_in).
    #[default]
    Recomputed,
    /// Kept where they were computed, so that only values of newly drawn examples are computed again. With b = m every
    /// step costs m.
    Cached,
}

/// The examples whose values at the estimate's Ŝ a client still has.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) enum Kept {
    /// None.
    #[default]
    Nothing,
    /// Those of the last batch, increasing.
    Batch(Vec<u32>),
    /// All: the estimate was refreshed there, or the batch was everything.
    Everything,
}

/// Expectations of an inner step over `batch` (none: all `size` examples), `kept` from the step before.
pub(super) fn step(previous: Previous, size: u32, batch: Option<&[u32]>, kept: &Kept) -> u64 {
    let drawn = batch.map_or(size as usize, <[u32]>::len);
    let again = match (previous, kept, batch) {
        (Previous::Cached, Kept::Everything, _) => 0,
        (Previous::Cached, Kept::Batch(kept), Some(batch)) => {
            batch.iter().filter(|j| kept.binary_search(j).is_err()).count()
        }
        _ => drawn,
    };
    (drawn + again) as u64
}

/// Expectations of the first step of an outer loop.
pub(super) fn refresh(previous: Previous, size: u32, batch: BatchRule) -> u64 {
    match previous {
        Previous::Recomputed => u64::from(size) + 2 * batch.count(size),
        Previous::Cached => u64::from(size),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// m = 100, b = 5, k_in = 20: an outer loop of the paper's experiment is m + 2 b k_in = 300 expectations per
    /// client, 3 epochs.
    #[test]
    fn an_outer_loop_costs_what_the_paper_counts() {
        let batch = [3, 3, 40, 41, 99];
        let inner = step(Previous::Recomputed, 100, Some(&batch), &Kept::Nothing);
        assert_eq!(refresh(Previous::Recomputed, 100, BatchRule::WithReplacement(5)) + 19 * inner, 300);
    }

    /// After a refresh all values are there; after a batch those that are drawn again; in full batches always.
    #[test]
    fn cached_values_are_not_computed_again() {
        let cost = |batch: Option<&[u32]>, kept: &Kept| step(Previous::Cached, 100, batch, kept);
        assert_eq!(refresh(Previous::Cached, 100, BatchRule::WithReplacement(5)), 100);
        assert_eq!(cost(Some(&[3, 3, 40]), &Kept::Everything), 3);
        assert_eq!(cost(Some(&[3, 3, 40]), &Kept::Batch(vec![3, 7])), 4);
        assert_eq!(cost(Some(&[3, 3, 40]), &Kept::Nothing), 6);
        assert_eq!(cost(None, &Kept::Everything), 100);
    }
}
