//! How long rounds take, as far as they were recorded.

use crate::data::{Arm, Run};
use fedbits_record::RoundRow;

/// Rounds from one recorded row to the next, at most.
pub(crate) fn stride(run: &Run) -> u64 {
    run.record.rounds.windows(2).map(|pair| pair[1].round - pair[0].round).max().unwrap_or(1)
}

/// From one recorded row to the next: what each of so many rounds took, in the mean.
#[derive(Clone, Copy)]
pub(crate) struct Span {
    pub seconds: f64,
    pub rounds: u64,
}

/// The rounds of all runs, the shortest first.
pub(crate) fn spans(arm: &Arm) -> Vec<Span> {
    let span = |pair: &[RoundRow]| {
        let rounds = pair[1].round.saturating_sub(pair[0].round).max(1);
        let seconds = pair[1].time_ns.saturating_sub(pair[0].time_ns) as f64 / 1e9 / rounds as f64;
        Span { seconds, rounds }
    };
    let mut all: Vec<Span> = arm.records().flat_map(|record| record.rounds.windows(2).map(span)).collect();
    all.sort_by(|one, two| one.seconds.total_cmp(&two.seconds));
    all
}
