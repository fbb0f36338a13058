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
