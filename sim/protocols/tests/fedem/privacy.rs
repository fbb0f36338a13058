//! ε: against dp-accounting over a grid, and of whole runs.

use fedbits_models::data::DataSet;
use fedbits_models::gmm::{Covariance, GaussianMixture};
use fedbits_protocols::aggregation::{Aggregation, Neighbours, SecureAggregation};
use fedbits_protocols::fedem::{Domain, DownMemory, Downlink};
use fedbits_protocols::plan::{Participation, RoundPolicy};
use fedbits_protocols::privacy::renyi::{epsilon, log_a_gaussian, log_a_sampled, orders};
use fedbits_protocols::privacy::{Against, Gaussian, Granularity, Privacy};
use fedbits_protocols::saem::{CentralizedSaem, Coordinates, FlSaem, Local, Panel, Saem};
use fedbits_protocols::schedule::Schedule;
use fedbits_protocols::star::Rounds;
use fedbits_protocols::uplink::{self, Commit, MemoryStart, Recovery};
use fedbits_random::Streams;
use fedbits_spec::Choice;

use crate::fedem::common::simulate::{
    F64, Memory, Place, Settings, Site, after, everybody, fed_em, settings, simulate,
};
use crate::fedem::common::{golden, numbers, shared_among};

fn composed(p: f64, z: f64, steps: f64, delta: f64) -> f64 {
    let log_a = |order| if p < 1.0 { log_a_sampled(p, z, order) } else { Some(log_a_gaussian(z, order)) };
    let each = orders().filter_map(|order| Some((order, (steps * log_a(order)? / (order - 1.0)).max(0.0))));
    epsilon(each, delta)
}

#[test]
fn epsilon_is_that_of_dp_accounting() {
    let file = golden("privacy.json");
    let entries = file["entries"].as_array().unwrap();
    assert!(entries.len() > 900);
    for entry in entries {
        let number = |name: &str| entry[name].as_f64().unwrap();
        let found = composed(number("p"), number("z"), number("steps"), number("delta"));
        let expected = number("epsilon");
        assert!((found - expected).abs() <= 1e-6 * expected.max(1.0), "{entry}: {found}");
    }
}

const SITE: Site = Site { up: 1_000_000, down: 1_000_000, latency_ms: 5, expectation_us: 10 };

fn gaussian(against: Against) -> Option<Privacy> {
    Some(Privacy::Gaussian(Gaussian { clip: 0.1, noise: 3.0, delta: 1e-5, granularity: Granularity::Client, against }))
}

/// The column after each round.
fn column(rounds: Rounds, n: usize, count: u64) -> (Vec<f64>, Vec<u64>) {
    column_of(settings(0.01, Memory::None, n as f64), rounds, n, count)
}

fn column_of(settings: Settings, rounds: Rounds, n: usize, count: u64) -> (Vec<f64>, Vec<u64>) {
    let inputs = golden("g2_fedem.json")["inputs"].clone();
    let s_hat = numbers(&inputs["S0"]);
    let algorithm = fed_em(shared_among(&inputs, n), settings, s_hat).unwrap();
    let simulated = simulate(algorithm, rounds, &Place::even(n, SITE), after(count));
    // Behind ε stands the worst tenth of the clients.
    let epsilons = simulated.rows.iter().map(|row| row.extra.iter().rev().nth(1).copied().flatten().unwrap()).collect();
    (epsilons, simulated.rows.iter().map(|row| row.arrived).collect())
}

/// Everybody in each round: after k of them a client has sent k messages, z / √k.
#[test]
fn messages_add_up_for_their_sender() {
    let rounds = Rounds { privacy: gaussian(Against::Server), ..everybody(RoundPolicy::WaitForAll) };
    let (found, _) = column(rounds, 4, 5);
    let expected: Vec<f64> = (0..=5).map(|k| composed(1.0, 3.0, f64::from(k), 1e-5)).collect();
    assert_eq!(found.len(), 6);
    for (found, expected) in found.iter().zip(&expected) {
        assert!((found - expected).abs() < 1e-12, "{found} {expected}");
    }
    assert!(found[0] == 0.0 && found[5] > 3.0);
}

/// Where chance is counted, every round costs, whoever came; with many clients nearly what dp-accounting says, and more
/// where a client may be alone. Where contributions can be missing nothing is claimed for chance, and it costs more.
#[test]
fn chance_counts_where_everybody_who_is_asked_answers() {
    let participation = Participation::Bernoulli(0.3);
    let rounds = |loses| Rounds {
        privacy: gaussian(Against::Outsiders),
        participation,
        loses,
        ..everybody(RoundPolicy::WaitForAll)
    };
    let (many, _) = column(rounds(false), 32, 8);
    let (few, arrived) = column(rounds(false), 4, 8);
    let (missing, _) = column(rounds(true), 32, 8);
    let ideal = composed(0.3, 3.0, 8.0, 1e-5);
    assert!(many[8] >= ideal && many[8] < 1.01 * ideal, "{} {ideal}", many[8]);
    assert!(few[8] > 1.02 * ideal, "{} {ideal}", few[8]);
    assert!(missing[8] > many[8] && missing[8] <= composed(1.0, 3.0, 8.0, 1e-5) + 1e-12);
    assert!(few.windows(2).all(|pair| pair[1] > pair[0]), "an empty round costs, too: {arrived:?}");
}

