//! Curves in the terminal: one or several runs, on a linear or a logarithmic scale.

use ratatui_core::buffer::Buffer;
use ratatui_core::layout::{Constraint, Rect};
use ratatui_core::style::Style;
use ratatui_core::symbols::Marker;
use ratatui_core::text::Line;
use ratatui_core::widgets::Widget;
use ratatui_widgets::chart::{Axis, Chart, Dataset, GraphType, LegendPosition};

use super::state::{Curve, MEASURES};
use super::view::{View, measure_name};
use crate::cli::table::number::{given, significant};

/// A run's curve, and how it is drawn.
pub(crate) struct Plotted<'a> {
    /// Its name in the legend.
    pub(crate) name: String,
    /// Its rows.
    pub(crate) curve: &'a Curve,
    /// Its colour and strength.
    pub(crate) style: Style,
}

/// Which measures have a value in any of the curves.
pub(crate) fn measured<'a>(curves: impl Iterator<Item = &'a Curve>) -> [bool; MEASURES.len()] {
    let mut found = [false; MEASURES.len()];
    for point in curves.flat_map(Curve::points) {
        found.iter_mut().zip(point.values).for_each(|(found, value)| *found |= value.is_some());
    }
    found
}

/// What is to be drawn: coordinates as they are on the screen, logarithms where the scale is logarithmic.
struct Coordinates {
    /// The measure.
    place: usize,
    logarithmic: bool,
    lines: Vec<Vec<(f64, f64)>>,
    /// Points without a logarithm.
    left_out: usize,
}

impl Coordinates {
    fn of(curves: &[Plotted<'_>], view: &View) -> Self {
        let place = view.measure(measured(curves.iter().map(|own| own.curve)));
        let across = view.across;
        let line = |own: &Plotted<'_>| {
            let point = |point: &super::state::Point| Some((across.value(point), point.values[place]?));
            own.curve.points().filter_map(point).collect::<Vec<_>>()
        };
        let mut lines: Vec<Vec<(f64, f64)>> = curves.iter().map(line).collect();
        let all: usize = lines.iter().map(Vec::len).sum();
        let positive = lines.iter().flatten().filter(|(_, value)| *value > 0.0).count();
        let logarithmic = view.logarithmic(place) && positive > 0;
        if logarithmic {
            for line in &mut lines {
                line.retain(|(_, value)| *value > 0.0);
                line.iter_mut().for_each(|(_, value)| *value = libm::log10(*value));
            }
        }
        Self { place, logarithmic, lines, left_out: if logarithmic { all - positive } else { 0 } }
    }

    fn title(&self, view: &View) -> String {
        let scale = if self.logarithmic { ", logarithmic" } else { "" };
        let left_out = match self.left_out {
            0 => String::new(),
            points => format!(" ({points} not above 0 left out)"),
        };
        format!("{}{scale} against {}{left_out}", measure_name(MEASURES[self.place]), view.across.name())
    }

    /// Least and largest value to the right and upwards; none without a point.
    fn bounds(&self) -> Option<[[f64; 2]; 2]> {
        let mut points = self.lines.iter().flatten();
        let &(x, y) = points.next()?;
        let grown = |[low, high]: [f64; 2], value: f64| [low.min(value), high.max(value)];
        Some(points.fold([[x; 2], [y; 2]], |[across, up], &(x, y)| [grown(across, x), grown(up, y)]))
    }
}

