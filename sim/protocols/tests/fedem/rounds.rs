//! FedEM over the engine: golden vectors whatever the network, the invariant V = mean V_i under every kind of loss,
//! exact bits and durations, and the bookkeeping of rounds.

use crate::fedem::common::simulate::{
    self, Memory, Place, Settings, Simulated, Site, after, drift_sq, everybody, fed_em, kept, ms, settings, simulate,
};
use crate::fedem::common::{assert_close, federation, golden, numbers, tied_federation};
use fedbits_codec::{Bernoulli, Compressor, Dithering, Indices, LevelCode, Mask, Norm, RandK, WireFloat};
use fedbits_kernel::availability::Bernoulli as Available;
use fedbits_kernel::{Availability, Dropout, Hazard, PerRound, State, StopReason};
use fedbits_protocols::fedem::{Domain, FedEm};
use fedbits_protocols::plan::{Late, Participation, RoundPolicy, Staleness, StopRules};
use fedbits_protocols::star::Rounds;
use fedbits_protocols::uplink::{Commit, Divisor, MemoryStart, Recovery};
use fedbits_record::{Direction, Fate, LedgerRow};
use fedbits_spec::Duration;
use proptest::prelude::*;
use serde_json::Value;

const N: usize = 4;
const Q: u64 = 6;
const BROADBAND: Site = Site { up: 10_000_000, down: 50_000_000, latency_ms: 40, expectation_us: 10 };
const ON_ACKNOWLEDGEMENT: Commit = Commit::OnAcknowledgement;

fn fedem(inputs: &Value, settings: Settings) -> FedEm {
    fed_em(federation(inputs), settings, numbers(&inputs["S0"])).unwrap()
}

fn inputs() -> Value {
    golden("g2_fedem.json")["inputs"].clone()
}

/// Four different networks: what is computed must not depend on them when everybody takes part.
fn networks() -> [Place; 4] {
    let mut uneven = Place::even(N, BROADBAND);
    for (i, site) in uneven.sites.iter_mut().enumerate() {
        let i = i as u64;
        *site = Site { up: 9_600 << i, down: 64_000, latency_ms: 300 - 70 * i, expectation_us: 1_000 * (i + 1) };
    }
    let shared = Place { server: 10_000, fair_share: true, ..uneven.clone() };
    let instant = Place::even(N, Site { up: 1 << 43, down: 1 << 43, latency_ms: 0, expectation_us: 0 });
    [Place::even(N, BROADBAND), uneven, shared, instant]
}

/// Golden g2 (independent numpy code): S, V and H after every round, over the engine, on every network.
#[test]
fn full_participation_equals_g2_whatever_the_network() {
    let file = golden("g2_fedem.json");
    for name in ["full_V0_h", "full_V0_zero", "gamma1_is_EM"] {
        let run = &file["runs"][name];
        let start = if run["V0"] == "h_i(S0)" { MemoryStart::MeanField } else { MemoryStart::Zero };
        let memory = kept(run["alpha"].as_f64().unwrap(), start, ON_ACKNOWLEDGEMENT);
        for (place, k) in
            networks().iter().flat_map(|place| (1..=run["rounds"].as_array().unwrap().len()).map(move |k| (place, k)))
        {
            let settings = settings(run["gamma"].as_f64().unwrap(), memory, N as f64);
            let simulated =
                simulate(fedem(&file["inputs"], settings), everybody(RoundPolicy::WaitForAll), place, after(k as u64));
            let expected = &run["rounds"][k - 1];
            let what = |vector: &str| format!("{name}, {place:?}, round {k}, {vector}");
            assert_close(&what("S"), &simulated.fedem().s_hat, &numbers(&expected["S"]));
            assert_close(&what("V"), simulated.run.halves().v(), &numbers(&expected["V"]));
            assert_close(&what("H"), &simulated.fedem().h, &numbers(&expected["H"]));
            assert_close(&what("F"), &[simulated.last().objective.unwrap()], &numbers(&expected["F"]));
        }
    }
}

