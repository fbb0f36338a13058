//! Clients that do not do what the protocol says. They follow it in all but one thing: in place of x_i, what the server
//! is to learn of a client, they report another vector.
//!
//! ```text
//! honest:     Δ_i = x_i − V_i          Byzantine:  Δ_i = x'_i − V_i
//! ```
//!
//! Δ_i is then coded, counted and sent as of everybody, and V_i follows what was sent: a consistent liar. What is
//! replaced is x_i and not Δ_i, because rules act on x_i, and because −Δ_i would drive V_i away from x_i by a factor in
//! every round. Where the server adds nothing to a message (no memory; MARINA), x_i is the message. A liar neither
//! clips nor adds noise.
//!
//! Who knows the honest x_i of a round (ByzFL's attacks: `InnerProduct`, `LittleIsEnough`) needs that they are known
//! before the liars send: the host computes the cohort's messages when it opens the round. That changes nothing where
//! every client that is asked hears, answers and is waited for; elsewhere these attacks are refused.

use std::ops::Range;

use fedbits_random::{DrawPurpose, Streams};
use fedbits_spec::range::{FINITE, Interval, whole};
use fedbits_spec::{Described, Facts, Findings, Path};
use serde::{Deserialize, Serialize};

use crate::error::{ProtocolError, Result};

/// Byzantine clients and their attack.
#[derive(Clone, Debug, Described, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Byzantine {
    /// Byzantine clients.
    pub clients: Liars,
    /// Reported vector.
    pub attack: Attack,
    /// Replaced entries of x_i.
    #[serde(default)]
    pub on: Attacked,
}

/// Entries that a Byzantine client replaces; the others stay as they are.
#[derive(Clone, Copy, Debug, Default, Described, Deserialize, Eq, PartialEq, Serialize)]
pub enum Attacked {
    /// All.
    #[default]
    Everything,
    /// Means of components, which leave a valid mixture. For `OneRound` and `FedAvgEm`, whose clients send θ_i.
    Means,
}

