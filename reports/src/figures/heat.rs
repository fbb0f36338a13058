//! What if? What it takes to reach a target over two axes: medians over replicates, a panel per cost. Drawn by
//! [`super::cells`].

use super::cells::{self, Cell, CellPanel, HeatMap, Side};
use super::units::heading;
use crate::compare::{Measure, Quantity, Samples, Shared, kaplan_meier_median, short_form};
use crate::data::PlannedRuns;
use crate::error::ReportError;
use crate::kind::{About, FigureKind};
use crate::looks::all;
use crate::report::{Drawing, Report};
use crate::words::{file_name, first_few, target_words};
use fedbits_figures::Heat as Setting;
use fedbits_record::results::{PlanAxis, PlanTarget};
use fedbits_record::{Float, RecordError, Table};
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// The kind of figure.
pub(crate) struct HeatMaps;

impl FigureKind for HeatMaps {
    fn about(&self) -> About {
        About {
            name: "heat-TARGET",
            title: "what it takes to reach a target over two axes: bits, time, rounds",
            needs: "a scenario with two axes that vary",
        }
    }

    fn draw(&self, report: &Report<'_>) -> Result<Vec<Drawing>, ReportError> {
        draw(report, &Setting::default())
    }
}

/// Draws the heat maps of a declaration.
///
/// # Errors
/// [`ReportError`]: an axis that the plan does not have.
pub(crate) fn draw(report: &Report<'_>, setting: &Setting) -> Result<Vec<Drawing>, ReportError> {
    let draw = |heat: HeatMap| {
        report.drawing(
            (&heat.name, &heat.name),
            cells::draw(&heat, &report.look, &report.metrics),
            |comments| heat.csv(comments),
            report.words(&heat.caption(), &heat.words()).with_caveats(heat.caveats.iter().cloned()),
        )
    };
    heats(report, setting)?.into_iter().map(draw).collect()
}

/// The heat maps of two axes that vary: one per target, or one of the end of the runs when there are none.
fn heats(report: &Report<'_>, setting: &Setting) -> Result<Vec<HeatMap>, ReportError> {
    let Some(planned) = &report.collected.planned else { return Ok(Vec::new()) };
    let Some((rows, columns)) = sides(planned, setting)? else { return Ok(Vec::new()) };
    let samples = report.samples();
    let plan = &planned.plan;
    let two = [rows, columns].map(|axis| (axis, plan.axes[axis].absent));
    let held = held(&all(plan), &plan.arms[plan.baseline].levels, two);
    let map = Map { planned, samples, rows, columns, held };
    let shared = Shared::of(samples, map.arms());
    if shared.is_empty() {
        return Ok(Vec::new());
    }
    if samples.targets.is_empty() {
        return Ok(map.heat(&shared, None, "heat-end").into_iter().collect());
    }
    let target = |(number, target): (usize, &PlanTarget)| {
        map.heat(&shared, Some(number), &format!("heat-{}", target.column_name()))
    };
    Ok(samples.targets.iter().enumerate().filter_map(target).collect())
}

/// Numbers of the axes for rows and columns. Of the first two that vary the one with more levels stands upright.
fn sides(planned: &PlannedRuns, setting: &Setting) -> Result<Option<(usize, usize)>, ReportError> {
    let own = &planned.plan.axes;
    let (Some(rows), Some(columns)) = (&setting.rows, &setting.columns) else {
        // The points of a search have no order: a map over them is one only where it is asked for.
        let mut varied = (0..own.len()).filter(|&axis| own[axis].levels.len() > 1 && own[axis].values.is_empty());
        let (Some(first), Some(second)) = (varied.next(), varied.next()) else { return Ok(None) };
        let upright = own[first].levels.len() >= own[second].levels.len();
        return Ok(Some(if upright { (first, second) } else { (second, first) }));
    };
    let find = |name: &String| {
        let found = own.iter().position(|axis| axis.name == *name);
        found.ok_or_else(|| ReportError::unknown("axis", name, own.iter().map(|axis| axis.name.as_str())))
    };
    match (find(rows)?, find(columns)?) {
        (one, other) if one == other => Err(ReportError::OneAxis { axis: rows.clone() }),
        both => Ok(Some(both)),
    }
}