/// Identity, F64, everybody, R rounds, V_0 = h_i: every message of q floats has 64 q bits and one header of 320. Up: n
/// initial memories, R n updates. Down: n broadcasts for the memories and R n for the rounds; of these only the latter
/// carry the acknowledgement, one bit.
#[test]
fn bits_equal_their_closed_forms() {
    let (n, r) = (N as u64, 7);
    let memory = kept(0.1, MemoryStart::MeanField, ON_ACKNOWLEDGEMENT);
    for place in networks() {
        let simulated = simulate(
            fedem(&inputs(), settings(0.5, memory, 4.0)),
            everybody(RoundPolicy::WaitForAll),
            &place,
            after(r),
        );
        let account = |direction, purpose| simulated.account(direction, purpose, Fate::Delivered);
        let messages = |count: u64| (count, 64 * Q * count, 320 * count);
        assert_eq!(account(Direction::Up, "initial_memory"), messages(n));
        assert_eq!(account(Direction::Up, "update"), messages(n * r));
        assert_eq!(account(Direction::Down, "broadcast"), messages(n * (r + 1)));
        assert_eq!(account(Direction::Down, "acknowledgement"), (0, n * r, 0));
        assert_eq!(account(Direction::Up, "constants"), (0, 0, 0));
        let last = simulated.last();
        assert_eq!((last.bits_up, last.bits_down), (64 * Q * n * (r + 1), 64 * Q * n * (r + 1) + n * r));
        assert_eq!((last.bits_header, last.bits_wasted), (320 * 2 * n * (r + 1), 0));
        // n m = 32 expectations for the memories and 32 per round.
        assert_eq!(last.expectations, 32 * (r + 1));
    }
}

/// One tied covariance in d = 2: d(d+1)/2 = 3 numbers of the second moment go up and down once per client, 64 bits
/// each; without initial memories nothing else precedes the rounds.
#[test]
fn the_constants_of_a_tied_covariance_are_charged_both_ways() {
    let federation = tied_federation(&inputs());
    let s_0 = numbers(&inputs()["S0"]);
    let memory = kept(0.1, MemoryStart::Zero, ON_ACKNOWLEDGEMENT);
    let fedem = fed_em(federation, settings(0.1, memory, 4.0), s_0).unwrap();
    let simulated = simulate(fedem, everybody(RoundPolicy::WaitForAll), &Place::even(N, BROADBAND), after(2));
    let constants = (4, 4 * 3 * 64, 4 * 320);
    assert_eq!(simulated.account(Direction::Up, "constants", Fate::Delivered), constants);
    assert_eq!(simulated.account(Direction::Down, "constants", Fate::Delivered), constants);
    assert_eq!(simulated.account(Direction::Up, "initial_memory", Fate::Delivered), (0, 0, 0));
    assert_eq!(simulated.account(Direction::Up, "update", Fate::Delivered).0, 8);
}

/// Equal clients without contention: a round takes two latencies, bits ÷ rate each way (rounded up to ns) and work ÷
/// speed. Down: 384 + 1 + 320 bits at 50 Mbit/s = 14.1 µs; up: 704 bits at 10 Mbit/s = 70.4 µs; 8 expectations of 10
/// µs; 80 ms.
#[test]
fn a_round_of_equal_clients_has_the_span_of_its_closed_form() {
    let memory = kept(0.1, MemoryStart::Zero, ON_ACKNOWLEDGEMENT);
    let fedem = fedem(&inputs(), settings(0.5, memory, 4.0));
    let simulated = simulate(fedem, everybody(RoundPolicy::WaitForAll), &Place::even(N, BROADBAND), after(5));
    let duration = 80_000_000 + 14_100 + 70_400 + 80_000;
    for (k, row) in simulated.rows.iter().enumerate() {
        assert_eq!(row.time_ns, k as u64 * duration);
    }
}

