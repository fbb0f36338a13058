//! k-means: k-means++ seeding (Arthur and Vassilvitskii 2007), then Lloyd's iterations, the best of several restarts.
//!
//! Deterministic: ties go to the smallest index, sums run in the order of the examples. A cluster that loses all its
//! examples takes the example farthest from its own centre (the first of equals) out of a cluster that has others; with
//! weights it keeps its centre.

use super::examples::{InitialError, check, sample_mean};
use crate::examples::Examples;
use fedbits_random::{DrawPurpose, Stream, Streams};

/// Examples whose distances are computed together: they fill vector lanes.
const BLOCK: usize = 16;

/// How to cluster.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct KMeans {
    /// G, the number of clusters.
    pub components: usize,
    /// Lloyd iterations at most (they stop when no example changes its cluster); 0 leaves the seeds.
    pub iterations: usize,
    /// Independent runs, of which the one with the smallest inertia is kept (the first of equals).
    pub restarts: usize,
    /// Lloyd iterations also stop when the squared moves of all centres sum to at most this multiple of the mean
    /// variance (divisor N) of the columns. That is scikit-learn's rule, with 1e-4 by default; published k-means
    /// results depend on it. 0: only a fixed point stops.
    pub tolerance: f64,
}

/// Clusters of a sample.
#[derive(Clone, Debug, PartialEq)]
pub struct KMeansFit {
    /// Centres, row-major G × d.
    pub means: Vec<f64>,
    /// Nearest centre of every example.
    pub labels: Vec<u32>,
    /// Sum of squared distances to the nearest centre.
    pub inertia: f64,
    /// Lloyd iterations made.
    pub iterations: usize,
}

impl KMeans {
    /// Clusters `examples`.
    ///
    /// # Errors
    /// [`InitialError`].
    pub fn run(&self, examples: Examples<'_>, streams: &Streams) -> Result<KMeansFit, InitialError> {
        let stop = Stop { iterations: self.iterations, squared_move: self.tolerance * mean_variance(examples) };
        self.best(&Points::new(examples, None), stop, streams)
    }

    /// Clusters points that count as often as their weights (positive, one per point) say. The tolerance is not used.
    ///
    /// # Errors
    /// [`InitialError`].
    ///
    /// # Panics
    /// If there are more or fewer weights than points.
    pub fn run_weighted(
        &self,
        points: Examples<'_>,
        weights: &[f64],
        streams: &Streams,
    ) -> Result<KMeansFit, InitialError> {
        assert_eq!(weights.len(), points.len(), "one weight per point");
        let stop = Stop { iterations: self.iterations, squared_move: 0.0 };
        self.best(&Points::new(points, Some(weights)), stop, streams)
    }

    fn best(&self, points: &Points<'_>, stop: Stop, streams: &Streams) -> Result<KMeansFit, InitialError> {
        check(points.examples, self.components)?;
        let index = if points.weights.is_some() { 2 } else { 1 };
        let mut best: Option<KMeansFit> = None;
        for restart in 0..self.restarts as u64 {
            let seeds = points.seed(self.components, &mut streams.at(DrawPurpose::Initial, restart, index))?;
            let clustering = points.lloyd(seeds, stop);
            if best.as_ref().is_none_or(|best| clustering.inertia < best.inertia) {
                best = Some(clustering);
            }
        }
        best.ok_or_else(|| InitialError::new("k-means needs at least one restart"))
    }
}

/// What is clustered, also in blocks of 16, transposed: coordinate by coordinate.
struct Points<'a> {
    examples: Examples<'a>,
    /// One per example; none: 1 each.
    weights: Option<&'a [f64]>,
    lanes: Vec<[f64; BLOCK]>,
}

impl<'a> Points<'a> {
    fn new(examples: Examples<'a>, weights: Option<&'a [f64]>) -> Self {
        let d = examples.dimension();
        let mut lanes = vec![[0.0; BLOCK]; examples.len().div_ceil(BLOCK) * d];
        for (example, row) in examples.rows().chunks_exact(d).enumerate() {
            for (j, &value) in row.iter().enumerate() {
                lanes[example / BLOCK * d + j][example % BLOCK] = value;
            }
        }
        Self { examples, weights, lanes }
    }

    fn weight(&self, example: usize) -> f64 {
        self.weights.map_or(1.0, |weights| weights[example])
    }

