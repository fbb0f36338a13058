//! Rules that make one vector of m, of which up to f may be anything. They are those of ByzFL (LPD-EPFL, version
//! 0.0.11); ties go to the first vector. Sums run in the order of vectors, or of sorted numbers.

use super::{Centre, Robust, RobustRule, Weiszfeld};
use crate::state::distance_sq;

/// The vector that `robust` makes of `rows`, into `out`, and the vectors that it chose where it chooses some. Centred
/// clipping starts at what `out` holds, or at 0 where it is empty.
pub(super) fn apply(robust: &Robust, rows: &[Vec<f64>], out: &mut Vec<f64>) -> Option<Vec<usize>> {
    let f = robust.f as usize;
    match robust.rule {
        RobustRule::TrimmedMean => coordinates(rows, out, |sorted| mean_of(&sorted[f..sorted.len() - f])),
        RobustRule::CoordinateMedian => coordinates(rows, out, |sorted| {
            let m = sorted.len();
            mean_of(&sorted[(m - 1) / 2..=m / 2])
        }),
        RobustRule::GeometricMedian(weiszfeld) => geometric_median(weiszfeld, rows, out),
        RobustRule::CentredClipping(centre) => clip(centre, rows, out),
        RobustRule::Krum => return Some(choose(rows, (f, 1), out)),
        RobustRule::MultiKrum => return Some(choose(rows, (f, rows.len() - f), out)),
    }
    None
}

fn mean_of(numbers: &[f64]) -> f64 {
    numbers.iter().sum::<f64>() / numbers.len() as f64
}

/// Writes what `of` makes of the sorted numbers of each coordinate.
fn coordinates(rows: &[Vec<f64>], out: &mut Vec<f64>, of: impl Fn(&[f64]) -> f64) {
    let mut column = vec![0.0; rows.len()];
    out.clear();
    out.extend((0..rows[0].len()).map(|j| {
        column.iter_mut().zip(rows).for_each(|(number, row)| *number = row[j]);
        column.sort_unstable_by(f64::total_cmp);
        of(&column)
    }));
}

/// The mean of the vectors `chosen`.
pub(super) fn mean(rows: &[Vec<f64>], chosen: &[usize], out: &mut Vec<f64>) {
    out.clear();
    out.resize(rows[0].len(), 0.0);
    for &at in chosen {
        out.iter_mut().zip(&rows[at]).for_each(|(sum, x)| *sum += x);
    }
    out.iter_mut().for_each(|sum| *sum /= chosen.len() as f64);
}

/// Smoothed Weiszfeld steps from 0: z ← Σ β_i x_i / Σ β_i, β_i = 1 / max(ν, ‖x_i − z‖).
fn geometric_median(Weiszfeld { smoothing, iterations }: Weiszfeld, rows: &[Vec<f64>], z: &mut Vec<f64>) {
    z.clear();
    z.resize(rows[0].len(), 0.0);
    for _ in 0..iterations {
        let betas: Vec<f64> = rows.iter().map(|row| 1.0 / distance_sq(row, z).sqrt().max(smoothing)).collect();
        let total: f64 = betas.iter().sum();
        z.fill(0.0);
        for (row, beta) in rows.iter().zip(&betas) {
            z.iter_mut().zip(row).for_each(|(z, x)| *z += beta * x);
        }
        z.iter_mut().for_each(|z| *z /= total);
    }
}

/// v ← v + m⁻¹ Σ (x_i − v) min(1, τ / ‖x_i − v‖).
fn clip(Centre { radius, iterations }: Centre, rows: &[Vec<f64>], v: &mut Vec<f64>) {
    v.resize(rows[0].len(), 0.0);
    let mut sum = vec![0.0; v.len()];
    for _ in 0..iterations {
        sum.fill(0.0);
        for row in rows {
            let norm = distance_sq(row, v).sqrt();
            let factor = if norm > radius { radius / norm } else { 1.0 };
            sum.iter_mut().zip(row.iter().zip(&*v)).for_each(|(sum, (x, v))| *sum += factor * (x - v));
        }
        v.iter_mut().zip(&sum).for_each(|(v, sum)| *v += sum / rows.len() as f64);
    }
}

/// Krum: the mean of the `count` vectors whose m − f − 1 nearest others are nearest in the mean of squared distances.
fn choose(rows: &[Vec<f64>], (f, count): (usize, usize), out: &mut Vec<f64>) -> Vec<usize> {
    let scores = distances_sq(rows).into_iter().map(|mut row| {
        row.sort_unstable_by(f64::total_cmp);
        mean_of(&row[1..rows.len() - f])
    });
    let mut chosen = smallest(&scores.collect::<Vec<_>>(), count);
    chosen.sort_unstable();
    mean(rows, &chosen, out);
    chosen
}

/// Nearest-neighbour mixing: each vector becomes the mean of the m − f nearest, itself among them.
pub(super) fn mix(rows: &mut Vec<Vec<f64>>, f: usize) {
    let near = distances_sq(rows);
    let mixed = near.iter().map(|distances| {
        let mut mixed = Vec::new();
        mean(rows, &smallest(distances, rows.len() - f), &mut mixed);
        mixed
    });
    *rows = mixed.collect();
}

/// The places of the `count` smallest numbers, smallest first.
fn smallest(numbers: &[f64], count: usize) -> Vec<usize> {
    let mut places: Vec<usize> = (0..numbers.len()).collect();
    places.sort_by(|&a, &b| numbers[a].total_cmp(&numbers[b]));
    places.truncate(count);
    places
}

fn distances_sq(rows: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let mut all = vec![vec![0.0; rows.len()]; rows.len()];
    for i in 0..rows.len() {
        for j in 0..i {
            let distance = distance_sq(&rows[i], &rows[j]);
            all[i][j] = distance;
            all[j][i] = distance;
        }
    }
    all
}