/// Four clients that differ in compute time only (8 × 1, 2, 3, 4 ms after a round trip of about 80 ms): the second
/// answer comes 16 ms after the work began, and First(2) closes the round there.
#[test]
fn the_first_m_close_the_round() {
    let mut place = Place::even(N, BROADBAND);
    for (i, site) in place.sites.iter_mut().enumerate() {
        site.expectation_us = 4_000 - 1_000 * i as u64;
    }
    let memory = kept(0.1, MemoryStart::Zero, ON_ACKNOWLEDGEMENT);
    let simulated =
        simulate(fedem(&inputs(), settings(0.1, memory, 2.0)), everybody(RoundPolicy::First(2)), &place, after(6));
    let duration = 80_000_000 + 14_100 + 70_400 + 16_000_000;
    for row in &simulated.rows[1..] {
        assert_eq!((row.selected, row.arrived, row.late, row.lost), (4, 2, 2, 0));
        assert_eq!(row.time_ns, row.round * duration);
    }
}

/// A deadline of 79 ms below the smallest round trip of 80 ms: nobody is ever in time, S stays with H = V = 0, every
/// round lasts its deadline, and the run ends.
#[test]
fn nobody_meets_a_deadline_below_the_round_trip() {
    let memory = kept(0.1, MemoryStart::Zero, ON_ACKNOWLEDGEMENT);
    let fedem = fedem(&inputs(), settings(0.5, memory, 4.0));
    let simulated =
        simulate(fedem, everybody(RoundPolicy::Deadline(Duration::Ms(79.0))), &Place::even(N, BROADBAND), after(50));
    assert_eq!(simulated.stop, StopReason::Reached("rounds: 50".into()));
    for row in &simulated.rows[1..] {
        assert_eq!((row.selected, row.arrived, row.late, row.lost), (4, 0, 4, 0));
        assert_eq!(row.time_ns, row.round * 79_000_000);
        assert_eq!(row.field_sq, Some(0.0));
    }
    assert_eq!(simulated.account(Direction::Up, "update", Fate::Delivered), (0, 0, 0));
}

/// Broadcasts that take longer than a round overtake nobody and are not cut off by older ones: the slow client's
/// latency is 500 ms, the round closes with the first of the others after 80 ms, so six broadcasts are on their way to
/// it at once. It answers the newest that has reached it whenever there is none newer in between; First(1) never waits
/// for it.
#[test]
fn a_client_far_away_neither_stops_the_rounds_nor_is_cut_off() {
    let mut place = Place::even(N, BROADBAND);
    place.sites[3].latency_ms = 500;
    let memory = kept(0.1, MemoryStart::Zero, ON_ACKNOWLEDGEMENT);
    let simulated =
        simulate(fedem(&inputs(), settings(0.1, memory, 1.0)), everybody(RoundPolicy::First(1)), &place, after(40));
    assert_eq!(simulated.stop, StopReason::Reached("rounds: 40".into()));
    assert_eq!(simulated.account(Direction::Down, "broadcast", Fate::Aborted).0, 0, "no broadcast is cut off");
    // 40 rounds of 80 ms; a broadcast sent before 40 × 80 − 500 ms has arrived.
    let is_far = |row: &LedgerRow| row.link == "4" && row.direction == Direction::Down && row.fate != Fate::InFlight;
    let far: Vec<LedgerRow> = simulated.ledger().into_iter().filter(is_far).collect();
    let all: u64 = far.iter().map(|row| row.messages).sum();
    assert_eq!(all, 34);
    // They arrive six rounds later, the acknowledgements that ride on them, too.
    assert_eq!(far.len(), 2);
    assert!(far.iter().all(|row| row.fate == Fate::Late), "{far:?}");
}

