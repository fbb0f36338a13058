//! Secure aggregation: the bits of every exchange for every pattern of dropouts, counted from the papers' text, and the
//! time of its exchanges.

use std::sync::LazyLock;
use std::sync::atomic::AtomicBool;

use fedbits_kernel::network::{FlowId, Outcome, Packets, Transfer};
use fedbits_kernel::{Bits, Engine, Network, NodeId, Time};
use fedbits_protocols::aggregation::{Aggregation, Neighbours, SecureAggregation};
use fedbits_protocols::fedem::FedEm;
use fedbits_protocols::journal::Journal;
use fedbits_protocols::plan::{RecordPlan, RoundPolicy};
use fedbits_protocols::run::Runnable;
use fedbits_protocols::star::{Rounds, StarRun};
use fedbits_protocols::uplink::{Commit, MemoryStart};
use fedbits_random::Streams;
use fedbits_record::{Direction, Fate, LedgerRow, Recorder, RoundRow};
use fedbits_spec::Duration;
use serde_json::Value;

use crate::fedem::common::simulate::{Memory, Place, Site, after, everybody, fed_em, kept, settings, simulate};
use crate::fedem::common::{golden, numbers, shared_among};

const SITE: Site = Site { up: 1_000_000, down: 1_000_000, latency_ms: 5, expectation_us: 10 };

/// q of the federation: two components of two features.
const ENTRIES: u64 = 6;

const SETTING: SecureAggregation = SecureAggregation {
    neighbours: Neighbours::All,
    threshold: 0.5,
    field_bits: 31,
    fraction_bits: 12,
    key_bits: 1_000,
    share_bits: 70,
    overhead_bits: 13,
};

/// Loses the upload number `drops[i]` of client i; 4 and more: none.
struct Dropping {
    inner: Box<dyn Network>,
    drops: Vec<usize>,
    uploads: Vec<usize>,
    lost: Vec<FlowId>,
}

impl Network for Dropping {
    fn start(&mut self, now: Time, transfer: Transfer) -> FlowId {
        let flow = self.inner.start(now, transfer);
        self.lost.retain(|&old| old != flow);
        if let Some(i) = transfer.from.0.checked_sub(1) {
            let sent = &mut self.uploads[i as usize];
            if *sent == self.drops[i as usize] {
                self.lost.push(flow);
            }
            *sent += 1;
        }
        flow
    }

    fn next_completion(&mut self) -> Option<Time> {
        self.inner.next_completion()
    }

    fn advance(&mut self, to: Time, completed: &mut Vec<FlowId>) {
        self.inner.advance(to, completed);
    }

    fn abort(&mut self, now: Time, flow: FlowId) -> Bits {
        self.inner.abort(now, flow)
    }

    fn outcome(&mut self, flow: FlowId) -> Outcome {
        match self.lost.contains(&flow) {
            true => Outcome { lost: Packets { count: 1, bits: Bits::new(1) }, ..Outcome::default() },
            false => Outcome::default(),
        }
    }
}

fn fedem(n: usize) -> FedEm {
    static INPUTS: LazyLock<Value> = LazyLock::new(|| golden("g2_fedem.json")["inputs"].clone());
    let s_hat = numbers(&INPUTS["S0"]);
    fed_em(shared_among(&INPUTS, n), settings(0.1, Memory::None, n as f64), s_hat).unwrap()
}

fn secure(setting: SecureAggregation) -> Rounds {
    let aggregation = Aggregation::SecureAggregation(setting);
    Rounds { aggregation, ..everybody(RoundPolicy::WaitForAll) }
}

/// One round in which client i's upload number `drops[i]` (keys, shares, vector, unmasking) is lost.
fn play(setting: SecureAggregation, drops: &[usize]) -> (RoundRow, Vec<LedgerRow>) {
    let (rows, ledger) = play_rounds(fedem(drops.len()), setting, drops, 1);
    (rows.into_iter().next_back().unwrap(), ledger)
}

/// So many rounds, with uploads counted from the first.
fn play_rounds(
    fedem: FedEm,
    setting: SecureAggregation,
    drops: &[usize],
    rounds: u64,
) -> (Vec<RoundRow>, Vec<LedgerRow>) {
    let mut run = StarRun::new(fedem, secure(setting), true);
    let record = RecordPlan::of(1, Some(1));
    let columns = Journal::columns(run.subject(), &record);
    let rows = std::rc::Rc::new(std::cell::RefCell::new(Vec::new()));
    let sink = std::rc::Rc::clone(&rows);
    let observer = Box::new(move |row: &RoundRow| sink.borrow_mut().push(row.clone()));
    let journal = Journal::new(Recorder::nothing(columns), record, after(rounds), Some(observer));
    let mut star = run.start(journal);
    let mut world = Place::even(drops.len(), SITE).world();
    let uploads = vec![0; drops.len()];
    world.network = Box::new(Dropping { inner: world.network, drops: drops.to_vec(), uploads, lost: Vec::new() });
    let mut engine = Engine::new(world);
    engine.run(&mut star, &AtomicBool::new(false));
    let rows = rows.take();
    assert_eq!(rows.last().map(|row| row.round), Some(rounds));
    (rows, engine.context().ledger().rows(|NodeId(id)| id.to_string()))
}