/// The levels at which the axes beside these two are held: those of the baseline, unless it is an arm in which one of
/// the two does not exist; then those with which the most cells are arms, of several the nearest to the baseline. With
/// each of the two stands the level of arms in which it does not exist.
fn held(arms: &[&[usize]], base: &[usize], map: [(usize, Option<usize>); 2]) -> Vec<usize> {
    let exist = |levels: &[usize]| map.iter().all(|&(axis, absent)| absent != Some(levels[axis]));
    let beside = |levels: &[usize]| -> Vec<usize> {
        let others = levels.iter().enumerate().filter(|(axis, _)| map.iter().all(|(own, _)| own != axis));
        others.map(|(_, &level)| level).collect()
    };
    let mut cells: BTreeMap<Vec<usize>, usize> = BTreeMap::new();
    arms.iter().filter(|levels| exist(levels)).for_each(|levels| *cells.entry(beside(levels)).or_default() += 1);
    let of_base = beside(base);
    if cells.contains_key(&of_base) {
        return base.to_vec();
    }
    let rank = |levels: &&[usize]| {
        let own = beside(levels);
        let differing = own.iter().zip(&of_base).filter(|(own, base)| own != base).count();
        (Reverse(cells.get(&own).copied()), differing)
    };
    arms.iter().copied().min_by_key(rank).unwrap_or(base).to_vec()
}

/// At most this many cells are named one by one.
const MAX_CELLS: usize = 12;

/// What cells are looked up in.
struct Map<'a> {
    planned: &'a PlannedRuns,
    samples: &'a Samples,
    rows: usize,
    columns: usize,
    /// By axis the level at which it is held, where it is none of these two.
    held: Vec<usize>,
}

