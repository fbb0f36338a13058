//! Asynchronous and buffered steps, late contributions that count, lost memories, weights of what arrived.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use crate::fedem::baselines::fed_avg_setting;
use crate::fedem::common::simulate::{
    F64, Memory, Place, Settings, Simulated, Site, after, drift_sq, everybody, fed_em, kept, settings, simulate,
};
use crate::fedem::common::{assert_close, em, em_step, federation, golden, numbers, one_client, streams};
use fedbits_codec::{
    BitReader, BitWriter, CodecError, Compressor, CounterKey, Dithering, Draw, Encoded, ExpectedBits, Indices,
    LevelCode, Norm, RandK, WireFloat,
};
use fedbits_kernel::availability::{Bernoulli, Interval, Trace};
use fedbits_kernel::{Availability, Dropout, Hazard, PerRound, State, StopReason};
use fedbits_models::DomainPolicy;
use fedbits_models::data::DataSet;
use fedbits_models::gmm::{Covariance, GaussianMixture};
use fedbits_protocols::baselines::fed_avg_em::{FedAvgEm, FedAvgEmSetting};
use fedbits_protocols::fedem::{Broadcast, Domain, FedEm};
use fedbits_protocols::federation::{Federation, Weighting};
use fedbits_protocols::journal::Subject;
use fedbits_protocols::partition::{Partition, Partitioned};
use fedbits_protocols::plan::{Late, Participation, RoundPolicy, Staleness};
use fedbits_protocols::star::{Halves, Rounds, StarAlgorithm, StarHalves};
use fedbits_protocols::uplink::{Commit, Divisor, MemoryStart, Recovery};
use fedbits_random::{DrawPurpose, Streams};
use fedbits_record::{Direction, Fate, HistogramSummary, RoundRow};
use fedbits_spec::{Caveat, Duration};
use serde_json::Value;

const N: usize = 4;
const Q: u64 = 6;

fn inputs() -> Value {
    golden("g2_fedem.json")["inputs"].clone()
}

fn fedem(settings: Settings) -> FedEm {
    let inputs = inputs();
    fed_em(federation(&inputs), settings, numbers(&inputs["S0"])).unwrap()
}

/// Clients that need this many ms for their 8 expectations; messages take no time worth speaking of (2 × 0.1 µs).
fn computing(durations: [u64; N]) -> Place {
    let mut place = Place::even(N, Site { up: 1 << 33, down: 1 << 33, latency_ms: 0, expectation_us: 0 });
    for (site, duration) in place.sites.iter_mut().zip(durations) {
        site.expectation_us = duration * 1_000 / 8;
    }
    place
}

fn interval(from: f64, to: f64) -> Interval {
    Interval { from: Duration::Sec(from), to: Duration::Sec(to) }
}

fn histogram(simulated: &Simulated, name: &str) -> HistogramSummary {
    simulated.histograms.iter().map(|histogram| histogram.summary()).find(|summary| summary.name == name).unwrap()
}

/// s̄_i(T(Ŝ)) − Ŝ: what client `i` sends without compression and memory.
fn contribution(federation: &Federation, i: usize, s_hat: &[f64]) -> Vec<f64> {
    let mut theta = Vec::new();
    federation.model().maximize(s_hat, DomainPolicy::Error, &mut theta).unwrap();
    let e_step = federation.model().conditional(&theta).unwrap();
    let mut mean = vec![0.0; s_hat.len()];
    federation.local_statistics(&[i as u32], e_step.as_ref(), |_, _| false, 1, &mut mean);
    mean.iter().zip(s_hat).map(|(mean, s)| mean - s).collect()
}

