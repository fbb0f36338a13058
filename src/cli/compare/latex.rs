//! The comparison as a LaTeX table (package booktabs), one line per arm.

use fedbits_reports::compare::{Block, Comparison, ConfidenceInterval, Quantity, Samples};
use fedbits_reports::latex;

use super::human::{number, value_text};

/// A table per target, or of the ends of the runs when there is no target, after a comment that says what they are of.
pub(crate) fn text(samples: &Samples, comparison: &Comparison) -> String {
    let targets: Vec<Option<usize>> = match samples.targets.len() {
        0 => vec![None],
        count => (0..count).map(Some).collect(),
    };
    let tables: Vec<String> = targets.into_iter().map(|target| table(samples, comparison, target)).collect();
    let notes: String = comparison.notes.iter().map(|note| comment(&format!("not compared: {note}"))).collect();
    format!("{}{notes}{}", comment(&samples.source), tables.join("\n"))
}

fn table(samples: &Samples, comparison: &Comparison, target: Option<usize>) -> String {
    let blocks: Vec<&Block> = comparison
        .blocks
        .iter()
        .filter(|block| block.measure.target == target)
        .filter(|block| matches!(block.measure.what, Quantity::BitsTotal | Quantity::Time | Quantity::Error))
        .collect();
    let title = target.map_or_else(|| "the end of the runs".to_owned(), |target| samples.targets[target].name());
    let about = format!(
        "{}: {title}; medians (Kaplan--Meier), ratios to `{}' (geometric mean over the n pairs that reached the \
         target, 95 % interval by Student's t); needs \\usepackage{{booktabs}}",
        samples.name, samples.arms[samples.baseline].name
    );
    let columns = "rrr".repeat(blocks.len());
    let mut text = format!("{}\\begin{{tabular}}{{lr{columns}}}\n\\toprule\n", comment(&about));
    let heading = |block: &&Block| match block.measure.what {
        Quantity::BitsTotal | Quantity::BitsUp => "bits",
        Quantity::Time => "time",
        Quantity::Rounds => "rounds",
        Quantity::Error => "error",
    };
    let heading = |block: &&Block| format!(" & {} & ratio [95\\,\\%] & $n$", heading(block));
    let headings: String = blocks.iter().map(heading).collect();
    text.push_str(&format!("arm & reached{headings} \\\\\n\\midrule\n"));
    for (number, arm) in samples.arms.iter().enumerate() {
        let reached = blocks
            .first()
            .map_or_else(String::new, |block| format!("{}/{}", block.arms[number].reached, block.arms[number].runs));
        let cells: String = blocks.iter().map(|block| cells(block, number, samples.baseline)).collect();
        text.push_str(&format!("{} & {reached}{cells} \\\\\n", latex(&arm.name)));
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
fn comment(text: &str) -> String {
    format!("% {}\n", text.replace(char::is_control, " "))
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
        assert_eq!(value(Quantity::Error, 1.234e-9), r"$1.234\times 10^{-9}$");
        assert_eq!(value(Quantity::Rounds, 12.0), "12");
    }
}
