//! Exchange: what weights average, how fast, and what is said about those that do not.

use crate::vpem::common::{PLAIN, Problem, complete, linear, ring, simulate, world};
use fedbits_codec::{Dithering, Indices, Lazy, LevelCode, Norm, TopK, WireFloat};
use fedbits_protocols::neighbours::graph::{Graph, GraphError};
use fedbits_protocols::neighbours::rounds::{Rounds, Scheme, fixed, left};
use fedbits_protocols::neighbours::weights::{Averaging, Weights, WeightsError};
use fedbits_protocols::run::Driver;
use fedbits_protocols::vpem::Exchange;
use fedbits_protocols::vpem::choco::{Choco, ChocoSettings};
use fedbits_protocols::vpem::hubs::{Hubs, Ties};
use fedbits_random::Streams;
use fedbits_spec::{Caveat, Choice};

fn errors(problem: &Problem, h: u32, consensus: impl Fn() -> Exchange) -> f64 {
    let simulated = simulate(problem.algorithm(h, consensus(), PLAIN), world(problem, &[]), Some(1));
    simulated.column("consensus_error").last().unwrap().unwrap()
}

/// On the complete graph Metropolis weights are all 1/N: one round is the average.
#[test]
fn one_round_is_exact_on_the_complete_graph() {
    let problem = Problem::random(1, &complete(6), 60);
    assert!(errors(&problem, 0, || linear(1)) < 1e-12 * errors(&problem, 0, || linear(0)));
}

/// The error falls as SLEM^S: on the 8-cycle the slope of its logarithm between 40 and 60 rounds is log SLEM, 0.1 %.
#[test]
fn errors_fall_at_the_rate_of_the_slem() {
    let problem = Problem::random(2, &ring(8), 60);
    let slem = Averaging::new(&Weights::Metropolis, &problem.graph()).unwrap().slem();
    let slope = libm::log(errors(&problem, 1, || linear(60)) / errors(&problem, 1, || linear(40))) / 20.0;
    let expected = libm::log(slem);
    assert!((slope / expected - 1.0).abs() < 1e-3, "slope {slope}, log SLEM {expected}");
}

/// Chebyshev's iteration needs about the square root of the rounds: on the 20-cycle 40 rounds leave less than 150 plain
/// ones, and coefficients still sum to N at every agent (averages are kept).
#[test]
fn chebyshev_is_faster() {
    let problem = Problem::random(3, &ring(20), 60);
    let fast = || Exchange::Linear { scheme: Scheme::Chebyshev, rounds: Rounds::Fixed(40) };
    assert!(errors(&problem, 0, fast) < errors(&problem, 0, || linear(150)));
    let averaging = Averaging::new(&Weights::Metropolis, &problem.graph()).unwrap();
    for row in fixed(Scheme::Chebyshev, &averaging, problem.hubs(0).initial_states(), 17).rows() {
        assert!((row.iter().sum::<f64>() - 20.0).abs() < 1e-10);
    }
}

/// Adaptive rounds: fewer for a looser tolerance, and what they leave is of its size.
#[test]
fn adaptive_rounds() {
    let problem = Problem::random(4, &ring(8), 60);
    let run = |tolerance: f64| {
        let rounds = Rounds::Adaptive { tolerance, at_most: 500 };
        let consensus = Exchange::Linear { scheme: Scheme::Plain, rounds };
        let simulated = simulate(problem.algorithm(0, consensus, PLAIN), world(&problem, &[]), Some(1));
        let last = |name: &str| simulated.column(name).last().unwrap().unwrap();
        (last("consensus_rounds"), last("consensus_error"))
    };
    let ((few, loose), (many, tight)) = (run(1e-2), run(1e-6));
    assert!(few < many && tight < 1e-3 * loose, "{few} rounds leave {loose}, {many} leave {tight}");
}

fn choco(problem: &Problem, levels: Option<u32>, rounds: u32, step: f64, tracking: bool) -> Exchange {
    let wire = if levels.is_some() { WireFloat::F32 } else { WireFloat::F64 };
    let compressor = match levels {
        None => Choice::default(),
        Some(s) => Choice::of(Dithering { s, r: Norm::Infinity, code: LevelCode::Fixed, wire }),
    };
    quantized(problem, ChocoSettings { compressor, step, rounds, tracking }, wire)
}