/// Slow reference of buffered steps, by the clock of computing alone (`durations` without ties): each client works on
/// the Ŝ that it was sent last; every `size` answers Ŝ moves by γ / size Σ (1 + τ)^(−a) Δ_i, and those who answered get
/// the new Ŝ at that time. Returns Ŝ and all τ.
fn buffered_twin(durations: [u64; N], size: usize, steps: u64, gamma: f64, a: f64) -> (Vec<f64>, Vec<u64>) {
    let (problem, mut s_hat) = (federation(&inputs()), numbers(&inputs()["S0"]));
    let mut ready: Vec<u64> = durations.to_vec();
    let mut known = vec![(0, s_hat.clone()); N];
    let (mut buffer, mut ages, mut step) = (Vec::new(), Vec::new(), 0);
    while step < steps {
        let i = (0..N).min_by_key(|&i| ready[i]).unwrap();
        let now = std::mem::replace(&mut ready[i], u64::MAX);
        let tau = step - known[i].0;
        buffer.push((i, libm::pow(1.0 + tau as f64, -a), contribution(&problem, i, &known[i].1)));
        ages.push(tau);
        if buffer.len() < size {
            continue;
        }
        step += 1;
        for (_, weight, delta) in &buffer {
            s_hat.iter_mut().zip(delta).for_each(|(s, delta)| *s += gamma * weight * delta / size as f64);
        }
        for (i, ..) in buffer.drain(..) {
            known[i] = (step, s_hat.clone());
            ready[i] = now + durations[i];
        }
    }
    (s_hat, ages)
}

/// Asynchronous (K = 1) and buffered (K = 2, 3) runs equal their references, in Ŝ and in the staleness of what was
/// taken in.
#[test]
fn buffered_steps_equal_their_twin() {
    let durations = [101, 173, 293, 419];
    for (size, a) in [(1, 0.0), (1, 0.5), (2, 0.5), (3, 1.0)] {
        let (steps, gamma) = (30, 0.1);
        let (expected, ages) = buffered_twin(durations, size, steps, gamma, a);
        let settings = Settings {
            divisor: Divisor::Arrived,
            staleness: Staleness::Polynomial(a),
            ..settings(gamma, Memory::None, 1.0)
        };
        let policy = RoundPolicy::Buffered(size as u32);
        let simulated = simulate(fedem(settings), everybody(policy), &computing(durations), after(steps));
        assert_close(&format!("S, K = {size}, a = {a}"), &simulated.fedem().s_hat, &expected);
        let staleness = histogram(&simulated, "staleness");
        assert_eq!((staleness.count, staleness.max), (steps * size as u64, ages.iter().max().copied()));
        let mean = ages.iter().sum::<u64>() as f64 / ages.len() as f64;
        assert!((staleness.mean.unwrap() - mean).abs() < 1e-9 && mean > 0.3, "{mean}");
    }
}

/// Buffers of two with three of four clients at work: after every step two are idle and two are asked, so that three
/// are at work: selected = arrived = 2, and the third is carried on, which is not being late. The first round asks
/// three: all in all selected = arrived + lost + 1 at work.
#[test]
fn a_buffer_keeps_its_clients_at_work() {
    let memory = kept(0.5, MemoryStart::Zero, Commit::OnAcknowledgement);
    let rounds = Rounds { participation: Participation::Cohort(3), ..everybody(RoundPolicy::Buffered(2)) };
    let simulated = simulate(fedem(settings(0.1, memory, 2.0)), rounds, &computing([101, 173, 293, 419]), after(200));
    for row in &simulated.rows[1..] {
        let asked = if row.round == 1 { 3 } else { 2 };
        assert_eq!((row.selected, row.arrived, row.late, row.lost), (asked, 2, 0, 0));
        assert!(drift_sq(row) < 1e-28);
    }
    assert_eq!(simulated.account(Direction::Up, "update", Fate::Late).0, 0);
    assert_eq!(simulated.account(Direction::Up, "update", Fate::Aborted).0, 0, "nobody is interrupted");
}

/// A deadline of 300 ms that client 3 (419 ms) never meets. Discarded at both ends its data never count: the limit is
/// that of the other three. Applied at both ends, weighted by what arrived, V = mean V_i holds and with the memories
/// the limit is EM's.
#[test]
fn late_contributions_count_at_both_ends_or_at_none() {
    let run = |late| {
        let memory = kept(0.5, MemoryStart::Zero, Commit::OnAcknowledgement);
        let settings = Settings { divisor: Divisor::Arrived, ..settings(0.3, memory, 4.0) };
        let rounds = Rounds { late, ..everybody(RoundPolicy::Deadline(Duration::Ms(300.0))) };
        simulate(fedem(settings), rounds, &computing([101, 173, 293, 419]), after(600))
    };
    let (discarded, applied) = (run(Late::Discard), run(Late::Apply));
    for simulated in [&discarded, &applied] {
        assert!(simulated.rows.iter().all(|row| drift_sq(row) < 1e-28));
    }
    assert!(discarded.rows[1..].iter().all(|row| (row.arrived, row.late) == (3, 1)));
    assert!(discarded.last().mean_field_sq.unwrap() > 1e-6);
    assert!(applied.last().mean_field_sq.unwrap() < 1e-20, "{:?}", applied.last().mean_field_sq);
    // 419 ms are over in the second round of 300 ms.
    let staleness = histogram(&applied, "staleness");
    assert_eq!((staleness.min, staleness.max), (Some(0), Some(1)));
}

