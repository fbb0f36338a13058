//! Rounds, availability and dropouts of a scenario.

use std::sync::Arc;

use fedbits_kernel::{Availability, Diurnal, Durations, Hazard, Span, Time, Trace};
use fedbits_protocols::plan::Participation;
use fedbits_protocols::star::Rounds;

use super::world::span;
use crate::schema::{self, Scenario};

/// The rounds of the star, with those whom the protocol asks.
pub(super) fn rounds(scenario: &Scenario, participation: Participation) -> Rounds {
    let variation = scenario.compute.variation;
    Rounds {
        policy: scenario.round,
        late: scenario.late,
        participation,
        availability: availability(&scenario.availability),
        forgets: scenario.dropout.loses_state(),
        variation: (variation > 0.0).then_some(variation),
    }
}

pub(super) fn hazard(dropout: schema::Dropout) -> Option<Hazard> {
    match dropout {
        schema::Dropout::Never => None,
        schema::Dropout::Hazard { per_second, restart, .. } => Some(Hazard { per_second, restart: span(restart) }),
    }
}

pub(super) fn availability(availability: &schema::Availability) -> Availability {
    match availability {
        schema::Availability::Always => Availability::Always,
        schema::Availability::Bernoulli(p) => Availability::Bernoulli(*p),
        schema::Availability::OnOff { on, off } => Availability::OnOff { on: durations(on), off: durations(off) },
        schema::Availability::Diurnal { from, to, zones, probability } => Availability::Diurnal(Diurnal {
            from: hours(*from),
            to: hours(*to),
            zones: zones.iter().map(|zone| (zone * 3_600.0) as i64).collect(),
            probability: *probability,
        }),
        schema::Availability::TraceFile { .. } => unreachable!("the intervals of a file are written out before"),
        schema::Availability::Trace { rows, repeat } => {
            let time = |at: schema::Span| Time::from_nanos(span(at).as_nanos());
            let row = |row: &Vec<schema::Interval>| {
                row.iter().map(|interval| (time(interval.from), time(interval.to))).collect()
            };
            Availability::Trace(Arc::new(Trace { rows: rows.iter().map(row).collect(), period: repeat.map(span) }))
        }
    }
}

fn hours(hours: f64) -> Span {
    Span::from_seconds(hours * 3_600.0).expect("hours of the day are checked before a scenario is prepared")
}

fn durations(law: &schema::Durations) -> Durations {
    match law {
        schema::Durations::Exponential(mean) => Durations::Exponential(span(*mean)),
        schema::Durations::Empirical(spans) => Durations::Empirical(spans.iter().copied().map(span).collect()),
    }
}
