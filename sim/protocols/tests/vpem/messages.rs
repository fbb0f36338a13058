//! Messages: how many, how long, when; and that time does not change what is computed.

use crate::vpem::common::{PLAIN, Problem, ring, simulate, simulate_probed, world};
use fedbits_kernel::{Speed, StopReason};
use fedbits_protocols::journal::Subject;
use fedbits_protocols::neighbours::consensus::Consensus;
use fedbits_protocols::neighbours::hubs::HubSearch;
use fedbits_protocols::vpem::VpEm;
use fedbits_protocols::vpem::rules::{Stopping, VpBatch};

/// A path 0 – 1 – … – 6 with two short cuts.
fn links() -> Vec<(u32, u32)> {
    let mut links: Vec<(u32, u32)> = (0..6).map(|a| (a, a + 1)).collect();
    links.extend([(0, 2), (3, 5)]);
    links
}

/// Per iteration S · 2|E| rounds and N − B terms of M K floats; once, each leaf's M floats over as many hops as it is
/// from its root. In h = 2 hubs that is up to two.
#[test]
fn every_message_is_charged() {
    for h in 0..3 {
        let problem = Problem::random(1, &links(), 50);
        let hubs = problem.hubs(h);
        let hops = |agent: u32| std::iter::successors(hubs.parent(agent), |&next| hubs.parent(next)).count() as u64;
        let simulated = simulate(problem.algorithm(h, &Consensus::Rounds(9), PLAIN), world(&problem, &[]), Some(3));
        let floats = 64 * 50 * 2;
        let features: u64 = (0..7).map(hops).sum();
        assert_eq!(simulated.account("features"), (features, features * 64 * 50), "h = {h}");
        let terms = 3 * (7 - hubs.len() as u64);
        assert_eq!(simulated.account("terms"), (terms, terms * floats));
        let rounds = 3 * 9 * 2 * 8;
        assert_eq!(simulated.account("consensus"), (rounds, rounds * floats));
        let iteration = simulated.column("iteration_bits")[3].unwrap();
        assert_eq!(iteration, ((terms + rounds) * floats) as f64 / 3.0);
    }
}

/// A slow link in the middle makes nodes drift apart and the run longer; parameters, likelihoods and bits stay what
/// they are.
#[test]
fn time_changes_nothing_but_time() {
    let problem = Problem::random(2, &links(), 50);
    let run = |slow: &[((u32, u32), u64)]| {
        let simulated = simulate(problem.algorithm(1, &Consensus::Rounds(7), PLAIN), world(&problem, slow), Some(4));
        let theta = simulated.algorithm.state().theta.to_vec();
        let objectives: Vec<_> = simulated.rows.iter().map(|row| row.objective).collect();
        (theta, objectives, simulated.engine.context().now().as_nanos())
    };
    let even = run(&[]);
    // A bridge, and a link with a detour over 4: no message of a round is sent round it.
    for slow in [(2, 3), (3, 5)] {
        let uneven = run(&[(slow, 400)]);
        assert_eq!((&even.0, &even.1), (&uneven.0, &uneven.1));
        // Every round waits for the slow link somewhere: 4 iterations of 7 rounds of 400 ms at least.
        assert!(uneven.2 > 4 * 7 * 400_000_000 && uneven.2 > 10 * even.2, "{} and {} ns", uneven.2, even.2);
    }
}

/// With S = 0 a root waits for nobody. Terms of one example overtake those of all 50 in the first iteration, so that its
/// leaf ends many iterations at once: the run ends after the third all the same. Over a link that is slower than all
/// of them the root does not go on for ever.
#[test]
fn roots_without_rounds_do_not_run_away() {
    let problem = Problem::random(5, &[(0, 1)], 50);
    let run = |slow: &[((u32, u32), u64)]| {
        let settings = VpEm { batch: VpBatch::InTurn(1), ..PLAIN };
        simulate(problem.algorithm(1, &Consensus::Rounds(0), settings), world(&problem, slow), Some(3))
    };
    let simulated = run(&[]);
    assert_eq!(simulated.rows.iter().map(|row| row.round).collect::<Vec<_>>(), [0, 1, 2, 3]);
    // 2 000 iterations of 10 µs are under way on a link of 20 ms.
    assert_eq!(run(&[((0, 1), 20)]).rows.len(), 4);
    let StopReason::Failed(why) = run(&[((0, 1), 1_000_000)]).stop else { panic!("the root waits for its leaf") };
    assert!(why.contains("10001 messages are under way at a time"), "{why}");
    // Another hub may be as slow, but for 100 000 iterations.
    let beside = |seconds| {
        let mut slow = world(&problem, &[]);
        slow.speeds[1] = Speed::from_seconds_per_unit(seconds).unwrap();
        let settings = VpEm { batch: VpBatch::InTurn(1), ..PLAIN };
        simulate(problem.algorithm(0, &Consensus::Rounds(0), settings), slow, Some(3))
    };
    assert_eq!(beside(1e-2).rows.iter().map(|row| row.round).collect::<Vec<_>>(), [0, 1, 2, 3]);
    let StopReason::Failed(why) = beside(1.0).stop else { panic!("a root runs ahead of the other one") };
    assert!(why.contains("agent 0 is 100000 iterations ahead of another"), "{why}");
}

