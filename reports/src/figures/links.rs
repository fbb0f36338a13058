//! What the links between sites carried, from `links.csv` of the runs; drawn by [`super::bars`], one bar per arm, link
//! and way. Beside its name stands the share of its capacity that the link used over the whole run: what is narrow
//! shows.

use super::ledger::Ledger;
use crate::data::{Arm, Run};
use fedbits_record::{LedgerRow, LinkRow};

/// So many ways in all are drawn, shared among the arms, and at least [`FEWEST`] of each.
const MOST: usize = 24;
const FEWEST: usize = 2;

/// One way over one link, in one run.
struct Way {
    label: String,
    rows: Vec<LedgerRow>,
    /// Bits over capacity times time.
    share: f64,
}

/// The ways of the arms' first runs that used most of their capacity, and how many ways there are in all; `None` when
/// no run has such links.
pub(crate) fn busiest(arms: &[Arm]) -> Option<(Ledger, usize)> {
    let all: Vec<(&str, Vec<Way>)> =
        arms.iter().filter_map(|arm| Some((arm.label.as_str(), ways(arm.runs.first()?)))).collect();
    let networks = all.iter().filter(|(_, ways)| !ways.is_empty()).count();
    let most = (MOST / networks.max(1)).max(FEWEST);
    let of = all.iter().map(|(_, ways)| ways.len()).sum();
    let bars = all.into_iter().flat_map(|(arm, mut ways)| {
        // Stable: equally busy ways stay in the order of the table.
        ways.sort_by(|one, other| other.share.total_cmp(&one.share));
        ways.truncate(most);
        ways.into_iter().map(move |way| {
            let label = if networks > 1 { format!("{arm}: {}", way.label) } else { way.label };
            (format!("{label} ({})", percent(way.share)), way.rows)
        })
    });
    Some((Ledger::of_bars(bars.collect())?, of))
}

fn ways(run: &Run) -> Vec<Way> {
    let seconds = run.record.manifest.totals.time_ns as f64 * 1e-9;
    let mut ways: Vec<((u64, String), Way)> = Vec::new();
    for row in LinkRow::of(&run.record.extra) {
        let bits = row.bits.payload_bits + row.bits.header_bits + row.bits.retransmitted_bits;
        let share = if seconds > 0.0 { bits as f64 / (row.capacity_bps as f64 * seconds) } else { 0.0 };
        let key = (row.link, row.from.clone());
        match ways.iter_mut().find(|(other, _)| *other == key) {
            Some((_, way)) => {
                way.share += share;
                way.rows.push(row.bits);
            }
            None => {
                let label = format!("{} → {}", row.from, row.to);
                ways.push((key, Way { label, rows: vec![row.bits], share }));
            }
        }
    }
    ways.into_iter().map(|(_, way)| way).collect()
}

fn percent(share: f64) -> String {
    match 100.0 * share {
        tiny if tiny < 0.1 => "below 0.1 %".to_owned(),
        small if small < 10.0 => format!("{small:.1} %"),
        large => format!("{large:.0} %"),
    }
}
