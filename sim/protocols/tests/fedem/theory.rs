//! The estimates of the theory where they have closed forms, and the theorems' formulas by hand.

use fedbits_models::data::DataSet;
use fedbits_models::gmm::{Covariance, GaussianMixture};
use fedbits_protocols::federation::{Federation, Weighting};
use fedbits_protocols::partition::{Partition, Partitioned};
use fedbits_protocols::schedule::Schedule;
use fedbits_protocols::theory::local::{Eigenvalues, LocalConstants, explore};
use fedbits_protocols::theory::{Premises, Summary, slope as slope_of_em, theorem_3};
use fedbits_random::{DrawPurpose, Streams};

/// One Gaussian with known covariance σ² I: s̄ does not depend on θ, so h(s) = (1, ȳ) − s. EM rests after one step (ρ =
/// 0), every h_i and h_ij has the Lipschitz constant 1, W(s) = |s₂/s₁ − ȳ|²/(2σ²) + const has ∇W = −h/σ² along h where
/// s₁ = 1, its curvature is 1/σ² along h and at most (1 + |ȳ|²)/σ² in any direction, and σ² of one example is the
/// variance of the examples around their clients' means: all four examples of a client are looked at.
#[test]
fn one_gaussian() {
    let rows: Vec<f64> = (0..32).map(|j| libm::sin(1.0 + 2.3 * f64::from(j))).collect();
    let mean = |rows: &[f64], c: usize| {
        let column: Vec<f64> = rows.iter().skip(c).step_by(2).copied().collect();
        column.iter().sum::<f64>() / column.len() as f64
    };
    let variance: f64 = rows
        .chunks(8)
        .map(|client| {
            let centre = [mean(client, 0), mean(client, 1)];
            client.iter().enumerate().map(|(j, y)| (y - centre[j % 2]) * (y - centre[j % 2])).sum::<f64>() / 4.0
        })
        .sum::<f64>()
        / 4.0;
    let steepest = 4.0 * (1.0 + mean(&rows, 0) * mean(&rows, 0) + mean(&rows, 1) * mean(&rows, 1));
    let groups = (0..4u32).flat_map(|i| [i; 4]).collect();
    let data = DataSet::new(vec!["y0".into(), "y1".into()], rows, None, Some(groups)).unwrap();
    let data = Partitioned::new(&data, &Partition::ClientColumn.rule(1), &Streams::new(1, 0)).unwrap();
    let model = GaussianMixture::new(1, 2, Covariance::Known(vec![0.25, 0.0, 0.0, 0.25])).unwrap();
    let federation = Federation::new(data, Box::new(model), Weighting::Clients, None);
    let found = explore(&federation, &[1.0, 0.7, -0.4], 100).unwrap();
    assert!((found.l - 1.0).abs() < 1e-9 && (found.l_examples - 1.0).abs() < 1e-9, "{found:?}");
    let v = found.v.clone().expect("EM contracts");
    for largest in [v.max, found.l_w] {
        assert!(largest > 4.0 - 1e-4 && largest < steepest + 1e-4, "4 to {steepest}: {found:?}");
    }
    assert!(found.rho < 1e-7 && (found.sigma_sq - variance).abs() < 1e-12, "{found:?}, {variance}");
}

