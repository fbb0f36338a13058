//! The scenario that is written for a table of a user's: commented, and checked before it is written.

use fedbits_spec::{Caveat, so_many};
use std::collections::BTreeMap;
use std::path::Path;

use super::columns::{doubt, is_dose};
use super::proposal::{Missing, Mixture, Proposal, propose, propose_of_numbers};
use super::questions::{Questions, find as column_of};
use super::source::{Numbers, Source, find};
use super::table_file::{ColumnFacts, ROWS, TableFile, names, tells_apart};
use super::target::Target;
use crate::cli::args::NewOptions;
use crate::cli::failure::Failure;
use crate::cli::progress::Console;
use crate::executor::run_and_tell;
use crate::listener::Listener;
use crate::options::RunOptions;
use crate::scenario::Scenario;
use crate::texts::filled;

/// Looks at the table, proposes, and gives the text of a scenario that can be run.
pub(super) fn for_table(
    data: &Path,
    target: &Target,
    options: &NewOptions,
    console: &Console,
) -> Result<String, Failure> {
    let mut questions = Questions::new(options.yes, console);
    let source = find(data, options, &mut questions)?;
    let path = seen_from(target.folder(), data)?;
    let (mut table, file, files) = match source {
        Source::Tables { table, first, files } => (table, first, files),
        Source::Numbers(numbers) => return for_numbers(&numbers, (data, &path), target, &mut questions, console),
    };
    for name in options.leave_out.iter().flat_map(|listed| names(listed)) {
        let index = column_of(&table, &name).map_err(Failure::Input)?;
        table.columns[index].left_out = true;
    }
    let cut = if table.cut { format!("the first {ROWS} of more") } else { table.rows.to_string() };
    let header = if table.header { "with a header" } else { "without a header" };
    let first = if files > 0 { format!(" in {}", so_many(files, "file")) } else { String::new() };
    console.message(&format!(
        "{}: {}{first}, {}, {header}",
        data.display(),
        so_many(cut, "row"),
        so_many(table.columns.len(), "column")
    ));
    let apart = |first, second| tells_apart(&file, &table, (first, second));
    match &propose(&table, (files, &apart), &mut questions)? {
        Proposal::Mixture(mixture) => {
            said_of(&table, mixture).iter().for_each(|line| console.message(line));
            first_that_runs(
                target,
                STARTS.iter().map(|start| of_mixture(&table, mixture, &path, (&target.stem, start))),
                console,
            )
        }
        Proposal::Curves { columns, subjects, clients } => {
            let [subject, time, value] = columns.map(|index| table.columns[index].title());
            console
                .message(&format!("curves of {} (`{subject}`): `{value}` over `{time}`", so_many(subjects, "subject")));
            let unused = table.columns.iter().filter(|column| !columns.contains(&column.index));
            unused.for_each(|column| console.message(&not_of_curves(column)));
            let text = of_curves(&table, (*columns, *subjects, *clients), &path, &target.stem);
            first_that_runs(target, std::iter::once(text), console)
        }
    }
}

fn not_of_curves(column: &ColumnFacts) -> String {
    let title = column.title();
    let doses = format!("if these are doses: `doses: Rows(amount: {title:?})` and the curve `OneCompartmentOral()`");
    let why = if is_dose(column) { doses } else { "a curve has subject, time and value".to_owned() };
    format!("left out: {title} ({why})")
}

/// The same for examples whose columns have no names.
fn for_numbers(
    numbers: &Numbers,
    (data, path): (&Path, &str),
    target: &Target,
    questions: &mut Questions<'_>,
    console: &Console,
) -> Result<String, Failure> {
    let Numbers { name, rows, features, classes } = numbers;
    let labels = classes.map_or_else(|| "no labels".to_owned(), |classes| so_many(classes, "class"));
    console.message(&format!(
        "{}: {}, {}, {labels}",
        data.display(),
        so_many(rows, "row"),
        so_many(features, "column")
    ));
    let [components, clients] = propose_of_numbers(numbers, questions)?;
    let text = |(start, domain): (&[&str; 2], &str)| {
        // Which columns vary is not looked at here: there may be thousands.
        let values = [
            ("data", format!("{name}(path: {path:?})")),
            ("steps", "DropConstant, Standardize".to_owned()),
            ("clients", dealt(clients, classes.is_some())),
            ("components", components.to_string()),
        ];
        mixture_text(&target.stem, start, domain, &values)
    };
    // Many of thousands of columns may be 0 in all examples of a cluster.
    let starts = STARTS.iter().flat_map(|start| [(start, SKIP_ROUND), (start, CLIP)]);
    first_that_runs(target, starts.map(text), console)
}

