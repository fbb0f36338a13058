//! What every model of sharing offers to whoever drives it.

use super::routes::{LinkId, Routes};
use super::transfer::{FlowId, Outcome, Transfer};
use crate::{Bits, NodeId, Time, TimeDelta};

/// A network that takes more steps than this before something completes tells how far it has come: some milliseconds.
pub const MANY_STEPS: u32 = 1 << 16;

/// A model of how transfers share a network. All times handed in must not decrease from call to call.
///
/// ```
/// use fedbits_kernel::network::{AccessLink, Ideal, Network, StarLinks, Transfer};
/// use fedbits_kernel::{Bits, NodeId, Rate, Time, TimeDelta};
///
/// let rate = |mbps: u64| Rate::new(mbps * 1_000_000).unwrap();
/// let client = AccessLink { up: rate(8), down: rate(50), latency: TimeDelta::from_nanos(20_000_000) };
/// let mut network = Ideal::new(StarLinks { server_up: rate(100), server_down: rate(100), clients: vec![client] });
/// let flow = network.start(Time::ZERO, Transfer::new(NodeId(1), NodeId(0), Bits::new(8_000_000)));
/// // 20 ms of latency, and 8 Mbit over the slower of the two links.
/// let next = network.next_completion().unwrap();
/// assert_eq!(next, Time::from_nanos(1_020_000_000));
/// let mut completed = Vec::new();
/// network.advance(next, &mut completed);
/// assert_eq!((completed, network.next_completion()), (vec![flow], None));
/// ```
pub trait Network {
    /// Starts a transfer at `now`.
    ///
    /// # Panics
    /// If a node does not exist or there is no route between the two.
    fn start(&mut self, now: Time, transfer: Transfer) -> FlowId;

    /// The next time to which the network must be advanced. No transfer in flight completes before it; at it a transfer
    /// completes, or only a latency ends (then nothing may complete, and the next call gives a later time). `None`:
    /// nothing is in flight.
    fn next_completion(&mut self) -> Option<Time>;

    /// Moves to `to` and appends all flows that complete at or before `to`, ordered by (completion time, start order).
    /// Results do not depend on how often this is called.
    fn advance(&mut self, to: Time, completed: &mut Vec<FlowId>);

    /// Moves to the first completion at or before `horizon` (without one: to the first there is), appends all flows
    /// that complete then, as [`Network::advance`] does, and returns its time. `None`: nothing completes by the
    /// horizon, up to which the network may have moved. After [`MANY_STEPS`] in which nothing completes it returns the
    /// time that it has reached, with nothing appended, so that the caller can be stopped.
    fn advance_to_completion(&mut self, horizon: Option<Time>, completed: &mut Vec<FlowId>) -> Option<Time> {
        let mut steps = 0;
        while let Some(next) = self.next_completion().filter(|&next| horizon.is_none_or(|horizon| next <= horizon)) {
            self.advance(next, completed);
            steps += 1;
            if !completed.is_empty() || steps == MANY_STEPS {
                return Some(next);
            }
        }
        None
    }

    /// Where nothing of ours is in flight: does what has to be done before a transfer can start at `to`, in
    /// [`MANY_STEPS`] at most. False where more is to be done, so that the caller can be stopped.
    fn catch_up(&mut self, _to: Time) -> bool {
        true
    }

    /// Cuts a transfer off and forgets it; returns the bits already sent, rounded down (0 while it waits for its
    /// latency).
    ///
    /// # Panics
    /// If `flow` is not in flight.
    fn abort(&mut self, now: Time, flow: FlowId) -> Bits;

    /// The run is over: from now on transfers are only cut off, all at one instant, so rates of the remaining transfers
    /// need not be computed any more.
    fn conclude(&mut self) {}

    /// Does it limit transfers by their [`super::Window`]? Otherwise the caller makes them wait before they start.
    fn heeds_windows(&self) -> bool {
        false
    }

    /// The routes that transfers take, where it knows them as such.
    fn routes(&self) -> Option<&dyn Routes> {
        None
    }

    /// No transfer of this kind takes less: its latency, its bits over the slowest link of its route, and the least
    /// that a transport adds to that. Zero where nothing is known.
    fn min_duration(&mut self, transfer: Transfer) -> TimeDelta {
        self.routes().map_or(TimeDelta::ZERO, |routes| routes.min_duration(transfer, &mut Vec::new()))
    }

    /// Writes the links from `from` to `to`, in order, into `links` (emptied first); none if the network has no
    /// separate links.
    ///
    /// # Panics
    /// If there is no route.
    fn route(&mut self, from: NodeId, to: NodeId, links: &mut Vec<LinkId>) {
        links.clear();
        if let Some(routes) = self.routes() {
            routes.route(from, to, links);
        }
    }

    /// The outcome of a transfer that [`Network::advance`] has just completed or [`Network::abort`] has just cut off;
    /// to be called before any other transfer starts. The default is for networks without losses.
    fn outcome(&mut self, _flow: FlowId) -> Outcome {
        Outcome::default()
    }
}
