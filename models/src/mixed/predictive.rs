//! Visual predictive check (Holford 2005; Bergstrand et al. 2011): do data simulated from the model look like the data?
//!
//! Observations are cut into bins of about equal size by time (equal times stay together, and a bin of few joins its
//! neighbour). In each bin the 10th, 50th and 90th percentile of the observed values stand beside the 5 to 95 % range
//! of the same percentiles over simulated copies of the whole data set: new subjects with the times and doses of the
//! old ones.

use fedbits_numerics::{quantile, sorted};
use fedbits_random::{DrawPurpose, Streams};

use super::model::MixedModel;
use crate::DomainError;
use crate::latent::FinalTable;

/// Simulated copies of the data.
const COPIES: usize = 500;
/// Bins, if there are enough different times.
const BINS: usize = 10;
/// A bin has at least this many observations, if there are as many: of fewer, the 10th percentile is hardly more than
/// the smallest.
const LEAST: usize = 10;
/// Shares of the percentiles.
const PERCENTILES: [f64; 3] = [0.1, 0.5, 0.9];
/// Ends and middle of the range over copies.
const BAND: [f64; 3] = [0.05, 0.5, 0.95];
/// First entity of the copies' draws, beyond the subjects of likelihoods.
const FIRST_ENTITY: u64 = 1 << 40;

/// (subject, number) of every observation, bin by bin.
fn bins(model: &MixedModel) -> Vec<Vec<(usize, usize)>> {
    let subjects = &model.data().subjects;
    let mut places: Vec<(usize, usize)> =
        subjects.iter().enumerate().flat_map(|(i, subject)| (0..subject.times.len()).map(move |j| (i, j))).collect();
    let time = |&(i, j): &(usize, usize)| subjects[i].times[j];
    places.sort_by(|a, b| time(a).total_cmp(&time(b)));
    let groups = places.chunk_by(|a, b| time(a) == time(b)).map(<[_]>::to_vec);
    let size = places.len().div_ceil(BINS).max(LEAST);
    let mut bins: Vec<Vec<(usize, usize)>> = Vec::new();
    for group in groups {
        match bins.last_mut() {
            Some(bin) if bin.len() + group.len() / 2 < size => bin.extend(group),
            _ => bins.push(group),
        }
    }
    merged(bins, LEAST.max(size / 2))
}

/// The bins, with those of fewer than `least` observations joined to the smaller of their neighbours.
fn merged(mut bins: Vec<Vec<(usize, usize)>>, least: usize) -> Vec<Vec<(usize, usize)>> {
    while let Some(small) = bins.iter().position(|bin| bin.len() < least).filter(|_| bins.len() > 1) {
        let size = |at: usize| bins.get(at).map_or(usize::MAX, Vec::len);
        // Of the two that are joined, the earlier.
        let at = if small > 0 && size(small - 1) <= size(small + 1) { small - 1 } else { small };
        let later = bins.remove(at + 1);
        bins[at].extend(later);
    }
    bins
}

/// What the times count from: `first dose` where every subject had one at 0, else `data`, whose own zero it is.
fn origin(model: &MixedModel) -> &'static str {
    let first = |doses: &[(f64, f64)]| doses.iter().map(|dose| dose.0).reduce(f64::min);
    let at_zero = model.data().subjects.iter().all(|subject| first(&subject.doses) == Some(0.0));
    if at_zero { "first dose" } else { "data" }
}

/// The table `vpc`: one row per bin with time, number of observations, per percentile the observed value and the
/// simulated range, and what the times count from. Draws at (`DrawPurpose::Probe`, 2⁴⁰ + subject, copy).
///
/// # Errors
/// When θ is no parameter of the model.
pub(super) fn predictive_check(
    model: &MixedModel,
    theta: &[f64],
    streams: &Streams,
) -> Result<FinalTable, DomainError> {
    let bins = bins(model);
    let mut simulated = vec![vec![Vec::with_capacity(COPIES); PERCENTILES.len()]; bins.len()];
    let subjects = model.data().subjects.len();
    let mut values = vec![Vec::new(); subjects];
    for copy in 0..COPIES as u64 {
        for (subject, values) in values.iter_mut().enumerate() {
            let mut stream = streams.at(DrawPurpose::Probe, FIRST_ENTITY + subject as u64, copy);
            model.simulate(theta, subject, &mut stream, values)?;
        }
        for (bin, simulated) in bins.iter().zip(&mut simulated) {
            let sorted = sorted(bin.iter().map(|&(i, j)| values[i][j]));
            for (share, simulated) in PERCENTILES.iter().zip(simulated) {
                simulated.push(quantile(&sorted, *share));
            }
        }
    }
    let mut table = FinalTable { name: "vpc".to_owned(), columns: columns(), names: 0..0, rows: Vec::new() };
    for (bin, simulated) in bins.iter().zip(simulated) {
        let at = |f: &dyn Fn(usize, usize) -> f64| sorted(bin.iter().map(|&(i, j)| f(i, j)));
        let times = at(&|i, j| model.data().subjects[i].times[j]);
        let observed = at(&|i, j| model.data().subjects[i].values[j]);
        let mut row = vec![quantile(&times, 0.5), bin.len() as f64];
        for (share, simulated) in PERCENTILES.iter().zip(simulated) {
            let simulated = sorted(simulated);
            row.push(quantile(&observed, *share));
            row.extend(BAND.iter().map(|share| quantile(&simulated, *share)));
        }
        let numbers = row.into_iter().map(|value| format!("{value:?}"));
        table.rows.push(numbers.chain([origin(model).to_owned()]).collect());
    }
    Ok(table)
}

fn columns() -> Vec<String> {
    let mut columns = vec!["time".to_owned(), "observations".to_owned()];
    for percentile in ["p10", "p50", "p90"] {
        let names = ["observed", "low", "middle", "high"];
        columns.extend(names.iter().map(|name| format!("{percentile}_{name}")));
    }
    columns.push("origin".to_owned());
    columns
}

#[cfg(test)]
mod tests {
    use super::merged;

    /// Bins of these sizes.
    fn sizes(of: &[usize], least: usize) -> Vec<usize> {
        let mut next = 0;
        let mut bin = |&size: &usize| {
            next += size;
            (next - size..next).map(|place| (place, 0)).collect()
        };
        let merged = merged(of.iter().map(&mut bin).collect(), least);
        let all: Vec<usize> = merged.concat().into_iter().map(|(place, _)| place).collect();
        assert!(all.iter().copied().eq(0..next), "every observation once, in order of time");
        merged.iter().map(Vec::len).collect()
    }

    /// A small last bin, first bin, and one between, by hand: each joins the smaller neighbour.
    #[test]
    fn small_bins_join() {
        assert_eq!(sizes(&[14, 14, 3], 10), [14, 17]);
        assert_eq!(sizes(&[3, 14, 14], 10), [17, 14]);
        assert_eq!(sizes(&[20, 3, 14], 10), [20, 17]);
        assert_eq!(sizes(&[12, 3, 14], 10), [15, 14]);
        assert_eq!(sizes(&[2, 3, 4], 10), [9]);
        assert_eq!(sizes(&[12, 12], 10), [12, 12]);
    }
}
