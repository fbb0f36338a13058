//! Which levels the arms of a plan have, and the look of each arm that follows from them. Knows plans, no runs.

use crate::style::{ALL_LOOKS, COLORS, LOOKS};
use crate::text::each_once;
use fedbits_record::results::RunPlan;
use std::collections::BTreeSet;

/// At most this many lines share a frame.
const MAX_LINES: usize = 8;

/// The levels of all arms of a plan.
pub(crate) fn all(plan: &RunPlan) -> Vec<&[usize]> {
    plan.arms.iter().map(|arm| &arm.levels[..]).collect()
}

/// The different levels of arms on an axis.
pub(crate) fn distinct(arms: &[&[usize]], axis: usize) -> Vec<usize> {
    arms.iter().map(|levels| levels[axis]).collect::<BTreeSet<_>>().into_iter().collect()
}

/// The axes on which arms differ.
pub(crate) fn varied(arms: &[&[usize]]) -> Vec<usize> {
    let axes = arms.first().map_or(0, |levels| levels.len());
    (0..axes).filter(|&axis| distinct(arms, axis).len() > 1).collect()
}

/// The axis whose levels get panels: as few panels as leave few lines in each. `None` when the arms are few or differ
/// on one axis only.
pub(crate) fn facet_axis(arms: &[&[usize]]) -> Option<usize> {
    let varied = varied(arms);
    if arms.len() <= MAX_LINES || varied.len() < 2 {
        return None;
    }
    let count = |axis: usize| distinct(arms, axis).len();
    varied.into_iter().min_by_key(|&axis| (arms.len().div_ceil(count(axis)) > MAX_LINES, count(axis)))
}

/// The look of every arm of a plan, outside of panels by level: its position in the plan. Where the whole would be
/// spread over panels, it has the colour of its line there, with a dash and a marker for the level of its panel.
pub(crate) fn styles(plan: &RunPlan) -> Vec<usize> {
    let numbers = (0..plan.arms.len()).collect();
    let Some(axis) = facet_axis(&all(plan)) else { return numbers };
    let looks = looks(plan, axis);
    // A colour has so many dashes and markers.
    if looks.len() > COLORS || plan.axes[axis].levels.len() > ALL_LOOKS / COLORS {
        return numbers;
    }
    let look = |levels: &[usize]| looks.iter().position(|known| *known == without(levels, axis)).unwrap_or(0);
    plan.arms.iter().map(|arm| look(&arm.levels) + COLORS * arm.levels[axis]).collect()
}

/// The levels on all axes but this one, each combination once, in the order of the plan: what a line of any panel
/// stands for. They do not depend on which arms are shown.
pub(crate) fn looks(plan: &RunPlan, axis: usize) -> Vec<Vec<usize>> {
    each_once(plan.arms.iter().map(|arm| without(&arm.levels, axis)))
}

/// The levels without that of one axis.
pub(crate) fn without(levels: &[usize], axis: usize) -> Vec<usize> {
    levels.iter().enumerate().filter(|(number, _)| *number != axis).map(|(_, &level)| level).collect()
}

/// Different looks for the arms of frames, by their numbers, which share a legend. They differ in colour or dash, those
/// of a frame in colour as far as there are so many. An arm whose look an earlier one has takes the first that is free.
pub(crate) fn part_looks(styles: &mut [usize], frames: &[Vec<usize>]) {
    let shown: BTreeSet<usize> = frames.iter().flatten().copied().collect();
    for &arm in &shown {
        let is_taken = |number: usize, style: usize, looks: usize| styles[number] % looks == style % looks;
        let of_frame = |style: usize, frame: &Vec<usize>| {
            let looks = if frame.len() <= COLORS { COLORS } else { LOOKS };
            frame.iter().any(|&number| number < arm && is_taken(number, style, looks))
        };
        let in_frames = |style: &usize| !frames.iter().any(|frame| frame.contains(&arm) && of_frame(*style, frame));
        let in_legend = |style: &usize| !shown.range(..arm).any(|&number| is_taken(number, *style, LOOKS));
        let is_free = |style: &usize| in_frames(style) && in_legend(style);
        if is_free(&styles[arm]) {
            continue;
        }
        let in_frames_alone = || (0..LOOKS).find(in_frames).filter(|_| !in_frames(&styles[arm]));
        // Of more arms than there are colours with dashes, markers differ.
        let is_alone = |style: &usize| !shown.range(..arm).any(|&number| is_taken(number, *style, ALL_LOOKS));
        let alone = || (0..ALL_LOOKS).find(is_alone).filter(|_| !is_alone(&styles[arm]));
        if let Some(style) = (0..LOOKS).find(is_free).or_else(in_frames_alone).or_else(alone) {
            styles[arm] = style;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{ALL_LOOKS, COLORS, LOOKS, part_looks};
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    proptest! {
        /// Up to seven arms of a frame have different colours, and keep those that were different.
        #[test]
        fn arms_of_a_frame_have_different_colors(mut styles in prop::collection::vec(0usize..99, 1..=COLORS)) {
            let before = styles.clone();
            let frame = (0..styles.len()).collect();
            part_looks(&mut styles, &[frame]);
            let colors = |styles: &[usize]| styles.iter().map(|style| style % COLORS).collect::<BTreeSet<usize>>();
            prop_assert_eq!(colors(&styles).len(), styles.len());
            prop_assert!(colors(&before).len() < before.len() || styles == before);
        }

        /// More arms differ at least in their markers.
        #[test]
        fn very_many_arms_differ(mut styles in prop::collection::vec(0usize..999, LOOKS..=2 * LOOKS)) {
            let frame = (0..styles.len()).collect();
            part_looks(&mut styles, &[frame]);
            let looks: BTreeSet<usize> = styles.iter().map(|style| style % ALL_LOOKS).collect();
            prop_assert_eq!(looks.len(), styles.len());
        }

        /// Up to 35 arms of a frame differ in colour or dash, and so do arms of several frames, which share a legend.
        #[test]
        fn arms_of_a_legend_differ(
            mut styles in prop::collection::vec(0usize..199, 1..=LOOKS),
            frame in 1usize..=COLORS,
            is_split in any::<bool>(),
        ) {
            styles.truncate(if is_split { 20 } else { LOOKS });
            let all: Vec<usize> = (0..styles.len()).collect();
            let in_frame = if is_split { frame } else { LOOKS };
            let frames: Vec<Vec<usize>> = all.chunks(in_frame).map(<[usize]>::to_vec).collect();
            part_looks(&mut styles, &frames);
            let looks: BTreeSet<usize> = styles.iter().map(|style| style % LOOKS).collect();
            prop_assert_eq!(looks.len(), styles.len());
            let before = styles.clone();
            part_looks(&mut styles, &[]);
            prop_assert_eq!(&styles, &before, "arms of no frame keep their looks");
            for frame in frames.iter().filter(|frame| frame.len() <= COLORS) {
                let colors: BTreeSet<usize> = frame.iter().map(|&arm| styles[arm] % COLORS).collect();
                prop_assert_eq!(colors.len(), frame.len());
            }
        }
    }
}
