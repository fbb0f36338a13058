//! The slow obvious reference: progressive filling of everything, by its definition, at every event, in seconds as
//! floats; windows of slow start as the definition says.

use fedbits_kernel::Time;
use fedbits_kernel::network::{LinkId, Routes, Transfer, Window};

use crate::network::script::{Action, Fate, close};

struct Flow {
    opens: f64,
    bits: f64,
    remaining: f64,
    rate: f64,
    links: Vec<LinkId>,
    /// Latency after the last bit, and when it is over.
    after: f64,
    arrives: Option<f64>,
    /// Bits that the present window still allows, and when the next one opens.
    allowed: f64,
    round_ends: f64,
    window: Option<Window>,
    end: Option<End>,
}

impl Flow {
    fn new(routes: &dyn Routes, transfer: Transfer, now: f64) -> Self {
        let mut links = Vec::new();
        let latency = routes.route(transfer.from, transfer.to, &mut links);
        let after = routes.latency_after(transfer.from, latency).as_seconds();
        let opens = now + latency.as_seconds() - after;
        let (bits, window) = (transfer.bits.count() as f64, transfer.window);
        let mut flow = Self {
            opens,
            bits,
            remaining: bits,
            rate: 0.0,
            links,
            after,
            arrives: None,
            allowed: f64::INFINITY,
            round_ends: f64::INFINITY,
            window,
            end: None,
        };
        flow.open_window(opens);
        flow
    }

    /// A round begins.
    fn open_window(&mut self, now: f64) {
        let window = self.window.filter(|window| window.first < window.limit);
        self.allowed = window.map_or(f64::INFINITY, |window| window.first.count() as f64);
        self.round_ends = window.map_or(f64::INFINITY, |window| now + window.round.as_seconds());
    }

    /// The round is over: twice the window if it was sent, else none any more.
    fn end_round(&mut self) {
        let spent = self.allowed <= 0.0;
        self.window = self.window.filter(|_| spent).map(|window| Window { first: window.first * 2, ..window });
        self.open_window(self.round_ends);
    }

    fn flows(&self, now: f64) -> bool {
        self.end.is_none() && self.opens <= now && self.remaining > 0.0 && self.allowed > 0.0
    }

    /// When its last bit is sent, or the last that the window allows.
    fn stops(&self, now: f64) -> f64 {
        now + self.remaining.min(self.allowed) / self.rate
    }

    fn next(&self, now: f64) -> f64 {
        match self.arrives {
            Some(arrives) => arrives,
            None if self.opens > now => self.opens,
            None if self.remaining <= 0.0 => now,
            None if self.allowed <= 0.0 => self.round_ends,
            None => self.stops(now).min(self.round_ends),
        }
    }

    /// From `now` to `next`, when something happens to it or to another.
    fn go(&mut self, now: f64, next: f64) {
        if self.flows(now) {
            let stops = self.stops(now) <= next;
            let sent = if stops { self.remaining.min(self.allowed) } else { self.rate * (next - now) };
            (self.remaining, self.allowed) = (self.remaining - sent, self.allowed - sent);
        }
        if self.opens <= next && self.remaining <= 0.0 {
            self.arrives = self.arrives.or(Some(next + self.after));
        } else if self.round_ends <= next {
            self.end_round();
        }
        if self.arrives.is_some_and(|arrives| arrives <= next) {
            self.end = Some(End::Completed(next));
        }
    }
}

/// How a transfer ended: at a time in seconds, or cut off with this many bits sent.
#[derive(Clone, Copy, Debug)]
pub enum End {
    Completed(f64),
    Aborted(f64, f64),
}

/// Plays a script; the result is by number of transfer.
pub fn simulate(routes: &dyn Routes, script: &[(Time, Action)]) -> Vec<End> {
    let (mut flows, mut now): (Vec<Flow>, f64) = (Vec::new(), 0.0);
    for &(at, action) in script {
        run(&mut flows, routes, &mut now, at.as_seconds());
        match action {
            Action::Start(transfer) => {
                flows.push(Flow::new(routes, transfer, now));
            }
            Action::Abort(number) => {
                let flow = &mut flows[number];
                flow.end = flow.end.or(Some(End::Aborted(now, flow.bits - flow.remaining)));
            }
        }
    }
    run(&mut flows, routes, &mut now, f64::INFINITY);
    flows.into_iter().map(|flow| flow.end.expect("every transfer ends")).collect()
}

