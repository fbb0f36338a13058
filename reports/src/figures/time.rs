//! Where the time went, from the histograms of all arms: what a client does with its time between being asked and the end of
//! the round. Drawn by [`super::bars`].

use super::bars::{Part, Stack};
use crate::data::{Arm, Run};
use crate::shades::Rgb;
use std::fmt::Write;

/// What a client does, in order: the words, the histogram that counts the spans, and the colour. Traffic has the colours of the bits
/// that most of it carries.
const PARTS: [(&str, &str, Rgb); 4] = [
    ("download", "downlink transfer", (0xD5, 0x5E, 0x00)),
    ("compute", "compute", (0x00, 0x9E, 0x73)),
    ("upload", "uplink transfer", (0x00, 0x72, 0xB2)),
    ("wait", "wait", (0xCC, 0x79, 0xA7)),
];

/// Seconds of every part per run, summed over all clients, as the mean over an arm's runs.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ClientTime {
    bars: Vec<(String, Vec<f64>)>,
}

impl ClientTime {
    /// `None` when no run measured how long clients waited: then there is no whole to divide.
    pub(crate) fn of(arms: &[Arm]) -> Option<Self> {
        let measured = arms.iter().flat_map(|arm| &arm.runs).any(|run| seconds(run, "wait").is_some());
        let bar = |arm: &Arm| {
            let mean = |name: &str| {
                let total: f64 = arm.runs.iter().filter_map(|run| seconds(run, name)).sum();
                total / arm.runs.len() as f64
            };
            (arm.label.clone(), PARTS.iter().map(|(_, name, _)| mean(name)).collect())
        };
        measured.then(|| Self { bars: arms.iter().map(bar).collect() })
    }

    /// As bars; waiting is pale.
    pub(crate) fn stack(&self) -> Stack {
        let part = |&(words, _, color): &(&str, &str, Rgb)| Part {
            words: words.to_owned(),
            color: Some(color),
            pale: words == "wait",
        };
        let (unit, name) = unit(Stack::most(&self.bars));
        let axis = format!("time of all clients per run ({name})");
        Stack { parts: PARTS.iter().map(part).collect(), bars: self.bars.clone(), axis, unit }
    }

    /// A tidy table: arm, part, mean seconds per run. Labels are quoted where CSV needs it.
    pub(crate) fn csv(&self, provenance: &[String]) -> String {
        let put = "a string takes everything";
        let mut out = String::new();
        for line in provenance {
            writeln!(out, "# {line}").expect(put);
        }
        out.push_str("arm,part,seconds\n");
        for (label, amounts) in &self.bars {
            for ((part, ..), seconds) in PARTS.iter().zip(amounts) {
                writeln!(out, "\"{}\",{part},{seconds:?}", label.replace('"', "\"\"")).expect(put);
            }
        }
        out
    }
}

/// Sum of the spans of one histogram, which counts nanoseconds; `None` when nothing was counted.
fn seconds(run: &Run, name: &str) -> Option<f64> {
    let row = run.record.histograms.iter().find(|row| row.name == name && row.unit == "ns")?;
    Some(row.mean? * row.count as f64 * 1e-9)
}

/// The largest unit of time that is not above `high` seconds, and its name.
fn unit(high: f64) -> (f64, &'static str) {
    let units = [(86_400.0, "days"), (3_600.0, "hours"), (60.0, "minutes"), (1.0, "s"), (1e-3, "ms")];
    units.into_iter().find(|&(size, _)| high >= size).unwrap_or((1e-6, "µs"))
}
