//! From a scenario to the wiring and options of its emulation; and what of it cannot be emulated.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use fedbits::Error;
use fedbits_emulate::{Connections, DEEP, MessageContents, Options, Queue, Wiring};
use fedbits_kernel::network::{self, LinkId, Routes, Sharing, StoreAndForward};
use fedbits_kernel::{Bits, NodeId};
use fedbits_scenarios::prepare::Prepared;
use fedbits_scenarios::schema::{self, Scenario};
use fedbits_tcp::{Congestion, Tcp};

use super::run::Simulated;

/// The first window of Linux's connections.
const SEGMENTS: u32 = 10;

/// Refuses a scenario whose network real machines cannot have.
pub(super) fn check(scenario: &Scenario) -> Result<(), Error> {
    let network = &scenario.network;
    let refuse = |what: &str, why: &str| Err(Error::Input(format!("`{what}` cannot be emulated: {why}")));
    let flows = |background: &schema::Background| matches!(background, schema::Background::OnOff { .. });
    let of_links = match &network.shape {
        schema::Shape::Graph { links, .. } => links.iter().any(|link| link.background.as_ref().is_some_and(flows)),
        schema::Shape::Star => false,
    };
    if network.up_trace.is_some() || network.down_trace.is_some() {
        return refuse("network.up_trace", "the relay's rates are constant");
    }
    if network.jitter.is_some() {
        return refuse("network.jitter", "it delays whole messages, and a relay knows packets; leave it out");
    }
    let (coding, waits) = (&scenario.compute.coding, scenario.round == schema::Round::WaitForAll);
    if *coding != schema::CodingTimes::default() && (!waits || coding.server_lanes > 1) {
        let why = "strings are sent in the order in which they were coded: leave it out, or wait for all with one lane";
        return refuse("compute.coding", why);
    }
    if flows(&network.background) || of_links {
        return refuse("network.background", "flows of others are not played; a constant rate is");
    }
    Ok(())
}

/// Why results over sockets may differ from those of the simulation; none where they may not.
pub(super) fn why_different(scenario: &Scenario, server: Option<NodeId>) -> Option<&'static str> {
    use schema::Round;
    let Scenario { dropout, availability, stop, round, .. } = scenario;
    let by_the_clock = availability.part_name() != "Always" && availability.build(2).goes_by_the_clock();
    let restarts_late = dropout.restart().is_some_and(|(restart, _)| restart.seconds() > 0.0);
    let reasons = [
        (server.is_none(), "agents do not wait for all others: how far each is when the run ends depends on the times"),
        (matches!(round, Round::Deadline(_)), "who is in time for the deadline depends on the times"),
        (matches!(round, Round::First(_)), "who is among the first depends on the times"),
        (*round != Round::WaitForAll, "which contributions a step uses depends on the times"),
        (dropout.hazard().is_some(), "clients drop out while they are busy, and how long that is, differs"),
        (restarts_late, "the clock decides when clients that have dropped out can be selected again"),
        (by_the_clock, "the clock decides who is available when a round begins"),
        (
            scenario.network.loses_messages(),
            "messages that the simulation loses are sent again by TCP, or given up at other times",
        ),
        (stop.time.is_some() || stop.energy.is_some(), "the clock decides when the run ends"),
        (stop.bits.is_some(), "bits decide when the run ends, and acknowledgements and repetitions are the kernel's"),
    ];
    reasons.into_iter().find_map(|(holds, why)| holds.then_some(why))
}

/// Settings of connections that TCP does not follow.
pub(super) fn not_played(scenario: &Scenario) -> Vec<String> {
    let transport = &scenario.network.transport;
    let set_up = (transport.set_up > 1)
        .then(|| format!("`transport.set_up` is {} in the simulation, and TCP takes one round trip", transport.set_up));
    let window = (transport.slow_start != Some(SEGMENTS)).then(|| {
        let set = transport.slow_start.map_or("None".to_owned(), |segments| segments.to_string());
        format!("`transport.slow_start` is {set} in the simulation, and TCP begins with {SEGMENTS} segments")
    });
    set_up.into_iter().chain(window).collect()
}

