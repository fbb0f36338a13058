//! From the rows of an arm's runs to one curve: median and quartiles over replicates.

use crate::axes::range;
use crate::data::{Arm, Run};
use crate::replicates::{self, CurvePoint, LevelCost, Progress, Track, spent};
use fedbits_figures::{AXES, Band, XAxis};
use fedbits_numerics::{quantile, running_medians, sorted};
use fedbits_record::results::Bound;
use fedbits_record::{RoundRow, RunRecord};
use std::collections::BTreeSet;

/// One line of a figure: medians and quartiles over the replicates of an arm.
#[derive(Debug, Clone, PartialEq)]
pub struct Curve {
    pub(crate) label: String,
    /// The label of its arm, where it is called otherwise.
    pub(crate) arm: String,
    /// The name of its arm; empty where several are shown as one.
    pub(crate) name: String,
    /// Index of colour, dash and marker.
    pub(crate) style: usize,
    /// Replicates with a value.
    pub(crate) replicates: usize,
    pub(crate) points: Vec<CurvePoint>,
    /// Running median of the points' medians; empty when the points themselves are drawn as the line.
    pub(crate) trend: Vec<f64>,
    /// What each accuracy cost, of several replicates with a target; then the line is of these costs.
    pub(crate) progress: Option<Progress>,
    /// The replicates one by one, where they are few: costs and values.
    pub(crate) runs: Vec<Vec<([f64; AXES], f64)>>,
    /// What its band shows.
    pub(crate) band: Band,
    /// Of the line of a slope beside that of an arm: which of the arm's slopes it is.
    pub(crate) slope: Option<Slope>,
    /// Where several quantities share a panel, the number of this one's dashes and its name.
    pub(crate) quantity: Option<(usize, String)>,
}

/// A slope of an arm.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Slope {
    /// Among the arm's slopes: of its dashes.
    pub number: usize,
    /// What stands behind the name of the arm's line.
    pub words: String,
}

/// Lines with more points than this get a trend where they are noise from round to round.
const DENSE: usize = 150;
/// Points in a window of the trend: one of so many of the line.
const WINDOWS: usize = 30;
/// Independent values turn at two of three points (Bienaymé 1874), a walk of independent steps at every second; an
/// autocorrelation of a half is between them.
const NOISY: f64 = 0.58;

/// Up to so many replicates are drawn one by one instead of their quartiles, …
const FEW: usize = 5;
/// … with at most about so many points each.
const MOST_THIN: usize = 500;

/// A plateau begins where a line is above it by this share of its decades.
const NEAR: f64 = 0.02;

/// Lines with at most so many points have a marker at each.
const SPARSE: usize = 12;

impl Curve {
    /// A line without a trend, of the one quantity of its panel.
    pub(crate) fn new(label: String, style: usize, replicates: usize, points: Vec<CurvePoint>) -> Self {
        let (arm, name, band) = (label.clone(), String::new(), Band::Quartiles);
        let (trend, progress, runs) = (Vec::new(), None, Vec::new());
        Self { label, arm, name, style, replicates, points, trend, progress, runs, band, slope: None, quantity: None }
    }

    /// The line as it is drawn over an axis: costs and values.
    pub(crate) fn drawn(&self, axis: XAxis) -> Vec<(f64, f64)> {
        if let Some(progress) = &self.progress {
            return progress.costs(axis).iter().map(|cost| (cost.median, cost.level)).collect();
        }
        let value = |(index, point): (usize, &CurvePoint)| self.trend.get(index).copied().unwrap_or(point.median);
        self.points.iter().enumerate().map(|entry| (entry.1.at(axis), value(entry))).collect()
    }

    /// The line as a list of points over all axes: of costs of accuracies it has no band.
    pub(crate) fn with_points(mut self) -> Self {
        if let Some(progress) = self.progress.take() {
            let point = |row: Vec<LevelCost>| {
                let (level, running) = (row[0].level, row[0].reached);
                let mut x = [0.0; AXES];
                x.iter_mut().zip(&row).for_each(|(x, cost)| *x = cost.median);
                CurvePoint { x, median: level, low: level, high: level, running }
            };
            self.points = progress.rows(&XAxis::ALL).into_iter().map(point).collect();
            (self.replicates, self.trend) = (1, Vec::new());
        }
        self
    }

    /// Is it noise from round to round, and too many points to be distinguished?
    pub(crate) fn is_noise(&self) -> bool {
        self.progress.is_none() && self.points.len() > DENSE && self.turns() > NOISY
    }

