//! Columns of NONMEM's and Monolix's files that change what doses and observations are, and are not read.

use ::csv::Position;
use fedbits_spec::{Caveat, so_many};

use super::reader::Rows;
use super::row::Row;

/// What a column says of a row, where it is not 0.
#[derive(Clone, Copy)]
enum Meaning {
    /// Of doses: further ones, their distance, steady state, a rate.
    Dose,
    /// The kind of event: 0 an observation, 1 a dose, 2 neither; 3 and 4 empty the body.
    Event,
    /// The value is no observation, or a limit of it (Monolix: 1 below, −1 above).
    NoValue,
}

/// Their names, in either case.
const COLUMNS: [(&str, Meaning); 7] = [
    ("ADDL", Meaning::Dose),
    ("II", Meaning::Dose),
    ("SS", Meaning::Dose),
    ("RATE", Meaning::Dose),
    ("EVID", Meaning::Event),
    ("MDV", Meaning::NoValue),
    ("CENS", Meaning::NoValue),
];

/// The columns of a file that are there and not read, and the rows in which they say something.
pub(super) struct Unread(Vec<Column>);

struct Column {
    index: usize,
    meaning: Meaning,
    rows: u64,
    first: Option<Position>,
}

impl Unread {
    /// Of a file of which these columns are used.
    pub(super) fn of(file: &Rows, used: &[usize]) -> Self {
        let column = |index: usize| {
            let title = file.title(index);
            let (_, meaning) = *COLUMNS.iter().find(|(name, _)| title.eq_ignore_ascii_case(name))?;
            Some(Column { index, meaning, rows: 0, first: None })
        };
        Self((0..file.width()).filter(|index| !used.contains(index)).filter_map(column).collect())
    }

    /// Counts what they say of a row.
    pub(super) fn look_at(&mut self, row: Row<'_>, is_observation: bool) {
        for column in &mut self.0 {
            let Some(number) = row.finite(column.index).filter(|&number| number != 0.0) else { continue };
            let says = match column.meaning {
                Meaning::Dose => true,
                Meaning::Event => is_observation || number > 2.0,
                Meaning::NoValue => is_observation,
            };
            if says {
                column.rows += 1;
                column.first = column.first.take().or_else(|| row.position());
            }
        }
    }

    /// What is to be said of them.
    pub(super) fn caveats(&self, file: &Rows) -> impl Iterator<Item = Caveat> {
        self.0.iter().filter(|column| column.rows > 0).map(|column| {
            let line = file.line(column.first.as_ref()).to_string();
            Caveat::ColumnsNotRead { column: file.title(column.index), rows: so_many(column.rows, "row"), line }
        })
    }
}
