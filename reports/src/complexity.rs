//! What an accuracy cost, counted: the table of K_opt(ε) and K_CE(ε).
//!
//! Knows record files, no figure. K_opt(ε) is the first probed round with ‖h(Ŝ)‖² ≤ ε and K_CE(ε) the conditional
//! expectations until then (FedEM paper, section 3); beside them bits and simulated time. A run that never reaches the
//! target has empty cells.

use fedbits_record::{RecordError, RunRecord};

use crate::data::Arm;
use crate::replicates::spent;
use crate::rows::{FigureRows, cells, number};
use fedbits_figures::XAxis;

/// File name of the table without ending.
pub(crate) const NAME: &str = fedbits_figures::TABLES[1];

/// The smallest accuracy: beyond, doubles round.
const SMALLEST: i32 = -30;

/// The least value of any probe, where a run has got to the first accuracy.
fn smallest(arms: &[Arm]) -> Option<f64> {
    let rows = arms.iter().flat_map(Arm::records).flat_map(|record| &record.rounds);
    rows.filter_map(|row| row.mean_field_sq).reduce(f64::min).filter(|smallest| *smallest <= epsilon(-1))
}

/// One row per run and accuracy ε = 10⁻¹, 10⁻², … as far as any run gets; none when no run gets to the first.
pub(crate) fn rows(arms: &[Arm]) -> Result<Option<FigureRows>, RecordError> {
    let Some(smallest) = smallest(arms) else { return Ok(None) };
    let row = |arm: &Arm, RunRecord { manifest, rounds, .. }: &RunRecord, power: i32| {
        let start = cells![arm.label, manifest.seed, manifest.replicate, format!("1e{power}")];
        let costs = match rounds.iter().find(|row| row.mean_field_sq.is_some_and(|h| h <= epsilon(power))) {
            None => vec![String::new(); 5],
            Some(row) => {
                let seconds = number(spent(XAxis::Time, row));
                cells![row.round, row.expectations, row.bits_up, row.bits_total(), seconds]
            }
        };
        [start, costs].concat()
    };
    let powers = || (SMALLEST..0).rev().take_while(|&power| smallest <= epsilon(power));
    let runs = arms.iter().flat_map(|arm| arm.records().map(move |record| (arm, record)));
    let rows = runs.flat_map(|(arm, record)| powers().map(move |power| row(arm, record, power)));
    let header = ["arm", "seed", "replicate", "epsilon", "k_opt", "k_ce", "bits_up", "bits_total", "time_s"];
    FigureRows::new(&header, rows).map(Some)
}

fn epsilon(power: i32) -> f64 {
    libm::pow(10.0, f64::from(power))
}
