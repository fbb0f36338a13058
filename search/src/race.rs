//! A race of arms: replicates are given to all arms that are left, one after the other, and after each an arm is dropped
//! as soon as paired evidence says that it is not better than the leader by more than a margin.
//!
//! Let d be the mean of the paired differences of an arm's cost to the leader's after n replicates (of logarithms, where
//! costs have ratios), and s² their variance, moderated across arms ([`super::moderation`]) to ν degrees of freedom. At
//! look ℓ = n − 1 the arm is dropped when d − t s/√n > −margin, with t the quantile of Student's t with tail
//! error / ((K − 1) ℓ (ℓ + 1)) for K arms. Where differences are normal, each such bound is wrong with that probability
//! at most; 1 / (ℓ (ℓ + 1)) adds up to 1 over all looks, and the best arm is compared with at most K − 1 others. So the
//! probability that an arm is dropped which is better than the winner by more than the margin is at most `error`,
//! whenever one looks and however many replicates there are.
//!
//! All arms that are left have the same replicates at a look. So the decision depends on the outcomes alone, not on the
//! order in which they came.

use std::collections::BTreeMap;

use fedbits_numerics::t_quantile;

use crate::moderation::Prior;
use crate::outcome::{Outcome, Score};

/// What a race is about.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RaceRules {
    /// How many arms; at least 1.
    pub arms: usize,
    /// The most replicates of an arm; at least 1.
    pub replicates: u64,
    /// The probability of a wrong decision, in (0, 1).
    pub error: f64,
    /// Differences of costs that do not matter, on the scale of the scores; at least 0.
    pub margin: f64,
}

/// Why an arm was dropped.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Reason {
    /// It costs more than the leader.
    Worse,
    /// It is not better than the leader by more than the margin, and may be as good.
    NotBetter,
    /// One of its runs failed, or met a constraint not.
    Infeasible,
}

/// An arm beside the leader at one look.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Standing {
    /// The arm.
    pub arm: usize,
    /// Replicates that could be compared.
    pub pairs: usize,
    /// The mean difference of its cost to the leader's, a lower bound where runs ended before the target; `None` where
    /// nothing could be compared.
    pub difference: Option<f64>,
    /// The lower end of its interval at this look.
    pub low: Option<f64>,
    /// Why it was dropped, if it was.
    pub dropped: Option<Reason>,
}

/// What was seen and decided after one replicate.
#[derive(Clone, Debug, PartialEq)]
pub struct Look {
    /// Replicates of each arm so far.
    pub replicates: u64,
    /// The arm that was best then.
    pub leader: usize,
    /// All others that were left before, in the order of arms.
    pub standings: Vec<Standing>,
}

/// How far a race is.
#[derive(Clone, Debug, PartialEq)]
pub struct Race {
    /// The decisions so far.
    pub looks: Vec<Look>,
    /// The arms that are left, the leader first, then in the order of arms.
    pub left: Vec<usize>,
    /// The runs (arm, replicate) that the next decision needs; none when the race has ended.
    pub needed: Vec<(usize, u64)>,
}

/// Arms are compared from this many replicates on.
const FIRST_LOOK: u64 = 2;

/// Goes through a race as far as outcomes are known; `outcome` is asked for the run of an arm and a replicate, counted
/// from 0. Outcomes have one score.
pub fn race(rules: &RaceRules, outcome: &mut dyn FnMut(usize, u64) -> Option<Outcome>) -> Race {
    let mut known: Vec<Vec<Outcome>> = vec![Vec::new(); rules.arms];
    let mut race = Race { looks: Vec::new(), left: (0..rules.arms).collect(), needed: Vec::new() };
    let mut count = FIRST_LOOK.min(rules.replicates);
    let mut variances = Variances::new();
    loop {
        for &arm in &race.left {
            for replicate in known[arm].len() as u64..count {
                match outcome(arm, replicate) {
                    Some(found) if known[arm].len() as u64 == replicate => known[arm].push(found),
                    Some(_) => {}
                    None => race.needed.push((arm, replicate)),
                }
            }
        }
        if !race.needed.is_empty() {
            // Replicates of one number stand together: they share their data.
            race.needed.sort_by_key(|&(arm, replicate)| (replicate, arm));
            return race;
        }
        let look = look(rules, (&known, &mut variances), &race.left, count);
        let is_left = |arm: usize| look.standings.iter().all(|own| own.arm != arm || own.dropped.is_none());
        race.left.retain(|&arm| is_left(arm));
        race.left.sort_by_key(|&arm| (arm != look.leader, arm));
        race.looks.push(look);
        if race.left.len() <= 1 || count >= rules.replicates {
            return race;
        }
        count += 1;
    }
}