/// Committed on send, late contributions count: those that are computed or on their way at the end are no drift, at no
/// step; those that are lost are (a dropout per busy second).
#[test]
fn what_is_on_its_way_is_no_drift() {
    let site = Site { up: 1_000, down: 1_000_000, latency_ms: 10, expectation_us: 10 };
    let run = |policy, dropout| {
        let memory = kept(0.5, MemoryStart::Zero, Commit::OnSend);
        let settings = Settings { divisor: Divisor::Arrived, ..settings(0.2, memory, 4.0) };
        let mut place = Place { dropout, ..Place::even(N, site) };
        place.sites.iter_mut().zip([1_000, 700, 500, 300]).for_each(|(site, up)| site.up = up);
        let rounds = Rounds { late: Late::Apply, ..everybody(policy) };
        simulate(fedem(settings), rounds, &place, after(101))
    };
    for policy in [RoundPolicy::Deadline(Duration::Ms(900.0)), RoundPolicy::First(2), RoundPolicy::Buffered(1)] {
        let simulated = run(policy, Dropout::Never);
        assert!(simulated.account(Direction::Up, "update", Fate::InFlight).0 > 0, "{policy:?}");
        assert!(simulated.rows.iter().all(|row| drift_sq(row) < 1e-24), "{policy:?}");
        assert!(
            simulated.run.halves().caveats().iter().all(|caveat| !matches!(caveat, Caveat::MemoryDrift { .. })),
            "{policy:?}"
        );
        let lossy =
            run(policy, Dropout::Hazard(Hazard { per_second: 1.0, restart: Duration::ZERO, state: State::Kept }));
        assert!(drift_sq(lossy.last()) > 1e-9, "{policy:?}");
    }
}

/// A covariance that floats of 32 bits leave singular is repaired by `Clip` where θ travels, as it is where Ŝ does; else
/// the broadcast is the error.
#[test]
fn rounding_may_leave_a_covariance_singular() {
    let federation = || {
        let data = DataSet::new(vec!["a".into(), "b".into()], vec![1.0, 1.0, -1.0, -1.0], None, Some(vec![0, 0]));
        let data = Partitioned::new(&data.unwrap(), &Partition::ClientColumn.rule(1), &streams()).unwrap();
        let model = GaussianMixture::new(1, 2, Covariance::Full).unwrap();
        Federation::new(data, Box::new(model), Weighting::Examples, None)
    };
    let s_0 = [1.0, 0.0, 0.0, 1.0, 1.0 - 1e-9, 1.0];
    let (floats, broadcast) = (WireFloat::F32, Broadcast::StatisticAndParameters);
    let opened = |domain| {
        let settings = Settings { floats, broadcast, domain, ..settings(0.2, Memory::None, 1.0) };
        let fedem = fed_em(federation(), settings, s_0.to_vec()).unwrap();
        let settings = FedAvgEmSetting { floats, domain, ..fed_avg_setting(1) };
        let average = FedAvgEm::new(federation(), settings, s_0.to_vec()).unwrap();
        let fedem = Halves::new(fedem, true).open_round(&streams(), 1, &[0]).map(|_| ());
        [fedem, Halves::new(average, true).open_round(&streams(), 1, &[0]).map(|_| ())]
    };
    for found in opened(Domain::Error) {
        let error = found.expect_err("no density").to_string();
        assert!(error.starts_with("the broadcast, rounded to the wire's floats: the covariance"), "{error}");
    }
    assert!(opened(Domain::Clip { floor: 1e-10 }).iter().all(Result::is_ok));
}

