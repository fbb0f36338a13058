//! What the theory of FedEM needs to know of a scenario.

use fedbits_protocols::theory::Setting;

use super::protocol;
use crate::schema::{self, Scenario};

/// The theory's view of a FedEM or VR-FedEM scenario on `clients` clients with `total` examples and q = `dimension`.
/// None where who takes part depends on how fast they are (the first m, asynchronous, buffered): the theorems draw
/// participants independently of everything.
pub(super) fn setting(scenario: &Scenario, clients: u32, total: u64, dimension: usize) -> Option<Setting> {
    let schema::Protocol::FedEm(fedem) = &scenario.protocol else { return None };
    let (schema::Round::WaitForAll | schema::Round::Deadline(_)) = scenario.round else { return None };
    let operator = fedem.compressor.build(fedem.floats, clients);
    let omega = operator.omega(dimension);
    let participation = protocol::expected(scenario, fedem.participation, clients) / f64::from(clients);
    let batch = match fedem.batch {
        schema::Batch::All => None,
        schema::Batch::WithReplacement(b) | schema::Batch::WithoutReplacement(b) => Some(b),
    };
    let inner = match fedem.variance_reduction {
        schema::VarianceReduction::NoReduction => None,
        schema::VarianceReduction::Spider(spider) => Some(spider.inner.mean()),
    };
    let visited = batch.map_or(total as f64, |b| f64::from(b) * f64::from(clients));
    let expectations = match inner {
        None => visited,
        // K_CE: the refresh spread over its outer loop, and two values per drawn example.
        Some(k_in) => total as f64 / f64::from(k_in) + 2.0 * visited,
    };
    Some(Setting {
        compressor: operator.name(),
        omega,
        expected_bits: operator.expected_bits(dimension).map(|bits| bits.to_string()),
        alpha: match (fedem.memory, fedem.alpha) {
            (schema::Memory::NoMemory, _) => None,
            (_, schema::Alpha::Constant(alpha)) => Some(alpha),
            (_, schema::Alpha::Auto) => omega.map(|omega| 1.0 / (1.0 + omega)),
        },
        gamma: fedem.gamma.at(1),
        clients: f64::from(clients),
        participation,
        batch,
        inner,
        target: scenario.stop.mean_field_sq,
        expectations: expectations * participation,
    })
}
