//! Lines across an area that tell it from others where colours do not: grey print, and colour-blind readers.

use crate::scene::{Area, Point, fill, stroke};
use crate::style::{BLACK, Look, Rgb, WHITE, contrast};

/// From line to line, in sizes of tick labels, and the same of dense lines.
const STEP: f64 = 0.5;
const DENSE: f64 = 0.27;
/// Thickness of a line, in thicknesses of a line of data.
const THICKNESS: f64 = 0.5;

/// Contrast that lines have with what is under them.
const VISIBLE: f64 = 1.8;

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

pub(crate) const PLAIN: Hatch = Hatch { lines: &[], dense: false };
pub(crate) const RISING: Hatch = Hatch { lines: &[Line::Rising], dense: false };

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

/// How a box is filled.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct BoxStyle {
    pub color: Rgb,
    pub hatch: Hatch,
    /// How much of the paper it covers.
    pub cover: f64,
}

/// The colour of a filling as it lies on paper.
pub(crate) fn on_paper(filling: &BoxStyle) -> Rgb {
    let (red, green, blue) = filling.color;
    let paled = |part: u8| (filling.cover * f64::from(part) + (1.0 - filling.cover) * 255.0).round() as u8;
    (paled(red), paled(green), paled(blue))
}

/// The colour of the lines on a filling: white, or its own where it is pale; darker ones where these would not be seen.
pub(crate) fn ink(filling: &BoxStyle) -> Rgb {
    let (light, dark) = if filling.cover < 1.0 { (filling.color, (0x60, 0x60, 0x60)) } else { (WHITE, BLACK) };
    if contrast(light, on_paper(filling)) >= VISIBLE { light } else { dark }
}

pub(crate) fn draw_filling(area: &Area, filling: &BoxStyle, [one, two]: [Point; 2], look: &Look) {
    let (left, top) = (one.0.min(two.0), one.1.min(two.1));
    let size = ((one.0 - two.0).abs(), (one.1 - two.1).abs());
    area.rectangle([(left, top), (left + size.0, top + size.1)], fill(filling.color, filling.cover));
    let style = stroke(THICKNESS * look.line, ink(filling));
    let step = look.tick * if filling.hatch.dense { DENSE } else { STEP };
    for (from, to) in filling.hatch.lines.iter().flat_map(|&line| lines(line, size, step)) {
        area.line(&[(left + from.0, top + from.1), (left + to.0, top + to.1)], style);
    }
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