/// At the limit of EM V is what rounding leaves of n⁻¹ Σ α h_i, beside V_i that do not vanish: that is no drift.
#[test]
fn memories_that_cancel_each_other_are_no_drift() {
    let mut em = em(federation(&inputs()), numbers(&inputs()["S0"]));
    for _ in 0..2_000 {
        em_step(&mut em);
    }
    let settings = settings(0.2, kept(0.3, MemoryStart::Zero, Commit::OnAcknowledgement), 4.0);
    let fedem = fed_em(federation(&inputs()), settings, em.state().s_hat.to_vec()).unwrap();
    let simulated = simulate(fedem, everybody(RoundPolicy::WaitForAll), &computing([8; N]), after(3));
    assert_eq!(simulated.rows.len(), 4, "{:?}", simulated.stop);
}

/// Uploads of 0.7 s, a dropout per busy second, and the memory gone each time. With the server's copy the limit is
/// EM's, and every such broadcast carries 64 q bits more; with V_i = 0 the memories drift and the limit is not EM's.
#[test]
fn a_lost_memory_is_restored_or_missed() {
    let site = Site { up: 1_000, down: 1_000_000, latency_ms: 10, expectation_us: 10 };
    let dropout = Dropout::Hazard(Hazard { per_second: 1.0, restart: Duration::ZERO, state: State::Kept });
    for commit in [Commit::OnAcknowledgement, Commit::Resynchronized { every: 40 }] {
        let run = |recovery| {
            let place = Place { dropout, ..Place::even(N, site) };
            let Memory::Kept { alpha, start, .. } = kept(0.5, MemoryStart::MeanField, commit) else { unreachable!() };
            let memory = Memory::Kept { alpha, start, commit, recovery: Some(recovery) };
            let rounds = Rounds { forgets: true, ..everybody(RoundPolicy::WaitForAll) };
            simulate(fedem(settings(0.2, memory, 4.0)), rounds, &place, after(1_500))
        };
        let (restored, missed) = (run(Recovery::Restore), run(Recovery::Zero));
        assert!(restored.last().mean_field_sq.unwrap() < 1e-20, "{commit:?}: {:?}", restored.last().mean_field_sq);
        let (messages, payload, _) = restored.account(Direction::Down, "resynchronization", Fate::Delivered);
        assert!(messages > 500);
        assert_eq!(payload, messages * 2 * 64 * Q);
        assert!(missed.rows.iter().any(|row| drift_sq(row) > 1e-6), "{commit:?}");
        assert!(missed.last().mean_field_sq.unwrap() > 1e-6, "{commit:?}: {:?}", missed.last().mean_field_sq);
        if commit == Commit::OnAcknowledgement {
            assert!(missed.run.halves().caveats().iter().any(|caveat| matches!(caveat, Caveat::MemoryDrift { .. })));
        }
    }
}

