//! What the links between sites carried, from `links.csv` of the runs; drawn by [`super::bars`], one bar per arm, link
//! and direction. Beside its name stands the share of its capacity that the link used over the whole run: what is
//! narrow shows.

use super::bars::{self, Stack};
use super::ledger::stack_of;
use crate::data::{Arm, Run};
use crate::error::ReportError;
use crate::kind::{About, FigureKind};
use crate::report::{Drawing, Report};
use fedbits_record::{LedgerRow, LinkRow};

/// The kind of figure.
pub(crate) struct LinkBars;

impl FigureKind for LinkBars {
    fn about(&self) -> About {
        About {
            name: "links",
            title: "what the busiest links between sites carried, with the share of their capacity",
            needs: "`links.csv`",
        }
    }

    fn draw(&self, report: &Report<'_>) -> Result<Vec<Drawing>, ReportError> {
        let Some((stack, of)) = busiest(report.arms()) else { return Ok(Vec::new()) };
        let caption = "Bits over the busiest links between sites, each direction on its own, by purpose, direction and \
            fate (pale: what served nothing); in brackets: the share of the link's capacity that they used.";
        let about = format!(
            "Bits that went over the busiest links between sites, {} of {of}, each direction on its own (the \
             first run of every arm), by purpose, direction and fate; in brackets the share of the link's \
             capacity that they used over the whole run. A message counts on every link of its route; pale: \
             what served nothing.",
            stack.bars.len()
        );
        let drawing = report.drawing(
            ("links", "links"),
            |description| bars::draw(&stack, &report.look, &report.metrics, description),
            |comments| stack.csv(["arm", "kind", "bits"], comments),
            report.words(caption, &about),
        )?;
        Ok(vec![drawing])
    }
}

/// Directed links that are drawn in all, shared among the arms, and at least [`MIN_EACH`] of each.
const MAX_LINKS: usize = 24;
const MIN_EACH: usize = 2;

/// One direction over one link, in one run.
struct LinkUse {
    label: String,
    rows: Vec<LedgerRow>,
    /// Bits over capacity times time.
    share: f64,
}

/// The directions of the arms' first runs that used most of their capacity, and how many directions there are in all;
/// `None` when no run has such links.
fn busiest(arms: &[Arm]) -> Option<(Stack, usize)> {
    let all: Vec<(&str, Vec<LinkUse>)> =
        arms.iter().filter_map(|arm| Some((arm.label.as_str(), directions(arm.runs.first()?)))).collect();
    let networks = all.iter().filter(|(_, directions)| !directions.is_empty()).count();
    let most = (MAX_LINKS / networks.max(1)).max(MIN_EACH);
    let of = all.iter().map(|(_, directions)| directions.len()).sum();
    let bars = all.into_iter().flat_map(|(arm, mut directions)| {
        // Stable: equally busy directions stay in the order of the table.
        directions.sort_by(|one, other| other.share.total_cmp(&one.share));
        directions.truncate(most);
        directions.into_iter().map(move |direction| {
            let label = if networks > 1 { format!("{arm}: {}", direction.label) } else { direction.label };
            (format!("{label} ({})", percent(direction.share)), direction.rows, 1)
        })
    });
    Some((stack_of(bars.collect())?, of))
}

fn directions(run: &Run) -> Vec<LinkUse> {
    let seconds = run.record.manifest.totals.time_ns as f64 * 1e-9;
    let mut directions: Vec<((u64, String), LinkUse)> = Vec::new();
    for row in LinkRow::of(&run.record.extra) {
        let bits = row.bits.payload_bits + row.bits.header_bits + row.bits.retransmitted_bits;
        let share = if seconds > 0.0 { bits as f64 / (row.capacity_bps as f64 * seconds) } else { 0.0 };
        let key = (row.link, row.from.clone());
        match directions.iter_mut().find(|(other, _)| *other == key) {
            Some((_, direction)) => {
                direction.share += share;
                direction.rows.push(row.bits);
            }
            None => {
                let label = format!("{} → {}", row.from, row.to);
                directions.push((key, LinkUse { label, rows: vec![row.bits], share }));
            }
        }
    }
    directions.into_iter().map(|(_, direction)| direction).collect()
}

fn percent(share: f64) -> String {
    match 100.0 * share {
        tiny if tiny < 0.1 => "below 0.1 %".to_owned(),
        small if small < 10.0 => format!("{small:.1} %"),
        large => format!("{large:.0} %"),
    }
}