/// What is proposed, for people: nobody is asked outside a terminal.
fn said_of(table: &TableFile, mixture: &Mixture) -> Vec<String> {
    let title = |index: usize| table.columns[index].title();
    let left_out = mixture.unused.iter().map(|(index, why)| {
        let column = &table.columns[*index];
        format!("left out: {} ({})", column.title(), why.why(column))
    });
    let label = match mixture.label {
        Some(label) => format!("classes, for measuring alone: `{}`", title(label)),
        None => "classes: none".to_owned(),
    };
    let clients = match mixture.client {
        Some(client) => format!("clients: those that `{}` names", title(client)),
        None if mixture.by_file => "clients: the files".to_owned(),
        None => format!("clients: {}, rows dealt at random", mixture.clients),
    };
    let missing = mixture.missing.map(|missing| match missing {
        Missing::Drop { .. } => "rows with missing values: left out".to_owned(),
        Missing::ImputeMedian => "missing values: the median of their column".to_owned(),
    });
    let features = format!("features: {} of {}", mixture.features.len(), so_many(table.columns.len(), "column"));
    let marks = [said_of_mark(table, mixture.label, "a class"), said_of_mark(table, mixture.client, "a client")];
    let doubts = doubts(table, mixture).map(|(title, why)| format!("is `{title}` a measurement? {why}"));
    let used = std::iter::once(features)
        .chain(doubts)
        .chain([label, clients])
        .chain(marks.into_iter().flatten())
        .chain(codes(table, mixture).map(|said| format!("{said} (`--missing-values`)")))
        .chain(missing);
    left_out.chain(said_twice(table)).chain(used).collect()
}

/// Features that may only number something, by their titles, and what says so.
fn doubts(table: &TableFile, mixture: &Mixture) -> impl Iterator<Item = (String, &'static str)> {
    let columns = mixture.features.iter().map(|&index| &table.columns[index]);
    columns.filter_map(|column| Some((column.title(), doubt(column)?)))
}

/// Features with numbers that often stand for missing values where the others are not negative.
fn codes(table: &TableFile, mixture: &Mixture) -> impl Iterator<Item = String> {
    let columns = mixture.features.iter().map(|&index| &table.columns[index]);
    columns.filter(|column| column.coded == column.negative).filter_map(|column| {
        let (title, code) = (column.title(), column.code.as_ref()?);
        let cells = so_many(column.coded, "number of it is|numbers of it are");
        Some(format!("does {code} in `{title}` stand for a missing value? {cells} negative"))
    })
}

/// Of labels or clients that are called as missing values are, which the reader of tables takes for names.
fn said_of_mark(table: &TableFile, index: Option<usize>, what: &str) -> Option<String> {
    let column = &table.columns[index?];
    let (mark, cells) = (column.mark.as_ref()?, column.missing - column.empty);
    Some(format!(
        "`{}` says `{mark}` or alike in {}, which is {what} of that name: only empty cells are missing there",
        column.title(),
        so_many(cells, "row")
    ))
}

/// The names that several columns have.
fn said_twice(table: &TableFile) -> Vec<String> {
    let names = table.columns.iter().map(|column| column.name.as_str()).filter(|_| table.header);
    let mut counts: BTreeMap<&str, u32> = BTreeMap::new();
    names.filter(|name| !name.is_empty()).for_each(|name| *counts.entry(name).or_default() += 1);
    let several = counts.into_iter().filter(|(_, count)| *count > 1);
    several
        .map(|(name, count)| {
            format!("{} are called `{name}`: numbers stand for them, from 0", so_many(count, "column"))
        })
        .collect()
}