/// Dropping out per round is a draw at (dropout, client, round): in every round those are lost whose draw says so, with
/// whatever compressor, and as many in all as a binomial law allows. Broadcasts arrive and are charged, nothing of the
/// uploads of those who are lost is, and memories are not moved by what was not sent.
#[test]
fn dropouts_per_round_are_the_same_with_every_compressor() {
    let (rounds, probability) = (2_000, 0.1);
    let site = Site { up: 50_000, down: 1_000_000, latency_ms: 10, expectation_us: 10 };
    let dropout = Dropout::PerRound(PerRound { probability, restart: Duration::ZERO, state: State::Kept });
    let dithering = Dithering { s: 4, r: Norm::L(2.0), code: LevelCode::Fixed, wire: WireFloat::F64 };
    let rand_k = RandK::new(2, Indices::Enumerative, WireFloat::F64);
    let compressors: [Box<dyn Compressor>; 3] = [Box::new(F64), Box::new(dithering), Box::new(rand_k)];
    let (streams, mut times) = (Streams::new(1, 0), Vec::new());
    for compressor in compressors {
        let memory = kept(0.2, MemoryStart::Zero, Commit::OnAcknowledgement);
        let settings = Settings { compressor, divisor: Divisor::Arrived, ..settings(0.05, memory, 4.0) };
        let place = Place { dropout, ..Place::even(N, site) };
        let simulated = simulate(fedem(settings), everybody(RoundPolicy::WaitForAll), &place, after(rounds));
        let mut lost = 0;
        for row in &simulated.rows[1..] {
            let drops = |&node: &u64| streams.at(DrawPurpose::Dropout, node, row.round).bernoulli(probability);
            let expected = (1..=N as u64).filter(drops).count() as u64;
            assert_eq!((row.lost, row.arrived, row.late), (expected, N as u64 - expected, 0), "round {}", row.round);
            assert!(drift_sq(row) < 1e-24);
            lost += expected;
        }
        // P(|Z| > 6) = 2e-9.
        let (asked, mean) = (rounds * N as u64, rounds as f64 * N as f64 * probability);
        assert!((lost as f64 - mean).abs() < 6.0 * (mean * (1.0 - probability)).sqrt(), "{lost} of {asked}");
        let delivered = |direction, purpose| simulated.account(direction, purpose, Fate::Delivered).0;
        assert_eq!(delivered(Direction::Up, "update"), asked - lost);
        assert_eq!(delivered(Direction::Down, "broadcast"), asked);
        assert_eq!(simulated.account(Direction::Up, "update", Fate::Aborted), (0, 0, 0));
        times.push(simulated.last().time_ns);
    }
    assert!(times[0] != times[1] && times[1] != times[2], "the compressors take different times: {times:?}");
}

/// Client 3 is never among the first three, with whatever divisor: its data count in no step, which is said. Whom a fair
/// draw has left out so far is not.
#[test]
fn who_never_takes_part_is_a_caveat() {
    let said = |divisor, rounds: Rounds, steps| {
        let memory = kept(0.5, MemoryStart::MeanField, Commit::OnAcknowledgement);
        let settings = Settings { divisor, ..settings(0.1, memory, 3.0) };
        let simulated = simulate(fedem(settings), rounds, &computing([101, 173, 293, 1_000]), after(steps));
        Caveat::sentences(&simulated.caveats)
    };
    let text = "1 client never took part, and no weighting makes up for their data";
    for divisor in [Divisor::Expected(3.0), Divisor::Arrived, Divisor::Estimated] {
        assert_eq!(said(divisor, everybody(RoundPolicy::First(3)), 40), [text]);
        let there = |to| vec![interval(0.0, to)];
        let rows = vec![there(1e6), there(1e6), there(1e6), vec![interval(1e5, 1e6)]];
        let availability = Availability::of(Trace { rows, repeat: None });
        let by_the_clock = Rounds { availability, ..everybody(RoundPolicy::WaitForAll) };
        assert_eq!(said(divisor, by_the_clock.clone(), 40), [text]);
        // No draw can choose who is away all the time.
        assert_eq!(said(divisor, Rounds { participation: Participation::Cohort(2), ..by_the_clock }, 40), [text]);
        let drawn = Rounds { participation: Participation::Cohort(1), ..everybody(RoundPolicy::WaitForAll) };
        assert!(said(divisor, drawn, 2).is_empty());
        // One round, of two that are asked one is there first.
        let drawn = Rounds { participation: Participation::Cohort(2), ..everybody(RoundPolicy::First(1)) };
        assert_eq!(said(divisor, drawn, 1), [text]);
    }
}

/// An availability that draws anew in each round leaves clients out by a fair draw, as a cohort does.
#[test]
fn who_was_away_by_chance_is_no_caveat() {
    let memory = kept(0.5, MemoryStart::MeanField, Commit::OnAcknowledgement);
    let availability = Availability::of(Bernoulli(0.5));
    let rounds = Rounds { availability, loses: true, ..everybody(RoundPolicy::WaitForAll) };
    let mut partly = 0;
    for seed in 0..32 {
        let place = Place { seed, ..computing([101, 173, 293, 419]) };
        let simulated = simulate(fedem(settings(0.1, memory, 2.0)), rounds.clone(), &place, after(1));
        partly += u32::from((1..4).contains(&simulated.last().arrived));
        assert!(simulated.caveats.is_empty());
    }
    assert!(partly > 8, "seven eighths have some who are away: {partly} of 32");
}

