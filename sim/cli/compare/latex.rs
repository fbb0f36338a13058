//! The comparison as a LaTeX table (package booktabs), one line per arm.

use fedbits_reports::compare::{Block, Comparison, Interval, Quantity, Samples};

use super::human::value_text;

/// A table per target, or of the ends of the runs when there is no target, after a comment that says what they are of.
pub fn text(samples: &Samples, comparison: &Comparison) -> String {
    let targets: Vec<Option<usize>> = match samples.targets.len() {
        0 => vec![None],
        count => (0..count).map(Some).collect(),
    };
    let tables: String = targets.into_iter().map(|target| table(samples, comparison, target)).collect();
    format!("% {}\n{tables}", samples.source)
}

fn table(samples: &Samples, comparison: &Comparison, target: Option<usize>) -> String {
    let blocks: Vec<&Block> = comparison
        .blocks
        .iter()
        .filter(|block| block.measure.target == target)
        .filter(|block| matches!(block.measure.what, Quantity::BitsTotal | Quantity::Time | Quantity::Error))
        .collect();
    let title = target.map_or_else(|| "the end of the runs".to_owned(), |target| samples.targets[target].name());
    let mut text = format!(
        "% {}: {}; medians (Kaplan--Meier), ratios to `{}' (geometric mean over the n pairs that got there, 95 % interval by \
         Student's t)\n\\begin{{tabular}}{{lr{}}}\n\\toprule\n",
        samples.name,
        title,
        samples.arms[samples.baseline].name,
        "rrr".repeat(blocks.len())
    );
    let heading = |block: &&Block| match block.measure.what {
        Quantity::BitsTotal | Quantity::BitsUp => " & bits & ratio & $n$",
        Quantity::Time => " & time & ratio & $n$",
        Quantity::Rounds => " & rounds & ratio & $n$",
        Quantity::Error => " & error & ratio & $n$",
    };
    let headings: String = blocks.iter().map(heading).collect();
    text.push_str(&format!("arm & reached{headings} \\\\\n\\midrule\n"));
    for (number, arm) in samples.arms.iter().enumerate() {
        let reached = blocks
            .first()
            .map_or_else(String::new, |block| format!("{}/{}", block.arms[number].reached, block.arms[number].runs));
        let cells: String = blocks.iter().map(|block| cells(block, number, samples.baseline)).collect();
        text.push_str(&format!("{} & {reached}{cells} \\\\\n", escaped(&arm.name)));
    }
    text.push_str("\\bottomrule\n\\end{tabular}\n");
    text
}

fn cells(block: &Block, number: usize, baseline: usize) -> String {
    let result = &block.arms[number];
    let median = result.median.map_or_else(|| "--".to_owned(), |value| escaped(&value_text(block.measure.what, value)));
    let (ratio, pairs) = match &result.paired {
        None => (if number == baseline { "1" } else { "--" }.to_owned(), String::new()),
        Some(paired) => (paired.ratio.map_or_else(|| "--".to_owned(), interval), paired.pairs.to_string()),
    };
    format!(" & {median} & {ratio} & {pairs}")
}

fn interval(interval: Interval) -> String {
    format!("${}$", super::human::interval(interval).replace(", ", ",\\,"))
}

/// Text that LaTeX takes as it is meant.
fn escaped(text: &str) -> String {
    let escape = |c: char| match c {
        '%' | '&' | '#' | '_' | '$' | '{' | '}' => format!("\\{c}"),
        '\\' => "\\textbackslash{}".to_owned(),
        '~' => "\\textasciitilde{}".to_owned(),
        '^' => "\\textasciicircum{}".to_owned(),
        '≤' => "$\\le$".to_owned(),
        other => other.to_string(),
    };
    text.chars().map(escape).collect()
}