/// Flooding costs 64 bits per link direction and round among those that are left and 1 bit from the others, and finds
/// what the central clustering finds.
#[test]
fn flooding_is_charged() {
    let problem = Problem::random(4, &ring(8), 50);
    let central = simulate(problem.algorithm(1, &Consensus::Rounds(5), PLAIN), world(&problem, &[]), Some(2));
    let algorithm = problem.with(1, &Consensus::Rounds(5), PLAIN, HubSearch::Flooding);
    let flooded = simulate(algorithm, world(&problem, &[]), Some(2));
    // Three phases: all 8 (diameter 4, 1 hop, 1 update), a path of 5 (diameter 4), a path of 2 (diameter 1).
    let sending = [(6, 8), (6, 5), (3, 2)];
    let bits: u64 = sending.iter().map(|(rounds, left)| rounds * 2 * (64 * left + 8 - left)).sum();
    assert_eq!(flooded.account("clustering"), (15 * 16, bits));
    assert_eq!(central.account("clustering"), (0, 0));
    // The plan has the lengths once for each phase.
    assert_eq!(problem.hubs(1).flooding(&problem.graph(), 1).coded.len(), sending.len());
    assert_eq!(
        flooded.algorithm.state().theta,
        simulate(problem.algorithm(1, &Consensus::Rounds(5), PLAIN), world(&problem, &[]), Some(2))
            .algorithm
            .state()
            .theta
    );
}

/// Agents that end the flooding at different times: data reach roots that are still at it, and nothing but time
/// changes.
#[test]
fn data_may_come_before_the_flooding_ends() {
    let problem = Problem::random(7, &links(), 40);
    let run = |slow: &[((u32, u32), u64)]| {
        let algorithm = problem.with(2, &Consensus::Rounds(6), PLAIN, HubSearch::Flooding);
        let simulated = simulate(algorithm, world(&problem, slow), Some(2));
        (simulated.algorithm.state().theta.to_vec(), simulated.account("features"), simulated.stop.to_string())
    };
    assert_eq!(run(&[]), run(&[((2, 3), 400), ((4, 5), 90)]));
}

fn stopping(rule: Stopping) -> VpEm {
    VpEm { stopping: rule, ..PLAIN }
}

/// With a flood all stop after the same iteration, ⌈D / S⌉ later than the first one wants to; alone, roots stop one by
/// one and the run ends with the last.
#[test]
fn stopping_rules() {
    let problem = Problem::random(5, &ring(8), 80);
    let flood = simulate(
        problem.algorithm(1, &Consensus::Rounds(2), stopping(Stopping::Flood { tolerance: 1e-3 })),
        world(&problem, &[]),
        None,
    );
    assert!(matches!(&flood.stop, StopReason::Reached(why) if why.starts_with("likelihood")), "{}", flood.stop);
    let alone = Stopping::Alone { tolerance: 1e-3, margin: 0.0 };
    let alone = simulate(problem.algorithm(1, &Consensus::Rounds(2), stopping(alone)), world(&problem, &[]), Some(500));
    let stopped: Vec<f64> = alone.column("stopped_roots").into_iter().map(Option::unwrap).collect();
    assert!(stopped.is_sorted() && *stopped.last().unwrap() == problem.hubs(1).len() as f64, "{stopped:?}");
    assert!(matches!(&alone.stop, StopReason::Reached(why) if why.starts_with("likelihood")), "{}", alone.stop);
    // The first root that wants to stop is the same in both; the flood ends two iterations (D = 4, S = 2) after.
    let first = stopped.iter().position(|&count| count > 0.0).unwrap();
    assert_eq!(flood.rows.last().unwrap().round as usize, first + 2);
}

/// A run that ends by the rule of its roots probes its last row, whatever the cadence of probes is.
#[test]
fn the_last_row_is_probed() {
    let problem = Problem::random(5, &ring(8), 80);
    let flood = problem.algorithm(1, &Consensus::Rounds(2), stopping(Stopping::Flood { tolerance: 1e-3 }));
    let simulated = simulate_probed(flood, world(&problem, &[]), None, None);
    let probed: Vec<bool> = simulated.rows.iter().map(|row| row.objective.is_some()).collect();
    assert!(probed.len() > 3 && probed[0] && probed[probed.len() - 1] && !probed[1], "{probed:?}");
}

/// Agents of different speed: messages of an iteration come while a slow root still computes its own terms of it. None
/// is rejected, and the run goes to its end.
#[test]
fn slow_roots_hear_fast_neighbours() {
    let problem = Problem::random(7, &ring(6), 60);
    let mut world = world(&problem, &[]);
    for (agent, speed) in world.speeds.iter_mut().enumerate() {
        *speed = fedbits_kernel::Speed::from_seconds_per_unit(1e-2 * (1.0 + agent as f64)).unwrap();
    }
    let simulated = simulate(problem.algorithm(0, &Consensus::Rounds(3), PLAIN), world, Some(4));
    assert_eq!(simulated.rows.last().unwrap().round, 4, "{}", simulated.stop);
    assert!(simulated.ledger().iter().all(|row| row.fate != fedbits_record::Fate::Late));
}
