//! How transfers share links, as scenarios name it.

use std::sync::Arc;

use fedbits_spec::range::SomeBits;
use fedbits_spec::{Choice, Described, Part, Size, kind};
use serde::{Deserialize, Serialize};

use super::{Fifo, GeneralFairShare, Ideal, LatencyOrder, Network, SharedLinks, StarFairShare, StarLinks, Weights};
use crate::Bits;

/// A model of sharing with its parameters, which a scenario names: `Fifo(unit: Message)`.
///
/// Of a checked setting comes a [`Network`] over any routes:
///
/// ```
/// use std::sync::Arc;
///
/// use fedbits_kernel::network::{AccessLink, FairShare, SharedLinks, SharingSetting, StarLinks, Transfer};
/// use fedbits_kernel::{Bits, Framing, NodeId, Rate, Time, TimeDelta};
///
/// let rate = |mbps: u64| Rate::new(mbps * 1_000_000).unwrap();
/// let client = AccessLink { up: rate(8), down: rate(8), latency: TimeDelta::from_nanos(20_000_000) };
/// let star = StarLinks { server_up: rate(100), server_down: rate(10), clients: vec![client; 2] };
/// let framing = Framing { header: Bits::new(320), segment: Bits::new(11_680) };
/// let mut network = FairShare.build(SharedLinks::plain(Arc::new(star), framing));
/// for client in [1, 2] {
///     network.start(Time::ZERO, Transfer::new(NodeId(client), NodeId(0), Bits::new(1_000_000)));
/// }
/// // Two clients share the 10 Mbit/s into the server: 20 ms, and 1 Mbit at 5 Mbit/s.
/// let mut completed = Vec::new();
/// assert_eq!(network.advance_to_completion(None, &mut completed), Some(Time::from_nanos(220_000_000)));
/// assert_eq!(completed.len(), 2);
/// ```
pub trait SharingSetting: Part {
    /// The network over `links`, idle.
    fn build(&self, links: SharedLinks) -> Box<dyn Network>;

    /// A faster way to the same, for a star whose rates do not vary and whose clients exchange with the server only.
    fn build_star(&self, _star: &StarLinks, _order: LatencyOrder) -> Option<Box<dyn Network>> {
        None
    }

    /// Do transfers slow each other down?
    fn contends(&self) -> bool {
        true
    }

    /// Can it lose packets?
    fn drops(&self) -> bool {
        false
    }

    /// Does it know flows, which wait for their latency before their bits or after them? Else it knows packets, which
    /// cross one link after the other.
    fn has_flows(&self) -> bool {
        true
    }

    /// Has it connections, windows, losses and repairs of its own? Then none are laid over it.
    fn is_transport(&self) -> bool {
        false
    }

    /// Does it follow rates that vary (`Routes::varying`)? Otherwise scenarios whose links have traces are refused.
    fn follows_varying_rates(&self) -> bool {
        false
    }

    /// Representative parameters, over which the laws of sharing ([`super::laws`]) are tested.
    fn examples() -> Vec<Self>
    where
        Self: Sized;
}

/// How transfers share links, as a scenario names it.
pub type Sharing = Choice<dyn SharingSetting>;

kind! {
    /// Sharing of links among transfers.
    dyn SharingSetting as "Sharing", default Some(Arc::new(FairShare));
    NoContention, FairShare, WeightedFairShare, StoreAndForward,
}

/// No contention: latency + bits / slowest link.
#[derive(Clone, Copy, Debug, Described, Deserialize, Serialize)]
#[serde(rename = "Ideal")]
pub struct NoContention;

impl SharingSetting for NoContention {
    fn build(&self, links: SharedLinks) -> Box<dyn Network> {
        Box::new(Ideal::new(links.routes))
    }

    fn contends(&self) -> bool {
        false
    }

    fn follows_varying_rates(&self) -> bool {
        true
    }

    fn examples() -> Vec<Self> {
        vec![Self]
    }
}

fn fair(links: SharedLinks, weights: Weights) -> Box<dyn Network> {
    let network = GeneralFairShare::weighted(links.routes, weights);
    Box::new(if links.transport.acknowledgements { network.acknowledged(links.framing) } else { network })
}

/// Max–min fair rates, updated whenever a transfer starts or ends.
#[derive(Clone, Copy, Debug, Described, Deserialize, Serialize)]
pub struct FairShare;

impl SharingSetting for FairShare {
    fn build(&self, links: SharedLinks) -> Box<dyn Network> {
        fair(links, Weights::Equal)
    }

    fn build_star(&self, star: &StarLinks, order: LatencyOrder) -> Option<Box<dyn Network>> {
        let network = StarFairShare::new(star.clone());
        Some(Box::new(if order == LatencyOrder::First { network } else { network.bits_first() }))
    }

    fn follows_varying_rates(&self) -> bool {
        true
    }

    fn examples() -> Vec<Self> {
        vec![Self]
    }
}

/// Max–min fair rates weighted by 1 / route latency (at least 1 ns), as in SimGrid's CM02.
#[derive(Clone, Copy, Debug, Described, Deserialize, Serialize)]
pub struct WeightedFairShare;

impl SharingSetting for WeightedFairShare {
    fn build(&self, links: SharedLinks) -> Box<dyn Network> {
        fair(links, Weights::InverseLatency)
    }

    fn follows_varying_rates(&self) -> bool {
        true
    }

    fn examples() -> Vec<Self> {
        vec![Self]
    }
}

/// Store and forward: each link direction sends one unit after another.
#[derive(Clone, Copy, Debug, Described, Deserialize, Serialize)]
#[serde(deny_unknown_fields, rename = "Fifo")]
pub struct StoreAndForward {
    /// Stored and forwarded unit.
    #[serde(default)]
    pub unit: Unit,
    /// Queue of each link after the first, without the unit being sent; overflow is lost. `None`: unlimited.
    #[serde(default)]
    #[range(SomeBits)]
    pub buffer: Option<Size>,
}

/// Stored and forwarded unit of `Fifo`.
#[derive(Clone, Copy, Debug, Default, Described, Deserialize, Eq, PartialEq, Serialize)]
pub enum Unit {
    /// A segment with its header.
    #[default]
    Packet,
    /// A whole message.
    Message,
}

impl SharingSetting for StoreAndForward {
    fn build(&self, SharedLinks { routes, framing, .. }: SharedLinks) -> Box<dyn Network> {
        let packet = (self.unit == Unit::Packet).then_some(framing.header + framing.segment);
        Box::new(Fifo::new(routes, packet, self.buffer.map(Bits::of)))
    }

    fn drops(&self) -> bool {
        self.buffer.is_some()
    }

    fn has_flows(&self) -> bool {
        false
    }

    fn follows_varying_rates(&self) -> bool {
        true
    }

    fn examples() -> Vec<Self> {
        let of = |unit, buffer| Self { unit, buffer };
        vec![of(Unit::Packet, None), of(Unit::Message, None), of(Unit::Packet, Some(Size::KiB(4.0)))]
    }
}
