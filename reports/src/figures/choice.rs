//! What runs that declare no figure show: how their race went, what a target costs, or curves; and what a figure of
//! curves shows where its declaration leaves it to the results: the quantity, the horizontal axis and its end.

use super::cost::ArmCosts;
use super::heat;
use crate::axes::{WIDE, range};
use crate::curves::{Curve, moves};
use crate::looks::{all, varied};
use crate::quantity::{GAP, PARAMETER, Quantity};
use crate::report::Report;
use crate::text::each_once;
use fedbits_figures::{CostFigure, Curves, Figure, FigureKind, Heat, RaceFigure, XAxis};
use fedbits_record::results::Bound;

/// What arms are compared by, and other axes for runs that spend nothing of it; in the order in which they are taken
/// where arms differ on none. Rounds and epochs are not the same in all arms, and no costs.
const ORDER: [&[XAxis]; 2] = [&[XAxis::BitsTotal, XAxis::Time], &[XAxis::Epochs, XAxis::Rounds]];
/// Ends that differ by less than this factor are the same.
const SAME: f64 = 1.05;
/// An axis ends where the last arm gets to the target, if another arm goes on this many times as far.
const FARTHER: f64 = 1.5;

/// Of more arms on two axes a map says more than a row for each.
const MOST_ROWS: usize = 12;

/// The figure of runs whose scenario declares none: how the race went; where arms are to get to a target what that
/// costs, of many arms on two axes as a map; else curves of what the results choose. None where nothing was measured.
pub(crate) fn figure(report: &Report<'_>) -> Option<Figure> {
    let search = report.collected.planned.as_ref().and_then(|planned| planned.plan.search.as_ref());
    match search {
        Some(_) => Some(Figure::new("race", FigureKind::Race(RaceFigure::default()))),
        None => of_target(report).or_else(|| curves(report)),
    }
}

/// What a target costs, where there is one that some of several arms reach.
fn of_target(report: &Report<'_>) -> Option<Figure> {
    let samples = report.samples();
    let has_target = !samples.targets.is_empty() || samples.tolerance.is_some();
    let arms = report.arms().len();
    if arms < 2 || !has_target || !matches!(ArmCosts::of(report, &CostFigure::default()), Ok(Some(_))) {
        return None;
    }
    let axes = report.collected.planned.as_ref().map_or(0, |planned| varied(&all(&planned.plan)).len());
    let has_map = axes == 2 && heat::maps(report, &Heat::default()).is_ok_and(|maps| !maps.is_empty());
    Some(match arms > MOST_ROWS && has_map {
        true => Figure::new("heat", FigureKind::Heat(Heat::default())),
        false => Figure::new("cost", FigureKind::Cost(CostFigure::default())),
    })
}

fn curves(report: &Report<'_>) -> Option<Figure> {
    let quantity = quantity(report)?;
    let file = Quantity::ALL.into_iter().find(|(known, _)| known.0 == quantity).map(|(_, file)| file.to_owned());
    Some(Figure::new(&file.unwrap_or(quantity), FigureKind::Curves(Curves::default())))
}

/// The quantities that a declaration names: parameters with a `*` are all that begin so.
pub(crate) fn expanded(report: &Report<'_>, named: &[String]) -> Vec<String> {
    let of = |name: &String| match name.strip_prefix(PARAMETER).and_then(|parameter| parameter.strip_suffix('*')) {
        None => vec![name.clone()],
        Some(start) => {
            let records = report.arms().iter().flat_map(|arm| arm.records());
            let names = records.filter_map(|record| record.theta.as_ref()).flat_map(|theta| &theta.names);
            names.filter(|name| name.starts_with(start)).map(|name| format!("{PARAMETER}{name}")).collect()
        }
    };
    each_once(named.iter().flat_map(of))
}

/// What the last target or the stop rules ask for, if it was measured; else how far the arms are from the optimum,
/// and what else there is.
pub(crate) fn quantity(report: &Report<'_>) -> Option<String> {
    let target = report.collected.targets.last().map(|target| target.column.as_str());
    let stops =
        report.arms().iter().flat_map(|arm| arm.records()).any(|run| run.manifest.stop_rules.mean_field_sq.is_some());
    let gap = (report.arms().len() > 1).then_some(GAP);
    let known = target.into_iter().chain(stops.then_some("mean_field_sq")).chain(gap);
    let known = known.chain(Quantity::ALL.into_iter().map(|(quantity, _)| quantity.0));
    let columns = report.arms().iter().flat_map(|arm| arm.records()).flat_map(|run| &run.manifest.extra_columns);
    let mut names = known.chain(columns.map(String::as_str));
    names.find(|name| is_drawn(report, Quantity(name))).map(str::to_owned)
}

/// Whether a figure of the quantity has a line with a length; one of a logarithmic axis with a value above zero.
fn is_drawn(report: &Report<'_>, quantity: Quantity<'_>) -> bool {
    let log = quantity.vertical().scale == crate::axes::Scale::Log;
    let mut curves = report.arms().iter().filter_map(|arm| report.curve(arm, quantity));
    let has_value =
        |curve: Curve| curve.points.len() > 1 && curve.points.iter().any(|point| !log || point.median > 0.0);
    curves.any(has_value)
}