impl Map<'_> {
    fn heat(&self, shared: &Shared, target: Option<usize>, name: &str) -> Option<HeatMap> {
        let plan = &self.planned.plan;
        let costs = match target {
            Some(_) => [Quantity::BitsTotal, Quantity::Time, Quantity::Rounds],
            None => [Quantity::BitsTotal, Quantity::Time, Quantity::Error],
        };
        let measures = costs.map(|what| Measure { target, what });
        let panels: Vec<CellPanel> = measures.iter().filter_map(|measure| self.panel(shared, measure)).collect();
        let side = |axis: &PlanAxis| Side { name: axis.name.clone(), levels: axis.levels.clone() };
        let others = plan.axes.iter().enumerate().filter(|(axis, _)| ![self.rows, self.columns].contains(axis));
        let held = others.filter(|(_, axis)| axis.levels.len() > 1);
        let held = held.map(|(number, axis)| self.held_at(number, axis)).collect();
        (!panels.is_empty()).then(|| HeatMap {
            name: file_name(name),
            rows: side(&plan.axes[self.rows]),
            columns: side(&plan.axes[self.columns]),
            panels,
            target: target.map(|number| target_words(&self.samples.targets[number])),
            held,
            blank: self.blank(shared, &measures[0]),
            caveats: shared.caveats(self.samples, &self.arms().collect::<Vec<_>>(), &measures),
            over: shared.words("all arms of the map"),
        })
    }

    /// The arms of the cells.
    fn arms(&self) -> impl Iterator<Item = usize> {
        let axes = &self.planned.plan.axes;
        let (rows, columns) = (0..axes[self.rows].levels.len(), axes[self.columns].levels.len());
        let cells = rows.flat_map(move |row| (0..columns).map(move |column| (row, column)));
        cells.filter_map(|(row, column)| self.arm(row, column))
    }

    /// The number of the arm of these two levels.
    fn arm(&self, row: usize, column: usize) -> Option<usize> {
        let levels = self.levels(row, column);
        self.samples.arms.iter().position(|arm| arm.levels == levels)
    }

    /// `compressor = dithered`, and what it is where an axis of the map does not exist, if that is something else.
    fn held_at(&self, number: usize, axis: &PlanAxis) -> String {
        let plan = &self.planned.plan;
        let (own, base) = (self.held[number], plan.arms[plan.baseline].levels[number]);
        let absent = [self.rows, self.columns].into_iter().find(|&axis| plan.axes[axis].absent.is_some());
        let elsewhere = absent
            .filter(|_| own != base)
            .map(|absent| format!(" ({} where {} does not exist)", axis.levels[base], plan.axes[absent].name));
        format!("{} = {}{}", axis.name, axis.levels[own], elsewhere.unwrap_or_default())
    }

    /// The cells without an arm, and those whose arms have no result here, in sentences.
    fn blank(&self, shared: &Shared, measure: &Measure) -> String {
        let plan = &self.planned.plan;
        let (rows, columns) = (&plan.axes[self.rows].levels, &plan.axes[self.columns].levels);
        let (mut without, mut unknown) = (Vec::new(), Vec::new());
        for (row, column) in (0..rows.len()).flat_map(|row| (0..columns.len()).map(move |column| (row, column))) {
            let levels = self.levels(row, column);
            let name = || format!("{} / {}", rows[row], columns[column]);
            if plan.arms.iter().all(|arm| arm.levels != levels) {
                without.push(name());
            } else if self.cell(shared, (row, column), measure).is_none() {
                unknown.push(name());
            }
        }
        let named = |cells: Vec<String>, what: &str| match cells.is_empty() {
            true => String::new(),
            false => format!(" Blank cells {what}: {}.", first_few(cells.into_iter(), MAX_CELLS)),
        };
        named(without, "are no arms of the scenario") + &named(unknown, "have no result among these runs")
    }

    /// The levels of a cell: those at which the other axes are held, or of the baseline where an axis of the map does
    /// not exist.
    fn levels(&self, row: usize, column: usize) -> Vec<usize> {
        let plan = &self.planned.plan;
        let here = [(self.rows, row), (self.columns, column)];
        let is_absent = here.iter().any(|&(axis, level)| plan.axes[axis].absent == Some(level));
        let mut levels = if is_absent { plan.arms[plan.baseline].levels.clone() } else { self.held.clone() };
        here.iter().for_each(|&(axis, level)| levels[axis] = level);
        levels
    }

    /// One cost; `None` when no cell has a value.
    fn panel(&self, shared: &Shared, measure: &Measure) -> Option<CellPanel> {
        let plan = &self.planned.plan;
        let levels = |axis: usize| 0..plan.axes[axis].levels.len();
        let row = |row: usize| levels(self.columns).map(|column| self.cell(shared, (row, column), measure)).collect();
        let cells: Vec<Vec<Option<Cell>>> = levels(self.rows).map(row).collect();
        let medians = || cells.iter().flatten().flatten().filter_map(|cell| cell.median);
        let highest = medians().fold(f64::NEG_INFINITY, f64::max);
        let measured = cells.iter().flatten().flatten().next().is_some();
        let (heading, unit) = heading(measure.what, if highest.is_finite() { highest } else { 1.0 });
        measured.then_some(CellPanel { heading, column: measure.what.name(), unit, cells })
    }

    /// The arm of these two levels.
    fn cell(&self, shared: &Shared, (row, column): (usize, usize), measure: &Measure) -> Option<Cell> {
        let arm = self.arm(row, column)?;
        let observations = shared.observations(self.samples, arm, measure);
        let reached = observations.iter().filter(|own| own.is_reached()).count();
        let cell = Cell {
            median: kaplan_meier_median(&observations),
            reached,
            degenerate: shared.degenerate(self.samples, arm, measure),
            runs: observations.len(),
        };
        (cell.runs > 0).then_some(cell)
    }
}

