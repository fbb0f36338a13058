//! The laws of sharing, for the project's own models and for a user's: what starts ends once, no bit comes from
//! nowhere, nothing is faster than alone on its route, no link carries more than its capacity, what is cut off has sent
//! the more the later, rates that vary are followed where the model says so, and looking more often changes nothing.
//!
//! Each function panics at the first law that is broken, and says which model broke it: call [`sharing`] from a test.

use std::any::type_name;
use std::collections::BTreeMap;
use std::sync::Arc;

use fedbits_random::{DrawPurpose, Stream, Streams};
use fedbits_spec::{Facts, assert_sound};

use super::varying::Through;
use super::{
    AccessLink, BitsFirst, FlowId, LatencyOrder, LinkId, Network, Rates, Routes, SharedLinks, SharingSetting,
    StarLinks, Transfer, VaryingLinks, VaryingRate, Window,
};
use crate::message::Framing;
use crate::{Bits, NodeId, Rate, Time, TimeDelta};

const CASES: u64 = 40;
const TRANSFERS: usize = 40;
const FRAMING: Framing = Framing { header: Bits::new(320), segment: Bits::new(11_680) };

/// Of a transfer alone: two segments, which the queues of the examples hold.
const ALONE: Bits = Bits::new(20_000);

/// Rates in floats: a completion may be told a nanosecond off.
const ROUNDING: TimeDelta = TimeDelta::from_nanos(1);

/// All laws, over the examples of a setting.
///
/// # Panics
/// When a law is broken.
pub fn sharing<T: SharingSetting>() {
    let examples = T::examples();
    assert!(!examples.is_empty(), "{}: no examples to test the laws over", type_name::<T>());
    examples.iter().for_each(|setting| model(setting));
}

/// All laws of one model, on random stars with transfers in both directions and between clients.
///
/// # Panics
/// When a law is broken.
pub fn model(setting: &dyn SharingSetting) {
    assert_sound(setting, &Facts::default());
    for case in 0..CASES {
        let mut stream = Streams::new(5, case).at(DrawPurpose::Topology, 0, 0);
        let star = star(&mut stream);
        let script: Vec<Planned> = script(&mut stream, star.clients.len() as u64);
        let name = format!("{}{} on star {case}", setting.part_name(), setting.text());
        let mut conditions = vec![("", Rates::default())];
        if setting.follows_varying_rates() {
            conditions.push((", with rates that vary", varying(&mut stream, &star)));
        }
        for (vary, rates) in &conditions {
            for order in [LatencyOrder::First, LatencyOrder::AtServer] {
                let context = format!("{name}, {order:?}{vary}");
                let network = || build(setting, &star, order, rates);
                let fates = simulate(&mut *network(), &script, &[], &context);
                each_transfer(setting, &star, &script, &fates, &context);
                if setting.contends() {
                    capacities(&star, &script, &fates, &context);
                }
                let looks: Vec<Time> = (0..200).map(|k| Time::from_nanos(k * 7_654_321)).collect();
                let looked_at = simulate(&mut *network(), &script, &looks, &context);
                assert!(looked_at == fates, "{context}: results depend on how often the network is advanced");
                if let Some(fast) = setting.build_star(&star, order).filter(|_| rates.is_empty()) {
                    fast_path([network(), fast], &script, &context);
                }
            }
        }
        cut_off(setting, &star, &name);
        if setting.follows_varying_rates() {
            slower(setting, &star, &name);
        }
    }
}

fn build(setting: &dyn SharingSetting, star: &StarLinks, order: LatencyOrder, rates: &Rates) -> Box<dyn Network> {
    let routes = VaryingLinks { routes: star.clone(), rates: Arc::clone(rates) };
    let routes: Arc<dyn Routes + Sync> = match order {
        LatencyOrder::First => Arc::new(routes),
        LatencyOrder::AtServer => Arc::new(BitsFirst { routes, sender: NodeId(0) }),
    };
    setting.build(SharedLinks::plain(routes, FRAMING))
}

