//! The spread of the replicates' ends, right of a frame: a box or points for each line, in the order of the legend.

use super::figure::{Figure, Panel, Vertical};
use super::marks::draw_exit;
use super::plot::{Frame, HAIRLINE};
use crate::axes::{Axis, Scale};
use crate::curves::Curve;
use crate::scene::{Area, Canvas, Layer, fill, stroke, units};
use crate::style::{LineStyle, Look};
use fedbits_figures::Ends;
use fedbits_numerics::{quantile, sorted};
use fedbits_spec::so_many;
use plotters::prelude::{Circle, Polygon};

/// Room for a line's ends, and between the frame and the first, in sizes of tick labels.
const STEP: f64 = 0.95;
const GAP: f64 = 0.7;
/// Half the width of a box, in sizes of tick labels.
const HALF: f64 = 0.3;
/// How much of the paper a box covers.
const PALE: f64 = 0.25;

/// The lines of a panel whose ends are shown.
fn shown(panel: &Panel) -> impl Iterator<Item = &Curve> {
    panel.curves.iter().filter(|curve| !curve.ends.is_empty())
}

/// Room right of each frame, in points.
pub(crate) fn strip(figure: &Figure, look: &Look) -> f64 {
    let most = figure.panels.iter().map(|panel| shown(panel).count()).max().unwrap_or(0);
    if figure.ends == Ends::Hidden || most == 0 { 0.0 } else { (GAP + STEP * most as f64) * look.tick }
}

/// The values of the ends that share a vertical axis with these panels; none where they are hidden.
pub(crate) fn values<'a>(figure: &'a Figure, number: usize) -> impl Iterator<Item = f64> + 'a {
    let panels = figure.panels.iter().filter(move |panel| panel.vertical == number && figure.ends != Ends::Hidden);
    panels.flat_map(|panel| panel.curves.iter().flat_map(|curve| &curve.ends)).map(|end| end.median)
}

/// Where ends are drawn: the frame, its vertical axis, and what the axis shows of it.
pub(crate) struct Margin<'a> {
    pub frame: Frame,
    pub vertical: &'a Axis,
    pub bounds: (f64, f64),
    pub look: &'a Look,
}

