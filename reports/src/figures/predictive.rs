//! Visual predictive checks: observed percentiles against the range of simulated ones, over the time of the data, from
//! the tables `vpc` of the arms' first runs. The arms of a scenario stand side by side on one scale. Drawn by
//! [`super::predictive_panels`].

use super::predictive_panels::{self, Band, Check, Predictive, Window, times, window};
use crate::axes::range;
use crate::data::{Arm, Run};
use crate::error::ReportError;
use crate::kind::{About, FigureKind};
use crate::report::{Drawing, Report};
use crate::style::Look;
use crate::text::Metrics;
use crate::words::{distinct, part};
use fedbits_record::{Cell, RecordError, Table};

/// The kind of figure.
pub(crate) struct PredictiveChecks;

impl FigureKind for PredictiveChecks {
    fn about(&self) -> About {
        About {
            name: "vpc",
            title: "visual predictive checks, the arms of a scenario side by side",
            needs: "the table `vpc` of a run",
        }
    }

    fn draw(&self, report: &Report<'_>) -> Result<Vec<Drawing>, ReportError> {
        let draw = |(check, part): (Predictive, String)| {
            report.drawing(
                (&check.name, &check.name),
                predictive_panels::draw(&check, &report.look, &report.metrics),
                |comments| check.csv(comments),
                report.words(&(check.caption() + &part), &(check.words() + &part)),
            )
        };
        let figures = Predictive::of(report.arms()).into_iter();
        figures.flat_map(|check| check.pages(&report.look, &report.metrics)).map(draw).collect()
    }
}

impl Predictive {
    /// One figure per scenario whose arms left such tables.
    fn of(arms: &[Arm]) -> Vec<Self> {
        let mut figures: Vec<(String, Self)> = Vec::new();
        for (scenario, check) in arms.iter().filter_map(of_arm) {
            match figures.iter_mut().find(|(own, _)| *own == scenario) {
                Some((_, figure)) => figure.checks.push(check),
                None => {
                    let (name, window, times) = ("vpc".to_owned(), Window::default(), (0.0, 0.0));
                    figures.push((scenario, Self { name, checks: vec![check], window, times }));
                }
            }
        }
        for (_, figure) in &mut figures {
            (figure.window, figure.times) = (window(&figure.checks), times(&figure.checks));
        }
        if figures.len() > 1 {
            let safe = |c: char| if c.is_alphanumeric() || "._-".contains(c) { c } else { '-' };
            let name = |scenario: &str| format!("vpc-{}", scenario.chars().map(safe).collect::<String>());
            let names = distinct(figures.iter().map(|(scenario, _)| name(scenario)));
            figures.iter_mut().zip(names).for_each(|((_, figure), name)| figure.name = name);
        }
        figures.into_iter().map(|(_, figure)| figure).collect()
    }

    /// On as many pages as it needs, with common axes, each with the words that say which part it is.
    fn pages(&self, look: &Look, metrics: &Metrics) -> Vec<(Self, String)> {
        let pages = self.checks.chunks(predictive_panels::most(self, look, metrics)).collect::<Vec<_>>();
        let page = |(number, checks): (usize, &&[Check])| {
            let (name, part) = part(&self.name, number, pages.len());
            let (checks, window) = (checks.to_vec(), self.window.clone());
            (Self { name, checks, window, times: self.times }, part)
        };
        pages.iter().enumerate().map(page).collect()
    }

    /// The arms whose bands leave the frame.
    fn cut(&self) -> Vec<&str> {
        let window = &self.window;
        let leaves = |check: &&Check| check.bands.iter().flatten().any(|p| p[2] < window.low || p[4] > window.high);
        self.checks.iter().filter(leaves).map(|check| check.label.as_str()).collect()
    }

    /// A tidy table: the arm, and the columns of its table; a cell of a column that it lacks is empty.
    fn csv(&self, comments: &[String]) -> Result<String, RecordError> {
        let mut columns: Vec<&str> = vec!["arm"];
        for column in self.checks.iter().flat_map(|check| &check.table.columns) {
            if !columns[1..].contains(&column.as_str()) {
                columns.push(column);
            }
        }
        let mut out = Table::in_memory(comments, &columns)?;
        for Check { label, table, .. } in &self.checks {
            for row in &table.rows {
                out.cell(label)?;
                for name in &columns[1..] {
                    out.cell(table.column(name).and_then(|column| row.get(column)).unwrap_or(&Cell::Missing))?;
                }
                out.end_row()?;
            }
        }
        out.into_text()
    }

