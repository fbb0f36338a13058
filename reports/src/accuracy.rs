//! How many labels were found again: the table of accuracies, with its spread.
//!
//! Knows record files, no figure. The accuracy is the column `accuracy` of protocols that classify, of the last round
//! that has it. Arms called `NAME-0`, `NAME-1`, … are outcomes of one method (of its ties, say): none of them is the
//! method's result, their spread is. Replicates of an arm spread, too.

use crate::caption::Words;
use crate::data::{Arm, Run};
use crate::figures::units::bit_unit;
use crate::replicates::spent;
use crate::rows::{FigureRows, cells, number as cell_of};
use crate::style::Style;
use crate::text::{Rich, grouped};
use crate::words::three_digits;
use fedbits_figures::XAxis;
use fedbits_numerics::{quantile, sorted};
use fedbits_record::{RecordError, RoundRow};

/// File name of the table without ending, and the column that it is made of.
pub(crate) const NAME: &str = fedbits_figures::TABLES[0];

/// Fewer numbered arms are no list of outcomes.
const FEWEST_OUTCOMES: usize = 3;

/// The end of a run.
#[derive(Clone, Copy)]
struct RunEnd {
    accuracy: f64,
    objective: Option<f64>,
    bits: f64,
    seconds: f64,
}

/// An arm with runs that have an accuracy.
struct MeasuredArm<'a> {
    label: &'a str,
    ends: Vec<RunEnd>,
}

/// Arms that are outcomes of one method, or one arm.
pub(crate) struct Method<'a> {
    name: &'a str,
    arms: Vec<MeasuredArm<'a>>,
}

impl Method<'_> {
    fn ends(&self) -> Vec<RunEnd> {
        self.arms.iter().flat_map(|arm| arm.ends.iter().copied()).collect()
    }
}