/// The same with clients of 8, 4, 2 and 2 examples and their weights 2, 1, ½ and ½: FedEM averages w_i h_i, with
/// constants w_i. Four examples of a client at even places are looked at, some twice where there are two.
#[test]
fn weights_of_clients_count() {
    let rows: Vec<f64> = (0..16).map(|j| libm::sin(1.0 + 2.3 * f64::from(j))).collect();
    let sizes = [8_u32, 4, 2, 2];
    let groups = (0..4u32).flat_map(|i| vec![i; sizes[i as usize] as usize]).collect();
    let data = DataSet::new(vec!["y".into()], rows.clone(), None, Some(groups)).unwrap();
    let data = Partitioned::new(&data, &Partition::ClientColumn.rule(1), &Streams::new(1, 0)).unwrap();
    let model = GaussianMixture::new(1, 1, Covariance::Known(vec![0.25])).unwrap();
    let federation = Federation::new(data, Box::new(model), Weighting::Examples, None);
    let found = explore(&federation, &[1.0, 0.7], 100).unwrap();
    let squares = (4.0 + 1.0 + 0.25 + 0.25) / 4.0_f64;
    assert!((found.l - squares.sqrt()).abs() < 1e-9 && (found.l_examples - squares.sqrt()).abs() < 1e-9, "{found:?}");
    let (mut variance, mut first) = (0.0, 0);
    for size in sizes.map(|size| size as usize) {
        let (part, w) = (&rows[first..][..size], size as f64 / 4.0);
        let mean = part.iter().sum::<f64>() / size as f64;
        let looked_at = (0..4).map(|k| part[k * size / 4] - mean);
        variance += w * w * looked_at.map(|d| d * d).sum::<f64>() / 16.0;
        first += size;
    }
    assert!((found.sigma_sq - variance).abs() < 1e-12, "{found:?}, {variance}");
}

/// EM does not depend on where 0 lies: its rate is the same for columns that lie up to 2000 standard deviations from it,
/// although a small share of ‖s‖ is many variances then.
#[test]
fn the_rate_does_not_depend_on_the_origin() {
    let mut stream = Streams::new(3, 0).at(DrawPurpose::Data, 0, 0);
    let draws: Vec<f64> = (0..400).map(|j| 3.0 * f64::from(j % 2) + stream.normal()).collect();
    let labels: Vec<u32> = (0..400).map(|j| j % 2).collect();
    let rate = |origin: f64| {
        let rows: Vec<f64> = draws.iter().map(|y| origin + y).collect();
        let groups = (0..400).map(|j| j / 100).collect();
        let data = DataSet::new(vec!["y".into()], rows, None, Some(groups)).unwrap();
        let model = GaussianMixture::new(2, 1, Covariance::Full).unwrap();
        let theta = model.theta_of_labels(data.examples(), &labels).unwrap();
        let data = Partitioned::new(&data, &Partition::ClientColumn.rule(1), &Streams::new(1, 0)).unwrap();
        let federation = Federation::new(data, Box::new(model), Weighting::Examples, None);
        let start = federation.statistics_at(&theta).unwrap();
        explore(&federation, &start, 600).unwrap().rho
    };
    let right = rate(0.0);
    assert!(right > 0.3 && right < 1.0, "{right}");
    for origin in [10.0, 100.0, 2000.0] {
        let found = rate(origin);
        assert!((found / right - 1.0).abs() < 0.02, "{origin}: {found}, {right}");
    }
}

const V: Eigenvalues = Eigenvalues { min: 1.0, max: 4.0 };

fn constants() -> LocalConstants {
    LocalConstants {
        points: 1,
        l: 1.0,
        l_examples: 3.0,
        l_w: 2.0,
        v: Ok(V),
        sigma_sq: 1.0,
        rho: 0.7637,
        initial_field_sq: 1.0,
    }
}

/// rand-3 of 6, three quarters of 100 clients, batches of 5.
fn premises() -> Premises {
    Premises {
        compressor: "rand-3".to_owned(),
        omega: Some(1.0),
        expected_bits: None,
        alpha: Some(0.5),
        gamma: Schedule::Constant(0.2),
        clients: 100.0,
        participation: 0.75,
        cohort: false,
        exact: false,
        batch: Some(5),
        batch_variance: 1.0,
        inner: None,
        target: Some(1e-3),
        expectations: 500.0,
        unmet: Vec::new(),
    }
}

