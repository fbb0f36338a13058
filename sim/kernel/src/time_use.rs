//! What every node does with its time: whole nanoseconds computing, sending, receiving, waiting and away, and the
//! energy of that. Kept only for runs that ask for it. It must not know messages or protocols.
//!
//! A transfer takes its sender and its receiver from the instant at which it sets out until it has arrived, is lost or
//! is cut off: latency, waiting in queues and repetitions included. Who does two things at once spends the time on
//! both, and `overlap` on what is then counted twice:
//!
//! computing + sending + receiving − overlap + waiting + away = the time of the run, to the nanosecond.

use std::cell::RefCell;

use fedbits_random::Streams;

use crate::availability::Presence;
use crate::{NodeId, Time};

/// What a run is asked to keep of its nodes' time.
pub struct TimeUsePlan {
    /// Who is there when; nodes that do nothing while they are not are away.
    pub presence: Box<dyn Presence>,
    /// Power of every node; empty when no energy is asked for.
    pub powers: Vec<Power>,
}

/// Power of one node in watts.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Power {
    /// While it computes.
    pub compute: f64,
    /// While it sends.
    pub send: f64,
    /// While it receives.
    pub receive: f64,
    /// While it does none of these and is not away.
    pub idle: f64,
}

impl Power {
    /// Joules over these times: who does two things at once draws the power of both, who is away none.
    #[must_use]
    pub fn energy(&self, spent: &TimeUse) -> f64 {
        let seconds = |nanoseconds: u64| nanoseconds as f64 / 1e9;
        let busy = self.compute * seconds(spent.computing) + self.send * seconds(spent.sending);
        busy + self.receive * seconds(spent.receiving) + self.idle * seconds(spent.waiting)
    }
}

/// How a node has spent its time, in nanoseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TimeUse {
    /// Computing, coding or decoding.
    pub computing: u64,
    /// At least one message of its own was on its way.
    pub sending: u64,
    /// At least one message to it was on its way.
    pub receiving: u64,
    /// What the three above count more than once.
    pub overlap: u64,
    /// Nothing of these, and it is there.
    pub waiting: u64,
    /// Nothing of these, and it restarts after a dropout or is not available.
    pub away: u64,
}

impl TimeUse {
    /// Time in which it did something.
    #[must_use]
    pub fn busy(&self) -> u64 {
        self.computing + self.sending + self.receiving - self.overlap
    }

    /// All of its time.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.busy() + self.waiting + self.away
    }
}

/// What a node is doing, since when, and what it has done before.
#[derive(Clone, Copy, Default)]
struct Doing {
    since: Time,
    spent: TimeUse,
    /// Computations, and messages that are coded or decoded.
    computes: u32,
    sends: u32,
    receives: u32,
    /// The end of its restart after the last dropout.
    down_until: Time,
}

impl Doing {
    fn is_idle(&self) -> bool {
        self.computes == 0 && self.sends == 0 && self.receives == 0
    }
}

/// What happens to a node's task.
#[derive(Clone, Copy)]
pub(crate) enum Task {
    Compute,
    Send,
    Receive,
}

/// The time of all nodes.
pub(crate) struct Clocks {
    nodes: Vec<Doing>,
    /// None where the clock does not decide who is there: everybody is.
    presence: Option<Box<dyn Presence>>,
    /// It is always there.
    server: Option<NodeId>,
    powers: Vec<Power>,
    /// What the presence has said that cannot be.
    wrong: Option<String>,
}

impl Clocks {
    pub(crate) fn new(plan: TimeUsePlan, nodes: usize, server: Option<NodeId>) -> RefCell<Self> {
        let presence = Some(plan.presence).filter(|presence| presence.goes_by_the_clock());
        RefCell::new(Self { nodes: vec![Doing::default(); nodes], presence, server, powers: plan.powers, wrong: None })
    }

