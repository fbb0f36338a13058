//! What every client contributes and gets, against its speed or the size of its data: a marker per client and run, a
//! panel per arm.

use super::units::time_unit;
use crate::axes::scale_of_all;
use crate::data::Arm;
use crate::error::ReportError;
use crate::kind::{About, FigureKind};
use crate::layout::{Entry, Form, Grid, Panel, Shape, Side, most_panels};
use crate::report::{Drawing, Report};
use crate::style::LineStyle;
use crate::words::{listed, part};
use fedbits_figures::{ClientAxis, ParticipationFigure};
use fedbits_record::{CLIENTS, Float, QUALITY_OF_CLIENTS, RecordError, RunTable, Table};
use fedbits_spec::so_many;
use std::collections::BTreeSet;

/// Of more clients of an arm every second is drawn, or every third, …
const MOST: usize = 10_000;
/// More arms share their panels.
const MOST_ARMS: usize = 4;
/// So many panels of arms have room on a page with two columns.
const MANY: usize = 12;
const CONTRIBUTIONS: &str = "contributions";

/// The kind of figure.
pub(crate) struct Participations;

impl FigureKind for Participations {
    fn about(&self) -> About {
        About {
            name: "participation",
            title: "contributions, objective and accuracy of every client, against its speed and the size of its data",
            needs: "`clients.csv`, which `record: (clients: true)` leaves, of clients that differ",
        }
    }

    fn draw(&self, report: &Report<'_>) -> Result<Vec<Drawing>, ReportError> {
        draw(report, &ParticipationFigure::default())
    }
}

/// The figure; none where clients do not differ, or no record has a table of them.
pub(crate) fn draw(report: &Report<'_>, setting: &ParticipationFigure) -> Result<Vec<Drawing>, ReportError> {
    let arms: Vec<Clients> = report.arms().iter().map(Clients::of).collect();
    let columns = columns(report.arms(), &setting.y)?;
    let all = || arms.iter().flat_map(|arm| &arm.rows);
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
    let figure = Participation { report, pairs: pairs.filter(measured).collect(), arms };
    figure.drawings()
}

struct Participation<'a> {
    report: &'a Report<'a>,
    arms: Vec<Clients>,
    /// What is to the right, and the column that is upwards.
    pairs: Vec<(ClientAxis, String)>,
}