fn quantized(problem: &Problem, settings: ChocoSettings, wire: WireFloat) -> Exchange {
    let averaging = Averaging::new(&Weights::Metropolis, &problem.graph()).unwrap();
    let choco = Choco::new(&settings, (&averaging, &problem.hubs(0)), wire, true, Streams::new(5, 0));
    Exchange::Quantized(Box::new(choco))
}

/// What S rounds leave at the eigenvalue that is left longest: Chebyshev's recursion there.
#[test]
fn what_rounds_leave() {
    let slem = 0.9;
    let (mut before, mut now, mut omega) = (1.0, slem, 1.0 / (1.0 - slem * slem / 2.0));
    assert_eq!([left(Scheme::Plain, slem, 0), left(Scheme::Chebyshev, 0.0, 0)], [1.0, 1.0]);
    assert_eq!([left(Scheme::Plain, 0.0, 1), left(Scheme::Chebyshev, 0.0, 1)], [0.0, 0.0]);
    for rounds in 1..20 {
        let found = left(Scheme::Chebyshev, slem, rounds);
        assert!((found / now - 1.0).abs() < 1e-12, "{rounds} rounds leave {now}, not {found}");
        (before, now) = (now, omega * (slem * now - before) + before);
        omega = 1.0 / (1.0 - slem * slem * omega / 4.0);
    }
}

/// Every kind of rounds says when it leaves more than one in a hundred; the first of Chebyshev's is the plain one.
#[test]
fn what_is_left_is_told() {
    let problem = Problem::random(6, &ring(6), 70);
    let told = |consensus| {
        let mut simulated = simulate(problem.algorithm(0, consensus, PLAIN), world(&problem, &[]), Some(3));
        Caveat::sentences(&simulated.driver.parts().0.caveats()).join("\n")
    };
    let linear = |scheme, rounds| told(Exchange::Linear { scheme, rounds });
    let one = linear(Scheme::Plain, Rounds::Fixed(1));
    assert!(one.starts_with("1 consensus round leaves up to 66.7 %"), "{one}");
    assert_eq!(linear(Scheme::Chebyshev, Rounds::Fixed(1)), one);
    assert_eq!(linear(Scheme::Chebyshev, Rounds::Fixed(30)), "");
    let adaptive = |at_most| linear(Scheme::Plain, Rounds::Adaptive { tolerance: 1e-6, at_most });
    assert!(adaptive(2).contains("ended at 2 before their tolerance was reached, in 100.0 %"), "{}", adaptive(2));
    assert_eq!(adaptive(500), "");
    let few = told(choco(&problem, Some(7), 20, 0.4, false));
    assert!(few.contains("left more than 1 % of the differences between roots, in 100.0 %"), "{few}");
    assert_eq!(told(choco(&problem, Some(7), 200, 0.4, false)), "");
    let large = |rounds| {
        let compressor = Choice::of(TopK::new(1, Indices::Enumerative, WireFloat::F32));
        ChocoSettings { compressor, step: 1.0, rounds, tracking: true }
    };
    let grown = told(quantized(&problem, large(20), WireFloat::F32));
    assert!(grown.contains("made differences between roots larger, in 100.0 %"), "{grown}");
    let algorithm = problem.algorithm(0, quantized(&problem, large(400), WireFloat::F32), PLAIN);
    let stop = simulate(algorithm, world(&problem, &[]), Some(3)).stop.to_string();
    assert!(stop.contains("grew because `step` is too large"), "{stop}");
}

/// With the identity and γ = 1, CHOCO is plain consensus: the same errors up to rounding.
#[test]
fn choco_without_compression_is_plain_consensus() {
    let problem = Problem::random(6, &ring(6), 70);
    let (plain, exact) =
        (errors(&problem, 0, || linear(9)), errors(&problem, 0, || choco(&problem, None, 9, 1.0, false)));
    assert!((plain / exact - 1.0).abs() < 1e-9, "{plain} and {exact}");
}

