//! What every client contributes and gets, against its speed or the size of its data: a marker per client and run, a
//! panel per arm.

use super::units::time_unit;
use crate::axes::scale_of_all;
use crate::data::Arm;
use crate::error::ReportError;
use crate::layout::{Entry, Form, Grid, Panel, Shape, Side, most_panels};
use crate::report::{BuiltinKind, Drawing, Report};
use crate::rows::{FigureRows, cells, number};
use crate::style::{LineStyle, MOST_COLUMNS};
use crate::text::each_once;
use crate::words::listed;
use fedbits_figures::{ClientAxis, ParticipationFigure};
use fedbits_record::{CLIENTS, Cell, QUALITY_OF_CLIENTS, RecordError, RunRecord, RunTable};
use fedbits_spec::so_many;
use std::collections::BTreeSet;

/// Of more clients of an arm every second is drawn, or every third, …
const MOST: usize = 10_000;
/// More arms share their panels.
const MOST_ARMS: usize = 4;
/// So many panels of arms have room on a page with two columns.
const MANY: usize = 12;
const CONTRIBUTIONS: &str = "contributions";

pub(crate) const KIND: BuiltinKind = BuiltinKind {
    name: "participation",
    title: "contributions, objective and accuracy of every client, against its speed and data size",
    needs: "`clients.csv`, which `record: (clients: true)` leaves, of clients that differ",
    draw: |report| draw(report, &ParticipationFigure::default()),
};

/// The figure; none where clients do not differ, or no record has a table of them.
pub(crate) fn draw(report: &Report<'_>, setting: &ParticipationFigure) -> Result<Vec<Drawing>, ReportError> {
    let arms: Vec<Vec<Client>> = report.arms().iter().map(|arm| arm.records().flat_map(clients).collect()).collect();
    let columns = columns(report.arms(), &setting.y)?;
    let all = || arms.iter().flatten();
    let differ = |axis: &ClientAxis| {
        let mut values = all().filter_map(|row| row.at(*axis));
        let first = values.next();
        // Speeds that differ by the last client's last round only do not differ.
        values.any(|value| first.is_some_and(|first| (value - first).abs() > 0.05 * first.abs()))
    };
    let axes: Vec<ClientAxis> = match &setting.x[..] {
        [] => [ClientAxis::Seconds, ClientAxis::Examples].into_iter().filter(differ).collect(),
        asked => asked.to_vec(),
    };
    let measured = |(axis, column): &(ClientAxis, String)| all().any(|row| row.point(*axis, column).is_some());
    let pairs = axes.iter().flat_map(|&axis| columns.iter().map(move |column| (axis, column.clone())));
    ParticipationRows { report, pairs: pairs.filter(measured).collect(), arms }.drawings()
}

struct ParticipationRows<'a> {
    report: &'a Report<'a>,
    /// By arm, of all its runs.
    arms: Vec<Vec<Client>>,
    /// What is to the right, and the column that is upwards.
    pairs: Vec<(ClientAxis, String)>,
}

