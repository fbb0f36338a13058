//! What if? What it takes to get to a target over two axes of a study: medians over replicates, a panel per cost. Drawn by
//! [`super::cells`].

use super::layout::bit_unit;
use crate::ReportError;
use crate::compare::{Measure, Observation, Quantity, Samples, kaplan_meier_median};
use crate::data::{Collected, Study};
use fedbits_record::study::PlanAxis;
use std::fmt::Write;

/// One figure: the same two axes in every panel.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Heat {
    pub name: String,
    pub rows: Side,
    pub columns: Side,
    pub panels: Vec<Panel>,
    /// What it takes to get to; none: at the end of the runs.
    pub target: Option<String>,
    /// Levels at which the other axes are held.
    pub held: Vec<String>,
}

/// An axis of the study.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Side {
    pub name: String,
    pub levels: Vec<String>,
}

/// One cost over all cells.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Panel {
    /// The cost and its unit.
    pub heading: String,
    /// Its name in tables.
    pub column: &'static str,
    /// Values are divided by this before they are printed.
    pub unit: f64,
    /// By row, then column; `None` where the study has no such arm or no run of it.
    pub cells: Vec<Vec<Option<Cell>>>,
}

/// One arm.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Cell {
    /// Kaplan–Meier median; `None` when not more than half of the runs get there.
    pub median: Option<f64>,
    pub reached: usize,
    pub runs: usize,
}

/// The heat maps of a study with two axes that vary: one per target, or one of the end of the runs when there are none.
pub(crate) fn heats(
    collected: &Collected,
    samples: &Samples,
    axes: Option<&(String, String)>,
) -> Result<Vec<Heat>, ReportError> {
    let Some(study) = &collected.study else { return Ok(Vec::new()) };
    let Some((rows, columns)) = sides(study, axes)? else { return Ok(Vec::new()) };
    let map = Map { study, samples, rows, columns };
    if samples.targets.is_empty() {
        return Ok(map.heat(None, "heat-end").into_iter().collect());
    }
    let target = |(number, target): (usize, &fedbits_record::study::PlanTarget)| {
        map.heat(Some(number), &format!("heat-{}", target.column_name()))
    };
    Ok(samples.targets.iter().enumerate().filter_map(target).collect())
}

/// Numbers of the axes for rows and columns. Of the first two that vary the one with more levels stands upright.
fn sides(study: &Study, axes: Option<&(String, String)>) -> Result<Option<(usize, usize)>, ReportError> {
    let own = &study.plan.axes;
    let Some((rows, columns)) = axes else {
        let mut varied = (0..own.len()).filter(|&axis| own[axis].levels.len() > 1);
        let (Some(first), Some(second)) = (varied.next(), varied.next()) else { return Ok(None) };
        let upright = own[first].levels.len() >= own[second].levels.len();
        return Ok(Some(if upright { (first, second) } else { (second, first) }));
    };
    let find = |name: &String| own.iter().position(|axis| axis.name == *name);
    match (find(rows), find(columns)) {
        (Some(one), Some(other)) if one != other => Ok(Some((one, other))),
        _ => {
            let known: Vec<String> = own.iter().map(|axis| format!("`{}`", axis.name)).collect();
            Err(ReportError::Axes { rows: rows.clone(), columns: columns.clone(), axes: known.join(", ") })
        }
    }
}

/// What cells are looked up in.
struct Map<'a> {
    study: &'a Study,
    samples: &'a Samples,
    rows: usize,
    columns: usize,
}

impl Map<'_> {
    fn heat(&self, target: Option<usize>, name: &str) -> Option<Heat> {
        let plan = &self.study.plan;
        let costs = match target {
            Some(_) => [Quantity::BitsTotal, Quantity::Time, Quantity::Rounds],
            None => [Quantity::BitsTotal, Quantity::Time, Quantity::Error],
        };
        let panel = |what| self.panel(&Measure { target, what });
        let panels: Vec<Panel> = costs.into_iter().filter_map(panel).collect();
        let side = |axis: &PlanAxis| Side { name: axis.name.clone(), levels: axis.levels.clone() };
        let base = &plan.arms[plan.baseline].levels;
        let others = plan.axes.iter().enumerate().filter(|(axis, _)| ![self.rows, self.columns].contains(axis));
        let held = others.filter(|(_, axis)| axis.levels.len() > 1);
        let held = held.map(|(number, axis)| format!("{} = {}", axis.name, axis.levels[base[number]])).collect();
        (!panels.is_empty()).then(|| Heat {
            name: file_name(name),
            rows: side(&plan.axes[self.rows]),
            columns: side(&plan.axes[self.columns]),
            panels,
            target: target
                .map(|number| words(&self.samples.targets[number].column, self.samples.targets[number].at_most)),
            held,
        })
    }

    /// One cost; `None` when no cell has a value.
    fn panel(&self, measure: &Measure) -> Option<Panel> {
        let plan = &self.study.plan;
        let levels = |axis: usize| 0..plan.axes[axis].levels.len();
        let row = |row: usize| levels(self.columns).map(|column| self.cell(row, column, measure)).collect();
        let cells: Vec<Vec<Option<Cell>>> = levels(self.rows).map(row).collect();
        let medians = || cells.iter().flatten().flatten().filter_map(|cell| cell.median);
        let highest = medians().fold(f64::NEG_INFINITY, f64::max);
        let measured = cells.iter().flatten().flatten().next().is_some();
        let (heading, unit) = heading(measure.what, if highest.is_finite() { highest } else { 1.0 });
        measured.then_some(Panel { heading, column: measure.what.name(), unit, cells })
    }

    /// The arm with these two levels and otherwise those of the baseline.
    fn cell(&self, row: usize, column: usize, measure: &Measure) -> Option<Cell> {
        let plan = &self.study.plan;
        let mut levels = plan.arms[plan.baseline].levels.clone();
        (levels[self.rows], levels[self.columns]) = (row, column);
        let arm = self.samples.arms.iter().position(|arm| arm.levels == levels)?;
        let observations: Vec<Observation> = self.samples.observations(arm, measure).values().copied().collect();
        let reached = observations.iter().filter(|own| own.reached).count();
        let cell = Cell { median: kaplan_meier_median(&observations), reached, runs: observations.len() };
        (cell.runs > 0).then_some(cell)
    }
}

