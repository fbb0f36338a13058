//! What the library says that energy, secure aggregation and privacy cost.

use fedbits_spec::Caveat;

use crate::validation::common::{assert_states, last, megabits, name, preparer, run_all, seconds, simulate, total};

#[test]
fn energy_matches_its_text() {
    for (checked, rows) in run_all("network/energy", None) {
        let last = last(&rows);
        let joules = last.extra.iter().rev().nth(1).copied().flatten().expect("energy is the last column but one");
        assert!(last.mean_field_sq.expect("the last round is probed") <= 1e-8);
        assert_states(&checked, &format!("{}: {joules:.0}", name(&checked)));
    }
}

#[test]
fn secure_aggregation_matches_its_text() {
    for checked in crate::validation::common::arms("network/secure-aggregation", &[]) {
        let prepared = preparer(None).prepare(&checked.scenario).expect("a scenario that can be run");
        let (rows, outcome) = simulate(prepared.experiment);
        let last = last(&rows);
        let line = format!("{}: {:.1} Mbit, {:.1} s", name(&checked), megabits(total(last)), seconds(last));
        assert_states(&checked, &line);
        let failed = outcome.caveats.iter().find_map(|caveat| match caveat {
            Caveat::SecureRoundsFailed { failed, .. } => Some(failed),
            _ => None,
        });
        if let Some(failed) = failed {
            assert_states(&checked, &format!("{line}; {failed} of the rounds fail"));
        }
    }
}

#[test]
fn privacy_matches_its_text() {
    for (checked, rows) in run_all("network/privacy", None) {
        let last = last(&rows);
        let field = last.mean_field_sq.expect("the last round is probed");
        // Behind ε stands the worst tenth of the clients.
        let epsilon = last.extra.iter().rev().nth(1).copied().flatten().filter(|_| checked.scenario.privacy.is_some());
        let epsilon = epsilon.map_or("no ε".to_owned(), |epsilon| format!("{epsilon:.2}"));
        assert_states(&checked, &format!("{}: {field:.1e}, {epsilon}", name(&checked)));
    }
}
