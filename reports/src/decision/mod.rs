//! What a race has decided, from the record alone: which arm, at what cost beside the baseline's, how sure, and what
//! was not tried. Nothing here prints.

mod decided;
mod sentences;

pub use decided::{Decided, Place, counted, reason};
pub use sentences::beside_one;
pub(crate) use sentences::ratio;
