//! What the columns of a table may be: by their names, as people choose them, and by what stands in them.

use fedbits_models::data::csv::is_index;
use fedbits_spec::so_many;

use super::table_file::{ColumnFacts, ODD_TEXTS, TableFile, quoted};
use fedbits_spec::shell;

/// Why a column is no feature, which stands in the scenario.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Unused {
    Text,
    Asked,
    Missing,
    Constant,
    RowNumber,
    Identifier,
    Date,
}

impl Unused {
    pub(super) fn why(self, column: &ColumnFacts) -> String {
        match self {
            Self::Text => match (&column.first_odd, column.distinct()) {
                (Some((place, cell)), _) if column.numbers > 0 => {
                    let (odd, numbers) = (so_many(column.odd, "cell is|cells are"), so_many(column.numbers, "cell"));
                    format!("{odd} no numbers, where {numbers} are; the first at {place}: {cell:?}")
                }
                (Some((place, cell)), Some(levels)) if levels <= CLASSES => {
                    format!("no number at {place}: {cell:?}; `factors: OneHot` makes columns of 0 and 1 of texts")
                }
                (Some((place, cell)), _) => format!("no number at {place}: {cell:?}"),
                (None, _) => "no numbers".to_owned(),
            },
            Self::Asked => "as `--leave-out` says".to_owned(),
            Self::Missing => so_many(column.missing, "value is missing|values are missing"),
            Self::Constant => "the same everywhere".to_owned(),
            Self::RowNumber => "numbers the rows".to_owned(),
            Self::Identifier => "numbers that are names, as it is called".to_owned(),
            Self::Date => "dates, as it is called".to_owned(),
        }
    }
}

/// Words of names, in the order in which they are looked for.
const LABELS: &str = "label class target species diagnosis outcome category kind type y";
const CLIENTS: &str = "client site hospital clinic center centre institution user device node agent region";
const SUBJECTS: &str = "subject patient id person individual participant animal rat pig chick tree child student";
const TIMES: &str = "time times age day days week month year visit period occasion wave";
const VALUES: &str = "dv value conc concentration height weight y response distance";
/// Words for dates and moments; as whole numbers they are no measurements (`20240131`).
const DATES: &str = "date datum datetime timestamp";
/// A label has at most this many values; one without a name for it, of whole numbers, fewer.
const CLASSES: usize = 30;
const CODES: usize = 10;

/// Whether a column's name has one of these words, and the place of the word among them.
fn named(column: &ColumnFacts, words: &str) -> Option<usize> {
    let name = column.name.to_lowercase();
    let parts: Vec<&str> = name.split(|c: char| !c.is_alphanumeric()).collect();
    words.split(' ').position(|word| parts.iter().any(|part| *part == word || part.strip_suffix("id") == Some(word)))
}

/// Whether a column's name says that it holds names of something.
fn is_called_id(column: &ColumnFacts) -> bool {
    let name = column.name.to_lowercase();
    let mut parts = name.split(|c: char| !c.is_alphanumeric());
    let is_known = |stem: &str| [SUBJECTS, CLIENTS].iter().any(|words| words.split(' ').any(|word| word == stem));
    parts.any(|part| part == "id" || part.strip_suffix("id").is_some_and(is_known))
}

/// Why a feature may be no measurement, which its numbers leave open.
pub(super) fn doubt(column: &ColumnFacts) -> Option<&'static str> {
    const ENOUGH: u64 = 100;
    const DAYS: std::ops::Range<f64> = 19_000_101.0..21_001_232.0;
    if column.integers < column.numbers || column.numbers < ENOUGH {
        return None;
    }
    if DAYS.contains(&column.mean) && column.deviation() < DAYS.end - DAYS.start {
        return Some("whole numbers that look like dates");
    }
    match column.distinct() {
        None => Some("whole numbers, more than 1000 different ones"),
        Some(count) => (count as u64 == column.numbers).then_some("whole numbers, no two alike"),
    }
}

fn first_named<'a>(
    columns: impl Iterator<Item = &'a ColumnFacts>,
    words: &str,
    fits: impl Fn(&ColumnFacts) -> bool,
) -> Option<usize> {
    let named = columns.filter(|column| fits(column)).filter_map(|column| Some((named(column, words)?, column.index)));
    named.min().map(|(_, index)| index)
}

/// The only one of columns.
fn only<'a>(mut columns: impl Iterator<Item = &'a ColumnFacts>) -> Option<usize> {
    columns.next().filter(|_| columns.next().is_none()).map(|column| column.index)
}

/// Whether a column has texts, and no dates: `2024-01-31`, `31.1.2024 12:00`, `2024-01`.
fn has_words(column: &ColumnFacts) -> bool {
    let Some((_, text)) = column.first_odd.as_ref().filter(|_| column.odd > column.numbers) else { return false };
    let day = text.split(['T', ' ']).next().unwrap_or_default();
    let parts: Vec<&str> = day.split(['-', '/', '.']).collect();
    let are_numbers = parts.iter().all(|part| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit()));
    !are_numbers || !(parts.len() == 3 || parts.len() == 2 && parts[0].len() == 4)
}

