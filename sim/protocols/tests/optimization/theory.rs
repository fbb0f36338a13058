//! What `check` says of gradient methods: formulas by hand, and that runs at the largest steps are as fast as is said.

use crate::fedem::common::simulate::{Place, Site, after, everybody, simulate};
use crate::optimization::problems::{CASES, Case};
use fedbits_codec::{Bernoulli, CompressorSetting, Indices, Mask, TopK, WireFloat};
use fedbits_protocols::baselines::presets::{Ef21, Marina, Preset};
use fedbits_protocols::fedem::{BatchRule, FedEm, FedEmSetting};
use fedbits_protocols::federation::Weighting;
use fedbits_protocols::journal::Subject;
use fedbits_protocols::local::{LoCoDl, LoCoDlSetting, LocalSteps, ProxSkip, ProxSkipSetting, Relaxation};
use fedbits_protocols::operator::Operator;
use fedbits_protocols::plan::RoundPolicy;
use fedbits_protocols::schedule::Schedule;
use fedbits_protocols::star::{Halves, StarAlgorithm};
use fedbits_protocols::theory::descent::{DescentConstants, DescentMethod, DescentPremises, DescentSummary};
use fedbits_protocols::uplink::{Alpha, Commit, DivideBy, Memory, MemoryStart, Uplink};
use fedbits_spec::Choice;

const KEEP: f64 = 0.5;

fn half() -> Operator {
    Choice::of(Bernoulli { p: KEEP, mask: Mask::Sent, wire: WireFloat::F64 })
}

fn fed_em(case: &Case, setting: FedEmSetting) -> FedEm {
    let n = case.clients();
    let rules = (setting.memory, setting.alpha, setting.divide_by);
    let uplink = Uplink::of(setting.operator(n), n, f64::from(n), rules);
    FedEm::new(case.federation(), setting, uplink, case.start()).unwrap()
}

fn constants(case: &Case) -> DescentConstants {
    let halves = Halves::new(fed_em(case, FedEmSetting::of(Schedule::Constant(1.0))), true);
    let state = halves.state();
    DescentConstants::of(halves.algorithm.federation(), &state).unwrap()
}

fn said(method: DescentMethod, gamma: f64, constants: &DescentConstants) -> DescentSummary {
    let gamma = Schedule::Constant(gamma);
    DescentPremises { method, gamma, target: Some(1e-20), unmet: Vec::new() }.summary(constants)
}

/// Decades of ‖h‖² per round of a run from its start until rounding.
fn measured<A: StarAlgorithm>(case: &Case, algorithm: A, rounds: u64) -> f64 {
    let site = Site { up: 1_000_000, down: 1_000_000, latency_ms: 1, expectation_us: 1 };
    let place = Place::even(case.sizes.len(), site);
    let rows = simulate(algorithm, everybody(RoundPolicy::WaitForAll), &place, after(rounds)).rows;
    let fields: Vec<f64> = rows.iter().filter_map(|row| row.mean_field_sq).collect();
    let end = fields.iter().position(|field| *field < 1e-22 * fields[0]).unwrap_or(fields.len() - 1);
    libm::log10(fields[end] / fields[0]) / end as f64
}

/// Plays `case` by a method at a share of its largest step: the run covers what is said, and is no slower.
#[track_caller]
fn check(case: &Case, method: DescentMethod, share: f64, run: &dyn Fn(f64) -> f64) {
    let constants = constants(case);
    assert!(constants.is_smooth && constants.mu == case.loss.ridge);
    let (gamma_max, _) = method.gamma_max(&constants);
    let gamma = share * gamma_max;
    let claim = said(method, gamma, &constants);
    assert!(claim.covered, "{}: {claim:?}", method.name());
    let slope = claim.slope.unwrap_or_else(|| panic!("{} has a rate at {gamma}", method.name()));
    let found = run(gamma);
    assert!(found <= 0.98 * slope, "{} on {}: {found} decades, {slope} are said", method.name(), case.name);
    assert!(!said(method, 1.01 * gamma_max, &constants).covered);
}

fn smooth_cases() -> impl Iterator<Item = &'static Case> {
    CASES.iter().filter(|case| case.loss.l1 == 0.0)
}

const OMEGA: f64 = 1.0 / KEEP - 1.0;

/// Each compressed method at its largest step with a known rate, on the two smooth problems.
#[test]
fn compressed_runs_are_as_fast_as_theorems_say() {
    for case in smooth_cases() {
        let omega = OMEGA;
        let top = || Choice::of(TopK::new(2, Indices::Enumerative, WireFloat::F64));
        let delta = CompressorSetting::build(&TopK::new(2, Indices::Enumerative, WireFloat::F64), WireFloat::F64, 1);
        let delta = delta.contraction(case.loss.columns).unwrap();
        let n = f64::from(case.clients());
        let constant = |gamma: f64| Schedule::Constant(gamma);
        check(case, DescentMethod::Gradient, 1.0, &|gamma| {
            measured(
                case,
                fed_em(case, FedEmSetting { memory: Memory::NoMemory, ..FedEmSetting::of(constant(gamma)) }),
                600,
            )
        });
        let diana = DescentMethod::Diana { omega_p: omega, omega, alpha: 0.5, participation: 1.0 };
        check(case, diana, 1.0, &|gamma| {
            let setting = FedEmSetting {
                alpha: Alpha::Constant(0.5),
                memory: Memory::of(MemoryStart::Zero, Commit::OnAcknowledgement),
                divide_by: DivideBy::Clients,
                compressor: half(),
                ..FedEmSetting::of(constant(gamma))
            };
            measured(case, fed_em(case, setting), 900)
        });
        check(case, DescentMethod::Ef21 { delta, lazy: 0.0 }, 0.5, &|gamma| {
            measured(case, fed_em(case, Ef21::of(constant(gamma), top()).fed_em()), 2_000)
        });
        check(case, DescentMethod::Ef21 { delta, lazy: 2.0 }, 0.5, &|gamma| {
            measured(case, fed_em(case, Ef21 { lazy: 2.0, ..Ef21::of(constant(gamma), top()) }.fed_em()), 2_000)
        });
        let marina = DescentMethod::Marina { omega, omega_av: omega / n, probability: 0.5 };
        check(case, marina, 0.5, &|gamma| {
            let (floats, domain) = (WireFloat::F64, Default::default());
            let gamma = constant(gamma);
            let setting = Marina { gamma, probability: 0.5, compressor: half(), allow_biased: false, floats, domain };
            measured(case, fed_em(case, setting.fed_em()), 900)
        });
    }
}

