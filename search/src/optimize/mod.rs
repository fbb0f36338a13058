//! A search for the point of a space whose runs cost least, in generations of runs that do not depend on each other.
//!
//! 1. *Start*: arm 0, the scenario as it is, and points that fill the space, one run each.
//! 2. *Exploration*: points that promise most improvement ([`model`], [`proposals`]) get replicate 0. An arm that is
//!    not behind the leader on the replicates that both have gets as many replicates again, until it has as many as the
//!    leader and one of them is behind (as in F. Hutter, H. Hoos and K. Leyton-Brown, *Sequential model-based
//!    optimization for general algorithm configuration*, 2011). So most points cost one run. The leader gets a
//!    replicate more for every [`RUNS_PER_REPLICATE`] runs.
//! 3. *Settlement*, with the last [`LAST`]th of the budget: the leader and the arms with the least expected scores get
//!    replicates, twice as many for the better half of them, until two are left (sequential halving); these and arm 0
//!    go on to the most replicates, which is what intervals need.
//!
//! With several objectives the leaders are the arms with the most replicates that no other of them dominates.
//!
//! A generation follows from the outcomes of those before. So an optimizer that is made anew and meets the same
//! outcomes asks for the same runs. Libraries were no choice: `egobox` brings over a hundred crates and relaxes choices
//! to numbers; `tpe` and `parzen` know no paired replicates, bounds or constraints.

mod front;
mod improvement;
mod model;
mod process;
mod proposals;
mod standing;

use std::collections::BTreeSet;

pub use front::{dominates, hypervolume};

use crate::optimize::proposals::Proposals;
use crate::optimize::standing::{behind, leaders, undominated};
use crate::outcome::{Outcome, eligible};
use crate::space::{Point, Space};

/// What an optimizer may spend, and on what.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rules {
    /// The runs that it may ask for.
    pub runs: u64,
    /// The most replicates of an arm; at least 1.
    pub replicates: u64,
    /// Runs that are asked for together; at least 1. More keep more processes busy, fewer learn more from each run.
    pub batch: usize,
    /// The seed of its draws.
    pub seed: u64,
    /// The share of an arm's runs that have to be feasible.
    pub reached: f64,
    /// How many scores an outcome has; at least 1.
    pub objectives: usize,
}

/// Arm and replicate of each run.
type Runs = Vec<(usize, u64)>;

/// An optimizer and what it knows.
#[derive(Clone, Debug)]
pub struct Optimizer {
    rules: Rules,
    proposals: Proposals,
    known: Vec<Vec<Outcome>>,
    /// The runs of the generation that is under way.
    asked: Runs,
    spent: u64,
    /// Arms whose points are other shares of a former one's settings.
    repeats: BTreeSet<usize>,
    /// Runs of these that were asked for; they cost nothing.
    repeated: u64,
    /// The arms that are left in the settlement, and how many replicates each gets before they are halved.
    finalists: Vec<usize>,
    incumbents: Vec<(u64, usize)>,
    level: u64,
}

/// The leader gets one more replicate for so many runs.
const RUNS_PER_REPLICATE: u64 = 30;
/// The settlement has the budget divided by this, and begins with an arm for so many of its runs, within limits.
const LAST: u64 = 5;
const RUNS_PER_FINALIST: u64 = 4;
const FINALISTS: (u64, u64) = (2, 8);

impl Optimizer {
    /// Over a space. `first` is where arm 0 lies, if that is in the space.
    ///
    /// # Panics
    /// If `first` is not a point of the space, or a rule is out of its range.
    pub fn new(space: Space, rules: Rules, first: Option<Point>) -> Self {
        assert!(rules.replicates > 0 && rules.batch > 0 && rules.objectives > 0, "rules out of range: {rules:?}");
        Self {
            proposals: Proposals::new(space, rules.seed, first),
            rules,
            known: Vec::new(),
            asked: Vec::new(),
            spent: 0,
            repeats: BTreeSet::new(),
            repeated: 0,
            finalists: Vec::new(),
            incumbents: Vec::new(),
            level: rules.replicates.min(2),
        }
    }