impl ParticipationRows<'_> {
    /// On as many pages as the panels need. Arms with panels stand side by side, in one row per pair or two; else the
    /// axes do, in a row per column.
    fn drawings(&self) -> Result<Vec<Drawing>, ReportError> {
        let report = self.report;
        if self.pairs.is_empty() {
            return Ok(Vec::new());
        }
        let shown: Vec<usize> = (0..self.arms.len()).filter(|&arm| !self.arms[arm].is_empty()).collect();
        let is_apart = (2..=MOST_ARMS).contains(&shown.len());
        let groups: Vec<&[usize]> = shown.chunks(if is_apart { 1 } else { shown.len().max(1) }).collect();
        let panel = |pair| groups.iter().map(move |group| self.panel(group, is_apart, pair));
        let mut pairs = self.pairs.clone();
        if !is_apart {
            pairs.sort_by_key(|(_, column)| self.pairs.iter().position(|(_, known)| known == column));
        }
        let panels: Vec<Panel> = pairs.iter().flat_map(panel).collect();
        let is_named = groups.len() == 1 && shown.len() > 1;
        let named = shown.iter().filter(|_| is_named).map(|&arm| &report.arms()[arm]);
        let mut entries: Vec<Entry> = named.map(|arm| Entry::dot(&arm.label, LineStyle::of(arm.style), true)).collect();
        if self.pairs.iter().any(|(_, column)| column == CONTRIBUTIONS) {
            entries.push(Entry::reference("equal share"));
        }
        let axes = self.pairs.iter().filter(|(_, column)| *column == self.pairs[0].1).count();
        let wanted = if is_apart { groups.len() } else { axes };
        let columns = (1..=MOST_COLUMNS).rev().find(|count| wanted.is_multiple_of(*count));
        let grid = Grid { panels, entries, columns, ..Grid::default() };
        let most = most_panels(&grid, &report.look);
        // A part per axis rather than narrow frames in rows that mix arms.
        let first = self.pairs.iter().filter(|(axis, _)| *axis == self.pairs[0].0).count() * groups.len();
        let each = if is_apart && grid.panels.len() > MANY { first.min(most) } else { most };
        let words = [self.caption(), self.about()];
        report.parts(("participation", false), grid.parts(each), &self.rows()?, words, &[])
    }

    fn caption(&self) -> String {
        let axes = each_once(self.pairs.iter().map(|(axis, _)| match axis {
            ClientAxis::Seconds => "its work per selected round",
            ClientAxis::Examples => "the number of its examples",
        }));
        let columns = each_once(self.pairs.iter().map(|(_, column)| match column.as_str() {
            CONTRIBUTIONS => "contributions divided by their mean".to_owned(),
            named => named.replace('_', " "),
        }));
        format!("Every client of every run against {}: {}.", axes.join(" or "), listed(&columns))
    }

    fn panel(&self, group: &[usize], is_named: bool, (axis, column): &(ClientAxis, String)) -> Panel {
        let arms = self.report.arms();
        let all = || self.arms.iter().flatten().filter_map(|client| client.at(*axis));
        let most = all().fold(0.0, f64::max);
        let (label, brief, unit) = match axis {
            ClientAxis::Seconds => {
                let (unit, name) = time_unit(most);
                (format!("work per round ({name})"), format!("work ({name})"), unit)
            }
            ClientAxis::Examples => ("examples of the client".to_owned(), "examples".to_owned(), 1.0),
        };
        let cloud = |&arm: &usize| {
            let clients = &self.arms[arm];
            let drawn = clients.iter().step_by(step(clients)).filter_map(|client| client.point(*axis, column));
            let points = drawn.map(|(x, y)| (x / unit, y)).collect();
            Shape::new(LineStyle::of(arms[arm].style), Form::Cloud, points)
        };
        let mut shapes: Vec<Shape> = group.iter().map(cloud).collect();
        let (mut words, mut holds) = (column.replace('_', " "), Vec::new());
        if column == CONTRIBUTIONS {
            (words, holds) = ("contributions / mean".to_owned(), vec![0.0]);
            shapes.push(Shape { form: Form::Across, ..Shape::reference(vec![(most / unit, 1.0)]) });
        }
        let x = Side { scale: scale_of_all(all()), brief, ..Side::new(&label) };
        let heading = is_named.then(|| arms[group[0]].label.clone());
        Panel { heading, ..Panel::new(x, Side { holds, ..Side::new(&words) }, shapes) }
    }

    /// A tidy table: arm, replicate, client, and the columns that are drawn.
    fn rows(&self) -> Result<FigureRows, RecordError> {
        let columns = each_once(self.pairs.iter().map(|(_, column)| column.as_str()));
        let header = [&["arm", "replicate", "client", "work_per_round_s", "examples"][..], &columns].concat();
        let header = header.into_iter().map(|name| if name == CONTRIBUTIONS { "contributions_by_mean" } else { name });
        let row = |arm: &Arm, client: &Client| {
            let values = [client.at(ClientAxis::Seconds), client.value("examples")].into_iter();
            let values = values.chain(columns.iter().map(|column| client.value(column))).map(number);
            cells![arm.label, client.replicate, client.client].into_iter().chain(values).collect()
        };
        let arms = self.report.arms().iter().zip(&self.arms);
        let clients = arms.flat_map(|(arm, clients)| clients.iter().map(move |client| (arm, client)));
        FigureRows::new(&header.collect::<Vec<_>>(), clients.map(|(arm, client)| row(arm, client)))
    }

    fn about(&self) -> String {
        let mut text = self.caption() + " Of the markers of an arm in one square of 0.4 pt one is drawn.";
        for (Arm { label, .. }, clients) in self.report.arms().iter().zip(&self.arms) {
            let step = step(clients);
            if step > 1 {
                let count = so_many(clients.len(), "client");
                text += &format!(" Of the {count} of {label} one in {step} is drawn; the CSV has all.");
            }
            for (axis, column) in &self.pairs {
                let without = clients.iter().filter(|row| row.point(*axis, column).is_none()).count();
                if without > 0 {
                    let x = if *axis == ClientAxis::Seconds { "work per round" } else { "examples" };
                    let count = so_many(without, "client");
                    text += &format!(" Not drawn: {count} of {label} without {column} or {x}.");
                }
            }
        }
        text
    }
}

