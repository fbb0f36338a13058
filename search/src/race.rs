//! A race of arms: replicates are given to all arms that are left, one after the other, and after each an arm is
//! dropped as soon as paired evidence says that it is not better than the leader by more than a margin.
//!
//! *Dropping.* Let d be the mean of the paired differences of an arm's cost to the leader's after n replicates (of
//! logarithms, where costs have ratios), and s their standard deviation, moderated across arms ([`super::moderation`])
//! to ν degrees of freedom. The arm is dropped when d − t s/√n > −margin, with t the quantile of Student's t whose tail
//! is the level of a race of R replicates with the error `error` / (K − 1) ([`super::boundary`]), where K arms are
//! left. Where differences are normal with the variance that is supposed, an arm that is better by more than the margin
//! is dropped because of one other arm with probability error / (K − 1) at most, over all looks together. That K is the
//! number of arms that are left, and not of all, is as in Holm's steps: arms that were dropped lead no more.
//!
//! *Resolution.* Costs that are known in steps only (a target is reached between two recorded rows, an accuracy is a
//! share of so many examples) can differ by the same in a few replicates by chance. So s² is not below the variance of
//! what the steps leave unknown, and a look at which it is 0 decides nothing.
//!
//! *Margins.* An arm that is not better by more than the margin may be better by less, and the one that it was
//! dropped for may be dropped in its turn. So what is missing to "worse" is taken from the margin of the leader,
//! later: margins along such a chain do not add up.
//!
//! *Futility.* The race ends when the replicates to come would hardly tell apart those that are left: when the
//! probability that an arm would be dropped at the last look is less than `futility`, given what was seen. That is the
//! predictive power of clinical trials (D. J. Spiegelhalter, L. S. Freedman and P. R. Blackburn, *Monitoring clinical
//! trials*, Controlled Clinical Trials 7, 1986), added over the arms. No arm is dropped by this.
//!
//! *Constraints.* Where a share of an arm's runs has to meet them, an arm is dropped when it is certain that it will
//! not come to that share of all replicates. One that has a smaller share so far leads only where all have, and no arm
//! is dropped because of it; the race does not end before it is certain or has made up for it.
//!
//! *Cuts.* A run that costs far more than a good arm need not be made to its end. In each replicate the run of one arm
//! is made first: of the baseline in the first replicate, then of the arm that leads. The others end when they cost
//! some factor times as much, and are then known to cost at least that; the baseline, which results are held against,
//! is always made to its end. Differences to the leader count up to that factor alone ([`super::pairs`]).
//!
//! All arms that are left have the same replicates at a look. So the decision depends on the outcomes alone, not on the
//! order in which they came.

use std::collections::BTreeMap;

use crate::boundary::level;
use crate::moderation::Prior;
use crate::outcome::{Outcome, Score, eligible, infeasible, tolerated};
use crate::pairs::Pairs;

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
    /// The race ends when the probability that further replicates drop an arm is less than this, in [0, 1); 0: never.
    pub futility: f64,
    /// Where runs are cut; `None`: all are made to their end.
    pub cut: Option<CutRules>,
    /// The share of an arm's runs that must not fail, and meet the constraints; in (0, 1].
    pub reached: f64,
}

/// Where the runs of a race end early.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CutRules {
    /// The arm that the first replicate begins with, of which every run is made to its end.
    pub baseline: usize,
    /// How much more a run may cost than the one that its replicate began with, on the scale of the scores; above 0.
    pub distance: f64,
}

/// A run that a race asks for.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub struct Asked {
    /// The replicate, counted from 0.
    pub replicate: u64,
    /// The arm.
    pub arm: usize,
    /// The arm whose run in the same replicate, which has reached the target, says where this one may end; `None`: it
    /// is made to its end.
    pub beside: Option<usize>,
}

/// Why an arm was dropped.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Reason {
    /// It costs more than the leader.
    Worse,
    /// It is not better than the leader by more than the margin, and may be as good.
    NotBetter,
    /// More of its runs failed, or did not meet the constraints, than may of all replicates.
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
    /// The runs that come next; none when the race has ended.
    pub needed: Vec<Asked>,
    /// Whether of the leader's runs so far the share that is asked for did not fail, and met the constraints.
    pub feasible: bool,
    evidence: Evidence,
    /// Replicates that are known of all arms that were left.
    known: u64,
    has_ended: bool,
}

/// Arms are compared from this many replicates on.
const FIRST_LOOK: u64 = 2;

impl Race {
    /// Of which no run is known.
    pub fn new(rules: &RaceRules) -> Self {
        Self {
            looks: Vec::new(),
            left: (0..rules.arms).collect(),
            needed: Vec::new(),
            feasible: true,
            evidence: Evidence::new(*rules),
            known: 0,
            has_ended: false,
        }
    }

