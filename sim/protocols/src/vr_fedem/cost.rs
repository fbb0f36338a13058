//! What a client's step costs in conditional expectations.

use fedbits_spec::Described;
use serde::{Deserialize, Serialize};

use super::outer_loop::InnerSteps;
use crate::fedem::BatchRule;

/// Source of the values s̄_ij(T(Ŝ)) at the Ŝ of the client's current estimate; affects the cost of a step, not its
/// result.
#[derive(Clone, Copy, Debug, Default, Described, Deserialize, Eq, PartialEq, Serialize)]
pub enum Previous {
    /// Recomputed: 2 b expectations per inner step, m + 2 b in the first of an outer loop, as in the paper's K_CE.
    #[default]
    Recomputed,
    /// Stored: only newly drawn examples cost expectations.
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

/// Expectations of a step on average, of a client that holds `size` examples and takes part in each with probability p.
pub(crate) fn mean((inner, previous): (InnerSteps, Previous), size: u32, batch: BatchRule, p: f64) -> f64 {
    let (m, b) = (f64::from(size), batch.count(size) as f64);
    let refreshes = inner.refreshes_per_step(p);
    match previous {
        Previous::Recomputed => refreshes * m + 2.0 * p * b,
        Previous::Cached => {
            let increments = p - refreshes;
            let after_increments = increments - inner.seconds_per_step(p);
            refreshes * m + b * (increments + after_increments * new_share(batch, size))
        }
    }
}

/// The mean share of a batch that was not in the one before.
fn new_share(batch: BatchRule, size: u32) -> f64 {
    match batch {
        BatchRule::All => 0.0,
        BatchRule::WithReplacement(b) => libm::pow(1.0 - 1.0 / f64::from(size), f64::from(b)),
        BatchRule::WithoutReplacement(b) => 1.0 - f64::from(b.min(size)) / f64::from(size),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// m = 100, b = 5, k_in = 20: the paper's 300 of an outer loop; m + 19 b + 18 b (1 − b/m) = 280.5 where values are
    /// kept; drawn with replacement an example is new with 0.99⁵. With full batches every step costs m. Who is there in
    /// half of the steps makes 10 in a loop, 1 − 2⁻²⁰ refreshes among them; in 1 − 21 · 2⁻²⁰ loops a second one.
    #[test]
    fn mean_costs_are_those_of_the_steps() {
        let of = |previous, batch, p| 20.0 * mean((InnerSteps::Fixed(20), previous), 100, batch, p);
        let without = BatchRule::WithoutReplacement(5);
        let rare = libm::pow(0.5, 20.0);
        let kept = 100.0 * (1.0 - rare) + 5.0 * (9.0 + rare) + 5.0 * (8.0 + 22.0 * rare) * 0.95;
        for (found, expected) in [
            (of(Previous::Recomputed, without, 1.0), 300.0),
            (of(Previous::Cached, without, 1.0), 280.5),
            (of(Previous::Cached, BatchRule::WithReplacement(5), 1.0), 195.0 + 90.0 * libm::pow(0.99, 5.0)),
            (of(Previous::Cached, BatchRule::All, 1.0), 2_000.0),
            (of(Previous::Cached, without, 0.5), kept),
        ] {
            assert!((found - expected).abs() < 1e-9, "{found} instead of {expected}");
        }
    }

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
