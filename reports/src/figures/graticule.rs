//! Meridians and parallels behind a network whose sites are on the earth, with their degrees at the edges of its frame.

use crate::layout::Frame;
use crate::scene::{Anchor, Canvas, Layer, stroke};
use crate::shades::Rgb;
use crate::style::Look;
use crate::text::{Metrics, Rich};

/// Distances of the lines that are tried, in degrees.
const STEPS: [f64; 13] = [0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 15.0, 20.0, 30.0, 45.0, 60.0, 90.0];
/// At most so many lines of either kind.
const MOST: f64 = 5.0;
/// In degrees.
const HALF_TURN: f64 = 180.0;
/// Size of degrees, in sizes of tick labels.
const DEGREES: f64 = 0.72;
const LINE: Rgb = (0xDD, 0xDD, 0xDD);
const INK: Rgb = (0x80, 0x80, 0x80);

/// How coordinates of sites become positions on paper.
#[derive(Debug, Clone, Copy)]
pub(super) struct Chart {
    /// The coordinates in the middle of the frame.
    pub middle: (f64, f64),
    /// Points per unit of the coordinates.
    pub scale: f64,
    /// What longitudes are multiplied by to be coordinates.
    pub longitude_scale: f64,
    pub frame: Frame,
}

/// A line: where it stands across or down, in points, and its degrees.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Degree {
    pub at: f64,
    pub words: String,
}

impl Chart {
    /// The meridians that cross the frame.
    pub(super) fn meridians(&self) -> Vec<Degree> {
        let Frame { left, right, .. } = self.frame;
        let middle = (left + right) / 2.0;
        let unit = self.scale * self.longitude_scale;
        let first = (self.middle.0 / self.longitude_scale, middle, unit);
        // Farther than half a turn from the middle no site stands, and each meridian would come again.
        let edges = (left.max(middle - HALF_TURN * unit), right.min(middle + HALF_TURN * unit));
        lines(first, edges, &|degrees: f64| words(wrapped(degrees), ["W", "E"]))
    }

    /// The parallels that cross the frame: downwards latitudes fall.
    pub(super) fn parallels(&self) -> Vec<Degree> {
        let Frame { top, bottom, .. } = self.frame;
        let first = (self.middle.1, (top + bottom) / 2.0, -self.scale);
        let is_there = |degree: &Degree| !degree.words.is_empty();
        let word = |degrees: f64| if degrees.abs() > 90.0 { String::new() } else { words(degrees, ["S", "N"]) };
        lines(first, (top, bottom), &word).into_iter().filter(is_there).collect()
    }

    /// Draws the lines, and their degrees inside the frame, at its lower and its left edge, where nothing is: boxes
    /// that are `taken` have their left, top, right and bottom.
    pub(super) fn draw(&self, canvas: &mut Canvas, taken: &[[f64; 4]], look: &Look, metrics: &Metrics) {
        let Frame { left, top, right, bottom } = self.frame;
        let (meridians, parallels) = (self.meridians(), self.parallels());
        canvas.layer(Layer::new("graticule"), |area| {
            let thin = stroke(0.6 * look.line, LINE);
            for Degree { at, .. } in &meridians {
                area.line(&[(*at, top), (*at, bottom)], thin);
            }
            for Degree { at, .. } in &parallels {
                area.line(&[(left, *at), (right, *at)], thin);
            }
        });
        let size = DEGREES * look.tick;
        let mut taken = taken.to_vec();
        let beside = parallels.into_iter().map(|own| (left, own.at - 0.15 * size, own.words));
        let below = meridians.into_iter().map(|own| {
            let half = metrics.width(&Rich::plain(&own.words), size) / 2.0;
            (own.at - half, bottom - 0.25 * size, own.words)
        });
        for (x, baseline, words) in beside.chain(below) {
            let text = Rich::plain(&words);
            let bounds = [x, baseline - 0.85 * size, x + metrics.width(&text, size), baseline + 0.2 * size];
            let inside = bounds[0] >= left && bounds[1] >= top && bounds[2] <= right && bounds[3] <= bottom;
            if inside && !taken.iter().any(|other| meet(&bounds, other)) {
                canvas.colored_text(&text, (x, baseline), size, Anchor::Start, INK);
                taken.push(bounds);
            }
        }
    }
}

