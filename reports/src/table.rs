//! The data of a figure of lines as CSV, with the runs' digests in comments.

use crate::curves::{Curve, moves};
use crate::figures::figure::{Figure, Line};
use fedbits_figures::XAxis;
use fedbits_record::{RecordError, Table};

/// A tidy table: `arm` (what the figure calls the line), the horizontal axes, the value with the ends of its band,
/// empty where there is none, and how many replicates it stands for. A row is a recorded round: its value is the
/// median (or mean) of the replicates. Of replicates with a target it is a level of accuracy: axes are the medians of
/// its cost, between `AXIS_low` and `AXIS_high`, and `running` counts the replicates that get there.
pub(crate) fn csv(figure: &Figure, comments: &[String]) -> Result<String, RecordError> {
    let lines = figure.lines();
    // Axes that only some runs have stand there when these do.
    let has = |x: &XAxis| x.needs().is_none() || moves(*x, lines.iter().map(|line| line.curve));
    let axes: Vec<XAxis> = XAxis::ALL.into_iter().filter(has).collect();
    let names = axes.iter().map(|axis| axis.column().to_owned());
    let has_costs = lines.iter().any(|line| line.curve.progress.is_some());
    let ends = |axis: &XAxis| ["low", "high"].map(|end| format!("{}_{end}", axis.column()));
    let after = axes.iter().filter(|_| has_costs).flat_map(ends);
    let values = ["value", "low", "high", "running"].map(str::to_owned);
    let header: Vec<String> = std::iter::once("arm".to_owned()).chain(names).chain(values).chain(after).collect();
    let mut table = Table::in_memory(comments, &header)?;
    for Line { label, curve, .. } in &lines {
        let empty = if has_costs { 2 * axes.len() } else { 0 };
        match &curve.progress {
            Some(_) => costs(&mut table, label, curve, &axes)?,
            None => rounds(&mut table, label, figure, curve, (&axes, empty))?,
        }
    }
    table.into_text()
}

/// A row for every recorded round.
fn rounds(
    table: &mut Table<Vec<u8>>,
    label: &str,
    figure: &Figure,
    curve: &Curve,
    (axes, empty): (&[XAxis], usize),
) -> Result<(), RecordError> {
    let has_band = figure.band.is_there(curve.replicates);
    for point in &curve.points {
        table.cell(label)?;
        let values = axes.iter().map(|&axis| point.at(axis)).chain([point.median]);
        { values }.try_for_each(|value| table.cell(number(value)))?;
        for value in [point.low, point.high] {
            table.cell(if has_band { number(value) } else { String::new() })?;
        }
        table.cell(point.running)?;
        (0..empty).try_for_each(|_| table.cell(""))?;
        table.end_row()?;
    }
    Ok(())
}

/// A row for every level that has a median of its cost on each axis.
fn costs(table: &mut Table<Vec<u8>>, label: &str, curve: &Curve, axes: &[XAxis]) -> Result<(), RecordError> {
    let Some(progress) = &curve.progress else { return Ok(()) };
    for row in progress.rows(axes) {
        let Some(first) = row.first() else { continue };
        table.cell(label)?;
        row.iter().map(|cost| cost.median).chain([first.level]).try_for_each(|value| table.cell(number(value)))?;
        ["", ""].iter().try_for_each(|cell| table.cell(cell))?;
        table.cell(first.reached)?;
        for end in row.iter().flat_map(|cost| [cost.low, cost.high]) {
            table.cell(end.map_or_else(String::new, number))?;
        }
        table.end_row()?;
    }
    Ok(())
}

/// Whole numbers without a point, others so that they read back to the same bits.
fn number(value: f64) -> String {
    let whole = value.fract() == 0.0 && value.abs() < 9e15 && (value != 0.0 || value.is_sign_positive());
    if whole { format!("{value:.0}") } else { format!("{value:?}") }
}
