//! What every client contributes and gets, against its speed or the size of its data: a marker per client and run.
//! Drawn by [`super::chart_shapes`].

use super::chart_shapes;
use super::charts::{Chart, Charts, Form, Sample, Shape, Side, apart, shift};
use super::units::time_unit;
use crate::axes::scale_of_all;
use crate::data::Arm;
use crate::error::ReportError;
use crate::kind::{About, FigureKind};
use crate::report::{Drawing, Report};
use crate::words::listed;
use fedbits_figures::{ClientAxis, ParticipationFigure};
use fedbits_record::{CLIENTS, Float, QUALITY_OF_CLIENTS, RecordError, RunTable, Table};
use fedbits_spec::so_many;
use std::collections::BTreeSet;

/// Of more clients of an arm every second is drawn, or every third, …
const MOST: usize = 10_000;
/// From arm to arm, in thicknesses of a line: the clients of all arms have the same speeds.
const SHIFT: f64 = 2.2;
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
        own => own.to_vec(),
    };
    let measured = |(axis, column): &(ClientAxis, String)| all().any(|row| row.point(*axis, column).is_some());
    let pairs = axes.iter().flat_map(|&axis| columns.iter().map(move |column| (axis, column.clone())));
    let mut pairs: Vec<(ClientAxis, String)> = pairs.filter(measured).collect();
    if report.look.columns == 1 && axes.len() > 1 {
        // Two panels side by side are one column over both axes.
        pairs.sort_by_key(|(_, column)| columns.iter().position(|own| own == column));
    }
    if pairs.is_empty() {
        return Ok(Vec::new());
    }
    let entry =
        |(arm, own): (&Arm, &Clients)| (!own.rows.is_empty()).then(|| (arm.label.clone(), Sample::Marker(arm.style)));
    let entries = report.arms().iter().zip(&arms).filter_map(entry).collect();
    let charts = Charts::of(report, entries, pairs.iter().map(|pair| panel(report, &arms, pair)).collect());
    let (name, caption) = ("participation", caption(report, &pairs));
    let drawing = report.drawing(
        (name, name),
        chart_shapes::draw(&charts, &report.look, &report.metrics),
        |comments| csv(report.arms(), &arms, &pairs, comments),
        report.words(&caption, &about(&caption, report.arms(), &arms, &pairs)),
    )?;
    Ok(vec![drawing])
}

/// What is drawn, and that arms are shifted where there are several.
fn caption(report: &Report<'_>, pairs: &[(ClientAxis, String)]) -> String {
    let (mut axes, mut columns): (Vec<&str>, Vec<String>) = (Vec::new(), Vec::new());
    for (axis, column) in pairs {
        let axis = match axis {
            ClientAxis::Seconds => "its work per selected round",
            ClientAxis::Examples => "the number of its examples",
        };
        let column = match column.as_str() {
            CONTRIBUTIONS => "contributions divided by their mean (dashed: an equal share)".to_owned(),
            other => other.replace('_', " "),
        };
        axes.extend((!axes.contains(&axis)).then_some(axis));
        columns.extend((!columns.contains(&column)).then_some(column));
    }
    let shift = apart(report.arms().len(), SHIFT, &report.look);
    let shifted = match report.arms().len() {
        1 => String::new(),
        _ => format!(" Each arm is shifted by {shift:.1} pt from the one before."),
    };
    format!("Every client of every run against {}: {}.{shifted}", axes.join(" or "), listed(&columns))
}

