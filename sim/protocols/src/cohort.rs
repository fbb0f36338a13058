//! Who is asked in a round. It must not know what is asked.

use fedbits_random::{CounterKey, DrawPurpose, Streams};

use crate::plan::Participation;

/// Chooses cohorts, and keeps the room for it.
#[derive(Default)]
pub(crate) struct Chooser {
    keys: Vec<(u64, u32)>,
}

impl Chooser {
    /// Writes the cohort of `round` out of clients 0..`n` to `cohort`, in id order. One more client changes nobody
    /// else's draw.
    pub(crate) fn choose(
        &mut self,
        participation: Participation,
        streams: &Streams,
        round: u64,
        n: u32,
        mut can_be_asked: impl FnMut(u32) -> bool,
        cohort: &mut Vec<u32>,
    ) {
        cohort.clear();
        match participation {
            Participation::All => cohort.extend((0..n).filter(|&i| can_be_asked(i))),
            Participation::Bernoulli(p) => {
                let drawn = |&i: &u32| streams.at(DrawPurpose::Participation, u64::from(i), round).bernoulli(p);
                cohort.extend((0..n).filter(drawn).filter(|&i| can_be_asked(i)));
            }
            Participation::Cohort(m) => {
                // One address for all: client i's key is number i of a counter hash.
                let draws = streams.counter(DrawPurpose::Participation, 0, round);
                self.smallest_keys(draws, n, m as usize, can_be_asked);
                cohort.extend(self.keys.iter().map(|&(_, i)| i));
                cohort.sort_unstable();
            }
        }
    }

    /// Leaves in `keys` the `m` smallest keys of those who can be asked (all of them when they are fewer): a uniform
    /// subset. With near certainty they lie below a limit a little above m / n, so that nearly everybody costs one draw
    /// and nothing else.
    fn smallest_keys(&mut self, draws: CounterKey, n: u32, m: usize, mut can_be_asked: impl FnMut(u32) -> bool) {
        let keys = &mut self.keys;
        let mut expected = m as f64 + 8.0 * (m as f64).sqrt();
        loop {
            // The conversion saturates: beyond n everybody's key is below the limit.
            let limit = (expected / f64::from(n) * KEYS) as u64;
            keys.clear();
            let drawn = (0..n).map(|i| (draws.bits(u64::from(i)), i));
            keys.extend(drawn.filter(|&(key, i)| key <= limit && can_be_asked(i)));
            if keys.len() >= m || limit == u64::MAX {
                break;
            }
            // Many cannot be asked.
            expected *= 4.0;
        }
        if m < keys.len() {
            keys.select_nth_unstable(m);
            keys.truncate(m);
        }
    }
}

/// Number of different keys.
const KEYS: f64 = 18_446_744_073_709_551_616.0;

#[cfg(test)]
mod tests {
    use super::*;

    /// Slow reference: sort all keys of those who can be asked, keep the first m.
    #[test]
    fn a_cohort_has_the_smallest_keys() {
        let (mut chooser, mut cohort) = (Chooser::default(), Vec::new());
        for round in 0..60 {
            let streams = Streams::new(1, 0);
            let draws = streams.counter(DrawPurpose::Participation, 0, round);
            let (n, every) = (1 + 37 * round as u32, 1 + round as u32 % 9);
            let can_be_asked = |i: u32| i.is_multiple_of(every);
            for m in [0, 1, 3, n / 10 + 1, n, n + 5] {
                chooser.choose(Participation::Cohort(m), &streams, round, n, can_be_asked, &mut cohort);
                let mut reference: Vec<_> = (0..n).filter(|&i| can_be_asked(i)).collect();
                reference.sort_unstable_by_key(|&i| draws.bits(u64::from(i)));
                reference.truncate(m as usize);
                reference.sort_unstable();
                assert_eq!(cohort, reference, "{m} of {n}, one in {every} can be asked");
            }
        }
    }
}