/// Do two boxes come nearer to each other than a point?
fn meet(one: &[f64; 4], other: &[f64; 4]) -> bool {
    one[0] < other[2] + 1.0 && other[0] < one[2] + 1.0 && one[1] < other[3] + 1.0 && other[1] < one[3] + 1.0
}

/// Lines at even degrees, of which at most [`MOST`] are between two edges: `first` is a number of degrees, where it
/// stands, and how far on the next one does.
fn lines((degrees, at, unit): (f64, f64, f64), edges: (f64, f64), words: &dyn Fn(f64) -> String) -> Vec<Degree> {
    if !(unit.abs() > 0.0 && unit.is_finite()) {
        return Vec::new();
    }
    let of = |edge: f64| degrees + (edge - at) / unit;
    let (low, high) = (of(edges.0).min(of(edges.1)), of(edges.0).max(of(edges.1)));
    let Some(step) = STEPS.into_iter().find(|step| (high - low) / step <= MOST) else { return Vec::new() };
    let (first, last) = ((low / step).ceil() as i64, (high / step).floor() as i64);
    let line = |number: i64| {
        let own = number as f64 * step;
        Degree { at: at + (own - degrees) * unit, words: words(own) }
    };
    (first..=last).map(line).collect()
}

/// A longitude from -180 to 180 degrees.
fn wrapped(degrees: f64) -> f64 {
    (degrees + HALF_TURN).rem_euclid(2.0 * HALF_TURN) - HALF_TURN
}

/// `10° W`, with as many decimals as the degrees have; 0° and 180° have no side.
fn words(degrees: f64, [negative, positive]: [&str; 2]) -> String {
    let rounded = (degrees.abs() * 10.0).round() / 10.0;
    let decimals = usize::from(rounded.fract() != 0.0);
    let no_side = rounded == 0.0 || rounded == HALF_TURN;
    let side = if no_side { String::new() } else { format!(" {}", if degrees < 0.0 { negative } else { positive }) };
    format!("{rounded:.decimals$}°{side}")
}

#[cfg(test)]
mod tests {
    use super::{Chart, Frame, MOST};
    use proptest::prelude::*;

    proptest! {
        /// A place whose degrees are those of a line stands on it: positions are those of the sites.
        #[test]
        fn lines_stand_where_sites_do(
            longitude in -170.0f64..170.0, latitude in -80.0f64..80.0, scale in 1.0f64..60.0, shrink in 0.2f64..1.0,
        ) {
            let frame = Frame { left: 10.0, top: 20.0, right: 250.0, bottom: 180.0 };
            let middle = (longitude * shrink, latitude);
            let chart = Chart { middle, scale, longitude_scale: shrink, frame };
            let (meridians, parallels) = (chart.meridians(), chart.parallels());
            prop_assert!(meridians.len() as f64 <= MOST + 1.0 && parallels.len() as f64 <= MOST + 1.0);
            let number = |words: &str, negative: char| {
                let degrees: f64 = words.split('°').next().unwrap().parse().unwrap();
                if words.ends_with(negative) { -degrees } else { degrees }
            };
            for own in meridians {
                prop_assert!((frame.left - 1e-6..=frame.right + 1e-6).contains(&own.at));
                // The longitude of a site that is placed there: at most half a turn from the middle, and the line's own
                // but for whole turns.
                let placed = longitude + (own.at - 130.0) / (scale * shrink);
                prop_assert!((placed - longitude).abs() <= 180.0 + 1e-6, "{}", own.words);
                let turns = (placed - number(&own.words, 'W')) / 360.0;
                prop_assert!((turns - turns.round()).abs() < 1e-8, "{}: {placed}", own.words);
            }
            for own in parallels {
                let degrees = number(&own.words, 'S');
                prop_assert!((100.0 - scale * (degrees - middle.1) - own.at).abs() < 1e-6, "{}", own.words);
            }
        }
    }
}
