//! k-means: k-means++ seeding (Arthur and Vassilvitskii 2007), then Lloyd's iterations, the best of several restarts.
//!
//! Deterministic: ties go to the smallest index, sums run in the order of the examples. A cluster that loses all its
//! examples takes the example farthest from its own centre (the first of equals) out of a cluster that has others.
//! It must not know mixtures.

use super::{InitialError, check};
use crate::Examples;
use crate::data::column_means;
use fedbits_random::{Purpose, Stream, Streams};

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
    /// Lloyd iterations also stop when the squared moves of all centres sum to at most this multiple of the mean variance
    /// (divisor N) of the columns. That is scikit-learn's rule, with 1e-4 by default; published k-means results depend on
    /// it. 0: only a fixed point stops.
    pub tolerance: f64,
}

/// Clusters of a sample.
#[derive(Clone, Debug, PartialEq)]
pub struct Clustering {
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
    pub fn run(&self, examples: Examples<'_>, streams: &Streams) -> Result<Clustering, InitialError> {
        check(examples, self.components)?;
        let blocks = Blocks::new(examples);
        let stop = Stop { iterations: self.iterations, squared_move: self.tolerance * mean_variance(examples) };
        let mut best: Option<Clustering> = None;
        for restart in 0..self.restarts as u64 {
            let mut stream = streams.at(Purpose::Initial, restart, 1);
            let seeds = seed(&blocks, examples, self.components, &mut stream)?;
            let clustering = lloyd(&blocks, examples, seeds, stop);
            if best.as_ref().is_none_or(|best| clustering.inertia < best.inertia) {
                best = Some(clustering);
            }
        }
        best.ok_or(InitialError::NoRestarts)
    }
}

/// Examples in blocks of 16, transposed: coordinate by coordinate.
struct Blocks {
    lanes: Vec<[f64; BLOCK]>,
    dimension: usize,
    examples: usize,
}

impl Blocks {
    fn new(examples: Examples<'_>) -> Self {
        let d = examples.dimension;
        let mut lanes = vec![[0.0; BLOCK]; examples.len().div_ceil(BLOCK) * d];
        for (example, row) in examples.rows.chunks_exact(d).enumerate() {
            for (j, &value) in row.iter().enumerate() {
                lanes[example / BLOCK * d + j][example % BLOCK] = value;
            }
        }
        Self { lanes, dimension: d, examples: examples.len() }
    }

    /// Calls `visit(example, squared distance)` for every example and `centre`.
    #[inline(always)]
    fn distances(&self, centre: &[f64], mut visit: impl FnMut(usize, f64)) {
        for (block, lanes) in self.lanes.chunks_exact(self.dimension).enumerate() {
            let first = block * BLOCK;
            let sums = squared_distances(lanes, centre);
            for (lane, &sum) in sums.iter().enumerate().take(self.examples - first) {
                visit(first + lane, sum);
            }
        }
    }