    /// Are there rounds enough for a running median?
    pub(crate) fn has_trend(&self) -> bool {
        self.progress.is_none() && self.half_window() > 0
    }

    /// With the running median over a thirtieth of the points. At the ends the window stays as wide, and stays where it
    /// is, so that the line does not end on a single value.
    pub(crate) fn with_trend(mut self) -> Self {
        let half = self.half_window();
        if self.has_trend() {
            let medians: Vec<f64> = self.points.iter().map(|point| point.median).collect();
            self.trend = running_medians(&medians, half);
            let (first, last) = (half, self.trend.len() - 1 - half);
            let [start, end] = [self.trend[first], self.trend[last]];
            self.trend[..first].fill(start);
            self.trend[last..].fill(end);
        }
        self
    }

    /// The share of points at which the line turns from rising to falling or back; where it stays it does neither.
    fn turns(&self) -> f64 {
        let steps = self.points.windows(2).map(|pair| pair[1].median - pair[0].median).filter(|step| *step != 0.0);
        let rises: Vec<bool> = steps.map(|step| step > 0.0).collect();
        let turns = rises.windows(2).filter(|pair| pair[0] != pair[1]).count();
        turns as f64 / rises.len().saturating_sub(1).max(1) as f64
    }

    /// The straight line that is fitted to the line's second half; or of a contraction by `given` decades per round,
    /// through the point at a fifth of the line: before it the slowest direction is not alone yet. A given slope is
    /// that of the descent, behind which a line can stay for long: there it is the point at a fifth of the way to the
    /// plateau. It stands where the measured values are. It is the arm's slope of that number; none where fewer than
    /// two points are left.
    pub(crate) fn sloping(&self, given: Option<f64>, number: usize) -> Option<Self> {
        let (slope, through, words) = match given {
            Some(slope) => (slope, self.anchor()?, format!("predicted slope {slope}").replace('-', "\u{2212}")),
            None => {
                let (slope, through) = self.fitted()?;
                (slope, through, "fitted slope".to_owned())
            }
        };
        let (lowest, highest) = range(self.points.iter().map(|point| point.median));
        // The line through the highest or the lowest point itself may lie beyond it by rounding.
        let (lowest, highest) = (lowest * (1.0 - 1e-9), highest * (1.0 + 1e-9));
        let at = |point: &CurvePoint| {
            let rounds = point.at(XAxis::Rounds) - through.0;
            let value = through.1 * libm::pow(10.0, slope * rounds);
            CurvePoint { x: point.x, median: value, low: value, high: value, running: 1 }
        };
        let points = self.points.iter().map(at).filter(|point| (lowest..=highest).contains(&point.median));
        let points = Some(points.collect::<Vec<_>>()).filter(|points| points.len() > 1)?;
        let line =
            Self { arm: self.arm.clone(), quantity: self.quantity.clone(), ..Self::new(String::new(), 0, 1, points) };
        Some(Self { slope: Some(Slope { number, words }), ..line }.named(&self.label, self.style))
    }

    /// The same in the look and under the name of its arm's line.
    pub(crate) fn named(self, label: &str, style: usize) -> Self {
        let words = self.slope.iter().map(|slope| format!(", {}", slope.words)).collect::<String>();
        Self { label: format!("{label}{words}"), style, ..self }
    }

    /// The rounds and the value through which a given slope goes.
    fn anchor(&self) -> Option<(f64, f64)> {
        let fifth = self.points.len() / 5;
        let plateau = self.plateau().filter(|plateau| *plateau <= fifth);
        let anchor = self.points.get(plateau.map_or(fifth, |plateau| plateau / 5))?;
        (anchor.median > 0.0).then_some((anchor.at(XAxis::Rounds), anchor.median))
    }

    /// The number of the point from which on it is where its second half is in the median. Of a line that falls to its
    /// end that is behind the middle, however much of its decades it falls by in the first rounds.
    fn plateau(&self) -> Option<usize> {
        let positive = self.points.iter().enumerate().filter(|(_, point)| point.median > 0.0);
        let all: Vec<(usize, f64)> = positive.map(|(at, point)| (at, libm::log10(point.median))).collect();
        let highest = all.iter().enumerate().max_by(|a, b| a.1.1.total_cmp(&b.1.1))?.0;
        let level = quantile(&sorted(all[all.len() / 2..].iter().map(|point| point.1)), 0.5);
        let near = level + NEAR * (all[highest].1 - level);
        all[highest..].iter().find(|point| point.1 <= near).map(|point| point.0)
    }

