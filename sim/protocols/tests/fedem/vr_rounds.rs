//! VR-FedEM over the engine: FedEM's run in full batches, a slow reference in minibatches, what steps cost, and what
//! survives when clients take part irregularly.

use crate::fedem::common::simulate::{
    Place, Settings, Simulated, Site, after, everybody, fed_em, kept, settings, simulate,
};
use crate::fedem::common::{federation, golden, numbers};
use fedbits_codec::{Dithering, LevelCode, WireFloat};
use fedbits_kernel::{Dropout, Hazard, State};
use fedbits_models::{Batch, DomainPolicy, Scratch};
use fedbits_protocols::fedem::{BatchRule, FedEm};
use fedbits_protocols::plan::{Participation, RoundPolicy, StopRules};
use fedbits_protocols::star::Rounds;
use fedbits_protocols::uplink::{Commit, MemoryStart};
use fedbits_protocols::vr_fedem::{InnerSteps, Previous, Spider};
use fedbits_random::{DrawPurpose, Streams};
use fedbits_spec::Duration;
use serde_json::Value;

const N: u32 = 4;
const M: u64 = 8;
const PLACE: Site = Site { up: 10_000_000, down: 50_000_000, latency_ms: 40, expectation_us: 1_000 };
const WAIT: RoundPolicy = RoundPolicy::WaitForAll;

fn inputs() -> Value {
    golden("g3_vrfedem.json")["inputs"].clone()
}

fn fedem(settings: Settings) -> FedEm {
    fed_em(federation(&inputs()), settings, numbers(&inputs()["S0"])).unwrap()
}

/// Memories from h_i, acknowledged; dithered if `levels` are given.
fn common(gamma: f64, participants: f64, levels: Option<u32>) -> Settings {
    let memory = kept(0.5, MemoryStart::MeanField, Commit::OnAcknowledgement);
    let mut settings = settings(gamma, memory, participants);
    if let Some(s) = levels {
        settings.compressor = Box::new(Dithering::qsgd(s, LevelCode::EliasSparse, WireFloat::F64));
    }
    settings
}

fn vr(settings: Settings, inner: InnerSteps, batch: BatchRule, previous: Previous) -> FedEm<Spider> {
    fedem(Settings { batch, ..settings }).with_local_rule(Spider { inner, previous })
}

fn bits(x: &[f64]) -> Vec<u64> {
    x.iter().map(|x| x.to_bits()).collect()
}

fn state(simulated: &Simulated<FedEm<Spider>>) -> Vec<Vec<u64>> {
    let halves = simulated.run.halves();
    let memories = halves.memories.iter().map(|memory| bits(memory.committed()));
    [bits(&halves.server.s_hat), bits(&halves.server.theta), bits(halves.v())].into_iter().chain(memories).collect()
}

/// b = m: the increments telescope to s̄_i(T(Ŝ)), so VR-FedEM is FedEM in full batches, bit for bit, compressed or not,
/// for every k_in. A step costs 2 m where values are computed again (and the refresh m more), m where they are kept.
#[test]
fn full_batches_are_fedem_bit_for_bit() {
    let place = Place::even(N as usize, PLACE);
    for levels in [None, Some(2)] {
        let reference = simulate(fedem(common(0.4, 4.0, levels)), everybody(WAIT), &place, after(12));
        let expected =
            (bits(&reference.fedem().s_hat), bits(&reference.fedem().theta), bits(reference.run.halves().v()));
        for (k_in, outer_loops) in [(1, 12), (5, 3), (100, 1)] {
            for (previous, cost) in [(Previous::Cached, 12 * M), (Previous::Recomputed, 24 * M + outer_loops * M)] {
                let algorithm = vr(common(0.4, 4.0, levels), InnerSteps::Fixed(k_in), BatchRule::All, previous);
                let simulated = simulate(algorithm, everybody(WAIT), &place, after(12));
                let (found, v) = (&simulated.run.halves().server, simulated.run.halves().v());
                assert_eq!((bits(&found.s_hat), bits(&found.theta), bits(v)), expected, "k_in = {k_in}");
                assert_eq!(simulated.last().expectations, u64::from(N) * (M + cost), "k_in = {k_in}, {previous:?}");
            }
        }
    }
}

