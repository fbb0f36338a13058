//! Tables of results: for a terminal of any width, for people's documents, and for other programs.
//!
//! A table is filled with values in base units. For people each column has one unit, four significant digits, and its
//! decimal points below each other; programs get the values as they are.

mod layout;
pub(crate) mod number;

use fedbits_record::{Float, RecordError};
use fedbits_reports::latex;
use serde_json::{Map, Value, json};

pub(crate) use self::number::Quantity;
use self::number::{Unit, number, significant, unit_of};

/// A column: what programs and people call it, and what its numbers measure.
#[derive(Clone, Debug)]
pub(crate) struct Column {
    /// The name for programs, with the base unit.
    name: String,
    head: String,
    quantity: Quantity,
    /// Whether it is read together with the column before it.
    joined: bool,
    /// Whether it says with the column before it what a row is about.
    is_key: bool,
}

impl Column {
    fn new(name: &str, head: &str, quantity: Quantity) -> Self {
        Self { name: name.to_owned(), head: head.to_owned(), quantity, joined: false, is_key: false }
    }

    fn text(name: &str) -> Self {
        Self::new(name, &name.replace('_', " "), Quantity::Text)
    }
}

/// What stands in a column of a row.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Cell {
    Missing,
    Text(String),
    /// What was counted: shown with all digits where its unit is 1.
    Count(u64),
    Number(f64),
    /// What is only known to two digits.
    Rough(f64),
    /// What was measured, in a column without a unit or of shares, as people see it, and as it is.
    Shown(String, f64),
}

impl From<Option<f64>> for Cell {
    fn from(value: Option<f64>) -> Self {
        value.map_or(Cell::Missing, Cell::Number)
    }
}

impl From<u64> for Cell {
    fn from(count: u64) -> Self {
        Cell::Count(count)
    }
}

impl From<&str> for Cell {
    fn from(text: &str) -> Self {
        Cell::Text(text.to_owned())
    }
}

/// What differs, in the order in which it comes first.
pub(crate) fn each_once<T: PartialEq>(all: impl IntoIterator<Item = T>) -> Vec<T> {
    let mut found = Vec::new();
    all.into_iter().for_each(|next| found.extend((!found.contains(&next)).then_some(next)));
    found
}

/// What people see where there is no value.
const MISSING: &str = "–";

/// Rows of values below named columns; the first column says what a row is about, alone or with [keys](Table::key).
#[derive(Clone, Debug, Default)]
pub(crate) struct Table {
    columns: Vec<Column>,
    rows: Vec<Vec<Cell>>,
}

/// What programs and people call a column, what its numbers measure, and what stands in it.
pub(crate) type CellOf<'c, T> = (&'c str, &'c str, Quantity, &'c dyn Fn(&T) -> Cell);

