//! How many labels were found again: the table of accuracies, with its spread.
//!
//! Knows record files, no figure. The accuracy is the column `accuracy` of protocols that classify, of the last round
//! that has it. Arms called `NAME-0`, `NAME-1`, … are outcomes of one method (of its ties, say): none of them is the
//! method's result, their spread is. Replicates of an arm spread, too.

use fedbits_numerics::{quantile, sorted};
use fedbits_record::{Float, RecordError, RoundRow, Table};

use crate::caption::Words;
use crate::data::{Arm, Run};
use crate::replicates::spent;
use crate::text::grouped;
use fedbits_figures::XAxis;

/// File name of the table without ending, and the column that it is made of.
pub(crate) const NAME: &str = fedbits_figures::TABLES[0];

/// Fewer numbered arms are no list of outcomes.
const FEWEST_OUTCOMES: usize = 3;

/// The end of a run.
#[derive(Clone, Copy)]
pub(crate) struct RunEnd {
    accuracy: f64,
    pub(crate) objective: Option<f64>,
    bits: f64,
    seconds: f64,
}

/// An arm with runs that have an accuracy.
pub(crate) struct MeasuredArm<'a> {
    pub(crate) label: &'a str,
    pub(crate) ends: Vec<RunEnd>,
}

/// Arms that are outcomes of one method, or one arm.
pub(crate) struct Method<'a> {
    pub(crate) name: &'a str,
    pub(crate) arms: Vec<MeasuredArm<'a>>,
}

impl Method<'_> {
    pub(crate) fn ends(&self) -> Vec<RunEnd> {
        self.arms.iter().flat_map(|arm| arm.ends.iter().copied()).collect()
    }
}

/// The table as CSV: a row per arm, and one with an empty arm for a method with several outcomes.
pub(crate) fn csv(methods: &[Method<'_>], comments: &[String]) -> Result<String, RecordError> {
    let header = [
        "method",
        "arm",
        "runs",
        "accuracy_lowest",
        "accuracy_median",
        "accuracy_highest",
        "objective",
        "bits_total",
        "time_s",
    ];
    let mut table = Table::in_memory(comments, &header)?;
    let mut row = |method: &Method<'_>, arm: &str, ends: &[RunEnd]| {
        let [lowest, median, highest] = spread(ends).map(|value| Float(Some(value)));
        let objective = Float(middle(ends, |end| end.objective));
        let (bits, seconds) = costs(ends);
        let bits = format!("{bits:.0}");
        table.row(&[
            &method.name,
            &arm,
            &ends.len(),
            &lowest,
            &median,
            &highest,
            &objective,
            &bits,
            &Float(Some(seconds)),
        ])
    };
    for method in methods {
        method.arms.iter().try_for_each(|arm| row(method, arm.label, &arm.ends))?;
        if method.arms.len() > 1 {
            row(method, "", &method.ends())?;
        }
    }
    table.into_text()
}

/// What the table shows, for its caption.
pub(crate) fn words(arms: &[Arm]) -> Words {
    Words::new(
        "Accuracy after the last round under the best matching of components with labels: lowest, median and highest \
         over runs.",
        "Share of examples whose component agrees with their label under the best matching of components with labels, \
         after the last round: lowest, median and highest of the runs of an arm, and of all arms that are outcomes of \
         one method (numbered from 0).",
        arms,
    )
}

/// Arms with an accuracy, outcomes of one method together, at the position of the first of them.
pub(crate) fn methods(arms: &[Arm]) -> Vec<Method<'_>> {
    // Where all runs ended before their first round, there is nothing but what they began with.
    if arms.iter().flat_map(Arm::records).all(|record| record.rounds.iter().all(|row| row.round == 0)) {
        return Vec::new();
    }
    let stems = outcomes(arms);
    let stem_of = |label: &str| stems.iter().copied().find(|stem| number(label, stem).is_some());
    let measured = arms.iter().map(|arm| (&*arm.label, arm.runs.iter().filter_map(end).collect::<Vec<_>>()));
    let measured = measured.filter(|(_, ends)| !ends.is_empty()).map(|(label, ends)| MeasuredArm { label, ends });
    let named = grouped(measured.map(|arm| (stem_of(arm.label).unwrap_or(arm.label), arm)));
    let methods = named.into_iter().map(|(name, mut arms)| {
        arms.sort_by_key(|arm| number(arm.label, name));
        Method { name, arms }
    });
    methods.collect()
}

/// Names, of no arm themselves, under which arms are numbered from 0 without gaps.
fn outcomes(arms: &[Arm]) -> Vec<&str> {
    let stem = |arm: &'_ Arm| arm.label.strip_suffix("-0").map(str::len);
    let complete = |stem: &&str| {
        let mut numbers: Vec<usize> = arms.iter().filter_map(|arm| number(&arm.label, stem)).collect();
        numbers.sort_unstable();
        let is_arm = arms.iter().any(|arm| arm.label == **stem);
        !is_arm && numbers.len() >= FEWEST_OUTCOMES && numbers.iter().copied().eq(0..numbers.len())
    };
    arms.iter().filter_map(|arm| Some(&arm.label[..stem(arm)?])).filter(complete).collect()
}

/// i of `STEM-i`.
pub(crate) fn number(label: &str, stem: &str) -> Option<usize> {
    let digits = label.strip_prefix(stem)?.strip_prefix('-')?;
    digits.bytes().all(|byte| byte.is_ascii_digit()).then(|| digits.parse().ok()).flatten()
}

/// The end of a run that has an accuracy.
fn end(run: &Run) -> Option<RunEnd> {
    let record = &run.record;
    let accuracy = |row: &RoundRow| row.value(NAME, &record.manifest.extra_columns);
    let row = record.rounds.iter().rev().find(|row| accuracy(row).is_some())?;
    Some(RunEnd {
        accuracy: accuracy(row)?,
        objective: row.objective,
        bits: spent(XAxis::BitsTotal, row),
        seconds: spent(XAxis::Time, row),
    })
}

pub(crate) fn spread(ends: &[RunEnd]) -> [f64; 3] {
    let sorted = sorted(ends.iter().map(|end| end.accuracy));
    [0.0, 0.5, 1.0].map(|q| quantile(&sorted, q))
}

/// The median of what the runs have.
pub(crate) fn middle(ends: &[RunEnd], value: impl Fn(&RunEnd) -> Option<f64>) -> Option<f64> {
    let sorted = sorted(ends.iter().filter_map(value));
    (!sorted.is_empty()).then(|| quantile(&sorted, 0.5))
}

/// Medians of bits and seconds.
pub(crate) fn costs(ends: &[RunEnd]) -> (f64, f64) {
    let bits = sorted(ends.iter().map(|end| end.bits));
    let seconds = sorted(ends.iter().map(|end| end.seconds));
    (quantile(&bits, 0.5), quantile(&seconds, 0.5))
}
