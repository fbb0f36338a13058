//! Topologies: sites, the links between them, and the routes through them.
//!
//! A [`Map`] says which sites there are and who is joined to whom; it comes from [`Sites`] (drawn from addressed
//! streams) or from a file ([`gml`]). With capacities and latencies in place it becomes a [`Topology`], and with hosts
//! attached to its sites [`GraphLinks`], the routes of a network: shortest routes by latency.

mod file;
pub mod gml;
mod graph;
mod hosts;
mod layout;
mod links;
mod pieces;
mod place;
mod random;
mod shortest;
mod sites;

pub use file::{MAX_LEVELS, MapFileError};
pub use graph::{Backbone, Edge, Map, Site, SiteError, SiteId, SiteName, Topology};
pub use hosts::{GraphLinks, Host, HostError};
pub use links::{LinkCapacity, LinkLatency, LinkSettings, Placement};
pub use pieces::Disconnected;
pub use place::Place;
pub use random::Reach;
pub use sites::{DurationAttribute, Piece, RateAttribute, Sites, SitesError};