/// When nobody can be asked a round lasts one second, and a limit of simulated time ends the run.
#[test]
fn empty_rounds_end_by_the_clock() {
    let memory = kept(0.1, MemoryStart::Zero, ON_ACKNOWLEDGEMENT);
    let rounds = Rounds { availability: Availability::of(Available(1e-12)), ..everybody(RoundPolicy::WaitForAll) };
    let stop = StopRules { time: Some(ms(9_500)), ..StopRules::default() };
    let simulated = simulate(fedem(&inputs(), settings(0.5, memory, 4.0)), rounds, &Place::even(N, BROADBAND), stop);
    assert_eq!(simulated.rows.len(), 11, "round 0 and ten rounds of a second");
    for row in &simulated.rows[1..] {
        assert_eq!((row.selected, row.arrived, row.time_ns), (0, 0, row.round * 1_000_000_000));
    }
    assert!(matches!(&simulated.stop, StopReason::Reached(what) if what.starts_with("time")), "{:?}", simulated.stop);
}

/// Uplinks of 1 kbit/s take 0.7 s, and a busy client drops out once a second on average: a good part of the uploads is
/// lost.
fn lossy(seed: u64) -> Place {
    let site = Site { up: 1_000, down: 1_000_000, latency_ms: 10, expectation_us: 10 };
    let dropout = Dropout::Hazard(Hazard { per_second: 1.0, restart: Duration::ZERO, state: State::Kept });
    Place { dropout, seed, ..Place::even(N, site) }
}

fn losing(commit: Commit, policy: RoundPolicy, place: &Place) -> Simulated {
    let memory = kept(0.5, MemoryStart::Zero, commit);
    simulate(fedem(&inputs(), settings(0.2, memory, 4.0)), everybody(policy), place, after(1_500))
}

/// Where does FedEM go when updates are lost? Limits have V = 0 (Ŝ rests) and V_i = h_i(Ŝ) (Δ_i = 0).
/// On acknowledgement V = mean V_i, so h(Ŝ) = mean h_i(Ŝ) = 0: the limit of EM. On send the memories have drifted by
/// D = V − mean V_i, so h(Ŝ) = −D: ‖h‖² equals the drift, and it is not small when clients differ. With the server's
/// copy of V_i sent down every 20 rounds what has drifted is taken back again and again, and the limit is that of EM.
#[test]
fn committing_on_send_is_biased_by_its_drift_and_the_other_ways_are_not() {
    let late = Place { dropout: Dropout::Never, ..lossy(1) };
    // Under the deadline half of the clients are too slow every time, others never: uploads take 0.7 s or 1.4 s.
    let mut slow = late.clone();
    slow.sites[1].up = 500;
    let policy = RoundPolicy::WaitForAll;
    let biased = |seed| (lossy(seed), losing(Commit::OnSend, policy, &lossy(seed)));
    // Where memories drift far, the iterate leaves the model's domain, and the run ends.
    let whole: Vec<_> = (1..=8).map(biased).filter(|(_, biased)| biased.last().round == 1_500).take(2).collect();
    assert_eq!(whole.len(), 2);
    for (place, biased) in whole {
        let right = losing(Commit::OnAcknowledgement, policy, &place);
        assert!(right.rows.iter().map(|row| row.lost).sum::<u64>() > 500, "uploads are lost");
        assert!(right.rows.iter().all(|row| drift_sq(row) < 1e-28), "V is the mean of the V_i");
        assert!(right.last().mean_field_sq.unwrap() < 1e-20, "{:?}", right.last().mean_field_sq);
        let (h_sq, drift_sq) = (biased.last().mean_field_sq.unwrap(), drift_sq(biased.last()));
        assert!(h_sq > 1e-6, "‖h‖² = {h_sq:e}");
        assert!((h_sq / drift_sq - 1.0).abs() < 1e-6, "‖h‖² = {h_sq:e}, drift {drift_sq:e}");
        let repaired = losing(Commit::Resynchronized { every: 20 }, policy, &place);
        assert!(repaired.rows.iter().any(|row| self::drift_sq(row) > 1e-9), "it drifts in between");
        assert!(repaired.last().mean_field_sq.unwrap() < 1e-12, "{:?}", repaired.last().mean_field_sq);
        // Of 1 500 rounds every twentieth carries six floats more, first in round 20.
        let carried = simulated_down(&repaired, "resynchronization");
        assert!((250..=4 * 75).contains(&carried.0), "{carried:?}");
        assert_eq!(carried.1, carried.0 * 2 * 64 * Q);
    }
    // A deadline that one client never meets: on send its memory follows messages that the server never used.
    let deadline = RoundPolicy::Deadline(Duration::Ms(1_000.0));
    let biased = losing(Commit::OnSend, deadline, &slow);
    assert!(biased.rows[1..].iter().all(|row| (row.selected, row.arrived, row.late) == (4, 3, 1)));
    assert!(drift_sq(biased.last()) > 1e-6);
    assert!(losing(Commit::OnAcknowledgement, deadline, &slow).rows.iter().all(|row| drift_sq(row) < 1e-28));
}