/// Byzantine clients; at least one client is honest.
#[derive(Clone, Debug, Described, Deserialize, PartialEq, Serialize)]
#[described(rules = exist)]
pub enum Liars {
    /// This many, by lowest number.
    First(#[range(whole(1, 10_000_000))] u32),
    /// Clients with these numbers, from 0.
    Clients(Vec<u32>),
    /// This share of all, rounded to whole clients, by lowest number.
    Share(#[range(SHARE)] f64),
}

/// Reported vector in place of x.
#[derive(Clone, Copy, Debug, Described, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub enum Attack {
    /// −x.
    SignFlip,
    /// x times this factor.
    Scaled(#[range(FINITE)] f64),
    /// Independent Gaussian entries with mean 0.
    Random {
        /// Standard deviation.
        #[range(DEVIATION)]
        deviation: f64,
    },
    /// −τ times the mean of the round's honest clients (inner-product manipulation: Xie et al., UAI 2019).
    InnerProduct(#[range(FINITE)] f64),
    /// Per coordinate the honest clients' mean plus τ standard deviations (Baruch et al., NeurIPS 2019).
    LittleIsEnough(#[range(FINITE)] f64),
}

/// [0, 1].
const SHARE: Interval = Interval::closed(0.0, 1.0, "from 0 to 1, no unit");

/// [0, 10¹⁵⁰].
const DEVIATION: Interval = Interval::closed(0.0, 1e150, "from 0 to 10¹⁵⁰");

fn exist(liars: &Liars, at: &Path<'_>, facts: &Facts, findings: &mut Findings) {
    let Some(clients) = facts.clients else { return };
    if let Liars::Clients(numbers) = liars
        && let Some((index, number)) = numbers.iter().enumerate().find(|(_, number)| **number as usize >= clients)
    {
        let expected = format!("expected a number from 0 to {}", clients.saturating_sub(1));
        return findings.error(at.index(index), format!("there is no client {number}"), expected);
    }
    if liars.count(clients) == 0 && *liars != Liars::Share(0.0) {
        return findings.error(at, "nobody lies", "expected a client, or no `byzantine`");
    }
    if liars.count(clients) >= clients {
        findings.error(at, "no client is honest", "expected fewer");
    }
}

impl Liars {
    /// Which of so many clients lie.
    #[must_use]
    pub fn are_among(&self, clients: u32) -> Vec<bool> {
        let n = clients as usize;
        let first = |count: usize| (0..n).map(|i| i < count).collect();
        match self {
            Self::First(count) => first(*count as usize),
            Self::Share(share) => first((share * n as f64).round() as usize),
            Self::Clients(numbers) => {
                let mut lies = vec![false; n];
                for &number in numbers.iter().filter(|&&number| number < clients) {
                    lies[number as usize] = true;
                }
                lies
            }
        }
    }

    /// How many of so many clients lie.
    #[must_use]
    pub fn count(&self, clients: usize) -> usize {
        self.are_among(clients as u32).into_iter().filter(|&lies| lies).count()
    }
}

impl Attack {
    /// Does it need the honest vectors of the round?
    #[must_use]
    pub fn knows_others(self) -> bool {
        matches!(self, Self::InnerProduct(_) | Self::LittleIsEnough(_))
    }
}

/// The Byzantine clients of a run, and what they know of a round.
pub(crate) struct Attackers {
    attack: Attack,
    /// The entries that they replace.
    on: Range<usize>,
    is_byzantine: Vec<bool>,
    honest: Moments,
}

/// Mean and sum of squared deviations of the honest vectors of a round, by Welford's recurrence.
#[derive(Default)]
struct Moments {
    count: f64,
    mean: Vec<f64>,
    squares: Vec<f64>,
}

impl Attackers {
    /// `means`: the entries that are means, if there are any.
    pub(crate) fn new(byzantine: &Byzantine, clients: u32, means: Option<[usize; 2]>) -> Self {
        let is_byzantine = byzantine.clients.are_among(clients);
        let on = match byzantine.on {
            Attacked::Everything => 0..usize::MAX,
            Attacked::Means => means.map_or(0..0, |[first, end]| first..end),
        };
        Self { attack: byzantine.attack, on, is_byzantine, honest: Moments::default() }
    }

    pub(crate) fn knows_others(&self) -> bool {
        self.attack.knows_others()
    }

    pub(crate) fn lies(&self, i: u32) -> bool {
        self.is_byzantine[i as usize]
    }

    /// A round begins, of which nothing is known yet.
    pub(crate) fn open_round(&mut self) {
        self.honest.count = 0.0;
    }

    /// Client `i` reports `x` + `base` in `round`, an empty `base` being 0: of a liar, `x` becomes what it reports
    /// without `base`.
    ///
    /// # Errors
    /// Where a liar knows the honest vectors of the round, and these cannot be compared.
    pub(crate) fn report(
        &mut self,
        streams: &Streams,
        (i, round): (u32, u64),
        base: &[f64],
        x: &mut [f64],
    ) -> Result<()> {
        let at = |j: usize| base.get(j).copied().unwrap_or(0.0);
        if !self.lies(i) {
            return if self.knows_others() { self.honest.add(x, at) } else { Ok(()) };
        }
        if self.knows_others() && self.honest.mean.len() != x.len() && self.honest.count > 0.0 {
            return Err(lengths());
        }
        let mut stream = streams.at(DrawPurpose::Attack, u64::from(i), round);
        for (j, x) in x.iter_mut().enumerate().filter(|(j, _)| self.on.contains(j)) {
            let (base, known) = (at(j), self.honest.at(j));
            let lie = match self.attack {
                Attack::SignFlip => -(*x + base),
                Attack::Scaled(factor) => factor * (*x + base),
                Attack::Random { deviation } => deviation * stream.normal(),
                Attack::InnerProduct(tau) => -tau * known.0,
                Attack::LittleIsEnough(tau) => known.0 + tau * known.1,
            };
            *x = lie - base;
        }
        Ok(())
    }
}

impl Moments {
    fn add(&mut self, x: &[f64], base: impl Fn(usize) -> f64) -> Result<()> {
        if self.count == 0.0 {
            self.mean.clear();
            self.mean.resize(x.len(), 0.0);
            self.squares.clear();
            self.squares.resize(x.len(), 0.0);
        }
        if self.mean.len() != x.len() {
            return Err(lengths());
        }
        self.count += 1.0;
        for (j, ((mean, squares), x)) in self.mean.iter_mut().zip(&mut self.squares).zip(x).enumerate() {
            let x = x + base(j);
            let before = x - *mean;
            *mean += before / self.count;
            *squares += before * (x - *mean);
        }
        Ok(())
    }

    /// Mean and unbiased standard deviation of coordinate `j`; 0 where there is nobody to know them of.
    fn at(&self, j: usize) -> (f64, f64) {
        if self.count == 0.0 {
            return (0.0, 0.0);
        }
        let deviation = if self.count > 1.0 { (self.squares[j] / (self.count - 1.0)).sqrt() } else { 0.0 };
        (self.mean[j], deviation)
    }
}

fn lengths() -> ProtocolError {
    ProtocolError::unfit(
        "an attack that knows the honest vectors needs vectors of one length, and clients of this \
                          protocol have different ones (`SignFlip`, `Scaled` and `Random` work)",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reported(attack: Attack, i: u32, base: &[f64], mut x: Vec<f64>) -> Vec<f64> {
        let byzantine = Byzantine { clients: Liars::Clients(vec![1, 3]), attack, on: Attacked::Everything };
        let mut attackers = Attackers::new(&byzantine, 4, None);
        attackers.report(&Streams::new(2, 0), (i, 7), base, &mut x).unwrap();
        x
    }

    #[test]
    fn means_alone_can_be_replaced() {
        let clients = Liars::First(1);
        let byzantine = Byzantine { clients, attack: Attack::Scaled(-2.0), on: Attacked::Means };
        let mut x = vec![0.25, 0.75, 3.0, -1.0, 1.0];
        let mut attackers = Attackers::new(&byzantine, 2, Some([2, 4]));
        attackers.report(&Streams::new(2, 0), (0, 1), &[0.0, 0.0, 1.0], &mut x).unwrap();
        assert_eq!(x, [0.25, 0.75, -9.0, 2.0, 1.0]);
    }

    /// What is replaced is x, of which `base` is not in the message. Honest clients report what they have.
    #[test]
    fn a_lie_is_about_the_whole_vector() {
        assert_eq!(reported(Attack::SignFlip, 1, &[4.0], vec![1.0, 2.0]), [-9.0, -2.0]);
        assert_eq!(reported(Attack::Scaled(3.0), 3, &[4.0, 1.0], vec![1.0, 2.0]), [11.0, 8.0]);
        assert_eq!(reported(Attack::Scaled(3.0), 2, &[4.0, 1.0], vec![1.0, 2.0]), [1.0, 2.0]);
    }

    /// The standard error of a standard deviation of 40 000 numbers is 1/√80 000 of it, z-limit 7; another client draws
    /// others.
    #[test]
    fn random_vectors_have_their_deviation() {
        let attack = Attack::Random { deviation: 3.0 };
        let x = reported(attack, 1, &[], vec![5.0; 40_000]);
        let deviation = (x.iter().map(|x| x * x).sum::<f64>() / x.len() as f64).sqrt();
        assert!((deviation / 3.0 - 1.0).abs() < 7.0 / 80_000_f64.sqrt(), "{deviation}");
        assert_ne!(reported(attack, 3, &[], vec![5.0; 4]), x[..4]);
    }

    #[test]
    fn shares_are_rounded_and_numbers_count_once() {
        assert_eq!(Liars::Share(0.2).count(12), 2);
        assert_eq!(Liars::First(3).are_among(4), [true, true, true, false]);
        assert_eq!(Liars::Clients(vec![2, 2]).count(4), 1);
    }
}