fn alone(mut network: Box<dyn Network>, abort: Option<Time>, context: &str) -> Fate {
    let transfer = Transfer::new(NodeId(0), NodeId(1), ALONE);
    simulate(&mut *network, &[Planned { start: Time::ZERO, transfer, abort }], &[], context)[0]
}

/// The later a transfer is cut off the more it has sent, and just before its end all but a segment.
fn cut_off(setting: &dyn SharingSetting, star: &StarLinks, context: &str) {
    let network = || build(setting, star, LatencyOrder::First, &Rates::default());
    let last = alone(network(), None, context).at.as_nanos() - 1;
    let mut before = Bits::ZERO;
    for at in (0..4).rev().map(|quarters| Time::from_nanos(last - last / 4 * quarters)) {
        let Fate { bits, .. } = alone(network(), Some(at), context);
        assert!(bits >= before, "{context}: a transfer that is cut off at {at} has sent {bits}, and {before} before");
        before = bits;
    }
    let most = before + FRAMING.segment >= ALONE;
    assert!(most, "{context}: a transfer of {ALONE} that is cut off just before its end has sent {before}");
}

/// The rate of a link falls to a thousandth after half of a transfer: nobody's last bits are there before this link
/// can have sent them.
fn slower(setting: &dyn SharingSetting, star: &StarLinks, context: &str) {
    let mut links = Vec::new();
    star.route(NodeId(0), NodeId(1), &mut links);
    for link in links {
        let capacity = star.capacity(link);
        let [fast, slow] = [1, 1_000].map(|part| capacity.bits_per_second() / part);
        let half = capacity.time_for(Bits::new(ALONE.count() / 2));
        let rate = VaryingRate::new(&[(half, fast), (TimeDelta::from_nanos(1 << 40), slow)]).expect("a rate");
        let least = Through { constant: capacity, varying: &[&rate] }.sent_by(Time::ZERO, ALONE);
        let network = build(setting, star, LatencyOrder::First, &Arc::new([(link, rate)].into()));
        let Fate { at, .. } = alone(network, None, context);
        let follows = at + ROUNDING >= least;
        assert!(follows, "{context}: a transfer ends at {at}, and {link:?}, whose rate varies, has sent it at {least}");
    }
}

/// Rates of some of the clients' links, never faster than these are.
fn varying(stream: &mut Stream, star: &StarLinks) -> Rates {
    let mut rates = BTreeMap::new();
    for link in (2..star.link_count() as u32).map(LinkId).filter(|link| link.0 % 3 > 0) {
        let capacity = star.capacity(link).bits_per_second();
        let mut piece = |rate| (TimeDelta::from_nanos(1 + stream.below(100_000_000)), rate);
        let pieces = [capacity, capacity / 10, 0, capacity / 3].map(&mut piece);
        rates.insert(link, VaryingRate::new(&pieces).expect("a rate"));
    }
    Arc::new(rates)
}

/// A transfer, when it starts, and when it is cut off if it still is in flight then.
struct Planned {
    start: Time,
    transfer: Transfer,
    abort: Option<Time>,
}

/// How a transfer ended.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Fate {
    at: Time,
    /// Bits that arrived, or, of what was cut off, were sent.
    bits: Bits,
    completed: bool,
}

fn star(stream: &mut Stream) -> StarLinks {
    let rate =
        |stream: &mut Stream| Rate::new(1_000 * (100 + stream.below(20_000))).expect("100 kbit/s to 20.1 Mbit/s");
    let client = |stream: &mut Stream| AccessLink {
        up: rate(stream),
        down: rate(stream),
        latency: TimeDelta::from_nanos(stream.below(60_000_000)),
    };
    let (server_up, server_down) = (rate(stream), rate(stream));
    StarLinks { server_up, server_down, clients: (0..5).map(|_| client(stream)).collect() }
}

/// Of a sender in slow start.
fn window(stream: &mut Stream) -> Window {
    let first = Bits::new(1 + stream.below(100_000));
    Window { first, limit: first * (1 + stream.below(20)), round: TimeDelta::from_nanos(1 + stream.below(80_000_000)) }
}