    /// `node` begins a task at `now`, or has ended one.
    pub(crate) fn turn(&mut self, streams: &Streams, node: NodeId, task: Task, begins: bool, now: Time) {
        self.book(streams, node, now);
        let doing = &mut self.nodes[node.0 as usize];
        let count = match task {
            Task::Compute => &mut doing.computes,
            Task::Send => &mut doing.sends,
            Task::Receive => &mut doing.receives,
        };
        *count = if begins { *count + 1 } else { *count - 1 };
    }

    /// `node` has dropped out at `now` and is back at `until`.
    pub(crate) fn goes_down(&mut self, streams: &Streams, node: NodeId, now: Time, until: Time) {
        self.book(streams, node, now);
        self.nodes[node.0 as usize].down_until = until;
    }

    /// Books the time of `node` up to `now`.
    fn book(&mut self, streams: &Streams, node: NodeId, now: Time) {
        let doing = &mut self.nodes[node.0 as usize];
        let (began, span) = (doing.since, (now - doing.since).as_nanos());
        doing.since = now;
        if span == 0 {
            return;
        }
        if doing.is_idle() {
            let up = doing.down_until.clamp(began, now);
            let mut away = (up - began).as_nanos();
            if let Some(presence) = self.presence.as_deref_mut().filter(|_| self.server != Some(node)) {
                match absence(presence, streams, node, [up, now]) {
                    Ok(absent) => away += absent,
                    Err(why) => self.wrong = Some(why),
                }
            }
            doing.spent.away += away;
            doing.spent.waiting += span - away;
            return;
        }
        let tasks = [doing.computes > 0, doing.sends > 0, doing.receives > 0].map(u64::from);
        doing.spent.computing += span * tasks[0];
        doing.spent.sending += span * tasks[1];
        doing.spent.receiving += span * tasks[2];
        doing.spent.overlap += span * (tasks.iter().sum::<u64>() - 1);
    }

    /// What the presence has said that cannot be, if it has.
    pub(crate) fn wrong(&self) -> Option<String> {
        self.wrong.clone()
    }

    /// How all nodes have spent their time up to `now`.
    pub(crate) fn until(&mut self, streams: &Streams, now: Time) -> Vec<TimeUse> {
        for node in 0..self.nodes.len() as u32 {
            self.book(streams, NodeId(node), now);
        }
        self.nodes.iter().map(|doing| doing.spent).collect()
    }

    /// Joules of each node up to `now`; `None` where no power is given.
    pub(crate) fn energies(&mut self, streams: &Streams, now: Time) -> Option<Vec<f64>> {
        if self.powers.is_empty() {
            return None;
        }
        let spent = self.until(streams, now);
        Some(self.powers.iter().zip(&spent).map(|(power, spent)| power.energy(spent)).collect())
    }
}

/// Nanoseconds between two times in which `node` is not there. An error, if a change that is to come is none.
fn absence(presence: &mut dyn Presence, streams: &Streams, node: NodeId, [from, to]: [Time; 2]) -> Result<u64, String> {
    if let Some(period) = presence.period() {
        let times = (to - from).as_nanos() / period.as_nanos();
        if times > 1 {
            let once = absence(presence, streams, node, [from, from + period])?;
            return Ok(times * once + absence(presence, streams, node, [from + period * times, to])?);
        }
    }
    let (mut at, mut absent) = (from, 0);
    while at < to {
        let is_there = presence.is_available(streams, node, 0, at);
        let change = if is_there { presence.until(streams, node, at) } else { presence.next_after(streams, node, at) };
        if let Some(change) = change.filter(|change| *change <= at) {
            let state = if is_there { "there" } else { "away" };
            return Err(format!("the availability has node {} {state} at {at}, until {change}, no later", node.0));
        }
        let change = change.map_or(to, |change| change.min(to));
        if !is_there {
            absent += (change - at).as_nanos();
        }
        at = change;
    }
    Ok(absent)
}
