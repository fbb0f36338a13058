//! TCP as a scenario names it: `sharing: Tcp(…)`.

use fedbits_kernel::network::{self, LinkId, Network, Routes, SharedLinks, SharingSetting};
use fedbits_spec::Described;
use serde::{Deserialize, Serialize};

use crate::{Congestion, Queue, TcpPackets, TcpSettings};

/// Every packet of TCP connections: windows that acknowledgements move on, queues with room (`queues`), losses and
/// their repair. Slower than the others, which know flows, and nearest to what Linux hosts do.
#[derive(Clone, Copy, Debug, Described, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Tcp {
    /// How windows grow and shrink.
    #[serde(default)]
    pub congestion: Congestion,
}

impl SharingSetting for Tcp {
    fn build(&self, links: SharedLinks) -> Box<dyn Network> {
        let SharedLinks { routes, framing, transport, queues, losses, streams } = links;
        let of_link = |(link, queue): (usize, &network::Queue)| match queue {
            network::Queue::Fair => Queue::Fair,
            queue => Queue::Fifo(queue.room(routes.capacity(LinkId(link as u32)))),
        };
        let settings = TcpSettings {
            framing,
            congestion: self.congestion,
            // A window that holds nobody back is as large as what the receiver has room for.
            initial_window: transport.slow_start.unwrap_or(u32::MAX),
            set_up: transport.set_up,
            restart_after_idle: transport.restart_after_idle,
            acknowledgements: transport.acknowledgements,
            queues: queues.iter().enumerate().map(of_link).collect(),
            losses,
            streams,
        };
        Box::new(TcpPackets::new(routes, settings))
    }

    fn has_flows(&self) -> bool {
        false
    }

    fn is_transport(&self) -> bool {
        true
    }

    fn examples() -> Vec<Self> {
        [Congestion::Cubic, Congestion::Reno].map(|congestion| Self { congestion }).into()
    }
}
