//! Consensus: what weights average, how fast, and what is said about those that do not.

use crate::vpem::common::{PLAIN, Problem, ring, simulate, world};
use fedbits_codec::{Dithering, Indices, LevelCode, Norm, TopK, WireFloat};
use fedbits_protocols::journal::Subject;
use fedbits_protocols::neighbours::consensus::Consensus;
use fedbits_protocols::neighbours::consensus::choco::ChocoSettings;
use fedbits_protocols::neighbours::consensus::plain::{Chebyshev, Plain, Recursion};
use fedbits_protocols::neighbours::graph::{Graph, GraphError};
use fedbits_protocols::neighbours::hubs::{Hubs, Ties};
use fedbits_protocols::neighbours::weights::{Averaging, Weights};
use fedbits_random::Streams;
use fedbits_spec::{Caveat, Choice};

fn errors(problem: &Problem, h: u32, consensus: &Consensus) -> f64 {
    let simulated = simulate(problem.algorithm(h, consensus, PLAIN), world(problem, &[]), Some(1));
    simulated.column("consensus_error").last().unwrap().unwrap()
}

/// The error falls as SLEM^S: on the 8-cycle the slope of its logarithm between 40 and 60 rounds is log SLEM, 0.1 %.
#[test]
fn errors_fall_at_the_rate_of_the_slem() {
    let problem = Problem::random(2, &ring(8), 60);
    let slem = Averaging::new(&Weights::Metropolis, &problem.graph()).unwrap().slem();
    let slope =
        libm::log(errors(&problem, 1, &Consensus::Rounds(60)) / errors(&problem, 1, &Consensus::Rounds(40))) / 20.0;
    let expected = libm::log(slem);
    assert!((slope / expected - 1.0).abs() < 1e-3, "slope {slope}, log SLEM {expected}");
}

fn choco(levels: u32, rounds: u32, step: f64, tracking: bool) -> Consensus {
    let compressor = Dithering { s: levels, r: Norm::Infinity, code: LevelCode::Fixed, wire: WireFloat::F32 };
    Consensus::Choco(ChocoSettings { compressor: Choice::of(compressor), step, rounds, tracking })
}

/// What S rounds leave at the eigenvalue that is left longest: Chebyshev's recursion there.
#[test]
fn what_rounds_leave() {
    let slem = 0.9;
    let (mut before, mut now, mut omega) = (1.0, slem, 1.0 / (1.0 - slem * slem / 2.0));
    let left = |slem, rounds| [Plain.left(slem, rounds), Chebyshev::default().left(slem, rounds)];
    assert_eq!([left(slem, 0), left(0.0, 0), left(0.0, 1)], [[1.0; 2], [1.0; 2], [0.0; 2]]);
    for rounds in 1..20 {
        let found = left(slem, rounds)[1];
        assert!((found / now - 1.0).abs() < 1e-12, "{rounds} rounds leave {now}, not {found}");
        (before, now) = (now, omega * (slem * now - before) + before);
        omega = 1.0 / (1.0 - slem * slem * omega / 4.0);
    }
}

/// Every kind of rounds says when it leaves more than one in a hundred; the first of Chebyshev's is the plain one.
#[test]
fn what_is_left_is_told() {
    let problem = Problem::random(6, &ring(6), 70);
    let told = |consensus: &Consensus| {
        let simulated = simulate(problem.algorithm(0, consensus, PLAIN), world(&problem, &[]), Some(3));
        Caveat::sentences(&simulated.algorithm.caveats()).join("\n")
    };
    let one = told(&Consensus::Rounds(1));
    assert!(one.starts_with("1 consensus round leaves up to 66.7 %"), "{one}");
    assert_eq!(told(&Consensus::Chebyshev(1)), one);
    assert_eq!(told(&Consensus::Chebyshev(30)), "");
    let adaptive = |at_most| told(&Consensus::Adaptive { tolerance: 1e-6, at_most, chebyshev: false });
    assert!(adaptive(2).contains("ended at 2 before they reached their tolerance, in 100.0 %"), "{}", adaptive(2));
    assert_eq!(adaptive(500), "");
    let few = told(&choco(7, 20, 0.4, false));
    assert!(few.contains("left more than 1 % of the differences between roots in 100.0 %"), "{few}");
    assert_eq!(told(&choco(7, 200, 0.4, false)), "");
    let large = |rounds| {
        let compressor = Choice::of(TopK::new(1, Indices::Enumerative, WireFloat::F32));
        Consensus::Choco(ChocoSettings { compressor, step: 1.0, rounds, tracking: true })
    };
    let grown = told(&large(20));
    assert!(grown.contains("increased the differences between roots in 100.0 %"), "{grown}");
    let algorithm = problem.algorithm(0, &large(400), PLAIN);
    let stop = simulate(algorithm, world(&problem, &[]), Some(3)).stop.to_string();
    assert!(stop.contains("grew because `step` is too large"), "{stop}");
}