/// A compressed downlink tells each client what it has missed: who sees that sees who took part, and chance hides
/// nobody. ε is that of the sums that a client is in, a whole number of them.
#[test]
fn who_sees_what_clients_have_missed_sees_who_took_part() {
    let rounds = Rounds {
        privacy: gaussian(Against::Outsiders),
        participation: Participation::Bernoulli(0.3),
        ..everybody(RoundPolicy::WaitForAll)
    };
    let (compressor, memory) = (Choice::of(F64), DownMemory::NoDownMemory);
    let downlink = Downlink::Compressed { compressor, allow_biased: false, memory };
    let compressed = Settings { downlink, ..settings(0.01, Memory::None, 32.0) };
    let (found, _) = column_of(compressed, rounds, 32, 8);
    let all: Vec<f64> = (0..=8).map(|k| composed(1.0, 3.0, f64::from(k), 1e-5)).collect();
    assert!(found.iter().all(|found| all.iter().any(|all| (all - found).abs() < 1e-12)), "{found:?} of {all:?}");
    assert!(found[8] > 1.5 * composed(0.3, 3.0, 8.0, 1e-5));
}

/// ε of `steps` rounds of n clients, each in with probability p, where a sum of fewer than `least` is not seen: A(α) is
/// the mean over how many of the others are in, of 1 where nothing is seen with the client or without it, of a
/// mechanism that runs with probability p where a sum is seen with it alone, and else of a sample.
fn behind_masks(p: f64, n: i32, least: i32, steps: f64) -> f64 {
    let z = 3.0;
    let at = |order: f64| {
        let (mut total, mut chance) = (0.0, libm::pow(1.0 - p, f64::from(n - 1)));
        for company in 0..n {
            total += chance
                * match company + 1 - least {
                    ..0 => 1.0,
                    0 => 1.0 - p + p * libm::exp(log_a_gaussian(z, order)),
                    1.. => libm::exp(log_a_sampled(p, z, order)?),
                };
            chance *= f64::from(n - 1 - company) / f64::from(company + 1) * p / (1.0 - p);
        }
        Some((order, (steps * libm::log(total) / (order - 1.0)).max(0.0)))
    };
    epsilon(orders().filter(|&order| order < 64.0).filter_map(at), 1e-5)
}

/// That a cohort of one, which masks cannot hide, makes no step tells who was not in: such rounds cost as much as the
/// others, and who would be the second cannot hide in the sample.
#[test]
fn rounds_that_fail_cost_as_much() {
    for neighbours in [Neighbours::All, Neighbours::Degree(2)] {
        let rounds = Rounds {
            privacy: gaussian(Against::Outsiders),
            participation: Participation::Bernoulli(0.3),
            aggregation: Aggregation::SecureAggregation(SecureAggregation { neighbours, ..Default::default() }),
            ..everybody(RoundPolicy::WaitForAll)
        };
        let (found, arrived) = column(rounds, 4, 12);
        for (steps, found) in found.iter().enumerate() {
            let expected = behind_masks(0.3, 4, 2, steps as f64);
            assert!((found - expected).abs() < 1e-9 * expected.max(1.0), "{steps} rounds: {found}, not {expected}");
        }
        assert!(arrived.iter().all(|&arrived| arrived == 0 || arrived >= 2), "{arrived:?}");
        assert!(arrived[1..].contains(&0) && arrived.iter().any(|&arrived| arrived > 0), "{arrived:?}");
    }
}

// ---- FL-SAEM

/// Subjects of four clients of unequal sizes, who compute exact expectations; the first client's are at `x`.
fn sampled(x: f64, setting: FlSaem) -> Saem {
    let client_of: Vec<u32> = [(0, 2), (1, 6), (2, 8), (3, 16)].into_iter().flat_map(|(i, n)| [i].repeat(n)).collect();
    let row = |at: usize| if at < 2 { x } else { (at % 7) as f64 - 3.0 };
    let rows = (0..client_of.len()).map(row).collect();
    let data = DataSet::new(vec!["y".to_owned()], rows, None, None).unwrap();
    let model = GaussianMixture::new(2, 1, Covariance::Known(vec![1.0])).unwrap();
    let panel = Panel::new(Box::new(model.with_examples(data)), &client_of, 4, None).unwrap();
    let expected = setting.participation.expected(4, 1.0);
    Saem::new(panel, setting, expected, vec![0.5, 0.5, -1.0, 1.0], Streams::new(7, 0)).unwrap().in_run(false, true)
}

