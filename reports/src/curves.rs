//! From the rows of an arm's runs to one curve: median and quartiles over replicates. Knows no axis and no drawing.

use crate::data::{Arm, Run};
use crate::replicates::{self, Track};
use fedbits_numerics::quantile;
use fedbits_record::RoundRow;

/// What a figure shows upwards.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Quantity {
    MeanFieldSq,
    FieldSq,
    Objective,
}

/// What a figure shows to the right; all are cumulative.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum XAxis {
    /// Rounds.
    Rounds,
    /// Passes over all data.
    Epochs,
    /// Payload bits from clients to the server.
    BitsUp,
    /// All bits: payload up, down and between peers, and packet headers.
    BitsTotal,
    /// Simulated time.
    Time,
}

impl XAxis {
    /// All axes.
    pub const ALL: [Self; 5] = [Self::Rounds, Self::Epochs, Self::BitsUp, Self::BitsTotal, Self::Time];

    /// Its column in the figure's CSV, and the word in the figure's file name.
    #[must_use]
    pub fn column(self) -> &'static str {
        match self {
            Self::Rounds => "round",
            Self::Epochs => "epochs",
            Self::BitsUp => "bits_up",
            Self::BitsTotal => "bits_total",
            Self::Time => "time_s",
        }
    }

    fn index(self) -> usize {
        self as usize
    }

    /// The value after a round: a count, bits or seconds.
    pub(crate) fn value(self, row: &RoundRow) -> f64 {
        match self {
            Self::Rounds => row.round as f64,
            Self::Epochs => row.epochs,
            Self::BitsUp => row.bits_up as f64,
            Self::BitsTotal => {
                [row.bits_up, row.bits_down, row.bits_peer, row.bits_header].map(u128::from).iter().sum::<u128>() as f64
            }
            Self::Time => row.time_ns as f64 / 1e9,
        }
    }
}

impl Quantity {
    pub(crate) const ALL: [Self; 3] = [Self::MeanFieldSq, Self::FieldSq, Self::Objective];

    fn value(self, row: &RoundRow) -> Option<f64> {
        match self {
            Self::MeanFieldSq => row.mean_field_sq,
            Self::FieldSq => row.field_sq,
            Self::Objective => row.objective,
        }
    }
}

/// One recorded round over all replicates of an arm.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Point {
    /// Median of each [`XAxis`], in its order.
    pub x: [f64; 5],
    pub median: f64,
    /// Lower and upper quartile.
    pub low: f64,
    pub high: f64,
    /// Replicates that had not ended before; the others stay at their end.
    pub running: usize,
}

impl Point {
    pub(crate) fn at(&self, axis: XAxis) -> f64 {
        self.x[axis.index()]
    }
}

/// One line of a figure.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Curve {
    pub label: String,
    /// Index of colour, dash and marker.
    pub style: usize,
    /// Replicates with a value.
    pub replicates: usize,
    pub points: Vec<Point>,
    /// Running median of the points' medians; empty when the points themselves are drawn as the line.
    pub trend: Vec<f64>,
}

/// Lines with more points than this get a trend when their quantity is noise from round to round.
const DENSE: usize = 400;

impl Curve {
    /// With the running median over about a hundredth of the points, when these are too many to be told apart.
    pub(crate) fn with_trend(mut self) -> Self {
        if self.points.len() > DENSE {
            let half = self.half_window();
            let window =
                |index: usize| &self.points[index.saturating_sub(half)..(index + half + 1).min(self.points.len())];
            let median = |points: &[Point]| {
                let mut values: Vec<f64> = points.iter().map(|point| point.median).collect();
                values.sort_by(f64::total_cmp);
                quantile(&values, 0.5)
            };
            self.trend = (0..self.points.len()).map(|index| median(window(index))).collect();
        }
        self
    }

    /// The straight line of a contraction by `slope` decades per round, through the point a fifth of the way along: before it the slowest
    /// direction is not alone yet. It ends where the measured values end.
    pub(crate) fn predicted(&self, slope: f64, style: usize) -> Option<Self> {
        let anchor = self.points.get(self.points.len() / 5).filter(|point| point.median > 0.0)?;
        let lowest = self.points.iter().map(|point| point.median).fold(f64::INFINITY, f64::min);
        let at = |point: &Point| {
            let rounds = point.at(XAxis::Rounds) - anchor.at(XAxis::Rounds);
            let value = anchor.median * libm::pow(10.0, slope * rounds);
            Point { x: point.x, median: value, low: value, high: value, running: 1 }
        };
        let points = self.points.iter().map(at).filter(|point| point.median >= lowest).collect();
        Some(Self {
            label: format!("{}, predicted slope", self.label),
            style,
            replicates: 1,
            points,
            trend: Vec::new(),
        })
    }

