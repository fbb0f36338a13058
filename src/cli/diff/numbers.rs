//! Numbers of two records side by side: totals, and the last value of every column.

use fedbits_record::RunRecord;
use serde_json::{Value, json};

use crate::cli::table::number::{number, significant, unit_of};
use crate::cli::table::{Cell, Quantity, Table};
use crate::cli::wrap;

/// A number of both records; none where one has no such number.
struct Row {
    name: String,
    quantity: Quantity,
    values: [Option<f64>; 2],
}

/// The numbers of two records.
pub(super) struct Numbers {
    rows: Vec<Row>,
    /// Whether data and state are the same to the last bit.
    digests: [bool; 2],
}

impl Row {
    fn is_same(&self) -> bool {
        let bits = self.values.map(|value| value.map(f64::to_bits));
        bits[0] == bits[1]
    }

    /// (B − A) / |A|.
    fn relative(&self) -> Option<f64> {
        let [a, b] = self.values;
        let (a, b) = (a?, b?);
        let ratio = (b - a) / a.abs();
        ratio.is_finite().then_some(ratio)
    }
}

impl Numbers {
    pub(super) fn of(first: &RunRecord, second: &RunRecord) -> Self {
        let (a, b) = (of_record(first), of_record(second));
        let mut rows: Vec<Row> = Vec::new();
        for (name, quantity, value) in &a {
            let partner = b.iter().find(|(known, ..)| known == name).and_then(|(.., value)| *value);
            rows.push(Row { name: name.clone(), quantity: *quantity, values: [*value, partner] });
        }
        for (name, quantity, value) in b.into_iter().filter(|(name, ..)| a.iter().all(|(known, ..)| known != name)) {
            rows.push(Row { name, quantity, values: [None, value] });
        }
        let (ours, theirs) = (&first.manifest.digests, &second.manifest.digests);
        Self { rows, digests: [ours.data == theirs.data, ours.state == theirs.state] }
    }

    pub(super) fn are_same(&self) -> bool {
        self.digests == [true; 2] && self.rows.iter().all(Row::is_same)
    }

    /// What differs, for a terminal.
    pub(super) fn text(&self) -> String {
        let [data, state] = self.digests.map(|same| if same { "the same" } else { "different" });
        let mut text = wrap::prose("", "  ", &format!("data: {data}; state at the end: {state}"));
        let mut table = Table::default()
            .text("number")
            .text("unit")
            .column("a", "A", Quantity::Plain)
            .column("b", "B", Quantity::Plain)
            .column("relative", "(B − A)/|A|", Quantity::Share);
        for row in self.rows.iter().filter(|row| !row.is_same()) {
            let unit = unit_of(row.quantity, row.values.iter().copied().flatten());
            let shown = |value: Option<f64>| match value {
                // What is counted has no digits to be left out.
                Some(value) if unit.size == 1.0 && value.abs() < 1e15 && libm::trunc(value) == value => {
                    Cell::Shown(format!("{value:.0}"), value)
                }
                Some(value) => Cell::Shown(number(value / unit.size), value),
                None => Cell::Missing,
            };
            let relative = row.relative().map_or(Cell::Missing, |ratio| {
                let sign = if ratio > 0.0 { "+" } else { "" };
                Cell::Shown(format!("{sign}{}", significant(100.0 * ratio, 3)), ratio)
            });
            table.row(vec![
                row.name.as_str().into(),
                unit.name.into(),
                shown(row.values[0]),
                shown(row.values[1]),
                relative,
            ]);
        }
        if !table.is_empty() {
            text += &format!("\n{}", table.human(wrap::width()));
        }
        let same: Vec<&str> = self.rows.iter().filter(|row| row.is_same()).map(|row| row.name.as_str()).collect();
        if !same.is_empty() {
            text += &wrap::prose("", "  ", &format!("the same: {}", same.join(", ")));
        }
        text
    }

    /// All of them, for programs.
    pub(super) fn rows(&self, arm: &str, table: &mut Table) {
        for row in &self.rows {
            let relative = row.relative().into();
            table.row(vec![arm.into(), row.name.as_str().into(), row.values[0].into(), row.values[1].into(), relative]);
        }
    }

    pub(super) fn json(&self) -> Value {
        let mut table = empty();
        self.rows("", &mut table);
        json!({"data_same": self.digests[0], "state_same": self.digests[1], "values": table.json()})
    }
}

/// The table of [`Numbers::rows`].
pub(super) fn empty() -> Table {
    Table::default()
        .text("arm")
        .text("number")
        .column("a", "A", Quantity::Plain)
        .column("b", "B", Quantity::Plain)
        .column("relative", "(B − A)/|A|", Quantity::Plain)
}

/// Totals, and the last value of each measured column.
fn of_record(record: &RunRecord) -> Vec<(String, Quantity, Option<f64>)> {
    let totals = &record.manifest.totals;
    let count = |count: u64| Some(count as f64);
    let mut all = vec![
        ("rounds", Quantity::Plain, count(totals.rounds)),
        ("expectations", Quantity::Plain, count(totals.expectations)),
        ("bits_up", Quantity::Bits, count(totals.bits_up)),
        ("bits_down", Quantity::Bits, count(totals.bits_down)),
        ("bits_peer", Quantity::Bits, count(totals.bits_peer)),
        ("bits_header", Quantity::Bits, count(totals.bits_header)),
        ("bits_wasted", Quantity::Bits, count(totals.bits_wasted)),
        ("time_s", Quantity::Seconds, Some(totals.time_ns as f64 / 1e9)),
        ("events", Quantity::Plain, count(totals.events)),
        ("objective", Quantity::Plain, record.last("objective")),
        ("mean_field_sq", Quantity::Plain, record.last("mean_field_sq")),
        ("field_sq", Quantity::Plain, record.last("field_sq")),
    ]
    .into_iter()
    .map(|(name, quantity, value)| (name.to_owned(), quantity, value))
    .collect::<Vec<_>>();
    let extra = record.manifest.extra_columns.iter();
    all.extend(extra.map(|name| (name.clone(), Quantity::Plain, record.last(name))));
    all
}
