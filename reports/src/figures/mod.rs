//! The kinds of figures. Each turns arms into a [`Figure`]: panels, axes and curves as data, drawn by [`panels`].

pub(crate) mod bars;
pub(crate) mod cells;
pub(crate) mod convergence;
pub(crate) mod facets;
pub(crate) mod gap;
pub(crate) mod heat;
pub(crate) mod held_out;
pub(crate) mod layout;
pub(crate) mod ledger;
pub(crate) mod links;
mod marks;
pub(crate) mod panels;
pub(crate) mod parameters;
pub(crate) mod pareto;
pub(crate) mod predictive;
pub(crate) mod purposes;
pub(crate) mod round_time;
pub(crate) mod scatter;
pub(crate) mod time;
pub(crate) mod topology;
pub(crate) mod trend;
pub(crate) mod trend_panels;

use crate::axes::Scale;
use crate::curves::{Curve, XAxis};
use crate::text::Rich;

/// One drawing: panels that share the vertical axis.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Figure {
    /// File name without ending.
    pub name: String,
    /// File name of the data without ending; figures of one quantity share it.
    pub data: String,
    pub y_label: Rich,
    /// The vertical axis in words, for the caption.
    pub y_words: String,
    pub y_scale: Scale,
    pub panels: Vec<Panel>,
    /// What must be known about this figure beyond the runs' caveats.
    pub notes: Vec<String>,
}

/// One frame.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Panel {
    /// What tells this panel from the others when it is not the horizontal axis.
    pub heading: Option<String>,
    pub x: XAxis,
    pub x_scale: Scale,
    pub curves: Vec<Curve>,
}

impl Figure {
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
