//! VP-EM against reference vectors of an independent implementation (golden g5), 1e-9 after scaling by max(1, |x|): the
//! federated iterations, and the decentralized ones with W^S multiplied out.

use crate::golden::{assert_close, golden, numbers};
use fedbits_models::gmm::vertical::{FeatureBlocks, Mixing, Singular, Target, VerticalMixture};
use fedbits_models::{Batch, Examples};
use fedbits_numerics::vech;
use serde_json::Value;

fn lists(value: &Value) -> Vec<Vec<usize>> {
    let list = |value: &Value| numbers(value).iter().map(|&x| x as usize).collect();
    value.as_array().expect("a list of lists").iter().map(list).collect()
}

/// θ_b in original coordinates as (π, µ^b, Σ^b dense), from the joined θ of a mixture with full covariances.
fn block_parameters(mixture: &VerticalMixture, thetas: &[Vec<f64>], block: usize) -> (Vec<f64>, Vec<f64>, Vec<f64>) {
    let (theta, features) = (mixture.join(thetas), mixture.blocks().features(block));
    let (k, d) = (mixture.components(), mixture.blocks().dimension());
    let means = (0..k).flat_map(|c| features.iter().map(move |&f| (c, f)));
    let mean = means.map(|(c, f)| mixture.whole().mean(&theta, c)[f]).collect();
    let mut sigma = Vec::new();
    for c in 0..k {
        let start = k + k * d + c * d * (d + 1) / 2;
        for &i in features {
            sigma.extend(features.iter().map(|&j| theta[start + i.max(j) * (i.max(j) + 1) / 2 + i.min(j)]));
        }
    }
    (thetas[block][..k].to_vec(), mean, sigma)
}

/// θ of the whole mixture with these dense covariances.
fn whole_theta(weights: &[f64], means: &[f64], covariances: &[Vec<f64>], d: usize) -> Vec<f64> {
    let covariances: Vec<f64> = covariances.iter().flat_map(|sigma| vech(sigma, d)).collect();
    [weights, means, &covariances].concat()
}

fn advance(mixture: &VerticalMixture, thetas: &mut Vec<Vec<f64>>, coefficients: &[Vec<f64>]) -> Vec<f64> {
    let targets: Vec<_> = (0..thetas.len())
        .map(|b| Target { weights: &thetas[b][..mixture.components()], statistics_of: Some(b) })
        .collect();
    let mixing = Mixing::new(coefficients.iter().map(Vec::as_slice), thetas.len());
    let mut mix = |terms: &[f64], _: usize, seen: &mut [f64]| mixing.mix(terms, seen);
    let estimates = mixture.pass(thetas, &targets, Batch::All, &mut mix, None).expect("densities");
    let likelihoods = estimates.iter().map(|estimate| estimate.log_likelihood).collect();
    let next = estimates.iter().enumerate();
    *thetas = next.map(|(b, e)| mixture.maximize(b, &e.statistics, Singular::Error).expect("regular")).collect();
    likelihoods
}

