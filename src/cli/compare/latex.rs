//! The comparison as tables of LaTeX: as few columns as a column of a page holds.

use fedbits_reports::compare::{ArmResult, Block, Comparison, ConfidenceInterval, Quantity, Samples, reached_of};

use super::human::{Section, number, value_column};
use crate::cli::table::{Cell, Quantity as Unit, Table};

/// A table per target and cost, and per quantity at the ends of the runs, with a line per arm: several costs side by
/// side are wider than a page.
pub(super) fn sections(samples: &Samples, comparison: &Comparison) -> Vec<Section> {
    let blocks = comparison.blocks.iter().filter(|block| block.measure.what != Quantity::BitsUp);
    blocks.map(|block| section(samples, block)).collect()
}

fn section(samples: &Samples, block: &Block) -> Section {
    let (target, cost) = (block.measure.target, block.measure.what.name().trim_end_matches("_s").replace('_', " "));
    let what = target.map_or_else(|| "the end of the runs".to_owned(), |target| samples.targets[target].name());
    let condition = if target.is_some() { " that reached the target" } else { "" };
    let medians = if samples.has_cut_runs() { " (Kaplan–Meier)" } else { "" };
    let title = format!(
        "{}: {cost}, {what}; medians{medians}, ratios to `{}` (geometric mean over the n pairs{condition}, 95 % \
         interval by Student's t)",
        samples.name, samples.arms[samples.baseline].name
    );
    let is_counted = target.is_some() || samples.tolerance.is_some() && block.measure.what != Quantity::Error;
    let table = Table::default().text("arm");
    let table = value_column(if is_counted { table.text("reached") } else { table }, block.measure.what);
    let mut table = table.column("ratio", "ratio [95 %]", Unit::Plain).column("n", "n", Unit::Plain);
    for (number, arm) in samples.arms.iter().enumerate() {
        let ArmResult { reached, runs, degenerate, .. } = block.arms[number];
        let counts = is_counted.then(|| Cell::Text(reached_of(reached, runs, degenerate)));
        let cells = cells(&block.arms[number], number == samples.baseline);
        table.row([Cell::from(arm.name.as_str())].into_iter().chain(counts).chain(cells).collect());
    }
    Section::new(title, table)
}

fn cells(result: &ArmResult, is_baseline: bool) -> [Cell; 3] {
    let (ratio, pairs) = match &result.paired {
        None => (if is_baseline { Cell::Count(1) } else { Cell::Missing }, Cell::Missing),
        Some(paired) => (paired.ratio.map_or(Cell::Missing, interval), Cell::Count(paired.pairs as u64)),
    };
    [result.median.into(), ratio, pairs]
}

fn interval(ConfidenceInterval { mean, low, high }: ConfidenceInterval) -> Cell {
    let ends = low.zip(high).map(|(low, high)| format!(" [{}, {}]", number(low), number(high)));
    Cell::Shown(number(mean) + &ends.unwrap_or_default(), mean)
}
