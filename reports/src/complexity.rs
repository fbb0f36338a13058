//! What an accuracy cost, counted: the table of K_opt(ε) and K_CE(ε).
//!
//! Knows record files, no figure. K_opt(ε) is the first probed round with ‖h(Ŝ)‖² ≤ ε and K_CE(ε) the conditional expectations
//! until then (FedEM paper, section 3); beside them bits and simulated time. A run that never gets there has empty cells.

use std::fmt::Write;

use fedbits_record::RoundRow;

use crate::data::Arm;

/// File name of the table without ending.
pub(crate) const NAME: &str = "complexity";

/// The smallest accuracy: beyond, doubles round.
const SMALLEST: i32 = -30;

/// One row per run and accuracy ε = 10⁻¹, 10⁻², … as far as any run gets; none when no run was probed.
pub(crate) fn csv(arms: &[Arm], provenance: &[String]) -> Option<String> {
    let runs = || arms.iter().flat_map(|arm| arm.runs.iter().map(move |run| (arm, &run.record)));
    let probes = runs().flat_map(|(_, record)| record.rounds.iter().filter_map(|row| row.mean_field_sq));
    let smallest = probes.reduce(f64::min)?;
    let put = "a string takes everything";
    let mut out = String::new();
    for line in provenance {
        writeln!(out, "# {line}").expect(put);
    }
    writeln!(out, "arm,seed,replicate,epsilon,k_opt,k_ce,bits_up,bits_total,time_s").expect(put);
    for (arm, record) in runs() {
        for power in (SMALLEST..0).rev().take_while(|&power| smallest <= epsilon(power)) {
            let manifest = &record.manifest;
            let reached = record.rounds.iter().find(|row| row.mean_field_sq.is_some_and(|h| h <= epsilon(power)));
            let label = arm.label.replace('"', "\"\"");
            write!(out, "\"{label}\",{},{},1e{power},", manifest.seed, manifest.replicate).expect(put);
            writeln!(out, "{}", reached.map_or(",,,,".to_owned(), cells)).expect(put);
        }
    }
    Some(out)
}

fn epsilon(power: i32) -> f64 {
    libm::pow(10.0, f64::from(power))
}

fn cells(row: &RoundRow) -> String {
    let total = row.bits_up + row.bits_down + row.bits_peer + row.bits_header;
    let seconds = row.time_ns as f64 / 1e9;
    format!("{},{},{},{total},{seconds:?}", row.round, row.expectations, row.bits_up)
}
