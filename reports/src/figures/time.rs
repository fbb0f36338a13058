//! Where the time went, from the histograms of all arms: what a client does with its time between being selected and
//! the end of the round. Drawn by [`super::bars`].

use super::bars::{self, BarPart, Stack};
use super::hatch::{Hatch, PLAIN, RISING};
use super::purposes::UPRIGHT;
use crate::data::{Arm, Run};
use crate::error::ReportError;
use crate::kind::{About, FigureKind};
use crate::report::{Drawing, Report};
use crate::shades::Rgb;

/// The kind of figure.
pub(crate) struct ClientTimes;

impl FigureKind for ClientTimes {
    fn about(&self) -> About {
        About {
            name: "client_time",
            title: "how long clients receive, compute, send and wait",
            needs: "`histograms.csv`",
        }
    }

    fn draw(&self, report: &Report<'_>) -> Result<Vec<Drawing>, ReportError> {
        let Some(stack) = stack(report.arms()) else { return Ok(Vec::new()) };
        let caption = "Simulated time of all clients per run (mean over an arm's runs): receiving, computing, sending, \
            and waiting for the round to close.";
        let about = "Simulated time of all clients per run (mean over an arm's runs): receiving, computing, sending, \
            and waiting for the round to close after their contribution has arrived. Transfers include latency and \
            what was late; left out are transfers and computations that were cut off or lost, and the time of clients \
            that were not selected or lost to the round: with losses a bar is shorter than clients × simulated time.";
        Ok(vec![bars::drawing(report, ("client_time", ["arm", "part", "seconds"]), &stack, (caption, about))?])
    }
}

/// What a client does, in order: the words, the histogram that counts the spans, colour and hatch. Traffic has the
/// looks of the bits that most of it carries.
const PARTS: [(&str, &str, Rgb, Hatch); 4] = [
    ("download", "downlink transfer", (0xD5, 0x5E, 0x00), RISING),
    ("compute", "compute", (0x00, 0x9E, 0x73), UPRIGHT),
    ("upload", "uplink transfer", (0x00, 0x72, 0xB2), PLAIN),
    ("wait", "wait", (0xCC, 0x79, 0xA7), PLAIN),
];

/// Seconds of every part per run, summed over all clients, as the mean over an arm's runs; waiting is pale. `None` when
/// no run measured how long clients waited: then there is no whole to divide.
fn stack(arms: &[Arm]) -> Option<Stack> {
    let measured = arms.iter().flat_map(|arm| &arm.runs).any(|run| seconds(run, "wait").is_some());
    let bar = |arm: &Arm| {
        let mean = |name: &str| {
            let total: f64 = arm.runs.iter().filter_map(|run| seconds(run, name)).sum();
            total / arm.runs.len() as f64
        };
        (arm.label.clone(), PARTS.iter().map(|(_, name, ..)| mean(name)).collect())
    };
    let bars: Vec<(String, Vec<f64>)> = arms.iter().map(bar).collect();
    let part = |(words, _, color, hatch): (&str, &str, Rgb, Hatch)| {
        let (words, cover) = (words.to_owned(), if words == "wait" { bars::PALE } else { 1.0 });
        BarPart { words, color, hatch, cover }
    };
    let (unit, name) = unit(Stack::longest(&bars));
    let axis = format!("time of all clients per run ({name})");
    measured.then(|| Stack { parts: PARTS.map(part).into(), bars, axis, unit })
}

/// Sum of the durations of one histogram, which counts nanoseconds; `None` when nothing was counted.
fn seconds(run: &Run, name: &str) -> Option<f64> {
    let row = run.record.histograms.iter().find(|row| row.name == name && row.unit == "ns")?;
    Some(row.mean? * row.count as f64 * 1e-9)
}

/// The largest unit of time that is not above `high` seconds, and its name.
fn unit(high: f64) -> (f64, &'static str) {
    let units = [(86_400.0, "days"), (3_600.0, "hours"), (60.0, "minutes"), (1.0, "s"), (1e-3, "ms")];
    units.into_iter().find(|&(size, _)| high >= size).unwrap_or((1e-6, "µs"))
}
