//! Simulated and measured times side by side: transfer by transfer, round by round.

use std::collections::BTreeMap;

use fedbits_emulate::{Ending, Played};
use fedbits_kernel::NodeId;
use fedbits_numerics::quantile;
use serde::Serialize;

use super::run::{MeasuredRun, Run, Simulated};

/// A transfer that arrived in the simulation and over sockets: a row of the table. Times count from the start of the
/// run.
#[derive(Clone, Serialize)]
pub(super) struct Transfer {
    arm: String,
    /// Number of the run over sockets, from 1.
    repeat: u32,
    /// Number of the transfer in the order of simulated starts, from 1.
    #[serde(rename = "transfer")]
    number: usize,
    /// The recorded round in which it ended.
    round: u64,
    pub(super) from: String,
    pub(super) to: String,
    /// Bits on the wire, headers included.
    bits: u64,
    simulated_start_ns: u64,
    simulated_end_ns: u64,
    measured_start_ns: u64,
    measured_end_ns: u64,
}

impl Transfer {
    /// Nanoseconds that it took in the simulation and over sockets.
    fn durations(&self) -> [u64; 2] {
        let simulated = self.simulated_end_ns.saturating_sub(self.simulated_start_ns);
        [simulated, self.measured_end_ns.saturating_sub(self.measured_start_ns)]
    }
}

/// All runs of an arm over sockets, compared with its simulation.
#[derive(Default)]
pub(super) struct Comparison {
    /// Transfers that arrived in both.
    pub(super) transfers: Vec<Transfer>,
    /// Nanoseconds of each recorded round that ended in both: simulated, measured.
    rounds: Vec<[u64; 2]>,
    /// Transfers without a partner: simulated, measured.
    pub(super) unpaired: [usize; 2],
}

/// Relative errors of simulated durations, in per cent of the measured ones.
#[derive(Clone, Copy, Debug)]
pub(super) struct Errors {
    /// Number of durations.
    pub(super) count: usize,
    /// The median with its sign: positive where the simulation takes longer.
    pub(super) signed: f64,
    /// Median, 90th percentile and maximum of the magnitudes.
    pub(super) magnitudes: [f64; 3],
}

impl Errors {
    /// Compares pairs of simulated and measured durations; none without any that takes time.
    fn of(pairs: impl Iterator<Item = [u64; 2]>) -> Option<Self> {
        let error = |[simulated, measured]: [u64; 2]| 100.0 * (simulated as f64 / measured as f64 - 1.0);
        let mut signed: Vec<f64> = pairs.filter(|&[_, measured]| measured > 0).map(error).collect();
        if signed.is_empty() {
            return None;
        }
        let mut magnitudes: Vec<f64> = signed.iter().map(|error| error.abs()).collect();
        signed.sort_unstable_by(f64::total_cmp);
        magnitudes.sort_unstable_by(f64::total_cmp);
        Some(Self {
            count: signed.len(),
            signed: quantile(&signed, 0.5),
            magnitudes: [0.5, 0.9, 1.0].map(|share| quantile(&magnitudes, share)),
        })
    }
}

impl Comparison {
    /// Compares all runs of an arm over sockets with the simulation.
    pub(super) fn of(arm: &str, simulated: &Simulated, measured: &[MeasuredRun]) -> Self {
        let mut comparison = Self::default();
        for (repeat, real) in (1..).zip(measured) {
            comparison.add((arm, repeat), simulated, &real.run);
        }
        comparison
    }

    /// The k-th transfer that arrived from one node to another is compared with the k-th of the simulation.
    fn add(&mut self, (arm, repeat): (&str, u32), Simulated { run, server, .. }: &Simulated, measured: &Run) {
        let mut partners = by_pair(&measured.played);
        let before = self.transfers.len();
        let all = arrived(&run.played);
        for (index, simulated) in all.iter().enumerate() {
            let partner = partners.get_mut(&(simulated.from, simulated.to)).and_then(Vec::pop);
            let Some(partner) = partner else { continue };
            self.transfers.push(Transfer {
                arm: arm.to_owned(),
                repeat,
                number: index + 1,
                round: round_at(&run.rounds, simulated.end_ns),
                from: NodeId(simulated.from).name(*server),
                to: NodeId(simulated.to).name(*server),
                bits: simulated.bits,
                simulated_start_ns: simulated.start_ns,
                simulated_end_ns: simulated.end_ns,
                measured_start_ns: partner.start_ns + partner.lag_ns,
                measured_end_ns: partner.end_ns,
            });
        }
        let added = &self.transfers[before..];
        self.unpaired[0] += all.len() - added.len();
        self.unpaired[1] += partners.values().map(Vec::len).sum::<usize>();
        self.rounds.extend(round_durations(added, &run.rounds, &measured.rounds));
    }

