//! An optimizer.

mod front;
mod improvement;
mod model;
mod process;
mod standing;

pub use front::{dominates, hypervolume};

use fedbits_random::{DrawPurpose, Stream, Streams};

use crate::optimize::model::{Model, Warm};
use crate::optimize::process::{Features, features};
use crate::optimize::standing::{behind, eligible, leaders, undominated};
use crate::outcome::Outcome;
use crate::space::{Point, Space};

/// What an optimizer may spend, and on what.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rules {
    /// The runs that it may ask for.
    pub runs: u64,
    /// The most replicates of an arm; at least 1.
    pub replicates: u64,
    /// Runs that are asked for together; at least 1. More make more processes busy, fewer learn more from each run.
    pub batch: usize,
    /// The seed of its draws.
    pub seed: u64,
    /// The share of an arm's runs that have to be feasible.
    pub reached: f64,
    /// How many scores an outcome has; at least 1.
    pub objectives: usize,
}

/// See the module.
#[derive(Clone, Debug)]
pub struct Optimizer {
    space: Space,
    rules: Rules,
    points: Vec<Option<Point>>,
    features: Vec<Option<Features>>,
    /// All points, where they are few.
    all: Option<Vec<Point>>,
    known: Vec<Vec<Outcome>>,
    asked: Vec<(usize, u64)>,
    spent: u64,
    finalists: Vec<usize>,
    warm: Warm,
}

/// A space of at most so many points is looked through as a whole.
const FEW: usize = 1000;
/// Points drawn from the whole space for one proposal, and near each of the best ones that were tried.
const DRAWN: usize = 400;
const NEAR: usize = 40;
const CENTERS: usize = 8;
/// Steps of the last search around the most promising points, and points per step.
const CLIMBS: usize = 6;
/// Of the scales of moves.
const SCALES: [f64; 4] = [0.2, 0.1, 0.05, 0.02];
/// The share of the budget for replicates of the best arms at the end.
const LAST: u64 = 5;
/// The leader has one more replicate for so many runs.
const RUNS_PER_REPLICATE: u64 = 10;

impl Optimizer {
    /// Over a space. `first` is where the arm 0 lies that others are compared with: the scenario as it is.
    pub fn new(space: Space, rules: Rules, first: Option<Point>) -> Self {
        let first_features = first.as_ref().map(|point| features(&space, point));
        Self {
            all: space.all(FEW),
            warm: Warm::new(&space),
            space,
            rules,
            points: vec![first],
            features: vec![first_features],
            known: Vec::new(),
            asked: Vec::new(),
            spent: 0,
            finalists: Vec::new(),
        }
    }

    /// The points of the arms that were asked for, in their order.
    pub fn points(&self) -> &[Option<Point>] {
        &self.points
    }

    /// The best arm, or the front of several objectives.
    pub fn best(&self) -> Vec<usize> {
        leaders(&self.known, self.rules.reached)
    }

    /// Goes on.
    pub fn advance(&mut self, outcome: &mut dyn FnMut(usize, u64) -> Option<Outcome>) -> Vec<(usize, u64)> {
        loop {
            let found: Vec<Option<Outcome>> = self.asked.iter().map(|&(arm, replicate)| outcome(arm, replicate)).collect();
            if found.iter().any(Option::is_none) {
                let runs = self.asked.iter().zip(found);
                return runs.filter(|(_, outcome)| outcome.is_none()).map(|(run, _)| *run).collect();
            }
            self.known.resize(self.points.len(), Vec::new());
            for (&(arm, _), outcome) in self.asked.iter().zip(found) {
                self.known[arm].extend(outcome);
            }
            self.spent += self.asked.len() as u64;
            self.asked = self.generation();
            if self.asked.is_empty() {
                return Vec::new();
            }
        }
    }