/// The columns that are asked for, which some run has, unless none has a table; or by default contributions and what
/// clients get.
fn columns(arms: &[Arm], asked: &[String]) -> Result<Vec<String>, ReportError> {
    let known: Vec<&String> =
        arms.iter().flat_map(Arm::records).filter_map(table_of).flat_map(|table| &table.columns).collect();
    if let Some(name) = asked.iter().find(|name| !known.is_empty() && !known.contains(name)) {
        let known: BTreeSet<&str> = known.iter().map(|name| name.as_str()).collect();
        return Err(ReportError::unknown("column of clients.csv", name, known));
    }
    let usual = [CONTRIBUTIONS].into_iter().chain(QUALITY_OF_CLIENTS).map(str::to_owned);
    let usual = usual.filter(|name| known.contains(&name)).collect();
    Ok(if asked.is_empty() { usual } else { asked.to_vec() })
}

fn table_of(record: &RunRecord) -> Option<&RunTable> {
    record.extra.iter().find(|table| table.name == CLIENTS)
}

/// Every so many-th of these clients is drawn.
fn step(clients: &[Client]) -> usize {
    clients.len().div_ceil(MOST).max(1)
}

pub(super) struct Client {
    replicate: u64,
    client: usize,
    /// By column; contributions are divided by their mean.
    values: Vec<(String, Option<f64>)>,
}

pub(super) fn clients(record: &RunRecord) -> Vec<Client> {
    let Some(table) = table_of(record) else { return Vec::new() };
    let mean = table.column(CONTRIBUTIONS).and_then(|column| {
        let all: Vec<f64> = table.rows.iter().filter_map(|row| row[column].number()).collect();
        Some(all.iter().sum::<f64>() / all.len() as f64).filter(|mean| *mean > 0.0)
    });
    let value = |(name, value): (&String, Option<f64>)| match name == CONTRIBUTIONS {
        true => (name.clone(), value.zip(mean).map(|(value, mean)| value / mean)),
        false => (name.clone(), value),
    };
    let client = |(client, row): (usize, &Vec<Cell>)| {
        let values = table.columns.iter().zip(row.iter().map(Cell::number)).map(value).collect();
        Client { replicate: record.manifest.replicate, client, values }
    };
    table.rows.iter().enumerate().map(client).collect()
}

impl Client {
    fn value(&self, column: &str) -> Option<f64> {
        self.values.iter().find(|(name, _)| name == column)?.1
    }

    /// Seconds that it computes, sends and receives.
    pub(super) fn work(&self) -> Option<f64> {
        let [computing, sending, receiving] = ["computing_s", "sending_s", "receiving_s"].map(|name| self.value(name));
        Some(computing? + sending? + receiving? - self.value("overlap_s")?)
    }

    fn at(&self, axis: ClientAxis) -> Option<f64> {
        match axis {
            ClientAxis::Seconds => Some(self.work()? / self.value("selected").filter(|rounds| *rounds > 0.0)?),
            ClientAxis::Examples => self.value("examples"),
        }
    }

    fn point(&self, axis: ClientAxis, column: &str) -> Option<(f64, f64)> {
        self.at(axis).zip(self.value(column))
    }
}
