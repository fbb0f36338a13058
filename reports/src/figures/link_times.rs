//! How busy the links between sites were over time, from `links_over_time.csv` of the runs: a heat map of links and
//! time, a panel per arm. Drawn by [`super::link_cells`].

use super::link_cells::{self, Cell, LinkPanel};
use crate::data::{Arm, Run};
use crate::error::ReportError;
use crate::kind::{About, FigureKind};
use crate::report::{Drawing, Report};
use crate::words::not_shown;
use fedbits_record::{Float, LinkTimeRow, RecordError, Table};
use fedbits_spec::so_many;
use std::collections::BTreeMap;

/// The kind of figure.
pub(crate) struct LinkTimes;

/// File name without ending.
const NAME: &str = "link_times";

impl FigureKind for LinkTimes {
    fn about(&self) -> About {
        About {
            name: NAME,
            title: "how busy links between sites were over time: a row per link and direction",
            needs: "`links_over_time.csv`, which `record: (links_every: …)` leaves",
        }
    }

    fn draw(&self, report: &Report<'_>) -> Result<Vec<Drawing>, ReportError> {
        let runs: Vec<ArmRows<'_>> = report.arms().iter().filter_map(ArmRows::of).collect();
        let pages = link_cells::pages(runs.iter().map(ArmRows::panel).collect(), &report.look);
        let without = report.arms().iter().filter(|arm| ArmRows::of(arm).is_none()).map(Arm::label);
        let without = not_shown("no such table", without);
        let mut drawn = Vec::new();
        let mut before = 0;
        for (number, page) in pages.iter().enumerate() {
            let name = if number == 0 { NAME.to_owned() } else { format!("{NAME}-{}", number + 1) };
            let own = &runs[before..before + page.panels.len()];
            before += page.panels.len();
            drawn.push(report.drawing(
                (&name, &name),
                link_cells::draw(page, &report.look, &report.metrics),
                |comments| csv(own, comments),
                report.words(CAPTION, &(about(page) + &without)),
            )?);
        }
        Ok(drawn)
    }
}

const CAPTION: &str = "How busy the links between sites were over time, each direction on its own, the busiest on top: \
    the darker, the larger the share of its capacity that a link used.";

/// What the figure shows, in sentences.
fn about(page: &link_cells::Page) -> String {
    let mut text = CAPTION.to_owned();
    text += " A message counts, on every link of its route, in the interval in which it ended, so that a share may \
        exceed 100 % in a short one; over all intervals the bits are those of links.csv. The first run of every arm; \
        intervals that are narrower than a point on paper are one, the table has each.";
    for panel in &page.panels {
        if panel.hidden > 0 {
            let (of, hidden) = (&panel.heading, panel.hidden);
            text += &format!(
                " {of}: there is no room for {} of links, which the table has.",
                so_many(hidden, "more direction")
            );
        }
    }
    text
}

/// The rows of an arm's first run that has some.
struct ArmRows<'a> {
    label: &'a str,
    rows: Vec<LinkTimeRow>,
    end_ns: u64,
}

impl<'a> ArmRows<'a> {
    fn of(arm: &'a Arm) -> Option<Self> {
        let rows = |run: &Run| (LinkTimeRow::of(&run.record.extra), run.record.manifest.totals.time_ns);
        let (rows, time_ns) = arm.runs.iter().map(rows).find(|(rows, _)| !rows.is_empty())?;
        let end_ns = rows.iter().map(|row| row.times_ns[1]).fold(time_ns, u64::max);
        Some(Self { label: &arm.label, rows, end_ns })
    }

    fn panel(&self) -> LinkPanel {
        let mut directions: BTreeMap<(u64, &str), Vec<&LinkTimeRow>> = BTreeMap::new();
        for row in &self.rows {
            directions.entry((row.link, &row.from)).or_default().push(row);
        }
        let mut all: Vec<(String, Vec<Cell>)> = directions.into_values().map(direction).collect();
        let used = |cells: &[Cell]| cells.iter().map(|cell| cell.bits / cell.capacity).sum::<f64>();
        // Stable: equally busy directions stay in the order of the topology.
        all.sort_by(|one, other| used(&other.1).total_cmp(&used(&one.1)));
        LinkPanel { heading: self.label.to_owned(), rows: all, end: self.end_ns as f64 * 1e-9, hidden: 0 }
    }
}

/// The name of a direction, and its cells.
fn direction(rows: Vec<&LinkTimeRow>) -> (String, Vec<Cell>) {
    let cell = |row: &&LinkTimeRow| Cell {
        times: row.times_ns.map(|time| time as f64 * 1e-9),
        bits: row.bits.iter().sum::<u64>() as f64,
        capacity: row.capacity_bps as f64,
    };
    let name = rows.first().map(|row| format!("{} → {}", row.from, row.to)).unwrap_or_default();
    (name, rows.iter().map(cell).collect())
}

/// A tidy table: arm, round, interval, link, bits, and the share of the capacity; none in an interval without a length.
fn csv(arms: &[ArmRows<'_>], comments: &[String]) -> Result<String, RecordError> {
    let header = ["arm", "round", "from_s", "to_s", "link", "from", "to", "bits", "utilization"];
    let mut table = Table::in_memory(comments, &header)?;
    for ArmRows { label, rows, .. } in arms {
        for row in rows {
            let [from_s, to_s] = row.times_ns.map(|time| Float(Some(time as f64 * 1e-9)));
            let bits: u64 = row.bits.iter().sum();
            let seconds = (row.times_ns[1] - row.times_ns[0]) as f64 * 1e-9;
            let share = Float((seconds > 0.0).then(|| bits as f64 / (row.capacity_bps as f64 * seconds)));
            table.row(&[label, &row.round, &from_s, &to_s, &row.link, &row.from, &row.to, &bits, &share])?;
        }
    }
    table.into_text()
}
