//! Settings that are described once, beside the code that they configure.
//!
//! A setting derives [`Described`] beside serde's traits: its fields with their documentation, defaults and ranges
//! ([`range`]), and rules across fields. From this one declaration come the reader, the check with the text of its
//! errors, and the reference of fields. Parts of an open [`Kind`], such as compressors, are named in scenarios and
//! registered: the project's own in one list, a user's by [`Registry::add`].
//!
//! ```
//! use fedbits_spec::{Described, Facts, Findings, Path, range::whole};
//! use serde::{Deserialize, Serialize};
//!
//! /// Keeps some entries of a vector.
//! #[derive(Debug, Described, Deserialize, PartialEq, Serialize)]
//! #[serde(deny_unknown_fields)]
//! struct Keep {
//!     /// How many.
//!     #[range(whole(1, u64::MAX).at_most(|facts| facts.vector, "q, the length of the statistic"))]
//!     k: u32,
//! }
//!
//! let keep: Keep = ron::from_str("(k: 20)").unwrap();
//! let (facts, mut findings) = (Facts::default().with_vector(Some(10)), Findings::default());
//! keep.check(&Path::Root.field("compressor"), &facts, &mut findings);
//! let found = &findings.into_parts().0[0];
//! assert_eq!((found.path.as_str(), found.message.as_str()), ("compressor.k", "`k` is out of range: 20"));
//! assert_eq!(found.expected, "expected a whole number from 1 to 10, at most q, the length of the statistic");
//! ```

#![cfg_attr(not(test), deny(clippy::unwrap_used))]

extern crate self as fedbits_spec;

#[cfg(test)]
#[path = "../tests/derive.rs"]
mod derive_tests;

mod caveat;
mod caveats;
pub mod describe;
mod facts;
pub mod files;
mod findings;
mod kind;
pub mod laws;
mod panics;
mod path;
pub mod range;
pub mod reference;
pub mod shell;
pub mod short;
mod so_many;
pub mod threads;
pub mod units;
mod visible;

pub use caveat::{Caveat, CaveatKind, CaveatSeverity};
pub use caveats::{Caveats, CountedCaveat};
pub use describe::{Described, Documented};
pub use facts::Facts;
pub use fedbits_spec_derive::Described;
pub use findings::{Finding, Findings, Severity};
pub use kind::{Choice, Entry, Kind, NameTaken, Part, Registry, Share, assert_sound};
pub use panics::{Panicked, caught};
pub use path::Path;
pub use short::Short;
pub use so_many::{short_number, so_many};
pub use units::{Duration, Energy, Power, Rate, Size};
pub use visible::visible;

// What the macro `kind` names in other crates.
#[doc(hidden)]
pub use erased_serde;
#[doc(hidden)]
pub use serde::de::DeserializeOwned;
// What the derive of `Described` names in other crates.
#[doc(hidden)]
pub use serde;