/// Slow reference: Algorithm 2 written down again, one client after the other, with the same draws, without compression
/// and engine. In this case the order of all operations is that of the algorithm, so the bits agree.
#[test]
fn minibatches_follow_algorithm_2() {
    let (gamma, k_in, b, rounds) = (0.3, 4, 3, 11);
    let rule = BatchRule::WithReplacement(b);
    let algorithm = vr(common(gamma, 4.0, None), InnerSteps::Fixed(k_in), rule, Previous::Recomputed);
    let simulated = simulate(algorithm, everybody(WAIT), &Place::even(N as usize, PLACE), after(rounds));

    let (federation, streams) = (federation(&inputs()), Streams::new(1, 0));
    let q = 6;
    let theta_of = |s: &[f64]| {
        let mut theta = Vec::new();
        federation.model().maximize(s, DomainPolicy::Error, &mut theta).unwrap();
        theta
    };
    let s_bar = |theta: &[f64], i: u32, batch: Batch<'_>| {
        let mut out = vec![0.0; q];
        let e_step = federation.model().conditional(theta).unwrap();
        e_step.mean_statistics(federation.examples(i), batch, &mut Scratch::default(), &mut out);
        out
    };
    let mut s_hat = numbers(&inputs()["S0"]);
    let mut theta = theta_of(&s_hat);
    let mut estimates: Vec<Vec<f64>> = (0..N).map(|i| s_bar(&theta, i, Batch::All)).collect();
    let mut memories: Vec<Vec<f64>> =
        estimates.iter().map(|s| s.iter().zip(&s_hat).map(|(s, hat)| s - hat).collect()).collect();
    let mean = |rows: &[Vec<f64>]| -> Vec<f64> {
        (0..q).map(|j| rows.iter().map(|row| row[j]).sum::<f64>() / f64::from(N)).collect()
    };
    let (mut v, mut theta_before) = (mean(&memories), theta.clone());
    for round in 1..=rounds {
        let first = (round - 1) % u64::from(k_in) == 0;
        let mut deltas = Vec::new();
        for i in 0..N {
            let mut stream = streams.at(DrawPurpose::Minibatch, u64::from(i), round);
            let indices: Vec<u32> = (0..b).map(|_| stream.below(M) as u32).collect();
            let estimate = &mut estimates[i as usize];
            if first {
                *estimate = s_bar(&theta, i, Batch::All);
            } else {
                let now = s_bar(&theta, i, Batch::Indices(&indices));
                let before = s_bar(&theta_before, i, Batch::Indices(&indices));
                (0..q).for_each(|j| estimate[j] += now[j] - before[j]);
            }
            let memory = &mut memories[i as usize];
            let delta: Vec<f64> = (0..q).map(|j| 1.0 * (estimate[j] - s_hat[j]) - memory[j]).collect();
            (0..q).for_each(|j| memory[j] += 0.5 * delta[j]);
            deltas.push(delta);
        }
        theta_before.clone_from(&theta);
        for j in 0..q {
            let sum = deltas.iter().map(|delta| delta[j]).sum::<f64>();
            s_hat[j] += gamma * (v[j] + sum / f64::from(N));
            v[j] += 0.5 * sum / f64::from(N);
        }
        theta = theta_of(&s_hat);
    }
    let found = simulated.run.halves();
    assert_eq!(bits(&found.server.s_hat), bits(&s_hat));
    assert_eq!(bits(found.v()), bits(&v));
    (0..N as usize).for_each(|i| assert_eq!(bits(&found.clients[i].s_i), bits(&estimates[i])));
}

