//! Visual predictive checks: observed percentiles against the range of simulated ones, over the time of the data, from
//! the tables `vpc` of the arms' first runs. The arms of a scenario stand side by side on one scale.

use crate::axes::range;
use crate::data::{Arm, Run};
use crate::error::ReportError;
use crate::layout::{BAND, Entry, Form, Grid, Markers, Panel, Sample, Shape, Side, pages_of_panels};
use crate::report::{BuiltinKind, Drawing, Report};
use crate::rows::{FigureRows, cells};
use crate::style::LineStyle;
use crate::text::{each_once, grouped};
use crate::words::{distinct, file_name};
use fedbits_record::{Cell, RecordError, RunTable};

/// The frame reaches at most this many times the height of the observed percentiles beyond them.
const BEYOND: f64 = 0.25;
/// Arms whose checks differ nowhere by more than this share of the height of a frame have one panel.
const ALIKE: f64 = 0.05;

pub(crate) const KIND: BuiltinKind = BuiltinKind {
    name: "vpc",
    title: "visual predictive checks, arms side by side",
    needs: "the table `vpc` of a run",
    draw,
};

fn draw(report: &Report<'_>) -> Result<Vec<Drawing>, ReportError> {
    let mut drawings = Vec::new();
    for check in Predictive::of(report.arms()) {
        let pages = pages_of_panels(&check.grid(), &report.look);
        let words = [check.caption(), check.words()];
        drawings.extend(report.parts((&check.name, true), pages, &check.rows()?, words, &[])?);
    }
    Ok(drawings)
}

/// One percentile over the bins: (time, observed, low, middle, high).
type Percentile = Vec<[f64; 5]>;

struct Predictive<'a> {
    name: String,
    checks: Vec<Check<'a>>,
    /// The numbers of the checks in each panel, which the first of them is drawn of.
    panels: Vec<Vec<usize>>,
    /// What the frames show: all observed percentiles, and the simulated ranges as far as they are near.
    window: [f64; 2],
}

/// The check of the first run of an arm.
struct Check<'a> {
    label: &'a str,
    /// The 10th, 50th and 90th percentile.
    percentiles: [Percentile; 3],
    table: &'a RunTable,
}

impl<'a> Predictive<'a> {
    /// One figure per scenario whose arms left such tables.
    fn of(arms: &'a [Arm]) -> Vec<Self> {
        let scenarios = grouped(arms.iter().filter_map(of_arm));
        let names: Vec<String> = match scenarios.len() {
            1 => vec!["vpc".to_owned()],
            _ => distinct(scenarios.iter().map(|(scenario, _)| format!("vpc-{}", file_name(scenario)))),
        };
        scenarios.into_iter().zip(names).map(|((_, checks), name)| Self::new(name, checks)).collect()
    }

    fn new(name: String, checks: Vec<Check<'a>>) -> Self {
        let points = || checks.iter().flat_map(|check| &check.percentiles).flatten();
        let (observed_low, observed_high) = range(points().map(|point| point[1]));
        let (low, high) = range(points().flat_map(|point| [point[1], point[2], point[4]]));
        let beyond = BEYOND * (observed_high - observed_low);
        let window = [low.max(observed_low - beyond), high.min(observed_high + beyond)];
        let near = ALIKE * (window[1] - window[0]);
        let mut panels: Vec<Vec<usize>> = Vec::new();
        for (number, check) in checks.iter().enumerate() {
            match panels.iter_mut().find(|panel| checks[panel[0]].is_near(check, near)) {
                Some(panel) => panel.push(number),
                None => panels.push(vec![number]),
            }
        }
        Self { name, checks, panels, window }
    }

