//! Many arms are not to be distinguished in one frame: they are spread over panels, one per level of one axis, and a
//! line keeps its look in all of them. Knows levels, no drawing.

use super::figure::{Figure, Panel as LinePanel};
use crate::curves::Curve;
use crate::data::{Arm, Collected};
use crate::layout::{Entry, Panel, Shape, Side};
use crate::looks::{all, facet_axis, looks, varied, without};
use crate::style::{COLORS, LineStyle};
use crate::text::each_once_by;
use crate::words::file_name;
use fedbits_record::results::RunPlan;
use std::collections::BTreeSet;

/// Where the lines of arms go.
pub(crate) struct Facets {
    frames: Vec<ArmsFrame>,
    /// By arm: its label in figures.
    labels: Vec<String>,
}

#[derive(Clone)]
pub(crate) struct ArmsFrame {
    pub heading: Option<String>,
    /// Number among the arms shown, label within the frame, style.
    pub arms: Vec<(usize, String, usize)>,
}

impl Facets {
    /// `None` when the arms are few, of several folders, or on fewer than two axes.
    pub(crate) fn of(collected: &Collected) -> Option<Self> {
        let plan = &collected.planned.as_ref()?.plan;
        let shown: Vec<&[usize]> = collected.arms.iter().map(|arm| &arm.levels[..]).collect();
        let axis = facet_axis(&shown)?;
        // The axis of the whole plan, where the arms shown differ on it: a part of the arms looks as the whole does.
        let of_plan = facet_axis(&all(plan)).filter(|axis| varied(&shown).contains(axis));
        Some(Self::on(&collected.arms, plan, of_plan.unwrap_or(axis)))
    }

    /// A panel for each level of this axis that the arms have; last, one for each set of several that arms shown as one
    /// have. An arm under another label keeps it, and has a look of its own.
    pub(crate) fn on(arms: &[Arm], plan: &RunPlan, axis: usize) -> Self {
        let shown: Vec<&[usize]> = arms.iter().map(|arm| &arm.levels[..]).collect();
        let varied = varied(&shown);
        let mut headings: Vec<BTreeSet<usize>> = arms.iter().map(|arm| arm.levels_on(axis)).collect();
        headings.sort_by_key(|levels| (levels.len(), levels.clone()));
        headings.dedup();
        let looks = looks(plan, axis);
        // In the colours of the arms.
        let beyond = COLORS * looks.len().div_ceil(COLORS);
        let located = |(number, arm): (usize, &Arm)| {
            let there = |other: usize| plan.axes[other].absent != Some(arm.levels[other]);
            let axes = varied.iter().filter(|&&other| other != axis && there(other));
            let words: Vec<&str> = axes.map(|&other| plan.axes[other].levels[arm.levels[other]].as_str()).collect();
            let style = looks.iter().position(|levels| *levels == without(&arm.levels, axis)).unwrap_or(0);
            match arm.is_one() && arm.label == arm.name {
                true => (number, words.join(" / "), style),
                false => (number, arm.label.clone(), beyond + arm.style),
            }
        };
        let frame = |levels: &BTreeSet<usize>| {
            let names: Vec<&str> = levels.iter().map(|&level| plan.axes[axis].levels[level].as_str()).collect();
            let heading = Some(format!("{}: {}", plan.axes[axis].name, names.join(", ")));
            let members = arms.iter().enumerate().filter(|(_, arm)| arm.levels_on(axis) == *levels);
            ArmsFrame { heading, arms: members.map(located).collect() }
        };
        let labels = arms.iter().map(|arm| arm.label.clone()).collect();
        Self { frames: headings.iter().map(frame).collect(), labels }
    }

    pub(crate) fn frames(&self) -> Vec<ArmsFrame> {
        self.frames.clone()
    }

    /// A figure whose panels show the arms over different axes, or in different quantities, becomes one figure for each
    /// of them, its curves spread over panels.
    pub(crate) fn spread(&self, figure: &Figure) -> Vec<Figure> {
        let one = |panel: &LinePanel| {
            let quantity = file_name(&figure.vertical(panel).name);
            let data =
                if figure.verticals.len() > 1 { format!("{}-{quantity}", figure.data) } else { figure.data.clone() };
            let name = match figure.panels.len() {
                1 => figure.name.clone(),
                _ => format!("{data}-{}", panel.x.column()),
            };
            let panels = self.frames.iter().map(|frame| LinePanel {
                heading: frame.heading.clone(),
                curves: panel.curves.iter().filter_map(|curve| self.within(frame, curve)).collect(),
                ..panel.clone()
            });
            Figure { name, data, panels: panels.filter(|panel| !panel.curves.is_empty()).collect(), ..figure.clone() }
        };
        figure.panels.iter().map(one).collect()
    }

    /// The curve as it stands in a frame, if it belongs there.
    fn within(&self, frame: &ArmsFrame, curve: &Curve) -> Option<Curve> {
        let (_, label, style) = frame.arms.iter().find(|(arm, ..)| self.labels[*arm] == curve.arm)?;
        Some(curve.clone().named(label, *style))
    }
}

/// A panel for each frame, upwards a share; of each arm, by its number and its style, these shapes.
pub(crate) fn share_panels(
    frames: &[ArmsFrame],
    x: &Side,
    share: &str,
    shapes: impl Fn(usize, usize) -> Vec<Shape>,
) -> Vec<Panel> {
    let panel = |frame: &ArmsFrame| {
        let y = Side { holds: vec![0.0, 1.0], tight: true, ..Side::new(share) };
        let shapes = frame.arms.iter().flat_map(|(arm, _, style)| shapes(*arm, *style));
        Panel { heading: frame.heading.clone(), ..Panel::new(x.clone(), y, shapes) }
    };
    frames.iter().map(panel).collect()
}

/// Each label of the frames once, but for arms of which nothing is shown.
pub(crate) fn entries(frames: &[ArmsFrame], is_shown: impl Fn(usize) -> bool) -> Vec<Entry> {
    let arms = frames.iter().flat_map(|frame| &frame.arms).filter(|(arm, ..)| is_shown(*arm));
    let entries = arms.map(|(_, label, style)| Entry::line(label, LineStyle::of(*style)));
    each_once_by(entries, |one, other| one.words == other.words)
}
