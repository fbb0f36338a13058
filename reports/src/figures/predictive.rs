//! Visual predictive checks: observed percentiles against the range of simulated ones, over the time of the data, from
//! the tables `vpc` of the arms' first runs. The arms of a scenario stand side by side on one scale. Drawn by
//! [`super::predictive_panels`].

use super::Window;
use crate::data::{Arm, Run};
use fedbits_record::ExtraTable;
use std::fmt::Write;

/// The frame reaches at most so many times the height of the observed percentiles beyond them.
const BEYOND: f64 = 0.25;

/// One percentile over the bins: (time, observed, low, middle, high).
pub(crate) type Band = Vec<[f64; 5]>;

/// The checks of a scenario's arms.
pub(crate) struct Predictive {
    /// File name without ending.
    pub name: String,
    pub checks: Vec<Check>,
}

/// The check of one arm.
pub(crate) struct Check {
    /// The arm.
    pub label: String,
    /// The 10th, 50th and 90th percentile.
    pub bands: [Band; 3],
    table: ExtraTable,
}

impl Predictive {
    /// One figure per scenario whose arms left such tables.
    pub(crate) fn of(arms: &[Arm]) -> Vec<Self> {
        let mut figures: Vec<(String, Self)> = Vec::new();
        for (scenario, check) in arms.iter().filter_map(of_arm) {
            match figures.iter_mut().find(|(own, _)| *own == scenario) {
                Some((_, figure)) => figure.checks.push(check),
                None => figures.push((scenario, Self { name: "vpc".to_owned(), checks: vec![check] })),
            }
        }
        if figures.len() > 1 {
            let safe = |c: char| if c.is_alphanumeric() || "._-".contains(c) { c } else { '-' };
            let name = |scenario: &str| format!("vpc-{}", scenario.chars().map(safe).collect::<String>());
            figures.iter_mut().for_each(|(scenario, figure)| figure.name = name(scenario));
        }
        figures.into_iter().map(|(_, figure)| figure).collect()
    }

    /// What the frames show: all observed percentiles, and the simulated ranges as far as they are near.
    pub(crate) fn window(&self) -> Window {
        let points = || self.checks.iter().flat_map(|check| &check.bands).flatten();
        let range = |values: &mut dyn Iterator<Item = f64>| {
            values.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| (low.min(value), high.max(value)))
        };
        let (observed_low, observed_high) = range(&mut points().map(|point| point[1]));
        let (low, high) = range(&mut points().flat_map(|point| [point[1], point[2], point[4]]));
        let beyond = BEYOND * (observed_high - observed_low);
        Window { low: low.max(observed_low - beyond), high: high.min(observed_high + beyond), rule: String::new() }
    }

    /// The first and the last time, zero among them.
    pub(crate) fn times(&self) -> (f64, f64) {
        let times = self.checks.iter().flat_map(|check| &check.bands).flatten().map(|point| point[0]);
        times.fold((0.0, f64::NEG_INFINITY), |(first, last), time| (f64::min(first, time), f64::max(last, time)))
    }

    /// What the times are.
    pub(crate) fn time_words(&self) -> &'static str {
        let after_dose = |check: &Check| {
            let origin = check.table.column("origin");
            origin.is_some_and(|origin| check.table.rows.iter().all(|row| row[origin] == "first dose"))
        };
        if self.checks.iter().all(after_dose) { "time after the first dose" } else { "time" }
    }

    /// The arms whose bands leave the frame.
    fn cut(&self) -> Vec<&str> {
        let window = self.window();
        let leaves = |check: &&Check| check.bands.iter().flatten().any(|p| p[2] < window.low || p[4] > window.high);
        self.checks.iter().filter(leaves).map(|check| check.label.as_str()).collect()
    }

    /// A tidy table: the arm, and the columns of its table; a cell of a column that it lacks is empty.
    pub(crate) fn csv(&self, provenance: &[String]) -> String {
        let put = "a string takes everything";
        let mut columns: Vec<&String> = Vec::new();
        for column in self.checks.iter().flat_map(|check| &check.table.columns) {
            if !columns.contains(&column) {
                columns.push(column);
            }
        }
        let mut out: String = provenance.iter().map(|line| format!("# {line}\n")).collect();
        let names: Vec<&str> = columns.iter().map(|name| name.as_str()).collect();
        writeln!(out, "arm,{}", names.join(",")).expect(put);
        for Check { label, table, .. } in &self.checks {
            let label = label.replace('"', "\"\"");
            for row in &table.rows {
                let cell =
                    |name: &&String| table.column(name).and_then(|place| row.get(place)).map_or("", String::as_str);
                let cells: Vec<&str> = columns.iter().map(cell).collect();
                writeln!(out, "\"{label}\",{}", cells.join(",")).expect(put);
            }
        }
        out
    }

    /// What the figure shows, for its caption.
    pub(crate) fn caption(&self) -> String {
        let what = match &self.checks[..] {
            [only] => format!("Visual predictive check of {}", only.label),
            several => format!("Visual predictive checks of {} arms", several.len()),
        };
        let cut = if self.cut().is_empty() { "" } else { "; open arrowheads: they leave the frame" };
        format!(
            "{what}: 10th, 50th and 90th percentile of the observations (lines) and the 5 to 95 % range of these over 500 simulated \
             copies of the data (bands{cut})."
        )
    }

    /// What the figure shows, in sentences.
    pub(crate) fn words(&self) -> String {
        let put = "a string takes everything";
        let mut text = "Visual predictive check, a panel per arm on common axes (the first run of each). Markers and lines: 10th, 50th \
                        and 90th percentile of the observations in bins of time, at the bins' median times; bins hold about \
                        equally many observations"
            .to_owned();
        let counts = self.checks.iter().filter_map(|check| check.table.numbers("observations")).flatten();
        let (least, most) = counts.fold((f64::INFINITY, 0.0), |(low, high), n| (f64::min(low, n), f64::max(high, n)));
        if least <= most {
            write!(text, ", {least} to {most} here").expect(put);
        }
        text.push_str(
            ". Bands: 5 to 95 % range of the same percentiles over 500 simulated copies of the data at the final parameter.",
        );
        let cut = self.cut();
        if !cut.is_empty() {
            let cut = cut.join(", ");
            write!(
                text,
                " The frame reaches beyond the observed percentiles by a quarter of their height; bands are cut there (open arrowheads) in {cut}."
            )
            .expect(put);
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
