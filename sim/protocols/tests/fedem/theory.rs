//! The estimates of the theory where they have closed forms, and the theorems' formulas by hand.

use fedbits_models::data::DataSet;
use fedbits_models::data::partition::{Partitioned, Rule};
use fedbits_models::gmm::{Covariance, GaussianMixture};
use fedbits_protocols::federation::{Federation, Weighting};
use fedbits_protocols::theory::local::{LocalConstants, explore};
use fedbits_protocols::theory::{Setting, omega_p, slope, theorem_1, theorem_3};
use fedbits_random::Streams;

/// One Gaussian with known covariance σ² I: s̄ does not depend on θ, so h(s) = (1, ȳ) − s. EM rests after one step (ρ = 0), every h_i
/// and h_ij has the Lipschitz constant 1, W(s) = |s₂/s₁ − ȳ|²/(2σ²) + const has ∇W = −h/σ² along h where s₁ = 1, and σ² of one
/// example is the variance of the examples around their clients' means: all four examples of a client are looked at.
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
    let groups = (0..4u32).flat_map(|i| [i; 4]).collect();
    let data = DataSet::new(vec!["y0".into(), "y1".into()], rows, None, Some(groups)).unwrap();
    let data = Partitioned::new(&data, Rule::ClientColumn, &Streams::new(1, 0)).unwrap();
    let model = GaussianMixture::new(1, 2, Covariance::Known(vec![0.25, 0.0, 0.0, 0.25])).unwrap();
    let federation = Federation::new(data, Box::new(model), Weighting::Clients, None);
    let found = explore(&federation, &[1.0, 0.7, -0.4], 100).unwrap();
    assert!((found.l - 1.0).abs() < 1e-9 && (found.l_examples - 1.0).abs() < 1e-9, "{found:?}");
    assert!((found.v_max - 4.0).abs() < 1e-5 && (found.l_w - 4.0).abs() < 1e-4, "1/σ² = 4: {found:?}");
    assert!(found.rho < 1e-7 && (found.sigma_sq - variance).abs() < 1e-12, "{found:?}, {variance}");
}

fn constants() -> LocalConstants {
    LocalConstants {
        points: 1,
        l: 1.0,
        l_examples: 3.0,
        l_w: 2.0,
        v_min: 1.0,
        v_max: 4.0,
        sigma_sq: 1.0,
        rho: 0.7637,
        initial_field_sq: 1.0,
    }
}

/// The rates above by hand: 0.25 for FedEM (smoothness), 0.5/(1 + 4 √2 · 2 · 3/10 · 2 √(1 + 11/8)) = 0.0436 for VR-FedEM. Without ω there
/// is no theorem. A factor on K_opt is never below 1: ω^{3/2}/√n = 0.1 here.
#[test]
fn what_is_not_covered_is_said() {
    let setting = Setting {
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
    };
    assert_eq!(setting.large_gamma(&constants()), None);
    let reduced = Setting { inner: Some(20), ..setting.clone() };
    let text = reduced.large_gamma(&constants()).unwrap();
    assert!(text.starts_with("gamma = 0.2 is above 0.0436, a local estimate") && text.contains("Theorem 3"), "{text}");
    let large = Setting { gamma: 0.26, ..setting.clone() };
    assert!(large.large_gamma(&constants()).unwrap().starts_with("gamma = 0.26 is above 0.2500"));
    assert_eq!(Setting { gamma: 1.0, omega: None, ..setting }.large_gamma(&constants()), None);
    let lines = reduced.lines(&constants()).join("\n");
    assert!(lines.contains("max(1, ω^{3/2}/√n) = 1.00 times what it is uncompressed"), "{lines}");
}

/// ω = 1, p = 0.75: ω_p = 5/3, and 0.75 · 10/(2 √2 · 2 √(5/3)) for n = 100. Without compression and n = 1, Theorem 3 is
/// (v_min/L)/(1 + 2 v_max L_ij/L). γ = 0.01 and ρ = 0.7637 give the slope of the reference run.
#[test]
fn formulas() {
    assert!((omega_p(1.0, 0.75) - 5.0 / 3.0).abs() < 1e-15);
    let limit = theorem_1(&constants(), 1.0, 0.75, 100.0);
    assert!((limit.smoothness - 0.25).abs() < 1e-15 && (limit.compression - 1.026_980).abs() < 1e-6, "{limit:?}");
    assert!((theorem_3(&constants(), 0.0, 1.0) - 0.5 / (1.0 + 2.0 * 4.0 * 3.0 / 2.0)).abs() < 1e-12);
    assert!((slope(0.01, 0.7637) + 0.002_055).abs() < 1e-6);
}
