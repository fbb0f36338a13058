//! What if? What it takes to reach a target over two axes: medians over replicates as shaded cells, a panel per cost.

use super::units::{brief_heading, heading};
use crate::axes::range;
use crate::compare::{Measure, Quantity, Samples, Shared, kaplan_meier_median, reached_in_short, short_form};
use crate::data::PlannedRuns;
use crate::error::ReportError;
use crate::kind::{About, FigureKind};
use crate::layout::{BoxStyle, Entry, Form, Grid, Markers, PLAIN, Panel, RISING, Shape, Side, most_panels};
use crate::looks::all;
use crate::report::{Drawing, Report};
use crate::shades::{BLACK, shade, text_on};
use crate::style::LineStyle;
use crate::words::{file_name, first_few, part, target_words, three_digits_text};
use fedbits_figures::Heat as Setting;
use fedbits_record::results::{PlanAxis, PlanTarget};
use fedbits_record::{Float, RecordError, Table};
use fedbits_spec::Caveat;
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// Half the side of a cell, in widths of a column.
const HALF: f64 = 0.48;
/// Heights of rows, in sizes of tick labels: of a number, and of a number over k/n.
const PITCH: [f64; 2] = [2.0, 2.9];
/// What has no median.
const EMPTY: BoxStyle = BoxStyle { color: (0xA6, 0xA6, 0xA6), hatch: RISING, cover: 0.15 };

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

/// Have the runs a map as it is drawn where nothing is declared?
pub(crate) fn has_map(report: &Report<'_>) -> bool {
    heats(report, &Setting::default()).is_ok_and(|heats| !heats.is_empty())
}

/// Draws the heat maps of a declaration.
///
/// # Errors
/// [`ReportError`]: an axis that the plan does not have.
pub(crate) fn draw(report: &Report<'_>, setting: &Setting) -> Result<Vec<Drawing>, ReportError> {
    let mut drawn = Vec::new();
    for heat in heats(report, setting)? {
        let grid = heat.grid();
        let most = most_panels(&grid, &report.look, &report.metrics);
        let pages = grid.panels.chunks(most);
        let of = pages.len();
        for (number, panels) in pages.enumerate() {
            let (name, part) = part(&heat.name, number, of);
            let grid = Grid { panels: panels.to_vec(), entries: grid.entries.clone(), ..Grid::default() };
            let words = report.words(&(heat.caption() + &part), &(heat.words() + &part));
            let words = words.with_caveats(heat.caveats.iter().cloned());
            drawn.push(report.figure((&name, &heat.name), grid, |comments| heat.csv(comments), words)?);
        }
    }
    Ok(drawn)
}

/// One figure: the same two axes in every panel.
struct HeatMap {
    name: String,
    rows: MapAxis,
    columns: MapAxis,
    panels: Vec<MapPanel>,
    /// What it takes to get to; none: at the end of the runs.
    target: Option<String>,
    /// Levels at which the other axes are held.
    held: Vec<String>,
    /// Which cells are blank, and why; empty where none is.
    blank: String,
    /// The replicates that medians are over.
    over: String,
    /// What must be known of the medians, and of the runs.
    caveats: Vec<Caveat>,
}

/// An axis of the map.
struct MapAxis {
    name: String,
    levels: Vec<String>,
}

/// One cost over all cells.
struct MapPanel {
    /// The cost and its unit.
    heading: String,
    /// Its name in tables.
    column: &'static str,
    /// Values are divided by this before they are printed.
    unit: f64,
    /// By row, then column; `None` where there is no such arm or no run of it.
    cells: Vec<Vec<Option<MapCell>>>,
}

/// One arm.
#[derive(Clone, Copy)]
struct MapCell {
    /// Kaplan–Meier median; `None` where the estimated share of runs that reach the target stays at or below a half.
    median: Option<f64>,
    reached: usize,
    /// Runs with a degenerate fit.
    degenerate: usize,
    runs: usize,
}

impl MapCell {
    /// Do some runs not reach the target?
    fn is_censored(&self) -> bool {
        self.reached < self.runs
    }
}

impl MapPanel {
    /// The cells that there are, each with its column and its row.
    fn cells(&self) -> impl Iterator<Item = ((f64, f64), MapCell)> {
        let row = |(row, cells): (usize, &Vec<Option<MapCell>>)| {
            let at = |(column, cell): (usize, &Option<MapCell>)| Some(((column as f64, row as f64), (*cell)?));
            cells.iter().enumerate().filter_map(at).collect::<Vec<_>>()
        };
        self.cells.iter().enumerate().flat_map(row)
    }

    /// The least and the most of the medians.
    fn range(&self) -> (f64, f64) {
        range(self.cells().filter_map(|(_, cell)| cell.median))
    }

