//! Protocols with local steps over the engine: they end where EM ends, whoever is missing and whatever is lost; what they
//! send; and what they refuse.

use crate::fedem::common::simulate::{Place, Simulated, Site, after, everybody, simulate};
use crate::fedem::common::{federation, golden, numbers};
use crate::optimization::problems::{CASES, Case};
use crate::optimization::twins::SCAFFOLD;
use fedbits_codec::{Indices, RandK, WireFloat};
use fedbits_kernel::{Dropout, Hazard, State};
use fedbits_models::gmm::{CovarianceForm, MixturePrior, MixtureSetting};
use fedbits_protocols::fedem::BatchRule;
use fedbits_protocols::federation::Weighting;
use fedbits_protocols::local::{
    ControlVariate, LoCoDl, LoCoDlSetting, LocalSteps, ProxSkip, ProxSkipSetting, Relaxation, Scaffold, ScaffoldSetting,
};
use fedbits_protocols::plan::{Late, Participation, RoundPolicy};
use fedbits_protocols::setting::{ProtocolSetting, RunFacts};
use fedbits_protocols::star::{Rounds, StarAlgorithm};
use fedbits_record::{Direction, Fate};
use fedbits_spec::{Choice, Duration, Facts, Findings, Severity};

const SITE: Site = Site { up: 20_000, down: 20_000, latency_ms: 20, expectation_us: 10 };

fn place(case: &Case) -> Place {
    Place { seed: 3, ..Place::even(case.sizes.len(), SITE) }
}

fn steps(case: &Case, gamma: f64, batch: BatchRule, floats: WireFloat) -> LocalSteps {
    LocalSteps::new(case.federation(), gamma, batch, floats, case.start()).unwrap()
}

fn scaffold(case: &Case, setting: ScaffoldSetting) -> impl StarAlgorithm {
    Scaffold::new(steps(case, setting.gamma, setting.batch, setting.floats), &setting).unwrap()
}

fn locodl_setting(floats: WireFloat) -> LoCoDlSetting {
    LoCoDlSetting {
        gamma: 0.8,
        probability: 0.3,
        compressor: Choice::of(RandK::new(2, Indices::default(), floats)),
        allow_biased: false,
        chi: Relaxation::Auto,
        rho: Relaxation::Auto,
        shared: 0.01,
        floats,
        weighting: Weighting::Examples,
    }
}

const PROXSKIP: ProxSkipSetting =
    ProxSkipSetting { gamma: 0.8, probability: 0.3, floats: WireFloat::F64, weighting: Weighting::Examples };

fn last_field<A: StarAlgorithm>(simulated: &Simulated<A>) -> f64 {
    simulated.last().mean_field_sq.expect("the last round is probed")
}

/// Rounds of the first of two random clients, which drop out at times: one of them is slow, and seldom the first. Control
/// variates stay what both ends know. Without them the limit is another.
#[test]
fn scaffold_ends_where_em_ends_whatever_is_lost() {
    for case in &CASES {
        let run = |control, dropout: Dropout| {
            let rounds = Rounds {
                policy: RoundPolicy::First(1),
                participation: Participation::Cohort(2),
                late: Late::Discard,
                loses: true,
                ..Rounds::default()
            };
            let setting = ScaffoldSetting { control, gamma: 0.1, local_steps: 4, ..SCAFFOLD };
            let mut place = Place { dropout, ..place(case) };
            place.sites[1].up = 2_500;
            simulate(scaffold(case, setting), rounds, &place, after(4_000))
        };
        let hazard = Hazard { per_second: 1.0, restart: Duration::Ms(300.0), state: State::Kept };
        for control in [ControlVariate::Steps, ControlVariate::Gradient] {
            let simulated = run(control, Dropout::Hazard(hazard));
            let lost: u64 = simulated.rows.iter().map(|row| row.lost + row.late).sum();
            assert!(lost > 500, "{lost} contributions are missing");
            let found = last_field(&simulated);
            assert!(found < 1e-26, "{}, {control:?}: ‖h‖² = {found:e}", case.name);
        }
        let none = last_field(&run(ControlVariate::NoControl, Dropout::Never));
        assert!(none > 1e-8, "{}: without control ‖h‖² = {none:e}", case.name);
    }
}

