//! What if? What it takes to reach a target over two axes: medians over replicates as shaded cells, a panel per cost.

use super::aim::measures;
use super::units::{AxisWords, heading};
use crate::axes::range;
use crate::compare::{ArmOutcome, Measure, Quantity, Samples, Shared, reached_in_short, short_form};
use crate::data::PlannedRuns;
use crate::error::ReportError;
use crate::layout::{BoxStyle, Entry, Form, Grid, Markers, PLAIN, Panel, RISING, Shape, Side, pages_of_panels};
use crate::looks::all;
use crate::report::{BuiltinKind, Drawing, Report};
use crate::rows::{FigureRows, cells, number};
use crate::style::{BLACK, LineStyle, Look, shade, text_on};
use crate::text::Rich;
use crate::words::{file_name, first_few, level, target_words, three_digits_text};
use fedbits_figures::{Cost, Heat as Setting};
use fedbits_record::RecordError;
use fedbits_record::results::{PlanAxis, RunPlan};
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// Half the side of a cell, in widths of a column.
const HALF: f64 = 0.48;
/// Height of the lines of a cell, and of what is above and below them, in sizes of tick labels.
const LINE: f64 = 1.05;
const PADDING: f64 = 0.75;
/// The share of the figure's width that the words of its cells can take.
const CELLS: f64 = 0.6;
/// Words this much wider than their room are still legible.
const LEGIBLE: f64 = 1.25;
/// What has no median.
const EMPTY: BoxStyle = BoxStyle { color: (0xA6, 0xA6, 0xA6), hatch: RISING, cover: 0.15 };

pub(crate) const KIND: BuiltinKind = BuiltinKind {
    name: "heat-TARGET",
    title: "the cost of a target over two axes: all bits and time",
    needs: "a scenario with two axes that vary",
    draw: |report| draw(report, &Setting::default()),
};

/// Draws the heat maps of two axes that vary: one per target, or one of the end of the runs when there are none.
pub(crate) fn draw(report: &Report<'_>, setting: &Setting) -> Result<Vec<Drawing>, ReportError> {
    let drawings: Result<Vec<_>, _> = maps(report, setting)?.iter().map(|map| map.drawings(report)).collect();
    Ok(drawings?.into_iter().flatten().collect())
}

/// The maps of these axes that have a panel.
pub(super) fn maps<'a>(report: &'a Report<'_>, setting: &Setting) -> Result<Vec<HeatMap<'a>>, ReportError> {
    let Some(planned) = &report.collected.planned else { return Ok(Vec::new()) };
    let Some(sides) = sides(planned, setting)? else { return Ok(Vec::new()) };
    let (plan, samples) = (&planned.plan, report.samples());
    let held = held(&all(plan), &plan.arms[plan.baseline].levels, sides.map(|axis| (axis, plan.axes[axis].absent)));
    let (shared, panels) = (Shared::with_all_runs(), Vec::new());
    let costs = setting.costs.clone();
    let mut map = HeatMap { plan, samples, costs, sides, held, shared, target: None, panels };
    map.shared = Shared::of(samples, map.arms());
    if map.shared.is_empty() {
        return Ok(Vec::new());
    }
    let targets = (0..samples.targets.len()).map(Some).chain(samples.targets.is_empty().then_some(None));
    let of_target = |target| {
        let map = HeatMap { target, ..map.clone() };
        HeatMap { panels: map.measures().iter().filter_map(|measure| map.panel(measure)).collect(), ..map }
    };
    Ok(targets.map(of_target).filter(|map| !map.panels.is_empty()).collect())
}

/// One figure: the same two axes in every panel.
#[derive(Clone)]
pub(super) struct HeatMap<'a> {
    plan: &'a RunPlan,
    samples: &'a Samples,
    costs: Vec<Cost>,
    /// Numbers of the axes for rows and columns.
    sides: [usize; 2],
    /// By axis the level at which it is held, where it is none of these two.
    held: Vec<usize>,
    /// The replicates that medians are over.
    shared: Shared,
    /// The target whose cost is shown; none: at the end of the runs.
    target: Option<usize>,
    panels: Vec<MapPanel>,
}

