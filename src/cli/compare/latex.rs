//! The comparison as tables of LaTeX: as few columns as a page holds.

use fedbits_reports::compare::{ArmResult, Block, Comparison, ConfidenceInterval, Quantity, Samples, reached_of};

use super::human::{Section, number, value_column};
use crate::cli::table::{Cell, Quantity as Unit, Table};

/// A table per target, and of the ends of the runs, with a line per arm.
pub(super) fn sections(samples: &Samples, comparison: &Comparison) -> Vec<Section> {
    let targets = (0..samples.targets.len()).map(Some).chain([None]);
    targets.map(|target| section(samples, comparison, target)).collect()
}

fn section(samples: &Samples, comparison: &Comparison, target: Option<usize>) -> Section {
    let of_target = comparison.blocks.iter().filter(|block| block.measure.target == target);
    let blocks: Vec<&Block> = of_target.filter(|block| block.measure.what != Quantity::BitsUp).collect();
    let what = target.map_or_else(|| "the end of the runs".to_owned(), |target| samples.targets[target].name());
    let condition = if target.is_some() { " that reached the target" } else { "" };
    let medians = if samples.has_cut_runs() { " (Kaplan–Meier)" } else { "" };
    let title = format!(
        "{}: {what}; medians{medians}, ratios to `{}` (geometric mean over the n pairs{condition}, 95 % interval by \
         Student's t)",
        samples.name, samples.arms[samples.baseline].name
    );
    let counted = blocks.first().filter(|_| target.is_some() || samples.tolerance.is_some());
    let mut table = Table::default().text("arm");
    table = if counted.is_some() { table.text("reached") } else { table };
    for block in &blocks {
        table = value_column(table, block.measure.what).column("ratio", "ratio [95 %]", Unit::Plain).column(
            "n",
            "n",
            Unit::Plain,
        );
    }
    for (number, arm) in samples.arms.iter().enumerate() {
        let mut row = vec![arm.name.as_str().into()];
        row.extend(counted.map(|block| {
            let ArmResult { reached, runs, degenerate, .. } = block.arms[number];
            Cell::Text(reached_of(reached, runs, degenerate))
        }));
        blocks.iter().for_each(|block| row.extend(cells(&block.arms[number], number == samples.baseline)));
        table.row(row);
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