    /// k-means++: the first centre drawn by weight, each next one with probability proportional to the weight times the
    /// squared distance to the nearest centre so far.
    fn seed(&self, components: usize, stream: &mut Stream) -> Result<Vec<f64>, InitialError> {
        let d = self.examples.dimension();
        let mut means = Vec::with_capacity(components * d);
        let mut nearest = vec![f64::INFINITY; self.examples.len()];
        let mut chosen = match self.weights {
            Some(weights) => stream.categorical(weights),
            None => stream.below(self.examples.len() as u64) as usize,
        };
        for distinct in 1..=components {
            let centre = &self.examples.rows()[chosen * d..][..d];
            means.extend_from_slice(centre);
            for (lanes, nearest) in self.lanes.chunks_exact(d).zip(nearest.chunks_mut(BLOCK)) {
                for (nearest, distance) in nearest.iter_mut().zip(squared_distances(lanes, centre)) {
                    *nearest = if distance < *nearest { distance } else { *nearest };
                }
            }
            if distinct < components {
                if nearest.iter().all(|&distance| distance <= 0.0) {
                    let is_centre = |row: &[f64]| means.chunks_exact(d).any(|mean| mean == row);
                    let differ = !self.examples.rows().chunks_exact(d).all(is_centre);
                    let underflow = "squares of the distances between the examples are 0 in floats of 64 bits: \
                                     expected larger numbers";
                    let error = InitialError::TooFewDistinct { components, distinct };
                    return Err(if differ { InitialError::new(underflow) } else { error });
                }
                chosen = match self.weights {
                    Some(weights) => {
                        stream.categorical(&nearest.iter().zip(weights).map(|(d, w)| d * w).collect::<Vec<_>>())
                    }
                    None => stream.categorical(&nearest),
                };
            }
        }
        Ok(means)
    }

    fn lloyd(&self, mut means: Vec<f64>, stop: Stop) -> KMeansFit {
        let mut labels = vec![0; self.examples.len()];
        let mut nearest = vec![0.0; self.examples.len()];
        self.assign(&means, &mut labels, &mut nearest);
        let mut iterations = 0;
        while iterations < stop.iterations {
            iterations += 1;
            let components = means.len() / self.examples.dimension();
            let refilled = self.weights.is_none() && fill_empty(&mut labels, &mut nearest, components);
            let moved = self.update(&labels, &mut means);
            let changed = self.assign(&means, &mut labels, &mut nearest);
            // A refilled cluster changed its label outside `assign`.
            if !(changed || refilled) || moved <= stop.squared_move {
                break;
            }
        }
        let inertia = nearest.iter().enumerate().map(|(example, distance)| self.weight(example) * distance).sum();
        KMeansFit { means, labels, inertia, iterations }
    }

    /// Moves the centres to the means of their clusters; returns the sum of the squared moves.
    fn update(&self, labels: &[u32], means: &mut [f64]) -> f64 {
        let d = self.examples.dimension();
        let mut sizes = vec![0.0; means.len() / d];
        let mut sums = vec![0.0; means.len()];
        for (example, (row, &label)) in self.examples.rows().chunks_exact(d).zip(labels).enumerate() {
            let weight = self.weight(example);
            sizes[label as usize] += weight;
            for (sum, &value) in sums[label as usize * d..][..d].iter_mut().zip(row) {
                *sum += weight * value;
            }
        }
        let mut moved = 0.0;
        for (index, (mean, sum)) in means.iter_mut().zip(sums).enumerate().filter(|(index, _)| sizes[index / d] > 0.0) {
            let new = sum / sizes[index / d];
            moved += (new - *mean) * (new - *mean);
            *mean = new;
        }
        moved
    }

    /// Nearest centre and squared distance of every example; returns whether a label changed.
    fn assign(&self, means: &[f64], labels: &mut [u32], nearest: &mut [f64]) -> bool {
        let mut changed = false;
        let blocks = self.lanes.chunks_exact(self.examples.dimension());
        for ((lanes, labels), nearest) in blocks.zip(labels.chunks_mut(BLOCK)).zip(nearest.chunks_mut(BLOCK)) {
            let (winners, distances) = winners(lanes, means);
            for (((label, slot), &winner), &distance) in labels.iter_mut().zip(nearest).zip(&winners).zip(&distances) {
                changed |= *label != winner;
                (*label, *slot) = (winner, distance);
            }
        }
        changed
    }
}

