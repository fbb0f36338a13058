//! Topologies: sites, the links between them, and the routes through them.
//!
//! A [`Map`] says which sites there are and who is joined to whom; it comes from [`Sites`] (drawn from addressed
//! streams) or from a file ([`gml`]). With capacities and latencies in place it becomes a [`Topology`], and with hosts
//! attached to its sites [`GraphLinks`], the routes of a network: shortest routes by latency.

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

pub use graph::{Backbone, Edge, Map, Site, SiteError, SiteGraph, SiteId, SiteName, Topology};
pub use hosts::{GraphLinks, Host, HostError};
pub use links::{LinkCapacity, LinkLatency, LinkSettings, Placement};
pub use pieces::Disconnected;
pub use place::Place;
pub use random::Reach;
pub use sites::{DurationAttribute, Piece, RateAttribute, Sites, SitesError};

use thiserror::Error;

/// Lists within lists, and the values of a scenario within each other, are read to this depth and no deeper: readers
/// follow them by recursion, and a file must not decide how much stack they take. What people write has about ten
/// levels.
pub const MAX_LEVELS: usize = 100;

/// Something in a file is not as its format says.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("line {line}, column {column}: {message}")]
pub struct MapFileError {
    /// The line, from 1.
    pub line: usize,
    /// The column in characters, from 1.
    pub column: usize,
    /// What is wrong.
    pub message: String,
    /// What was expected there, where more is known than that the file should have its format.
    pub expected: Option<&'static str>,
}

impl MapFileError {
    /// A problem at a byte of a text.
    fn at(text: &str, byte: usize, message: impl Into<String>) -> Self {
        let before = &text[..byte.min(text.len())];
        let start = before.rfind('\n').map_or(0, |newline| newline + 1);
        let (line, column) = (before.matches('\n').count() + 1, before[start..].chars().count() + 1);
        Self { line, column, message: message.into(), expected: None }
    }

    /// This error, with what was expected there.
    fn expecting(self, expected: &'static str) -> Self {
        Self { expected: Some(expected), ..self }
    }
}
