//! How much of a run is done.

use fedbits_protocols::plan::StopRules;
use fedbits_record::RoundRow;

/// The share of the run that is done, up to the nearest end that can be counted; none where no rule counts anything.
pub(crate) fn share(stop: &StopRules, row: &RoundRow) -> Option<f64> {
    let parts = [
        stop.rounds.map(|limit| row.round as f64 / limit as f64),
        stop.epochs.map(|limit| row.epochs / limit),
        stop.time.map(|limit| row.time_ns as f64 / limit.as_nanos() as f64),
        stop.bits.map(|limit| row.bits_total() as f64 / limit.count() as f64),
        stop.energy.zip(row.costs.energy_j).map(|(limit, joules)| joules / limit),
    ];
    parts.into_iter().flatten().reduce(f64::max).map(|done| done.min(1.0))
}