/// The table as CSV: a row per arm, and one with an empty arm for a method with several outcomes.
pub(crate) fn rows(methods: &[Method<'_>]) -> Result<FigureRows, RecordError> {
    let row = |method: &str, arm: &str, ends: &[RunEnd]| {
        let (accuracies, objective) = (spread(ends).map(cell_of), cell_of(middle(ends, |end| end.objective)));
        let (bits, seconds) = costs(ends);
        let costs = cells![objective, format!("{bits:.0}"), cell_of(seconds)];
        [cells![method, arm, ends.len()], accuracies.to_vec(), costs].concat()
    };
    let of_method = |method: &'_ Method<'_>| {
        let all = (method.arms.len() > 1).then(|| row(method.name, "", &method.ends()));
        method.arms.iter().map(|arm| row(method.name, arm.label, &arm.ends)).chain(all).collect::<Vec<_>>()
    };
    let (runs, costs) = (["method", "arm", "runs"], ["objective", "bits_total", "time_s"]);
    let accuracies = ["lowest", "median", "highest"].map(|name| format!("accuracy_{name}"));
    let header = [runs, accuracies.each_ref().map(String::as_str), costs].concat();
    FigureRows::new(&header, methods.iter().flat_map(of_method))
}

/// What the table shows, for its caption.
pub(crate) fn words(arms: &[Arm]) -> Words {
    // A model without components predicts the labels themselves.
    let fits = || arms.iter().flat_map(Arm::records).filter_map(|record| record.manifest.fit.as_ref());
    let predicts = fits().next().is_some() && fits().all(|fit| fit.components == 0);
    let (under, share) = match predicts {
        true => ("", "predicted class is their label"),
        false => (MATCHED, "component agrees with their label"),
    };
    Words::new(
        &format!("Accuracy after the last round{under}: lowest, median and highest over runs."),
        &format!(
            "Share of examples whose {share}{under}, after the last round: lowest, median and highest of the runs of \
             an arm, and of all arms that are outcomes of one method (numbered from 0)."
        ),
        arms,
    )
}

const MATCHED: &str = " under the best matching of components with labels";

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
fn number(label: &str, stem: &str) -> Option<usize> {
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

fn spread(ends: &[RunEnd]) -> [f64; 3] {
    let sorted = sorted(ends.iter().map(|end| end.accuracy));
    [0.0, 0.5, 1.0].map(|q| quantile(&sorted, q))
}

/// The median of what the runs have.
fn middle(ends: &[RunEnd], value: impl Fn(&RunEnd) -> Option<f64>) -> Option<f64> {
    let sorted = sorted(ends.iter().filter_map(value));
    (!sorted.is_empty()).then(|| quantile(&sorted, 0.5))
}

/// Medians of bits and seconds.
fn costs(ends: &[RunEnd]) -> (f64, f64) {
    let bits = sorted(ends.iter().map(|end| end.bits));
    let seconds = sorted(ends.iter().map(|end| end.seconds));
    (quantile(&bits, 0.5), quantile(&seconds, 0.5))
}

/// Points of TeX in one of 1/72 in.
const TEX_POINT: f64 = 72.27 / 72.0;
/// Documents' letters may be wider than those of the figures' font.
const WIDER: f64 = 1.1;
/// A quad, in sizes of type.
const QUAD: f64 = 1.0;
/// Commands of a type, its size in the largest of the venues' documents, and the room on either side of a column.
const TYPES: [(&str, f64, f64); 3] = [("", 10.95, 6.0), ("\\small", 10.0, 4.0), ("\\footnotesize", 9.0, 3.0)];

const HEADS: [&str; COLUMNS] = ["method", "$n$", "lowest", "median", "highest", "objective", "bits", "time"];
const COLUMNS: usize = 8;
/// The columns that have the common head `accuracy`.
const ACCURACIES: std::ops::Range<usize> = 2..5;
const MEDIAN: usize = 3;
/// The head of the median where it stands alone.
const ACCURACY: &str = "accuracy (\\%)";
/// The columns of a table in one part, and in two.
const WHOLE: &[&[usize]] = &[&[0, 1, 2, 3, 4, 5, 6, 7]];
const HALVES: &[&[usize]] = &[&[0, 1, 2, 3, 4], &[0, 5, 6, 7]];
/// The same where every method has one run, whose accuracies have no ends.
const SINGLE_WHOLE: &[&[usize]] = &[&[0, 1, 3, 5, 6, 7]];
const SINGLE_HALVES: &[&[usize]] = &[&[0, 1, 3], &[0, 5, 6, 7]];

const SEVERAL: &str = "Lowest, median and highest accuracy of n runs; the rest are medians.";

/// Source and width, in sizes of type.
type Cell = (String, f64);

/// The table for LaTeX (package booktabs): a line per method, and below it its outcomes. It is at most as wide as the
/// venue's column: in smaller type where it has to be, else in two parts, one below the other.
pub(crate) fn tex(methods: &[Method<'_>], comments: &[String], style: Style) -> String {
    let mut rows = Vec::new();
    for method in methods {
        rows.push(row(cell(&Rich::plain(method.name)), &method.ends()));
        let outcomes = if method.arms.len() > 1 { &method.arms[..] } else { &[] };
        for arm in outcomes {
            let number = number(arm.label, method.name).map_or_else(String::new, |number| format!(" {number}"));
            let (name, width) = cell(&Rich::plain(&format!("outcome{number}")));
            rows.push(row((format!("\\quad {name}"), QUAD + width), &arm.ends));
        }
    }
    let room = style.look().width * TEX_POINT;
    let fits = |parts: &[&[usize]], (_, size, side): &(&str, f64, f64)| {
        let width = |columns: &&[usize]| -> f64 {
            columns.iter().map(|&column| 2.0 * side + WIDER * size * widest(&rows, column, columns)).sum()
        };
        parts.iter().all(|columns| width(columns) <= room)
    };
    let is_single = rows.iter().all(|row| ACCURACIES.filter(|&column| row[column].0.is_empty()).count() == 2);
    let layouts = if is_single { [SINGLE_WHOLE, SINGLE_HALVES] } else { [WHOLE, HALVES] };
    let choices = layouts.into_iter().flat_map(|parts| TYPES.iter().map(move |font| (parts, font)));
    let last = (layouts[1], &TYPES[TYPES.len() - 1]);
    let (parts, (command, _, side)) = choices.into_iter().find(|(parts, font)| fits(parts, font)).unwrap_or(last);
    let comments: String = comments.iter().map(|line| format!("% {line}\n")).collect();
    let what = if is_single { "One run each." } else { SEVERAL };
    let about = format!("% Needs \\usepackage{{booktabs}}. {what}\n");
    let tables: Vec<String> = parts.iter().map(|columns| tabular(&rows, columns)).collect();
    let tables = tables.join("\\par\\smallskip\n");
    match *command {
        "" => format!("{comments}{about}{tables}"),
        command => format!("{comments}{about}{{{command}\\setlength{{\\tabcolsep}}{{{side}pt}}%\n{tables}}}%\n"),
    }
}

/// The widest cell of a column, in sizes of type.
fn widest(rows: &[[Cell; COLUMNS]], column: usize, columns: &[usize]) -> f64 {
    let head = Rich::plain(head(column, columns).trim_matches('$')).width(1.0);
    rows.iter().map(|row| row[column].1).fold(head, f64::max)
}

/// Of a column among these.
fn head(column: usize, columns: &[usize]) -> &'static str {
    match column {
        MEDIAN if !columns.contains(&ACCURACIES.start) => ACCURACY,
        _ => HEADS[column],
    }
}

fn tabular(rows: &[[Cell; COLUMNS]], columns: &[usize]) -> String {
    let line = |cells: &dyn Fn(usize) -> String| {
        let cells = columns.iter().enumerate().map(|(place, &column)| match cells(column) {
            cell if place == 0 || cell.is_empty() => cell,
            cell => format!(" {cell}"),
        });
        format!("{} \\\\\n", cells.collect::<Vec<_>>().join(" &"))
    };
    let mut out = format!("\\begin{{tabular}}{{l{}}}\n\\toprule\n", "r".repeat(columns.len() - 1));
    if let Some(first) = columns.iter().position(|&column| column == ACCURACIES.start) {
        let (from, to) = (first + 1, first + ACCURACIES.len());
        let after = "& ".repeat(columns.len() - to);
        let before = "& ".repeat(first);
        out +=
            &format!("{before}\\multicolumn{{3}}{{c}}{{accuracy (\\%)}} {after}\\\\\n\\cmidrule(lr){{{from}-{to}}}\n");
    }
    out += &line(&|column| head(column, columns).to_owned());
    out += "\\midrule\n";
    rows.iter().for_each(|row| out += &line(&|column| row[column].0.clone()));
    out + "\\bottomrule\n\\end{tabular}\n"
}

fn cell(words: &Rich) -> Cell {
    (words.latex(), words.width(1.0))
}

fn row(name: Cell, ends: &[RunEnd]) -> [Cell; COLUMNS] {
    let none = || (String::new(), 0.0);
    let plain = |text: String| cell(&Rich::plain(&text.replace('-', "\u{2212}")));
    let percent = |value: f64| plain(format!("{:.2}", 100.0 * value));
    // A thin space is a sixth of the size.
    let with_unit = |value: f64, unit: &str| {
        let (number, width) = cell(&three_digits(value));
        (format!("{number}\\,{unit}"), width + 1.0 / 6.0 + Rich::plain(unit).width(1.0))
    };
    let [lowest, median, highest] = match (ends.len(), spread(ends)) {
        (1, [_, only, _]) => [none(), percent(only), none()],
        (_, all) => all.map(percent),
    };
    let objective = middle(ends, |end| end.objective).map_or_else(none, |value| plain(format!("{value:.4}")));
    let (bits, seconds) = costs(ends);
    let (unit, prefix) = bit_unit(bits);
    let (bits, seconds) = (with_unit(bits / unit, prefix), with_unit(seconds, "s"));
    [name, plain(ends.len().to_string()), lowest, median, highest, objective, bits, seconds]
}