/// What the papers' text gives, counted with sets.
#[derive(Debug, Default, PartialEq)]
struct Counted {
    keys: [u64; 2],
    shares: [u64; 2],
    vectors: u64,
    unmasking: [u64; 2],
    used: bool,
    masked: u64,
}

/// Up and down. `near(u)`: those who share masks with u; `complete`: everybody does, as in Bonawitz et al., where a
/// client is among those whose list it gets and keeps a share of its own.
fn by_hand(drops: &[usize], near: &dyn Fn(usize) -> Vec<usize>, complete: bool) -> Counted {
    let n = drops.len();
    let mut name = 1;
    while (1_usize << name) < n {
        name += 1;
    }
    let (key, share, overhead, field) = (1_000, 70, 13, 31);
    let parties = if complete { n } else { near(0).len() };
    let quorum = (parties / 2 + 1).max(2);
    let enough = |set: &[usize]| set.len() >= if complete { quorum } else { 2 };
    // The clients whose upload number k arrives, of those who make it.
    let of = |before: &[usize], k: usize| -> Vec<usize> { before.iter().copied().filter(|&u| drops[u] != k).collect() };
    let both = |u: usize, set: &[usize]| near(u).into_iter().filter(|v| set.contains(v)).count() as u64;
    let mut counted = Counted::default();
    let everybody: Vec<usize> = (0..n).collect();
    // Advertise keys: two public keys each.
    counted.keys[0] = n as u64 * 2 * key;
    let u1 = of(&everybody, 0);
    if !enough(&u1) {
        return counted;
    }
    // The list of the others' names and keys; for each of them both names and two shares, encrypted.
    let cipher = name + (2 * name + 2 * share + overhead);
    counted.keys[1] = u1.iter().map(|&u| both(u, &u1) * (name + 2 * key)).sum();
    counted.shares[0] = u1.iter().map(|&u| both(u, &u1) * cipher).sum();
    let u2 = of(&u1, 1);
    if !enough(&u2) {
        return counted;
    }
    counted.shares[1] = u2.iter().map(|&u| both(u, &u2) * cipher).sum();
    counted.vectors = u2.len() as u64 * ENTRIES * field;
    let u3 = of(&u2, 2);
    counted.masked = u3.len() as u64;
    if !enough(&u3) {
        return counted;
    }
    // Who survived; for each of U₂ one share, of the own mask or of the key.
    let masks = u64::from(complete);
    counted.unmasking[1] = u3.iter().map(|&u| (both(u, &u3) + masks) * name).sum();
    counted.unmasking[0] = u3.iter().map(|&u| (both(u, &u2) + masks) * share).sum();
    let u5 = of(&u3, 3);
    counted.used = match complete {
        true => u5.len() >= quorum,
        false => u2.iter().all(|&v| both(v, &u5) >= quorum as u64),
    };
    counted
}

fn simulated(setting: SecureAggregation, drops: &[usize]) -> Counted {
    let (row, ledger) = play(setting, drops);
    let sum = |purpose: &str, direction: Direction| -> u64 {
        let entries = ledger.iter().filter(|row| row.purpose == purpose && row.direction == direction);
        entries.map(|row| row.payload_bits).sum()
    };
    let both = |purpose| [sum(purpose, Direction::Up), sum(purpose, Direction::Down)];
    let n = drops.len() as u64;
    // Who still works when a round fails is late.
    assert_eq!((row.selected, row.arrived + row.late + row.lost), (n, n), "{drops:?}");
    let masked = ledger.iter().filter(|row| row.purpose == "update" && row.fate == fedbits_record::Fate::Delivered);
    Counted {
        keys: both("keys"),
        shares: both("shares"),
        vectors: sum("update", Direction::Up),
        unmasking: both("unmasking"),
        used: row.arrived > 0,
        masked: masked.map(|row| row.messages).sum(),
    }
}

/// Every client of n drops out in any of the four exchanges, or in none.
fn patterns(n: usize) -> impl Iterator<Item = Vec<usize>> {
    (0..5_usize.pow(n as u32)).map(move |code| {
        let digits = std::iter::successors(Some(code), |&rest| Some(rest / 5));
        digits.take(n).map(|rest| rest % 5).collect()
    })
}

#[test]
fn every_pattern_of_dropouts_has_the_bits_of_bonawitz_et_al() {
    let mut used = 0;
    for n in 2..=6 {
        for drops in patterns(n) {
            let expected = by_hand(&drops, &|u| (0..n).filter(|&v| v != u).collect(), true);
            assert_eq!(simulated(SETTING, &drops), expected, "{drops:?}");
            used += usize::from(expected.used);
        }
    }
    assert!(used > 400, "{used}");
}

