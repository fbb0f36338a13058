//! What is proposed for a table: a model, the use of its columns, the clients.

use super::columns::{self, Unused};
use super::questions::Questions;
use super::source::Numbers;
use super::table_file::TableFile;
use crate::cli::failure::Failure;

#[derive(Debug)]
pub(super) enum Proposal {
    Mixture(Mixture),
    /// Curves of subjects: the columns of subject, time and value, and the number of subjects.
    Curves {
        columns: [usize; 3],
        subjects: usize,
        clients: u64,
    },
}

#[derive(Debug)]
pub(super) struct Mixture {
    pub(super) features: Vec<usize>,
    pub(super) unused: Vec<(usize, Unused)>,
    pub(super) label: Option<usize>,
    pub(super) client: Option<usize>,
    pub(super) components: u64,
    /// Where no column and no file names them.
    pub(super) clients: u64,
    pub(super) by_file: bool,
    /// What happens to rows with missing values, where there are some.
    pub(super) missing: Option<Missing>,
}

/// What happens to rows with missing values.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Missing {
    /// They are left out. `nameless`: labels or clients are missing, too.
    Drop {
        nameless: bool,
    },
    ImputeMedian,
}

/// The largest share of rows that are left out.
const DROPPED: f64 = 0.2;

/// Components where no label says how many.
const COMPONENTS: u64 = 3;
/// Clients where no column names them, and the fewest rows of one.
const CLIENTS: u64 = 10;
const ROWS_OF_A_CLIENT: u64 = 20;

/// Columns that are named one by one when none can be used.
const SHOWN: usize = 5;

/// Proposes, and asks where somebody can answer.
pub(super) fn propose(
    table: &TableFile,
    (files, tells_apart): (usize, &dyn Fn(usize, usize) -> bool),
    questions: &mut Questions<'_>,
) -> Result<Proposal, Failure> {
    if let Some(columns) = columns::longitudinal(table, tells_apart).filter(|_| files == 0)
        && questions.yes("subjects observed over time: a curve per subject?", "y")? != Some(false)
    {
        let subjects = table.columns[columns[0]].distinct().unwrap_or(1);
        let clients = questions.whole("clients", subjects.min(CLIENTS as usize) as u64, subjects as u64)?;
        return Ok(Proposal::Curves { columns, subjects, clients });
    }
    let label = questions.column("the column of classes, for measuring alone", table, columns::label(table))?;
    let client = columns::client(table).filter(|client| files == 0 && Some(*client) != label);
    let client = match files {
        0 => questions.column("the column that names the client of a row", table, client)?,
        _ => None,
    };
    let (mut features, mut unused) = (Vec::new(), Vec::new());
    for column in &table.columns {
        let is_name = [label, client].contains(&Some(column.index));
        match columns::unused(column, table) {
            why if is_name && why != Some(Unused::Asked) => {}
            Some(why) => unused.push((column.index, why)),
            None => features.push(column.index),
        }
    }
    let of_text = unused.iter().filter(|(_, why)| *why == Unused::Text).map(|(index, _)| &table.columns[*index]);
    let spoilt: Vec<String> = of_text.filter_map(columns::spoilt).collect();
    if let Some((first, rest)) = spoilt.split_first() {
        let more = if rest.is_empty() { "" } else { "; and so it is with other columns" };
        return Err(Failure::Input(format!("{first}{more}")));
    }
    let features = questions.columns("features", table, features)?;
    if features.is_empty() {
        let why = unused.iter().map(|(index, why)| {
            let column = &table.columns[*index];
            format!("{}: {}", column.title(), why.why(column))
        });
        let (why, all) = (why.take(SHOWN).collect::<Vec<_>>().join("; "), unused.len());
        let more = if all > SHOWN { format!("; and {} more", all - SHOWN) } else { String::new() };
        return Err(Failure::Input(format!("no column can be a feature of a mixture: {why}{more}")));
    }
    unused.retain(|(index, _)| !features.contains(index));
    let classes = label.and_then(|label| table.columns[label].distinct()).map_or(COMPONENTS, |count| count as u64);
    let components = questions.whole("components of the mixture", classes.min(table.rows), table.rows.min(10_000))?;
    let clients = match client {
        None if files == 0 => questions.whole("clients", few_clients(table.rows), table.rows)?,
        _ => 0,
    };
    let missing = missing(table, &features, &[label, client]);
    Ok(Proposal::Mixture(Mixture { features, unused, label, client, components, clients, by_file: files > 0, missing }))
}

/// The numbers of components and of clients for examples whose columns have no names.
pub(super) fn propose_of_numbers(numbers: &Numbers, questions: &mut Questions<'_>) -> Result<[u64; 2], Failure> {
    let rows = numbers.rows;
    let proposed = numbers.classes.filter(|classes| 2 * classes <= rows).unwrap_or(COMPONENTS).min(rows);
    let components = questions.whole("components of the mixture", proposed, rows.min(10_000))?;
    Ok([components, questions.whole("clients", few_clients(rows), rows)?])
}

fn few_clients(rows: u64) -> u64 {
    CLIENTS.min(rows / ROWS_OF_A_CLIENT).max(1)
}

/// Few rows are left out; where that could be more, what is missing is filled in. Labels and clients are missing where
/// they are empty, and are not filled in.
fn missing(table: &TableFile, features: &[usize], codes: &[Option<usize>]) -> Option<Missing> {
    let cells: u64 = features.iter().map(|&index| table.columns[index].missing).sum();
    let nameless: u64 = codes.iter().flatten().map(|&index| table.columns[index].empty).sum();
    let few = cells as f64 <= DROPPED * table.rows as f64;
    let drop = Missing::Drop { nameless: nameless > 0 };
    (cells + nameless > 0).then_some(if few || nameless > 0 { drop } else { Missing::ImputeMedian })
}
