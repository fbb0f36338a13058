//! Many arms of a study are not to be told apart in one frame: they are spread over panels, one per level of one axis, and a line
//! keeps its look in all of them. Knows levels, no drawing.

use super::{Figure, Panel};
use crate::curves::Curve;
use crate::data::Collected;

/// Up to so many lines share a frame.
const MOST_LINES: usize = 8;

/// Where the lines of a study's arms go.
pub(crate) struct Facets {
    headings: Vec<String>,
    /// By arm: label in figures, number of the heading, label within a panel, style.
    places: Vec<(String, usize, String, usize)>,
}

impl Facets {
    /// `None` when the arms are few, or are those of no study with several axes.
    pub(crate) fn of(collected: &Collected) -> Option<Self> {
        let plan = &collected.study.as_ref()?.plan;
        let arms = &collected.arms;
        let distinct = |axis: usize| {
            let mut levels: Vec<usize> = arms.iter().map(|arm| arm.levels[axis]).collect();
            levels.sort_unstable();
            levels.dedup();
            levels
        };
        let varied: Vec<usize> = (0..plan.axes.len()).filter(|&axis| distinct(axis).len() > 1).collect();
        if arms.len() <= MOST_LINES || varied.len() < 2 {
            return None;
        }
        let lines = |axis: usize| arms.len().div_ceil(distinct(axis).len());
        // As few panels as leave few lines in each.
        let by_panels = || varied.iter().copied().min_by_key(|&axis| (lines(axis) > MOST_LINES, distinct(axis).len()));
        let axis = by_panels()?;
        let levels = distinct(axis);
        let mut known: Vec<String> = Vec::new();
        let mut place = |arm: &crate::data::Arm| {
            let others = varied.iter().filter(|&&other| other != axis);
            let words: Vec<&str> = others.map(|&other| plan.axes[other].levels[arm.levels[other]].as_str()).collect();
            let label = words.join(" / ");
            let style = known.iter().position(|own| *own == label).unwrap_or_else(|| {
                known.push(label.clone());
                known.len() - 1
            });
            let heading = levels.iter().position(|&level| level == arm.levels[axis]).unwrap_or(0);
            (arm.label.clone(), heading, label, style)
        };
        let places = arms.iter().map(&mut place).collect();
        let name = |&level: &usize| format!("{}: {}", plan.axes[axis].name, plan.axes[axis].levels[level]);
        Some(Self { headings: levels.iter().map(name).collect(), places })
    }

    /// A figure whose panels show the same curves over different axes becomes one figure per axis, its curves spread over panels.
    pub(crate) fn spread(&self, figure: &Figure) -> Vec<Figure> {
        let one = |panel: &Panel| {
            let name = match figure.panels.len() {
                1 => figure.name.clone(),
                _ => format!("{}-{}", figure.data, panel.x.column()),
            };
            let panels = self.headings.iter().enumerate().map(|(number, heading)| Panel {
                heading: Some(heading.clone()),
                x: panel.x,
                x_scale: panel.x_scale,
                curves: panel.curves.iter().filter_map(|curve| self.place(curve, number)).collect(),
            });
            Figure { name, panels: panels.filter(|panel| !panel.curves.is_empty()).collect(), ..figure.clone() }
        };
        figure.panels.iter().map(one).collect()
    }

    /// The curve as it stands in the panel of that number, if it belongs there.
    fn place(&self, curve: &Curve, number: usize) -> Option<Curve> {
        let (_, heading, label, style) = self.places.iter().find(|(label, ..)| *label == curve.label)?;
        (*heading == number).then(|| Curve { label: label.clone(), style: *style, ..curve.clone() })
    }
}
