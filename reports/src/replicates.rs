//! Medians over the replicates of an arm, round by round. A replicate that has ended stays at its end: its last value,
//! and what it had cost by then. Without that a median would stop where the first replicate stops, and those that take
//! longest would not count.
//!
//! So the curve of an arm ends at the medians of its replicates' ends, on every axis. Where all of them stop at a
//! target, that is the Kaplan–Meier median of what it takes to reach the target.

use crate::axes::range;
use crate::compare::{CostEnd, Observation, kaplan_meier_quantile};
use crate::data::Run;
use fedbits_figures::{AXES, Band, XAxis};
use fedbits_numerics::{quantile, sorted, standard_error, t_quantile};
use fedbits_record::RoundRow;
use fedbits_record::results::Bound;
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
    let around = around(band, tracks.len());
    rounds.into_iter().filter_map(|round| point(&tracks, round, &around)).collect()
}

fn point(tracks: &[&Track<'_>], round: u64, around: impl Fn(&[f64]) -> [f64; 3]) -> Option<CurvePoint> {
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
    let [low, median, high] = around(&values);
    Some(CurvePoint { x, median, low, high, running })
}

/// Of values of so many replicates in order the lower end of the band, the middle and the upper end.
fn around(band: Band, replicates: usize) -> impl Fn(&[f64]) -> [f64; 3] {
    let freedom = replicates.saturating_sub(1) as f64;
    let is_mean = band == Band::Mean95 && freedom > 0.0;
    // Half of a 95 % interval of the mean in standard errors: Student's quantile.
    let standard_errors = if is_mean { t_quantile(1.0 - 0.95, freedom) } else { 0.0 };
    move |values| {
        let at = |q| quantile(values, q);
        match band {
            Band::Quartiles => [at(0.25), at(0.5), at(0.75)],
            Band::Range => [at(0.0), at(0.5), at(1.0)],
            Band::Nothing => [at(0.5); 3],
            Band::Mean95 => {
                let mean = values.iter().sum::<f64>() / values.len() as f64;
                let half = standard_errors * standard_error(values, mean);
                [mean - half, mean, mean + half]
            }
        }
    }
}

/// Levels between the start and the best value: a frame has as many lines of print.
const LEVELS: u32 = 240;

/// What it cost the replicates to get to each of some levels: Kaplan–Meier quantiles of the cost at which a run is
/// there first, by the rules of [`crate::compare`]. A curve of medians of values at the same round would be of other
/// runs at its end than at its start: those that are quick stop, and the others go on.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Progress {
    /// From the start to the best.
    levels: Vec<f64>,
    /// By axis the costs of the levels that have a median, from the last one that cost nothing.
    costs: Vec<Vec<LevelCost>>,
    /// How many replicates get to the strictest target, which is one of the levels.
    pub reached: usize,
    /// How many replicates there should be, at least those that are there.
    pub planned: usize,
}

/// One replicate.
#[derive(Debug, Clone, PartialEq)]
struct RunProgress {
    /// By level the costs of the first round that is there, on every axis.
    first: Vec<Option<[f64; AXES]>>,
    /// The costs of its last round, and how it ended; none: it failed or its fit is degenerate, and never gets farther.
    end: Option<([f64; AXES], CostEnd)>,
}

/// Costs of a level on an axis.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct LevelCost {
    pub level: f64,
    /// The Kaplan–Meier median of the cost.
    pub median: f64,
    /// The ends of the band; none above where too few runs are there.
    pub low: Option<f64>,
    pub high: Option<f64>,
    /// Runs that are there.
    pub reached: usize,
}

