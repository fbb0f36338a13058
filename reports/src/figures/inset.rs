//! A part of a frame, drawn larger in one of its corners: where it stands, what it shows, and what it hides.

use super::figure::{Figure, Panel};
use super::layout::{Horizontal, Layout, layout};
use super::plot::Frame;
use crate::axes::{Axis, Scale, range};
use crate::curves::Curve;
use crate::style::Look;
use crate::text::Metrics;
use fedbits_figures::{Corner, Inset, Limits};

/// What an inset takes of a frame's width and height.
const SHARE: f64 = 0.48;
/// Less than this has no room for lines, in sizes of tick labels.
const LEAST: (f64, f64) = (2.5, 2.4);
/// Between the inset and the edges of its frame, in sizes of tick labels.
const APART: f64 = 0.35;
/// Points between two of a line that are looked at for what an inset hides.
const BETWEEN: u32 = 8;
/// The corners in the order in which they are taken where they hide as much.
const CORNERS: [Corner; 4] = [Corner::TopRight, Corner::BottomLeft, Corner::TopLeft, Corner::BottomRight];

/// An inset where it stands.
pub(crate) struct Placed<'a> {
    /// All that it takes of the frame, with its labels.
    pub outer: Frame,
    /// Its own frame.
    pub frame: Frame,
    /// The part of the large frame that it shows.
    pub part: Frame,
    /// The panel, within the limits of the inset.
    pub panel: Panel,
    pub horizontal: Horizontal,
    pub vertical: Axis,
    /// Where lines are cut, in coordinates of the vertical axis.
    pub bounds: (f64, f64),
    /// The lines that pass under it, those across the frame at a value among them.
    pub hides: Vec<&'a str>,
}

/// The inset of the panel of that number; none where it has none.
///
/// # Errors
/// Why there is none although one is declared.
pub(crate) fn placed<'a>(
    figure: &'a Figure,
    number: usize,
    layout: &Layout<'_>,
    look: &Look,
    metrics: &Metrics,
) -> Result<Option<Placed<'a>>, &'static str> {
    let is_here = |inset: &Inset| inset.panel.is_none_or(|own| own as usize == number);
    let Some(inset) = figure.inset.filter(is_here) else { return Ok(None) };
    let panel = &figure.panels[number];
    let large = Large {
        frame: layout.frames[number],
        horizontal: &layout.horizontals[number],
        vertical: &layout.verticals[panel.vertical],
    };
    let across = large.across(inset.x)?;
    let upwards = large.upwards(inset.y, panel, across).ok_or("no line has a value there")?;
    let Frame { left, top, right, bottom } = large.frame;
    let size = (SHARE * (right - left), SHARE * (bottom - top));
    let below = look.tick_length() + look.gap() + look.tick;
    let room = size.1 - below - 0.5 * look.tick;
    let vertical = large.vertical(upwards, inset.y == Limits::default(), room, look);
    let beside = vertical.widest_label(look.tick, metrics) + look.gap() + look.tick_length();
    let width = size.0 - beside - 0.8 * look.tick;
    if width < LEAST.0 * look.tick || room < LEAST.1 * look.tick {
        return Err("there is no room for it");
    }
    let axis = large.horizontal(across, width, look, metrics).ok_or("there is no room for it")?;
    let part = large.part(across, upwards);
    let outer = large.corner(inset.corner, size, part, panel, APART * look.tick);
    let inner_left = outer.left + beside;
    let frame = Frame {
        left: inner_left,
        top: outer.top + 0.5 * look.tick,
        right: inner_left + width,
        bottom: outer.bottom - below,
    };
    let unit = large.horizontal.unit;
    let limits = Limits { from: Some(across.0 * unit), to: Some(across.1 * unit) };
    let coordinate = |value| vertical.coordinate(value);
    let bounds = match (inset.y == Limits::default(), coordinate(upwards.0).zip(coordinate(upwards.1))) {
        (false, Some(bounds)) => bounds,
        _ => (vertical.low, vertical.high),
    };
    let hides = panel.curves.iter().filter(|curve| large.hidden(curve, panel, outer) > 0);
    let hides = hides.map(|curve| curve.label.as_str());
    let rules = panel.rules.iter().filter(|rule| large.is_under(rule.y, outer)).map(|rule| rule.label.as_str());
    Ok(Some(Placed {
        outer,
        frame,
        part,
        panel: Panel { limits, ..panel.clone() },
        horizontal: Horizontal { axis, label: large.horizontal.label.clone(), unit },
        bounds,
        hides: hides.chain(rules).collect(),
        vertical,
    }))
}