/// K_CE = n m + k_out (n m + 2 n b k_in) where values are computed again; kept values change the count and the compute
/// time, and no bit of the result. The refresh takes its time: a first step of an outer loop lasts longer than the
/// others.
#[test]
fn expectations_and_time() {
    let (k_in, b, k_out) = (5, 3, 4);
    let place = Place::even(N as usize, PLACE);
    let rule = BatchRule::WithReplacement(b);
    let run = |previous, rounds| {
        let algorithm = vr(common(0.3, 4.0, Some(2)), InnerSteps::Fixed(k_in), rule, previous);
        simulate(algorithm, everybody(WAIT), &place, after(rounds))
    };
    let rounds = u64::from(k_in) * k_out;
    let recomputed = run(Previous::Recomputed, rounds);
    let n = u64::from(N);
    assert_eq!(recomputed.last().expectations, n * M + k_out * (n * M + 2 * n * u64::from(b) * u64::from(k_in)));
    let cached = run(Previous::Cached, rounds);
    assert_eq!(state(&cached), state(&recomputed));
    // Per outer loop and client: the refresh, then steps of b new and at most b old values, none in the first of them.
    let most = n * M + k_out * n * (M + u64::from(b) * (u64::from(k_in) - 1) * 2 - u64::from(b));
    assert!(cached.last().expectations <= most && cached.last().time_ns < recomputed.last().time_ns);
    let duration = |round: usize| recomputed.rows[round].time_ns - recomputed.rows[round - 1].time_ns;
    assert!(
        duration(6) > duration(5) + 7_000_000,
        "a refresh of 8 expectations of 1 ms: {} and {} ns",
        duration(6),
        duration(5)
    );
}

/// Partial participation (ours), compression, geometric loops: variance reduction and memories leave no noise, so ‖h‖²
/// falls to rounding, where FedEM with the same minibatches stays at its noise.
#[test]
fn partial_participation_converges() {
    let place = Place::even(N as usize, PLACE);
    let rounds = || Rounds { participation: Participation::Bernoulli(0.6), ..everybody(WAIT) };
    let stop = || StopRules { rounds: Some(6_000), mean_field_sq: Some(1e-22), ..StopRules::default() };
    for inner in [InnerSteps::Fixed(6), InnerSteps::Geometric(6)] {
        let algorithm = vr(common(0.05, 2.4, Some(4)), inner, BatchRule::WithReplacement(3), Previous::Cached);
        let simulated = simulate(algorithm, rounds(), &place, stop());
        let h_sq = simulated.last().mean_field_sq.unwrap();
        assert!(h_sq <= 1e-22, "{inner:?}: ‖h‖² = {h_sq:e} after {} rounds", simulated.last().round);
    }
    let mut noisy = common(0.05, 2.4, Some(4));
    noisy.batch = BatchRule::WithReplacement(3);
    let simulated = simulate(fedem(noisy), rounds(), &place, StopRules { rounds: Some(1_500), ..stop() });
    let tail: Vec<f64> = simulated.rows.iter().rev().take(500).filter_map(|row| row.mean_field_sq).collect();
    assert!(tail.iter().sum::<f64>() / tail.len() as f64 > 1e-6);
}

/// Deadlines, late broadcasts and dropouts: V stays the mean of the V_i (every probe asserts it), and ‖h‖² still falls
/// far.
#[test]
fn losses_do_not_break_the_estimates() {
    let mut place = Place::even(N as usize, PLACE);
    place.sites[3] = Site { up: 9_600, down: 9_600, latency_ms: 120, expectation_us: 30_000 };
    place.dropout = Dropout::Hazard(Hazard { per_second: 0.4, restart: Duration::Ms(400.0), state: State::Kept });
    let deadline = RoundPolicy::Deadline(Duration::Ms(250.0));
    let rounds = || Rounds { participation: Participation::Bernoulli(0.8), ..everybody(deadline) };
    for inner in [InnerSteps::Fixed(7), InnerSteps::Geometric(3)] {
        let algorithm = vr(common(0.05, 3.2, Some(4)), inner, BatchRule::WithReplacement(3), Previous::Recomputed);
        let simulated = simulate(algorithm, rounds(), &place, after(400));
        let first = simulated.rows[0].mean_field_sq.unwrap();
        let last = simulated.last().mean_field_sq.unwrap();
        assert!(last < first, "{inner:?}: ‖h‖² from {first:e} to {last:e}");
        assert!(simulated.last().bits_wasted > 0, "something was lost or late");
    }
}