/// Client 3 is asked by the first-two policy as the others are, but is slow: it is among the first two only when the
/// cohort has no other two. Without memory and at ω = 0 a limit solves Σ_i c_i h_i(Ŝ) = 0 with c_i the mean weight of
/// client i: equal only where each counts by its estimated probability.
#[test]
fn estimated_probabilities_undo_what_speed_does() {
    let run = |divisor| {
        let settings = Settings { divisor, ..settings(0.02, Memory::None, 2.0) };
        let rounds = Rounds { participation: Participation::Bernoulli(0.6), ..everybody(RoundPolicy::First(2)) };
        let simulated = simulate(fedem(settings), rounds, &computing([101, 173, 293, 419]), after(6_000));
        let tail = &simulated.rows[4_000..];
        // Ŝ fluctuates with who takes part: the mean of ‖h‖² tells bias and noise together.
        tail.iter().map(|row| row.mean_field_sq.unwrap()).sum::<f64>() / tail.len() as f64
    };
    let (expected, arrived, estimated) = (run(Divisor::Expected(2.0)), run(Divisor::Arrived), run(Divisor::Estimated));
    assert!(estimated < 0.3 * arrived && estimated < 0.3 * expected, "{estimated:e} {arrived:e} {expected:e}");
}

/// Everybody is there from 10 to 20 s and from 50 to 60 s of each minute. In between the server waits: no step is made,
/// and the next round begins when somebody is there. After the last interval of a trace that does not repeat the run is
/// over.
#[test]
fn the_server_waits_until_somebody_is_there() {
    let run = |repeat| {
        let rows = vec![vec![interval(10.0, 20.0), interval(50.0, 60.0)]];
        let availability = Availability::of(Trace { rows, repeat });
        let rounds = Rounds { availability, ..everybody(RoundPolicy::WaitForAll) };
        // A round takes 4 s: those begun at 10, 14, 18 s and at 50, 54, 58 s.
        let memory = kept(0.5, MemoryStart::Zero, Commit::OnAcknowledgement);
        simulate(fedem(settings(0.1, memory, 4.0)), rounds, &computing([4_000; N]), after(16))
    };
    let once = run(None);
    assert_eq!(once.stop, StopReason::Idle);
    let began: Vec<u64> = once.rows.iter().map(|row| row.time_ns / 1_000_000_000).collect();
    assert_eq!(began, [0, 10, 14, 18, 22, 50, 54, 58, 62]);
    let steps: Vec<u64> = once.rows[1..].iter().map(|row| row.arrived).collect();
    assert_eq!(steps, [0, 4, 4, 4, 0, 4, 4, 4]);
    assert!(once.rows[1..].iter().all(|row| row.field_sq.is_some() == (row.arrived > 0)));
    let again = run(Some(Duration::Min(1.0)));
    assert_eq!(again.last().round, 16);
    assert_eq!(again.rows[9].time_ns / 1_000_000_000, 70);
}

/// One client, which drops out of everything that it begins and restarts for 300 s. The server waits for the end of each
/// restart, in one round and without a step, whatever decides who is there; by the clock until the client is there, too:
/// what ends within the pauses from 100 to 200 s and so on waits for 200 s and so on.
#[test]
fn the_server_waits_for_the_first_restart() {
    let there = |to| Trace { rows: vec![vec![interval(0.0, to)]], repeat: Some(Duration::Sec(200.0)) };
    let cases = [
        (Availability::default(), Participation::All),
        (Availability::of(Bernoulli(0.9)), Participation::All),
        (Availability::default(), Participation::Bernoulli(0.9)),
        (Availability::default(), Participation::Cohort(1)),
        (Availability::of(there(200.0)), Participation::All),
        (Availability::of(there(100.0)), Participation::All),
    ];
    for (case, (availability, participation)) in cases.into_iter().enumerate() {
        let mut place = Place { sites: vec![computing([20_000; N]).sites[0]], ..computing([0; N]) };
        place.dropout = Dropout::Hazard(Hazard { per_second: 4.0, restart: Duration::Min(5.0), state: State::Kept });
        let memory = kept(0.5, MemoryStart::Zero, Commit::OnAcknowledgement);
        let fedem = fed_em(one_client(&inputs()), settings(0.1, memory, 1.0), numbers(&inputs()["S0"])).unwrap();
        let rounds = Rounds { availability, participation, ..everybody(RoundPolicy::WaitForAll) };
        let rows = simulate(fedem, rounds, &place, after(40)).rows;
        let mut waited = 0;
        for pair in rows.windows(2) {
            let [lost, waits] = [&pair[0], &pair[1]];
            let dropped = lost.lost == 1;
            assert_eq!(waits.field_sq.is_none(), dropped, "case {case}, round {}", waits.round);
            if dropped {
                waited += 1;
                let up = lost.time_ns + 300_000_000_000;
                let window = 200_000_000_000;
                let gone = case == 5 && up % window >= window / 2;
                let until = if gone { up.next_multiple_of(window) } else { up };
                assert_eq!((waits.selected, waits.time_ns), (0, until), "case {case}, round {}", waits.round);
            }
        }
        assert!(waited >= 10, "case {case}: {waited}");
    }
}

