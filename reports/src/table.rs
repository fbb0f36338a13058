//! The data of a figure of lines as CSV: every recorded round of every line, with the runs' digests in comments.

use crate::curves::moves;
use crate::figures::figure::Figure;
use fedbits_figures::{Ends, XAxis};
use fedbits_record::{RecordError, Table};

/// A tidy table: `arm` (what the figure calls the line), the horizontal axes, median or mean, the band's ends, empty
/// where there is none, and how many replicates go on; the others have ended and stay at their end. Where the ends of
/// replicates are drawn each has a row of `ARM-end`.
pub(crate) fn csv(figure: &Figure, comments: &[String]) -> Result<String, RecordError> {
    let lines = figure.lines();
    // Axes that only some runs have stand there when these do.
    let has = |x: &XAxis| x.needs().is_none() || moves(*x, lines.iter().map(|line| line.curve));
    let axes: Vec<XAxis> = XAxis::ALL.into_iter().filter(has).collect();
    let names: Vec<&str> = axes.iter().map(|axis| axis.column()).collect();
    let header = [&["arm"][..], &names, &[figure.middle(), "low", "high", "running"]].concat();
    let mut table = Table::in_memory(comments, &header)?;
    for line in &lines {
        let ends = if figure.ends == Ends::Hidden { &[][..] } else { &line.curve.ends[..] };
        let end = format!("{}-end", line.label);
        let points = line.curve.points.iter().map(|point| (&line.label, point, line.curve.replicates));
        for (name, point, replicates) in points.chain(ends.iter().map(|point| (&end, point, 1))) {
            table.cell(name)?;
            let values = axes.iter().map(|&axis| point.at(axis)).chain([point.median]);
            { values }.try_for_each(|value| table.cell(number(value)))?;
            for value in [point.low, point.high] {
                let is_there = figure.band.is_there(replicates);
                table.cell(if is_there { number(value) } else { String::new() })?;
            }
            table.cell(point.running)?;
            table.end_row()?;
        }
    }
    table.into_text()
}

/// Whole numbers without a point, others so that they read back to the same bits.
fn number(value: f64) -> String {
    let whole = value.fract() == 0.0 && value.abs() < 9e15 && (value != 0.0 || value.is_sign_positive());
    if whole { format!("{value:.0}") } else { format!("{value:?}") }
}