    /// How many decades the line moves per round, by least squares over its second half, and the middle of that. Where
    /// most replicates have ended the line stays at one round, and has no slope.
    fn fitted(&self) -> Option<(f64, (f64, f64))> {
        let mut moving: Vec<&CurvePoint> = self.points.iter().collect();
        moving.dedup_by_key(|point| point.at(XAxis::Rounds));
        let half = moving[moving.len() / 2..].iter().filter(|point| point.median > 0.0);
        let pairs: Vec<(f64, f64)> = half.map(|point| (point.at(XAxis::Rounds), libm::log10(point.median))).collect();
        let n = pairs.len() as f64;
        let (x, y) = pairs.iter().fold((0.0, 0.0), |(x, y), pair| (x + pair.0 / n, y + pair.1 / n));
        let (xx, xy) = pairs
            .iter()
            .fold((0.0, 0.0), |(xx, xy), pair| (xx + (pair.0 - x) * (pair.0 - x), xy + (pair.0 - x) * (pair.1 - y)));
        (pairs.len() > 1).then(|| (xy / xx, (x, libm::pow(10.0, y))))
    }

    /// The number of the first point before which some replicate has ended; the number of points when there is none.
    pub(crate) fn first_ended(&self) -> usize {
        self.points.iter().position(|point| point.running < self.replicates).unwrap_or(self.points.len())
    }

    /// Does a band stand behind it, unless it is smoothed?
    pub(crate) fn has_band(&self) -> bool {
        self.replicates > 1 && self.band.is_there(self.replicates)
    }

    /// Whether it has so few values that each has a marker.
    pub(crate) fn is_sparse(&self) -> bool {
        self.points.len() <= SPARSE
    }

    /// Recorded rounds in the window of the trend.
    pub(crate) fn window(&self) -> usize {
        2 * self.half_window() + 1
    }

    fn half_window(&self) -> usize {
        self.points.len() / (2 * WINDOWS)
    }
}

impl Arm {
    /// The line of a quantity that a run has after some or all of its recorded rounds: one value per row of
    /// [`RunRecord::rounds`], none where it was not measured. None when no round was measured in all replicates.
    #[must_use]
    pub fn curve(&self, values: impl Fn(&RunRecord) -> Vec<Option<f64>>) -> Option<Curve> {
        self.curve_of(&[], |run| values(&run.record))
    }

    /// The line of a measured column of `rounds.csv`, or of one that the protocol or the model adds.
    #[must_use]
    pub fn column(&self, name: &str) -> Option<Curve> {
        self.column_toward(name, &[])
    }

    /// The same toward targets: of several replicates what each accuracy cost.
    pub(crate) fn column_toward(&self, name: &str, bounds: &[Bound]) -> Option<Curve> {
        let values = |run: &Run| {
            let record = &run.record;
            record.rounds.iter().map(|row| row.value(name, &record.manifest.extra_columns)).collect()
        };
        self.curve_of(bounds, values)
    }

    /// The objective above the reference of each run; a run without one is left out.
    pub(crate) fn gap(&self, reference: impl Fn(&Run) -> Option<f64>) -> Option<Curve> {
        self.curve_of(&[], |run| {
            let reference = reference(run);
            run.record.rounds.iter().map(|row| Some(row.objective? - reference?)).collect()
        })
    }

    /// The component `name` of θ.
    pub(crate) fn component(&self, name: &str) -> Option<Curve> {
        self.curve_of(&[], |run| {
            let theta = run.record.theta.as_ref();
            let index = theta.and_then(|theta| theta.names.iter().position(|known| known == name));
            let value = |row: &RoundRow| {
                let (theta, index) = (theta?, index?);
                let row = theta.rows.binary_search_by_key(&row.round, |logged| logged.round).ok()?;
                Some(theta.rows[row].values[index])
            };
            run.record.rounds.iter().map(value).collect()
        })
    }

