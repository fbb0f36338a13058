//! The axes of measured panels: limits that panels share, ticks that have room.

use super::clip::between;
use super::measure::{Measuring, RIM};
use super::{Form, Frame, Panel, Plot, Shape, Side};
use crate::axes::{Axis, Scale, Tick, range};
use crate::text::Rich;

/// The ends of an axis without a value.
const NOWHERE: (f64, f64) = (0.1, 1.0);
/// Room for arrowheads at the right edge of a frame, in thicknesses of a line.
const ARROW: f64 = 7.0;

impl Measuring<'_> {
    /// The frame of a map: a unit is as long upwards as across, in the middle of the frame. It has as many ticks
    /// as have room at this scale.
    pub(super) fn map(&self, panel: &Panel, frame: Frame, room: (f64, f64)) -> Plot {
        let look = self.look;
        let rims = 2.0 * RIM * look.tick;
        let lengths = [frame.width(), frame.height()];
        let extents = [0, 1].map(|side| self.extent(panel, side).unwrap_or(NOWHERE));
        let unit = |side: usize| (extents[side].1 - extents[side].0) / (lengths[side] - rims).max(0.5 * rims);
        let unit = Some(f64::max(unit(0), unit(1))).filter(|unit| *unit > 0.0).unwrap_or(1.0);
        let axis = |side: usize| {
            let (middle, half) = (0.5 * (extents[side].0 + extents[side].1), 0.5 * unit * lengths[side]);
            let bare = Axis { low: middle - half, high: middle + half, ..Axis::bare() };
            let ticks = &panel.side(side).ticks;
            let every = |step: usize| chosen(&ticks.iter().step_by(step).cloned().collect::<Vec<_>>(), bare.clone());
            let fits = |axis: &Axis| match side {
                0 => axis.has_room(lengths[0], 0.8 * look.tick, look.tick),
                _ => axis.ticks.windows(2).all(|two| two[1].at - two[0].at >= 1.2 * unit * look.tick),
            };
            (1..=ticks.len()).map(every).find(fits).unwrap_or(bare)
        };
        let across = axis(0).trimmed((frame.left, frame.right), room, look.tick);
        Plot::new(frame, across, axis(1))
    }

    /// The least and the most on an axis, of all panels that share it; none where nothing has a value.
    pub(super) fn extent(&self, shown: &Panel, side: usize) -> Option<(f64, f64)> {
        let axis = shown.side(side);
        let is_log = axis.scale == Scale::Log;
        let is_shared = |panel: &&Panel| match self.grid.free[side] {
            true => std::ptr::eq(*panel, shown),
            false => panel.side(side).label == axis.label,
        };
        let at = |point: &(f64, f64)| if side == 0 { point.0 } else { point.1 };
        let values = |panel: &Panel| {
            // What the window of the other axis leaves out has no say.
            let window = panel.side(1 - side).window;
            let (from, to) = (window[0].unwrap_or(f64::NEG_INFINITY), window[1].unwrap_or(f64::INFINITY));
            let place = |value: f64| if is_log { libm::log10(value) } else { value };
            let value = |place: f64| if is_log { libm::pow(10.0, place) } else { place };
            let mut all = panel.side(side).holds.clone();
            for shape in panel.shapes.iter().filter(|shape| shape.form.extends(side)) {
                let band = if let Form::Band(lower) = &shape.form { &lower[..] } else { &[] };
                let way = shape.way();
                if side == 1 && window != [None; 2] {
                    let points = |edge: &[(f64, f64)]| edge.iter().map(|&(x, y)| (x, place(y))).collect::<Vec<_>>();
                    let edges = [points(&way), points(band)];
                    all.extend(edges.iter().flat_map(|edge| between(edge, from, to).0).map(|(_, y)| value(y)));
                } else {
                    let other = |point: &(f64, f64)| if side == 0 { point.1 } else { point.0 };
                    let points = way.iter().chain(band).filter(|point| (from..=to).contains(&other(point)));
                    all.extend(points.map(at));
                }
            }
            all.extend(panel.strip.iter().filter(|_| side == 0).map(|beyond| beyond.x));
            all
        };
        let all = self.grid.panels.iter().filter(is_shared).flat_map(values);
        let (low, high) = range(all.filter(|&value| value.is_finite() && (!is_log || value > 0.0)));
        let low = axis.window[0].filter(|low| !is_log || *low > 0.0).unwrap_or(low);
        let high = axis.window[1].unwrap_or(high);
        (low <= high).then_some((low, high))
    }

    pub(super) fn vertical(&self, panel: &Panel, height: f64) -> Axis {
        let side = &panel.y;
        if !side.names.is_empty() {
            return of_names(side.names.len(), true);
        }
        let (low, high) = self.extent(panel, 1).unwrap_or(NOWHERE);
        let most = ((height / (2.4 * self.look.tick)) as usize).max(2);
        let axis = numeric(side, (low, high), most);
        if side.ticks.is_empty() { axis } else { chosen(&side.ticks, axis) }
    }

    /// The horizontal axis, with as many labels as there is room for.
    pub(super) fn horizontal(&self, panel: &Panel, frame: Frame, room: (f64, f64)) -> Axis {
        let (side, look) = (&panel.x, self.look);
        if !side.names.is_empty() {
            return of_names(side.names.len(), false);
        }
        let extent = self.extent(panel, 0).unwrap_or(NOWHERE);
        let fits = |axis: &Axis| axis.has_room(frame.width(), 0.8 * look.tick, look.tick);
        let round =
            || (1..=7).rev().map(|most| numeric(side, extent, most)).find(|axis| axis.ticks.len() > 1 && fits(axis));
        let every = |step: usize| {
            let ticks: Vec<(f64, String)> = side.ticks.iter().step_by(step).cloned().collect();
            chosen(&ticks, numeric(side, extent, 2))
        };
        let axis = (1..=side.ticks.len()).map(every).find(fits);
        let axis = axis.or_else(round).unwrap_or_else(|| numeric(side, extent, 2));
        // Arrowheads at the edge meet no marker.
        let has_arrows = |shape: &Shape| matches!(shape.form, Form::Beyond) && !shape.points.is_empty();
        let mut alike = self.grid.panels.iter().filter(|panel| panel.x.label == side.label);
        let arrows = if alike.any(|panel| panel.shapes.iter().any(has_arrows)) { ARROW * look.line } else { 0.0 };
        let more = (axis.high - axis.low) * arrows / (frame.width() - arrows).max(1.0);
        let axis = Axis { high: axis.high + more, ..axis };
        let axis = axis.inset(frame.width(), room.1 - frame.right, look.tick);
        // A label that would leave its room is left out.
        axis.trimmed((frame.left, frame.right), room, look.tick)
    }
}

fn numeric(side: &Side, (low, high): (f64, f64), most: usize) -> Axis {
    let is_tight = side.tight || side.window.iter().any(Option::is_some);
    match side.scale {
        Scale::Log => Axis::log(low, high, most),
        Scale::Linear => Axis::linear(low, high, most, is_tight),
    }
}

/// The axis with these ticks instead.
fn chosen(ticks: &[(f64, String)], axis: Axis) -> Axis {
    let tick = |(value, label): &(f64, String)| Some(Tick { at: axis.coordinate(*value)?, label: Rich::plain(label) });
    let mut ticks: Vec<Tick> = ticks.iter().filter_map(tick).collect();
    ticks.sort_by(|one, two| one.at.total_cmp(&two.at));
    Axis { ticks, minor: Vec::new(), ..axis }
}

/// An axis of so many names: from the left, or from the top, as its ends are swapped.
fn of_names(count: usize, is_upright: bool) -> Axis {
    let (first, last) = (-0.5, count as f64 - 0.5);
    let (low, high) = if is_upright { (last, first) } else { (first, last) };
    Axis { low, high, ..Axis::bare() }
}