/// The rates above by hand: 0.25 for FedEM (smoothness), 0.5/(1 + 4 √2 · 2 · 3/10 · 2 √(1 + 11/8)) = 0.0436 for
/// VR-FedEM. Without ω there is no theorem. Without compression VR-FedEM has 0.5/(1 + 4 √2 · 2 · 3/10 · √(1/8)) = 0.2273.
#[test]
fn what_is_not_covered_is_said() {
    let premises = premises();
    let said = |premises: &Premises| premises.lines(&constants()).join("\n");
    assert!(said(&premises).contains("Theorem 1: γ_max ≈ 0.2500"), "{}", said(&premises));
    assert!(said(&premises).contains("γ = 0.2 is below it"), "{}", said(&premises));
    let reduced = Premises { inner: Some(20), participation: 1.0, ..premises.clone() };
    let lines = said(&reduced);
    assert!(lines.contains("Theorem 3: γ ≈ 0.0436; γ = 0.2 is ABOVE it: not covered"), "{lines}");
    let large = Premises { gamma: Schedule::Constant(0.26), ..premises.clone() };
    assert!(said(&large).contains("γ = 0.26 is ABOVE it"), "{}", said(&large));
    assert!(said(&Premises { gamma: Schedule::Constant(1.0), omega: None, ..premises }).contains("no theorem applies"));
    let slower = "γ_max as ω → 0 / γ_max = 0.2273/0.0436 = 5.21 times what it is uncompressed";
    assert!(lines.contains(slower), "{lines}");
}

/// What the theorems ask for beside a small γ: α of 1/(1 + ω), and with variance reduction everybody and b = 5 for k_in =
/// 20 and ω = 1. The noise of Theorem 1 is that of all: 1 + ω_p = 8/3, and 0.25 · 8/3 · 0.2/(100 · 10⁻³) = 1.33.
#[test]
fn a_theorem_covers_what_it_is_about() {
    let premises = premises();
    let summary = |premises: &Premises| premises.summary(&constants());
    assert!(matches!(summary(&premises), Summary { covered: Some(true), gamma_max: Some(_), .. }));
    assert_eq!(summary(&Premises { gamma: Schedule::Constant(0.26), ..premises.clone() }).covered, Some(false));
    let large = Premises { alpha: Some(0.51), ..premises.clone() };
    assert_eq!(summary(&large).covered, Some(false));
    assert!(large.lines(&constants()).join("\n").contains("α = 0.5100, not covered"));
    // Floats of 32 bits round, and compress no more than that.
    let rounded = Premises { alpha: Some(1.0), omega: Some(3.6e-15), ..premises.clone() };
    assert_eq!(summary(&rounded).covered, Some(true));
    let reduced = Premises { inner: Some(20), participation: 1.0, gamma: Schedule::Constant(0.04), ..premises.clone() };
    assert_eq!(summary(&reduced).covered, Some(true));
    assert_eq!(summary(&Premises { batch: Some(4), ..reduced.clone() }).covered, Some(false));
    let half = Premises { participation: 0.5, ..reduced };
    assert!(matches!(summary(&half), Summary { covered: Some(false), gamma_max: None, slope: Some(_), .. }));
    let unmet = Premises { unmet: vec!["memories begin at 0"], ..premises.clone() };
    assert_eq!(summary(&unmet).covered, Some(false));
    assert!(unmet.lines(&constants()).contains(&"  memories begin at 0: not covered".to_owned()));
    let lines = half.lines(&constants()).join("\n");
    assert!(lines.contains("Theorem 3: for full participation, and p = 0.5 here: not covered"), "{lines}");
    let lines = premises.lines(&constants()).join("\n");
    assert!(lines.contains("(γ_max (1 + ω_p) σ²/(n ε) = 1.33e0"), "{lines}");
}