    /// Errors of the transfers that are wanted.
    pub(super) fn errors(&self, wanted: impl Fn(&Transfer) -> bool) -> Option<Errors> {
        Errors::of(self.transfers.iter().filter(|transfer| wanted(transfer)).map(Transfer::durations))
    }

    /// Errors of recorded rounds.
    pub(super) fn round_errors(&self) -> Option<Errors> {
        Errors::of(self.rounds.iter().copied())
    }
}

/// Nanoseconds of each recorded round from the end of the recorded round before. The first begins with its first
/// transfer, after the exchange of initial memories.
fn round_durations(
    transfers: &[Transfer],
    simulated: &[(u64, u64)],
    measured: &[(u64, u64)],
) -> impl Iterator<Item = [u64; 2]> {
    let in_rounds = transfers.iter().filter(|transfer| transfer.round > 0);
    let starts = in_rounds.map(|transfer| [transfer.simulated_start_ns, transfer.measured_start_ns]);
    let mut before = starts.reduce(|one, next| [0, 1].map(|which| one[which].min(next[which]))).unwrap_or_default();
    let both = simulated.iter().filter(|(round, _)| *round > 0).filter_map(|&(round, end)| {
        let &(_, measured_end) = measured.iter().find(|(number, _)| *number == round)?;
        Some([end, measured_end])
    });
    both.map(move |ends| {
        let duration = [0, 1].map(|which| ends[which].saturating_sub(before[which]));
        before = ends;
        duration
    })
}

/// The transfers that arrived, in the order of their starts.
fn arrived(played: &[Played]) -> Vec<Played> {
    let mut arrived: Vec<Played> = played.iter().filter(|played| played.ending == Ending::Arrived).copied().collect();
    arrived.sort_by_key(|played| (played.start_ns, played.from, played.to));
    arrived
}

/// The transfers from one node to another, the first at the end.
fn by_pair(played: &[Played]) -> BTreeMap<(u32, u32), Vec<Played>> {
    let mut pairs: BTreeMap<(u32, u32), Vec<Played>> = BTreeMap::new();
    for played in arrived(played).into_iter().rev() {
        pairs.entry((played.from, played.to)).or_default().push(played);
    }
    pairs
}

/// The recorded round that was not over at a time.
fn round_at(rounds: &[(u64, u64)], time: u64) -> u64 {
    let index = rounds.partition_point(|&(_, end)| end < time);
    rounds.get(index).or(rounds.last()).map_or(0, |&(round, _)| round)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn played(from: u32, start_ns: u64, ending: Ending) -> Played {
        Played { from, to: 0, bits: 1, start_ns, lag_ns: 0, end_ns: start_ns + 10, ending }
    }

    #[test]
    fn transfers_are_paired_in_the_order_of_their_starts() {
        let all = [played(1, 50, Ending::Arrived), played(1, 20, Ending::Arrived), played(1, 0, Ending::CutOff)];
        let mut pairs = by_pair(&all);
        let of_one = pairs.get_mut(&(1, 0)).unwrap();
        assert_eq!(of_one.pop().map(|played| played.start_ns), Some(20));
        assert_eq!(of_one.pop().map(|played| played.start_ns), Some(50));
        assert!(of_one.is_empty());
    }

    #[test]
    fn errors_are_shares_of_measured_durations() {
        let errors = Errors::of([[90, 100], [120, 100], [100, 100], [5, 0]].into_iter()).unwrap();
        assert_eq!(errors.count, 3);
        assert!(errors.signed.abs() < 1e-9);
        assert!((errors.magnitudes[0] - 10.0).abs() < 1e-9 && (errors.magnitudes[2] - 20.0).abs() < 1e-9);
        assert!(Errors::of(std::iter::empty()).is_none());
    }

    /// The exchange of initial memories, in round 0, is no part of the first round.
    #[test]
    fn the_first_round_begins_with_its_first_transfer() {
        let transfer = |round, simulated, measured| Transfer {
            arm: String::new(),
            repeat: 1,
            number: 1,
            round,
            from: "server".to_owned(),
            to: "client-0".to_owned(),
            bits: 8,
            simulated_start_ns: simulated,
            simulated_end_ns: simulated + 5,
            measured_start_ns: measured,
            measured_end_ns: measured + 6,
        };
        let all = [transfer(0, 0, 0), transfer(1, 50, 61), transfer(1, 40, 70)];
        let (simulated, measured) = ([(0, 10), (1, 60), (2, 90)], [(0, 12), (1, 80), (2, 100)]);
        assert_eq!(round_durations(&all, &simulated, &measured).collect::<Vec<_>>(), [[20, 19], [30, 20]]);
        assert_eq!(round_durations(&all[..1], &simulated, &measured).next(), Some([60, 80]));
    }
}
