//! The table of accuracies for LaTeX (package booktabs), at most as wide as the venue's column: in smaller type where
//! it has to be, else in two parts, one below the other.

use crate::accuracy::{Method, RunEnd, costs, middle, number, spread};
use crate::figures::units::bit_unit;
use crate::style::Style;
use crate::text::Rich;
use crate::words::three_digits;

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

/// A line per method, and below it its outcomes.
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