/// The slower of EM and memories says how fast ‖h‖² falls: with ω = 1 and p = 3/4 memories of α = 1/2 settle by 1 − 3/8 a
/// round, of α = 1/10 by 1 − 0.075 · 1.8; at γ = 0.2 EM falls by (1 − 0.2 · 0.2363)².
#[test]
fn memories_limit_the_rate() {
    let slope = |premises: &Premises| premises.summary(&constants()).slope;
    let premises = premises();
    let of_em = slope_of_em(0.2, constants().rho);
    assert_eq!(slope(&premises), Some(of_em));
    let slow = Premises { alpha: Some(0.1), ..premises.clone() };
    assert!((slope(&slow).unwrap() - of_em.max(libm::log10(1.0 - 0.135))).abs() < 1e-12);
    let few = Premises { participation: 0.1, ..premises.clone() };
    assert!((slope(&few).unwrap() - libm::log10(0.95)).abs() < 1e-12);
    assert!(few.summary(&constants()).rounds > premises.summary(&constants()).rounds);
    assert!(few.lines(&constants()).join("\n").contains("memories settle by 10^-0.022276"));
    assert_eq!(slope(&Premises { exact: true, omega: Some(0.0), ..few.clone() }), Some(of_em));
    for none in [Premises { omega: None, ..few.clone() }, Premises { alpha: Some(0.6), ..few }] {
        let Summary { slope, rounds, .. } = none.summary(&constants());
        assert_eq!((slope, rounds), (None, None));
        assert!(none.lines(&constants()).join("\n").contains("no rate is predicted, "));
    }
}

/// Where EM does not contract there is no v_min, no γ_max, and no rate: the lines say why, and hold no number in their
/// place.
#[test]
fn what_has_no_meaning_is_not_given() {
    let premises = Premises { participation: 1.0, batch: None, ..premises() };
    let found = LocalConstants { v: Err("EM does not contract (ρ = 1.2)".to_owned()), rho: 1.2, ..constants() };
    for inner in [None, Some(5)] {
        let lines = Premises { inner, ..premises.clone() }.lines(&found).join("\n");
        assert!(lines.contains("no v_min and no v_max: EM does not contract"), "{lines}");
        assert!(lines.contains("no estimate of") && lines.contains("no rate is predicted"), "{lines}");
        assert!(!lines.contains("below it") && !lines.contains("ABOVE") && !lines.contains("K_opt"), "{lines}");
    }
}

/// Starts of all kinds, most of them far from any limit and looked at after few steps of EM: what is given is a number
/// above 0 with a contraction, and where something is missing a reason stands.
#[test]
fn estimates_have_a_meaning_or_are_not_given() {
    let (mut with, mut without) = (0, 0);
    for seed in 1..=20 {
        let mut stream = Streams::new(seed, 0).at(fedbits_random::DrawPurpose::Data, 0, 0);
        let rows: Vec<f64> = (0..120).map(|j| stream.normal() + if j % 2 == 0 { 0.4 } else { -0.4 }).collect();
        let data = DataSet::new(vec!["y".into()], rows, None, None).unwrap();
        let data = Partitioned::new(&data, &Partition::Iid.rule(4), &Streams::new(seed, 0)).unwrap();
        let model = GaussianMixture::new(3, 1, Covariance::Full).unwrap();
        let federation = Federation::new(data, Box::new(model), Weighting::Clients, None);
        let theta = [0.3, 0.3, 0.4, -1.0 + 0.1 * stream.normal(), 0.1 * stream.normal(), 1.0, 0.6, 1.0, 0.4];
        let start = federation.statistics_at(&theta).unwrap();
        let Ok(found) = explore(&federation, &start, 40) else { continue };
        match &found.v {
            Ok(v) => {
                assert!(0.0 < v.min && v.min <= v.max && v.max.is_finite() && found.rho < 1.0, "{seed}: {found:?}");
                assert!(found.l_w > 0.0 && found.l_w.is_finite(), "{seed}: {found:?}");
                with += 1;
            }
            Err(why) => {
                assert!(!why.is_empty(), "{seed}");
                without += 1;
            }
        }
    }
    assert!(with > 0 && without > 0, "{with} with estimates, {without} without");
}