/// By arm the variance of its differences to a leader, with its degrees of freedom.
type Variances = BTreeMap<usize, (f64, f64)>;

/// The decision after `count` replicates of all arms that are left. `variances`: of each arm that was compared with a
/// leader, what was last known of its differences, with the degrees of freedom.
fn look(rules: &RaceRules, (known, variances): (&[Vec<Outcome>], &mut Variances), left: &[usize], count: u64) -> Look {
    let mut left = left.to_vec();
    left.sort_unstable();
    let leader = leader(known, &left);
    let others = left.iter().filter(|&&arm| arm != leader);
    let compared: Vec<(usize, Option<Pairs>)> =
        others.map(|&arm| (arm, Pairs::of(&known[arm], &known[leader]))).collect();
    for (arm, pairs) in &compared {
        if let Some(pairs) = pairs.as_ref().filter(|pairs| pairs.count > 1) {
            variances.insert(*arm, (pairs.variance, (pairs.count - 1) as f64));
        }
    }
    // Arms that were dropped still say how large variances are.
    let prior = Prior::fit(&variances.values().copied().collect::<Vec<_>>());
    let look = count.saturating_sub(1) as f64;
    let tail = rules.error / ((rules.arms.max(2) - 1) as f64 * look * (look + 1.0));
    let standing = |(arm, pairs): (usize, Option<Pairs>)| {
        let low = pairs.as_ref().and_then(|pairs| pairs.low(prior, tail));
        let infeasible = known[arm].iter().any(|outcome| !outcome.feasible);
        let dropped = match low {
            _ if infeasible => Some(Reason::Infeasible),
            Some(low) if low > 0.0 => Some(Reason::Worse),
            Some(low) if low > -rules.margin => Some(Reason::NotBetter),
            _ => None,
        };
        let (pairs, difference) = pairs.map_or((0, None), |pairs| (pairs.count, Some(pairs.mean)));
        Standing { arm, pairs, difference, low, dropped }
    };
    Look { replicates: count, leader, standings: compared.into_iter().map(standing).collect() }
}

/// The arm whose runs reached the target most often, then the one with the least mean score, then the first.
fn leader(known: &[Vec<Outcome>], left: &[usize]) -> usize {
    let merit = |arm: usize| {
        let infeasible = known[arm].iter().any(|outcome| !outcome.feasible);
        let short = known[arm].iter().filter(|outcome| matches!(outcome.scores[0], Score::AtLeast(_))).count();
        let sum: f64 = known[arm].iter().map(|outcome| outcome.scores[0].value()).sum();
        (infeasible, short, sum)
    };
    let better = |one: &(bool, usize, f64), other: &(bool, usize, f64)| {
        (one.0, one.1).cmp(&(other.0, other.1)).then(one.2.total_cmp(&other.2))
    };
    let merits = left.iter().map(|&arm| (arm, merit(arm)));
    merits.min_by(|one, other| better(&one.1, &other.1)).map_or(0, |(arm, _)| arm)
}

/// Paired differences of an arm to the leader.
struct Pairs {
    count: usize,
    mean: f64,
    /// Unbiased, and not below what the distance of recorded rows leaves unknown; 0 for one pair.
    variance: f64,
}

impl Pairs {
    /// `None` when there is no pair, and when the arm reached the target where the leader did not: then nothing bounds
    /// its difference from below.
    fn of(arm: &[Outcome], leader: &[Outcome]) -> Option<Self> {
        let (mut differences, mut unknown) = (Vec::new(), 0.0);
        for (own, other) in arm.iter().zip(leader) {
            match (own.scores[0], other.scores[0]) {
                (Score::At { .. }, Score::AtLeast(_)) => return None,
                (Score::AtLeast(_), Score::AtLeast(_)) => {}
                (own, other @ Score::At { .. }) => {
                    differences.push(own.value() - other.value());
                    unknown += own.unknown_variance() + other.unknown_variance();
                }
            }
        }
        let count = differences.len();
        if count == 0 {
            return None;
        }
        let mean = differences.iter().sum::<f64>() / count as f64;
        let squares: f64 = differences.iter().map(|difference| (difference - mean) * (difference - mean)).sum();
        let variance = if count > 1 { squares / (count - 1) as f64 } else { 0.0 };
        Some(Self { count, mean, variance: variance.max(unknown / count as f64) })
    }

    /// The lower end of the interval of the mean with this tail; `None` for one pair.
    fn low(&self, prior: Prior, tail: f64) -> Option<f64> {
        if self.count < 2 {
            return None;
        }
        let (variance, freedom) = prior.moderate(self.variance, (self.count - 1) as f64);
        Some(self.mean - t_quantile(2.0 * tail, freedom) * libm::sqrt(variance / self.count as f64))
    }
}