/// The columns that are asked for, which some run has, unless none has a table; or by default contributions and what
/// clients get.
fn columns(arms: &[Arm], asked: &[String]) -> Result<Vec<String>, ReportError> {
    let known: Vec<&String> =
        arms.iter().flat_map(Arm::records).filter_map(table_of).flat_map(|own| &own.columns).collect();
    if let Some(name) = asked.iter().find(|name| !known.is_empty() && !known.contains(name)) {
        let known: BTreeSet<&str> = known.iter().map(|own| own.as_str()).collect();
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
    let find = |name: &str| columns.iter().find(|(own, _)| *own == name).map(|(_, values)| values);
    let mean = find(CONTRIBUTIONS).and_then(|values| {
        let all: Vec<f64> = values.iter().flatten().copied().collect();
        Some(all.iter().sum::<f64>() / all.len() as f64).filter(|mean| *mean > 0.0)
    });
    let client = |client: usize| {
        let own = |name: &str| find(name).and_then(|values| values[client]);
        let work = ["computing_s", "sending_s", "receiving_s"].map(own).into_iter().sum::<Option<f64>>();
        let seconds = work.zip(own("overlap_s")).zip(own("selected").filter(|rounds| *rounds > 0.0));
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

/// A column against an axis.
fn panel(report: &Report<'_>, arms: &[Clients], (axis, column): &(ClientAxis, String)) -> Chart {
    let all = || arms.iter().flat_map(|arm| &arm.rows).filter_map(|row| row.at(*axis));
    let most = all().fold(0.0, f64::max);
    let (label, unit) = match axis {
        ClientAxis::Seconds => {
            let (unit, name) = time_unit(most);
            (format!("work per round ({name})"), unit)
        }
        ClientAxis::Examples => ("examples of the client".to_owned(), 1.0),
    };
    let x_scale = scale_of_all(all());
    let cloud = |(number, (arm, own)): (usize, (&Arm, &Clients))| {
        let shift = shift(number, arms.len(), SHIFT, &report.look);
        let drawn = own.rows.iter().step_by(own.step).filter_map(|row| row.point(*axis, column));
        let points = drawn.map(|(x, y)| (x / unit, y)).collect();
        Shape { shift, ..Shape::new(arm.style, Form::Cloud, points) }
    };
    let mut shapes: Vec<Shape> = report.arms().iter().zip(arms).enumerate().map(cloud).collect();
    let is_share = column == CONTRIBUTIONS;
    if is_share {
        let least = all().filter(|at| *at > 0.0).fold(most, f64::min);
        shapes.push(Shape::reference(vec![(least / unit, 1.0), (most / unit, 1.0)]));
    }
    let (words, holds) = match is_share {
        true => ("contributions / mean".to_owned(), vec![0.0]),
        false => (column.replace('_', " "), Vec::new()),
    };
    Chart {
        x: Side { label, scale: x_scale, ..Side::default() },
        y: Side { label: words, holds, ..Side::default() },
        shapes,
        ..Chart::default()
    }
}

/// A tidy table: arm, replicate, client, and the columns that are drawn.
fn csv(
    arms: &[Arm],
    clients: &[Clients],
    pairs: &[(ClientAxis, String)],
    comments: &[String],
) -> Result<String, RecordError> {
    let mut columns: Vec<&str> = Vec::new();
    pairs.iter().for_each(|(_, column)| {
        if !columns.contains(&column.as_str()) {
            columns.push(column)
        }
    });
    let header = [&["arm", "replicate", "client", "work_per_round_s", "examples"][..], &columns].concat();
    let header: Vec<&str> =
        header.into_iter().map(|name| if name == CONTRIBUTIONS { "contributions_by_mean" } else { name }).collect();
    let mut table = Table::in_memory(comments, &header)?;
    for (arm, own) in arms.iter().zip(clients) {
        for row in &own.rows {
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

fn about(caption: &str, arms: &[Arm], clients: &[Clients], pairs: &[(ClientAxis, String)]) -> String {
    let mut text = format!("{caption} Where markers of an arm lie in one square of 0.4 pt one of them is drawn.");
    for (arm, own) in arms.iter().zip(clients) {
        if own.step > 1 {
            let (step, count) = (own.step, own.rows.len());
            text += &format!(
                " Of the {} of {} one in {step} is drawn; the CSV has all.",
                so_many(count, "client"),
                arm.label
            );
        }
        for (axis, column) in pairs {
            let without = own.rows.iter().filter(|row| row.point(*axis, column).is_none()).count();
            if without > 0 {
                let x = if *axis == ClientAxis::Seconds { "work per round" } else { "examples" };
                text +=
                    &format!(" Not drawn: {} of {} without {column} or {x}.", so_many(without, "client"), arm.label);
            }
        }
    }
    text
}