    /// What the figure shows, for its caption.
    fn caption(&self) -> String {
        let what = match &self.checks[..] {
            [only] => format!("Visual predictive check of {}", only.label),
            several => format!("Visual predictive checks of {} arms", several.len()),
        };
        let cut = if self.cut().is_empty() { "" } else { "; open arrowheads: they leave the frame" };
        format!(
            "{what}: 10th, 50th and 90th percentile of the observations (lines) and the 5 to 95 % range of these over \
             500 simulated copies of the data (bands{cut})."
        )
    }

    /// What the figure shows, in sentences.
    fn words(&self) -> String {
        let mut text = "Visual predictive check, a panel per arm on common axes (the first run of each). Markers and \
            lines: 10th, 50th and 90th percentile of the observations in bins of time, at the bins' median times; bins \
            hold about equally many observations"
            .to_owned();
        let counts = self.checks.iter().filter_map(|check| check.table.numbers("observations")).flatten();
        let (least, most) = range(counts);
        if least <= most {
            text += &format!(", {least} to {most} here");
        }
        text.push_str(
            ". Bands: 5 to 95 % range of the same percentiles over 500 simulated copies of the data at the final \
             parameter.",
        );
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

/// The arm's scenario, and the check of its first run, when that left one.
fn of_arm(arm: &Arm) -> Option<(String, Check)> {
    let Run { record, .. } = arm.runs.first()?;
    let table = record.extra.iter().find(|table| table.name == "vpc" && !table.rows.is_empty())?.clone();
    let band = |percentile: &str| -> Option<Band> {
        let numbers = |name: &str| table.numbers(&format!("{percentile}_{name}"));
        let (times, observed) = (table.numbers("time")?, numbers("observed")?);
        let (low, middle, high) = (numbers("low")?, numbers("middle")?, numbers("high")?);
        Some((0..times.len()).map(|row| [times[row], observed[row], low[row], middle[row], high[row]]).collect())
    };
    let bands = [band("p10")?, band("p50")?, band("p90")?];
    Some((record.manifest.scenario.clone(), Check { label: arm.label.clone(), bands, table }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::style::Style;

    /// No page is higher than the look's, every arm is on one, and they share their axes.
    #[test]
    fn many_arms_go_on_in_other_files() {
        let (look, metrics) = (Style::Neurips.look(), Metrics::new());
        for arms in [1, 2, 30, 200] {
            let check = |arm: usize| {
                let band: Band = (0..3).map(|time| [f64::from(time), arm as f64, 0.0, 1.0, 2.0]).collect();
                Check { label: format!("arm {arm}"), bands: [band.clone(), band.clone(), band], table: <_>::default() }
            };
            let checks: Vec<Check> = (0..arms).map(check).collect();
            let (window, times) = (window(&checks), times(&checks));
            let pages = Predictive { name: "vpc".to_owned(), checks, window, times }.pages(&look, &metrics);
            assert_eq!(pages.len() > 1, arms == 200, "{}", pages.len());
            let labels = pages.iter().flat_map(|(page, _)| page.checks.iter().map(|check| check.label.clone()));
            assert!(labels.eq((0..arms).map(|arm| format!("arm {arm}"))));
            for (number, (page, part)) in pages.iter().enumerate() {
                let svg = crate::export::svg::element(&predictive_panels::draw(page, &look, &metrics), "", "");
                let height: f64 =
                    svg.split("height=\"").nth(1).unwrap().split(&['p', '"']).next().unwrap().parse().unwrap();
                assert!(height <= look.tallest + 1.0 && height > 0.0, "{height}");
                assert_eq!(page.times, (0.0, 2.0));
                assert_eq!(part.is_empty(), pages.len() == 1);
                assert_eq!(page.name, if number == 0 { "vpc".to_owned() } else { format!("vpc-{}", number + 1) });
            }
        }
    }
}