/// One cost over all cells.
#[derive(Clone)]
struct MapPanel {
    what: Quantity,
    /// The cost and its unit.
    heading: String,
    /// Values are divided by this before they are printed.
    unit: f64,
    /// The cells that there are, each behind its row and its column.
    cells: Vec<((usize, usize), ArmOutcome)>,
}

/// Do some runs not reach the target?
fn is_censored(cell: &ArmOutcome) -> bool {
    cell.reached() < cell.runs.len()
}

impl MapPanel {
    /// The least and the most of the medians.
    fn range(&self) -> (f64, f64) {
        range(self.cells.iter().filter_map(|(_, cell)| cell.median))
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

    /// The cell with the least median; none where the medians of several are printed alike.
    fn least(&self) -> Option<(f64, f64)> {
        let least = self.printed(self.range().0);
        let is_least = |cell: &ArmOutcome| cell.median.is_some_and(|median| self.printed(median) == least);
        let mut cells = self.cells.iter().filter(|(_, cell)| is_least(cell));
        let ((row, column), _) = cells.next()?;
        let with_median = self.cells.iter().filter(|(_, cell)| cell.median.is_some());
        (cells.next().is_none() && with_median.count() > 1).then_some((*column as f64, *row as f64))
    }

    /// A median as it is printed; numbers of rounds are whole or end in a half.
    fn printed(&self, median: f64) -> String {
        if self.what == Quantity::Rounds && median < 1e3 {
            median.to_string()
        } else {
            three_digits_text(median / self.unit)
        }
    }

    /// The lines of a cell: the median, and where not all runs get there k/n with how many are degenerate, on two lines
    /// where one is wider than `room`, in sizes of tick labels.
    fn lines(&self, cell: &ArmOutcome, room: f64) -> Vec<String> {
        let counts = reached_in_short([cell.reached(), cell.runs.len(), cell.degenerate]);
        let counts: Vec<&str> = match counts.split_once(", ") {
            _ if !is_censored(cell) => Vec::new(),
            Some((reached, degenerate)) if Rich::plain(&counts).width(1.0) > room => vec![reached, degenerate],
            _ => vec![&counts],
        };
        let counts = counts.into_iter().map(str::to_owned);
        cell.median.map(|median| self.printed(median)).into_iter().chain(counts).collect()
    }

    /// The shapes of cells whose rows are this high, and whose words are at most this wide, in sizes of tick labels.
    fn shapes(&self, pitch: f64, room: f64) -> Vec<Shape> {
        let mut shapes = Vec::new();
        for ((row, column), cell) in &self.cells {
            let (x, y) = (*column as f64, *row as f64);
            let filling = match cell.median {
                Some(median) => BoxStyle { color: shade(self.share(median)), hatch: PLAIN, cover: 1.0 },
                None => EMPTY,
            };
            let ink = if cell.median.is_some() { text_on(filling.color) } else { BLACK };
            let lines = self.lines(cell, room);
            let first = 0.5 * (lines.len() as f64 - 1.0);
            for (number, text) in lines.into_iter().enumerate().filter(|_| room > 0.0) {
                let y = y + (number as f64 - first) * LINE / pitch;
                shapes.push(Shape::new(LineStyle::INK, Form::Words(vec![text], Some(ink)), vec![(x, y)]));
            }
            let corners = vec![(x - HALF, y - HALF), (x + HALF, y + HALF)];
            shapes.push(Shape::new(LineStyle::INK, Form::Boxes(filling), corners));
        }
        let frame = |(x, y): (f64, f64)| {
            let (left, right, top, bottom) = (x - HALF, x + HALF, y - HALF, y + HALF);
            let corners = vec![(left, top), (right, top), (right, bottom), (left, bottom), (left, top), (right, top)];
            Shape::new(LineStyle::INK, Form::Line(Markers::None), corners).sized(1.2)
        };
        shapes.extend(self.least().map(frame));
        shapes
    }
}

/// Numbers of the axes for rows and columns. Of the first two that vary the one with more levels stands upright.
fn sides(planned: &PlannedRuns, setting: &Setting) -> Result<Option<[usize; 2]>, ReportError> {
    let axes = &planned.plan.axes;
    let (Some(rows), Some(columns)) = (&setting.rows, &setting.columns) else {
        // The points of a search have no order: a map over them is one only where it is asked for.
        let mut varied = (0..axes.len()).filter(|&axis| axes[axis].levels.len() > 1 && axes[axis].values.is_empty());
        let (Some(first), Some(second)) = (varied.next(), varied.next()) else { return Ok(None) };
        let upright = axes[first].levels.len() >= axes[second].levels.len();
        return Ok(Some(if upright { [first, second] } else { [second, first] }));
    };
    let find = |name: &String| {
        let found = axes.iter().position(|axis| axis.name == *name);
        found.ok_or_else(|| ReportError::unknown("axis", name, axes.iter().map(|axis| axis.name.as_str())))
    };
    match (find(rows)?, find(columns)?) {
        (one, two) if one == two => Err(ReportError::OneAxis(rows.clone())),
        (one, two) => Ok(Some([one, two])),
    }
}

/// The levels at which the axes beside these two are held: those of the baseline, unless it is an arm in which one of
/// the two does not exist; then those with which the most cells are arms, of several the nearest to the baseline. With
/// each of the two stands the level of arms in which it does not exist.
fn held(arms: &[&[usize]], base: &[usize], map: [(usize, Option<usize>); 2]) -> Vec<usize> {
    let exist = |levels: &[usize]| map.iter().all(|&(axis, absent)| absent != Some(levels[axis]));
    let beside = |levels: &[usize]| -> Vec<usize> {
        let rest = levels.iter().enumerate().filter(|(axis, _)| map.iter().all(|(held, _)| held != axis));
        rest.map(|(_, &level)| level).collect()
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

impl HeatMap<'_> {
    fn measures(&self) -> Vec<Measure> {
        measures(self.samples, self.target, &self.costs)
    }

    fn places(&self) -> impl Iterator<Item = (usize, usize)> {
        let [rows, columns] = self.sides.map(|axis| self.plan.axes[axis].levels.len());
        (0..rows).flat_map(move |row| (0..columns).map(move |column| (row, column)))
    }

    /// The levels of a cell: those at which the other axes are held, or of the baseline where an axis of the map does
    /// not exist.
    fn levels(&self, (row, column): (usize, usize)) -> Vec<usize> {
        let plan = self.plan;
        let here = [(self.sides[0], row), (self.sides[1], column)];
        let is_absent = here.iter().any(|&(axis, level)| plan.axes[axis].absent == Some(level));
        let mut levels = if is_absent { plan.arms[plan.baseline].levels.clone() } else { self.held.clone() };
        here.iter().for_each(|&(axis, level)| levels[axis] = level);
        levels
    }

    /// The number of the arm of a cell.
    fn arm(&self, at: (usize, usize)) -> Option<usize> {
        let levels = self.levels(at);
        self.samples.arms.iter().position(|arm| arm.levels == levels)
    }

    fn arms(&self) -> impl Iterator<Item = usize> {
        self.places().filter_map(|at| self.arm(at))
    }

    fn cell(&self, at: (usize, usize), measure: &Measure) -> Option<ArmOutcome> {
        Some(self.shared.outcome(self.samples, self.arm(at)?, measure)).filter(ArmOutcome::is_measured)
    }

    /// One cost; `None` when no cell has a value.
    fn panel(&self, measure: &Measure) -> Option<MapPanel> {
        let cells: Vec<_> = self.places().filter_map(|at| Some((at, self.cell(at, measure)?))).collect();
        let medians = cells.iter().filter_map(|(_, cell)| cell.median);
        let (what, highest) = (measure.what, medians.reduce(f64::max).unwrap_or(1.0));
        let AxisWords { brief: heading, unit, .. } = heading(what, highest);
        (!cells.is_empty()).then_some(MapPanel { what, heading, unit, cells })
    }

    fn drawings(&self, report: &Report<'_>) -> Result<Vec<Drawing>, ReportError> {
        let goal = self.target.map_or_else(|| "end".to_owned(), |number| self.samples.targets[number].column_name());
        let name = file_name(&format!("heat-{goal}"));
        let pages = pages_of_panels(&self.grid(&report.look), &report.look);
        let caveats = self.shared.caveats(self.samples, &self.arms().collect::<Vec<_>>(), &self.measures());
        let words = [self.caption(), self.about(&report.look)];
        report.parts((&name, true), pages, &self.rows()?, words, &caveats)
    }

    fn cells(&self) -> impl Iterator<Item = &ArmOutcome> {
        self.panels.iter().flat_map(|panel| &panel.cells).map(|(_, cell)| cell)
    }

    /// Room for the words of a cell, in sizes of tick labels; 0 where medians have none at a legible size.
    fn room(&self, look: &Look) -> f64 {
        let room = CELLS * look.width / look.tick / self.plan.axes[self.sides[1]].levels.len() as f64;
        let printed = |panel: &MapPanel| {
            let medians = panel.cells.iter().filter_map(|(_, cell)| cell.median);
            medians.map(|median| Rich::plain(&panel.printed(median)).width(1.0)).fold(0.0, f64::max)
        };
        if self.panels.iter().map(printed).fold(0.0, f64::max) > LEGIBLE * room { 0.0 } else { room }
    }

    fn grid(&self, look: &Look) -> Grid {
        let room = self.room(look);
        let lines = |panel: &MapPanel| panel.cells.iter().map(|(_, cell)| panel.lines(cell, room).len()).max();
        let most = self.panels.iter().filter_map(lines).max().filter(|_| room > 0.0);
        let pitch = PADDING + LINE * most.unwrap_or(1) as f64;
        let side = |axis: usize| {
            let PlanAxis { name, levels, .. } = &self.plan.axes[axis];
            Side { pitch, ..Side::of_names(name, levels.iter().map(|text| level(text)).collect()) }
        };
        let [rows, columns] = self.sides.map(side);
        let panel = |panel: &MapPanel| Panel {
            heading: Some(panel.heading.clone()),
            ..Panel::new(columns.clone(), rows.clone(), panel.shapes(pitch, room))
        };
        let shade = |share: f64| BoxStyle { color: shade(share), hatch: PLAIN, cover: 1.0 };
        let mut entries = vec![Entry::filled("least", shade(0.0)), Entry::filled("most", shade(1.0))];
        let has_empty = self.cells().any(|cell| cell.median.is_none());
        entries.extend(has_empty.then(|| Entry::filled("no median", EMPTY)));
        Grid { panels: self.panels.iter().map(panel).collect(), entries, ..Grid::default() }
    }

    /// A tidy table: measure, row, column, median, runs that reach the target, runs. The median is empty where there
    /// is none.
    fn rows(&self) -> Result<FigureRows, RecordError> {
        let [rows, columns] = self.sides.map(|axis| &self.plan.axes[axis]);
        let row = |what: Quantity, ((row, column), cell): &((usize, usize), ArmOutcome)| {
            let (row, column, reached) = (&rows.levels[*row], &columns.levels[*column], cell.reached());
            cells![what.name(), row, column, number(cell.median), reached, cell.degenerate, cell.runs.len()]
        };
        let header = ["measure", &rows.name, &columns.name, "median", "reached", "degenerate", "runs"];
        let of_panel = |panel: &'_ MapPanel| panel.cells.iter().map(|cell| row(panel.what, cell)).collect::<Vec<_>>();
        FigureRows::new(&header, self.panels.iter().flat_map(of_panel))
    }

    /// The target in words, and over what medians are.
    fn shown(&self) -> (Option<String>, String) {
        let [rows, columns] = self.sides.map(|axis| &self.plan.axes[axis].name);
        let over = self.shared.words("all arms of the map");
        let target = self.target.map(|number| target_words(&self.samples.targets[number]));
        (target, format!("over {rows} and {columns}: medians over {over}"))
    }

    /// What the figure shows, for its caption.
    fn caption(&self) -> String {
        let shown = match self.shown() {
            (Some(target), over) => format!("Cost of {target} {over}"),
            (None, over) => format!("Ends of the runs {over}"),
        };
        let degenerate = short_form(self.cells().map(|cell| cell.degenerate).sum());
        let least = if self.panels.iter().any(|panel| panel.least().is_some()) { "; framed: the least" } else { "" };
        let has_censored = self.cells().any(is_censored);
        let censored = if has_censored { "; k/n: runs that reach the target, where not all do" } else { "" };
        format!("{shown}{least}{censored}{}.", if has_censored { degenerate } else { "" })
    }

    /// What the figure shows, in sentences.
    fn about(&self, look: &Look) -> String {
        let mut text = match self.shown() {
            (Some(target), over) => format!(
                "Cost of reaching {target}, {over} (a run that ends before counts as more than all that reach it)"
            ),
            (None, over) => format!("Where the runs end, {over}"),
        };
        text.push_str(
            ". The darker, the more, on a scale of each panel's own; a single cell printed as the least is framed.",
        );
        if self.cells().any(is_censored) {
            text.push_str(" k/n: k of n runs reach the target; hatched: no median, as not more than half of them do.");
        }
        if self.room(look) == 0.0 {
            text.push_str(" The cells have no room for numbers, which are in the table of the figure.");
        }
        let axes = (0..self.held.len()).filter(|axis| !self.sides.contains(axis));
        let held: Vec<String> =
            axes.filter(|&axis| self.plan.axes[axis].levels.len() > 1).map(|axis| self.held_at(axis)).collect();
        if !held.is_empty() {
            text += &format!(" Other axes are held at {}.", held.join(", "));
        }
        text + &self.blank()
    }

    /// `compressor = dithered`, and what it is where an axis of the map does not exist, if that is something else.
    fn held_at(&self, number: usize) -> String {
        let (plan, axis) = (self.plan, &self.plan.axes[number]);
        let (held, base) = (self.held[number], plan.arms[plan.baseline].levels[number]);
        let absent = self.sides.into_iter().find(|&axis| held != base && plan.axes[axis].absent.is_some());
        let elsewhere =
            absent.map(|absent| format!(" ({} where {} does not exist)", axis.levels[base], plan.axes[absent].name));
        format!("{} = {}{}", axis.name, axis.levels[held], elsewhere.unwrap_or_default())
    }

    /// The cells without an arm, and those whose arms have no result here, in sentences.
    fn blank(&self) -> String {
        let [rows, columns] = self.sides.map(|axis| &self.plan.axes[axis].levels);
        let measure = &self.measures()[0];
        let blank = self.places().filter(|&at| self.cell(at, measure).is_none());
        let is_planned = |at: &(usize, usize)| {
            let levels = self.levels(*at);
            self.plan.arms.iter().any(|arm| arm.levels == levels)
        };
        let (unknown, without): (Vec<_>, Vec<_>) = blank.partition(is_planned);
        let named = |cells: Vec<(usize, usize)>, what: &str| match cells.is_empty() {
            true => String::new(),
            false => {
                let names = cells.into_iter().map(|(row, column)| format!("{} / {}", rows[row], columns[column]));
                format!(" Blank cells {what}: {}.", first_few(names, MAX_CELLS))
            }
        };
        named(without, "are not arms of the scenario") + &named(unknown, "have no result among these runs")
    }
}

#[cfg(test)]
mod tests {
    use super::{MapPanel, held};
    use crate::compare::{ArmOutcome, Observation, Quantity};
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

    /// Of medians that are printed alike none is framed.
    #[test]
    fn the_least_is_framed_where_it_is_printed_as_the_least() {
        let framed = |medians: &[f64]| {
            let cell = |&median: &f64| ArmOutcome::new(vec![Observation::reached(median); 3], 3, 0);
            let cells = (0..).zip(medians).map(|(column, median)| ((0, column), cell(median))).collect();
            MapPanel { what: Quantity::Time, heading: String::new(), unit: 1.0, cells }.least()
        };
        assert_eq!(framed(&[1.2696, 1.2699, 2.0]), None);
        assert_eq!(framed(&[1.2696, 1.24, 2.0]), Some((1.0, 0.0)));
        assert_eq!(framed(&[1.2696]), None);
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