impl Progress {
    /// Of the runs with their measured rounds, toward these bounds of one direction, with the ends of a band; none
    /// where nothing gets better.
    pub(crate) fn of(runs: &[(&Run, &Track<'_>)], bounds: &[Bound], band: Band) -> Option<Self> {
        let grows = matches!(bounds.first()?, Bound::AtLeast(_));
        let best = |track: &Track<'_>| {
            let (low, high) = range(track.iter().map(|(_, value)| *value));
            if grows { high } else { low }
        };
        let tracks = || runs.iter().map(|(_, track)| *track).filter(|track| !track.is_empty());
        let starts = range(tracks().map(|track| track[0].1));
        let ends = range(tracks().map(best));
        let (start, end) = if grows { (starts.0, ends.1) } else { (starts.1, ends.0) };
        if !(start.is_finite() && end.is_finite()) || start == end {
            return None;
        }
        let mut levels = between(start, end, tracks().flatten().map(|(_, value)| *value).filter(|value| *value > 0.0));
        levels.extend(bounds.iter().map(|bound| bound.value()));
        levels.sort_by(|one, two| if grows { one.total_cmp(two) } else { two.total_cmp(one) });
        levels.dedup();
        // Runs that stop at a target say nothing of what lies beyond it.
        let last = bounds.iter().map(|bound| bound.value()).reduce(if grows { f64::max } else { f64::min })?;
        let is_there = |value: f64| if grows { value >= last } else { value <= last };
        let there: Vec<&Track<'_>> = tracks().filter(|track| track.iter().any(|(_, value)| is_there(*value))).collect();
        let stops = |track: &&&Track<'_>| track.iter().position(|(_, value)| is_there(*value)) == Some(track.len() - 1);
        if 2 * there.iter().filter(stops).count() > there.len() {
            levels.retain(|level| !is_there(*level) || *level == last);
        }
        let of_run = |(run, track): &(&Run, &Track<'_>)| run_progress(run, track, &levels, grows);
        let runs: Vec<RunProgress> = runs.iter().map(of_run).collect();
        let costs = XAxis::ALL.into_iter().map(|axis| costs(&levels, &runs, axis, band)).collect();
        let target = levels.iter().position(|level| *level == last);
        let reached = runs.iter().filter(|run| target.is_some_and(|target| run.first[target].is_some())).count();
        Some(Self { levels, costs, reached, planned: runs.len() })
    }

    /// The costs on an axis of the levels that have a median, from the last one that cost nothing.
    pub(crate) fn costs(&self, axis: XAxis) -> &[LevelCost] {
        &self.costs[axis as usize]
    }

    /// By level its costs on each of these axes: the levels that have a median on all of them.
    pub(crate) fn rows(&self, axes: &[XAxis]) -> Vec<Vec<LevelCost>> {
        let row = |level: f64| {
            axes.iter().map(|&axis| self.costs(axis).iter().find(|cost| cost.level == level).copied()).collect()
        };
        self.levels.iter().filter_map(|&level| row(level)).collect()
    }
}

fn observation(run: &RunProgress, level: usize, axis: XAxis) -> Observation {
    match (run.first[level], run.end) {
        (Some(cost), _) => Observation::reached(cost[axis as usize]),
        (None, Some((cost, end))) => Observation { value: cost[axis as usize], end },
        (None, None) => Observation::NEVER,
    }
}

/// The costs of the levels on an axis, as [`Progress::costs`] has them.
fn costs(levels: &[f64], runs: &[RunProgress], axis: XAxis, band: Band) -> Vec<LevelCost> {
    let ends = match band {
        Band::Range => [0.0, 1.0],
        _ => [0.25, 0.75],
    };
    let of_level = |(number, &level): (usize, &f64)| {
        let all: Vec<Observation> = runs.iter().map(|run| observation(run, number, axis)).collect();
        let [low, high] = ends.map(|share| match share {
            0.0 => all.iter().filter(|run| run.is_reached()).map(|run| run.value).reduce(f64::min),
            1.0 if all.iter().all(Observation::is_reached) => all.iter().map(|run| run.value).reduce(f64::max),
            1.0 => None,
            share => kaplan_meier_quantile(&all, share),
        });
        let reached = all.iter().filter(|run| run.is_reached()).count();
        Some(LevelCost { level, median: kaplan_meier_quantile(&all, 0.5)?, low, high, reached })
    };
    let costs: Vec<LevelCost> = levels.iter().enumerate().map_while(of_level).collect();
    let least = costs.first().map_or(0.0, |first| first.median);
    let first = costs.iter().rposition(|cost| cost.median <= least).unwrap_or(0);
    // Where nothing is ever spent, all levels cost nothing.
    let first = if first + 1 == costs.len() { 0 } else { first };
    costs[first..].to_vec()
}

/// Levels from the start to the end: at even distances in logarithms where all values are above zero.
fn between(start: f64, end: f64, positive: impl Iterator<Item = f64>) -> Vec<f64> {
    let is_log = start > 0.0 && end >= 0.0;
    let share = |step: u32| f64::from(step) / f64::from(LEVELS);
    if !is_log {
        return (0..=LEVELS).map(|step| start + share(step) * (end - start)).collect();
    }
    let (low, high) = range(positive);
    let last = if end > 0.0 { end } else { low.min(high) };
    let level = |step: u32| match step {
        0 => start,
        LEVELS => last,
        step => start * libm::pow(last / start, share(step)),
    };
    (0..=LEVELS).map(level).collect()
}

fn run_progress(run: &Run, track: &Track<'_>, levels: &[f64], grows: bool) -> RunProgress {
    let manifest = &run.record.manifest;
    let costs = |row| XAxis::ALL.map(|axis| spent(axis, row));
    let is_there = |value: f64, level: f64| if grows { value >= level } else { value <= level };
    let mut first = Vec::with_capacity(levels.len());
    let mut rows = track.iter().peekable();
    for &level in levels {
        while rows.next_if(|(_, value)| !is_there(*value, level)).is_some() {}
        first.push(rows.peek().map(|(row, _)| costs(row)).filter(|_| !manifest.is_degenerate()));
    }
    let is_lost = manifest.is_degenerate() || manifest.failure().is_some();
    let how = if manifest.cut.is_some() { CostEnd::Cut } else { CostEnd::Missed };
    let last = run.record.rounds.last().map(|row| (costs(row), how));
    RunProgress { first, end: last.filter(|_| !is_lost) }
}

#[cfg(test)]
mod tests {
    use super::{Progress, Track, around, points};
    use crate::compare::{Observation, kaplan_meier_median};
    use crate::data::Run;
    use fedbits_figures::{Band, XAxis};
    use fedbits_record::results::{Bound, PlanTarget, reach};
    use fedbits_record::{Columns, Manifest, Recorder, RoundRow, RunRecord};
    use proptest::prelude::*;
    use std::path::PathBuf;

    /// Of 1, 2, 3 the mean is 2 and its standard error 1/√3; t₀.₉₇₅ with 2 degrees of freedom is 4.302653 (tables).
    #[test]
    fn bands() {
        let values = [1.0, 2.0, 3.0];
        let [low, mean, high] = around(Band::Mean95, 3)(&values);
        let half = 4.302_653 / 3.0_f64.sqrt();
        assert!((low - (2.0 - half)).abs() < 1e-6 && mean == 2.0 && (high - (2.0 + half)).abs() < 1e-6);
        assert_eq!(around(Band::Range, 3)(&values), [1.0, 2.0, 3.0]);
        assert_eq!(around(Band::Quartiles, 3)(&values), [1.5, 2.0, 2.5]);
        assert_eq!(around(Band::Mean95, 1)(&[5.0]), [5.0; 3]);
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

    fn record(values: &[f64]) -> RunRecord {
        let mut recorder = Recorder::memory(Columns::default());
        for (round, &value) in (0_u64..).zip(values) {
            let row = RoundRow { round, bits_up: 7 * round, mean_field_sq: Some(value), ..RoundRow::default() };
            recorder.round(&row).unwrap();
        }
        recorder.finish(Manifest::default(), &[], &[]).unwrap().unwrap()
    }

    proptest! {
        /// At every target the cost is the median of what `reach` tells of the runs, and the line ends where there is
        /// none; levels fall and costs rise.
        #[test]
        fn costs_are_those_of_compare(
            values in prop::collection::vec(prop::collection::vec(1e-9f64..1.0, 1..30), 1..9), target in 1e-9f64..1.0,
        ) {
            let runs: Vec<Run> = values
                .iter()
                .map(|values| Run { directory: PathBuf::new(), record: record(values).into() })
                .collect();
            let track = |run: &'_ Run| -> Vec<(RoundRow, f64)> {
                run.record.rounds.iter().map(|row| (row.clone(), row.mean_field_sq.unwrap())).collect()
            };
            let rows: Vec<Vec<(RoundRow, f64)>> = runs.iter().map(track).collect();
            let tracks: Vec<Track<'_>> =
                rows.iter().map(|rows| rows.iter().map(|(row, value)| (row, *value)).collect()).collect();
            let pairs: Vec<(&Run, &Track<'_>)> = runs.iter().zip(&tracks).collect();
            let Some(progress) = Progress::of(&pairs, &[Bound::AtMost(target)], Band::Quartiles) else { return Ok(()) };
            let goal = PlanTarget::at_most("mean_field_sq", target);
            let observed = runs.iter().map(|run| match reach(&run.record, &goal).unwrap() {
                cost if cost.reached => Observation::reached(cost.bits_up as f64),
                _ => Observation::NEVER,
            });
            let expected = kaplan_meier_median(&observed.collect::<Vec<_>>());
            let costs = progress.costs(XAxis::BitsUp);
            let drawn = costs.iter().find(|cost| cost.level == target).map(|cost| cost.median);
            // What costs nothing is before the line.
            prop_assert_eq!(drawn.or(expected.filter(|cost| *cost == 0.0)), expected);
            prop_assert!(costs.windows(2).all(|two| two[0].level > two[1].level && two[0].median <= two[1].median));
        }
    }
}
