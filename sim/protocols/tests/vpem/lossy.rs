//! Exchange with missing messages: without losses it is the consensus it stands for, with losses push-sum finds the
//! average.

use crate::vpem::common::{PLAIN, Problem, Simulated, linear, lossy_world, ring, simulate, world};
use fedbits_kernel::{StopReason, TimeDelta};
use fedbits_protocols::neighbours::weights::{Averaging, Weights};
use fedbits_protocols::run::Driver;
use fedbits_protocols::vpem::Exchange;
use fedbits_protocols::vpem::lossy::{Lossy, Missing};
use fedbits_record::Fate;
use fedbits_spec::Caveat;

fn lossy(problem: &Problem, h: u32, kind: Missing, rounds: u32, patience: Option<TimeDelta>) -> Exchange {
    let graph = problem.graph();
    let averaging = Averaging::new(&Weights::Metropolis, &graph).unwrap();
    Exchange::Lossy { consensus: Box::new(Lossy::new(kind, rounds, averaging, &graph, &problem.hubs(h))), patience }
}

fn error(simulated: &Simulated) -> f64 {
    simulated.column("consensus_error").last().unwrap().unwrap()
}

/// Nothing is lost: the realized mixing matrix of the events is W^S, so errors and objectives are those of the plain
/// rounds up to rounding; push-sum converges on its own.
#[test]
fn without_losses() {
    let problem = Problem::random(1, &ring(7), 60);
    let run = |consensus| simulate(problem.algorithm(1, consensus, PLAIN), world(&problem, &[]), Some(4));
    let (plain, realized) = (run(linear(12)), run(lossy(&problem, 1, Missing::Substitute, 12, None)));
    for (one, other) in plain.rows.iter().zip(&realized.rows) {
        let (one, other) = (one.objective.unwrap(), other.objective.unwrap());
        assert!((one - other).abs() < 1e-12 * one.abs(), "{one} and {other}");
    }
    assert!((error(&plain) / error(&realized) - 1.0).abs() < 1e-9);
    assert_eq!(plain.account("consensus"), realized.account("consensus"));
    let far = run(lossy(&problem, 1, Missing::PushSum, 10, None));
    let near = run(lossy(&problem, 1, Missing::PushSum, 200, None));
    assert!(error(&near) < 1e-9 * error(&far), "{} and {}", error(&near), error(&far));
    // One float more than the terms in every message.
    let (messages, bits) = near.account("consensus");
    assert_eq!(bits, messages * 64 * (60 * 2 + 1));
}

/// A fifth of all messages is lost. After 200 rounds push-sum is at the average; with substitutes agents agree on
/// something else.
#[test]
fn with_losses() {
    let problem = Problem::random(2, &ring(7), 60);
    let run = |kind| {
        simulate(problem.algorithm(0, lossy(&problem, 0, kind, 200, None), PLAIN), lossy_world(&problem, 0.2), Some(2))
    };
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
    let consensus = lossy(&problem, 0, Missing::PushSum, 1_000, None);
    let simulated = simulate(problem.algorithm(0, consensus, PLAIN), lossy_world(&problem, 0.9999), Some(1));
    assert!(error(&simulated).is_finite() && simulated.rows.len() == 2, "{}", simulated.stop);
}

/// Rounds of which nothing is lost leave something, too, if they are few. One hub has all before them, whatever is lost.
#[test]
fn what_is_left_is_told() {
    let problem = Problem::random(4, &ring(7), 60);
    let told = |h, rounds, probability| {
        let consensus = lossy(&problem, h, Missing::PushSum, rounds, None);
        let world = lossy_world(&problem, probability);
        Caveat::sentences(&simulate(problem.algorithm(h, consensus, PLAIN), world, Some(2)).driver.parts().0.caveats())
    };
    let left = "the rounds left more than 1 % of the differences between roots, in 100.0 % of the iterations";
    let few = told(0, 2, 0.0);
    assert!(few.len() == 1 && few[0].starts_with(left), "{few:?}");
    assert!(told(0, 100, 0.0).is_empty());
    let both = told(0, 10, 0.2);
    assert!(both.len() == 2 && both[0].contains("were lost or too late") && both[1].starts_with(left), "{both:?}");
    assert!(told(3, 10, 0.2).is_empty());
}

/// A bridge of 300 ms and a patience of 50 ms: rounds go on without its messages, which are used when they come, or
/// booked as late when the iteration is over; the run takes a patience per round at most instead of 300 ms.
#[test]
fn late_messages() {
    let path = [(0, 1), (1, 2), (2, 3), (3, 4)];
    let problem = Problem::random(3, &path, 30);
    let slow = [((2, 3), 300)];
    let run = |patience| {
        let consensus = lossy(&problem, 0, Missing::PushSum, 60, patience);
        simulate(problem.algorithm(0, consensus, PLAIN), world(&problem, &slow), Some(2))
    };
    let (hasty, patient) = (run(Some(TimeDelta::from_nanos(50_000_000))), run(None));
    let late = |simulated: &Simulated| simulated.ledger().iter().filter(|row| row.fate == Fate::Late).count();
    assert!(late(&hasty) > 0, "messages of the first iteration come when it is over");
    assert_eq!(late(&patient), 0);
    let time = |simulated: &Simulated| simulated.engine.context().now().as_nanos();
    assert!(time(&patient) >= 2 * 60 * 300_000_000 && time(&hasty) < time(&patient) / 3, "{} ns", time(&hasty));
    // Late sums stand in for those that are missing: push-sum still averages over the slow link.
    let nothing = error(&simulate(problem.algorithm(0, linear(0), PLAIN), world(&problem, &[]), Some(1)));
    assert!(error(&hasty) < 0.05 * nothing, "{} of {nothing}", error(&hasty));
}

/// Agents whose patience is far shorter than a message takes hear nobody, and go on: what is under way has a bound.
#[test]
fn impatient_agents_do_not_fill_the_memory() {
    let problem = Problem::random(6, &ring(7), 60);
    let slow: Vec<_> = ring(7).into_iter().map(|ends| (ends, 1_000_000)).collect();
    let consensus = lossy(&problem, 1, Missing::Substitute, 500, Some(TimeDelta::from_nanos(1_000_000)));
    let stop = simulate(problem.algorithm(1, consensus, PLAIN), world(&problem, &slow), Some(1_000)).stop;
    let StopReason::Failed(why) = stop else { panic!("they hear nobody") };
    assert!(why.contains("14001 messages are under way at a time"), "{why}");
}