/// A target for people: ‖h(Ŝ)‖² ≤ 1e-8.
pub(crate) fn words(column: &str, at_most: f64) -> String {
    let name = match column {
        "mean_field_sq" => "‖h(Ŝ)‖²",
        "field_sq" => "‖H‖²",
        other => other,
    };
    format!("{name} ≤ {at_most:?}")
}

/// Letters, digits, points, hyphens and underscores.
fn file_name(text: &str) -> String {
    text.replace(|c: char| !c.is_ascii_alphanumeric() && !"._-".contains(c), "-")
}

/// The cost in words with its unit, and what values are divided by.
pub(crate) fn heading(what: Quantity, highest: f64) -> (String, f64) {
    let bits = bit_unit(highest);
    let time = if highest >= 7_200.0 {
        (3_600.0, "h")
    } else if highest >= 1.0 {
        (1.0, "s")
    } else {
        (1e-3, "ms")
    };
    match what {
        Quantity::BitsTotal => (format!("bits sent, total ({})", bits.1), bits.0),
        Quantity::BitsUp => (format!("bits sent, uplink ({})", bits.1), bits.0),
        Quantity::Time => (format!("simulated time ({})", time.1), time.0),
        Quantity::Rounds => ("rounds".to_owned(), 1.0),
        Quantity::Error => ("error at the end".to_owned(), 1.0),
    }
}

impl Heat {
    /// A tidy table: measure, row, column, median, runs that get there, runs. The median is empty where not more than half get there.
    pub(crate) fn csv(&self, comments: &[String]) -> String {
        let put = "a string takes everything";
        let mut out = String::new();
        comments.iter().for_each(|line| writeln!(out, "# {line}").expect(put));
        let quoted = |text: &str| format!("\"{}\"", text.replace('"', "\"\""));
        writeln!(out, "measure,{},{},median,reached,runs", quoted(&self.rows.name), quoted(&self.columns.name))
            .expect(put);
        for panel in &self.panels {
            for (row, cells) in self.rows.levels.iter().zip(&panel.cells) {
                for (column, cell) in self.columns.levels.iter().zip(cells) {
                    let Some(cell) = cell else { continue };
                    let median = cell.median.map_or_else(String::new, |value| format!("{value:?}"));
                    let (row, column) = (quoted(row), quoted(column));
                    writeln!(out, "{},{row},{column},{median},{},{}", panel.column, cell.reached, cell.runs)
                        .expect(put);
                }
            }
        }
        out
    }

    /// What the figure shows, for its caption.
    pub(crate) fn caption(&self) -> String {
        let (rows, columns) = (&self.rows.name, &self.columns.name);
        let shown = match &self.target {
            Some(target) => format!("Cost of {target} over {rows} and {columns}"),
            None => format!("Ends of the runs over {rows} and {columns}"),
        };
        let censored = " k/n: runs that get there; hatched: not more than half do.";
        format!("{shown}: medians over the replicates.{}", if self.is_censored() { censored } else { "" })
    }

    /// What the figure shows, in sentences.
    pub(crate) fn words(&self) -> String {
        let (rows, columns) = (&self.rows.name, &self.columns.name);
        let mut text = match &self.target {
            Some(target) => {
                format!("What it takes to get to {target}, over {rows} and {columns}: medians over the replicates")
            }
            None => format!("Where the runs end, over {rows} and {columns}: medians over the replicates"),
        };
        if self.target.is_some() {
            text.push_str(" (Kaplan–Meier: a run that ends before counts as one that needs more)");
        }
        text.push_str(". The darker, the more, on a scale of each panel's own; the least of a panel is framed.");
        if self.is_censored() {
            text.push_str(
                " A small k/n: k of n runs get there; hatched: not more than half do, so that the median is above what the runs took.",
            );
        }
        if !self.held.is_empty() {
            write!(text, " Other axes are held at {}.", self.held.join(", ")).expect("a string takes everything");
        }
        text
    }

    /// Whether some runs do not get there.
    pub(crate) fn is_censored(&self) -> bool {
        self.panels.iter().flat_map(|panel| panel.cells.iter().flatten().flatten()).any(|cell| cell.reached < cell.runs)
    }
}

impl Panel {
    /// Where a median stands between the least (0) and the most (1) of the panel: by logarithms when they differ more than
    /// threefold.
    pub(crate) fn share(&self, value: f64) -> f64 {
        let (low, high) = self.range();
        if high <= low {
            return 0.0;
        }
        match low > 0.0 && high > 3.0 * low {
            true => libm::log(value / low) / libm::log(high / low),
            false => (value - low) / (high - low),
        }
    }

    /// The least and the most of the medians.
    pub(crate) fn range(&self) -> (f64, f64) {
        let medians = self.cells.iter().flatten().flatten().filter_map(|cell| cell.median);
        medians.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| (low.min(value), high.max(value)))
    }
}