/// The figure with what must be known of its insets: lines that they hide, and why one is not drawn; without an inset
/// where none is.
pub(crate) fn noted(mut figure: Figure, look: &Look, metrics: &Metrics) -> Figure {
    let Some(inset) = figure.inset else { return figure };
    let (layout, count) = (layout(&figure, look, metrics), figure.panels.len());
    let missing = inset.panel.filter(|&own| own as usize >= count);
    let missing =
        missing.map(|own| format!("the inset is not drawn: there is no panel {own}, as {count} are counted from 0"));
    let (mut notes, mut is_drawn): (Vec<String>, bool) = (missing.into_iter().collect(), false);
    for number in 0..count {
        let of = if count > 1 { format!(" of panel {number}") } else { String::new() };
        match placed(&figure, number, &layout, look, metrics) {
            Err(why) => notes.push(format!("the inset{of} is not drawn: {why}")),
            Ok(None) => {}
            Ok(Some(own)) => {
                is_drawn = true;
                let hides = own.hides.join(", ");
                notes.extend((!hides.is_empty()).then(|| format!("the inset{of} hides a part of {hides}")));
            }
        }
    }
    figure.inset = figure.inset.filter(|_| is_drawn);
    figure.notes.extend(notes);
    figure
}

/// The frame that an inset stands in.
struct Large<'a> {
    frame: Frame,
    horizontal: &'a Horizontal,
    vertical: &'a Axis,
}