/// ω = 1, p = 0.75: ω_p = 5/3, and 0.75 · 10/(2 √2 · 2 √(5/3)) for n = 100. Without compression and n = 1, Theorem 3 is
/// (v_min/L)/(1 + 2 v_max L_ij/L). γ = 0.01 and ρ = 0.7637 give the slope of the reference run.
#[test]
fn formulas() {
    let premises = premises();
    assert!((premises.omega_p(1.0) - 5.0 / 3.0).abs() < 1e-15);
    let limit = premises.theorem_1(&constants(), V, 1.0, 0.5);
    assert!((limit.smoothness - 0.25).abs() < 1e-15 && (limit.compression - 1.026_980).abs() < 1e-6, "{limit:?}");
    assert!((theorem_3(&constants(), V, 0.0, 1.0) - 0.5 / (1.0 + 2.0 * 4.0 * 3.0 / 2.0)).abs() < 1e-12);
    assert!((slope_of_em(0.01, 0.7637) + 0.002_055).abs() < 1e-6);
}

/// The mean over A of x_i is the mean over all, with the variance (ω/p + c) n⁻² Σ x_i² for numbers of mean 0 and Quant of
/// variance ω x²: over all 10 cohorts of 3 of 5 clients, and over all 2⁵ sets with p = 0.6.
#[test]
fn what_sampling_adds_is_the_variance_over_all_cohorts() {
    let (x, omega, p) = ([3.0, -1.0, 2.0, -5.0, 1.0_f64], 0.7, 0.6_f64);
    let energy: f64 = x.iter().map(|x| x * x).sum();
    for cohort in [true, false] {
        let mut second = 0.0;
        for set in 0..32_u32 {
            let size = set.count_ones() as i32;
            let chance = match cohort {
                true => f64::from(u8::from(size == 3)) / 10.0,
                false => (0..5).map(|i| if set & (1 << i) == 0 { 1.0 - p } else { p }).product(),
            };
            let taken = || x.iter().enumerate().filter(|(i, _)| set & (1 << i) != 0).map(|(_, x)| x);
            let (sum, squares) = (taken().sum::<f64>(), taken().map(|x| x * x).sum::<f64>());
            second += chance * (sum * sum + omega * squares) / (5.0 * p * 5.0 * p);
        }
        let premises = Premises { participation: p, clients: 5.0, cohort, ..premises() };
        assert!((second - premises.omega_p(omega) * energy / 25.0).abs() < 1e-12, "{cohort}: {second}");
    }
}

/// (9): where everybody sends all, γ_max is 2 v_min/L_Ẇ = 1, four times that of (7), and no α is too large.
#[test]
fn without_compression_memories_do_not_count() {
    let premises = Premises {
        omega: Some(0.0),
        alpha: Some(1.0),
        gamma: Schedule::Constant(0.9),
        participation: 1.0,
        exact: true,
        ..premises()
    };
    let summary = premises.summary(&constants());
    assert_eq!((summary.gamma_max, summary.covered), (Some(1.0), Some(true)));
    let lines = premises.lines(&constants()).join("\n");
    assert!(lines.contains("without compression, (9): γ_max ≈ 1.0000, whatever the memories; γ = 0.9 is below it"));
    let rounded = Premises { omega: Some(1e-15), ..premises };
    assert_eq!(rounded.summary(&constants()).covered, Some(true));
}

