//! An axis of a plan to the right, and the lines over it: one per combination of levels of the other axes. Knows plans,
//! no drawing.

use super::levels::Positions;
use crate::data::{Arm, PlannedRuns};
use crate::error::ReportError;
use crate::looks::{all, distinct, varied};
use crate::text::each_once;

/// At most this many lines share a frame, where another axis can spread them.
const MAX_LINES: usize = 8;

/// What is to the right.
pub(crate) struct Across {
    pub axis: usize,
    /// By level of the axis where it stands; NaN of one that is not shown, or without a value.
    pub at: Vec<f64>,
    pub positions: Positions,
    /// Whether levels are points of a search, which make no line.
    pub is_search: bool,
}

impl Across {
    /// None where the arms do not differ on the axis, or without a name on any.
    pub(crate) fn of(planned: &PlannedRuns, arms: &[Arm], name: Option<&str>) -> Result<Option<Self>, ReportError> {
        let axes = &planned.plan.axes;
        let shown: Vec<&[usize]> = arms.iter().map(|arm| &arm.levels[..]).collect();
        let varied = varied(&shown);
        let of_number = |axis: usize| Self::new(axes[axis].name.clone(), axis, &axes[axis].levels, &shown);
        let Some(name) = name else {
            let plain = varied.iter().filter(|&&axis| axes[axis].values.is_empty()).map(|&axis| of_number(axis));
            // Of the axes of numbers that with the most levels, the first of several; else the first axis.
            let rank = |across: &Self| if across.positions.is_number { across.positions.ticks.len() } else { 0 };
            return Ok(plain.reduce(|best, next| if rank(&next) > rank(&best) { next } else { best }));
        };
        let of_path = |axis: usize| {
            let path = axes[axis].paths.iter().position(|path| path == name)?;
            let values = axes[axis].values.get(path)?;
            let number = planned.plan.searched().iter().position(|searched| *searched == name)?;
            let exists = |arm: &usize| planned.plan.point(*arm)[number].is_some();
            let there = (0..planned.plan.arms.len()).filter(exists).map(|arm| &planned.plan.arms[arm].levels[..]);
            let there: Vec<&[usize]> = there.filter(|levels| shown.contains(levels)).collect();
            Some(Self { is_search: true, ..Self::new(name.to_owned(), axis, values, &there) })
        };
        let of_axis = axes.iter().position(|axis| axis.name == name).map(of_number);
        let found = of_axis.or_else(|| (0..axes.len()).find_map(of_path));
        let searched = axes.iter().filter(|axis| !axis.values.is_empty()).flat_map(|axis| &axis.paths);
        let known = axes.iter().map(|axis| &axis.name).chain(searched).map(String::as_str);
        let unknown = || ReportError::unknown("axis", name, known);
        found.ok_or_else(unknown).map(|across| Some(across).filter(|across| varied.contains(&across.axis)))
    }

    fn new(name: String, axis: usize, texts: &[String], shown: &[&[usize]]) -> Self {
        let levels = distinct(shown, axis);
        let names: Vec<&str> = levels.iter().map(|&level| texts[level].as_str()).collect();
        let positions = Positions::of(&name, &names);
        let mut at = vec![f64::NAN; texts.len()];
        levels.iter().zip(&positions.at).for_each(|(&level, &place)| at[level] = place);
        Self { axis, at, positions, is_search: false }
    }
}

pub(crate) struct LinesFrame {
    pub heading: Option<String>,
    /// Label, style, and the numbers of its arms.
    pub lines: Vec<(String, usize, Vec<usize>)>,
}

/// A line for each combination of levels on the other axes; many of them are spread over frames by one more axis.
pub(crate) fn frames(planned: &PlannedRuns, arms: &[Arm], axis: usize) -> Vec<LinesFrame> {
    let plan = &planned.plan;
    let shown: Vec<&[usize]> = arms.iter().map(|arm| &arm.levels[..]).collect();
    let rest: Vec<usize> = varied(&shown).into_iter().filter(|&number| number != axis).collect();
    let count = |axes: &[usize]| axes.iter().map(|&number| distinct(&shown, number).len()).product::<usize>();
    let lines = count(&rest);
    let many = |number: usize| (lines.div_ceil(count(&[number])) > MAX_LINES, count(&[number]));
    let apart = rest.iter().copied().filter(|_| lines > MAX_LINES && rest.len() > 1).min_by_key(|&axis| many(axis));
    let of_lines: Vec<usize> = rest.into_iter().filter(|&number| Some(number) != apart).collect();
    let key = |levels: &[usize]| of_lines.iter().map(|&number| levels[number]).collect::<Vec<usize>>();
    let keys = each_once(all(plan).into_iter().map(key));
    let words = |key: &[usize]| {
        let there = of_lines.iter().zip(key).filter(|(axis, level)| plan.axes[**axis].absent != Some(**level));
        there.map(|(&axis, &level)| plan.axes[axis].levels[level].as_str()).collect::<Vec<_>>().join(" / ")
    };
    let frame = |level: Option<usize>| {
        let of = |key_of: &Vec<usize>| -> Vec<usize> {
            let here = |arm: &Arm| apart.is_none_or(|apart| Some(arm.levels[apart]) == level);
            (0..arms.len()).filter(|&arm| here(&arms[arm]) && key(&arms[arm].levels) == *key_of).collect()
        };
        let line = |(style, key): (usize, &Vec<usize>)| (words(key), style, of(key));
        let lines = keys.iter().enumerate().map(line).filter(|(.., arms)| !arms.is_empty()).collect();
        let axis = apart.map(|apart| &plan.axes[apart]);
        let heading = axis.zip(level).map(|(axis, level)| format!("{}: {}", axis.name, axis.levels[level]));
        LinesFrame { heading, lines }
    };
    match apart {
        None => vec![frame(None)],
        Some(apart) => distinct(&shown, apart).into_iter().map(|level| frame(Some(level))).collect(),
    }
}
