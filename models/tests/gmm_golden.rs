//! Gaussian mixtures against reference vectors of an independent implementation (golden g1, g2 and g4).
//!
//! Tolerance: 1e-9 after scaling by max(1, |x|).

use crate::golden::{assert_close, expected, golden, numbers};
use fedbits_models::gmm::{Covariance, GaussianMixture};
use fedbits_models::{Batch, DomainPolicy, Examples, Model, Repairs, Scratch};
use fedbits_numerics::vech;
use serde_json::Value;

/// vech of each d×d matrix in a list.
fn vechs(value: &Value, d: usize) -> Vec<f64> {
    numbers(value).chunks_exact(d * d).flat_map(|matrix| vech(matrix, d)).collect()
}

struct Known {
    model: GaussianMixture,
    rows: Vec<f64>,
    theta0: Vec<f64>,
}

/// The problem of g1 and g2: 4 agents with 8 points each, G = 2, d = 2, known Σ.
fn known(inputs: &Value) -> Known {
    let model = GaussianMixture::new(2, 2, Covariance::Known(numbers(&inputs["Sigma"]))).expect("a valid model");
    let (weights, means) = (numbers(&inputs["theta0"]["pi"]), numbers(&inputs["theta0"]["mu"]));
    let theta0 = model.theta_from_parts(&weights, &means, &[]).expect("a valid θ");
    Known { model, rows: numbers(&inputs["Y"]), theta0 }
}

fn image(model: &GaussianMixture, s: &[f64]) -> Vec<f64> {
    let mut theta = Vec::new();
    let repairs = model.maximize(s, DomainPolicy::Error, &mut theta).expect("s is in the domain of T");
    assert_eq!(repairs, Repairs::default());
    theta
}

/// S_{k+1} = s̄(T(S_k)), F_k = −mean log p(y; T(S_k)): 15 iterations and the limit.
#[test]
fn g1_centralized_em() {
    let file = golden("g1_centralized_em_known_cov.json");
    let Known { model, rows, theta0 } = known(&file["inputs"]);
    let mut s = expected(&model, &rows, &theta0).0;
    assert_close("S0", &s, &numbers(&file["inputs"]["S0"]));
    for (k, iterate) in file["iterates"].as_array().expect("iterates").iter().enumerate() {
        let theta = image(&model, &s);
        assert_close(&format!("S_{k}"), &s, &numbers(&iterate["S"]));
        assert_close(&format!("θ_{k}"), &theta, &[numbers(&iterate["pi"]), numbers(&iterate["mu"])].concat());
        let (next, objective) = expected(&model, &rows, &theta);
        assert_close(&format!("F_{k}"), &[objective], &numbers(&iterate["F"]));
        s = next;
    }
    for _ in 0..5000 {
        s = expected(&model, &rows, &image(&model, &s)).0;
    }
    let objective = expected(&model, &rows, &image(&model, &s)).1;
    assert_close("limit S", &s, &numbers(&file["limit"]["S"]));
    assert_close("limit F", &[objective], &numbers(&file["limit"]["F"]));
}

/// h_i(S0) = s̄_i(T(S0)) − S0 for each of the four agents, by index lists into the pooled data.
#[test]
fn g2_local_mean_fields() {
    let file = golden("g2_fedem.json");
    let Known { model, rows, theta0 } = known(&file["inputs"]);
    let s0 = expected(&model, &rows, &theta0).0;
    assert_close("S0", &s0, &numbers(&file["inputs"]["S0"]));
    let step = model.conditional(&image(&model, &s0)).expect("a density");
    for (agent, h) in file["inputs"]["h_i_S0"].as_array().expect("fields").iter().enumerate() {
        let indices: Vec<u32> = (agent as u32 * 8..agent as u32 * 8 + 8).collect();
        let mut local = vec![0.0; 6];
        let examples = Examples { rows: &rows, dimension: 2 };
        step.mean_statistics(examples, Batch::Indices(&indices), &mut Scratch::default(), &mut local);
        let field: Vec<f64> = local.iter().zip(&s0).map(|(x, y)| x - y).collect();
        assert_close(&format!("h_{agent}(S0)"), &field, &numbers(h));
    }
}

/// Runs EM and compares every iterate with the file; `blocks` reads the covariance part of θ.
fn g4_iterations(model: &GaussianMixture, rows: &[f64], mut theta: Vec<f64>, iterates: &Value, full: bool) {
    for iterate in iterates.as_array().expect("iterates") {
        let (s, objective) = expected(model, rows, &theta);
        let mut wanted = [numbers(&iterate["s1"]), numbers(&iterate["s2"])].concat();
        if full {
            wanted.extend(vechs(&iterate["s3"], 3));
        }
        assert_close("mean log-likelihood", &[-objective], &numbers(&iterate["mean_loglik_before"]));
        assert_close("s", &s, &wanted);
        theta = image(model, &s);
        let wanted = [numbers(&iterate["pi"]), numbers(&iterate["mu"]), vechs(&iterate["Sigma"], 3)].concat();
        assert_close("θ", &theta, &wanted);
    }
}

#[test]
fn g4_full_covariances() {
    let file = golden("g4_gmm_full_cov.json");
    let inputs = &file["inputs"];
    let model = GaussianMixture::new(3, 3, Covariance::Full).expect("a valid model");
    let theta = model.initial_theta(&numbers(&inputs["mu0"]), &vechs(&inputs["Sigma0"], 3)).expect("a valid θ");
    g4_iterations(&model, &numbers(&inputs["X"]), theta, &file["full"], true);
}

#[test]
fn g4_tied_covariance() {
    let file = golden("g4_gmm_full_cov.json");
    let inputs = &file["inputs"];
    let rows = numbers(&inputs["X"]);
    let second_moment = fedbits_models::gmm::second_moment(Examples { rows: &rows, dimension: 3 });
    assert_close("C2", &second_moment, &vechs(&file["tied"]["C2"], 3));
    let model = GaussianMixture::new(3, 3, Covariance::Tied { second_moment }).expect("a valid model");
    let theta = model.initial_theta(&numbers(&inputs["mu0"]), &vechs(&inputs["Sigma0"], 3)).expect("a valid θ");
    g4_iterations(&model, &rows, theta, &file["tied"]["iterates"], false);
}
