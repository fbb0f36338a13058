//! Real times beside the simulated ones, from the tables of an emulation: every transfer over a diagonal, and how long
//! each round took. Drawn by [`super::emulation_panels`].

use super::emulation_panels::{EmulatedRun, Measured, draw};
use crate::data::{Arm, Run};
use crate::error::ReportError;
use crate::kind::{About, FigureKind};
use crate::report::{Drawing, Report};
use fedbits_record::{EmulatedRound, EmulatedTransfer, Float, RecordError, RoundDurations, Table, round_durations};

/// The kind of figure.
pub(crate) struct Emulations;

impl FigureKind for Emulations {
    fn about(&self) -> About {
        About {
            name: "emulation",
            title: "how long transfers and rounds take over real sockets, against the simulation",
            needs: "`emulation.csv` and `emulation_rounds.csv`, which `fedbits emulate` leaves",
        }
    }

    fn draw(&self, report: &Report<'_>) -> Result<Vec<Drawing>, ReportError> {
        let measured: Vec<Measured> = report.arms().iter().filter_map(of).collect();
        if measured.is_empty() {
            return Ok(Vec::new());
        }
        let drawing = report.drawing(
            ("emulation", "emulation"),
            |description| draw(&measured, &report.look, &report.metrics, description),
            |comments| csv(&measured, comments),
            report.words(CAPTION, ABOUT),
        )?;
        Ok(vec![drawing])
    }
}

const CAPTION: &str = "Durations over real sockets against simulated ones: each transfer (on the diagonal both are the \
    same), and each round (pale: simulated).";
const ABOUT: &str = "Durations over real sockets between network namespaces against those of the simulation of the \
    same run. Each point is a transfer that arrived in both, from its start to its last bit: on the diagonal both \
    take equally long, above it the real one takes longer. Beside it the durations of recorded rounds, from the end of \
    the recorded round before, the first from its first transfer, one line per emulation; pale and thick: simulated, \
    one line per run. What is measured differs from one emulation to the next.";

/// Simulated and real seconds of what the emulations of an arm's runs measured; none where there are none.
fn of(arm: &Arm) -> Option<Measured> {
    let runs: Vec<EmulatedRun> = arm.runs.iter().filter_map(of_run).collect();
    (!runs.is_empty()).then(|| Measured { label: arm.label.clone(), style: arm.style, runs })
}

fn of_run(run: &Run) -> Option<EmulatedRun> {
    let seconds = |nanoseconds: [u64; 2]| nanoseconds.map(|count| count as f64 * 1e-9);
    let (manifest, tables) = (&run.record.manifest, &run.record.extra);
    let (rounds, transfers) = (EmulatedRound::of(tables), EmulatedTransfer::of(tables));
    let of_emulation = |(repeat, spans): RoundDurations| {
        (repeat, spans.into_iter().map(|(round, nanoseconds)| (round, seconds(nanoseconds))).collect())
    };
    (!transfers.is_empty()).then(|| EmulatedRun {
        seed: manifest.seed,
        replicate: manifest.replicate,
        rounds: round_durations(&rounds, &transfers).into_iter().map(of_emulation).collect(),
        transfers: transfers.iter().map(|row| (row.repeat, row.transfer, seconds(row.durations()))).collect(),
    })
}

/// A tidy table: whose run it is, what it is, which emulation of the run, its number, seconds.
fn csv(measured: &[Measured], comments: &[String]) -> Result<String, RecordError> {
    let header = ["arm", "seed", "replicate", "of", "repeat", "number", "simulated_s", "real_s"];
    let mut table = Table::in_memory(comments, &header)?;
    for (arm, run) in measured.iter().flat_map(|arm| arm.runs.iter().map(move |run| (arm, run))) {
        let mut row = |of: &str, repeat: u64, number: u64, [simulated, real]: [f64; 2]| {
            let (simulated, real) = (Float(Some(simulated)), Float(Some(real)));
            table.row(&[&arm.label, &run.seed, &run.replicate, &of, &repeat, &number, &simulated, &real])
        };
        for &(repeat, number, seconds) in &run.transfers {
            row("transfer", repeat, number, seconds)?;
        }
        for (repeat, emulation) in &run.rounds {
            for &(number, seconds) in emulation {
                row("round", *repeat, number, seconds)?;
            }
        }
    }
    table.into_text()
}
