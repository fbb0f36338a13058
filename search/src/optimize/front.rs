//! Several objectives: which points are not dominated, what a front is worth, and one number for several.

/// Whether no objective of `one` is larger, and one is smaller.
pub fn dominates<T: PartialOrd>(one: &[T], other: &[T]) -> bool {
    one.iter().zip(other).all(|(a, b)| a <= b) && one.iter().zip(other).any(|(a, b)| a < b)
}

/// The volume that `points` dominate below `reference`, by slices along the last objective; points beyond it in one
/// objective add nothing. All have as many objectives, at least one.
pub fn hypervolume(points: &[Vec<f64>], reference: &[f64]) -> f64 {
    let inside = points.iter().filter(|point| point.iter().zip(reference).all(|(value, end)| value < end));
    let mut inside: Vec<&[f64]> = inside.map(Vec::as_slice).collect();
    volume(&mut inside, reference)
}

fn volume(points: &mut [&[f64]], reference: &[f64]) -> f64 {
    let last = reference.len() - 1;
    points.sort_by(|a, b| a[last].total_cmp(&b[last]));
    if last == 0 {
        return points.first().map_or(0.0, |least| reference[0] - least[0]);
    }
    let mut sum = 0.0;
    for below in 1..=points.len() {
        let (from, to) = (points[below - 1][last], points.get(below).map_or(reference[last], |point| point[last]));
        if to > from {
            sum += (to - from) * volume(&mut points[..below].to_vec(), &reference[..last]);
        }
    }
    sum
}

/// The augmented Tchebycheff function max w z + ρ Σ w z of ParEGO (J. Knowles, IEEE Trans. Evol. Comput. 10, 2006), ρ =
/// 0.05.
pub(crate) fn tchebycheff(values: &[f64], weights: &[f64]) -> f64 {
    let products = || values.iter().zip(weights).map(|(value, weight)| value * weight);
    products().fold(f64::NEG_INFINITY, f64::max) + 0.05 * products().sum::<f64>()
}

#[cfg(test)]
mod tests {
    use super::*;
    use fedbits_random::{DrawPurpose, Streams};

    #[test]
    fn one_point_dominates_a_box() {
        assert_eq!(hypervolume(&[vec![1.0, 2.0, 3.0]], &[2.0, 4.0, 6.0]), 6.0);
        assert_eq!(hypervolume(&[vec![1.0], vec![0.5]], &[2.0]), 1.5);
        // Two boxes of 2 that overlap in 1; a point beyond the reference.
        assert_eq!(hypervolume(&[vec![0.0, 1.0], vec![1.0, 0.0], vec![-9.0, 2.0]], &[2.0, 2.0]), 3.0);
        assert_eq!(hypervolume(&[], &[2.0, 2.0]), 0.0);
    }

    /// The share of random points that some point dominates.
    #[test]
    fn volumes_are_monte_carlos() {
        for seed in 0..6 {
            for dimensions in [2, 3] {
                let mut stream = Streams::new(seed, 0).at(DrawPurpose::Data, dimensions as u64, 0);
                let mut point = || -> Vec<f64> { (0..dimensions).map(|_| stream.uniform()).collect() };
                let points: Vec<Vec<f64>> = (0..8).map(|_| point()).collect();
                let draws = 40_000;
                let inside = (0..draws).filter(|_| {
                    let other = point();
                    points.iter().any(|own| own.iter().zip(&other).all(|(a, b)| a <= b))
                });
                let share = inside.count() as f64 / f64::from(draws);
                let volume = hypervolume(&points, &vec![1.0; dimensions]);
                // Four standard deviations.
                assert!((share - volume).abs() < 0.01, "seed {seed}, {dimensions} dimensions: {volume}, {share}");
            }
        }
    }

    /// Less in one objective and no more in the others is less in the scalar too, whatever the weights.
    #[test]
    fn scalars_keep_dominance() {
        let weights = [0.7, 0.3];
        assert!(tchebycheff(&[0.1, 0.5], &weights) < tchebycheff(&[0.2, 0.5], &weights));
        assert!((tchebycheff(&[0.5, 0.5], &weights) - (0.35 + 0.05 * 0.5)).abs() < 1e-15);
    }
}
