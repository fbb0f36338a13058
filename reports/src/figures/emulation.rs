//! Real times beside the simulated ones, from the tables of an emulation: every transfer over a diagonal, and how long
//! each round took. Drawn by [`super::emulation_panels`].

use super::emulation_panels::{Measured, draw};
use crate::data::{Arm, Run};
use crate::error::ReportError;
use crate::kind::{About, FigureKind};
use crate::report::{Drawing, Report};
use fedbits_record::{EmulatedRound, EmulatedTransfer, Float, RecordError, Table};

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
    the recorded round before, the first from its first transfer, one line per emulation; pale and thick: simulated. \
    What is measured differs from one emulation to the next.";

/// Simulated and real seconds of what the emulations of an arm's runs measured; none where there are none.
fn of(arm: &Arm) -> Option<Measured> {
    let tables = || arm.runs.iter().map(|run: &Run| &run.record.extra);
    let seconds = |nanoseconds: [u64; 2]| nanoseconds.map(|count| count as f64 * 1e-9);
    let transfer = |row: EmulatedTransfer| (row.repeat, row.transfer, seconds(row.durations()));
    let (mut transfers, mut rounds) = (Vec::new(), Vec::new());
    for (rows, own) in tables().map(|tables| (EmulatedRound::of(tables), EmulatedTransfer::of(tables))) {
        for emulation in rows.chunk_by(|one, next| one.repeat == next.repeat) {
            let mut before = begins(&own, emulation[0].repeat);
            let mut span = |row: &EmulatedRound| {
                let now = [row.simulated_ns, row.real_ns];
                let span = [0, 1].map(|which| now[which].saturating_sub(before[which]));
                before = now;
                (row.round, seconds(span))
            };
            rounds.push(emulation.iter().map(&mut span).collect());
        }
        transfers.extend(own.into_iter().map(transfer));
    }
    (!transfers.is_empty()).then(|| Measured { label: arm.label.clone(), style: arm.style, transfers, rounds })
}

/// When the first round of an emulation begins, simulated and real: with its first transfer, behind what is exchanged
/// before, which is no part of a round.
fn begins(transfers: &[EmulatedTransfer], repeat: u64) -> [u64; 2] {
    let own = transfers.iter().filter(|row| row.repeat == repeat && row.round > 0);
    let starts = own.map(|row| [row.simulated_ns[0], row.real_ns[0]]);
    starts.reduce(|one, other| [0, 1].map(|which| one[which].min(other[which]))).unwrap_or([0, 0])
}

/// A tidy table: what it is, which emulation, its number, seconds.
fn csv(measured: &[Measured], comments: &[String]) -> Result<String, RecordError> {
    let mut table = Table::in_memory(comments, &["arm", "of", "repeat", "number", "simulated_s", "real_s"])?;
    for arm in measured {
        let mut row = |of: &str, repeat: u64, number: u64, [simulated, real]: [f64; 2]| {
            table.row(&[&arm.label, &of, &repeat, &number, &Float(Some(simulated)), &Float(Some(real))])
        };
        for &(repeat, number, seconds) in &arm.transfers {
            row("transfer", repeat, number, seconds)?;
        }
        for (repeat, emulation) in (1..).zip(&arm.rounds) {
            for &(number, seconds) in emulation {
                row("round", repeat, number, seconds)?;
            }
        }
    }
    table.into_text()
}

#[cfg(test)]
mod tests {
    use super::begins;
    use fedbits_record::EmulatedTransfer;

    /// The exchange before the first round is no part of it, nor are transfers of another emulation.
    #[test]
    fn the_first_round_begins_with_its_first_transfer() {
        let transfer = |repeat, round, simulated, real| EmulatedTransfer {
            repeat,
            transfer: 1,
            round,
            from: "server".to_owned(),
            to: "client-0".to_owned(),
            bits: 8,
            simulated_ns: [simulated, simulated + 5],
            real_ns: [real, real + 6],
        };
        let all = [transfer(1, 0, 0, 0), transfer(1, 1, 50, 61), transfer(1, 1, 40, 70), transfer(2, 1, 30, 30)];
        assert_eq!(begins(&all, 1), [40, 61]);
        assert_eq!(begins(&all[..1], 1), [0, 0]);
    }
}
