//! Who is asked in a round. It must not know what is asked.

use fedbits_random::{DrawPurpose, Stream, Streams};

use crate::plan::Participation;

/// Chooses cohorts, and keeps the room for it: a uniformly random order of 0..n, made only as far as somebody asks for
/// it. m of n cost O(m), whatever n is.
///
/// Half of the numbers are drawn one by one, and what has been drawn before is drawn again (at most two draws a number
/// on average). Who gets further than that, because most cannot be asked, permutes the other half.
#[derive(Default)]
pub(crate) struct Chooser {
    /// A bit for each number: has it been drawn?
    drawn: Vec<u64>,
    /// Those that have, to take the bits back.
    marked: Vec<u32>,
    rest: Vec<u32>,
}

impl Chooser {
    /// Writes the cohort of `round` out of clients 0..`n` to `cohort`, in id order.
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
            Participation::Cohort(m) if m >= n => cohort.extend((0..n).filter(|&i| can_be_asked(i))),
            Participation::Cohort(m) => {
                let mut stream = streams.at(DrawPurpose::Participation, 0, round);
                self.first(m as usize, n, &mut stream, can_be_asked, cohort);
                cohort.sort_unstable();
            }
        }
    }

    /// Appends the first `m` numbers of the order that are `wanted` (all of them when they are fewer): of those, a
    /// uniform subset.
    fn first(
        &mut self,
        m: usize,
        n: u32,
        stream: &mut Stream,
        mut wanted: impl FnMut(u32) -> bool,
        taken: &mut Vec<u32>,
    ) {
        self.drawn.resize((n as usize).div_ceil(64), 0);
        let half = n as usize / 2;
        while taken.len() < m && self.marked.len() < half {
            let number = stream.below(u64::from(n)) as u32;
            if self.mark(number) && wanted(number) {
                taken.push(number);
            }
        }
        if taken.len() < m {
            self.rest.clear();
            self.rest.extend((0..n).filter(|&number| !is_set(&self.drawn, number)));
            for place in 0..self.rest.len() {
                if taken.len() == m {
                    break;
                }
                let drawn = place + stream.below((self.rest.len() - place) as u64) as usize;
                self.rest.swap(place, drawn);
                taken.extend(Some(self.rest[place]).filter(|&number| wanted(number)));
            }
        }
        for number in self.marked.drain(..) {
            self.drawn[number as usize / 64] = 0;
        }
    }

    /// Notes that `number` has been drawn; false if it was drawn before.
    #[inline]
    fn mark(&mut self, number: u32) -> bool {
        if is_set(&self.drawn, number) {
            return false;
        }
        self.drawn[number as usize / 64] |= 1 << (number % 64);
        self.marked.push(number);
        true
    }
}

#[inline]
fn is_set(bits: &[u64], number: u32) -> bool {
    bits[number as usize / 64] >> (number % 64) & 1 == 1
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;

    fn cohort(chooser: &mut Chooser, m: u32, streams: &Streams, round: u64, n: u32, every: u32) -> Vec<u32> {
        let mut cohort = Vec::new();
        let can_be_asked = |i: u32| i.is_multiple_of(every);
        chooser.choose(Participation::Cohort(m), streams, round, n, can_be_asked, &mut cohort);
        cohort
    }

    /// Slow reference: the whole order, in which each number is looked for among those before it.
    fn whole_order(n: u32, stream: &mut Stream) -> Vec<u32> {
        let mut order = Vec::new();
        while order.len() < n as usize / 2 {
            let number = stream.below(u64::from(n)) as u32;
            if !order.contains(&number) {
                order.push(number);
            }
        }
        let mut rest: Vec<u32> = (0..n).filter(|number| !order.contains(number)).collect();
        while !rest.is_empty() {
            let place = stream.below(rest.len() as u64) as usize;
            // What was first takes the place of what is drawn.
            rest.swap(0, place);
            order.push(rest.remove(0));
        }
        order
    }

    proptest! {
        /// A cohort is the first m of those who can be asked, in the reference's order, whatever was chosen before with
        /// the same room; with fewer of them, all. It depends on its address and on nothing else.
        #[test]
        fn a_cohort_is_the_beginning_of_an_order(
            seed: u64, round in 1_u64..1_000, n in 1_u32..300, m in 0_u32..310, every in 1_u32..9,
        ) {
            let (streams, mut chooser) = (Streams::new(seed, 0), Chooser::default());
            cohort(&mut chooser, m / 2, &streams, round + 1, n + 70, 1);
            let chosen = cohort(&mut chooser, m, &streams, round, n, every);
            let order = whole_order(n, &mut streams.at(DrawPurpose::Participation, 0, round));
            let mut reference: Vec<u32> = order.into_iter().filter(|i| i.is_multiple_of(every)).collect();
            reference.truncate(m as usize);
            reference.sort_unstable();
            prop_assert_eq!(&chosen, &reference);
            prop_assert!(chosen.is_sorted_by(|a, b| a < b));
            prop_assert_eq!(chosen, cohort(&mut Chooser::default(), m, &streams, round, n, every));
        }
    }

    /// Every subset of those who can be asked is as likely as any other: the frequencies over rounds of all of them,
    /// found by enumeration, against χ².
    #[test]
    fn all_subsets_are_equally_likely() {
        const ROUNDS: u64 = 40_000;
        for (n, m, every) in [(7, 3, 1), (7, 5, 1), (6, 1, 1), (9, 2, 2), (10, 3, 2), (12, 2, 3), (8, 7, 1)] {
            let mut counts = BTreeMap::new();
            let able: Vec<u32> = (0..n).filter(|i: &u32| i.is_multiple_of(every)).collect();
            for bits in (0_u32..1 << able.len()).filter(|bits| bits.count_ones() == m) {
                let subset = able.iter().enumerate().filter(|(place, _)| bits >> place & 1 == 1);
                counts.insert(subset.map(|(_, &i)| i).collect::<Vec<_>>(), 0.0);
            }
            let (streams, mut chooser) = (Streams::new(u64::from(n), u64::from(m)), Chooser::default());
            for round in 1..=ROUNDS {
                let chosen = cohort(&mut chooser, m, &streams, round, n, every);
                *counts.get_mut(&chosen).expect("a subset of those who can be asked") += 1.0;
            }
            let expected = ROUNDS as f64 / counts.len() as f64;
            let chi_sq: f64 =
                counts.values().map(|count: &f64| (count - expected) * (count - expected) / expected).sum();
            let freedom = counts.len() as f64 - 1.0;
            // Nearly standard normal (Wilson and Hilferty); beyond 7 has probability 1e-12.
            let spread = 2.0 / (9.0 * freedom);
            let z = (libm::cbrt(chi_sq / freedom) - (1.0 - spread)) / spread.sqrt();
            assert!(z < 7.0, "{m} of {n}, one in {every} can be asked: χ² = {chi_sq}, z = {z}");
        }
    }
}