    fn curve_of(&self, bounds: &[Bound], values: impl Fn(&Run) -> Vec<Option<f64>>) -> Option<Curve> {
        let measured = |(row, value)| Some((row, value?));
        let tracks =
            self.runs.iter().map(|run| run.record.rounds.iter().zip(values(run)).filter_map(measured).collect());
        let tracks: Vec<Track<'_>> = tracks.collect();
        let points = replicates::points(&tracks, self.band);
        let replicates = tracks.iter().filter(|track| !track.is_empty()).count();
        let pairs: Vec<(&Run, &Track<'_>)> = self.runs.iter().zip(&tracks).collect();
        let progress = (self.runs.len() > 1 && self.band != Band::Mean95)
            .then(|| Progress::of(&pairs, bounds, self.band))
            .flatten();
        let is_few = (2..=FEW).contains(&self.runs.len()) && self.band == Band::Quartiles;
        let runs = if is_few { tracks.iter().map(thinned).collect() } else { Vec::new() };
        let name = if self.is_one() { self.name.clone() } else { String::new() };
        let band = if is_few { Band::Nothing } else { self.band };
        let curve = Curve::new(self.label.clone(), self.style, replicates, points);
        (!curve.points.is_empty() || progress.is_some()).then_some(Curve { name, progress, runs, band, ..curve })
    }
}

/// The rounds of a replicate, so many of them at even distances and the last one.
fn thinned(track: &Track<'_>) -> Vec<([f64; AXES], f64)> {
    let every = track.len().div_ceil(MOST_THIN).max(1);
    let last = track.len().saturating_sub(1);
    let is_kept = |index: &usize| index.is_multiple_of(every) || *index == last;
    let point = |index: usize| (XAxis::ALL.map(|axis| spent(axis, track[index].0)), track[index].1);
    (0..track.len()).filter(is_kept).map(point).collect()
}

/// The recorded rounds in the windows of running medians: 11, or 3 or 11; empty where no line is smoothed.
pub(crate) fn windows<'a>(curves: impl Iterator<Item = &'a Curve>) -> String {
    let windows: BTreeSet<usize> = curves.filter(|curve| !curve.trend.is_empty()).map(Curve::window).collect();
    windows.iter().map(usize::to_string).collect::<Vec<_>>().join(" or ")
}

/// Does some curve get anywhere on this axis?
pub(crate) fn moves<'a>(x: XAxis, mut curves: impl Iterator<Item = &'a Curve>) -> bool {
    curves.any(|curve| curve.points.iter().any(|point| point.at(x) > 0.0))
}

/// The axes on which some curve gets anywhere, and those on which none does: in a run without a server nothing goes up.
/// All and none of them in runs without rounds.
pub(crate) fn moved<'a>(axes: &[XAxis], curves: impl Iterator<Item = &'a Curve> + Clone) -> (Vec<XAxis>, Vec<XAxis>) {
    let still = !XAxis::ALL.into_iter().any(|axis| moves(axis, curves.clone()));
    axes.iter().partition(|axis| still || moves(**axis, curves.clone()))
}

#[cfg(test)]
mod tests {
    use super::{Curve, CurvePoint, DENSE};
    use fedbits_figures::AXES;
    use proptest::prelude::*;

    /// A curve that contracts by 10⁻² per round is its own prediction; at half that rate the line has half its decades,
    /// through the point at a fifth of the line.
    #[test]
    fn a_predicted_slope_meets_the_curve() {
        let point = |round: u32| {
            let median = libm::pow(10.0, -2.0 * f64::from(round));
            CurvePoint { x: [f64::from(round); AXES], median, low: median, high: median, running: 1 }
        };
        let points = (0..10).map(point).collect();
        let curve = Curve::new("a".to_owned(), 0, 1, points);
        let same = curve.sloping(Some(-2.0), 0).unwrap();
        assert!(same.points.iter().zip(&curve.points).all(|(a, b)| (a.median / b.median - 1.0).abs() < 1e-9));
        assert!((curve.fitted().unwrap().0 + 2.0).abs() < 1e-9);
        let half = curve.sloping(Some(-1.0), 1).unwrap();
        let decades = |k: usize| libm::log10(half.points[k].median);
        assert!((decades(2) + 4.0).abs() < 1e-9 && (decades(0) + 2.0).abs() < 1e-9 && (decades(9) + 11.0).abs() < 1e-9);
    }

    /// A line of these values, one a round.
    fn line(values: &[f64]) -> Curve {
        let point = |(round, &value): (usize, &f64)| CurvePoint {
            x: [round as f64; AXES],
            median: value,
            low: value,
            high: value,
            running: 1,
        };
        let points = values.iter().enumerate().map(point).collect();
        Curve::new("a".to_owned(), 0, 1, points)
    }

    /// From 1 down to 10⁻⁸ by `decades` a round, and there for the rest of so many rounds.
    fn falling(decades: f64, rounds: u32) -> Curve {
        let value = |round| libm::pow(10.0, (-decades * f64::from(round)).max(-8.0));
        line(&(0..rounds).map(value).collect::<Vec<_>>())
    }

