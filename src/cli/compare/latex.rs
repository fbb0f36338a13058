//! The comparison as tables of LaTeX (package booktabs), and as comments what must be known of it.

use fedbits_reports::compare::{ArmResult, Block, Comparison, ConfidenceInterval, Quantity, Samples, reached_of};
use fedbits_reports::latex;

use crate::comparison::one_line;

use super::human::{Section, beside, number, value_text};

/// A table per target, and of the ends of the runs, with a line per arm; then the fronts, axes alone, and the ranking.
pub(crate) fn text(samples: &Samples, comparison: &Comparison) -> String {
    let targets = (0..samples.targets.len()).map(Some).chain([None]);
    let tables = targets.map(|target| table(samples, comparison, target));
    let beside = beside(samples, comparison).map(|Section { title, table, below }| {
        let below: String = below.iter().map(|line| comment(line)).collect();
        format!("{}{}{below}", comment(&format!("{title}; needs \\usepackage{{booktabs}}")), table.latex())
    });
    let remarks: String = comparison.remarks().iter().map(|line| comment(line)).collect();
    format!("{}{remarks}{}", comment(&samples.source), tables.chain(beside).collect::<Vec<_>>().join("\n"))
}

fn table(samples: &Samples, comparison: &Comparison, target: Option<usize>) -> String {
    let of_target = comparison.blocks.iter().filter(|block| block.measure.target == target);
    let blocks: Vec<&Block> = of_target.filter(|block| block.measure.what != Quantity::BitsUp).collect();
    let title = target.map_or_else(|| "the end of the runs".to_owned(), |target| samples.targets[target].name());
    let that = if target.is_some() { " that reached the target" } else { "" };
    let medians = if samples.has_cut_runs() { " (Kaplan--Meier)" } else { "" };
    let about = format!(
        "{}: {title}; medians{medians}, ratios to `{}' (geometric mean over the n pairs{that}, 95 % interval by \
         Student's t); needs \\usepackage{{booktabs}}",
        samples.name, samples.arms[samples.baseline].name
    );
    let counted = blocks.first().filter(|_| target.is_some() || samples.tolerance.is_some());
    let columns = "rrr".repeat(blocks.len());
    let (side, head) = if counted.is_some() { ("r", " & reached") } else { ("", "") };
    let mut text = format!("{}\\begin{{tabular}}{{l{side}{columns}}}\n\\toprule\n", comment(&about));
    let heading = |block: &&Block| match block.measure.what {
        Quantity::BitsTotal | Quantity::BitsUp => "bits",
        Quantity::Time => "time",
        Quantity::Rounds => "rounds",
        Quantity::Error => "error",
    };
    let heading = |block: &&Block| format!(" & {} & ratio [95\\,\\%] & $n$", heading(block));
    let headings: String = blocks.iter().map(heading).collect();
    text.push_str(&format!("arm{head}{headings} \\\\\n\\midrule\n"));
    for (number, arm) in samples.arms.iter().enumerate() {
        let reached = counted.map_or_else(String::new, |block| {
            let ArmResult { reached, runs, degenerate, .. } = block.arms[number];
            format!(" & {}", reached_of(reached, runs, degenerate))
        });
        let cells: String = blocks.iter().map(|block| cells(block, number, samples.baseline)).collect();
        text.push_str(&format!("{}{reached}{cells} \\\\\n", latex(&arm.name)));
    }
    text.push_str("\\bottomrule\n\\end{tabular}\n");
    text
}

fn cells(block: &Block, number: usize, baseline: usize) -> String {
    let result = &block.arms[number];
    let median = result.median.map_or_else(|| "--".to_owned(), |median| value(block.measure.what, median));
    let (ratio, pairs) = match &result.paired {
        None => (if number == baseline { "1" } else { "--" }.to_owned(), String::new()),
        Some(paired) => (paired.ratio.map_or_else(|| "--".to_owned(), interval), paired.pairs.to_string()),
    };
    format!(" & {median} & {ratio} & {pairs}")
}

fn interval(interval: ConfidenceInterval) -> String {
    let mean = numeral(&number(interval.mean));
    match (interval.low, interval.high) {
        (Some(low), Some(high)) => {
            format!("${mean}\\ [{}, {}]$", numeral(&number(low)), numeral(&number(high)))
        }
        _ => format!("${mean}$"),
    }
}

fn value(what: Quantity, value: f64) -> String {
    let text = value_text(what, value);
    match what {
        Quantity::Error => format!("${}$", numeral(&text)),
        _ => latex(&text),
    }
}

/// A number for math: `1.2e-5` with a power of ten.
fn numeral(text: &str) -> String {
    match text.split_once('e') {
        Some((mantissa, exponent)) => format!("{mantissa}\\times 10^{{{exponent}}}"),
        None => text.to_owned(),
    }
}

/// A line that LaTeX does not read.
pub(super) fn comment(text: &str) -> String {
    format!("% {}\n", one_line(text))
}

#[cfg(test)]
mod tests {
    use super::{ConfidenceInterval, Quantity, interval, value};

    /// Brackets stand apart from the number before them, and powers of ten are powers.
    #[test]
    fn numbers() {
        let of = |mean, low, high| interval(ConfidenceInterval { mean, low, high });
        assert_eq!(of(0.53, Some(0.517), Some(0.5434)), r"$0.530\ [0.517, 0.543]$");
        assert_eq!(of(1.5e-6, Some(-2e-7), Some(3.0)), r"$1.50\times 10^{-6}\ [-2.00\times 10^{-7}, 3.00]$");
        assert_eq!(of(2.0, None, None), "$2.00$");
        assert_eq!(of(1.0017, Some(0.99984), Some(1.00354)), r"$1.002\ [0.9998, 1.004]$");
        assert_eq!(value(Quantity::Error, 1.234e-9), r"$1.234\times 10^{-9}$");
        assert_eq!(value(Quantity::Rounds, 12.0), "12");
    }
}