/// Where somebody could be asked and a draw chose nobody, a round lasts a second and its step is that of no
/// contributions, also where availability goes by the clock.
#[test]
fn a_draw_that_chooses_nobody_is_a_step() {
    let run = |availability| {
        let memory = kept(0.5, MemoryStart::Zero, Commit::OnAcknowledgement);
        let participation = Participation::Bernoulli(0.2);
        let rounds = Rounds { availability, participation, ..everybody(RoundPolicy::WaitForAll) };
        simulate(fedem(settings(0.1, memory, 0.8)), rounds, &computing([40; N]), after(90)).rows
    };
    let rows = run(Availability::default());
    let seconds = |pair: &[RoundRow]| (pair[1].time_ns - pair[0].time_ns) / 1_000_000_000;
    let empty: Vec<_> = rows.windows(2).filter(|pair| pair[1].selected == 0).collect();
    assert!(empty.len() > 5 && empty.iter().all(|pair| seconds(pair) == 1 && pair[1].field_sq.is_some()));
    let always = Trace { rows: vec![vec![interval(0.0, 1e6)]], repeat: None };
    let by_the_clock = run(Availability::of(always));
    assert_eq!(rows, by_the_clock);
}

/// The identity, which counts how often its mean length is asked for.
#[derive(Debug)]
struct Asked(Arc<AtomicU32>);

impl Compressor for Asked {
    fn name(&self) -> String {
        F64.name()
    }
    fn encode(&self, x: &[f64], draw: Draw<'_>, out: &mut Encoded) -> Result<(), CodecError> {
        F64.encode(x, draw, out)
    }
    fn decode(&self, message: &Encoded, out: &mut [f64]) {
        F64.decode(message, out);
    }
    fn write_bits(&self, message: &Encoded, writer: &mut BitWriter) {
        F64.write_bits(message, writer);
    }
    fn read(&self, from: &mut BitReader<'_>, key: Option<CounterKey>, out: &mut Encoded) -> Result<(), CodecError> {
        F64.read(from, key, out)
    }
    fn is_unbiased(&self) -> bool {
        true
    }
    fn omega(&self, dimension: usize) -> Option<f64> {
        F64.omega(dimension)
    }
    fn variance_at(&self, x: &[f64]) -> Option<f64> {
        F64.variance_at(x)
    }
    fn uniforms(&self, _: usize) -> usize {
        0
    }
    fn expected_bits(&self, dimension: usize) -> Option<ExpectedBits> {
        self.0.fetch_add(1, Ordering::Relaxed);
        F64.expected_bits(dimension)
    }
}

/// The mean length of a message can take a simulation: of a million clients it is asked for once.
#[test]
fn the_least_rounds_of_all_clients_ask_once_for_a_length() {
    let asked = Arc::new(AtomicU32::new(0));
    let operator = Box::new(Asked(Arc::clone(&asked)));
    let algorithm = fedem(Settings { compressor: operator, ..settings(0.2, Memory::None, 4.0) });
    let bits: Vec<u64> = algorithm.least_rounds().map(|least| least.contribution.count()).collect();
    assert_eq!((bits, asked.load(Ordering::Relaxed)), (vec![64 * Q; N], 1));
}
