//! What the tests say of TCP and its links, one by one, and the network of it.

use std::sync::Arc;

use fedbits_kernel::network::transport::{Loss, Transport};
use fedbits_kernel::network::{self, Routes, SharedLinks};
use fedbits_kernel::{Bits, Framing};
use fedbits_random::Streams;
use fedbits_spec::Size;
use fedbits_tcp::{Congestion, TcpPackets};

#[derive(Clone)]
pub struct TcpSettings {
    pub framing: Framing,
    pub congestion: Congestion,
    pub initial_window: u32,
    pub set_up: u32,
    pub restart_after_idle: bool,
    pub acknowledgements: bool,
    pub queues: Vec<Queue>,
    pub losses: Vec<Loss>,
    pub streams: Streams,
}

#[derive(Clone, Copy, PartialEq)]
pub enum Queue {
    Fair,
    Fifo(Option<Bits>),
}

impl TcpSettings {
    pub fn over(&self, routes: impl Routes + Sync + 'static) -> TcpPackets {
        let Self { framing, congestion, initial_window, set_up, restart_after_idle, acknowledgements, .. } = *self;
        let slow_start = Some(initial_window);
        let transport = Transport { set_up, slow_start, restart_after_idle, acknowledgements, ..Transport::NONE };
        let queue = |queue: &Queue| match queue {
            Queue::Fair => network::Queue::Fair,
            Queue::Fifo(None) => network::Queue::Endless,
            Queue::Fifo(Some(room)) => network::Queue::Room(Size::Bits(room.count() as f64)),
        };
        let (queues, losses) = (self.queues.iter().map(queue).collect(), self.losses.clone());
        let routes = Arc::new(routes);
        TcpPackets::new(SharedLinks { routes, framing, transport, queues, losses, streams: self.streams }, congestion)
    }
}