/// The congestion control of the scenario, or Linux's default.
fn congestion(scenario: &Scenario) -> &'static str {
    match scenario.network.sharing.get::<Tcp>().map(|tcp| tcp.congestion) {
        Some(Congestion::Reno) => "reno",
        Some(Congestion::Cubic) | None => "cubic",
    }
}

/// The wiring of a prepared scenario, for one of its repeats.
pub(super) fn wiring(prepared: &Prepared, (scenario, repeat): (&Scenario, u32), simulated: &Simulated) -> Wiring {
    let (routes, loss) = (Arc::clone(&prepared.links.routes), Arc::clone(&prepared.links.loss));
    let first = first_links(&*routes, &pairs(simulated));
    let stored = room(&scenario.network.sharing);
    let (named, links) = (Arc::clone(&prepared.links.queue), Arc::clone(&routes));
    let queue = move |link: LinkId| {
        let named = named(link);
        let room = named.room(links.capacity(link)).map(|bits| bits.count() / 8);
        let room = room.or(stored.filter(|_| !first.contains(&link)));
        Queue { is_fair: named == network::Queue::Fair, room: room.unwrap_or(DEEP) }
    };
    let framing = prepared.experiment.world.framing;
    Wiring {
        queue: Arc::new(queue),
        loss,
        seed: seed(scenario.seed, scenario.replicate, repeat),
        ..Wiring::new(simulated.nodes, routes, framing)
    }
}

/// The seed of lost packets: each replicate, and each of its repeats from 1 on, loses others.
fn seed(seed: u64, replicate: u64, repeat: u32) -> u64 {
    let repeats = u64::from(repeat.saturating_sub(1)) << 32;
    seed.wrapping_add(replicate).wrapping_add(repeats)
}

/// The options of the sockets.
pub(super) fn options(
    scenario: &Scenario,
    simulated: &Simulated,
    max_seconds: u64,
    (contents, halt): (Box<dyn MessageContents>, Arc<AtomicBool>),
) -> Options {
    let transport = &scenario.network.transport;
    let connections = match (transport.set_up, transport.connections) {
        (0, _) => Connections::Kept,
        (_, network::transport::Connections::Kept) => Connections::FirstMessage,
        (_, network::transport::Connections::PerMessage) => Connections::PerMessage,
    };
    Options {
        congestion: congestion(scenario).to_owned(),
        connections,
        keeps_window: !transport.restart_after_idle,
        pairs: pairs(simulated),
        max_seconds,
        contents,
        halt,
    }
}

/// The pairs of nodes that exchanged messages; the one with the larger number, a client, opens the connection.
fn pairs(simulated: &Simulated) -> Vec<[u32; 2]> {
    let pair = |played: &fedbits_emulate::Played| [played.from.max(played.to), played.from.min(played.to)];
    let pairs: BTreeSet<[u32; 2]> = simulated.run.played.iter().map(pair).collect();
    pairs.into_iter().collect()
}

/// Links that leave a sender: their queue is the sender's memory.
fn first_links(routes: &(dyn Routes + Sync), pairs: &[[u32; 2]]) -> BTreeSet<LinkId> {
    let both = pairs.iter().flat_map(|&[one, other]| [[one, other], [other, one]]);
    let first = |[from, to]: [u32; 2]| {
        let mut links = Vec::new();
        routes.route(NodeId(from), NodeId(to), &mut links);
        links.first().copied()
    };
    both.filter_map(first).collect()
}

/// Bytes of room that a scenario gives the queues of its links.
fn room(sharing: &Sharing) -> Option<u64> {
    let stored = (**sharing).as_any().downcast_ref::<StoreAndForward>()?;
    stored.buffer.map(|size| Bits::of(size).count() / 8)
}

#[cfg(test)]
mod tests {
    use super::seed;

    #[test]
    fn repeats_and_replicates_lose_packets_of_their_own() {
        let all =
            [(0, 1), (1, 1), (2, 1), (0, 2), (1, 2), (0, 3)].map(|(replicate, repeat)| seed(7, replicate, repeat));
        assert_eq!(all[0], 7, "a first repeat is as it was");
        assert_eq!(std::collections::BTreeSet::from(all).len(), all.len());
    }
}