    /// The points of the arms that were asked for, in their order; `None` for arm 0 where it is not in the space.
    pub fn points(&self) -> &[Option<Point>] {
        self.proposals.points()
    }

    /// The outcomes of each arm's replicates 0, 1, … that were taken into account.
    pub fn known(&self) -> &[Vec<Outcome>] {
        &self.known
    }

    /// The best arm, or the front of several objectives; none before the first generation is known. More than one arm
    /// stands for a single objective where they cost exactly the same.
    pub fn best(&self) -> Vec<usize> {
        leaders(&self.known, &self.distinct(), self.rules.reached)
    }

    /// The arms whose settings no former arm has. The others teach the model, but a setting must not be compared with
    /// itself.
    fn distinct(&self) -> Vec<usize> {
        (0..self.known.len()).filter(|arm| !self.repeats.contains(arm)).collect()
    }

    /// The arms that led, one after the other, with the number of runs that had been made when they came to lead.
    pub fn incumbents(&self) -> &[(u64, usize)] {
        &self.incumbents
    }

    /// Says of an arm that was just asked for that its point has the settings of a former one, so that its runs are
    /// there already and are not counted. It is not compared with others, as the former one is.
    pub fn repeat(&mut self, arm: usize) {
        self.repeats.insert(arm);
    }

    fn note(&mut self) {
        if let Some(&arm) = self.best().first()
            && self.incumbents.last().is_none_or(|&(_, last)| last != arm)
        {
            self.incumbents.push((self.spent, arm));
        }
    }

    /// Goes on as far as outcomes are known; `outcome` is asked for the run of an arm and a replicate, counted from 0,
    /// and always says the same of it, with as many scores as the rules say. Returns the runs that are needed next,
    /// none when the budget is spent or all points have all replicates.
    pub fn advance(&mut self, outcome: &mut dyn FnMut(usize, u64) -> Option<Outcome>) -> Runs {
        loop {
            let found: Vec<_> = self.asked.iter().map(|&(arm, replicate)| outcome(arm, replicate)).collect();
            let missing = self.asked.iter().zip(&found).filter(|(_, outcome)| outcome.is_none());
            let missing: Runs = missing.map(|(run, _)| *run).collect();
            if !missing.is_empty() {
                return missing;
            }
            self.known.resize(self.points().len(), Vec::new());
            for (&(arm, _), outcome) in self.asked.iter().zip(found) {
                self.known[arm].extend(outcome);
            }
            let repeated = self.asked.iter().filter(|(arm, _)| self.repeats.contains(arm)).count() as u64;
            self.repeated += repeated;
            self.spent += self.asked.len() as u64 - repeated;
            self.note();
            self.asked = self.generation();
            if self.asked.is_empty() {
                return Vec::new();
            }
        }
    }

    fn generation(&mut self) -> Runs {
        let left = self.left();
        if left == 0 {
            return Vec::new();
        }
        let mut runs = if self.spent == 0 {
            let arms = self.proposals.start((self.rules.runs / 4) as usize);
            arms.into_iter().map(|arm| (arm, 0)).collect()
        } else {
            let steps: &[fn(&mut Self) -> Runs] = if self.repeated > self.rules.runs {
                // There is hardly another point.
                &[Self::settle]
            } else if left > self.rules.runs / LAST {
                &[Self::explore, Self::settle]
            } else {
                &[Self::settle, Self::explore]
            };
            steps.iter().map(|step| step(self)).find(|runs| !runs.is_empty()).unwrap_or_default()
        };
        // Replicates of one number stand together: they share their data.
        runs.sort_unstable_by_key(|&(arm, replicate)| (replicate, arm));
        runs.truncate(left as usize);
        runs
    }

    fn count(&self, arm: usize) -> u64 {
        self.known[arm].len() as u64
    }

