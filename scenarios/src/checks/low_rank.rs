//! Low-rank imputation: its data and its model, against each other and the protocol.

use fedbits_models::data::csv::CountsFile;
use fedbits_models::data::visits::Visits;
use fedbits_models::low_rank::Matrices;
use fedbits_protocols::over::Over;

use super::numbers::count;
use super::{Facts, Findings};
use crate::schema::{Data, Model, Scenario};

/// What is known of the sizes.
pub(super) fn facts(scenario: &Scenario) -> Facts {
    let cells = scenario.data.get::<Visits>().and_then(|visits| visits.sites.checked_mul(visits.times));
    let examples = scenario.data.size();
    Facts { features: Some(3), components: 1, examples, statistic: cells, ..Facts::default() }
}

pub(super) fn check(scenario: &Scenario, findings: &mut Findings) {
    let Model::LowRank { rank, matrices, .. } = &scenario.model else { return };
    count(findings, "model.rank", *rank as u64, 1, smaller_side(&scenario.data), ", at most the smaller side");
    if !scenario.preprocess.is_empty() {
        findings.error("preprocess", "counts cannot be prepared: they would no longer be counts", "expected none");
    }
    if matches!(matrices, Matrices::PerObserver)
        && scenario.data.get::<CountsFile>().is_some_and(|counts| !counts.names_observers())
    {
        findings
            .caveat("model.matrices", "no column names observers: every count is an observer with a matrix of its own");
    }
    if !(scenario.protocol.needs_only_the_map() || matches!(scenario.protocol.over(), Over::Counts(_))) {
        let expected =
            "expected `FedMissEm(…)`, `FedEm(…)`, `CentralizedEm(…)`, `DistributedEm(…)`, `Ef21(…)` or `Marina(…)`";
        findings.error("protocol", "this protocol cannot fit `LowRank(…)`", expected);
    }
}

/// r is at most this, as far as the scenario alone tells.
fn smaller_side(data: &Data) -> u64 {
    let side = match (data.get::<Visits>(), data.get::<CountsFile>()) {
        (Some(visits), _) => Some(visits.sites.min(visits.times)),
        (_, counts) => counts.and_then(CountsFile::times),
    };
    side.map_or(u64::from(u32::MAX), |side| side as u64)
}