    /// A given slope lies on the descent, however long the line stays behind it, and ends with the measured values at
    /// both ends: one that is steeper is no reason for an axis that goes on. One that leaves a single point is none.
    #[test]
    fn a_predicted_slope_lies_on_the_descent() {
        for rounds in [170, 400, 2_000, 20_000] {
            let curve = falling(0.05, rounds);
            let line = curve.sloping(Some(-0.05), 0).unwrap();
            assert!((160..=161).contains(&line.points.len()), "{rounds}: {}", line.points.len());
            let pairs = line.points.iter().zip(&curve.points);
            assert!(pairs.clone().all(|(drawn, measured)| (drawn.median / measured.median - 1.0).abs() < 1e-6));
            let steep = curve.sloping(Some(-0.2), 0).unwrap();
            assert!(
                steep.points.iter().all(|point| (0.999_999e-8..=1.000_001).contains(&point.median))
                    && steep.points.len() > 35
            );
            assert_eq!(curve.sloping(Some(-300.0), 0), None);
        }
    }

    /// Where most replicates have ended at round 11 the line stays there while others
    /// go on: its slope is that of its fall, however long that lasts.
    #[test]
    fn a_fitted_slope_is_that_of_the_fall() {
        for stays in [2, 7, 9, 13, 40] {
            let point = |round: u32| {
                let round = f64::from(round.min(11));
                let median = libm::pow(10.0, -0.5 * round);
                CurvePoint { x: [round; AXES], median, low: median, high: median, running: 1 }
            };
            let curve = Curve::new("a".to_owned(), 0, 7, (0..=11 + stays).map(point).collect());
            let slope = curve.fitted().unwrap().0;
            assert!((slope + 0.5).abs() < 1e-9, "{stays}: {slope}");
        }
        assert_eq!(line(&[1.0]).fitted(), None);
    }

    /// The line that is fitted lies on what it is fitted to: of a line that falls for a third of its rounds and stays
    /// there, on the plateau.
    #[test]
    fn a_fitted_slope_lies_on_the_second_half() {
        let curve = falling(0.05, 500);
        let line = curve.sloping(None, 0).unwrap();
        assert!(line.points.iter().all(|point| (point.median / 1e-8 - 1.0).abs() < 1e-6), "{:?}", line.points[0]);
        let same = falling(0.05, 150).sloping(None, 0).unwrap();
        assert!(
            same.points.iter().zip(&falling(0.05, 150).points).all(|(a, b)| (a.median / b.median - 1.0).abs() < 1e-6)
        );
    }

    /// Of a line that falls by three decades in three rounds, and from there slowly to its end, a given slope is that
    /// of the slow fall, and meets it.
    #[test]
    fn a_predicted_slope_lies_behind_a_transient() {
        let value = |round: u32| libm::pow(10.0, -f64::from(round.min(3)) - 0.002 * f64::from(round.saturating_sub(3)));
        let curve = line(&(0..=503).map(value).collect::<Vec<_>>());
        let line = curve.sloping(Some(-0.002), 0).unwrap();
        let at_500 = line.points.iter().find(|point| point.x[0] == 500.0).unwrap();
        assert!((at_500.median / curve.points[500].median - 1.0).abs() < 0.1, "{}", at_500.median);
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

        /// Independent noise on a slow decay has a trend, near the decay; a walk of independent steps and a smooth
        /// line have none, and neither have few points.
        #[test]
        fn noise_has_a_trend(noise in prop::collection::vec(-1.0f64..1.0, 600)) {
            let decay = |round: usize| 10.0 * libm::exp(-0.01 * round as f64);
            let noisy: Vec<f64> = noise.iter().enumerate().map(|(round, shift)| decay(round) + shift).collect();
            let trend = line(&noisy).with_trend().trend;
            prop_assert_eq!(trend.len(), 600);
            prop_assert!((20..580).all(|round| (trend[round] - decay(round)).abs() < 1.0));
            prop_assert!(line(&noisy).is_noise() && !line(&noisy[..DENSE]).is_noise());
            let walk = noise.iter().scan(0.0, |sum, step| { *sum += step; Some(*sum) });
            prop_assert!(!line(&walk.collect::<Vec<_>>()).is_noise());
            prop_assert!(!line(&(0..600).map(decay).collect::<Vec<_>>()).is_noise());
        }
    }
}
