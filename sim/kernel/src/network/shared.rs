//! What a model of sharing is built over, and where packets wait on it. This file must not know the models.

use std::collections::BTreeMap;
use std::sync::Arc;

use fedbits_random::Streams;
use fedbits_spec::range::{POSITIVE_SHORT_DURATION, SomeBits};
use fedbits_spec::{Described, Duration, Size};
use serde::{Deserialize, Serialize};

use super::routes::{LinkId, Routes};
use super::transport::{Loss, Transport};
use super::varying::VaryingRate;
use crate::message::Framing;
use crate::{Bits, Rate, TimeDelta};

/// The links whose rates vary.
pub type Rates = Arc<BTreeMap<LinkId, VaryingRate>>;

/// Links, and what goes over them in which packets.
#[derive(Clone)]
pub struct SharedLinks {
    /// The links, and the routes over them.
    pub routes: Arc<dyn Routes + Sync>,
    /// Messages travel in packets of this kind.
    pub framing: Framing,
    /// Connection set-up, slow start, acknowledgements and repair of losses. It is laid over a model that does not say
    /// that it does it itself ([`super::SharingSetting::is_transport`]), but for acknowledgements that take room.
    pub transport: Transport,
    /// Where packets wait, by link; beyond its end in endless queues.
    pub queues: Vec<Queue>,
    /// By link; none beyond its end.
    pub losses: Vec<Loss>,
    /// Where losses are drawn from.
    pub streams: Streams,
}

impl SharedLinks {
    /// Links that lose nothing, with room for everything, and nothing but sending.
    #[must_use]
    pub fn plain(routes: Arc<dyn Routes + Sync>, framing: Framing) -> Self {
        let (queues, losses) = (Vec::new(), Vec::new());
        Self { routes, framing, transport: Transport::NONE, queues, losses, streams: Streams::new(0, 0) }
    }
}

/// Queue in front of a link.
#[derive(Clone, Copy, Debug, Default, Described, Deserialize, PartialEq, Serialize)]
pub enum Queue {
    /// A queue per flow, served in turn, as in a sending host.
    Fair,
    /// One unlimited queue.
    #[default]
    Endless,
    /// Tail drop at this size, as in a modem or router.
    Room(#[range(SomeBits)] Size),
    /// Tail drop at what the link sends in this duration.
    Delay(#[range(POSITIVE_SHORT_DURATION)] Duration),
}

impl Queue {
    /// The room of one queue on a link of this capacity, in bits, where it has an end.
    #[must_use]
    pub fn room(self, capacity: Rate) -> Option<Bits> {
        match self {
            Self::Fair | Self::Endless => None,
            Self::Room(size) => Some(Bits::of(size)),
            Self::Delay(duration) => Some(capacity.bits_in(TimeDelta::of(duration))),
        }
    }
}

/// Queues in front of links, for packet-level models (`Tcp`).
#[derive(Clone, Copy, Debug, Described, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields, default)]
pub struct Queues {
    /// Out of the server.
    pub server_up: Queue,
    /// Into the server.
    pub server_down: Queue,
    /// Out of a client.
    pub client_up: Queue,
    /// Into a client.
    pub client_down: Queue,
    /// On links between sites.
    pub links: Queue,
}

/// Hosts keep their own flows apart; on the way there is one queue.
impl Default for Queues {
    fn default() -> Self {
        let (host, router) = (Queue::Fair, Queue::Endless);
        Self { server_up: host, server_down: router, client_up: host, client_down: router, links: router }
    }
}