    /// Where a median stands between the least (0) and the most (1) of the panel: by logarithms when they differ more
    /// than threefold.
    fn share(&self, value: f64) -> f64 {
        let (low, high) = self.range();
        if high <= low {
            return 0.0;
        }
        match low > 0.0 && high > 3.0 * low {
            true => libm::log(value / low) / libm::log(high / low),
            false => (value - low) / (high - low),
        }
    }

    /// The cell with the least median; none where several have it, or all.
    fn least(&self) -> Option<(f64, f64)> {
        let least = self.range().0;
        let mut cells = self.cells().filter(|(_, cell)| cell.median == Some(least));
        let first = cells.next().map(|(at, _)| at);
        first.filter(|_| cells.next().is_none() && self.range().1 > least)
    }

    fn shapes(&self) -> Vec<Shape> {
        let mut shapes = Vec::new();
        for ((x, y), cell) in self.cells() {
            let filling = match cell.median {
                Some(median) => BoxStyle { color: shade(self.share(median)), hatch: PLAIN, cover: 1.0 },
                None => EMPTY,
            };
            let ink = if cell.median.is_some() { text_on(filling.color) } else { BLACK };
            let mut words = |text: String, y: f64| {
                shapes.push(Shape::new(LineStyle::INK, Form::Words(vec![text], Some(ink)), vec![(x, y)]));
            };
            let is_alone = !cell.is_censored() || cell.median.is_none();
            if let Some(median) = cell.median {
                words(three_digits_text(median / self.unit), if is_alone { y } else { y - 0.2 });
            }
            if cell.is_censored() {
                let counts = reached_in_short(cell.reached, cell.runs, cell.degenerate);
                words(counts, if is_alone { y } else { y + 0.22 });
            }
            let corners = vec![(x - HALF, y - HALF), (x + HALF, y + HALF)];
            shapes.push(Shape::new(LineStyle::INK, Form::Boxes(filling), corners));
        }
        let frame = |(x, y): (f64, f64)| {
            let (left, right, top, bottom) = (x - HALF, x + HALF, y - HALF, y + HALF);
            let corners = vec![(left, top), (right, top), (right, bottom), (left, bottom), (left, top), (right, top)];
            Shape { thickness: 1.2, ..Shape::new(LineStyle::INK, Form::Line(Markers::None), corners) }
        };
        shapes.extend(self.least().map(frame));
        shapes
    }
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
    let axes = &planned.plan.axes;
    let (Some(rows), Some(columns)) = (&setting.rows, &setting.columns) else {
        // The points of a search have no order: a map over them is one only where it is asked for.
        let mut varied = (0..axes.len()).filter(|&axis| axes[axis].levels.len() > 1 && axes[axis].values.is_empty());
        let (Some(first), Some(second)) = (varied.next(), varied.next()) else { return Ok(None) };
        let upright = axes[first].levels.len() >= axes[second].levels.len();
        return Ok(Some(if upright { (first, second) } else { (second, first) }));
    };
    let find = |name: &String| {
        let found = axes.iter().position(|axis| axis.name == *name);
        found.ok_or_else(|| ReportError::unknown("axis", name, axes.iter().map(|axis| axis.name.as_str())))
    };
    match (find(rows)?, find(columns)?) {
        (one, two) if one == two => Err(ReportError::OneAxis { axis: rows.clone() }),
        both => Ok(Some(both)),
    }
}