/// The capacities at an instant, and when one of them changes.
fn capacities(routes: &dyn Routes, now: f64) -> (Vec<f64>, f64) {
    let mut changes = f64::INFINITY;
    let at = Time::from_nanos((now * 1e9 + 0.01) as u64);
    let mut capacity = |link| match routes.varying(link) {
        None => routes.capacity(link).bits_per_second() as f64,
        Some(varying) => {
            let piece = varying.at(at);
            changes = changes.min(piece.until.as_seconds());
            piece.rate as f64
        }
    };
    ((0..routes.link_count() as u32).map(|link| capacity(LinkId(link))).collect(), changes)
}

fn run(flows: &mut [Flow], routes: &dyn Routes, now: &mut f64, to: f64) {
    loop {
        let (capacities, changes) = capacities(routes, *now);
        fill(flows, &capacities, *now);
        let pending = flows.iter().filter(|flow| flow.end.is_none());
        let next = pending.map(|flow| flow.next(*now)).fold(to.min(changes), f64::min);
        if next.is_infinite() || (to.is_infinite() && flows.iter().all(|flow| flow.end.is_some())) {
            return;
        }
        flows.iter_mut().filter(|flow| flow.end.is_none()).for_each(|flow| flow.go(*now, next));
        *now = next;
        if next >= to {
            return;
        }
    }
}

/// The definition: raise all rates together; when a link is full, its flows keep their rate.
fn fill(flows: &mut [Flow], capacities: &[f64], now: f64) {
    let mut open: Vec<&mut Flow> = flows.iter_mut().filter(|f| f.flows(now)).collect();
    let mut left = capacities.to_vec();
    while !open.is_empty() {
        let users = |l: usize| open.iter().filter(|f| f.links.contains(&LinkId(l as u32))).count();
        let share = |l: usize| left[l] / users(l) as f64;
        let used = (0..left.len()).filter(|&l| users(l) > 0);
        let full = used.min_by(|&a, &b| share(a).total_cmp(&share(b))).expect("every flow has a link");
        let rate = share(full);
        let (fixed, rest): (Vec<_>, Vec<_>) = open.into_iter().partition(|f| f.links.contains(&LinkId(full as u32)));
        for flow in fixed {
            flow.rate = rate;
            flow.links.iter().for_each(|link| left[link.0 as usize] -= rate);
        }
        open = rest;
    }
}

/// Whether a network's answers are the reference's, within the reference's tolerance.
pub fn assert_same(fates: &[Fate], reference: &[End], routes: &dyn Routes, context: &str) {
    assert_eq!(fates.len(), reference.len());
    for (number, (fate, end)) in fates.iter().zip(reference).enumerate() {
        let same = match (*fate, *end) {
            (Fate::Completed(at), End::Completed(seconds)) => close(at, seconds),
            (Fate::Aborted(at, bits), End::Aborted(seconds, sent)) => {
                // What the fastest link could send within the tolerance in time.
                let fastest =
                    (0..routes.link_count()).map(|l| routes.capacity(LinkId(l as u32)).bits_per_second()).max();
                let slack = 1.0 + fastest.map_or(0.0, |rate| rate as f64 * (5e-9 + 1e-9 * seconds));
                close(at, seconds) && bits.count() as f64 <= sent + slack && bits.count() as f64 >= sent - slack
            }
            // Rounding decides whether a transfer that ends just when it is cut off is complete.
            (Fate::Completed(at), End::Aborted(seconds, _)) | (Fate::Aborted(at, _), End::Completed(seconds)) => {
                close(at, seconds)
            }
        };
        assert!(same, "{context}: transfer {number}: {fate:?}, reference {end:?}");
    }
}

/// A generator of test cases; nothing of it is pinned.
pub struct Dice(pub u64);

impl Dice {
    pub fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        (z ^ (z >> 31)) % n
    }
}