/// The column of labels: one with such a name and few values; else the only one of few texts, or of few whole numbers.
/// Values of labels come back: each row of a class of its own is a name.
pub(super) fn label(table: &TableFile) -> Option<usize> {
    let few = |column: &ColumnFacts, most: usize| column.is_code(table.rows) && column.comes_back(table.rows, most);
    let candidates = || table.usable().filter(|column| named(column, CLIENTS).is_none());
    // A few rows hold few values of anything.
    let enough = table.rows >= 10 * CODES as u64;
    first_named(table.usable(), LABELS, |column| few(column, CLASSES))
        .or_else(|| only(candidates().filter(|column| has_words(column) && few(column, CLASSES))))
        .or_else(|| only(candidates().filter(|column| enough && column.odd == 0 && few(column, CODES))))
}

/// The column of clients: one with such a name whose values come back.
pub(super) fn client(table: &TableFile) -> Option<usize> {
    let comes_back = |column: &ColumnFacts| column.comes_back(table.rows, usize::MAX) && column.is_code(table.rows);
    first_named(table.usable(), CLIENTS, comes_back)
}

const DOSES: &str = "amt dose amount";

/// Whether a column holds doses, as its name says.
pub(super) fn is_dose(column: &ColumnFacts) -> bool {
    named(column, DOSES).is_some()
}

/// Subject, time and value, where the table is of subjects observed over time: `tells_apart` says whether two columns
/// have no two rows in common, as a subject is observed once at a time.
pub(super) fn longitudinal(table: &TableFile, tells_apart: &dyn Fn(usize, usize) -> bool) -> Option<[usize; 3]> {
    let varies = |column: &ColumnFacts| column.numbers > 0 && column.distinct() != Some(1);
    let numbers = |column: &ColumnFacts| column.odd == 0 && varies(column) && !is_dose(column);
    let repeated = |column: &ColumnFacts| column.missing == 0 && column.comes_back(table.rows, usize::MAX);
    let subject = first_named(table.usable(), SUBJECTS, repeated)?;
    let candidates = || table.usable().filter(move |column| column.index != subject);
    let time = first_named(candidates(), TIMES, |column| numbers(column) && tells_apart(subject, column.index))?;
    let rest = || candidates().filter(|column| column.index != time);
    let fraction = |column: &&ColumnFacts| numbers(column) && column.integers < column.numbers;
    // Without a name for it, what is measured is the only column of numbers, or the only one that is not whole.
    let value = first_named(rest(), VALUES, numbers);
    let value = value.or_else(|| only(rest().filter(|column| numbers(column))));
    let value = value.or_else(|| only(rest().filter(fraction)))?;
    Some([subject, time, value])
}

pub(super) fn no_numbers(column: &ColumnFacts) -> Option<Unused> {
    (column.odd > 0).then_some(Unused::Text)
}

/// The error of a column of numbers of which some cells are none, with what can be done: it is not left out for a
/// single cell. None of a column of texts, and of one of names or dates.
pub(super) fn spoilt(column: &ColumnFacts) -> Option<String> {
    let (place, cell) = column.first_odd.as_ref()?;
    let (numbers, unreadable) = (column.numbers + column.written, column.odd - column.written);
    let are_few = 10 * unreadable <= numbers || unreadable <= numbers && column.odd_texts.len() < ODD_TEXTS;
    if numbers == 0 || !are_few || is_called_id(column) || named(column, DATES).is_some() {
        return None;
    }
    let name = shell::word(&quoted(&column.title()));
    let (title, odd) = (column.title(), so_many(column.odd, "cell holds no number|cells hold no numbers"));
    let found =
        format!("{place}: column `{title}`: {odd} that can be read, where {} do; the first: {cell:?}", column.numbers);
    let texts: Vec<&str> = column.odd_texts.iter().map(String::as_str).collect();
    let remedy = if column.written > 0 {
        "expected a decimal point and no separators of thousands (pandas reads others with `decimal=\",\"` and \
         `thousands=\"_\"`)"
            .to_owned()
    } else if texts.len() < ODD_TEXTS && texts.iter().all(|text| !text.contains(',')) {
        let option = shell::word(&format!("--missing-values={}", texts.join(",")));
        format!("correct the file, or say `{option}` where no value is known")
    } else {
        "correct the file, or say `--missing-values=TEXT,…` where no value is known".to_owned()
    };
    Some(format!("{found}: {remedy}; `--leave-out={name}` does without the column"))
}

/// Why a column is no feature; none of one that can be.
pub(super) fn unused(column: &ColumnFacts, table: &TableFile) -> Option<Unused> {
    let rows = table.rows;
    // In files of one row or two anything may count up by chance.
    let counts_up = column.counts_up && rows > 2 * table.files;
    // In several files the numbers begin anew.
    let are_different = table.files > 1 || column.distinct().is_none_or(|count| count as u64 == rows);
    let is_index = is_index(&column.name) && are_different && rows > 2;
    let is_whole = column.integers == column.numbers;
    let reasons = [
        (column.left_out, Unused::Asked),
        (no_numbers(column).is_some(), Unused::Text),
        // What is mostly missing says little, and filling it in would say more than is known.
        (column.numbers == 0 || 2 * column.missing > rows, Unused::Missing),
        (column.distinct() == Some(1), Unused::Constant),
        ((counts_up || is_index) && column.integers == rows, Unused::RowNumber),
        (is_whole && is_called_id(column), Unused::Identifier),
        (is_whole && named(column, DATES).is_some(), Unused::Date),
    ];
    reasons.into_iter().find_map(|(holds, why)| holds.then_some(why))
}
