//! VP-EM against independent numpy code (golden g5, g6), 1e-9 after scaling by max(1, |x|): weights, spectra, consensus
//! trajectories, hubs, and whole decentralized runs simulated over the engine.

use crate::vpem::common::{PLAIN, Problem, assert_close, edges, golden, numbers, simulate, world};
use fedbits_numerics::vech;
use fedbits_protocols::journal::Subject;
use fedbits_protocols::neighbours::consensus::Consensus;
use fedbits_protocols::neighbours::graph::Graph;
use fedbits_protocols::neighbours::hubs::{Hubs, Ties};
use fedbits_protocols::neighbours::weights::{Averaging, Weights, best_constant, laplacian_eigenvalues};
use fedbits_random::Streams;

#[test]
fn weights_spectra_trajectories_and_hubs() {
    for (name, case) in golden("g6_consensus_hubs.json")["graphs"].as_object().unwrap() {
        let n = case["N"].as_u64().unwrap() as usize;
        let graph = Graph::new(n, edges(&case["edges"])).unwrap();
        let averaging = Averaging::new(&Weights::Metropolis, &graph).unwrap();
        assert_close(&format!("{name}: W"), &averaging.dense(), &numbers(&case["W"]));
        assert_close(&format!("{name}: spectrum"), averaging.eigenvalues(), &numbers(&case["eigenvalues_W"]));
        assert_close(&format!("{name}: SLEM"), &[averaging.slem()], &numbers(&case["slem"]));
        assert_close(name, &laplacian_eigenvalues(&graph), &numbers(&case["laplacian_eigenvalues"]));
        assert_close(name, &[best_constant(&graph)], &numbers(&case["best_constant_alpha"]));
        let mut z: Vec<Vec<f64>> = numbers(&case["z0"]).into_iter().map(|z| vec![z]).collect();
        for (s, expected) in case["trajectory"].as_array().unwrap().iter().enumerate() {
            assert_close(&format!("{name}: z after {s} rounds"), &z.concat(), &numbers(expected));
            z = averaging.apply(&z);
        }
        for h in 0..3 {
            let hubs = Hubs::new(&graph, h, Ties::SmallestIndex, &Streams::new(1, 0)).unwrap();
            let expected = case["hubs"][format!("h{h}")].as_array().unwrap();
            assert_eq!(hubs.len(), expected.len(), "{name}: h = {h}");
            for (hub, expected) in hubs.hubs().iter().zip(expected) {
                let agents: Vec<u32> = numbers(&expected["agents"]).iter().map(|&agent| agent as u32).collect();
                assert_eq!((u64::from(hub.root), &hub.agents), (expected["root"].as_u64().unwrap(), &agents), "{name}");
            }
        }
    }
}

#[test]
fn decentralized_runs() {
    let golden = golden("g5_vpem.json");
    let inputs = &golden["decentralized"]["inputs"];
    let sigma = vech(&numbers(&inputs["Sigma0"]), 5);
    let theta = [numbers(&inputs["pi0"]), numbers(&inputs["mu0"]), sigma.clone(), sigma].concat();
    let links = edges(&inputs["edges"]);
    let problem = Problem { rows: numbers(&inputs["X"]), agents: 5, links, theta, components: 2 };
    for (name, run) in golden["decentralized"]["runs"].as_object().unwrap() {
        let (h, rounds) = (name[1..2].parse().unwrap(), run["rounds"].as_u64().unwrap() as u32);
        let iterates = run["iterates"].as_array().unwrap();
        for (t, iterate) in iterates.iter().enumerate() {
            let algorithm = problem.algorithm(h, &Consensus::Rounds(rounds), PLAIN);
            let simulated = simulate(algorithm, world(&problem, &[]), Some(t as u64 + 1));
            let hubs = problem.hubs(h);
            let theta = simulated.algorithm.state().theta.to_vec();
            let hub_weights = |b: usize| numbers(&iterate[b]["pi"]);
            let mean = |k: usize| (0..hubs.len()).map(|b| hub_weights(b)[k]).sum::<f64>() / hubs.len() as f64;
            assert_close(&format!("{name} at {t}: mean π"), &theta[..2], &[mean(0), mean(1)]);
            for (b, hub) in hubs.hubs().iter().enumerate() {
                let places = |k: usize| hub.agents.iter().map(move |&agent| 2 + 5 * k + agent as usize);
                let means: Vec<f64> = (0..2).flat_map(places).map(|at| theta[at]).collect();
                assert_close(&format!("{name} at {t}: µ"), &means, &numbers(&iterate[b]["mu"]));
                let mut sigma = Vec::new();
                for k in 0..2 {
                    for &i in &hub.agents {
                        let at = |j: u32| (12 + 15 * k + i.max(j) * (i.max(j) + 1) / 2 + i.min(j)) as usize;
                        sigma.extend(hub.agents.iter().map(|&j| theta[at(j)]));
                    }
                }
                assert_close(&format!("{name} at {t}: Σ"), &sigma, &numbers(&iterate[b]["Sigma"]));
            }
            let local = |b: usize| iterate[b]["loglik_local_before"].as_f64().unwrap();
            let examples = problem.rows.len() as f64 / 5.0;
            let mean = (0..hubs.len()).map(local).sum::<f64>() / hubs.len() as f64 / examples;
            let found = simulated.column("local_log_likelihood").last().unwrap().unwrap();
            assert_close(&format!("{name} at {t}: likelihood"), &[found], &[mean]);
        }
    }
}
