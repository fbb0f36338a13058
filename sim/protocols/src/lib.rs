//! The distributed algorithms, as reactions to messages on the event engine.
//!
//! A star protocol is the shared code of [`star`] plus two pure halves: what a client does with a broadcast and what
//! the server does with contributions. Read in the order in which a message travels: [`star`], [`payload`], [`fedem`],
//! [`journal`]. A protocol must not know how a network shares its links, nor where rows are written.

#![cfg_attr(not(test), deny(clippy::unwrap_used))]

/// What messages are sent for: constants that are numbered in the order of their `NAMES`.
macro_rules! purposes {
    ($($(#[$about:meta])+ $constant:ident = $name:literal,)+) => {
        pub(crate) const NAMES: &[&str] = &[$($name),+];
        #[allow(non_camel_case_types, clippy::upper_case_acronyms, reason = "called like the constants")]
        enum Place { $($constant),+ }
        use fedbits_kernel::Purpose;
        $($(#[$about])+ pub(crate) const $constant: Purpose = Purpose(Place::$constant as u8);)+
    };
}

pub mod aggregation;
pub mod alone;
pub mod assessment;
pub mod audit;
pub mod baselines;
pub mod byzantine;
pub mod clustering;
mod cohort;
pub mod collective;
pub mod costs;
pub mod diffusion;
pub mod error;
pub mod fed_grem;
pub mod fed_miss_em;
pub mod fedem;
pub mod federation;
pub mod footprint;
pub mod journal;
pub mod laws;
pub mod local;
pub mod neighbours;
pub mod one_round;
pub mod operator;
pub mod over;
pub mod partition;
pub mod payload;
pub mod personalized;
pub mod plan;
pub mod privacy;
pub mod problem;
pub mod reference;
mod registry;
pub mod robust;
pub mod run;
pub mod saem;
pub mod schedule;
pub mod setting;
pub mod star;
pub mod state;
pub mod strings;
pub mod theory;
pub mod uplink;
pub mod vkmeans;
pub mod vpem;
pub mod vr_fedem;

pub use registry::entry;
