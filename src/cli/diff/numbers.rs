//! Numbers of two records side by side: totals, and the last value of every column.

use fedbits_record::{RunRecord, Totals};
use serde_json::{Value, json};

use crate::cli::table::number::{number, significant, unit_of};
use crate::cli::table::{Cell, Quantity, Table, each_once};
use crate::cli::wrap;

struct Row {
    name: String,
    quantity: Quantity,
    values: [Option<f64>; 2],
}

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
    /// Totals, and the last value of each measured column.
    pub(super) fn of(a: &RunRecord, b: &RunRecord) -> Self {
        let total = |&(name, quantity, of): &Total| Row {
            name: name.to_owned(),
            quantity,
            values: [a, b].map(|record| Some(of(&record.manifest.totals))),
        };
        let extra = a.manifest.extra_columns.iter().chain(&b.manifest.extra_columns).map(String::as_str);
        let measured =
            |name: &str| Row { name: name.to_owned(), quantity: Quantity::Plain, values: [a.last(name), b.last(name)] };
        let rows = TOTALS
            .iter()
            .map(total)
            .chain(each_once(MEASURED.into_iter().chain(extra)).into_iter().map(measured))
            .collect();
        let [first, second] = [a, b].map(|record| &record.manifest.digests);
        Self { rows, digests: [first.data == second.data, first.state == second.state] }
    }

    pub(super) fn are_same(&self) -> bool {
        self.digests == [true; 2] && self.rows.iter().all(Row::is_same)
    }

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
            // What is counted has no digits to be left out.
            let is_count = |value: f64| unit.size == 1.0 && value.abs() < 1e15 && libm::trunc(value) == value;
            let text = |value| if is_count(value) { format!("{value:.0}") } else { number(value / unit.size) };
            let [a, b] = row.values.map(|value| value.map_or(Cell::Missing, |value| Cell::Shown(text(value), value)));
            let sign = |ratio| if ratio > 0.0 { "+" } else { "" };
            let percent = |ratio| format!("{}{}", sign(ratio), significant(100.0 * ratio, 3));
            let relative = row.relative().map_or(Cell::Missing, |ratio| Cell::Shown(percent(ratio), ratio));
            table.row(vec![row.name.as_str().into(), unit.name.into(), a, b, relative]);
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

    pub(super) fn json(&self) -> Value {
        json!({"data_same": self.digests[0], "state_same": self.digests[1], "values": table([("", self)]).json()})
    }
}

/// All numbers of pairs, behind their names.
pub(super) fn table<'n>(pairs: impl IntoIterator<Item = (&'n str, &'n Numbers)>) -> Table {
    let rows = pairs.into_iter().flat_map(|(name, numbers)| numbers.rows.iter().map(move |row| (name, row)));
    Table::of(
        rows,
        &[
            ("arm", "arm", Quantity::Text, &|(name, _)| (*name).into()),
            ("number", "number", Quantity::Text, &|(_, row)| row.name.as_str().into()),
            ("a", "A", Quantity::Plain, &|(_, row)| row.values[0].into()),
            ("b", "B", Quantity::Plain, &|(_, row)| row.values[1].into()),
            ("relative", "(B − A)/|A|", Quantity::Plain, &|(_, row)| row.relative().into()),
        ],
    )
}

/// A name, what it measures, and the number of a run.
type Total = (&'static str, Quantity, fn(&Totals) -> f64);

const TOTALS: [Total; 9] = [
    ("rounds", Quantity::Plain, |totals| totals.rounds as f64),
    ("expectations", Quantity::Plain, |totals| totals.expectations as f64),
    ("bits_up", Quantity::Bits, |totals| totals.bits_up as f64),
    ("bits_down", Quantity::Bits, |totals| totals.bits_down as f64),
    ("bits_peer", Quantity::Bits, |totals| totals.bits_peer as f64),
    ("bits_header", Quantity::Bits, |totals| totals.bits_header as f64),
    ("bits_wasted", Quantity::Bits, |totals| totals.bits_wasted as f64),
    ("time_s", Quantity::Seconds, |totals| totals.time_ns as f64 / 1e9),
    ("events", Quantity::Plain, |totals| totals.events as f64),
];
const MEASURED: [&str; 3] = ["objective", "mean_field_sq", "field_sq"];
