//! Lines across an area that tell it from others where colours do not: grey print, and colour-blind readers.

use crate::shades::Rgb;
use crate::style::Look;
use crate::svg::{Area, stroke, units};

/// From line to line, in sizes of tick labels.
const STEP: f64 = 0.5;
/// The same of dense lines.
const DENSE: f64 = 0.27;
/// Thickness of a line, in thicknesses of a line of data.
const THICKNESS: f64 = 0.5;

/// Which way a line runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Line {
    Rising,
    Falling,
    Across,
    Upright,
}

/// Lines of one or several directions; none for a plain area.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Hatch {
    pub lines: &'static [Line],
    pub dense: bool,
}

/// A plain area.
pub(crate) const PLAIN: Hatch = Hatch { lines: &[], dense: false };
pub(crate) const RISING: Hatch = Hatch { lines: &[Line::Rising], dense: false };

/// Draws the lines inside a box whose upper left corner is at (x, y) points.
pub(crate) fn hatch(area: &Area, (x, y): (f64, f64), size: (f64, f64), hatch: Hatch, (color, look): (Rgb, &Look)) {
    let style = stroke(THICKNESS * look.line, color);
    let step = look.tick * if hatch.dense { DENSE } else { STEP };
    let position = |(dx, dy): (f64, f64)| (units(x + dx), units(y + dy));
    for (from, to) in hatch.lines.iter().flat_map(|&line| lines(line, size, step)) {
        area.path(vec![position(from), position(to)], style);
    }
}

/// Both ends of every line inside a box of that size, from its upper left corner.
fn lines(line: Line, (width, height): (f64, f64), step: f64) -> Vec<((f64, f64), (f64, f64))> {
    let ends = |at: f64| match line {
        // The line x + y = at, cut to the box, and its mirror image.
        Line::Rising => ((at.min(width), (at - width).max(0.0)), ((at - height).max(0.0), at.min(height))),
        Line::Falling => {
            ((width - at.min(width), (at - width).max(0.0)), (width - (at - height).max(0.0), at.min(height)))
        }
        Line::Across => ((0.0, at), (width, at)),
        Line::Upright => ((at, 0.0), (at, height)),
    };
    let reach = match line {
        Line::Rising | Line::Falling => width + height,
        Line::Across => height,
        Line::Upright => width,
    };
    // Half a step from the edge: a box as small as one step has a line, too.
    (0..).map(|index| (f64::from(index) + 0.5) * step).take_while(|at| *at < reach).map(ends).collect()
}

#[cfg(test)]
mod tests {
    use super::{Line, lines};
    use proptest::prelude::*;

    proptest! {
        /// No line leaves its box, all have their slope, and neighbours are a step apart.
        #[test]
        fn lines_are_cut_to_their_box(width in 0.1f64..90.0, height in 0.1f64..20.0, step in 0.5f64..6.0) {
            for (line, slope) in [(Line::Rising, -1.0), (Line::Falling, 1.0), (Line::Across, 0.0)] {
                for ((x, y), (to_x, to_y)) in lines(line, (width, height), step) {
                    for (x, y) in [(x, y), (to_x, to_y)] {
                        prop_assert!(x >= -1e-9 && x <= width + 1e-9 && y >= -1e-9 && y <= height + 1e-9);
                    }
                    prop_assert!(((to_y - y) - slope * (to_x - x)).abs() < 1e-9);
                }
            }
            let across = lines(Line::Across, (width, height), step);
            prop_assert!(across.windows(2).all(|pair| (pair[1].0.1 - pair[0].0.1 - step).abs() < 1e-9));
            prop_assert_eq!(across.len(), (height / step - 0.5).ceil() as usize);
        }
    }
}