/// In the order of starts; some are cut off, one has no bits.
fn script(stream: &mut Stream, clients: u64) -> Vec<Planned> {
    let mut now = 0;
    let planned = |number: usize| {
        now += stream.below(2) * stream.below(60_000_000);
        let (from, step) = (stream.below(clients + 1), 1 + stream.below(clients));
        let [from, to] = [from, (from + step) % (clients + 1)].map(|node| NodeId(node as u32));
        let bits = if number == 0 { Bits::ZERO } else { Bits::new(1 + stream.below(600_000)) };
        let abort = (stream.below(5) == 0).then(|| Time::from_nanos(now + stream.below(100_000_000)));
        let window = (stream.below(2) == 0).then(|| window(stream));
        Planned { start: Time::from_nanos(now), transfer: Transfer { window, ..Transfer::new(from, to, bits) }, abort }
    };
    (0..TRANSFERS).map(planned).collect()
}

/// Simulates the script; at `looks` the network is advanced besides.
fn simulate(network: &mut dyn Network, script: &[Planned], looks: &[Time], context: &str) -> Vec<Fate> {
    let mut events: Vec<(Time, Event)> = looks.iter().map(|&at| (at, Event::Look)).collect();
    for (number, planned) in script.iter().enumerate() {
        events.push((planned.start, Event::Start(number)));
        events.extend(planned.abort.map(|at| (at, Event::Abort(number))));
    }
    // Stable: what is cut off at once has started before.
    events.sort_by_key(|&(at, event)| (at, matches!(event, Event::Abort(_))));
    let mut run = Run { network, script, context, flows: Vec::new(), fates: vec![None; script.len()] };
    for (at, event) in events {
        run.until(at);
        match event {
            Event::Look => {}
            Event::Start(number) => run.start(at, number),
            Event::Abort(number) => run.abort(at, number),
        }
    }
    run.until(Time::MAX);
    let fates = run.fates.into_iter().enumerate();
    fates.map(|(number, fate)| fate.unwrap_or_else(|| panic!("{context}: transfer {number} never ends"))).collect()
}

#[derive(Clone, Copy)]
enum Event {
    Look,
    Start(usize),
    Abort(usize),
}

struct Run<'a> {
    network: &'a mut dyn Network,
    script: &'a [Planned],
    context: &'a str,
    /// In flight, with their numbers in the script.
    flows: Vec<(FlowId, usize)>,
    fates: Vec<Option<Fate>>,
}

impl Run<'_> {
    fn start(&mut self, now: Time, number: usize) {
        let flow = self.network.start(now, self.script[number].transfer);
        let is_new = self.flows.iter().all(|&(known, _)| known != flow);
        assert!(is_new, "{}: transfer {number} got the id of one in flight", self.context);
        self.flows.push((flow, number));
    }

    fn abort(&mut self, now: Time, number: usize) {
        let Some(index) = self.flows.iter().position(|&(_, known)| known == number) else { return };
        let (flow, _) = self.flows.swap_remove(index);
        let bits = self.network.abort(now, flow);
        self.fates[number] = Some(Fate { at: now, bits, completed: false });
    }

    fn until(&mut self, to: Time) {
        let context = self.context;
        let (mut completed, mut announced) = (Vec::new(), (Time::ZERO, 0));
        while let Some(next) = self.network.next_completion().filter(|&next| next <= to) {
            announced = (next, if next == announced.0 { announced.1 + 1 } else { 0 });
            assert!(announced.1 < 3, "{context}: nothing happens at {next}, which is announced again and again");
            completed.clear();
            self.network.advance(next, &mut completed);
            let mut last = None;
            for &flow in &completed {
                let index = self.flows.iter().position(|&(known, _)| known == flow);
                let index = index.unwrap_or_else(|| panic!("{context}: {flow:?} completes and is not in flight"));
                let (_, number) = self.flows.swap_remove(index);
                let ordered = last.replace(number) < Some(number);
                assert!(ordered, "{context}: completions of one time come in the order of starts");
                let sent = self.script[number].transfer.bits;
                let lost = self.network.outcome(flow).lost.bits;
                assert!(lost <= sent, "{context}: transfer {number} loses more than it has");
                self.fates[number] = Some(Fate { at: next, bits: sent - lost, completed: true });
            }
        }
        completed.clear();
        self.network.advance(to, &mut completed);
        assert!(completed.is_empty(), "{context}: something completes at a time that was not announced");
    }
}

