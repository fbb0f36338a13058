//! A deadline that nobody can meet: the smallest round trip of a prepared run, from its own network, speeds and
//! messages.

use fedbits_kernel::network::Transfer;
use fedbits_kernel::{Bits, NodeId, Speed, TimeDelta, World};
use fedbits_protocols::run::{Experiment, LeastRound};
use fedbits_protocols::star::{SERVER, node_of};
use fedbits_spec::Caveat;

use crate::schema::{Aggregation, Late, Round, Scenario};

/// What a client's round takes at the least.
#[derive(Clone, Copy)]
struct Trip {
    client: u32,
    down: TimeDelta,
    work: TimeDelta,
    up: TimeDelta,
}

impl Trip {
    fn total(self) -> TimeDelta {
        sum(sum(self.down, self.work), self.up)
    }
}

/// A caveat when no client can answer before the deadline, however lucky it is: broadcast and contribution with their
/// headers alone on the network, setting up, slow start, coding and decoding included; jitter and durations of work
/// that vary may be as short as one likes. With secure aggregation each of three exchanges has the deadline for itself,
/// and a masked vector may be shorter than what is coded: it and the keys are taken as nothing.
pub(super) fn caveat(scenario: &Scenario, experiment: &mut Experiment) -> Option<Caveat> {
    let Round::Deadline(deadline) = scenario.round else { return None };
    if scenario.late == Late::Apply {
        return None;
    }
    let is_secure = matches!(scenario.aggregation, Aggregation::SecureAggregation(_));
    let due = TimeDelta::of(deadline);
    let in_time = |trip: Trip| match is_secure {
        // The first exchange is the broadcast and keys, the third the vectors.
        true => sum(trip.down, trip.up) <= due && trip.total().as_nanos() <= due.as_nanos().saturating_mul(3),
        false => trip.total() <= due,
    };
    let varies = scenario.compute.variation > 0.0;
    let Experiment { protocol, world, .. } = experiment;
    let mut shortest: Option<Trip> = None;
    for (client, mut least) in (0..).zip(protocol.least_rounds()?) {
        if is_secure {
            least.contribution = Bits::ZERO;
        }
        let trip = trip(world, client, least, varies);
        if in_time(trip) {
            return None;
        }
        shortest = Some(shortest.filter(|shortest| shortest.total() <= trip.total()).unwrap_or(trip));
    }
    let trip = shortest?;
    let seconds = |time: TimeDelta| format!("{:.6}", time.as_seconds());
    Some(Caveat::DeadlineTooShort {
        deadline: format!("{:.6}", deadline.seconds()),
        trip: seconds(trip.total()),
        client: trip.client.to_string(),
        broadcast: seconds(trip.down),
        work: seconds(trip.work),
        contribution: seconds(trip.up),
    })
}

/// The sum, at most the end of the clock.
fn sum(one: TimeDelta, next: TimeDelta) -> TimeDelta {
    one.checked_add(next).unwrap_or(TimeDelta::MAX)
}

fn trip(world: &mut World, client: u32, least: LeastRound, varies: bool) -> Trip {
    let node = node_of(client);
    let framing = world.framing;
    let mut alone = |from: NodeId, to: NodeId, payload: Bits| {
        let bits = payload + framing.header_bits(payload);
        world.network.min_duration(Transfer::new(from, to, bits))
    };
    let (down, up) = (alone(SERVER, node, least.broadcast), alone(node, SERVER, least.contribution));
    // Work beyond the clock fails the run, which says so itself.
    let work = world.speeds[node.0 as usize].duration(least.work).filter(|_| !varies).unwrap_or_default();
    let Some(overheads) = world.overheads else { return Trip { client, down, work, up } };
    let (server, device) = (overheads.server, overheads.of(node, Some(SERVER)));
    let coded = |flight: TimeDelta, ends: [Speed; 2], bits: Bits| {
        ends.into_iter().filter_map(|speed| speed.duration(bits.count())).fold(flight, sum)
    };
    let down = coded(down, [server.code, device.decode], least.broadcast);
    let up = coded(up, [device.code, server.decode], least.contribution);
    let work = sum(work, device.step);
    Trip { client, down, work, up }
}