impl Margin<'_> {
    /// The ends of all lines of a panel.
    pub(crate) fn draw(&self, canvas: &mut Canvas, panel: &Panel, ends: Ends) {
        if ends == Ends::Hidden {
            return;
        }
        let tick = self.look.tick;
        for (number, curve) in shown(panel).enumerate() {
            let across = self.frame.right + (GAP + STEP * (number as f64 + 0.5)) * tick;
            let style = LineStyle::of(curve.style);
            let values: Vec<f64> = sorted(curve.ends.iter().map(|end| end.median));
            canvas.layer(Layer::new("ends"), |area| match ends {
                Ends::Hidden => {}
                Ends::Boxes => self.draw_box(area, across, &values, &style),
                Ends::Points => self.draw_points(area, across, &values, &style),
            });
        }
    }

    /// From the lower to the upper quartile, the median in it, and lines to the least and the most.
    fn draw_box(&self, area: &Area, across: f64, values: &[f64], style: &LineStyle) {
        let at = |share: f64| self.coordinate(quantile(values, share));
        let [least, low, median, high, most] = [0.0, 0.25, 0.5, 0.75, 1.0].map(at);
        let (line, half) = (stroke(HAIRLINE * self.look.line, style.color), HALF * self.look.tick);
        let [left, middle, right] = [-half, 0.0, half].map(|by| units(across + by));
        for (from, to) in [(least, low), (high, most)] {
            if let Some((from, to)) = self.cut(from, to) {
                area.path(vec![(middle, self.height(from)), (middle, self.height(to))], line);
            }
        }
        if let Some((from, to)) = self.cut(low, high) {
            let (bottom, top) = (self.height(from), self.height(to));
            let corners = vec![(left, bottom), (left, top), (right, top), (right, bottom)];
            area.draw(&Polygon::new(corners.clone(), fill(style.color, PALE)));
            area.path([corners, vec![(left, bottom)]].concat(), line);
        }
        if self.is_inside(median) {
            let height = self.height(median);
            area.path(vec![(left, height), (right, height)], stroke(self.look.line, style.color));
        }
        self.draw_exits(area, across, (least, most), style);
    }

    fn draw_points(&self, area: &Area, across: f64, values: &[f64], style: &LineStyle) {
        let all: Vec<f64> = values.iter().map(|&value| self.coordinate(value)).collect();
        for &at in all.iter().filter(|&&at| self.is_inside(at)) {
            area.draw(&Circle::new((units(across), self.height(at)), units(self.look.line), fill(style.color, 1.0)));
        }
        let (least, most) = crate::axes::range(all.iter().copied());
        self.draw_exits(area, across, (least, most), style);
    }

    /// Open arrowheads where ends lie outside the frame.
    fn draw_exits(&self, area: &Area, across: f64, (least, most): (f64, f64), style: &LineStyle) {
        for (is_outside, edge, above) in
            [(least < self.bounds.0, self.bounds.0, false), (most > self.bounds.1, self.bounds.1, true)]
        {
            if is_outside {
                draw_exit(area, (units(across), self.height(edge)), above, style.color, 0.6 * self.look.line);
            }
        }
    }

    /// On a logarithmic axis what is not positive lies below everything.
    fn coordinate(&self, value: f64) -> f64 {
        self.vertical.coordinate(value).unwrap_or(f64::NEG_INFINITY)
    }

    fn is_inside(&self, at: f64) -> bool {
        (self.bounds.0..=self.bounds.1).contains(&at)
    }

    /// The part of a stretch that the axis shows.
    fn cut(&self, from: f64, to: f64) -> Option<(f64, f64)> {
        let (from, to) = (from.max(self.bounds.0), to.min(self.bounds.1));
        (from <= to).then_some((from, to))
    }

    fn height(&self, at: f64) -> i32 {
        let share = (at - self.vertical.low) / (self.vertical.high - self.vertical.low);
        units(self.frame.bottom - share * (self.frame.bottom - self.frame.top))
    }
}

/// What stands beside the frames, as a part of the caption; none where nothing does.
pub(crate) fn caption(figure: &Figure) -> Option<&'static str> {
    let is_any = figure.curves().any(|curve| !curve.ends.is_empty());
    match figure.ends {
        Ends::Boxes if is_any => Some("right of each frame: where they end (boxes: quartiles; thin: least to most)"),
        Ends::Points if is_any => Some("right of each frame: where each ends"),
        _ => None,
    }
}

/// Lines that have no spread, and ends that the frames do not show.
pub(crate) fn notes(figure: &Figure) -> Vec<String> {
    if figure.ends == Ends::Hidden {
        return Vec::new();
    }
    let alone = |curve: &&&Curve| curve.ends.is_empty() && curve.slope.is_none();
    let legend = figure.legend();
    let single: Vec<&str> = legend.iter().filter(alone).map(|curve| curve.label.as_str()).collect();
    let mut notes = Vec::new();
    if caption(figure).is_some() {
        notes.push("the ends right of a frame stand in the order of the legend".to_owned());
    }
    if !single.is_empty() {
        notes.push(format!("no spread of ends is shown of {}: one run each", single.join(", ")));
    }
    let mut outside = 0;
    for panel in &figure.panels {
        let vertical = figure.vertical(panel);
        let ends = panel.curves.iter().flat_map(|curve| &curve.ends);
        outside += ends.filter(|end| is_hidden(vertical, end.median)).count();
    }
    if outside > 0 {
        notes.push(format!(
            "{} of replicates lie outside their frame, which open arrowheads mark",
            so_many(outside, "end")
        ));
    }
    notes
}

/// Whether a value has no place on an axis: outside the part that it shows, or below a logarithmic one.
pub(super) fn is_hidden(vertical: &Vertical, value: f64) -> bool {
    match &vertical.window {
        Some(window) => value < window.low || value > window.high,
        None => vertical.scale == Scale::Log && value <= 0.0,
    }
}
