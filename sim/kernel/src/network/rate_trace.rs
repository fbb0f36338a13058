//! How the rates of access links follow a trace in time, as scenarios name it. This file must not know files.

use fedbits_spec::laws::{Column, Only};
use fedbits_spec::range::{FileName, LinkRate, Range};
use fedbits_spec::{Described, Duration, Facts, Findings, Path, Rate};
use serde::{Deserialize, Serialize};

use super::VaryingRate;
use crate::TimeDelta;

/// Time-varying rates of access links.
#[derive(Clone, Debug, Described, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
#[described(rules = can_be_followed)]
pub enum RateTrace {
    /// Given steps.
    Steps {
        /// Client i repeats row i modulo their number.
        rows: Vec<Vec<Step>>,
    },
    /// A CSV file, plain or packed, with a row per interval in order of time. Clients repeat random traces, the same in
    /// both directions if these have the same names.
    Table {
        /// File name.
        #[range(FileName)]
        path: String,
        /// Column of rates; 0 is an outage.
        column: Column,
        /// Unit of the values.
        #[range(LinkRate)]
        unit: Rate,
        /// Duration of a row.
        #[range(StepLength)]
        interval: Duration,
        /// Column of trace names. Default: the file is one trace.
        #[serde(default)]
        by: Option<Column>,
        /// Used rows.
        #[serde(default)]
        only: Option<Only>,
        /// Starting point in the trace.
        #[serde(default)]
        start: TraceStart,
    },
}

/// Starting point in the trace.
#[derive(Clone, Copy, Debug, Default, Described, Deserialize, PartialEq, Eq, Serialize)]
pub enum TraceStart {
    /// Uniform, per client, the same in both directions.
    #[default]
    Anywhere,
    /// At its beginning.
    Beginning,
}

/// A rate and its duration.
#[derive(Clone, Copy, Debug, Described, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Step {
    /// Rate; 0 is an outage.
    #[range(RateOrOutage)]
    pub rate: Rate,
    /// Duration.
    #[range(StepLength)]
    pub lasts: Duration,
}

/// The shortest step: each is an event as long as something flows.
const SHORTEST: TimeDelta = TimeDelta::from_nanos(1_000_000);

/// Lengths of steps.
#[derive(Clone, Copy, Debug)]
struct StepLength;

impl Range<Duration> for StepLength {
    fn check(&self, value: &Duration, at: &Path<'_>, facts: &Facts, findings: &mut Findings) {
        match value.nanoseconds() {
            Ok(nanos) if nanos < SHORTEST.as_nanos() => {
                findings.error(at, "the step is shorter than 1 ms", "expected a duration from 1 ms to a year");
            }
            _ => fedbits_spec::range::POSITIVE_SHORT_DURATION.check(value, at, facts, findings),
        }
    }

    fn text(&self) -> String {
        "from 1 ms to a year".to_owned()
    }
}

/// Rates of links that may be down.
#[derive(Clone, Copy, Debug)]
struct RateOrOutage;

impl Range<Rate> for RateOrOutage {
    fn check(&self, value: &Rate, at: &Path<'_>, facts: &Facts, findings: &mut Findings) {
        if value.value() != 0.0 {
            LinkRate.check(value, at, facts, findings);
        }
    }

    fn text(&self) -> String {
        "0, or from 1 bit/s to 10 Tbit/s".to_owned()
    }
}

/// Seconds of 580 years: 64 bits of nanoseconds have 584.
const LONGEST: f64 = 580.0 * 365.25 * 86_400.0;

/// Each row lets something through, and ends while virtual time lasts.
fn can_be_followed(trace: &RateTrace, at: &Path<'_>, _: &Facts, findings: &mut Findings) {
    let RateTrace::Steps { rows } = trace else { return };
    let field = at.field("rows");
    if rows.is_empty() {
        findings.error(at.field("rows"), "there are no rows", "expected at least one row of steps");
    }
    for (index, row) in rows.iter().enumerate() {
        if row.iter().all(|step| step.rate.value() == 0.0) {
            let expected = "expected at least one step with a rate above 0";
            findings.error(field.index(index), "nothing ever flows in this row", expected);
        }
        if row.iter().map(|step| step.lasts.seconds()).sum::<f64>() > LONGEST {
            let expected = "expected steps of at most 580 years together";
            findings.error(field.index(index), "the row lasts longer than virtual time can", expected);
        }
    }
}

impl RateTrace {
    /// Its steps, where they are given.
    ///
    /// # Panics
    /// If it was not checked.
    #[must_use]
    pub fn given(&self) -> Option<Vec<VaryingRate>> {
        let Self::Steps { rows } = self else { return None };
        let piece = |step: &Step| (TimeDelta::of(step.lasts), bits_per_second(step.rate));
        let row = |row: &Vec<Step>| VaryingRate::new(&row.iter().map(piece).collect::<Vec<_>>());
        Some(rows.iter().map(|steps| row(steps).expect("traces are checked before they are used")).collect())
    }

    /// The file that it needs.
    #[must_use]
    pub fn file(&self) -> Option<&str> {
        if let Self::Table { path, .. } = self { Some(path) } else { None }
    }
}

/// The whole bits per second nearest to a rate; 0 for an outage.
fn bits_per_second(rate: Rate) -> u64 {
    if rate.value() == 0.0 { 0 } else { crate::Rate::of(rate).bits_per_second() }
}
