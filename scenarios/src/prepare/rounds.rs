//! Rounds of a scenario.

use fedbits_protocols::plan::Participation;
use fedbits_protocols::star::Rounds;

use crate::schema::Scenario;

/// The rounds of the star, with those whom the protocol asks.
pub(super) fn rounds(scenario: &Scenario, participation: Participation) -> Rounds {
    let variation = scenario.compute.variation;
    Rounds {
        policy: scenario.round,
        late: scenario.late,
        participation,
        availability: scenario.availability.clone(),
        forgets: scenario.dropout.loses_state(),
        variation: (variation > 0.0).then_some(variation),
    }
}
