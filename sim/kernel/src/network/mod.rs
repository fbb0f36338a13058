//! Networks: how long transfers take, and who slows whom down.
//!
//! A network is passive. It is told that a transfer starts or is cut off, says until when nothing can complete, and is
//! moved forward; whoever drives it (the engine, a test) owns the clock. It must not know messages, protocols or the
//! event queue of the engine: of a transfer it knows two nodes and a number of bits.
//!
//! Semantics of the models that know flows (`Ideal`, fair sharing): a transfer waits for its latency and then its bits
//! flow, or they flow at once and arrive after it ([`LatencyOrder`]); a change of rates takes effect at once. `Fifo`
//! knows packets. In all of them the two directions of a link do not influence each other; a transfer of zero bits
//! arrives after its latency. Rates change at exact instants; only the completion times that are told are rounded, up,
//! to whole nanoseconds.

mod background;
mod fair_share;
mod fifo;
mod ideal;
pub mod laws;
mod model;
mod rate_trace;
mod routes;
mod shared;
mod sharing;
mod slots;
mod star;
mod transfer;
pub mod transport;
mod varying;

pub use background::{Background, BackgroundTraffic, SingleLinks};
pub use fair_share::{GeneralFairShare, StarFairShare, Weights};
pub use fifo::Fifo;
pub use ideal::Ideal;
pub use model::{MANY_STEPS, Network};
pub use rate_trace::{RateTrace, Step, TraceStart};
pub use routes::{BitsFirst, LatencyOrder, Link, LinkId, Routes, VaryingLinks};
pub use shared::{Queue, Queues, Rates, SharedLinks};
pub use sharing::{FairShare, Sharing, SharingSetting, StoreAndForward, entry};
pub use slots::{Slot, Slots};
pub use star::{AccessLink, StarLinks};
pub use transfer::{FlowId, Outcome, Packets, Transfer, Window};
pub use varying::{Piece, VaryingRate};