/// The nearest centre of every lane (the first of equals) and its squared distance.
fn winners(lanes: &[[f64; BLOCK]], means: &[f64]) -> ([u32; BLOCK], [f64; BLOCK]) {
    let (mut winners, mut distances) = ([0u32; BLOCK], [f64::INFINITY; BLOCK]);
    for (g, centre) in means.chunks_exact(lanes.len()).enumerate() {
        let sums = squared_distances(lanes, centre);
        for lane in 0..BLOCK {
            let nearer = sums[lane] < distances[lane];
            winners[lane] = if nearer { g as u32 } else { winners[lane] };
            distances[lane] = if nearer { sums[lane] } else { distances[lane] };
        }
    }
    (winners, distances)
}

/// Σ_j (y_j − c_j)² for 16 examples, j increasing. Plain products and sums: without FMA hardware a fused one is slow.
#[inline(always)]
fn squared_distances(lanes: &[[f64; BLOCK]], centre: &[f64]) -> [f64; BLOCK] {
    let mut sums = [0.0; BLOCK];
    for (values, &c) in lanes.iter().zip(centre) {
        for (sum, &value) in sums.iter_mut().zip(values) {
            *sum += (value - c) * (value - c);
        }
    }
    sums
}

/// When Lloyd's iterations end before a fixed point.
#[derive(Clone, Copy)]
struct Stop {
    iterations: usize,
    squared_move: f64,
}

/// Mean over the columns of their variances with divisor N.
fn mean_variance(examples: Examples<'_>) -> f64 {
    let means = sample_mean(examples);
    let rows = examples.rows().chunks_exact(examples.dimension());
    let squares = |row: &[f64]| row.iter().zip(&means).map(|(y, mean)| (y - mean) * (y - mean)).sum::<f64>();
    rows.map(squares).sum::<f64>() / examples.rows().len() as f64
}

/// Gives every empty cluster one example (rule at the head of the file); returns whether there was one.
fn fill_empty(labels: &mut [u32], nearest: &mut [f64], components: usize) -> bool {
    let mut sizes = vec![0usize; components];
    labels.iter().for_each(|&label| sizes[label as usize] += 1);
    let mut refilled = false;
    for g in 0..components {
        if sizes[g] > 0 {
            continue;
        }
        let candidates = (0..labels.len()).filter(|&example| sizes[labels[example] as usize] > 1);
        let farthest =
            candidates.reduce(|best, candidate| if nearest[candidate] > nearest[best] { candidate } else { best });
        let Some(example) = farthest else { break };
        sizes[labels[example] as usize] -= 1;
        sizes[g] = 1;
        labels[example] = g as u32;
        nearest[example] = 0.0;
        refilled = true;
    }
    refilled
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Data {0, 1, 2, 50}, centres {0, 1, 100}: 50 is nearer to 1, so the third cluster is empty and takes 50, the
    /// example farthest from its centre. Then {0}, {1, 2}, {50} is a fixed point with inertia 1/2.
    #[test]
    fn an_empty_cluster_takes_the_farthest_example() {
        let rows = [0.0, 1.0, 2.0, 50.0];
        let examples = Examples::new(&rows, 1);
        let stop = Stop { iterations: 10, squared_move: 0.0 };
        let found = Points::new(examples, None).lloyd(vec![0.0, 1.0, 100.0], stop);
        assert_eq!((found.means, found.labels, found.inertia), (vec![0.0, 1.5, 50.0], vec![0, 1, 1, 2], 0.5));
    }

    /// A cluster of one example keeps it: of {0, 9} (centre 4) and {100} (centre 90), the farthest example 100 is
    /// alone, so the empty cluster takes 9 (distance 25), not 0 (16).
    #[test]
    fn a_lone_example_stays() {
        let (mut labels, mut nearest) = (vec![0, 0, 1], vec![16.0, 25.0, 100.0]);
        assert!(fill_empty(&mut labels, &mut nearest, 3));
        assert_eq!((labels, nearest), (vec![0, 2, 1], vec![16.0, 0.0, 100.0]));
    }

    /// Equal distances: the first centre and the first example win.
    #[test]
    fn ties_go_to_the_smallest_index() {
        let rows = [1.0, -1.0];
        let points = Points::new(Examples::new(&rows, 1), None);
        let (mut labels, mut nearest) = (vec![9, 9], vec![0.0, 0.0]);
        assert!(points.assign(&[0.0, 2.0, -2.0], &mut labels, &mut nearest));
        assert_eq!((&labels, &nearest), (&vec![0, 0], &vec![1.0, 1.0]));
        assert!(fill_empty(&mut labels, &mut nearest, 2));
        assert_eq!(labels, [1, 0]);
    }
}