    /// Goes on as far as outcomes are known; `outcome` is asked for runs, and what it said of whole replicates is not
    /// asked again. The score of a run which may end early is the same whether it was made to its end or not.
    pub fn advance(&mut self, outcome: &mut dyn FnMut(Asked) -> Option<Outcome>) {
        let rules = self.evidence.rules;
        while !self.has_ended {
            let count = (FIRST_LOOK + self.looks.len() as u64).min(rules.replicates);
            self.needed.clear();
            for replicate in self.known..count {
                match self.evidence.gather(&self.left, replicate, outcome) {
                    Ok(found) if self.needed.is_empty() => {
                        found.into_iter().for_each(|(arm, outcome)| self.evidence.known[arm].push(outcome));
                        self.known = replicate + 1;
                    }
                    Ok(_) => {}
                    Err(needed) => self.needed.extend(needed),
                }
                if rules.cut.is_some() && !self.needed.is_empty() {
                    break;
                }
            }
            if !self.needed.is_empty() {
                // Replicates of one number stand together: they share their data.
                self.needed.sort_unstable();
                return;
            }
            self.look(count);
        }
    }

    /// Decides after so many replicates of all arms that are left.
    fn look(&mut self, count: u64) {
        let (look, is_hopeless) = self.evidence.look(&self.left, count);
        let is_left =
            |arm: usize| look.standings.iter().all(|standing| standing.arm != arm || standing.dropped.is_none());
        self.left.retain(|&arm| is_left(arm));
        self.left.sort_by_key(|&arm| (arm != look.leader, arm));
        self.feasible = !self.evidence.lags(look.leader);
        self.looks.push(look);
        let is_open = self.left.iter().any(|&arm| self.evidence.lags(arm) && !self.evidence.is_infeasible(arm));
        let is_last = count >= self.evidence.rules.replicates;
        self.has_ended = is_last || (!is_open && (self.left.len() <= 1 || is_hopeless));
    }
}

/// What is known at a look.
#[derive(Clone, Debug, PartialEq)]
struct Evidence {
    rules: RaceRules,
    known: Vec<Vec<Outcome>>,
    /// By arm the variance of its differences to a leader when last there was one, with its degrees of freedom. Arms
    /// that were dropped still say how large variances are.
    variances: BTreeMap<usize, (f64, f64)>,
    /// By arm how much better one can be that was dropped because of it.
    owed: Vec<f64>,
}

impl Evidence {
    fn new(rules: RaceRules) -> Self {
        Self { rules, known: vec![Vec::new(); rules.arms], variances: BTreeMap::new(), owed: vec![0.0; rules.arms] }
    }

    /// The runs of a replicate of all arms that are left, or those of them that are not known. Where runs are cut,
    /// nothing else is asked for before the run is known that says where others end.
    fn gather(
        &self,
        left: &[usize],
        replicate: u64,
        outcome: &mut dyn FnMut(Asked) -> Option<Outcome>,
    ) -> Result<Vec<(usize, Outcome)>, Vec<Asked>> {
        let baseline = self.rules.cut.map(|cut| cut.baseline);
        let first = baseline.map(|baseline| if replicate == 0 { baseline } else { self.leader(left) });
        let (mut found, mut needed) = (Vec::new(), Vec::new());
        let mut ask = |found: &mut Vec<(usize, Outcome)>, arm: usize, beside: Option<usize>| {
            let asked = Asked { replicate, arm, beside };
            match outcome(asked) {
                Some(outcome) => found.push((arm, outcome)),
                None => needed.push(asked),
            }
        };
        let mut beside = None;
        if let Some(first) = first {
            ask(&mut found, first, None);
            let Some((_, outcome)) = found.first() else { return Err(needed) };
            beside = matches!(outcome.score, Score::At { .. }).then_some(first);
        }
        for &arm in left.iter().filter(|&&arm| Some(arm) != first) {
            ask(&mut found, arm, beside.filter(|_| Some(arm) != baseline));
        }
        if needed.is_empty() { Ok(found) } else { Err(needed) }
    }

