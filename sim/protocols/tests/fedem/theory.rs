//! The estimates of the theory where they have closed forms, and the theorems' formulas by hand.

use fedbits_models::data::DataSet;
use fedbits_models::gmm::{Covariance, GaussianMixture};
use fedbits_protocols::federation::{Federation, Weighting};
use fedbits_protocols::partition::{Partitioned, Rule};
use fedbits_protocols::theory::local::{Eigenvalues, LocalConstants, explore};
use fedbits_protocols::theory::{Premises, Summary, omega_p, slope, theorem_1, theorem_3};
use fedbits_random::Streams;

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
    let data = Partitioned::new(&data, Rule::ClientColumn, &Streams::new(1, 0)).unwrap();
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
    let data = Partitioned::new(&data, Rule::ClientColumn, &Streams::new(1, 0)).unwrap();
    let model = GaussianMixture::new(1, 1, Covariance::Known(vec![0.25])).unwrap();
    let federation = Federation::new(data, Box::new(model), Weighting::Examples, None);
    let found = explore(&federation, &[1.0, 0.7], 100).unwrap();
    let squares = (4.0 + 1.0 + 0.25 + 0.25) / 4.0_f64;
    assert!((found.l - squares.sqrt()).abs() < 1e-9 && (found.l_examples - squares.sqrt()).abs() < 1e-9, "{found:?}");
    let (mut variance, mut first) = (0.0, 0);
    for size in sizes.map(|size| size as usize) {
        let (own, w) = (&rows[first..][..size], size as f64 / 4.0);
        let mean = own.iter().sum::<f64>() / size as f64;
        let looked_at = (0..4).map(|k| own[k * size / 4] - mean);
        variance += w * w * looked_at.map(|d| d * d).sum::<f64>() / 16.0;
        first += size;
    }
    assert!((found.sigma_sq - variance).abs() < 1e-12, "{found:?}, {variance}");
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
        gamma: 0.2,
        clients: 100.0,
        participation: 0.75,
        batch: Some(5),
        inner: None,
        target: Some(1e-3),
        expectations: 500.0,
        unmet: Vec::new(),
    }
}

/// The rates above by hand: 0.25 for FedEM (smoothness), 0.5/(1 + 4 √2 · 2 · 3/10 · 2 √(1 + 11/8)) = 0.0436 for
/// VR-FedEM. Without ω there is no theorem. A factor on K_opt is never below 1: ω^{3/2}/√n = 0.1 here.
#[test]
fn what_is_not_covered_is_said() {
    let premises = premises();
    let said = |premises: &Premises| premises.lines(&constants()).join("\n");
    assert!(said(&premises).contains("Theorem 1: γ_max ≈ 0.2500"), "{}", said(&premises));
    assert!(said(&premises).contains("γ = 0.2 is below it"), "{}", said(&premises));
    let reduced = Premises { inner: Some(20), participation: 1.0, ..premises.clone() };
    let lines = said(&reduced);
    assert!(lines.contains("Theorem 3: γ ≈ 0.0436; γ = 0.2 is ABOVE it: not covered"), "{lines}");
    let large = Premises { gamma: 0.26, ..premises.clone() };
    assert!(said(&large).contains("γ = 0.26 is ABOVE it"), "{}", said(&large));
    assert!(said(&Premises { gamma: 1.0, omega: None, ..premises }).contains("no theorem applies"));
    assert!(lines.contains("max(1, ω^{3/2}/√n) = 1.00 times what it is uncompressed"), "{lines}");
}

/// What the theorems ask for beside a small γ: α of 1/(1 + ω), and with variance reduction everybody and b = 5 for k_in =
/// 20 and ω = 1. The noise of Theorem 1 is that of all: 1 + ω_p = 8/3, and 0.25 · 8/3 · 0.2/(100 · 10⁻³) = 1.33.
#[test]
fn a_theorem_covers_what_it_is_about() {
    let premises = premises();
    let summary = |premises: &Premises| premises.summary(&constants());
    assert!(matches!(summary(&premises), Summary { covered: Some(true), gamma_max: Some(_), .. }));
    assert_eq!(summary(&Premises { gamma: 0.26, ..premises.clone() }).covered, Some(false));
    let large = Premises { alpha: Some(0.51), ..premises.clone() };
    assert_eq!(summary(&large).covered, Some(false));
    assert!(large.lines(&constants()).join("\n").contains("α = 0.5100, not covered"));
    // Floats of 32 bits round, and compress no more than that.
    let rounded = Premises { alpha: Some(1.0), omega: Some(3.6e-15), ..premises.clone() };
    assert_eq!(summary(&rounded).covered, Some(true));
    let reduced = Premises { inner: Some(20), participation: 1.0, gamma: 0.04, ..premises.clone() };
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
        let data = Partitioned::new(&data, Rule::Iid { clients: 4 }, &Streams::new(seed, 0)).unwrap();
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
    assert!((omega_p(1.0, 0.75) - 5.0 / 3.0).abs() < 1e-15);
    let limit = theorem_1(&constants(), V, 1.0, 0.75, 100.0);
    assert!((limit.smoothness - 0.25).abs() < 1e-15 && (limit.compression - 1.026_980).abs() < 1e-6, "{limit:?}");
    assert!((theorem_3(&constants(), V, 0.0, 1.0) - 0.5 / (1.0 + 2.0 * 4.0 * 3.0 / 2.0)).abs() < 1e-12);
    assert!((slope(0.01, 0.7637) + 0.002_055).abs() < 1e-6);
}