#[test]
fn federated_iterations() {
    let golden = golden("g5_vpem.json");
    let (inputs, iterates) = (&golden["fl"]["inputs"], golden["fl"]["iterates"].as_array().expect("iterates"));
    let clients = lists(&inputs["clients"]);
    let (d, k) = (4, 2);
    let rows = numbers(&inputs["X"]);
    let blocks = FeatureBlocks::new(clients.clone(), d).expect("a partition");
    let mixture = VerticalMixture::new(Examples { rows: &rows, dimension: d }, k, blocks).expect("a mixture");
    let mut means = vec![0.0; k * d];
    let mut covariances = vec![vec![0.0; d * d]; k];
    for (n, features) in clients.iter().enumerate() {
        for c in 0..k {
            let (mean, sigma) = (numbers(&inputs["mu0"][n][c]), numbers(&inputs["Sigma0"][n][c]));
            for (i, &f) in features.iter().enumerate() {
                means[c * d + f] = mean[i];
                for (j, &g) in features.iter().enumerate() {
                    covariances[c][f * d + g] = sigma[i * features.len() + j];
                }
            }
        }
    }
    let mut thetas = mixture.split(&whole_theta(&numbers(&inputs["pi0"]), &means, &covariances, d));
    let exact = vec![vec![1.0; clients.len()]; clients.len()];
    for (t, iterate) in iterates.iter().enumerate() {
        let terms = |n| {
            let terms = mixture.terms(&thetas, n, Batch::All).expect("densities");
            let at = (0..mixture.examples()).flat_map(|m| (0..k).map(move |c| (m, c)));
            at.map(|(m, c)| terms[c * mixture.examples() + m]).collect::<Vec<f64>>()
        };
        let all: Vec<Vec<f64>> = (0..clients.len()).map(terms).collect();
        let sums: Vec<f64> = (0..all[0].len()).map(|at| all.iter().map(|terms| terms[at]).sum()).collect();
        assert_close(&format!("the sum of Q at {t}"), &sums, &numbers(&iterate["Qsum"]));
        // The file has the clients' own terms of the first iteration only.
        for (n, expected) in iterate["Q"].as_array().into_iter().flatten().enumerate() {
            assert_close(&format!("Q of client {n} at {t}"), &all[n], &numbers(expected));
        }
        let likelihoods = advance(&mixture, &mut thetas, &exact);
        for n in 0..clients.len() {
            assert_close(
                "log-likelihood",
                &likelihoods[n..=n],
                &numbers(&Value::Array(vec![iterate["loglik_before"].clone()])),
            );
            let (weights, mean, sigma) = block_parameters(&mixture, &thetas, n);
            assert_close("π", &weights, &numbers(&iterate["pi"]));
            assert_close("µ", &mean, &numbers(&iterate["mu"][n]));
            assert_close("Σ", &sigma, &numbers(&iterate["Sigma"][n]));
        }
    }
}

#[test]
fn decentralized_iterations() {
    let golden = golden("g5_vpem.json");
    let inputs = &golden["decentralized"]["inputs"];
    let (rows, n, k) = (numbers(&inputs["X"]), 5, 2);
    let w = numbers(&inputs["W"]);
    let (means, sigma) = (numbers(&inputs["mu0"]), numbers(&inputs["Sigma0"]));
    for (name, run) in golden["decentralized"]["runs"].as_object().expect("runs") {
        let hubs = run["hubs"].as_array().expect("hubs");
        let agents: Vec<Vec<usize>> =
            hubs.iter().map(|hub| lists(&Value::Array(vec![hub["agents"].clone()])).concat()).collect();
        let roots: Vec<usize> = hubs.iter().map(|hub| hub["root"].as_u64().expect("a root") as usize).collect();
        let blocks = FeatureBlocks::new(agents.clone(), n).expect("a partition");
        let mixture = VerticalMixture::new(Examples { rows: &rows, dimension: n }, k, blocks).expect("a mixture");
        let theta = whole_theta(&numbers(&inputs["pi0"]), &means, &vec![sigma.clone(); k], n);
        let mut thetas = mixture.split(&theta);
        // Coefficients over the hubs: column b starts as N/|H_b| at the agents of hub b, then W is applied.
        let mut states = vec![vec![0.0; hubs.len()]; n];
        for (b, agents) in agents.iter().enumerate() {
            agents.iter().for_each(|&a| states[a][b] = n as f64 / agents.len() as f64);
        }
        for _ in 0..run["rounds"].as_u64().expect("rounds") {
            let entry = |i: usize, b: usize| (0..n).map(|j| w[i * n + j] * states[j][b]).sum();
            states = (0..n).map(|i| (0..hubs.len()).map(|b| entry(i, b)).collect()).collect();
        }
        let coefficients: Vec<Vec<f64>> = roots.iter().map(|&root| states[root].clone()).collect();
        for (t, iterate) in run["iterates"].as_array().expect("iterates").iter().enumerate() {
            let likelihoods = advance(&mixture, &mut thetas, &coefficients);
            for b in 0..hubs.len() {
                let expected = &iterate[b];
                let local = [expected["loglik_local_before"].as_f64().expect("a number")];
                assert_close(&format!("{name} at {t}: log-likelihood"), &likelihoods[b..=b], &local);
                let (weights, mean, sigma) = block_parameters(&mixture, &thetas, b);
                assert_close(&format!("{name} at {t}: π"), &weights, &numbers(&expected["pi"]));
                assert_close(&format!("{name} at {t}: µ"), &mean, &numbers(&expected["mu"]));
                assert_close(&format!("{name} at {t}: Σ"), &sigma, &numbers(&expected["Sigma"]));
            }
        }
    }
}
