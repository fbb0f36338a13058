//! Many arms are not to be distinguished in one frame: they are spread over panels, one per level of one axis, and a
//! line keeps its look in all of them. Knows levels, no drawing.

use super::figure::{Figure, Panel};
use crate::curves::Curve;
use crate::data::{Arm, Collected};
use crate::layout::Entry;
use crate::looks::{all, facet_axis, looks, varied, without};
use crate::style::{COLORS, LineStyle};
use crate::words::file_name;
use fedbits_record::results::RunPlan;
use std::collections::BTreeSet;

/// Where the lines of arms go.
pub(crate) struct Facets {
    headings: Vec<String>,
    /// By arm: label in figures, number of the heading, label within a panel, style.
    panels_of_arms: Vec<(String, usize, String, usize)>,
}

/// The arms of a frame.
pub(crate) struct ArmsFrame {
    pub heading: Option<String>,
    /// Number among the arms shown, label within the frame, style.
    pub arms: Vec<(usize, String, usize)>,
}

impl Facets {
    /// `None` when the arms are few, of several folders, or on fewer than two axes.
    pub(crate) fn of(collected: &Collected) -> Option<Self> {
        let plan = &collected.planned.as_ref()?.plan;
        let arms = &collected.arms;
        let shown: Vec<&[usize]> = arms.iter().map(|arm| &arm.levels[..]).collect();
        let varied = varied(&shown);
        // The axis of the whole plan, where the arms shown differ on it: a part of the arms looks as the whole does.
        let axis = facet_axis(&shown)?;
        let axis = facet_axis(&all(plan)).filter(|axis| varied.contains(axis)).unwrap_or(axis);
        Some(Self::on(collected, plan, axis))
    }

    /// A panel for each level of this axis that the arms have; last, one for each set of several that arms shown as one
    /// have. An arm under another label keeps it, and has a look of its own.
    pub(crate) fn on(collected: &Collected, plan: &RunPlan, axis: usize) -> Self {
        let arms = &collected.arms;
        let shown: Vec<&[usize]> = arms.iter().map(|arm| &arm.levels[..]).collect();
        let varied = varied(&shown);
        let mut headings: Vec<BTreeSet<usize>> = arms.iter().map(|arm| arm.levels_on(axis)).collect();
        headings.sort_by_key(|levels| (levels.len(), levels.clone()));
        headings.dedup();
        let looks = looks(plan, axis);
        // In the colours of the arms.
        let beyond = COLORS * looks.len().div_ceil(COLORS);
        let locate = |arm: &Arm| {
            let there = |other: usize| plan.axes[other].absent != Some(arm.levels[other]);
            let others = varied.iter().filter(|&&other| other != axis && there(other));
            let words: Vec<&str> = others.map(|&other| plan.axes[other].levels[arm.levels[other]].as_str()).collect();
            let style = looks.iter().position(|levels| *levels == without(&arm.levels, axis)).unwrap_or(0);
            let heading = headings.iter().position(|levels| *levels == arm.levels_on(axis)).unwrap_or(0);
            match arm.is_one() && arm.label == arm.name {
                true => (arm.label.clone(), heading, words.join(" / "), style),
                false => (arm.label.clone(), heading, arm.label.clone(), beyond + arm.style),
            }
        };
        let panels_of_arms = arms.iter().map(locate).collect();
        let name = |levels: &BTreeSet<usize>| {
            let levels: Vec<&str> = levels.iter().map(|&level| plan.axes[axis].levels[level].as_str()).collect();
            format!("{}: {}", plan.axes[axis].name, levels.join(", "))
        };
        Self { headings: headings.iter().map(name).collect(), panels_of_arms }
    }

    /// The arms of each panel: its heading, and number, label and style of each.
    pub(crate) fn frames(&self) -> Vec<ArmsFrame> {
        let of = |(number, heading): (usize, &String)| {
            let arms = self.panels_of_arms.iter().enumerate().filter(|(_, own)| own.1 == number);
            let arms = arms.map(|(arm, (_, _, label, style))| (arm, label.clone(), *style)).collect();
            ArmsFrame { heading: Some(heading.clone()), arms }
        };
        self.headings.iter().enumerate().map(of).filter(|frame| !frame.arms.is_empty()).collect()
    }

    /// A figure whose panels show the arms over different axes, or in different quantities, becomes one figure for each
    /// of them, its curves spread over panels.
    pub(crate) fn spread(&self, figure: &Figure) -> Vec<Figure> {
        let one = |panel: &Panel| {
            let quantity = file_name(&figure.vertical(panel).name);
            let data =
                if figure.verticals.len() > 1 { format!("{}-{quantity}", figure.data) } else { figure.data.clone() };
            let name = match figure.panels.len() {
                1 => figure.name.clone(),
                _ => format!("{data}-{}", panel.x.column()),
            };
            let panels = self.headings.iter().enumerate().map(|(number, heading)| Panel {
                heading: Some(heading.clone()),
                curves: panel.curves.iter().filter_map(|curve| self.locate(curve, number)).collect(),
                ..panel.clone()
            });
            Figure { name, data, panels: panels.filter(|panel| !panel.curves.is_empty()).collect(), ..figure.clone() }
        };
        figure.panels.iter().map(one).collect()
    }

    /// The curve as it stands in the panel of that number, if it belongs there.
    fn locate(&self, curve: &Curve, number: usize) -> Option<Curve> {
        let (_, heading, label, style) = self.panels_of_arms.iter().find(|(label, ..)| *label == curve.arm)?;
        (*heading == number).then(|| curve.clone().named(label, *style))
    }
}
/// Each label of the frames once, but for arms of which nothing is shown.
pub(crate) fn entries(frames: &[ArmsFrame], is_shown: impl Fn(usize) -> bool) -> Vec<Entry> {
    let mut entries: Vec<Entry> = Vec::new();
    for (_, label, style) in frames.iter().flat_map(|frame| &frame.arms).filter(|(arm, ..)| is_shown(*arm)) {
        if entries.iter().all(|entry| entry.words != *label) {
            entries.push(Entry::line(label, LineStyle::of(*style)));
        }
    }
    entries
}