impl Large<'_> {
    /// The horizontal axis of an inset of that width, with as many ticks as there is room for their labels; none where
    /// two have none.
    fn horizontal(&self, (from, to): (f64, f64), width: f64, look: &Look, metrics: &Metrics) -> Option<Axis> {
        let with = |most: usize| match self.horizontal.axis.scale {
            Scale::Linear => Axis::linear(from, to, most, true),
            Scale::Log => Axis::log(from, to, most),
        };
        let fits = |axis: &Axis| axis.ticks.len() > 1 && axis.has_room(width, 0.6 * look.tick, look.tick, metrics);
        (2..=4).rev().map(with).find(fits)
    }

    /// The vertical axis of an inset of that height; where nobody says its limits, there is some room around the lines.
    fn vertical(&self, (low, high): (f64, f64), is_open: bool, height: f64, look: &Look) -> Axis {
        let most = ((height / (1.6 * look.tick)) as usize).max(2);
        match self.vertical.scale {
            Scale::Linear => Axis::linear(low, high, most, !is_open),
            Scale::Log => Axis::log(low, high, most),
        }
    }

    /// The part of the horizontal axis that is shown, in its unit; an error where that is none.
    fn across(&self, limits: Limits) -> Result<(f64, f64), &'static str> {
        let (axis, unit) = (&self.horizontal.axis, self.horizontal.unit);
        let or = |limit: Option<f64>, end: f64| limit.map_or_else(|| value(axis, end), |limit| limit / unit);
        let (from, to) = (or(limits.from, axis.low), or(limits.to, axis.high));
        match axis.coordinate(from).zip(axis.coordinate(to)) {
            None => Err("the horizontal axis is logarithmic and takes ends above zero"),
            Some(_) if from >= to => Err("no line has a value there"),
            Some(_) => Ok((from, to)),
        }
    }

    /// The part of the vertical axis that is shown: as declared, or where the lines are; none where no line is.
    fn upwards(&self, limits: Limits, panel: &Panel, (from, to): (f64, f64)) -> Option<(f64, f64)> {
        let unit = self.horizontal.unit;
        let shown = panel.curves.iter().flat_map(|curve| &curve.points);
        let shown = shown.filter(|point| (from * unit..=to * unit).contains(&point.at(panel.x)));
        let values = shown.flat_map(|point| [point.low, point.median, point.high]);
        let (low, high) = range(values.filter(|&value| self.vertical.coordinate(value).is_some()));
        let (low, high) = (limits.from.unwrap_or(low), limits.to.unwrap_or(high));
        let is_range = low.is_finite() && high.is_finite() && low <= high;
        (is_range && self.vertical.coordinate(low).is_some()).then_some((low, high))
    }

    /// That part on paper, as far as it is in the frame.
    fn part(&self, across: (f64, f64), upwards: (f64, f64)) -> Frame {
        let Frame { left, top, right, bottom } = self.frame;
        let low = |axis: &Axis, value: f64| share(axis, value).unwrap_or(0.0).clamp(0.0, 1.0);
        let x = |value: f64| left + low(&self.horizontal.axis, value) * (right - left);
        let y = |value: f64| bottom - low(self.vertical, value) * (bottom - top);
        Frame { left: x(across.0), top: y(upwards.1), right: x(across.1), bottom: y(upwards.0) }
    }

    /// Where it stands: in that corner, or in the one that hides least, the part that it shows above all.
    fn corner(&self, corner: Corner, size: (f64, f64), part: Frame, panel: &Panel, apart: f64) -> Frame {
        if corner != Corner::Auto {
            return self.at(corner, size, apart);
        }
        let hidden = |outer: Frame| -> (bool, usize) {
            (meet(outer, part), panel.curves.iter().map(|curve| self.hidden(curve, panel, outer)).sum())
        };
        let corners = CORNERS.map(|corner| self.at(corner, size, apart));
        corners.into_iter().min_by_key(|outer| hidden(*outer)).unwrap_or(self.frame)
    }

    fn at(&self, corner: Corner, (width, height): (f64, f64), apart: f64) -> Frame {
        let Frame { left, top, right, bottom } = self.frame;
        let is_left = matches!(corner, Corner::TopLeft | Corner::BottomLeft);
        let is_top = matches!(corner, Corner::TopLeft | Corner::TopRight | Corner::Auto);
        let left = if is_left { left + apart } else { right - apart - width };
        let top = if is_top { top + apart } else { bottom - apart - height };
        Frame { left, top, right: left + width, bottom: top + height }
    }

    /// Does a line across the frame at this value pass under it?
    fn is_under(&self, value: f64, outer: Frame) -> bool {
        let Frame { top, bottom, .. } = self.frame;
        let height = share(self.vertical, value).map(|share| bottom - share * (bottom - top));
        height.is_some_and(|height| (outer.top..=outer.bottom).contains(&height))
    }

    /// How many points on a line, looked at closely, are under it.
    fn hidden(&self, curve: &Curve, panel: &Panel, outer: Frame) -> usize {
        let Frame { left, top, right, bottom } = self.frame;
        let on_paper = |(x, median): (f64, f64)| {
            let across = share(&self.horizontal.axis, x / self.horizontal.unit)?;
            Some((left + across * (right - left), bottom - share(self.vertical, median)? * (bottom - top)))
        };
        let points: Vec<(f64, f64)> =
            curve.points.iter().filter_map(|point| on_paper((point.at(panel.x), point.median))).collect();
        let close = points.windows(2).flat_map(|pair| {
            let at = |step: u32| f64::from(step) / f64::from(BETWEEN);
            (0..=BETWEEN).map(move |step| {
                let between = |from: f64, to: f64| from + at(step) * (to - from);
                (between(pair[0].0, pair[1].0), between(pair[0].1, pair[1].1))
            })
        });
        let inside =
            |(x, y): &(f64, f64)| (outer.left..=outer.right).contains(x) && (outer.top..=outer.bottom).contains(y);
        close.filter(inside).count()
    }
}

/// The value at a coordinate of an axis.
fn value(axis: &Axis, at: f64) -> f64 {
    match axis.scale {
        Scale::Linear => at,
        Scale::Log => libm::pow(10.0, at),
    }
}

/// How far along an axis a value is.
fn share(axis: &Axis, value: f64) -> Option<f64> {
    Some((axis.coordinate(value)? - axis.low) / (axis.high - axis.low))
}

/// Do two frames have something in common?
fn meet(one: Frame, other: Frame) -> bool {
    one.left < other.right && other.left < one.right && one.top < other.bottom && other.top < one.bottom
}