/// The first of the texts that leaves a round to play: clusters of a start may have no spread, and where they lie far
/// apart, k-means finds what EM would. The first that can be played where none does.
fn first_that_runs(target: &Target, texts: impl Iterator<Item = String>, console: &Console) -> Result<String, Failure> {
    let folder = std::path::absolute(target.folder()).map_err(|error| Failure::file(target.folder(), &error))?;
    let mut last = Failure::Input("there is nothing to propose".to_owned());
    let mut at_end = None;
    for text in texts {
        let scenario = Scenario::from_text_in(&format!("{}.ron", &target.stem), &text, Some(folder.clone()));
        let arms = scenario.set("stop.rounds", "1").arms()?;
        match run_and_tell(&arms[0], &RunOptions::default()) {
            Ok((record, rounding)) if record.manifest.totals.rounds > 0 => {
                if at_end.is_some() {
                    console.message("k-means ends where EM would on these data: the fit starts elsewhere");
                }
                let is_of_subjects = |caveat: &&Caveat| matches!(caveat, Caveat::RawSquares { .. });
                let of_subjects = record.manifest.caveats.iter().filter(is_of_subjects);
                rounding.iter().chain(of_subjects).for_each(|caveat| console.message(&format!("caveat: {caveat}")));
                return Ok(text);
            }
            Ok(_) => _ = at_end.get_or_insert(text),
            Err(error) => last = Failure::from(error).about("these data do not fit what was proposed"),
        }
    }
    at_end
        .inspect(|_| console.message("every start that was tried meets the target already: no round is left"))
        .ok_or(last)
}

/// Covariances and starts of a mixture that are tried, the one that says most first.
const STARTS: [[&str; 2]; 4] = [
    ["Diagonal", "KMeans(iterations: 20, restarts: 5)"],
    ["Diagonal", "KMeansPlusPlus()"],
    ["Diagonal", "RandomExamples"],
    ["Tied", "KMeansPlusPlus()"],
];

/// The path of the table as the scenario says it: as it was typed where the scenario lies here, else in full.
fn seen_from(folder: &Path, data: &Path) -> Result<String, Failure> {
    let path = if folder == Path::new(".") {
        data.to_path_buf()
    } else {
        std::path::absolute(data).map_err(|error| Failure::file(data, &error))?
    };
    let text = path.to_str().map(str::to_owned);
    text.ok_or_else(|| Failure::Input(format!("{} is not UTF-8: a scenario cannot name it", path.display())))
}

fn column(table: &TableFile, index: usize) -> String {
    let name = &table.columns[index].name;
    if table.header && table.is_unique(index) { format!("{name:?}") } else { index.to_string() }
}

/// What a comment may say of a name: one line.
fn comment(text: &str) -> String {
    text.replace(char::is_control, " ")
}

fn of_mixture(table: &TableFile, mixture: &Mixture, path: &str, (name, start): (&str, &[&str; 2])) -> String {
    let unused = mixture.unused.iter().map(|(index, why)| {
        let column = &table.columns[*index];
        format!("Left out: {} ({}).", column.title(), why.why(column))
    });
    let doubts = doubts(table, mixture)
        .map(|(title, why)| format!("Is {title} a measurement ({why})? If not, take it out of `columns`."));
    let codes = codes(table, mixture).map(|said| format!("{said} (`missing_values`)"));
    let remarks = unused.chain(doubts).chain(codes).map(|remark| format!("    // {}\n", comment(&remark)));
    let values = |&index: &usize| table.columns[index].distinct();
    let is_coarse = mixture.features.iter().filter_map(values).any(|count| count <= FEW_VALUES);
    let clients = match mixture.client.is_some() || mixture.by_file {
        true => "    // As many clients as there are names of them.\n    partition: ClientColumn,".to_owned(),
        false => dealt(mixture.clients, mixture.label.is_some()),
    };
    let values = [
        ("remarks", remarks.collect()),
        ("data", of_table(table, mixture, path)),
        ("steps", "Standardize".to_owned()),
        ("clients", clients),
        ("components", mixture.components.to_string()),
    ];
    mixture_text(name, start, if is_coarse { CLIP } else { SKIP_ROUND }, &values)
}

/// The step of the server is one under which compressed messages of part of the clients still find the fit, as in
/// `quickstart`.
fn mixture_text(name: &str, [covariance, start]: &[&str; 2], domain: &str, values: &[(&str, String)]) -> String {
    let common = [
        ("file", comment(name)),
        ("name", format!("{name:?}")),
        ("covariance", (*covariance).to_owned()),
        ("start", (*start).to_owned()),
        ("domain", domain.to_owned()),
        ("remarks", String::new()),
    ];
    filled(include_str!("mixture.template"), &[values, &common[..]].concat())
}

