//! Standardization without a table of all examples: within each client, or by moments that a server merges.
//!
//! A client's moments of a column are its number of examples, their mean m and the sum S of squared deviations from it;
//! those of two sets are merged by (Chan, Golub and LeVeque 1979) n = n₁ + n₂, δ = m₂ − m₁, m = m₁ + δ n₂ / n,
//! S = S₁ + S₂ + δ² n₁ n₂ / n, in the order of clients.

use super::transform::of_no_client;
use super::{DataSet, DataSetError};

/// Numbers below this are multiplied before they are squared: squares of what they differ by would not be 64-bit
/// floats of full precision.
pub(super) const SMALL: f64 = 1e-70;

/// The power of two by which numbers are multiplied before they are squared: 1 unless all of them are so small that
/// their squares underflow.
pub(super) fn magnifier(numbers: impl Iterator<Item = f64>) -> f64 {
    let largest = numbers.fold(0.0_f64, |largest, number| largest.max(number.abs()));
    // Of the smallest numbers the power would be infinite.
    if largest > 0.0 && largest < SMALL { libm::ldexp(1.0, (-libm::frexp(largest).1).min(1020)) } else { 1.0 }
}

/// Moments of one column.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Moments {
    count: f64,
    mean: f64,
    squares: f64,
}

impl Moments {
    /// Of the numbers of a column, in two passes.
    fn of(values: impl Iterator<Item = f64> + Clone) -> Self {
        let (count, sum) = values.clone().fold((0.0, 0.0), |(count, sum), value| (count + 1.0, sum + value));
        let mean = sum / count;
        let squares = values.map(|value| (value - mean) * (value - mean)).sum();
        Self { count, mean, squares }
    }

    fn merge(self, other: Self) -> Self {
        if self.count == 0.0 {
            return other;
        }
        let (count, difference) = (self.count + other.count, other.mean - self.mean);
        let mean = self.mean + difference * other.count / count;
        let squares = self.squares + other.squares + difference * difference * self.count * other.count / count;
        Self { count, mean, squares }
    }

    /// The standard deviation with divisor n − 1; none of a constant or a single number.
    fn deviation(self) -> Option<f64> {
        let deviation = (self.squares / (self.count - 1.0)).sqrt();
        (self.squares > 0.0 && deviation > 0.0 && deviation.is_finite()).then_some(deviation)
    }
}

/// What was found to be constant where deviations were to be divided by.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Constants {
    /// In how many clients a column is.
    pub(super) clients: usize,
    /// The first of them, and the first column.
    pub(super) first: Option<(usize, String)>,
}

fn column(rows: &[f64], d: usize, j: usize) -> impl Iterator<Item = f64> + Clone {
    rows.iter().skip(j).step_by(d).copied()
}

/// By the numbers themselves: sums round, so that the squares of a constant's deviations need not be 0.
fn are_equal(mut values: impl Iterator<Item = f64>) -> bool {
    values.next().is_none_or(|first| values.all(|value| value == first))
}

fn shift(rows: &mut [f64], d: usize, j: usize, mean: f64, scale: f64) {
    rows.iter_mut().skip(j).step_by(d).for_each(|value| *value = (*value - mean) / scale);
}

/// Every column of every client less its mean, over its standard deviation; what is constant becomes 0. Client i has
/// the examples from `offsets[i]` to `offsets[i + 1]`.
pub(super) fn standardize_each(mut data: DataSet, offsets: &[usize]) -> Result<(DataSet, Constants), DataSetError> {
    let (d, mut constants) = (data.dimension(), Constants::default());
    let (columns, mut rows) = (std::mem::take(&mut data.columns), data.take_rows());
    for (client, pair) in offsets.windows(2).enumerate() {
        let block = &mut rows[pair[0] * d..pair[1] * d];
        let mut is_constant = false;
        for (j, name) in columns.iter().enumerate() {
            let magnified = magnifier(column(block, d, j));
            let moments = Moments::of(column(block, d, j).map(|value| value * magnified));
            let deviation = moments.deviation().filter(|_| !are_equal(column(block, d, j)));
            if deviation.is_none() {
                is_constant = true;
                constants.first.get_or_insert_with(|| (client, name.clone()));
                block.iter_mut().skip(j).step_by(d).for_each(|value| *value = 0.0);
            }
            if let Some(deviation) = deviation {
                shift(block, d, j, moments.mean / magnified, deviation / magnified);
            }
        }
        constants.clients += usize::from(is_constant);
    }
    Ok((data.with_rows(columns, rows)?, constants))
}

/// The same of clients that are the groups of the data, client after client.
pub(super) fn standardize_groups(data: &DataSet) -> Result<(DataSet, Constants), DataSetError> {
    let groups = data.groups().ok_or_else(of_no_client)?;
    let mut order: Vec<u32> = (0..data.len() as u32).collect();
    order.sort_by_key(|&example| groups[example as usize]);
    let mut offsets = vec![0];
    let members = order.chunk_by(|&a, &b| groups[a as usize] == groups[b as usize]);
    members.for_each(|members| offsets.push(offsets[offsets.len() - 1] + members.len()));
    standardize_each(data.select(&order)?, &offsets)
}

/// Mean and standard deviation of every column over all clients, from the moments of the clients; the name of a column
/// that is constant instead.
pub(super) fn merged_moments(data: &DataSet, offsets: &[usize]) -> Result<(Vec<f64>, Vec<f64>), String> {
    let (d, rows) = (data.dimension(), data.rows());
    let (mut means, mut scales) = (Vec::with_capacity(d), Vec::with_capacity(d));
    for j in 0..d {
        let magnified = magnifier(column(rows, d, j));
        let values = |pair: &[usize]| column(&rows[pair[0] * d..pair[1] * d], d, j).map(move |value| value * magnified);
        let moments = |pair: &[usize]| Moments::of(values(pair));
        let merged = offsets.windows(2).map(moments).fold(Moments::default(), Moments::merge);
        means.push(merged.mean / magnified);
        let deviation = merged.deviation().filter(|_| !are_equal(column(rows, d, j)));
        scales.push(deviation.ok_or_else(|| data.columns()[j].clone())? / magnified);
    }
    Ok((means, scales))
}