    fn generation(&mut self) -> Vec<(usize, u64)> {
        let left = self.rules.runs - self.spent;
        let mut runs = if left == 0 {
            Vec::new()
        } else if self.spent == 0 {
            self.start()
        } else if left > self.rules.runs / LAST {
            self.explore()
        } else {
            let last = self.settle();
            if last.is_empty() { self.explore() } else { last }
        };
        runs.truncate(left as usize);
        runs.sort_unstable_by_key(|&(arm, replicate)| (replicate, arm));
        runs
    }

    fn start(&mut self) -> Vec<(usize, u64)> {
        let dimensions = self.space.dimensions().len();
        let count = (2 * dimensions + 1).min((self.rules.runs / 4) as usize);
        let points = self.space.spread(count, &mut self.stream(0, 0));
        let mut runs = vec![(0, 0)];
        for point in points {
            if !self.points.contains(&Some(point.clone())) {
                runs.push((self.add(point), 0));
            }
        }
        runs
    }

    fn stream(&self, entity: u64, index: u64) -> Stream {
        Streams::new(self.rules.seed, 0).at(DrawPurpose::Sweep, entity, index)
    }

    fn add(&mut self, point: Point) -> usize {
        self.features.push(Some(features(&self.space, &point)));
        self.points.push(Some(point));
        self.points.len() - 1
    }

    fn count(&self, arm: usize) -> u64 {
        self.known[arm].len() as u64
    }

    fn explore(&mut self) -> Vec<(usize, u64)> {
        let leaders = self.best();
        let most = self.count(leaders[0]);
        let due = (1 + self.spent / RUNS_PER_REPLICATE).min(self.rules.replicates);
        let mut runs = Vec::new();
        if most < due {
            runs.extend(leaders.iter().map(|&arm| (arm, most)));
        }
        let reached = self.rules.reached;
        let is_ahead = |arm: usize| !leaders.iter().any(|&leader| behind(&self.known[arm], &self.known[leader], reached));
        for arm in (0..self.known.len()).filter(|arm| !leaders.contains(arm)) {
            let own = self.count(arm);
            if own < most && is_ahead(arm) {
                runs.extend((own..(2 * own).min(most)).map(|replicate| (arm, replicate)));
            }
        }
        let room = self.rules.batch.saturating_sub(runs.len());
        let left = (self.rules.runs - self.spent) as usize;
        for arm in self.propose(room.min(left.saturating_sub(runs.len()))) {
            runs.push((arm, 0));
        }
        runs
    }

    fn fit(&mut self, proposal: usize) -> Option<Model> {
        let mut weights = vec![1.0; self.rules.objectives];
        if weights.len() > 1 {
            self.stream(1, proposal as u64).dirichlet(&vec![1.0; weights.len()].clone(), &mut weights);
        }
        let sweeps = if self.spent < 40 { 4 } else { 1 };
        Model::fit(&self.space, &self.features, &self.known, self.rules.reached, &weights, &mut self.warm, sweeps)
    }

    fn propose(&mut self, count: usize) -> Vec<usize> {
        if count == 0 {
            return Vec::new();
        }
        let mut arms = Vec::new();
        let mut model = self.fit(self.points.len());
        for _ in 0..count {
            let arm = self.points.len();
            let Some(point) = self.proposal(model.as_ref(), arm) else { break };
            self.add(point);
            arms.push(arm);
            if let (Some(model), Some(features)) = (&mut model, &self.features[arm]) {
                model.believe(features);
            }
        }
        arms
    }

    fn proposal(&self, model: Option<&Model>, arm: usize) -> Option<Point> {
        let mut stream = self.stream(2, arm as u64);
        let Some(model) = model else {
            return self.untried(self.drawn(&mut stream)).into_iter().next();
        };
        let mut scored = self.scored(model, self.untried(self.candidates(model, &mut stream)));
        if self.all.is_none() {
            for step in 0..CLIMBS {
                let scale = 0.1 / (1 << step) as f64;
                let around = scored.iter().take(CENTERS);
                let near = around.flat_map(|(_, point)| (0..6).map(|_| self.space.near(point, scale, &mut stream)).collect::<Vec<_>>());
                let near = self.untried(near.collect());
                scored.truncate(CENTERS);
                scored.extend(self.scored(model, near));
                scored.sort_by(|a, b| b.0.total_cmp(&a.0));
            }
        }
        scored.into_iter().next().map(|(_, point)| point)
    }