/// Messages and payload bits of a purpose on the downlink.
fn simulated_down(simulated: &Simulated, purpose: &str) -> (u64, u64) {
    let (messages, payload, _) = simulated.account(Direction::Down, purpose, Fate::Delivered);
    (messages, payload)
}

fn policies() -> impl Strategy<Value = (RoundPolicy, Late)> {
    let rounds = prop_oneof![
        Just(RoundPolicy::WaitForAll),
        (1u64..=40).prop_map(|tenths| RoundPolicy::Deadline(Duration::Ms(25.0 * tenths as f64))),
        (1u32..=4).prop_map(RoundPolicy::First),
        (1u32..=4).prop_map(RoundPolicy::Buffered),
    ];
    (rounds, prop_oneof![Just(Late::Discard), Just(Late::Apply)])
}

fn recoveries() -> impl Strategy<Value = Option<Recovery>> {
    prop_oneof![Just(None), Just(Some(Recovery::Restore))]
}

fn participations() -> impl Strategy<Value = Participation> {
    prop_oneof![
        Just(Participation::All),
        (0.1f64..=1.0).prop_map(Participation::Bernoulli),
        (1u32..=4).prop_map(Participation::Cohort),
    ]
}

fn divisors() -> impl Strategy<Value = Divisor> {
    prop_oneof![Just(Divisor::Expected(4.0)), Just(Divisor::Arrived), Just(Divisor::Weight), Just(Divisor::Estimated)]
}

fn losable(memory: Memory, recovery: Option<Recovery>) -> Memory {
    match memory {
        Memory::Kept { alpha, start, commit, .. } => Memory::Kept { alpha, start, commit, recovery },
        other => other,
    }
}

fn compressors() -> impl Strategy<Value = usize> {
    0usize..4
}

fn compressor(index: usize) -> Box<dyn Compressor> {
    let wire = WireFloat::F64;
    match index {
        0 => Box::new(simulate::F64),
        1 => Box::new(Dithering { s: 2, r: Norm::L(2.0), code: LevelCode::EliasSparse, wire }),
        2 => Box::new(RandK::new(2, Indices::Enumerative, wire)),
        _ => Box::new(Bernoulli { p: 0.5, mask: Mask::SharedSeed, wire }),
    }
}

/// Few different values, so that events often fall on the same instant.
fn sites() -> impl Strategy<Value = Vec<Site>> {
    let of = |values: &'static [u64]| prop::sample::select(values);
    let site = (of(&[704, 7_040, 704_000]), of(&[705, 7_050, 705_000]), of(&[0, 25, 200]), of(&[0, 12_500, 125_000]));
    let site = site.prop_map(|(up, down, latency_ms, expectation_us)| Site { up, down, latency_ms, expectation_us });
    prop::collection::vec(site, N)
}

