//! k-means of points with weights: as often as their weights say, without repeating them. For grids of few points; no blocks, no
//! tricks. It must not know where points come from.

use super::{Clustering, InitialError, KMeans, check};
use crate::Examples;
use fedbits_random::{Purpose, Stream, Streams};

/// k-means of weighted points. Its tolerance is not used: iterations end when no point changes its cluster. An empty cluster keeps its
/// centre.
#[derive(Clone, Copy, Debug)]
pub struct WeightedKMeans<'a> {
    /// Components, iterations and restarts.
    pub kmeans: KMeans,
    /// One positive weight per point.
    pub weights: &'a [f64],
}

impl WeightedKMeans<'_> {
    /// Clusters `points`. Draws at (Initial, restart, 2).
    ///
    /// # Errors
    /// [`InitialError`].
    ///
    /// # Panics
    /// If there are more or fewer weights than points.
    pub fn run(&self, points: Examples<'_>, streams: &Streams) -> Result<Clustering, InitialError> {
        assert_eq!(self.weights.len(), points.len(), "one weight per point");
        check(points, self.kmeans.components)?;
        let mut best: Option<Clustering> = None;
        for restart in 0..self.kmeans.restarts as u64 {
            let means = self.seed(points, &mut streams.at(Purpose::Initial, restart, 2))?;
            let found = self.lloyd(points, means);
            if best.as_ref().is_none_or(|best| found.inertia < best.inertia) {
                best = Some(found);
            }
        }
        best.ok_or(InitialError::NoRestarts)
    }

    /// k-means++ with probabilities proportional to weight times squared distance.
    fn seed(&self, points: Examples<'_>, stream: &mut Stream) -> Result<Vec<f64>, InitialError> {
        let d = points.dimension;
        let mut nearest = vec![f64::INFINITY; points.len()];
        let mut means: Vec<f64> = Vec::new();
        let mut chosen = stream.categorical(self.weights);
        for distinct in 1..=self.kmeans.components {
            means.extend_from_slice(&points.rows[chosen * d..][..d]);
            let centre = &means[means.len() - d..];
            for (nearest, point) in nearest.iter_mut().zip(points.rows.chunks_exact(d)) {
                *nearest = nearest.min(distance(point, centre));
            }
            if distinct < self.kmeans.components {
                let weighted: Vec<f64> = nearest.iter().zip(self.weights).map(|(d, w)| d * w).collect();
                if weighted.iter().all(|&weight| weight <= 0.0) {
                    return Err(InitialError::TooFewDistinct { components: self.kmeans.components, distinct });
                }
                chosen = stream.categorical(&weighted);
            }
        }
        Ok(means)
    }

    fn lloyd(&self, points: Examples<'_>, mut means: Vec<f64>) -> Clustering {
        let d = points.dimension;
        let mut labels = assign(points, &means);
        let mut iterations = 0;
        while iterations < self.kmeans.iterations {
            iterations += 1;
            let mut sums = vec![0.0; means.len()];
            let mut totals = vec![0.0; means.len() / d];
            for ((point, &label), &weight) in points.rows.chunks_exact(d).zip(&labels).zip(self.weights) {
                totals[label as usize] += weight;
                let sum = &mut sums[label as usize * d..][..d];
                sum.iter_mut().zip(point).for_each(|(sum, x)| *sum += weight * x);
            }
            for (at, mean) in means.iter_mut().enumerate() {
                if totals[at / d] > 0.0 {
                    *mean = sums[at] / totals[at / d];
                }
            }
            let now = assign(points, &means);
            let rests = now == labels;
            labels = now;
            if rests {
                break;
            }
        }
        let rows = points.rows.chunks_exact(d).zip(&labels).zip(self.weights);
        let inertia = rows.map(|((point, &g), weight)| weight * distance(point, &means[g as usize * d..][..d])).sum();
        Clustering { means, labels, inertia, iterations }
    }
}

fn distance(x: &[f64], y: &[f64]) -> f64 {
    x.iter().zip(y).map(|(x, y)| (x - y) * (x - y)).sum()
}

/// The nearest centre of every point, the first of equals.
fn assign(points: Examples<'_>, means: &[f64]) -> Vec<u32> {
    let nearest = |point: &[f64]| {
        let distances = means.chunks_exact(points.dimension).map(|centre| distance(point, centre)).zip(0..);
        distances.fold((f64::INFINITY, 0), |best, now| if now.0 < best.0 { now } else { best }).1
    };
    points.rows.chunks_exact(points.dimension).map(nearest).collect()
}
