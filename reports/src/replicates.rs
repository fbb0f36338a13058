//! Medians over the replicates of an arm, round by round. A replicate that has ended stays at its end: its last value,
//! and what it had cost by then. Without that a median would stop where the first replicate stops, and those that take
//! longest would not count.
//!
//! So the curve of an arm ends at the medians of its replicates' ends, on every axis. Where all of them stop at a
//! target, that is the Kaplan–Meier median of what it takes to reach the target.

use fedbits_figures::{AXES, Band, XAxis};
use fedbits_numerics::{quantile, sorted, standard_error, t_quantile};
use fedbits_record::RoundRow;
use std::collections::BTreeSet;

/// One recorded round over all replicates of an arm.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct CurvePoint {
    /// Median of each [`XAxis`], in its order.
    pub(crate) x: [f64; AXES],
    /// The median of the replicates; with [`Band::Mean95`] their mean.
    pub(crate) median: f64,
    /// Where the band begins and ends; with [`Band::Quartiles`] the quartiles.
    pub(crate) low: f64,
    /// Where it ends.
    pub(crate) high: f64,
    /// Replicates that had not ended before; the others stay at their end.
    pub(crate) running: usize,
}

impl CurvePoint {
    /// The coordinate on an axis.
    pub(crate) fn at(&self, axis: XAxis) -> f64 {
        self.x[axis as usize]
    }
}

/// The coordinate of a round on a horizontal axis: a count, bits, seconds, joules or ε; 0 where the run has none.
pub(crate) fn spent(axis: XAxis, row: &RoundRow) -> f64 {
    match axis {
        XAxis::Rounds => row.round as f64,
        XAxis::Epochs => row.epochs,
        XAxis::BitsUp => row.bits_up as f64,
        XAxis::BitsTotal => row.bits_total() as f64,
        XAxis::Time => row.time_ns as f64 / 1e9,
        XAxis::Energy => row.costs.energy_j.unwrap_or(0.0),
        XAxis::Epsilon => row.costs.epsilon.unwrap_or(0.0),
    }
}

/// The rounds of one replicate in which a quantity was measured, in order, with its values.
pub(crate) type Track<'a> = Vec<(&'a RoundRow, f64)>;

/// A point per round in which every replicate that has not ended was measured; tracks without a value are left out.
pub(crate) fn points(tracks: &[Track<'_>], band: Band) -> Vec<CurvePoint> {
    let tracks: Vec<&Track<'_>> = tracks.iter().filter(|track| !track.is_empty()).collect();
    let rounds: BTreeSet<u64> = tracks.iter().flat_map(|track| track.iter().map(|(row, _)| row.round)).collect();
    let around = Around::new(band, tracks.len());
    rounds.into_iter().filter_map(|round| point(&tracks, round, &around)).collect()
}

fn point(tracks: &[&Track<'_>], round: u64, around: &Around) -> Option<CurvePoint> {
    let mut running = 0;
    let mut found = Vec::with_capacity(tracks.len());
    for track in tracks {
        let last = track.last()?;
        running += usize::from(last.0.round >= round);
        let index = track.binary_search_by_key(&round, |(row, _)| row.round);
        found.push(if last.0.round < round { last } else { &track[index.ok()?] });
    }
    let x = XAxis::ALL.map(|axis| quantile(&sorted(found.iter().map(|(row, _)| spent(axis, row))), 0.5));
    let values = sorted(found.iter().map(|(_, value)| *value));
    let [low, median, high] = around.of(&values);
    Some(CurvePoint { x, median, low, high, running })
}

/// What a point shows of its replicates.
struct Around {
    band: Band,
    /// Half of a 95 % interval of the mean in standard errors: Student's quantile.
    standard_errors: f64,
}

impl Around {
    fn new(band: Band, replicates: usize) -> Self {
        let freedom = replicates.saturating_sub(1) as f64;
        let known = band == Band::Mean95 && freedom > 0.0;
        Self { band, standard_errors: if known { t_quantile(1.0 - 0.95, freedom) } else { 0.0 } }
    }

    /// Lower end of the band, middle and upper end, of values in order.
    fn of(&self, values: &[f64]) -> [f64; 3] {
        let at = |q| quantile(values, q);
        match self.band {
            Band::Quartiles => [at(0.25), at(0.5), at(0.75)],
            Band::Range => [at(0.0), at(0.5), at(1.0)],
            Band::Nothing => [at(0.5); 3],
            Band::Mean95 => {
                let mean = values.iter().sum::<f64>() / values.len() as f64;
                let half = self.standard_errors * standard_error(values, mean);
                [mean - half, mean, mean + half]
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Around, Track, points};
    use fedbits_figures::{Band, XAxis};
    use fedbits_record::RoundRow;

    /// Of 1, 2, 3 the mean is 2 and its standard error 1/√3; t₀.₉₇₅ with 2 degrees of freedom is 4.302653 (tables).
    #[test]
    fn bands() {
        let values = [1.0, 2.0, 3.0];
        let [low, mean, high] = Around::new(Band::Mean95, 3).of(&values);
        let half = 4.302_653 / 3.0_f64.sqrt();
        assert!((low - (2.0 - half)).abs() < 1e-6 && mean == 2.0 && (high - (2.0 + half)).abs() < 1e-6);
        assert_eq!(Around::new(Band::Range, 3).of(&values), [1.0, 2.0, 3.0]);
        assert_eq!(Around::new(Band::Quartiles, 3).of(&values), [1.5, 2.0, 2.5]);
        assert_eq!(Around::new(Band::Mean95, 1).of(&[5.0]), [5.0; 3]);
    }

    /// A round that a replicate has not measured, though it goes on, has no median; a replicate without any value
    /// counts nowhere.
    #[test]
    fn rounds_that_were_not_measured_by_all_have_no_point() {
        let row = |round| RoundRow { round, ..RoundRow::default() };
        let runs: [Vec<(RoundRow, f64)>; 3] =
            [vec![(row(0), 4.0), (row(5), 3.0), (row(10), 2.0)], vec![(row(0), 4.0), (row(10), 1.0)], Vec::new()];
        let tracks = runs.each_ref().map(|run| run.iter().map(|(row, value)| (row, *value)).collect::<Track<'_>>());
        let rounds: Vec<f64> = points(&tracks, Band::Quartiles).iter().map(|point| point.at(XAxis::Rounds)).collect();
        assert_eq!(rounds, [0.0, 10.0]);
    }
}