    /// The number of the first point before which some replicate has ended; the number of points when there is none.
    pub(crate) fn first_ended(&self) -> usize {
        self.points.iter().position(|point| point.running < self.replicates).unwrap_or(self.points.len())
    }

    /// Recorded rounds in the window of the trend.
    pub(crate) fn window(&self) -> usize {
        2 * self.half_window() + 1
    }

    fn half_window(&self) -> usize {
        self.points.len() / 200
    }
}

/// One value per recorded round of a run, `None` where it was not measured.
type Values = Vec<Option<f64>>;

/// The curve of a quantity; `None` when no round of it was measured in all replicates.
pub(crate) fn curve(arm: &Arm, quantity: Quantity) -> Option<Curve> {
    let values = |run: &Run| run.record.rounds.iter().map(|row| quantity.value(row)).collect();
    curve_of(arm, arm.label.clone(), arm.style, values)
}

/// The curve of the objective above the reference of each run; a run without one is left out.
pub(crate) fn gap_curve(arm: &Arm, reference: impl Fn(&Run) -> Option<f64>) -> Option<Curve> {
    let values = |run: &Run| {
        let reference = reference(run);
        run.record.rounds.iter().map(|row| Some(row.objective? - reference?)).collect()
    };
    curve_of(arm, arm.label.clone(), arm.style, values)
}

/// The curve of the component `name` of θ.
pub(crate) fn component_curve(arm: &Arm, style: usize, name: &str, label: String) -> Option<Curve> {
    let values = |run: &Run| {
        let rounds = &run.record.rounds;
        let Some(theta) = &run.record.theta else {
            return vec![None; rounds.len()];
        };
        let Some(index) = theta.names.iter().position(|own| own == name) else {
            return vec![None; rounds.len()];
        };
        let at = |row: &RoundRow| theta.rows.binary_search_by_key(&row.round, |own| own.round).ok();
        rounds.iter().map(|row| at(row).map(|place| theta.rows[place].values[index])).collect()
    };
    curve_of(arm, label, style, values)
}

/// The curve of a column that the protocol or the model adds to the rows.
pub(crate) fn column_curve(arm: &Arm, name: &str) -> Option<Curve> {
    let values = |run: &Run| {
        let place = run.record.manifest.extra_columns.iter().position(|own| own == name);
        run.record.rounds.iter().map(|row| row.extra[place?]).collect()
    };
    curve_of(arm, arm.label.clone(), arm.style, values)
}

fn curve_of(arm: &Arm, label: String, style: usize, values: impl Fn(&Run) -> Values) -> Option<Curve> {
    let tracks: Vec<Track<'_>> =
        arm.runs.iter().map(|run| run.record.rounds.iter().zip(values(run)).filter_map(measured).collect()).collect();
    let points = replicates::points(&tracks);
    let replicates = tracks.iter().filter(|track| !track.is_empty()).count();
    (!points.is_empty()).then_some(Curve { label, style, replicates, points, trend: Vec::new() })
}

fn measured((row, value): (&RoundRow, Option<f64>)) -> Option<(&RoundRow, f64)> {
    Some((row, value?))
}

#[cfg(test)]
mod tests {
    use super::{Curve, Point};

    /// A curve that contracts by 10⁻² per round is its own prediction; at half that rate the line has half its decades, through the
    /// point a fifth of the way along.
    #[test]
    fn a_predicted_slope_meets_the_curve() {
        let point = |round: u32| {
            let median = libm::pow(10.0, -2.0 * f64::from(round));
            Point { x: [f64::from(round); 5], median, low: median, high: median, running: 1 }
        };
        let points = (0..10).map(point).collect();
        let curve = Curve { label: "a".to_owned(), style: 0, replicates: 1, points, trend: Vec::new() };
        let same = curve.predicted(-2.0, 1).unwrap();
        assert!(same.points.iter().zip(&curve.points).all(|(a, b)| (a.median / b.median - 1.0).abs() < 1e-9));
        let half = curve.predicted(-1.0, 1).unwrap();
        let decades = |k: usize| libm::log10(half.points[k].median);
        assert!((decades(2) + 4.0).abs() < 1e-9 && (decades(0) + 2.0).abs() < 1e-9 && (decades(9) + 11.0).abs() < 1e-9);
    }
}
