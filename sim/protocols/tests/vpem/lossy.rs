//! Consensus with missing messages: with losses push-sum finds the average.

use crate::vpem::common::{PLAIN, Problem, Simulated, lossy_world, ring, simulate, world};
use fedbits_kernel::StopReason;
use fedbits_protocols::journal::Subject;
use fedbits_protocols::neighbours::consensus::Consensus;
use fedbits_protocols::neighbours::consensus::lossy::Missing;
use fedbits_record::Fate;
use fedbits_spec::{Caveat, Duration};

fn lossy(missing: Missing, rounds: u32) -> Consensus {
    Consensus::Lossy { rounds, missing, patience: None }
}

fn error(simulated: &Simulated) -> f64 {
    simulated.column("consensus_error").last().unwrap().unwrap()
}

/// A fifth of all messages is lost. After 200 rounds push-sum is at the average; with substitutes agents agree on
/// something else.
#[test]
fn with_losses() {
    let problem = Problem::random(2, &ring(7), 60);
    let run =
        |kind| simulate(problem.algorithm(0, &lossy(kind, 200), PLAIN), lossy_world(&problem, 0.2, None), Some(2));
    let (push_sum, substitute) = (run(Missing::PushSum), run(Missing::Substitute));
    assert!(error(&push_sum) < 1e-3 * error(&substitute), "{} and {}", error(&push_sum), error(&substitute));
    let lost = push_sum.ledger().iter().filter(|row| row.fate == Fate::Lost).map(|row| row.messages).sum::<u64>();
    let sent = push_sum.account("consensus").0;
    // Binomial: 0.2 within seven standard errors.
    let share = lost as f64 / sent as f64;
    assert!((share - 0.2).abs() < 7.0 * (0.16 / sent as f64).sqrt(), "{lost} of {sent}");
}

/// Almost nothing arrives in 1 000 rounds: what an agent cuts into shares is a third in each, and 3^−1000 is no number.
#[test]
fn who_hears_nothing_keeps_its_own() {
    let problem = Problem::random(2, &ring(7), 60);
    let algorithm = problem.algorithm(0, &lossy(Missing::PushSum, 1_000), PLAIN);
    let simulated = simulate(algorithm, lossy_world(&problem, 0.9999, None), Some(1));
    assert!(error(&simulated).is_finite() && simulated.rows.len() == 2, "{}", simulated.stop);
}

/// Rounds of which nothing is lost leave something, too, if they are few. One hub has all before them, whatever is lost.
#[test]
fn what_is_left_is_told() {
    let problem = Problem::random(4, &ring(7), 60);
    let told = |h, rounds, probability| {
        let algorithm = problem.algorithm(h, &lossy(Missing::PushSum, rounds), PLAIN);
        let world = lossy_world(&problem, probability, None);
        Caveat::sentences(&simulate(algorithm, world, Some(2)).algorithm.caveats())
    };
    let left = "the rounds left more than 1 % of the differences between roots in 100.0 % of the iterations";
    let few = told(0, 2, 0.0);
    assert!(few.len() == 1 && few[0].starts_with(left), "{few:?}");
    assert!(told(0, 100, 0.0).is_empty());
    let both = told(0, 10, 0.2);
    assert!(both.len() == 2 && both[0].contains("were lost or late") && both[1].starts_with(left), "{both:?}");
    assert!(told(3, 10, 0.2).is_empty());
}

/// Agents whose patience is far shorter than a message takes hear nobody, and go on: what is under way has a bound.
#[test]
fn impatient_agents_do_not_fill_the_memory() {
    let problem = Problem::random(6, &ring(7), 60);
    let slow: Vec<_> = ring(7).into_iter().map(|ends| (ends, 1_000_000)).collect();
    let patience = Some(Duration::Ms(1.0));
    let consensus = Consensus::Lossy { rounds: 500, missing: Missing::Substitute, patience };
    let stop = simulate(problem.algorithm(1, &consensus, PLAIN), world(&problem, &slow), Some(1_000)).stop;
    let StopReason::Failed(why) = stop else { panic!("they hear nobody") };
    assert!(why.contains("14001 messages are under way at a time"), "{why}");
}
