//! Many arms of a study are not to be told apart in one frame: they are spread over panels, one per level of one axis,
//! and a line keeps its look in all of them. Knows levels, no drawing.

use super::{Figure, Panel};
use crate::curves::Curve;
use crate::data::{Arm, Collected};
use crate::style::COLORS;
use fedbits_record::study::StudyPlan;
use std::collections::BTreeSet;

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
        let shown: Vec<&[usize]> = arms.iter().map(|arm| &arm.levels[..]).collect();
        let varied = varied(&shown);
        // The axis of the whole study, where the arms shown differ on it: a part of the study looks as the whole does.
        let axis = facet_axis(&shown)?;
        let axis = facet_axis(&all(plan)).filter(|axis| varied.contains(axis)).unwrap_or(axis);
        let levels = distinct(&shown, axis);
        let looks = looks(plan, axis);
        let place = |arm: &Arm| {
            let others = varied.iter().filter(|&&other| other != axis);
            let words: Vec<&str> = others.map(|&other| plan.axes[other].levels[arm.levels[other]].as_str()).collect();
            let style = looks.iter().position(|levels| *levels == without(&arm.levels, axis)).unwrap_or(0);
            let heading = levels.iter().position(|&level| level == arm.levels[axis]).unwrap_or(0);
            (arm.label.clone(), heading, words.join(" / "), style)
        };
        let places = arms.iter().map(place).collect();
        let name = |&level: &usize| format!("{}: {}", plan.axes[axis].name, plan.axes[axis].levels[level]);
        Some(Self { headings: levels.iter().map(name).collect(), places })
    }

    /// A figure whose panels show the same curves over different axes becomes one figure per axis, its curves spread
    /// over panels.
    pub(crate) fn spread(&self, figure: &Figure) -> Vec<Figure> {
        let one = |panel: &Panel| {
            let name = match figure.panels.len() {
                1 => figure.name.clone(),
                _ => format!("{}-{}", figure.data, panel.x.column()),
            };
            let panels = self.headings.iter().enumerate().map(|(number, heading)| Panel {
                heading: Some(heading.clone()),
                curves: panel.curves.iter().filter_map(|curve| self.place(curve, number)).collect(),
                ..panel.clone()
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

/// The levels of all arms of a study.
fn all(plan: &StudyPlan) -> Vec<&[usize]> {
    plan.arms.iter().map(|arm| &arm.levels[..]).collect()
}

/// The different levels of arms on an axis.
fn distinct(arms: &[&[usize]], axis: usize) -> Vec<usize> {
    arms.iter().map(|levels| levels[axis]).collect::<BTreeSet<_>>().into_iter().collect()
}

/// The axes on which arms differ.
fn varied(arms: &[&[usize]]) -> Vec<usize> {
    let axes = arms.first().map_or(0, |levels| levels.len());
    (0..axes).filter(|&axis| distinct(arms, axis).len() > 1).collect()
}

/// The axis whose levels get panels: as few panels as leave few lines in each. `None` when the arms are few or differ
/// on one axis only.
fn facet_axis(arms: &[&[usize]]) -> Option<usize> {
    let varied = varied(arms);
    if arms.len() <= MOST_LINES || varied.len() < 2 {
        return None;
    }
    let count = |axis: usize| distinct(arms, axis).len();
    varied.into_iter().min_by_key(|&axis| (arms.len().div_ceil(count(axis)) > MOST_LINES, count(axis)))
}

/// The look of every arm of a study, outside of panels by level: its place in the study; where the whole would be
/// spread over panels, the colour that its line has there, with a dash and a marker for the level of its panel.
pub(crate) fn styles(plan: &StudyPlan) -> Vec<usize> {
    let numbers = (0..plan.arms.len()).collect();
    let Some(axis) = facet_axis(&all(plan)) else { return numbers };
    let looks = looks(plan, axis);
    if looks.len() > COLORS {
        return numbers;
    }
    let look = |levels: &[usize]| looks.iter().position(|own| *own == without(levels, axis)).unwrap_or(0);
    plan.arms.iter().map(|arm| look(&arm.levels) + COLORS * arm.levels[axis]).collect()
}

/// The levels on all axes but this one, each combination once, in the order of the plan: what a line of any panel
/// stands for. They do not depend on which arms are shown.
fn looks(plan: &StudyPlan, axis: usize) -> Vec<Vec<usize>> {
    let mut looks: Vec<Vec<usize>> = Vec::new();
    for levels in plan.arms.iter().map(|arm| without(&arm.levels, axis)) {
        if !looks.contains(&levels) {
            looks.push(levels);
        }
    }
    looks
}

/// The levels without that of one axis.
fn without(levels: &[usize], axis: usize) -> Vec<usize> {
    levels.iter().enumerate().filter(|(other, _)| *other != axis).map(|(_, &level)| level).collect()
}