    fn grid(&self) -> Grid {
        let [outer, median] = [0, 1].map(|number| LineStyle::of(number).solid());
        let band = |look| Entry::new("simulated", Sample::Band(look, BAND));
        let lines = [("10th and 90th percentile", outer), ("median", median)];
        let entries = lines.into_iter().flat_map(|(words, look)| [Entry::line(words, look), band(look)]).collect();
        let after_dose = |Check { table, .. }: &Check<'_>| {
            let origin = table.column("origin");
            origin.is_some_and(|origin| table.rows.iter().all(|row| row[origin] == Cell::from("first dose")))
        };
        let time = if self.checks.iter().all(after_dose) { "time after the first dose" } else { "time" };
        let times = self.checks.iter().flat_map(|check| &check.percentiles).flatten().map(|point| point[0]);
        let (first, last) = range(times.chain([0.0]));
        let panel = |numbers: &Vec<usize>| {
            let check = &self.checks[numbers[0]];
            let heading = match numbers.len() {
                1 => check.label.to_owned(),
                several => format!("{} and {} alike", check.label, several - 1),
            };
            let shapes = check.percentiles.iter().zip([outer, median, outer]).flat_map(|(percentile, look)| {
                let of = |value: usize| percentile.iter().map(|point| (point[0], point[value])).collect::<Vec<_>>();
                [Shape::new(look, Form::Band(of(2)), of(4)), Shape::new(look, Form::Line(Markers::Each), of(1))]
            });
            let x = Side { holds: vec![first, last], tight: true, ..Side::new(time) };
            let y = Side { window: self.window.map(Some), ..Side::new("observed value") };
            Panel { heading: (self.checks.len() > 1).then_some(heading), ..Panel::new(x, y, shapes) }
        };
        Grid { entries, panels: self.panels.iter().map(panel).collect(), ..Grid::default() }
    }

    /// The arms whose bands leave the frame.
    fn cut(&self) -> Vec<&str> {
        let [low, high] = self.window;
        let leaves =
            |check: &&Check<'_>| check.percentiles.iter().flatten().any(|point| point[2] < low || point[4] > high);
        self.checks.iter().filter(leaves).map(|check| check.label).collect()
    }

    /// A tidy table: the arm, and the columns of its table; a cell of a column that it lacks is empty.
    fn rows(&self) -> Result<FigureRows, RecordError> {
        let columns = each_once(self.checks.iter().flat_map(|check| &check.table.columns).map(String::as_str));
        let row = |Check { label, table, .. }: &Check<'_>, row: &Vec<Cell>| {
            let cell = |name: &&str| table.column(name).and_then(|column| row.get(column)).unwrap_or(&Cell::Missing);
            cells![label].into_iter().chain(columns.iter().map(|name| cell(name).to_string())).collect()
        };
        let rows = self.checks.iter().flat_map(|check| check.table.rows.iter().map(move |cells| (check, cells)));
        FigureRows::new(&[&["arm"][..], &columns].concat(), rows.map(|(check, cells)| row(check, cells)))
    }

    fn caption(&self) -> String {
        let what = match &self.checks[..] {
            [only] => format!("Visual predictive check of {}", only.label),
            several => format!("Visual predictive checks of {} arms", several.len()),
        };
        let cut = if self.cut().is_empty() { "" } else { "; open arrowheads: they leave the frame" };
        let alike = if self.panels.len() < self.checks.len() { " Arms that look alike share a panel." } else { "" };
        format!(
            "{what}: percentiles of the observations (lines) and the 5 to 95 % range of the same percentiles over 500 \
             simulated copies of the data (bands{cut}).{alike}"
        )
    }

    fn words(&self) -> String {
        let mut text = "Visual predictive check of the first run of each arm, on common axes. Markers and lines: \
            10th, 50th and 90th percentile of the observations in bins of time, at the bins' median times; bins hold \
            about equally many observations"
            .to_owned();
        let counts = self.checks.iter().filter_map(|check| check.table.numbers("observations")).flatten();
        let (least, most) = range(counts);
        if least <= most {
            text += &format!(", {least} to {most} here");
        }
        text.push_str(
            ". Bands: 5 to 95 % range of the same percentiles over 500 simulated copies of the data at the final \
             parameter. The record does not say the units of times and values.",
        );
        for panel in self.panels.iter().filter(|panel| panel.len() > 1) {
            let labels: Vec<&str> = panel.iter().map(|&number| self.checks[number].label).collect();
            text += &format!(
                " The panel of {} stands also for {}, whose lines and bands differ from it by less than {} % of the \
                 height of the frame.",
                labels[0],
                labels[1..].join(", "),
                100.0 * ALIKE
            );
        }
        let cut = self.cut();
        if !cut.is_empty() {
            let cut = cut.join(", ");
            text += &format!(
                " The frame reaches beyond the observed percentiles by a quarter of their height; bands are cut there \
                 (open arrowheads) in {cut}."
            );
        }
        text
    }
}

impl Check<'_> {
    /// Does it differ from another nowhere by more than that?
    fn is_near(&self, check: &Check<'_>, most: f64) -> bool {
        self.percentiles.iter().zip(&check.percentiles).all(|(one, two)| {
            let is_near = |(one, two): (&[f64; 5], &[f64; 5])| {
                one[0] == two[0] && [1, 2, 4].iter().all(|&value| (one[value] - two[value]).abs() <= most)
            };
            one.len() == two.len() && one.iter().zip(two).all(is_near)
        })
    }
}

/// The arm's scenario, and the check of its first run, when that left one.
fn of_arm(arm: &Arm) -> Option<(&str, Check<'_>)> {
    let Run { record, .. } = arm.runs.first()?;
    let table = record.extra.iter().find(|table| table.name == "vpc" && !table.rows.is_empty())?;
    let percentile = |name: &str| -> Option<Percentile> {
        let numbers = |value: &str| table.numbers(&format!("{name}_{value}"));
        let (times, observed) = (table.numbers("time")?, numbers("observed")?);
        let (low, middle, high) = (numbers("low")?, numbers("middle")?, numbers("high")?);
        Some((0..times.len()).map(|row| [times[row], observed[row], low[row], middle[row], high[row]]).collect())
    };
    let percentiles = [percentile("p10")?, percentile("p50")?, percentile("p90")?];
    Some((&record.manifest.scenario, Check { label: &arm.label, percentiles, table }))
}

#[cfg(test)]
mod tests {
    use super::{ALIKE, Check, Predictive};
    use fedbits_record::RunTable;

    /// Arms share a panel where nothing in it would move by more than a share of its height, and each is in one.
    #[test]
    fn arms_that_look_alike_share_a_panel() {
        let table = RunTable::default();
        let check = |low: f64| {
            let at = |middle: f64| vec![[0.0, middle, low, middle, 10.0], [1.0, middle, low, middle, 10.0]];
            Check { label: "an arm", percentiles: [at(0.0), at(5.0), at(10.0)], table: &table }
        };
        let most = ALIKE * 10.0;
        let checks = vec![check(0.0), check(0.99 * most), check(1.01 * most), check(0.0)];
        let figure = Predictive::new("vpc".to_owned(), checks);
        assert_eq!(figure.window, [0.0, 10.0]);
        assert_eq!(figure.panels, [vec![0, 1, 3], vec![2]]);
        assert_eq!(figure.grid().panels.len(), 2);
    }
}