/// ProxSkip and LoCoDL with rand-2 end where EM ends, with floats of either width: what they send vanishes there.
#[test]
fn random_communication_has_the_limit_of_em() {
    for case in &CASES {
        for floats in [WireFloat::F64, WireFloat::F32] {
            let setting = ProxSkipSetting { floats, ..PROXSKIP };
            let skip = ProxSkip::new(steps(case, setting.gamma, BatchRule::All, floats), &setting).unwrap();
            let skip = simulate(skip, everybody(RoundPolicy::WaitForAll), &place(case), after(1_500));
            let setting = locodl_setting(floats);
            let locodl = LoCoDl::new(steps(case, setting.gamma, BatchRule::All, floats), &setting).unwrap();
            let locodl = simulate(locodl, everybody(RoundPolicy::WaitForAll), &place(case), after(1_500));
            for (name, found) in [("ProxSkip", last_field(&skip)), ("LoCoDL", last_field(&locodl))] {
                // The broadcast of ProxSkip is rounded to the wire.
                let bound = if floats == WireFloat::F32 && name == "ProxSkip" { 1e-12 } else { 1e-26 };
                assert!(found < bound, "{name} on {} in {floats:?}: ‖h‖² = {found:e}", case.name);
            }
        }
    }
}

/// A message of q floats, or of two vectors with the gradient at Ŝ; broadcasts of one or two, with a bit; and as many
/// conditional expectations as steps take.
#[test]
fn messages_have_their_length_and_steps_their_work() {
    let case = &CASES[0];
    let (q, n, rounds, total) = (5_u64, 4, 10, 24);
    for (control, batch, up, down, work) in [
        (ControlVariate::Steps, BatchRule::All, 64 * q, 2 * 64 * q + 1, 3 * total),
        (ControlVariate::Gradient, BatchRule::WithReplacement(2), 2 * 64 * q, 2 * 64 * q + 1, 3 * 2 * n + total),
        (ControlVariate::NoControl, BatchRule::All, 64 * q, 64 * q, 3 * total),
    ] {
        let setting = ScaffoldSetting { control, batch, ..SCAFFOLD };
        let run = simulate(scaffold(case, setting), everybody(RoundPolicy::WaitForAll), &place(case), after(rounds));
        let last = run.last();
        assert_eq!((last.bits_up, last.bits_down), (rounds * n * up, rounds * n * down), "{control:?}");
        assert_eq!(last.expectations, rounds * work, "{control:?}");
        assert_eq!(run.account(Direction::Up, "update", Fate::Delivered).0, rounds * n);
    }
}

/// Of a mixture: local EM steps that clients correct end where EM ends.
#[test]
fn scaffold_of_a_mixture_is_em_in_the_limit() {
    let inputs = golden("g2_fedem.json")["inputs"].clone();
    let start = numbers(&inputs["S0"]);
    let steps = LocalSteps::new(federation(&inputs), 0.3, BatchRule::All, WireFloat::F64, start).unwrap();
    let setting = ScaffoldSetting { gamma: 0.3, server_step: 1.0, ..SCAFFOLD };
    let scaffold = Scaffold::new(steps, &setting).unwrap();
    let run = simulate(scaffold, everybody(RoundPolicy::WaitForAll), &Place::even(4, SITE), after(600));
    assert!(last_field(&run) < 1e-24, "‖h‖² = {:e}", last_field(&run));
}

fn errors(setting: &dyn ProtocolSetting, dropout: Dropout) -> Vec<String> {
    let model = MixtureSetting { components: 2, covariance: CovarianceForm::Diagonal, prior: MixturePrior::Flat };
    let run = RunFacts {
        facts: &Facts::default(),
        model: &model,
        participation: setting.profile().participation,
        round: RoundPolicy::WaitForAll,
        late: Late::Discard,
        share: None,
        equal: true,
        absent: false,
        there: None,
        by_the_clock: false,
        dropout,
        loses_messages: false,
        secure: false,
        private: false,
        robust: None,
    };
    let mut findings = Findings::default();
    setting.check_run(&run, &mut findings);
    findings.iter().filter(|found| found.severity == Severity::Error).map(|found| found.path.clone()).collect()
}

#[test]
fn what_would_break_their_state_is_refused() {
    let dropout = |state| Dropout::Hazard(Hazard { per_second: 1.0, restart: Duration::Ms(1.0), state });
    let locodl = locodl_setting(WireFloat::F64);
    for setting in [&PROXSKIP as &dyn ProtocolSetting, &locodl] {
        assert!(errors(setting, Dropout::Never).is_empty());
        assert_eq!(errors(setting, dropout(State::Kept)), ["dropout"]);
    }
    assert!(errors(&SCAFFOLD, dropout(State::Kept)).is_empty());
    assert_eq!(errors(&SCAFFOLD, dropout(State::Lost)), ["dropout.state"]);
}