/// No more bits than there are; no transfer earlier than its latency and its bits over the slowest link of its route,
/// nor than its network says.
fn each_transfer(setting: &dyn SharingSetting, star: &StarLinks, script: &[Planned], fates: &[Fate], context: &str) {
    let mut network = setting.build(SharedLinks::plain(Arc::new(star.clone()), FRAMING));
    let mut links = Vec::new();
    for (number, (planned, fate)) in script.iter().zip(fates).enumerate() {
        let Planned { start, transfer, .. } = planned;
        assert!(fate.bits <= transfer.bits, "{context}: transfer {number} has more bits than it should");
        let latency = star.route(transfer.from, transfer.to, &mut links);
        let slowest = links.iter().map(|&link| star.capacity(link)).min().expect("a route has links");
        let took = fate.at - *start;
        if !fate.completed {
            let most = star.capacity(links[0]).bits_in(took) + Bits::new(1);
            assert!(fate.bits <= most, "{context}: transfer {number} sent {} in {took}", fate.bits);
            continue;
        }
        let loses = fate.bits < transfer.bits;
        assert!(!loses || setting.drops(), "{context}: transfer {number} loses bits, and the model drops nothing");
        // What is lost as a whole ends where its last packet is dropped.
        if !loses || fate.bits > Bits::ZERO {
            let alone = if loses { TimeDelta::ZERO } else { network.min_duration(*transfer) };
            let least = alone.max(latency + slowest.time_for(fate.bits));
            assert!(took + ROUNDING >= least, "{context}: transfer {number} takes {took}, and at least {least} alone");
        }
    }
}

/// What starts and arrives between two instants has crossed each link of its route between them.
fn capacities(star: &StarLinks, script: &[Planned], fates: &[Fate], context: &str) {
    let mut links = Vec::new();
    for link in (0..star.link_count() as u32).map(LinkId) {
        let over: Vec<(Time, Fate)> = script
            .iter()
            .zip(fates)
            .filter(|(planned, fate)| {
                star.route(planned.transfer.from, planned.transfer.to, &mut links);
                fate.completed && links.contains(&link)
            })
            .map(|(planned, fate)| (planned.start, *fate))
            .collect();
        for &(from, _) in &over {
            for &(_, Fate { at: to, .. }) in over.iter().filter(|(_, fate)| fate.at > from) {
                let inside = over.iter().filter(|(start, fate)| *start >= from && fate.at <= to);
                let bits: Bits = inside.map(|(_, fate)| fate.bits).sum();
                let most = star.capacity(link).bits_in(to - from + ROUNDING) + Bits::new(1);
                assert!(bits <= most, "{context}: {link:?} carries {bits} from {from} to {to}, where {most} fit");
            }
        }
    }
}

/// A star's own network tells the same of transfers between the server and the clients, to 5 ns.
fn fast_path([mut general, mut fast]: [Box<dyn Network>; 2], script: &[Planned], context: &str) {
    let with_server = |planned: &&Planned| planned.transfer.from.0 == 0 || planned.transfer.to.0 == 0;
    let uncut = |&Planned { start, transfer, .. }: &Planned| Planned { start, transfer, abort: None };
    let script: Vec<Planned> = script.iter().filter(with_server).map(uncut).collect();
    let general = simulate(&mut *general, &script, &[], context);
    let fast = simulate(&mut *fast, &script, &[], context);
    for (general, fast) in general.iter().zip(&fast) {
        let apart = general.at.as_nanos().abs_diff(fast.at.as_nanos());
        assert!(apart <= 5, "{context}: the network of a star tells {}, the general one {}", fast.at, general.at);
    }
}