impl Table {
    /// A row for each item.
    pub(crate) fn of<T>(items: impl IntoIterator<Item = T>, columns: &[CellOf<'_, T>]) -> Self {
        let heads = columns.iter().map(|&(name, head, quantity, _)| Column::new(name, head, quantity)).collect();
        let row = |item: T| columns.iter().map(|(.., cell)| cell(&item)).collect();
        Self { columns: heads, rows: items.into_iter().map(row).collect() }
    }

    pub(crate) fn column(mut self, name: &str, head: &str, quantity: Quantity) -> Self {
        self.columns.push(Column::new(name, head, quantity));
        self
    }

    /// With one more column, which stays beside the one before where the table goes on in blocks.
    pub(crate) fn joined(mut self, name: &str, head: &str, quantity: Quantity) -> Self {
        self.columns.push(Column { joined: true, ..Column::new(name, head, quantity) });
        self
    }

    /// With one more column of words, which says with the first one what a row is about: where the table goes on in
    /// blocks, each has it. Keys stand before all other columns.
    pub(crate) fn key(mut self, name: &str) -> Self {
        self.columns.push(Column { is_key: true, ..Column::text(name) });
        self
    }

    pub(crate) fn text(mut self, name: &str) -> Self {
        self.columns.push(Column::text(name));
        self
    }

    /// Adds a row of as many cells as there are columns.
    pub(crate) fn row(&mut self, cells: Vec<Cell>) {
        debug_assert_eq!(cells.len(), self.columns.len());
        self.rows.push(cells);
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    pub(crate) fn first(&self, rows: usize) -> Self {
        Self { columns: self.columns.clone(), rows: self.rows.iter().take(rows).cloned().collect() }
    }

    /// For a terminal of this many columns; wider tables go on in blocks below.
    pub(crate) fn human(&self, width: usize) -> String {
        layout::blocks(&self.columns, &self.shown(), width)
    }

    fn units(&self) -> Vec<Unit> {
        let values = |number: usize| {
            self.rows.iter().filter_map(move |row| match &row[number] {
                Cell::Count(count) => Some(*count as f64),
                Cell::Number(value) | Cell::Rough(value) => Some(*value),
                Cell::Missing | Cell::Text(_) | Cell::Shown(..) => None,
            })
        };
        self.columns.iter().enumerate().map(|(number, column)| unit_of(column.quantity, values(number))).collect()
    }

    /// What people see of each cell, below the units of the columns.
    fn shown(&self) -> layout::Shown {
        let units = self.units();
        let cell = |(cell, unit): (&Cell, &Unit)| match cell {
            Cell::Missing => MISSING.to_owned(),
            Cell::Text(text) | Cell::Shown(text, _) => text.clone(),
            Cell::Count(count) if unit.size == 1.0 => count.to_string(),
            Cell::Count(count) => number(*count as f64 / unit.size),
            Cell::Number(value) => number(value / unit.size),
            Cell::Rough(value) => significant(value / unit.size, 2),
        };
        layout::Shown {
            rows: self.rows.iter().map(|row| row.iter().zip(&units).map(cell).collect()).collect(),
            units: units.iter().map(|unit| unit.name).collect(),
        }
    }

    fn heads(&self, units: &[&str]) -> Vec<String> {
        let head = |(column, unit): (&Column, &&str)| match *unit {
            "" => column.head.clone(),
            unit => format!("{} ({unit})", column.head),
        };
        self.columns.iter().zip(units).map(head).collect()
    }

    pub(crate) fn markdown(&self) -> String {
        let shown = self.shown();
        let line = |cells: &[String]| {
            let cells: Vec<String> = cells.iter().map(|cell| cell.replace('|', "\\|").replace('\n', " ")).collect();
            format!("| {} |\n", cells.join(" | "))
        };
        let side = |column: &Column| if column.quantity == Quantity::Text { ":--" } else { "--:" };
        let sides: Vec<&str> = self.columns.iter().map(side).collect();
        let rows: String = shown.rows.iter().map(|row| line(row)).collect();
        format!("{}| {} |\n{rows}", line(&self.heads(&shown.units)), sides.join(" | "))
    }

    /// As a table of LaTeX (package booktabs).
    pub(crate) fn latex(&self) -> String {
        let shown = self.shown();
        let side = |column: &Column| if column.quantity == Quantity::Text { 'l' } else { 'r' };
        let sides: String = self.columns.iter().map(side).collect();
        let line = |cells: Vec<String>| format!("{} \\\\\n", cells.join(" & "));
        let heads = line(self.heads(&shown.units).iter().map(|head| latex(head)).collect());
        let cell = |(cell, column): (&String, &Column)| match column.quantity {
            Quantity::Text => latex(cell),
            _ => latex_cell(cell),
        };
        let rows: String =
            shown.rows.iter().map(|row| line(row.iter().zip(&self.columns).map(cell).collect())).collect();
        format!("\\begin{{tabular}}{{{sides}}}\n\\toprule\n{heads}\\midrule\n{rows}\\bottomrule\n\\end{{tabular}}\n")
    }

    /// As CSV, in base units and with all digits.
    pub(crate) fn csv(&self) -> Result<String, RecordError> {
        let header: Vec<&str> = self.columns.iter().map(|column| column.name.as_str()).collect();
        let mut table = fedbits_record::Table::in_memory::<&str, &str>(&[], &header)?;
        for row in &self.rows {
            row.iter().try_for_each(|cell| match cell {
                Cell::Missing => table.cell(""),
                Cell::Text(text) => table.cell(text),
                Cell::Count(count) => table.cell(count),
                Cell::Number(value) | Cell::Rough(value) | Cell::Shown(_, value) => table.cell(Float(Some(*value))),
            })?;
            table.end_row()?;
        }
        table.into_text()
    }

    /// As a list of objects, in base units and with all digits.
    pub(crate) fn json(&self) -> Value {
        let cell = |cell: &Cell| match cell {
            Cell::Missing => Value::Null,
            Cell::Text(text) => json!(text),
            Cell::Count(count) => json!(count),
            Cell::Number(value) | Cell::Rough(value) | Cell::Shown(_, value) => json!(value),
        };
        let names = || self.columns.iter().map(|column| column.name.clone());
        let row = |row: &Vec<Cell>| Value::Object(names().zip(row.iter().map(cell)).collect::<Map<String, Value>>());
        self.rows.iter().map(row).collect()
    }
}

/// Numbers, of which powers of ten are such in LaTeX too; an interval is written as `[1e-5, 2e-5]`.
fn latex_cell(text: &str) -> String {
    let word = |word: &str| {
        if word == MISSING {
            return "--".to_owned();
        }
        let number = word.trim_matches(['[', ']', ',']);
        match number.split_once('e') {
            Some((mantissa, power)) if mantissa.parse::<f64>().is_ok() && power.parse::<i32>().is_ok() => {
                word.replace(number, &format!("${mantissa}\\times 10^{{{power}}}$"))
            }
            _ => latex(word),
        }
    };
    text.split(' ').map(word).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table() -> Table {
        let mut table = Table::default()
            .text("arm")
            .column("rounds", "rounds", Quantity::Plain)
            .column("bits_up", "up", Quantity::Bits)
            .column("mean_field_sq", "‖h‖²", Quantity::Plain)
            .column("seconds", "time", Quantity::Seconds);
        table.row(vec![
            "plain".into(),
            Cell::Count(170),
            Cell::Count(15_591_700),
            7.2837e-11.into_cell(),
            Cell::Missing,
        ]);
        table.row(vec!["a|b_c".into(), Cell::Count(4000), Cell::Count(672_868), 0.11556.into_cell(), Cell::Missing]);
        table
    }

    trait IntoCell {
        fn into_cell(self) -> Cell;
    }

    impl IntoCell for f64 {
        fn into_cell(self) -> Cell {
            Cell::Number(self)
        }
    }

    fn plain(text: &str) -> String {
        anstream::adapter::strip_str(text).to_string()
    }

    #[test]
    fn points_stand_below_each_other() {
        let expected = "\
arm    rounds       up       ‖h‖²  time
                  Mbit                s
plain     170  15.59    7.284e-11     –
a|b_c    4000   0.6729  0.1156        –
";
        assert_eq!(plain(&table().human(80)), expected);
    }

    #[test]
    fn narrow_tables_go_on_below() {
        let expected = "\
arm    rounds       up
                  Mbit
plain     170  15.59
a|b_c    4000   0.6729

arm         ‖h‖²  time
                     s
plain  7.284e-11     –
a|b_c  0.1156        –
";
        assert_eq!(plain(&table().human(26)), expected);
    }

    /// What says with the first column what a row is about stands in every block.
    #[test]
    fn keys_stand_in_every_block() {
        let table = Table::default().text("axis").key("level").column("bits_up", "up", Quantity::Plain);
        let mut table = table.joined("low", "from", Quantity::Plain).column("time", "time", Quantity::Plain);
        for level in ["half", "all"] {
            table.row(vec!["participation".into(), level.into(), Cell::Count(1), Cell::Count(2), Cell::Count(3)]);
        }
        let expected = "\
axis           level  up  from
participation  half    1     2
participation  all     1     2

axis           level  time
participation  half      3
participation  all       3
";
        assert_eq!(plain(&table.human(30)), expected);
    }

    #[test]
    fn other_formats() {
        let table = table();
        assert_eq!(
            table.csv().unwrap(),
            "arm,rounds,bits_up,mean_field_sq,seconds\nplain,170,15591700,7.2837e-11,\na|b_c,4000,672868,0.11556,\n"
        );
        assert_eq!(table.json()[1]["bits_up"], 672_868);
        assert_eq!(table.json()[1]["seconds"], Value::Null);
        let markdown = table.markdown();
        assert!(
            markdown.starts_with("| arm | rounds | up (Mbit) | ‖h‖² | time (s) |\n| :-- | --: | --: |"),
            "{markdown}"
        );
        assert!(markdown.contains("| a\\|b_c | 4000 | 0.6729 |"), "{markdown}");
        let latex = table.latex();
        assert!(latex.contains("plain & 170 & 15.59 & $7.284\\times 10^{-11}$ & "), "{latex}");
        assert!(latex.contains("b\\_c & 4000 & 0.6729 & "), "{latex}");
    }
}