/// Each method with local steps, as above.
#[test]
fn local_runs_are_as_fast_as_theorems_say() {
    for case in smooth_cases() {
        let (omega, constants) = (OMEGA, constants(case));
        let steps =
            |gamma| LocalSteps::new(case.federation(), gamma, BatchRule::All, WireFloat::F64, case.start()).unwrap();
        let (floats, weighting, probability) = (WireFloat::F64, Weighting::Examples, 0.3);
        check(case, DescentMethod::ProxSkip { probability }, 1.0, &|gamma| {
            let setting = ProxSkipSetting { gamma, probability, floats, weighting };
            measured(case, ProxSkip::new(steps(gamma), &setting).unwrap(), 400)
        });
        let shared = 0.5 * constants.step * constants.mu;
        let largest = case.sizes.iter().max().map_or(0.0, |&size| f64::from(size));
        let omega_av = omega * largest / f64::from(case.sizes.iter().sum::<u32>());
        let rate = 1.0 / (1.0 + omega_av);
        let locodl = DescentMethod::LoCoDl { probability, omega, omega_av, chi: rate, rho: rate, shared };
        check(case, locodl, 0.5, &|gamma| {
            let (chi, rho, compressor) = (Relaxation::Auto, Relaxation::Auto, half());
            let setting = LoCoDlSetting {
                gamma,
                probability,
                compressor,
                allow_biased: false,
                chi,
                rho,
                shared,
                floats,
                weighting,
            };
            measured(case, LoCoDl::new(steps(gamma), &setting).unwrap(), 600)
        });
    }
}

/// Two clients of equal size, L = 2, L_1 = 1, L_2 = 3, ρ = 1/4, µ = 1/10.
#[test]
fn formulas_by_hand() {
    let constants = DescentConstants {
        step: 0.25,
        clients: 2.0,
        l: 2.0,
        l_max: 3.0,
        l_local: 3.0,
        l_square: 5.0_f64.sqrt(),
        mu: 0.1,
        is_smooth: true,
        initial_field_sq: 1.0,
    };
    let is = |method: DescentMethod, expected: f64| {
        let (found, _) = method.gamma_max(&constants);
        assert!((found - expected).abs() < 1e-12, "{}: {found} and not {expected}", method.name());
    };
    is(DescentMethod::Gradient, 2.0);
    // 4 / (2 + 6 · 3 · 3/2).
    is(DescentMethod::Diana { omega_p: 3.0, omega: 3.0, alpha: 0.25, participation: 1.0 }, 4.0 / 29.0);
    // δ = 3/4: θ = 1/2, B = 1/2; with ζ = 2 √(B/θ) = 2. LAG: δ = 1, θ = 1.
    is(DescentMethod::Ef21 { delta: 0.75, lazy: 0.0 }, 4.0 / (2.0 + 5.0_f64.sqrt()));
    is(DescentMethod::Ef21 { delta: 0.75, lazy: 2.0 }, 4.0 / (2.0 + 2.0 * 5.0_f64.sqrt()));
    is(DescentMethod::Ef21 { delta: 1.0, lazy: 4.0 }, 4.0 / (2.0 + 2.0 * 5.0_f64.sqrt()));
    // (1 − p) ω/(p n) = 4.
    is(DescentMethod::Marina { omega: 2.0, omega_av: 1.0, probability: 0.2 }, 4.0 / (2.0 + 2.0 * 5.0_f64.sqrt()));
    is(DescentMethod::ProxSkip { probability: 0.1 }, 4.0 / 3.0);
    let gradient = said(DescentMethod::Gradient, 1.0, &constants);
    let slope = 2.0 * libm::log10(1.0 - 0.25 * 0.1);
    assert!((gradient.slope.unwrap() - slope).abs() < 1e-12);
    assert_eq!(gradient.rounds, Some((-20.0 / slope).ceil()));
    // A γ above, an α above, and T that is not smooth are not covered.
    let diana = |alpha| DescentMethod::Diana { omega_p: 3.0, omega: 3.0, alpha, participation: 1.0 };
    assert!(said(diana(0.25), 0.1, &constants).covered && !said(diana(0.5), 0.1, &constants).covered);
    let proximal = DescentConstants { is_smooth: false, ..constants };
    assert!(!said(diana(0.25), 0.1, &proximal).covered);
}

/// Constants of a proximal problem are found, and T is seen to be one.
#[test]
fn a_proximal_map_is_noticed() {
    assert!(!constants(&CASES[2]).is_smooth);
    let ridge = constants(&CASES[0]);
    // As numpy has them.
    assert!((ridge.l - 0.667_451_355_275_968).abs() < 1e-12, "{}", ridge.l);
    assert!((ridge.l_local - 1.953).abs() < 1e-3);
}
