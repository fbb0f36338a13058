//! Scripts of transfers and aborts, and how a network simulates them.

use fedbits_kernel::network::{FlowId, Network, Transfer};
use fedbits_kernel::{Bits, NodeId, Time};

/// One thing done to a network.
#[derive(Clone, Copy, Debug)]
pub enum Action {
    Start(Transfer),
    /// Abort the transfer with this number (in order of starts) unless it has ended.
    Abort(usize),
}

/// What became of one transfer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Fate {
    Completed(Time),
    Aborted(Time, Bits),
}

pub fn transfer(from: u32, to: u32, bits: u64) -> Transfer {
    Transfer::new(NodeId(from), NodeId(to), Bits::new(bits))
}

/// Plays a script whose times do not decrease; `polls` are extra moments at which the network is advanced.
pub fn simulate(network: &mut dyn Network, script: &[(Time, Action)], polls: &[Time]) -> Vec<Fate> {
    let mut run = Script { network, flows: Vec::new(), fates: Vec::new(), completed: Vec::new() };
    let mut polls = polls.iter().peekable();
    for &(at, action) in script {
        while let Some(&&poll) = polls.peek().filter(|&&&poll| poll <= at) {
            polls.next();
            run.advance(poll);
        }
        run.advance(at);
        match action {
            Action::Start(transfer) => run.start(at, transfer),
            Action::Abort(number) => run.abort(at, number),
        }
    }
    run.advance(Time::MAX);
    run.fates.into_iter().map(|fate| fate.expect("every transfer ends")).collect()
}

struct Script<'a> {
    network: &'a mut dyn Network,
    /// Numbers of the transfers in flight, by flow id.
    flows: Vec<(FlowId, usize)>,
    fates: Vec<Option<Fate>>,
    completed: Vec<FlowId>,
}

impl Script<'_> {
    fn start(&mut self, now: Time, transfer: Transfer) {
        let flow = self.network.start(now, transfer);
        assert!(self.flows.iter().all(|&(known, _)| known != flow), "an id of a flow in flight was given out again");
        self.flows.push((flow, self.fates.len()));
        self.fates.push(None);
    }

    fn abort(&mut self, now: Time, number: usize) {
        if let Some(place) = self.flows.iter().position(|&(_, known)| known == number) {
            let (flow, _) = self.flows.swap_remove(place);
            self.fates[number] = Some(Fate::Aborted(now, self.network.abort(now, flow)));
        }
    }

    /// Advances completion by completion: progress is made at each step, and times never decrease.
    fn advance(&mut self, to: Time) {
        let mut last = (Time::ZERO, 0);
        while let Some(next) = self.network.next_completion().filter(|&next| next <= to) {
            assert!(next >= last.0, "the next completion moved back from {} to {next}", last.0);
            last = if next == last.0 { (next, last.1 + 1) } else { (next, 0) };
            assert!(last.1 < 3, "the network is stuck at {next}");
            self.network.advance(next, &mut self.completed);
            self.record(next);
        }
        self.network.advance(to, &mut self.completed);
        assert!(self.completed.is_empty(), "something completed at a time that was not announced");
    }

    fn record(&mut self, now: Time) {
        let mut numbers = Vec::new();
        for flow in self.completed.drain(..) {
            let place = self.flows.iter().position(|&(known, _)| known == flow).expect("a flow in flight");
            let (_, number) = self.flows.swap_remove(place);
            self.fates[number] = Some(Fate::Completed(now));
            numbers.push(number);
        }
        assert!(numbers.is_sorted(), "completions of one time come in the order of starts");
    }
}

/// The tolerance of the reference: 5 ns + 1e-9 relative.
pub fn close(time: Time, seconds: f64) -> bool {
    let nanos = seconds * 1e9;
    (time.as_nanos() as f64 - nanos).abs() <= 5.0 + 1e-9 * nanos
}