#[test]
fn every_pattern_of_dropouts_has_the_bits_of_bell_et_al() {
    let mut used = 0;
    // Where nobody has more than k others, all share with all, as in Bonawitz et al.
    for (n, degree) in [(2, 2), (3, 2), (4, 2), (5, 2), (6, 4)] {
        let setting = SecureAggregation { neighbours: Neighbours::Degree(degree), ..SETTING };
        let graph = setting.graph(n, &Streams::new(1, 0), 1);
        for drops in patterns(n) {
            let expected = by_hand(&drops, &|u| graph.neighbours(u).collect(), n <= degree as usize + 1);
            assert_eq!(simulated(setting, &drops), expected, "{drops:?}");
            used += usize::from(expected.used);
        }
    }
    assert!(used > 10, "{used}");
}

/// After a round that moves V a round that fails: three of four clients lose their keys. There is no step along V then,
/// and the next round goes on from where the first one ended.
#[test]
fn a_round_that_fails_makes_no_step() {
    let clients = 4;
    let memory = kept(0.5, MemoryStart::Zero, Commit::OnAcknowledgement);
    let inputs = golden("g2_fedem.json")["inputs"].clone();
    let fedem = || {
        let settings = settings(0.1, memory, clients as f64);
        fed_em(shared_among(&inputs, clients), settings, numbers(&inputs["S0"])).unwrap()
    };
    let fails = play_rounds(fedem(), SETTING, &[4, 4, 4, 99], 3).0;
    let holds = play_rounds(fedem(), SETTING, &[99; 4], 2).0;
    let of = |rows: &[RoundRow], round: u64| rows.iter().find(|row| row.round == round).cloned().unwrap();
    let failed = of(&fails, 2);
    assert_eq!((failed.arrived, failed.field_sq), (0, None));
    assert!(of(&fails, 1).mean_field_sq.is_some_and(|field| field > 0.0));
    assert_eq!(failed.mean_field_sq, of(&fails, 1).mean_field_sq);
    assert_eq!(of(&fails, 3).field_sq, of(&holds, 2).field_sq);
}

/// Three equal clients and no contention: a broadcast; keys, shares and their lists while everybody computes; the
/// vector; survivors and unmasking. A transfer takes 5 ms and its bits, with 40 bytes for each 1 460, at 1 Mbit/s.
#[test]
fn the_exchanges_take_their_time() {
    let simulated = simulate(fedem(3), secure(SETTING), &Place::even(3, SITE), after(1));
    let took = |bits: u64| 5_000_000 + (bits + 320 * bits.div_ceil(11_680).max(1)) * 1_000;
    let (name, cipher) = (2, 2 + 4 + 140 + 13);
    let keys = took(2_000) + took(2 * (name + 2_000)) + 2 * took(2 * cipher);
    let computing = 11 * 10_000;
    assert!(keys > computing);
    let end = took(64 * ENTRIES) + keys + took(ENTRIES * 31) + took(3 * name) + took(3 * 70);
    assert_eq!(simulated.last().time_ns, end);
    assert_eq!(simulated.last().arrived, 3);
}

/// What is used is the sum of vectors that are rounded to the grid of the field: half a grid step per entry at the
/// most, whatever drops out.
#[test]
fn the_sum_is_that_of_rounded_vectors() {
    let stop = || after(1);
    let plain = simulate(fedem(4), everybody(RoundPolicy::WaitForAll), &Place::even(4, SITE), stop());
    let fine = SecureAggregation { field_bits: 40, fraction_bits: 20, ..SETTING };
    let masked = simulate(fedem(4), secure(fine), &Place::even(4, SITE), stop());
    let (a, b) = (&plain.fedem().s_hat, &masked.fedem().s_hat);
    let gap = a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    assert!(gap > 0.0 && gap <= 0.1 * 0.5 / f64::from(1 << 20), "{gap}");
    let coarse = SecureAggregation { field_bits: 8, fraction_bits: 7, ..SETTING };
    let wraps = simulate(fedem(4), secure(coarse), &Place::even(4, SITE), stop());
    assert!(wraps.stop.to_string().contains("does not fit a field of 8 bits"), "{}", wraps.stop);
}

/// The broadcast of round k takes 181 ms to the last client; round k ends some 20 ms after its first deadline of 100 ms,
/// and its answer comes in the middle of round k + 1. It belongs to round k: whoever has not heard of a round is in none
/// of its exchanges.
#[test]
fn who_hears_of_a_round_after_its_end_answers_too_late() {
    let mut place = Place::even(4, SITE);
    place.sites[3].down = 4_000;
    let rounds = Rounds { policy: RoundPolicy::Deadline(Duration::Ms(100.0)), ..secure(SETTING) };
    let simulated = simulate(fedem(4), rounds, &place, after(4));
    for row in &simulated.rows[1..] {
        assert_eq!((row.arrived, row.late), (3, 1), "round {}", row.round);
    }
    let up = |purpose: &str, fate| simulated.account(Direction::Up, purpose, fate).0;
    assert_eq!((up("shares", Fate::Delivered), up("update", Fate::Delivered)), (12, 12));
    assert_eq!((up("shares", Fate::Late), up("update", Fate::Late)), (0, 0));
    assert!(up("keys", Fate::Late) > 0 && simulated.account(Direction::Down, "broadcast", Fate::Late).0 > 0);
}