fn dropouts() -> impl Strategy<Value = Dropout> {
    let restart = || (0u64..3_000).prop_map(|ms| Duration::Ms(ms as f64));
    let hazard = (0.05f64..5.0, restart())
        .prop_map(|(per_second, restart)| Dropout::Hazard(Hazard { per_second, restart, state: State::Kept }));
    let per_round = (0.01f64..=1.0, restart())
        .prop_map(|(probability, restart)| Dropout::PerRound(PerRound { probability, restart, state: State::Kept }));
    prop_oneof![Just(Dropout::Never), hazard, per_round]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    /// Whatever is lost, late, cut off, unavailable or simultaneous: the run ends by its own rule, no bit appears or
    /// disappears (asserted by the engine), every client that was asked has one fate, and V is the mean of the V_i.
    #[test]
    fn memories_agree_under_every_kind_of_trouble(
        sites in sites(),
        dropout in dropouts(),
        fair_share: bool,
        seed in 0u64..1_000,
        ((policy, late), participation) in (policies(), participations()),
        (recovery, divisor) in (recoveries(), divisors()),
        available in prop_oneof![Just(None), (0.2f64..=1.0).prop_map(Some)],
        (chosen, alpha, kept_memory) in (compressors(), 0.05f64..=1.0, 0u8..3),
        domain in prop_oneof![Just(Domain::SkipRound), Just(Domain::Clip { floor: 1e-3 })],
    ) {
        let place = Place { sites, server: 7_050, fair_share, dropout, seed };
        let memory = match kept_memory {
            0 => Memory::None,
            1 => losable(kept(alpha, MemoryStart::Zero, ON_ACKNOWLEDGEMENT), recovery),
            _ => losable(kept(alpha, MemoryStart::MeanField, ON_ACKNOWLEDGEMENT), recovery),
        };
        let staleness = Staleness::Polynomial(0.5);
        let compressor = compressor(chosen);
        let settings = Settings { compressor, domain, divisor, staleness, ..settings(0.05, memory, 4.0) };
        let availability = available.map_or(Availability::default(), |share| Availability::of(Available(share)));
        let forgets = recovery.is_some();
        let rounds = Rounds { late, participation, availability, forgets, ..everybody(policy) };
        let simulated = simulate(fedem(&inputs(), settings), rounds, &place, after(60));
        prop_assert_eq!(&simulated.stop, &StopReason::Reached("rounds: 60".into()));
        prop_assert_eq!(simulated.rows.len(), 61);
        let carries = late == Late::Apply || matches!(policy, RoundPolicy::Buffered(_));
        // Rounding is relative to the size of what is added, which a coarse operator can throw far.
        let size = simulated.rows.iter().filter_map(|row| row.field_sq).fold(1.0, f64::max);
        let mut at_work = 0;
        for row in &simulated.rows {
            if carries {
                // Nobody is late: who is still at work arrives or is lost in a later round.
                prop_assert_eq!(row.late, 0);
                at_work += row.selected;
                prop_assert!(row.arrived + row.lost <= at_work);
                at_work -= row.arrived + row.lost;
                prop_assert!(at_work <= N as u64);
            } else {
                prop_assert_eq!(row.selected, row.arrived + row.late + row.lost);
            }
            prop_assert!(drift_sq(row) <= 1e-18 * size, "drift {:e} at size {size:e}", drift_sq(row));
        }
        let sum = |count: fn(&fedbits_record::RoundRow) -> u64| simulated.rows.iter().map(count).sum::<u64>();
        let updates = |fate| simulated.account(Direction::Up, "update", fate).0;
        prop_assert_eq!(sum(|row| row.arrived), updates(Fate::Delivered));
        // Where late contributions count, only those are late that arrive at the very end of the run.
        let at_most = if carries { at_work } else { sum(|row| row.late) };
        prop_assert!(updates(Fate::Late) <= at_most);
        if policy == RoundPolicy::WaitForAll {
            prop_assert_eq!(sum(|row| row.late), 0);
        }
    }
}