/// Draws the curves with a line above them that says what they show.
pub(crate) fn draw(curves: &[Plotted<'_>], view: &View, area: Rect, buffer: &mut Buffer) {
    let drawn = Coordinates::of(curves, view);
    let title = Rect { height: 1.min(area.height), ..area };
    let rest = Rect { y: area.y + title.height, height: area.height - title.height, ..area };
    let Some([across, up]) = drawn.bounds() else {
        Line::raw("nothing was measured yet").render(title, buffer);
        return;
    };
    Line::raw(drawn.title(view)).render(title, buffer);
    let right = if across[1] > 0.0 { across[1] } else { 1.0 };
    let most = usize::from(rest.height / 3).clamp(2, 5);
    let (up, labels) = if drawn.logarithmic { decades(up, most) } else { evenly(up, most.min(3)) };
    let ticks = if rest.width >= 50 { vec![0.0, right / 2.0, right] } else { vec![0.0, right] };
    let x_axis = Axis::default().bounds([0.0, right]).labels(ticks.into_iter().map(|x| view.across.text(x)));
    let y_axis = Axis::default().bounds(up).labels(labels);
    let several = curves.len() > 1;
    let datasets = curves.iter().zip(&drawn.lines).map(|(own, line)| {
        let dataset = Dataset::default().data(line).marker(Marker::Braille).graph_type(GraphType::Line);
        let dataset = dataset.style(own.style);
        if several { dataset.name(own.name.clone()) } else { dataset }
    });
    let chart = Chart::new(datasets.collect()).x_axis(x_axis).y_axis(y_axis);
    let half = (Constraint::Ratio(1, 2), Constraint::Ratio(1, 2));
    let chart = chart.hidden_legend_constraints(half).legend_position(several.then_some(LegendPosition::TopRight));
    chart.render(rest, buffer);
}

/// Bounds at powers of ten (as exponents) around a stretch, and their labels, of which there are at most so many.
fn decades([low, high]: [f64; 2], labels: usize) -> ([f64; 2], Vec<String>) {
    let top = libm::ceil(high);
    let span = (top - libm::floor(low)).max(1.0);
    let step = libm::ceil(span / (labels as f64 - 1.0)).max(1.0);
    let steps = libm::ceil(span / step);
    let bottom = top - steps * step;
    let label = |step_number: usize| {
        let exponent = (bottom + step_number as f64 * step) as i64;
        given(format!("1e{exponent}").parse().unwrap_or(0.0))
    };
    ([bottom, top], (0..=steps as usize).map(label).collect())
}

/// Bounds around a stretch, and labels evenly between them with as many digits as tell them apart.
fn evenly([low, high]: [f64; 2], labels: usize) -> ([f64; 2], Vec<String>) {
    let largest = low.abs().max(high.abs());
    let (low, high) = match high - low > 1e-12 * largest {
        true => (low, high),
        // A constant stands in the middle.
        false if largest == 0.0 => (-1.0, 1.0),
        false => (low - 0.001 * largest, high + 0.001 * largest),
    };
    let digits = libm::ceil(libm::log10(low.abs().max(high.abs()) / (high - low))).max(0.0) as usize + 3;
    let label = |number: usize| {
        let value = low + (high - low) * number as f64 / (labels as f64 - 1.0);
        significant(if value.abs() < 1e-9 * (high - low) { 0.0 } else { value }, digits)
    };
    ([low, high], (0..labels).map(label).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn powers_of_ten_stand_at_equal_steps() {
        assert_eq!(decades([-4.3, 0.2], 3), ([-5.0, 1.0], ["1e-5", "0.01", "10"].map(String::from).to_vec()));
        assert_eq!(
            decades([-8.0, -3.0], 5),
            ([-9.0, -3.0], ["1e-9", "1e-7", "1e-5", "0.001"].map(String::from).to_vec())
        );
        assert_eq!(decades([2.0, 2.0], 2).0, [1.0, 2.0]);
    }

    #[test]
    fn labels_tell_their_values_apart() {
        for (stretch, labels) in
            [([0.0, 1.0], 3), ([15.171, 15.172], 3), ([-3.0, 5e8], 2), ([7.0, 7.0], 3), ([0.0; 2], 2)]
        {
            let (bounds, texts) = evenly(stretch, labels);
            assert!(bounds[0] < bounds[1] && bounds[0] <= stretch[0] && bounds[1] >= stretch[1]);
            assert_eq!(texts.len(), labels);
            assert!(texts.windows(2).all(|pair| pair[0] != pair[1]), "{texts:?}");
        }
    }
}
