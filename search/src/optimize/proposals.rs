//! The points of the arms, and which come next: those whose promise is largest among points drawn from the whole space,
//! moves of the best arms, and a climb from the most promising of both.

use fedbits_random::{DrawPurpose, Stream, Streams};

use crate::optimize::model::{Model, Warm};
use crate::optimize::process::{Features, features};
use crate::optimize::standing::Known;
use crate::space::{Point, Space};

/// A space of at most so many points is looked through as a whole.
const FEW: usize = 1000;
/// Points that are drawn from the space, and near each of the best arms.
const DRAWN: usize = 400;
const NEAR: usize = 40;
/// From so many points moves start.
const CENTERS: usize = 8;
/// Standard deviations of moves from the best arms.
const SCALES: [f64; 4] = [0.2, 0.1, 0.05, 0.02];
/// Moves from each center in each step of the climb, and their scales.
const CLIMBERS: usize = 6;
const CLIMB: [f64; 6] = [0.1, 0.05, 0.025, 0.012, 0.006, 0.003];
/// While there are fewer runs, the search for parameters of the model is longer.
const EARLY: usize = 40;

/// What draws are for.
const START: u64 = 0;
const WEIGHTS: u64 = 1;
const CANDIDATES: u64 = 2;

/// The arms' points.
#[derive(Clone, Debug)]
pub(crate) struct Proposals {
    space: Space,
    seed: u64,
    points: Vec<Option<Point>>,
    features: Vec<Option<Features>>,
    /// All points of the space, where they are few.
    all: Option<Vec<Point>>,
    warm: Warm,
}

impl Proposals {
    /// With arm 0 at `first`.
    pub(crate) fn new(space: Space, seed: u64, first: Option<Point>) -> Self {
        assert!(first.iter().all(|point| space.contains(point)), "the first point is in the space: {first:?}");
        let features = vec![first.as_ref().map(|point| features(&space, point))];
        Self { all: space.all(FEW), warm: Warm::new(&space), space, seed, points: vec![first], features }
    }

    pub(crate) fn points(&self) -> &[Option<Point>] {
        &self.points
    }

    /// Arm 0 and new ones over the whole space, `most` at most.
    pub(crate) fn start(&mut self, most: usize) -> Vec<usize> {
        let count = (2 * self.space.dimensions().len() + 1).min(most);
        for point in self.space.spread(count, &mut self.stream(START, 0)) {
            if self.is_untried(&point) {
                self.add(point);
            }
        }
        (0..self.points.len()).collect()
    }

    /// So many new arms, fewer only where no point is left.
    pub(crate) fn propose(&mut self, count: usize, known: &Known, reached: f64, objectives: usize) -> Vec<usize> {
        let mut model = None;
        let mut arms = Vec::new();
        for _ in 0..count {
            // With several objectives every proposal has weights of its own.
            if arms.is_empty() || objectives > 1 {
                model = self.fit(known, reached, objectives);
            }
            if let Some(model) = &mut model {
                arms.iter().filter(|_| objectives > 1).for_each(|&arm| self.suppose(model, arm));
            }
            let Some(point) = self.proposal(model.as_ref(), known) else { break };
            let arm = self.add(point);
            arms.push(arm);
            if let Some(model) = &mut model {
                self.suppose(model, arm);
            }
        }
        arms
    }

    /// The arms whose points are known by their expected score, the least first.
    pub(crate) fn by_expectation(&mut self, known: &Known, reached: f64) -> Vec<usize> {
        self.fit(known, reached, 1).map_or(Vec::new(), |model| self.ranked(&model, known))
    }

    fn suppose(&self, model: &mut Model, arm: usize) {
        if let Some(features) = &self.features[arm] {
            model.suppose(features);
        }
    }

    fn fit(&mut self, known: &Known, reached: f64, objectives: usize) -> Option<Model> {
        let mut weights = vec![1.0; objectives];
        if objectives > 1 {
            self.stream(WEIGHTS, self.points.len() as u64).dirichlet(&vec![1.0; objectives], &mut weights);
        }
        let runs: usize = known.iter().map(Vec::len).sum();
        let sweeps = if runs < EARLY { 4 } else { 1 };
        let arms: Vec<_> =
            self.features.iter().zip(known).filter_map(|(own, runs)| Some((own.as_ref()?, runs))).collect();
        Model::fit(&self.space, &arms, reached, &weights, &mut self.warm, sweeps)
    }

    fn stream(&self, entity: u64, index: u64) -> Stream {
        Streams::new(self.seed, 0).at(DrawPurpose::Sweep, entity, index)
    }

    fn is_untried(&self, point: &Point) -> bool {
        self.points.iter().flatten().all(|other| other != point)
    }

    fn add(&mut self, point: Point) -> usize {
        self.features.push(Some(features(&self.space, &point)));
        self.points.push(Some(point));
        self.points.len() - 1
    }

    /// A point that was not tried; `None` where there is none, and where draws found none.
    fn proposal(&self, model: Option<&Model>, known: &Known) -> Option<Point> {
        let mut stream = self.stream(CANDIDATES, self.points.len() as u64);
        let drawn = match &self.all {
            Some(all) => all.clone(),
            None => (0..DRAWN).map(|_| self.space.random(&mut stream)).collect(),
        };
        let Some(model) = model else { return drawn.into_iter().find(|point| self.is_untried(point)) };
        let mut scored = self.scored(model, drawn);
        if self.all.is_none() {
            let centers = self.ranked(model, known).into_iter().take(CENTERS);
            for center in centers.filter_map(|arm| self.points[arm].as_ref()) {
                let scales = SCALES.iter().cycle().take(NEAR);
                let near = scales.map(|&scale| self.space.near(center, scale, &mut stream)).collect();
                scored.extend(self.scored(model, near));
            }
            for scale in CLIMB {
                best_first(&mut scored);
                scored.truncate(CENTERS);
                let centers = scored.iter().flat_map(|(_, point)| std::iter::repeat_n(point, CLIMBERS));
                let near = centers.map(|point| self.space.near(point, scale, &mut stream)).collect();
                scored.extend(self.scored(model, near));
            }
        }
        best_first(&mut scored);
        scored.into_iter().next().map(|(_, point)| point)
    }

    /// The untried ones of these points and their promise.
    fn scored(&self, model: &Model, mut points: Vec<Point>) -> Vec<(f64, Point)> {
        points.retain(|point| self.is_untried(point));
        let features: Vec<Features> = points.iter().map(|point| features(&self.space, point)).collect();
        model.promise(&features).into_iter().zip(points).collect()
    }

    fn ranked(&self, model: &Model, known: &Known) -> Vec<usize> {
        let arms = (0..known.len()).filter_map(|arm| Some((self.features[arm].clone()?, arm)));
        let (features, arms): (Vec<Features>, Vec<usize>) = arms.unzip();
        let mut ranked: Vec<(f64, usize)> = model.expected(&features).into_iter().zip(arms).collect();
        ranked.sort_by(|a, b| a.0.total_cmp(&b.0));
        ranked.into_iter().map(|(_, arm)| arm).collect()
    }
}

fn best_first(scored: &mut [(f64, Point)]) {
    scored.sort_by(|a, b| b.0.total_cmp(&a.0));
}
