//! A script of transfers, played on any network: the same on a simulated one and on sockets.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use fedbits_emulate::{Connections, MessageContents, Options};
use fedbits_kernel::network::{FlowId, Network, Transfer};
use fedbits_kernel::{Bits, Framing, NodeId, Time};
use serde::{Deserialize, Serialize};

/// A transfer of a script.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub struct Step {
    /// When it starts, in nanoseconds.
    pub at_ns: u64,
    /// The sending node.
    pub from: u32,
    /// The receiving node.
    pub to: u32,
    /// Bytes of the message, without headers.
    pub bytes: u64,
    /// What the receiver sends back.
    #[serde(default)]
    pub reply: Option<Reply>,
}

/// What a receiver sends back to the sender.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub struct Reply {
    /// Nanoseconds after the last bit has arrived.
    pub after_ns: u64,
    /// Bytes of the message, without headers.
    pub bytes: u64,
}

/// A transfer that was played.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub struct Timed {
    /// The number of the step.
    pub step: usize,
    /// Is it the reply?
    pub reply: bool,
    /// When it started.
    pub start_ns: u64,
    /// When it arrived; none when it was lost.
    pub end_ns: Option<u64>,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Departure {
    at: u64,
    step: usize,
    reply: bool,
}

/// Plays a script to its end; the results in the order of the steps, a reply behind its step.
pub fn play(network: &mut dyn Network, framing: Framing, script: &[Step]) -> Vec<Timed> {
    let first = |(step, of): (usize, &Step)| Departure { at: of.at_ns, step, reply: false };
    let mut departures: BTreeSet<Departure> = script.iter().enumerate().map(first).collect();
    let (mut under_way, mut played, mut completed) = (BTreeMap::new(), Vec::new(), Vec::new());
    loop {
        let next = departures.first().copied();
        let horizon = next.map(|departure| Time::from_nanos(departure.at));
        if let Some(at) = network.advance_to_completion(horizon, &mut completed) {
            for flow in completed.drain(..) {
                let Some(Departure { at: start_ns, step, reply }) = under_way.remove(&flow) else { continue };
                let arrived = network.outcome(flow).arrived();
                played.push(Timed { step, reply, start_ns, end_ns: arrived.then(|| at.as_nanos()) });
                if let Some(back) = script[step].reply.filter(|_| arrived && !reply) {
                    departures.insert(Departure { at: at.as_nanos() + back.after_ns, step, reply: true });
                }
            }
        } else if let Some(departure) = next {
            departures.pop_first();
            let flow = start(network, framing, script, departure);
            under_way.insert(flow, departure);
        } else {
            break;
        }
    }
    played.sort_unstable_by_key(|timed| (timed.step, timed.reply));
    played
}

fn start(
    network: &mut dyn Network,
    framing: Framing,
    script: &[Step],
    Departure { at, step, reply }: Departure,
) -> FlowId {
    let Step { from, to, bytes, reply: back, .. } = script[step];
    let (from, to, bytes) = if reply { (to, from, back.map_or(0, |back| back.bytes)) } else { (from, to, bytes) };
    let payload = Bits::new(8 * bytes);
    let bits = payload + framing.header_bits(payload);
    network.start(Time::from_nanos(at), Transfer::new(NodeId(from), NodeId(to), bits))
}

/// Messages that say nothing.
struct Blank;

impl MessageContents for Blank {
    fn content(&mut self, _: NodeId, _: NodeId) -> (Vec<u8>, u64) {
        (Vec::new(), 0)
    }
}

/// Connections that are kept, of Linux's usual congestion control, for messages that say nothing.
pub fn plain_options() -> Options {
    Options {
        congestion: "cubic".to_owned(),
        connections: Connections::Kept,
        keeps_window: false,
        pairs: Vec::new(),
        max_seconds: 120,
        contents: Box::new(Blank),
        halt: Arc::default(),
    }
}
