//! What is proposed for a table: a model, the use of its columns, the clients.

use super::columns::{self, Unused, Use};
use super::questions::Questions;
use super::table_file::TableFile;
use crate::cli::failure::Failure;

/// What the scenario is to be.
#[derive(Debug)]
pub(super) enum Proposal {
    /// A mixture of Gaussians.
    Mixture(Mixture),
    /// Curves of subjects: the columns of subject, time and value, and the number of subjects.
    Curves { columns: [usize; 3], subjects: usize, clients: u64 },
}

/// A mixture and what it is fitted to.
#[derive(Debug)]
pub(super) struct Mixture {
    pub(super) features: Vec<usize>,
    pub(super) unused: Vec<(usize, Unused)>,
    pub(super) label: Option<usize>,
    pub(super) client: Option<usize>,
    pub(super) components: u64,
    /// Where no column names them.
    pub(super) clients: u64,
}

/// Components where no label says how many.
const COMPONENTS: u64 = 3;
/// Clients where no column names them, and the fewest rows of one.
const CLIENTS: u64 = 10;
const ROWS_OF_A_CLIENT: u64 = 20;

/// Columns that are named one by one when none can be used.
const SHOWN: usize = 5;

/// Proposes, and asks where somebody can answer.
pub(super) fn propose(table: &TableFile, questions: &mut Questions<'_>) -> Result<Proposal, Failure> {
    let few_clients = |rows: u64| CLIENTS.min(rows / ROWS_OF_A_CLIENT).max(1);
    if let Some(columns) = columns::longitudinal(table)
        && questions.yes("subjects observed over time: a curve per subject?", true)?
    {
        let subjects = table.columns[columns[0]].distinct().unwrap_or(1);
        let clients = questions.whole("clients", subjects.min(CLIENTS as usize) as u64, subjects as u64)?;
        return Ok(Proposal::Curves { columns, subjects, clients });
    }
    let label = questions.column("the column of classes, for measuring alone", table, columns::label(table))?;
    let client = columns::client(table).filter(|client| Some(*client) != label);
    let client = questions.column("the column that names the client of a row", table, client)?;
    let (mut features, mut unused) = (Vec::new(), Vec::new());
    for column in &table.columns {
        match columns::usage(column, label, client, table.rows) {
            Use::Feature => features.push(column.index),
            Use::None(why) => unused.push((column.index, why)),
            Use::Label | Use::Client => {}
        }
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
        Some(_) => 0,
        None => questions.whole("clients", few_clients(table.rows), table.rows)?,
    };
    Ok(Proposal::Mixture(Mixture { features, unused, label, client, components, clients }))
}