    /// Nearest centre and squared distance of every example; returns whether a label changed.
    fn assign(&self, means: &[f64], labels: &mut [u32], nearest: &mut [f64]) -> bool {
        let mut changed = false;
        let blocks = self.lanes.chunks_exact(self.dimension);
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

/// k-means++: the first centre uniform, each next one with probability proportional to the squared distance to the
/// nearest centre so far.
fn seed(
    blocks: &Blocks,
    examples: Examples<'_>,
    components: usize,
    stream: &mut Stream,
) -> Result<Vec<f64>, InitialError> {
    let d = examples.dimension;
    let mut means = Vec::with_capacity(components * d);
    let mut nearest = vec![f64::INFINITY; examples.len()];
    let mut chosen = stream.below(examples.len() as u64) as usize;
    for distinct in 1..=components {
        let centre = &examples.rows[chosen * d..][..d];
        means.extend_from_slice(centre);
        blocks.distances(centre, |example, distance| {
            nearest[example] = if distance < nearest[example] { distance } else { nearest[example] };
        });
        if distinct < components {
            if nearest.iter().all(|&distance| distance <= 0.0) {
                return Err(InitialError::TooFewDistinct { components, distinct });
            }
            chosen = stream.categorical(&nearest);
        }
    }
    Ok(means)
}

/// When Lloyd's iterations end before a fixed point.
#[derive(Clone, Copy)]
struct Stop {
    iterations: usize,
    squared_move: f64,
}

/// Mean over the columns of their variances with divisor N.
fn mean_variance(examples: Examples<'_>) -> f64 {
    let means = column_means(examples);
    let rows = examples.rows.chunks_exact(examples.dimension);
    let squares = |row: &[f64]| row.iter().zip(&means).map(|(y, mean)| (y - mean) * (y - mean)).sum::<f64>();
    rows.map(squares).sum::<f64>() / examples.rows.len() as f64
}

fn lloyd(blocks: &Blocks, examples: Examples<'_>, mut means: Vec<f64>, stop: Stop) -> Clustering {
    let mut labels = vec![0; examples.len()];
    let mut nearest = vec![0.0; examples.len()];
    blocks.assign(&means, &mut labels, &mut nearest);
    let mut iterations = 0;
    while iterations < stop.iterations {
        iterations += 1;
        let refilled = fill_empty(&mut labels, &mut nearest, means.len() / examples.dimension);
        let moved = update(examples, &labels, &mut means);
        let changed = blocks.assign(&means, &mut labels, &mut nearest);
        // A refilled cluster changed its label outside `assign`.
        if !(changed || refilled) || moved <= stop.squared_move {
            break;
        }
    }
    let inertia = nearest.iter().sum();
    Clustering { means, labels, inertia, iterations }
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
        let farthest = candidates.reduce(|best, other| if nearest[other] > nearest[best] { other } else { best });
        let Some(example) = farthest else { break };
        sizes[labels[example] as usize] -= 1;
        sizes[g] = 1;
        labels[example] = g as u32;
        nearest[example] = 0.0;
        refilled = true;
    }
    refilled
}

/// Moves the centres to the means of their clusters, none of which is empty; returns the sum of the squared moves.
fn update(examples: Examples<'_>, labels: &[u32], means: &mut [f64]) -> f64 {
    let d = examples.dimension;
    let mut sizes = vec![0.0; means.len() / d];
    let mut sums = vec![0.0; means.len()];
    for (row, &label) in examples.rows.chunks_exact(d).zip(labels) {
        sizes[label as usize] += 1.0;
        for (sum, &value) in sums[label as usize * d..][..d].iter_mut().zip(row) {
            *sum += value;
        }
    }
    let mut moved = 0.0;
    for (index, (mean, sum)) in means.iter_mut().zip(sums).enumerate() {
        let new = sum / sizes[index / d];
        moved += (new - *mean) * (new - *mean);
        *mean = new;
    }
    moved
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Data {0, 1, 2, 50}, centres {0, 1, 100}: 50 is nearer to 1, so the third cluster is empty and takes 50, the example
    /// farthest from its centre. Then {0}, {1, 2}, {50} is a fixed point with inertia 1/2.
    #[test]
    fn an_empty_cluster_takes_the_farthest_example() {
        let rows = [0.0, 1.0, 2.0, 50.0];
        let examples = Examples { rows: &rows, dimension: 1 };
        let stop = Stop { iterations: 10, squared_move: 0.0 };
        let found = lloyd(&Blocks::new(examples), examples, vec![0.0, 1.0, 100.0], stop);
        assert_eq!((found.means, found.labels, found.inertia), (vec![0.0, 1.5, 50.0], vec![0, 1, 1, 2], 0.5));
    }

    /// A cluster of one example keeps it: of {0, 9} (centre 4) and {100} (centre 90), the farthest example 100 is alone,
    /// so the empty cluster takes 9 (distance 25), not 0 (16).
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
        let blocks = Blocks::new(Examples { rows: &rows, dimension: 1 });
        let (mut labels, mut nearest) = (vec![9, 9], vec![0.0, 0.0]);
        assert!(blocks.assign(&[0.0, 2.0, -2.0], &mut labels, &mut nearest));
        assert_eq!((&labels, &nearest), (&vec![0, 0], &vec![1.0, 1.0]));
        assert!(fill_empty(&mut labels, &mut nearest, 2));
        assert_eq!(labels, [1, 0]);
    }
}
