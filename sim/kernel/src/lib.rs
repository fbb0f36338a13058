//! Virtual time, the event queue, the engine, the network and the ledger of bits.
//!
//! The engine runs a [`Protocol`] over a [`Network`]: nodes send messages of known length, compute for known work, and
//! drop out. A message travels through the files in this order: [`message`], [`Context`], [`network`], [`ledger`],
//! [`digest`]. The kernel must not know EM, vectors, or what a payload means.

#![cfg_attr(not(test), deny(clippy::unwrap_used))]

pub mod availability;
pub mod clients;
mod codecs;
mod coding;
mod context;
pub mod digest;
pub mod draws;
mod dropouts;
mod energy;
pub mod engine;
mod in_flight;
pub mod ledger;
mod link_ledger;
pub mod message;
pub mod network;
mod node;
mod quantities;
mod queue;
mod setting;
mod time_use;
pub mod topology;
mod trace;
mod traced;
mod world;

pub use availability::{Availability, AvailabilitySetting, Presence};
pub use clients::{CodingTimes, Compute, Dropout, Hazard, Overhead, Overheads, PerRound, Slow, Speed, State};
pub use context::{Context, Sending};
pub use digest::{Entry, Kind, Timeline};
pub use energy::{EnergySetting, ServerPower};
pub use engine::{Engine, Protocol};
pub use fedbits_tally::{Direction, Fate, LedgerRow};
pub use ledger::{Ledger, LedgerDetail, MAX_PURPOSES};
pub use link_ledger::LinkLedger;
pub use message::{Framing, Headers, Message, Payload, Purpose};
pub use network::{AccessLink, FlowId, GeneralFairShare, Ideal, Network, StarFairShare, StarLinks, Transfer};
pub use quantities::{Bits, NodeId, QuantityError, Rate, Time, TimeDelta};
pub use queue::{EventId, EventQueue};
pub use setting::{NetworkSetting, OnLinks, Shape};
pub use time_use::{Power, TimeUse, TimeUsePlan};
pub use trace::{Activity, MOST_SPANS, Span};
pub use world::{StopReason, World};