impl Participation<'_> {
    /// On as many pages as the panels need. Arms with panels stand side by side, in one row per pair or two; else the
    /// axes do, in a row per column.
    fn drawings(&self) -> Result<Vec<Drawing>, ReportError> {
        let report = self.report;
        if self.pairs.is_empty() {
            return Ok(Vec::new());
        }
        let shown: Vec<usize> = (0..self.arms.len()).filter(|&arm| !self.arms[arm].rows.is_empty()).collect();
        let is_apart = (2..=MOST_ARMS).contains(&shown.len());
        let groups: Vec<&[usize]> = shown.chunks(if is_apart { 1 } else { shown.len().max(1) }).collect();
        let panel = |pair| groups.iter().map(move |group| self.panel(group, is_apart, pair));
        let mut pairs = self.pairs.clone();
        if !is_apart {
            pairs.sort_by_key(|(_, column)| self.pairs.iter().position(|(_, known)| known == column));
        }
        let panels: Vec<Panel> = pairs.iter().flat_map(panel).collect();
        let entry = |&arm: &usize| {
            let arm = &report.arms()[arm];
            Entry::dot(&arm.label, LineStyle::of(arm.style), true)
        };
        let is_named = groups.len() == 1 && shown.len() > 1;
        let mut entries: Vec<Entry> = shown.iter().filter(|_| is_named).map(entry).collect();
        if self.pairs.iter().any(|(_, column)| column == CONTRIBUTIONS) {
            entries.push(Entry::reference("equal share"));
        }
        let axes = self.pairs.iter().filter(|(_, column)| *column == self.pairs[0].1).count();
        let wanted = if is_apart { groups.len() } else { axes };
        let columns = (1..=report.look.columns).rev().find(|count| wanted.is_multiple_of(*count));
        let grid = Grid { panels, entries, columns, ..Grid::default() };
        let most = most_panels(&grid, &report.look, &report.metrics);
        // A part per axis rather than narrow frames in rows that mix arms.
        let first = self.pairs.iter().filter(|(axis, _)| *axis == self.pairs[0].0).count() * groups.len();
        let each = if is_apart && grid.panels.len() > MANY { first.min(most) } else { most };
        let parts: Vec<&[Panel]> = grid.panels.chunks(each).collect();
        let draw = |(number, panels): (usize, &&[Panel])| {
            let (name, words) = part("participation", number, parts.len());
            let grid = Grid { panels: panels.to_vec(), ..grid.clone() };
            let words = report.words(&(self.caption() + &words), &(self.about() + &words));
            report.figure((&name, &name), grid, |comments| self.csv(comments), words)
        };
        parts.iter().enumerate().map(draw).collect()
    }

    fn caption(&self) -> String {
        let (mut axes, mut columns): (Vec<&str>, Vec<String>) = (Vec::new(), Vec::new());
        for (axis, column) in &self.pairs {
            let axis = match axis {
                ClientAxis::Seconds => "its work per selected round",
                ClientAxis::Examples => "the number of its examples",
            };
            let column = match column.as_str() {
                CONTRIBUTIONS => "contributions divided by their mean".to_owned(),
                named => named.replace('_', " "),
            };
            axes.extend((!axes.contains(&axis)).then_some(axis));
            columns.extend((!columns.contains(&column)).then_some(column));
        }
        format!("Every client of every run against {}: {}.", axes.join(" or "), listed(&columns))
    }

    /// A column against an axis.
    fn panel(&self, group: &[usize], is_named: bool, (axis, column): &(ClientAxis, String)) -> Panel {
        let arms = self.report.arms();
        let all = || self.arms.iter().flat_map(|arm| &arm.rows).filter_map(|row| row.at(*axis));
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
            let drawn = clients.rows.iter().step_by(clients.step).filter_map(|row| row.point(*axis, column));
            let points = drawn.map(|(x, y)| (x / unit, y)).collect();
            Shape::new(LineStyle::of(arms[arm].style), Form::Cloud, points)
        };
        let mut shapes: Vec<Shape> = group.iter().map(cloud).collect();
        let (words, holds) = match column == CONTRIBUTIONS {
            true => ("contributions / mean".to_owned(), vec![0.0]),
            false => (column.replace('_', " "), Vec::new()),
        };
        if column == CONTRIBUTIONS {
            shapes.push(Shape { form: Form::Across, ..Shape::reference(vec![(most / unit, 1.0)]) });
        }
        Panel {
            heading: is_named.then(|| arms[group[0]].label.clone()),
            x: Side { scale: scale_of_all(all()), brief, ..Side::new(&label) },
            y: Side { holds, ..Side::new(&words) },
            shapes,
            ..Panel::default()
        }
    }

    /// A tidy table: arm, replicate, client, and the columns that are drawn.
    fn csv(&self, comments: &[String]) -> Result<String, RecordError> {
        let mut columns: Vec<&str> = Vec::new();
        for (_, column) in &self.pairs {
            columns.extend((!columns.contains(&column.as_str())).then_some(column.as_str()));
        }
        let header = [&["arm", "replicate", "client", "work_per_round_s", "examples"][..], &columns].concat();
        let in_table = |name: &str| if name == CONTRIBUTIONS { "contributions_by_mean" } else { name }.to_owned();
        let header: Vec<String> = header.into_iter().map(in_table).collect();
        let mut table = Table::in_memory(comments, &header)?;
        for (arm, clients) in self.report.arms().iter().zip(&self.arms) {
            for row in &clients.rows {
                table.cell(&arm.label)?;
                table.cell(row.replicate)?;
                table.cell(row.client)?;
                let values = [row.seconds, row.value("examples")].into_iter();
                let mut values = values.chain(columns.iter().map(|column| row.value(column)));
                values.try_for_each(|value| table.cell(Float(value)))?;
                table.end_row()?;
            }
        }
        table.into_text()
    }

    fn about(&self) -> String {
        let mut text = self.caption() + " Of the markers of an arm in one square of 0.4 pt one is drawn.";
        for (Arm { label, .. }, Clients { rows, step }) in self.report.arms().iter().zip(&self.arms) {
            if *step > 1 {
                let count = so_many(rows.len(), "client");
                text += &format!(" Of the {count} of {label} one in {step} is drawn; the CSV has all.");
            }
            for (axis, column) in &self.pairs {
                let without = rows.iter().filter(|row| row.point(*axis, column).is_none()).count();
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

fn table_of(record: &fedbits_record::RunRecord) -> Option<&RunTable> {
    record.extra.iter().find(|table| table.name == CLIENTS)
}

/// The clients of all runs of an arm.
struct Clients {
    rows: Vec<Client>,
    /// Every so many-th is drawn.
    step: usize,
}

/// A client of a run, by column.
struct Client {
    replicate: u64,
    client: usize,
    seconds: Option<f64>,
    values: Vec<(String, Option<f64>)>,
}

impl Clients {
    fn of(arm: &Arm) -> Self {
        let rows: Vec<Client> = arm.records().flat_map(clients).collect();
        let step = rows.len().div_ceil(MOST).max(1);
        Self { rows, step }
    }
}

/// The clients of a run.
fn clients(record: &fedbits_record::RunRecord) -> Vec<Client> {
    let Some(table) = table_of(record) else { return Vec::new() };
    let mut columns: Vec<(&String, Vec<Option<f64>>)> = Vec::new();
    for (index, name) in table.columns.iter().enumerate() {
        columns.push((name, table.rows.iter().map(|row| row[index].number()).collect()));
    }
    let find = |name: &str| columns.iter().find(|(column, _)| *column == name).map(|(_, values)| values);
    let mean = find(CONTRIBUTIONS).and_then(|values| {
        let all: Vec<f64> = values.iter().flatten().copied().collect();
        Some(all.iter().sum::<f64>() / all.len() as f64).filter(|mean| *mean > 0.0)
    });
    let client = |client: usize| {
        let at = |name: &str| find(name).and_then(|values| values[client]);
        let work = ["computing_s", "sending_s", "receiving_s"].map(at).into_iter().sum::<Option<f64>>();
        let seconds = work.zip(at("overlap_s")).zip(at("selected").filter(|rounds| *rounds > 0.0));
        let value = |(name, values): &(&String, Vec<Option<f64>>)| {
            let value = values[client].and_then(|value| match name.as_str() {
                CONTRIBUTIONS => Some(value / mean?),
                _ => Some(value),
            });
            ((*name).clone(), value)
        };
        Client {
            replicate: record.manifest.replicate,
            client,
            seconds: seconds.map(|((work, overlap), rounds)| (work - overlap) / rounds),
            values: columns.iter().map(value).collect(),
        }
    };
    (0..table.rows.len()).map(client).collect()
}

impl Client {
    fn value(&self, column: &str) -> Option<f64> {
        self.values.iter().find(|(name, _)| name == column)?.1
    }

    fn at(&self, axis: ClientAxis) -> Option<f64> {
        match axis {
            ClientAxis::Seconds => self.seconds,
            ClientAxis::Examples => self.value("examples"),
        }
    }

    fn point(&self, axis: ClientAxis, column: &str) -> Option<(f64, f64)> {
        self.at(axis).zip(self.value(column))
    }
}