/// The cost in which the arms' ends differ most: of those that get to the target, if several do.
pub(crate) fn x_axis(curves: &[Curve], bound: Option<Bound>) -> XAxis {
    let moved = ORDER.map(|axes| axes.iter().copied().filter(|&x| moves(x, curves.iter())).collect::<Vec<_>>());
    let moved = moved.into_iter().find(|axes| !axes.is_empty()).unwrap_or_default();
    let there: Vec<&Curve> =
        curves.iter().filter(|curve| bound.is_some_and(|bound| reach(curve, XAxis::Rounds, bound).is_some())).collect();
    let compared = if there.len() > 1 { there } else { curves.iter().collect() };
    let ratio = |x: XAxis| {
        let (low, high) = ends(compared.iter().copied(), x);
        if low > 0.0 { high / low } else { 1.0 }
    };
    let first = (moved.first().copied().unwrap_or(XAxis::Rounds), SAME);
    let farther = |best: (XAxis, f64), x: XAxis| if ratio(x) > best.1 * SAME { (x, ratio(x)) } else { best };
    moved.into_iter().fold(first, farther).0
}

/// Where the first and the last of some lines end.
fn ends<'a>(curves: impl IntoIterator<Item = &'a Curve>, x: XAxis) -> (f64, f64) {
    range(curves.into_iter().filter_map(|curve| curve.drawn(x).last().copied()).map(|point| point.0))
}

/// Where a quantity must get: the last of its bounds.
pub(crate) fn bound(report: &Report<'_>, quantity: &str) -> Option<Bound> {
    report.bounds(quantity).pop()
}

/// The number of the first point at which a curve is there, and its cost.
fn reach(curve: &Curve, x: XAxis, bound: Bound) -> Option<(usize, f64)> {
    let mut points = curve.drawn(x).into_iter().enumerate();
    points.find(|(_, (_, value))| bound.holds(*value)).map(|(index, (cost, _))| (index, cost))
}

/// Where the axis ends: at the last arm that gets to the target, if some others go on much farther and those that get
/// there differ so little that a linear axis shows them.
pub(crate) fn end(curves: &[Curve], x: XAxis, bound: Option<Bound>) -> Option<f64> {
    let bound = bound?;
    // Where it holds at the start, nobody had to get there, though the initial memories cost bits and time.
    let reached = |curve: &Curve| reach(curve, x, bound).filter(|(point, _)| *point > 0);
    let there: Vec<f64> = curves.iter().filter_map(|curve| Some(reached(curve)?.1)).collect();
    let (first, last) = range(there.iter().copied());
    let (_, farthest) = ends(curves, x);
    (!there.is_empty() && last < WIDE * first && farthest > FARTHER * last).then_some(last * SAME)
}

#[cfg(test)]
mod tests {
    use super::{end, x_axis};
    use crate::curves::Curve;
    use crate::replicates::CurvePoint;
    use fedbits_figures::{AXES, XAxis};
    use fedbits_record::results::Bound;

    /// Arms that end after so many rounds, epochs, bits and seconds.
    fn of(ends: &[[f64; 4]]) -> XAxis {
        let axes = [XAxis::Rounds, XAxis::Epochs, XAxis::BitsTotal, XAxis::Time];
        let curve = |end: &[f64; 4]| {
            let point = |share: f64| {
                let mut x = [0.0; AXES];
                axes.iter().zip(end).for_each(|(axis, end)| x[*axis as usize] = share * end);
                CurvePoint { x, median: 1.0, low: 1.0, high: 1.0, running: 1 }
            };
            Curve::new("a".to_owned(), 0, 1, vec![point(0.0), point(1.0)])
        };
        x_axis(&ends.iter().map(curve).collect::<Vec<_>>(), None)
    }

    /// A round of an asynchronous arm is one contribution, and equal bits make epochs differ: neither is a cost. They
    /// stand to the right where nothing is spent.
    #[test]
    fn arms_are_shown_by_what_they_cost() {
        assert_eq!(of(&[[192.0, 2.0, 9.0, 2.3], [44.0, 9.0, 34.0, 28.5]]), XAxis::Time);
        assert_eq!(of(&[[40.0, 19.0, 20.0, 5.0], [40.0, 40.0, 20.0, 5.0]]), XAxis::BitsTotal);
        assert_eq!(of(&[[40.0, 19.0, 0.0, 0.0], [40.0, 40.0, 0.0, 0.0]]), XAxis::Epochs);
    }

    /// The axis is cut where all that get to the target are there, but not at a start that holds it, which may cost
    /// the bits of initial memories.
    #[test]
    fn an_axis_is_not_cut_at_the_start() {
        let curve = |medians: [f64; 3], last: f64| {
            let point = |(bits, median)| {
                let mut x = [0.0; AXES];
                x[XAxis::BitsTotal as usize] = bits;
                CurvePoint { x, median, low: median, high: median, running: 1 }
            };
            Curve::new("a".to_owned(), 0, 1, [1.0, 10.0, last].into_iter().zip(medians).map(point).collect())
        };
        let cut = |start: f64| {
            end(&[curve([start, 0.5, 0.4], 12.0), curve([9.0; 3], 90.0)], XAxis::BitsTotal, Some(Bound::AtMost(1.0)))
        };
        assert!(cut(2.0).is_some_and(|end| (10.0..20.0).contains(&end)));
        assert_eq!(cut(0.9), None);
    }
}