/// The levels at which the axes beside these two are held: those of the baseline, unless it is an arm in which one of
/// the two does not exist; then those with which the most cells are arms, of several the nearest to the baseline. With
/// each of the two stands the level of arms in which it does not exist.
fn held(arms: &[&[usize]], base: &[usize], map: [(usize, Option<usize>); 2]) -> Vec<usize> {
    let exist = |levels: &[usize]| map.iter().all(|&(axis, absent)| absent != Some(levels[axis]));
    let beside = |levels: &[usize]| -> Vec<usize> {
        let others = levels.iter().enumerate().filter(|(axis, _)| map.iter().all(|(held, _)| held != axis));
        others.map(|(_, &level)| level).collect()
    };
    let mut cells: BTreeMap<Vec<usize>, usize> = BTreeMap::new();
    arms.iter().filter(|levels| exist(levels)).for_each(|levels| *cells.entry(beside(levels)).or_default() += 1);
    let of_base = beside(base);
    if cells.contains_key(&of_base) {
        return base.to_vec();
    }
    let rank = |levels: &&[usize]| {
        let levels_beside = beside(levels);
        let differing = levels_beside.iter().zip(&of_base).filter(|(level, base)| level != base).count();
        (Reverse(cells.get(&levels_beside).copied()), differing)
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
        let panels: Vec<MapPanel> = measures.iter().filter_map(|measure| self.panel(shared, measure)).collect();
        let side = |axis: &PlanAxis| MapAxis { name: axis.name.clone(), levels: axis.levels.clone() };
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
        let (held, base) = (self.held[number], plan.arms[plan.baseline].levels[number]);
        let absent = [self.rows, self.columns].into_iter().find(|&axis| plan.axes[axis].absent.is_some());
        let elsewhere = absent
            .filter(|_| held != base)
            .map(|absent| format!(" ({} where {} does not exist)", axis.levels[base], plan.axes[absent].name));
        format!("{} = {}{}", axis.name, axis.levels[held], elsewhere.unwrap_or_default())
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
    fn panel(&self, shared: &Shared, measure: &Measure) -> Option<MapPanel> {
        let plan = &self.planned.plan;
        let levels = |axis: usize| 0..plan.axes[axis].levels.len();
        let row = |row: usize| levels(self.columns).map(|column| self.cell(shared, (row, column), measure)).collect();
        let cells: Vec<Vec<Option<MapCell>>> = levels(self.rows).map(row).collect();
        let medians = || cells.iter().flatten().flatten().filter_map(|cell| cell.median);
        let highest = medians().fold(f64::NEG_INFINITY, f64::max);
        let measured = cells.iter().flatten().flatten().next().is_some();
        let highest = if highest.is_finite() { highest } else { 1.0 };
        let (heading, unit) = (brief_heading(measure.what, highest), heading(measure.what, highest).1);
        measured.then_some(MapPanel { heading, column: measure.what.name(), unit, cells })
    }

    /// The arm of these two levels.
    fn cell(&self, shared: &Shared, (row, column): (usize, usize), measure: &Measure) -> Option<MapCell> {
        let arm = self.arm(row, column)?;
        let observations = shared.observations(self.samples, arm, measure);
        let reached = observations.iter().filter(|run| run.is_reached()).count();
        let cell = MapCell {
            median: kaplan_meier_median(&observations),
            reached,
            degenerate: shared.degenerate(self.samples, arm, measure),
            runs: observations.len(),
        };
        (cell.runs > 0).then_some(cell)
    }
}

impl HeatMap {
    /// Do some runs not reach the target?
    fn is_censored(&self) -> bool {
        self.panels.iter().flat_map(MapPanel::cells).any(|(_, cell)| cell.is_censored())
    }

    fn grid(&self) -> Grid {
        let pitch = PITCH[usize::from(self.is_censored())];
        let side = |axis: &MapAxis| Side { pitch, ..Side::of_names(&axis.name, axis.levels.clone()) };
        let panel = |panel: &MapPanel| Panel {
            heading: Some(panel.heading.clone()),
            x: side(&self.columns),
            y: side(&self.rows),
            shapes: panel.shapes(),
            ..Panel::default()
        };
        let shade = |share: f64| BoxStyle { color: shade(share), hatch: PLAIN, cover: 1.0 };
        let mut entries = vec![Entry::filled("least", shade(0.0)), Entry::filled("most", shade(1.0))];
        let mut cells = self.panels.iter().flat_map(MapPanel::cells);
        entries.extend(cells.any(|(_, cell)| cell.median.is_none()).then(|| Entry::filled("no median", EMPTY)));
        Grid { panels: self.panels.iter().map(panel).collect(), entries, ..Grid::default() }
    }

    /// A tidy table: measure, row, column, median, runs that reach the target, runs. The median is empty where there
    /// is none.
    fn csv(&self, comments: &[String]) -> Result<String, RecordError> {
        let header = ["measure", &self.rows.name, &self.columns.name, "median", "reached", "degenerate", "runs"];
        let mut table = Table::in_memory(comments, &header)?;
        for panel in &self.panels {
            for (row, cells) in self.rows.levels.iter().zip(&panel.cells) {
                for (column, cell) in self.columns.levels.iter().zip(cells) {
                    let Some(MapCell { median, reached, degenerate, runs }) = cell else { continue };
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
        let cells = self.panels.iter().flat_map(MapPanel::cells);
        let degenerate = short_form(cells.map(|(_, cell)| cell.degenerate).sum());
        let least = if self.panels.iter().any(|panel| panel.least().is_some()) { "; framed: the least" } else { "" };
        let censored = match self.is_censored() {
            true => format!("; k/n: runs that reach the target, where not all do{degenerate}"),
            false => String::new(),
        };
        format!("{shown}: medians over {}{least}{censored}.", self.over)
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
        text.push_str(
            ". The darker, the more, on a scale of each panel's own; where a single cell is the least, it is framed.",
        );
        if self.is_censored() {
            text.push_str(" k/n: k of n runs reach the target; hatched: no median, as not more than half of them do.");
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
        let is_beside = |axis: &usize| map.iter().all(|(shown, _)| shown != axis);
        let exist = |levels: &[usize]| map.iter().all(|&(axis, absent)| absent != Some(levels[axis]));
        let differing = |one: &[usize], two: &[usize]| {
            (0..one.len()).filter(is_beside).filter(|&axis| one[axis] != two[axis]).count()
        };
        let cells = |levels: &[usize]| arms.iter().filter(|arm| exist(arm) && differing(arm, levels) == 0).count();
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