fn of_table(table: &TableFile, mixture: &Mixture, path: &str) -> String {
    let of = |index: usize| column(table, index);
    let features: Vec<String> = mixture.features.iter().map(|&index| of(index)).collect();
    let of_label =
        |label| format!("label: {},   // for measuring and for the partition; EM does not see it", of(label));
    let client = match mixture.client {
        Some(client) => Some(format!("client: {},", of(client))),
        None if mixture.by_file => None,
        None => Some(NO_CLIENT.to_owned()),
    };
    let missing = mixture.missing.map(|missing| match missing {
        Missing::Drop { nameless: true } => "Drop,   // labels or clients are empty, and none can be put there",
        Missing::Drop { nameless: false } => "Drop,   // or Impute(Median): rows with a gap are kept",
        Missing::ImputeMedian => "Impute(Median),   // of all clients; or Drop: rows with a gap are left out",
    });
    let fields = [
        Some(format!("path: {path:?},")),
        Some(format!("header: {},", table.header)),
        Some(format!("columns: [{}],", features.join(", "))),
        Some(mixture.label.map_or_else(|| NO_LABEL.to_owned(), of_label)),
        client,
        delimiter(table),
        missing_values(table),
        missing.map(|missing| format!("missing: {missing}")),
    ];
    let fields: String = fields.into_iter().flatten().map(|field| format!("        {field}\n")).collect();
    format!("Csv(\n{fields}    )")
}

const NO_LABEL: &str = "// label: … says which column names classes, for measuring and for the partition.";
const NO_CLIENT: &str =
    "// client: … says which column names clients; then `partition: ClientColumn`, and no `clients`.";

fn delimiter(table: &TableFile) -> Option<String> {
    (table.delimiter != ',').then(|| format!("delimiter: {:?},", table.delimiter))
}

fn missing_values(table: &TableFile) -> Option<String> {
    (!table.missing_values.is_empty()).then(|| format!("missing_values: {:?},", table.missing_values))
}

fn dealt(clients: u64, has_labels: bool) -> String {
    let more = if has_labels { "; with labels also Dirichlet(alpha: 0.3), SortedByLabel" } else { "" };
    format!("    clients: {clients},\n    partition: Iid,   // all clients sample one distribution{more}")
}

/// A feature with at most so many values may be constant in a component, whose variance then falls to 0.
const FEW_VALUES: usize = 20;
/// The domain where variances may fall to 0, and where they do not: there it is the one under which coarse messages
/// and few clients do not empty components.
const CLIP: &str = "Clip(floor: 1e-3),          // variances of standardized features stay above that; counted";
const SKIP_ROUND: &str =
    "SkipRound,                  // an update that leaves the valid parameters is skipped; counted";

fn of_curves(
    table: &TableFile,
    (columns, subjects, clients): ([usize; 3], usize, u64),
    path: &str,
    name: &str,
) -> String {
    let [subject, time, value] = columns.map(|index| column(table, index));
    let (level, spread) = level(table, columns[2]);
    let has_gaps = columns.iter().any(|&index| table.columns[index].missing > 0);
    let behind = |field: Option<String>| field.map_or_else(String::new, |field| format!(" {field}"));
    let values = [
        ("file", comment(name)),
        ("name", format!("{name:?}")),
        ("subjects", so_many(subjects, "subject")),
        ("path", format!("{path:?}")),
        ("header", table.header.to_string()),
        ("delimiter", behind(delimiter(table))),
        ("subject", subject),
        ("time", time),
        ("value", value),
        ("missing", if has_gaps { " missing: Drop," } else { "" }.to_owned()),
        ("codes", behind(missing_values(table))),
        ("clients", clients.to_string()),
        ("level", format!("{level:?}")),
        ("spread", format!("{spread:?}")),
    ];
    filled(include_str!("curves.template"), &values)
}

/// Mean and standard deviation of a column, to two digits; 1 for a deviation where there is none.
fn level(table: &TableFile, index: usize) -> (f64, f64) {
    let column = &table.columns[index];
    let short = |value: f64| crate::cli::table::number::significant(value, 2).parse().unwrap_or(value);
    let spread = column.deviation();
    (short(column.mean), if spread > 0.0 && spread.is_finite() { short(spread) } else { 1.0 })
}
