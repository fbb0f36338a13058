//! Simulated and real times side by side: transfer by transfer, round by round.

use std::collections::BTreeMap;

use fedbits_emulate::{Ending, Played};
use fedbits_kernel::NodeId;
use fedbits_numerics::quantile;
use fedbits_record::{EmulatedRound, EmulatedTransfer, RoundRow, round_durations};

use super::run::{Emulated, Run};

/// What both networks did, all emulations together.
pub(crate) struct Comparison {
    /// Transfers that arrived in both.
    pub(crate) transfers: Vec<EmulatedTransfer>,
    /// Recorded rounds that ended in both.
    pub(crate) rounds: Vec<EmulatedRound>,
    /// Transfers without a partner, in the simulation and over sockets.
    pub(crate) alone: [usize; 2],
}

/// How far simulated durations are from real ones, in per cent of the real ones.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Errors {
    /// How many durations.
    pub(crate) count: usize,
    /// The median with its sign: positive where the simulation takes longer.
    pub(crate) signed: f64,
    /// Median, 90th percentile and worst of the magnitudes.
    pub(crate) magnitudes: [f64; 3],
}

impl Errors {
    /// Of pairs of simulated and real durations; none without any that takes time.
    pub(crate) fn of(pairs: impl Iterator<Item = [u64; 2]>) -> Option<Self> {
        let error = |[simulated, real]: [u64; 2]| 100.0 * (simulated as f64 / real as f64 - 1.0);
        let mut signed: Vec<f64> = pairs.filter(|&[_, real]| real > 0).map(error).collect();
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
    /// Compares all emulations of an arm with its simulation.
    pub(crate) fn of(emulated: &Emulated) -> Self {
        let mut comparison = Self { transfers: Vec::new(), rounds: Vec::new(), alone: [0, 0] };
        for (repeat, real) in (1..).zip(&emulated.real) {
            comparison.add(repeat, emulated, &real.run);
        }
        comparison
    }

    fn add(&mut self, repeat: u64, emulated: &Emulated, real: &Run) {
        let (ours, theirs) = (&emulated.simulated.record.rounds, &real.record.rounds);
        let mut partners = by_pair(&real.played);
        let mut transfers = 0;
        let before = self.transfers.len();
        for simulated in arrived(&emulated.simulated.played) {
            transfers += 1;
            let partner = partners.get_mut(&(simulated.from, simulated.to)).and_then(Vec::pop);
            let Some(partner) = partner else { continue };
            self.transfers.push(EmulatedTransfer {
                repeat,
                transfer: transfers,
                round: round_of(ours, simulated.end_ns),
                from: NodeId(simulated.from).name(emulated.server),
                to: NodeId(simulated.to).name(emulated.server),
                bits: simulated.bits,
                simulated_ns: [simulated.start_ns, simulated.end_ns],
                real_ns: [partner.start_ns + partner.lag_ns, partner.end_ns],
            });
        }
        self.alone[0] += transfers as usize - (self.transfers.len() - before);
        self.alone[1] += partners.values().map(Vec::len).sum::<usize>();
        self.rounds.extend(ours.iter().filter_map(|row| {
            let other = theirs.iter().find(|other| other.round == row.round && row.round > 0)?;
            Some(EmulatedRound { repeat, round: row.round, simulated_ns: row.time_ns, real_ns: other.time_ns })
        }));
    }

    /// The transfers of one direction: `true` for those to the server, or any where there is none.
    pub(crate) fn errors(&self, wanted: impl Fn(&EmulatedTransfer) -> bool) -> Option<Errors> {
        Errors::of(self.transfers.iter().filter(|transfer| wanted(transfer)).map(EmulatedTransfer::durations))
    }

    /// Durations of recorded rounds.
    pub(crate) fn round_errors(&self) -> Option<Errors> {
        let durations = round_durations(&self.rounds, &self.transfers);
        Errors::of(durations.into_iter().flat_map(|(_, rounds)| rounds).map(|(_, duration)| duration))
    }
}

/// What arrived, in the order of its starts.
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
fn round_of(rows: &[RoundRow], time: u64) -> u64 {
    let index = rows.partition_point(|row| row.time_ns < time);
    rows.get(index).or(rows.last()).map_or(0, |row| row.round)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn played(from: u32, start_ns: u64, ending: Ending) -> Played {
        Played { from, to: 0, bits: 1, start_ns, lag_ns: 0, end_ns: start_ns + 10, ending }
    }

    #[test]
    fn transfers_meet_in_the_order_of_their_starts() {
        let all = [played(1, 50, Ending::Arrived), played(1, 20, Ending::Arrived), played(1, 0, Ending::CutOff)];
        let mut pairs = by_pair(&all);
        let of_one = pairs.get_mut(&(1, 0)).unwrap();
        assert_eq!(of_one.pop().map(|played| played.start_ns), Some(20));
        assert_eq!(of_one.pop().map(|played| played.start_ns), Some(50));
        assert!(of_one.is_empty());
    }

    #[test]
    fn errors_are_shares_of_real_durations() {
        let errors = Errors::of([[90, 100], [120, 100], [100, 100], [5, 0]].into_iter()).unwrap();
        assert_eq!(errors.count, 3);
        assert!(errors.signed.abs() < 1e-9);
        assert!((errors.magnitudes[0] - 10.0).abs() < 1e-9 && (errors.magnitudes[2] - 20.0).abs() < 1e-9);
        assert!(Errors::of(std::iter::empty()).is_none());
    }
}