/// 40 clients at p = 0.1 and ω = 5: γ_max is 0.1 √40/(2 √2 · 6 √59), and 0.1 √40/(2 √2 √9) without compression: K_opt goes
/// by their ratio.
#[test]
fn k_opt_goes_by_the_step() {
    let premises =
        Premises { omega: Some(5.0), clients: 40.0, participation: 0.1, batch: None, target: Some(1e-3), ..premises() };
    let lines = premises.lines(&constants()).join("\n");
    assert!(lines.contains("γ_max as ω → 0 / γ_max = 0.0745/0.0049 = 15.36 times"), "{lines}");
    // 81 clients who are all there: 9/(2 √2 · 6 √5), just below what is left of the first term alone.
    let all = Premises { clients: 81.0, participation: 1.0, ..premises };
    let lines = all.lines(&constants()).join("\n");
    assert!(lines.contains("γ_max as ω → 0 / γ_max = 0.2500/0.2372 = 1.05 times"), "{lines}");
}

/// Memories that follow more slowly than Theorem 1's allow smaller steps, in proportion: 1.027/10 at α = 0.05. Theorem 3
/// is about α = 1/(1 + ω) alone.
#[test]
fn slow_memories_allow_smaller_steps() {
    let slow = Premises { alpha: Some(0.05), ..premises() };
    let summary = slow.summary(&constants());
    assert!((summary.gamma_max.unwrap() - 0.102_698).abs() < 1e-6 && summary.covered == Some(false), "{summary:?}");
    let small = Premises { gamma: Schedule::Constant(0.1), ..slow };
    assert_eq!(small.summary(&constants()).covered, Some(true));
    // What compression does to K_opt is not what α does.
    for alpha in [1e-3, 1e-4] {
        let lines = Premises { alpha: Some(alpha), ..small.clone() }.lines(&constants());
        let regime = lines.iter().find(|line| line.contains("regime at")).expect("a target is given");
        assert!(regime.ends_with(" = 2.24 times what it is uncompressed"), "{regime}");
    }
    let gamma = Schedule::Constant(0.04);
    let reduced = Premises { alpha: Some(0.49), inner: Some(20), participation: 1.0, gamma, ..premises() };
    assert_eq!(reduced.summary(&constants()).covered, Some(false));
    assert!(reduced.lines(&constants()).join("\n").contains("α = 0.4900, not covered"));
}

/// With ρ = 0 and γ = 1 a round leaves nothing, where memories do not matter.
#[test]
fn one_round_is_the_least() {
    let found = LocalConstants { rho: 0.0, ..constants() };
    let summary = Premises { gamma: Schedule::Constant(1.0), exact: true, ..premises() }.summary(&found);
    assert_eq!(summary.rounds, Some(1.0));
}

/// Slopes of a γ that changes are summed: ‖h‖² goes by Π (1 − γ_k (1 − ρ))² until 10⁻³, and to 10⁻¹⁰ it takes more than
/// 10⁶ rounds, of which nothing is predicted.
#[test]
fn a_step_that_falls_is_foreseen_round_by_round() {
    let gamma = Schedule::Power { initial: 0.5, exponent: 1.0, offset: 30.0 };
    let premises = Premises { gamma, ..premises() };
    let summary = premises.summary(&constants());
    let (mut field, mut rounds) = (1.0, 0);
    while field > 1e-3 {
        rounds += 1;
        let rate = 1.0 - 0.5 / (1.0 + f64::from(rounds - 1) / 30.0) * (1.0 - 0.7637);
        field *= rate * rate;
    }
    assert_eq!((summary.rounds, summary.slope), (Some(f64::from(rounds)), None));
    let constant = Premises { gamma: Schedule::Constant(0.5), ..premises.clone() }.summary(&constants());
    assert!(constant.rounds.unwrap() < f64::from(rounds) && constant.slope.is_some());
    let gamma = Schedule::Power { initial: 0.5, exponent: 1.0, offset: 1.0 };
    let far = Premises { gamma, target: Some(1e-10), ..premises };
    assert_eq!(far.summary(&constants()).rounds, None);
    assert!(far.lines(&constants()).join("\n").contains("K_opt(1e-10) is above 1000000 rounds, as γ falls"));
}