    fn scored(&self, model: &Model, points: Vec<Point>) -> Vec<(f64, Point)> {
        let features: Vec<Features> = points.iter().map(|point| features(&self.space, point)).collect();
        let mut scored: Vec<(f64, Point)> = model.promise(&features).into_iter().zip(points).collect();
        scored.sort_by(|a, b| b.0.total_cmp(&a.0));
        scored
    }

    fn untried(&self, points: Vec<Point>) -> Vec<Point> {
        let tried = |point: &Point| self.points.iter().flatten().any(|other| other == point);
        points.into_iter().filter(|point| !tried(point)).collect()
    }

    fn drawn(&self, stream: &mut Stream) -> Vec<Point> {
        match &self.all {
            Some(all) => all.clone(),
            None => (0..DRAWN).map(|_| self.space.random(stream)).collect(),
        }
    }

    fn candidates(&self, model: &Model, stream: &mut Stream) -> Vec<Point> {
        let mut points = self.drawn(stream);
        if self.all.is_none() {
            for arm in self.by_expectation(model).into_iter().take(CENTERS) {
                let Some(center) = &self.points[arm] else { continue };
                for index in 0..NEAR {
                    points.push(self.space.near(center, SCALES[index % SCALES.len()], stream));
                }
            }
        }
        points
    }

    fn by_expectation(&self, model: &Model) -> Vec<usize> {
        let arms: Vec<usize> = (0..self.known.len()).filter(|&arm| self.features[arm].is_some()).collect();
        let features: Vec<Features> = arms.iter().filter_map(|&arm| self.features[arm].clone()).collect();
        let mut ranked: Vec<(f64, usize)> = model.expected(&features).into_iter().zip(arms).collect();
        ranked.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        ranked.into_iter().map(|(_, arm)| arm).collect()
    }

    fn settle(&mut self) -> Vec<(usize, u64)> {
        let reached = self.rules.reached;
        if self.finalists.is_empty() {
            self.finalists = self.best();
            if let Some(model) = self.fit(self.points.len()) {
                let places = (self.rules.runs / LAST / 2).clamp(2, 8) as usize;
                for arm in self.by_expectation(&model) {
                    if self.finalists.len() < places && !self.finalists.contains(&arm) && eligible(&self.known[arm], reached) {
                        self.finalists.push(arm);
                    }
                }
            }
        }
        loop {
            let least = self.finalists.iter().map(|&arm| self.count(arm)).min().unwrap_or(0);
            let level = if self.finalists.len() > 2 { least.max(2) } else { self.rules.replicates };
            let level = level.min(self.rules.replicates);
            let runs: Vec<(usize, u64)> =
                self.finalists.iter().flat_map(|&arm| (self.count(arm)..level).map(move |r| (arm, r))).collect();
            if !runs.is_empty() || self.finalists.len() <= 2 {
                return runs;
            }
            // halve
            let mut rest = self.finalists.clone();
            let mut kept = Vec::new();
            let goal = (self.finalists.len() / 2).max(2);
            while kept.len() < goal && !rest.is_empty() {
                let ahead = undominated(&self.known, &rest, reached);
                rest.retain(|arm| !ahead.contains(arm));
                kept.extend(ahead);
            }
            if kept.len() >= self.finalists.len() {
                return Vec::new();
            }
            self.finalists = kept;
            let next = (2 * least).min(self.rules.replicates);
            let runs: Vec<(usize, u64)> =
                self.finalists.iter().flat_map(|&arm| (self.count(arm)..next).map(move |r| (arm, r))).collect();
            if !runs.is_empty() {
                return runs;
            }
        }
    }
}