    /// The decision after `count` replicates of all arms that are left, and whether more of them would hardly change
    /// it.
    fn look(&mut self, left: &[usize], count: u64) -> (Look, bool) {
        let mut left = left.to_vec();
        left.sort_unstable();
        let leader = self.leader(&left);
        let (most, resolution) = (self.rules.cut.map_or(f64::INFINITY, |cut| cut.distance), self.resolution());
        let rivals = left.iter().filter(|&&arm| arm != leader);
        let compared: Vec<(usize, Option<Pairs>)> =
            rivals.map(|&arm| (arm, Pairs::of(&self.known[arm], &self.known[leader], most, resolution))).collect();
        for (arm, pairs) in &compared {
            self.variances.extend(pairs.and_then(Pairs::evidence).map(|evidence| (*arm, evidence)));
        }
        let prior = Prior::fit(&self.variances.values().copied().collect::<Vec<_>>());
        let tail = self.tail(compared.len());
        let mut look = Look { replicates: count, leader, standings: Vec::new() };
        for &(arm, pairs) in &compared {
            let standing = self.standing((arm, leader), pairs, (prior, tail));
            if let (Some(Reason::NotBetter | Reason::Worse), Some(low)) = (standing.dropped, standing.low) {
                self.owed[leader] = self.owed[leader].max(self.owed[arm] - low);
            }
            look.standings.push(standing);
        }
        let rest = look.standings.iter().zip(&compared).filter(|(standing, _)| standing.dropped.is_none());
        let rest: Vec<Option<Pairs>> = rest.map(|(_, (_, pairs))| *pairs).collect();
        let is_hopeless = self.is_hopeless(&rest, prior, count);
        (look, is_hopeless)
    }

    /// The least distance of two costs that are not the same; 0 without any. Where costs take any value it vanishes.
    fn resolution(&self) -> f64 {
        let cost = |outcome: &Outcome| match outcome.score {
            Score::At { at, .. } => Some(at),
            Score::AtLeast(_) => None,
        };
        let mut costs: Vec<f64> = self.known.iter().flatten().filter_map(cost).collect();
        costs.sort_by(f64::total_cmp);
        let distances = costs.windows(2).map(|pair| pair[1] - pair[0]).filter(|&distance| distance > 0.0);
        distances.min_by(f64::total_cmp).unwrap_or(0.0)
    }

    /// The level of a look at which the leader is compared with so many others.
    fn tail(&self, rivals: usize) -> f64 {
        level(self.rules.replicates, self.rules.error / rivals.max(1) as f64)
    }

    fn standing(&self, (arm, leader): (usize, usize), pairs: Option<Pairs>, (prior, tail): (Prior, f64)) -> Standing {
        let low = pairs.and_then(|pairs| pairs.moderated(prior)).map(|pairs| pairs.low(tail));
        let dropped = match low {
            _ if self.is_infeasible(arm) => Some(Reason::Infeasible),
            // It may be the one that is dropped next.
            _ if self.lags(leader) => None,
            Some(low) if low > 0.0 => Some(Reason::Worse),
            Some(low) if low > self.owed[arm] - self.rules.margin => Some(Reason::NotBetter),
            _ => None,
        };
        let (pairs, difference) = pairs.map_or((0, None), |pairs| (pairs.count, Some(pairs.mean)));
        Standing { arm, pairs, difference, low, dropped }
    }

    /// Whether none of the arms that are left beside the leader is likely to be told apart from it.
    fn is_hopeless(&self, rest: &[Option<Pairs>], prior: Prior, count: u64) -> bool {
        let tail = self.tail(rest.len());
        let more = (self.rules.replicates - count) as f64;
        let hope = |pairs: &Option<Pairs>| {
            let moderated = pairs.and_then(|pairs| pairs.moderated(prior));
            moderated.map_or(1.0, |pairs| pairs.hope(more, tail, self.rules.margin))
        };
        more > 0.0 && rest.iter().map(hope).sum::<f64>() < self.rules.futility
    }

    /// Of the arms that meet the constraints so far, if any does, the one whose runs reached the target most often,
    /// then the one with the least mean score, then the first.
    fn leader(&self, left: &[usize]) -> usize {
        let merit = |arm: usize| {
            let short = self.known[arm].iter().filter(|outcome| matches!(outcome.score, Score::AtLeast(_))).count();
            let sum: f64 = self.known[arm].iter().map(|outcome| outcome.score.value()).sum();
            ((self.is_infeasible(arm), self.lags(arm), short), sum)
        };
        let better = |one: &((bool, bool, usize), f64), other: &((bool, bool, usize), f64)| {
            one.0.cmp(&other.0).then(one.1.total_cmp(&other.1))
        };
        let merits = left.iter().map(|&arm| (arm, merit(arm)));
        merits.min_by(|one, other| better(&one.1, &other.1)).map_or(0, |(arm, _)| arm)
    }

    /// Whether more runs of an arm failed, or did not meet the constraints, than may of all replicates.
    fn is_infeasible(&self, arm: usize) -> bool {
        infeasible(&self.known[arm]) > tolerated(self.rules.reached, self.rules.replicates)
    }

    fn lags(&self, arm: usize) -> bool {
        !eligible(&self.known[arm], self.rules.reached)
    }
}