impl HeatMap {
    /// A tidy table: measure, row, column, median, runs that reach the target, runs. The median is empty where there
    /// is none.
    fn csv(&self, comments: &[String]) -> Result<String, RecordError> {
        let header = ["measure", &self.rows.name, &self.columns.name, "median", "reached", "degenerate", "runs"];
        let mut table = Table::in_memory(comments, &header)?;
        for panel in &self.panels {
            for (row, cells) in self.rows.levels.iter().zip(&panel.cells) {
                for (column, cell) in self.columns.levels.iter().zip(cells) {
                    let Some(Cell { median, reached, degenerate, runs }) = cell else { continue };
                    table.row(&[&panel.column, row, column, &Float(*median), reached, degenerate, runs])?;
                }
            }
        }
        table.into_text()
    }

    /// What the figure shows, for its caption.
    fn caption(&self) -> String {
        let (rows, columns) = (&self.rows.name, &self.columns.name);
        let shown = match &self.target {
            Some(target) => format!("Cost of {target} over {rows} and {columns}"),
            None => format!("Ends of the runs over {rows} and {columns}"),
        };
        let cells = self.panels.iter().flat_map(|panel| panel.cells.iter().flatten().flatten());
        let degenerate = short_form(cells.map(|cell| cell.degenerate).sum());
        let censored = format!(" k/n: runs that reach the target{degenerate}; hatched: no median.");
        format!("{shown}: medians over {}.{}", self.over, if self.is_censored() { &censored } else { "" })
    }

    /// What the figure shows, in sentences.
    fn words(&self) -> String {
        let (rows, columns) = (&self.rows.name, &self.columns.name);
        let mut text = match &self.target {
            Some(target) => {
                format!("What it takes to get to {target}, over {rows} and {columns}: medians over {}", self.over)
            }
            None => format!("Where the runs end, over {rows} and {columns}: medians over {}", self.over),
        };
        if self.target.is_some() {
            text.push_str(" (a run that ends before counts as more than all that get there)");
        }
        text.push_str(". The darker, the more, on a scale of each panel's own; the least of a panel is framed.");
        if self.is_censored() {
            text.push_str(
                " A small k/n: k of n runs reach the target; hatched: no median, as not more than half \
                 of the runs do.",
            );
        }
        if !self.held.is_empty() {
            text += &format!(" Other axes are held at {}.", self.held.join(", "));
        }
        text + &self.blank
    }
}

#[cfg(test)]
mod tests {
    use super::held;
    use proptest::prelude::*;
    use std::cmp::Reverse;

    /// Counts the cells of each arm's levels among all arms.
    fn slowly_held(arms: &[&[usize]], base: &[usize], map: [(usize, Option<usize>); 2]) -> Vec<usize> {
        let is_beside = |axis: &usize| map.iter().all(|(own, _)| own != axis);
        let exist = |levels: &[usize]| map.iter().all(|&(axis, absent)| absent != Some(levels[axis]));
        let differing = |one: &[usize], other: &[usize]| {
            (0..one.len()).filter(is_beside).filter(|&axis| one[axis] != other[axis]).count()
        };
        let cells = |levels: &[usize]| arms.iter().filter(|own| exist(own) && differing(own, levels) == 0).count();
        if cells(base) > 0 {
            return base.to_vec();
        }
        arms.iter().min_by_key(|levels| (Reverse(cells(levels)), differing(levels, base))).unwrap().to_vec()
    }

    proptest! {
        #[test]
        fn the_most_cells_are_arms(
            arms in proptest::collection::vec(proptest::collection::vec(0usize..3, 5), 1..40),
            absent in proptest::collection::vec(proptest::option::of(0usize..3), 2),
        ) {
            let arms: Vec<&[usize]> = arms.iter().map(|levels| &levels[..]).collect();
            let map = [(3, absent[0]), (1, absent[1])];
            prop_assert_eq!(held(&arms, arms[0], map), slowly_held(&arms, arms[0], map));
        }
    }
}