/// Quantized differences with error compensation converge, whatever the number of levels: 200 rounds with 3-bit levels
/// (s = 3, 7 values) leave less than 1 % of what 0 rounds leave; and tracking needs fewer rounds per iteration.
#[test]
fn choco_converges_with_few_bits() {
    let problem = Problem::random(7, &ring(6), 70);
    let start = errors(&problem, 0, &Consensus::Rounds(0));
    let left = errors(&problem, 0, &choco(3, 200, 0.3, false));
    assert!(left < 0.01 * start, "{left} of {start}");
    let after = |tracking| {
        let algorithm = problem.algorithm(0, &choco(7, 20, 0.4, tracking), PLAIN);
        simulate(algorithm, world(&problem, &[]), Some(12)).column("consensus_error").last().unwrap().unwrap()
    };
    let (tracked, anew) = (after(true), after(false));
    assert!(tracked < 0.2 * anew, "tracking leaves {tracked}, starting anew {anew}");
}

#[test]
fn weights_that_do_not_average_are_refused() {
    let graph = Graph::new(4, ring(4)).unwrap();
    let given = |rows: [[f64; 4]; 4]| Averaging::new(&Weights::Given(rows.map(Vec::from).to_vec()), &graph);
    let half = [[0.5, 0.25, 0.0, 0.25], [0.25, 0.5, 0.25, 0.0], [0.0, 0.25, 0.5, 0.25], [0.25, 0.0, 0.25, 0.5]];
    assert!(given(half).is_ok());
    let mut wrong = half;
    wrong[1][1] = 0.6;
    let flaw = |rows| given(rows).map_err(|flaw| (flaw.at.clone(), flaw.to_string())).unwrap_err();
    assert_eq!((flaw(wrong).0, flaw(wrong).1.contains("sums to 1.1")), (vec![1], true));
    wrong = half;
    wrong[0][2] = 0.1;
    wrong[0][0] = 0.4;
    (wrong[2][0], wrong[2][2]) = (0.1, 0.4);
    assert_eq!((flaw(wrong).0, flaw(wrong).1.contains("they are not neighbours")), (vec![0, 2], true));
    wrong = half;
    (wrong[0][1], wrong[0][0]) = (0.5, 0.25);
    assert_eq!((flaw(wrong).0, flaw(wrong).1.contains("not symmetric: 0.25 here, 0.5")), (vec![1, 0], true));
    // No link is used: the eigenvalue 1 is fourfold. Only neighbours: −1 is an eigenvalue of the even cycle.
    let mut still = [[0.0; 4]; 4];
    (0..4).for_each(|i| still[i][i] = 1.0);
    assert!(flaw(still).1.contains("their eigenvalue 1.000000 has modulus 1 or more"));
    let swap = [[0.0, 0.5, 0.0, 0.5], [0.5, 0.0, 0.5, 0.0], [0.0, 0.5, 0.0, 0.5], [0.5, 0.0, 0.5, 0.0]];
    assert!(flaw(swap).1.contains("their eigenvalue -1.000000 has modulus 1 or more"));
    // λ_max(L) of the 4-cycle is 4: α = 0.6 gives the eigenvalue 1 − 2.4, and the message says where α must lie.
    let error = Averaging::new(&Weights::Laplacian(0.6), &graph).unwrap_err().to_string();
    assert!(error.contains("-1.400000") && error.contains("(0, 2/λ_max) = (0, 0.500000)"), "{error}");
    assert!(Averaging::new(&Weights::Laplacian(0.49), &graph).is_ok(), "α may exceed 1/λ_max");
}

#[test]
fn graphs_in_pieces_are_refused() {
    let error = Graph::new(5, [(0, 1), (2, 3), (3, 4)]).unwrap_err();
    assert_eq!(error, GraphError::Disconnected { from: 0, to: 2 });
}

/// Every outcome of ties on the 8-cycle: a 1-hop hub of three agents goes first, then a path of five is left, whose
/// inner agents tie. 12 partitions, in which random ties end, too.
#[test]
fn ties_of_hubs() {
    let graph = Graph::new(8, ring(8)).unwrap();
    let all = Hubs::all_greedy(&graph, 1, 1_000).unwrap();
    let sets = |hubs: &Hubs| {
        let mut sets: Vec<Vec<u32>> = hubs.hubs().iter().map(|hub| hub.agents.clone()).collect();
        sets.sort_unstable();
        sets
    };
    assert_eq!(all.len(), 12);
    let known: Vec<_> = all.iter().map(sets).collect();
    let drawn = |seed| sets(&Hubs::new(&graph, 1, Ties::Random, &Streams::new(seed, 0)).unwrap());
    let seen: std::collections::BTreeSet<_> = (0..200).map(drawn).collect();
    assert!(seen.iter().all(|outcome| known.contains(outcome)));
    assert_eq!(seen.len(), 12);
}

/// With 0 hops everybody is alone, in any of N! orders; more than a search looks at says so.
#[test]
fn orders_of_the_same_hubs_are_one_outcome() {
    assert_eq!(Hubs::all_greedy(&Graph::new(12, ring(12)).unwrap(), 0, 2).unwrap().len(), 1);
    assert_eq!(Hubs::all_greedy(&Graph::new(40, ring(40)).unwrap(), 0, 2), None);
}
