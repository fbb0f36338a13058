//! k-means: k-means++ seeding (Arthur and Vassilvitskii 2007), then Lloyd's iterations, the best of several restarts.
//!
//! Deterministic: ties go to the smallest index, sums run in the order of the examples. A cluster that loses all its
//! examples takes the example farthest from its own centre (the first of equals) out of a cluster that has others.
//! It must not know mixtures.

use super::{InitialError, check};
use crate::Examples;
use fedbits_random::{Purpose, Stream, Streams};

/// Examples whose distances are computed together: they fill vector lanes.
const BLOCK: usize = 16;

/// How to cluster.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KMeans {
    /// G, the number of clusters.
    pub components: usize,
    /// Lloyd iterations at most (they stop when no example changes its cluster); 0 leaves the seeds.
    pub iterations: usize,
    /// Independent runs, of which the one with the smallest inertia is kept (the first of equals).
    pub restarts: usize,
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
        let mut best: Option<Clustering> = None;
        for restart in 0..self.restarts as u64 {
            let mut stream = streams.at(Purpose::Initial, restart, 1);
            let seeds = seed(&blocks, examples, self.components, &mut stream)?;
            let clustering = lloyd(&blocks, examples, seeds, self.iterations);
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
        Self {
            lanes,
            dimension: d,
            examples: examples.len(),
        }
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
            nearest[example] = if distance < nearest[example] {
                distance
            } else {
                nearest[example]
            };
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

fn lloyd(blocks: &Blocks, examples: Examples<'_>, mut means: Vec<f64>, limit: usize) -> Clustering {
    let mut labels = vec![0; examples.len()];
    let mut nearest = vec![0.0; examples.len()];
    blocks.assign(&means, &mut labels, &mut nearest);
    let mut iterations = 0;
    while iterations < limit {
        iterations += 1;
        let refilled = fill_empty(&mut labels, &mut nearest, means.len() / examples.dimension);
        update(examples, &labels, &mut means);
        if !blocks.assign(&means, &mut labels, &mut nearest) && !refilled {
            break;
        }
    }
    let inertia = nearest.iter().sum();
    Clustering {
        means,
        labels,
        inertia,
        iterations,
    }
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

/// Means of the clusters, none of which is empty.
fn update(examples: Examples<'_>, labels: &[u32], means: &mut [f64]) {
    let d = examples.dimension;
    let mut sizes = vec![0.0; means.len() / d];
    means.fill(0.0);
    for (row, &label) in examples.rows.chunks_exact(d).zip(labels) {
        sizes[label as usize] += 1.0;
        for (mean, &value) in means[label as usize * d..][..d].iter_mut().zip(row) {
            *mean += value;
        }
    }
    for (mean, size) in means.chunks_exact_mut(d).zip(sizes) {
        mean.iter_mut().for_each(|sum| *sum /= size);
    }
}
