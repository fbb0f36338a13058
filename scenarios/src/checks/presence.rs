//! Availability and dropouts. This file must not know the engine.

use super::Findings;
use super::numbers::{HOUR, POSITIVE, PROBABILITY, ZONE, file_name, long_span, number, positive_span, span};
use crate::schema::{Availability, Dropout, Durations, Interval, Memory, Recovery, Scenario, Span, State};

pub(super) fn check(scenario: &Scenario, findings: &mut Findings) {
    match &scenario.availability {
        Availability::Always => {}
        Availability::Bernoulli(0.0) => {
            let expected =
                "expected a probability above 0: with 0 nobody could ever be asked (`Always` is for everybody)";
            findings.error("availability[0]", "no client is ever available", expected);
        }
        Availability::Bernoulli(probability) => {
            number(findings, "availability[0]", *probability, PROBABILITY);
        }
        Availability::OnOff { on, off } => {
            durations(findings, "availability.on", on);
            durations(findings, "availability.off", off);
        }
        Availability::Diurnal { from, to, zones, probability } => {
            window(findings, *from, *to);
            zones.iter().enumerate().for_each(|(index, zone)| {
                number(findings, &format!("availability.zones[{index}]"), *zone, ZONE);
            });
            if zones.is_empty() {
                findings.error("availability.zones", "there is no time zone", "expected at least one, such as `[0]`");
            }
            number(findings, "availability.probability", *probability, PROBABILITY);
        }
        Availability::Trace { rows, repeat } => trace(findings, rows, *repeat),
        Availability::TraceFile { path, unit, repeat, .. } => {
            file_name(findings, "availability.path", path);
            positive_span(findings, "availability.unit", *unit);
            repeat.iter().for_each(|repeat| positive_span(findings, "availability.repeat", *repeat));
        }
    }
    dropout(scenario, findings);
}

fn durations(findings: &mut Findings, path: &str, law: &Durations) {
    match law {
        Durations::Exponential(mean) => long_span(findings, &format!("{path}[0]"), *mean),
        Durations::Empirical(spans) => {
            if spans.is_empty() {
                findings.error(format!("{path}[0]"), "there are no durations", "expected at least one");
            }
            for (index, span) in spans.iter().enumerate() {
                long_span(findings, &format!("{path}[0][{index}]"), *span);
            }
        }
    }
}

fn window(findings: &mut Findings, from: f64, to: f64) {
    let fine = number(findings, "availability.from", from, HOUR) & number(findings, "availability.to", to, HOUR);
    if fine && (from == to || from == 24.0) {
        let expected = "expected a window: `from` below 24 and different from `to`";
        findings.error("availability.from", "the window of the day is empty", expected);
    }
}

/// Rows of intervals: each after the one before.
fn trace(findings: &mut Findings, rows: &[Vec<Interval>], repeat: Option<Span>) {
    if rows.is_empty() {
        findings.error("availability.rows", "there are no rows", "expected at least one row of intervals");
    }
    if let Some(repeat) = repeat {
        positive_span(findings, "availability.repeat", repeat);
    }
    for (row, intervals) in rows.iter().enumerate() {
        let mut end = 0;
        for (index, interval) in intervals.iter().enumerate() {
            let path = format!("availability.rows[{row}][{index}]");
            span(findings, &format!("{path}.from"), interval.from);
            span(findings, &format!("{path}.to"), interval.to);
            let (Ok(from), Ok(to)) = (interval.from.nanoseconds(), interval.to.nanoseconds()) else { continue };
            if from >= to {
                findings.error(&path, "the interval ends before it begins", "expected `from` below `to`");
            } else if from < end {
                let found = "the interval begins before the one in front of it has ended";
                findings.error(&path, found, "expected intervals that are sorted and do not overlap");
            }
            end = end.max(to);
        }
        if repeat.and_then(|repeat| repeat.nanoseconds().ok()).is_some_and(|repeat| repeat < end) {
            let found = format!("row {row} reaches beyond the span after which everything repeats");
            findings.error("availability.repeat", found, "expected a span of at least the end of the last interval");
        }
    }
}

fn dropout(scenario: &Scenario, findings: &mut Findings) {
    if let Dropout::Hazard { per_second, restart, state } = scenario.dropout {
        number(findings, "dropout.per_second", per_second, POSITIVE);
        span(findings, "dropout.restart", restart);
        let memory = super::fed_em(scenario).map(|fed_em| fed_em.memory);
        if state == State::Lost && memory == Some(Memory::NoMemory) {
            findings.no_effect("dropout.state", "the state of a client is its memory, and there is none");
        }
    }
    let Some(Memory::Memory { recovery, .. }) = super::fed_em(scenario).map(|fed_em| fed_em.memory) else { return };
    if recovery != Recovery::default() && !scenario.dropout.loses_state() {
        let why = "clients keep their state (`dropout: Hazard(…, state: Lost)` would lose it)";
        findings.no_effect("protocol.memory.recovery", why);
    }
    if recovery == Recovery::Zero && scenario.dropout.loses_state() {
        findings.caveat(
            "protocol.memory",
            "clients that lose their memory go on without it: V drifts from the mean of the V_i",
        );
    }
}
