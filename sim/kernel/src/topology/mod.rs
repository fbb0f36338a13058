//! Topologies: sites, the links between them, and the routes through them.
//!
//! A [`Map`] says which sites there are and who is joined to whom; it comes from a [`Shape`] (drawn from addressed
//! streams) or from a file ([`gml`], [`sndlib`]). With capacities and latencies in place it becomes a [`Topology`], and
//! with hosts hung on its sites [`GraphLinks`], the routes of a network: shortest routes by latency. This module must
//! not know flows or messages.

mod file;
pub mod gml;
mod graph;
mod hosts;
mod layout;
mod pieces;
mod place;
mod random;
mod shape;
mod shortest;
pub mod sndlib;

pub use file::{MAX_LEVELS, MapFileError};
pub use graph::{Backbone, Edge, Map, Site, SiteError, SiteId, SiteName, Topology};
pub use hosts::{GraphLinks, Host, HostError};
pub use pieces::Disconnected;
pub use place::Place;
pub use random::Reach;
pub use shape::{Shape, ShapeError};
