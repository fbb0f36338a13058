//! What the links between sites carried, from `links.csv` of the runs: one bar per arm, link and direction. Beside its
//! name stands the share of its capacity that the link used over the whole run: what is narrow shows.

use super::bars::{self, Stack};
use super::ledger::stack_of;
use crate::data::{Arm, Run};
use crate::error::ReportError;
use crate::report::{BuiltinKind, Drawing, Report};
use crate::words::not_shown;
use fedbits_record::{LedgerRow, LinkRow};

pub(crate) const KIND: BuiltinKind = BuiltinKind {
    name: "links",
    title: "what the busiest links between sites carried, and the share of their capacity",
    needs: "`links.csv`",
    draw,
};

fn draw(report: &Report<'_>) -> Result<Vec<Drawing>, ReportError> {
    let Some(stack) = busiest(report.arms()) else { return Ok(Vec::new()) };
    let caption = "Bits over the busiest links between sites, each direction on its own, by purpose, direction and \
        fate (pale: what served nothing); in brackets: the share of the link's capacity that they used.";
    let about = "Bits that went over the links between sites, each direction on its own (the first run of every \
        arm), the busiest of every arm first, by purpose, direction and fate; in brackets the share of the link's \
        capacity that they used over the whole run. A message counts on every link of its route; pale: what \
        served nothing.";
    let without = report.arms().iter().filter(|arm| arm.runs.first().is_none_or(|run| directions(run).is_empty()));
    let about = about.to_owned() + &not_shown("no links that carried something", without.map(Arm::label));
    Ok(vec![bars::drawing(report, ("links", ["arm", "kind", "bits"]), (&stack, &[]), (caption, &about))?])
}

/// One direction over one link, in one run.
pub(crate) struct LinkUse {
    /// The link's number in the topology.
    pub link: u64,
    label: String,
    rows: Vec<LedgerRow>,
    /// Bits over capacity times time.
    pub share: f64,
}

/// The directions of the arms' first runs, those that used most of their capacity first: the busiest of every arm, the
/// second of every arm, and so on; `None` when no run has such links.
fn busiest(arms: &[Arm]) -> Option<Stack> {
    let mut all: Vec<(&str, Vec<LinkUse>)> =
        arms.iter().filter_map(|arm| Some((arm.label.as_str(), directions(arm.runs.first()?)))).collect();
    all.retain(|(_, directions)| !directions.is_empty());
    let several = all.len() > 1;
    let mut ranked = Vec::new();
    for (arm, mut directions) in all {
        // Stable: equally busy directions stay in the order of the table.
        directions.sort_by(|one, two| two.share.total_cmp(&one.share));
        ranked.extend(directions.into_iter().enumerate().map(|(rank, direction)| (rank, arm, direction)));
    }
    ranked.sort_by_key(|(rank, ..)| *rank);
    let bar = |(_, arm, direction): (usize, &str, LinkUse)| {
        let label = if several { format!("{arm}: {}", direction.label) } else { direction.label };
        (format!("{label} ({})", percent(direction.share)), direction.rows, 1)
    };
    stack_of(ranked.into_iter().map(bar).collect())
}

/// Both directions of the links that carried something.
pub(crate) fn directions(run: &Run) -> Vec<LinkUse> {
    let seconds = run.record.manifest.totals.time_ns as f64 * 1e-9;
    let mut directions: Vec<LinkUse> = Vec::new();
    for row in LinkRow::of(&run.record.extra) {
        let bits = row.bits.payload_bits + row.bits.header_bits + row.bits.retransmitted_bits;
        let share = if seconds > 0.0 { bits as f64 / (row.capacity_bps as f64 * seconds) } else { 0.0 };
        let label = format!("{} → {}", row.from, row.to);
        match directions.iter_mut().find(|known| known.link == row.link && known.label == label) {
            Some(direction) => {
                direction.share += share;
                direction.rows.push(row.bits);
            }
            None => directions.push(LinkUse { link: row.link, label, rows: vec![row.bits], share }),
        }
    }
    directions
}

fn percent(share: f64) -> String {
    match 100.0 * share {
        tiny if tiny < 0.1 => "below 0.1 %".to_owned(),
        small if small < 10.0 => format!("{small:.1} %"),
        large => format!("{large:.0} %"),
    }
}