/// Quantized differences with error compensation converge, whatever the number of levels: 200 rounds with 3-bit levels
/// (s = 3, 7 values) leave less than 1 % of what 0 rounds leave; and tracking needs fewer rounds per iteration.
#[test]
fn choco_converges_with_few_bits() {
    let problem = Problem::random(7, &ring(6), 70);
    let start = errors(&problem, 0, || linear(0));
    let left = errors(&problem, 0, || choco(&problem, Some(3), 200, 0.3, false));
    assert!(left < 0.01 * start, "{left} of {start}");
    let after = |tracking| {
        let algorithm = problem.algorithm(0, choco(&problem, Some(7), 20, 0.4, tracking), PLAIN);
        simulate(algorithm, world(&problem, &[]), Some(12)).column("consensus_error").last().unwrap().unwrap()
    };
    let (tracked, anew) = (after(true), after(false));
    assert!(tracked < 0.2 * anew, "tracking leaves {tracked}, starting anew {anew}");
}

/// Bits of quantized rounds: per 32 examples a norm (32 bits) and K · 32 levels of ⌈log₂(2 s + 1)⌉ bits; here M = 70 =
/// 2 · 32 + 6.
#[test]
fn quantized_rounds_cost_what_their_strings_have() {
    let problem = Problem::random(8, &ring(6), 70);
    let simulated =
        simulate(problem.algorithm(0, choco(&problem, Some(7), 5, 0.4, false), PLAIN), world(&problem, &[]), Some(1));
    let message = 3 * 32 + 2 * 70 * 4;
    assert_eq!(simulated.column("iteration_bits").last().unwrap().unwrap(), (5 * 12 * message) as f64);
}

/// Strings that do not end themselves: the two pieces of 64 numbers have their length before them, ω(2049) of 19 bits.
#[test]
fn pieces_that_do_not_end_themselves_have_their_length() {
    let problem = Problem::random(8, &ring(6), 70);
    let compressor = Choice::of(Lazy { p: 1.0, wire: WireFloat::F32 });
    let settings = ChocoSettings { compressor, step: 0.4, rounds: 5, tracking: false };
    let algorithm = problem.algorithm(0, quantized(&problem, settings, WireFloat::F32), PLAIN);
    let simulated = simulate(algorithm, world(&problem, &[]), Some(1));
    let message = 2 * (19 + 64 * 32) + 12 * 32;
    assert_eq!(simulated.column("iteration_bits").last().unwrap().unwrap(), (5 * 12 * message) as f64);
}

#[test]
fn weights_that_do_not_average_are_refused() {
    let graph = Graph::new(4, ring(4)).unwrap();
    let given = |rows: [[f64; 4]; 4]| Averaging::new(&Weights::Given(rows.map(Vec::from).to_vec()), &graph);
    let half = [[0.5, 0.25, 0.0, 0.25], [0.25, 0.5, 0.25, 0.0], [0.0, 0.25, 0.5, 0.25], [0.25, 0.0, 0.25, 0.5]];
    assert!(given(half).is_ok());
    let mut wrong = half;
    wrong[1][1] = 0.6;
    assert_eq!(given(wrong), Err(WeightsError::RowSum { row: 1, sum: 1.1 }));
    wrong = half;
    wrong[0][2] = 0.1;
    assert!(matches!(given(wrong), Err(WeightsError::NoLink { row: 0, column: 2, .. })));
    wrong = half;
    wrong[0][1] = 0.5;
    wrong[0][0] = 0.25;
    assert!(matches!(given(wrong), Err(WeightsError::NotSymmetric { row: 0, column: 1, .. })));
    // No link is used: the eigenvalue 1 is fourfold. Only neighbours: −1 is an eigenvalue of the even cycle.
    let mut still = [[0.0; 4]; 4];
    (0..4).for_each(|i| still[i][i] = 1.0);
    assert!(
        matches!(given(still), Err(WeightsError::Eigenvalue { eigenvalue, .. }) if (eigenvalue - 1.0).abs() < 1e-12)
    );
    let swap = [[0.0, 0.5, 0.0, 0.5], [0.5, 0.0, 0.5, 0.0], [0.0, 0.5, 0.0, 0.5], [0.5, 0.0, 0.5, 0.0]];
    assert!(
        matches!(given(swap), Err(WeightsError::Eigenvalue { eigenvalue, .. }) if (eigenvalue + 1.0).abs() < 1e-12)
    );
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