fn setting(memory: uplink::Memory, coordinates: Coordinates) -> FlSaem {
    let (gamma, local, domain) = (Schedule::Constant(1.0), Local::Expect, Domain::Clip { floor: 1e-9 });
    let plain = FlSaem::from(&CentralizedSaem { gamma, local, domain, likelihood_draws: None });
    FlSaem { memory, coordinates, ..plain }
}

fn hidden(clip: f64, noise: f64, against: Against) -> Option<Privacy> {
    Some(Privacy::Gaussian(Gaussian { clip, noise, delta: 1e-5, granularity: Granularity::Client, against }))
}

/// S after a number of rounds, and ε.
fn fitted(saem: Saem, rounds: Rounds, count: u64) -> (Vec<f64>, f64) {
    let simulated = simulate(saem, rounds, &Place::even(4, SITE), after(count));
    let epsilon = simulated.last().extra.last().copied().flatten().unwrap_or_default();
    (simulated.run.halves().server.s.to_vec(), epsilon)
}

fn distance(x: &[f64], y: &[f64]) -> f64 {
    x.iter().zip(y).map(|(x, y)| (x - y) * (x - y)).sum::<f64>().sqrt()
}

const RAW: uplink::Memory = uplink::Memory::NoMemory;

const ZERO: uplink::Memory = uplink::Memory::Memory {
    initial: MemoryStart::Zero,
    commit: Commit::OnAcknowledgement,
    recovery: Recovery::Restore,
};

/// ε is that of as many Gaussian mechanisms as the client has sent messages, or sums that it was in.
#[test]
fn epsilon_of_fl_saem_is_that_of_its_messages() {
    for (memory, against) in [(ZERO, Against::Server), (RAW, Against::Server), (RAW, Against::Outsiders)] {
        let rounds = Rounds { privacy: hidden(0.5, 3.0, against), ..everybody(RoundPolicy::WaitForAll) };
        let (_, epsilon) = fitted(sampled(0.0, setting(memory, Coordinates::Centred)), rounds, 4);
        let expected = composed(1.0, 3.0, 4.0, 1e-5);
        assert!((epsilon - expected).abs() < 1e-12, "{memory:?}, {against:?}: {epsilon}, not {expected}");
    }
}

/// What the accountant counts on: whatever the data of a client and its weight, it moves the sum of what is sent by no
/// more than C from where that would be without it, and so S by C/n of a step; two data sets of it by 2 C/n.
#[test]
fn a_client_of_fl_saem_moves_the_sum_by_its_clipped_vector() {
    let (clip, n) = (0.05, 4.0);
    for (memory, coordinates) in
        [(ZERO, Coordinates::Natural), (RAW, Coordinates::Centred), (RAW, Coordinates::Natural)]
    {
        let at = |x: f64| {
            let rounds = Rounds { privacy: hidden(clip, 1e-12, Against::Server), ..everybody(RoundPolicy::WaitForAll) };
            fitted(sampled(x, setting(memory, coordinates)), rounds, 1).0
        };
        let moved = distance(&at(-400.0), &at(400.0));
        assert!(moved <= 2.0 * clip / n + 1e-9, "{memory:?}, {coordinates:?}: {moved}");
        assert!(moved > clip / n, "{memory:?}, {coordinates:?}: {moved}");
    }
}

/// Masks hide messages and change no sum but by the rounding to the field; a clip beyond all vectors changes nothing.
#[test]
fn secure_sums_of_fl_saem_are_its_sums() {
    for (memory, coordinates) in
        [(ZERO, Coordinates::Natural), (RAW, Coordinates::Centred), (RAW, Coordinates::Natural)]
    {
        let run = |aggregation, privacy| {
            let rounds = Rounds { aggregation, privacy, ..everybody(RoundPolicy::WaitForAll) };
            fitted(sampled(0.5, setting(memory, coordinates)), rounds, 5).0
        };
        let plain = run(Aggregation::Plain, None);
        let field = SecureAggregation { field_bits: 53, fraction_bits: 40, ..SecureAggregation::default() };
        let masked = run(Aggregation::SecureAggregation(field), None);
        let clipped = run(Aggregation::Plain, hidden(1e6, 1e-18, Against::Server));
        let (masks, clip) = (distance(&plain, &masked), distance(&plain, &clipped));
        assert!(masks < 1e-10 && masks > 0.0 && clip < 1e-9, "{memory:?}, {coordinates:?}: {masks}, {clip}");
    }
}
