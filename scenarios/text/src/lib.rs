//! Texts that people write in RON: what is wrong with them, each problem with its line and a hint, and edits by path.
//!
//! RON's own parser stops at the first problem and knows only where it stood. This crate reads a text by its span tree:
//! it finds several problems at once (unknown, missing and repeated fields, values of the wrong type), and suggests the
//! name that was meant. It reads on with that name where a slip is nearly certain. The types need nothing but serde's
//! derives and the few lines of [`Document`].
//!
//! An [`Edit`] changes the value at a path, as in `server.ports[0]`. The edited text ([`Patched`]) knows where each of
//! its bytes was written, so that a problem that an edit brings is shown at the edit, not in the file. A [`Tree`] gives
//! the bytes of the value at a path, for checks of what was read (ranges, for example).
//!
//! ```
//! use fedbits_text::{Diagnostics, Document, Patched, Source};
//! use serde::{Deserialize, Serialize};
//!
//! #[derive(Deserialize, Serialize)]
//! #[serde(deny_unknown_fields)]
//! struct Server {
//!     host: String,
//!     ports: Vec<u32>,
//! }
//!
//! impl Document for Server {
//!     const NAME: &'static str = "server";
//!     const PATH: &'static str = "ports[0]";
//! }
//!
//! let source = Source::new("server.ron", "(host: \"localhost\", prots: [80, 443])");
//! let reading = Patched::new(0, &source.text).read::<Server>();
//! // One slip in a name: the value is read as it was meant.
//! assert_eq!(reading.value.unwrap().ports, [80, 443]);
//! let said = Diagnostics::new(reading.problems, vec![source]).to_string();
//! assert_eq!(
//!     said,
//!     "\
//! Error: unknown field `prots`
//!    ╭─[ server.ron:1:21 ]
//!    │
//!  1 │ (host: \"localhost\", prots: [80, 443])
//!    │                     ──┬──
//!    │                       ╰──── expected `host` or `ports`
//!    │
//!    │ Help: did you mean `ports`?
//! ───╯
//! "
//! );
//! ```

#![cfg_attr(not(test), deny(clippy::unwrap_used))]

#[cfg(test)]
extern crate self as fedbits_text;

#[cfg(test)]
#[path = "../tests/agreement.rs"]
mod agreement_tests;
mod diagnostic;
mod diagnostics;
mod differences;
mod document;
mod drawing;
mod edit;
mod names;
mod patched;
mod path;
mod reading;
mod shape;
mod syntax;
mod tree;

pub use diagnostic::{Diagnostic, Problem, Source};
pub use diagnostics::Diagnostics;
pub use differences::{Difference, differences};
pub use document::{Document, Place};
pub use edit::Edit;
pub use names::{first_few, known, meant, nearest, nearest_few, one_of};
pub use patched::{Origin, Patched};
pub use reading::Reading;
pub use syntax::write;
pub use tree::{Element, Tree};