    /// What each of the arms lacks of so many replicates.
    fn lacking(&self, arms: &[usize], replicates: u64) -> Runs {
        arms.iter().flat_map(|&arm| (self.count(arm)..replicates).map(move |replicate| (arm, replicate))).collect()
    }

    /// What the arms lack of as many replicates, `replicates` at most, as the budget gives to all of them: a lead in
    /// replicates must not come from where the budget ended.
    fn affordable(&self, arms: &[usize], replicates: u64) -> Runs {
        let mut levels = (1..=replicates).rev().map(|level| self.lacking(arms, level));
        levels.find(|runs| runs.len() as u64 <= self.left()).unwrap_or_default()
    }

    /// Runs that the budget has left.
    fn left(&self) -> u64 {
        self.rules.runs - self.spent
    }

    /// Arms with fewer replicates than the leaders which are not behind any of them.
    fn challengers(&self, leaders: &[usize]) -> Vec<usize> {
        let runs = |arm: usize| &self.known[arm][..];
        let is_behind = |arm: usize| leaders.iter().any(|&leader| behind(runs(arm), runs(leader), self.rules.reached));
        let fewer = self.distinct().into_iter().filter(|&arm| self.count(arm) < self.count(leaders[0]));
        fewer.filter(|&arm| !is_behind(arm)).collect()
    }

    fn explore(&mut self) -> Runs {
        let leaders = self.best();
        let most = self.count(leaders[0]);
        let due = (1 + self.spent / RUNS_PER_REPLICATE).min(self.rules.replicates);
        let mut runs = self.affordable(&leaders, due.min(most + 1));
        for arm in self.challengers(&leaders) {
            runs.extend(self.lacking(&[arm], most.min(2 * self.count(arm))));
        }
        let room = self.rules.batch.min(self.left() as usize).saturating_sub(runs.len());
        let arms = self.proposals.propose(room, &self.known, self.rules.reached, self.rules.objectives);
        runs.extend(arms.into_iter().map(|arm| (arm, 0)));
        runs
    }

    fn settle(&mut self) -> Runs {
        if self.finalists.is_empty() {
            self.finalists = self.finalists();
        }
        while self.finalists.len() > FINALISTS.0 as usize && self.rules.objectives == 1 {
            let runs = self.affordable(&self.finalists, self.level);
            if !runs.is_empty() {
                return runs;
            }
            self.finalists = self.better_half();
            self.level = (2 * self.level).min(self.rules.replicates);
        }
        let mut last = self.finalists.clone();
        if !last.contains(&0) {
            last.push(0);
        }
        self.affordable(&last, self.rules.replicates)
    }

    /// The leaders, and with them the arms with the least expected scores, or all that may belong to the front.
    fn finalists(&mut self) -> Vec<usize> {
        let mut finalists = self.best();
        if self.rules.objectives > 1 {
            finalists.extend(self.challengers(&finalists));
            return finalists;
        }
        let places = (self.rules.runs / LAST / RUNS_PER_FINALIST).clamp(FINALISTS.0, FINALISTS.1) as usize;
        let ranked = self.proposals.by_expectation(&self.known, self.rules.reached);
        let others = ranked.into_iter().filter(|&arm| eligible(&self.known[arm], self.rules.reached));
        let others = others.filter(|arm| !finalists.contains(arm) && !self.repeats.contains(arm));
        let others: Vec<usize> = others.collect();
        finalists.extend(others.into_iter().take(places.saturating_sub(finalists.len())));
        finalists
    }

    /// Half of the finalists, two at least, those that are ahead.
    fn better_half(&self) -> Vec<usize> {
        let (mut rest, mut kept) = (self.finalists.clone(), Vec::new());
        let places = (rest.len() / 2).max(FINALISTS.0 as usize);
        while kept.len() < places {
            let ahead = undominated(&self.known, &rest, self.rules.reached);
            rest.retain(|arm| !ahead.contains(arm));
            kept.extend(ahead);
        }
        kept.truncate(places);
        kept
    }
}
