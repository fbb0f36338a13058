//! A scenario's network over real TCP: a network namespace per node, a TUN device in each, and a relay between the
//! devices that plays the links. [`Sockets`] is a network of the kernel whose clock is the wall's: the engine
//! drives it as it drives a simulated one.
//!
//! Linux only. It needs the rights to make network namespaces and TUN devices. Everything lives in descriptors of this
//! process: when it ends, however it ends, the kernel removes all of it.

#![cfg(target_os = "linux")]
#![cfg_attr(not(test), deny(clippy::unwrap_used))]

mod error;
mod log;
mod messages;
mod namespace;
mod relay;
mod sockets;
mod sys;
mod wiring;
mod worker;

pub use error::EmulateError;
pub use log::{Ending, Log, Noted, Played};
pub use messages::Connections;
pub use relay::{Counts, LATE, RelayReport};
pub use sockets::{MessageContents, Options, Report, Sockets, Watch};
pub use wiring::{DEEP, MAX_NODES, OfLinks, PacketSizes, Queue, Wiring};
