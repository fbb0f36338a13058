//! The kinds of figures. Each turns arms into a [`Figure`]: panels, axes and curves as data, drawn by [`panels`].

pub(crate) mod bars;
pub(crate) mod cells;
mod clip;
pub(crate) mod convergence;
pub(crate) mod facets;
pub(crate) mod gap;
pub(crate) mod heat;
pub(crate) mod held_out;
pub(crate) mod layout;
pub(crate) mod ledger;
pub(crate) mod left_out;
pub(crate) mod links;
mod marks;
pub(crate) mod panels;
pub(crate) mod parameters;
pub(crate) mod pareto;
pub(crate) mod predictive;
pub(crate) mod predictive_panels;
pub(crate) mod purposes;
pub(crate) mod round_time;
pub(crate) mod scatter;
pub(crate) mod time;
pub(crate) mod topology;
pub(crate) mod trend;
pub(crate) mod trend_panels;

use crate::axes::{Scale, scale};
use crate::curves::{Curve, XAxis};
use crate::options::XScale;
use crate::text::Rich;

/// One drawing: panels that share the vertical axis, and those over the same quantity their horizontal one.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Figure {
    /// File name without ending.
    pub name: String,
    /// File name of the data without ending; figures of one quantity share it.
    pub data: String,
    pub y_label: Rich,
    /// The vertical axis in words, for the caption.
    pub y_words: String,
    pub y_scale: Scale,
    /// What the vertical axis shows, where that is not everything.
    pub window: Option<Window>,
    pub panels: Vec<Panel>,
    /// Whether panels over the same quantity have horizontal axes of their own.
    pub free_x: bool,
    /// What must be known about this figure beyond the runs' caveats.
    pub notes: Vec<String>,
}

/// A part of the vertical axis.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Window {
    pub low: f64,
    pub high: f64,
    /// How it was chosen: "the frame holds …".
    pub rule: String,
}

/// One frame.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Panel {
    /// What tells this panel from the others when it is not the horizontal axis.
    pub heading: Option<String>,
    pub x: XAxis,
    /// Set by [`Figure::with_axes`].
    pub x_scale: Scale,
    pub curves: Vec<Curve>,
}

impl Panel {
    /// A frame with these lines, without a heading.
    pub(crate) fn new(x: XAxis, curves: &[Curve]) -> Self {
        Self { heading: None, x, x_scale: Scale::Linear, curves: curves.to_vec() }
    }

    /// Where its lines end.
    fn ends(&self) -> impl Iterator<Item = f64> {
        self.curves.iter().filter_map(|curve| curve.points.last()).map(|point| point.at(self.x))
    }
}

impl Figure {
    /// The figure with the scales of its horizontal axes, and with notes on what has no place in its frames.
    pub(crate) fn with_axes(mut self, choice: XScale, free_x: bool) -> Self {
        self.free_x = free_x;
        let scales: Vec<Scale> =
            self.panels.iter().map(|panel| scale(self.beside(panel).flat_map(Panel::ends), choice)).collect();
        self.panels.iter_mut().zip(scales).for_each(|(panel, scale)| panel.x_scale = scale);
        self.notes.extend(left_out::notes(&self));
        self
    }

    /// The panels that share their horizontal axis with this one, itself among them.
    pub(crate) fn beside(&self, panel: &Panel) -> impl Iterator<Item = &Panel> {
        let (free, x, panel) = (self.free_x, panel.x, std::ptr::from_ref(panel));
        let shares = move |other: &&Panel| if free { std::ptr::eq(*other, panel) } else { other.x == x };
        self.panels.iter().filter(shares)
    }

    /// The curves to explain in the legend: each label once.
    pub(crate) fn legend(&self) -> Vec<&Curve> {
        let mut entries: Vec<&Curve> = Vec::new();
        for curve in self.panels.iter().flat_map(|panel| &panel.curves) {
            if entries.iter().all(|entry| entry.label != curve.label) {
                entries.push(curve);
            }
        }
        entries
    }
}
